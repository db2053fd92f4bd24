/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_WAIT_STATS_H
#define TTRACE_TRACE_STATS_WAIT_STATS_H

#include "base/job.h"
#include "store/store.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/histogram.h"

/* How long goroutines wait, each time, and who ends it. */
enum { WAIT_STATS_STATES = 3, WAIT_STATS_WAKERS = 24 };
struct wait_counts {
	struct duration_histogram duration_histogram,
	    block_histo[WAIT_STATS_STATES]; /* of the times it was runnable, was in those states */
	struct stats_spread ready, block[WAIT_STATS_STATES];
	/* start functions, those that did most first; 0: nobody */
	struct { str_id name; uint32_t n; } waker[WAIT_STATS_WAKERS];
	uint32_t nwaker, wakes, spans;
	uint32_t still;			/* so many are still blocked at the end of the trace, */
	int64_t still_longest;		/* one of them for so long */
	bool cut;			/* not all spans were looked at */
};

struct wait_stats_query {
	const trk_id *g;		/* goroutines, each once */
	uint32_t n;
	int64_t t0, t1;			/* spans that are there in [t0, t1), whole */
	enum tstate state[WAIT_STATS_STATES];	/* the kinds of waits that are counted by themselves; TS_NONE: none */
	uint64_t most;			/* steps: about a span each, and what sheets cost to look into */
	bool cached_only;			/* no sheet that has been dropped is made again */
	struct progress_watcher on;		/* where he says stop it is cut */
};
void wait_stats_compute(const struct snap *, const struct wait_stats_query *, struct wait_counts *);

#endif
