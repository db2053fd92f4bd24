/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_NOWAIT_H
#define TTRACE_STORE_CACHE_NOWAIT_H

#include "store/store.h"

/*
 * A thread that draws does not wait for sheets that were dropped: an empty one
 * stands in until the frame is done, and what was asked for is told afterwards,
 * to be made again beside the keyboard. One thread at a time.
 */
struct await;
struct await *await_new(void);
void await_free(struct await *);

bool await_here(const struct await *);	/* is this the thread that draws? */
/* What stands in for sheet i, which is wanted from now on. Good until the frame is done. */
const struct sheet *await_sheet(struct await *, const struct sheet_slot *, uint32_t i);

/* Of a store: a frame begins on this thread, and is done. Which sheets it wants, at most AWAIT_MOST of them; how
   many. */
enum { AWAIT_MOST = 12 };
void await_begin(const struct store *);
/* Has the sheet been got since that frame began? */
bool await_used(const struct store *, uint32_t i);
uint32_t await_end(const struct store *, uint32_t want[AWAIT_MOST]);
/* So often somebody who draws had to do without a sheet so far: what was drawn between two that are equal was whole. */
uint32_t await_missed(const struct store *);

#endif
