/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STACK_MOMENTS_H
#define TTRACE_TRACE_STACK_MOMENTS_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

/* The moments at which the stack of a goroutine is known though its state does not change: CPU samples, starts and ends
   of tasks and regions, logs. By goroutine, then time; of one time, a sample is last. */
struct stack_moment { int64_t t; trk_id g; stk_id stack : 31; stk_id sample : 1; };
struct stack_moments {
	struct stack_moment *v;
	uint32_t n;
	trk_id ntrks;
	uint32_t *of;		/* by groups of adjacent tracks: the first moment of them, or of later ones */
};
/* Make the list, in the arena. Return false if `on` (may be NULL) stops it. */
bool stack_moments_make(struct stack_moments *, const struct snap *, struct arena *, const struct progress_watcher *on);
/* Make a list of n given moments, which are in its order; they are copied to the arena. */
void stack_moments_take(struct stack_moments *, const struct stack_moment *, uint32_t n, trk_id ntrks, struct arena *);
/* Return the index of the first moment of a goroutine at or after t, or of a later goroutine; n if there is none. */
uint32_t stack_moments_find(const struct stack_moments *, trk_id g, int64_t t);

#endif
