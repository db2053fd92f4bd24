/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_RUN_QUEUE_H
#define TTRACE_TRACE_RUN_QUEUE_H

#include "store/store.h"

/*
 * How many goroutines wait for a P at any time, as an integral: what one P's share of all that
 * waiting is, from one moment to another. It goes along with the sheets: of one after another all
 * that wait in it are said, then the sheet, and until the next is said one may ask for its times.
 */
struct run_queue_sum;
/* proc: the number of a P whose whole share is to be added up, or UINT64_MAX. */
struct run_queue_sum *run_queue_new(const struct snap *, uint64_t proc);
void run_queue_add_wait(struct run_queue_sum *, int64_t t0, int64_t t1); /* one waits from t0 to t1, in this sheet */
/* All of it have been said, that go on in the next one too. */
void run_queue_end_sheet(struct run_queue_sum *, int64_t end);
/* One P's share from the beginning to a time of the sheet. */
int64_t run_queue_share_until(const struct run_queue_sum *, int64_t t);
int64_t run_queue_share_between(const struct run_queue_sum *, int64_t t0, int64_t t1);
/* The share of that P, as far as it was said, of the time that there was such a P. */
int64_t run_queue_proc_share(const struct run_queue_sum *);
void run_queue_free(struct run_queue_sum *);

#endif
