/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_REGION_LAYOUT_H
#define TTRACE_TRACE_REGION_LAYOUT_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

/*
 * What lies on a goroutine's row besides its states: regions by how deep they
 * nest, logs and CPU samples. Made once from a snapshot; then a row of a
 * timeline costs its columns times a binary search, however many there are.
 */
enum { REGION_LAYOUT_LEVELS = 4 }; /* levels of regions that are kept apart; deeper ones lie under these */

/* Open ends are those of the snapshot. */
struct region_layout_piece { int64_t t0, t1; uint32_t span; };
/* i: the sample. */
struct region_layout_tick { int64_t t; trk_id trk; uint32_t i; };
struct region_layout_runs {
	uint32_t n, all;
	trk_id *trk;	 /* those that have any, ascending */
	uint32_t *first; /* n + 1: of trk[i] v[first[i]] .. v[first[i + 1]] */
	uint32_t *v;
};

struct row_layout {
	uint32_t ntrk;
	trk_id *trk;	 /* those with regions, ascending */
	uint32_t *first; /* trk[i] at level k: piece[first[i * REGION_LAYOUT_LEVELS + k]] up to the next */
	struct region_layout_piece *piece; /* within a level by time, never overlapping */
	struct region_layout_runs log;	   /* marks, by track, then time */
	uint32_t nsample;
	struct region_layout_tick *sample; /* by track, then time */
};
/* In an arena that spills, where sheets of the store go: it is let go of now and then. */
/* Who says stop gets none. */
struct row_layout *region_layout_new(const struct snap *, struct arena *, const struct progress_watcher *);

/* How many levels of regions a track has, 0..REGION_LAYOUT_LEVELS. */
int region_layout_levels(const struct row_layout *, trk_id);
const struct region_layout_piece *region_layout_row(const struct row_layout *, trk_id, int level, uint32_t *n);
/* The first of them that ends after t; n when there is none. */
uint32_t region_layout_find(const struct region_layout_piece *, uint32_t n, int64_t t);
/* Samples of a track in [t0, t1); their number in *n. */
const struct region_layout_tick *region_layout_samples(
    const struct row_layout *, trk_id, int64_t t0, int64_t t1, uint32_t *n);
/* Logs of a track: indexes of marks, which are by time; how many, and which is the first at or after a mark. */
const uint32_t *region_layout_logs(const struct row_layout *, trk_id, uint32_t *n);
uint32_t region_layout_first_log(const uint32_t *log, uint32_t n, uint32_t mark);

#endif
