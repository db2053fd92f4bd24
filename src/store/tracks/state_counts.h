/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_STATE_COUNTS_H
#define TTRACE_STORE_TRACKS_STATE_COUNTS_H

#include "store/tracks/sheet_build.h"

/* How many goroutines run, wait, ... while pieces are sealed; one after another. */
struct counting;
struct counting *counting_new(struct store *);		/* whose counts[] it fills */
void counting_free(struct counting *);

/* The counters over a piece, thinned to the extremes of each slot of time. What was only learnt of later (SHEET_PAST)
   holds from its beginning on. Until there has been a goroutine there is nothing to count. */
void counting_piece(struct counting *, const struct sheet_piece *);

#endif
