/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_SHEET_CACHE_H
#define TTRACE_STORE_CACHE_SHEET_CACHE_H

#include "store/tracks/sheet_build.h"

/*
 * Bounds the sheets that exist at once: the least recently used ones are evicted, and rebuilt from the file when they are
 * needed. One per store, created before anything is written.
 */
struct sheet_cache;
struct tracks;

/* limit: bytes of all sheets; there is room for four in any case. again: reads a generation again. */
struct sheet_cache *sheet_cache_new(struct store *, struct tracks *, size_t limit, sink_reread_fn *again, void *arg);
void sheet_cache_free(struct sheet_cache *);

/* Sealing thread: record the end of a generation, with everything before it sealed. Takes ownership of the
   checkpoint. */
struct checkpoint;
void sheet_cache_checkpoint(struct sheet_cache *, struct checkpoint *, const struct sheet_builder *);
/* Sealing thread: set the summaries in the slot of a new sheet, before readers can see it. Afterwards
   sheet_cache_add_sealed() counts its bytes, and evicts others for it. */
void sheet_cache_summarize(struct sheet_cache *, struct sheet_slot *, const struct sheet *, uint32_t i);
void sheet_cache_add_sealed(struct sheet_cache *, const struct sheet *);

/* State of the cache, for notices and tests. */
struct sheet_cache_stats {
	size_t limit, held, states;	/* bytes: allowed, used by sheets, used by states of checkpoints */
	uint32_t sheets, there, made;	/* number of sheets, of those in memory, of rebuilds so far */
	bool lost;			/* the file changed: some sheets could not be rebuilt */
};
struct sheet_cache_stats sheet_cache_stats(struct sheet_cache *);
/* Return sheet_cache_stats().lost without waiting for a rebuild. NULL: false. */
bool sheet_cache_is_lost(const struct sheet_cache *);
/* Start a new tick and return it. Sheets that are used from now on are marked with it or a later one. */
uint32_t sheet_cache_next_tick(struct sheet_cache *);
/* Return the state of drawing without waiting (nowait.h); NULL for NULL. Return a sheet without rows; free it with
   sheet_free(). */
struct nowait *sheet_cache_nowait(const struct sheet_cache *);
struct sheet *sheet_cache_empty_sheet(int64_t t0, int64_t t1);
/* Evict all sheets that can be evicted, for tests. */
void sheet_cache_drop_all(struct sheet_cache *);

#endif
