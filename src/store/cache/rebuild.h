/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_REBUILD_H
#define TTRACE_STORE_CACHE_REBUILD_H

#include "store/tracks/sheet_build.h"

/*
 * Sheets made again out of the file, in their order, by a thread that is one
 * sheet ahead of whoever takes them.
 */
struct checkpoint_list;
struct sheet_rebuild;
struct tracks;

/* Where it reads, and what is known of it. */
struct rebuild_source {
	struct store *st;
	struct tracks *tracks;
	struct checkpoint_list *checkpoint_list;
	sink_reread_fn *again;		/* says a generation again */
	void *arg;			/* its first argument */
};

/* From generation gen on, to the last that is known; NULL: no thread is to be had. */
struct sheet_rebuild *rebuild_start(const struct rebuild_source *, uint32_t gen);
void rebuild_stop(struct sheet_rebuild *);	/* and free; NULL: nothing */
uint32_t rebuild_next_sheet(const struct sheet_rebuild *);	/* the sheet that comes next */
/* Wait for it; the caller's. NULL: it came to the last, or the file is not what it was. */
struct sheet *rebuild_take_sheet(struct sheet_rebuild *);

#endif
