/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_RUN_QUEUE_H
#define TTRACE_TRACE_RUN_QUEUE_H

#include "store/store.h"

/*
 * The integral of the number of goroutines that wait for a P: one P's share of all that waiting,
 * between two times. It is built sheet by sheet: add all waits within a sheet, then end the
 * sheet; until the waits of the next sheet are added, its times can be queried.
 */
struct run_queue_sum;
/* proc: the number of a P whose total share is summed up, or UINT64_MAX. */
struct run_queue_sum *run_queue_new(const struct snap *, uint64_t proc);
/* one goroutine waits from t0 to t1, in this sheet */
void run_queue_add_wait(struct run_queue_sum *, int64_t t0, int64_t t1);
/* End a sheet, after all waits in it were added, including those that continue in the next. */
void run_queue_end_sheet(struct run_queue_sum *, int64_t end);
/* Return one P's share from the start to a time of the sheet, and between two times. */
int64_t run_queue_share_until(struct run_queue_sum *, int64_t t);
int64_t run_queue_share_between(struct run_queue_sum *, int64_t t0, int64_t t1);
/* Return the total share of the P given to run_queue_new(), so far, while there were enough Ps for its number. */
int64_t run_queue_proc_share(const struct run_queue_sum *);
void run_queue_free(struct run_queue_sum *);

#endif
