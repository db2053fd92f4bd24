/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * An LSD radix sort with eleven bits a round: the number of write positions stays small enough for the cache. The ids
 * of a million goroutines are in no order, because each P allocates ids of its own. Rounds in which all keys have the
 * same digit are skipped, so times of one trace take three or four rounds. Up to FEW items are sorted by insertion.
 *
 * In place it is an MSD radix sort: each item is swapped to the part of its leading digit, and then each part is sorted.
 * A digit begins at the first bit in which keys differ, so each level sorts by eight more bits, and for two keys at most
 * 18 calls are nested.
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

/* ---- in place */

enum { PLACE_BITS = 8, PLACES = 1 << PLACE_BITS, PLACE_FEW = 24 };

struct in_place { size_t size; const struct radix_keys *keys; };

static uint64_t key_of(const struct in_place *s, const void *item, bool second)
{
	return (second ? s->keys->second : s->keys->first)(s->keys->arg, item);
}

/* Return whether item a, with key x, is before item b, with key y. */
static bool is_before(const struct in_place *s, const void *a, uint64_t x, const void *b, uint64_t y, bool second)
{
	if (x != y || second || !s->keys->second)
		return x < y;
	return key_of(s, a, true) < key_of(s, b, true);
}

/* Most items have 4, 8 or 20 bytes: a copy of a size that the compiler knows is an instruction or two. */
static void copy(const struct in_place *s, uint8_t *to, const uint8_t *from)
{
	if (s->size == 4)
		memcpy(to, from, 4);
	else if (s->size == 8)
		memcpy(to, from, 8);
	else if (s->size == 20)
		memcpy(to, from, 20);
	else
		memcpy(to, from, s->size);
}

static void insert_in_place(const struct in_place *s, uint8_t *v, uint32_t n, bool second)
{
	uint8_t x[RADIX_ITEM];
	uint64_t key[PLACE_FEW];
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *item = v + i * s->size;
		uint64_t at = key_of(s, item, second);
		uint32_t k = i;
		while (k && is_before(s, item, at, v + (k - 1) * s->size, key[k - 1], second))
			k--;
		if (k != i) {
			copy(s, x, item);
			memmove(v + (k + 1) * s->size, v + k * s->size, (i - k) * s->size);
			memmove(key + k + 1, key + k, (i - k) * sizeof *key);
			copy(s, v + k * s->size, x);
		}
		key[k] = at;
	}
}

/* Carry each item that is in the part of another digit there, take the one that it replaces, and so on, until one
   belongs where the first one was. */
static void permute(const struct in_place *s, uint8_t *v, bool second, int shift, uint32_t at[PLACES],
    const uint32_t end[PLACES])
{
	uint8_t x[RADIX_ITEM], replaced[RADIX_ITEM];
	for (unsigned d = 0; d < PLACES; d++)
		for (; at[d] < end[d]; at[d]++) {
			uint8_t *hole = v + at[d] * s->size;
			unsigned to = key_of(s, hole, second) >> shift & (PLACES - 1);
			if (to == d)
				continue;
			copy(s, x, hole);
			for (; to != d; to = key_of(s, x, second) >> shift & (PLACES - 1)) {
				uint8_t *slot = v + at[to]++ * s->size;
				copy(s, replaced, slot);
				copy(s, slot, x);
				copy(s, x, replaced);
			}
			copy(s, hole, x);
		}
}

/* Move each item to the part of its digit; end[]: set to the end of each part. */
static void divide(const struct in_place *s, uint8_t *v, uint32_t n, bool second, int shift, uint32_t end[PLACES])
{
	uint32_t at[PLACES] = {0}, sum = 0;
	for (uint32_t i = 0; i < n; i++)
		at[key_of(s, v + i * s->size, second) >> shift & (PLACES - 1)]++;
	for (int d = 0; d < PLACES; d++) {
		uint32_t k = at[d];
		at[d] = sum;
		end[d] = sum += k;
	}
	permute(s, v, second, shift, at, end);
}

/* Are the items in order? *differ: the bits in which their keys differ. */
static bool is_sorted(const struct in_place *s, const uint8_t *v, uint32_t n, bool second, uint64_t *differ)
{
	uint64_t first = n ? key_of(s, v, second) : 0, last = first;
	bool sorted = true, both = !second && s->keys->second;
	*differ = 0;
	for (uint32_t i = 1; i < n; i++) {
		const uint8_t *x = v + i * s->size;
		uint64_t key = key_of(s, x, second);
		*differ |= key ^ first;
		sorted = sorted && last <= key &&
		    (last < key || !both || key_of(s, x - s->size, true) <= key_of(s, x, true));
		last = key;
	}
	return sorted;
}

static void sort_part(const struct in_place *s, uint8_t *v, uint32_t n, bool second)
{
	uint32_t end[PLACES];
	uint64_t differ;
	if (n <= PLACE_FEW) {
		insert_in_place(s, v, n, second);
		return;
	}
	if (is_sorted(s, v, n, second, &differ))
		return;
	if (!differ) {	/* by the second key */
		sort_part(s, v, n, true);
		return;
	}
	int shift = 64 - PLACE_BITS - __builtin_clzll(differ);
	divide(s, v, n, second, shift > 0 ? shift : 0, end);
	for (int d = 0; d < PLACES; d++) {
		uint32_t from = d ? end[d - 1] : 0;
		if (end[d] > from + 1)
			sort_part(s, v + from * s->size, end[d] - from, second);
	}
}

void radix_sort_in_place(void *v, uint32_t n, size_t size, const struct radix_keys *keys)
{
	sort_part(&(struct in_place){size, keys}, v, n, false);
}
