/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of goroutines and the classes of their time, by one pass over the sheets for all goroutines (span_scan.c).
 *
 * Quantiles are exact. The durations of all waits are collected, each with its goroutine, and sorted by goroutine, so
 * those of a goroutine and of a group are next to one another.
 *
 * Classes come from the times by state. Only where the class depends on the stack are spans added up, in an array of the
 * goroutines that have such time.
 *
 * The times by state may exceed the total: a system call that is blocked at the end of the trace also counts as runnable
 * (goroutine_stats.c). The excess is taken off again, so that each nanosecond has one class.
 */
#include "config.h"
#include "trace/stats/goroutine_waits.h"

#include "base/mem/column.h"
#include "base/wrap_math.h"
#include "trace/longest_wait.h"
#include "trace/span_scan.h"

#include <string.h>

struct goroutine_waits {
	const struct snap *sn;
	const struct stats_groups *gs;
	uint32_t *stacked;	/* by goroutine: index in by_stack plus 1; 0: no class of it depends on a stack */
	int64_t (*by_stack)[TIME_BY_STACK];
	uint32_t *first;	/* goroutine i has the waits ns[first[i]] .. ns[first[i + 1]), ascending */
	int64_t *ns;
	struct wait_quantiles *group;
};

struct wait_of { int64_t ns; uint32_t i; };	/* i: the goroutine */

struct waits_pass {
	struct goroutine_waits *w;
	uint8_t *class_of;		/* by stack: the class of a wait there, plus 1; 0: not known yet */
	struct data_column waits;	/* struct wait_of */
	const struct stats_query *q;
	int64_t t0, t1;			/* its range */
};

static void add_wait(struct waits_pass *p, uint32_t i, int64_t ns)
{
	*(struct wait_of *)column_add(&p->waits, NULL) = (struct wait_of){ns, i};
	p->w->first[i + 2]++;
}

static enum time_class class_of(struct waits_pass *p, enum tstate s, stk_id stack)
{
	const struct snap *sn = p->w->sn;
	if (stack >= sn->nstks)
		return time_class_of(sn->st, s, 0);
	if (!p->class_of[stack])
		p->class_of[stack] = (uint8_t)(time_class_of(sn->st, s, stack) + 1);
	return (enum time_class)(p->class_of[stack] - 1);
}

/* Add the part of a span in the time range of its goroutine to its class. */
static void add_by_stack(struct waits_pass *p, const struct span_scan_item *v)
{
	const struct stats_groups *gs = p->w->gs;
	if (!p->w->stacked[v->k])
		return;
	int64_t t0 = stats_groups_start(gs, v->k), t1 = t0 + gs->g[v->k].total;
	int64_t lo = v->t0 > t0 ? v->t0 : t0, hi = v->t1 < t1 ? v->t1 : t1;
	if (hi <= lo)
		return;
	int64_t *ns = p->w->by_stack[p->w->stacked[v->k] - 1];
	enum time_class c = class_of(p, v->state, v->stack);
	for (int k = 0; k < TIME_BY_STACK; k++)
		if (time_classes_by_stack[k] == c)
			ns[k] += hi - lo;
}

static void on_span(void *arg, const struct span_scan_item *v)
{
	struct waits_pass *p = arg;
	const struct snap *sn = p->w->sn;
	bool ends = v->t0 > sn->t0 && v->t1 < sn->t1 && v->t1 > p->t0 && v->t1 <= p->t1;
	if (state_is_wait(v->state) && (ends || !p->q->ends))
		add_wait(p, v->k, v->t1 - v->t0);
	if (time_class_needs_stack(v->state))
		add_by_stack(p, v);
}

/* Make room for the goroutines whose classes depend on stacks. */
static void find_stacked(struct goroutine_waits *w, struct arena *mem)
{
	uint32_t n = 0;
	w->stacked = arena_zalloc(mem, (w->gs->ng + 1u) * sizeof *w->stacked);
	for (uint32_t i = 0; i < w->gs->ng; i++) {
		struct goroutine_times g;
		stats_groups_times(w->gs, i, NULL, &g);
		for (int s = 0; s < TS__N && !w->stacked[i]; s++)
			if (g.ns[s] && time_class_needs_stack((enum tstate)s))
				w->stacked[i] = ++n;
	}
	w->by_stack = arena_zalloc(mem, (n + 1u) * sizeof *w->by_stack);
}

/* Sort the waits by goroutine and then by duration. w->first has their numbers, two elements later. */
static void sort_waits(struct goroutine_waits *w, const struct data_column *waits, struct arena *mem)
{
	uint32_t n = column_n(waits);
	w->ns = arena_alloc(mem, (n + 1u) * sizeof *w->ns);
	for (uint32_t i = 0; i < w->gs->ng; i++)
		w->first[i + 2] += w->first[i + 1];
	for (uint32_t k = 0; k < n; k++) {
		const struct wait_of *x = column_at(waits, k);
		w->ns[w->first[x->i + 1]++] = x->ns;
	}
	for (uint32_t i = 0; i < w->gs->ng; i++)
		stats_sort(w->ns + w->first[i], w->first[i + 1] - w->first[i]);
}

/* Find the quantiles of a group, whose waits follow one another. */
static struct wait_quantiles quantiles_of_group(const struct goroutine_waits *w, const struct stats_group *g)
{
	uint32_t from = w->first[g->first], n = w->first[g->first + g->n] - from;
	struct stats_share q[] = {{stats_spread_share[SPREAD_P50], 0}, {stats_spread_share[SPREAD_P99], 0}};
	size_t bytes = (n + (size_t)1) * sizeof *w->ns;
	int64_t *v = mem_bulk(bytes);
	memcpy(v, w->ns + from, n * sizeof *v);
	if (n)
		stats_quantiles(v, n, q, 2);
	mem_bulk_free(v, bytes);
	return (struct wait_quantiles){n, q[0].value, q[1].value};
}

struct goroutine_waits *goroutine_waits_measure(
    const struct snap *sn, const struct stats_groups *gs, const struct stats_query *q, struct arena *mem)
{
	struct goroutine_waits *w = arena_zalloc(mem, sizeof *w);
	struct waits_pass p = {.w = w, .class_of = xcalloc(sn->nstks + 1u, 1), .q = q};
	p.t0 = q->t0 == TIME_NONE ? sn->t0 : q->t0;
	p.t1 = q->t1 == TIME_NONE ? sn->t1 : q->t1;
	trk_id *trk = xmalloc((gs->ng + 1u) * sizeof *trk);
	*w = (struct goroutine_waits){.sn = sn, .gs = gs};
	w->first = arena_zalloc(mem, (gs->ng + 2u) * sizeof *w->first);
	w->group = arena_zalloc(mem, (gs->n + 1u) * sizeof *w->group);
	find_stacked(w, mem);
	for (uint32_t i = 0; i < gs->ng; i++)
		trk[i] = gs->g[i].trk;
	column_init(&p.waits, sizeof(struct wait_of));
	bool all = span_scan_run(sn, &(struct span_scan_run){.g = trk,
					 .n = gs->ng,
					 .t0 = p.t0,
					 .t1 = p.t1,
					 .newest = true,
					 .stacks = true,
					 .most = UINT64_MAX,
					 .on = q->on,
					 .on_span = on_span,
					 .arg = &p});
	mem_free(p.class_of);
	mem_free(trk);
	if (all)
		sort_waits(w, &p.waits, mem);
	column_free(&p.waits);
	for (uint32_t i = 0; i < gs->n && all; i++)
		w->group[i] = quantiles_of_group(w, &gs->group[i]);
	return all ? w : NULL;
}

struct wait_quantiles goroutine_waits_of(const struct goroutine_waits *w, uint32_t i)
{
	const int64_t *v = w->ns + w->first[i];
	uint32_t n = w->first[i + 1] - w->first[i];
	return (struct wait_quantiles){n, stats_quantile(v, n, stats_spread_share[SPREAD_P50]),
	    stats_quantile(v, n, stats_spread_share[SPREAD_P99])};
}

struct wait_quantiles goroutine_waits_of_group(const struct goroutine_waits *w, uint32_t i)
{
	return w->group[i];
}

static void add_ns(int64_t ns[TIME_CLASS__N], enum time_class c, int64_t d)
{
	ns[c] = wrap_add(ns[c], d);
}

void goroutine_waits_add_classes(const struct goroutine_waits *w, uint32_t i, int64_t sum[TIME_CLASS__N])
{
	const int64_t *by_stack = w->stacked[i] ? w->by_stack[w->stacked[i] - 1] : NULL;
	struct goroutine_times g;
	stats_groups_times(w->gs, i, NULL, &g);
	int64_t rest = g.total;
	for (int s = 0; s < TS__N; s++) {
		add_ns(sum, time_class_of(w->sn->st, (enum tstate)s, 0), g.ns[s]);
		rest = wrap_sub(rest, g.ns[s]);
	}
	add_ns(sum, rest < 0 ? TIME_RUNNABLE : TIME_UNKNOWN, rest);
	for (int k = 0; by_stack && k < TIME_BY_STACK; k++) {
		add_ns(sum, TIME_WITHOUT_STACK, -by_stack[k]);
		add_ns(sum, time_classes_by_stack[k], by_stack[k]);
	}
}
