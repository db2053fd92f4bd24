/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_SPILL_ARRAY_H
#define TTRACE_BASE_MEM_SPILL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * An array that grows and is all zero at first, for what is known of each of very many
 * things of which few are looked at for long. Set width, and spills where it may lie on disk.
 */
struct shelf {
	void *p;
	size_t n, width;	/* elements there is room for; bytes of one */
	size_t met;		/* so many can be looked at without the system being asked for a page of them */
	bool spills;		/* when it is large it goes to disk, where there is any */
	enum { SHELF_HEAP, SHELF_PAGES, SHELF_DISK } lies;
};

void *shelf_meet(struct shelf *, size_t need);
/* Room for that many; where it is now. */
static inline void *shelf_room(struct shelf *s, size_t need)
{
	return need <= s->met ? s->p : shelf_meet(s, need);
}
/* The same where few of them may ever be looked at; what is not met by shelf_room() later is as good, and slower. */
void shelf_reach(struct shelf *, size_t need);
/* Those in [from, upto) are zero again, or as they were: nobody may rely on either. Memory is given back. */
void shelf_spent(const struct shelf *, size_t from, size_t upto);
/* It is not looked at for now. Nothing, where it is not on disk. */
void shelf_rest(const struct shelf *);
void shelf_free(struct shelf *);

#endif
