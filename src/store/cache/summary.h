/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_SUMMARY_H
#define TTRACE_STORE_CACHE_SUMMARY_H

#include "store/store.h"

/*
 * What is left of sheets that are not at hand: time by state of rows over a
 * stretch of one or more sheets, a word for each state that there was.
 */
struct brief {
	int64_t t0, t1;
	uint32_t sheet, n, nparts;	/* the first sheet; rows; parts */
	size_t bytes;			/* of the one block that parts and rows lie in */
	bool spilled;			/* which is mem_spilled() */
	trk_id least, most;		/* the first and the last, for each look at the block may be one at another page */
	/* by track; row i has part[row[i].first] .. part[row[i + 1].first) */
	const struct brief_row { trk_id trk; uint32_t first; } *row;
	const uint64_t *part;		/* ns << 8 | state; TS_NONE is left out */
};

/* Of a sheet, its goroutines, or its Ps and Ms. brief_free() it. */
struct brief *brief_of(const struct sheet *, uint32_t number, bool goroutines);
void brief_free(const struct brief *);
/* Of two that follow each other; both stay. */
struct brief *brief_merge(const struct brief *, const struct brief *);
/* Add the row of a track, as far as its share of [a, b) goes, evenly over the stretch. */
void brief_share(const struct brief *, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);

/* Those of goroutines, of the whole trace: of span sheets each, and of twice as many when all that are in memory take
   more than limit bytes, or those on disk much more. One thread adds, sheet after sheet, others ask meanwhile. */
struct briefs;
struct briefs *briefs_new(size_t limit);
void briefs_free(struct briefs *);
void briefs_rest(struct briefs *);	/* what of them is on disk is not looked at for now */
void briefs_add(struct briefs *, struct brief *, uint32_t sheet);	/* goes over */
void briefs_share(struct briefs *, uint32_t sheet, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);
/* The same of sheets [from, to), which are those of [a, b). */
void briefs_sum(struct briefs *, uint32_t from, uint32_t to, trk_id, int64_t a, int64_t b, int64_t ns[TS__N]);

#endif
