/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_RAN_FUNCTIONS_H
#define TTRACE_TRACE_STATS_RAN_FUNCTIONS_H

#include "trace/filter.h"

/* Return the goroutines that ran a function whose name matches, in the part of the trace that the filter selects, in the
   arena: those with time or CPU samples that trace_weigh() charges to a stack with such a function (TRACE_TIME,
   TRACE_CPU). It is the function itself or one that it called, also while it waited. match() is called once per
   function. *n: their number. Return NULL if the filter's watcher stops it. Any thread. */
uint8_t *trace_gset_ran(const struct snap *, const struct trace_filter *, bool (*match)(void *, const char *name, size_t n),
    void *arg, struct arena *, uint32_t *n);

#endif
