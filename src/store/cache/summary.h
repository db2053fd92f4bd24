/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_SUMMARY_H
#define TTRACE_STORE_CACHE_SUMMARY_H

#include "store/store.h"

/*
 * Replaces sheets that are evicted: time by state of rows over one or more adjacent sheets, in one word per state that
 * occurs.
 */
struct summary {
	int64_t t0, t1;
	uint32_t sheet, n, nparts;	/* number of the first sheet; of rows; of parts */
	size_t bytes;			/* size of the block of parts and rows */
	/* first and last track; kept here since the block may not be in memory */
	trk_id least, most;
	/* by track; row i has part[row[i].first] .. part[row[i + 1].first - 1] */
	const struct summary_row { trk_id trk; uint32_t first; } *row;
	const uint64_t *part;		/* ns << 8 | state; TS_NONE is left out */
};

/* Return the summary of a sheet: of its goroutines, or of its Ps and Ms. Free it with summary_free(). */
struct summary *summary_of_sheet(const struct sheet *, uint32_t number, bool goroutines);
void summary_free(const struct summary *);
/* Return the sum of two adjacent summaries. Does not free them. */
struct summary *summary_merge(const struct summary *, const struct summary *);
/* Add the time by state of a track in [a, b), assuming that it is spread evenly over the summary. Time that is not in
   any state is added to TS_NONE. */
void summary_estimate(const struct summary *, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);

/* Summaries of the goroutines, for the whole trace: each covers `span` sheets. The span doubles when all take more
   than `limit` bytes. One thread adds, sheet after sheet; others may read meanwhile. */
struct summary_list;
struct summary_list *summary_list_new(size_t limit);
void summary_list_free(struct summary_list *);
void summary_list_add(struct summary_list *, struct summary *, uint32_t sheet);	/* takes ownership */
void summary_list_estimate(struct summary_list *, uint32_t sheet, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);
/* The same for sheets [from, to), which cover [a, b). */
void summary_list_sum(
    struct summary_list *, uint32_t from, uint32_t to, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);

/* Summaries of Ps and Ms: of each sheet, of each two, of each four ... One thread adds; others may read meanwhile. */
struct summary_pyramid;
struct summary_pyramid *summary_pyramid_new(void);
void summary_pyramid_free(struct summary_pyramid *);
void summary_pyramid_add(struct summary_pyramid *, struct summary *);	/* of the next sheet; takes ownership */
/* Add the time by state of a track in sheets [from, to). It is exact. */
void summary_pyramid_sum(const struct summary_pyramid *, uint32_t from, uint32_t to, trk_id, int64_t ns[TS__N]);

#endif
