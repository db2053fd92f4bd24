/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_STILL_BLOCKED_H
#define TTRACE_TRACE_STATS_STILL_BLOCKED_H

#include "trace/stats/goroutine_stats.h"

/* The goroutines of groups that live at the end of the trace, ascending by their indexes in gs->g, and for how long they
   have been blocked, in ns; 0: they are not. */
struct still_blocked { uint32_t n; struct blocked_goroutine { uint32_t i; int64_t ns; } *v; };
/* n is 0 if the trace is not completely read. In the arena. */
struct still_blocked still_blocked_find(const struct snap *, const struct stats_groups *, struct arena *,
    const struct progress_watcher *);
/* Return the time of goroutine i of gs->g; 0: it is not blocked at the end. */
int64_t still_blocked_ns(const struct still_blocked *, uint32_t i);
/* of a group: number of blocked ones, and the longest in ns */
struct still_blocked_sum { uint32_t n; int64_t longest; };
struct still_blocked_sum still_blocked_sum(const struct still_blocked *, const struct stats_group *);

#endif
