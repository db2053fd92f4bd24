/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The waterfall of a critical path: a row for each goroutine on it, an axis of time above, and on each row what the
 * goroutine did while the operation waited for it. Where a row of the operation's own goroutine is a low line, it waited
 * for the rows below.
 *
 * The rows are made with the path; here they are only folded into the lines that there are. The selected bar is found
 * from the selected line of the table, unless Tab has chosen one: so both always tell the same.
 */
#include "config.h"
#include "why/waterfall.h"

#include "base/text/text.h"
#include "term/style.h"
#include "trace/bins.h"
#include "tracepane/tracepane.h"
#include "widget/strip.h"

#include <inttypes.h>

struct drawn_row { const struct critical_waterfall *w; const struct critical_row *r; const struct critical_bar *bar; };

static struct strip_part part_of(const void *arg, uint32_t i)
{
	const struct drawn_row *d = arg;
	const struct critical_part *v = &d->w->part[d->r->part + i];
	bool chosen = d->bar && !v->led && v->t0 == d->bar->part.t0 && v->t1 == d->bar->part.t1;
	return (struct strip_part){v->t0, v->t1, time_class_state(v->cls),
	    chosen ? STRIP_CHOSEN : v->led ? STRIP_THIN : STRIP_FULL};
}

/* What a goroutine is to the operation: the holder of a lock, or a goroutine of a function. */
static void put_role(const struct waterfall_view *v, const struct critical_row *r, int cells, struct buf *b)
{
	const struct store *st = v->sn->st;
	const struct trk_row *t = store_trk(st, r->g);
	buf_puts(b, r->wait == TIME_CLASS__N ? "" : "  ");
	if (!r->g) {
		buf_puts(b, "unknown");
		return;
	}
	tracepane_put_id(st, r->g, b);
	buf_putc(b, ' ');
	size_t room = cells > (int)b->n ? (size_t)cells - b->n : 0;
	const struct str_row *name = store_str(st, store_origin(st, t)->name);
	if (r->wait == TIME_CLASS__N)
		tracepane_put_kind_name(v->name.s, v->name.n, room, b);
	else if (r->wait == TIME_LOCK)
		buf_puts(b, "has lock");
	else if (room)
		text_fit_name(b, name->s, name->n, room, v->env->ascii);
}

/* Append "main.call kit.go:233", of which the name is shortened to leave the line, or only the line, or nothing. */
static void put_place(const struct waterfall_view *v, stk_id at, int cells, struct buf *b)
{
	struct buf raw = {0}, safe = {0};
	critical_put_place(&raw, v->sn->st, at);
	text_safe(&safe, raw.p, raw.n);
	const char *line = safe.n ? text_last(safe.p, ' ', safe.n) : NULL;
	size_t name = line ? (size_t)(line - safe.p) : safe.n, rest = safe.n - name;
	if (cells > (int)rest + 3) {
		text_fit_symbol(b, safe.p, name, (size_t)cells - rest, v->env->ascii);
		buf_put(b, safe.p + name, rest);
	} else if (rest && cells >= (int)rest - 1) {
		buf_put(b, line + 1, rest - 1);
	}
	buf_free(&raw);
	buf_free(&safe);
}

static void draw_label(const struct waterfall_view *v, struct grid *g, int y, int w, const struct critical_row *r, bool chosen)
{
	struct buf b = {0};
	put_role(v, r, w - 2, &b);
	struct rect old = grid_clip(g, (struct rect){y, 1, 1, w - 1});
	int x = grid_textn(g, 0, 0, ST_NORMAL, chosen ? AT_BOLD : 0, b.p, b.n);
	const struct critical_line *l = critical_lines_at(v->lines, r->line);
	if (r->wait != TIME_CLASS__N && w >= 30 && l->at) {
		buf_reset(&b);
		put_place(v, l->at, w - 3 - x, &b);
		grid_textn(g, 0, x + 1, ST_DIM, 0, b.p, b.n);
	}
	grid_unclip(g, old);
	buf_free(&b);
}

/* Draw the times at a quarter each, those that fit. */
static void draw_axis(const struct waterfall_view *v, struct grid *g, int y, int x, int w)
{
	int parts = w >= 40 ? 4 : 2;
	struct buf b = {0};
	for (int i = 0; i <= parts; i++) {
		buf_reset(&b);
		text_ns(&b, (v->w->t1 - v->w->t0) / parts * i);
		if (i == parts)
			grid_right(g, y, x + w, ST_DIM, 0, buf_str(&b));
		else
			grid_text(g, y, x + w * i / parts, ST_DIM, 0, buf_str(&b));
	}
	buf_free(&b);
}

/* Draw "9 alike", with their time together. */
static void draw_folded(const struct waterfall_view *v, struct grid *g, int y, const struct critical_fold *f)
{
	uint64_t n = 0;
	int64_t ns = 0;
	for (uint32_t i = f->row; i < f->row + f->n; i++) {
		n += v->w->row[i].n;
		ns += v->w->row[i].ns;
	}
	struct buf b = {0};
	buf_puts(&b, v->env->ascii ? ": " : "⋮ ");
	text_count(&b, (int64_t)n);
	buf_puts(&b, f->alike ? " alike" : " others");
	grid_text(g, y, 1, ST_DIM, 0, buf_str(&b));
	tracepane_draw_ns(g, y, g->w - 1, ns, 0);
	buf_free(&b);
}

static int label_width(int w)
{
	int label = w / 4;
	return label < 15 ? 15 : label > 44 ? 44 : label;
}

static void draw_row(const struct waterfall_view *v, struct grid *g, int y, uint32_t row)
{
	const struct critical_row *r = &v->w->row[row];
	const struct critical_bar *bar = v->bar != UINT32_MAX && v->w->bar[v->bar].row == row ? &v->w->bar[v->bar] : NULL;
	struct drawn_row d = {v->w, r, bar};
	int label = label_width(g->w);
	if (bar)
		grid_text(g, y, 0, ST_KEY, 0, ">");
	draw_label(v, g, y, label, r, bar);
	strip_draw(g, y, label, g->w - label - 9, v->w->t0, v->w->t1, part_of, &d, r->nparts);
	tracepane_draw_ns(g, y, g->w - 1, r->ns, 0);
}

/* Draw what the classes of the path look like, the longest first. */
static void draw_legend(const struct waterfall_view *v, struct grid *g, int y, int x)
{
	const int64_t *ns = critical_lines_classes(v->lines);
	bool done[TIME_CLASS__N] = {false};
	for (;;) {
		int best = -1;
		for (int c = 0; c < TIME_CLASS__N; c++)
			if (!done[c] && (ns[c] > 0 || v->w->led[c]) && (best < 0 || ns[c] > ns[best]))
				best = c;
		if (best < 0 || x + 3 + (int)strlen(time_class_name((enum time_class)best)) > g->w)
			return;
		done[best] = true;
		strip_cell(g, y, x, time_class_state((enum time_class)best), STRIP_FULL);
		x = grid_text(g, y, x + 2, ST_DIM, 0, time_class_name((enum time_class)best)) + 3;
	}
}

void why_put_target(const struct why_walk *w, struct buf *b)
{
	const struct critical_target *t = &w->target;
	const struct store *store = w->of->sn->st;
	struct trace_interval v;
	if (t->operation != OPERATION_NONE) {
		tracepane_put_kind_name(t->kind.s, t->kind.n, 40, b);
		buf_printf(b, " #%" PRIu64, t->id);
	} else if (trace_interval_at(w->of->sn, t->g, t->t0, &v) && v.t0 == t->t0 && v.t1 == t->t1) {
		buf_printf(b, "%s of ", tracepane_state_waits(v.state) ? "wait" : style_state_name(v.state));
		tracepane_put_id(store, t->g, b);
		if (v.stack) {
			buf_puts(b, " at ");
			tracepane_put_site(store, v.stack, b);
		}
	} else {
		buf_puts(b, "time of ");
		tracepane_put_track(store, t->g, b);
	}
}

void waterfall_draw(const struct waterfall_view *v, struct grid *g, int y, int h)
{
	struct critical_fold fold[CRITICAL_ROWS];
	int label = label_width(g->w), rows = h - 1;
	if (rows < 1 || g->w < label + 20)
		return;
	bool legend = rows > (int)v->w->nrows;
	rows -= legend;
	uint32_t keep = v->bar == UINT32_MAX || !v->keep ? UINT32_MAX : v->w->bar[v->bar].row;
	uint32_t n = critical_waterfall_fold(v->w, keep, rows < CRITICAL_ROWS ? (uint32_t)rows : CRITICAL_ROWS, fold);
	draw_axis(v, g, y, label, g->w - label - 9);
	for (uint32_t i = 0; i < n; i++)
		if (fold[i].n == 1 && v->w->row[fold[i].row].n == 1)
			draw_row(v, g, y + 1 + (int)i, fold[i].row);
		else
			draw_folded(v, g, y + 1 + (int)i, &fold[i]);
	if (legend)
		draw_legend(v, g, y + 1 + (int)n, label);
}

int waterfall_lines(const struct critical_waterfall *w, int most)
{
	int n = w->nrows < 1000 ? (int)w->nrows : 1000;
	return most < 2 || (most < 4 && most < 1 + n) ? 0 : 2 + n < most ? 2 + n : most;
}

uint32_t waterfall_bar_of(const struct critical_waterfall *w, trk_id g, int64_t t0, int64_t t1)
{
	for (uint32_t i = 0; i < w->nbars; i++) {
		const struct critical_bar *b = &w->bar[i];
		if (b->g == g && b->part.t0 <= t0 && b->part.t1 >= t1)
			return i;
	}
	return UINT32_MAX;
}
