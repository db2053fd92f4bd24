/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_WAIT_BEFORE_H
#define TTRACE_TRACE_WAIT_BEFORE_H

#include "trace/bins.h"

/*
 * The wait in which a goroutine was when the recording began. The file has no state and reason for it, only a stack from
 * which the reader derives them (load/gotrace/status_waits.c). Numbers that are compared with those of the reference do
 * not use what is derived. When it began is not known: before the trace.
 */

/* The text for such a wait, in place of the time at which it began. */
#define TRACE_BEFORE "since before the trace"
/* Return whether a wait that begins at t, as far as sheets show, began before the trace. Cheap. */
bool trace_began_before(const struct snap *, trk_id g, int64_t t);
/* Does interval i of a row only continue the one before it? The status of a goroutine that waits since before the trace
   begins an interval that does, also if it is the first one of a sheet. */
bool trace_interval_continues(const struct snap *, const struct sheet *, uint32_t row, uint32_t i);
/* Was the goroutine waiting at t, and since before the trace? t: the start of an interval of it. */
bool trace_waits_before(const struct snap *, trk_id g, int64_t t);
/* Return when a wait began that begins at t as far as sheets show: the start of the trace if it was before. */
static inline int64_t trace_wait_start(const struct snap *sn, trk_id g, int64_t t)
{
	return trace_began_before(sn, g, t) ? store_trk(sn->st, g)->t0 : t;
}
/* Return when interval i of a row starts: the first one of a goroutine, if it is such a wait, at the start of the trace,
   which no sheet may have. */
int64_t trace_interval_start(const struct snap *, const struct sheet *, uint32_t row, uint32_t i);
/* Find that wait of a goroutine, with the start of the trace as its begin. Return false if it did not wait, or if
   what it waited for is not known. */
bool trace_wait_before(const struct snap *, trk_id g, struct trace_interval *);

#endif
