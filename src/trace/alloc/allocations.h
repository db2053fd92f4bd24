/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_ALLOC_ALLOCATIONS_H
#define TTRACE_TRACE_ALLOC_ALLOCATIONS_H

#include "base/radix_sort.h"
#include "store/store.h"
#include "store/tracks/time_search.h"
#include "trace/filter.h"

/*
 * What goroutines allocate, from the sizes of the heap (rows of CT_HEAP_LIVE). Bytes are those of the memory blocks that
 * the runtime hands out: whole spans of small objects, so a goroutine is charged with the rest of a span that another
 * one uses.
 */

/* Return the bytes that the goroutine of row i took; 0: none, or unknown. */
int64_t allocations_bytes(const struct snap *, uint32_t i);
/* Call a function for each row with bytes of a goroutine that a filter (NULL: none) selects, which applies but for its P.
   Stop early if the filter's watcher says so. */
void allocations_each(const struct snap *, const struct trace_filter *,
    void (*)(void *arg, trk_id, int64_t t, int64_t bytes), void *arg);
/* Return what each of these goroutines took, by track, in the arena. */
int64_t *allocations_by_goroutine(const struct snap *, const struct trace_filter *, struct arena *);

/*
 * The rows of one sheet by goroutine. Start with zeros; visit the sheets in order, and in each the goroutines in
 * ascending order.
 */
struct allocations {
	const struct snap *sn;
	struct radix_item *v;		/* of the sheet, sorted; key: goroutine, v: row */
	size_t n, cap, at;
	uint32_t next;			/* first row that is in a later sheet */
	trk_id g;
};
void allocations_begin_sheet(struct allocations *, const struct snap *, const struct sheet *);
void allocations_begin_goroutine(struct allocations *, trk_id);
/* Get the goroutine's next row up to t, that time included. Return false if there is none. */
bool allocations_next(struct allocations *, int64_t t, uint32_t *row);
void allocations_free(struct allocations *);

#endif
