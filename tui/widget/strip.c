/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Strips of states. Parts and cells are both in the order of time, so they are walked together. The time of a cell is
 * added up by state and not by part: many short pieces of one state count against a longer one of another.
 */
#include "config.h"
#include "widget/strip.h"

#include "term/style.h"

void strip_cell(struct grid *g, int y, int x, enum tstate s, enum strip_look look)
{
	enum style style = style_of_state(s);
	if (s == TS_NONE)
		return;
	if (look == STRIP_CHOSEN)
		grid_put(g, y, x, (unsigned char)style_state_letter(s), ST_LABEL, style, AT_BOLD | (g->mono ? AT_REVERSE : 0));
	else if (g->ascii || g->mono)
		grid_put(g, y, x, (unsigned char)style_state_letter(s), style, ST_NORMAL, 0);
	else if (look == STRIP_THIN)
		grid_put(g, y, x, s == TS_SLEEP ? 0x2500 : 0x2582, style, ST_NORMAL, 0);
	else
		grid_level(g, y, x, 1.0, style, ST_NORMAL);
}

static int64_t edge_of(int64_t t0, int64_t t1, int w, int k)
{
	return t0 + (int64_t)((double)(t1 - t0) * k / w);
}

/* The states of a cell. */
struct cell_sum { int64_t ns[TS__N]; enum strip_look look[TS__N]; enum tstate best; bool chosen; };

static void add_to_cell(struct cell_sum *c, const struct strip_part *v, int64_t t0, int64_t t1)
{
	t0 = v->t0 > t0 ? v->t0 : t0;
	t1 = v->t1 < t1 ? v->t1 : t1;
	if (t1 <= t0 || c->chosen)
		return;
	c->chosen = v->look == STRIP_CHOSEN;
	c->ns[v->state] += t1 - t0;
	c->look[v->state] = v->look;
	if (c->chosen || c->ns[v->state] > c->ns[c->best])
		c->best = v->state;
}

void strip_draw(
    struct grid *g, int y, int x, int w, int64_t t0, int64_t t1, strip_part_fn *part, const void *arg, uint32_t n)
{
	uint32_t i = 0;
	for (int k = 0; k < w && t1 > t0; k++) {
		struct cell_sum c = {.best = TS_NONE};
		int64_t from = edge_of(t0, t1, w, k), to = edge_of(t0, t1, w, k + 1);
		to = to > from ? to : from + 1;		/* a cell may be less than a nanosecond */
		for (; i < n; i++) {
			struct strip_part v = part(arg, i);
			if (v.t0 >= to)
				break;
			add_to_cell(&c, &v, from, to);
			if (v.t1 > to)
				break;
		}
		strip_cell(g, y, x + k, c.best, c.look[c.best]);
	}
}
