/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What walks share: the stops of the world, the Ps by number, and the moments at which the stack of a goroutine is
 * known though its state does not change. Sheets have the wake-ups among those moments; CPU samples, tasks, regions and
 * logs are columns in the order of time, in which the next one of a goroutine cannot be found. So they are copied and
 * sorted by goroutine. That takes 16 bytes for each, half of what the columns take. More than MOMENTS of them are not
 * kept: then runs are divided at wake-ups and CPU samples only.
 */
#include "config.h"
#include "critical/internal.h"

#include "base/radix_sort.h"
#include "store/tracks/time_search.h"

#include <stdlib.h>

enum { MOMENTS = 1 << 23 };

/* ---- moments */

struct moment_list { struct critical_moment *v; uint32_t n; };

static void add_moment(struct moment_list *m, int64_t t, trk_id g, stk_id stack, bool sample)
{
	if (t != TIME_NONE && g && stack && stack < UINT32_C(1) << 31)
		m->v[m->n++] = (struct critical_moment){t, g, stack, sample};
}

static void add_samples(const struct snap *sn, struct moment_list *m)
{
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		struct smp_time t = store_smp_time(sn->st, i);
		add_moment(m, t.when, t.trk, store_smp(sn->st, i)->stack, true);
	}
}

static bool add_annotations(const struct snap *sn, struct moment_list *m, const struct progress_watcher *on)
{
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *k = store_mark(sn->st, i);
		if (k->kind == MK_LOG)
			add_moment(m, k->t, k->trk, k->stack, false);
	}
	enum { ROWS = 1 << 16 };	/* between two checks for a stop */
	for (uint32_t i = 0; i < sn->nspans && (i % ROWS || job_should_continue(on)); i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->kind != SP_TASK && s->kind != SP_REGION)
			continue;
		add_moment(m, s->t0, s->trk, s->stack, false);
		add_moment(m, s->t1, s->kind == SP_TASK ? s->trk1 : s->trk, s->stack1, false);
	}
	return job_should_continue(on);
}

/* Sort by goroutine, then time, then events before samples: stable sorts, from the last key to the first. */
static struct critical_moment *sorted_moments(const struct moment_list *m, struct arena *a)
{
	struct critical_moment *v = arena_alloc(a, (m->n + 1u) * sizeof *v);
	size_t bytes = (m->n + 1u) * sizeof(struct radix_item);
	struct radix_item *item = mem_bulk(bytes);
	for (uint32_t i = 0; i < m->n; i++)
		item[i] = (struct radix_item){m->v[i].sample, i};
	radix_sort_items(item, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		item[i].key = radix_key_ascending(m->v[item[i].v].t);
	radix_sort_items(item, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		item[i].key = m->v[item[i].v].g;
	radix_sort_items(item, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		v[i] = m->v[item[i].v];
	mem_bulk_free(item, bytes);
	return v;
}

static void index_moments(struct critical_walker *w, struct arena *a)
{
	uint32_t m = 0, n = w->sn->ntrks / MOMENT_TRACKS + 1;
	w->moment_of = arena_alloc(a, (n + 1u) * sizeof *w->moment_of);
	for (uint32_t i = 0; i <= n; i++) {
		while (m < w->nmoment && w->moment[m].g / MOMENT_TRACKS < i)
			m++;
		w->moment_of[i] = m;
	}
}

static bool make_moments(struct critical_walker *w, struct arena *a, const struct progress_watcher *on)
{
	const struct snap *sn = w->sn;
	struct moment_list m = {0};
	uint64_t most = (uint64_t)sn->nsmps + sn->nmarks + 2 * (uint64_t)sn->nspans;
	bool all = most <= MOMENTS;
	size_t bytes = (all ? (size_t)most + 1 : sn->nsmps + 1u) * sizeof *m.v;
	m.v = mem_bulk(bytes);
	add_samples(sn, &m);
	bool done = !all || add_annotations(sn, &m, on);
	w->moment = sorted_moments(&m, a);
	w->nmoment = m.n;
	mem_bulk_free(m.v, bytes);
	index_moments(w, a);
	return done;
}

/* ---- stops and Ps */

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
	return make_moments(w, a, on) ? w : NULL;
}

const struct snap *critical_walker_snap(const struct critical_walker *w)
{
	return w->sn;
}

const struct operations *critical_walker_operations(const struct critical_walker *w)
{
	return w->operations;
}
