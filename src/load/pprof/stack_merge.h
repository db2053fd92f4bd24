/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_PPROF_STACK_MERGE_H
#define TTRACE_LOAD_PPROF_STACK_MERGE_H

#include "sink.h"

/*
 * Many stacks in the order of their outermost frames: sorted a run at a time, on
 * any thread, and merged when all runs are there.
 */
struct ways_stack { size_t loc; uint32_t n; };	/* of an array: leaf first */

/* One run of sorted stacks, each as what it does not share with the one before it. */
struct ways_step { uint32_t which, same, n; };	/* which of the stacks; how much is shared; loc[] goes on for n */
struct ways_run {
	struct ways_step *step;
	uint8_t *loc;		/* numbers of so many bytes each, the lowest first; outermost first */
	uint32_t n, width;
};

static inline loc_id ways_loc(const uint8_t *p, uint32_t width)
{
	loc_id v = p[0] | (loc_id)p[1] << 8;
	if (width > 2)
		v |= (loc_id)p[2] << 16;
	return width > 3 ? v | (loc_id)p[3] << 24 : v;
}

static inline void ways_put(uint8_t *p, uint32_t width, loc_id v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	if (width > 2)
		p[2] = (uint8_t)(v >> 16);
	if (width > 3)
		p[3] = (uint8_t)(v >> 24);
}

/* Room for sorting, used again for the next run. Zero-initialise. */
struct ways_room {
	struct ways_way { uint64_t key; uint32_t which; } *way;
	struct ways_range { uint32_t at, n, depth; } *range;
	size_t cway, crange;
};

/* No location is 0, none is over most. ways_run_free() it. */
struct ways_run ways_sort(struct ways_room *, const loc_id *loc, const struct ways_stack *, uint32_t n, loc_id most);
void ways_run_free(struct ways_run *);
void ways_room_free(struct ways_room *);

/* Say them all to a sink that has branch(). of[]: by run and stack, one run after another, what the sink calls them.
   The runs are used up. It is asked now and then whether to go on, with so many bytes as what is read. false: it said
   no. */
bool ways_merge(struct ways_run *run, uint32_t nrun, const struct sink *, uint64_t bytes, stk_id *of);

#endif
