/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Columns: see column.h for the structure and its guarantees. Not taken: one array that doubles by realloc. That is
 * half the code, but every reader would need the writer's lock, and a column of 60 M rows would be copied eight times.
 */
#include "config.h"
#include "base/mem/column.h"

#include "base/mem/mem.h"

#include <string.h>

/* segment sizes in bytes: LARGE: on pages of its own; SPILLS: on disk */
enum { LARGE = 1 << 22, SPILLS = 1 << 18 };

void column_init(struct data_column *c, size_t width)
{
	memset(c, 0, sizeof *c);
	c->width = width;
}

/* Allocate segment k, zeroed. Its bit in `spilled` is set last, because other threads take it to mean that the segment
   exists. */
static void seg_new(struct data_column *c, uint32_t k)
{
	size_t n = ((size_t)COLUMN_FIRST << k) * c->width;
	void *p = n >= SPILLS && c->spills ? mem_spill_alloc(n) : NULL;
	c->seg[k] = p ? p : n < LARGE ? xcalloc(1, n) : mem_pages(n);
	if (p)
		atomic_fetch_or_explicit(&c->spilled, 1u << k, memory_order_release);
}

void column_release_pages(const struct data_column *c)
{
	uint32_t spilled = atomic_load_explicit(&c->spilled, memory_order_acquire);
	for (uint32_t k = 0; k < COLUMN_SEGS; k++)
		if (spilled >> k & 1)
			mem_spill_release_pages(c->seg[k], ((size_t)COLUMN_FIRST << k) * c->width);
}

void column_advise_random(const struct data_column *c)
{
	uint32_t spilled = atomic_load_explicit(&c->spilled, memory_order_acquire);
	for (uint32_t k = 0; k < COLUMN_SEGS; k++)
		if (spilled >> k & 1)
			mem_spill_advise_random(c->seg[k], ((size_t)COLUMN_FIRST << k) * c->width);
}

static void seg_free(void *p, size_t n, bool spilled)
{
	if (spilled)
		mem_spill_free(p, n);
	else if (n < LARGE)
		mem_free(p);
	else
		mem_pages_free(p, n);
}

void column_free(struct data_column *c)
{
	uint32_t spilled = atomic_load_explicit(&c->spilled, memory_order_relaxed);
	for (size_t k = 0; k < COLUMN_SEGS; k++)
		if (!k || !c->attached)
			seg_free(c->seg[k], ((size_t)COLUMN_FIRST << k) * c->width, spilled >> k & 1);
	column_init(c, c->width);
}

void column_attach(struct data_column *c, const void *rows, uint32_t n)
{
	const char *p = rows;
	for (uint32_t i = column_n(c); i < n && i < COLUMN_FIRST; i++)
		memcpy(column_add(c, NULL), p + i * c->width, c->width);
	if (n <= COLUMN_FIRST)
		return;
	c->attached = true;
	for (uint32_t k = 1; k < COLUMN_SEGS; k++) {
		uint32_t base = COLUMN_FIRST * ((1u << k) - 1);
		if (base >= n)
			break;
		c->seg[k] = (void *)(uintptr_t)(p + base * c->width);
	}
	atomic_store_explicit(&c->n, n, memory_order_release);
}

void *column_reserve(struct data_column *c, uint32_t want, uint32_t *got)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed);
	uint32_t k = column_segment(i), end = COLUMN_FIRST * ((2u << k) - 1);
	if (!c->seg[k])
		seg_new(c, k);
	*got = want < end - i ? want : end - i;
	return column_at(c, i);
}

void column_commit(struct data_column *c, uint32_t n)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed);
	c->next = c->end = NULL;
	atomic_store_explicit(&c->n, i + n, memory_order_release);
}

/* Return the place of the next element, and set c->end to the end of its segment. */
void *column_add_segment(struct data_column *c)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed), k = column_segment(i);
	if (!c->seg[k])
		seg_new(c, k);
	c->end = (char *)c->seg[k] + ((size_t)COLUMN_FIRST << k) * c->width;
	return column_at(c, i);
}
