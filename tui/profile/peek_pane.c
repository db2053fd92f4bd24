/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Peek: a symbol, its callers above and its callees below.
 *
 * One list holds both: callers, a rule, the centre, a rule, callees; the selection skips the rules.
 * Weights are those of pprof's peek: a call counts a stack once, a recursive symbol is no caller of
 * itself. More levels (+ and -) follow the paths of these calls. Previous centres are kept for
 * Backspace. peek_draw.c draws.
 */
#include "config.h"
#include "profile/peek_internal.h"

#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/wrap_math.h"
#include "calltree/callers.h"
#include "profile/flame_job.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 4000, LEVELS_MAX = 6 };

/* ---- rows */

static void add_line(struct peek_state *p, struct peek_line l)
{
	if (p->rows.n >= ROWS_MAX)
		return;
	p->line = mem_grow(p->line, &p->cap, (size_t)p->rows.n + 1, sizeof *p->line);
	p->line[p->rows.n++] = l;
}

/* For a difference, if requested, keep only what has increased; return how many are left. */
static uint32_t keep_wanted(const struct peek_state *p, struct link *l, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!p->more || l[i].value > 0)
			l[kept++] = l[i];
	return kept;
}

static void add_links(struct peek_state *p, struct arena *a, enum row_kind kind, const struct link *l,
    uint32_t n, int level, int levels)
{
	int64_t whole = p->t.c->weight[p->centre].cum;
	for (uint32_t i = 0; i < n && p->rows.n < ROWS_MAX; i++) {
		if (level && profile_ratio(l[i].value, whole) < 0.005)
			continue;
		add_line(p, (struct peek_line){kind, level, l[i].symbol, 0, l[i].value, l[i].other, l[i].inl});
		if (level + 1 >= levels)
			continue;
		struct link *more;
		uint32_t m = kind == R_CALLER ? calltree_callers_next(p->t.c, &l[i], a, &more)
					      : calltree_callees_next(p->t.c, &l[i], a, &more);
		m = keep_wanted(p, more, m);
		add_links(p, a, kind, more, m, level + 1, levels); /* recursion is limited to LEVELS_MAX */
	}
}

static void fill_lines(struct peek_state *p, const struct pane_env *env)
{
	struct arena a = {0};
	struct link *l;
	list_reset(&p->rows, 0);
	if (!p->centre)
		return;
	int levels = peek_levels(p, env);
	const struct symbol_weight *c = &p->t.c->weight[p->centre];
	p->more = session_query(env->s)->drop_negative && p->t.c->two && p->t.c->show == SHOW_DELTA;
	uint32_t n = calltree_callers(p->t.c, p->centre, &a, &l);
	n = keep_wanted(p, l, n);
	add_links(p, &a, R_CALLER, l, n, 0, levels);
	add_line(p, (struct peek_line){R_CALLERS, 0, 0, n, 0, 0, false});
	uint32_t at = p->rows.n;
	add_line(
	    p, (struct peek_line){R_CENTRE, 0, p->centre, 0, c->cum, weighted_other(p->t.c, p->centre).cum, false});
	n = calltree_callees(p->t.c, p->centre, &a, &l);
	n = keep_wanted(p, l, n);
	add_line(p, (struct peek_line){R_CALLEES, 0, 0, n, 0, 0, false});
	add_links(p, &a, R_CALLEE, l, n, 0, levels);
	arena_free(&a);
	uint32_t rows = p->rows.n;
	list_reset(&p->rows, rows);
	list_select(&p->rows, at);
}

static void side_flames(struct peek_state *p, const struct pane_env *env)
{
	struct flame_conf conf = {.pivot = p->centre, .more = p->more};
	session_free_calls_async(env->s, NULL, p->fv.f);
	for (int k = 0; k < PARTS; k++)
		p->fv.f[k] = NULL;
	p->fv.t.c = p->t.c;
	if (p->centre && !async_job(&p->work))	/* after a job for another centre, done() continues */
		(void)flame_job_start(&p->work, p->t.c, &conf, p->fv.f);
}

static void peek_pane_done(void *st, const struct pane_env *env, struct ask *out)
{
	(void)out;
	struct peek_state *p = st;
	struct flame_conf conf = {.pivot = p->centre, .more = p->more};
	if (!flame_job_finish(&p->work, env->s, p->t.c, &conf, p->fv.f))
		side_flames(p, env);
}

static void set_centre(struct peek_state *p, const struct pane_env *env, uint32_t symbol, bool remember)
{
	if (remember && p->id && p->id != p->t.c->symbol[symbol].id) {
		if (p->nback == BACK_MAX)
			memmove(p->back, p->back + 1, sizeof p->back - sizeof *p->back), p->nback--;
		p->back[p->nback++] = p->id;
	}
	p->centre = symbol;
	p->id = symbol ? p->t.c->symbol[symbol].id : 0;
	p->due = false;
	fill_lines(p, env);
	side_flames(p, env);
}

/* ---- symbols for { and } */

static void list_matches(struct peek_state *p, const struct regex *rx)
{
	const struct calltree_orders *o = calltree_sort_orders(p->t.c);
	uint8_t *hit = rx ? xcalloc(p->t.c->nsymbol, 1) : NULL;
	p->match = xrealloc(p->match, (o->n + 1) * sizeof *p->match);
	p->nmatch = 0;
	if (rx)
		profile_match_names(p->t.c, rx, hit);
	for (uint32_t i = 0; i < o->n; i++)
		if (!rx || hit[o->cum[i]])
			p->match[p->nmatch++] = o->cum[i];
	mem_free(hit);
}

uint32_t peek_match_at(const struct peek_state *p)
{
	for (uint32_t i = 0; i < p->nmatch; i++)
		if (p->match[i] == p->centre)
			return i;
	return UINT32_MAX;
}

static void match_functions(struct peek_state *p)
{
	struct regex *rx = p->re ? regex_new(p->re, NULL) : NULL;
	list_matches(p, rx);
	regex_free(rx);
}

static enum verdict match_re(
    struct peek_state *p, const struct pane_env *env, const char *re, struct ask *ask)
{
	struct err e;
	struct regex *rx = regex_new(re, &e);
	if (!rx)
		return V_PASS;		/* the app reports the error */
	list_matches(p, rx);
	if (!p->nmatch) {
		regex_free(rx);
		match_functions(p);
		return V_PASS;
	}
	mem_free(p->re);
	p->re = xstrdup(regex_pattern(rx));
	regex_free(rx);
	set_centre(p, env, p->match[0], true);
	(void)ask;
	return V_DONE;
}

/* Return the default symbol: the one with the largest own weight, as in the first row of Top, because the one with
   the largest cumulative weight is a root. */
static uint32_t hottest_match(const struct peek_state *p)
{
	const struct symbol_weight *t = p->t.c->weight;
	uint32_t best = p->match[0];
	for (uint32_t i = 1; i < p->nmatch; i++)
		if (wrap_size(t[p->match[i]].flat) > wrap_size(t[best].flat))
			best = p->match[i];
	return best;
}

static void note_selection(struct peek_state *p)
{
	if (p->t.c && !p->t.c->none && !p->due)
		p->on = p->rows.n && p->centre ? p->t.c->symbol[p->line[p->rows.sel].symbol].id : 0;
}

/* Make everything again for a new tree; due: except the rows, because another centre follows. */
static void remake_lines(struct peek_state *p, const struct pane_env *env, bool due)
{
	match_functions(p);
	uint32_t symbol = weighted_find_id(p->t.c, p->id);
	if (!symbol && p->nmatch)
		symbol = p->id ? p->match[0] : hottest_match(p);
	uint64_t id = p->id;
	p->due = due && symbol;
	if (p->due) {
		p->centre = symbol;
		p->id = p->t.c->symbol[symbol].id;
		list_reset(&p->rows, 0);
		return;
	}
	set_centre(p, env, symbol, false);
	p->id = symbol ? p->id : id;	/* it has no samples with the current filters */
	for (uint32_t i = 0; i < p->rows.n; i++)
		if (p->on && p->line[i].symbol && p->t.c->symbol[p->line[i].symbol].id == p->on) {
			list_select(&p->rows, i);
			break;
		}
}

/* Make the rows if no other centre followed. */
static void make_due(struct peek_state *p, const struct pane_env *env)
{
	if (p->due)
		remake_lines(p, env, false);
}

static void peek_pane_update(void *st, const struct pane_env *env)
{
	struct peek_state *p = st;
	note_selection(p);
	bool fresh = profile_update_tree(&p->t, env, profile_granularity(env));
	if (!fresh && p->centre && !p->due)
		return;
	remake_lines(p, env, env->going);
}

static void close_peek(void *st)
{
	struct peek_state *p = st;
	for (int k = 0; k < PARTS; k++)
		flame_free(p->fv.f[k]);
	profile_free_tree(&p->t);
	mem_free(p->line);
	mem_free(p->match);
	mem_free(p->re);
	list_hits_free(&p->hit);
}

/* ---- commands */

static void next_part(struct peek_state *p)
{
	static const enum row_kind order[] = {R_CALLER, R_CENTRE, R_CALLEE};
	enum row_kind now = p->line[p->rows.sel].kind;
	int at = now == R_CALLER ? 0 : now == R_CENTRE ? 1 : 2;
	for (int k = 0; k < 3; k++) {
		enum row_kind want = order[(at + k + 1) % 3];
		for (uint32_t i = 0; i < p->rows.n; i++)
			if (p->line[i].kind == want) {
				list_select(&p->rows, i);
				return;
			}
	}
}

static enum verdict step_match(struct peek_state *p, const struct pane_env *env, int dir)
{
	uint32_t at = peek_match_at(p);
	if (!p->nmatch)
		return V_DONE;
	at = at == UINT32_MAX ? 0
	     : dir > 0	      ? (at + 1) % p->nmatch
			      : (at + p->nmatch - 1) % p->nmatch;
	set_centre(p, env, p->match[at], false);
	return V_DONE;
}

static enum verdict open_row(struct peek_state *p, const struct pane_env *env, struct ask *ask)
{
	const struct peek_line *l = &p->line[p->rows.sel];
	if (l->kind != R_CENTRE) {
		if (l->symbol)
			set_centre(p, env, l->symbol, true);
		return V_DONE;
	}
	ask->kind = ASK_PANE;
	ask->pane = "list";
	profile_symbol_place(p->t.c, l->symbol, &ask->place);
	return V_ASK;
}

static bool go_back(struct peek_state *p, const struct pane_env *env)
{
	while (p->nback) {
		uint32_t symbol = weighted_find_id(p->t.c, p->back[--p->nback]);
		if (symbol) {
			set_centre(p, env, symbol, false);
			return true;
		}
	}
	return false;
}

/* Find the operation that spends most time in the selected function, when called by the centre or calling it. */
static enum verdict find_exemplar(struct peek_state *p, const struct pane_env *env, struct ask *ask)
{
	const struct peek_line *l = p->rows.n ? &p->line[p->rows.sel] : NULL;
	struct exemplar_path path = {.symbol = {p->centre, p->centre}, .n = 1};
	if (l && l->symbol && l->kind != R_CENTRE) {
		path.symbol[l->kind == R_CALLEE] = l->symbol;
		path.n = 2;
	}
	return profile_find_exemplar(&p->exemplar, env, p->t.c, &path, ask);
}

static enum verdict peek_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct peek_state *p = st;
	if (!p->centre)
		return V_PASS;
	if (profile_asks_exemplar(env, a))
		return find_exemplar(p, env, ask);
	switch ((int)a->cmd) {
	case CMD_OPEN: return open_row(p, env, ask);
	case CMD_BACK: return go_back(p, env) ? V_DONE : V_PASS;
	case CMD_NEXT_PART:
	case CMD_PREV_PART: next_part(p); return V_DONE;
	case CMD_FUN_NEXT: return step_match(p, env, 1);
	case CMD_FUN_PREV: return step_match(p, env, -1);
	case CMD_ZOOM_IN:
	case CMD_ZOOM_OUT: {
		int n = peek_levels(p, env) + (a->cmd == CMD_ZOOM_IN ? 1 : -1);
		if (n < 1 || n > LEVELS_MAX)
			return pane_message(ask, "levels of callers and callees: 1 to %d", LEVELS_MAX);
		p->levels = n;
		fill_lines(p, env);
		return V_DONE;
	}
	case CMD_PANE_PEEK: return a->arg && *a->arg ? match_re(p, env, a->arg, ask) : V_PASS;
	default: return V_PASS;
	}
}

static bool peek_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct peek_state *p = st;
	uint32_t symbol = p->t.c ? profile_find_symbol(p->t.c, to) : 0;
	if (!symbol) {
		make_due(p, env);
		return false;
	}
	if (symbol != p->centre) {
		p->nback = 0;
		set_centre(p, env, symbol, false);
	}
	make_due(p, env);
	if (p->re && peek_match_at(p) == UINT32_MAX) { /* the new centre does not match the expression */
		mem_free(p->re);
		p->re = NULL;
		match_functions(p);
	}
	return true;
}

static void peek_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct peek_state *p = st;
	(void)env;
	to->topic[0] = TOPIC_P_EDGE;
	if (p->centre && p->rows.n)
		profile_symbol_place(p->t.c, p->line[p->rows.sel].symbol, to);
}

static void peek_pane_save(const void *st, struct view *v)
{
	const struct peek_state *p = st;
	view_put_zoom(v, "id", (int64_t)p->id);
	view_put_cursor(v, "row", p->rows.sel);
	view_put_cursor(v, "top", p->rows.top);
	view_put_cursor(v, "levels", p->levels);
}

static void peek_pane_load(void *st, const struct pane_env *env, const struct view *v)
{
	struct peek_state *p = st;
	uint32_t symbol = p->t.c ? weighted_find_id(p->t.c, (uint64_t)view_get(v, "id")) : 0;
	if (!symbol) {
		make_due(p, env);
		return;
	}
	p->levels = (int)view_get_below(v, "levels", LEVELS_MAX + 1);
	set_centre(p, env, symbol, false);
	p->rows.top = (uint32_t)view_get(v, "top");
	list_select(&p->rows, (uint32_t)view_get(v, "row"));
}

static struct list_part peek_part(void *st, const struct pane_env *env)
{
	struct peek_state *p = st;
	return (struct list_part){.rows = &p->rows, .hits = &p->hit, .y = 1, .h = env->rows - 1};
}

static bool peek_selectable(const void *st, uint32_t row)
{
	return ((const struct peek_state *)st)->line[row].symbol != 0;	/* it is no rule */
}

static void peek_row_text(const void *st, const struct pane_env *env, uint32_t row, struct buf *b)
{
	const struct peek_state *p = st;
	(void)env;
	if (p->line[row].symbol)
		profile_put_match_text(p->t.c, p->line[row].symbol, b);
}

static const struct list_ops peek_list = {
    .part = peek_part, .text = peek_row_text, .selectable = peek_selectable};

static void take_exemplar(void *st, const struct pane_env *env, struct ask *out)
{
	profile_take_exemplar(&((struct peek_state *)st)->exemplar, env, out);
}

static int peek_pane_work(void *st, struct pane_work *out)
{
	struct peek_state *p = st;
	out[0] = (struct pane_work){.slot = &p->work, .take = peek_pane_done};
	out[1] = (struct pane_work){.slot = &p->exemplar.finding, .take = take_exemplar, .first = true};
	return 2;
}

const struct pane_ops pane_peek = {
    .name = "peek",
    .tab = "Peek",
    .bit = P_PEEK,
    .cmd = CMD_PANE_PEEK,
    .state_size = sizeof(struct peek_state),
    .close = close_peek,
    .update = peek_pane_update,
    .list = &peek_list,
    .draw = peek_draw,
    .act = peek_pane_act,
    .go = peek_pane_go,
    .place = peek_pane_place,
    .view.save = peek_pane_save,
    .view.load = peek_pane_load,
    .summary = peek_summary,
    .lines.detail = peek_detail,
    .lines.hints = "Enter centre  Backspace back  { } function  2 list  4 flame here  + - levels  f focus  % of",
    .side.draw = peek_side,
    .work.slots = peek_pane_work,
};
