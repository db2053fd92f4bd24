/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_STATE_COUNTS_H
#define TTRACE_STORE_TRACKS_STATE_COUNTS_H

#include "store/tracks/sheet_build.h"

/* How many goroutines run, wait, ... while pieces are sealed; one after another. */
struct tracks_counter;
struct tracks_counter *tracks_counter_new(struct store *);		/* whose counts[] it fills */
void tracks_counter_free(struct tracks_counter *);

/* The counters over a piece, thinned to the extremes of each slot of time. What was only learnt of later (SHEET_PAST)
   holds from its beginning on. Until there has been a goroutine there is nothing to count. */
void tracks_counter_add_batch(struct tracks_counter *, const struct sheet_batch *);

#endif
