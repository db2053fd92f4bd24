/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Operations as a filter: the times at which goroutines worked for the selected ones. A task has its regions on other
 * goroutines, which the filter of tasks finds already; other operations are on one goroutine. With them, the tasks and
 * regions are selected that this goroutine worked for then.
 */
#include "config.h"
#include "operations/operations.h"

#include "base/wrap_math.h"
#include "store/tracks/time_search.h"

#include <stdlib.h>

struct slice_list { struct trace_slice *v; size_t n, cap; };

static void add_slice(struct slice_list *s, struct trace_slice x)
{
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = x;
}

static int slice_cmp(const void *a, const void *b)
{
	const struct trace_slice *x = a, *y = b;
	if (x->trk != y->trk)
		return x->trk < y->trk ? -1 : 1;
	return x->t0 < y->t0 ? -1 : x->t0 > y->t0;
}

/* Return the union of the slices in the arena, and free the list. */
static struct trace_slice *take_union(struct slice_list *s, struct arena *a, uint32_t *n)
{
	struct trace_slice *out = arena_alloc(a, (s->n + 1) * sizeof *out);
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, slice_cmp);
	*n = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct trace_slice x = s->v[i], *last = *n ? &out[*n - 1] : NULL;
		if (last && last->trk == x.trk && last->t1 >= x.t0)
			last->t1 = last->t1 > x.t1 ? last->t1 : x.t1;
		else
			out[(*n)++] = x;
	}
	mem_free(s->v);
	return out;
}

/* What is selected, and the sources that the selection is about. */
struct slice_selection {
	const struct operations *o;
	const struct trace_span_match *p;
	bool *kind;			/* the kinds whose names match; NULL: an operation is selected by its id */
	bool source[OPERATION_SOURCE__N];
};

static bool is_named(const struct slice_selection *s, const struct operation *x)
{
	return s->kind ? s->kind[x->kind] : x->id == s->p->id;
}

/* Is it selected? By the rules for tasks, see struct trace_span_match. */
static bool is_selected(const struct slice_selection *s, const struct operation *x)
{
	const struct trace_span_match *p = s->p;
	int64_t ns = wrap_sub(x->t1, x->t0);
	if (p->lo == TIME_NONE && p->hi == TIME_NONE)
		return is_named(s, x) != p->rest;
	bool in = (p->lo == TIME_NONE || ns >= p->lo) && (p->hi == TIME_NONE || ns <= p->hi);
	return x->complete && is_named(s, x) && in != p->rest;
}

static struct slice_selection selection_of(const struct operations *o, const struct trace_span_match *p)
{
	struct slice_selection s = {.o = o, .p = p, .kind = p->match ? xcalloc(o->nkinds + 1u, sizeof *s.kind) : NULL};
	for (uint32_t k = 0; k < o->nkinds && p->match; k++) {
		s.kind[k] = p->match(p->arg, o->kind[k].name, o->kind[k].nname);
		s.source[o->kind[k].source] |= s.kind[k];
	}
	uint32_t at = p->match ? OPERATION_NONE : operations_by_id(o, p->id);
	if (at != OPERATION_NONE)
		s.source[o->kind[operations_kind_of(o, at)].source] = true;
	return s;
}

static void add_tasks(struct slice_list *list, const struct snap *sn, struct trace_span_match *p, struct arena *a)
{
	uint32_t n;
	const struct trace_slice *v = trace_task_slices(sn, p, a, &n);
	for (uint32_t i = 0; i < n; i++)
		add_slice(list, v[i]);
}

/* Add to the set the tasks and regions of which a part is in the slices of the list, which becomes a union. */
static void add_spans(struct slice_list *list, const struct snap *sn, uint8_t *set, struct arena *a)
{
	struct trace_filter f = {.from = TIME_NONE, .to = TIME_NONE};
	f.slice = take_union(list, a, &f.nslice);
	for (uint32_t i = 0; i < sn->nspans && f.nslice; i++) {
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		int64_t t0, t1;
		if ((sp->kind != SP_TASK && sp->kind != SP_REGION) || !sp->trk)
			continue;
		time_search_span_bounds(sn, sp, &t0, &t1);
		if (trace_filter_overlap(&f, sp->trk, t0, t1) > 0)
			set[i >> 3] |= (uint8_t)(1u << (i & 7));
	}
	*list = (struct slice_list){mem_copy(f.slice, f.nslice * sizeof *f.slice), f.nslice, f.nslice};
}

struct trace_slice *operations_slices(const struct snap *sn, struct trace_span_match *p, struct arena *a, uint32_t *n)
{
	const struct operations *o = sn->complete ? operations_shared(sn, NULL) : NULL;
	struct slice_list list = {0};
	struct slice_selection s = o ? selection_of(o, p) : (struct slice_selection){0};
	uint8_t *set = arena_zalloc(a, sn->nspans / 8 + 1u);
	uint32_t others = 0;
	for (uint32_t i = 0; o && i < o->n; i++) {
		struct operation x = operations_get(o, i);
		enum operation_source source = o->kind[x.kind].source;
		if (source == OPERATION_TASK || !s.source[source] || !is_selected(&s, &x))
			continue;
		add_slice(&list, (struct trace_slice){x.g, x.t0, x.t1});
		others++;
	}
	add_spans(&list, sn, set, a);
	p->n = 0;
	p->span = NULL;
	if (s.source[OPERATION_TASK])
		add_tasks(&list, sn, p, a);
	for (uint32_t i = 0; p->span && i < sn->nspans / 8 + 1u; i++)
		set[i] |= p->span[i];
	p->n += others;
	p->span = set;
	mem_free(s.kind);
	return take_union(&list, a, n);
}
