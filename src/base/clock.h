/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CLOCK_H
#define TTRACE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* A monotonic clock, for durations. */
static inline int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t clock_us(void) { return clock_ns() / 1000; }
static inline int64_t clock_ms(void) { return clock_ns() / 1000000; }

#endif
