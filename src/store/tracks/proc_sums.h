/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_PROC_SUMS_H
#define TTRACE_STORE_TRACKS_PROC_SUMS_H

#include "store/store.h"

/* Time by state of Ps, and of the first Ms, up to the end of each sheet. One thread adds, others ask meanwhile. */
struct proc_sums;
struct proc_sums *proc_sums_new(void);
void proc_sums_free(struct proc_sums *);			/* NULL: none */
/* The next one. */
void proc_sums_add_sheet(struct proc_sums *, const struct store *, const struct sheet *, uint32_t number);
/* Which of those a track is; -1: none of them. */
int proc_sums_find(const struct proc_sums *, trk_id);
/* Add what it was in sheets [from, to), of which there are some, in [t0, t1) together. */
void proc_sums_sum(
    const struct proc_sums *, int which, uint32_t from, uint32_t to, int64_t t0, int64_t t1, int64_t ns[TS__N]);

#endif
