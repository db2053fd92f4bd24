/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The spans of a goroutine's page, at most ONE_SPANS in the window: a longer life has to be viewed
 * in parts. The first ONE_NOW are read at once and the others in the background; the next key waits
 * for these, which takes some milliseconds.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/bsearch.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "calltree/weighted.h"
#include "store/tracks/wake_edges.h"
#include "term/style.h"

#include <string.h>

static int64_t begin_of(const struct snap *sn, uint32_t span)
{
	int64_t t = store_span(sn->st, span)->s.t0;
	return t == TIME_NONE ? INT64_MIN : t;
}

static int cmp_begin(const void *ctx, uint32_t a, uint32_t b)
{
	int64_t x = begin_of(ctx, a), y = begin_of(ctx, b);
	return x != y ? (x < y ? -1 : 1) : a < b ? 1 : -1;	/* the one that ends later contains the other */
}

static void load_regions(struct goroutines_state *p, const struct snap *sn)
{
	struct goroutines_page *o = &p->one;
	struct bsearch_probe h = {.hi = p->nregion};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_span(sn->st, p->region[h.at])->s.trk < o->trk);
	uint32_t first = (uint32_t)h.lo, n = 0;
	while (first + n < p->nregion && store_span(sn->st, p->region[first + n])->s.trk == o->trk)
		n++;
	o->region = arena_alloc(&p->mem, (n + 1u) * sizeof *o->region);
	o->nregion = n;
	for (uint32_t i = 0; i < n; i++)
		o->region[i] = p->region[first + i];
	calltree_sort_u32(o->region, n, cmp_begin, sn);
}

/* Sort by start; the input is sorted by number, which is nearly always the same order. */
static void sort_born(const struct snap *sn, trk_id *v, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++)
		sorted = store_trk(sn->st, v[i - 1])->t0 <= store_trk(sn->st, v[i])->t0;
	if (sorted)
		return;
	struct radix_item *k = xmalloc(n * sizeof *k);
	for (uint32_t i = 0; i < n; i++)
		k[i] = (struct radix_item){radix_key_ascending(store_trk(sn->st, v[i])->t0), v[i]};
	radix_sort_items(k, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = k[i].v;
	mem_free(k);
}

/* Find the children of the goroutine among all: to read the rows of millions takes some milliseconds, and an index by
   creator would take as much memory as a column of the table. */
static void load_children(struct goroutines_page *o, const struct snap *sn)
{
	o->nchild = 0;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		if (r->kind != TK_G || r->creator != o->trk)
			continue;
		o->child = mem_grow(o->child, &o->cchild, o->nchild + 1u, sizeof *o->child);
		o->child[o->nchild++] = t;
	}
	sort_born(sn, o->child, o->nchild);
}

/* Append spans from *v on, until there are `most`; true: there are more. */
static bool gather_spans(struct job *j, const struct snap *sn, struct trace_interval *v, int64_t t1, uint32_t most,
    struct trace_interval **to, uint32_t *n, size_t *cap)
{
	bool have = v->t0 < t1;
	while (have && *n < most && !(j && job_cancelled(j))) {
		*to = mem_grow(*to, cap, *n + 1u, sizeof **to);
		(*to)[(*n)++] = *v;
		have = trace_interval_step(sn, v, 1) && v->t0 < t1;
	}
	return have;
}

static bool first_span(const struct snap *sn, trk_id t, int64_t t0, struct trace_interval *v)
{
	return trace_interval_at(sn, t, t0, v) || trace_interval_near(sn, t, t0, 1, v);
}

static void gather_more(void *work, struct job *j)
{
	struct goroutines_span_work *r = work;
	gather_spans(j, r->sn, &r->from, r->t1, r->most, &r->v, &r->n, &r->cap);
}

static void free_spans(void *work)
{
	struct goroutines_span_work *r = work;
	mem_free(r->v);
	mem_free(r);
}

static const struct async_kind spans_kind = {gather_more, free_spans};

/* ---- the rows */

static void select_row(struct goroutines_state *p, uint32_t row)
{
	pane_table_select_row(&p->one.table, p, row);
}

static void select_span(struct goroutines_state *p, size_t i)
{
	struct pane_table *t = &p->one.table;
	t->rows.top = p->one.top;
	if (i >= p->one.n || !pane_table_select(t, p, (int64_t)i))
		select_row(p, t->rows.n);
}

/* Apply the requested position, and again when all spans are there, because the visible rows depend on their number. */
static void apply_seek_span(struct goroutines_state *p, bool all)
{
	struct goroutines_page *o = &p->one;
	if (o->seek != TIME_NONE && (all || (o->n && o->v[o->n - 1].t1 > o->seek))) {
		struct bsearch_probe h = {.hi = o->n};
		while (bsearch_probe(&h))
			bsearch_narrow(&h, o->v[h.at].t1 <= o->seek);
		select_span(p, h.lo);
	}
	if (o->row != UINT32_MAX && (all || o->row < o->n))
		select_span(p, o->row);
	if (all) {
		o->seek = TIME_NONE;
		o->row = UINT32_MAX;
	}
}

/* Take the other spans, unless they are still being read or are of another page (NULL). */
static void take_spans(struct goroutines_state *p, const struct pane_env *env, struct goroutines_span_work *r)
{
	struct goroutines_page *o = &p->one;
	if (!r)
		return;
	o->v = mem_grow(o->v, &o->cap, (size_t)o->n + r->n + 1, sizeof *o->v);
	if (r->n)
		memcpy(o->v + o->n, r->v, r->n * sizeof *o->v);
	o->n += r->n;
	o->cut = o->n == ONE_SPANS;
	/* a selection at the top stays at the top, so that longer spans that are read later are visible */
	bool top = !o->table.rows.sel;
	pane_table_fill(&o->table, p, env, o->n);
	if (top)
		select_row(p, 0);
	apply_seek_span(p, true);
	free_spans(r);
}

void goroutines_page_wait(struct goroutines_state *p, const struct pane_env *env)
{
	while (async_wanted(&p->one.rest))
		goroutines_page_finish(p, env);
}

void goroutines_page_finish(struct goroutines_state *p, const struct pane_env *env)
{
	take_spans(p, env, async_finish(&p->one.rest));
}

void goroutines_page_drop_seek(struct goroutines_state *p)
{
	p->one.seek = TIME_NONE;
	p->one.row = UINT32_MAX;
}

static void load_spans(struct goroutines_state *p, const struct pane_env *env, const struct snap *sn)
{
	struct goroutines_page *o = &p->one;
	struct trace_interval v;
	bool have = first_span(sn, o->trk, p->scope.t0, &v);
	if (have && gather_spans(NULL, sn, &v, p->scope.t1, ONE_NOW, &o->v, &o->n, &o->cap)) {
		struct goroutines_span_work *r = xcalloc(1, sizeof *r);
		*r = (struct goroutines_span_work){
		    .sn = sn, .from = v, .t1 = p->scope.t1, .most = ONE_SPANS - o->n};
		take_spans(p, env, async_start(&o->rest, &spans_kind, r, ASYNC_ALWAYS));
	}
}

bool goroutines_page_loaded(const struct goroutines_state *p)
{
	const struct goroutines_page *o = &p->one;
	return o->of && o->of == o->trk && (!async_job(&o->rest) || async_wanted(&o->rest));
}

void goroutines_page_load(struct goroutines_state *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct goroutines_page *o = &p->one;
	goroutines_page_wait(p, env);
	goroutines_page_drop_seek(p);
	async_cancel(&o->rest);
	if (o->of != o->trk) {
		o->table.brush = (struct brush){0};
		o->table.sel = -1;
		list_reset(&o->table.rows, 0);
	}
	o->top = o->table.rows.top;
	o->n = 0;
	o->cut = false;
	o->of = o->trk;
	if (!o->trk || o->trk >= sn->ntrks || !p->stats_index)
		return;
	stats_of_goroutine(p->stats_index, o->trk, p->scope.part ? p->scope.t0 : TIME_NONE,
	    p->scope.part ? p->scope.t1 : TIME_NONE, &p->mem, &o->s);
	load_spans(p, env, sn);
	pane_table_fill(&o->table, p, env, o->n);
	load_regions(p, sn);
	load_children(o, sn);
}

void goroutines_page_seek_time(struct goroutines_state *p, const struct pane_env *env, int64_t t)
{
	struct goroutines_page *o = &p->one;
	if (o->n && o->v[o->n - 1].t1 <= t)
		goroutines_page_wait(p, env);
	o->seek = t;
	o->row = UINT32_MAX;
	o->top = async_job(&o->rest) ? o->top : o->table.rows.top;
	apply_seek_span(p, !async_job(&o->rest));
}

void goroutines_page_seek_span(struct goroutines_state *p, const struct pane_env *env, uint32_t i)
{
	struct goroutines_page *o = &p->one;
	goroutines_page_wait(p, env);
	o->row = i;
	o->seek = TIME_NONE;
	o->top = async_job(&o->rest) ? o->top : o->table.rows.top;
	apply_seek_span(p, !async_job(&o->rest));
}
