/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_HISTOGRAM_H
#define TTRACE_TRACE_STATS_HISTOGRAM_H

#include <stdint.h>

/* How long things take: durations counted in buckets that grow with them, for pictures. Zero-initialise. */
enum { HISTOGRAM_STEP = 16, HISTOGRAM_N = 61 * HISTOGRAM_STEP, HISTOGRAM_ROWS = 38 };
struct duration_histogram {
	uint64_t n;
	int64_t min, max;		/* of what was added */
	uint32_t bucket[HISTOGRAM_N];
	uint32_t row[HISTOGRAM_ROWS];	/* exact: durations in [histogram_row_start(i), histogram_row_start(i + 1)) */
};
void histogram_add(struct duration_histogram *, int64_t ns);	/* less than 0 counts as 0 */
/* Where row i begins: 0, 3, 10, 30, 100 ... ns; INT64_MAX from HISTOGRAM_ROWS on. */
int64_t histogram_row_start(int i);
/* n columns, evenly on a logarithmic scale of [lo, hi): how many in each, to the border of a bucket. What lies outside
   goes to the first and the last. */
void histogram_columns(const struct duration_histogram *, int64_t lo, int64_t hi, int n, uint64_t *out);

#endif
