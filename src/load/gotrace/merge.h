/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_MERGE_H
#define TTRACE_LOAD_GOTRACE_MERGE_H

#include "load/gotrace/order.h"

/* Deliver the events of a sealed generation in order, after a Sync that opens it. Returns 0 if all were delivered
   or the consumer stopped (o->stopped). Returns -1 for damage, *e; then *lost is the number of bytes of its
   batches that were not read. */
int merge_generation(struct event_orderer *, struct trace_generation *, uint64_t *lost, struct err *e);

#endif
