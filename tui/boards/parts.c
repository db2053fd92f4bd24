/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The list below the table: what the selected row consists of. It belongs to the row of which it was filled: before it
 * is drawn or moves, the pane compares that with the selected row. Items are the parts of the row.
 */
#include "config.h"
#include "boards/pane.h"

#include "base/text/text.h"
#include "term/style.h"
#include "trace/wait_before.h"

#include <string.h>

enum parts_col { PART_LIST, PART_TIME, PART_COUNT, PART_CLASS, PART_WHERE, PART_WHOSE, PART_AT, PART_COLS };
static const struct pane_table_column cols[PART_COLS] = {
	[PART_LIST] = {"PART", 12, 0, LIST_TEXT, LIST_FIRST, 0, "list", "what it is a part of", true},
	[PART_TIME] = {"TIME", 8, 0, LIST_NUMBER, LIST_FIRST, 0, "ns", "how long it is, ~: estimated from samples", false},
	[PART_COUNT] = {"COUNT", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "count", "how many", false},
	[PART_CLASS] = {"CLASS", 9, 0, LIST_TEXT, LIST_FIRST, 0, "class", "what the time is spent with", true},
	[PART_WHERE] = {"WHERE", 26, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, NULL, "the line", false},
	[PART_WHOSE] = {"LONGEST ON", 18, 40, LIST_TEXT, LIST_THEN, 1, NULL, "the goroutine that shows it", false},
	[PART_AT] = {"AT", 10, 0, LIST_NUMBER, LIST_FIRST, 0, "at", "when, before: since before the trace", true},
};

static const struct board_part *part_of(const struct boards_state *p, uint32_t item)
{
	return &p->parts_of->part[item];
}

int boards_count_parts(const struct boards_state *p)
{
	const struct board_row *r = boards_selected(p);
	return r ? (int)r->nparts : 0;
}

const struct board_part *boards_selected_part(const struct boards_state *p)
{
	uint32_t i = p->parts_of && p->in_parts ? pane_table_selected(&p->parts) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : part_of(p, i);
}

static void put_cell(const struct pane_env *env, const struct board_part *v, enum parts_col col, struct buf *b)
{
	const struct store *st = session_snap(env->s)->st;
	switch (col) {
	case PART_LIST: buf_puts(b, v->list); break;
	case PART_TIME:
		if (!v->ns)
			break;
		buf_puts(b, v->approximate ? "~" : "");
		text_ns(b, v->ns);
		break;
	case PART_COUNT:
		if (v->count)
			text_count(b, v->count);
		break;
	case PART_CLASS: buf_puts(b, v->word); break;
	case PART_WHERE:
		if (v->stack)
			tracepane_put_site(st, v->stack, b);
		break;
	case PART_WHOSE:
		if (v->g)
			tracepane_put_track(st, v->g, b);
		break;
	case PART_AT:
		if (v->g && v->t0 != TIME_NONE && trace_waits_before(session_snap(env->s), v->g, v->t0))
			buf_puts(b, "before");
		else if (v->g && v->t0 != TIME_NONE)
			text_at(b, v->t0, 1000);
		break;
	case PART_COLS: break;
	}
}

static void draw_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct board_part *v = part_of(st, item);
	struct buf b = {0};
	put_cell(env, v, (enum parts_col)col, &b);
	int cls = col == PART_CLASS ? time_class_find(v->word) : -1;
	if (!b.n)
		grid_right(g, 0, cols[col].content == LIST_NUMBER ? w : 1, ST_DIM, 0, ".");
	else if (cols[col].content == LIST_NUMBER)
		grid_right(g, 0, w, ST_NORMAL, 0, buf_str(&b));
	else
		tracepane_draw_text(env, g, 0, 0, w,
		    cls < 0 ? ST_NORMAL : style_of_state(time_class_state((enum time_class)cls)), &b);
	buf_free(&b);
}

static int compare(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t k)
{
	const struct board_part *a = part_of(st, i), *b = part_of(st, k);
	(void)env;
	switch ((enum parts_col)col) {
	case PART_TIME: return sign * ((a->ns > b->ns) - (a->ns < b->ns));
	case PART_COUNT: return sign * ((a->count > b->count) - (a->count < b->count));
	case PART_CLASS: return sign * strcmp(a->word, b->word);
	case PART_AT: return sign * ((a->t0 > b->t0) - (a->t0 < b->t0));
	/* Lists keep their order, so by default the parts are in that of the board. */
	case PART_LIST: return strcmp(a->list, b->list) ? sign * ((i > k) - (i < k)) : 0;
	case PART_WHERE:
	case PART_WHOSE:
	case PART_COLS: break;
	}
	return 0;
}

static void put_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	static const enum parts_col in[] = {PART_LIST, PART_CLASS, PART_WHERE, PART_WHOSE};
	for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
		buf_puts(b, i ? "  " : "");
		put_cell(env, part_of(st, item), in[i], b);
	}
}

static const struct pane_table_kind parts_table = {
    .cols = cols, .ncol = PART_COLS, .sort = PART_LIST, .text = put_text, .cell = draw_cell, .compare = compare};

void boards_open_parts(struct boards_state *p)
{
	pane_table_open(&p->parts, &parts_table);
}

void boards_fill_parts(struct boards_state *p, const struct pane_env *env)
{
	const struct board_row *r = boards_selected(p);
	if (r == p->parts_of)
		return;
	p->parts_of = r;
	p->parts.sel = -1;
	pane_table_fill(&p->parts, p, env, r ? r->nparts : 0);
	list_select(&p->parts.rows, 0);
	p->in_parts &= p->parts.rows.n > 0;
}
