/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INTERN_H
#define TTRACE_INTERN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Hash index over things that live elsewhere (usually a column): it keeps ids
 * only. The owner hashes, compares and appends; the index finds. Zero-initialise.
 */
struct intern {
	uint32_t *slot;		/* id + 1, or 0 */
	uint32_t *hash;		/* of that id */
	size_t cap, n;		/* cap is a power of two */
};

/* true when element id equals the key. */
typedef int intern_eq(const void *ctx, uint32_t id, const void *key);

/* The id that equals key, or UINT32_MAX. */
uint32_t intern_find(const struct intern *t, uint32_t hash, intern_eq *eq, const void *ctx,
    const void *key);
/* Something of that hash will be looked for: its place is asked for; then, when that is there, what may be it,
   UINT32_MAX: nothing. */
static inline void intern_prefetch(const struct intern *t, uint32_t hash)
{
	if (t->cap) {
		__builtin_prefetch(&t->slot[hash & (t->cap - 1)]);
		__builtin_prefetch(&t->hash[hash & (t->cap - 1)]);
	}
}
static inline uint32_t intern_guess(const struct intern *t, uint32_t hash)
{
	return t->cap ? t->slot[hash & (t->cap - 1)] - 1 : UINT32_MAX;
}

/* Put id under hash; it must not be there yet. */
void intern_put(struct intern *t, uint32_t hash, uint32_t id);
void intern_free(struct intern *t);

uint32_t intern_hash_bytes(const void *p, size_t n, uint64_t seed);	/* well mixed, seeded */
uint32_t intern_hash_u64(uint64_t a, uint64_t b);

#endif
