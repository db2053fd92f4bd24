/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_RADIX_SORT_H
#define TTRACE_BASE_RADIX_SORT_H

#include <stdbool.h>
#include <stdint.h>

/* Things by a number: for many of them in a fourth of the time that comparing takes. */
struct radix_item { uint64_t key; uint32_t v; };
void radix_sort_items(struct radix_item *, uint32_t n);	/* the least key first; equals stay as they are */

/* Keys of signed numbers: in their order, and the greatest first. */
static inline uint64_t radix_key_ascending(int64_t v) { return (uint64_t)v ^ UINT64_C(1) << 63; }
static inline uint64_t radix_key_descending(int64_t v) { return ~radix_key_ascending(v); }

/*
 * Very many: where they are much of the memory there is they lie on disk, and are put in order in runs, which are then
 * put together. Add, sort, look at them from one end to the other.
 */
struct radix_array { struct radix_item *v; uint32_t n, room; bool spilled; };
void radix_array_alloc(struct radix_array *, uint32_t room);	/* there are none, and so many at most */
void radix_array_release_pages(const struct radix_array *);
void radix_array_sort(struct radix_array *, uint32_t from, uint32_t n);	/* so many of them, as radix_sort_items() */
void radix_array_free(struct radix_array *);
enum { RADIX_ARRAY_PASS = 1 << 12 };
/* With each look, counted: what was looked at goes now and then. */
static inline void radix_array_note_access(const struct radix_array *m, uint32_t look)
{
	if (look % RADIX_ARRAY_PASS == 0 && m->spilled)
		radix_array_release_pages(m);
}
static inline struct radix_item radix_array_at(const struct radix_array *m, uint32_t i)
{
	radix_array_note_access(m, i);
	return m->v[i];
}
static inline void radix_array_add(struct radix_array *m, uint64_t key, uint32_t v)
{
	radix_array_note_access(m, m->n);
	m->v[m->n++] = (struct radix_item){ key, v };
}

#endif
