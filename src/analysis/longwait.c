/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Who waited longest, of many goroutines. To step through one after another would be to go through
 * all sheets for each, and where few of them fit in memory, to read the file as often. So it is one pass over
 * the sheets for all: of each goroutine is kept what it does at the moment, and since when. A wait that
 * begins before the first sheet that is looked at is asked for by itself, and one that goes on after the last is
 * followed to its end; only where there were too many to look at all it counts as far as was looked.
 *
 * Where a few goroutines are meant, sheets that they go through unchanged are not even got.
 */
#include "config.h"
#include "analysis/longwait.h"

#include <string.h>

enum { LOOKS = 1 << 24, SHEET = 1 << 16, FEW = 32 };	/* intervals in all; so many does a sheet cost, which may have to be made
	again; goroutines that are looked for in each sheet */

struct doing { int64_t t0, t1; uint8_t state; bool cut; };	/* the newest interval; cut: begun before the first sheet */
struct pass {
	const struct snap *sn;
	const trk_id *g;
	uint32_t n, looks;
	int64_t t0, t1;
	struct doing *now;
	struct { int64_t t0, t1; uint32_t k; bool any; } best;
};

static bool goes_on(const struct doing *d, uint8_t state, int64_t a)
{
	return d->t1 > d->t0 && d->t1 == a && sheet_goes_on(d->state, state);
}

static bool is_wait(const struct doing *d)
{
	return d->t1 > d->t0 && state_waits((enum tstate)(d->state & SHEET_STATE));
}

static void judge(struct pass *p, uint32_t k)
{
	struct doing *d = &p->now[k];
	struct ival v;
	if (!is_wait(d))
		return;
	if (d->cut && ival_at(p->sn, p->g[k], d->t0, &v))
		d->t0 = v.t0;
	int64_t more = (d->t1 - d->t0) - (p->best.t1 - p->best.t0);
	if (d->t0 >= p->t1 || d->t1 <= p->t0)
		return;
	if (!p->best.any || more > 0 || (!more && (k < p->best.k || (k == p->best.k && d->t0 < p->best.t0)))) {
		p->best.t0 = d->t0;
		p->best.t1 = d->t1;
		p->best.k = k;
		p->best.any = true;
	}
}

/* The next piece of what goroutine k does: more of the same, or something else. */
static void piece(struct pass *p, uint32_t k, int64_t a, int64_t b, uint8_t state, bool cut)
{
	struct doing *d = &p->now[k];
	if (goes_on(d, state, a)) {
		d->t1 = b;
		d->state = state;
		return;
	}
	judge(p, k);
	*d = (struct doing){a, b, state, cut};
}

static void row_of(struct pass *p, const struct sheet *sh, uint32_t row, uint32_t k, bool first)
{
	for (uint32_t i = sh->first[row], end = sh->first[row + 1]; i < end; i++)
		piece(p, k, sh->t0 + sh->start[i], sheet_end(sh, row, i), sh->state[i], first && i == sh->first[row]);
	p->looks += sh->first[row + 1] - sh->first[row];
}

/* Do all of few go through a sheet that is away as they came, or are not there? Then it says nothing new. */
static bool still(struct pass *p, uint32_t s)
{
	const struct sheet_slot *slot = store_slot(p->sn->st, s);
	for (uint32_t k = 0; k < p->n; k++) {
		int how = sheet_still(p->sn, s, p->g[k]);
		if (how < 0 || (how == 1 && p->now[k].t1 != slot->t0))
			return false;
	}
	for (uint32_t k = 0; k < p->n; k++)
		if (sheet_still(p->sn, s, p->g[k]) == 1)
			p->now[k].t1 = slot->t1;
	return true;
}

/* To the end of a wait that goes on in sheet s. */
static void follow(struct pass *p, uint32_t k, uint32_t s)
{
	struct doing *d = &p->now[k];
	struct hold h = {0};
	for (bool on = is_wait(d); on && s < p->sn->nsheets && d->t1 == store_slot(p->sn->st, s)->t0; s++) {
		if (sheet_still(p->sn, s, p->g[k]) == 1) {
			d->t1 = store_slot(p->sn->st, s)->t1;
			continue;
		}
		const struct sheet *sh = hold_sheet(&h, p->sn, s);
		int32_t row = sheet_row(sh, p->g[k]);
		uint32_t i = row < 0 ? 0 : sh->first[row], end = row < 0 ? 0 : sh->first[row + 1];
		for (; i < end && goes_on(d, sh->state[i], sh->t0 + sh->start[i]); i++) {
			d->t1 = sheet_end(sh, (uint32_t)row, i);
			d->state = sh->state[i];
		}
		on = i == end && end;
	}
	hold_drop(&h);
}

/* of: by track, which goroutine, + 1; NULL: they are few. */
static void sheet_pass(struct pass *p, uint32_t s, const uint32_t *of, bool first)
{
	if (!of && still(p, s))
		return;
	const struct sheet *sh = sheet_get(p->sn, s);
	p->looks += SHEET;
	for (uint32_t k = 0; !of && k < p->n; k++) {
		int32_t row = sheet_row(sh, p->g[k]);
		if (row >= 0)
			row_of(p, sh, (uint32_t)row, k, first);
	}
	for (uint32_t r = sh->nother; of && r < sh->ntrk; r++)
		if (sh->trk[r] < p->sn->ntrks && of[sh->trk[r]])
			row_of(p, sh, r, of[sh->trk[r]] - 1, first);
	sheet_put(p->sn, s);
}

bool longest_wait(const struct snap *sn, const trk_id *g, uint32_t n, int64_t t0, int64_t t1, struct ival *best, bool *all)
{
	struct pass p = {.sn = sn, .g = g, .n = n, .t0 = t0, .t1 = t1, .now = xcalloc(n + 1u, sizeof *p.now)};
	uint32_t *of = n > FEW ? xcalloc(sn->ntrks + 1u, sizeof *of) : NULL, s = 0;
	bool first = true;
	for (uint32_t k = n; of && k-- > 0;)
		of[g[k]] = k + 1;
	for (; s < sn->nsheets && p.looks < LOOKS; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		if (slot->t1 <= t0)
			continue;
		if (slot->t0 >= t1)
			break;
		sheet_pass(&p, s, of, first);
		first = false;
	}
	*all = p.looks < LOOKS || s >= sn->nsheets || store_slot(sn->st, s)->t0 >= t1;
	for (uint32_t k = 0; k < n; k++) {
		if (p.looks < LOOKS)
			follow(&p, k, s);
		judge(&p, k);
	}
	mem_free(of);
	mem_free(p.now);
	return p.best.any && ival_at(sn, g[p.best.k], p.best.t0, best);
}
