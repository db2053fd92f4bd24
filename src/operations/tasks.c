/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * User tasks as operations. The list of tasks, with their names and times, is that of the report "tasks", so both have
 * the same quantiles.
 *
 * The time of a task is counted on the goroutines that worked for it: if it starts and ends on one goroutine, all its
 * time there; otherwise, and on other goroutines, the time of its regions. The regions of a task nest, so of those on
 * one goroutine the outermost ones count. Tasks may nest too, and then each counts all of its time.
 */
#include "config.h"
#include "operations/internal.h"

#include "store/tracks/time_search.h"
#include "trace/bins.h"
#include "trace/stats/goroutine_stats.h"

#include <stdlib.h>

/* A time range of a goroutine that belongs to a task; of: UNSELECTED if the task is not selected. */
struct work_range { int64_t t0, t1; trk_id g; uint32_t of; };
#define UNSELECTED UINT32_MAX

struct task_pass {
	const struct snap *sn;
	struct operation_list *to;	/* NULL: only ranges are collected */
	const struct stats_tasks *ts;
	struct work_range *range;
	size_t n, cap;
};

/* Return whether the trace has the task itself, not only references to it. */
static bool is_recorded(const struct stats_task *t)
{
	return t->span != UINT32_MAX;
}

static uint32_t kind_of(struct task_pass *p, str_id name)
{
	bool fresh;
	uint32_t k = operations_list_kind(p->to, OPERATION_TASK, name, &fresh);
	const struct str_row *s = store_str(p->sn->st, name);
	p->to->kind[k].name = s->n ? s->s : "";
	p->to->kind[k].nname = s->n;
	return k;
}

/* Return when a goroutine ended, if it did before t, else t: a task that never ends is not worked for after that. */
static int64_t end_before(const struct snap *sn, trk_id g, int64_t t)
{
	int64_t end = store_t1(sn->st, store_trk(sn->st, g));
	bool before = end != TIME_NONE && end < t && trace_interval_state(sn, g, t - 1) == TS_NONE;
	return before ? end : t;
}

static void add_range(struct task_pass *p, trk_id g, int64_t t0, int64_t t1, uint32_t of)
{
	if (!g)
		return;
	if (t1 == p->sn->t1)
		t1 = end_before(p->sn, g, t1);
	if (t1 <= t0)
		return;
	p->range = mem_grow(p->range, &p->cap, p->n + 1, sizeof *p->range);
	p->range[p->n++] = (struct work_range){t0, t1, g, of};
}

static int range_cmp(const void *a, const void *b)
{
	const struct work_range *x = a, *y = b;
	if (x->g != y->g)
		return x->g < y->g ? -1 : 1;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->t1 > y->t1 ? -1 : x->t1 < y->t1;
}

/* Replace the ranges from `first` on by their outermost ones. */
static void keep_outermost(struct task_pass *p, size_t first)
{
	if (p->n - first < 2)
		return;
	size_t n = first;
	qsort(p->range + first, p->n - first, sizeof *p->range, range_cmp);
	for (size_t i = first; i < p->n; i++) {
		struct work_range x = p->range[i], *last = n > first ? &p->range[n - 1] : NULL;
		if (last && last->g == x.g && last->t1 > x.t0)
			last->t1 = last->t1 > x.t1 ? last->t1 : x.t1;
		else
			p->range[n++] = x;
	}
	p->n = n;
}

/* Add the ranges of a task: if it starts and ends on one goroutine, those of its regions on others. */
static void add_ranges(struct task_pass *p, const struct stats_task *t, const struct operation *o, uint32_t of)
{
	const struct snap *sn = p->sn;
	trk_id own = o->g == o->starter ? o->g : 0;
	size_t first = p->n;
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		struct stats_task_event e = stats_task_event(p->ts, i);
		const struct sink_span *r = e.log ? NULL : &store_span(sn->st, e.i)->s;
		int64_t t0, t1;
		if (!r || r->trk == own || r->v0 & RG_LOOSE)
			continue;
		time_search_span_bounds(sn, r, &t0, &t1);
		add_range(p, r->trk, t0, t1, of);
	}
	keep_outermost(p, first);
	add_range(p, own, o->t0, o->t1, of);
}

static int64_t clamped(const struct snap *sn, int64_t t, int64_t open)
{
	return t == TIME_NONE ? open : t < sn->t0 ? sn->t0 : t > sn->t1 ? sn->t1 : t;
}

static struct operation operation_of(const struct snap *sn, const struct stats_task *t)
{
	const struct sink_span *start = &store_span(sn->st, t->span)->s, *end = &store_span(sn->st, t->end)->s;
	trk_id from = start->trk, to = end->trk1 ? end->trk1 : from;
	struct operation o = {.t0 = clamped(sn, t->t0, sn->t0), .t1 = clamped(sn, t->t1, sn->t1), .id = t->id, .g = to,
	    .starter = from ? from : to};
	o.complete = t->t0 != TIME_NONE && t->t1 != TIME_NONE;
	return o;
}

static void add_task(struct task_pass *p, const struct stats_task *t, const uint32_t *position, bool selected)
{
	struct operation o = operation_of(p->sn, t);
	uint32_t parent = t->parent && t->parent != UINT64_MAX ? stats_task_find(p->ts, t->parent) : UINT32_MAX;
	uint32_t kind = selected ? kind_of(p, t->name) : UNSELECTED;
	o.kind = kind & (UINT32_MAX >> 1);
	if (selected)
		operations_list_add(p->to, &o, parent == UINT32_MAX ? OPERATION_NONE : position[parent]);
	add_ranges(p, t, &o, kind);
}

static struct work_points make_points(const struct task_pass *p, struct arena *scratch)
{
	struct work_points w = {arena_alloc(scratch, (2 * p->n + 1) * sizeof *w.v), 0};
	for (size_t i = 0; i < p->n; i++)
		if (p->range[i].of != UNSELECTED)
			work_points_add(&w, p->range[i].g, p->range[i].t0, p->range[i].t1, p->range[i].of);
	work_points_sort(&w);
	return w;
}

/* Make the union of the ranges, which are sorted. */
static void make_busy(struct task_work *w, struct work_range *v, size_t n, uint32_t ntrks, struct arena *scratch)
{
	w->any = arena_zalloc(scratch, ntrks / 8 + 1u);
	w->busy = arena_alloc(scratch, (n + 1) * sizeof *w->busy);
	if (n)
		qsort(v, n, sizeof *v, range_cmp);
	for (size_t i = 0; i < n; i++) {
		struct trace_slice *last = w->nbusy ? &w->busy[w->nbusy - 1] : NULL;
		w->any[v[i].g >> 3] |= (uint8_t)(1u << (v[i].g & 7));
		if (!last || last->trk != v[i].g || last->t1 < v[i].t0)
			w->busy[w->nbusy++] = (struct trace_slice){v[i].g, v[i].t0, v[i].t1};
		else if (last->t1 < v[i].t1)
			last->t1 = v[i].t1;
	}
}

/* Return the position that each task will have in the list of operations; OPERATION_NONE: it is not recorded, or not
   selected. */
static uint32_t *positions_of(const struct operation_list *to, const struct stats_tasks *ts, struct arena *scratch)
{
	uint32_t *v = arena_alloc(scratch, (ts->n + 1u) * sizeof *v), n = 0;
	for (uint32_t i = 0; i < ts->n; i++) {
		struct operation o;
		v[i] = OPERATION_NONE;
		if (!is_recorded(&ts->task[i]))
			continue;
		o = operation_of(to->sn, &ts->task[i]);
		if (operations_list_selects(to, &o))
			v[i] = n++;
	}
	return v;
}

struct task_work tasks_collect(
    struct operation_list *to, struct arena *scratch, const struct progress_watcher *on)
{
	struct arena list = {0};
	struct task_pass p = {.sn = to->sn, .to = to, .ts = stats_tasks(to->sn, &list, on)};
	struct task_work w = {0};
	const uint32_t *position = positions_of(to, p.ts, &list);
	for (uint32_t i = 0; i < p.ts->n; i++) {
		const struct stats_task *t = &p.ts->task[i];
		if (t->id < UINT64_MAX / 2 && to->next_id <= t->id)
			to->next_id = t->id + 1;
		if (is_recorded(t))
			add_task(&p, t, position, position[i] != OPERATION_NONE);
	}
	arena_free(&list);
	w.points = make_points(&p, scratch);
	make_busy(&w, p.range, p.n, to->sn->ntrks, scratch);
	mem_free(p.range);
	return w;
}

struct work_points tasks_points(const struct snap *sn, const struct operations *o, const struct operation_kind *k,
    struct arena *scratch, const struct progress_watcher *on)
{
	struct task_pass p = {.sn = sn, .ts = stats_tasks(sn, scratch, on)};
	for (uint32_t i = 0; i < k->n; i++) {
		struct operation x = operations_of_kind(o, (uint32_t)(k - o->kind), i);
		uint32_t t = stats_task_find(p.ts, x.id);
		if (t != UINT32_MAX)
			add_ranges(&p, &p.ts->task[t], &x, i);
	}
	struct work_points w = make_points(&p, scratch);
	mem_free(p.range);
	return w;
}
