/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Shelves: see spill_array.h. One is an array on the heap while it is small, then pages of
 * its own, which the system gives when they are touched and moves without copying;
 * or, where memory is short, a part of the file without a name (mem_spilled), which
 * is moved a window at a time, so that moving it takes no memory. The road not taken is a column: its elements never
 * move, but finding one takes ten instructions, and these are looked up at every event.
 *
 * Only the thread that grows it may let it rest.
 */
#include "config.h"
#include "base/mem/spill_array.h"

#include "base/mem/mem.h"

#include <string.h>

enum { LARGE = 1 << 20, WINDOW = 1 << 20, MEET = 1 << 16, LEAST = 16 };

static void to_disk(struct shelf *s, char *to, size_t bytes)
{
	char *from = s->p;
	for (size_t at = 0; at < bytes; at += WINDOW) {
		size_t n = bytes - at < WINDOW ? bytes - at : WINDOW;
		memcpy(to + at, from + at, n);
		mem_spilled_rest(to + at, n);
		if (s->lies == SHELF_DISK)
			mem_spilled_rest(from + at, n);
	}
}

static void let_go(struct shelf *s)
{
	if (s->lies == SHELF_DISK)
		mem_spilled_free(s->p, s->n * s->width);
	else if (s->lies == SHELF_PAGES)
		mem_pages_free(s->p, s->n * s->width);
	else
		mem_free(s->p);
}

/* Pages of its own: those that are there already are moved. */
static void *to_pages(struct shelf *s, size_t was, size_t bytes)
{
	if (s->lies == SHELF_PAGES)
		return mem_pages_grow(s->p, was, bytes);
	void *p = mem_pages_grow(NULL, 0, bytes);
	if (was)
		memcpy(p, s->p, was);
	let_go(s);
	return p;
}

/* Pages are asked for a few at a time. What is looked at before it is written would take two turns for each, and then
   every thread hears of it. */
static void *meet(struct shelf *s, size_t need)
{
	size_t upto = s->lies == SHELF_PAGES ? need + MEET / s->width : s->n;
	upto = upto < s->n ? upto : s->n;
	if (s->lies == SHELF_PAGES)
		mem_meet(s->p, s->met * s->width, upto * s->width);
	s->met = upto;
	return s->p;
}

void shelf_reach(struct shelf *s, size_t need)
{
	if (need <= s->n)
		return;
	size_t n = s->n ? s->n : LEAST, was = s->n * s->width;
	while (n < need)
		n *= 2;
	size_t bytes = n * s->width;
	char *p = s->spills && bytes >= LARGE ? mem_spilled(bytes) : NULL;
	if (p) {
		to_disk(s, p, was);
		let_go(s);
		s->lies = SHELF_DISK;
	} else if (bytes >= LARGE) {
		p = to_pages(s, was, bytes);
		s->lies = SHELF_PAGES;
	} else {
		p = xrealloc(s->p, bytes);
		memset(p + was, 0, bytes - was);
	}
	s->p = p;
	s->n = n;
	if (s->lies != SHELF_PAGES)
		s->met = n;
}

void *shelf_meet(struct shelf *s, size_t need)
{
	shelf_reach(s, need);
	return meet(s, need);
}

void shelf_spent(const struct shelf *s, size_t from, size_t upto)
{
	if (s->lies == SHELF_PAGES)
		mem_spent(s->p, from * s->width, upto * s->width);
}

void shelf_rest(const struct shelf *s)
{
	if (s->lies == SHELF_DISK)
		mem_spilled_rest(s->p, s->n * s->width);
}

void shelf_free(struct shelf *s)
{
	let_go(s);
	*s = (struct shelf){ .width = s->width, .spills = s->spills };
}
