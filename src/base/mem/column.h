/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_COLUMN_H
#define TTRACE_BASE_MEM_COLUMN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A column: an array that only grows and whose elements never move. Segment k
 * holds 64 << k elements; growing adds a segment, so a pointer into a column is
 * good for the life of the store and a reader on another thread needs no lock:
 * it looks below a count that was published to it.
 */
enum { COLUMN_FIRST = 64, COLUMN_SEGS = 26 };

struct data_column {
	void *seg[COLUMN_SEGS];
	size_t width;		/* bytes of an element */
	char *next, *end;	/* the writer's: where the next goes, in the newest segment */
	_Atomic uint32_t n;	/* elements */
	bool attached;		/* all but the first segment are somebody else's */
	bool spills;		/* large segments go to disk, where there is any: set it before the first is added */
	_Atomic uint32_t spilled;	/* bit k: segment k did */
};

void column_init(struct data_column *c, size_t width);
void column_free(struct data_column *c);

/* Make it n elements, which it must not be more than now: those beyond the first segment stay where they are,
   at rows[], for as long as the column lives, and no element may be added any more. */
void column_attach(struct data_column *c, const void *rows, uint32_t n);

void *column_add_segment(struct data_column *c);	/* for column_add(), where the newest segment is full */
/* Append one element, zeroed; its address. *id, if asked for, is its index. */
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

/* Room for up to that many more elements, which lie side by side: *got of them. They are there when column_commit()
   says so. */
void *column_reserve(struct data_column *c, uint32_t want, uint32_t *got);
void column_commit(struct data_column *c, uint32_t n);

/* What is spilled is not looked at for now. On any thread. */
void column_release_pages(const struct data_column *c);
/* What lies on disk of it is looked at here and there from now on, as a frame does: a page is one page. */
void column_advise_random(const struct data_column *c);

static inline uint32_t column_n(const struct data_column *c)
{
	return atomic_load_explicit(&((struct data_column *)(uintptr_t)c)->n, memory_order_acquire);
}

/* The segment of element i. */
static inline uint32_t column_segment(uint32_t i)
{
	return 31u - (uint32_t)__builtin_clz(i / COLUMN_FIRST + 1);
}

/* Address of element i, which must be < column_n(). */
static inline void *column_at(const struct data_column *c, uint32_t i)
{
	uint32_t k = column_segment(i);
	uint32_t base = COLUMN_FIRST * ((1u << k) - 1);
	return (char *)c->seg[k] + (size_t)(i - base) * c->width;
}

#define COLUMN_AT(c, type, i) (*(type *)column_at((c), (i)))

#endif
