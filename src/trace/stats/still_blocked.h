/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_STILL_BLOCKED_H
#define TTRACE_TRACE_STATS_STILL_BLOCKED_H

#include "trace/stats/goroutine_stats.h"

/* How long each goroutine of the groups has been blocked when the trace ends, ns, in the order of gs->g; 0: it is not
   blocked then. NULL: no goroutine is, or the trace has not been read to its end. In the arena. */
const int64_t *still_blocked(const struct snap *, const struct stats_groups *, struct arena *,
    const struct progress_watcher *);
struct still_blocked_sum { uint32_t n; int64_t longest; };	/* of a group: how many, and for how long at most */
struct still_blocked_sum still_blocked_sum(const int64_t *blocked, const struct stats_group *);

#endif
