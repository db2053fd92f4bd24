/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_NOWAIT_H
#define TTRACE_STORE_CACHE_NOWAIT_H

#include "store/store.h"

/*
 * The UI thread does not wait for evicted sheets while it draws: an empty sheet takes their place until the frame is
 * done, and those that were requested are listed afterwards, to be rebuilt in the background. One thread at a time.
 */
struct nowait;
struct nowait *nowait_new(void);
void nowait_free(struct nowait *);

bool nowait_is_drawing(const struct nowait *);	/* true on the thread that draws */
/* Request sheet i and return an empty sheet in its place, which is valid until the frame is done. */
const struct sheet *nowait_stand_in(struct nowait *, const struct sheet_slot *, uint32_t i);

/* Start and end a frame on this thread. nowait_end_frame() returns how many sheets the frame requested, and the first
   NOWAIT_MAX of them. */
enum { NOWAIT_MAX = 12 };
void nowait_begin_frame(const struct store *);
/* Return whether the sheet was used since the frame began. */
bool nowait_sheet_used(const struct store *, uint32_t i);
uint32_t nowait_end_frame(const struct store *, uint32_t want[NOWAIT_MAX]);
/* Return how often frames did without a sheet so far. If the count is the same before and after drawing, nothing was
   missing. */
uint32_t nowait_miss_count(const struct store *);

#endif
