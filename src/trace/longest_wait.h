/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_LONGEST_WAIT_H
#define TTRACE_TRACE_LONGEST_WAIT_H

#include "trace/bins.h"

/* Is it a wait for something, of which the reason is known? */
static inline bool state_is_wait(enum tstate s)
{
	return s >= TS_CHANSEND && s != TS_UNKNOWN && s < TS__N;
}

/* What an interval does beyond the end of the trace: "still blocked", "still runnable"; NULL: it ends before, or does
   something else, or not all has been read. */
const char *trace_interval_end_text(const struct snap *, const struct trace_interval *);

/* The longest wait of n goroutines in [t0, t1), whole also where it goes beyond that; of equals the first goroutine's,
   and of those the first. Sheets are gone through once, for so many steps (span_scan.h); *all: that was all of them.
   false: there is none. */
/* more than that nobody waits for: some 40 million events, where goroutines do little in each sheet */
enum { LONGEST_WAIT_STEPS = 1 << 24 };
struct longest_wait_query {
	const trk_id *g;
	uint32_t n;
	int64_t t0, t1;
	uint64_t most;
	bool cached_only;
	struct progress_watcher on;
};
bool longest_wait(const struct snap *, const struct longest_wait_query *, struct trace_interval *, bool *all);

#endif
