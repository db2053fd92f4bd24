/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_ANNOTATIONS_H
#define TTRACE_STORE_TRACKS_ANNOTATIONS_H

#include "store/store.h"
#include "store/tracks/time_search.h"

/* The writer of what lies beside the tracks of a trace: marks, spans, counters, shares of the collector. */
struct annotations {
	struct store *st;
	int64_t marked, counted[CT__N];	/* times of the newest */
	struct span_block block;	/* of the last spans, up to 64 of them */
};

/* Initialises the store's columns marks, spans, span_blocks, utils and counts; annotations_free frees them. */
void annotations_init(struct annotations *, struct store *);
void annotations_free(struct annotations *);
void annotations_add_mark(struct annotations *, const struct sink_mark *);
void annotations_add_span(struct annotations *, const struct sink_span *);
void annotations_add_counter(struct annotations *, int64_t t, enum counter, uint64_t v);
void annotations_add_util(struct annotations *, const struct sink_util *);
/* They are not looked at for now. */
void annotations_release_pages(const struct annotations *);
/* How many there are, into a snapshot; counters from CT_RUNNABLE on are the sealer's. */
void annotations_fill_snap(const struct annotations *, struct snap *);

#endif
