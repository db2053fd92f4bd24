/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Eleven bits at a time from the last: the places written to stay few enough for the cache, and
 * a million goroutines come in any order, as each P hands out numbers of its own. Digits in which no two keys
 * differ are passed over, so times of one trace take three or four rounds. A few are put in
 * place one by one.
 */
#include "config.h"
#include "base/keyed.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS, FEW = 48 };

static void insert_each(struct keyed *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct keyed x = v[i];
		uint32_t k = i;
		for (; k && v[k - 1].key > x.key; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static void by_digit(const struct keyed *from, struct keyed *to, uint32_t n, int shift, uint32_t at[DIGITS])
{
	uint32_t sum = 0;
	memset(at, 0, DIGITS * sizeof *at);
	for (uint32_t i = 0; i < n; i++)
		at[from[i].key >> shift & (DIGITS - 1)]++;
	for (uint32_t d = 0; d < DIGITS; d++) {
		uint32_t k = at[d];
		at[d] = sum;
		sum += k;
	}
	for (uint32_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void keyed_sort(struct keyed *v, uint32_t n)
{
	uint64_t differ = 0;
	bool sorted = true;
	for (uint32_t i = 1; i < n; i++) {
		differ |= v[i].key ^ v[0].key;
		sorted = sorted && v[i - 1].key <= v[i].key;
	}
	if (sorted)
		return;
	if (n <= FEW) {
		insert_each(v, n);
		return;
	}
	uint32_t *at = xmalloc(DIGITS * sizeof *at);
	struct keyed *tmp = xmalloc(n * sizeof *tmp), *from = v, *to = tmp;
	for (int shift = 0; shift < 64; shift += BITS) {
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		by_digit(from, to, n, shift, at);
		struct keyed *t = from;
		from = to;
		to = t;
	}
	if (from != v)
		memcpy(v, from, n * sizeof *v);
	mem_free(tmp);
	mem_free(at);
}
