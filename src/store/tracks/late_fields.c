/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Fields of track rows that become known later: see late_fields.h. A goroutine that waits when the trace starts is
 * named when it first stops, and its row records when it first ran and when it ended. With half a million live
 * goroutines each such write is to another page on disk: all rows were read back between two sheets. So the values are
 * queued, in sixteen bytes each, and written in the order of the rows, with a few hundred resident pages at a time.
 *
 * A queued value is in no row yet. The queue is flushed before a batch is cut, before anything is published, and before
 * a row starts to describe a new life. Rows that were made lately are still resident and are written at once.
 */
#include "config.h"
#include "store/tracks/late_fields.h"

#include "base/mem/mem.h"

enum { GATHER = 1 << 16, LATELY = 1 << 14, PAGES = 1 << 8, WHATS = 4 };

void late_fields_flush(struct late_fields *l, struct store *st)
{
	radix_sort_items(l->v, l->n);
	for (uint32_t i = 0; i < l->n; i++) {
		enum late_field what = (enum late_field)(l->v[i].key % WHATS);
		if (l->looks++ % PAGES == PAGES - 1)
			column_release_pages(&st->trks);
		late_fields_set_now(
		    st, (trk_id)(l->v[i].key / WHATS), what, (what == LATE_NAME ? 0 : l->base) + l->v[i].v);
	}
	l->n = 0;
}

void late_fields_queue(
    struct late_fields *l, struct store *st, trk_id t, uint32_t n, enum late_field what, int64_t base, int64_t value)
{
	int64_t v = what == LATE_NAME ? value : value - base;
	bool fits = v >= 0 && v <= UINT32_MAX;
	if (l->n == GATHER || !fits)
		late_fields_flush(l, st);
	if (t + LATELY >= n || !fits) {
		late_fields_set_now(st, t, what, value);
		return;
	}
	l->base = what == LATE_NAME ? l->base : base;
	l->v = l->v ? l->v : xmalloc(GATHER * sizeof *l->v);
	l->v[l->n++] = (struct radix_item){ (uint64_t)t * WHATS + what, (uint32_t)v };
}

void late_fields_free(struct late_fields *l)
{
	mem_free(l->v);
	*l = (struct late_fields){0};
}
