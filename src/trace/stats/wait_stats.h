/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_WAIT_STATS_H
#define TTRACE_TRACE_STATS_WAIT_STATS_H

#include "base/job.h"
#include "store/store.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/histogram.h"

/* Durations of the single waits of goroutines, and which functions ended the waits. */
enum { WAIT_STATS_STATES = 3, WAIT_STATS_WAKERS = 24 };
struct wait_counts {
	struct duration_histogram duration_histogram,
	    block_histo[WAIT_STATS_STATES]; /* of the times in state runnable, and in the given states */
	struct stats_spread ready, block[WAIT_STATS_STATES];
	/* start functions of the wakers, most wakes first; 0: none */
	struct { str_id name; uint32_t n; } waker[WAIT_STATS_WAKERS];
	uint32_t nwaker, wakes, spans;
	uint32_t still;			/* number that is still blocked at the end of the trace, */
	int64_t still_longest;		/* and the longest of these waits, in ns */
	bool cut;			/* not all spans were walked */
};

struct wait_stats_query {
	const trk_id *g;		/* goroutines, each once */
	uint32_t n;
	int64_t t0, t1;			/* spans that overlap [t0, t1), in full */
	enum tstate state[WAIT_STATS_STATES];	/* the kinds of waits that are counted separately; TS_NONE: none */
	uint64_t most;			/* maximum steps: about one per span, plus the cost of sheets */
	struct progress_watcher on;		/* if it stops the work, cut is set */
};
void wait_stats_compute(const struct snap *, const struct wait_stats_query *, struct wait_counts *);

#endif
