/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_INTERN_H
#define TTRACE_INTERN_H

#include <stddef.h>
#include <stdint.h>

/*
 * A hash index over elements that are stored elsewhere (usually in a column): it stores only their ids. The caller
 * hashes, compares and appends elements. Zero-initialise.
 */
struct intern {
	struct intern_slot {
		uint32_t number;	/* id + 1, or 0 */
		uint32_t hash;		/* the hash of that id */
	} *slot;
	size_t cap, n;		/* cap is a power of two; n: number of ids */
};

/* Return whether element id equals the key. */
typedef int intern_eq(const void *ctx, uint32_t id, const void *key);

/* Return the id of the element that equals key, or UINT32_MAX. */
static inline uint32_t intern_find(
    const struct intern *t, uint32_t hash, intern_eq *eq, const void *ctx, const void *key)
{
	if (!t->cap)
		return UINT32_MAX;
	for (size_t i = hash & (t->cap - 1); t->slot[i].number; i = (i + 1) & (t->cap - 1))
		if (t->slot[i].hash == hash && eq(ctx, t->slot[i].number - 1, key))
			return t->slot[i].number - 1;
	return UINT32_MAX;
}
/* intern_prefetch() prefetches the first slot of a hash that will be looked up. intern_guess() then returns the id in
   that slot, so that the caller can prefetch the element; UINT32_MAX: the slot is empty. */
static inline void intern_prefetch(const struct intern *t, uint32_t hash)
{
	if (t->cap)
		__builtin_prefetch(&t->slot[hash & (t->cap - 1)]);
}
static inline uint32_t intern_guess(const struct intern *t, uint32_t hash)
{
	return t->cap ? t->slot[hash & (t->cap - 1)].number - 1 : UINT32_MAX;
}

/* Add id under hash. It must not be in the index yet. */
void intern_put(struct intern *t, uint32_t hash, uint32_t id);
void intern_free(struct intern *t);

/* Return an odd number that differs from process to process, so that a file cannot have keys that all collide. Use it as a
   seed where nothing but the speed of a search depends on the hash. */
uint64_t intern_secret(void);
/* Return a well mixed, seeded hash. */
uint32_t intern_hash_bytes(const void *p, size_t n, uint64_t seed);
/* Return a hash of two numbers; intern_hash_u64() uses intern_secret(), intern_mix_u64() is the same in each process. */
uint32_t intern_hash_u64(uint64_t a, uint64_t b);
uint32_t intern_mix_u64(uint64_t a, uint64_t b);

#endif
