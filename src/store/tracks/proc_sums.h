/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_PROC_SUMS_H
#define TTRACE_STORE_TRACKS_PROC_SUMS_H

#include "store/store.h"

/* Time by state of Ps, and of the first Ms, up to the end of each sheet. One thread adds, others ask meanwhile. */
struct tally;
struct tally *tally_new(void);
void tally_free(struct tally *);			/* NULL: none */
void tally_add(struct tally *, const struct store *, const struct sheet *, uint32_t number);	/* the next one */
/* Which of those a track is; -1: none of them. */
int tally_find(const struct tally *, trk_id);
/* Add what it was in sheets [from, to), of which there are some, in [t0, t1) together. */
void tally_sum(const struct tally *, int which, uint32_t from, uint32_t to, int64_t t0, int64_t t1, int64_t ns[TS__N]);

#endif
