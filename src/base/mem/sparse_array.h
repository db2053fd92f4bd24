/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_SPARSE_ARRAY_H
#define TTRACE_BASE_MEM_SPARSE_ARRAY_H

#include "base/mem/mem.h"

/*
 * An array of zeros of which few elements are written, most of them near each other. Example: the states of goroutines
 * whose wait continues in the next sheet, among millions of goroutines. Elements are in blocks. A block is allocated when
 * one of its elements is written, and is not freed before the array. For one thread.
 */
enum { SPARSE_BLOCK = 64 };
struct sparse_array {
	struct arena mem;
	char **block;
	size_t width;		/* bytes of an element */
};

/* Make an array of n elements. Free it with sparse_array_free(). */
static inline struct sparse_array sparse_array_new(size_t n, size_t width)
{
	return (struct sparse_array){.block = xcalloc(n / SPARSE_BLOCK + 1, sizeof(char *)), .width = width};
}

static inline void sparse_array_free(struct sparse_array *a)
{
	arena_free(&a->mem);
	mem_free(a->block);
	*a = (struct sparse_array){0};
}

/* Return element i; NULL: no element of its block was written. */
static inline void *sparse_array_find(const struct sparse_array *a, size_t i)
{
	char *b = a->block[i / SPARSE_BLOCK];
	return b ? b + i % SPARSE_BLOCK * a->width : NULL;
}

/* Return element i, for writing. */
static inline void *sparse_array_at(struct sparse_array *a, size_t i)
{
	if (!a->block[i / SPARSE_BLOCK])
		a->block[i / SPARSE_BLOCK] = arena_zalloc(&a->mem, SPARSE_BLOCK * a->width);
	return sparse_array_find(a, i);
}

#endif
