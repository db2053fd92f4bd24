/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_ANNOTATIONS_H
#define TTRACE_STORE_TRACKS_ANNOTATIONS_H

#include "store/store.h"
#include "store/tracks/time_search.h"

/* The writer of what lies beside the tracks of a trace: marks, spans, counters, shares of the collector. */
struct strips {
	struct store *st;
	int64_t marked, counted[CT__N];	/* times of the newest */
	struct span_block block;	/* of the last spans, up to 64 of them */
};

/* Initialises the store's columns marks, spans, span_blocks, utils and counts; strips_free frees them. */
void strips_init(struct strips *, struct store *);
void strips_free(struct strips *);
void strips_mark(struct strips *, const struct sink_mark *);
void strips_span(struct strips *, const struct sink_span *);
void strips_count(struct strips *, int64_t t, enum counter, uint64_t v);
void strips_util(struct strips *, const struct sink_util *);
/* They are not looked at for now. */
void strips_rest(const struct strips *);
/* How many there are, into a snapshot; counters from CT_RUNNABLE on are the sealer's. */
void strips_snap(const struct strips *, struct snap *);

#endif
