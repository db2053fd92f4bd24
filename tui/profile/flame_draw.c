/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Drawing the flame graph.
 *
 * calltree/flame.c computes the cells of a frame; this file draws lines, colours and labels. The
 * line of a node follows from its depth: the depth minus the scroll offset, upwards for callers and
 * if the graph is flipped. So the ancestors of a zoomed frame keep their lines, drawn over the full
 * width and dim.
 *
 * A frame starts with an edge, which separates it from its neighbour without colour; in mono there
 * are only edges and labels. The hue depends on the package, the tone alternates by a hash of the
 * name.
 */
#include "config.h"
#include "profile/flame_internal.h"

#include "base/intern.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "calltree/callers.h"
#include "term/style.h"
#include "trace/as_profile.h"
#include "trace/time_class.h"
#include "widget/list.h"

#include <stdio.h>
#include <string.h>

/* Return the number of rows before the row of a place in its part. */
static int64_t flame_depth(const struct flame *f, uint32_t place)
{
	return flame_row(f, 0, place);
}

static int flame_centre(const struct flame_state *v, int h)
{
	if (!v->f[UP])
		return 0;
	int callers = v->f[UP]->depth > 2
			  ? (int)(v->f[UP]->depth - 2 < 10000 ? v->f[UP]->depth - 2 : 10000)
			  : 0;
	return callers < h / 2 ? callers : h / 2;
}

static int64_t line_of(const struct flame_state *v, int part, int64_t depth, int h)
{
	int64_t y = flame_centre(v, h) + (part == UP ? 1 - depth : depth - 1) - v->scroll;
	return v->flip ? h - 1 - y : y;
}

int64_t flame_line(const struct flame_state *v, int part, uint32_t place, int h)
{
	return line_of(v, part, flame_depth(v->f[part], place), h);
}

/* Get what is visible of a part in h lines of w cells. false: nothing. */
static bool flame_window(
    const struct flame_state *v, int part, int h, int w, struct flame_viewport *l, int64_t *line0)
{
	const struct flame *f = v->f[part];
	uint32_t k;
	if (!f || !flame_kids(f, 0, &k) || h < 1 || w < 1)
		return false;
	int64_t zoomed = flame_depth(f, v->zoom[part]);
	/* visible depths, in the direction of this part */
	int64_t c = flame_centre(v, h) - v->scroll;
	int64_t lo = part == UP ? c + 1 - (h - 1) : 1 - c, hi = part == UP ? c + 1 : h - c;
	int64_t least = zoomed > 1 ? zoomed : 1;
	if (part == UP && least < 2)
		least = 2;	/* the centre is drawn once */
	lo = lo < least ? least : lo;
	if (hi < lo)
		return false;
	*line0 = lo;		/* depth of the first visible row */
	*l = (struct flame_viewport){v->zoom[part], w, (int)(hi - lo + 1), (int)(lo - zoomed)};
	return true;
}

/* ---- colours */

/* Return whether differences are shown: of two sides, or because some weights are negative. */
static bool flame_signed(const struct flame_state *v)
{
	const struct flame *f = v->f[DOWN];
	return f && (profile_is_comparison(v->t.c) || f->open->at[0].wid != flame_sum(f, 0).w);
}

/* Return the active colouring. */
static enum flame_colour flame_colouring(const struct flame_state *v)
{
	if (v->colour == FC_AUTO || (v->colour == FC_DIFF && !flame_signed(v)))
		return flame_signed(v) ? FC_DIFF : FC_PACKAGE;
	return v->colour;
}

/* Return the change of a frame: from -1, removed, to 1, new; 0: no change. */
static double flame_change(const struct flame_state *v, int part, uint32_t node)
{
	const struct flame *f = v->f[part];
	struct weighted_sum sum = flame_sum(f, node);
	double most = (double)f->open->at[node].wid, d = (double)sum.w;
	if (f->c->two) {
		struct pair p = profile_side_values(v->t.c, sum.w, sum.o);
		double a = (double)p.a, b = (double)p.b;
		most = a > b ? a : b;
		d = a - b;
	}
	return most > 0 ? d / most : 0;
}

/* Return one of five styles, from removed to new. */
static enum style change_style(const struct flame_state *v, int part, uint32_t node)
{
	double d = flame_change(v, part, node);
	return d > .5 ? ST_MORE2 : d > .05 ? ST_MORE1 : d < -.5 ? ST_LESS2 : d < -.05 ? ST_LESS1 : ST_SAME;
}

static bool is_named(const struct str_row *tag, const char *name)
{
	return tag->n == strlen(name) && !memcmp(tag->s, name, tag->n);
}

/* Return the colour of the goroutine state that a trace's tree counts; in a tree of all waits, the tags have it. */
static enum style state_colour(const struct flame_state *v, const struct session *s, int part, uint32_t node)
{
	static const enum style of[TRACE_WEIGHT__N] = {[TRACE_CPU] = ST_S_RUN,
	    [TRACE_RUN] = ST_S_RUN,
	    [TRACE_SCHED] = ST_S_READY,
	    [TRACE_SYNC] = ST_S_SYNC,
	    [TRACE_NET] = ST_S_NET,
	    [TRACE_SYSCALL] = ST_S_SYSCALL,
	    [TRACE_BLOCK] = ST_S_UNKNOWN,
	    [TRACE_ASSIST] = ST_S_ASSIST,
	    [TRACE_ALLOC] = ST_S_ASSIST,
	    [TRACE_CRITICAL] = ST_S_UNKNOWN,
	    [TRACE_TIME] = ST_S_UNKNOWN};
	const struct flame *f = v->f[part];
	enum style st = session_type(s) < TRACE_WEIGHT__N ? of[session_type(s)] : ST_S_UNKNOWN;
	for (uint32_t i = node; i; i = f->open->at[i].up) {
		if (flame_symbol_at(v, part, i)->kind != PKG_TAG)
			continue;
		struct str_row tag = weighted_symbol(v->t.c, flame_symbol_of(f, i));
		for (int k = 0; k < TS__N; k++)
			if (is_named(&tag, style_state_name((enum tstate)k)))
				st = style_of_state((enum tstate)k);
		for (int k = 0; trace_type_has_classes((enum trace_weight_type)session_type(s)) && k < TIME_CLASS__N; k++)
			if (is_named(&tag, time_class_name((enum time_class)k)))
				st = style_of_state(time_class_state((enum time_class)k));
	}
	return st;
}

static enum style node_colour(const struct flame_state *v, const struct session *session, int part, uint32_t node)
{
	if (flame_colouring(v) == FC_STATE)
		return state_colour(v, session, part, node);
	const struct flame *f = v->f[part];
	const struct symbol *t = flame_symbol_at(v, part, node);
	struct str_row s = weighted_symbol(v->t.c, flame_symbol_of(f, node));
	if (flame_colouring(v) == FC_SELF) {
		double own = profile_ratio(flame_own(f, node).w, flame_sum(f, 0).w);
		return own >= .05 ? ST_MORE2 : own >= .01 ? ST_MORE1 : ST_SAME;
	}
	if (flame_colouring(v) == FC_DIFF)
		return change_style(v, part, node);
	switch (t->kind) {
	case PKG_OWN: return ST_MAINPKG;
	case PKG_STD: return ST_STDLIB;
	case PKG_RUNTIME: return ST_RUNTIME;
	case PKG_TAG: return ST_ACCENT;
	case PKG_OTHER: break;
	}
	size_t n = granularity_package(s.s, s.n);
	return (enum style)(ST_HUE0 + intern_hash_bytes(s.s, n, 7) % 12);
}

/* Return which symbols match the search, NULL without one: the cached matches, or new ones in the scratch arena. */
static const uint8_t *flame_hit(const struct flame_state *v, const struct pane_env *env)
{
	if (!env->find.rx || !v->t.c)
		return NULL;
	if (list_hits_are_current(&v->hit, NULL, env->find.rx))
		return v->hit.at;
	uint8_t *hit = arena_zalloc(env->scratch, v->t.c->nsymbol);
	profile_match_names(v->t.c, env->find.rx, hit);
	return hit;
}

struct flame_drawing {
	const struct flame_state *v;
	const struct pane_env *env;
	struct grid *g;
	int part;
	int64_t depth0;		/* depth of row 0 */
	const uint8_t *hit;	/* by symbol, or NULL */
	int64_t lowest;		/* the lowest line used */
};

/* Return a label for the topmost frame that exists on one side only. */
static const char *one_sided(const struct flame_drawing *d, uint32_t node)
{
	const struct flame *f = d->v->f[d->part];
	if (!f->c->two || d->v->conf.reverse || d->part == UP)
		return "";
	struct weighted_sum own = flame_sum(f, node), above = flame_sum(f, f->open->at[node].up);
	struct pair p = profile_side_values(d->v->t.c, own.w, own.o),
		    up = profile_side_values(d->v->t.c, above.w, above.o);
	return !p.b && p.a && up.b ? "new " : !p.a && p.b && up.a ? "gone " : "";
}

/* Draw the share of a frame at the right end of its bar, if there is room for it after the name. A difference has none:
   it would be of what is shown in colour. */
static void draw_share(const struct flame_drawing *d, int at, int w, uint32_t node, enum style fg, int attr)
{
	enum { ROOM = 6 };
	const struct flame *f = d->v->f[d->part];
	struct buf b = {0};
	if (w - at < ROOM || flame_signed(d->v))
		return;
	int64_t of = profile_base_value(d->env, d->v->t.c, BASE_ALL, flame_sum(f, f->open->at[node].up).w);
	double share = 100 * profile_ratio(flame_sum(f, node).w, of);
	buf_printf(&b, share >= .995 ? "%.0f%%" : "%.1f%%", share);
	grid_right(d->g, 0, w, fg, attr & ~AT_BOLD, buf_str(&b));
	buf_free(&b);
}

static void draw_label(
    const struct flame_drawing *d, int y, int x, int w, uint32_t node, enum style fg, int attr)
{
	uint32_t symbol = flame_symbol_of(d->v->f[d->part], node);
	const struct weighted_tree *c = d->v->t.c;
	const struct symbol *t = &c->symbol[symbol];
	struct str_row s = weighted_symbol(c, symbol);
	struct buf b = {0}, full = {0};
	const char *side = w > 8 ? one_sided(d, node) : "";
	if (w < 1)
		return;
	int room = w;
	char rows[16] = "";
	if (d->v->f[d->part]->open->at[node].rows > 1)
		snprintf(rows, sizeof rows, d->env->ascii ? " x%u" : " \u21ba%u", d->v->f[d->part]->open->at[node].rows);
	int tail = (int)text_width(rows, strlen(rows));
	tail = w > tail + 3 ? tail : 0;
	w -= (int)strlen(side) + tail;
	if (w < 3) { /* a part of two letters is useless: write the whole name or nothing */
		size_t at = text_symbol_tail(s.s, s.n);
		if (text_width(s.s + at, s.n - at) <= (size_t)(w > 0 ? w : 0))
			text_safe(&b, s.s + at, s.n - at);
	} else if (t->name && t->line) { /* for a line, decode.go:12 is more useful than half a name */
		weighted_position(c, symbol, &full);
		buf_putc(&full, ' ');
		text_safe(&full, s.s, s.n);
		text_fit(&b, full.p, full.n, (size_t)w, d->env->ascii);
	} else if (!t->name && !t->file && t->map) { /* a mapping: libstdc++.so.6.0.30 is recognised by its start */
		size_t n = s.n;
		const char *base = text_width(s.s, s.n) > (size_t)w ? path_base(s.s, s.n, &n) : s.s;
		text_fit(&b, base, n, (size_t)w, d->env->ascii);
	} else if (c->gran == GR_FILES) {
		text_fit_middle(&b, s.s, s.n, (size_t)w, d->env->ascii);
	} else {
		text_fit_symbol(&b, s.s, s.n, (size_t)w, d->env->ascii);
	}
	struct rect old = grid_clip(d->g, (struct rect){y, x, 1, room});
	int at = grid_text(d->g, 0, 0, fg, attr | AT_BOLD, side);
	at = grid_textn(d->g, 0, at, fg, attr, b.p, b.n);
	at = tail ? grid_text(d->g, 0, at, fg, attr, rows) : at;
	draw_share(d, at, room, node, fg, attr);
	grid_unclip(d->g, old);
	buf_free(&b);
	buf_free(&full);
}

/* Return the edge of a frame: another one if it was inlined; for a difference without colour, the direction of the
   change. */
static uint32_t edge_mark(const struct flame_drawing *d, uint32_t node, bool selected)
{
	bool ascii = d->env->ascii;
	if (selected)
		return ascii ? '>' : 0x25b8;
	if (d->env->mono && flame_colouring(d->v) == FC_DIFF) {
		double c = flame_change(d->v, d->part, node);
		return c > .05 ? '+' : c < -.05 ? '-' : '=';
	}
	if (flame_inlined(d->v->f[d->part], node))
		return ascii ? '/' : 0x254e;
	return ascii ? '|' : 0x258f;
}

static void draw_frame(
    const struct flame_drawing *d, int y, int x0, int x1, uint32_t node, bool selected, bool faint)
{
	const struct flame_state *v = d->v;
	const struct flame *f = v->f[d->part];
	uint32_t symbol = flame_symbol_of(f, node);
	const struct symbol *t = &v->t.c->symbol[symbol];
	bool mono = d->env->mono, hit = d->hit && d->hit[symbol];
	enum style bg = mono ? ST_NORMAL : node_colour(v, d->env->s, d->part, node), fg = mono ? ST_NORMAL : ST_LABEL;
	int attr = faint ? AT_DIM : 0;
	if (d->hit && !hit)
		attr |= AT_DIM;
	if (hit)
		bg = mono ? bg : ST_HIT, fg = mono ? ST_HIT : fg, attr |= AT_BOLD;
	if (selected)
		grid_focus(d->g, y, x0);
	if (selected)
		bg = mono ? bg : ST_ACCENT, attr = AT_BOLD | (mono ? AT_REVERSE : 0);
	int tone = t->rank % 2 && !mono ? AT_TONE : 0;
	grid_fill(d->g, (struct rect){y, x0, 1, x1 - x0}, ' ', bg, attr | tone);
	if (x1 - x0 > 1 || mono || d->env->ascii || selected)
		grid_put(d->g, y, x0, edge_mark(d, node, selected), fg, bg, attr | tone);
	draw_label(d, y, x0 + 1, x1 - x0 - 1, node, fg, attr);
}

static void draw_sliver(const struct flame_drawing *d, int y, int x, double part, bool selected)
{
	int k = (int)(part * 8 + 0.5);
	k = k < 1 ? 1 : k > 8 ? 8 : k;
	uint32_t ch = d->env->ascii ? (k < 4 ? '.' : ':') : 0x2590 - (uint32_t)k;
	if (selected)
		grid_focus(d->g, y, x);
	if (selected)
		ch = d->env->ascii ? '>' : 0x25b8;
	grid_put(
	    d->g, y, x, ch, selected ? ST_ACCENT : ST_SLIVER, ST_NORMAL, selected ? AT_BOLD : 0);
}

static void draw_span(void *arg, const struct flame_span *s)
{
	struct flame_drawing *d = arg;
	const struct flame_state *v = d->v;
	int64_t y = line_of(v, d->part, d->depth0 + s->row, d->g->h);
	if (y < 0 || y >= d->g->h)
		return;
	bool selected = v->part == d->part && v->sel == s->place;
	if (s->sliver > 0)
		draw_sliver(d, (int)y, s->x0, s->sliver, selected);
	else
		draw_frame(d, (int)y, s->x0, s->x1, s->place, selected, false);
	if (y > d->lowest)
		d->lowest = y;
}

/* Draw the ancestors of a zoomed frame, each over the full width. */
static void draw_ancestors(struct flame_drawing *d)
{
	const struct flame_state *v = d->v;
	const struct flame *f = v->f[d->part];
	for (uint32_t i = v->zoom[d->part]; i && (i = f->open->at[i].up);) {
		int64_t y = flame_line(v, d->part, i, d->g->h);
		if (y >= 0 && y < d->g->h && !(d->part == UP && f->open->at[i].up == 0))
			draw_frame(d, (int)y, 0, d->g->w, i, v->part == d->part && v->sel == i, true);
	}
}

/* Mark the cell of a selected frame that is narrower than a cell. */
static void draw_selection(struct flame_drawing *d)
{
	const struct flame_state *v = d->v;
	struct flame_viewport l;
	int64_t depth0;
	int x0, x1;
	if (!v->sel || !flame_window(v, v->part, d->g->h, d->g->w, &l, &depth0))
		return;
	const struct flame *f = v->f[v->part];
	uint32_t z = v->zoom[v->part];
	int64_t y = flame_line(v, v->part, v->sel, d->g->h);
	if (y < 0 || y >= d->g->h || !flame_below(f, v->sel, z))
		return;
	d->part = v->part;
	if (!flame_cells(f, &l, v->sel, &x0, &x1))
		draw_sliver(d, (int)y, x0, 1, true);
}

/* ---- the list below the graph */

static void put_list(const struct flame_state *v, const struct pane_env *env, struct grid *g, int y,
    const struct link *l, uint32_t n, int64_t of)
{
	for (uint32_t i = 0; i < n && y < g->h; i++, y++) {
		profile_draw_change(env, v->t.c, g, y, 10, l[i].value, 0);
		profile_draw_percent(g, y, 18, l[i].value, of);
		profile_draw_name(env, v->t.c, g, y, 20, g->w - 20, l[i].symbol, "");
	}
}

static int cmp_hit(const void *ctx, uint32_t a, uint32_t b)
{
	const struct weighted_tree *c = ctx;
	const struct symbol_weight *x = &c->weight[a], *y = &c->weight[b];
	uint64_t p = wrap_size(x->cum), q = wrap_size(y->cum);
	if (p != q)
		return p > q ? -1 : 1;
	return x->first < y->first ? -1 : 1;	/* callers first */
}

/* Draw the matches of a search, heaviest first; without one, the callers and callees of the selection. */
static void draw_list_below(const struct flame_state *v, const struct pane_env *env, struct grid *g, int y,
    const uint8_t *hit)
{
	const struct weighted_tree *c = v->t.c;
	struct link *l;
	uint32_t n = 0;
	if (g->h - y < 6 || v->flip || v->f[UP])
		return;
	if (hit) {
		uint32_t *id = arena_alloc(env->scratch, c->nsymbol * sizeof *id), fit = (uint32_t)(g->h - y - 1);
		for (uint32_t i = 1; i < c->nsymbol; i++)
			if (hit[i] && c->weight[i].nnode)
				id[n++] = i;
		n = calltree_select_u32(id, n, fit, cmp_hit, c);
		grid_printf(g, y++, 0, ST_HEAD, 0,
		    "matches of /%s, heaviest first (n next, N previous)",
		    env->find.text);
		l = arena_alloc(env->scratch, (n + 1) * sizeof *l);
		for (uint32_t i = 0; i < n; i++)
			l[i] = (struct link){.symbol = id[i], .value = c->weight[id[i]].cum};
		put_list(v, env, g, y, l, n, c->all);
		return;
	}
	if (!v->sel)
		return;
	uint32_t symbol = flame_symbol_of(v->f[DOWN], v->sel), most;
	int half = (g->w - 2) / 2;
	n = calltree_callers(c, symbol, env->scratch, &l);
	struct rect old = grid_clip(g, (struct rect){y, 0, g->h - y, half});
	grid_printf(
	    g, 0, 0, ST_HEAD, 0, "%u caller%s of the selected function", n, text_s(n));
	put_list(v, env, g, 1, l, n, c->weight[symbol].cum);
	grid_unclip(g, old);
	most = n;
	n = calltree_callees(c, symbol, env->scratch, &l);
	most = n > most ? n : most;
	old = grid_clip(g, (struct rect){y, half + 2, g->h - y, g->w - half - 2});
	grid_printf(g, 0, 0, ST_HEAD, 0, "%u callee%s", n, text_s(n));
	put_list(v, env, g, 1, l, n, c->weight[symbol].cum);
	grid_unclip(g, old);
	if (most < (uint32_t)(g->h - y))
		flame_draw_totals(v, env, g, y + (int)most + 2);
}

void flame_draw(const struct flame_state *v, const struct pane_env *env, struct grid *g)
{
	struct flame_drawing d = {v, env, g, DOWN, 0, flame_hit(v, env), 0};
	for (int part = DOWN; part < PARTS; part++) {
		struct flame_viewport l;
		d.part = part;
		if (!flame_window(v, part, g->h, g->w, &l, &d.depth0))
			continue;
		draw_ancestors(&d);
		flame_each(v->f[part], &l, draw_span, &d);
	}
	draw_selection(&d);
	flame_draw_edges(v, env, g);
	draw_list_below(v, env, g, (int)d.lowest + 3, d.hit);
}

struct finder {
	const struct flame_state *v;
	int part, y, x, h;
	int64_t depth0;
	uint32_t place;
};

static void finder_span(void *arg, const struct flame_span *s)
{
	struct finder *f = arg;
	if (line_of(f->v, f->part, f->depth0 + s->row, f->h) == f->y && s->x0 <= f->x &&
	    f->x < s->x1)
		f->place = s->place;
}

bool flame_at(
    const struct flame_state *v, const struct pane_env *env, int y, int x, int *part, uint32_t *place)
{
	for (*part = DOWN; *part < PARTS; ++*part) {
		struct finder f = {v, *part, y, x, env->rows, 0, 0};
		struct flame_viewport l;
		if (!flame_window(v, *part, env->rows, env->cols, &l, &f.depth0))
			continue;
		flame_each(v->f[*part], &l, finder_span, &f);
		for (uint32_t i = v->zoom[*part]; i && !f.place; i = v->f[*part]->open->at[i].up)
			if (flame_line(v, *part, i, env->rows) == y)
				f.place = i;
		if ((*place = f.place))
			return true;
	}
	return false;
}
