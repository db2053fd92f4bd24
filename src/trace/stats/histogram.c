/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Histograms of durations, for drawing. A bucket is a power of two divided by 16: below 16 each number has its own
 * bucket, above that the four bits after the leading one select it. So a duration is drawn at most a sixteenth
 * away from its value, over the whole range, in 4 kB, and adding one takes no search.
 *
 * Counts that are printed come from separate rows, two a decade, which are exact. Quantiles do not come from a
 * histogram: stats_spread() computes them from the durations themselves.
 */
#include "config.h"
#include "trace/stats/histogram.h"

#include <math.h>

static int bucket_of(int64_t v)
{
	if (v < HISTOGRAM_STEP)
		return v < 0 ? 0 : (int)v;
	int top = 63 - __builtin_clzll((uint64_t)v);	/* 4 .. 62 */
	return (top - 3) * HISTOGRAM_STEP + (int)(v >> (top - 4) & (HISTOGRAM_STEP - 1));
}

/* Return the first value of a bucket. */
static int64_t bucket_from(int b)
{
	if (b < HISTOGRAM_STEP)
		return b;
	int top = b / HISTOGRAM_STEP + 3;
	if (top > 62)
		return INT64_MAX;
	return (int64_t)(HISTOGRAM_STEP + b % HISTOGRAM_STEP) << (top - 4);
}

int64_t histogram_row_start(int i)
{
	int64_t d = i % 2 ? 3 : 1;
	if (i >= HISTOGRAM_ROWS)
		return INT64_MAX;
	for (int k = i / 2; k > 0; k--)
		d *= 10;
	return i ? d : 0;
}

/* Return the last row that starts at or before v. */
static int row_of(int64_t v)
{
	int64_t d = 1;
	int i = 0;
	while (i + 2 < HISTOGRAM_ROWS && v / 10 >= d) {
		d *= 10;
		i += 2;
	}
	return i + (v / 3 >= d);
}

void histogram_add(struct duration_histogram *h, int64_t v)
{
	v = v < 0 ? 0 : v;
	h->min = !h->n || v < h->min ? v : h->min;
	h->max = v > h->max ? v : h->max;
	h->n++;
	h->bucket[bucket_of(v)]++;
	h->row[row_of(v)]++;
}

void histogram_columns(const struct duration_histogram *h, int64_t lo, int64_t hi, int n, uint64_t *out)
{
	double from = log((double)(lo < 1 ? 1 : lo)), to = log((double)(hi < 2 ? 2 : hi));
	for (int i = 0; i < n; i++)
		out[i] = 0;
	for (int k = 0; k < HISTOGRAM_N && n > 0; k++) {
		if (!h->bucket[k])
			continue;
		int64_t v = bucket_from(k);
		double at = to > from && v > 0 ? (log((double)v) - from) / (to - from) * n : 0;
		out[at < 0 ? 0 : at >= n ? n - 1 : (int)at] += h->bucket[k];
	}
}
