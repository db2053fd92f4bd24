/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_GOROUTINE_TABLE_H
#define TTRACE_LOAD_GOTRACE_GOROUTINE_TABLE_H

#include "base/mem/mem.h"
#include "base/u64_map.h"

/*
 * Goroutines that live, by their numbers. What is known of one is the business of who has the table: he says how
 * large it is, and where in it its number (int64_t) lies, whether it lives (a byte, 0: no), and where a pointer may
 * lie while it does not. What is dead is room for another and holds nothing.
 */
struct goroutine_table_form { size_t size, align, id, used, next; };
struct goroutine_map {
	char *at;		/* [n]: by the last bits of their numbers; */
	uint64_t n, mask;	/* a power of two; one less */
	struct u64_hash far;	/* those whose place was taken by one that lived, */
	void *room;		/* and what is unused of these */
	struct arena mem;	/* where they are */
	const struct goroutine_table_form *form;
	bool spilled;		/* the table lies on disk, for memory is short */
};

/* Nobody lives yet. */
void goroutine_table_init(struct goroutine_map *, const struct goroutine_table_form *, uint64_t n);
void goroutine_table_free(struct goroutine_map *);
/* Where its number says that it is, if it is there and not far. */
static inline void *goroutine_table_place(const struct goroutine_map *t, size_t size, int64_t id)
{
	return t->at + ((uint64_t)id & t->mask) * size;
}
void *goroutine_table_find_far(const struct goroutine_map *, int64_t id);	/* NULL: it is none of those */
void *goroutine_table_add(struct goroutine_map *, int64_t id); /* a place for one that is not there; not filled in */
void goroutine_table_remove(struct goroutine_map *, void *);		/* it has ended */
/* All of them, from *i = 0 on; NULL: that was all. */
void *goroutine_table_next(const struct goroutine_map *, size_t *i);
bool goroutine_table_is_crowded(
    const struct goroutine_map *, uint64_t most);  /* many lie far, and it may grow to so many places */
void goroutine_table_grow(struct goroutine_map *); /* it grows: all of them are elsewhere afterwards */
/* It is not looked at for now. Nothing, where it is not on disk. */
void goroutine_table_release_pages(const struct goroutine_map *);
/* The same now and then, who looks at one after another. */
void goroutine_table_note_access(const struct goroutine_map *, uint64_t i);

#endif
