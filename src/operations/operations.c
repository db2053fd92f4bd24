/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Operations are collected by one file for each source, in the order of the sources, then grouped by kind.
 *
 * The time by class of a kind is that of goroutines, not of operations: while two goroutines work for one task, both
 * count, and while none does, nothing counts. Where one goroutine works, the classes add up to the durations.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/radix_sort.h"
#include "base/text/regex.h"
#include "base/wrap_math.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/task_filter.h"

#include <stdlib.h>
#include <string.h>

static const char *const source_names[OPERATION_SOURCE__N] = {"task", "server", "round", "life", "goroutine"};

const char *operation_source_name(enum operation_source s)
{
	return s < OPERATION_SOURCE__N ? source_names[s] : "";
}

uint32_t operation_list_add_kind(struct operation_list *l, const struct operation_kind *k)
{
	l->kind = mem_grow(l->kind, &l->ckinds, l->nkinds + 1, sizeof *l->kind);
	l->kind[l->nkinds] = *k;
	return (uint32_t)l->nkinds++;
}

void operation_list_add(struct operation_list *l, const struct operation *o)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = *o;
	struct operation_kind *k = &l->kind[o->kind];
	k->n++;
	k->ncomplete += o->complete;
	k->total = wrap_add(k->total, wrap_sub(o->t1, o->t0));
}

/* ---- kinds */

/* Best source first, then largest total, then by name. */
static int kind_cmp(const void *a, const void *b)
{
	const struct operation_kind *x = a, *y = b;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	size_t n = x->nname < y->nname ? x->nname : y->nname;
	int c = n ? memcmp(x->name, y->name, n) : 0;
	return c ? c : x->nname < y->nname ? -1 : x->nname > y->nname;
}

/* Set the quantiles of a kind and which of its operations are slow. d: room for their durations. */
static void measure(const struct operations *o, struct operation_kind *k, int64_t *d)
{
	uint32_t n = 0;
	k->slow_from = INT64_MAX;
	for (uint32_t i = k->first; i < k->first + k->n; i++)
		if (o->v[i].complete)
			d[n++] = wrap_sub(o->v[i].t1, o->v[i].t0);
	if (!n)
		return;
	stats_sort(d, n);
	k->p50 = stats_quantile(d, n, 0.5);
	k->p90 = stats_quantile(d, n, 0.9);
	k->p99 = stats_quantile(d, n, 0.99);
	k->max = d[n - 1];
	struct task_filter_slow slow = task_filter_slow(d, n);
	uint32_t first = slow.first ? slow.first : n;
	while (first < n && d[first] == d[first - 1])	/* equal durations are all slow, or none is */
		first++;
	k->gap = slow.gap;
	k->nslow = n - first;
	k->slow_from = first < n ? d[first] : INT64_MAX;
}

/* Number the kinds of the result; to[]: the number of each kind of the list. */
static void arrange_kinds(struct operations *o, const struct operation_list *l, uint32_t *to, struct arena *mem)
{
	o->nkinds = (uint32_t)l->nkinds;
	o->kind = arena_alloc(mem, (l->nkinds + 1) * sizeof *o->kind);
	for (uint32_t i = 0; i < o->nkinds; i++) {
		o->kind[i] = l->kind[i];
		o->kind[i].first = i;	/* until they are sorted: its number in the list */
	}
	if (o->nkinds)
		qsort(o->kind, o->nkinds, sizeof *o->kind, kind_cmp);
	uint32_t first = 0;
	for (uint32_t i = 0; i < o->nkinds; i++) {
		to[o->kind[i].first] = i;
		o->kind[i].first = first;
		first += o->kind[i].n;
	}
}

/* Sort the operations of the list by start, then place each behind those of its kind. */
static void arrange(struct operations *o, const struct operation_list *l, struct arena *mem)
{
	uint32_t *to = xcalloc(l->nkinds + 1, sizeof *to), *at = xcalloc(l->nkinds + 1, sizeof *at);
	uint32_t *place = xmalloc((l->n + 1) * sizeof *place);
	struct radix_array order;
	arrange_kinds(o, l, to, mem);
	o->n = (uint32_t)l->n;
	o->v = arena_alloc(mem, (l->n + 1) * sizeof *o->v);
	radix_array_alloc(&order, o->n);
	for (uint32_t i = 0; i < o->n; i++)
		radix_array_add(&order, radix_key_ascending(l->v[i].t0), i);
	radix_array_sort(&order, 0, o->n);
	for (uint32_t i = 0; i < o->nkinds; i++)
		at[i] = o->kind[i].first;
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t from = radix_array_at(&order, i).v, kind = to[l->v[from].kind];
		place[from] = at[kind];
		o->v[at[kind]] = l->v[from];
		o->v[at[kind]++].kind = kind & (UINT32_MAX >> 1);
	}
	for (uint32_t i = 0; i < o->n; i++)
		if (o->v[i].parent != OPERATION_NONE)
			o->v[i].parent = place[o->v[i].parent];
	radix_array_free(&order);
	mem_free(place);
	mem_free(at);
	mem_free(to);
}

/* ---- all */

struct operations *operations_find(const struct snap *sn, const struct trace_filter *f,
    const struct operation_patterns *patterns, struct arena *mem, const struct progress_watcher *on)
{
	struct operations *o = arena_zalloc(mem, sizeof *o);
	struct operation_list l = {.sn = sn, .mem = mem};
	struct arena scratch = {.spills = true};
	(void)patterns, (void)f;
	struct task_work w = tasks_collect(&l, &scratch, on);
	o->nstks = sn->nstks;
	o->idle = idle_waits_find(sn, &w, mem, on);
	bool done = o->idle && class_sums_add(sn, &w, l.kind, (uint32_t)l.nkinds, on);
	if (done) {
		arrange(o, &l, mem);
		int64_t *d = xmalloc((o->n + 1u) * sizeof *d);
		for (uint32_t k = 0; k < o->nkinds; k++)
			measure(o, &o->kind[k], d);
		mem_free(d);
	}
	mem_free(l.v);
	mem_free(l.kind);
	arena_free(&scratch);
	return done ? o : NULL;
}

/* ---- choice */

/* Complete operations before others: those have no duration. Equally near ones: the earlier. */
struct nearest { uint32_t best; int64_t off; };

static void take_nearer(struct nearest *n, const struct operations *o, const struct operation_kind *k, bool complete,
    int64_t to)
{
	for (uint32_t i = k->first; i < k->first + k->n; i++) {
		int64_t off = wrap_abs(wrap_sub(wrap_sub(o->v[i].t1, o->v[i].t0), to));
		if (o->v[i].complete == complete && (n->best == OPERATION_NONE || off < n->off))
			*n = (struct nearest){i, off};
	}
}

uint32_t operations_nearest_p99(const struct operations *o, const struct operation_kind *k)
{
	struct nearest n = {OPERATION_NONE, 0};
	take_nearer(&n, o, k, k->ncomplete > 0, k->ncomplete ? k->p99 : INT64_MAX);
	return n.best;
}

static uint32_t by_id(const struct operations *o, uint64_t id)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (o->v[i].id == id)
			return i;
	return OPERATION_NONE;
}

/* Return the p99 of all complete operations of the chosen kinds; INT64_MAX: there are none. */
static int64_t p99_of(const struct operations *o, const bool *chosen)
{
	int64_t *d = xmalloc((o->n + 1u) * sizeof *d), p99 = INT64_MAX;
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->n; i++)
		if (chosen[o->v[i].kind] && o->v[i].complete)
			d[n++] = wrap_sub(o->v[i].t1, o->v[i].t0);
	stats_sort(d, n);
	if (n)
		p99 = stats_quantile(d, n, 0.99);
	mem_free(d);
	return p99;
}

uint32_t operations_choose(const struct operations *o, const char *words, uint32_t *count)
{
	uint64_t id;
	struct err why = {0};
	*count = 0;
	if (trace_parse_id(words, 't', &id)) {
		uint32_t i = by_id(o, id);
		*count = i != OPERATION_NONE;
		return i;
	}
	struct regex *rx = regex_new(words, &why);
	bool *chosen = xcalloc(o->nkinds + 1u, sizeof *chosen);
	for (uint32_t k = 0; rx && k < o->nkinds; k++) {
		chosen[k] = regex_match(rx, o->kind[k].name, o->kind[k].nname);
		*count += chosen[k] ? o->kind[k].n : 0;
	}
	struct nearest n = {OPERATION_NONE, 0};
	int64_t p99 = p99_of(o, chosen);
	for (uint32_t k = 0; k < o->nkinds; k++)
		if (chosen[k])
			take_nearer(&n, o, &o->kind[k], p99 != INT64_MAX, p99);
	mem_free(chosen);
	regex_free(rx);
	return n.best;
}
