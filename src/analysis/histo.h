/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_HISTO_H
#define TTRACE_HISTO_H

#include <stdint.h>

/* How long things take: durations counted in buckets that grow with them. Zero-initialise. */
enum { HISTO_STEP = 16, HISTO_N = 61 * HISTO_STEP };
struct histo {
	uint64_t n;
	int64_t min, max, sum;		/* of what was added */
	uint32_t bucket[HISTO_N];
};
void histo_add(struct histo *, int64_t ns);	/* less than 0 counts as 0 */
/* The value that a share q of them does not exceed: at most 1/16 above it, never outside [min, max];
   0 when there are none. */
int64_t histo_quantile(const struct histo *, double q);
/* How many lie in [a, b), to the border of a bucket. */
uint64_t histo_between(const struct histo *, int64_t a, int64_t b);
/* n columns, evenly on a logarithmic scale of [lo, hi): how many in each. What lies outside goes
   to the first and the last. */
void histo_columns(const struct histo *, int64_t lo, int64_t hi, int n, uint64_t *out);

#endif
