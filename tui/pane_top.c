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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum top_col { C_FLAT, C_FLATP, C_SUM, C_FLATA, C_FLATB, C_CUM, C_CUMP, C_CUMA, C_CUMB, C_BAR, C_WHERE, C_NAME, C__N };
enum top_sort { K_FLAT, K_CUM, K_NAME, K_FLATA, K_FLATB, K_CUMA, K_CUMB, K__N };

static const struct top_column {
	const char *name, *head, *delta;	/* delta: its head when a difference is shown */
	int width;
	enum top_sort sort;	/* K__N: it is no order */
	const char *what;
} cols[C__N] = {
    [C_FLAT] = {"flat", "FLAT", "FLAT +-", 8, K_FLAT, "own weight"},
    [C_FLATP] = {"flat%", "FLAT%", "FLAT%", 6, K__N, "own weight in percent"},
    [C_SUM] = {"sum%", "SUM%", "SUM%", 6, K__N, "own weights of this row and all above"},
    [C_FLATA] = {"flat-a", "FLAT A", "FLAT A", 7, K_FLATA, "own weight on side A, what is looked at"},
    [C_FLATB] = {"flat-b", "FLAT B", "FLAT B", 7, K_FLATB, "own weight on side B, the base"},
    [C_CUM] = {"cum", "CUM", "CUM +-", 8, K_CUM, "weight with all that it calls"},
    [C_CUMP] = {"cum%", "CUM%", "CUM%", 6, K__N, "that in percent"},
    [C_CUMA] = {"cum-a", "CUM A", "CUM A", 7, K_CUMA, "that on side A, what is looked at"},
    [C_CUMB] = {"cum-b", "CUM B", "CUM B", 7, K_CUMB, "that on side B, the base"},
    [C_BAR] = {"bar", "CUM BAR", "CUM BAR", 9, K__N, "a bar as long as it"},
    [C_WHERE] = {"where", "WHERE", "WHERE", 20, K__N, "file and line"},
    [C_NAME] = {"name", "", "", 0, K_NAME, "the name"},
};

struct top {
	struct tree t;
	struct rows rows;
	uint32_t *row;		/* things, as shown */
	int64_t *sum;		/* of own weights down to this row */
	size_t cap, sumcap;
	enum top_sort sort;
	bool invert;
	uint32_t limit;		/* rows that are shown, 0 all (top20) */
	uint32_t all;		/* rows that there were before it */
	unsigned cols;		/* bits of the columns that were chosen, 0: those that suit */
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

struct by { const struct calls *c; enum top_sort sort; bool invert; };

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static int down(int64_t a, int64_t b)
{
	return magnitude(a) > magnitude(b) ? -1 : magnitude(a) < magnitude(b);
}

/* By one column of one side. */
static int cmp_side(const struct by *by, const struct thing *x, const struct thing *y)
{
	bool cum = by->sort == K_CUMA || by->sort == K_CUMB;
	struct pair p = cum ? tree_pair(by->c, x->cum, x->ocum) : tree_pair(by->c, x->flat, x->oflat);
	struct pair q = cum ? tree_pair(by->c, y->cum, y->ocum) : tree_pair(by->c, y->flat, y->oflat);
	return by->sort == K_FLATA || by->sort == K_CUMA ? down(p.a, q.a) : down(p.b, q.b);
}

static int cmp_what(const struct calls *c, const struct thing *x, const struct thing *y)
{
	int d = down(tree_pair(c, x->flat, x->oflat).a, tree_pair(c, y->flat, y->oflat).a);
	return d ? d : down(tree_pair(c, x->cum, x->ocum).a, tree_pair(c, y->cum, y->ocum).a);
}

static int cmp_row(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by *by = ctx;
	const struct thing *x = &by->c->thing[a], *y = &by->c->thing[b];
	int name = x->rank < y->rank ? -1 : x->rank > y->rank, d = 0;
	if (by->sort == K_NAME)
		return by->invert ? -name : name;
	if (by->sort == K_CUM)
		d = down(x->cum, y->cum);
	else if (by->sort != K_FLAT)
		d = cmp_side(by, x, y);
	d = d ? d : down(x->flat, y->flat);
	d = d ? d : down(x->cum, y->cum);
	if (!d && tree_two(by->c))	/* what has not changed: by what it is */
		d = cmp_what(by->c, x, y);
	d = d ? d : name;
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
	bool less = session_query(env->s)->drop_negative;
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing *t = &c->thing[i];
		if ((!t->flat && !t->cum && !t->oflat && !t->ocum) ||
		    (less && (t->flat < 0 || (!t->flat && t->cum < 0))) || (env->grep.rx && !tree_match(c, i, env->grep.rx, &b)))
			continue;
		p->row = mem_grow(p->row, &p->cap, (size_t)n + 1, sizeof *p->row);
		p->row[n++] = i;
	}
	buf_free(&b);
	sort_u32(p->row, n, cmp_row, &(struct by){c, p->sort, p->invert});
	p->all = n;
	n = p->limit && n > p->limit ? p->limit : n;
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

static unsigned bit(enum top_col c)
{
	return 1u << c;
}

/* The columns that suit: both sides of a difference rather than percentages, when there is little room. */
static unsigned shown(const struct top *p, const struct pane_env *env)
{
	unsigned m = bit(C_FLAT) | bit(C_CUM) | bit(C_NAME);
	if (p->cols)
		return p->cols | bit(C_NAME);
	if (tree_two(p->t.c))
		m |= bit(C_FLATA) | bit(C_FLATB) | bit(C_CUMA) | bit(C_CUMB);
	if (!tree_two(p->t.c) || env->cols >= 110)
		m |= bit(C_FLATP) | bit(C_CUMP) | bit(C_BAR);
	return tree_two(p->t.c) ? m : m | bit(C_SUM);
}

/* Columns as a table lays them out; of[] says which each is. How many. */
static int columns(const struct top *p, const struct pane_env *env, struct rows_col *c, enum top_col *of)
{
	static const char *const name[] = {"FUNCTION", "FUNCTION", "FILE", "LINE", "ADDRESS"};
	unsigned m = shown(p, env);
	int n = 0;
	for (int i = 0; i < C__N; i++) {
		if (!(m & bit((enum top_col)i)))
			continue;
		const struct top_column *k = &cols[i];
		int8_t dir = i == C_NAME ? 1 : -1;
		of[n] = (enum top_col)i;
		c[n++] = (struct rows_col){i == C_NAME ? name[p->t.c->gran] : tree_delta(p->t.c) ? k->delta : k->head,
		    k->width, i < C_BAR, (int8_t)(k->sort == p->sort ? p->invert ? -dir : dir : 0)};
		if (i == C_FLAT && !tree_delta(p->t.c))
			c[n - 1].width = 7;
		if (i == C_BAR && env->cols >= 110)
			c[n - 1].width = 20, c[n - 1].head = "CUM";
		if (i == C_BAR && env->cols < 64)
			c[n - 1].width = 3;
	}
	return n;
}

struct drawing {
	const struct top *p;
	const struct pane_env *env;
	enum top_col of[C__N];
	int n, x[C__N], w[C__N];
	int64_t most;		/* heaviest: the full bar */
};

static const char *inlined(const struct thing *t)
{
	return t->inl ? t->notinl ? "(partial-inline)" : "(inline)" : "";
}

/* A value that a difference has a sign of, or one side's. */
static void draw_value(const struct drawing *d, struct grid *g, int y, int k, int64_t v)
{
	const struct calls *c = d->p->t.c;
	int x1 = d->x[k] + d->w[k], attr = cols[d->of[k]].sort == d->p->sort ? AT_BOLD : 0;
	if (d->of[k] == C_FLAT || d->of[k] == C_CUM)
		tree_change(d->env, c, g, y, x1, v, attr);
	else
		tree_value(d->env, c, g, y, x1, v, attr);
}

static void draw_cell(const struct drawing *d, struct grid *g, int y, uint32_t i, int k)
{
	const struct top *p = d->p;
	const struct calls *c = p->t.c;
	const struct thing *t = &c->thing[p->row[i]];
	int64_t base = tree_base(d->env, c, BASE_ALL, 0);
	struct pair flat = tree_pair(c, t->flat, t->oflat), cum = tree_pair(c, t->cum, t->ocum);
	int x = d->x[k], w = d->w[k];
	struct buf b = {0};
	switch (d->of[k]) {
	case C_FLAT: draw_value(d, g, y, k, t->flat); break;
	case C_FLATA: draw_value(d, g, y, k, flat.a); break;
	case C_FLATB: draw_value(d, g, y, k, flat.b); break;
	case C_CUM: draw_value(d, g, y, k, t->cum); break;
	case C_CUMA: draw_value(d, g, y, k, cum.a); break;
	case C_CUMB: draw_value(d, g, y, k, cum.b); break;
	case C_FLATP: tree_percent(g, y, x + w, t->flat, base); break;
	case C_SUM: tree_percent(g, y, x + w, p->sum[i], base); break;
	case C_CUMP: tree_percent(g, y, x + w, t->cum, base); break;
	case C_BAR:
		grid_bar(g, y, x, w, tree_part(t->cum, d->most),
		    !tree_delta(c) ? ST_HEAT : t->cum > 0 ? ST_MORE2 : ST_LESS2);
		break;
	case C_WHERE: {
		struct rect old = grid_clip(g, (struct rect){y, x, 1, w});
		calls_where(c, p->row[i], &b);
		grid_text(g, 0, 0, ST_DIM, 0, buf_str(&b));
		grid_unclip(g, old);
		break;
	}
	case C_NAME:
		if (tree_is_tagged(d->env, c, p->row[i])) {
			grid_put(g, y, x, '*', ST_ACCENT, ST_NORMAL, AT_BOLD);
			x += 2, w -= 2;
		}
		tree_name(d->env, c, g, y, x, w, p->row[i], inlined(t));
		break;
	case C__N: break;
	}
	buf_free(&b);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct drawing *d = arg;
	for (int k = 0; k < d->n; k++)
		if (d->x[k] >= 0)
			draw_cell(d, g, y, i, k);
}

static void draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct top *p = st;
	if (tree_empty(&p->t, env, g))
		return;
	struct drawing d = {.p = p, .env = env};
	struct rows_col c[C__N];
	d.n = columns(p, env, c, d.of);
	for (uint32_t i = 0; i < p->rows.n; i++)
		if (magnitude(p->t.c->thing[p->row[i]].cum) > (uint64_t)d.most)
			d.most = (int64_t)(magnitude(p->t.c->thing[p->row[i]].cum) & INT64_MAX);
	bool bar = p->rows.n > (uint32_t)(g->h - 1);
	rows_layout(c, d.n, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){0, 1, 1, g->w - 1});
	rows_head(g, 0, c, d.n, d.x, d.w);
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
		tree_change(env, p->t.c, g, y, 9, l[i].value, 0);
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
	bool first = !p->rows.sel;
	keep(p);
	p->invert = p->sort == key && p->invert;
	p->sort = key;
	fill(p, env);
	if (first) {	/* nobody has moved yet: the heaviest in this order */
		rows_select(&p->rows, 0);
		keep(p);
	}
}

static enum verdict say(struct ask *ask, const char *s)
{
	ask->kind = ASK_MESSAGE;
	snprintf(ask->text, sizeof ask->text, "%s", s);
	return V_ASK;
}

static int column_named(const char *name)
{
	for (int i = 0; i < C__N; i++)
		if (!strcmp(cols[i].name, name))
			return i;
	return -1;
}

static bool sortable(const struct top *p, int i)
{
	return cols[i].sort != K__N && (tree_two(p->t.c) || cols[i].sort < K_FLATA);
}

static enum verdict sort_by_name(struct top *p, const struct pane_env *env, const char *arg, struct ask *ask)
{
	int i = column_named(arg);
	if (i < 0 || !sortable(p, i))
		return say(ask, tree_two(p->t.c) ? "sort by flat, cum, name, flat-a, flat-b, cum-a or cum-b"
						 : "sort by flat, cum or name");
	resort(p, env, cols[i].sort);
	return V_DONE;
}

/* The order of the next column that is one, to the right or to the left. */
static void sort_beside(struct top *p, const struct pane_env *env, int dir)
{
	int i = 0;
	while (cols[i].sort != p->sort)
		i++;
	do
		i = (i + dir + C__N) % C__N;
	while (!sortable(p, i));
	resort(p, env, cols[i].sort);
}

/* "flat,cum,name" are the columns; "+sum%", "-bar" or a name alone add, take, turn one; "default". */
static enum verdict choose_columns(struct top *p, const struct pane_env *env, const char *arg, struct ask *ask)
{
	bool set = strchr(arg, ',') != NULL;
	unsigned m = set ? 0 : shown(p, env);
	if (!strcmp(arg, "default")) {
		p->cols = 0;
		return V_DONE;
	}
	for (const char *s = arg; *s; s += strspn(s, ", ")) {
		size_t n = strcspn(s, ", ");
		const char *w = arena_strndup(env->scratch, s, n);
		int i = column_named(w + (*w == '+' || *w == '-'));
		if (i < 0)
			return say(ask, "columns are flat flat% sum% flat-a flat-b cum cum% cum-a cum-b bar where; default");
		unsigned b = bit((enum top_col)i);
		m = *w == '-' ? m & ~b : set || *w == '+' ? m | b : m ^ b;
		s += n;
	}
	p->cols = m | bit(C_NAME);
	return V_DONE;
}

static int choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	const struct top *p = st;
	int n = 0;
	if (!p->t.c || (cmd != CMD_SORT && cmd != CMD_COLUMNS))
		return 0;
	for (int i = 0; i < C__N; i++) {
		if (cmd == CMD_SORT && sortable(p, i))
			tree_choice(&out[n++], cols[i].name, cols[i].what, cols[i].sort == p->sort);
		else if (cmd == CMD_COLUMNS && i != C_NAME)
			tree_choice(&out[n++], cols[i].name, cols[i].what,
			    (shown(p, env) & bit((enum top_col)i)) != 0);
	}
	if (cmd == CMD_COLUMNS)
		tree_choice(&out[n++], "default", "those that suit the screen", !p->cols);
	return n;
}

/* top20: so many rows. */
static enum verdict set_limit(struct top *p, const struct pane_env *env, const char *arg)
{
	if (!arg || !*arg || arg[strspn(arg, "0123456789")])
		return V_PASS;
	keep(p);
	p->limit = (uint32_t)strtoul(arg, NULL, 10);
	fill(p, env);
	return V_DONE;
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
	case CMD_PANE_TOP: return set_limit(p, env, a->arg);
	case CMD_SORT: return sort_by_name(p, env, a->arg ? a->arg : "", ask);
	case CMD_SORT_LEFT: sort_beside(p, env, -1); return V_DONE;
	case CMD_SORT_RIGHT: sort_beside(p, env, 1); return V_DONE;
	case CMD_COLUMNS: return choose_columns(p, env, a->arg ? a->arg : "default", ask);
	case CMD_INVERT:
		keep(p);
		p->invert = !p->invert;
		fill(p, env);
		return V_DONE;
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

static void report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct top *p = st;
	size_t k = 0;
	*r = (struct pane_report){.name = "top"};
	if (p->sort == K_CUM)
		r->opt[k++] = "-cum";
	if (p->limit)
		r->opt[k] = arena_printf(env->scratch, "-nodecount=%u", p->limit);
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
	p->sort = (enum top_sort)((uint64_t)v->cursor[2] % K__N);
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
	if (p->all > p->rows.n)
		buf_printf(b, " of %u", p->all);
	else if (p->t.c->gran == CG_FUNCTIONS)
		buf_printf(b, "/%u", p->functions > p->rows.n ? p->functions : p->rows.n);
	buf_printf(b, " %s", what[p->t.c->gran]);
	if (env->base > BASE_ALL)
		buf_printf(b, " | %% of %s", tree_base_name(env, BASE_ALL, ""));
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
	tree_put_change(env, p->t.c, &rest, t->flat);
	buf_puts(&rest, " cum ");
	tree_put_change(env, p->t.c, &rest, t->cum);
	tree_put_sides(env, p->t.c, &rest, t->cum, t->ocum);
	uint32_t up = callers_of(p->t.c, sel, env->scratch, &l);
	uint32_t down = callees_of(p->t.c, sel, env->scratch, &l);
	if (t->map && !session_is_trace(env->s))	/* C, C++, Rust: addresses alone */
		buf_puts(&rest, "  no names here: use -symbolize=local");
	else
		buf_printf(
		    &rest, "  %u caller%s %u callee%s", up, up == 1 ? "" : "s", down, down == 1 ? "" : "s");
	tree_line(env, p->t.c, sel, b, &rest);
}

static uint32_t find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct top *p = st;
	mark_hits(p, env);
	uint32_t n = hits_step(&p->hit, &p->rows, dir, at);
	if (dir && n)
		keep(p);
	return n;
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
    .choices = choices,
    .go = go,
    .place = place,
    .topics = topics,
    .save = save,
    .report = report,
    .load = load,
    .summary = summary,
    .detail = detail,
    .find = find,
    .keys = keys,
    .side = side,
    .click = click,
};
