/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_RUN_STACKS_H
#define TTRACE_TRACE_RUN_STACKS_H

#include "base/radix_sort.h"
#include "store/store.h"

/* The stack of the function that was interrupted: without the frames of the runtime that preempt. Where nothing is
   left below them, or stack is 0, where the goroutine started; 0 if that is unknown. */
stk_id run_stacks_interrupted(const struct store *, trk_id g, stk_id stack);

/*
 * Moments of one sheet at which the stack of a running goroutine is recorded: its CPU samples, and the events by which
 * it woke or created another. Start with zeros; say the sheets in their order, in each the goroutines, ascending.
 */
struct run_moment { int64_t t; stk_id stack; bool sample; };
struct run_moments {
	const struct store *st;
	const struct sheet *sh;
	trk_id g;
	struct radix_item *v;		/* of the sheet, sorted; key: the goroutine, v: the sample */
	size_t n, cap, sample;		/* sample, edge: the next of the goroutine's */
	uint32_t next, edge;		/* next: of the store, the first sample of a later sheet */
};
void run_moments_begin_sheet(struct run_moments *, const struct snap *, const struct sheet *);
void run_moments_begin_goroutine(struct run_moments *, trk_id g);
/* The next of them, in the order of time; false: there is none before t. */
bool run_moments_next(struct run_moments *, int64_t t, struct run_moment *);
void run_moments_free(struct run_moments *);

#endif
