/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_PACKED_INTS_H
#define TTRACE_BASE_MEM_PACKED_INTS_H

#include "base/mem/column.h"

/*
 * A column of whole numbers, 1,024 at a time in as few bytes as the widest of them needs. Like other columns it only
 * grows, and who looks below a count that was published to him needs no lock.
 */
enum { INTS_BLOCK = 1024 };

struct ints_block {
	struct ints_block *before;	/* what it took the place of */
	uint32_t width;
	_Alignas(8) char v[];
};
struct ints {
	struct col block;	/* struct ints_block *_Atomic */
	struct ints_block *last;
	_Atomic uint32_t n;
	uint32_t need;		/* bytes of the widest in the last block */
};

void ints_init(struct ints *);
void ints_free(struct ints *);
void ints_add(struct ints *, int64_t);
void ints_all(const struct ints *, int64_t *to);	/* all there are */
size_t ints_bytes(const struct ints *);

static inline uint32_t ints_n(const struct ints *c)
{
	return atomic_load_explicit(&((struct ints *)(uintptr_t)c)->n, memory_order_acquire);
}

static inline const struct ints_block *ints_block(const struct ints *c, uint32_t k)
{
	struct ints_block *_Atomic *at = (struct ints_block *_Atomic *)col_at(&c->block, k);
	return atomic_load_explicit(at, memory_order_acquire);
}

/* Which must be below how many there are. */
static inline int64_t ints_at(const struct ints *c, uint32_t i)
{
	const struct ints_block *b = ints_block(c, i / INTS_BLOCK);
	i %= INTS_BLOCK;
	switch (b->width) {
	case 1: return ((const int8_t *)(const void *)b->v)[i];
	case 2: return ((const int16_t *)(const void *)b->v)[i];
	case 4: return ((const int32_t *)(const void *)b->v)[i];
	default: return ((const int64_t *)(const void *)b->v)[i];
	}
}

#endif
