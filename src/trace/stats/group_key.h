/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_GROUP_KEY_H
#define TTRACE_TRACE_STATS_GROUP_KEY_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

/*
 * The ways to group goroutines. Each way gives every goroutine a string of the
 * store as the key of its group.
 */
enum group_key_kind {
	GROUP_KEY_FUNCTION,		/* start function */
	GROUP_KEY_CREATOR,		/* the function that has the go statement */
	GROUP_KEY_STATE,		/* state at the end of the window, or that it has ended */
	GROUP_KEY_LABEL,		/* its last label */
	GROUP_KEY_TASK,		/* the type of the first task that it worked for */
	GROUP_KEY_PROC,		/* the P on which it ran last */
	GROUP_KEY_LIFE,		/* whether it started and ended in the window */
	GROUP_KEY_WORK,			/* what the start function calls if it is a trampoline (store/tracks/trampolines.c) */
	GROUP_KEY__N
};
const char *group_key_name(enum group_key_kind);		/* "function", ... */
const char *group_key_heading(enum group_key_kind);		/* column heading: "START FUNCTION", ... */
int group_key_find(const char *);			/* -1: none of that name */
/* Is the key the name of a function that the goroutines execute? */
static inline bool group_key_is_function(enum group_key_kind by)
{
	return by == GROUP_KEY_FUNCTION || by == GROUP_KEY_WORK;
}
/* Return GROUP_KEY_WORK if it differs from GROUP_KEY_FUNCTION, else that. */
enum group_key_kind group_key_best(const struct snap *);
/* Return the key of each track of the snapshot, in the arena; the window is [t0, t1). NULL for GROUP_KEY_FUNCTION,
   whose key is in the tracks. Keys that are new strings need a complete snapshot: before that they are 0. */
str_id *group_key_make(const struct snap *, enum group_key_kind, int64_t t0, int64_t t1, struct arena *,
    const struct progress_watcher *);

#endif
