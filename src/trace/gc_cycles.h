/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_GC_CYCLES_H
#define TTRACE_TRACE_GC_CYCLES_H

#include "base/mem/mem.h"
#include "store/store.h"
#include "trace/as_profile.h"

/*
 * The cycles of the garbage collector. A cycle is its concurrent mark phase; the
 * stops of the world that begin and end it are known by their names, its assists
 * lie inside of it, and its sweep is all the sweeping until the next begins.
 */
struct gc_cycle {
	uint32_t number, span;		/* from 1, in the trace; its span of the store */
	int64_t t0, t1;			/* of the mark phase */
	bool open;			/* it had not ended when the trace did */
	int64_t before, next;		/* end of the cycle before, begin of the next, or those of the trace */
	int64_t stw_before, stw_after;	/* -1: none seen */
	int64_t assist, sweep;		/* sums; assists of those that were asked for */
	uint32_t nassist;
};
/* How long the stops before and after its mark phase took together; -1: neither was seen. */
int64_t gc_cycle_stw(const struct gc_cycle *);
/* All of them in order, in the arena: two passes over the spans. With a filter (NULL: without) those that went on while
   what it names was there, with its assists alone; a cycle keeps its number. */
struct gc_cycle *gc_cycles(const struct snap *, const struct trace_filter *, struct arena *, uint32_t *n);

#endif
