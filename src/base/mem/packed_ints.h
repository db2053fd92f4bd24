/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_PACKED_INTS_H
#define TTRACE_BASE_MEM_PACKED_INTS_H

#include "base/mem/column.h"

/*
 * A column of integers; each block of 1,024 takes as many bytes a number as its widest number needs. Like other columns
 * it only grows, and a reader needs no lock for elements below a count that was published to it.
 */
enum { PACKED_INTS_BLOCK = 1024 };

struct packed_ints_block {
	struct packed_ints_block *before;	/* the narrower block that this one replaced */
	uint32_t width;
	_Alignas(8) char v[];
};
struct packed_int_column {
	struct data_column block;	/* struct packed_ints_block *_Atomic */
	struct packed_ints_block *last;
	_Atomic uint32_t n;
	uint32_t need;		/* bytes of the widest number in the last block */
};

void packed_ints_init(struct packed_int_column *);
void packed_ints_free(struct packed_int_column *);
void packed_ints_add(struct packed_int_column *, int64_t);
/* Copy all numbers. */
void packed_ints_unpack(const struct packed_int_column *, int64_t *to);
size_t packed_ints_bytes(const struct packed_int_column *);

static inline uint32_t packed_ints_n(const struct packed_int_column *c)
{
	return atomic_load_explicit(&((struct packed_int_column *)(uintptr_t)c)->n, memory_order_acquire);
}

static inline const struct packed_ints_block *packed_ints_block(const struct packed_int_column *c, uint32_t k)
{
	struct packed_ints_block *_Atomic *at = (struct packed_ints_block *_Atomic *)column_at(&c->block, k);
	return atomic_load_explicit(at, memory_order_acquire);
}

/* Return number i, which must be < packed_ints_n(). */
static inline int64_t packed_ints_at(const struct packed_int_column *c, uint32_t i)
{
	const struct packed_ints_block *b = packed_ints_block(c, i / PACKED_INTS_BLOCK);
	i %= PACKED_INTS_BLOCK;
	switch (b->width) {
	case 1: return ((const int8_t *)(const void *)b->v)[i];
	case 2: return ((const int16_t *)(const void *)b->v)[i];
	case 4: return ((const int32_t *)(const void *)b->v)[i];
	default: return ((const int64_t *)(const void *)b->v)[i];
	}
}

#endif
