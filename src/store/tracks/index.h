/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_INDEX_H
#define TTRACE_STORE_TRACKS_INDEX_H

#include "base/intern.h"
#include "base/mem/page_array.h"
#include "store/store.h"

/* Tracks by kind and number. The rows themselves are in the store (trks). All zero is an empty index. */
struct tracks_index {
	struct intern index;		/* hash table by kind and id */
	struct page_array gids;		/* the memory of gid[] */
	trk_id *gid;			/* [gids.n]: track of goroutine i, 0 none */
	uint32_t far;			/* number of goroutines in the hash table */
	struct trk_list others;		/* the tracks that are not goroutines, in order of creation */
	size_t cothers;
};

/* Return the track; add a row with this kind and id, and nothing else known, when there is none. */
trk_id tracks_index_add(struct tracks_index *, struct store *, enum track_kind, uint64_t id);
/* Set the store's lists of tracks by number, which are valid until tracks_index_free(). No lookup may follow. Does
   nothing where numbers are far apart. */
void tracks_index_sort(struct tracks_index *, struct store *);
void tracks_index_free(struct tracks_index *);

#endif
