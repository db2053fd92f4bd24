/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_INTERNAL_H
#define TTRACE_TRACE_STATS_INTERNAL_H

#include "trace/stats/goroutine_stats.h"

/* Walking over rows of the store, and filling the arena meanwhile. */
enum { SCHED_REST = 1 << 17 };	/* rows after which what lies on disk is let go: seldom, for they go to many places */
static inline void sched_rest(const struct snap *sn, uint32_t i, const struct arena *a)
{
	store_pass(sn, i);
	if (i % SCHED_REST == SCHED_REST - 1)
		arena_rest(a);
}
/* In the condition of such a loop, whose rows are counted from 0: so one that comes after another that was stopped does
   nothing. */
static inline bool sched_goes_on(const struct onlooker *on, uint32_t i) { return i % SCHED_REST || goes_on(on); }

/* An account in two steps, for those who make the sums of many at once: goroutine_stats.c has one at a time. */

/* The stretch, a and b as for sched_stat(), the sums being zero. false: there is none. */
bool sched_begin(const struct sched *, trk_id, int64_t a, int64_t b, struct gstat *);
/* The sums being there (ns), what follows from them; parts go to the arena. */
void sched_end(const struct sched *, bool lives, struct arena *, struct gstat *);
/* To the end of the trace, and that is asked for. */
bool sched_lives(const struct sched *, trk_id, int64_t b);

#endif
