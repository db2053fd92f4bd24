/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The times of a goroutine by class, from its times by state. Only the waits whose class depends on the stack are
 * walked, and only in goroutines that have such waits.
 *
 * The times by state may exceed the total: a system call that is blocked at the end of the trace also counts as runnable
 * (goroutine_stats.c). The excess is taken off again, so that each nanosecond has one class.
 */
#include "config.h"
#include "trace/stats/goroutine_classes.h"

#include "base/wrap_math.h"
#include "trace/bins.h"

static void add_ns(int64_t ns[TIME_CLASS__N], enum time_class c, int64_t d)
{
	ns[c] = wrap_add(ns[c], d);
}

/* Move the waits whose class depends on the stack from the class that they have without it. */
static void move_by_stack(const struct snap *sn, const struct goroutine_times *g, int64_t ns[TIME_CLASS__N])
{
	struct trace_interval v;
	bool go = trace_interval_at(sn, g->trk, g->t0, &v) || trace_interval_near(sn, g->trk, g->t0, 1, &v);
	for (; go && v.t0 < g->t1; go = trace_interval_step(sn, &v, 1)) {
		int64_t lo = v.t0 < g->t0 ? g->t0 : v.t0, hi = v.t1 > g->t1 ? g->t1 : v.t1;
		if (!time_class_needs_stack(v.state) || hi <= lo)
			continue;
		add_ns(ns, time_class_of(sn->st, v.state, 0), lo - hi);
		add_ns(ns, time_class_of(sn->st, v.state, v.stack), hi - lo);
	}
}

void goroutine_classes_add(const struct snap *sn, const struct goroutine_times *g, int64_t sum[TIME_CLASS__N])
{
	int64_t ns[TIME_CLASS__N] = {0}, rest = g->total;
	bool walk = false;
	for (int s = 0; s < TS__N; s++) {
		add_ns(ns, time_class_of(sn->st, (enum tstate)s, 0), g->ns[s]);
		rest = wrap_sub(rest, g->ns[s]);
		walk = walk || (g->ns[s] && time_class_needs_stack((enum tstate)s));
	}
	add_ns(ns, rest < 0 ? TIME_RUNNABLE : TIME_UNKNOWN, rest);
	if (walk)
		move_by_stack(sn, g, ns);
	for (int c = 0; c < TIME_CLASS__N; c++)
		add_ns(sum, (enum time_class)c, ns[c]);
}
