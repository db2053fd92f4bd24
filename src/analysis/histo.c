/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Histograms of durations. A bucket is a power of two cut in 16: below 16 each
 * number has its own, above, the four bits after the leading one choose. So a
 * quantile is off by a sixteenth at most, whatever the range, in 4 kB, and adding
 * costs no search. Sorting all values would be exact and is what reports do; a
 * pane that walks a list of groups wants an answer for each within a keystroke.
 */
#include "config.h"
#include "analysis/histo.h"

#include <math.h>

static int bucket_of(int64_t v)
{
	if (v < HISTO_STEP)
		return v < 0 ? 0 : (int)v;
	int top = 63 - __builtin_clzll((uint64_t)v);	/* 4 .. 62 */
	return (top - 3) * HISTO_STEP + (int)(v >> (top - 4) & (HISTO_STEP - 1));
}

/* The first value of a bucket. */
static int64_t bucket_from(int b)
{
	if (b < HISTO_STEP)
		return b;
	int top = b / HISTO_STEP + 3;
	if (top > 62)
		return INT64_MAX;
	return (int64_t)(HISTO_STEP + b % HISTO_STEP) << (top - 4);
}

void histo_add(struct histo *h, int64_t v)
{
	v = v < 0 ? 0 : v;
	h->min = !h->n || v < h->min ? v : h->min;
	h->max = v > h->max ? v : h->max;
	h->sum = v > INT64_MAX - h->sum ? INT64_MAX : h->sum + v;
	h->n++;
	h->bucket[bucket_of(v)]++;
}

int64_t histo_quantile(const struct histo *h, double q)
{
	if (!h->n)
		return 0;
	uint64_t want = (uint64_t)ceil(q * (double)h->n), sum = 0;
	want = want < 1 ? 1 : want > h->n ? h->n : want;
	for (int b = 0; b < HISTO_N; b++) {
		sum += h->bucket[b];
		if (sum < want)
			continue;
		int64_t end = bucket_from(b + 1), v = end == INT64_MAX ? end : end - 1;
		return v < h->min ? h->min : v > h->max ? h->max : v;
	}
	return h->max;
}

uint64_t histo_between(const struct histo *h, int64_t a, int64_t b)
{
	uint64_t sum = 0;
	for (int k = 0; k < HISTO_N; k++)
		if (bucket_from(k) >= a && bucket_from(k) < b)
			sum += h->bucket[k];
	return sum;
}

void histo_columns(const struct histo *h, int64_t lo, int64_t hi, int n, uint64_t *out)
{
	double from = log((double)(lo < 1 ? 1 : lo)), to = log((double)(hi < 2 ? 2 : hi));
	for (int i = 0; i < n; i++)
		out[i] = 0;
	for (int k = 0; k < HISTO_N && n > 0; k++) {
		if (!h->bucket[k])
			continue;
		int64_t v = bucket_from(k);
		double at = to > from && v > 0 ? (log((double)v) - from) / (to - from) * n : 0;
		out[at < 0 ? 0 : at >= n ? n - 1 : (int)at] += h->bucket[k];
	}
}
