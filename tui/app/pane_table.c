/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tables: an array of item numbers, one for each row.
 *
 * Sorting and filtering only change that array; items belong to the pane and are never moved. The selection is kept by
 * the id of the item, which is noted after each command and not when items are replaced, because then they are gone
 * already. Items with equal values stay in the order of the pane, so each order is total and the same after an update.
 *
 * The histogram counts what the rows would be without the limit, so that another range can be selected.
 */
#include "config.h"
#include "app/pane_table.h"

#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "calltree/weighted.h"

#include <string.h>

void pane_table_open(struct pane_table *t, const struct pane_table_kind *kind)
{
	t->kind = kind;
	t->sort = kind->sort;
	t->sel = -1;
}

void pane_table_free(struct pane_table *t)
{
	mem_free(t->item);
	list_hits_free(&t->hits);
}

static int64_t id_of(const struct pane_table *t, const void *st, uint32_t row)
{
	return t->kind->id ? t->kind->id(st, t->item[row]) : t->item[row];
}

void pane_table_note_selection(struct pane_table *t, const void *st)
{
	if (t->rows.n)
		t->sel = id_of(t, st, t->rows.sel);
}

uint32_t pane_table_selected(const struct pane_table *t)
{
	return t->rows.n ? t->item[t->rows.sel] : UINT32_MAX;
}

void pane_table_select_row(struct pane_table *t, const void *st, uint32_t row)
{
	list_select(&t->rows, row);
	pane_table_note_selection(t, st);
}

bool pane_table_select(struct pane_table *t, const void *st, int64_t id)
{
	for (uint32_t i = 0; i < t->rows.n; i++)
		if (id_of(t, st, i) == id) {
			pane_table_select_row(t, st, i);
			return true;
		}
	return false;
}

/* ---- order */

struct pane_table_order { const struct pane_table *t; const void *st; const struct pane_env *env; int sign; };

static int sign_of(const struct pane_table *t)
{
	return t->kind->cols[t->sort].up != t->invert ? 1 : -1;
}

static int cmp_items(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pane_table_order *o = ctx;
	int c = o->t->kind->compare(o->st, o->env, o->t->sort, o->sign, a, b);
	return c ? c : (a > b) - (a < b);
}

static void sort_items(struct pane_table *t, const void *st, const struct pane_env *env, uint32_t n)
{
	calltree_sort_u32(t->item, n, cmp_items, &(struct pane_table_order){t, st, env, sign_of(t)});
	list_set_count(&t->rows, n);
}

/* Store the items that the kind and `&` leave; return how many. */
static uint32_t choose_items(const struct pane_table *t, const void *st, const struct pane_env *env)
{
	const struct pane_table_kind *k = t->kind;
	struct buf b = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (k->shown && !k->shown(st, env, i))
			continue;
		buf_reset(&b);
		if (env->grep.rx)
			k->text(st, env, i, &b);
		if (!env->grep.rx || regex_match(env->grep.rx, buf_str(&b), b.n))
			t->item[n++] = i;
	}
	buf_free(&b);
	return n;
}

/* Count the durations of n items. */
static void count_durations(struct pane_table *t, const void *st, uint32_t n)
{
	struct bars bars;
	histogram_bars_init(&bars);
	for (uint32_t i = 0; i < n; i++) {
		int64_t ns = t->kind->duration(st, t->item[i]);
		if (ns >= 0)
			histogram_bars_add(&bars, ns);
	}
	histogram_bars_trim(&bars);
	brush_set_bars(&t->brush, &bars);
}

static uint32_t limit_items(const struct pane_table *t, const void *st, uint32_t n)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; i < n; i++)
		if (brush_has(&t->brush, t->kind->duration(st, t->item[i])))
			t->item[rows++] = t->item[i];
	return rows;
}

void pane_table_fill(struct pane_table *t, const void *st, const struct pane_env *env, uint32_t n)
{
	t->n = n;
	t->item = mem_grow(t->item, &t->cap, (size_t)n + 1, sizeof *t->item);
	uint32_t rows = choose_items(t, st, env);
	if (t->kind->duration)
		count_durations(t, st, rows);
	sort_items(t, st, env, t->kind->duration ? limit_items(t, st, rows) : rows);
	pane_table_select(t, st, t->sel);
}

/* Return the column of a choice. */
static int column_of(const struct pane_table *t, int choice)
{
	int col = 0;
	while (!t->kind->cols[col].c.word || choice-- > 0)
		col++;
	return col;
}

void pane_table_sort(struct pane_table *t, const void *st, const struct pane_env *env, int by)
{
	t->sort = by < 0 ? t->sort : column_of(t, by);
	t->invert = by < 0 && !t->invert;
	sort_items(t, st, env, t->rows.n);
	if (by < 0)
		pane_table_select(t, st, t->sel);
	else
		pane_table_select_row(t, st, 0);
}

int pane_table_choices(const struct pane_table *t, struct choice *out)
{
	int n = 0;
	for (int i = 0; i < t->kind->ncol; i++) {
		const struct pane_table_column *c = &t->kind->cols[i];
		if (c->c.word)
			pane_set_choice(&out[n++], c->c.word, c->what, i == t->sort);
	}
	return n;
}

/* ---- the histogram */

enum brush_verdict pane_table_brush(struct pane_table *t, const void *st, const struct pane_env *env, const struct act *a)
{
	if (!t->kind->duration)
		return BRUSH_PASS;
	enum brush_verdict v = brush_command(&t->brush, a);
	if (v == BRUSH_LIMIT)
		pane_table_fill(t, st, env, t->n);
	return v;
}

void pane_table_put_limit(const struct pane_table *t, struct buf *b)
{
	if (!t->brush.limits)
		return;
	brush_put_limit(&t->brush, b);
	buf_puts(b, ": ");
	text_count(b, t->rows.n);
	buf_puts(b, " of ");
	text_count(b, (int64_t)t->brush.bars.all);
}

/* ---- the view */

void pane_table_save_limit(const struct pane_table *t, struct view *v)
{
	if (!t->brush.limits)
		return;
	view_put_zoom_time(v, "min", t->brush.lo);
	view_put_zoom_time(v, "max", t->brush.hi);
}

void pane_table_save(const struct pane_table *t, struct view *v)
{
	view_put_cursor(v, "row", t->rows.n ? t->sel : 0);
	view_put_cursor(v, "sort", t->sort);
	view_put_cursor(v, "invert", t->invert);
}

void pane_table_load(struct pane_table *t, const void *st, const struct pane_env *env, const struct view *v)
{
	int64_t sort = view_get(v, "sort"), lo = view_get_time(v, "min"), hi = view_get_time(v, "max");
	bool sorts = sort >= 0 && sort < t->kind->ncol && t->kind->cols[sort].c.word;
	t->sort = sorts ? (int)sort : t->kind->sort;
	t->invert = view_get(v, "invert") != 0;
	t->brush.limits = false;
	if (t->kind->duration && lo >= 0 && hi >= lo)
		brush_limit(&t->brush, lo, hi);
	pane_table_fill(t, st, env, t->n);
	pane_table_select(t, st, view_get(v, "row"));
}

const char *pane_table_sort_option(const struct pane_table *t, struct arena *a)
{
	if (t->sort == t->kind->sort && !t->invert)
		return NULL;
	return arena_printf(a, "-sort=%s%s", t->invert ? "-" : "", t->kind->cols[t->sort].c.word);
}

/* ---- drawing */

struct pane_table_drawing {
	const struct pane_table *t;
	const void *st;
	const struct pane_env *env;
	int x[PANE_TABLE_COLS], w[PANE_TABLE_COLS];
};

static void draw_row(const void *arg, struct grid *g, int y, uint32_t row)
{
	const struct pane_table_drawing *d = arg;
	for (int k = 0; k < d->t->kind->ncol; k++) {
		if (d->x[k] < 0)
			continue;
		struct rect old = grid_clip(g, (struct rect){y, d->x[k], 1, d->w[k]});
		d->t->kind->cell(d->st, d->env, g, d->w[k], d->t->item[row], k);
		grid_unclip(g, old);
	}
}

void pane_table_draw(
    const struct pane_table *t, const void *st, const struct pane_env *env, struct grid *g, int y, int h, bool unfocused)
{
	struct pane_table_drawing d = {.t = t, .st = st, .env = env};
	struct list_column c[PANE_TABLE_COLS];
	int bars = brush_lines(&t->brush, h);
	h -= bars;
	bool bar = t->rows.n > (uint32_t)h;
	int n = t->kind->ncol;
	for (int i = 0; i < n; i++)
		c[i] = t->kind->cols[i].c;
	c[t->sort].sort = (int8_t)sign_of(t);
	list_layout_columns(c, n, env->choose - 1 - bar, g->w - 1 - bar, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){y, 1, 1, g->w - 1});
	list_draw_header(g, 0, c, n, d.x, d.w);
	grid_unclip(g, old);
	old = grid_clip(g, (struct rect){y + 1, 0, h, g->w});
	list_draw_rows(&t->rows, g, draw_row, &d,
	    &(struct list_options){unfocused || t->brush.bars.on, list_hits_marks(&t->hits, &t->rows, env->find.rx)});
	grid_unclip(g, old);
	if (bars)
		brush_draw(&t->brush, g, y + 1 + h, bars);
}

struct list_part pane_table_part(struct pane_table *t, int y, int h)
{
	return (struct list_part){&t->rows, &t->hits, t, y + 1, h - brush_lines(&t->brush, h)};
}
