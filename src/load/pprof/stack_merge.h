/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_STACK_MERGE_H
#define TTRACE_LOAD_PPROF_STACK_MERGE_H

#include "sink.h"

/*
 * Many stacks in the order of their outermost frames: sorted a run at a time, on
 * any thread, and merged when all runs are there.
 */
struct stack_merge_ref { size_t loc; uint32_t n; };	/* of an array: leaf first */

/* One run of sorted stacks, each as what it does not share with the one before it. */
/* Which of the stacks; how much is shared; loc[] goes on for n. */
struct stack_merge_step { uint32_t which, same, n; };
struct stack_merge_run {
	struct stack_merge_step *step;
	uint8_t *loc;		/* numbers of so many bytes each, the lowest first; outermost first */
	uint32_t n, width;
};

static inline loc_id stack_merge_get_loc(const uint8_t *p, uint32_t width)
{
	loc_id v = p[0] | (loc_id)p[1] << 8;
	if (width > 2)
		v |= (loc_id)p[2] << 16;
	return width > 3 ? v | (loc_id)p[3] << 24 : v;
}

static inline void stack_merge_put_loc(uint8_t *p, uint32_t width, loc_id v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	if (width > 2)
		p[2] = (uint8_t)(v >> 16);
	if (width > 3)
		p[3] = (uint8_t)(v >> 24);
}

/* Room for sorting, used again for the next run. Zero-initialise. */
struct stack_merge_scratch {
	struct stack_merge_key { uint64_t key; uint32_t which; } *keys;
	struct stack_merge_range { uint32_t at, n, depth; } *range;
	size_t cway, crange;
};

/* No location is 0, none is over most. stack_merge_run_free() it. */
struct stack_merge_run stack_merge_sort(
    struct stack_merge_scratch *, const loc_id *loc, const struct stack_merge_ref *, uint32_t n, loc_id most);
void stack_merge_run_free(struct stack_merge_run *);
void stack_merge_scratch_free(struct stack_merge_scratch *);

/* Say them all to a sink that has branch(). of[]: by run and stack, one run after another, what the sink calls them.
   The runs are used up. It is asked now and then whether to go on, with so many bytes as what is read. false: it said
   no. */
bool stack_merge_all(struct stack_merge_run *run, uint32_t nrun, const struct sink *, uint64_t bytes, stk_id *of);

#endif
