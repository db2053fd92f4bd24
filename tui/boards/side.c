/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* What is known of the selected row beyond its columns: its curve over time, and its stack. */
#include "config.h"
#include "boards/pane.h"

#include "base/text/text.h"
#include "term/style.h"


/* Return the mean of a curve in column x of w. */
static double column_mean(const double *curve, int x, int w)
{
	int a = x * BOARD_SLOTS / w, b = (x + 1) * BOARD_SLOTS / w;
	double sum = 0;
	b = b > a ? b : a + 1;
	for (int i = a; i < b; i++)
		sum += curve[i];
	return sum / (b - a);
}

/* Draw h lines of a chart; return the line after it. */
static int draw_chart(struct grid *g, int y, int h, const double *curve, double most)
{
	for (int x = 0; x < g->w; x++) {
		double level = column_mean(curve, x, g->w) / most * h;
		for (int i = 0; i < h; i++) {
			double part = level - (h - 1 - i);
			if (part > 0)
				grid_level(g, y + i, x, part < 1 ? part : 1, ST_HEAT, ST_NORMAL);
		}
	}
	return y + h;
}

int boards_draw_curve(const struct boards_state *p, const struct board_row *r, struct grid *g, int y)
{
	enum { CHART = 4 };
	if (!r->curve)
		return y;
	const struct board *b = p->board[p->id];
	struct buf t = {0};
	double most = 0;
	for (int x = 0; x < g->w; x++) {
		double v = column_mean(r->curve, x, g->w);
		most = v > most ? v : most;
	}
	grid_text(g, y, 0, ST_HEAD, 0, board_kinds[p->id].curve);
	buf_printf(&t, "  at most %.*f", most < 10 ? 2 : 0, most);
	grid_right(g, y, g->w, ST_HEAD, 0, buf_str(&t));
	y = draw_chart(g, y + 1, CHART, r->curve, most > 0 ? most : 1);
	buf_reset(&t);
	text_at(&t, b->t0, 1000000);
	int x = grid_text(g, y, 0, ST_DIM, 0, buf_str(&t));
	buf_reset(&t);
	text_at(&t, b->t1, 1000000);
	if (x + 1 + (int)t.n <= g->w)
		grid_right(g, y, g->w, ST_DIM, 0, buf_str(&t));
	buf_free(&t);
	return y + 2;
}

void boards_draw_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct boards_state *p = st;
	const struct board_row *r = boards_selected(p);
	if (!r)
		return;
	int y = boards_draw_curve(p, r, g, 0);
	if (y + 1 < g->h && r->stack) {
		grid_text(g, y, 0, ST_HEAD, 0, "stack");
		tracepane_draw_stack(env, g, y + 1, g->h, r->stack);
	}
}

/* Append the columns that are too wide for some screens: the words, names and places. */
void boards_put_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct boards_state *p = st;
	const struct board_row *r = boards_selected(p);
	enum board_column_id first = board_first_column(p->id);
	uint32_t n = board_count_columns(p->id);
	for (uint32_t i = 0; r && i < n; i++) {
		const struct board_column *c = &board_columns[first + i];
		if (c->unit < BOARD_WORD || !r->cell[i].some)
			continue;
		buf_puts(b, b->n ? "  " : "");
		for (const char *s = c->title; *s; s++)
			buf_putc(b, s == c->title ? (char)(*s | ' ') : *s);
		buf_putc(b, ' ');
		boards_put_cell(env, (enum board_column_id)(first + i), &r->cell[i], b);
	}
}
