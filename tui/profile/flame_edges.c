/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of a flame graph that are outside of the window. If there are some, the first line names the rows above it and
 * the last line those below: the path to the selection, and the heaviest path from it on. The lines cover a row each, so
 * the selection is kept off them. With a pivot there are two graphs that meet in the window, and no such lines.
 *
 * Only the path of the selection is looked at, and of a very long one a part: a row that no path of the window leads to is
 * not counted.
 */
#include "config.h"
#include "profile/flame_internal.h"

#include "base/text/text.h"

enum { LEAST_LINES = 6, ROWS = 1000, NAMES = 16, NAME_CELLS = 30 };

static bool has_edges(const struct flame_state *v, int h)
{
	return v->sel && !v->f[UP] && h >= LEAST_LINES;
}

void flame_into_view(struct flame_state *v, int h)
{
	if (!v->sel)
		return;
	int64_t y = flame_line(v, v->part, v->sel, h);
	int edge = has_edges(v, h), last = h - 1 - (edge && flame_widest(v->f[v->part], v->sel));
	y = v->flip ? h - 1 - y : y;
	if (y < 0 || (edge && y < edge && v->scroll > 0)) {
		v->scroll += y - edge;
		v->scroll = edge && v->scroll < 0 ? 0 : v->scroll;
	} else if (y > last) {
		v->scroll += y - last;
	}
}

/* Collect the outermost places of the path to the selection, in order. Return how many. */
static int outermost(const struct flame_state *v, uint32_t place[NAMES])
{
	const struct flame *f = v->f[DOWN];
	uint32_t ring[NAMES];
	int64_t n = 0;
	int k = 0;
	for (uint32_t at = v->sel; at; at = f->open->at[at].up)
		ring[n++ % NAMES] = at;
	for (int64_t i = n - 1; i >= 0 && k < NAMES && i >= n - NAMES; i--)
		place[k++] = ring[i % NAMES];
	return k;
}

/* Collect the places on the heaviest path from the selection that are below the window, or in its last line. Return how
   many rows there are. */
static int64_t below_window(const struct flame_state *v, int h, uint32_t place[NAMES])
{
	const struct flame *f = v->f[DOWN];
	int64_t n = 0, y = (int64_t)flame_row(f, 0, v->sel) - 1 - v->scroll;
	for (uint32_t at = v->sel; (at = flame_widest(f, at)) && n < ROWS;) {
		if (++y < h - 1)
			continue;
		if (n < NAMES)
			place[n] = at;
		n++;
	}
	return n;
}

static void draw_edge(const struct flame_state *v, const struct pane_env *env, struct grid *g, int y, const char *mark,
    int64_t rows, const uint32_t *place, int n)
{
	struct buf b = {0}, name = {0}, more = {0};
	buf_printf(&b, "%s %lld%s row%s: ", mark, (long long)rows, rows == ROWS ? " or more" : "", text_s((uint64_t)rows));
	for (int i = 0; i < n && i < rows; i++) {
		struct str_row s = weighted_symbol(v->t.c, flame_symbol_of(v->f[DOWN], place[i]));
		buf_reset(&name);
		buf_puts(&name, i ? " > " : "");
		text_fit_symbol(&name, s.s, s.n, NAME_CELLS, env->ascii);
		buf_reset(&more);
		if (i + 1 < rows)
			buf_printf(&more, " > %lld more", (long long)rows - i - 1);
		if (text_width(b.p, b.n) + text_width(name.p, name.n) + text_width(more.p, more.n) > (size_t)g->w && i) {
			buf_printf(&b, " > %lld more", (long long)rows - i);
			break;
		}
		buf_put(&b, name.p, name.n);
		if (i + 1 == n && more.n)
			buf_put(&b, more.p, more.n);
	}
	grid_fill(g, (struct rect){y, 0, 1, g->w}, ' ', ST_NORMAL, 0);
	grid_line(g, y, 0, ST_DIM, 0, &b);
	buf_free(&b);
	buf_free(&name);
	buf_free(&more);
}

void flame_draw_edges(const struct flame_state *v, const struct pane_env *env, struct grid *g)
{
	uint32_t place[NAMES];
	if (!has_edges(v, g->h))
		return;
	if (v->scroll > 0) {
		int n = outermost(v, place);
		draw_edge(v, env, g, v->flip ? g->h - 1 : 0, v->flip ? env->ascii ? "v" : "▼" : env->ascii ? "^" : "▲",
		    v->scroll + 1, place, n);
	}
	int64_t rows = below_window(v, g->h, place);
	if (rows > 1)
		draw_edge(v, env, g, v->flip ? 0 : g->h - 1, v->flip ? env->ascii ? "^" : "▲" : env->ascii ? "v" : "▼",
		    rows, place, rows < NAMES ? (int)rows : NAMES);
}
