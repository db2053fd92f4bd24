/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_BATCH_SCAN_H
#define TTRACE_LOAD_GOTRACE_BATCH_SCAN_H

#include "load/gotrace/wire.h"

/* From head to head of a trace's batches, without what is in them. */
struct batch_scanner {
	struct bytes in;
	uint64_t at;		/* where the next head is */
	uint8_t peek[64];
};

void batch_scan_begin(struct batch_scanner *, struct bytes);
/* The next one, which begins at *at. n is what it says to have; at p is its beginning, good until the next, if that is
   there. false: the input ends here, or is damaged. */
bool batch_scan_next(struct batch_scanner *, struct wire_batch *, uint64_t *at);
/* ns of a tick, where that batch says so (the first of its generation does); 0. */
double batch_scan_ns_per_tick(const struct wire_batch *);

#endif
