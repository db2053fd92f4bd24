/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_TIME_SEARCH_H
#define TTRACE_STORE_TRACKS_TIME_SEARCH_H

#include "store/store.h"

/* Searching columns that are ordered by time, within a snapshot. */

/* Return the index of the first span from `from` on of the kinds (1 << SP_TASK | ...) that overlaps [t0, t1), or
   UINT32_MAX. Skips 64 spans at once where none of them can. */
uint32_t time_search_next_span(const struct snap *, uint32_t from, uint32_t kinds, int64_t t0, int64_t t1);
/* Add a span to a block, which starts as { INT64_MAX, INT64_MIN, 0 }. */
void time_search_block_add(struct span_block *, const struct sink_span *);
/* Return the start and end of a span; open ends are those of the snapshot. */
void time_search_span_bounds(const struct snap *, const struct sink_span *, int64_t *t0, int64_t *t1);

/* Return the first index of the marks in [t0, t1), and the index after the last one in *end. */
uint32_t time_search_marks(const struct snap *, int64_t t0, int64_t t1, uint32_t *end);
static inline const struct sink_mark *store_mark(const struct store *s, uint32_t i) { return column_at(&s->marks, i); }

/* Return the index of the last row of a counter at or before t, or UINT32_MAX. */
uint32_t time_search_counter(const struct snap *, enum counter, int64_t t);
/* Return the number of rows of a counter before t. */
static inline uint32_t time_search_counter_before(const struct snap *sn, enum counter c,
    int64_t t) { return time_search_counter(sn, c, t - 1) + 1u; }
static inline const struct count_row *store_count(const struct store *s, enum counter c,
    uint32_t i) { return column_at(&s->counts[c], i); }
/* Return the goroutine whose allocation led to a row of CT_HEAP_LIVE; 0: unknown. */
static inline trk_id store_heap_by(const struct store *s, uint32_t i)
{
	return *(const trk_id *)column_at(&s->heap_by, i);
}

#endif
