/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_MERGE_H
#define TTRACE_LOAD_GOTRACE_MERGE_H

#include "load/gotrace/order.h"

/* Put the events of a sealed generation in order and say them, after a Sync that opens it. 0: all of
   them, or the consumer stopped (o->stopped). -1: damage, *e; *lost are the bytes of its batches that
   were not reached. */
int merge_generation(struct event_orderer *, struct trace_generation *, uint64_t *lost, struct err *e);

#endif
