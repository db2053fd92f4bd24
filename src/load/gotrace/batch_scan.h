/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_BATCH_SCAN_H
#define TTRACE_LOAD_GOTRACE_BATCH_SCAN_H

#include "load/gotrace/wire.h"

/* Walks the heads of a trace's batches without reading what the batches contain. */
struct batch_scanner {
	struct bytes in;
	uint64_t at;		/* offset of the next head */
	uint8_t peek[64];
};

/* Begin a scan after the header of a trace. The input must stay open. */
void batch_scan_begin(struct batch_scanner *, struct bytes);
/* Read the next head into *b and store its offset in *at. b->n is the size that the head states. b->p points to
   the batch's first bytes; at most 64 bytes of head and batch are there, and they are valid until the next call.
   Returns false at the end of the input and at damage. */
bool batch_scan_next(struct batch_scanner *, struct wire_batch *, uint64_t *at);
/* Return the ns of a tick if this batch records the frequency (the first batch of a generation does), else 0. */
double batch_scan_ns_per_tick(const struct wire_batch *);

#endif
