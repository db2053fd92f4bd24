/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of goroutines and the classes of their time, by one pass over the sheets for all goroutines (span_scan.c).
 *
 * Quantiles are exact. The durations of all waits, each with its goroutine, are sorted once; then one walk over them
 * counts for each goroutine and each group, and takes the values whose ranks are those of the quantiles. To keep the
 * durations of each goroutine apart would take as many arrays as there are goroutines.
 *
 * Classes come from the times by state. Only where the class depends on the stack are spans added up, in an array of the
 * goroutines that have such time.
 *
 * The times by state may exceed the total: a system call that is blocked at the end of the trace also counts as runnable
 * (goroutine_stats.c). The excess is taken off again, so that each nanosecond has one class.
 */
#include "config.h"
#include "trace/stats/goroutine_waits.h"

#include "base/radix_sort.h"
#include "base/wrap_math.h"
#include "trace/longest_wait.h"
#include "trace/span_scan.h"

#include <string.h>

struct goroutine_waits {
	const struct snap *sn;
	const struct stats_groups *gs;
	uint32_t *stacked;	/* by goroutine: index in by_stack plus 1; 0: no class of it depends on a stack */
	int64_t (*by_stack)[TIME_BY_STACK];
	struct wait_quantiles *g, *group;
};

struct waits_pass {
	struct goroutine_waits *w;
	uint8_t *class_of;		/* by stack: the class of a wait there, plus 1; 0: not known yet */
	struct radix_array waits;	/* durations, with their goroutines */
	const struct stats_query *q;
	int64_t t0, t1;			/* its range */
};

static void add_wait(struct waits_pass *p, uint32_t i, int64_t ns)
{
	struct radix_array *v = &p->waits;
	if (v->n == v->room) {
		struct radix_array more;
		radix_array_alloc(&more, v->room * 2);
		memcpy(more.v, v->v, v->n * sizeof *v->v);
		more.n = v->n;
		radix_array_free(v);
		*v = more;
	}
	radix_array_add(v, radix_key_ascending(ns), i);
	p->w->g[i].n++;
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

/* Take a value if its rank is that of a quantile; seen: how many of the smaller values were counted. */
static void take_quantile(struct wait_quantiles *q, uint32_t seen, int64_t ns)
{
	if (seen == stats_quantile_rank(q->n, stats_spread_share[SPREAD_P50]))
		q->p50 = ns;
	if (seen == stats_quantile_rank(q->n, stats_spread_share[SPREAD_P99]))
		q->p99 = ns;
}

/* Find the quantiles of all goroutines and groups. */
static void find_quantiles(struct goroutine_waits *w, struct radix_array *v)
{
	const struct stats_groups *gs = w->gs;
	uint32_t *group_of = xmalloc((gs->ng + 1u) * sizeof *group_of), *seen = xcalloc(gs->ng + 1u, sizeof *seen),
		 *seen_in = xcalloc(gs->n + 1u, sizeof *seen_in);
	for (uint32_t k = 0; k < gs->n; k++)
		for (uint32_t i = gs->group[k].first; i < gs->group[k].first + gs->group[k].n; i++) {
			group_of[i] = k;
			w->group[k].n += w->g[i].n;
		}
	radix_sort_items(v->v, v->n);
	for (uint32_t k = 0; k < v->n; k++) {
		uint32_t i = v->v[k].v;
		int64_t ns = (int64_t)radix_key_ascending((int64_t)v->v[k].key);
		take_quantile(&w->g[i], seen[i]++, ns);
		take_quantile(&w->group[group_of[i]], seen_in[group_of[i]]++, ns);
	}
	mem_free(group_of);
	mem_free(seen);
	mem_free(seen_in);
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
	w->g = arena_zalloc(mem, (gs->ng + 1u) * sizeof *w->g);
	w->group = arena_zalloc(mem, (gs->n + 1u) * sizeof *w->group);
	find_stacked(w, mem);
	for (uint32_t i = 0; i < gs->ng; i++)
		trk[i] = gs->g[i].trk;
	radix_array_alloc(&p.waits, gs->ng + 1024);
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
	if (all)
		find_quantiles(w, &p.waits);
	radix_array_free(&p.waits);
	mem_free(p.class_of);
	mem_free(trk);
	return all ? w : NULL;
}

struct wait_quantiles goroutine_waits_of(const struct goroutine_waits *w, uint32_t i)
{
	return w->g[i];
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
