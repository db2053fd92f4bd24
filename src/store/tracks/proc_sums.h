/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STORE_TRACKS_PROC_SUMS_H
#define TTRACE_STORE_TRACKS_PROC_SUMS_H

#include "store/store.h"

/* Time by state of Ps, and of the first Ms, up to the end of each sheet. One thread adds sheets; others may read
   meanwhile. */
struct proc_sums;
struct proc_sums *proc_sums_new(void);
void proc_sums_free(struct proc_sums *);			/* NULL is allowed */
/* Add the next sheet, which has that number. */
void proc_sums_add_sheet(struct proc_sums *, const struct store *, const struct sheet *, uint32_t number);
/* Return the index of a track for proc_sums_sum(), or -1 when its sums are not kept. */
int proc_sums_find(const struct proc_sums *, trk_id);
/* Add the time by state in sheets [from, to), at least one, which together cover [t0, t1). Times in ns. */
void proc_sums_sum(
    const struct proc_sums *, int which, uint32_t from, uint32_t to, int64_t t0, int64_t t1, int64_t ns[TS__N]);

#endif
