/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The distribution of durations for a histogram of any width. A first pass counts durations by octave and sixteenth of an
 * octave, which is enough to find the duration that one in a thousand does not reach; a second pass counts in the bins
 * between that and the longest one. So durations of 36 to 38 ms fill the histogram as those of 1 us to 10 s do. Sorting
 * them would give any resolution, but takes much longer, and a screen has no more cells.
 */
#include "config.h"
#include "operations/latency.h"

#include <math.h>
#include <string.h>

enum { BATCH = 1024, PARTS = 16, COARSE = 64 * PARTS, WIDE = 4 };

static int coarse_bin(int64_t ns)
{
	int i = ns < 1 ? 0 : (int)(log2((double)ns) * PARTS);
	return i < COARSE ? i : COARSE - 1;
}

/* Insert an operation if it is among the slowest; ns[]: their durations. */
static void note_slow(struct operation_latency *l, int64_t *slow, uint32_t i, int64_t ns)
{
	uint32_t at = l->nslowest < LATENCY_SLOWEST ? l->nslowest : LATENCY_SLOWEST - 1;
	if (l->nslowest == LATENCY_SLOWEST && ns <= slow[at])
		return;
	for (; at && slow[at - 1] < ns; at--) {
		slow[at] = slow[at - 1];
		l->slowest[at] = l->slowest[at - 1];
	}
	slow[at] = ns;
	l->slowest[at] = i;
	l->nslowest += l->nslowest < LATENCY_SLOWEST;
}

/* Call once for each complete operation: the first pass if coarse is not NULL, else the second. */
static void pass_over(const struct operations *o, uint32_t kind, struct operation_latency *l, uint32_t *coarse, int64_t *slow)
{
	int64_t ns[BATCH];
	uint32_t all = o->kind[kind].n;
	for (uint32_t from = 0; from < all; from += BATCH) {
		uint32_t n = all - from < BATCH ? all - from : BATCH;
		operations_durations(o, kind, from, n, ns);
		for (uint32_t i = 0; i < n; i++) {
			if (ns[i] == TIME_NONE)
				continue;
			if (coarse) {
				l->all++;
				coarse[coarse_bin(ns[i])]++;
				l->lo = ns[i] < l->lo ? ns[i] : l->lo;
				l->hi = ns[i] > l->hi ? ns[i] : l->hi;
				note_slow(l, slow, from + i, ns[i]);
			} else if (ns[i] >= l->lo) {
				int bin = (int)(operation_latency_position(l, ns[i]) * LATENCY_BINS);
				l->count[bin < LATENCY_BINS ? bin : LATENCY_BINS - 1]++;
			}
		}
	}
}

void operations_latency(const struct operations *o, uint32_t kind, struct operation_latency *l)
{
	uint32_t coarse[COARSE] = {0}, below = 0;
	int64_t slow[LATENCY_SLOWEST];
	*l = (struct operation_latency){.lo = INT64_MAX};
	pass_over(o, kind, l, coarse, slow);
	if (!l->all) {
		l->lo = 0;
		return;
	}
	for (int i = 0; i < COARSE && below + coarse[i] <= l->all / 1000; below += coarse[i++]) {
		int64_t edge = (int64_t)exp2((double)(i + 1) / PARTS);
		l->lo = edge > l->lo ? edge : l->lo;
	}
	l->lo = l->lo < l->hi ? l->lo : l->hi;
	l->log = l->lo > 0 && l->hi / l->lo >= WIDE;
	pass_over(o, kind, l, NULL, NULL);
}

double operation_latency_position(const struct operation_latency *l, int64_t ns)
{
	if (ns <= l->lo || l->hi <= l->lo)
		return 0;
	if (ns >= l->hi)
		return 1;
	if (l->log)
		return log((double)ns / (double)l->lo) / log((double)l->hi / (double)l->lo);
	return (double)(ns - l->lo) / (double)(l->hi - l->lo);
}

int64_t operation_latency_at(const struct operation_latency *l, double position)
{
	if (l->log)
		return (int64_t)((double)l->lo * pow((double)l->hi / (double)l->lo, position));
	return l->lo + (int64_t)((double)(l->hi - l->lo) * position);
}

int64_t operation_latency_quantile(const struct operation_latency *l, double part)
{
	uint32_t above = 0;
	int bin = LATENCY_BINS;
	while (bin > 0 && above + l->count[bin - 1] <= (1 - part) * l->all)
		above += l->count[--bin];
	return operation_latency_at(l, (double)bin / LATENCY_BINS);
}
