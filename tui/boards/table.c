/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* The tables of the pane: the columns are those of the boards (boards.def), drawn by their unit. */
#include "config.h"
#include "boards/pane.h"

#include "base/text/text.h"
#include "term/style.h"

#include <inttypes.h>

/* Units whose columns are aligned to the right, and sorted largest first. */
#define RIGHT(unit) ((unit) <= BOARD_ESTIMATE)
/* Units whose texts may have any width. */
#define ELASTIC(unit) ((unit) == BOARD_PLACE || (unit) == BOARD_NAME)

static const struct pane_table_column cols[BOARD_COLUMN__N] = {
#define BOARD(id, name, title, curve, purpose)
#define BOARD_COLUMN(board, id, key, title, head, width, unit, what) \
	[BOARD_##board##_##id] = {head, (width) ? ELASTIC(unit) ? 20 : (width) : 26, ELASTIC(unit) ? LIST_NAME_WANT : 0, \
	    RIGHT(unit) ? LIST_NUMBER : LIST_TEXT, (width) ? ELASTIC(unit) ? LIST_THEN : LIST_FIRST : LIST_KEPT, ELASTIC(unit), key, what, !RIGHT(unit)},
#include "boards/boards.def"
#undef BOARD
#undef BOARD_COLUMN
};

/* Return the column of the board that is shown. */
static enum board_column_id column_of(const struct boards_state *p, int col)
{
	return (enum board_column_id)(board_first_column(p->id) + (unsigned)col);
}

static const struct board_row *row_of(const struct boards_state *p, uint32_t item)
{
	return &p->board[p->id]->v[item];
}

const struct board_row *boards_selected(const struct boards_state *p)
{
	uint32_t i = p->board[p->id] ? pane_table_selected(&p->table[p->id]) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : row_of(p, i);
}

static void put_number(struct buf *b, double v)
{
	buf_printf(b, v < 10 ? "%.2f" : v < 1000 ? "%.1f" : "%.0f", v);
}

void boards_put_cell(const struct pane_env *env, enum board_column_id col, const struct board_cell *c, struct buf *b)
{
	if (!c->some)
		return;
	switch (board_columns[col].unit) {
	case BOARD_COUNT: text_count(b, (uint64_t)c->i); break;
	case BOARD_NS: text_ns(b, c->i); break;
	case BOARD_NUMBER: put_number(b, c->f); break;
	case BOARD_SHARE: buf_printf(b, "%.1f%%", 100 * c->f); break;
	case BOARD_ESTIMATE: buf_printf(b, "~%.1f%%", 100 * c->f); break;
	case BOARD_WORD:
	case BOARD_NAME: text_safe(b, c->s, c->n); break;
	case BOARD_PLACE: tracepane_put_site(session_snap(env->s)->st, c->stack, b); break;
	}
}

static enum style style_of(enum board_column_id col, const struct board_cell *c)
{
	int cls = board_columns[col].unit == BOARD_WORD && c->some ? time_class_find(c->s) : -1;
	return cls < 0 ? ST_NORMAL : style_of_state(time_class_state((enum time_class)cls));
}

static void draw_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int k)
{
	const struct boards_state *p = st;
	enum board_column_id col = column_of(p, k);
	const struct board_cell *c = &row_of(p, item)->cell[k];
	struct buf b = {0};
	boards_put_cell(env, col, c, &b);
	if (!c->some && c->s)
		grid_textn(g, 0, 0, ST_DIM, 0, c->s, c->n);
	else if (!c->some || (board_columns[col].unit <= BOARD_NS && !c->i))
		grid_right(g, 0, cols[col].content == LIST_NUMBER ? w : 1, ST_DIM, 0, ".");
	else if (cols[col].content == LIST_NUMBER)
		grid_right(g, 0, w, ST_NORMAL, 0, buf_str(&b));
	else
		tracepane_draw_text(env, g, 0, 0, w, style_of(col, c), &b);
	buf_free(&b);
}

static int compare(const void *st, const struct pane_env *env, int k, int sign, uint32_t i, uint32_t j)
{
	const struct boards_state *p = st;
	const struct board_cell *a = &row_of(p, i)->cell[k], *b = &row_of(p, j)->cell[k];
	if (a->some != b->some)
		return a->some ? -1 : 1;
	return sign * board_compare(session_snap(env->s)->st, column_of(p, k), a, b);
}

static void put_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct boards_state *p = st;
	for (int k = 0; k < p->kind[p->id].ncol; k++) {
		if (cols[column_of(p, k)].content == LIST_NUMBER)
			continue;
		buf_puts(b, b->n ? "  " : "");
		boards_put_cell(env, column_of(p, k), &row_of(p, item)->cell[k], b);
	}
}

void boards_open_tables(struct boards_state *p)
{
	for (int i = 0; i < BOARD__N; i++) {
		int n = (int)board_count_columns((enum board_id)i);
		const struct pane_table_column *first = &cols[board_first_column((enum board_id)i)];
		p->kind[i] = (struct pane_table_kind){
		    .cols = first, .ncol = n, .text = put_text, .cell = draw_cell, .compare = compare};
		pane_table_open(&p->table[i], &p->kind[i]);
	}
}
