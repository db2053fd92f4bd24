/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Gathers writes to many places, see write_batch.h. Equal keys keep their input order. The batch size determines how
 * often a page is touched again; the number of writes between two releases of pages determines how many pages are
 * resident at once: 16 MB of them.
 */
#include "config.h"
#include "base/write_batch.h"

enum { PAGES = 1 << 12 };

static void put_all(struct batch_writer *s)
{
	radix_sort_items(s->v, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		s->put(s->arg, s->at[s->v[i].key]++, s->v[i].v);
		if (i % PAGES == PAGES - 1)
			arena_release_pages(s->a);
	}
	arena_release_pages(s->a);
	s->n = 0;
}

void write_batch_add(struct batch_writer *s, uint32_t key, uint32_t v)
{
	if (!s->v)
		s->v = xmalloc(WRITE_BATCH_SIZE * sizeof *s->v);
	s->v[s->n++] = (struct radix_item){key, v};
	if (s->n == WRITE_BATCH_SIZE)
		put_all(s);
}

void write_batch_flush(struct batch_writer *s)
{
	if (s->n)
		put_all(s);
	mem_free(s->v);
	s->v = NULL;
}

void write_batch_put_u32(void *arg, uint32_t where, uint32_t v)
{
	((uint32_t *)arg)[where] = v;
}
