/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_COLUMN_H
#define TTRACE_BASE_MEM_COLUMN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A column: an array that only grows and whose elements never move. Segment k holds 64 << k elements, and growing adds
 * a segment. So a pointer into a column is valid for the life of the store, and a reader on another thread needs no
 * lock: it reads only elements below a count that was published to it.
 */
enum { COLUMN_FIRST = 64, COLUMN_SEGS = 26 };

struct data_column {
	void *seg[COLUMN_SEGS];
	size_t width;		/* bytes of an element */
	char *next, *end;	/* the writer's: the place of the next element, and the end of the newest segment */
	_Atomic uint32_t n;	/* number of elements */
};

void column_init(struct data_column *c, size_t width);
void column_free(struct data_column *c);

/* Add a segment, for column_add() when the newest one is full. */
void *column_add_segment(struct data_column *c);
/* Append one zeroed element and return its address. If id is not NULL, *id is set to its index. */
static inline void *column_add(struct data_column *c, uint32_t *id)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed);
	char *p = c->next != c->end ? c->next : column_add_segment(c);
	c->next = p + c->width;
	atomic_store_explicit(&c->n, i + 1, memory_order_release);
	if (id)
		*id = i;
	return p;
}

/* Reserve room for up to `want` more elements, and return the address of *got of them, which are contiguous.
   column_commit() publishes the first n. */
void *column_reserve(struct data_column *c, uint32_t want, uint32_t *got);
void column_commit(struct data_column *c, uint32_t n);

static inline uint32_t column_n(const struct data_column *c)
{
	return atomic_load_explicit(&((struct data_column *)(uintptr_t)c)->n, memory_order_acquire);
}

/* Return the segment of element i. */
static inline uint32_t column_segment(uint32_t i)
{
	return 31u - (uint32_t)__builtin_clz(i / COLUMN_FIRST + 1);
}

/* Return the address of element i, which must be < column_n(). */
static inline void *column_at(const struct data_column *c, uint32_t i)
{
	uint32_t k = column_segment(i);
	uint32_t base = COLUMN_FIRST * ((1u << k) - 1);
	return (char *)c->seg[k] + (size_t)(i - base) * c->width;
}

#define COLUMN_AT(c, type, i) (*(type *)column_at((c), (i)))

#endif
