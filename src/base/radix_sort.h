/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_RADIX_SORT_H
#define TTRACE_BASE_RADIX_SORT_H

#include <stdbool.h>
#include <stdint.h>

/* Things by a number: for many of them in a fourth of the time that comparing takes. */
struct keyed { uint64_t key; uint32_t v; };
void keyed_sort(struct keyed *, uint32_t n);	/* the least key first; equals stay as they are */

/* Keys of signed numbers: in their order, and the greatest first. */
static inline uint64_t keyed_up(int64_t v) { return (uint64_t)v ^ UINT64_C(1) << 63; }
static inline uint64_t keyed_down(int64_t v) { return ~keyed_up(v); }

/*
 * Very many: where they are much of the memory there is they lie on disk, and are put in order in runs, which are then
 * put together. Add, sort, look at them from one end to the other.
 */
struct keyed_many { struct keyed *v; uint32_t n, room; bool spilled; };
void keyed_many_room(struct keyed_many *, uint32_t room);	/* there are none, and so many at most */
void keyed_many_rest(const struct keyed_many *);
void keyed_many_sort(struct keyed_many *, uint32_t from, uint32_t n);	/* so many of them, as keyed_sort() */
void keyed_many_free(struct keyed_many *);
enum { KEYED_PASS = 1 << 12 };
/* With each look, counted: what was looked at goes now and then. */
static inline void keyed_many_look(const struct keyed_many *m, uint32_t look)
{
	if (look % KEYED_PASS == 0 && m->spilled)
		keyed_many_rest(m);
}
static inline struct keyed keyed_many_at(const struct keyed_many *m, uint32_t i)
{
	keyed_many_look(m, i);
	return m->v[i];
}
static inline void keyed_many_add(struct keyed_many *m, uint64_t key, uint32_t v)
{
	keyed_many_look(m, m->n);
	m->v[m->n++] = (struct keyed){ key, v };
}

#endif
