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
struct keep;
struct tracks;

/* limit: bytes for the whole program, by and large. again: how a generation is said again. */
struct keep *keep_new(struct store *, struct tracks *, size_t limit, sink_again_fn *again, void *arg);
void keep_free(struct keep *);

/* On the thread that seals: a generation ends here, all before is sealed; the border goes over. */
struct border;
void keep_border(struct keep *, struct border *, const struct sealer *);
/* On the thread that seals: one more sheet is to be seen; and is. */
void keep_brief(struct keep *, struct sheet_slot *, const struct sheet *, uint32_t i);
void keep_sealed(struct keep *, const struct sheet *);

/* How it went, for notices and tests. */
struct keep_facts {
	size_t limit, held, states;	/* bytes: allowed, of sheets, of states at borders */
	uint32_t sheets, there, made;	/* of them in memory; made again so far */
	bool lost;			/* the file is not what it was: some could not be */
};
struct keep_facts keep_facts(struct keep *);
bool keep_lost(const struct keep *);	/* of them lost, without waiting for a reading that goes on; NULL: false */
uint32_t keep_tick(struct keep *);	/* what sheets are marked with that are got from now on, or more */
/* Who draws without waiting (nowait.h); NULL for NULL. A sheet with nothing in it; sheet_free() it. */
struct await *keep_await(const struct keep *);
struct sheet *keep_empty(int64_t t0, int64_t t1);
/* Drop all that can be dropped, for tests. */
void keep_drop_all(struct keep *);

#endif
