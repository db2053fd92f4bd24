/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The trace has the start and the end of a stop; when each P stopped follows from what ran on it: the intervals that
 * begin before the stop and those that follow it without a gap, since a goroutine that blocks meanwhile may be followed
 * by another one. A P in a system call is stopped at once: the runtime takes it away.
 */
#include "config.h"
#include "trace/stats/stop_phases.h"

#include "trace/bins.h"

trk_id *stop_phases_procs(const struct snap *sn, struct arena *mem, uint32_t *n)
{
	trk_id *v = NULL;
	for (int pass = 0; pass < 2; pass++) {
		*n = 0;
		for (trk_id t = 1; t < sn->ntrks; t++) {
			if (store_trk(sn->st, t)->kind != TK_P)
				continue;
			if (v)
				v[*n] = t;
			++*n;
		}
		if (!v)
			v = arena_alloc(mem, (*n + 1u) * sizeof *v);
	}
	return v;
}

/* Where a P runs code at a time, and until when without a gap, at most until `end`. */
struct last_run { int64_t until; trk_id g; };

static bool last_run(const struct snap *sn, trk_id p, int64_t t, int64_t end, trk_id stopper, struct last_run *out)
{
	struct trace_interval v;
	if (!trace_interval_at(sn, p, t, &v) || !state_runs(v.state) || v.peer == stopper)
		return false;
	do
		*out = (struct last_run){v.t1 < end ? v.t1 : end, v.peer};
	while (v.t1 < end && trace_interval_step(sn, &v, 1) && state_runs(v.state) && v.peer != stopper);
	return true;
}

/* Return the stack of what a goroutine ran at a time: it is recorded with the event that follows. */
static stk_id stack_of_run(const struct snap *sn, trk_id g, int64_t t)
{
	struct trace_interval v;
	if (!g || g >= sn->ntrks || !trace_interval_at(sn, g, t, &v) || !state_runs(v.state))
		return 0;
	while (state_runs(v.state))
		if (!trace_interval_step(sn, &v, 1))
			return 0;
	return v.stack;
}

/* Return when a P that ran before a stop runs again, before `limit`; TIME_NONE: it does not. */
static int64_t next_run(const struct snap *sn, trk_id p, int64_t t, int64_t limit)
{
	struct trace_interval v;
	if (!trace_interval_at(sn, p, t, &v) && !trace_interval_near(sn, p, t, 1, &v))
		return TIME_NONE;
	while (!state_runs(v.state) && v.t0 < limit)
		if (!trace_interval_step(sn, &v, 1))
			return TIME_NONE;
	int64_t at = v.t0 > t ? v.t0 : t;
	return at < limit ? at : TIME_NONE;
}

struct stop_phases stop_phases_find(
    const struct snap *sn, const trk_id *procs, uint32_t nprocs, const struct stop *x, int64_t next)
{
	struct stop_phases out = {.restart = -1};
	trk_id stopper = store_span(sn->st, x->span)->s.trk;
	int64_t last = x->t0;
	for (uint32_t i = 0; i < nprocs; i++) {
		struct last_run run;
		if (!last_run(sn, procs[i], x->t0, x->t1, stopper, &run))
			continue;
		if (run.until > last) {
			last = run.until;
			out.last = run.g;
		}
		int64_t again = next_run(sn, procs[i], x->t1, next);
		if (again != TIME_NONE && (out.restart < 0 || again - x->t1 < out.restart))
			out.restart = again - x->t1;
	}
	out.stopping = last - x->t0;
	out.stopped = x->t1 - last;
	out.stack = out.last ? stack_of_run(sn, out.last, last - 1) : 0;
	return out;
}
