/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATE_COUNTS_H
#define TTRACE_TRACE_STATE_COUNTS_H

#include "store/store.h"

/* Goroutines by state, counted exactly: at the end of each step of a time, just before the next begins, and how many
   were runnable at most in it. */
enum census_of { CENSUS_RUNNABLE, CENSUS_RUNNING, CENSUS_WAITING, CENSUS_SYSCALL, CENSUS__N };
struct census { uint64_t n[CENSUS__N], runnable_max; };

/* n steps from t0 on. Every sheet in which they lie is walked once, in order, and those in which goroutines were first
   heard of that had been there before. */
void census_take(const struct snap *, int64_t t0, int64_t step, uint32_t n, struct census *out);

#endif
