/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_ANNOTATIONS_H
#define TTRACE_STORE_TRACKS_ANNOTATIONS_H

#include "store/store.h"
#include "store/tracks/time_search.h"

/* The writer of what a trace has besides the states of tracks: marks, spans, counters, GC utilisation. */
struct annotations {
	struct store *st;
	int64_t marked, counted[CT__N];	/* time of the newest mark, and of the newest row of each counter */
	struct span_block block;	/* extent of the last block of spans, of up to 64 */
};

/* Initialise the store's columns marks, spans, span_blocks, utils and counts; annotations_free frees them. */
void annotations_init(struct annotations *, struct store *);
void annotations_free(struct annotations *);
void annotations_add_mark(struct annotations *, const struct sink_mark *);
void annotations_add_span(struct annotations *, const struct sink_span *);
void annotations_add_counter(struct annotations *, int64_t t, enum counter, uint64_t v, trk_id by);
void annotations_add_util(struct annotations *, const struct sink_util *);
/* Set the counts of these columns in a snapshot. Counters from CT_RUNNABLE on belong to seal_fill_snap(). */
void annotations_fill_snap(const struct annotations *, struct snap *);

#endif
