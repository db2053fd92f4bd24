/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_U64_MAP_H
#define TTRACE_BASE_U64_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A map from the 64-bit ids of a trace (goroutines, threads, program counters, tasks) to a pointer or a number.
 * Zero-initialise; any number may be a key.
 */
struct u64_slot {
	uint64_t key;
	union {
		void *p;
		uint64_t n;
	};
	bool used;
};

struct u64_hash {
	struct u64_slot *slot;
	size_t cap, n;	/* cap is a power of two, at most 3/4 full */
	uint64_t factor;	/* differs between processes and caps; so does the order of slots */
	unsigned shift;		/* 64 - log2 of cap */
};

static inline size_t u64_map_home(const struct u64_hash *m, uint64_t key)
{
	return (size_t)(key * m->factor >> m->shift);
}

/* Return the slot of key, or NULL. The pointer is valid until the next put or remove. */
static inline struct u64_slot *u64_map_get(const struct u64_hash *m, uint64_t key)
{
	if (!m->n)
		return NULL;
	for (size_t i = u64_map_home(m, key); m->slot[i].used; i = (i + 1) & (m->cap - 1))
		if (m->slot[i].key == key)
			return &m->slot[i];
	return NULL;
}

/* Return the slot of key; a missing one is created, zeroed, and *fresh is set to true, else to false. */
struct u64_slot *u64_map_put(struct u64_hash *m, uint64_t key, bool *fresh);
void u64_map_remove(struct u64_hash *m, uint64_t key);
/* Return a copy of the n slots that are used, in the order of their keys. The caller frees it. */
struct u64_slot *u64_map_sorted(const struct u64_hash *);
void u64_map_free(struct u64_hash *m);

/*
 * The ids of strings or stacks of a generation, mapped to indexes 1..n in the order in which they were added; 0 is
 * "none" and maps to 0. Ids in files are nearly always 1..n, so the table is an array. Only for widely spread ids is it
 * a hash table.
 */
#define U64_INDEX_NONE UINT32_MAX

struct u64_index {
	uint64_t *raw;	/* ids in input order */
	size_t n, cap;
	uint32_t *dense;	/* by id; U64_INDEX_NONE: not present */
	size_t ndense;
	struct u64_hash sparse;
};

/* Add the next id of the file. */
void u64_index_add(struct u64_index *t, uint64_t raw);
/* Build the table after all ids are added. -1: *dup occurs twice or is 0. */
int u64_index_seal(struct u64_index *t, uint64_t *dup);
void u64_index_free(struct u64_index *t);

static inline uint32_t u64_index_get(const struct u64_index *t, uint64_t raw)
{
	if (raw < t->ndense)
		return t->dense[raw];
	const struct u64_slot *s = u64_map_get(&t->sparse, raw);
	return s ? (uint32_t)s->n : raw ? U64_INDEX_NONE : 0;
}

#endif
