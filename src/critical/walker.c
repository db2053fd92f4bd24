/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What walks share: the stops of the world, the Ps by number, and the moments at which the stack of a goroutine is
 * known though its state does not change.
 */
#include "config.h"
#include "critical/internal.h"

#include "store/tracks/time_search.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const struct critical_stop *x = a, *y = b;
	return x->t0 < y->t0 ? -1 : x->t0 > y->t0;
}

static void make_stops(struct critical_walker *w, struct arena *a)
{
	const struct snap *sn = w->sn;
	struct critical_stop *v = NULL;
	size_t n = 0, cap = 0;
	uint32_t i = 0;
	while ((i = time_search_next_span(sn, i, 1u << SP_STW, sn->t0, sn->t1)) != UINT32_MAX) {
		v = mem_grow(v, &cap, n + 1, sizeof *v);
		v[n].span = i;
		time_search_span_bounds(sn, &store_span(sn->st, i++)->s, &v[n].t0, &v[n].t1);
		n++;
	}
	if (n)
		qsort(v, n, sizeof *v, by_start);
	w->stop = arena_alloc(a, (n + 1) * sizeof *v);
	for (size_t k = 0; k < n; k++) {
		int64_t from = w->nstop ? w->stop[w->nstop - 1].t1 : INT64_MIN;
		from = v[k].t0 > from ? v[k].t0 : from;
		if (v[k].t1 > from)
			w->stop[w->nstop++] = (struct critical_stop){from, v[k].t1, v[k].span};
	}
	mem_free(v);
}

static void make_procs(struct critical_walker *w, struct arena *a)
{
	enum { PROCS = 1 << 16 };	/* numbers of Ps are small; those of a damaged file may not be */
	const struct snap *sn = w->sn;
	uint32_t n = 0;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		if (r->kind == TK_P && r->id < PROCS && r->id >= n)
			n = (uint32_t)r->id + 1;
	}
	w->proc = arena_zalloc(a, (n + 1u) * sizeof *w->proc);
	w->nproc = n;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		if (r->kind == TK_P && r->id < PROCS)
			w->proc[r->id] = t;
	}
}

struct critical_walker *critical_walker_new(
    const struct snap *sn, const struct operations *ops, struct arena *a, const struct progress_watcher *on)
{
	struct critical_walker *w = arena_zalloc(a, sizeof *w);
	w->sn = sn;
	w->operations = ops;
	make_stops(w, a);
	make_procs(w, a);
	return stack_moments_make(&w->moments, sn, a, on) ? w : NULL;
}

const struct snap *critical_walker_snap(const struct critical_walker *w)
{
	return w->sn;
}

const struct operations *critical_walker_operations(const struct critical_walker *w)
{
	return w->operations;
}
