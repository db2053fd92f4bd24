/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_CACHE_ACTIVITY_BITS_H
#define TTRACE_STORE_CACHE_ACTIVITY_BITS_H

#include "store/store.h"

/* How a track goes through a sheet, in two bits: */
enum still { STILL_ABSENT, STILL_SAME /* one piece, which goes on from the sheet before */, STILL_MOVES };

/* That of all tracks through all sheets (sheet_still()). One thread adds, others look meanwhile. */
struct stills;
struct stills *stills_new(void);
void stills_free(struct stills *);
/* Of one more sheet; NULL: it is not kept. */
const struct still_blocks *stills_add(struct stills *, const struct sheet *);
void stills_rest(struct stills *);	/* they are not looked at for now */

#endif
