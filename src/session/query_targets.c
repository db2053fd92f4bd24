/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The same words select for critical paths and for other analyses, but give other things: not the goroutines and time
 * ranges in which work was done, but the pieces of work, each with the goroutine on which it ended.
 */
#include "config.h"
#include "session/query_targets.h"

#include "store/tracks/time_search.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/task_filter.h"

#include <string.h>

struct target_search {
	const struct snap *sn;
	const struct operations *ops;
	const struct query_match *match;
	const struct trace_filter *filter;	/* goroutines, and the time range */
	struct task_criteria criteria;
	bool rest;
	struct critical_target *v;
	size_t n, cap;
};

/* Add a target whose name is selected or not. Its goroutine is. */
static void add_target(struct target_search *s, const struct critical_target *t, bool named)
{
	const struct trace_filter *f = s->filter;
	bool bounds = s->criteria.lo != TIME_NONE || s->criteria.hi != TIME_NONE;
	bool fits = task_filter_match_latency(&s->criteria, t->t1 - t->t0) && (!bounds || t->complete);
	if (s->rest ? bounds ? !named || fits || !t->complete : named : !named || !fits)
		return;
	if ((f->from != TIME_NONE && t->t1 < f->from) || (f->to != TIME_NONE && t->t0 >= f->to))
		return;
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = *t;
}

static bool is_named(const struct target_search *s, const struct operation *o)
{
	const struct query_match *m = s->match;
	const struct operation_kind *k = &s->ops->kind[o->kind];
	return m->by_id ? o->id == m->span.id : regex_match(m->task ? m->task : m->operation, k->name, k->nname);
}

/* The tasks or operations that are named; with rest the others of the same sources. */
static void add_named(struct target_search *s)
{
	bool source[OPERATION_SOURCE__N] = {[OPERATION_TASK] = !s->match->operations};
	for (uint32_t i = 0; s->match->operations && i < s->ops->n; i++) {
		struct operation o = operations_get(s->ops, i);
		source[s->ops->kind[o.kind].source] |= is_named(s, &o);
	}
	for (uint32_t i = 0; i < s->ops->n; i++) {
		struct operation o = operations_get(s->ops, i);
		struct critical_target t = critical_target_of_operation(s->ops, i);
		if (source[s->ops->kind[o.kind].source] && trace_gset_has(s->filter->g, o.g))
			add_target(s, &t, is_named(s, &o));
	}
}

/* Is the operation a part of another one of its source? */
static bool is_part(const struct operations *ops, uint32_t i, enum operation_source source)
{
	uint32_t parent = operations_parent(ops, i);
	return parent != OPERATION_NONE && ops->kind[operations_kind_of(ops, parent)].source == source;
}

/* The operations of the source of the main kind, without parts of others of it: complete ones, and those of kinds that are
   mostly open. */
static void add_operations(struct target_search *s)
{
	enum operation_source source = s->ops->kind[operations_main_kind(s->ops)].source;
	for (uint32_t i = 0; i < s->ops->n; i++) {
		struct critical_target t = critical_target_of_operation(s->ops, i);
		const struct operation_kind *k = &s->ops->kind[operations_kind_of(s->ops, i)];
		if (k->source == source && (t.complete || operations_mostly_open(k)) && !is_part(s->ops, i, source))
			add_target(s, &t, true);
	}
}

static void add_regions(struct target_search *s)
{
	const struct query_match *m = s->match;
	for (uint32_t i = 0; i < s->sn->nspans; i++) {
		const struct sink_span *r = &store_span(s->sn->st, i)->s;
		bool counts = !(r->v0 & RG_LOOSE) && (!(r->v0 & RG_INHERITED) || m->span.inherited);
		if (r->kind != SP_REGION || !counts || !r->trk || !trace_gset_has(s->filter->g, r->trk))
			continue;
		const struct str_row *name = store_str(s->sn->st, r->name);
		struct critical_target t = {.id = i, .g = r->trk, .operation = OPERATION_NONE,
		    .complete = r->t0 != TIME_NONE && r->t1 != TIME_NONE, .kind = {name->s, name->n}};
		time_search_span_bounds(s->sn, r, &t.t0, &t.t1);
		add_target(s, &t, regex_match(m->region, name->s, name->n) &&
		    (!m->span.placed || trace_region_pc(s->sn->st, r) == m->span.pc));
	}
}

/* The goroutines of the filter, or with rest those of its complement, in the time range. */
static void add_goroutines(struct target_search *s)
{
	const struct trace_filter *f = s->filter;
	bool rest = s->rest;
	s->rest = false;
	for (trk_id g = 1; g < s->sn->ntrks; g++) {
		const struct trk_row *r = store_trk(s->sn->st, g);
		int64_t t0 = TIME_NONE, t1 = TIME_NONE;
		if (r->kind != TK_G || !trace_gset_has(f->g, g) || !stats_goroutine_bounds(s->sn, g, &t0, &t1))
			continue;
		const struct str_row *name = store_str(s->sn->st, store_origin(s->sn->st, r)->name);
		struct critical_target t = {.id = r->id, .g = g, .operation = OPERATION_NONE, .complete = true,
		    .kind = {name->s, name->n}};
		t.t0 = f->from != TIME_NONE && f->from > t0 ? f->from : t0;
		t.t1 = f->to != TIME_NONE && f->to < t1 ? f->to : t1;
		if (t.t1 > t.t0)
			add_target(s, &t, true);
	}
	s->rest = rest;
}

int query_targets_find(const struct snap *sn, const struct operations *ops, const struct query *q, bool rest,
    struct arena *a, struct query_targets *out, struct err *e)
{
	struct query all = {.from = TIME_NONE, .to = TIME_NONE}, of = q->suspended ? all : *q;
	struct query_match m;
	struct trace_filter f;
	struct target_search s = {.sn = sn, .ops = ops, .match = &m, .filter = &f, .rest = rest};
	*out = (struct query_targets){0};
	int bad = query_match_compile(&m, &of, a, e);
	bool named = !bad && (m.task || m.operations || m.by_id), regions = !bad && m.region;
	of.task = of.region = of.operation = of.latency = NULL;
	bad = bad || query_trace_filter(sn, &of, rest && !named && !regions, a, &f, NULL, e) ? -1 : 0;
	s.criteria = (struct task_criteria){m.span.lo, m.span.hi, TASK_ANY, NULL};
	if (!bad && named)
		add_named(&s);
	else if (!bad && regions)
		add_regions(&s);
	else if (!bad && (of.gs || of.g || m.group))
		add_goroutines(&s);
	else if (!bad && ops->nkinds)
		add_operations(&s);
	out->chosen = named || regions || of.gs || of.g || m.group;
	out->n = (uint32_t)s.n;
	out->v = arena_alloc(a, (s.n + 1) * sizeof *s.v);
	if (s.n)
		memcpy(out->v, s.v, s.n * sizeof *s.v);
	mem_free(s.v);
	query_match_free(&m);
	return bad;
}
