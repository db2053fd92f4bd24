/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_TARGET_H
#define TTRACE_CRITICAL_TARGET_H

#include "operations/operations.h"

/*
 * What a critical path can be asked for: an operation, a region, or a time range of a goroutine.
 */
struct critical_target {
	int64_t t0, t1;
	uint64_t id;			/* of an operation: its id; of a region: its row; of a goroutine: its number */
	trk_id g;			/* the goroutine on which it ends */
	uint32_t operation;		/* its index, or OPERATION_NONE */
	bool complete;			/* its start and end are in the trace */
	struct critical_name { const char *s; size_t n; } kind;	/* bytes as in the file */
};

struct critical_target critical_target_of_operation(const struct operations *, uint32_t operation);
/* Return the index of the target that is nearest the 99th percentile of the complete ones; if most of the time is that of
   others, the longest of those; of several the first. n > 0. */
uint32_t critical_target_nearest_p99(const struct critical_target *, uint32_t n);
/* Append "p99 of 1,100" for the rank of a duration among others, from 1 for the shortest; "longest of 24". */
void critical_put_rank(struct buf *, uint32_t rank, uint32_t among);

#endif
