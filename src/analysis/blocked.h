/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BLOCKED_H
#define TTRACE_BLOCKED_H

#include "analysis/sched.h"

/* Of each goroutine of the groups, in the order of gs->g, how long it has been blocked when the trace ends, ns; 0 where
   it is not. NULL: none is, or not all of the trace has been read. In the arena. */
const int64_t *still_blocked(const struct snap *, const struct sched_groups *, struct arena *,
    const struct onlooker *);
struct still_sum { uint32_t n; int64_t longest; };	/* of a group: how many, and for how long at most */
struct still_sum still_sum(const int64_t *blocked, const struct sched_group *);

#endif
