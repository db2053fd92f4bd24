/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * List: the source of one function with the weight of each line.
 *
 * The tree has the granularity of lines, whatever the query's is. list_rows.c makes functions and
 * rows from it when the query or the function changes; lasting state is kept as names: of the
 * displayed function, and of those visited before. list_draw.c draws, list_asm.c adds machine code.
 */
#include "config.h"
#include "profile/list_internal.h"

#include "base/text/regex.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/callers.h"

#include <stdlib.h>
#include <string.h>

static void select_line(struct list_state *v, int64_t line)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < v->rows.n; i++)
		if ((v->row[i].kind == LR_LINE || v->row[i].kind == LR_FOLDED) && v->row[i].line <= line)
			best = i;
	list_select(&v->rows, best);
}

static void select_hottest(struct list_state *v, int h)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < v->rows.n; i++)
		if (v->row[i].kind == LR_LINE && wrap_size(v->row[i].cum) > wrap_size(v->row[best].cum))
			best = i;
	v->rows.top = best > (uint32_t)h / 2 ? best - (uint32_t)h / 2 : 0;
	list_select(&v->rows, best);
}

int list_pane_notice_height(const struct list_state *v, const struct pane_env *env)
{
	int none = v->assembly && v->asm_why ? env->rows > 14 ? 3 : 1 : 0;
	if (!v->src || v->src->path)
		return none;
	return none + (env->rows >= 18 ? 8 : env->rows > 14 ? 6 : 2);
}

static int list_height(const struct list_state *v, const struct pane_env *env)
{
	return env->rows - 1 - list_pane_notice_height(v, env);
}

static void show_function(struct list_state *v, const struct pane_env *env, uint32_t fun)
{
	v->cur = fun;
	v->id = v->t.c->symbol[v->fun[fun].first].name;
	v->id_file = v->t.c->symbol[v->fun[fun].first].file;
	v->stale = false;
	list_pane_fill_rows(v, env);
	list_reset(&v->rows, v->rows.n);
	select_hottest(v, list_height(v, env));
	v->left = 0;
}

/* Make the rows again and select the same line. */
static void refill_rows(struct list_state *v, const struct pane_env *env)
{
	int64_t line = v->rows.n ? v->row[v->rows.sel].line : v->line;
	uint32_t below = v->rows.n ? v->rows.sel - v->rows.top : v->below != UINT32_MAX ? v->below
	    : (uint32_t)list_height(v, env) / 2;
	list_pane_fill_rows(v, env);
	list_reset(&v->rows, v->rows.n);
	select_line(v, line);
	v->rows.top = v->rows.sel > below ? v->rows.sel - below : 0;
	list_select(&v->rows, v->rows.sel);
}

static uint32_t fun_named(const struct list_state *v, str_id name, str_id file)
{
	for (uint32_t i = 0; i < v->nfun; i++) {
		const struct symbol *t = &v->t.c->symbol[v->fun[i].first];
		if (t->name == name && t->file == file)
			return i;
	}
	return UINT32_MAX;
}

/* Return the default function: the one with the largest own weight, as in the first row of Top, because the one
   with the largest cumulative weight is a root. */
static uint32_t hottest_function(const struct list_state *v)
{
	uint32_t best = v->order[0];
	for (uint32_t i = 1; i < v->norder; i++) {
		const struct function_sum *f = &v->fun[v->order[i]], *b = &v->fun[best];
		uint64_t is = wrap_size(f->flat), was = wrap_size(b->flat);
		if (is > was ||
		    (is == was && strcmp(list_function_name(v, f)->s, list_function_name(v, b)->s) < 0))
			best = v->order[i];
	}
	return best;
}

/* Record the selected line before the tree changes. */
static void note_selection(struct list_state *v)
{
	v->line = v->rows.n ? v->row[v->rows.sel].line : v->line;
	if (v->t.c && !v->t.c->none)
		v->below = v->rows.n ? v->rows.sel - v->rows.top : UINT32_MAX;
}

/* Make functions and rows again for a new tree. */
static void remake_rows(struct list_state *v, const struct pane_env *env)
{
	bool had = v->id != 0;
	list_pane_load_functions(v);
	v->cur = had ? fun_named(v, v->id, v->id_file) : UINT32_MAX;
	if (v->cur != UINT32_MAX)
		refill_rows(v, env);
	else if (v->norder && !had)
		show_function(v, env, hottest_function(v));
	else
		list_reset(&v->rows, 0);
	if (!v->t.c->none)
		v->below = UINT32_MAX;
}

static void list_pane_update(void *st, const struct pane_env *env)
{
	struct list_state *v = st;
	v->t.what = FOR_FUNCTIONS;
	note_selection(v);
	if (!profile_update_tree(&v->t, env, GR_LINES) && v->fun) {
		if ((v->assembly && v->asm_waits) || v->nsources != session_nsources(env->s))
			refill_rows(v, env);
		return;
	}
	remake_rows(v, env);
}

static void open_list(void *st, const struct pane_env *env)
{
	struct list_state *v = st;
	(void)env;
	v->cur = UINT32_MAX;
	v->below = UINT32_MAX;
}

static void close_list(void *st)
{
	struct list_state *v = st;
	profile_free_tree(&v->t);
	mem_free(v->order);
	mem_free(v->row);
	mem_free(v->re);
	list_pane_drop_code(v);
	list_hits_free(&v->hit);
}

/* ---- commands */

/* Select the next line with own weight, or with a twentieth of the function's weight. */
static bool next_hot(struct list_state *v, int dir)
{
	uint32_t n = v->rows.n, i = v->rows.sel, from = i;
	uint64_t least = wrap_size(v->fun[v->cur].cum) / 20;
	for (uint32_t k = 0; k < n; k++) {
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
		const struct list_row *r = &v->row[i];
		if (r->kind == LR_LINE && (r->flat || (r->cum && wrap_size(r->cum) >= least))) {
			list_select(&v->rows, i);
			return i != from;
		}
	}
	return false;
}

static void push_back(struct list_state *v)
{
	if (v->nback == LIST_BACK_MAX)
		memmove(v->back, v->back + 1, sizeof v->back - sizeof *v->back), v->nback--;
	v->back[v->nback++] =
	    (struct list_back){v->id, v->id_file, v->rows.n ? v->row[v->rows.sel].line : 0};
}

static bool go_back(struct list_state *v, const struct pane_env *env)
{
	while (v->nback) {
		struct list_back b = v->back[--v->nback];
		uint32_t f = fun_named(v, b.name, b.file);
		if (f == UINT32_MAX)
			continue;
		show_function(v, env, f);
		select_line(v, b.line);
		return true;
	}
	return false;
}

/* Open the heaviest function that the selected line calls. */
static enum verdict enter_function(struct list_state *v, const struct pane_env *env, struct ask *ask)
{
	const struct list_row *r = &v->row[v->rows.sel];
	uint32_t to = r->kind == LR_INLINED ? r->symbol : 0;
	if (r->kind == LR_FOLDED) {
		v->fold = false;
		refill_rows(v, env);
		return V_DONE;
	}
	if (!to && r->symbol) {
		struct link *l;
		if (calltree_callees(v->t.c, r->symbol, env->scratch, &l))
			to = l[0].symbol;
	}
	if (!to)
		return pane_message(ask, r->symbol ? "no calls from this line in the samples"
					 : "no samples on this line");
	int64_t line = v->t.c->symbol[to].line;
	push_back(v);
	show_function(v, env, v->of[to]);
	select_line(v, line);
	return V_DONE;
}

static enum verdict step_function(struct list_state *v, const struct pane_env *env, int dir)
{
	uint32_t at = UINT32_MAX;
	for (uint32_t i = 0; i < v->norder; i++)
		if (v->order[i] == v->cur)
			at = i;
	if (!v->norder)
		return V_DONE;
	show_function(v, env,
	    v->order[at == UINT32_MAX ? 0
		     : dir > 0	      ? (at + 1) % v->norder
				      : (at + v->norder - 1) % v->norder]);
	return V_DONE;
}

static enum verdict match_re(struct list_state *v, const struct pane_env *env, const char *re)
{
	struct regex *rx = regex_new(re, NULL);
	if (!rx)
		return V_PASS;
	char *old = v->re;
	v->re = xstrdup(re);
	regex_free(rx);
	list_pane_load_functions(v);
	v->cur = fun_named(v, v->id, v->id_file);
	if (!v->norder) {	/* the app reports that none matches */
		mem_free(v->re);
		v->re = old;
		list_pane_load_functions(v);
		v->cur = fun_named(v, v->id, v->id_file);
		return V_PASS;
	}
	mem_free(old);
	show_function(v, env, v->order[0]);
	return V_DONE;
}

/* Show or hide some of the rows; report it if there are none. */
static enum verdict toggle_rows(
    struct list_state *v, const struct pane_env *env, bool *shown, struct ask *ask, const char *none)
{
	uint32_t n = v->rows.n;
	*shown = !*shown;
	refill_rows(v, env);
	return v->rows.n == n ? pane_message(ask, "%s", none) : V_DONE;
}

/* Handle commands if there are no rows, because the function has no samples or none is selected. */
static enum verdict act_without_lines(
    struct list_state *v, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	if ((a->cmd == CMD_NEXT || a->cmd == CMD_PREV) && env->find.rx)
		return V_PASS;
	switch ((int)a->cmd) {
	case CMD_FUN_NEXT: case CMD_FUN_PREV: return step_function(v, env, 1);
	case CMD_NEXT: case CMD_PREV: case CMD_OPEN: case CMD_FOLD: case CMD_INLINED: case CMD_ASSEMBLY:
	case CMD_LEFT: case CMD_RIGHT:
		return pane_message(ask, "no lines here: { and } show other functions");
	default: return V_PASS;
	}
}

static enum verdict list_pane_act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct list_state *v = st;
	if (a->cmd == CMD_PANE_LIST && a->arg && *a->arg)
		return match_re(v, env, a->arg);
	if (v->cur == UINT32_MAX || !v->rows.n)
		return act_without_lines(v, env, a, ask);
	int n = act_n(a) < 1000 ? act_n(a) * 8 : 8000;
	switch ((int)a->cmd) {
	case CMD_LEFT: v->left = v->left > n ? v->left - n : 0; return V_DONE;
	case CMD_RIGHT: v->left = v->left + n < 4000 ? v->left + n : 4000; return V_DONE;
	case CMD_NEXT:
	case CMD_PREV:
		if (env->find.rx)
			return V_PASS;
		return next_hot(v, a->cmd == CMD_NEXT ? 1 : -1)
			   ? V_DONE
			   : pane_message(ask, "no other line has weight");
	case CMD_FUN_NEXT: return step_function(v, env, 1);
	case CMD_FUN_PREV: return step_function(v, env, -1);
	case CMD_FOLD:
		return toggle_rows(v, env, &v->fold, ask, "fold: all lines have weight, or the source was not found");
	case CMD_INLINED:
		return toggle_rows(v, env, &v->inlined, ask, "inlined: no inlined functions in these lines");
	case CMD_ASSEMBLY:
		v->assembly = !v->assembly;
		refill_rows(v, env);
		return V_DONE;
	case CMD_OPEN: return enter_function(v, env, ask);
	case CMD_BACK: return go_back(v, env) ? V_DONE : V_PASS;
	default: return V_PASS;
	}
}

static bool list_pane_go(void *st, const struct pane_env *env, const struct place *to)
{
	struct list_state *v = st;
	if (!v->t.c || (!to->fun && !to->frm))
		return false;
	const struct store *s = v->t.c->st;
	const struct frm_row *fr = to->frm ? store_frm(s, to->frm) : NULL;
	const struct fun_row *fu = store_fun(s, to->fun ? to->fun : fr->fun);
	uint32_t f = fun_named(v, fu->name, fu->file);
	if (f == UINT32_MAX)
		return false;
	if (v->re) {
		uint32_t i = 0;
		while (i < v->norder && v->order[i] != f)
			i++;
		if (i == v->norder) {
			mem_free(v->re);
			v->re = NULL;
			list_pane_load_functions(v);
			f = fun_named(v, fu->name, fu->file);
			v->cur = fun_named(v, v->id, v->id_file);
		}
	}
	if (f != v->cur) {
		v->nback = 0;
		show_function(v, env, f);
	}
	if (to->line)
		select_line(v, to->line);
	else if (fr && (profile_granularity(env) == GR_LINES || profile_granularity(env) == GR_ADDRESSES))
		select_line(v, fr->line);
	return true;
}

static void list_pane_place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct list_state *v = st;
	(void)env;
	to->topic[0] = TOPIC_L_LINE;
	if (v->cur == UINT32_MAX)
		return;
	to->fun = v->fun[v->cur].fun;
	if (v->rows.n)
		to->line = v->row[v->rows.sel].line;
	if (v->rows.n && v->row[v->rows.sel].symbol) {
		to->fun = symbol_function(v->t.c->st, &v->t.c->symbol[v->row[v->rows.sel].symbol]);
		to->frm = v->t.c->symbol[v->row[v->rows.sel].symbol].frm;
	}
}

static void list_pane_save(const void *st, struct view *to)
{
	const struct list_state *v = st;
	view_put_zoom(to, "fun", v->id);
	view_put_zoom(to, "file", v->id_file);
	view_put_cursor(to, "line", v->rows.n ? v->row[v->rows.sel].line : 0);
	view_put_cursor(to, "top", v->rows.top);
	view_put_cursor(to, "fold", v->fold);
	view_put_cursor(to, "left", v->left);
}

static void list_pane_load(void *st, const struct pane_env *env, const struct view *from)
{
	struct list_state *v = st;
	str_id fun = (str_id)view_get(from, "fun"), file = (str_id)view_get(from, "file");
	uint32_t f = v->t.c ? fun_named(v, fun, file) : UINT32_MAX;
	if (f == UINT32_MAX)
		return;
	v->fold = view_get(from, "fold") != 0;
	show_function(v, env, f);
	select_line(v, view_get(from, "line"));
	v->rows.top = (uint32_t)view_get(from, "top");
	list_select(&v->rows, v->rows.sel);
	v->left = (int)view_get_below(from, "left", 4001);
}

static void list_pane_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct list_state *v = st;
	(void)env;
	buf_printf(b,
	    "n/N next hot  { } function  Enter callee  A asm  I inlined  z %s  gf editor  h l scroll  y "
	    "copy",
	    v->fold ? "unfold" : "fold");
}

static void put_source(const struct list_state *v, uint32_t row, struct buf *b)
{
	size_t n;
	const char *s = v->src && v->src->path ? source_line(v->src, v->row[row].line, &n) : NULL;
	if (s)
		buf_put(b, s, n);
}

static bool list_pane_copy(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct list_state *v = st;
	(void)env;
	if (v->rows.n)
		put_source(v, v->rows.sel, b);
	return false;
}

static void list_row_text(const void *st, const struct pane_env *env, uint32_t row, struct buf *b)
{
	const struct list_state *v = st;
	(void)env;
	if (v->row[row].kind == LR_LINE)
		put_source(v, row, b);
}

static struct list_part list_lines(void *st, const struct pane_env *env)
{
	struct list_state *v = st;
	return (struct list_part){.rows = &v->rows, .hits = &v->hit, .y = 1 + list_pane_notice_height(v, env),
	    .h = list_height(v, env)};
}

static const struct list_ops list_list = {.part = list_lines, .text = list_row_text};

const struct pane_ops pane_list = {
    .name = "list",
    .tab = "List",
    .bit = P_LIST,
    .cmd = CMD_PANE_LIST,
    .state_size = sizeof(struct list_state),
    .open = open_list,
    .close = close_list,
    .update = list_pane_update,
    .list = &list_list,
    .draw = list_pane_draw,
    .side.draw = list_pane_draw_side,
    .side.wants = 118,	/* source has long lines */
    .act = list_pane_act,
    .go = list_pane_go,
    .place = list_pane_place,
    .view.save = list_pane_save,
    .view.load = list_pane_load,
    .summary = list_pane_summary,
    .lines.detail = list_pane_detail,
    .lines.keys = list_pane_keys,
    .output.copy = list_pane_copy,
};
