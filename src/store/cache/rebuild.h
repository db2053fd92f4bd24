/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_REBUILD_H
#define TTRACE_STORE_CACHE_REBUILD_H

#include "store/tracks/sheet_build.h"

/*
 * Sheets made again out of the file, in their order, by a thread that is one
 * sheet ahead of whoever takes them.
 */
struct borders;
struct remake;
struct tracks;

/* Where it reads, and what is known of it. */
struct remake_from {
	struct store *st;
	struct tracks *tracks;
	struct borders *borders;
	sink_again_fn *again;		/* says a generation again */
	void *arg;			/* its first argument */
};

/* From generation gen on, to the last that is known; NULL: no thread is to be had. */
struct remake *remake_start(const struct remake_from *, uint32_t gen);
void remake_stop(struct remake *);	/* and free; NULL: nothing */
uint32_t remake_next(const struct remake *);	/* the sheet that comes next */
/* Wait for it; the caller's. NULL: it came to the last, or the file is not what it was. */
struct sheet *remake_take(struct remake *);

#endif
