/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_WAKE_EDGES_H
#define TTRACE_STORE_TRACKS_WAKE_EDGES_H

#include "base/job.h"
#include "store/store.h"

/* Edges: which goroutine woke or created which. A runnable interval names its own waker (sheet_peer()); these functions
   search in the other direction. */
/* Return the index in a sheet's edge[] of the first edge that is not before (from, t); nedge: there is none. Edges
   are in the order of their wakers, then of time. */
uint32_t wake_edges_find(const struct sheet *, trk_id from, int64_t t);
/* Set *k to the first edge of `from`, and return the index after its last one. *k must be at or before the first one, as in
   a walk over the wakers of a sheet in their order. Few edges are decoded, also for a waker with many edges. */
uint32_t wake_edges_of(const struct sheet *, trk_id from, uint32_t *k);

struct wake_edges_walk { uint32_t sheet, i; };

/* Return in *edge the next edge made by `from` (a G) in [t0, t1), or false when there is no more. Start with a zeroed
   walk. */
bool wake_edges_next(const struct snap *, struct wake_edges_walk *, trk_id from, int64_t t0, int64_t t1, struct edge *);

/* Return the first edge in [t0, t1) made by any of n Gs, and in *k which one made it; of several edges of one time,
   that of the first G in from[]. Each sheet is read once. Returns false when there is none, or (*all false) when
   the search was stopped before. */
struct wake_edges_query { const trk_id *from; uint32_t n; int64_t t0, t1; struct progress_watcher on; };
bool wake_edges_first(const struct snap *, const struct wake_edges_query *, struct edge *, uint32_t *k, bool *all);

#endif
