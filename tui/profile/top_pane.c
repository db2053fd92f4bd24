/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Top: one row per symbol, with its own and its cumulative weight.
 *
 * The rows are symbol ids in the displayed order; SUM% is the running sum in that order, "this row
 * and all above". Weights of a difference are sorted by magnitude. The list is complete (a terminal
 * scrolls), except for symbols without samples of this type and rows that `&` leaves out. The side
 * part shows callers and callees of the selected row: they are found from the nodes of that symbol,
 * so drawing stays cheap.
 */
#include "config.h"
#include "profile/top_internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/callers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note_selection(struct top_state *p)
{
	if (p->t.c && top_selected(p))
		p->sel = p->t.c->symbol[top_selected(p)].id;
}

struct top_order { const struct weighted_tree *c; enum top_sort sort; bool invert; };

static int cmp_descending(int64_t a, int64_t b)
{
	return wrap_size(a) > wrap_size(b) ? -1 : wrap_size(a) < wrap_size(b);
}

static struct pair pair_of(const struct weighted_tree *c, uint32_t symbol, bool cum)
{
	const struct symbol_weight *w = &c->weight[symbol];
	struct symbol_other o = weighted_other(c, symbol);
	return profile_side_values(c, cum ? w->cum : w->flat, cum ? o.cum : o.flat);
}

/* Compare by a column of one side; the other orders are cached with the tree. */
static int cmp_side(const struct top_order *by, uint32_t a, uint32_t b)
{
	bool cum = by->sort == K_CUMA || by->sort == K_CUMB;
	struct pair p = pair_of(by->c, a, cum), q = pair_of(by->c, b, cum);
	return by->sort == K_FLATA || by->sort == K_CUMA ? cmp_descending(p.a, q.a) : cmp_descending(p.b, q.b);
}

static int cmp_what(const struct weighted_tree *c, uint32_t a, uint32_t b)
{
	int d = cmp_descending(pair_of(c, a, false).a, pair_of(c, b, false).a);
	return d ? d : cmp_descending(pair_of(c, a, true).a, pair_of(c, b, true).a);
}

static int cmp_row(const void *ctx, uint32_t a, uint32_t b)
{
	const struct top_order *by = ctx;
	const struct symbol_weight *x = &by->c->weight[a], *y = &by->c->weight[b];
	uint32_t p = by->c->symbol[a].rank, q = by->c->symbol[b].rank;
	int name = p < q ? -1 : p > q, d = cmp_side(by, a, b);
	d = d ? d : cmp_descending(x->flat, y->flat);
	d = d ? d : cmp_descending(x->cum, y->cum);
	if (!d)	/* no change: compare names */
		d = cmp_what(by->c, a, b);
	d = d ? d : name;
	return by->invert ? -d : d;
}

/* Return an order cached with the tree; NULL: the sort key has none. */
static const uint32_t *kept_order(const struct top_state *p, uint32_t *n)
{
	if (p->sort > K_NAME)
		return NULL;
	const struct calltree_orders *o = calltree_sort_orders(p->t.c);
	*n = o->n;
	return p->sort == K_FLAT ? o->flat : p->sort == K_CUM ? o->cum : o->name;
}

static bool has_weight(const struct weighted_tree *c, uint32_t symbol, bool less)
{
	const struct symbol_weight *t = &c->weight[symbol];
	struct symbol_other o = weighted_other(c, symbol);
	return (t->flat || t->cum || o.flat || o.cum) && !(less && (t->flat < 0 || (!t->flat && t->cum < 0)));
}

/* Prefetch the data of a following symbol, because the order of a list differs from that of memory. */
static void prefetch_row(const struct weighted_tree *c, const uint32_t *v, uint32_t k, uint32_t n)
{
	enum { AHEAD = 16 };
	if (k + AHEAD < n) {
		__builtin_prefetch(&c->symbol[v[k + AHEAD]].id);
		__builtin_prefetch(&c->weight[v[k + AHEAD]]);
	}
}

/* ---- making the rows, after a new query, order, or `&` */
/* Add row i to the sums; return whether it is the selected symbol. */
static bool add_up(struct top_state *p, int64_t *sum, uint32_t symbol, uint32_t i)
{
	const struct symbol_weight *t = &p->t.c->weight[symbol];
	uint64_t cum = wrap_size(t->cum);
	if (p->limit && i >= p->limit)
		return false;
	p->most = cum > (uint64_t)p->most ? (int64_t)(cum & INT64_MAX) : p->most;
	p->sum[i] = *sum = wrap_add(*sum, t->flat);
	return p->t.c->symbol[symbol].id == p->sel;
}

static void fill_rows(struct top_state *p, const struct pane_env *env)
{
	const struct weighted_tree *c = p->t.c;
	struct buf b = {0};
	uint32_t n = 0, sel = 0, all = c->nsymbol - 1;
	int64_t sum = 0;
	bool less = session_query(env->s)->drop_negative;
	const uint32_t *by = kept_order(p, &all);
	p->row = mem_grow(p->row, &p->cap, (size_t)all + 1, sizeof *p->row);
	p->sum = mem_grow(p->sum, &p->sumcap, (size_t)all + 1, sizeof *p->sum);
	p->most = 0;
	for (uint32_t k = 0; k < all; k++) {
		uint32_t i = !by ? k + 1 : by[p->invert ? all - 1 - k : k];
		if (by && !p->invert)
			prefetch_row(c, by, k, all);
		if (!has_weight(c, i, less) || (env->grep.rx && !profile_name_matches(c, i, env->grep.rx, &b)))
			continue;
		p->row[n++] = i;
		if (by)		/* the rows are in order already: add each at once */
			sel = add_up(p, &sum, i, n - 1) ? n - 1 : sel;
	}
	buf_free(&b);
	if (!by)
		calltree_sort_u32(p->row, n, cmp_row, &(struct top_order){c, p->sort, p->invert});
	p->all = n;
	n = p->limit && n > p->limit ? p->limit : n;
	for (uint32_t i = 0; i < n && !by; i++)
		sel = add_up(p, &sum, p->row[i], i) ? i : sel;
	uint32_t below = p->rows.n ? p->rows.sel - p->rows.top : p->below;
	p->below = c->none ? below : 0;
	list_set_count(&p->rows, n);
	p->rows.sel = sel;
	p->rows.top = sel > below ? sel - below : 0;
	list_select(&p->rows, sel);
}

static void top_pane_update(void *st, const struct pane_env *env)
{
	struct top_state *p = st;
	note_selection(p);
	profile_update_tree(&p->t, env, profile_granularity(env));
	uint32_t n = session_snap(env->s)->nfuns;
	p->functions = n ? n - 1 : 0;
	profile_verdict_update(&p->verdict, env);
	fill_rows(p, env);
}

static void close_top(void *st)
{
	struct top_state *p = st;
	profile_verdict_free(&p->verdict);
	profile_free_tree(&p->t);
	mem_free(p->row);
	mem_free(p->sum);
	list_hits_free(&p->hit);
}

/* ---- commands */

static void set_sort(struct top_state *p, const struct pane_env *env, enum top_sort key)
{
	bool first = !p->rows.sel;
	note_selection(p);
	p->invert = p->sort == key && p->invert;
	p->sort = key;
	fill_rows(p, env);
	if (first) {	/* the user has not moved: select the heaviest in the new order */
		list_select(&p->rows, 0);
		note_selection(p);
	}
}

static int column_named(const void *arg, const char *name, size_t n)
{
	(void)arg;
	for (int i = 0; i < C__N; i++)
		if (strlen(top_cols[i].name) == n && !memcmp(top_cols[i].name, name, n))
			return i;
	return -1;
}

static void top_sort(void *st, const struct pane_env *env, int by)
{
	struct top_state *p = st;
	int i = -1;
	if (by < 0) {
		note_selection(p);
		p->invert = !p->invert;
		fill_rows(p, env);
		return;
	}
	while (by >= 0)
		by -= top_sortable(p, (enum top_col)++i);
	set_sort(p, env, top_cols[i].sort);
}

static enum verdict choose_columns(struct top_state *p, const char *arg, struct ask *ask)
{
	uint64_t cols = 0;
	if (strcmp(arg, "default") && !list_choose_columns(arg, column_named, NULL, top_shown(p), &cols))
		return pane_message(ask, "columns requires some of flat flat%% sum%% flat-a flat-b cum cum%% cum-a "
		    "cum-b bar where, or default");
	p->cols = cols ? (unsigned)cols | top_bit(C_NAME) : 0;
	return V_DONE;
}

static int top_pane_choices(const void *st, const struct pane_env *env, enum cmd_id cmd, struct choice *out)
{
	const struct top_state *p = st;
	int n = 0;
	(void)env;
	if (!p->t.c || (cmd != CMD_SORT && cmd != CMD_COLUMNS))
		return 0;
	for (int i = 0; i < C__N; i++) {
		if (cmd == CMD_SORT && top_sortable(p, (enum top_col)i))
			pane_set_choice(&out[n++], top_cols[i].name, top_cols[i].what, top_cols[i].sort == p->sort);
		else if (cmd == CMD_COLUMNS && i != C_NAME)
			pane_set_choice(&out[n++], top_cols[i].name, top_cols[i].what,
			    (top_shown(p) & top_bit((enum top_col)i)) != 0);
	}
	if (cmd == CMD_COLUMNS)
		pane_set_choice(&out[n++], "default", "columns that fit the screen", !p->cols);
	return n;
}

/* Set the number of rows (top20). */
static enum verdict set_limit(struct top_state *p, const struct pane_env *env, const char *arg)
{
	if (!arg || !*arg || arg[strspn(arg, "0123456789")])
		return V_PASS;
	note_selection(p);
	p->limit = (uint32_t)strtoul(arg, NULL, 10);
	fill_rows(p, env);
	return V_DONE;
}

/* Find the operation that spends most time in the selected function. */
static enum verdict find_exemplar(struct top_state *p, const struct pane_env *env, struct ask *ask)
{
	struct exemplar_path path = {.symbol = {top_selected(p)}, .n = 1};
	return profile_find_exemplar(&p->exemplar, env, p->t.c, &path, ask);
}

static enum verdict top_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct top_state *p = st;
	if (!p->t.c)
		return V_PASS;
	if (profile_asks_exemplar(env, a) && top_selected(p))
		return find_exemplar(p, env, ask);
	switch ((int)a->cmd) {
	case CMD_FLATCUM:
		set_sort(p, env,
		    a->arg && !strcmp(a->arg, "flat") ? K_FLAT
		    : a->arg && *a->arg		      ? K_CUM
		    : p->sort == K_FLAT		      ? K_CUM
						      : K_FLAT);
		return V_DONE;
	case CMD_PANE_TOP: return set_limit(p, env, a->arg);
	case CMD_COLUMNS: return choose_columns(p, a->arg ? a->arg : "default", ask);
	case CMD_OPEN:
		if (!top_selected(p))
			return V_DONE;
		ask->kind = ASK_PANE;
		ask->pane = "peek";
		profile_symbol_place(p->t.c, top_selected(p), &ask->place);
		return V_ASK;
	default: return V_PASS;
	}
}

static bool top_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct top_state *p = st;
	uint32_t symbol = p->t.c ? profile_find_symbol(p->t.c, to) : 0;
	(void)env;
	for (uint32_t i = 0; symbol && i < p->rows.n; i++)
		if (p->row[i] == symbol) {
			p->chosen = p->chosen || !to->first;
			if (i == p->rows.sel)	/* already selected: no step of undo */
				return true;
			list_select(&p->rows, i);
			note_selection(p);
			return true;
		}
	return false;
}

static void top_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct top_state *p = st;
	(void)env;
	to->topic[0] = p->sort == K_CUM ? TOPIC_C_CUM : TOPIC_C_FLAT;
	profile_symbol_place(p->t.c, p->t.c ? top_selected(p) : 0, to);
	to->first = !p->chosen;
}

static void top_pane_report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct top_state *p = st;
	size_t k = 0;
	*r = (struct pane_report){.name = "top"};
	if (p->sort == K_CUM)
		r->options[k++] = "-cum";
	if (p->limit)
		r->options[k] = arena_printf(env->scratch, "-nodecount=%u", p->limit);
}

static void top_pane_save(const void *st, struct view *v)
{
	const struct top_state *p = st;
	view_put_cursor(v, "id", (int64_t)p->sel);
	view_put_cursor(v, "top", p->rows.top);
	view_put_cursor(v, "sort", p->sort);
	view_put_cursor(v, "invert", p->invert);
}

static void top_pane_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct top_state *p = st;
	enum top_sort sort = (enum top_sort)view_get_below(v, "sort", K__N);
	bool invert = view_get(v, "invert") != 0, same = p->t.c && p->rows.n && sort == p->sort && invert == p->invert;
	p->sel = (uint64_t)view_get(v, "id");
	p->sort = sort;
	p->invert = invert;
	if (same) {	/* an incremental search restores the view for each character */
		uint32_t i = p->rows.n - 1;
		while (i && p->t.c->symbol[p->row[i]].id != p->sel)
			i--;
		list_select(&p->rows, i);
	} else if (p->t.c) {
		fill_rows(p, env);
	}
	p->rows.top = (uint32_t)view_get(v, "top");
	list_select(&p->rows, p->rows.sel);
}

static void top_pane_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	static const char *const what[] = {"functions", "functions", "files", "lines", "addresses"};
	const struct top_state *p = st;
	if (!p->t.c)
		return;
	profile_summary(p->t.c, env, b);
	buf_printf(b, " | %u", p->rows.n);
	if (p->all > p->rows.n)
		buf_printf(b, " of %u", p->all);
	else if (p->t.c->gran == GR_FUNCTIONS)
		buf_printf(b, "/%u", p->functions > p->rows.n ? p->functions : p->rows.n);
	buf_printf(b, " %s", what[p->t.c->gran]);
	if (env->base > BASE_ALL)
		buf_printf(b, " | %% of %s", profile_base_name(env, BASE_ALL, ""));
	if (list_hits_are_current(&p->hit, &p->rows, env->find.rx))
		buf_printf(b, " | /%s %u match%s", env->find.text, p->hit.n, text_es(p->hit.n));
}

static void top_pane_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct top_state *p = st;
	uint32_t sel = p->t.c ? top_selected(p) : 0;
	if (!sel)
		return;
	const struct symbol *t = &p->t.c->symbol[sel];
	const struct symbol_weight *w = &p->t.c->weight[sel];
	struct link *l;
	struct buf rest = {0};
	buf_puts(&rest, "  ");
	weighted_position(p->t.c, sel, &rest);
	buf_puts(&rest, "  flat ");
	profile_put_change(env, p->t.c, &rest, w->flat);
	buf_puts(&rest, " cum ");
	profile_put_change(env, p->t.c, &rest, w->cum);
	profile_put_sides(env, p->t.c, &rest, w->cum, weighted_other(p->t.c, sel).cum);
	uint32_t up = calltree_callers(p->t.c, sel, env->scratch, &l);
	uint32_t down = calltree_callees(p->t.c, sel, env->scratch, &l);
	if (t->map && !session_is_trace(env->s))	/* C, C++, Rust: only addresses */
		buf_puts(&rest, "  no names: use -symbolize=local");
	else
		buf_printf(
		    &rest, "  %u caller%s %u callee%s", up, text_s(up), down, text_s(down));
	profile_put_name_line(env, p->t.c, sel, b, &rest);
}

static void top_pane_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct top_state *p = st;
	(void)env;
	buf_printf(b,
	    "! findings  Enter peek  2 list  f focus  x ignore  c %s  M type  < > sort  / find  d hide  a menu",
	    p->sort == K_FLAT ? "cum" : "flat");
}

static struct list_part top_part(void *st, const struct pane_env *env)
{
	struct top_state *p = st;
	int y = profile_verdict_lines(&p->verdict, env) + 1;
	return (struct list_part){.rows = &p->rows, .hits = &p->hit, .y = y, .h = env->rows - y - top_foot_lines(p, env)};
}

static void take_verdict(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	profile_verdict_finish(&((struct top_state *)st)->verdict, env);
}

static void take_exemplar(void *st, const struct pane_env *env, struct ask *out)
{
	profile_take_exemplar(&((struct top_state *)st)->exemplar, env, out);
}

static int top_work(void *st, struct pane_work *out)
{
	struct top_state *p = st;
	out[0] = (struct pane_work){.slot = &p->verdict.making, .take = take_verdict};
	out[1] = (struct pane_work){.slot = &p->exemplar.finding, .take = take_exemplar, .first = true};
	return 2;
}

static void top_row_text(const void *st, const struct pane_env *env, uint32_t row, struct buf *b)
{
	const struct top_state *p = st;
	(void)env;
	profile_put_match_text(p->t.c, p->row[row], b);
}

/* Many rows are matched by symbol, whose names are adjacent in memory. */
static bool top_match(void *st, const struct pane_env *env, uint8_t *at)
{
	const struct top_state *p = st;
	const struct weighted_tree *c = p->t.c;
	if (p->rows.n <= c->nsymbol / 4)
		return false;
	uint8_t *by = arena_zalloc(env->scratch, c->nsymbol);
	profile_match_names(c, env->find.rx, by);
	for (uint32_t i = 0; i < p->rows.n; i++)
		at[i] = by[p->row[i]];
	return true;
}

static void top_moved(void *st, const struct pane_env *env)
{
	(void)env;
	((struct top_state *)st)->chosen = true;
	note_selection(st);
}

static const struct list_ops top_list = {
    .part = top_part, .text = top_row_text, .match = top_match, .moved = top_moved};

const struct pane_ops pane_top = {
    .name = "top",
    .tab = "Top",
    .bit = P_TOP,
    .cmd = CMD_PANE_TOP,
    .state_size = sizeof(struct top_state),
    .close = close_top,
    .update = top_pane_update,
    .list = &top_list,
    .draw = top_draw,
    .act = top_pane_act,
    .own.choices = top_pane_choices,
    .own.sort = top_sort,
    .go = top_pane_go,
    .place = top_pane_place,
    .view.save = top_pane_save,
    .output.report = top_pane_report,
    .view.load = top_pane_load,
    .summary = top_pane_summary,
    .lines.detail = top_pane_detail,
    .lines.keys = top_pane_keys,
    .side.draw = top_side,
    .side.split = top_split,
    .work.slots = top_work,
};
