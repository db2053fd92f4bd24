/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * List: the source of one function with the weight of each line.
 *
 * The calls are made at the granularity of lines whatever the query's, so a
 * thing is a line here; functions are what lines of the same name and file
 * make up, and count a stack once like everything else. What is shown of a
 * file runs from where the function starts to the brace that ends it, and at
 * least over all lines that have weight. When the file is not here, those
 * lines are shown by number, under a text that says where it was looked for.
 *
 * Rows are lines of the file, or stand for several cold ones (fold), or are
 * functions that were inlined into the line above (I) or its machine code (A).
 */
#include "config.h"
#include "pane.h"

#include "analysis/callers.h"
#include "analysis/source.h"
#include "base/intern.h"
#include "base/rx.h"
#include "base/text.h"
#include "listview.h"
#include "rows.h"

#include <string.h>

/* ---- functions */

static int same_fun(const void *ctx, uint32_t id, const void *key)
{
	const struct listview *v = ctx;
	const struct thing *t = key;
	return v->fun[id].name == t->name && v->fun[id].file == t->file;
}

static int cmp_fun(const void *ctx, uint32_t a, uint32_t b)
{
	const struct list_fun *x = (const struct list_fun *)ctx + a,
			      *y = (const struct list_fun *)ctx + b;
	if (x->cum != y->cum)
		return x->cum > y->cum ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static void weigh_functions_of(struct listview *v)
{
	const struct ctree *t = calls_tree(v->t.c);
	uint32_t *open = xcalloc((size_t)v->nfun + 1, sizeof *open),
		 *stack = xmalloc(t->n * sizeof *stack);
	uint32_t depth = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		while (depth && t->next[stack[depth - 1]] <= i)
			open[v->of[t->thing[stack[--depth]]]]--;
		uint32_t f = v->of[t->thing[i]];
		v->fun[f].flat += t->flat[i];
		v->fun[f].oflat += t->oflat ? t->oflat[i] : 0;
		if (!open[f]++) {
			v->fun[f].cum += t->cum[i];
			v->fun[f].ocum += t->ocum ? t->ocum[i] : 0;
		}
		stack[depth++] = i;
	}
	mem_free(open);
	mem_free(stack);
}

/* Lines to functions, heaviest first in order[]. */
static void make_functions(struct listview *v)
{
	const struct calls *c = v->t.c;
	struct intern index = {0};
	size_t cap = 0;
	mem_free(v->fun);
	v->fun = NULL;
	v->nfun = 0;
	v->of = xrealloc(v->of, (size_t)c->nthing * sizeof *v->of);
	v->of[0] = 0;
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing *t = &c->thing[i];
		v->of[i] = UINT32_MAX;
		if (!t->nnode)
			continue;
		uint32_t h = hash_u64((uint64_t)t->name << 32 | t->file, 0);
		uint32_t id = intern_find(&index, h, same_fun, v, t);
		if (id == UINT32_MAX) {
			id = v->nfun++;
			v->fun = mem_grow(v->fun, &cap, v->nfun, sizeof *v->fun);
			v->fun[id] = (struct list_fun){
			    .name = t->name, .file = t->file, .fun = t->fun, .first = i};
			intern_put(&index, h, id);
		}
		v->of[i] = id;
	}
	intern_free(&index);
	weigh_functions_of(v);
	v->order = xrealloc(v->order, ((size_t)v->nfun + 1) * sizeof *v->order);
	v->norder = 0;
	struct rx *rx = v->re ? rx_new(v->re, NULL) : NULL;
	for (uint32_t i = 0; i < v->nfun; i++) {
		const struct str_row *s = store_str(c->st, v->fun[i].name);
		if (v->fun[i].name && (!rx || rx_match(rx, s->s, s->n)))
			v->order[v->norder++] = i;
	}
	rx_free(rx);
	sort_u32(v->order, v->norder, cmp_fun, v->fun);
}

/* ---- rows */

static void add(struct listview *v, struct list_row r)
{
	v->row = mem_grow(v->row, &v->rowcap, (size_t)v->rows.n + 1, sizeof *v->row);
	v->row[v->rows.n++] = r;
}

static struct list_row row_of(const struct listview *v, int64_t line, uint32_t thing)
{
	const struct thing *t = &v->t.c->thing[thing];
	return (struct list_row){LR_LINE, line, line, thing, t->flat, t->cum, t->oflat, t->ocum, 0};
}

static int cmp_line(const void *ctx, uint32_t a, uint32_t b)
{
	const struct calls *c = ctx;
	const struct thing *x = &c->thing[a], *y = &c->thing[b];
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : 0;
}

static void add_inlined(struct listview *v, uint32_t thing)
{
	struct arena a = {0};
	struct link *l;
	uint32_t n = callees_of(v->t.c, thing, &a, &l);
	for (uint32_t i = 0; i < n; i++)
		if (l[i].inl)
			add(v, (struct list_row){.kind = LR_INLINED,
				   .line = v->t.c->thing[thing].line,
				   .thing = l[i].thing,
				   .cum = l[i].value,
				   .ocum = l[i].other});
	arena_free(&a);
}

/* What the line was made into. */
static void add_code(struct listview *v, int64_t line)
{
	uint32_t n, at = v->assembly ? listview_code_at(v, line, &n) : 0;
	for (uint32_t i = 0; v->assembly && i < n; i++) {
		const struct asm_inst *in = &v->asm_of.v[v->code[at + i].inst];
		add(v, (struct list_row){.kind = LR_ASM, .line = line, .end = line,
			   .flat = in->flat, .cum = in->cum, .code = at + i});
	}
}

/* Where the function's text ends: the first line after `last` that begins with a closing brace. */
static int64_t body_end(const struct source *s, int64_t last)
{
	for (int64_t i = last; i <= s->nline && i < last + 2000; i++) {
		size_t n;
		const char *p = source_line(s, i, &n);
		if (p && n && *p == '}')
			return i;
		if (i > last && p && n > 4 && !memcmp(p, "func ", 5))
			return i - 1;
	}
	return last + 5 < s->nline ? last + 5 : s->nline;
}

/* All lines from..to; cold ones folded into one row when asked for, but for those next to a hot
 * one. */
static void add_source(
    struct listview *v, const uint32_t *hot, uint32_t nhot, int64_t from, int64_t to)
{
	uint32_t k = 0;
	for (int64_t i = from; i <= to; i++) {
		while (k < nhot && v->t.c->thing[hot[k]].line < i)
			k++;
		int64_t next = k < nhot ? v->t.c->thing[hot[k]].line : INT64_MAX;
		int64_t before = k ? v->t.c->thing[hot[k - 1]].line : 0;
		if (next == i) {
			add(v, row_of(v, i, hot[k]));
			if (v->inlined)
				add_inlined(v, hot[k]);
			add_code(v, i);
		} else if (v->fold && i != from && i + 1 < next && i - 1 > before) {
			int64_t end = next - 2 < to ? next - 2 : to;
			if (end - i < 2)
				end = i;
			add(v, (struct list_row){.kind = end > i ? LR_FOLDED : LR_LINE, .line = i, .end = end});
			if (end == i)
				add_code(v, i);
			i = end;
		} else {
			add(v, (struct list_row){.kind = LR_LINE, .line = i, .end = i});
			add_code(v, i);
		}
	}
}

/* The file is not the one that ran: the function does not begin where it should. */
static bool other_version(const struct source *src, const struct str_row *name, int64_t start)
{
	size_t at = name->n, n;
	while (at && name->s[at - 1] != '.' && name->s[at - 1] != ')')
		at--;
	const char *line = start > 0 ? source_line(src, start, &n) : NULL;
	const char *last = name->s + at;
	size_t m = name->n - at;
	if (!line || !m || strchr(name->s, '[') || !strncmp(last, "func", 4) ||
	    (*last >= '0' && *last <= '9') || src->nline < start)
		return src->nline < start;
	for (size_t i = 0; i + m <= n; i++)
		if (!memcmp(line + i, last, m))
			return false;
	return true;
}

static void fill(struct listview *v, const struct pane_env *env)
{
	struct session *s = env->s;
	const struct calls *c = v->t.c;
	v->rows.n = 0;
	v->src = NULL;
	hits_drop(&v->hit);
	if (v->cur == UINT32_MAX)
		return;
	const struct list_fun *f = &v->fun[v->cur];
	if (v->assembly)
		listview_code(v, env);
	uint32_t *hot = xmalloc((size_t)c->nthing * sizeof *hot), n = 0;
	for (uint32_t i = 1; i < c->nthing; i++)
		if (v->of[i] == v->cur && !c->thing[i].tag)
			hot[n++] = i;
	sort_u32(hot, n, cmp_line, c);
	if (f->file)
		v->src = sources_get(session_sources(s), store_str(c->st, f->file)->s);
	v->most = 0;
	for (uint32_t i = 0; i < n; i++)
		if (tree_part(c->thing[hot[i]].cum, v->most ? v->most : 1) > 1 || !v->most)
			v->most = c->thing[hot[i]].cum;
	while (n && c->thing[hot[0]].line <= 0) {	/* no line is known: by itself, first */
		add(v, row_of(v, 0, hot[0]));
		add_code(v, 0);
		memmove(hot, hot + 1, --n * sizeof *hot);
	}
	if (n && v->src && v->src->path) {
		int64_t start = store_fun(c->st, f->fun)->line, first = c->thing[hot[0]].line,
			last = c->thing[hot[n - 1]].line;
		v->stale =
		    other_version(v->src, store_str(c->st, f->name), start) || last > v->src->nline;
		if (start <= 0 || start > first)
			start = first > 5 ? first - 5 : 1;
		int64_t end = body_end(v->src, last);
		if (end - start > 100000)	/* lines that a file made up */
			start = first, end = first + 100000;
		add_source(v, hot, n, start,
		    end > last		   ? end
		    : last < v->src->nline ? last
					   : v->src->nline);
	} else {
		for (uint32_t i = 0; i < n; i++) {
			add(v, row_of(v, c->thing[hot[i]].line, hot[i]));
			if (v->inlined)
				add_inlined(v, hot[i]);
			add_code(v, c->thing[hot[i]].line);
		}
	}
	mem_free(hot);
}

static void select_line(struct listview *v, int64_t line)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < v->rows.n; i++)
		if ((v->row[i].kind == LR_LINE || v->row[i].kind == LR_FOLDED) && v->row[i].line <= line)
			best = i;
	rows_select(&v->rows, best);
}

static void select_hottest(struct listview *v, int h)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < v->rows.n; i++)
		if (v->row[i].kind == LR_LINE && v->row[i].cum > v->row[best].cum)
			best = i;
	v->rows.top = best > (uint32_t)h / 2 ? best - (uint32_t)h / 2 : 0;
	rows_select(&v->rows, best);
}

int listview_text(const struct listview *v, const struct pane_env *env)
{
	int none = v->assembly && v->asm_why ? env->rows > 14 ? 3 : 1 : 0;
	return none + (v->src && !v->src->path && env->rows > 14 ? 6 : v->src && !v->src->path ? 2 : 0);
}

static int list_height(const struct listview *v, const struct pane_env *env)
{
	return env->rows - 1 - listview_text(v, env);
}

static void mark_hits(struct listview *v, const struct pane_env *env)
{
	hits_begin(&v->hit, env, v->rows.n);
	for (uint32_t i = 0; v->hit.at && i < v->rows.n; i++) {
		size_t n;
		const char *s = v->row[i].kind == LR_LINE && v->src && v->src->path
		    ? source_line(v->src, v->row[i].line, &n) : NULL;
		v->hit.n += v->hit.at[i] = s && rx_match(env->find.rx, s, n);
	}
}

static void show(struct listview *v, const struct pane_env *env, uint32_t fun)
{
	v->cur = fun;
	v->id = v->fun[fun].name;
	v->id_file = v->fun[fun].file;
	v->stale = false;
	fill(v, env);
	uint32_t n = v->rows.n;
	v->rows = (struct rows){.h = v->rows.h};
	rows_set(&v->rows, n);
	select_hottest(v, list_height(v, env));
	v->left = 0;
	mark_hits(v, env);
}

/* The same function and line again, after rows were made anew in another way. */
static void again(struct listview *v, const struct pane_env *env)
{
	int64_t line = v->rows.n ? v->row[v->rows.sel].line : 0;
	uint32_t below = v->rows.sel - v->rows.top;
	fill(v, env);
	uint32_t n = v->rows.n;
	v->rows.n = 0;
	rows_set(&v->rows, n);
	v->rows.top = 0;
	select_line(v, line);
	v->rows.top = v->rows.sel > below ? v->rows.sel - below : 0;
	rows_select(&v->rows, v->rows.sel);
	mark_hits(v, env);
}

static uint32_t fun_named(const struct listview *v, str_id name, str_id file)
{
	for (uint32_t i = 0; i < v->nfun; i++)
		if (v->fun[i].name == name && v->fun[i].file == file)
			return i;
	return UINT32_MAX;
}

static void update(void *st, const struct pane_env *env)
{
	struct listview *v = st;
	if (!tree_sync(&v->t, env, CG_LINES) && v->fun)
		return;
	bool had = v->id != 0;
	make_functions(v);
	v->cur = had ? fun_named(v, v->id, v->id_file) : UINT32_MAX;
	if (v->cur != UINT32_MAX)
		again(v, env);
	else if (v->norder && !had)
		show(v, env, v->order[0]);
	else
		v->rows.n = 0;
}

static void open_list(void *st, const struct pane_env *env)
{
	struct listview *v = st;
	(void)env;
	v->cur = UINT32_MAX;
}

static void close_list(void *st)
{
	struct listview *v = st;
	tree_drop(&v->t);
	mem_free(v->fun);
	mem_free(v->of);
	mem_free(v->order);
	mem_free(v->row);
	mem_free(v->re);
	listview_code_drop(v);
	hits_drop(&v->hit);
}

/* ---- acting */

static enum verdict say(struct ask *ask, const char *s)
{
	size_t n = strlen(s);
	ask->kind = ASK_MESSAGE;
	memcpy(ask->text, s, n < sizeof ask->text ? n + 1 : sizeof ask->text);
	ask->text[sizeof ask->text - 1] = 0;
	return V_ASK;
}

/* The next line that has weight of its own, or a twentieth of the function's. */
static bool next_hot(struct listview *v, int dir)
{
	uint32_t n = v->rows.n, i = v->rows.sel;
	int64_t least = v->fun[v->cur].cum / 20;
	for (uint32_t k = 0; k < n; k++) {
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
		const struct list_row *r = &v->row[i];
		if (r->kind == LR_LINE && (r->flat || (r->cum && r->cum >= least))) {
			rows_select(&v->rows, i);
			return true;
		}
	}
	return false;
}

static void push(struct listview *v)
{
	if (v->nback == LIST_BACK_MAX)
		memmove(v->back, v->back + 1, sizeof v->back - sizeof *v->back), v->nback--;
	v->back[v->nback++] =
	    (struct list_back){v->id, v->id_file, v->rows.n ? v->row[v->rows.sel].line : 0};
}

static bool go_back(struct listview *v, const struct pane_env *env)
{
	while (v->nback) {
		struct list_back b = v->back[--v->nback];
		uint32_t f = fun_named(v, b.name, b.file);
		if (f == UINT32_MAX)
			continue;
		show(v, env, f);
		select_line(v, b.line);
		return true;
	}
	return false;
}

/* Into what the selected line calls: the heaviest of it. */
static enum verdict enter(struct listview *v, const struct pane_env *env, struct ask *ask)
{
	const struct list_row *r = &v->row[v->rows.sel];
	uint32_t to = r->kind == LR_INLINED ? r->thing : 0;
	if (r->kind == LR_FOLDED) {
		v->fold = false;
		again(v, env);
		return V_DONE;
	}
	if (!to && r->thing) {
		struct link *l;
		if (callees_of(v->t.c, r->thing, env->scratch, &l))
			to = l[0].thing;
	}
	if (!to)
		return say(ask, r->thing ? "this line calls nothing that was seen"
					 : "nothing was seen on this line");
	int64_t line = v->t.c->thing[to].line;
	push(v);
	show(v, env, v->of[to]);
	select_line(v, line);
	return V_DONE;
}

static enum verdict step(struct listview *v, const struct pane_env *env, int dir)
{
	uint32_t at = UINT32_MAX;
	for (uint32_t i = 0; i < v->norder; i++)
		if (v->order[i] == v->cur)
			at = i;
	if (!v->norder)
		return V_DONE;
	show(v, env,
	    v->order[at == UINT32_MAX ? 0
		     : dir > 0	      ? (at + 1) % v->norder
				      : (at + v->norder - 1) % v->norder]);
	return V_DONE;
}

static enum verdict match_re(struct listview *v, const struct pane_env *env, const char *re)
{
	struct rx *rx = rx_new(re, NULL);
	if (!rx)
		return V_PASS;
	char *old = v->re;
	v->re = xstrdup(re);
	rx_free(rx);
	make_functions(v);
	v->cur = fun_named(v, v->id, v->id_file);
	if (!v->norder) {	/* the app says that there is none */
		mem_free(v->re);
		v->re = old;
		make_functions(v);
		v->cur = fun_named(v, v->id, v->id_file);
		return V_PASS;
	}
	mem_free(old);
	show(v, env, v->order[0]);
	return V_DONE;
}

static enum verdict act(void *st, const struct pane_env *env, const struct act *a, struct ask *ask)
{
	struct listview *v = st;
	if (a->cmd == CMD_PANE_LIST && a->arg && *a->arg)
		return match_re(v, env, a->arg);
	if (a->cmd == CMD_SOURCE_PATH || a->cmd == CMD_TRIM_PATH) {
		bool src = a->cmd == CMD_SOURCE_PATH;
		v->src = NULL;
		session_source_path(env->s, src ? a->arg : NULL, src ? NULL : a->arg);
		if (v->cur != UINT32_MAX)
			again(v, env);
		return V_DONE;
	}
	if (v->cur == UINT32_MAX || !v->rows.n)
		return V_PASS;
	if (rows_act(&v->rows, a, list_height(v, env)))
		return V_DONE;
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
			   : say(ask, "no line of it has weight");
	case CMD_FUN_NEXT: return step(v, env, 1);
	case CMD_FUN_PREV: return step(v, env, -1);
	case CMD_FOLD:
		v->fold = !v->fold;
		again(v, env);
		return V_DONE;
	case CMD_INLINED:
		v->inlined = !v->inlined;
		again(v, env);
		return V_DONE;
	case CMD_ASSEMBLY:
		v->assembly = !v->assembly;
		again(v, env);
		return V_DONE;
	case CMD_OPEN: return enter(v, env, ask);
	case CMD_BACK: return go_back(v, env) ? V_DONE : V_PASS;
	default: return V_PASS;
	}
}

static bool go(void *st, const struct pane_env *env, const struct place *to)
{
	struct listview *v = st;
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
			make_functions(v);
			f = fun_named(v, fu->name, fu->file);
			v->cur = fun_named(v, v->id, v->id_file);
		}
	}
	if (f != v->cur) {
		v->nback = 0;
		show(v, env, f);
	}
	if (fr && (tree_gran(env) == CG_LINES || tree_gran(env) == CG_ADDRESSES))
		select_line(v, fr->line);
	return true;
}

static void place(const void *st, const struct pane_env *env, struct place *to)
{
	const struct listview *v = st;
	(void)env;
	if (v->cur == UINT32_MAX)
		return;
	to->fun = v->fun[v->cur].fun;
	if (v->rows.n)
		to->line = v->row[v->rows.sel].line;
	if (v->rows.n && v->row[v->rows.sel].thing) {
		to->fun = v->t.c->thing[v->row[v->rows.sel].thing].fun;
		to->frm = v->t.c->thing[v->row[v->rows.sel].thing].frm;
	}
}

static void save(const void *st, struct view *to)
{
	const struct listview *v = st;
	*to = (struct view){.zoom = {(int64_t)((uint64_t)v->id << 32 | v->id_file)},
	    .cursor = {v->rows.n ? v->row[v->rows.sel].line : 0, v->rows.top, v->fold, v->left}};
}

static void load(void *st, const struct pane_env *env, const struct view *from)
{
	struct listview *v = st;
	uint64_t id = (uint64_t)from->zoom[0];
	uint32_t f = v->t.c ? fun_named(v, (str_id)(id >> 32), (str_id)id) : UINT32_MAX;
	if (f == UINT32_MAX)
		return;
	v->fold = from->cursor[2] != 0;
	show(v, env, f);
	select_line(v, from->cursor[0]);
	v->rows.top = (uint32_t)from->cursor[1];
	rows_select(&v->rows, v->rows.sel);
	v->left = from->cursor[3] < 0 || from->cursor[3] > 4000 ? 0 : (int)from->cursor[3];
}

static uint32_t find(void *st, const struct pane_env *env, int dir, uint32_t *at)
{
	struct listview *v = st;
	mark_hits(v, env);
	return hits_step(&v->hit, &v->rows, dir, at);
}

static void keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct listview *v = st;
	(void)env;
	buf_printf(b,
	    "n/N next hot  { } function  Enter callee  A asm  I inlined  z %s  gf editor  h l scroll  y "
	    "copy",
	    v->fold ? "unfold" : "fold");
}

static void click(void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *ask)
{
	struct listview *v = st;
	uint32_t i = rows_at(&v->rows, y - 1 - listview_text(v, env), list_height(v, env));
	(void)x;
	if (i == UINT32_MAX)
		return;
	rows_select(&v->rows, i);
	if (twice)
		act(st, env, &(struct act){.cmd = CMD_OPEN}, ask);
}

static void copy(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct listview *v = st;
	size_t n;
	(void)env;
	const char *s = v->rows.n && v->src && v->src->path
			    ? source_line(v->src, v->row[v->rows.sel].line, &n)
			    : NULL;
	if (s)
		buf_put(b, s, n);
}

static int topics(const void *st, const struct pane_env *env, enum topic *t)
{
	(void)st;
	t[0] = TOPIC_L_LINE;
	t[1] = explain_type(session_type_name(env->s, session_type(env->s)));
	return 2;
}

const struct pane_ops pane_list = {
    .name = "list",
    .tab = "List",
    .bit = P_LIST,
    .cmd = CMD_PANE_LIST,
    .state_size = sizeof(struct listview),
    .open = open_list,
    .close = close_list,
    .update = update,
    .draw = listview_draw,
    .act = act,
    .go = go,
    .place = place,
    .topics = topics,
    .save = save,
    .load = load,
    .summary = listview_summary,
    .detail = listview_detail,
    .find = find,
    .keys = keys,
    .click = click,
    .copy = copy,
};
