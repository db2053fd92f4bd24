/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LONGWAIT_H
#define TTRACE_LONGWAIT_H

#include "analysis/bins.h"

/* Is it a wait for something, of which the reason is known? */
static inline bool state_waits(enum tstate s)
{
	return s >= TS_CHANSEND && s != TS_UNKNOWN && s < TS__N;
}

/* The longest wait of n goroutines in [t0, t1), whole also where it goes beyond that; of equals the first goroutine's, and of
   those the first. Sheets are gone through once, until so many, or so many intervals, have been seen that one would have to wait
   for it: some 40 million events, where goroutines do little in each sheet; *all: that was all of them. false: there is none. */
bool longest_wait(const struct snap *, const trk_id *g, uint32_t n, int64_t t0, int64_t t1, struct ival *, bool *all);

#endif
