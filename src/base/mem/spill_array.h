/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_SPILL_ARRAY_H
#define TTRACE_BASE_MEM_SPILL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * An array that grows and is initially zero, for the state of very many objects of which few are in use for long. Set
 * width, and spills if it may be stored on disk.
 */
struct spillable_array {
	void *p;
	size_t n, width;	/* n: capacity in elements; width: bytes of an element */
	size_t prefaulted;		/* elements below this index are resident or need no prefaulting */
	bool spills;		/* a large array is stored on disk, if there is a spill file */
	enum { SPILL_ARRAY_HEAP, SPILL_ARRAY_PAGES, SPILL_ARRAY_DISK } storage;
};

void *spill_array_reserve_slow(struct spillable_array *, size_t need);
/* Make room for `need` elements and return the address of the array, which may have moved. */
static inline void *spill_array_reserve(struct spillable_array *s, size_t need)
{
	return need <= s->prefaulted ? s->p : spill_array_reserve_slow(s, need);
}
/* As spill_array_reserve(), but without prefaulting, for arrays of which few elements may ever be used. All elements
   may be used; their first access is slower. */
void spill_array_reserve_sparse(struct spillable_array *, size_t need);
/* Release the memory of elements [from, upto). Afterwards they are zero or unchanged: callers may rely on neither. */
void spill_array_discard(const struct spillable_array *, size_t from, size_t upto);
/* Release the resident pages of an array on disk; does nothing for other arrays. */
void spill_array_release_pages(const struct spillable_array *);
void spill_array_free(struct spillable_array *);

#endif
