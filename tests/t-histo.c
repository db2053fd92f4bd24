/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Histograms against the sorted numbers themselves: a quantile is never below
 * the exact one and at most a sixteenth above it, nothing that was added is lost
 * from the columns, whatever their scale.
 */
#include "config.h"
#include "analysis/histo.h"

#include "tap.h"

#include <string.h>

enum { N = 2000 };

static uint64_t seed = 7;
static uint64_t rnd(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 17;
}

static int cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void check(int64_t *v, int n)
{
	static const double q[] = {0.01, 0.25, 0.50, 0.95, 0.99, 1};
	static struct histo h;
	uint64_t col[37], sum = 0;
	memset(&h, 0, sizeof h);
	for (int i = 0; i < n; i++)
		histo_add(&h, v[i]);
	qsort(v, (size_t)n, sizeof *v, cmp);
	for (int k = 0; k < 6; k++) {
		int64_t got = histo_quantile(&h, q[k]);
		uint64_t below = 0;
		for (int i = 0; i < n; i++)
			below += v[i] <= got;
		OK((double)below >= q[k] * n);
		int i = (int)(q[k] * n);
		int64_t exact = v[i < n ? i : n - 1];
		OK(got - exact <= exact / 16 + 1);
		OK(got >= v[0] && got <= v[n - 1]);
	}
	histo_columns(&h, v[0], v[n - 1] / 2, 37, col);
	for (int i = 0; i < 37; i++)
		sum += col[i];
	OK(sum == (uint64_t)n && h.n == (uint64_t)n);
	OK(histo_between(&h, 0, INT64_MAX) == (uint64_t)n);
	OK(h.min == v[0] && h.max == v[n - 1]);
}

int main(void)
{
	static int64_t v[N];
	for (int bits = 1; bits <= 46; bits++) {
		for (int i = 0; i < N; i++)
			v[i] = (int64_t)(rnd() & ((1ull << bits) - 1));
		check(v, N);
		check(v, 1);
	}
	for (int i = 0; i < N; i++)	/* durations: all sizes alike */
		v[i] = (int64_t)(rnd() >> (rnd() % 47));
	check(v, N);
	struct histo h = {0};
	OK(histo_quantile(&h, 0.5) == 0);
	histo_add(&h, INT64_MAX);
	histo_add(&h, -5);
	OK(histo_quantile(&h, 1) == INT64_MAX && histo_quantile(&h, 0) == 0 && h.n == 2);
	return DONE();
}
