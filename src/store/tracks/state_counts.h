/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_STATE_COUNTS_H
#define TTRACE_STORE_TRACKS_STATE_COUNTS_H

#include "store/tracks/sheet_build.h"

/* Counts goroutines by class of state over batches, which are added one after another. */
struct tracks_counter;
struct tracks_counter *tracks_counter_new(struct store *);		/* fills the store's counts[] and late_counts[] */
void tracks_counter_free(struct tracks_counter *);

/* Add the counts of a batch, thinned to the extremes of each slot of time. A state that was learned later (SHEET_PAST)
   counts from the start of the batch; the store's late_counts[] have what is missing before. Adds nothing before the
   first goroutine. */
void tracks_counter_add_batch(struct tracks_counter *, const struct sheet_batch *);

#endif
