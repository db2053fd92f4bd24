/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Searching columns that are ordered by time. Marks and counters are found by binary search. Spans are in the order of
 * their ends and may nest across goroutines, so those of a window are found by the extent of every 64 of them: a
 * million spans are 16 thousand comparisons, which does not show in a redraw. An interval tree would have to be rebuilt
 * for every publication.
 */
#include "config.h"
#include "store/tracks/time_search.h"
#include "base/bsearch.h"

static bool span_overlaps(const struct sink_span *s, uint32_t kinds, int64_t t0, int64_t t1)
{
	return kinds >> s->kind & 1 && (s->t0 == TIME_NONE || s->t0 < t1) && (s->t1 == TIME_NONE || s->t1 >= t0);
}

uint32_t time_search_next_span(const struct snap *sn, uint32_t from, uint32_t kinds, int64_t t0, int64_t t1)
{
	for (uint32_t i = from; i < sn->nspans;) {
		if (i % 64 == 0 && sn->nspans - i >= 64) {
			const struct span_block *b = column_at(&sn->st->span_blocks, i / 64);
			if (!(b->kinds & kinds) || b->t0 >= t1 || b->t1 < t0) {
				i += 64;
				continue;
			}
		}
		if (span_overlaps(&store_span(sn->st, i)->s, kinds, t0, t1))
			return i;
		i++;
	}
	return UINT32_MAX;
}

void time_search_block_add(struct span_block *b, const struct sink_span *s)
{
	int64_t t0 = s->t0 == TIME_NONE ? INT64_MIN : s->t0, t1 = s->t1 == TIME_NONE ? INT64_MAX : s->t1;
	if (t0 < b->t0)
		b->t0 = t0;
	if (t1 > b->t1)
		b->t1 = t1;
	b->kinds |= 1u << s->kind;
}

void time_search_span_bounds(const struct snap *sn, const struct sink_span *s, int64_t *t0, int64_t *t1)
{
	*t0 = s->t0 == TIME_NONE ? sn->t0 : s->t0;
	*t1 = s->t1 == TIME_NONE ? sn->t1 : s->t1;
}

/* Return the index of the first mark at or after t. */
static uint32_t mark_at(const struct snap *sn, int64_t t)
{
	struct bsearch_probe h = {.hi = sn->nmarks};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_mark(sn->st, h.at)->t < t);
	return h.lo;
}

uint32_t time_search_marks(const struct snap *sn, int64_t t0, int64_t t1, uint32_t *end)
{
	*end = mark_at(sn, t1);
	return mark_at(sn, t0);
}

uint32_t time_search_counter(const struct snap *sn, enum counter c, int64_t t)
{
	struct bsearch_probe h = {.hi = sn->ncounts[c]};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_count(sn->st, c, h.at)->t <= t);
	return h.lo ? h.lo - 1 : UINT32_MAX;
}
