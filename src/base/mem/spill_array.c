/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Spillable arrays: see spill_array.h. A small array is on the heap. A large one has pages of its own, which the system
 * provides when they are touched and moves without copying. With little memory it is a part of the spill file
 * (mem_spill_alloc) and is copied a window at a time, so that growing takes no memory. Not taken: a column. Its
 * elements never move, but finding one takes ten instructions, and these arrays are read for every event.
 *
 * Only the thread that grows an array may release its pages.
 */
#include "config.h"
#include "base/mem/spill_array.h"

#include "base/mem/mem.h"

#include <string.h>

enum { LARGE = 1 << 20, WINDOW = 1 << 20, MEET = 1 << 16, LEAST = 16 };

static void copy_to_disk(struct spillable_array *s, char *to, size_t bytes)
{
	char *from = s->p;
	for (size_t at = 0; at < bytes; at += WINDOW) {
		size_t n = bytes - at < WINDOW ? bytes - at : WINDOW;
		memcpy(to + at, from + at, n);
		mem_spill_release_pages(to + at, n);
		if (s->storage == SPILL_ARRAY_DISK)
			mem_spill_release_pages(from + at, n);
	}
}

static void free_block(struct spillable_array *s)
{
	if (s->storage == SPILL_ARRAY_DISK)
		mem_spill_free(s->p, s->n * s->width);
	else if (s->storage == SPILL_ARRAY_PAGES)
		mem_pages_free(s->p, s->n * s->width);
	else
		mem_free(s->p);
}

/* Move the array to pages of its own; an array that is on pages already is enlarged. */
static void *move_to_pages(struct spillable_array *s, size_t was, size_t bytes)
{
	if (s->storage == SPILL_ARRAY_PAGES)
		return mem_pages_grow(s->p, was, bytes);
	void *p = mem_pages_grow(NULL, 0, bytes);
	if (was)
		memcpy(p, s->p, was);
	free_block(s);
	return p;
}

/* Prefault some pages ahead. Without it, a page that is read before it is written faults twice, and the second fault
   interrupts every thread. */
static void *prefault_more(struct spillable_array *s, size_t need)
{
	size_t upto = s->storage == SPILL_ARRAY_PAGES ? need + MEET / s->width : s->n;
	upto = upto < s->n ? upto : s->n;
	if (s->storage == SPILL_ARRAY_PAGES)
		mem_prefault(s->p, s->prefaulted * s->width, upto * s->width);
	s->prefaulted = upto;
	return s->p;
}

void spill_array_reserve_sparse(struct spillable_array *s, size_t need)
{
	if (need <= s->n)
		return;
	size_t n = s->n ? s->n : LEAST, was = s->n * s->width;
	while (n < need)
		n *= 2;
	size_t bytes = n * s->width;
	char *p = s->spills && bytes >= LARGE ? mem_spill_alloc(bytes) : NULL;
	if (p) {
		copy_to_disk(s, p, was);
		free_block(s);
		s->storage = SPILL_ARRAY_DISK;
	} else if (bytes >= LARGE) {
		p = move_to_pages(s, was, bytes);
		s->storage = SPILL_ARRAY_PAGES;
	} else {
		p = xrealloc(s->p, bytes);
		memset(p + was, 0, bytes - was);
	}
	s->p = p;
	s->n = n;
	if (s->storage != SPILL_ARRAY_PAGES)
		s->prefaulted = n;
}

void *spill_array_reserve_slow(struct spillable_array *s, size_t need)
{
	spill_array_reserve_sparse(s, need);
	return prefault_more(s, need);
}

void spill_array_discard(const struct spillable_array *s, size_t from, size_t upto)
{
	if (s->storage == SPILL_ARRAY_PAGES)
		mem_discard(s->p, from * s->width, upto * s->width);
}

void spill_array_release_pages(const struct spillable_array *s)
{
	if (s->storage == SPILL_ARRAY_DISK)
		mem_spill_release_pages(s->p, s->n * s->width);
}

void spill_array_free(struct spillable_array *s)
{
	free_block(s);
	*s = (struct spillable_array){ .width = s->width, .spills = s->spills };
}
