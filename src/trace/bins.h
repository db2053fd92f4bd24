/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_BINS_H
#define TTRACE_TRACE_BINS_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"
#include "store/tracks/time_search.h"
#include "store/tracks/wake_edges.h"

/*
 * The cells of a timeline: for tracks and columns the exact shares of states,
 * and the interval under a cursor. The cost of a row is its columns times the
 * logarithm of the trace's length. All functions are pure and read only rows
 * below the snapshot. Column k of n covers [bins_edge(k), bins_edge(k + 1)).
 */
struct bin { int64_t ns[TS__N]; };	/* sums to the part of the column inside the trace */

static inline int64_t bins_edge(int64_t t0, int64_t t1, uint32_t n, uint32_t k)
{
	return t0 + (int64_t)((double)(t1 - t0) * k / n);
}

/* Compute a row: n columns of a track over [t0, t1). Outside of the snapshot and the track's life: TS_NONE. */
void bins_row(const struct snap *, trk_id, int64_t t0, int64_t t1, uint32_t n, struct bin *out);
/* Sum the states of a track over [t0, t1). */
void bins_sum(const struct snap *, trk_id, int64_t t0, int64_t t1, struct bin *out);
/* Return the state with the largest share; TS_NONE and TS_IDLE only if there is no other state (with all: they count
   like the others); TS_NONE if empty. */
enum tstate bins_main_state(const struct bin *, bool all);

/* Does a P run code in this state, of the program or of the runtime? */
static inline bool state_runs(enum tstate s)
{
	return s == TS_RUN || s == TS_GCWORK || s == TS_ASSIST || s == TS_SWEEP || s == TS_STW;
}

struct trace_interval {			/* an interval, joined over the borders of sheets */
	trk_id trk;
	enum tstate state;
	int64_t t0, t1;		/* clamped to the snapshot */
	uint32_t peer;		/* see state.def */
	stk_id stack;
	uint32_t sheet, i;	/* position of its last piece */
	uint32_t row;		/* its row in that sheet, or in one near it */
};
/* Find the interval of a track at time t. Return false if the track does not exist then (TS_NONE counts as not). */
bool trace_interval_at(const struct snap *, trk_id, int64_t t, struct trace_interval *);
/* Return the state at t, TS_NONE if the track does not exist then. One lookup, where joining intervals may take
   many. */
enum tstate trace_interval_state(const struct snap *, trk_id, int64_t t);
/* Move to the next interval (dir 1) or the one before (dir -1); false at the end. */
bool trace_interval_step(const struct snap *, struct trace_interval *, int dir);
/* Find the first interval that starts at or after t (dir 1), or the last that ends at or before t (dir -1). */
bool trace_interval_near(const struct snap *, trk_id, int64_t t, int dir, struct trace_interval *);

#endif
