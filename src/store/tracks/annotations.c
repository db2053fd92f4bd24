/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Marks, spans and counters go straight to their columns, in the order in which
 * they are said. Times of marks and of each counter only grow: one that comes too
 * late, of a damaged trace, is moved to the newest. Spans are said when they end,
 * so their beginnings are in no order; of every 64 of them is kept how far they
 * reach, and who looks for those of a window passes over the others. The road not
 * taken is to put them in order of their beginnings: that would have to wait for
 * the last one to end.
 */
#include "config.h"
#include "store/tracks/annotations.h"

void strips_init(struct strips *s, struct store *st)
{
	*s = (struct strips){ .st = st };
	col_init(&st->marks, sizeof(struct sink_mark));
	col_init(&st->spans, sizeof(struct span_row));
	col_init(&st->span_blocks, sizeof(struct span_block));
	col_init(&st->utils, sizeof(struct sink_util));
	for (int c = 0; c < CT__N; c++)
		col_init(&st->counts[c], sizeof(struct count_row));
}

void strips_free(struct strips *s)
{
	struct col *cols[] = { &s->st->marks, &s->st->spans, &s->st->span_blocks, &s->st->utils };
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		col_free(cols[i]);
	for (int c = 0; c < CT__N; c++)
		col_free(&s->st->counts[c]);
}

void strips_mark(struct strips *s, const struct sink_mark *m)
{
	struct sink_mark *row = col_add(&s->st->marks, NULL);
	*row = *m;
	if (row->t < s->marked)
		row->t = s->marked;
	s->marked = row->t;
}

void strips_span(struct strips *s, const struct sink_span *span)
{
	uint32_t i;
	struct span_row *row = col_add(&s->st->spans, &i);
	row->s = *span;
	if (i % 64 == 0)
		s->block = (struct span_block){ INT64_MAX, INT64_MIN, 0 };
	span_block_add(&s->block, span);
	if (i % 64 == 63)
		*(struct span_block *)col_add(&s->st->span_blocks, NULL) = s->block;
}

void strips_count(struct strips *s, int64_t t, enum counter c, uint64_t v)
{
	if (t < s->counted[c])
		t = s->counted[c];
	s->counted[c] = t;
	*(struct count_row *)col_add(&s->st->counts[c], NULL) = (struct count_row){ t, v };
}

void strips_util(struct strips *s, const struct sink_util *u)
{
	*(struct sink_util *)col_add(&s->st->utils, NULL) = *u;
}

void strips_rest(const struct strips *s)
{
	col_rest(&s->st->marks);
	col_rest(&s->st->spans);
	col_rest(&s->st->utils);
	for (int c = 0; c < CT_RUNNABLE; c++)
		col_rest(&s->st->counts[c]);
}

void strips_snap(const struct strips *s, struct snap *sn)
{
	sn->nmarks = col_n(&s->st->marks);
	sn->nspans = col_n(&s->st->spans);
	sn->nutils = col_n(&s->st->utils);
	for (int c = 0; c < CT_RUNNABLE; c++)
		sn->ncounts[c] = col_n(&s->st->counts[c]);
}
