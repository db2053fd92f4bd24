/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is learnt of tracks later: see late_fields.h. A goroutine that waits when the trace begins is named when it first
 * stops, and its row says when it first ran and when it ended. Of half a million that live each such moment is
 * another page of what lies on disk: all rows came back between two sheets. So these are gathered, sixteen
 * bytes each, and go into the rows in the order in which they lie, of which a few hundred pages are there at a time.
 *
 * What is gathered is in no row: it is put there before a piece is cut, before anything is published, and before
 * a row is told of a new life. Rows that were made lately are at hand, and are told at once.
 */
#include "config.h"
#include "store/tracks/late_fields.h"

#include "base/mem/mem.h"

enum { GATHER = 1 << 16, LATELY = 1 << 14, PAGES = 1 << 8, WHATS = 4 };

void learnt_put(struct learnt *l, struct store *st)
{
	keyed_sort(l->v, l->n);
	for (uint32_t i = 0; i < l->n; i++) {
		enum learnt_what what = (enum learnt_what)(l->v[i].key % WHATS);
		if (l->looks++ % PAGES == PAGES - 1)
			col_rest(&st->trks);
		learnt_say(st, (trk_id)(l->v[i].key / WHATS), what, (what == LEARNT_NAME ? 0 : l->base) + l->v[i].v);
	}
	l->n = 0;
}

void learnt_late(struct learnt *l, struct store *st, trk_id t, uint32_t n, enum learnt_what what, int64_t base,
    int64_t value)
{
	int64_t v = what == LEARNT_NAME ? value : value - base;
	bool fits = v >= 0 && v <= UINT32_MAX;
	if (l->n == GATHER || !fits)
		learnt_put(l, st);
	if (t + LATELY >= n || !fits) {
		learnt_say(st, t, what, value);
		return;
	}
	l->base = what == LEARNT_NAME ? l->base : base;
	l->v = l->v ? l->v : xmalloc(GATHER * sizeof *l->v);
	l->v[l->n++] = (struct keyed){ (uint64_t)t * WHATS + what, (uint32_t)v };
}

void learnt_free(struct learnt *l)
{
	mem_free(l->v);
	*l = (struct learnt){0};
}
