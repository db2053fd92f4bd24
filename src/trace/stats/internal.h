/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_INTERNAL_H
#define TTRACE_TRACE_STATS_INTERNAL_H

#include "trace/stats/goroutine_stats.h"

/* Condition of a loop over rows of the store, which are counted from 0. After a stop the later loops end at once. */
static inline bool stats_should_continue(const struct progress_watcher *on, uint32_t i)
{
	enum { ROWS = 1 << 17 };
	return i % ROWS || job_should_continue(on);
}

/* Times of a goroutine in two steps, for callers that compute the sums of many at once; goroutine_stats.c has one at a
   time. */

/* Start with the time range (a and b as for stats_of_goroutine()) and zero sums. Return false if the goroutine never
   existed. */
bool stats_begin_account(const struct stats_index *, trk_id, int64_t a, int64_t b, struct goroutine_times *);
int64_t stats_sum_parts(const struct stats_part *, uint32_t n);
/* Derive the sums of states and the unknown time from ns and blocked. */
void stats_sum_states(struct goroutine_times *);
/* Derive the other members from the sums in ns; parts are in the arena. */
void stats_finish_account(const struct stats_index *, bool lives, struct arena *, struct goroutine_times *);
/* Does the goroutine live to the end of the trace, and is the range open there? */
bool stats_lives_to_end(const struct stats_index *, trk_id, int64_t b);
/* The reason of a wait by state, NULL if it is no wait. TS_OTHER: of parts without a name. */
extern const char *const stats_reasons[TS__N];
/* Is that time in a state a part of `block`? Those of TS_OTHER are by reason. */
bool stats_is_part(enum tstate, int64_t ns);
/* Return the time in a state as the file has it: that of a wait since before the trace is TS_UNKNOWN. */
int64_t stats_own_ns(const struct goroutine_times *, enum tstate);

#endif
