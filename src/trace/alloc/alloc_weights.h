/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_ALLOC_ALLOC_WEIGHTS_H
#define TTRACE_TRACE_ALLOC_ALLOC_WEIGHTS_H

#include "trace/as_profile.h"

/* Compute the weights of TRACE_ALLOC, whose arrays are zero. The filter may be NULL. */
void alloc_weights(const struct snap *, const struct trace_filter *, struct trace_weights *);

#endif
