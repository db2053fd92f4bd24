/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_HISTOGRAM_H
#define TTRACE_TRACE_STATS_HISTOGRAM_H

#include <stdint.h>

/* How long things take: durations counted in buckets that grow with them, for pictures. Zero-initialise. */
enum { HISTO_STEP = 16, HISTO_N = 61 * HISTO_STEP, HISTO_ROWS = 38 };
struct histo {
	uint64_t n;
	int64_t min, max;		/* of what was added */
	uint32_t bucket[HISTO_N];
	uint32_t row[HISTO_ROWS];	/* exact: durations in [histo_row_from(i), histo_row_from(i + 1)) */
};
void histo_add(struct histo *, int64_t ns);	/* less than 0 counts as 0 */
/* Where row i begins: 0, 3, 10, 30, 100 ... ns; INT64_MAX from HISTO_ROWS on. */
int64_t histo_row_from(int i);
/* n columns, evenly on a logarithmic scale of [lo, hi): how many in each, to the border of a bucket. What lies outside
   goes to the first and the last. */
void histo_columns(const struct histo *, int64_t lo, int64_t hi, int n, uint64_t *out);

#endif
