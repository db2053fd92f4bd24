/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_PIPELINE_H
#define TTRACE_LOAD_GOTRACE_PIPELINE_H

#include "load/gotrace/event_stream.h"

struct goorder;

/* What becomes of a generation that has been said, and where its events go. */
struct tev_feed {
	void (*drop)(void *self, struct tgen *);	/* frees it when it may */
	void *self;
	struct tev *first;	/* NULL, or room for the first events, GO_OUT of them */
	struct goorder *order;	/* set by tev_run(): given room for more whenever something has been said */
};

/* tev_read() on the caller's thread alone; the header has been looked at. */
int tev_run(struct bytes, const struct tev_ops *, void *self, struct tstream_info *, struct err *damage,
    struct tev_feed *);
/* The same with the reading on a thread of its own: callbacks come on the caller's, in order. */
int tevpipe_read(struct bytes, const struct tev_ops *, void *self, struct tstream_info *,
    struct err *damage);

#endif
