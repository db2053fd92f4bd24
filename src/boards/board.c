/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Boards as tables. A board computes rows of cells by column; this file knows the columns, sorts the rows and compares
 * cells, so that a report and a pane differ in the drawing only.
 */
#include "config.h"
#include "boards/internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "findings/findings.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

const struct board_kind board_kinds[BOARD__N] = {
#define BOARD(id, name, title, curve, purpose) {name, title, curve, purpose},
#define BOARD_COLUMN(board, id, key, title, head, width, unit, what)
#include "boards/boards.def"
#undef BOARD
#undef BOARD_COLUMN
};

const struct board_column board_columns[BOARD_COLUMN__N] = {
#define BOARD(id, name, title, curve, purpose)
#define BOARD_COLUMN(board, id, key, title, head, width, unit, what) {BOARD_##board, key, title, head, width, unit, what},
#include "boards/boards.def"
#undef BOARD
#undef BOARD_COLUMN
};

static const struct { void (*make)(struct board_maker *); unsigned needs; } makers[BOARD__N] = {
	[BOARD_LOCKS] = {board_locks, BOARD_NEEDS_SCAN | BOARD_NEEDS_PATHS},
	[BOARD_CHANNELS] = {board_channels, BOARD_NEEDS_SCAN},
	[BOARD_STOPS] = {board_stops, 0},
	[BOARD_GREEDY] = {board_greedy, BOARD_NEEDS_SCAN},
	[BOARD_LEAKS] = {board_leaks, BOARD_NEEDS_SCAN},
	[BOARD_GCTAX] = {board_gc_tax, BOARD_NEEDS_PATHS},
};

unsigned board_needs(enum board_id id)
{
	return makers[id].needs;
}

int board_find(const char *name, size_t n)
{
	for (int i = 0; i < BOARD__N; i++)
		if (strlen(board_kinds[i].name) == n && !memcmp(board_kinds[i].name, name, n))
			return i;
	return -1;
}

enum board_column_id board_first_column(enum board_id id)
{
	int i = 0;
	while (board_columns[i].board != id)
		i++;
	return (enum board_column_id)i;
}

uint32_t board_count_columns(enum board_id id)
{
	uint32_t n = 0;
	for (int i = 0; i < BOARD_COLUMN__N; i++)
		n += board_columns[i].board == id;
	return n;
}

static int compare_text(const struct board_cell *a, const struct board_cell *b)
{
	int c = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);
	return c ? c : (a->n > b->n) - (a->n < b->n);
}

/* Order two stacks by the function and line that represent them. */
static int compare_place(const struct store *st, stk_id a, stk_id b)
{
	const struct frm_row *x = store_frm(st, stk_frame(st, user_code_site(st, a))),
			     *y = store_frm(st, stk_frame(st, user_code_site(st, b)));
	const struct str_row *f = store_str(st, store_fun(st, x->fun)->name), *g = store_str(st, store_fun(st, y->fun)->name);
	int c = memcmp(f->s, g->s, f->n < g->n ? f->n : g->n);
	c = c ? c : (f->n > g->n) - (f->n < g->n);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}

int board_compare(
    const struct store *st, enum board_column_id col, const struct board_cell *a, const struct board_cell *b)
{
	if (!a->some || !b->some)
		return a->some - b->some;
	switch (board_columns[col].unit) {
	case BOARD_COUNT:
	case BOARD_NS: return (a->i > b->i) - (a->i < b->i);
	case BOARD_NUMBER:
	case BOARD_SHARE:
	case BOARD_ESTIMATE: return (a->f > b->f) - (a->f < b->f);
	case BOARD_WORD:
	case BOARD_NAME: return compare_text(a, b);
	case BOARD_PLACE: return compare_place(st, a->stack, b->stack);
	}
	return 0;
}

struct board_row *board_add_row(struct board_maker *k)
{
	struct board *b = k->to;
	b->v = mem_grow(b->v, &k->cap, b->n + 1u, sizeof *b->v);
	struct board_row *r = &b->v[b->n++];
	*r = (struct board_row){.t0 = b->t0, .t1 = b->t1};
	r->cell = arena_zalloc(&b->mem, board_count_columns(b->id) * sizeof *r->cell);
	return r;
}

/* The cell of a row, which only its maker changes. */
static struct board_cell *cell_of(struct board_row *r, enum board_column_id col)
{
	enum board_column_id first = board_first_column(board_columns[col].board);
	struct board_cell *c = (struct board_cell *)(uintptr_t)&r->cell[col - first];
	c->some = true;
	return c;
}

void board_put_int(struct board_row *r, enum board_column_id col, int64_t v)
{
	cell_of(r, col)->i = v;
}

void board_put_float(struct board_row *r, enum board_column_id col, double v)
{
	cell_of(r, col)->f = v;
}

void board_put_text(struct board_row *r, enum board_column_id col, const char *s, size_t n)
{
	struct board_cell *c = cell_of(r, col);
	c->s = s;
	c->n = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void board_put_word(struct board_row *r, enum board_column_id col, const char *s)
{
	board_put_text(r, col, s, strlen(s));
}

void board_put_place(struct board_row *r, enum board_column_id col, stk_id stack)
{
	if (stack)
		cell_of(r, col)->stack = stack;
}

void board_put_reason(struct board_row *r, enum board_column_id col, const char *s)
{
	struct board_cell *c = cell_of(r, col);
	*c = (struct board_cell){.s = s, .n = (uint32_t)strlen(s)};
}

void board_waits_add(struct board_waits *x, const struct wait_event *e)
{
	x->n++;
	wrap_add_to(&x->ns, e->ns);
	if (e->t1 - e->t0 <= x->t1 - x->t0)
		return;
	x->t0 = e->t0;
	x->t1 = e->t1;
	x->g = e->g;
}

static bool same_line(const struct store *st, stk_id a, stk_id b)
{
	return a == b || !compare_place(st, a, b);
}

void board_merge_part(const struct board_maker *k, struct board_part *v, uint32_t *n, const struct board_part *x)
{
	const struct store *st = k->m->sn->st;
	for (uint32_t i = 0; i < *n; i++)
		if (!strcmp(v[i].word, x->word) && same_line(st, v[i].stack, x->stack)) {
			wrap_add_to(&v[i].ns, x->ns);
			v[i].count += x->count;
			return;
		}
	if (*n < BOARD_MERGED)
		v[(*n)++] = *x;
}

uint32_t board_sort_parts(struct board_part *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct board_part x = v[i];
		uint32_t k = i;
		for (; k && v[k - 1].ns < x.ns; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
	return n < BOARD_PARTS ? n : BOARD_PARTS;
}

void board_put_parts(struct board_maker *k, struct board_row *r, const struct board_part *v, uint32_t n)
{
	struct board_part *copy = arena_alloc(&k->to->mem, (n + 1u) * sizeof *copy);
	if (n)
		memcpy(copy, v, n * sizeof *copy);
	r->part = copy;
	r->nparts = n;
}

struct board_curve board_curve_new(struct board_maker *k)
{
	struct board_curve c = {k->to->t0, k->to->t1, NULL};
	if (!k->m->uncurved)
		c.slot = arena_zalloc(&k->to->mem, BOARD_SLOTS * sizeof *c.slot);
	return c;
}

void board_curve_add(struct board_curve *c, int64_t a, int64_t b, double weight)
{
	double each = (double)(c->t1 - c->t0) / BOARD_SLOTS;
	if (!c->slot)
		return;
	a = (a > c->t0 ? a : c->t0) - c->t0;
	b = (b < c->t1 ? b : c->t1) - c->t0;
	for (int i = a < b ? (int)((double)a / each) : BOARD_SLOTS; i < BOARD_SLOTS && (double)i * each < (double)b; i++) {
		double from = (double)i * each, to = from + each;
		from = from > (double)a ? from : (double)a;
		to = to < (double)b ? to : (double)b;
		if (to > from)
			c->slot[i] += weight * (to - from) / each;
	}
}

struct row_order { const struct board_row *row; uint32_t at; };

static int largest_first(const void *a, const void *b)
{
	const struct row_order *x = a, *y = b;
	const struct board_cell *p = x->row->cell, *q = y->row->cell;
	if (p->i != q->i)
		return p->i > q->i ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* Move the rows to the board's memory, sorted by the first column, which is a number. */
static void take_rows(struct board *b)
{
	struct row_order *order = xmalloc((b->n + 1u) * sizeof *order);
	struct board_row *v = arena_alloc(&b->mem, (b->n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < b->n; i++)
		order[i] = (struct row_order){&b->v[i], i};
	if (b->n)
		qsort(order, b->n, sizeof *order, largest_first);
	for (uint32_t i = 0; i < b->n; i++)
		v[i] = *order[i].row;
	mem_free(order);
	mem_free(b->v);
	b->v = v;
}

struct board *board_make(enum board_id id, struct board_measures *m, const struct progress_watcher *on)
{
	struct board *b = xcalloc(1, sizeof *b);
	struct board_maker k = {.m = m, .on = on, .to = b};
	*b = (struct board){.id = id, .t0 = m->scan.t0, .t1 = m->scan.t1, .limit = findings_no_functions(m->sn)};
	makers[id].make(&k);
	take_rows(b);
	if (job_should_continue(on))
		return b;
	board_free(b);
	return NULL;
}

void board_free(struct board *b)
{
	if (!b)
		return;
	arena_free(&b->mem);
	mem_free(b);
}
