/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CROWD_H
#define TTRACE_CROWD_H

#include "store/store.h"

/*
 * How many goroutines wait for a P at any time, as an integral: what one P's
 * share of all that waiting is, from one moment to another.
 */
struct crowd;
struct crowd *crowd_new(const struct snap *);
void crowd_add(struct crowd *, int64_t t0, int64_t t1);	/* one waits from t0 to t1 */
void crowd_done(struct crowd *);			/* all have been said */
int64_t crowd_between(const struct crowd *, int64_t t0, int64_t t1);
/* The whole share of P number id, of the time that there was such a P. */
int64_t crowd_share(const struct crowd *, uint64_t id);
void crowd_free(struct crowd *);

#endif
