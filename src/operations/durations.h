/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_OPERATIONS_DURATIONS_H
#define TTRACE_OPERATIONS_DURATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Quantiles of durations, exact, and which of them are slow. */
struct durations {
	uint32_t n;			/* of those that are not TIME_NONE; 0: all else is 0, but slow_from */
	int64_t p50, p90, p99, max;
	/* Slow are those of at least slow_from (INT64_MAX: none): from the first slow one of task_filter_slow() on. But equal
	   durations are all slow, or none is. */
	int64_t slow_from;
	uint32_t nslow;
	bool gap;
};

/* Set ns[] to n durations, from number i on; n is at most DURATIONS_AT_ONCE. */
typedef void durations_fn(const void *arg, uint32_t i, uint32_t n, int64_t *ns);
enum { DURATIONS_AT_ONCE = 256 };
/* Measure n durations. The function is called twice for each; TIME_NONE does not count. Any thread. */
struct durations durations_measure(durations_fn *, const void *arg, uint32_t n);

#endif
