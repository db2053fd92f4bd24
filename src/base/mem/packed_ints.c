/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Integers in as few bytes as they need. Weights of profiles, calls and nanoseconds, take one and four bytes a sample;
 * at eight bytes each, a million samples took 16 MB.
 *
 * A block starts with the width that the block before it needed. A number that does not fit causes a wider copy, which
 * replaces the block. Other threads may still read the old block, so it is kept as long as the column, and bytes that
 * were written are never changed.
 *
 * Not taken: differences, or bits instead of bytes. Samples are in no order, and every filter by a key reads them.
 */
#include "config.h"
#include "base/mem/packed_ints.h"

#include "base/mem/mem.h"

void packed_ints_init(struct packed_int_column *c)
{
	*c = (struct packed_int_column){.need = 1};
	column_init(&c->block, sizeof(struct packed_ints_block *));
}

void packed_ints_free(struct packed_int_column *c)
{
	for (uint32_t i = 0; i < column_n(&c->block); i++) {
		struct packed_ints_block *b = COLUMN_AT(&c->block, struct packed_ints_block *, i);
		while (b) {
			struct packed_ints_block *before = b->before;
			mem_free(b);
			b = before;
		}
	}
	column_free(&c->block);
	packed_ints_init(c);
}

static uint32_t width_of(int64_t v)
{
	return v == (int8_t)v ? 1 : v == (int16_t)v ? 2 : v == (int32_t)v ? 4 : 8;
}

static void put_int(struct packed_ints_block *b, uint32_t i, int64_t v)
{
	switch (b->width) {
	case 1: ((int8_t *)(void *)b->v)[i] = (int8_t)v; break;
	case 2: ((int16_t *)(void *)b->v)[i] = (int16_t)v; break;
	case 4: ((int32_t *)(void *)b->v)[i] = (int32_t)v; break;
	default: ((int64_t *)(void *)b->v)[i] = v;
	}
}

/* Write a block of that width, with the last n of all numbers. If n > 0 it replaces the newest block. */
static void block_new(struct packed_int_column *c, uint32_t width, uint32_t n, uint32_t all)
{
	struct packed_ints_block *b = xmalloc(sizeof *b + (size_t)PACKED_INTS_BLOCK * width);
	*b = (struct packed_ints_block){.before = n ? c->last : NULL, .width = width};
	for (uint32_t i = 0; i < n; i++)
		put_int(b, i, packed_ints_at(c, all - n + i));
	void *at = n ? column_at(&c->block, column_n(&c->block) - 1) : column_add(&c->block, NULL);
	atomic_store_explicit((struct packed_ints_block *_Atomic *)at, b, memory_order_release);
	c->last = b;
}

void packed_ints_add(struct packed_int_column *c, int64_t v)
{
	uint32_t all = atomic_load_explicit(&c->n, memory_order_relaxed), n = all % PACKED_INTS_BLOCK,
		 width = width_of(v);
	if (!n) {
		block_new(c, width > c->need ? width : c->need, 0, all);
		c->need = 1;
	} else if (width > c->last->width) {
		block_new(c, width, n, all);
	}
	c->need = width > c->need ? width : c->need;
	put_int(c->last, n, v);
	atomic_store_explicit(&c->n, all + 1, memory_order_release);
}

void packed_ints_unpack(const struct packed_int_column *c, int64_t *to)
{
	uint32_t all = packed_ints_n(c);
	for (uint32_t at = 0; at < all; at += PACKED_INTS_BLOCK) {
		const struct packed_ints_block *b = packed_ints_block(c, at / PACKED_INTS_BLOCK);
		const void *v = b->v;
		uint32_t n = all - at < PACKED_INTS_BLOCK ? all - at : PACKED_INTS_BLOCK;
		for (uint32_t i = 0; b->width == 1 && i < n; i++)
			to[at + i] = ((const int8_t *)v)[i];
		for (uint32_t i = 0; b->width == 2 && i < n; i++)
			to[at + i] = ((const int16_t *)v)[i];
		for (uint32_t i = 0; b->width == 4 && i < n; i++)
			to[at + i] = ((const int32_t *)v)[i];
		for (uint32_t i = 0; b->width == 8 && i < n; i++)
			to[at + i] = ((const int64_t *)v)[i];
	}
}

size_t packed_ints_bytes(const struct packed_int_column *c)
{
	size_t n = 0;
	for (uint32_t i = 0; i < column_n(&c->block); i++)
		for (const struct packed_ints_block *b = packed_ints_block(c, i); b; b = b->before)
			n += sizeof *b + (size_t)PACKED_INTS_BLOCK * b->width;
	return n;
}
