/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Drawing Top: the columns that fit the file and the width, the rows, and in the side part the
 * callers, callees and hot lines of the selection.
 *
 * A column is a row of top_cols[], for all uses: heading, width, sort key, name in a menu. The
 * displayed columns are a set of bits; by default, both sides of a difference take precedence over
 * percentages if the width is small.
 */
#include "config.h"
#include "profile/top_internal.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/callers.h"
#include "profile/top_lines.h"

const struct top_column top_cols[C__N] = {
    [C_FLAT] = {"flat", "FLAT", "FLAT +-", 8, K_FLAT, "own weight"},
    [C_FLATP] = {"flat%", "FLAT%", "FLAT%", 6, K__N, "own weight in percent"},
    [C_SUM] = {"sum%", "SUM%", "SUM%", 6, K__N, "sum of own weights down to this row"},
    [C_FLATA] = {"flat-a", "FLAT A", "FLAT A", 7, K_FLATA, "own weight on side A, the file shown"},
    [C_FLATB] = {"flat-b", "FLAT B", "FLAT B", 7, K_FLATB, "own weight on side B, the base"},
    [C_CUM] = {"cum", "CUM", "CUM +-", 8, K_CUM, "cumulative weight"},
    [C_CUMP] = {"cum%", "CUM%", "CUM%", 6, K__N, "cumulative weight in percent"},
    [C_CUMA] = {"cum-a", "CUM A", "CUM A", 7, K_CUMA, "cumulative weight on side A, the file shown"},
    [C_CUMB] = {"cum-b", "CUM B", "CUM B", 7, K_CUMB, "cumulative weight on side B, the base"},
    [C_BAR] = {"bar", "CUM BAR", "CUM BAR", 9, K__N, "a bar of the cumulative weight; the own part is solid"},
    [C_WHERE] = {"where", "WHERE", "WHERE", 20, K__N, "file and line"},
    [C_NAME] = {"name", "", "", 20, K_NAME, "name"},
};

/* Return the columns that are laid out. */
unsigned top_shown(const struct top_state *p)
{
	unsigned m = top_bit(C_FLAT) | top_bit(C_CUM) | top_bit(C_NAME);
	if (p->cols)
		return p->cols | top_bit(C_NAME);
	if (profile_is_comparison(p->t.c))
		m |= top_bit(C_FLATA) | top_bit(C_FLATB) | top_bit(C_CUMA) | top_bit(C_CUMB);
	m |= top_bit(C_FLATP) | top_bit(C_CUMP) | top_bit(C_BAR);
	return profile_is_comparison(p->t.c) ? m : m | top_bit(C_SUM);
}

bool top_sortable(const struct top_state *p, enum top_col c)
{
	return top_cols[c].sort != K__N && (profile_is_comparison(p->t.c) || top_cols[c].sort < K_FLATA);
}

/* Get the columns for the table layout; of[] identifies each. Return how many. */
static int shown_columns(const struct top_state *p, struct list_column *c, enum top_col *of)
{
	static const char *const name[] = {"FUNCTION", "FUNCTION", "FILE", "LINE", "ADDRESS"};
	unsigned m = top_shown(p);
	int n = 0;
	for (int i = 0; i < C__N; i++) {
		if (!(m & top_bit((enum top_col)i)))
			continue;
		const struct top_column *k = &top_cols[i];
		int8_t dir = i == C_NAME ? 1 : -1;
		of[n] = (enum top_col)i;
		bool percent = i == C_FLATP || i == C_CUMP || i == C_BAR;
		c[n++] = (struct list_column){
		    .head = i == C_NAME ? name[p->t.c->gran] : profile_is_difference(p->t.c) ? k->delta : k->head,
		    .least = (uint8_t)(i == C_FLAT && !profile_is_difference(p->t.c) ? 7 : k->width),
		    .want = i == C_NAME ? LIST_NAME_WANT : 0,
		    .content = i < C_BAR ? LIST_NUMBER : i == C_BAR ? LIST_PICTURE : LIST_TEXT,
		    .drop = i == C_NAME ? LIST_KEPT : percent && !p->cols && profile_is_comparison(p->t.c) ? LIST_THEN : LIST_FIRST,
		    .weight = i == C_NAME || i == C_BAR,
		    .word = top_sortable(p, (enum top_col)i) ? k->name : NULL,
		    .sort = (int8_t)(k->sort == p->sort ? p->invert ? -dir : dir : 0)};
	}
	return n;
}

enum { TOP_MARGIN = 2 };	/* the mark of the selection and the scrollbar */

struct top_drawing {
	const struct top_state *p;
	const struct pane_env *env;
	enum top_col of[C__N];
	int n, x[C__N], w[C__N];
};

static const char *inlined_mark(const struct symbol_weight *t)
{
	return t->inl ? t->notinl ? "(partial-inline)" : "(inline)" : "";
}

/* Draw a value: signed if it is a difference, or of one side. */
static void draw_value(const struct top_drawing *d, struct grid *g, int y, int k, int64_t v)
{
	const struct weighted_tree *c = d->p->t.c;
	int x1 = d->x[k] + d->w[k], attr = top_cols[d->of[k]].sort == d->p->sort ? AT_BOLD : 0;
	if (d->of[k] == C_FLAT || d->of[k] == C_CUM)
		profile_draw_change(d->env, c, g, y, x1, v, attr);
	else
		profile_draw_value(d->env, c, g, y, x1, v, attr);
}

/* Draw a bar of the cumulative weight: the function's own part is solid, that of its callees is shaded. */
static void draw_bar(const struct top_state *p, struct grid *g, int y, int x, int w, const struct symbol_weight *t)
{
	double own = profile_ratio(t->flat, p->most) * w;
	int end = (int)(profile_ratio(t->cum, p->most) * w + 0.5);
	grid_bar(g, y, x, w, profile_ratio(t->flat, p->most), ST_HEAT);
	for (int i = (int)own + (own > (int)own); i < end && i < w; i++)
		grid_put(g, y, x + i, g->ascii ? '-' : 0x2592, ST_HEAT, ST_NORMAL, 0);
}

static void draw_cell(const struct top_drawing *d, struct grid *g, int y, uint32_t i, int k)
{
	const struct top_state *p = d->p;
	const struct weighted_tree *c = p->t.c;
	const struct symbol_weight *t = &c->weight[p->row[i]];
	int64_t base = profile_base_value(d->env, c, BASE_ALL, 0);
	struct symbol_other o = weighted_other(c, p->row[i]);
	struct pair flat = profile_side_values(c, t->flat, o.flat), cum = profile_side_values(c, t->cum, o.cum);
	int x = d->x[k], w = d->w[k];
	struct buf b = {0};
	switch (d->of[k]) {
	case C_FLAT: draw_value(d, g, y, k, t->flat); break;
	case C_FLATA: draw_value(d, g, y, k, flat.a); break;
	case C_FLATB: draw_value(d, g, y, k, flat.b); break;
	case C_CUM: draw_value(d, g, y, k, t->cum); break;
	case C_CUMA: draw_value(d, g, y, k, cum.a); break;
	case C_CUMB: draw_value(d, g, y, k, cum.b); break;
	case C_FLATP: profile_draw_percent(g, y, x + w, t->flat, base); break;
	case C_SUM: profile_draw_percent(g, y, x + w, p->sum[i], base); break;
	case C_CUMP: profile_draw_percent(g, y, x + w, t->cum, base); break;
	case C_BAR:
		if (profile_is_difference(c))
			grid_bar(g, y, x, w, profile_ratio(t->cum, p->most), t->cum > 0 ? ST_MORE2 : ST_LESS2);
		else
			draw_bar(p, g, y, x, w, t);
		break;
	case C_WHERE: {
		struct rect old = grid_clip(g, (struct rect){y, x, 1, w});
		weighted_position(c, p->row[i], &b);
		grid_text(g, 0, 0, ST_DIM, 0, buf_str(&b));
		grid_unclip(g, old);
		break;
	}
	case C_NAME:
		if (profile_is_tagged(d->env, c, p->row[i])) {
			grid_put(g, y, x, '*', ST_ACCENT, ST_NORMAL, AT_BOLD);
			x += 2, w -= 2;
		}
		profile_draw_name(d->env, c, g, y, x, w, p->row[i], inlined_mark(t));
		break;
	case C__N: break;
	}
	buf_free(&b);
}

struct top_cell { const struct top_drawing *d; int k; };

static void draw_one_cell(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct top_cell *v = arg;
	draw_cell(v->d, g, y, i, v->k);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct top_drawing *d = arg;
	for (int k = 0; k < d->n; k++)
		if (d->x[k] >= 0)
			draw_cell(d, g, y, i, k);
}

/* Get the columns; names want what the first rows need. Return how many. */
static int lay_out(struct top_drawing *d, struct list_column *c)
{
	const struct top_state *p = d->p;
	d->n = shown_columns(p, c, d->of);
	int i = d->n - 1;	/* the name is the last column */
	d->x[i] = 0;
	d->w[i] = LIST_TEXT_MOST;
	list_want_text(&c[i], p->rows.n, draw_one_cell, &(struct top_cell){d, i}, d->env->ascii);
	return d->n;
}

static void draw_table(const struct top_state *p, const struct pane_env *env, struct grid *g)
{
	struct top_drawing d = {.p = p, .env = env};
	struct list_column c[C__N];
	d.n = lay_out(&d, c);
	list_layout_columns(c, d.n, (env->choose < g->w ? env->choose : g->w) - TOP_MARGIN, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	list_draw_header(g, 0, c, d.n, d.x, d.w);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){1, 0, g->h - 1, g->w});
	if (!p->rows.n)
		grid_text(g, 1, 2, ST_DIM, 0, "no row matches: & and Enter shows all rows");
	list_draw_rows(&p->rows, g, draw_row, &d,
	    &(struct list_options){false, list_hits_marks(&p->hit, &p->rows, env->find.rx)});
	grid_unclip(g, old);
}

int top_split(const void *st, const struct pane_env *env, int w, int *choose)
{
	struct top_drawing d = {.p = st, .env = env};
	struct list_column c[C__N];
	int wants;
	*choose = w;
	if (!d.p->t.c)
		return w;
	lay_out(&d, c);
	int cells = list_cells_beside(c, d.n, w - TOP_MARGIN, &wants) + TOP_MARGIN;
	*choose = cells < w ? cells : wants + TOP_MARGIN < w ? wants + TOP_MARGIN : w;
	return cells;
}

void top_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct top_state *p = st;
	int y = profile_verdict_lines(&p->verdict, env), foot = top_foot_lines(p, env);
	if (profile_draw_empty(&p->t, env, g))
		return;
	profile_verdict_draw(&p->verdict, env, g);
	struct rect old = grid_clip(g, (struct rect){y, 0, g->h - y - foot, g->w});
	draw_table(p, env, g);
	grid_unclip(g, old);
	top_foot_draw(p, env, g, g->h - foot, foot);
}

static int draw_links(const struct top_state *p, const struct pane_env *env, struct grid *g, int y, int h,
    const char *head, const struct link *l, uint32_t n)
{
	int64_t whole = p->t.c->weight[top_selected(p)].cum;
	if (h < 2)
		return y;
	grid_printf(g, y++, 0, ST_HEAD, 0, "%u %s%s", n, head, text_s(n));
	for (uint32_t i = 0; i < n && (int)i < h - 1; i++, y++) {
		if ((int)i == h - 2 && n - i > 1) {
			grid_printf(g, y++, 2, ST_DIM, 0, "and %u more", n - i);
			break;
		}
		profile_draw_change(env, p->t.c, g, y, 9, l[i].value, 0);
		profile_draw_percent(g, y, 16, l[i].value, whole);
		profile_draw_name(
		    env, p->t.c, g, y, 18, g->w - 18, l[i].symbol, l[i].inl ? "(inlined)" : "");
	}
	return y;
}

void top_side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct top_state *p = st;
	uint32_t sel = p->t.c ? top_selected(p) : 0;
	if (!sel)
		return;
	struct link *up, *down;
	uint32_t nup = calltree_callers(p->t.c, sel, env->scratch, &up);
	uint32_t ndown = calltree_callees(p->t.c, sel, env->scratch, &down);
	struct buf b = {0};
	weighted_position(p->t.c, sel, &b);
	int at = g->w - (int)b.n;
	profile_draw_name(env, p->t.c, g, 0, 0, at - 1 > 10 ? at - 1 : g->w, sel, "");
	if (at - 1 > 10)
		grid_textn(g, 0, at, ST_DIM, 0, b.p, b.n);
	buf_free(&b);
	int hot = g->h >= 14 ? g->h / 3 : 0, h = g->h - hot;
	int room = (h - 4) / 2, want = (int)(nup < 1000 ? nup : 1000) + 1;
	int y = draw_links(p, env, g, 2, want < room ? want : room, "caller", up, nup);
	y = draw_links(p, env, g, y + 1, h - y - 1, "callee", down, ndown);
	top_lines_draw(p->t.c, sel, env, g, y + 1, g->h - y - 1);
}
