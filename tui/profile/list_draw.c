/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Drawing the annotated source: weights, a heat bar, line number and text. Tab stops are every
 * eight columns of the source, not of the screen, so the text is expanded first and then scrolled
 * to the left; cells outside of the clip rectangle cost nothing. Lines without weight are dim.
 */
#include "config.h"
#include "profile/list_internal.h"

#include "base/text/text.h"
#include "calltree/callers.h"
#include "symbols/demangle.h"

#include <string.h>

enum { X_FLAT = 7, X_CUM = 15, X_HEAT = 16, W_HEAT = 8, X_LINE = 31, X_TEXT = 33, W_SIDES = 7 };

struct list_drawing { const struct list_state *v; const struct pane_env *env; };

/* Return the additional width for both sides of a difference, which replace the heat bar. */
static int weight_width(const struct list_state *v)
{
	return profile_is_difference(v->t.c) ? W_SIDES : 0;
}

static void draw_weights(const struct list_drawing *d, struct grid *g, int y, const struct list_row *r)
{
	const struct weighted_tree *c = d->v->t.c;
	if (d->env->base != BASE_AUTO && r->symbol) {
		int64_t base = profile_base_value(d->env, c, BASE_ALL, d->v->fun[d->v->cur].cum);
		profile_draw_percent(g, y, X_FLAT, r->flat, base);
		profile_draw_percent(g, y, X_CUM, r->cum, base);
	} else {
		profile_draw_change(d->env, c, g, y, X_FLAT, r->flat, AT_BOLD);
		profile_draw_change(d->env, c, g, y, X_CUM, r->cum, 0);
	}
	if (profile_is_difference(c) && r->symbol) {
		struct pair p = profile_side_values(c, r->cum, r->ocum);
		profile_draw_value(d->env, c, g, y, X_CUM + 8, p.a, 0);
		profile_draw_value(d->env, c, g, y, X_CUM + 16, p.b, 0);
	} else if (r->cum) {
		grid_bar(g, y, X_HEAT, W_HEAT, profile_ratio(r->cum, d->v->most), ST_HEAT);
	}
}

/* Return whether a row is code without a name: then rows are distinguished by their mapping. */
static bool of_mapping(const struct list_state *v, const struct list_row *r)
{
	const struct symbol *t = &v->t.c->symbol[r->symbol];
	return r->symbol && !t->name && !t->file && t->map;
}

static void draw_source(const struct list_drawing *d, struct grid *g, int y, const struct list_row *r)
{
	const struct list_state *v = d->v;
	size_t n;
	const char *s = v->src && v->src->path ? source_line(v->src, r->line, &n) : NULL;
	int x = X_TEXT + weight_width(v);
	struct rect old = grid_clip(g, (struct rect){y, x, 1, g->w - x});
	if (s) {
		struct buf b = {0};
		source_expand(&b, s, n);
		grid_textn(g, 0, -v->left, r->symbol ? ST_NORMAL : ST_DIM, 0, b.p, b.n);
		buf_free(&b);
		if (d->env->find.rx)
			list_mark_hits(g, (struct rect){0, 0, 1, g->w}, d->env->find.rx);
	} else if (r->line <= 0) {
		struct buf b = {0};
		if (of_mapping(v, r))
			weighted_name(v->t.c, r->symbol, &b);
		else
			buf_puts(&b, "(unknown line)");
		grid_textn(g, 0, 0, ST_DIM, 0, b.p, b.n);
		buf_free(&b);
	} else if (v->src && v->src->path) {
		grid_text(g, 0, 0, ST_WARN, 0,
		    "(after the end of the file: this is not the version that was profiled)");
	}
	grid_unclip(g, old);
}

/* Draw an instruction, and its source if it is inlined from another place than the previous one. */
static void draw_code(const struct list_drawing *d, struct grid *g, int y, uint32_t i)
{
	const struct list_state *v = d->v;
	const struct list_row *r = &v->row[i];
	const struct list_code *k = &v->code[r->code];
	const struct asm_inst *in = &v->asm_of.v[k->inst];
	struct buf b = {0};
	profile_draw_change(d->env, v->t.c, g, y, X_FLAT, r->flat, AT_BOLD);
	profile_draw_change(d->env, v->t.c, g, y, X_CUM, r->cum, 0);
	buf_hex(&b, in->at);
	grid_right(g, y, X_LINE + weight_width(v), ST_DIM, 0, buf_str(&b));
	buf_reset(&b);
	source_expand(&b, in->text, strlen(in->text));
	struct rect old = grid_clip(g, (struct rect){y, X_TEXT + weight_width(v), 1, g->w - X_TEXT - weight_width(v)});
	int x = 2 - v->left;
	grid_textn(g, 0, x, r->flat || r->cum ? ST_NORMAL : ST_DIM, 0, b.p ? b.p : "", b.n);
	x += (int)text_width(b.p ? b.p : "", b.n) + 2;
	const struct debug_frame *f = in->frame;
	const struct list_row *up = i && v->row[i - 1].kind == LR_ASM ? r - 1 : NULL;
	const struct debug_frame *was = up ? v->asm_of.v[v->code[up->code].inst].frame : NULL;
	if (k->frame && (!was || strcmp(was->name, f->name) || was->line != f->line)) {
		buf_reset(&b);
		buf_puts(&b, "; ");
		if (!demangle(&b, f->name, DM_SIMPLE))
			text_safe(&b, f->name, strlen(f->name));
		const char *slash = strrchr(f->file, '/');
		buf_putc(&b, ' ');
		text_safe(&b, slash ? slash + 1 : f->file, strlen(slash ? slash + 1 : f->file));
		buf_printf(&b, ":%lld", (long long)f->line);
		grid_textn(g, 0, x < 44 - v->left ? 44 - v->left : x, ST_DIM, 0, b.p, b.n);
	}
	grid_unclip(g, old);
	buf_free(&b);
}

static void draw_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	const struct list_drawing *d = arg;
	const struct list_row *r = &d->v->row[i];
	int x_text = X_TEXT + weight_width(d->v), x_line = X_LINE + weight_width(d->v);
	char tmp[32];
	struct buf b = {0};
	switch (r->kind) {
	case LR_FOLDED:
		buf_printf(&b, "%lld line%s without weight", (long long)(r->end - r->line + 1),
		    text_s((uint64_t)(r->end - r->line + 1)));
		grid_text(g, y, x_text, ST_DIM, 0, buf_str(&b));
		grid_put(g, y, x_line - 1, 0x2026, ST_DIM, ST_NORMAL, 0);
		break;
	case LR_INLINED:
		profile_draw_change(d->env, d->v->t.c, g, y, X_CUM, r->cum, 0);
		grid_put(g, y, x_line - 1, '>', ST_DIM, ST_NORMAL, 0);
		profile_draw_name(
		    d->env, d->v->t.c, g, y, x_text + 2, g->w - x_text - 2, r->symbol, "(inlined)");
		break;
	case LR_ASM: draw_code(d, g, y, i); break;
	case LR_LINE:
		draw_weights(d, g, y, r);
		if (r->line > 0) {
			buf_i64(&b, r->line);
			memcpy(tmp, b.p, b.n);
			tmp[b.n] = 0;
			grid_right(g, y, x_line, ST_DIM, 0, tmp);
		}
		draw_source(d, g, y, r);
		break;
	}
	buf_free(&b);
}

/* Draw a wrapped text in lines from y to before end; return the line after it. */
static int draw_wrapped(struct grid *g, int y, int end, enum style st, const struct buf *b)
{
	int w = g->w - 8;
	for (size_t at = 0; at < b->n && y < end && w > 10; y++) {
		size_t n = text_line_n(b->p + at, b->n - at, (size_t)w);
		grid_textn(g, y, 6, st, 0, b->p + at, n);
		at += n + (at + n < b->n && b->p[at + n] == ' ');
	}
	return y;
}

static void draw_where(const struct list_state *v, const struct pane_env *env, struct grid *g)
{
	struct buf b = {0};
	grid_text(g, 0, 6, ST_WARN, 0, "Source not found: ");
	grid_text(g, 0, 30, ST_NORMAL, 0, v->src->name);
	if (g->h < 6) {
		grid_text(g, 1, 6, ST_DIM, 0, ":source_path DIR sets where to search");
		return;
	}
	buf_puts(&b, "searched ");
	source_cache_describe(session_sources(env->s), &b);
	int y = draw_wrapped(g, 1, g->h - 2, ST_DIM, &b);
	grid_text(g, y, 6, ST_NORMAL, 0,
	    ":source_path DIR sets where to search; :trim_path PREFIX shortens the path");
	buf_free(&b);
}

/* Return whether the query has filters. */
static bool is_narrowed(const struct query *q)
{
	const struct filters *f = &q->f;
	return !q->suspended && (f->focus || f->ignore || f->hide || f->show || f->show_from || f->prune_from ||
	    f->tagfocus || f->tagignore || q->group || q->task || q->region || q->operation || q->latency || q->gs || q->g ||
	    q->proc ||
	    q->from != TIME_NONE || q->to != TIME_NONE);
}

void list_pane_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct list_state *v = st;
	if (profile_draw_empty(&v->t, env, g))
		return;
	if (v->cur == UINT32_MAX) {
		struct buf b = {0};
		if (!v->id)
			buf_puts(&b, "No function is chosen: press 2 on a row of Top, or use :list RE.");
		else if (is_narrowed(session_query(env->s)))
			buf_puts(&b, "No stack of this function passes the filters. { and } show others, \\ turns the "
				     "filters off, u undoes the last one.");
		else
			buf_printf(&b,
			    "This function has no samples of type %s. "
			    "] shows another type, { and } other functions.",
			    session_type_name(env->s, session_type(env->s)));
		draw_wrapped(g, g->h > 8 ? 2 : 0, 4, ST_DIM, &b);
		buf_free(&b);
		return;
	}
	if (profile_is_difference(v->t.c)) {
		grid_text(g, 0, 1, ST_HEAD, 0, "FLAT+-  CUM +-   CUM A   CUM B");
	} else {
		grid_right(g, 0, X_FLAT + 1, ST_HEAD, 0, "FLAT");
		grid_right(g, 0, X_CUM + 1, ST_HEAD, 0, "CUM");
		grid_text(g, 0, X_HEAT + 1, ST_HEAD, 0, "HEAT");
	}
	grid_right(g, 0, X_LINE + weight_width(v) + 1, ST_HEAD, 0, "LINE");
	grid_text(g, 0, X_TEXT + weight_width(v) + 1, ST_HEAD, 0, "SOURCE");
	if (v->src && v->src->path) {
		struct buf b = {0};
		buf_printf(&b, "%s%s", v->stale ? "not the profiled version? " : "", v->src->how);
		grid_right(g, 0, g->w - 1, v->stale ? ST_WARN : ST_DIM, 0, buf_str(&b));
		buf_free(&b);
	}
	int extra = list_pane_notice_height(v, env), above = v->assembly && v->asm_why ? env->rows > 14 ? 3 : 1 : 0;
	if (above) {
		struct buf b = {0};
		text_safe(&b, v->asm_why, strlen(v->asm_why));
		draw_wrapped(g, 1, 1 + above, ST_WARN, &b);
		buf_free(&b);
	}
	if (extra > above) {
		struct rect old = grid_clip(g, (struct rect){1 + above, 0, extra - above, g->w});
		draw_where(v, env, g);
		grid_unclip(g, old);
	} else if (!v->src) {
		grid_text(g, 0, X_TEXT + 8, ST_WARN, 0, "(no file name for this function)");
	}
	struct rect old = grid_clip(g, (struct rect){1 + extra, 0, g->h - 1 - extra, g->w});
	list_draw_rows(&v->rows, g, draw_row, &(struct list_drawing){v, env},
	    &(struct list_options){false, list_hits_marks(&v->hit, &v->rows, env->find.rx)});
	grid_unclip(g, old);
}

void list_pane_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct list_state *v = st;
	if (v->cur == UINT32_MAX && v->id && v->t.c) {
		const struct str_row *s = store_str(v->t.c->st, v->id);
		text_safe(b, s->s, s->n);
		buf_puts(b, "  no stack passes the filters");
	}
	if (v->cur == UINT32_MAX && v->t.c && !b->n)
		profile_summary(v->t.c, env, b);
	if (v->cur == UINT32_MAX)
		return;
	const struct function_sum *f = &v->fun[v->cur];
	const struct str_row *name = list_function_name(v, f), *file = list_function_file(v, f);
	struct buf rest = {0}, *r = &rest;
	buf_putc(r, ' ');
	size_t base = file->n;
	if (env->cols < 120)
		while (base && file->s[base - 1] != '/')
			base--;
	else
		base = 0;
	if (v->src && v->src->path && env->cols >= 120)
		text_safe(r, v->src->path, strlen(v->src->path));
	else
		text_safe(r, file->s + base, file->n - base);
	buf_puts(r, profile_is_difference(v->t.c) ? "  A - B flat " : "  flat ");
	profile_put_change(env, v->t.c, r, f->flat);
	buf_puts(r, " cum ");
	profile_put_change(env, v->t.c, r, f->cum);
	profile_put_sides(env, v->t.c, r, f->cum, v->t.c->two ? v->t.c->funs->other[v->cur].cum : 0);
	for (uint32_t i = 0; i < v->norder; i++)
		if (v->order[i] == v->cur)
			buf_printf(r, "  (%s%u/%u)", v->re ? "match " : "", i + 1, v->norder);
	size_t used = text_width(r->p, r->n) + 1, room = (size_t)env->cols;
	if (name->n)
		text_fit_symbol(b, name->s, name->n, room > used + 12 ? room - used : 12, env->ascii);
	else
		buf_puts(b, "<unknown>");
	buf_put(b, r->p, r->n);
	buf_free(r);
}

/* Append the detail of an instruction, with the inlined calls that lead to it. */
static void list_pane_code_detail(const struct list_state *v, const struct pane_env *env, const struct list_row *r,
    struct buf *b)
{
	const struct list_code *k = &v->code[r->code];
	const struct asm_inst *in = &v->asm_of.v[k->inst];
	buf_puts(b, " at 0x");
	buf_hex(b, in->at);
	buf_puts(b, " flat ");
	profile_put_change(env, v->t.c, b, r->flat);
	buf_puts(b, " cum ");
	profile_put_change(env, v->t.c, b, r->cum);
	for (uint32_t i = k->frame; i-- > 0;) {
		buf_puts(b, i + 1 == k->frame ? "  inlined: " : " > ");
		if (!demangle(b, in->frame[i].name, DM_SIMPLE))
			text_safe(b, in->frame[i].name, strlen(in->frame[i].name));
	}
}

void list_pane_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct list_state *v = st;
	if (v->cur == UINT32_MAX || !v->rows.n)
		return;
	const struct list_row *r = &v->row[v->rows.sel];
	if (r->kind == LR_FOLDED) {
		buf_printf(b, "lines %lld-%lld: no weight (z unfolds)", (long long)r->line,
		    (long long)r->end);
		return;
	}
	if (r->line > 0 || !r->symbol)
		buf_printf(b, "line %lld", (long long)r->line);
	else if (of_mapping(v, r))
		weighted_name(v->t.c, r->symbol, b);
	else
		buf_puts(b, "unknown line");
	if (r->kind == LR_ASM) {
		list_pane_code_detail(v, env, r, b);
		return;
	}
	if (!r->symbol) {
		buf_puts(b, ": no weight");
		return;
	}
	buf_puts(b, " flat ");
	profile_put_change(env, v->t.c, b, r->flat);
	buf_puts(b, " cum ");
	profile_put_change(env, v->t.c, b, r->cum);
	profile_put_sides(env, v->t.c, b, r->cum, r->ocum);
	buf_puts(b, " (");
	profile_put_percent(b, r->cum, v->t.c->all);
	buf_putc(b, ')');
	struct link *l;
	uint32_t n = calltree_callees(v->t.c, r->symbol, env->scratch, &l), inl = 0;
	for (uint32_t i = 0; i < n; i++)
		inl += l[i].inl;
	if (inl)
		buf_printf(b, "  %u inlined call%s: I shows", inl, text_s(inl));
	for (uint32_t i = 0; i < n && i < 3; i++) {
		buf_puts(b, i ? ", " : "  calls ");
		struct str_row s = weighted_symbol(v->t.c, l[i].symbol);
		size_t pkg = granularity_package(s.s, s.n);
		while (pkg && s.s[pkg - 1] != '/')
			pkg--;
		text_safe(b, s.s + pkg, s.n - pkg);
		buf_putc(b, ' ');
		profile_put_change(env, v->t.c, b, l[i].value);
	}
	if (n > 3)
		buf_printf(b, " and %u more", n - 3);
}
