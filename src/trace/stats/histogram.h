/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_HISTOGRAM_H
#define TTRACE_TRACE_STATS_HISTOGRAM_H

#include <stdint.h>

/* Durations counted in buckets whose width grows with them, for drawing. Zero-initialise. */
enum { HISTOGRAM_STEP = 16, HISTOGRAM_N = 61 * HISTOGRAM_STEP, HISTOGRAM_ROWS = 38 };
struct duration_histogram {
	uint64_t n;
	int64_t min, max;		/* of the values added */
	uint32_t bucket[HISTOGRAM_N];
	uint32_t row[HISTOGRAM_ROWS];	/* exact: durations in [histogram_row_start(i), histogram_row_start(i + 1)) */
};
void histogram_add(struct duration_histogram *, int64_t ns);	/* negative values count as 0 */
/* Return the start of row i: 0, 3, 10, 30, 100 ... ns; INT64_MAX from HISTOGRAM_ROWS on. */
int64_t histogram_row_start(int i);
/* Count the durations in n columns on a logarithmic scale of [lo, hi), to the precision of a bucket. Durations outside
   are counted in the first and the last column. */
void histogram_columns(const struct duration_histogram *, int64_t lo, int64_t hi, int n, uint64_t *out);

#endif
