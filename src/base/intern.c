/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * An open-addressing table of ids with linear probing, at most three quarters full. The hashes are stored beside the
 * ids, in the same line of memory, so growing never reads the elements, and a probe compares an element only if 32 bits
 * agree. intern_find() is in the header, so that a caller's comparison is compiled into its loop: with a call for each,
 * and hashes in an array of their own, folded stacks took 5 % more instructions to read.
 */
#include "config.h"
#include "base/intern.h"

#include "base/clock.h"
#include "base/mem/mem.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static void insert_slot(struct intern *t, struct intern_slot slot)
{
	size_t i = slot.hash & (t->cap - 1);
	while (t->slot[i].number)
		i = (i + 1) & (t->cap - 1);
	t->slot[i] = slot;
}

static void grow_slots(struct intern *t)
{
	struct intern old = *t;
	t->cap = old.cap ? old.cap * 2 : 64;
	t->slot = xcalloc(t->cap, sizeof *t->slot);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].number)
			insert_slot(t, old.slot[i]);
	mem_free(old.slot);
}

void intern_put(struct intern *t, uint32_t hash, uint32_t id)
{
	if ((t->n + 1) * 4 > t->cap * 3)
		grow_slots(t);
	insert_slot(t, (struct intern_slot){id + 1, hash});
	t->n++;
}

void intern_free(struct intern *t)
{
	mem_free(t->slot);
	*t = (struct intern){0};
}

uint64_t intern_secret(void)
{
	static _Atomic uint64_t secret;
	uint64_t v = atomic_load_explicit(&secret, memory_order_relaxed), none = 0;
	if (v)
		return v;
	if (getentropy(&v, sizeof v))
		v = (uint64_t)clock_ns() ^ (uintptr_t)&secret;	/* no random numbers: the time and an address */
	v |= 1;
	return atomic_compare_exchange_strong(&secret, &none, v) ? v : none;	/* of several threads the first decides */
}

static uint64_t mix_bits(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

uint32_t intern_hash_u64(uint64_t a, uint64_t b)
{
	return (uint32_t)mix_bits(mix_bits(a + intern_secret()) ^ b);
}

uint32_t intern_mix_u64(uint64_t a, uint64_t b)
{
	return (uint32_t)mix_bits(mix_bits(a + UINT64_C(0x9e3779b97f4a7c15)) ^ b);
}

uint32_t intern_hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *s = p;
	uint64_t h = mix_bits(seed ^ n), v;
	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&v, s, 8);
		h = mix_bits(h ^ v) + UINT64_C(0x9e3779b97f4a7c15);
	}
	v = 0;
	memcpy(&v, s, n);
	return (uint32_t)mix_bits(h ^ v);
}
