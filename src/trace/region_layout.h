/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_REGION_LAYOUT_H
#define TTRACE_TRACE_REGION_LAYOUT_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

/*
 * What a goroutine's row shows besides states: regions by nesting depth, logs
 * and CPU samples. Made once from a snapshot; then a row of a timeline costs
 * its columns times a binary search, whatever the number of regions.
 */
enum { REGION_LAYOUT_LEVELS = 4 }; /* levels of regions that are kept; deeper ones are hidden by them */

/* Open ends are set to those of the snapshot. */
struct region_layout_piece { int64_t t0, t1; uint32_t span; };
/* i: index of the sample. */
struct region_layout_tick { int64_t t; trk_id trk; uint32_t i; };
struct region_layout_runs {
	uint32_t n, all;
	trk_id *trk;	 /* tracks with any entry, ascending */
	uint32_t *first; /* n + 1 entries: trk[i] has v[first[i]] .. v[first[i + 1]] */
	uint32_t *v;
};

struct row_layout {
	uint32_t ntrk;
	trk_id *trk;	 /* tracks with regions, ascending */
	/* trk[i] at level k: from piece[first[i * REGION_LAYOUT_LEVELS + k]] to that of the next entry */
	uint32_t *first;
	struct region_layout_piece *piece; /* within a level by time, not overlapping */
	struct region_layout_runs log;	   /* marks, by track, then time */
	uint32_t nsample;
	struct region_layout_tick *sample; /* by track, then time */
};
/* Make the layout in an arena. If stopped, the layout is empty. */
struct row_layout *region_layout_new(const struct snap *, struct arena *, const struct progress_watcher *);

/* Return the number of levels of regions of a track, 0..REGION_LAYOUT_LEVELS. */
int region_layout_levels(const struct row_layout *, trk_id);
const struct region_layout_piece *region_layout_row(const struct row_layout *, trk_id, int level, uint32_t *n);
/* Return the first piece that ends after t; n if there is none. */
uint32_t region_layout_find(const struct region_layout_piece *, uint32_t n, int64_t t);
/* Return the samples of a track in [t0, t1); their number in *n. */
const struct region_layout_tick *region_layout_samples(
    const struct row_layout *, trk_id, int64_t t0, int64_t t1, uint32_t *n);
/* Return the logs of a track: indexes of marks, which are sorted by time, with their number; and find the first that is
   at or after a mark. */
const uint32_t *region_layout_logs(const struct row_layout *, trk_id, uint32_t *n);
uint32_t region_layout_first_log(const uint32_t *log, uint32_t n, uint32_t mark);

#endif
