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
struct nowait;
struct nowait *nowait_new(void);
void nowait_free(struct nowait *);

bool nowait_is_drawing(const struct nowait *);	/* is this the thread that draws? */
/* What stands in for sheet i, which is wanted from now on. Good until the frame is done. */
const struct sheet *nowait_stand_in(struct nowait *, const struct sheet_slot *, uint32_t i);

/* Of a store: a frame begins on this thread, and is done. Which sheets it wants, at most NOWAIT_MAX of them; how
   many. */
enum { NOWAIT_MAX = 12 };
void nowait_begin_frame(const struct store *);
/* Has the sheet been got since that frame began? */
bool nowait_sheet_used(const struct store *, uint32_t i);
uint32_t nowait_end_frame(const struct store *, uint32_t want[NOWAIT_MAX]);
/* So often somebody who draws had to do without a sheet so far: what was drawn between two that are equal was whole. */
uint32_t nowait_miss_count(const struct store *);

#endif
