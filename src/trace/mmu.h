/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_MMU_H
#define TTRACE_TRACE_MMU_H

#include "base/mem/mem.h"
#include "store/store.h"

/*
 * Mutator utilisation: the share of the Ps that the garbage collector leaves to
 * the program; over windows of a given length its minimum, quantiles and worst
 * places. As `go tool trace` draws it.
 */
enum { MMU_STW = 1, MMU_BACKGROUND = 2, MMU_ASSIST = 4, MMU_SWEEP = 8, MMU_PER_PROC = 16,
	MMU_EXACT = 32 };	/* without the oddities of the reference: see mmu.c */

struct mmu_series {		/* steps: util[i] from t[i] to t[i + 1]; the last entry is the end */
	uint32_t n, proc;
	int64_t *t;
	double *util, *sum;	/* sum[i]: the integral up to t[i] */
};
struct mmu { uint32_t n; struct mmu_series *s; };	/* one series, or one for each P */

/* Make the utilisation of the whole trace in the arena; flags: what counts as taken from the program. n is 0 if nothing
   is known. */
struct mmu *mmu_new(const struct snap *, unsigned flags, struct arena *);
/* Return the part in [t0, t1), which is inside the trace. */
struct mmu *mmu_cut(const struct mmu *, int64_t t0, int64_t t1, struct arena *);
/* Return the lowest mean utilisation of all windows of that many ns; 1 if there is no series. */
double mmu_min(const struct mmu *, int64_t window);
/* Return the utilisation that a share q of all windows does not exceed; q 0 is the minimum. */
double mmu_quantile(const struct mmu *, int64_t window, double q);
struct mmu_window { int64_t t0; double util; uint32_t proc; };
/* Find the worst windows that do not overlap (within a series), worst first. Return their number, at most n. */
uint32_t mmu_worst(const struct mmu *, int64_t window, uint32_t n, struct mmu_window *out);
enum { MMU_PLOT = 100 };
/* Set the windows of the reference's plot: 100, evenly on a logarithmic scale. */
void mmu_plot(const struct mmu *, int64_t window[MMU_PLOT]);

#endif
