/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_PIPELINE_H
#define TTRACE_LOAD_GOTRACE_PIPELINE_H

#include "load/gotrace/event_stream.h"

struct event_orderer;

/* What becomes of a generation that has been said, and where its events go. */
struct event_stream_feed {
	void (*drop)(void *self, struct trace_generation *);	/* frees it when it may */
	void *self;
	struct trace_event *first;	/* NULL, or room for the first events, GO_OUT of them */
	struct event_orderer
	    *order; /* set by event_stream_run(): given room for more whenever something has been said */
};

/* event_stream_read() on the caller's thread alone; the header has been looked at. */
int event_stream_run(struct bytes, const struct event_stream_ops *, void *self, struct event_stream_info *,
    struct err *damage, struct event_stream_feed *);
/* The same with the reading on a thread of its own: callbacks come on the caller's, in order. */
int pipeline_read(struct bytes, const struct event_stream_ops *, void *self, struct event_stream_info *,
    struct err *damage);

#endif
