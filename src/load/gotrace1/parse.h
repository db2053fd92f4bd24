/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE1_PARSE_H
#define TTRACE_LOAD_GOTRACE1_PARSE_H

#include "load/gotrace/order.h"

/* Read a trace of Go 1.5 to 1.21, version 1 of the format: parse its events, order them, and emit them as events of
   version 2. The caller frees *gen, the strings and stacks of the whole trace. Returns 0 (then *damage and *lost
   describe what is missing), or -1 if nothing is readable. */
int gotrace1_read(struct bytes in, int version, struct event_orderer *o, struct trace_generation **gen, uint64_t *lost,
    struct err *damage);

#endif
