/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_WAKE_EDGES_H
#define TTRACE_STORE_TRACKS_WAKE_EDGES_H

#include "base/job.h"
#include "store/store.h"

/* Who woke or created whom. An interval that is runnable names its waker itself (who); this
   answers the other direction. */
struct wake_edges_walk { uint32_t sheet, i; };

/* The next edge made by `from` (a G) at or after t0 and before t1; false when there is no more.
   Begin with a zeroed walk. */
bool wake_edges_next(const struct snap *, struct wake_edges_walk *, trk_id from, int64_t t0, int64_t t1, struct edge *);

/* The first edge made by any of n Gs in [t0, t1), of several at one time that of the first of them (*k); sheets are
   gone through once, at most `most` of them made again. false: there is none, or (*all false) none as far as was
   looked. */
struct wake_edges_query { const trk_id *from; uint32_t n, most; int64_t t0, t1; struct progress_watcher on; };
bool wake_edges_first(const struct snap *, const struct wake_edges_query *, struct edge *, uint32_t *k, bool *all);

#endif
