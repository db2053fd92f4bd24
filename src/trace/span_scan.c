/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * To step through one goroutine after another takes a walk over all sheets for each, and if few sheets fit into
 * memory, as many readings of the file. So this is one pass over the sheets for all goroutines: it keeps the current
 * span of each, and reports it when the next one starts.
 *
 * Spans are complete. A span that exists at the start of the window is followed back to its start: such spans are
 * collected, and searched together in the sheets before, newest first, only in those with changes of one of them.
 * Spans that exist at the end of the window are followed until none is left. A sheet without changes of these
 * goroutines is not read.
 *
 * A few goroutines are looked up in each sheet; for many, all rows of the sheet are walked. A goroutine has a slot from
 * its first row in the window to the row in which it ends, so there are at most as many slots as goroutines that are
 * alive at one time.
 */
#include "config.h"
#include "trace/span_scan.h"

#include "base/mem/mem.h"

enum { FEW = 32, LOOK_UP = 4, SHEET = 1 << 6 };	/* SHEET, LOOK_UP: steps for a sheet, for a row looked up */

/* The current span of goroutine k: its start, and its end as far as it is known. k of a free slot: the next free one. */
struct doing { int64_t t0, t1; uint32_t k, peer; stk_id stack; uint8_t state, was; bool live; };
/* The place of a goroutine. NOT_YET: no row was read. Below ENDED: its slot + 1. ENDED + s: it ended, with last state s, and
   its number may be used again. OVER: its spans in the window are reported. */
#define NOT_YET UINT32_C(0)
#define ENDED (UINT32_MAX - UINT8_MAX - 1)
#define OVER UINT32_MAX
#define NO_SLOT UINT32_MAX
/* A span that started in an earlier sheet, with its state at the start of the current one. */
struct left_span { uint32_t slot; uint8_t state; bool open; };
struct span_pass {
	const struct snap *sn;
	const struct span_scan_run *q;
	struct doing *slot;
	uint32_t nslot, unused;	/* unused: the first free slot, or NO_SLOT */
	size_t cslot;
	uint32_t *at;		/* by goroutine: its place */
	uint32_t *of;		/* by track: index of its goroutine + 1; NULL: they are few */
	struct left_span *left_span;
	uint32_t nleft, on;	/* on: number of spans that continue at the end of this sheet */
	size_t cleft;
	uint64_t steps;
	bool cut;
};

static trk_id track_of(const struct span_pass *p, uint32_t k)
{
	size_t step = p->q->step ? p->q->step : sizeof *p->q->g;
	return *(const trk_id *)(const void *)((const char *)p->q->g + k * step);
}

static bool has_slot(const struct span_pass *p, uint32_t k)
{
	return p->at[k] != NOT_YET && p->at[k] < ENDED;
}

static struct doing *slot_of(const struct span_pass *p, uint32_t k)
{
	return &p->slot[p->at[k] - 1];
}

static void take_slot(struct span_pass *p, uint32_t k)
{
	uint32_t i = p->unused;
	if (i == NO_SLOT) {
		i = p->nslot++;
		p->slot = mem_grow(p->slot, &p->cslot, p->nslot, sizeof *p->slot);
	} else {
		p->unused = p->slot[i].k;
	}
	p->slot[i] = (struct doing){.k = k, .was = p->at[k] == NOT_YET ? TS_NONE : (uint8_t)(p->at[k] - ENDED)};
	p->at[k] = i + 1;
}

static void leave_slot(struct span_pass *p, struct doing *d, uint32_t place)
{
	uint32_t i = p->at[d->k] - 1;
	p->at[d->k] = place;
	d->k = p->unused;
	p->unused = i;
}

static void end_span(struct span_pass *p, struct doing *d)
{
	enum tstate s = (enum tstate)(d->state & SHEET_STATE);
	if (!d->live || !s)
		return;
	d->live = false;
	const struct span_scan_item one = {d->k, s, (enum tstate)d->was, d->peer, d->stack, d->t0, d->t1};
	p->q->on_span(p->q->arg, &one);
	d->was = s;
}

static void row_from(struct span_pass *p, const struct sheet *sh, uint32_t row, struct doing *d, uint32_t i)
{
	uint32_t end = sh->first[row + 1];
	p->steps += end - i + 1;
	for (; i < end; i++) {
		int64_t a = sh->t0 + sheet_start(sh, i);
		uint8_t state = sh->state[i];
		if (!d->live || d->t1 != a || !sheet_continues(d->state, state)) {
			end_span(p, d);
			if (a >= p->q->t1) {
				leave_slot(p, d, OVER);
				return;
			}
			d->t0 = a;
			d->live = true;
		}
		d->t1 = sheet_end(sh, row, i);
		d->state = state;
		d->peer = p->q->peers ? sheet_peer(sh, i) : 0;
		d->stack = p->q->stacks ? sheet_stack(sh, i) : 0;
	}
	if (d->state & SHEET_STATE)
		p->on++;
	else
		leave_slot(p, d, ENDED + d->was);
}

/* The first span of the goroutine in the window is in this sheet: find its first piece here. If it may start in an
   earlier sheet, collect it for seek_left(). */
static void begin_goroutine(
    struct span_pass *p, const struct sheet *sh, uint32_t s, uint32_t row, uint32_t k, int64_t t)
{
	uint32_t first = sh->first[row], i = t <= sh->t0 ? first : sheet_find(sh, row, t);
	take_slot(p, k);
	while (i > first && sh->state[i] & SHEET_STATE && sheet_continues(sh->state[i - 1], sh->state[i]))
		i--;
	if (i > first || !s || t < sh->t0 || !(sh->state[i] & SHEET_STATE)) {
		row_from(p, sh, row, slot_of(p, k), i);
		return;
	}
	p->left_span = mem_grow(p->left_span, &p->cleft, p->nleft + 1u, sizeof *p->left_span);
	p->left_span[p->nleft++] = (struct left_span){p->at[k] - 1, sh->state[i], true};
	slot_of(p, k)->t0 = slot_of(p, k)->t1 = sh->t0;
}

static void row_of(struct span_pass *p, const struct sheet *sh, uint32_t s, uint32_t row, uint32_t k)
{
	if (p->at[k] == OVER)
		return;
	if (p->at[k] != NOT_YET) {
		if (!has_slot(p, k))
			take_slot(p, k);
		row_from(p, sh, row, slot_of(p, k), sh->first[row]);
		return;
	}
	int64_t born = p->q->newest ? store_trk(p->sn->st, track_of(p, k))->t0 : TIME_NONE,
		t = born != TIME_NONE && born > p->q->t0 ? born : p->q->t0;
	if (t < sh->t1)
		begin_goroutine(p, sh, s, row, k, t);
}

static trk_id left_track(const struct span_pass *p, const struct left_span *l)
{
	return track_of(p, p->slot[l->slot].k);
}

/* Extend a span to the left in an earlier sheet; l->open: it may continue further. */
static void scan_earlier_sheet(struct span_pass *p, const struct sheet *sh, struct left_span *l)
{
	struct doing *d = &p->slot[l->slot];
	int32_t row = sheet_row(sh, left_track(p, l));
	p->steps += LOOK_UP;
	l->open = row >= 0;
	if (row < 0)
		return;
	uint32_t first = sh->first[row], i = sh->first[row + 1];
	while (i > first && sheet_continues(sh->state[i - 1], l->state)) {
		i--;
		if (!d->live)
			d->state = sh->state[i];
		d->live = true;
		l->state = sh->state[i];
		d->t0 = sh->t0 + sheet_start(sh, i);
	}
	l->open = i == first;
}

/* Get a sheet; NULL if the walk must stop. */
static const struct sheet *get_sheet(struct span_pass *p, uint32_t s)
{
	p->steps += SHEET + (p->of ? store_slot(p->sn->st, s)->ntrk / 8 : 0);
	if (p->steps > p->q->most || !watcher_report(&p->q->on, s, p->sn->nsheets))
		p->cut = true;
	return p->cut ? NULL : sheet_get(p->sn, s);
}

/* Follow the collected spans back to their starts. */
static void seek_left(struct span_pass *p, uint32_t s)
{
	for (bool open = true; open && s-- > 0;) {
		const struct sheet *sh = get_sheet(p, s);
		if (!sh)
			return;
		open = false;
		for (uint32_t i = 0; i < p->nleft; i++) {
			struct left_span *l = &p->left_span[i];
			if (l->open)
				scan_earlier_sheet(p, sh, l);
			open = open || l->open;
		}
	}
}

static void sheet_pass(struct span_pass *p, uint32_t s)
{
	const struct sheet *sh = get_sheet(p, s);
	if (!sh)
		return;
	p->on = p->nleft = 0;
	for (uint32_t k = 0; !p->of && k < p->q->n; k++) {
		int32_t row = sheet_row(sh, track_of(p, k));
		p->steps += LOOK_UP;
		if (row >= 0)
			row_of(p, sh, s, (uint32_t)row, k);
	}
	for (uint32_t r = sh->nother; p->of && r < sh->ntrk; r++)
		if (sh->trk[r] < p->sn->ntrks && p->of[sh->trk[r]])
			row_of(p, sh, s, r, p->of[sh->trk[r]] - 1);
	if (!p->nleft)
		return;
	seek_left(p, s);
	sh = p->cut ? NULL : get_sheet(p, s);
	for (uint32_t i = 0; sh && i < p->nleft; i++) {
		uint32_t row = (uint32_t)sheet_row(sh, left_track(p, &p->left_span[i]));
		row_from(p, sh, row, &p->slot[p->left_span[i].slot], sh->first[row]);
	}
}

bool span_scan_run(const struct snap *sn, const struct span_scan_run *q)
{
	struct span_pass p = {.sn = sn, .q = q, .unused = NO_SLOT, .at = xcalloc(q->n + 1u, sizeof *p.at)};
	p.of = q->n > FEW ? xcalloc(sn->ntrks + 1u, sizeof *p.of) : NULL;
	for (uint32_t k = 0; p.of && k < q->n; k++)
		p.of[track_of(&p, k)] = k + 1;
	for (uint32_t s = 0; s < sn->nsheets && !p.cut; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		if (slot->t1 <= q->t0)
			continue;
		if (slot->t0 >= q->t1 && !p.on)
			break;
		sheet_pass(&p, s);
	}
	for (uint32_t k = 0; k < q->n && (!p.cut || q->open); k++)
		if (has_slot(&p, k))
			end_span(&p, slot_of(&p, k));
	mem_free(p.left_span);
	mem_free(p.of);
	mem_free(p.at);
	mem_free(p.slot);
	return !p.cut;
}
