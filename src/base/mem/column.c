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

void column_init(struct data_column *c, size_t width)
{
	memset(c, 0, sizeof *c);
	c->width = width;
}

static size_t seg_bytes(const struct data_column *c, size_t k)
{
	return ((size_t)COLUMN_FIRST << k) * c->width;
}

void column_free(struct data_column *c)
{
	for (size_t k = 0; k < COLUMN_SEGS; k++)
		if (c->seg[k])
			mem_bulk_free(c->seg[k], seg_bytes(c, k));
	column_init(c, c->width);
}

void *column_reserve(struct data_column *c, uint32_t want, uint32_t *got)
{
	uint32_t i = atomic_load_explicit(&c->n, memory_order_relaxed);
	uint32_t k = column_segment(i), end = COLUMN_FIRST * ((2u << k) - 1);
	if (!c->seg[k])
		c->seg[k] = mem_bulk(seg_bytes(c, k));
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
		c->seg[k] = mem_bulk(seg_bytes(c, k));
	c->end = (char *)c->seg[k] + seg_bytes(c, k);
	return column_at(c, i);
}
