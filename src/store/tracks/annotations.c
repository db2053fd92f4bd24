/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Writes marks, spans and counters to their columns in the order in which they arrive. The times of marks and of each
 * counter only grow: a late one, in a damaged trace, gets the time of the newest. Spans arrive when they end, so their
 * start times are in no order. For every 64 spans a block keeps their extent, and a search for the spans of a window
 * skips the blocks that do not reach into it. The road not taken is to order spans by their start: that would have to
 * wait until the last span has ended.
 */
#include "config.h"
#include "store/tracks/annotations.h"

void annotations_init(struct annotations *s, struct store *st)
{
	*s = (struct annotations){ .st = st };
	column_init(&st->marks, sizeof(struct sink_mark));
	column_init(&st->spans, sizeof(struct span_row));
	column_init(&st->span_blocks, sizeof(struct span_block));
	column_init(&st->utils, sizeof(struct sink_util));
	column_init(&st->heap_by, sizeof(trk_id));
	for (int c = 0; c < CT__N; c++)
		column_init(&st->counts[c], sizeof(struct count_row));
	for (int c = CT_RUNNABLE; c < CT__N; c++)
		column_init(&st->late_counts[c], sizeof(struct late_count));
}

void annotations_free(struct annotations *s)
{
	struct data_column *cols[] = { &s->st->marks, &s->st->spans, &s->st->span_blocks, &s->st->utils, &s->st->heap_by };
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		column_free(cols[i]);
	for (int c = 0; c < CT__N; c++)
		column_free(&s->st->counts[c]);
	for (int c = CT_RUNNABLE; c < CT__N; c++)
		column_free(&s->st->late_counts[c]);
}

void annotations_add_mark(struct annotations *s, const struct sink_mark *m)
{
	struct sink_mark *row = column_add(&s->st->marks, NULL);
	*row = *m;
	if (row->t < s->marked)
		row->t = s->marked;
	s->marked = row->t;
}

void annotations_add_span(struct annotations *s, const struct sink_span *span)
{
	uint32_t i;
	struct span_row *row = column_add(&s->st->spans, &i);
	row->s = *span;
	if (i % 64 == 0)
		s->block = (struct span_block){ INT64_MAX, INT64_MIN, 0 };
	time_search_block_add(&s->block, span);
	if (i % 64 == 63)
		*(struct span_block *)column_add(&s->st->span_blocks, NULL) = s->block;
}

void annotations_add_counter(struct annotations *s, int64_t t, enum counter c, uint64_t v, trk_id by)
{
	if (t < s->counted[c])
		t = s->counted[c];
	s->counted[c] = t;
	*(struct count_row *)column_add(&s->st->counts[c], NULL) = (struct count_row){ t, v };
	if (c == CT_HEAP_LIVE)
		*(trk_id *)column_add(&s->st->heap_by, NULL) = by;
}

void annotations_add_util(struct annotations *s, const struct sink_util *u)
{
	*(struct sink_util *)column_add(&s->st->utils, NULL) = *u;
}

void annotations_fill_snap(const struct annotations *s, struct snap *sn)
{
	sn->nmarks = column_n(&s->st->marks);
	sn->nspans = column_n(&s->st->spans);
	sn->nutils = column_n(&s->st->utils);
	for (int c = 0; c < CT_RUNNABLE; c++)
		sn->ncounts[c] = column_n(&s->st->counts[c]);
}
