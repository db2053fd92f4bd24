/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Arrays on pages: see page_array.h. A small array is on the heap. A large one has pages of its own, which the system
 * provides when they are touched and moves without copying. Not taken: a column. Its elements never move, but finding
 * one takes ten instructions, and these arrays are read for every event.
 */
#include "config.h"
#include "base/mem/page_array.h"

#include "base/mem/mem.h"

#include <string.h>

enum { LARGE = 1 << 20, MEET = 1 << 16, LEAST = 16 };

static void free_block(struct page_array *s)
{
	if (s->on_pages)
		mem_pages_free(s->p, s->n * s->width);
	else
		mem_free(s->p);
}

/* Move the array to pages of its own; an array that is on pages already is enlarged. */
static void *move_to_pages(struct page_array *s, size_t was, size_t bytes)
{
	if (s->on_pages)
		return mem_pages_grow(s->p, was, bytes);
	void *p = mem_pages_grow(NULL, 0, bytes);
	if (was)
		memcpy(p, s->p, was);
	free_block(s);
	return p;
}

/* Prefault some pages ahead. Without it, a page that is read before it is written faults twice, and the second fault
   interrupts every thread. */
static void *prefault_more(struct page_array *s, size_t need)
{
	size_t upto = s->on_pages ? need + MEET / s->width : s->n;
	upto = upto < s->n ? upto : s->n;
	if (s->on_pages)
		mem_prefault(s->p, s->prefaulted * s->width, upto * s->width);
	s->prefaulted = upto;
	return s->p;
}

void page_array_reserve_sparse(struct page_array *s, size_t need)
{
	if (need <= s->n)
		return;
	size_t n = s->n ? s->n : LEAST, was = s->n * s->width;
	while (n < need)
		n *= 2;
	size_t bytes = n * s->width;
	if (bytes >= LARGE) {
		s->p = move_to_pages(s, was, bytes);
		s->on_pages = true;
	} else {
		s->p = xrealloc(s->p, bytes);
		memset((char *)s->p + was, 0, bytes - was);
		s->prefaulted = n;
	}
	s->n = n;
}

void *page_array_reserve_slow(struct page_array *s, size_t need)
{
	page_array_reserve_sparse(s, need);
	return prefault_more(s, need);
}

void page_array_discard(const struct page_array *s, size_t from, size_t upto)
{
	if (s->on_pages)
		mem_discard(s->p, from * s->width, upto * s->width);
}

void page_array_free(struct page_array *s)
{
	free_block(s);
	*s = (struct page_array){ .width = s->width };
}
