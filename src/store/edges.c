/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Walks over who woke or created whom. Each sheet keeps the intervals that began
 * so by (who, time); a walk steps from sheet to sheet and finds its place in
 * each by halving. Whoever wants to know who woke a goroutine needs no walk: the
 * runnable interval names it.
 */
#include "config.h"
#include "store/edges.h"

#include "base/halve.h"

/* First place in edge[] that is not before (from, t). */
static uint32_t edge_find(const struct sheet *sh, trk_id from, int64_t t)
{
	struct halve h = {.hi = sh->nedge};
	while (halve(&h)) {
		uint32_t i = sh->edge[h.at] & ~EDGE_CREATED;
		trk_id who = sheet_who(sh, i);
		halve_on(&h, who != from ? who < from : sh->t0 + sh->start[i] < t);
	}
	return h.lo;
}

static struct edge edge_at(const struct sheet *sh, uint32_t k)
{
	uint32_t i = sh->edge[k] & ~EDGE_CREATED;
	return (struct edge){sh->t0 + sh->start[i], sheet_who(sh, i), sh->trk[sheet_row_of(sh, i)], sheet_stack(sh, i),
	    (sh->edge[k] & EDGE_CREATED) != 0};
}

bool edges_from(const struct snap *sn, struct edge_walk *w, trk_id from, int64_t t0, int64_t t1, struct edge *out)
{
	struct hold h = {0};
	for (; w->sheet < sn->nsheets; w->sheet++, w->i = 0) {
		const struct sheet_slot *slot = store_slot(sn->st, w->sheet);
		if (slot->t0 >= t1)
			break;
		if (slot->t1 <= t0)
			continue;
		const struct sheet *sh = hold_sheet(&h, sn, w->sheet);
		uint32_t k = w->i ? w->i : edge_find(sh, from, t0);
		if (k >= sh->nedge)
			continue;
		uint32_t i = sh->edge[k] & ~EDGE_CREATED;
		int64_t t = sh->t0 + sh->start[i];
		if (t >= t1 || sheet_who(sh, i) != from)
			continue;
		w->i = k + 1;
		*out = edge_at(sh, k);
		hold_drop(&h);
		return true;
	}
	hold_drop(&h);
	return false;
}
