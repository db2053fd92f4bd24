/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_GOROUTINE_CLASSES_H
#define TTRACE_TRACE_STATS_GOROUTINE_CLASSES_H

#include "trace/stats/goroutine_stats.h"
#include "trace/time_class.h"

/* Add the time of a goroutine by class, in ns, to sum; what is added is g->total in all. A wait counts by its reason
   also if the trace ends in it; TIME_STILL_BLOCKED is the time of goroutines that are blocked for ever. May read the
   sheets of the goroutine. Any thread. */
void goroutine_classes_add(const struct snap *, const struct goroutine_times *g, int64_t sum[TIME_CLASS__N]);

#endif
