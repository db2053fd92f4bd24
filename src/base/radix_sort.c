/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * An LSD radix sort with eleven bits a round: the number of write positions stays small enough for the cache. The ids
 * of a million goroutines are in no order, because each P allocates ids of its own. Rounds in which all keys have the
 * same digit are skipped, so times of one trace take three or four rounds. Up to FEW items are sorted by insertion.
 */
#include "config.h"
#include "base/radix_sort.h"

#include "base/mem/mem.h"

#include <stdbool.h>
#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS, FEW = 48 };

static void insert_each(struct radix_item *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct radix_item x = v[i];
		uint32_t k = i;
		for (; k && v[k - 1].key > x.key; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static void by_digit(const struct radix_item *from, struct radix_item *to, uint32_t n, int shift, uint32_t at[DIGITS])
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

void radix_sort_items(struct radix_item *v, uint32_t n)
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
	struct radix_item *tmp = mem_bulk(n * sizeof *tmp), *from = v, *to = tmp;
	for (int shift = 0; shift < 64; shift += BITS) {
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		by_digit(from, to, n, shift, at);
		struct radix_item *t = from;
		from = to;
		to = t;
	}
	if (from != v)
		memcpy(v, from, n * sizeof *v);
	mem_bulk_free(tmp, n * sizeof *tmp);
	mem_free(at);
}

void radix_array_alloc(struct radix_array *m, uint32_t room)
{
	*m = (struct radix_array){ .v = mem_bulk((room + (size_t)1) * sizeof *m->v), .room = room };
}

void radix_array_free(struct radix_array *m)
{
	if (m->v)
		mem_bulk_free(m->v, (m->room + (size_t)1) * sizeof *m->v);
	*m = (struct radix_array){0};
}
