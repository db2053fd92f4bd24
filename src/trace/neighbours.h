/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_NEIGHBOURS_H
#define TTRACE_TRACE_NEIGHBOURS_H

#include "base/job.h"
#include "trace/stats/goroutine_stats.h"

/*
 * Sets of related goroutines: those that interact with a goroutine, and those
 * that work on a task. One byte per track, in the arena; 0: not in the set.
 */
enum { NEIGHBOUR_SELF = 1, NEIGHBOUR_NEAR, NEIGHBOUR_FAR };

/* Find g itself; the goroutines it created or woke, and those that created or woke it; the wakers of those. This is a
   pass over all sheets. `on` (may be NULL) can stop it; then the set is incomplete. */
uint8_t *neighbours_of_goroutine(const struct snap *, trk_id g, struct arena *, const struct progress_watcher *on);
/* NEIGHBOUR_SELF: has regions or logs of the task (index into stats_tasks), started or ended it; NEIGHBOUR_NEAR: the
   same for a task below it. */
uint8_t *neighbours_of_task(
    const struct snap *, const struct stats_tasks *, uint32_t task, struct arena *);
/* Return 1 per task that is the task or below it. */
uint8_t *neighbours_task_subtree(const struct stats_tasks *, uint32_t task, struct arena *);

#endif
