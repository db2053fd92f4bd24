/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BASE_MEM_PAGE_ARRAY_H
#define TTRACE_BASE_MEM_PAGE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * An array that grows and is initially zero, for the state of very many objects of which few are in use for long. Set
 * width.
 */
struct page_array {
	void *p;
	size_t n, width;	/* n: capacity in elements; width: bytes of an element */
	size_t prefaulted;	/* elements below this index are resident or need no prefaulting */
	bool on_pages;		/* from mem_pages(), not the heap */
};

void *page_array_reserve_slow(struct page_array *, size_t need);
/* Make room for `need` elements and return the address of the array, which may have moved. */
static inline void *page_array_reserve(struct page_array *s, size_t need)
{
	return need <= s->prefaulted ? s->p : page_array_reserve_slow(s, need);
}
/* As page_array_reserve(), but without prefaulting, for arrays of which few elements may ever be used. All elements may
   be used; their first access is slower. */
void page_array_reserve_sparse(struct page_array *, size_t need);
/* Release the memory of elements [from, upto). Afterwards they are zero or unchanged: callers may rely on neither. */
void page_array_discard(const struct page_array *, size_t from, size_t upto);
void page_array_free(struct page_array *);

#endif
