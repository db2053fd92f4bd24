/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_GC_TAX_H
#define TTRACE_CRITICAL_GC_TAX_H

#include "critical/path.h"
#include "operations/operations.h"

/* What the GC costs the operations of a kind, on their critical paths: the parts in which the operation, or a goroutine
   that it waits for, marks for the GC before it may allocate, waits for a P on which a mark worker runs, waits for the GC or
   sweeps, or waits while the GC has stopped the world. The first GC_TAX_OF_GC are due to the GC. */
enum gc_tax {
	GC_TAX_ASSIST, GC_TAX_WORKERS, GC_TAX_OTHER, GC_TAX_STOPPED, GC_TAX_OF_GC, GC_TAX_OTHER_STOPS = GC_TAX_OF_GC, GC_TAX__N
};
enum { GC_TAX_WORST = 8 };
struct gc_taxed { int64_t ns; uint32_t at; };	/* at: index of an operation */
struct gc_tax_sum {
	uint64_t n;			/* operations that were walked */
	int64_t time, ns[GC_TAX__N];	/* their durations; the parts */
	struct gc_taxed worst[GC_TAX_WORST];	/* operations with most tax, the most first */
	uint32_t nworst;
};

/* Return the sums by kind of operation, in the arena; with fewer operations, or none, if `on` (may be NULL) stops it. */
struct gc_tax_sum *gc_tax_sums(const struct snap *, const struct operations *, const struct critical_walker *,
    const struct progress_watcher *on, struct arena *);
/* Return the sum of the parts that are due to the GC. */
int64_t gc_tax_total(const struct gc_tax_sum *);

#endif
