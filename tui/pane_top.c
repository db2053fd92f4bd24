/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Top: every thing with its own and its cumulative weight, one a row.
 *
 * The rows are ids of things in the order that is shown; SUM% is a running sum
 * in that order, so it means "this row and all above". Weights of a difference
 * are ordered by magnitude. The list leaves nothing out (a terminal scrolls),
 * except things that no sample of this type went through, and what `&` asks
 * for. Beside it, where there is room, are callers and callees of the selected
 * row: they are found from that thing's own nodes, so drawing stays cheap.
 */
#include "config.h"
#include "pane.h"

#include "analysis/callers.h"
#include "base/text.h"
#include "rows.h"
#include "toplines.h"
#include "tree.h"

#include <string.h>

enum top_col { C_FLAT, C_FLATP, C_SUM, C_CUM, C_CUMP, C_BAR, C_NAME, C__N };
enum top_sort { K_FLAT, K_CUM, K_NAME, K__N };

struct top {
	struct tree t;
	struct rows rows;
	uint32_t *row;		/* things, as shown */
	int64_t *sum;		/* of own weights down to this row */
	size_t cap, sumcap;
	enum top_sort sort;
	bool invert;
	enum base base;
	uint64_t sel;		/* id of the selected thing, over changes of the query */
	uint32_t functions;	/* that the file has */
	struct hits hit;	/* by row */
};

static uint32_t selected(const struct top *p)
{
	return p->rows.n ? p->row[p->rows.sel] : 0;
}

static void keep(struct top *p)
{
	if (p->t.c && selected(p))
		p->sel = p->t.c->thing[selected(p)].id;
}

struct by { const struct thing *thing; enum top_sort sort; bool invert; };

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static int cmp_row(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by *by = ctx;
	const struct thing *x = &by->thing[a], *y = &by->thing[b];
	uint64_t fx = magnitude(x->flat), fy = magnitude(y->flat);
	uint64_t cx = magnitude(x->cum), cy = magnitude(y->cum);
	int flat = fx > fy ? -1 : fx < fy, cum = cx > cy ? -1 : cx < cy;
	int name = x->rank < y->rank ? -1 : x->rank > y->rank, d = 0;
	if (by->sort == K_FLAT)
		d = flat ? flat : cum ? cum : name;
	else if (by->sort == K_CUM)
		d = cum ? cum : flat ? flat : name;
	else
		d = name;
	return by->invert ? -d : d;
}

static void mark_hits(struct top *p, const struct pane_env *env)
{
	struct buf b = {0};
	hits_begin(&p->hit, env, p->rows.n);
	for (uint32_t i = 0; p->hit.at && i < p->rows.n; i++)
		p->hit.n += p->hit.at[i] = tree_match(p->t.c, p->row[i], env->find.rx, &b);
	buf_free(&b);
}

/* The rows anew: after another query, order, or `&`. */
static void fill(struct top *p, const struct pane_env *env)
{
	const struct calls *c = p->t.c;
	struct buf b = {0};
	uint32_t n = 0, sel = 0;
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing *t = &c->thing[i];
		if ((!t->flat && !t->cum) || (env->grep.rx && !tree_match(c, i, env->grep.rx, &b)))
			continue;
		p->row = mem_grow(p->row, &p->cap, (size_t)n + 1, sizeof *p->row);
		p->row[n++] = i;
	}
	buf_free(&b);
	sort_u32(p->row, n, cmp_row, &(struct by){c->thing, p->sort, p->invert});
	p->sum = mem_grow(p->sum, &p->sumcap, (size_t)n + 1, sizeof *p->sum);
	int64_t sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		sum = (int64_t)((uint64_t)sum + (uint64_t)c->thing[p->row[i]].flat);
		p->sum[i] = sum;
		if (c->thing[p->row[i]].id == p->sel)
			sel = i;
	}
	uint32_t below = p->rows.sel - p->rows.top;
	rows_set(&p->rows, n);
	p->rows.sel = sel;
	p->rows.top = sel > below ? sel - below : 0;
	rows_select(&p->rows, sel);
	mark_hits(p, env);
}

static void update(void *st, const struct pane_env *env)
{
	struct top *p = st;
	keep(p);
	tree_sync(&p->t, env, tree_gran(env));
	uint32_t n = session_snap(env->s)->nfuns;
	p->functions = n ? n - 1 : 0;
	fill(p, env);
}

static void close_top(void *st)
{
	struct top *p = st;
	tree_drop(&p->t);
	mem_free(p->row);
	mem_free(p->sum);
	hits_drop(&p->hit);
}

/* ---- drawing */

static int64_t base_of(const struct top *p)
{
	return p->base == BASE_SHOWN ? p->t.c->total : p->t.c->all;
}

static void columns(const struct top *p, const struct pane_env *env, struct rows_col c[C__N])
{
	static const char *const name[] = {"FUNCTION", "FUNCTION", "FILE", "LINE", "ADDRESS"};
	int8_t dir = p->invert ? 1 : -1;
	c[C_FLAT] = (struct rows_col){"FLAT", 7, true, p->sort == K_FLAT ? dir : 0};
	c[C_FLATP] = (struct rows_col){"FLAT%", 6, true, 0};
	c[C_SUM] = (struct rows_col){"SUM%", 6, true, 0};
	c[C_CUM] = (struct rows_col){"CUM", 8, true, p->sort == K_CUM ? dir : 0};
	c[C_CUMP] = (struct rows_col){"CUM%", 6, true, 0};
	c[C_BAR] = (struct rows_col){
	    env->cols >= 110 ? "CUM" : "CUM BAR", env->cols >= 110 ? 20 : 9, false, 0};
	c[C_NAME] =
	    (struct rows_col){name[p->t.c->gran], 0, false, (int8_t)(p->sort == K_NAME ? -dir : 0)};
	if (env->cols < 64)
		c[C_BAR].width = 3;
}

struct drawing {
	const struct top *p;
	const struct pane_env *env;
	int x[C__N], w[C__N];
	int64_t most;		/* heaviest: the full bar */
};

static const char *inlined(const struct thing *t)
{
	return t->inl ? t->notinl ? "(partial-inline)" : "(inline)" : "";
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct drawing *d = arg;
	const struct top *p = d->p;
	const struct calls *c = p->t.c;
	const struct thing *t = &c->thing[p->row[i]];
	int64_t base = base_of(p);
	const int *x = d->x, *w = d->w;
	tree_value(c, g, y, x[C_FLAT] + w[C_FLAT], t->flat, p->sort == K_FLAT ? AT_BOLD : 0);
	if (x[C_FLATP] >= 0)
		tree_percent(g, y, x[C_FLATP] + w[C_FLATP], t->flat, base);
	if (x[C_SUM] >= 0)
		tree_percent(g, y, x[C_SUM] + w[C_SUM], p->sum[i], base);
	if (x[C_CUM] >= 0)
		tree_value(c, g, y, x[C_CUM] + w[C_CUM], t->cum, p->sort == K_CUM ? AT_BOLD : 0);
	if (x[C_CUMP] >= 0)
		tree_percent(g, y, x[C_CUMP] + w[C_CUMP], t->cum, base);
	if (x[C_BAR] >= 0)
		grid_bar(g, y, x[C_BAR], w[C_BAR], tree_part(t->cum, d->most), ST_HEAT);
	tree_name(d->env, c, g, y, x[C_NAME], w[C_NAME], p->row[i], inlined(t));
}

static void draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct top *p = st;
	if (tree_empty(&p->t, env, g))
		return;
	struct drawing d = {.p = p, .env = env};
	struct rows_col c[C__N];
	columns(p, env, c);
	for (uint32_t i = 0; i < p->rows.n; i++)
		if (magnitude(p->t.c->thing[p->row[i]].cum) > (uint64_t)d.most)
			d.most = (int64_t)(magnitude(p->t.c->thing[p->row[i]].cum) & INT64_MAX);
	bool bar = p->rows.n > (uint32_t)(g->h - 1);
	rows_layout(c, C__N, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	rows_head(g, 0, c, C__N, d.x, d.w);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){1, 0, g->h - 1, g->w});
	if (!p->rows.n)
		grid_text(g, 1, 2, ST_DIM, 0, "no row matches: & and Enter shows all of them");
	rows_draw(&p->rows, g, draw_row, &d,
	    &(struct rows_look){false, hits_fresh(&p->hit, env) ? p->hit.at : NULL});
	grid_unclip(g, old);
}

static int draw_links(const struct top *p, const struct pane_env *env, struct grid *g, int y, int h,
    const char *head, const struct link *l, uint32_t n)
{
	int64_t whole = p->t.c->thing[selected(p)].cum;
	if (h < 2)
		return y;
	grid_printf(g, y++, 0, ST_HEAD, 0, "%u %s%s", n, head, n == 1 ? "" : "s");
	for (uint32_t i = 0; i < n && (int)i < h - 1; i++, y++) {
		if ((int)i == h - 2 && n - i > 1) {
			grid_printf(g, y++, 2, ST_DIM, 0, "and %u more", n - i);
			break;
		}
		tree_value(p->t.c, g, y, 9, l[i].value, 0);
		tree_percent(g, y, 16, l[i].value, whole);
		tree_name(
		    env, p->t.c, g, y, 18, g->w - 18, l[i].thing, l[i].inl ? "(inlined)" : "");
	}
	return y;
}

static void side(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct top *p = st;
	uint32_t sel = p->t.c ? selected(p) : 0;
	if (!sel)
		return;
	struct link *up, *down;
	uint32_t nup = callers_of(p->t.c, sel, env->scratch, &up);
	uint32_t ndown = callees_of(p->t.c, sel, env->scratch, &down);
	struct buf b = {0};
	calls_where(p->t.c, sel, &b);
	int at = g->w - (int)b.n;
	tree_name(env, p->t.c, g, 0, 0, at - 1 > 10 ? at - 1 : g->w, sel, "");
	if (at - 1 > 10)
		grid_textn(g, 0, at, ST_DIM, 0, b.p, b.n);
	buf_free(&b);
	int hot = g->h >= 14 ? g->h / 3 : 0, h = g->h - hot;
	int room = (h - 4) / 2, want = (int)(nup < 1000 ? nup : 1000) + 1;
	int y = draw_links(p, env, g, 2, want < room ? want : room, "caller", up, nup);
	y = draw_links(p, env, g, y + 1, h - y - 1, "callee", down, ndown);
	toplines_draw(p->t.c, sel, env, g, y + 1, g->h - y - 1);
}

/* ---- acting */

static void resort(struct top *p, const struct pane_env *env, enum top_sort key)
{
	keep(p);
	p->invert = p->sort == key && p->invert;
	p->sort = key;
	fill(p, env);
}

static enum verdict sort_by_name(
    struct top *p, const struct pane_env *env, const char *arg, struct ask *ask)
{
	static const char *const name[] = {"flat", "cum", "name"};
	if (!arg || !*arg) {
		resort(p, env, (enum top_sort)((p->sort + 1) % K__N));
		return V_DONE;
	}
	for (int k = 0; k < K__N; k++)
		if (!strcmp(arg, name[k])) {
			resort(p, env, (enum top_sort)k);
			return V_DONE;
		}
	ask->kind = ASK_MESSAGE;
	memcpy(ask->text, "sort by flat, cum or name", sizeof "sort by flat, cum or name");
	return V_ASK;
}

static enum verdict act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct top *p = st;
	if (!p->t.c)
		return V_PASS;
	if (rows_act(&p->rows, a, env->rows - 1)) {
		keep(p);
		return V_DONE;
	}
	switch ((int)a->cmd) {
	case CMD_FLATCUM:
		resort(p, env,
		    a->arg && !strcmp(a->arg, "flat") ? K_FLAT
		    : a->arg && *a->arg		      ? K_CUM
		    : p->sort == K_FLAT		      ? K_CUM
						      : K_FLAT);
		return V_DONE;
	case CMD_SORT: return sort_by_name(p, env, a->arg, ask);
	case CMD_SORT_LEFT:
		resort(p, env, (enum top_sort)((p->sort + K__N - 1) % K__N));
		return V_DONE;
	case CMD_SORT_RIGHT: resort(p, env, (enum top_sort)((p->sort + 1) % K__N)); return V_DONE;
	case CMD_INVERT:
		keep(p);
		p->invert = !p->invert;
		fill(p, env);
		return V_DONE;
	case CMD_PERCENT:
		p->base = p->base == BASE_ALL ? BASE_SHOWN : BASE_ALL;
		ask->kind = ASK_MESSAGE;
		memcpy(ask->text, "percentages of ", 16);
		strcat(ask->text, base_name(p->base, ""));
		return V_ASK;
	case CMD_OPEN:
		if (!selected(p))
			return V_DONE;
		ask->kind = ASK_PANE;
		ask->pane = "peek";
		tree_place(p->t.c, selected(p), &ask->place);
		return V_ASK;
	default: return V_PASS;
	}
}

static bool go(void *st, const struct pane_env *env, const struct place *to)
{
	struct top *p = st;
	uint32_t thing = p->t.c ? tree_thing(p->t.c, to) : 0;
	(void)env;
	for (uint32_t i = 0; thing && i < p->rows.n; i++)
		if (p->row[i] == thing) {
			rows_select(&p->rows, i);
			keep(p);
			return true;
		}
	return false;
}

static void place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct top *p = st;
	(void)env;
	tree_place(p->t.c, p->t.c ? selected(p) : 0, to);
}

static void save(const void *st, struct view *v)
{
	const struct top *p = st;
	*v = (struct view){.cursor = {(int64_t)p->sel, p->rows.top, p->sort, p->invert}};
}

static void load(void *st, const struct pane_env *env, const struct view *v)
{
	struct top *p = st;
	p->sel = (uint64_t)v->cursor[0];
	p->sort = (enum top_sort)(v->cursor[2] % K__N);
	p->invert = v->cursor[3] != 0;
	if (p->t.c)
		fill(p, env);
	p->rows.top = (uint32_t)v->cursor[1];
	rows_select(&p->rows, p->rows.sel);
}

static void summary(const void *st, const struct pane_env *env, struct buf *b)
{
	static const char *const what[] = {"functions", "functions", "files", "lines", "addresses"};
	const struct top *p = st;
	if (!p->t.c)
		return;
	tree_summary(p->t.c, env, b);
	buf_printf(b, " | %u", p->rows.n);
	if (p->t.c->gran == CG_FUNCTIONS)
		buf_printf(b, "/%u", p->functions > p->rows.n ? p->functions : p->rows.n);
	buf_printf(b, " %s", what[p->t.c->gran]);
	if (p->base != BASE_ALL)
		buf_puts(b, " | % of what is shown");
	if (hits_fresh(&p->hit, env))
		buf_printf(b, " | /%s %u hits", env->find.text, p->hit.n);
}

static void detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct top *p = st;
	uint32_t sel = p->t.c ? selected(p) : 0;
	if (!sel)
		return;
	const struct thing *t = &p->t.c->thing[sel];
	struct link *l;
	struct buf rest = {0};
	buf_puts(&rest, "  ");
	calls_where(p->t.c, sel, &rest);
	buf_puts(&rest, "  flat ");
	tree_put_value(p->t.c, &rest, t->flat);
	buf_puts(&rest, " cum ");
	tree_put_value(p->t.c, &rest, t->cum);
	uint32_t up = callers_of(p->t.c, sel, env->scratch, &l);
	uint32_t down = callees_of(p->t.c, sel, env->scratch, &l);
	buf_printf(
	    &rest, "  %u caller%s %u callee%s", up, up == 1 ? "" : "s", down, down == 1 ? "" : "s");
	tree_line(env, p->t.c, sel, b, &rest);
}

static uint32_t find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct top *p = st;
	mark_hits(p, env);
	*at = 0;
	if (!p->hit.n)
		return 0;
	uint32_t n = p->rows.n, i = p->rows.sel;
	if (dir == 1 || dir == -1)
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	while (dir && !p->hit.at[i])
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	if (dir) {
		rows_select(&p->rows, i);
		keep(p);
	}
	for (uint32_t k = 0; p->hit.at[i] && k <= i; k++)
		*at += p->hit.at[k];
	return p->hit.n;
}

static void keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct top *p = st;
	(void)env;
	buf_printf(b,
	    "Enter peek  2 list  f focus  x ignore  d hide  c %s  [ ] type  < > sort  / find  a "
	    "menu",
	    p->sort == K_FLAT ? "cum" : "flat");
}

static void click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct top *p = st;
	uint32_t i = rows_at(&p->rows, y - 1, env->rows - 1);
	(void)x;
	if (i == UINT32_MAX)
		return;
	rows_select(&p->rows, i);
	keep(p);
	if (twice)
		act(st, env, &(struct act){.cmd = CMD_OPEN}, ask);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	const struct top *p = st;
	t[0] = p->sort == K_CUM ? TOPIC_C_CUM : TOPIC_C_FLAT;
	t[1] = explain_type(session_type_name(env->s, session_type(env->s)));
	return 2;
}

const struct pane_ops pane_top = {
    .name = "top",
    .tab = "Top",
    .bit = P_TOP,
    .cmd = CMD_PANE_TOP,
    .state_size = sizeof(struct top),
    .close = close_top,
    .update = update,
    .draw = draw,
    .act = act,
    .go = go,
    .place = place,
    .topics = topics,
    .save = save,
    .load = load,
    .summary = summary,
    .detail = detail,
    .find = find,
    .keys = keys,
    .side = side,
    .click = click,
};
