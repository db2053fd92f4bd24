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
struct gonear_form { size_t size, align, id, used, next; };
struct gonear {
	char *at;		/* [n]: by the last bits of their numbers; */
	uint64_t n, mask;	/* a power of two; one less */
	struct idmap far;	/* those whose place was taken by one that lived, */
	void *room;		/* and what is unused of these */
	struct arena mem;	/* where they are */
	const struct gonear_form *form;
	bool spilled;		/* the table lies on disk, for memory is short */
};

void gonear_init(struct gonear *, const struct gonear_form *, uint64_t n);	/* nobody lives yet */
void gonear_free(struct gonear *);
/* Where its number says that it is, if it is there and not far. */
static inline void *gonear_place(const struct gonear *t, size_t size, int64_t id)
{
	return t->at + ((uint64_t)id & t->mask) * size;
}
void *gonear_far(const struct gonear *, int64_t id);	/* NULL: it is none of those */
void *gonear_add(struct gonear *, int64_t id);		/* a place for one that is not there; not filled in */
void gonear_drop(struct gonear *, void *);		/* it has ended */
void *gonear_next(const struct gonear *, size_t *i);	/* all of them, from *i = 0 on; NULL: that was all */
bool gonear_crowded(const struct gonear *, uint64_t most);	/* many lie far, and it may grow to so many places */
void gonear_spread(struct gonear *);			/* it grows: all of them are elsewhere afterwards */
void gonear_rest(const struct gonear *);		/* it is not looked at for now. Nothing, where it is not on disk */
void gonear_pass(const struct gonear *, uint64_t i);	/* the same now and then, who looks at one after another */

#endif
