/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of goroutines and the classes of their time, by one pass over the sheets for all goroutines (span_scan.c).
 *
 * Quantiles are exact. The durations of all waits are collected, each with its goroutine, and visited in ascending order:
 * the wait at the rank of a quantile, counted within its goroutine or its group, is that quantile. Afterwards only
 * quantiles are kept, for goroutines that had waits, because there may be more waits than goroutines.
 *
 * Classes come from the times by state. Only where the class depends on the stack are spans added up, in an array of the
 * goroutines that have such time.
 *
 * The times by state may exceed the total: a system call that is blocked at the end of the trace also counts as runnable
 * (goroutine_stats.c). The excess is taken off again, so that each nanosecond has one class.
 */
#include "config.h"
#include "trace/stats/goroutine_waits.h"

#include "base/bsearch.h"
#include "base/mem/column.h"
#include "base/radix_sort.h"
#include "base/rank_bitmap.h"
#include "base/wrap_math.h"
#include "trace/longest_wait.h"
#include "trace/span_scan.h"
#include "trace/wait_before.h"

#include <string.h>

struct goroutine_waits {
	const struct snap *sn;
	const struct stats_groups *gs;
	struct rank *stacked;	/* the goroutines of which a class depends on a stack */
	int64_t (*by_stack)[TIME_BY_STACK];	/* of the goroutines in `stacked`, in their order */
	struct rank *waiting;	/* the goroutines that have waits */
	struct wait_quantiles *of, *group;	/* of the goroutines in `waiting`, in their order; of all groups */
};

/* A wait of goroutine i. ns: its duration, or WAIT_FAR plus an index of waits_pass.far, for the few beyond two seconds. */
struct wait_of { uint32_t ns, i; };
#define WAIT_FAR UINT32_C(0x80000000)

struct waits_pass {
	struct goroutine_waits *w;
	uint8_t *class_of;		/* by stack: the class of a wait there, plus 1; 0: not known yet */
	struct data_column waits, far;	/* struct wait_of; int64_t */
	const struct stats_query *q;
	int64_t t0, t1;			/* its range */
};

static void add_wait(struct waits_pass *p, uint32_t i, int64_t ns)
{
	uint32_t packed = (uint32_t)ns;
	if ((uint64_t)ns >= WAIT_FAR) {
		*(int64_t *)column_add(&p->far, &packed) = ns;
		packed += WAIT_FAR;
	}
	*(struct wait_of *)column_add(&p->waits, NULL) = (struct wait_of){packed, i};
	rank_set(p->w->waiting, i);
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
	if (!rank_has(p->w->stacked, v->k))
		return;
	int64_t t0 = stats_groups_start(gs, v->k), t1 = t0 + stats_groups_total(gs, v->k);
	int64_t from = trace_wait_start(p->w->sn, gs->g[v->k].trk, v->t0), lo = from > t0 ? from : t0, hi = v->t1 < t1 ? v->t1 : t1;
	if (hi <= lo)
		return;
	int64_t *ns = p->w->by_stack[rank_below(p->w->stacked, v->k)];
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
		add_wait(p, v->k, v->t1 - trace_wait_start(sn, p->w->gs->g[v->k].trk, v->t0));
	if (time_class_needs_stack(v->state))
		add_by_stack(p, v);
}

/* Make room for the goroutines whose classes depend on stacks. */
static void find_stacked(struct goroutine_waits *w, struct arena *mem)
{
	w->stacked = arena_zalloc(mem, rank_blocks(w->gs->ng) * sizeof *w->stacked);
	for (uint32_t i = 0; i < w->gs->ng; i++) {
		struct goroutine_times g;
		bool needs = false;
		stats_groups_times(w->gs, i, NULL, &g);
		for (int s = 0; s < TS__N && !needs; s++)
			needs = g.ns[s] && time_class_needs_stack((enum tstate)s);
		if (needs)
			rank_set(w->stacked, i);
	}
	w->by_stack = arena_zalloc(mem, (rank_seal(w->stacked, w->gs->ng) + 1u) * sizeof *w->by_stack);
}

/* ---- quantiles */

/* Count a wait of a goroutine or group, in ascending order of durations; seen: the number of those before. */
static void visit_wait(struct wait_quantiles *q, uint32_t *seen, int64_t ns)
{
	if (*seen == stats_quantile_rank(q->n, stats_spread_share[SPREAD_P50]))
		q->p50 = ns;
	if (*seen == stats_quantile_rank(q->n, stats_spread_share[SPREAD_P99]))
		q->p99 = ns;
	++*seen;
}

static int64_t wait_ns(const struct waits_pass *p, const struct wait_of *x)
{
	return x->ns < WAIT_FAR ? x->ns : COLUMN_AT(&p->far, int64_t, x->ns - WAIT_FAR);
}

static uint64_t key_of_wait(const void *pass, const void *wait)
{
	return radix_key_ascending(wait_ns(pass, wait));
}

/* The waits of a segment of the column, sorted; ns: of the first of them. */
struct sorted_waits { const struct wait_of *at, *end; int64_t ns; };

/* Sort the segments, each in its place. Return their number. */
static uint32_t sort_waits(const struct waits_pass *p, struct sorted_waits run[COLUMN_SEGS])
{
	const struct radix_keys by = {.first = key_of_wait, .arg = p};
	uint32_t nrun = 0;
	for (uint32_t i = 0, all = column_n(&p->waits), n; i < all; i += n, nrun++) {
		struct wait_of *v = column_at(&p->waits, i);
		n = (uint32_t)COLUMN_FIRST << nrun;
		n = n < all - i ? n : all - i;
		radix_sort_in_place(v, n, sizeof *v, &by);
		run[nrun] = (struct sorted_waits){v, v + n, wait_ns(p, v)};
	}
	return nrun;
}

/* Return the groups by their goroutines: key: the first, v: the group. */
static struct radix_item *list_groups(const struct stats_groups *gs)
{
	struct radix_item *v = xmalloc((gs->n + 1u) * sizeof *v);
	for (uint32_t k = 0; k < gs->n; k++)
		v[k] = (struct radix_item){gs->group[k].first, k};
	radix_sort_items(v, gs->n);
	return v;
}

/* Return the group of goroutine i. */
static uint32_t group_of(const struct radix_item *by_first, uint32_t n, uint32_t i)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, by_first[h.at].key <= i);
	return by_first[h.lo - 1].v;
}

/* Count the waits of the goroutines that have any, and of their groups. */
static void count_waits(const struct waits_pass *p, const struct radix_item *by_first)
{
	const struct goroutine_waits *w = p->w;
	for (uint32_t at = 0; at < column_n(&p->waits); at++) {
		uint32_t i = COLUMN_AT(&p->waits, struct wait_of, at).i;
		w->of[rank_below(w->waiting, i)].n++;
		w->group[group_of(by_first, w->gs->n, i)].n++;
	}
}

static void find_quantiles(const struct waits_pass *p, struct arena *mem)
{
	struct goroutine_waits *w = p->w;
	struct sorted_waits run[COLUMN_SEGS];
	uint32_t nwaiting = rank_seal(w->waiting, w->gs->ng);
	struct radix_item *by_first = list_groups(w->gs);
	w->of = arena_zalloc(mem, (nwaiting + 1u) * sizeof *w->of);
	count_waits(p, by_first);
	uint32_t *seen = xcalloc(nwaiting + 1u, sizeof *seen), *seen_in_group = xcalloc(w->gs->n + 1u, sizeof *seen);
	for (uint32_t n = sort_waits(p, run); n;) {
		struct sorted_waits *least = run;
		for (uint32_t k = 1; k < n; k++)
			least = run[k].ns < least->ns ? &run[k] : least;
		uint32_t i = rank_below(w->waiting, least->at->i), k = group_of(by_first, w->gs->n, least->at->i);
		visit_wait(&w->of[i], &seen[i], least->ns);
		visit_wait(&w->group[k], &seen_in_group[k], least->ns);
		if (++least->at == least->end)
			*least = run[--n];
		else
			least->ns = wait_ns(p, least->at);
	}
	mem_free(seen);
	mem_free(seen_in_group);
	mem_free(by_first);
}

struct goroutine_waits *goroutine_waits_measure(
    const struct snap *sn, const struct stats_groups *gs, const struct stats_query *q, struct arena *mem)
{
	struct goroutine_waits *w = arena_zalloc(mem, sizeof *w);
	struct waits_pass p = {.w = w, .class_of = xcalloc(sn->nstks + 1u, 1), .q = q};
	p.t0 = q->t0 == TIME_NONE ? sn->t0 : q->t0;
	p.t1 = q->t1 == TIME_NONE ? sn->t1 : q->t1;
	*w = (struct goroutine_waits){.sn = sn, .gs = gs};
	w->waiting = arena_zalloc(mem, rank_blocks(gs->ng) * sizeof *w->waiting);
	w->group = arena_zalloc(mem, (gs->n + 1u) * sizeof *w->group);
	find_stacked(w, mem);
	column_init(&p.waits, sizeof(struct wait_of));
	column_init(&p.far, sizeof(int64_t));
	bool all = span_scan_run(sn, &(struct span_scan_run){.g = &gs->g->trk,
					 .step = sizeof *gs->g,
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
	if (all)
		find_quantiles(&p, mem);
	column_free(&p.waits);
	column_free(&p.far);
	return all ? w : NULL;
}

struct wait_quantiles goroutine_waits_of(const struct goroutine_waits *w, uint32_t i)
{
	return rank_has(w->waiting, i) ? w->of[rank_below(w->waiting, i)] : (struct wait_quantiles){0};
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
	const int64_t *by_stack = rank_has(w->stacked, i) ? w->by_stack[rank_below(w->stacked, i)] : NULL;
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
