/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_SUMMARY_H
#define TTRACE_STORE_CACHE_SUMMARY_H

#include "store/store.h"

/*
 * What is left of sheets that are not at hand: time by state of rows over a
 * stretch of one or more sheets, a word for each state that there was.
 */
struct summary {
	int64_t t0, t1;
	uint32_t sheet, n, nparts;	/* the first sheet; rows; parts */
	size_t bytes;			/* of the one block that parts and rows lie in */
	bool spilled;			/* which is mem_spill_alloc() */
	trk_id least, most;		/* the first and the last, for each look at the block may be one at another page */
	/* by track; row i has part[row[i].first] .. part[row[i + 1].first) */
	const struct summary_row { trk_id trk; uint32_t first; } *row;
	const uint64_t *part;		/* ns << 8 | state; TS_NONE is left out */
};

/* Of a sheet, its goroutines, or its Ps and Ms. summary_free() it. */
struct summary *summary_of_sheet(const struct sheet *, uint32_t number, bool goroutines);
void summary_free(const struct summary *);
/* Of two that follow each other; both stay. */
struct summary *summary_merge(const struct summary *, const struct summary *);
/* Add the row of a track, as far as its share of [a, b) goes, evenly over the stretch. */
void summary_estimate(const struct summary *, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);

/* Those of goroutines, of the whole trace: of span sheets each, and of twice as many when all that are in memory take
   more than limit bytes, or those on disk much more. One thread adds, sheet after sheet, others ask meanwhile. */
struct summary_list;
struct summary_list *summary_list_new(size_t limit);
void summary_list_free(struct summary_list *);
void summary_list_release_pages(struct summary_list *);	/* what of them is on disk is not looked at for now */
void summary_list_add(struct summary_list *, struct summary *, uint32_t sheet);	/* goes over */
void summary_list_estimate(struct summary_list *, uint32_t sheet, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);
/* The same of sheets [from, to), which are those of [a, b). */
void summary_list_sum(
    struct summary_list *, uint32_t from, uint32_t to, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);

#endif
