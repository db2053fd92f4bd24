/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_STACK_MERGE_H
#define TTRACE_LOAD_PPROF_STACK_MERGE_H

#include "sink_profile.h"

/*
 * Orders many stacks by their outermost frames: runs are sorted one by one, on any thread, and
 * merged when all runs exist.
 */
struct stack_merge_ref { size_t loc; uint32_t n; };	/* part of an array of locations, leaf first */

/* One run of sorted stacks. Each stack is stored as the part that it does not share with the previous one. which:
   index of the stack; same: number of shared frames; n: number of further frames in loc[]. */
struct stack_merge_step { uint32_t which, same, n; };
struct stack_merge_run {
	struct stack_merge_step *step;
	uint8_t *loc;		/* numbers of `width` bytes each, little-endian; outermost first */
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

/* Memory for sorting, reused for the next run. Initialize it with zeros. */
struct stack_merge_scratch {
	struct stack_merge_key { uint64_t key; uint32_t which; } *keys;
	struct stack_merge_range { uint32_t at, n, depth; } *range;
	size_t cway, crange;
};

/* Sort n stacks. Numbers of locations are from 1 to most. Free the result with stack_merge_run_free(). */
struct stack_merge_run stack_merge_sort(
    struct stack_merge_scratch *, const loc_id *loc, const struct stack_merge_ref *, uint32_t n, loc_id most);
void stack_merge_run_free(struct stack_merge_run *);
void stack_merge_scratch_free(struct stack_merge_scratch *);

/* How many frames the stacks may have. lines: by location, its inlined calls included. */
struct stack_merge_limit { const uint32_t *lines; uint64_t left; bool exceeded; };

/* Merge all runs and pass the stacks to a sink that has branch(). of[] gets the sink's ids by run and stack, one
   run after another. The runs are freed. upto() is called now and then with `bytes` as the number of bytes read.
   Returns false if it does, or if the stacks exceed the limit (NULL: there is none). */
bool stack_merge_all(struct stack_merge_run *run, uint32_t nrun, const struct sink *, uint64_t bytes,
    struct stack_merge_limit *, stk_id *of);

#endif
