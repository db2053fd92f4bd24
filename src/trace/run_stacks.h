/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_RUN_STACKS_H
#define TTRACE_TRACE_RUN_STACKS_H

#include "store/store.h"
#include "trace/stack_moments.h"

/* Return the stack that was interrupted: without the runtime's frames for preemption. If none is left, or stack is 0:
   where the goroutine started; 0 if that is unknown. */
stk_id run_stacks_interrupted(const struct store *, trk_id g, stk_id stack);
/* Return where the goroutine started; if that is unknown, the outermost node of the stack. */
stk_id run_stacks_outermost(const struct store *, trk_id g, stk_id stack);
/* Return the node of the deepest function that is common to two stacks, at its line in `from`; 0: they have none. */
stk_id run_stacks_deepest(const struct store *, stk_id from, stk_id to);
/* Return the node that the time between two events with these stacks is charged to: the upper part of `from`, down to the
   deepest function in which the goroutine was all the time. 0: there is none, or a stack is 0. */
stk_id run_stacks_common(const struct store *, stk_id from, stk_id to);

/* Where a goroutine was last: the stack of an event or of a CPU sample; 0: unknown. */
struct run_known { stk_id stack; bool sample; };
/* A moment at which the stack of a running goroutine is recorded. */
struct run_moment { int64_t t; stk_id stack; bool sample, created; };	/* created: another goroutine, there */
/* Results for pairs of stacks, which mostly repeat. Start with zeros. */
enum { RUN_PAIRS = 128 };
struct run_pairs { struct run_pair { stk_id from, to, common; } v[RUN_PAIRS]; };
/* Return the stack to which the time of a run is charged from where it is known up to a moment, whose stack is 0 if the
   run ends without one. *known is set to what holds after the moment. */
stk_id run_stacks_charged(
    const struct store *, trk_id g, struct run_known *, const struct run_moment *, struct run_pairs *);
/* The goroutine enters state s from state `was`; stack: of the entry. A waker's stack is not the goroutine's own. */
void run_known_enter(struct run_known *, enum tstate was, enum tstate s, stk_id stack);

/* The moments of one sheet: those of stack_moments.h, and the events by which a goroutine woke or created another. Start
   with zeros; visit the sheets in order, and in each the goroutines in ascending order. */
struct run_moments {
	struct stack_moments list;
	struct arena mem;
	const struct sheet *sh;
	trk_id g;
	uint32_t at, edge;		/* of the goroutine's next ones */
};
void run_moments_begin_sheet(struct run_moments *, const struct snap *, const struct sheet *);
void run_moments_begin_goroutine(struct run_moments *, trk_id g);
/* Get the next moment before t, in the order of time; false: there is none. */
bool run_moments_next(struct run_moments *, int64_t t, struct run_moment *);
void run_moments_free(struct run_moments *);

#endif
