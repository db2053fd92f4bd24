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
struct crowd;
/* proc: the number of a P whose whole share is to be added up, or UINT64_MAX. */
struct crowd *crowd_new(const struct snap *, uint64_t proc);
void crowd_add(struct crowd *, int64_t t0, int64_t t1);	/* one waits from t0 to t1, in this sheet */
void crowd_sheet(struct crowd *, int64_t end);		/* all of it have been said, that go on in the next one too */
int64_t crowd_upto(const struct crowd *, int64_t t);	/* one P's share from the beginning to a time of the sheet */
int64_t crowd_between(const struct crowd *, int64_t t0, int64_t t1);
/* The share of that P, as far as it was said, of the time that there was such a P. */
int64_t crowd_share(const struct crowd *);
void crowd_free(struct crowd *);

#endif
