/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_INTERNAL_H
#define TTRACE_TRACE_STATS_INTERNAL_H

#include "trace/stats/goroutine_stats.h"

/* Walking over rows of the store, and filling the arena meanwhile. */
/* Rows after which what lies on disk is let go: seldom, for they go to many places. */
enum { STATS_RELEASE_ROWS = 1 << 17 };
static inline void stats_release_pages(const struct snap *sn, uint32_t i, const struct arena *a)
{
	store_note_walk(sn, i);
	if (i % STATS_RELEASE_ROWS == STATS_RELEASE_ROWS - 1)
		arena_release_pages(a);
}
/* In the condition of such a loop, whose rows are counted from 0: so one that comes after another that was stopped does
   nothing. */
static inline bool stats_should_continue(const struct progress_watcher *on, uint32_t i)
{
	return i % STATS_RELEASE_ROWS || job_should_continue(on);
}

/* An account in two steps, for those who make the sums of many at once: goroutine_stats.c has one at a time. */

/* The stretch, a and b as for stats_of_goroutine(), the sums being zero. false: there is none. */
bool stats_begin_account(const struct stats_index *, trk_id, int64_t a, int64_t b, struct goroutine_times *);
/* The sums being there (ns), what follows from them; parts go to the arena. */
void stats_finish_account(const struct stats_index *, bool lives, struct arena *, struct goroutine_times *);
/* To the end of the trace, and that is asked for. */
bool stats_lives_to_end(const struct stats_index *, trk_id, int64_t b);

#endif
