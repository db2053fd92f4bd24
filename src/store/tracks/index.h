/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_INDEX_H
#define TTRACE_STORE_TRACKS_INDEX_H

#include "base/intern.h"
#include "base/mem/spill_array.h"
#include "store/store.h"

/* Tracks by their kind and number; the rows themselves are the store's (trks). Zeroes are an empty one. */
struct tracks_index {
	struct intern index;		/* by kind and id */
	struct spillable_array gids;		/* where the array lies; it may spill */
	trk_id *gid;			/* [gids.n]: track of goroutine i, 0 none */
	uint32_t far;			/* goroutines that are in the index nevertheless */
	struct trk_list others;		/* the tracks that are no goroutines, as they came */
	size_t cothers;
};

/* 0: there is none. */
trk_id tracks_index_find(const struct tracks_index *, const struct store *, enum track_kind, uint64_t id);
/* Found, or a new row of which all but kind and id is unknown. */
trk_id tracks_index_add(struct tracks_index *, struct store *, enum track_kind, uint64_t id);
/* No more will be asked for: the store gets its lists of tracks by number, which stay until tracks_index_free(). Not
   where numbers are far apart, or lie on disk. */
void tracks_index_sort(struct tracks_index *, struct store *);
void tracks_index_free(struct tracks_index *);

#endif
