/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_GC_CYCLES_H
#define TTRACE_TRACE_GC_CYCLES_H

#include "base/mem/mem.h"
#include "store/store.h"
#include "trace/as_profile.h"

/*
 * The GC cycles. A cycle is its concurrent mark phase. Its stops of the world
 * before and after are recognised by their names, its assists are within the
 * mark phase, and its sweep is all sweeping until the next cycle starts.
 */
struct gc_cycle {
	uint32_t number, span;		/* number in the trace, from 1; index of its span in the store */
	int64_t t0, t1;			/* of the mark phase */
	bool open;			/* it had not ended at the end of the trace */
	int64_t before, next;		/* end of the cycle before, start of the next; at the ends those of the trace */
	int64_t stw_before, stw_after;	/* -1: not seen */
	int64_t assist, sweep;		/* sums in ns; assists: only those that the filter selects */
	uint32_t nassist;
};
/* Return the total time of the stops before and after the mark phase; -1: neither was seen. */
int64_t gc_cycle_stw(const struct gc_cycle *);
/* Return all cycles in order, in the arena, by two passes over the spans. With a filter (may be NULL): only cycles that
   ran while the selection existed and whose start is in focus, with the assists of the selection only; cycles keep their
   numbers. */
struct gc_cycle *gc_cycles(const struct snap *, const struct trace_filter *, struct arena *, uint32_t *n);

#endif
