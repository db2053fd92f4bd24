/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_LONGEST_WAIT_H
#define TTRACE_TRACE_LONGEST_WAIT_H

#include "trace/bins.h"

/* Is it a wait for something, of which the reason is known? */
static inline bool state_waits(enum tstate s)
{
	return s >= TS_CHANSEND && s != TS_UNKNOWN && s < TS__N;
}

/* What an interval does beyond the end of the trace: "still blocked", "still runnable"; NULL: it ends before, or does
   something else, or not all has been read. */
const char *ival_still(const struct snap *, const struct ival *);

/* The longest wait of n goroutines in [t0, t1), whole also where it goes beyond that; of equals the first goroutine's,
   and of those the first. Sheets are gone through once, for so many steps (span_scan.h); *all: that was all of them.
   false: there is none. */
/* more than that nobody waits for: some 40 million events, where goroutines do little in each sheet */
enum { LONGWAIT_MOST = 1 << 24 };
struct longwait_ask { const trk_id *g; uint32_t n; int64_t t0, t1; uint64_t most; bool at_hand; struct onlooker on; };
bool longest_wait(const struct snap *, const struct longwait_ask *, struct ival *, bool *all);

#endif
