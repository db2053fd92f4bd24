/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_GOROUTINE_TABLE_H
#define TTRACE_LOAD_GOTRACE_GOROUTINE_TABLE_H

#include "base/mem/mem.h"
#include "base/u64_map.h"

/*
 * Live goroutines by their ids. The user of the table defines the entries: their size, and the
 * offsets of the id (int64_t), of the byte that is 0 while an entry is unused, and of a pointer
 * that the table uses while the entry is unused. Unused entries hold no other data.
 */
struct goroutine_table_form { size_t size, align, id, used, next; };
struct goroutine_map {
	char *at;		/* [n]: entries by the low bits of their ids */
	uint64_t n, mask;	/* n: a power of two; mask: n - 1 */
	struct u64_hash far;	/* entries whose place was taken by another live one */
	void *room;		/* free list of entries for far */
	struct arena mem;	/* memory of the entries in far */
	const struct goroutine_table_form *form;
};

/* Return the number of places to begin with for a trace of this many bytes: of a small trace about one for each event,
   because a table of the usual size costs more than reading it. */
uint64_t goroutine_table_places(uint64_t bytes);
/* Make an empty table of n places (a power of two). Frees what *t held before. */
void goroutine_table_init(struct goroutine_map *, const struct goroutine_table_form *, uint64_t n);
void goroutine_table_free(struct goroutine_map *);
/* Return the place of an id. It may hold another goroutine or none; the goroutine itself may be in far. */
static inline void *goroutine_table_place(const struct goroutine_map *t, size_t size, int64_t id)
{
	return t->at + ((uint64_t)id & t->mask) * size;
}
void *goroutine_table_find_far(const struct goroutine_map *, int64_t id);	/* NULL: it is not in far */
/* Return an entry for an id that is not in the table. The caller fills it in. */
void *goroutine_table_add(struct goroutine_map *, int64_t id);
void goroutine_table_remove(struct goroutine_map *, void *);		/* remove an entry */
/* Return the next live entry; start with *i = 0. NULL at the end. */
void *goroutine_table_next(const struct goroutine_map *, size_t *i);
bool goroutine_table_is_crowded(
    const struct goroutine_map *, uint64_t most);  /* many entries are in far, and n < most */
/* Make the table four times as large. Pointers to entries become invalid. */
void goroutine_table_grow(struct goroutine_map *);

#endif
