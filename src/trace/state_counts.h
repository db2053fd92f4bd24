/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATE_COUNTS_H
#define TTRACE_TRACE_STATE_COUNTS_H

#include "store/store.h"

/* Goroutines by state, counted exactly: at the end of each step of a time, just before the next begins, and how many
   were runnable at most in it. */
enum state_counts_kind {
	STATE_COUNT_RUNNABLE,
	STATE_COUNT_RUNNING,
	STATE_COUNT_WAITING,
	STATE_COUNT_SYSCALL,
	STATE_COUNT__N
};
struct state_count { uint64_t n[STATE_COUNT__N], runnable_max; };

/* n steps from t0 on. Every sheet in which they lie is walked once, in order, and those in which goroutines were first
   heard of that had been there before. */
void state_counts_compute(const struct snap *, int64_t t0, int64_t step, uint32_t n, struct state_count *out);

#endif
