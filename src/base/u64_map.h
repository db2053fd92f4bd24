/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_U64_MAP_H
#define TTRACE_BASE_U64_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From the 64-bit ids of a trace (goroutines, threads, program counters, tasks)
 * to a pointer or a number. Zero-initialise; a key may be any number.
 */
struct idslot {
	uint64_t key;
	union {
		void *p;
		uint64_t n;
	};
	bool used;
};

struct idmap {
	struct idslot *slot;
	size_t cap, n;	/* cap is a power of two, at most 3/4 full */
};

static inline size_t idmap_home(uint64_t key, size_t cap)
{
	key *= 0x9e3779b97f4a7c15u;
	return (size_t)(key ^ key >> 32) & (cap - 1);
}

/* The slot of key, or NULL. Good until the next put or drop. */
static inline struct idslot *idmap_get(const struct idmap *m, uint64_t key)
{
	if (!m->n)
		return NULL;
	for (size_t i = idmap_home(key, m->cap); m->slot[i].used; i = (i + 1) & (m->cap - 1))
		if (m->slot[i].key == key)
			return &m->slot[i];
	return NULL;
}

/* The slot of key, made (zeroed) when it was not there; *fresh says which. */
struct idslot *idmap_put(struct idmap *m, uint64_t key, bool *fresh);
void idmap_drop(struct idmap *m, uint64_t key);
void idmap_free(struct idmap *m);

/*
 * Strings and stacks of a generation: ids of the file to indexes below n + 1,
 * in the order they were added; 0 is "none" and maps to 0. Ids are nearly
 * always 1..n, so the table is an array, and only where ids are spread out it
 * is a hash.
 */
#define IDTAB_NONE UINT32_MAX

struct idtab {
	uint64_t *raw;	/* ids in the order they came */
	size_t n, cap;
	uint32_t *dense;	/* by id, IDTAB_NONE where there is none */
	size_t ndense;
	struct idmap sparse;
};

/* The next id of the file: its number is how many came before. */
void idtab_add(struct idtab *t, uint64_t raw);
/* Build the table when all are added. -1: an id came twice, or was 0 (*dup). */
int idtab_seal(struct idtab *t, uint64_t *dup);
void idtab_free(struct idtab *t);

static inline uint32_t idtab_get(const struct idtab *t, uint64_t raw)
{
	if (raw < t->ndense)
		return t->dense[raw];
	const struct idslot *s = idmap_get(&t->sparse, raw);
	return s ? (uint32_t)s->n : raw ? IDTAB_NONE : 0;
}

#endif
