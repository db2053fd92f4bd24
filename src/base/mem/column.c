/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Columns: see column.h for the shape and the promise. The road not taken is one
 * array that doubles by realloc: half the code, but every reader would need the
 * writer's lock, and a 60 M row column would be copied eight times.
 */
#include "config.h"
#include "base/mem/column.h"

#include "base/mem/mem.h"

#include <string.h>

enum { LARGE = 1 << 22, SPILLS = 1 << 18 };	/* bytes of a segment: on pages of its own; to disk */

void col_init(struct col *c, size_t width)
{
	memset(c, 0, sizeof *c);
	c->width = width;
}

/* Segment k, zeroed. That it is spilled is said last: others ask by that whether it is there. */
static void seg_new(struct col *c, uint32_t k)
{
	size_t n = ((size_t)COL_FIRST << k) * c->width;
	void *p = n >= SPILLS && c->spills ? mem_spilled(n) : NULL;
	c->seg[k] = p ? p : n < LARGE ? xcalloc(1, n) : mem_pages(n);
	if (p)
		atomic_fetch_or_explicit(&c->spilled, 1u << k, memory_order_release);
}

void col_rest(const struct col *c)
{
	uint32_t spilled = atomic_load_explicit(&c->spilled, memory_order_acquire);
	for (uint32_t k = 0; k < COL_SEGS; k++)
		if (spilled >> k & 1)
			mem_spilled_rest(c->seg[k], ((size_t)COL_FIRST << k) * c->width);
}

void col_random(const struct col *c)
{
	uint32_t spilled = atomic_load_explicit(&c->spilled, memory_order_acquire);
	for (uint32_t k = 0; k < COL_SEGS; k++)
		if (spilled >> k & 1)
			mem_spilled_random(c->seg[k], ((size_t)COL_FIRST << k) * c->width);
}

static void seg_free(void *p, size_t n, bool spilled)
{
	if (spilled)
		mem_spilled_free(p, n);
	else if (n < LARGE)
		mem_free(p);
	else
		mem_pages_free(p, n);
}

void col_free(struct col *c)
{
	uint32_t spilled = atomic_load_explicit(&c->spilled, memory_order_relaxed);
	for (size_t k = 0; k < COL_SEGS; k++)
		if (!k || !c->lent)
			seg_free(c->seg[k], ((size_t)COL_FIRST << k) * c->width, spilled >> k & 1);
	col_init(c, c->width);
}

void col_lend(struct col *c, const void *rows, uint32_t n)
{
	const char *p = rows;
	for (uint32_t i = col_n(c); i < n && i < COL_FIRST; i++)
		memcpy(col_add(c, NULL), p + i * c->width, c->width);
	if (n <= COL_FIRST)
		return;
	c->lent = true;
	for (uint32_t k = 1; k < COL_SEGS; k++) {
		uint32_t base = COL_FIRST * ((1u << k) - 1);
		if (base >= n)
			break;
		c->seg[k] = (void *)(uintptr_t)(p + base * c->width);
	}
	atomic_store_explicit(&c->n, n, memory_order_release);
}

void *col_room(struct col *c, uint32_t want, uint32_t *got)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed);
	uint32_t k = col_seg(i), end = COL_FIRST * ((2u << k) - 1);
	if (!c->seg[k])
		seg_new(c, k);
	*got = want < end - i ? want : end - i;
	return col_at(c, i);
}

void col_grew(struct col *c, uint32_t n)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed);
	c->next = c->end = NULL;
	atomic_store_explicit(&c->n, i + n, memory_order_release);
}

/* Where the next goes, and where the segment ends that it is in. */
void *col_add_more(struct col *c)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed), k = col_seg(i);
	if (!c->seg[k])
		seg_new(c, k);
	c->end = (char *)c->seg[k] + ((size_t)COL_FIRST << k) * c->width;
	return col_at(c, i);
}
