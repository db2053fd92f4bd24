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
enum { INLAY_DEEP = 4 }; /* levels of regions that are kept apart; deeper ones lie under these */

struct inlay_piece {
	int64_t t0, t1;
	uint32_t span;
}; /* open ends are those of the snapshot */
struct inlay_tick {
	int64_t t;
	trk_id trk;
	uint32_t i;
}; /* i: the sample */
struct inlay_runs {
	uint32_t n, all;
	trk_id *trk;	 /* those that have any, ascending */
	uint32_t *first; /* n + 1: of trk[i] v[first[i]] .. v[first[i + 1]] */
	uint32_t *v;
};

struct inlay {
	uint32_t ntrk;
	trk_id *trk;	 /* those with regions, ascending */
	uint32_t *first; /* trk[i] at level k: piece[first[i * INLAY_DEEP + k]] up to the next */
	struct inlay_piece *piece; /* within a level by time, never overlapping */
	struct inlay_runs log;	   /* marks, by track, then time */
	uint32_t nsample;
	struct inlay_tick *sample; /* by track, then time */
};
/* In an arena that spills, where sheets of the store go: it is let go of now and then. */
struct inlay *inlay_make(const struct snap *, struct arena *, const struct onlooker *);	/* who says stop gets none */

/* How many levels of regions a track has, 0..INLAY_DEEP. */
int inlay_levels(const struct inlay *, trk_id);
const struct inlay_piece *inlay_row(const struct inlay *, trk_id, int level, uint32_t *n);
/* The first of them that ends after t; n when there is none. */
uint32_t inlay_find(const struct inlay_piece *, uint32_t n, int64_t t);
/* Samples of a track in [t0, t1); their number in *n. */
const struct inlay_tick *inlay_samples(const struct inlay *, trk_id, int64_t t0, int64_t t1, uint32_t *n);
/* Logs of a track: indexes of marks, which are by time; how many, and which is the first at or after a mark. */
const uint32_t *inlay_logs(const struct inlay *, trk_id, uint32_t *n);
uint32_t inlay_log_from(const uint32_t *log, uint32_t n, uint32_t mark);

#endif
