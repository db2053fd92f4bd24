/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The callers and callees of the selected function below the table of Top, side by side, where there is no side part. The
 * share is of the function's cumulative weight. A function that calls itself is marked: it is its own caller, and the
 * rows of both lists that name it are the same calls.
 */
#include "config.h"
#include "profile/top_internal.h"

#include "base/text/text.h"
#include "calltree/callers.h"

enum { FOOT = 4, LEAST_ROWS = 20, LEAST_COLS = 76 };

int top_foot_lines(const struct top_state *p, const struct pane_env *env)
{
	bool shown = p->t.c && env->judge && env->detail && !env->compact && !env->side_shown && !session_is_trace(env->s);
	return shown && env->rows >= LEAST_ROWS && env->cols >= LEAST_COLS ? FOOT : 0;
}

/* Draw links with their share of the function, heaviest first; the last line counts those that are not shown. */
static void draw_links(const struct top_state *p, const struct pane_env *env, struct grid *g, const struct link *l, uint32_t n)
{
	const struct weighted_tree *c = p->t.c;
	uint32_t self = top_selected(p), room = (uint32_t)g->h;
	int64_t whole = c->weight[self].cum;
	for (uint32_t i = 0; i < n && i < room; i++) {
		if (i + 1 == room && n > room) {
			grid_printf(g, (int)i, 7, ST_DIM, 0, "and %u more", n - i);
			break;
		}
		profile_draw_percent(g, (int)i, 6, l[i].value, whole);
		if (l[i].symbol == self)
			grid_text(g, (int)i, 7, ST_NORMAL, 0, "itself");
		else
			profile_draw_name(env, c, g, (int)i, 7, g->w - 7, l[i].symbol, l[i].inl ? "(inlined)" : "");
	}
}

void top_foot_draw(const struct top_state *p, const struct pane_env *env, struct grid *g, int y, int lines)
{
	uint32_t self = p->t.c ? top_selected(p) : 0;
	int half = g->w / 2;
	if (lines < 2 || !self)
		return;
	struct link *up, *down;
	uint32_t nup = calltree_callers(p->t.c, self, env->scratch, &up);
	uint32_t ndown = calltree_callees(p->t.c, self, env->scratch, &down);
	bool recursive = false;
	for (uint32_t i = 0; i < nup; i++)
		recursive |= up[i].symbol == self;
	grid_fill(g, (struct rect){y, 0, 1, g->w}, 0x2500, ST_RULE, 0);
	grid_printf(g, y, 1, ST_HEAD, 0, " %u caller%s%s ", nup, text_s(nup), recursive ? ", recursive" : "");
	grid_printf(g, y, half + 1, ST_HEAD, 0, " %u callee%s ", ndown, text_s(ndown));
	struct rect old = grid_clip(g, (struct rect){y + 1, 0, lines - 1, half - 1});
	draw_links(p, env, g, up, nup);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){y + 1, half, lines - 1, g->w - half});
	draw_links(p, env, g, down, ndown);
	grid_unclip(g, old);
}
