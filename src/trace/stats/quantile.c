/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The value at a share of many numbers. A few are sorted. Very many are not moved: they are read four times
 * sequentially, and each time sixteen more bits of the values are determined, by counting the numbers with the same
 * leading bits. To sort tens of millions would take more passes, and write all of them in each.
 */
#include "config.h"
#include "trace/stats/goroutine_stats.h"

#include "base/radix_sort.h"

enum { MANY = 1 << 20, BITS = 16, MASK = (1 << BITS) - 1 };

static uint64_t key_of_number(const void *arg, const void *v)
{
	(void)arg;
	return radix_key_ascending(*(const int64_t *)v);
}

void stats_sort(int64_t *v, uint32_t n)
{
	radix_sort_in_place(v, n, sizeof *v, &(struct radix_keys){.first = key_of_number});
}

const double stats_spread_share[SPREAD__N] = {0.50, 0.90, 0.95, 0.99, 1};

uint32_t stats_quantile_rank(uint32_t n, double q)
{
	uint32_t i = (uint32_t)(q * (double)n);
	return i < n ? i : n - 1;
}

int64_t stats_quantile(const int64_t *v, uint32_t n, double q)
{
	return n ? v[stats_quantile_rank(n, q)] : 0;
}

/* A value that is searched: its leading bits, and its rank among the numbers with these bits. */
struct sought { uint64_t bits; uint32_t rank, *count; };

static void count(const int64_t *v, uint32_t n, int shift, const struct sought *s, unsigned ns)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = radix_key_ascending(v[i]);
		for (unsigned k = 0; k < ns; k++)
			if (shift + BITS == 64 || key >> (shift + BITS) == s[k].bits)
				s[k].count[key >> shift & MASK]++;
	}
}

static void select_all(const int64_t *v, uint32_t n, struct stats_share *q, unsigned nq)
{
	struct sought *s = xcalloc(nq, sizeof *s);
	for (unsigned k = 0; k < nq; k++)
		s[k].rank = stats_quantile_rank(n, q[k].share);
	for (int shift = 64 - BITS; shift >= 0; shift -= BITS) {
		for (unsigned k = 0; k < nq; k++)
			s[k].count = xcalloc(MASK + 1, sizeof *s[k].count);
		count(v, n, shift, s, nq);
		for (unsigned k = 0; k < nq; k++) {
			uint32_t digit = 0;
			while (s[k].rank >= s[k].count[digit])
				s[k].rank -= s[k].count[digit++];
			s[k].bits = s[k].bits << BITS | digit;
			mem_free(s[k].count);
		}
	}
	for (unsigned k = 0; k < nq; k++)
		q[k].value = (int64_t)(s[k].bits ^ UINT64_C(1) << 63);
	mem_free(s);
}

void stats_quantiles(int64_t *v, uint32_t n, struct stats_share *q, unsigned nq)
{
	if (n > MANY) {
		select_all(v, n, q, nq);
		return;
	}
	stats_sort(v, n);
	for (unsigned k = 0; k < nq; k++)
		q[k].value = stats_quantile(v, n, q[k].share);
}

struct stats_spread stats_spread(int64_t *v, uint32_t n)
{
	struct stats_spread s = {.n = n};
	stats_sort(v, n);
	for (int k = 0; k < SPREAD__N; k++)
		s.at[k] = stats_quantile(v, n, stats_spread_share[k]);
	return s;
}
