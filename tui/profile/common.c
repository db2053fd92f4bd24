/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Code shared by the panes on call trees.
 *
 * Each of these panes weighs its tree again when the session's serial has changed; only then the
 * ids of symbols and nodes change. A selection is kept by ids that name the same thing in any query
 * (struct symbol's id). Drawing never computes a tree.
 *
 * An empty screen is explained: not read yet, no samples of this type in the file, or all filtered
 * out, and which key helps.
 */
#include "config.h"
#include "profile/common.h"

#include "base/text/pprof_units.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "trace/as_profile.h"
#include "widget/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CELLS: limit of a value in a column, without its sign; PERCENT: width of a percentage */
enum { CELLS = 8, PERCENT = 6 };

enum gran profile_granularity(const struct pane_env *env)
{
	return session_query(env->s)->gran;
}

/* Return whether the snapshot has grown too little. While a file is read, a new tree is made when it has grown by
   half, and at the end. */
static bool little_more(const struct profile_tree *t, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	return !sn->complete && sn->nstks < t->nstks + t->nstks / 2 &&
	       !memcmp(&t->query, session_query(env->s), sizeof t->query);
}

bool profile_update_tree(struct profile_tree *t, const struct pane_env *env, enum gran gran)
{
	if (t->c && t->c->gran == gran && (t->serial == session_serial(env->s) || little_more(t, env)))
		return false;
	struct weighted_tree *c = session_calls_async(env->s, gran, t->what);
	if (!c && t->c)
		return false;		/* keep the old tree until then */
	session_free_calls_async(env->s, t->c, NULL);
	t->c = NULL;
	if (!c) {
		t->c = weighted_none(session_snap(env->s)->st, gran);
		t->serial = ~session_serial(env->s);
		return true;
	}
	t->c = c;
	t->serial = session_serial(env->s);
	memcpy(&t->query, session_query(env->s), sizeof t->query);
	t->nstks = session_snap(env->s)->nstks;
	return true;
}

void profile_free_tree(struct profile_tree *t)
{
	weighted_free(t->c);
	t->c = NULL;
}

static const char *unit_of(const struct weighted_tree *c)
{
	/* strings of the store end with a NUL (symbols.c) */
	return c->unit ? store_str(c->st, c->unit)->s : "count";
}

static void put_exact(const struct pane_env *env, const struct weighted_tree *c, struct buf *b, int64_t v)
{
	const char *unit = unit_of(c), *scaled;
	if (env->unit)
		pprof_units_scale(v, unit, env->unit, &scaled);
	if (env->unit && !strcmp(scaled, env->unit))
		pprof_units_label(b, v, unit, env->unit);
	else
		text_value(b, v, unit);	/* the unit does not fit this kind of value */
}

/* Append a value for a column: short, without the name of an unknown unit. */
static void put_cell(const struct pane_env *env, const struct weighted_tree *c, struct buf *b, int64_t v)
{
	size_t from = b->n;
	put_exact(env, c, b, v);
	if (text_width(b->p + from, b->n - from) < CELLS)
		return;
	b->n = from;
	text_short(b, v, unit_of(c));
}

void profile_draw_value(
    const struct pane_env *env, const struct weighted_tree *c, struct grid *g, int y, int x1, int64_t v, int attr)
{
	if (!v) {
		grid_put(g, y, x1 - 1, '.', ST_DIM, ST_NORMAL, 0);
		return;
	}
	struct buf b = {0};
	buf_puts(&b, c->estimated ? "~" : "");
	put_cell(env, c, &b, v);
	grid_right(g, y, x1, ST_NORMAL, attr, buf_str(&b));
	buf_free(&b);
}

/* ---- differences */

bool profile_is_comparison(const struct weighted_tree *c)
{
	return c->two;
}

bool profile_is_difference(const struct weighted_tree *c)
{
	return profile_is_comparison(c) && c->show == SHOW_DELTA;
}

/* Append what is before the number of a change. */
static void put_sign(const struct weighted_tree *c, struct buf *b, int64_t v, bool estimated)
{
	buf_puts(b, estimated && v ? "~" : "");
	buf_puts(b, v > 0 && profile_is_difference(c) ? "+" : "");
}

void profile_put_change(const struct pane_env *env, const struct weighted_tree *c, struct buf *b, int64_t v)
{
	put_sign(c, b, v, c->estimated);
	put_exact(env, c, b, v);
}

void profile_draw_change(
    const struct pane_env *env, const struct weighted_tree *c, struct grid *g, int y, int x1, int64_t v, int attr)
{
	if (!v || !profile_is_difference(c)) {
		profile_draw_value(env, c, g, y, x1, v, attr);
		return;
	}
	struct buf b = {0};
	put_sign(c, &b, v, c->estimated);
	put_cell(env, c, &b, v);
	grid_right(g, y, x1, v > 0 ? ST_MORE2 : ST_LESS2, attr, buf_str(&b));
	buf_free(&b);
}

static void put_sides(const struct pane_env *env, const struct weighted_tree *c, struct buf *b, struct pair p, bool estimated)
{
	bool mark = estimated && c->estimated;
	buf_puts(b, mark && p.a ? " A ~" : " A ");
	put_exact(env, c, b, p.a);
	buf_puts(b, mark && p.b ? " B ~" : " B ");
	put_exact(env, c, b, p.b);
	if (!p.a != !p.b)
		buf_puts(b, p.a ? " (only in A)" : " (only in B)");
}

void profile_put_sides(
    const struct pane_env *env, const struct weighted_tree *c, struct buf *b, int64_t shown, int64_t other)
{
	if (profile_is_comparison(c))
		put_sides(env, c, b, profile_side_values(c, shown, other), true);
}

double profile_ratio(int64_t v, int64_t of)
{
	if (!of)
		return 0;
	double p = (double)v / (double)of;
	return p < 0 ? -p : p;
}

void profile_put_percent(struct buf *b, int64_t v, int64_t of)
{
	if (!of) {
		buf_putc(b, '-');
		return;
	}
	double p = 100 * (double)v / (double)of;
	buf_printf(b, p > -1000 && p < 1000 ? "%.1f%%" : "%.0f%%", p);
}

void profile_draw_percent(struct grid *g, int y, int x1, int64_t v, int64_t of)
{
	struct buf b = {0};
	profile_put_percent(&b, v, of);
	if (text_width(b.p, b.n) > PERCENT) {	/* -100.0% would touch the previous column */
		buf_reset(&b);
		buf_printf(&b, "%.0f%%", 100 * (double)v / (double)of);
	}
	grid_right(g, y, x1, v ? ST_NORMAL : ST_DIM, 0, buf_str(&b));
	buf_free(&b);
}

static void fit_name(const struct weighted_tree *c, uint32_t symbol, size_t cells, bool ascii, struct buf *b)
{
	const struct symbol *t = &c->symbol[symbol];
	struct str_row s = weighted_symbol(c, symbol);
	if ((t->name || t->tag) && !t->line && !t->file && !t->addr) {
		text_fit_symbol(b, s.s, s.n, cells, ascii);
		return;
	}
	struct buf line = {0}, where = {0};
	weighted_name(c, symbol, &line);
	size_t full = text_width(line.n ? line.p : "", line.n);
	if (full > cells && t->name &&
	    t->file) { /* keep the line visible: shorten the folders, then the symbol */
		if (t->addr)
			buf_printf(b, "%llx ", (unsigned long long)t->addr);
		buf_putc(&where, ' ');
		weighted_position(c, symbol, &where);
		size_t used = b->n + where.n;
		text_fit_symbol(b, s.s, s.n, cells > used + 4 ? cells - used : 4, ascii);
		buf_put(b, where.p, where.n);
	} else {
		text_fit_middle(b, line.p, line.n, cells, ascii);
	}
	buf_free(&line);
	buf_free(&where);
}

void profile_put_name_line(const struct pane_env *env, const struct weighted_tree *c, uint32_t symbol, struct buf *b,
    struct buf *rest)
{
	size_t used =
	    text_width(b->n ? b->p : "", b->n) + text_width(rest->n ? rest->p : "", rest->n) + 1;
	size_t room = (size_t)(env->cols > 0 ? env->cols : 1);
	fit_name(c, symbol, room > used + 12 ? room - used : 12, env->ascii, b);
	buf_put(b, rest->p, rest->n);
	buf_free(rest);
}

void profile_put_match_text(const struct weighted_tree *c, uint32_t symbol, struct buf *b)
{
	const struct symbol *t = &c->symbol[symbol];
	struct str_row s = weighted_symbol(c, symbol);
	if (t->line || (t->file && t->name))
		weighted_name(c, symbol, b);
	else
		buf_put(b, s.s, s.n);
}

bool profile_name_matches(const struct weighted_tree *c, uint32_t symbol, const struct regex *rx, struct buf *b)
{
	buf_reset(b);
	profile_put_match_text(c, symbol, b);
	return regex_match(rx, buf_str(b), b->n);
}

/* Return the text that profile_name_matches() matches, if it is a string of the store; 0: it is not. */
static str_id match_text(const struct symbol *t)
{
	return t->line || (t->file && t->name) ? 0 : t->tag ? t->tag : t->name ? t->name : t->file;
}

/* Match each string once, in the order of the store, because symbols refer to strings in another order. */
void profile_match_names(const struct weighted_tree *c, const struct regex *rx, uint8_t *at)
{
	enum { WANTED = 1, FOUND };
	struct buf b = {0};
	uint32_t n = column_n(&c->st->strs);
	uint8_t *text = xcalloc(n, 1);
	for (uint32_t i = 1; i < c->nsymbol; i++)
		text[match_text(&c->symbol[i])] = WANTED;
	for (str_id s = 1; s < n; s++)
		if (text[s]) {
			const struct str_row *r = store_str(c->st, s);
			text[s] = regex_match(rx, r->s, r->n) ? FOUND : 0;
		}
	for (uint32_t i = 1; i < c->nsymbol; i++) {
		str_id s = match_text(&c->symbol[i]);
		at[i] = s ? text[s] == FOUND : profile_name_matches(c, i, rx, &b);
	}
	buf_free(&b);
	mem_free(text);
}

void profile_draw_name(const struct pane_env *env, const struct weighted_tree *c, struct grid *g, int y, int x,
    int w, uint32_t symbol, const char *suffix)
{
	struct buf b = {0};
	if (w < 1)
		return;
	fit_name(c, symbol, (size_t)w, env->ascii, &b);
	struct rect old = grid_clip(g, (struct rect){y, x, 1, w});
	int end = grid_textn(g, 0, 0, c->symbol[symbol].tag ? ST_ACCENT : ST_NORMAL, 0, b.p, b.n);
	if (suffix && *suffix && end + 1 + (int)strlen(suffix) <= w)	/* omitted if it does not fit */
		grid_text(g, 0, end + 1, ST_DIM, 0, suffix);
	if (env->find.rx)
		list_mark_hits(g, (struct rect){0, 0, 1, w}, env->find.rx);
	grid_unclip(g, old);
	buf_free(&b);
}

void profile_symbol_place(const struct weighted_tree *c, uint32_t symbol, struct place *p)
{
	if (!c || !symbol)
		return;
	p->fun = symbol_function(c->st, &c->symbol[symbol]);
	p->frm = c->symbol[symbol].frm;
}

uint32_t profile_find_symbol(const struct weighted_tree *c, const struct place *p)
{
	if (c->gran == GR_LINES || c->gran == GR_ADDRESSES)
		for (uint32_t i = 1; p->frm && i < c->nsymbol; i++)
			if (c->symbol[i].frm == p->frm && c->weight[i].nnode)
				return i;
	return weighted_find_function(c, p->fun);
}

bool profile_is_tagged(const struct pane_env *env, const struct weighted_tree *c, uint32_t symbol)
{
	const struct symbol *t = &c->symbol[symbol];
	fun_id fun = symbol_function(c->st, t);
	for (size_t i = 0; i < env->ntagged && fun; i++)
		if (store_fun(c->st, env->tagged[i])->name == store_fun(c->st, fun)->name)
			return true;
	return false;
}

static enum base base_now(const struct pane_env *env, enum base dflt)
{
	return env->base == BASE_AUTO ? dflt : env->base;
}

int64_t profile_base_value(const struct pane_env *env, const struct weighted_tree *c, enum base dflt, int64_t local)
{
	enum base b = base_now(env, dflt);
	return b == BASE_ALL ? c->all : b == BASE_LOCAL && local ? local : c->total;
}

const char *profile_base_name(const struct pane_env *env, enum base dflt, const char *local)
{
	enum base b = base_now(env, dflt);
	return b == BASE_ALL ? "the total" : b == BASE_LOCAL && *local ? local : "the shown total";
}

/* The sum of all is exact, also where stacks are estimates; that of a part is not. */
static void put_totals(const struct weighted_tree *c, const struct pane_env *env, struct buf *b)
{
	bool part = c->total != c->all;
	if (profile_is_difference(c)) {
		buf_puts(b, "A - B ");
		put_sign(c, b, c->total, part && c->estimated);
		put_exact(env, c, b, c->total);
		buf_puts(b, ":");
		put_sides(env, c, b, profile_side_values(c, c->total, c->ototal), part);
		return;
	}
	if (profile_is_comparison(c))
		buf_puts(b, c->show == SHOW_A ? "A (of A - B) " : "B (of A - B) ");
	put_sign(c, b, c->total, part && c->estimated);
	put_exact(env, c, b, c->total);
	if (part) {
		buf_puts(b, c->total > c->all ? " on a base of " : " of ");
		put_exact(env, c, b, c->all);
		buf_puts(b, " (");
		profile_put_percent(b, c->total, c->all);
		buf_putc(b, ')');
	}
}

static void put_estimates(const struct weighted_tree *c, const struct pane_env *env, struct buf *b)
{
	enum trace_weight_type type = (enum trace_weight_type)session_type(env->s);
	enum trace_blame blame = (enum trace_blame)session_query(env->s)->blame;
	if (c->sampled_of) {
		buf_puts(b, ", approximate: ");
		text_count(b, c->sampled);
		buf_puts(b, " of ");
		text_count(b, c->sampled_of);
		buf_puts(b, " operations");
	}
	if (c->estimated)
		buf_puts(b, ", stacks are estimates");
	else if (session_is_trace(env->s) && trace_type_estimate(type, blame) == ESTIMATE_PART)
		buf_puts(b, ", stacks of running are estimates");
	if (c->approximate)
		buf_puts(b, ", shares of waits for a P approximate");
}

void profile_summary(const struct weighted_tree *c, const struct pane_env *env, struct buf *b)
{
	size_t type = session_type(env->s);
	if (type < session_ntypes(env->s))
		buf_printf(b, "%s ", session_type_name(env->s, type));
	if (c->none)
		return;
	put_totals(c, env, b);
	put_estimates(c, env, b);
}

/* ---- explanation of an empty pane */

static const struct { const char *type, *why;
} of_trace[] = {{"cpu", "The trace has no CPU samples: record it while a CPU profile "
			"(pprof.StartCPUProfile) is running."},
    {"run", "No goroutine ran in the trace or in the range."},
    {"sched", "No goroutine waited for a P."},
    {"sync",
	"No goroutine waited for a mutex, a condition variable, a channel or a select."},
    {"net", "No goroutine waited for the network."},
    {"syscall", "No goroutine was blocked in a system call."},
    {"block", "No goroutine waited for anything."},
    {"alloc", "No goroutine allocated a span or a large object."},
    {"critical", "There is no operation: no task, no request, and no goroutine of the program."}};

static const char *why_none(const struct pane_env *env, const char *type)
{
	if (!session_is_trace(env->s))
		return "No sample has a value of this type.";
	if (session_snap(env->s)->trace.log)
		return "A gctrace or schedtrace log has no stacks: its data is in panes 5 (timeline) "
		       "and 8 "
		       "(GC). A CPU profile or a trace has stacks.";
	for (size_t i = 0; i < sizeof of_trace / sizeof *of_trace; i++)
		if (!strcmp(type, of_trace[i].type))
			return of_trace[i].why;
	return "No data of this type.";
}

/* Draw a text from (y, 2) on, wrapped at blanks; return the line after it. */
static int draw_paragraph(struct grid *g, int y, enum style st, const char *s)
{
	int w = g->w - 4;
	while (*s && w > 8) {
		size_t n = strlen(s);
		if (n > (size_t)w)
			for (n = (size_t)w; n > 1 && s[n] != ' '; n--)
				;
		grid_textn(g, y++, 2, st, 0, s, n);
		s += n;
		s += *s == ' ';
	}
	return y;
}

static int draw_filters(const struct pane_env *env, struct grid *g, int y)
{
	const struct query *q = session_query(env->s);
	const struct {
		const char *name, *v;
	} f[] = {{"focus", q->f.focus}, {"ignore", q->f.ignore}, {"hide", q->f.hide},
	    {"show", q->f.show}, {"show_from", q->f.show_from}, {"prune_from", q->f.prune_from},
	    {"tagfocus", q->f.tagfocus}, {"tagignore", q->f.tagignore}, {"group", q->group},
	    {"task", q->task}, {"region", q->region}, {"operation", q->operation}, {"latency", q->latency}};
	for (size_t i = 0; i < sizeof f / sizeof *f; i++)
		if (f[i].v && y < g->h)
			grid_printf(g, y++, 4, ST_NORMAL, 0, "%s=%s", f[i].name, f[i].v);
	if (q->from != TIME_NONE || q->to != TIME_NONE)
		grid_text(g, y++, 4, ST_NORMAL, 0, "a time range");
	if (q->g)
		grid_text(g, y++, 4, ST_NORMAL, 0, "one goroutine");
	else if (q->gs)
		grid_printf(g, y++, 4, ST_NORMAL, 0, "%u goroutines", session_count_listed(env->s));
	if (q->proc)
		grid_text(g, y++, 4, ST_NORMAL, 0, "one P");
	return y;
}

static const char drop_them[] = "\\ turns them off, R removes them, u undoes the last one.";

bool profile_draw_empty(const struct profile_tree *t, const struct pane_env *env, struct grid *g)
{
	if (t->c && t->c->any)
		return false;
	size_t type = session_type(env->s);
	const char *name = type < session_ntypes(env->s) ? session_type_name(env->s, type) : "";
	int y = g->h > 8 ? 2 : 0;
	bool nothing = !t->c || !t->c->all;
	if (nothing && !session_snap(env->s)->complete && !(t->c && t->c->none)) {
		draw_paragraph(g, y, ST_DIM, session_is_trace(env->s) ? "Reading: no data of this type yet." :
		    "Reading. The names are at the end of a profile: rows appear when it has been decompressed.");
		return true;
	}
	/* the tree may be of a time before the first samples */
	if (t->c && (t->c->none || (nothing && t->serial != session_serial(env->s)))) {
		draw_paragraph(g, y, ST_DIM, "Counting.");
		return true;
	}
	/* logs have times of states but no stacks */
	if (t->c && t->c->all && session_snap(env->s)->nstks <= 1 && !session_snap(env->s)->trace.log) {
		draw_paragraph(g, y, ST_WARN, "The samples have no stacks.");
		return true;
	}
	if (t->c && t->c->all && !session_snap(env->s)->trace.log) {
		y = draw_paragraph(g, y, ST_WARN, "No stack passes the filters:") + 1;
		y = draw_filters(env, g, y) + 1;
		draw_paragraph(g, y, ST_DIM, drop_them);
		return true;
	}
	if (session_snap(env->s)->trace.log) {	/* no sample type has data, with any filter */
		grid_text(g, y, 2, ST_WARN, 0, "Nothing to show here.");
		draw_paragraph(g, y + 2, ST_NORMAL, why_none(env, name));
		return true;
	}
	int below = draw_filters(env, g, y + 1);
	grid_printf(g, y, 2, ST_WARN, 0, "Nothing to show for type %s%s", *name ? name : "(none)",
	    below > y + 1 ? " with" : ".");
	if (below > y + 1)
		y = draw_paragraph(g, below + 1, ST_DIM, drop_them) + 1;
	else
		y = draw_paragraph(g, y + 2, ST_NORMAL, why_none(env, name)) + 1;
	if (session_ntypes(env->s) > 1) {
		struct buf b = {0};
		buf_puts(&b, "] shows another type:");
		for (size_t i = 0; i < session_ntypes(env->s); i++)
			if (i != type)
				buf_printf(&b, " %s", session_type_name(env->s, i));
		draw_paragraph(g, y, ST_DIM, buf_str(&b));
		buf_free(&b);
	}
	return true;
}
