/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Gathering what goes to many places: see write_batch.h. Equal keys stay in the order in which
 * they came. How many are gathered says how often a page comes back, how many are put
 * between two rests how many pages are there at once: 16 MB of them.
 */
#include "config.h"
#include "base/write_batch.h"

enum { PAGES = 1 << 12 };

static void put_all(struct scatter *s)
{
	keyed_sort(s->v, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		s->put(s->arg, s->at[s->v[i].key]++, s->v[i].v);
		if (i % PAGES == PAGES - 1)
			arena_rest(s->a);
	}
	arena_rest(s->a);
	s->n = 0;
}

void scatter_add(struct scatter *s, uint32_t key, uint32_t v)
{
	if (!s->v)
		s->v = xmalloc(SCATTER_GATHER * sizeof *s->v);
	s->v[s->n++] = (struct keyed){key, v};
	if (s->n == SCATTER_GATHER)
		put_all(s);
}

void scatter_end(struct scatter *s)
{
	if (s->n)
		put_all(s);
	mem_free(s->v);
	s->v = NULL;
}

void scatter_u32(void *arg, uint32_t where, uint32_t v)
{
	((uint32_t *)arg)[where] = v;
}
