/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Numbers of goroutines by state, from the sheets. Each sheet has a row for every goroutine that exists: the first
 * intervals of its rows give the numbers at its start, and the later ones are changes, which are sorted by time. All
 * changes at one instant are applied together. So the numbers are those of the goroutines' own intervals, wherever
 * sheets start and end.
 *
 * The counter rows of the sealer (store/tracks/seal_pipeline.c) are not used: they are thinned to the extremes of
 * slots, and the slots depend on where sheets end, and so on the memory limit. For a column on a screen that is enough;
 * a line of a report with the number at its end would show a nearby extreme.
 *
 * A goroutine whose first event comes late existed before, in the state in which it is found, but no earlier sheet has
 * it (store_heard()). So it is counted separately until it is in a sheet.
 */
#include "config.h"
#include "trace/state_counts.h"

#include "base/radix_sort.h"
#include "store/tracks/sheet_build.h"

#include <string.h>

/* A change of one goroutine: enum sheet_class before and after. */
enum { CLASS_BITS = 3, CLASS_MASK = (1 << CLASS_BITS) - 1 };
static uint32_t change_of(unsigned was, unsigned is)
{
	return was | is << CLASS_BITS;
}

static int64_t change_t(const struct radix_item *k)
{
	return (int64_t)(k->key ^ radix_key_ascending(0));
}

/* Changes by time (there may be very many): of the current sheet; of goroutines that no sheet has yet. */
struct state_counter {
	const struct snap *sn;
	int64_t t0, step, end;		/* end: of the last step */
	struct state_count *out;
	uint32_t n, k;			/* number of steps; the current one */
	bool begun;			/* t0 was reached */
	int64_t now[CLASS__N], most;	/* by class; most: maximum of runnable ones in the current step */
	struct radix_array sheet, heard;
	uint32_t at;			/* number of entries of heard that were applied */
	int64_t besides[CLASS__N];	/* numbers by class of goroutines in no sheet yet */
};

/* ---- goroutines before their first sheet */

static unsigned class_at(const struct sheet *sh, trk_id trk, int64_t t)
{
	int32_t row = sheet_row(sh, trk);
	return row < 0 ? CLASS_NONE : sheet_class[sh->state[sheet_find(sh, (uint32_t)row, t)] & SHEET_STATE];
}

/* Return the time of the first event of a goroutine that existed before it, within the time range; else TIME_NONE. */
static int64_t heard_late(const struct state_counter *c, trk_id i)
{
	const struct trk_row *r = store_trk(c->sn->st, i);
	int64_t heard = r->kind == TK_G ? store_heard(c->sn->st, r) : TIME_NONE;
	return heard > c->t0 && r->t0 < c->end && r->t0 < heard ? heard : TIME_NONE;
}

/* List goroutines by the time of their first event, which is the order of sheets. */
static void list_heard(const struct state_counter *c, struct radix_array *late)
{
	const struct snap *sn = c->sn;
	uint32_t n = 0;
	for (trk_id i = 1; i < sn->ntrks; i++)
		n += heard_late(c, i) != TIME_NONE;
	radix_array_alloc(late, n);
	for (trk_id i = 1; n && i < sn->ntrks; i++) {
		int64_t heard = heard_late(c, i);
		if (heard != TIME_NONE)
			radix_array_add(late, radix_key_ascending(heard), i);
	}
	radix_sort_items(late->v, n);
}

static void find_heard(struct state_counter *c)
{
	const struct snap *sn = c->sn;
	struct radix_array late;
	uint32_t s = 0;
	list_heard(c, &late);
	radix_array_alloc(&c->heard, 2 * late.n);
	for (uint32_t i = 0; i < late.n; i++) {
		struct radix_item k = late.v[i];
		int64_t heard = change_t(&k);
		while (s < sn->nsheets && store_slot(sn->st, s)->t1 <= heard)
			s++;
		if (s == sn->nsheets)
			break;
		unsigned class = class_at(sheet_get(sn, s), k.v, heard);
		radix_array_add(
		    &c->heard, radix_key_ascending(store_trk(sn->st, k.v)->t0), change_of(CLASS_NONE, class));
		radix_array_add(&c->heard, k.key, change_of(class, CLASS_NONE));
	}
	radix_sort_items(c->heard.v, c->heard.n);
	radix_array_free(&late);
}

/* ---- applying changes */

static void apply_change(int64_t n[CLASS__N], uint32_t change)
{
	n[change & CLASS_MASK]--;
	n[change >> CLASS_BITS]++;
}

static uint64_t clamp_count(int64_t n)
{
	return n < 0 ? 0 : (uint64_t)n;
}

/* Finish the steps that end at or before t. */
static void steps_upto(struct state_counter *c, int64_t t)
{
	for (; c->k < c->n && c->t0 + (int64_t)(c->k + 1) * c->step <= t; c->k++) {
		struct state_count *o = &c->out[c->k];
		o->n[STATE_COUNT_RUNNABLE] = clamp_count(c->now[CLASS_RUNNABLE]);
		o->n[STATE_COUNT_RUNNING] = clamp_count(c->now[CLASS_RUNNING]);
		o->n[STATE_COUNT_WAITING] = clamp_count(c->now[CLASS_WAITING]);
		o->n[STATE_COUNT_SYSCALL] = clamp_count(c->now[CLASS_SYSCALL]);
		o->runnable_max = clamp_count(c->most);
		c->most = c->now[CLASS_RUNNABLE];
	}
}

/* All changes of an instant are applied: update the maximum. */
static void end_moment(struct state_counter *c)
{
	int64_t v = c->now[CLASS_RUNNABLE];
	if (v > c->most || !c->begun)
		c->most = v;
	c->begun = true;
}

static void apply_changes(struct state_counter *c)
{
	struct radix_array *s = &c->sheet;
	radix_sort_items(s->v, s->n);
	for (uint32_t i = 0; i < s->n;) {
		struct radix_item k = s->v[i];
		uint64_t t = k.key;
		steps_upto(c, change_t(&k));
		do
			apply_change(c->now, k.v);
		while (++i < s->n && (k = s->v[i]).key == t);
		end_moment(c);
	}
}

/* ---- a sheet */

/* Record a change at t; a change before the time range is applied to `begin`. */
static void change(struct state_counter *c, int64_t t, uint32_t what, int64_t begin[CLASS__N])
{
	if (t <= c->t0)
		apply_change(begin, what);
	else if (t < c->end)
		radix_array_add(&c->sheet, radix_key_ascending(t), what);
}

static void walk_row(struct state_counter *c, const struct sheet *sh, uint32_t row, int64_t begin[CLASS__N])
{
	uint32_t i = sh->first[row], end = sh->first[row + 1];
	unsigned was = sheet_class[sh->state[i] & SHEET_STATE];
	begin[was]++;
	for (i++; i < end; i++) {
		unsigned is = sheet_class[sh->state[i] & SHEET_STATE];
		if (is != was)
			change(c, sh->t0 + sheet_start(sh, i), change_of(was, is), begin);
		was = is;
	}
}

/* Apply the changes of goroutines in no sheet, before this sheet and in it. */
static void walk_heard(struct state_counter *c, const struct sheet *sh, int64_t begin[CLASS__N])
{
	for (; c->at < c->heard.n; c->at++) {
		struct radix_item k = c->heard.v[c->at];
		if (change_t(&k) >= sh->t1)
			break;
		if (change_t(&k) <= sh->t0)
			apply_change(begin, k.v);
		else
			change(c, change_t(&k), k.v, begin);
		apply_change(c->besides, k.v);
	}
}

/* Make room for n changes of a sheet. */
static void have_room(struct state_counter *c, uint32_t n)
{
	if (n > c->sheet.room || !c->sheet.v) {
		radix_array_free(&c->sheet);
		radix_array_alloc(&c->sheet, n);
	}
	c->sheet.n = 0;
}

static void walk_sheet(struct state_counter *c, const struct sheet *sh)
{
	int64_t begin[CLASS__N];
	memcpy(begin, c->besides, sizeof begin);
	have_room(c, sh->n - sh->first[sh->nother] + c->heard.n - c->at);
	walk_heard(c, sh, begin);
	for (uint32_t row = sh->nother; row < sh->ntrk; row++)
		walk_row(c, sh, row, begin);
	steps_upto(c, sh->t0);
	memcpy(c->now, begin, sizeof begin);
	end_moment(c);
	apply_changes(c);
}

void state_counts_compute(const struct snap *sn, int64_t t0, int64_t step, uint32_t n, struct state_count *out)
{
	struct state_counter c = { .sn = sn, .t0 = t0, .step = step, .end = t0 + n * step, .out = out, .n = n };
	memset(out, 0, n * sizeof *out);
	find_heard(&c);
	for (uint32_t i = 0; i < sn->nsheets; i++)
		if (store_slot(sn->st, i)->t1 > t0 && store_slot(sn->st, i)->t0 < c.end)
			walk_sheet(&c, sheet_get(sn, i));
	steps_upto(&c, c.end);
	radix_array_free(&c.sheet);
	radix_array_free(&c.heard);
}
