/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Quantiles of durations and the choice of slow ones, against the definitions on sorted numbers: with many equal numbers,
 * with gaps, and of all magnitudes. t-filter-complement.c has small sets whose slow durations are known.
 */
#include "config.h"
#include "operations/durations.h"
#include "store/store.h"
#include "tap.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/task_filter.h"

enum { MOST = 2000 };

static uint64_t seed = 7;
static int64_t rnd(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(seed >> 33) % n;
}

static void numbers(const void *v, uint32_t i, uint32_t n, int64_t *ns)
{
	OK(n && n <= DURATIONS_AT_ONCE);
	for (uint32_t k = 0; k < n; k++)
		ns[k] = ((const int64_t *)v)[i + k];
}

/* Return the index of the first slow duration of n ascending ones; n if none is slow. */
static uint32_t first_slow(const int64_t *v, uint32_t n, bool *gap)
{
	struct task_filter_slow s = task_filter_slow(v, n);
	uint32_t first = s.first ? s.first : n;
	*gap = s.gap;
	while (first < n && v[first] == v[first - 1])
		first++;
	return first;
}

static void check(const int64_t *v, uint32_t n)
{
	int64_t s[MOST];
	uint32_t k = 0;
	bool gap = false;
	struct durations d = durations_measure(numbers, v, n);
	for (uint32_t i = 0; i < n; i++)
		if (v[i] != TIME_NONE)
			s[k++] = v[i];
	stats_sort(s, k);
	uint32_t first = k ? first_slow(s, k, &gap) : 0;
	OK(d.n == k && d.nslow == k - first && d.gap == gap);
	OK(d.slow_from == (first < k ? s[first] : INT64_MAX));
	OK(d.p50 == stats_quantile(s, k, 0.5) && d.p90 == stats_quantile(s, k, 0.9));
	OK(d.p99 == stats_quantile(s, k, 0.99) && d.max == (k ? s[k - 1] : 0));
}

static void few(void)
{
	static const int64_t one[] = {5}, equal[] = {3, 3, 3, 3}, none[] = {TIME_NONE, TIME_NONE};
	check(one, 1);
	check(equal, 4);
	check(none, 2);
	check(none, 0);
}

int main(void)
{
	int64_t v[MOST];
	few();
	for (int round = 0; round < 3000; round++) {
		uint32_t n = (uint32_t)rnd(round % 10 ? 40 : MOST) + 1;
		int bits = 1 + (int)rnd(62), kind = round % 4;
		for (uint32_t i = 0; i < n; i++) {
			int64_t any = rnd(INT64_C(1) << 31) << 31 | rnd(INT64_C(1) << 31);
			v[i] = kind == 0 ? any >> (62 - bits)		/* up to one magnitude */
			    : kind == 1 ? any >> rnd(62)		/* of all magnitudes */
			    : kind == 2 ? rnd(5) * 1000 : rnd(20) ? 100 + rnd(50) : 1000 + rnd(50);
			if (!rnd(12))
				v[i] = TIME_NONE;
		}
		check(v, n);
	}
	return DONE();
}
