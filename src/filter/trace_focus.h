/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TRACE_FOCUS_H
#define TTRACE_FILTER_TRACE_FOCUS_H

#include "base/err.h"
#include "filter/compile.h"
#include "trace/focus.h"

/* Match focus and ignore against the names of a trace. The result is in the arena. *out is NULL if neither is set. Return
   -1 with *e if one is invalid. Any thread. */
int filter_trace_focus(
    const struct snap *, const struct filters *, struct arena *, const struct trace_focus **out, struct err *e);

#endif
