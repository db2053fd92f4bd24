/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Walks over who woke or created whom. Each sheet keeps its edges by time, and
 * their indexes by (from, time); a walk steps from sheet to sheet and finds its
 * place in each by halving. Whoever wants to know who woke a goroutine needs no
 * walk: the runnable interval names it.
 */
#include "config.h"
#include "store/edges.h"

/* First place in edge_from (by from) or edge (by time alone) that is not before (from, t). */
static uint32_t edge_find(const struct sheet *sh, const trk_id *from, int64_t t)
{
	uint32_t lo = 0, hi = sh->nedge;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct sheet_edge *e = &sh->edge[from ? sh->edge_from[mid] : mid];
		bool before = from && e->from != *from ? e->from < *from : sh->t0 + e->t < t;
		if (before)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool edge_walk(const struct snap *sn, struct edge_walk *w, const trk_id *from, int64_t t0, int64_t t1,
    struct edge *out)
{
	for (; w->sheet < sn->nsheets; w->sheet++, w->i = 0) {
		const struct sheet *sh = store_sheet(sn->st, w->sheet);
		if (sh->t0 >= t1)
			break;
		if (sh->t1 <= t0)
			continue;
		uint32_t i = w->i ? w->i : edge_find(sh, from, t0);
		if (i < sh->nedge) {
			const struct sheet_edge *e = &sh->edge[from ? sh->edge_from[i] : i];
			if (sh->t0 + e->t < t1 && (!from || e->from == *from)) {
				w->i = i + 1;
				*out = (struct edge){sh->t0 + e->t, e->from, e->to & ~EDGE_CREATED, e->stack,
				    (e->to & EDGE_CREATED) != 0};
				return true;
			}
		}
	}
	return false;
}

bool edges_from(const struct snap *sn, struct edge_walk *w, trk_id from, int64_t t0, int64_t t1, struct edge *e)
{
	return edge_walk(sn, w, &from, t0, t1, e);
}

bool edges_in(const struct snap *sn, struct edge_walk *w, int64_t t0, int64_t t1, struct edge *e)
{
	return edge_walk(sn, w, NULL, t0, t1, e);
}
