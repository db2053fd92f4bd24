/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_STILL_BLOCKED_H
#define TTRACE_TRACE_STATS_STILL_BLOCKED_H

#include "trace/stats/goroutine_stats.h"

/* Return how long each goroutine of the groups has been blocked at the end of the trace, in ns, in the order of gs->g;
   0: it is not blocked then. Return NULL if none is, or if the trace is not completely read. In the arena. */
const int64_t *still_blocked(const struct snap *, const struct stats_groups *, struct arena *,
    const struct progress_watcher *);
/* of a group: number of blocked ones, and the longest in ns */
struct still_blocked_sum { uint32_t n; int64_t longest; };
struct still_blocked_sum still_blocked_sum(const int64_t *blocked, const struct stats_group *);

#endif
