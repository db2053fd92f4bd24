/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_RUN_STACKS_H
#define TTRACE_TRACE_RUN_STACKS_H

#include "base/radix_sort.h"
#include "store/store.h"

/* Return the stack that was interrupted: without the runtime's frames for preemption. If none is left, or stack is 0:
   where the goroutine started; 0 if that is unknown. */
stk_id run_stacks_interrupted(const struct store *, trk_id g, stk_id stack);

/*
 * Moments of one sheet at which the stack of a running goroutine is recorded: its CPU samples, and the events by which
 * it woke or created another. Start with zeros; visit the sheets in order, and in each the goroutines in ascending
 * order.
 */
struct run_moment { int64_t t; stk_id stack; bool sample, created; };
/* Return the stack to which the time of a run up to a moment that has a stack is charged. *sampled: the stack of the
   last CPU sample since the last event, 0 if there is none; set to what holds after the moment. */
stk_id run_stacks_charged(const struct store *, trk_id g, const struct run_moment *, stk_id *sampled);
struct run_moments {
	const struct store *st;
	const struct sheet *sh;
	trk_id g;
	struct radix_item *v;		/* of the sheet, sorted; key: goroutine, v: sample */
	size_t n, cap, sample;		/* sample, edge: index of the goroutine's next one */
	uint32_t next, edge;		/* next: first sample of the store that is in a later sheet */
};
void run_moments_begin_sheet(struct run_moments *, const struct snap *, const struct sheet *);
void run_moments_begin_goroutine(struct run_moments *, trk_id g);
/* Get the next moment before t, in the order of time; false: there is none. */
bool run_moments_next(struct run_moments *, int64_t t, struct run_moment *);
void run_moments_free(struct run_moments *);

#endif
