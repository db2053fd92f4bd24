/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_GROUP_KEY_H
#define TTRACE_TRACE_STATS_GROUP_KEY_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

/*
 * What goroutines can be grouped by. Each way gives every goroutine a string of
 * the store as the key of its group.
 */
enum gor_by {
	GB_FUNCTION,		/* where it starts */
	GB_CREATOR,		/* the function that has the go statement */
	GB_STATE,		/* what it is doing at the end of the window, or that it has ended */
	GB_LABEL,		/* its last label */
	GB_TASK,		/* the type of the first task it worked for */
	GB_PROC,		/* the P it ran on last */
	GB_LIFE,		/* whether it began and ended in the window */
	GB__N
};
const char *gor_by_name(enum gor_by);		/* "function", ... */
const char *gor_by_head(enum gor_by);		/* "START FUNCTION", ... of a column */
int gor_by_find(const char *);			/* -1: none of that name */
/* Per track of the snapshot its key, in the arena; window [t0, t1). NULL for GB_FUNCTION, whose key the
   tracks have. Made-up strings need a snapshot that is complete: until then their key is 0. */
str_id *gor_by_keys(const struct snap *, enum gor_by, int64_t t0, int64_t t1, struct arena *,
    const struct onlooker *);

#endif
