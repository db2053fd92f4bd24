/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_PIPELINE_H
#define TTRACE_LOAD_GOTRACE_PIPELINE_H

#include "load/gotrace/event_stream.h"

struct event_orderer;

/* How a generation is released after its events, and where events are written. */
struct event_stream_feed {
	void (*drop)(void *self, struct trace_generation *);	/* frees it as soon as it is not used any more */
	void *self;
	struct trace_event *first;	/* NULL, or room for the first GO_OUT events */
	/* Set by event_stream_run(). A feed with buffers of its own calls order_set_output() after each delivery. */
	struct event_orderer
	    *order;
};

/* Do event_stream_read() on the caller's thread; the header has been checked. */
int event_stream_run(struct bytes, const struct event_stream_ops *, void *self, struct event_stream_info *,
    struct err *damage, struct event_stream_feed *);
/* The same with the ordering on a second thread. Callbacks are called on the caller's thread, in order. */
int pipeline_read(struct bytes, const struct event_stream_ops *, void *self, struct event_stream_info *,
    struct err *damage);

#endif
