/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_BINS_H
#define TTRACE_TRACE_BINS_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"
#include "store/tracks/time_search.h"
#include "store/tracks/wake_edges.h"

/*
 * What a timeline shows: tracks x columns -> exact shares of states, and the
 * interval under a cursor. The cost of a row is its columns times the logarithm
 * of the trace, never the length of the trace. All of it is pure and reads only
 * below the snapshot. Column k of n covers [bins_edge(k), bins_edge(k + 1)).
 */
struct bin { int64_t ns[TS__N]; };	/* adds up to the part of the column inside the trace */

static inline int64_t bins_edge(int64_t t0, int64_t t1, uint32_t n, uint32_t k)
{
	return t0 + (int64_t)((double)(t1 - t0) * k / n);
}

/* A row: n columns of a track over [t0, t1). Outside of the snapshot and the track's life: TS_NONE. */
void bins_row(const struct snap *, trk_id, int64_t t0, int64_t t1, uint32_t n, struct bin *out);
/* The sums of a track over [t0, t1): where sheets come and go, and it is many of them, as near as they are summed
   up. */
void bins_sum(const struct snap *, trk_id, int64_t t0, int64_t t1, struct bin *out);
/* The sums of many tracks, a track at most once, walking the sheets once and in order: ns[] of each is to be zero. They
   lie in the arena. */
struct bins_query { trk_id trk; int64_t t0, t1; int64_t *ns; };
bool bins_many(
    const struct snap *, const struct bins_query *, uint32_t n, const struct arena *, const struct progress_watcher *);
/* The sums of Ps over [t0, t1), to the nanosecond however few sheets there is room for, with what was before they were
   first heard of. */
void bins_procs(const struct snap *, const trk_id *, uint32_t n, int64_t t0, int64_t t1, struct bin *out);
/* The state that has most of it, TS_NONE and TS_IDLE only where there is nothing else (or count them
   with all set); TS_NONE when empty. */
enum tstate bins_main_state(const struct bin *, bool all);

struct trace_interval {			/* an interval, joined over the borders of sheets */
	trk_id trk;
	enum tstate state;
	int64_t t0, t1;		/* clamped to the snapshot */
	uint32_t who;		/* see state.def */
	stk_id stack;
	uint32_t sheet, i;	/* where its last piece is */
	uint32_t row;		/* in that sheet, or in one near it */
};
/* The interval of a track at time t. false: the track is not there then (TS_NONE counts as not). */
bool trace_interval_at(const struct snap *, trk_id, int64_t t, struct trace_interval *);
/* Its state alone, TS_NONE when it is not there: one look, where joining intervals may take many. */
enum tstate trace_interval_state(const struct snap *, trk_id, int64_t t);
/* The next one (dir 1) or the one before (dir -1) that exists; false at the end. */
bool trace_interval_step(const struct snap *, struct trace_interval *, int dir);
/* The first one that begins at or after t (dir 1), or the last that ends at or before t (dir -1). */
bool trace_interval_near(const struct snap *, trk_id, int64_t t, int dir, struct trace_interval *);

/* A counter over columns. */
struct counter_bin { uint64_t min, max, last; bool any; };	/* any: there is a value at all by then */
void bins_counter(const struct snap *, enum counter, int64_t t0, int64_t t1, uint32_t n, struct counter_bin *out);
/* The least and the largest of every 64 rows of the counters: with them a column costs no more than 128 steps.
   Made once of a snapshot, in the arena. */
struct bins_counter_sums;
struct bins_counter_sums *bins_counter_sums(const struct snap *, struct arena *);
void bins_counter_from_sums(const struct snap *, const struct bins_counter_sums *, enum counter, int64_t t0, int64_t t1,
    uint32_t n, struct counter_bin *out);
/* How many rows of it are before t; the sums, or NULL, make the way there short. */
uint32_t bins_counter_rows_before(const struct snap *, const struct bins_counter_sums *, enum counter, int64_t t);

/* Per column: how many marks of the kinds (1 << MK_LOG | ...), of all tracks, by running sums, however many
   marks there are. Made once of a snapshot, in the arena. */
struct bins_mark_sums;
struct bins_mark_sums *bins_mark_sums(const struct snap *, struct arena *);
void bins_marks(const struct snap *, const struct bins_mark_sums *, uint32_t kinds, int64_t t0, int64_t t1, uint32_t n,
    uint32_t *out);
/* The first mark of those that are summed up which is not before t. */
uint32_t bins_first_mark_from(const struct snap *, const struct bins_mark_sums *, int64_t t);
/* The spans of some kinds, which are few of all there are. Made once of a snapshot, in the arena. */
struct bins_span_list;
struct bins_span_list *bins_span_list(const struct snap *, uint32_t kinds, struct arena *);
/* Per column: ns covered by spans of one of those kinds, at most the column. */
void bins_spans(const struct snap *, const struct bins_span_list *, enum span_kind, int64_t t0, int64_t t1, uint32_t n,
    int64_t *out);

#endif
