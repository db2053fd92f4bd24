/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TEVPIPE_H
#define TTRACE_TEVPIPE_H

#include "load/tev.h"

/* When a generation has been said it goes to drop(), which frees it when it may. */
typedef void tev_drop(void *dropper, struct tgen *);

/* tev_read() on the caller's thread alone; the header has been looked at. */
int tev_run(struct bytes, const struct tev_ops *, void *self, struct tstream_info *, struct err *damage,
    tev_drop *, void *dropper);
/* The same with the reading on a thread of its own: callbacks come on the caller's, in order. */
int tevpipe_read(struct bytes, const struct tev_ops *, void *self, struct tstream_info *,
    struct err *damage);

#endif
