/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_SHEET_CACHE_H
#define TTRACE_STORE_CACHE_SHEET_CACHE_H

#include "store/tracks/sheet_build.h"

/*
 * Sheets within bounds: those that nobody has looked at for longest are dropped
 * when there is too little memory for all, and made again, out of the file, when
 * somebody asks for them. One for a store, made before anything is written.
 */
struct sheet_cache;
struct tracks;

/* limit: bytes for the whole program, by and large. again: how a generation is said again. */
struct sheet_cache *sheet_cache_new(struct store *, struct tracks *, size_t limit, sink_reread_fn *again, void *arg);
void sheet_cache_free(struct sheet_cache *);

/* On the thread that seals: a generation ends here, all before is sealed; the border goes over. */
struct checkpoint;
void sheet_cache_checkpoint(struct sheet_cache *, struct checkpoint *, const struct sheet_builder *);
/* On the thread that seals: one more sheet is to be seen; and is. */
void sheet_cache_summarize(struct sheet_cache *, struct sheet_slot *, const struct sheet *, uint32_t i);
void sheet_cache_add_sealed(struct sheet_cache *, const struct sheet *);

/* How it went, for notices and tests. */
struct sheet_cache_stats {
	size_t limit, held, states;	/* bytes: allowed, of sheets, of states at borders */
	uint32_t sheets, there, made;	/* of them in memory; made again so far */
	bool lost;			/* the file is not what it was: some could not be */
};
struct sheet_cache_stats sheet_cache_stats(struct sheet_cache *);
/* Of them lost, without waiting for a reading that goes on; NULL: false. */
bool sheet_cache_is_lost(const struct sheet_cache *);
/* What sheets are marked with that are got from now on, or more. */
uint32_t sheet_cache_next_tick(struct sheet_cache *);
/* Who draws without waiting (nowait.h); NULL for NULL. A sheet with nothing in it; sheet_free() it. */
struct nowait *sheet_cache_nowait(const struct sheet_cache *);
struct sheet *sheet_cache_empty_sheet(int64_t t0, int64_t t1);
/* Drop all that can be dropped, for tests. */
void sheet_cache_drop_all(struct sheet_cache *);

#endif
