/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATE_COUNTS_H
#define TTRACE_TRACE_STATE_COUNTS_H

#include "store/store.h"

/* Numbers of goroutines by state, exact: at the end of each step of a time range, just before the next step, and the
   maximum of runnable ones within the step. */
enum state_counts_kind {
	STATE_COUNT_RUNNABLE,
	STATE_COUNT_RUNNING,
	STATE_COUNT_WAITING,
	STATE_COUNT_SYSCALL,
	STATE_COUNT__N
};
struct state_count { uint64_t n[STATE_COUNT__N], runnable_max; };

/* Compute n steps from t0 on. Each sheet that overlaps them is walked once, in order, and also those with the first
   event of goroutines that existed before it. */
void state_counts_compute(const struct snap *, int64_t t0, int64_t step, uint32_t n, struct state_count *out);

#endif
