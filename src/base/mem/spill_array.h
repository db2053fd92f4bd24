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
struct spillable_array {
	void *p;
	size_t n, width;	/* elements there is room for; bytes of one */
	size_t prefaulted;		/* so many can be looked at without the system being asked for a page of them */
	bool spills;		/* when it is large it goes to disk, where there is any */
	enum { SPILL_ARRAY_HEAP, SPILL_ARRAY_PAGES, SPILL_ARRAY_DISK } storage;
};

void *spill_array_reserve_slow(struct spillable_array *, size_t need);
/* Room for that many; where it is now. */
static inline void *spill_array_reserve(struct spillable_array *s, size_t need)
{
	return need <= s->prefaulted ? s->p : spill_array_reserve_slow(s, need);
}
/* The same where few of them may ever be looked at; what is not met by spill_array_reserve() later is as good, and
 * slower. */
void spill_array_reserve_sparse(struct spillable_array *, size_t need);
/* Those in [from, upto) are zero again, or as they were: nobody may rely on either. Memory is given back. */
void spill_array_discard(const struct spillable_array *, size_t from, size_t upto);
/* It is not looked at for now. Nothing, where it is not on disk. */
void spill_array_release_pages(const struct spillable_array *);
void spill_array_free(struct spillable_array *);

#endif
