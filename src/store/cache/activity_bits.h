/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_ACTIVITY_BITS_H
#define TTRACE_STORE_CACHE_ACTIVITY_BITS_H

#include "store/store.h"

/* How a track goes through a sheet, in two bits: */
enum activity {
	ACTIVITY_ABSENT,
	ACTIVITY_UNCHANGED /* one piece, which goes on from the sheet before */,
	ACTIVITY_CHANGES
};

/* That of all tracks through all sheets (activity_of_track()). One thread adds, others look meanwhile. */
struct activity_map;
struct activity_map *activity_new(void);
void activity_free(struct activity_map *);
/* Of one more sheet; NULL: it is not kept. */
const struct activity_blocks *activity_add_sheet(struct activity_map *, const struct sheet *);
void activity_release_pages(struct activity_map *);	/* they are not looked at for now */

#endif
