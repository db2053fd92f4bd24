/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of goroutines and the classes of their time, by one pass over the sheets for all goroutines (span_scan.c).
 *
 * Quantiles are exact. The durations of all waits are collected, each with its goroutine, and sorted by goroutine, so
 * those of a goroutine and of a group are next to one another. Until then they are packed: there may be more waits than
 * goroutines.
 *
 * Classes come from the times by state. Only where the class depends on the stack are spans added up, in an array of the
 * goroutines that have such time.
 *
 * The times by state may exceed the total: a system call that is blocked at the end of the trace also counts as runnable
 * (goroutine_stats.c). The excess is taken off again, so that each nanosecond has one class.
 */
#include "config.h"
#include "trace/stats/goroutine_waits.h"

#include "base/byte_cursor.h"
#include "base/rank_bitmap.h"
#include "base/text/buf.h"
#include "base/wrap_math.h"
#include "trace/longest_wait.h"
#include "trace/span_scan.h"

#include <string.h>

struct goroutine_waits {
	const struct snap *sn;
	const struct stats_groups *gs;
	struct rank *stacked;	/* the goroutines of which a class depends on a stack */
	int64_t (*by_stack)[TIME_BY_STACK];	/* of these, in their order */
	uint32_t *first;	/* goroutine i has the waits ns[first[i]] .. ns[first[i + 1]), ascending */
	int64_t *ns;
	struct wait_quantiles *group;
};

struct waits_pass {
	struct goroutine_waits *w;
	uint8_t *class_of;		/* by stack: the class of a wait there, plus 1; 0: not known yet */
	struct buf waits;		/* of each the goroutine and the duration in ns, as varints */
	const struct stats_query *q;
	int64_t t0, t1;			/* its range */
};

static void add_wait(struct waits_pass *p, uint32_t i, int64_t ns)
{
	buf_varint(&p->waits, i);
	buf_varint(&p->waits, (uint64_t)ns);
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
	if (!rank_has(p->w->stacked, v->k))
		return;
	int64_t t0 = stats_groups_start(gs, v->k), t1 = t0 + gs->g[v->k].total;
	int64_t lo = v->t0 > t0 ? v->t0 : t0, hi = v->t1 < t1 ? v->t1 : t1;
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
		add_wait(p, v->k, v->t1 - v->t0);
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

/* Sort the waits by goroutine and then by duration. w->first has their numbers, two elements later. */
static void sort_waits(struct goroutine_waits *w, const struct buf *waits, struct arena *mem)
{
	struct byte_cursor c = byte_cursor_make(waits->p, waits->n, 0);
	for (uint32_t i = 0; i < w->gs->ng; i++)
		w->first[i + 2] += w->first[i + 1];
	w->ns = arena_alloc(mem, (w->first[w->gs->ng + 1] + 1u) * sizeof *w->ns);
	while (byte_cursor_left(&c)) {
		uint32_t i = (uint32_t)byte_cursor_uvarint(&c);
		w->ns[w->first[i + 1]++] = (int64_t)byte_cursor_uvarint(&c);
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
	*w = (struct goroutine_waits){.sn = sn, .gs = gs};
	w->first = arena_zalloc(mem, (gs->ng + 2u) * sizeof *w->first);
	w->group = arena_zalloc(mem, (gs->n + 1u) * sizeof *w->group);
	find_stacked(w, mem);
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
		sort_waits(w, &p.waits, mem);
	buf_free(&p.waits);
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
