/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Drawing Peek: callers, the centre and callees as one list with rules between them, a flame graph
 * of both in the side part, and the lines above and below. Percentages are relative to the centre
 * unless another base is selected; a difference has columns for the change and both sides, and no
 * percentages.
 */
#include "config.h"
#include "profile/peek_internal.h"

#include "base/text/buf.h"

static int64_t base_of(const struct peek_state *p, const struct pane_env *env)
{
	return profile_base_value(env, p->t.c, BASE_LOCAL, p->t.c->weight[p->centre].cum);
}

struct peek_drawing { const struct peek_state *p; const struct pane_env *env; };

static void draw_rule(struct grid *g, int y, uint32_t n, const char *what)
{
	grid_fill(g, (struct rect){y, 2, 1, g->w - 3}, 0x2500, ST_RULE, 0);
	grid_printf(g, y, 6, ST_HEAD, 0, " %u %s%s ", n, what, n == 1 ? "" : "s");
}

/* Draw a row of a difference: the change and both sides. */
static void draw_sides(const struct peek_drawing *d, struct grid *g, int y, const struct peek_line *l)
{
	const struct weighted_tree *c = d->p->t.c;
	struct pair p = profile_side_values(c, l->value, l->other);
	int attr = l->kind == R_CENTRE ? AT_BOLD : 0, x = 28 + 2 * l->level;
	profile_draw_change(d->env, c, g, y, 10, l->value, attr);
	profile_draw_value(d->env, c, g, y, 18, p.a, attr);
	profile_draw_value(d->env, c, g, y, 26, p.b, attr);
	profile_draw_name(d->env, c, g, y, x, g->w - x, l->symbol, l->inl ? "(inlined)" : "");
	if (attr)
		grid_attr(g, (struct rect){y, x, 1, g->w - x}, attr);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct peek_drawing *d = arg;
	const struct peek_state *p = d->p;
	const struct peek_line *l = &p->line[i];
	const struct symbol_weight *t = &p->t.c->weight[l->symbol];
	if (l->kind == R_CALLERS || l->kind == R_CALLEES) {
		draw_rule(g, y, l->n, l->kind == R_CALLERS ? "caller" : "callee");
		return;
	}
	if (profile_is_difference(p->t.c)) {
		draw_sides(d, g, y, l);
		return;
	}
	if (l->kind == R_CENTRE) {
		profile_draw_value(d->env, p->t.c, g, y, 9, t->flat, AT_BOLD);
		grid_text(g, y, 10, ST_DIM, 0, "flat");
		profile_draw_value(d->env, p->t.c, g, y, 23, t->cum, AT_BOLD);
		grid_text(g, y, 24, ST_DIM, 0, "cum");
		profile_draw_name(d->env, p->t.c, g, y, 30, g->w - 30, l->symbol, "");
		grid_attr(g, (struct rect){y, 30, 1, g->w - 30}, AT_BOLD);
		return;
	}
	profile_draw_value(d->env, p->t.c, g, y, 9, l->value, 0);
	profile_draw_percent(g, y, 16, l->value, base_of(p, d->env));
	int x = 18 + 2 * l->level;
	profile_draw_name(d->env, p->t.c, g, y, x, g->w - x, l->symbol, l->inl ? "(inlined)" : "");
}

void peek_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct peek_state *p = st;
	if (profile_draw_empty(&p->t, env, g))
		return;
	if (!p->centre) {
		grid_text(g, 2, 2, ST_DIM, 0, "no function is chosen: press Enter in Top, or use :peek RE");
		return;
	}
	grid_text(g, 0, 5, ST_HEAD, 0,
	    profile_is_difference(p->t.c) ? "CUM +-   CUM A   CUM B  FUNCTION" : "VALUE   PART  FUNCTION");
	struct rect old = grid_clip(g, (struct rect){1, 0, g->h - 1, g->w});
	list_draw_rows(&p->rows, g, draw_row, &(struct peek_drawing){p, env},
	    &(struct list_options){false, list_hits_marks(&p->hit, &p->rows, env->find.rx)});
	grid_unclip(g, old);
}

void peek_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct peek_state *p = st;
	if (p->centre && async_job(&p->work) && !p->fv.f[DOWN])
		grid_text(g, 0, 0, ST_DIM, 0, "counting callers and callees");
	if (!p->centre || !p->fv.f[DOWN])
		return;
	grid_text(g, 0, 0, ST_HEAD, 0, "callers above, callees below");
	struct rect old = grid_clip(g, (struct rect){2, 0, g->h - 2, g->w});
	flame_draw(&p->fv, env, g);
	grid_unclip(g, old);
}

void peek_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct peek_state *p = st;
	if (!p->centre && p->t.c)
		profile_summary(p->t.c, env, b);
	if (!p->centre)
		return;
	struct buf rest = {0};
	uint32_t at = p->re ? peek_match_at(p) : UINT32_MAX;
	if (at != UINT32_MAX)
		buf_printf(&rest, "  %u of %u that match %s", at + 1, p->nmatch, p->re);
	if (peek_levels(p, env) > 1)
		buf_printf(&rest, "  %d levels", peek_levels(p, env));
	if (!profile_is_difference(p->t.c))
		buf_printf(&rest, "  %% of %s", profile_base_name(env, BASE_LOCAL, "centre"));
	buf_puts(b, profile_is_difference(p->t.c) ? "peek A - B " : "peek ");
	profile_put_name_line(env, p->t.c, p->centre, b, &rest);
}

void peek_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct peek_state *p = st;
	if (!p->centre || !p->rows.n)
		return;
	const struct peek_line *l = &p->line[p->rows.sel];
	if (!l->symbol)
		return;
	const struct symbol_weight *t = &p->t.c->weight[l->symbol];
	struct buf rest = {0};
	buf_puts(&rest, "  ");
	weighted_position(p->t.c, l->symbol, &rest);
	buf_puts(&rest, "  flat ");
	profile_put_change(env, p->t.c, &rest, t->flat);
	buf_puts(&rest, " cum ");
	profile_put_change(env, p->t.c, &rest, t->cum);
	profile_put_sides(env, p->t.c, &rest, t->cum, weighted_other(p->t.c, l->symbol).cum);
	if (p->nback)
		buf_printf(&rest, "  (Backspace: %d back)", p->nback);
	profile_put_name_line(env, p->t.c, l->symbol, b, &rest);
}
