/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_RANK_BITMAP_H
#define TTRACE_BASE_RANK_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A set of integers that can count its members below any number, in 2 bits a number: each block has 64 bits and the
 * number of members before them.
 */
struct rank { uint64_t bits; uint32_t before; };

static inline size_t rank_blocks(uint32_t n) { return (size_t)n / 64 + 1; }
static inline void rank_set(struct rank *r, uint32_t i) { r[i / 64].bits |= UINT64_C(1) << i % 64; }
static inline bool rank_has(const struct rank *r, uint32_t i) { return r[i / 64].bits >> i % 64 & 1; }

/* Count the bits of a word, without an instruction that some processors lack. */
static inline uint32_t rank_popcount(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* Fill in the counts after all members are set; n as for rank_blocks(). Return the number of members. */
static inline uint32_t rank_seal(struct rank *r, uint32_t n)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < rank_blocks(n); i++) {
		r[i].before = sum;
		sum += rank_popcount(r[i].bits);
	}
	return sum;
}

/* Return the number of members less than i. */
static inline uint32_t rank_below(const struct rank *r, uint32_t i)
{
	const struct rank *b = &r[i / 64];
	return b->before + rank_popcount(b->bits & ((UINT64_C(1) << i % 64) - 1));
}

/* Return the number of members up to and including i. */
static inline uint32_t rank_upto(const struct rank *r, uint32_t i)
{
	const struct rank *b = &r[i / 64];
	return b->before + rank_popcount(b->bits & ((UINT64_C(2) << i % 64) - 1));
}

#endif
