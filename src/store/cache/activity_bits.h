/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_ACTIVITY_BITS_H
#define TTRACE_STORE_CACHE_ACTIVITY_BITS_H

#include "store/store.h"

/* What a track does in a sheet, in two bits. */
enum activity {
	ACTIVITY_ABSENT,
	ACTIVITY_UNCHANGED /* one interval, which continues from the previous sheet */,
	ACTIVITY_CHANGES
};

/* The activity of all tracks in all sheets; activity_of_track() reads it. One thread adds; others may read
   meanwhile. */
struct activity_map;
struct activity_map *activity_new(void);
void activity_free(struct activity_map *);
/* Add a sheet. Return NULL if its map would be too large to keep. */
const struct activity_blocks *activity_add_sheet(struct activity_map *, const struct sheet *);

#endif
