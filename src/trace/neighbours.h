/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_NEIGHBOURS_H
#define TTRACE_TRACE_NEIGHBOURS_H

#include "base/job.h"
#include "trace/stats/goroutine_stats.h"

/*
 * Which goroutines belong on one screen: those that one of them dealt with, and
 * those that work on a task. One byte per track, in the arena; 0: not of it.
 */
enum { NEIGHBOUR_SELF = 1, NEIGHBOUR_NEAR, NEIGHBOUR_FAR };

/* g itself; whom it created or woke, and who created or woke it; who woke those. That is a pass over all sheets; on
   (NULL: nobody) may stop it, and then it is a part of them. */
uint8_t *neighbours_of_goroutine(const struct snap *, trk_id g, struct arena *, const struct progress_watcher *on);
/* NEIGHBOUR_SELF: has regions or logs of the task (index into stats_tasks), began it or ended it;
   NEIGHBOUR_NEAR: the same of a task under it. */
uint8_t *neighbours_of_task(
    const struct snap *, const struct stats_tasks *, uint32_t task, struct arena *);
/* Per task 1 when it is the task or lies under it. */
uint8_t *neighbours_task_subtree(const struct stats_tasks *, uint32_t task, struct arena *);

#endif
