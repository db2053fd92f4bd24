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
 *
 * Rows are made from a copy of the order and the limit, on a worker if the kind has keys and there are many items; the
 * array of the rows that are shown is replaced when the new one is complete.
 */
#include "config.h"
#include "app/pane_table.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
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
	async_stop(&t->order);
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

/* ---- rows */

/* Return -1 if the sort column is in descending order. */
static int sign_of(const struct pane_table *t)
{
	return t->kind->cols[t->sort].up != t->invert ? 1 : -1;
}

/* Store the items that the kind and `&` leave; return how many. */
static uint32_t choose_items(const struct pane_table *t, const void *st, const struct pane_env *env, uint32_t *item)
{
	const struct pane_table_kind *k = t->kind;
	const struct regex *grep = k->all ? NULL : env->grep.rx;
	struct buf b = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (k->shown && !k->shown(st, env, i))
			continue;
		buf_reset(&b);
		if (grep)
			k->text(st, env, i, &b);
		if (!grep || regex_match(grep, buf_str(&b), b.n))
			item[n++] = i;
	}
	buf_free(&b);
	return n;
}

/* The rows of a table that are being made; a worker gets a copy of what they depend on. */
struct pane_table_rows {
	const struct pane_table_kind *kind;
	const void *st;
	int sort, sign;
	struct brush limit;
	uint32_t *item, n;
	struct bars bars;	/* of all items; then those outside of the limit are left out */
};

static void count_durations(struct pane_table_rows *r)
{
	histogram_bars_init(&r->bars);
	for (uint32_t i = 0; i < r->n; i++) {
		int64_t ns = r->kind->duration(r->st, r->item[i]);
		if (ns >= 0)
			histogram_bars_add(&r->bars, ns);
	}
	histogram_bars_trim(&r->bars);
}

static void limit_items(struct pane_table_rows *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++)
		if (brush_has(&r->limit, r->kind->duration(r->st, r->item[i])))
			r->item[n++] = r->item[i];
	r->n = n;
}

static void sort_by_key(struct pane_table_rows *r)
{
	struct radix_array v;
	radix_array_alloc(&v, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t key = r->kind->key(r->st, r->sort, r->item[i]);
		radix_array_add(&v, r->sign < 0 ? ~key : key, r->item[i]);
	}
	radix_sort_items(v.v, v.n);
	for (uint32_t i = 0; i < r->n; i++)
		r->item[i] = v.v[i].v;
	radix_array_free(&v);
}

struct pane_table_comparison { const struct pane_table_rows *r; const struct pane_env *env; };

static int cmp_items(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pane_table_comparison *o = ctx;
	int c = o->r->kind->compare(o->r->st, o->env, o->r->sort, o->r->sign, a, b);
	return c ? c : (a > b) - (a < b);
}

/* Limit and sort the items. env NULL: they have keys. */
static void order_items(struct pane_table_rows *r, const struct pane_env *env)
{
	if (r->kind->duration) {
		count_durations(r);
		limit_items(r);
	}
	if (r->kind->key)
		sort_by_key(r);
	else
		calltree_sort_u32(r->item, r->n, cmp_items, &(struct pane_table_comparison){r, env});
}

static void order_on_worker(void *work, struct job *j)
{
	(void)j;
	order_items(work, NULL);
}

static void free_rows(void *work)
{
	struct pane_table_rows *r = work;
	mem_free(r->item);
	mem_free(r);
}

static const struct async_kind order_kind = {order_on_worker, free_rows};

/* Show the rows, and free them. */
static void show_rows(struct pane_table *t, const void *st, struct pane_table_rows *r)
{
	mem_free(t->item);
	t->item = r->item;
	r->item = NULL;
	brush_set_bars(&t->brush, &r->bars);
	list_set_count(&t->rows, r->n);
	if (t->sel != -1)
		pane_table_select(t, st, t->sel);
	free_rows(r);
}

/* Make the rows, now or on a worker. */
static void make_rows(struct pane_table *t, const void *st, const struct pane_env *env)
{
	struct pane_table_rows *r = xcalloc(1, sizeof *r);
	*r = (struct pane_table_rows){.kind = t->kind, .st = st, .sort = t->sort, .sign = sign_of(t), .limit = t->brush};
	r->item = xmalloc(((size_t)t->n + 1) * sizeof *r->item);
	r->n = choose_items(t, st, env, r->item);
	if (t->kind->key)
		r = async_start(&t->order, &order_kind, r, t->n);
	else
		order_items(r, env);
	if (r)
		show_rows(t, st, r);
}

void pane_table_fill(struct pane_table *t, const void *st, const struct pane_env *env, uint32_t n)
{
	t->n = n;
	if (t->kind->key && async_is_long(n))
		list_set_count(&t->rows, 0);
	make_rows(t, st, env);
}

void pane_table_take(struct pane_table *t, const void *st)
{
	struct pane_table_rows *r = async_finish(&t->order);
	if (r)
		show_rows(t, st, r);
}

void pane_table_stop(struct pane_table *t)
{
	async_stop(&t->order);
}

/* Return the column of a choice. */
static int column_of(const struct pane_table *t, int choice)
{
	int col = 0;
	while (!t->kind->cols[col].word || choice-- > 0)
		col++;
	return col;
}

void pane_table_sort(struct pane_table *t, const void *st, const struct pane_env *env, int by)
{
	t->sort = by < 0 ? t->sort : column_of(t, by);
	t->invert = by < 0 && !t->invert;
	t->sel = by < 0 ? t->sel : -1;
	list_select(&t->rows, by < 0 ? t->rows.sel : 0);
	make_rows(t, st, env);
	if (by >= 0 && !async_job(&t->order))
		pane_table_note_selection(t, st);
}

int pane_table_choices(const struct pane_table *t, struct choice *out)
{
	int n = 0;
	for (int i = 0; i < t->kind->ncol; i++) {
		const struct pane_table_column *c = &t->kind->cols[i];
		if (c->word)
			pane_set_choice(&out[n++], c->word, c->what, i == t->sort);
	}
	return n;
}

/* ---- the columns */

uint64_t pane_table_columns(const struct pane_table *t)
{
	uint64_t cols = t->cols ? t->cols : UINT64_MAX;
	for (int i = 0; i < t->kind->ncol; i++)
		if (i == t->sort || t->kind->cols[i].drop == LIST_KEPT)
			cols |= UINT64_C(1) << i;
	return cols;
}

static int find_column(const void *arg, const char *name, size_t n)
{
	const struct pane_table_kind *k = arg;
	for (int i = 0; i < k->ncol; i++) {
		const char *word = k->cols[i].word;
		if (word && strlen(word) == n && !memcmp(word, name, n))
			return i;
	}
	return -1;
}

/* Return the set of columns of a name; 0: there is none. */
static uint64_t set_named(const struct pane_table_kind *k, const char *name)
{
	const struct pane_table_set *s = k->sets;
	while (s->name && strcmp(s->name, name))
		s++;
	return s->cols;
}

enum verdict pane_table_choose_columns(struct pane_table *t, const char *arg, struct ask *out)
{
	struct buf b = {0};
	uint64_t cols = 0;
	if (!arg || !*arg || !strcmp(arg, "default")) {
		t->cols = 0;
		return V_DONE;
	}
	uint64_t set = set_named(t->kind, arg);
	if (set || list_choose_columns(arg, find_column, t->kind, pane_table_columns(t), &cols)) {
		t->cols = set ? set : cols;
		return V_DONE;
	}
	for (const struct pane_table_set *s = t->kind->sets; s->name; s++)
		buf_printf(&b, " %s", s->name);
	for (int i = 0; i < t->kind->ncol; i++)
		if (t->kind->cols[i].word)
			buf_printf(&b, " %s", t->kind->cols[i].word);
	enum verdict v = pane_message(out, "columns requires default or some of%s", buf_str(&b));
	buf_free(&b);
	return v;
}

int pane_table_column_choices(const struct pane_table *t, struct choice *out)
{
	int n = 0;
	if (!t->kind->sets)
		return 0;
	pane_set_choice(&out[n++], "default", "the columns that fit the screen", !t->cols);
	for (const struct pane_table_set *s = t->kind->sets; s->name; s++)
		pane_set_choice(&out[n++], s->name, s->what, t->cols == s->cols);
	for (int i = 0; i < t->kind->ncol && n < CHOICES_MAX; i++)
		if (t->kind->cols[i].word && t->kind->cols[i].drop != LIST_KEPT)
			pane_set_choice(&out[n++], t->kind->cols[i].word, t->kind->cols[i].what,
			    t->cols && (pane_table_columns(t) & UINT64_C(1) << i));
	return n;
}

/* ---- the histogram */

enum brush_verdict pane_table_brush(struct pane_table *t, const void *st, const struct pane_env *env, const struct act *a)
{
	if (!t->kind->duration)
		return BRUSH_PASS;
	enum brush_verdict v = brush_command(&t->brush, a);
	if (v == BRUSH_LIMIT)
		make_rows(t, st, env);
	return v;
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
	bool sorts = sort >= 0 && sort < t->kind->ncol && t->kind->cols[sort].word, invert = view_get(v, "invert") != 0;
	struct brush limit = {.limits = t->kind->duration && lo >= 0 && hi >= lo, .lo = lo, .hi = hi};
	sort = sorts ? sort : t->kind->sort;
	bool same = sort == t->sort && invert == t->invert && brush_same_limit(&limit, &t->brush);
	t->sort = (int)sort;
	t->invert = invert;
	brush_copy_limit(&t->brush, &limit);
	t->sel = view_get(v, "row");
	if (!same)	/* an incremental search restores the view for each character */
		make_rows(t, st, env);
	else if (t->rows.n)
		pane_table_select(t, st, t->sel);
}

const char *pane_table_sort_option(const struct pane_table *t, struct arena *a)
{
	if (t->sort == t->kind->sort && !t->invert)
		return NULL;
	return arena_printf(a, "-sort=%s%s", t->invert ? "-" : "", t->kind->cols[t->sort].word);
}

/* ---- drawing */

struct pane_table_drawing {
	const struct pane_table *t;
	const void *st;
	const struct pane_env *env;
	int n, col[PANE_TABLE_COLS];	/* the columns that are laid out */
	struct list_column c[PANE_TABLE_COLS];
	int x[PANE_TABLE_COLS], w[PANE_TABLE_COLS];
};

static void draw_row(const void *arg, struct grid *g, int y, uint32_t row)
{
	const struct pane_table_drawing *d = arg;
	for (int k = 0; k < d->n; k++) {
		if (d->x[k] < 0)
			continue;
		struct rect old = grid_clip(g, (struct rect){y, d->x[k], 1, d->w[k]});
		d->t->kind->cell(d->st, d->env, g, d->w[k], d->t->item[row], d->col[k]);
		grid_unclip(g, old);
	}
}

/* Choose the columns that are laid out, and get their headings. */
static void choose_columns(struct pane_table_drawing *d)
{
	const struct pane_table *t = d->t;
	struct list_column all[PANE_TABLE_COLS];
	uint64_t cols = pane_table_columns(t);
	for (int i = 0; i < t->kind->ncol; i++) {
		const struct pane_table_column *c = &t->kind->cols[i];
		all[i] = (struct list_column){.head = c->head, .least = c->least, .want = c->want, .content = c->content,
		    .drop = c->drop, .weight = c->weight, .word = c->word};
	}
	if (t->kind->heads)
		t->kind->heads(d->st, d->env, all);
	all[t->sort].sort = (int8_t)sign_of(t);
	for (int i = 0; i < t->kind->ncol; i++)
		if (cols >> i & 1) {
			if (t->cols && all[i].drop != LIST_KEPT)
				all[i].drop = LIST_FIRST;
			d->col[d->n] = i;
			d->c[d->n++] = all[i];
		}
}

struct pane_table_text { const struct pane_table_drawing *d; int col; };

static void draw_text(const void *arg, struct grid *g, int y, uint32_t row)
{
	const struct pane_table_text *v = arg;
	(void)y;
	v->d->t->kind->cell(v->d->st, v->d->env, g, LIST_TEXT_MOST, v->d->t->item[row], v->col);
}

static void measure_texts(struct pane_table_drawing *d)
{
	for (int i = 0; i < d->n; i++)
		if (d->c[i].content == LIST_TEXT && d->c[i].want > d->c[i].least)
			list_want_text(&d->c[i], d->t->rows.n, draw_text, &(struct pane_table_text){d, d->col[i]}, d->env->ascii);
}

/* The cells beside the columns of a list: the mark of the selection and the scrollbar. */
enum { LIST_MARK = 1, LIST_BAR = 1 };

int pane_table_cells_beside(
    const struct pane_table *t, const void *st, const struct pane_env *env, int w, int *choose)
{
	struct pane_table_drawing d = {.t = t, .st = st, .env = env};
	int wants, others = LIST_MARK + LIST_BAR;
	choose_columns(&d);
	measure_texts(&d);
	int cells = list_cells_beside(d.c, d.n, w - others, &wants) + others;
	*choose = cells < w ? cells : wants + others < w ? wants + others : w;
	return cells;
}

void pane_table_draw(
    const struct pane_table *t, const void *st, const struct pane_env *env, struct grid *g, int y, int h, bool unfocused)
{
	struct pane_table_drawing d = {.t = t, .st = st, .env = env};
	int bars = brush_lines(&t->brush, h);
	h -= bars;
	int room = env->choose < g->w ? env->choose : g->w;
	choose_columns(&d);
	measure_texts(&d);
	list_layout_columns(d.c, d.n, room - LIST_MARK - LIST_BAR, d.x, d.w);
	struct rect old = grid_clip(g, (struct rect){y, 1, 1, g->w - 1});
	list_draw_header(g, 0, d.c, d.n, d.x, d.w);
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
