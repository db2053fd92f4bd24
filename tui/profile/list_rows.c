/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of the list pane: functions, made from the lines of the tree, and the rows of one of
 * them.
 *
 * A symbol of this tree is a line; a function sums the lines with the same name and file, and
 * counts each stack once. The displayed part of a file extends from the start of the function to
 * its closing brace, and at least over all lines with weight. If the file is not available, these
 * lines are listed by number.
 *
 * Rows are lines of the file, or several folded lines without weight, or functions inlined into the
 * line above (I), or its machine code (A).
 */
#include "config.h"
#include "profile/list_internal.h"

#include "base/text/regex.h"
#include "base/wrap_math.h"
#include "calltree/callers.h"

#include <string.h>

/* ---- functions */

void list_pane_load_functions(struct list_state *v)
{
	const struct function_sums *f = function_weights_of(v->t.c);
	v->fun = f->fun;
	v->nfun = f->n;
	v->of = f->of;
	v->order = xrealloc(v->order, ((size_t)v->nfun + 1) * sizeof *v->order);
	v->norder = 0;
	struct regex *rx = v->re ? regex_new(v->re, NULL) : NULL;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct str_row *s = list_function_name(v, &v->fun[f->order[i]]);
		if (s->n && (!rx || regex_match(rx, s->s, s->n)))
			v->order[v->norder++] = f->order[i];
	}
	regex_free(rx);
}

/* ---- rows */

static void add_row(struct list_state *v, struct list_row r)
{
	v->row = mem_grow(v->row, &v->rowcap, (size_t)v->rows.n + 1, sizeof *v->row);
	v->row[v->rows.n++] = r;
}

static struct list_row row_of(const struct list_state *v, int64_t line, uint32_t symbol)
{
	const struct symbol_weight *t = &v->t.c->weight[symbol];
	struct symbol_other o = weighted_other(v->t.c, symbol);
	return (struct list_row){LR_LINE, line, line, symbol, t->flat, t->cum, o.flat, o.cum, 0};
}

static int cmp_line(const void *ctx, uint32_t a, uint32_t b)
{
	const struct weighted_tree *c = ctx;
	const struct symbol *x = &c->symbol[a], *y = &c->symbol[b];
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : 0;
}

static void add_inlined(struct list_state *v, uint32_t symbol)
{
	struct arena a = {0};
	struct link *l;
	uint32_t n = calltree_callees(v->t.c, symbol, &a, &l);
	for (uint32_t i = 0; i < n; i++)
		if (l[i].inl)
			add_row(v, (struct list_row){.kind = LR_INLINED,
				   .line = v->t.c->symbol[symbol].line,
				   .symbol = l[i].symbol,
				   .cum = l[i].value,
				   .ocum = l[i].other});
	arena_free(&a);
}

/* Add the instructions of a line. */
static void add_code(struct list_state *v, int64_t line)
{
	uint32_t n, at = v->assembly ? list_pane_code_at(v, line, &n) : 0;
	for (uint32_t i = 0; v->assembly && i < n; i++) {
		const struct asm_inst *in = &v->asm_of.v[v->code[at + i].inst];
		add_row(v, (struct list_row){.kind = LR_ASM, .line = line, .end = line,
			   .flat = in->flat, .cum = in->cum, .code = at + i});
	}
}

/* Return the last line of the function, of which `last` is the last line with weight: from there on the first line that
   starts with a closing brace, or the line before the next function. If there is none within SEARCHED lines, the
   source is not gofmt's; then some lines after `last` are shown. */
static int64_t body_end(const struct source *s, int64_t last)
{
	enum { SEARCHED = 2000, SHOWN = 5 };
	for (int64_t i = last; i <= s->nline && i < last + SEARCHED; i++) {
		size_t n;
		const char *p = source_line(s, i, &n);
		if (p && n && *p == '}')
			return i;
		if (i > last && p && n > 4 && !memcmp(p, "func ", 5))
			return i - 1;
	}
	return last + SHOWN < s->nline ? last + SHOWN : s->nline;
}

/* Add the lines from..to; if folding is on, replace lines without weight by one row, except those next to a line
 * with weight. */
static void add_source(
    struct list_state *v, const uint32_t *hot, uint32_t nhot, int64_t from, int64_t to)
{
	uint32_t k = 0;
	for (int64_t i = from; i <= to; i++) {
		while (k < nhot && v->t.c->symbol[hot[k]].line < i)
			k++;
		int64_t next = k < nhot ? v->t.c->symbol[hot[k]].line : INT64_MAX;
		int64_t before = k ? v->t.c->symbol[hot[k - 1]].line : 0;
		if (next == i) {
			add_row(v, row_of(v, i, hot[k]));
			if (v->inlined)
				add_inlined(v, hot[k]);
			add_code(v, i);
		} else if (v->fold && i != from && i + 1 < next && i - 1 > before) {
			int64_t end = next - 2 < to ? next - 2 : to;
			if (end - i < 2)
				end = i;
			add_row(v, (struct list_row){.kind = end > i ? LR_FOLDED : LR_LINE, .line = i, .end = end});
			if (end == i)
				add_code(v, i);
			i = end;
		} else {
			add_row(v, (struct list_row){.kind = LR_LINE, .line = i, .end = i});
			add_code(v, i);
		}
	}
}

/* Return whether the file has another version than the program: the function is not at its start line. */
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

/* Return whether a part of a name is made by the compiler, as for closures: func1, 2, gowrap3. */
static bool made_up(const char *s, size_t n)
{
	while (n && s[n - 1] >= '0' && s[n - 1] <= '9')
		n--;
	return !n || (n == 4 && !memcmp(s, "func", 4)) || (n == 6 && !memcmp(s, "gowrap", 6));
}

static bool has_word(const char *line, size_t n, const char *word, size_t m)
{
	for (size_t i = 0; i + m <= n; i++)
		if (!memcmp(line + i, word, m))
			return true;
	return false;
}

/* As other_version(), if the start line is not known: the line is in a function of another name. Traces only have
   lines, and the local Go sources are seldom those of the trace. */
static bool other_function(const struct source *src, const struct str_row *name, int64_t line)
{
	enum { FAR = 5000 };
	const char *s = name->s, *end = s + name->n, *decl = NULL;
	size_t n = 0, asked = 0;
	for (int64_t i = line; i > 0 && i > line - FAR && !decl; i--) {
		decl = source_line(src, i, &n);
		decl = decl && n > 5 && !memcmp(decl, "func ", 5) ? decl : NULL;
	}
	for (const char *p = s; p < end; p++)	/* skip the path of the package */
		s = *p == '/' ? p + 1 : s;
	s = memchr(s, '.', (size_t)(end - s));
	/* closures in variables are in no function */
	if (!decl || !s || memchr(s, '[', (size_t)(end - s)) || has_word(s, (size_t)(end - s), "glob.", 5) ||
	    has_word(s, (size_t)(end - s), ".init", 5))
		return false;
	for (size_t m = 1; m && s < end; s += m) {	/* up to a word that ends in '-', or is empty, as in "main.-f" */
		s += strspn(s, ".(*)");
		m = strcspn(s, ".)-");
		bool asks = m && !made_up(s, m);
		if (asks && has_word(decl, n, s, m))
			return false;
		asked += asks;
		if (s[m] == '-')
			break;
	}
	return asked > 0;
}

void list_pane_fill_rows(struct list_state *v, const struct pane_env *env)
{
	struct session *s = env->s;
	const struct weighted_tree *c = v->t.c;
	v->rows.n = 0;
	v->src = NULL;
	v->nsources = session_nsources(s);
	if (v->cur == UINT32_MAX)
		return;
	const struct function_sum *f = &v->fun[v->cur];
	if (v->assembly)
		list_pane_load_code(v, env);
	uint32_t *all = xmalloc((size_t)c->nsymbol * sizeof *all), n = 0;
	for (uint32_t i = 1; i < c->nsymbol; i++)
		if (v->of[i] == v->cur && !c->symbol[i].tag)
			all[n++] = i;
	calltree_sort_u32(all, n, cmp_line, c);
	const struct str_row *file = list_function_file(v, f);
	if (file->n)
		v->src = source_cache_get(session_sources(s), file->s);
	v->most = 0;
	for (uint32_t i = 0; i < n; i++)
		if (profile_ratio(c->weight[all[i]].cum, v->most ? v->most : 1) > 1 || !v->most)
			v->most = c->weight[all[i]].cum;
	const uint32_t *hot = all;
	for (; n && c->symbol[*hot].line <= 0; hot++, n--) {	/* no line is known: listed first */
		add_row(v, row_of(v, 0, *hot));
		add_code(v, 0);
	}
	if (n && v->src && v->src->path) {
		int64_t start = store_fun(c->st, f->fun)->line, first = c->symbol[hot[0]].line,
			last = c->symbol[hot[n - 1]].line;
		const struct str_row *name = list_function_name(v, f);
		v->stale = other_version(v->src, name, start) || last > v->src->nline ||
			   (start <= 0 && other_function(v->src, name, first));
		if (start <= 0 || start > first)
			start = first > 5 ? first - 5 : 1;
		int64_t end = body_end(v->src, last);
		if (end - start > 100000)	/* implausible line numbers */
			start = first, end = first + 100000;
		add_source(v, hot, n, start,
		    end > last		   ? end
		    : last < v->src->nline ? last
					   : v->src->nline);
	} else {
		for (uint32_t i = 0; i < n; i++) {
			add_row(v, row_of(v, c->symbol[hot[i]].line, hot[i]));
			if (v->inlined)
				add_inlined(v, hot[i]);
			add_code(v, c->symbol[hot[i]].line);
		}
	}
	mem_free(all);
}
