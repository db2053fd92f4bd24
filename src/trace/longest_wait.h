/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_LONGEST_WAIT_H
#define TTRACE_TRACE_LONGEST_WAIT_H

#include "trace/bins.h"

/* Is it a wait with a known reason? */
static inline bool state_is_wait(enum tstate s)
{
	return s >= TS_CHANSEND && s != TS_UNKNOWN && s < TS__N;
}

/* Return what an interval does beyond the end of the trace: "still blocked", "still runnable"; NULL if it ends before,
   if it is in another state, or if the trace is not completely read. */
const char *trace_interval_end_text(const struct snap *, const struct trace_interval *);

/* A value for longest_wait_query.most: about 40 million events if goroutines do little in each sheet. */
enum { LONGEST_WAIT_STEPS = 1 << 24 };
struct longest_wait_query {
	const trk_id *g;
	uint32_t n;
	int64_t t0, t1;
	uint64_t most;
	struct progress_watcher on;
};
/* Find the longest wait of n goroutines in [t0, t1), in full also outside of the range. Of equal waits take the first
   goroutine's, and its first. The sheets are walked once, for at most `most` steps (span_scan.h); *all: that was all of
   them. Return false if there is none. */
bool longest_wait(const struct snap *, const struct longest_wait_query *, struct trace_interval *, bool *all);

#endif
