/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_OUTLINE_H
#define TTRACE_LOAD_GOTRACE_OUTLINE_H

#include "load/load.h"

/* The outline of a trace from the heads of its batches. outline_new() emits what it finds within OUTLINE_NS and returns
   NULL for a small file or a trace without batches; outline_step() continues and emits now and then. */
struct outline *outline_new(struct bytes, struct sink *);
void outline_step(struct outline *, struct sink *);
void outline_free(struct outline *);

#endif
