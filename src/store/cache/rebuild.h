/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_REBUILD_H
#define TTRACE_STORE_CACHE_REBUILD_H

#include "store/tracks/sheet_build.h"

/*
 * Rebuilds sheets from the file, in order. A worker thread is one sheet ahead of the thread that takes them.
 */
struct checkpoint_list;
struct sheet_rebuild;
struct tracks;

/* The file and what is known of it. */
struct rebuild_source {
	struct store *st;
	struct tracks *tracks;
	struct checkpoint_list *checkpoint_list;
	sink_reread_fn *again;		/* reads a generation again */
	void *arg;			/* its first argument */
};

/* Start at generation gen; ends after the last one that is known. Return NULL if no thread can be started. */
struct sheet_rebuild *rebuild_start(const struct rebuild_source *, uint32_t gen);
void rebuild_stop(struct sheet_rebuild *);	/* stop and free; NULL is allowed */
uint32_t rebuild_next_sheet(const struct sheet_rebuild *);	/* number of the sheet that is taken next */
/* Wait for the next sheet and return it; the caller owns it. NULL: no generation is left, or the file changed. */
struct sheet *rebuild_take_sheet(struct sheet_rebuild *);

#endif
