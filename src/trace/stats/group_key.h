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
enum group_key_kind {
	GROUP_KEY_FUNCTION,		/* where it starts */
	GROUP_KEY_CREATOR,		/* the function that has the go statement */
	GROUP_KEY_STATE,		/* what it is doing at the end of the window, or that it has ended */
	GROUP_KEY_LABEL,		/* its last label */
	GROUP_KEY_TASK,		/* the type of the first task it worked for */
	GROUP_KEY_PROC,		/* the P it ran on last */
	GROUP_KEY_LIFE,		/* whether it began and ended in the window */
	GROUP_KEY__N
};
const char *group_key_name(enum group_key_kind);		/* "function", ... */
const char *group_key_heading(enum group_key_kind);		/* "START FUNCTION", ... of a column */
int group_key_find(const char *);			/* -1: none of that name */
/* Per track of the snapshot its key, in the arena; window [t0, t1). NULL for GROUP_KEY_FUNCTION, whose key the
   tracks have. Made-up strings need a snapshot that is complete: until then their key is 0. */
str_id *group_key_make(const struct snap *, enum group_key_kind, int64_t t0, int64_t t1, struct arena *,
    const struct progress_watcher *);

#endif
