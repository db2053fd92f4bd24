/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Histograms and quantiles against the sorted numbers: a row counts the numbers in its range, the columns add up to all
 * numbers at any scale, and quantiles are those of the sorted numbers.
 */
#include "config.h"
#include "trace/stats/histogram.h"
#include "trace/stats/goroutine_stats.h"

#include "tap.h"

#include <string.h>

enum { N = 2000 };

static uint64_t seed = 7;
static uint64_t rnd(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 17;
}

static void check_rows(const struct duration_histogram *h, const int64_t *v, int n)
{
	for (int k = 0; k < HISTOGRAM_ROWS; k++) {
		uint32_t in = 0;
		OK(histogram_row_start(k) < histogram_row_start(k + 1));
		for (int i = 0; i < n; i++)
			in += v[i] >= histogram_row_start(k) && v[i] < histogram_row_start(k + 1);
		OK(h->row[k] == in);
	}
}

static void check(int64_t *v, int n)
{
	static struct duration_histogram h;
	uint64_t col[37], sum = 0;
	memset(&h, 0, sizeof h);
	for (int i = 0; i < n; i++)
		histogram_add(&h, v[i]);
	struct stats_spread s = stats_spread(v, (uint32_t)n);
	for (int k = 0; k < SPREAD__N; k++) {
		int below = 0, upto = 0;
		for (int i = 0; i < n; i++) {
			below += v[i] < s.at[k];
			upto += v[i] <= s.at[k];
		}
		OK(below <= stats_spread_share[k] * n && (upto > stats_spread_share[k] * n || upto == n));
	}
	OK(s.at[SPREAD_MAX] == v[n - 1]);
	check_rows(&h, v, n);
	histogram_columns(&h, v[0], v[n - 1] / 2, 37, col);
	for (int i = 0; i < 37; i++)
		sum += col[i];
	OK(sum == (uint64_t)n && h.n == (uint64_t)n);
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
	for (int i = 0; i < N; i++)	/* durations of all magnitudes */
		v[i] = (int64_t)(rnd() >> (rnd() % 47));
	check(v, N);
	struct duration_histogram h = {0};
	struct stats_spread none = stats_spread(NULL, 0);
	OK(none.n == 0 && none.at[SPREAD_P50] == 0);
	histogram_add(&h, INT64_MAX);
	histogram_add(&h, -5);
	OK(h.row[0] == 1 && h.row[HISTOGRAM_ROWS - 1] == 1 && h.n == 2);
	return DONE();
}
