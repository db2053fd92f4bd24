/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_FILTER_STATES_H
#define TTRACE_TRACE_FILTER_STATES_H

#include "trace/filter.h"

/* Sum ns by state of all that a filter selects: of goroutines, or of its slices. */
void trace_filter_states(const struct snap *, const struct trace_filter *, int64_t ns[TS__N]);
/* Estimate the same from a few sheets, fast: to compare two filters on one snapshot. */
void trace_filter_states_approx(const struct snap *, const struct trace_filter *, int64_t ns[TS__N]);

#endif
