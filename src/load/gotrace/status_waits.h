/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_STATUS_WAITS_H
#define TTRACE_LOAD_GOTRACE_STATUS_WAITS_H

#include "load/gotrace/event_stream.h"
#include "sink_trace.h"

/* Return the state of a goroutine that waits with this stack; TS_UNKNOWN: the stack does not tell, or there is none.
   *skip: how many of its innermost frames an event that blocks a goroutine does not have, fewer than all. */
enum tstate status_waits_state(const struct trace_generation *, uint32_t stack, uint32_t *skip);

#endif
