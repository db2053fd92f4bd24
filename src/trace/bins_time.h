/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_BINS_TIME_H
#define TTRACE_TRACE_BINS_TIME_H

#include "trace/bins.h"

/* Sums of many tracks, counters, marks and spans for the columns of a timeline; see bins.h. */
struct bins_query { trk_id trk; int64_t t0, t1; int64_t *ns; };
/* Sum the states of many tracks, each track at most once, in one walk over the sheets in order. The caller zeroes ns[]
   of each. Return false if stopped. */
bool bins_many(const struct snap *, const struct bins_query *, uint32_t n, const struct progress_watcher *);
/* The steps of bins_many(), for callers that do not keep the sums of all tracks at once: add the time of a row within
   [t0, t1) that is in the sheet; and in the end the time that no sheet has, as TS_NONE. */
void bins_add_row(const struct sheet *, uint32_t row, int64_t t0, int64_t t1, int64_t ns[TS__N]);
void bins_add_rest(const struct snap *, int64_t t0, int64_t t1, int64_t ns[TS__N]);
/* Sum the states of Ps over [t0, t1), including the time before the first event of a P. */
void bins_procs(const struct snap *, const trk_id *, uint32_t n, int64_t t0, int64_t t1, struct bin *out);

/* A counter in one column. The counts of goroutines by state include those whose first event comes later. */
struct counter_bin { uint64_t min, max, last; bool any; };	/* any: there is a value by then */
void bins_counter(const struct snap *, enum counter, int64_t t0, int64_t t1, uint32_t n, struct counter_bin *out);
/* Compute the minimum and maximum of every 64 rows of the counters, once for a snapshot, in the arena. With them a
   column costs at most 128 steps. */
struct bins_counter_sums;
struct bins_counter_sums *bins_counter_sums(const struct snap *, struct arena *);
void bins_counter_from_sums(const struct snap *, const struct bins_counter_sums *, enum counter, int64_t t0, int64_t t1,
    uint32_t n, struct counter_bin *out);
/* Count the rows of a counter before t. The sums (may be NULL) make the search faster. */
uint32_t bins_counter_rows_before(const struct snap *, const struct bins_counter_sums *, enum counter, int64_t t);

/* Running sums for bins_marks(): the number of marks of the given kinds (1 << MK_LOG | ...) of all tracks per column,
   at a cost independent of the number of marks. Computed once for a snapshot, in the arena. */
struct bins_mark_sums;
struct bins_mark_sums *bins_mark_sums(const struct snap *, struct arena *);
void bins_marks(const struct snap *, const struct bins_mark_sums *, uint32_t kinds, int64_t t0, int64_t t1, uint32_t n,
    uint32_t *out);
/* Return the index of the first mark at or after t, among those in the sums. */
uint32_t bins_first_mark_from(const struct snap *, const struct bins_mark_sums *, int64_t t);
/* List the spans of kinds that are rare. Computed once for a snapshot, in the arena. */
struct bins_span_list;
struct bins_span_list *bins_span_list(const struct snap *, uint32_t kinds, struct arena *);
/* Return the number of the spans of a kind and the sum of their durations; of no list (NULL): zeros. */
struct bins_span_total { uint32_t n; int64_t ns; };
struct bins_span_total bins_spans_total(const struct bins_span_list *, enum span_kind);
/* Compute per column the ns covered by spans of one of these kinds, at most the width of the column. */
void bins_spans(const struct snap *, const struct bins_span_list *, enum span_kind, int64_t t0, int64_t t1, uint32_t n,
    int64_t *out);

#endif
