/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FUZZ_MUTATE_H
#define TTRACE_FUZZ_MUTATE_H

#include "base/text/buf.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Mutations of a file that keep its structure: records change their order, are repeated or removed, or get other numbers, and
 * the lengths around them are correct. A mutation of bytes nearly always breaks the framing, so readers seldom get further.
 * Each function rewrites data[0..n) in place, within max bytes, and returns the new length; 0: the bytes have no such
 * structure, or the result is too long. Equal seeds give equal results.
 */
size_t mutate_trace(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t mutate_pprof(uint8_t *data, size_t n, size_t max, unsigned seed);

/* libFuzzer's interface: its own mutation of bytes, and the entry that replaces it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

/* The rest is for mutate-*.c. */

struct mutate_rnd { uint64_t state; };

static inline uint32_t mutate_rnd(struct mutate_rnd *r, size_t n)	/* below n; 0 if n is 0 */
{
	r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n ? (uint32_t)((r->state >> 33) % n) : 0;
}

/* Return another number: a small one, one next to `was`, the limit of a type, or `elsewhere`. */
static inline uint64_t mutate_number(struct mutate_rnd *r, uint64_t was, uint64_t elsewhere)
{
	static const uint64_t ends[] = {0x7f, 0x80, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,
	    (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
	switch (mutate_rnd(r, 6)) {
	case 0: return mutate_rnd(r, 4);
	case 1: return was + 1;
	case 2: return was - 1;
	case 3: return ends[mutate_rnd(r, sizeof ends / sizeof *ends)];
	default: return elsewhere;
	}
}

/* A record: its bytes in the input, or in a buffer of the mutation. */
struct mutate_part { const uint8_t *p; size_t n; };
enum { MUTATE_PARTS = 4096 };

/* Swap two of n parts (neighbours most often), or repeat, move or remove one. v has room for n + 1. Return their number. */
static inline size_t mutate_order(struct mutate_rnd *r, struct mutate_part *v, size_t n)
{
	size_t i = mutate_rnd(r, n), k = mutate_rnd(r, 2) && i + 1 < n ? i + 1 : mutate_rnd(r, n);
	struct mutate_part a = v[i];
	switch (mutate_rnd(r, 4)) {
	case 0:		/* remove */
		memmove(&v[i], &v[i + 1], (n - i - 1) * sizeof *v);
		return n - 1;
	case 1:		/* repeat at another place */
		memmove(&v[k + 1], &v[k], (n - k) * sizeof *v);
		v[k] = a;
		return n + 1;
	case 2:		/* move */
		memmove(&v[i], &v[i + 1], (n - i - 1) * sizeof *v);
		memmove(&v[k + 1], &v[k], (n - 1 - k) * sizeof *v);
		v[k] = a;
		return n;
	default:
		v[i] = v[k];
		v[k] = a;
		return n;
	}
}

static inline void mutate_put(struct buf *b, const struct mutate_part *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_put(b, (const char *)v[i].p, v[i].n);
}

/* Copy the result over the input. */
static inline size_t mutate_finish(struct buf *b, uint8_t *data, size_t max)
{
	size_t n = b->n <= max ? b->n : 0;
	if (n)
		memcpy(data, b->p, n);
	buf_free(b);
	return n;
}

#endif
