/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Laws of the list widget: after any moves the selection is a row and in view, a page keeps it on its line of the screen,
 * the scrollbar is at an end exactly when the list is, and steps through the matches of a search visit all of them, in
 * order. Laws of a table: its rows are the items that are shown, in order, items with equal values by their number; the
 * selection follows its item; matches are those of the rows. The histogram of a table counts each item with a duration
 * once, in the bar of its duration, whatever the limit is; its selected bars become the limit, and the rows are the items
 * within. A worker orders many items, to the same rows.
 */
#include "config.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "tap.h"
#include "app/pane_table.h"
#include "base/text/regex.h"
#include "widget/list.h"

#include <stdio.h>

static uint32_t seed = 5;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static void in_view(const struct rows *r, int h)
{
	uint32_t top = list_first_row(r, h), rows = (uint32_t)(h < 1 ? 1 : h);
	OK(r->n ? r->sel < r->n : r->sel == 0);
	OK(r->n <= rows ? top == 0 : top <= r->n - rows);
	OK(r->sel >= top && r->sel < top + rows);
}

static void moves(void)
{
	static const enum cmd_id cmd[] = {CMD_DOWN, CMD_UP, CMD_PAGE_DOWN, CMD_PAGE_UP, CMD_HALF_DOWN, CMD_HALF_UP,
	    CMD_FIRST,
		CMD_LAST, CMD_CENTRE};
	for (int i = 0; i < 400; i++) {
		struct rows r = {0};
		list_set_count(&r, rnd(4) ? rnd(200) : rnd(3));
		for (int k = 0; k < 40; k++) {
			int h = (int)rnd(30);
			if (!rnd(9))
				list_set_count(&r, rnd(200));
			if (!rnd(9))
				list_select(&r, rnd(220));
			OK(list_move(&r, &(struct act){cmd[rnd(9)], (int)rnd(12), NULL}, h));
			in_view(&r, h);
			in_view(&r, (int)rnd(40));
		}
	}
	struct rows r = {.n = 5};
	OK(!list_move(&r, &(struct act){CMD_QUIT, 0, NULL}, 3));
}

/* Far from the ends of the list a page moves the list under the selection, and centring puts it into the middle. */
static void pages(void)
{
	for (int h = 1; h < 40; h++) {
		struct rows r = {0};
		list_set_count(&r, 1000);
		list_move(&r, &(struct act){CMD_LAST, 500, NULL}, h);
		OK(r.sel == 499);
		list_move(&r, &(struct act){CMD_CENTRE, 0, NULL}, h);
		OK(r.sel == 499 && r.sel - list_first_row(&r, h) == (uint32_t)h / 2);
		struct rows near = r;
		list_move(&near, &(struct act){CMD_FIRST, 3 * h / 4 + 1, NULL}, h);
		list_move(&near, &(struct act){CMD_CENTRE, 0, NULL}, h);
		OK(near.sel - list_first_row(&near, h) == (uint32_t)h / 2);
		uint32_t line = r.sel - list_first_row(&r, h);
		list_move(&r, &(struct act){CMD_PAGE_DOWN, 2, NULL}, h);
		OK(r.sel == 499 + 2 * (uint32_t)h && r.sel - list_first_row(&r, h) == line);
		list_move(&r, &(struct act){CMD_HALF_UP, 0, NULL}, h);
		OK(r.sel == 499 + 2 * (uint32_t)h - ((uint32_t)h + 1) / 2 && r.sel - list_first_row(&r, h) == line);
	}
}

static void no_row(const void *arg, struct grid *g, int y, uint32_t i)
{
	(void)arg, (void)g, (void)y, (void)i;
}

/* The scrollbar reaches an end of its column exactly when the first or the last row is in view. */
static void bars(void)
{
	for (int i = 0; i < 600; i++) {
		int h = 2 + (int)rnd(20);
		struct rows r = {0};
		list_set_count(&r, (uint32_t)h + 1 + rnd(300));
		list_move(&r, &(struct act){CMD_FIRST, 1 + (int)rnd(r.n), NULL}, h);
		struct grid *g = grid_new(h, 10, false);
		list_draw_rows(&r, g, no_row, NULL, NULL);
		uint32_t top = list_first_row(&r, h);
		int bar = 0;
		for (int y = 0; y < h; y++)
			bar += g->cell[y * 10 + 9].ch == 0x2588;
		OK(bar >= 1 && bar < h);
		OK(top + (uint32_t)h < r.n || g->cell[(h - 1) * 10 + 9].ch == 0x2588);
		OK(top || g->cell[9].ch == 0x2588);
		OK(g->cell[(r.sel - top) * 10].ch == '>');
		grid_free(g);
	}
}

static void hits(void)
{
	for (int i = 0; i < 300; i++) {
		uint8_t at[60] = {0};
		struct rows r = {0};
		struct list_hits h = {.at = at};
		list_set_count(&r, 1 + rnd(60));
		for (uint32_t k = 0; k < r.n; k++)
			h.n += at[k] = !rnd(4);
		list_select(&r, rnd(r.n));
		uint32_t number, was = r.sel, next = 0, before = 0;
		OK(list_hits_step(&h, &r, 0, &number) == h.n && r.sel == was);
		if (!h.n) {
			OK(!number && !list_hits_step(&h, &r, 1, &number) && r.sel == was);
			continue;
		}
		for (uint32_t k = 0; k < r.n; k++) {
			next += at[k] && k <= was;
			before += at[k] && k < was;
		}
		struct rows here = r;
		OK(list_hits_step(&h, &here, 2, &number) == h.n && at[here.sel] && number == before % h.n + 1);
		for (uint32_t k = 0; k < h.n; k++) {	/* all matches, from the next one on */
			list_hits_step(&h, &r, 1, &number);
			OK(at[r.sel] && number == (next + k) % h.n + 1);
		}
		for (uint32_t k = 0; k < h.n; k++) {
			uint32_t of = number;
			list_hits_step(&h, &r, -1, &number);
			OK(at[r.sel] && number == (of == 1 ? h.n : of - 1));
		}
	}
}

/* Items of a table. value -1: none, sorted last in both directions; shown: a filter has not removed the item. */
struct items { struct pane_table table; uint32_t n; int64_t id[80]; int value[80]; bool shown[80]; };

static void put_item(const void *st, const struct pane_env *env, uint32_t i, struct buf *b)
{
	(void)env;
	buf_printf(b, "item %d", ((const struct items *)st)->value[i]);
}

static int cmp_values(const void *st, const struct pane_env *env, int col, int sign, uint32_t a, uint32_t b)
{
	const int *v = ((const struct items *)st)->value;
	(void)env;
	if (v[a] < 0 || v[b] < 0)
		return (v[a] < 0) - (v[b] < 0);
	return col ? sign * ((v[a] > v[b]) - (v[a] < v[b])) : 0;
}

static int64_t item_id(const void *st, uint32_t i)
{
	return ((const struct items *)st)->id[i];
}

static bool is_shown(const void *st, const struct pane_env *env, uint32_t i)
{
	(void)env;
	return ((const struct items *)st)->shown[i];
}

static const struct pane_table_column cols[] = {
    {"NUMBER", 5, 0, LIST_NUMBER, LIST_FIRST, 0, "number", "", true}, {"VALUE", 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "value", "", false}};
static const struct pane_table_kind kind = {.cols = cols, .ncol = 2, .text = put_item, .compare = cmp_values,
    .id = item_id, .shown = is_shown};

static void random_items(struct items *p)
{
	p->n = rnd(80);
	for (uint32_t i = 0; i < p->n; i++) {
		p->id[i] = (int64_t)i * 7 % 101;	/* all different, in another order than the items */
		p->value[i] = (int)rnd(12) - 1;
		p->shown[i] = rnd(4) != 0;
	}
}

static void in_order(const struct items *p, const struct pane_env *env)
{
	const struct pane_table *t = &p->table;
	uint32_t shown = 0;
	int sign = cols[t->sort].up != t->invert ? 1 : -1;
	for (uint32_t i = 0; i < p->n; i++) {
		struct buf b = {0};
		put_item(p, env, i, &b);
		shown += p->shown[i] && (!env->grep.rx || regex_match(env->grep.rx, b.p, b.n));
		buf_free(&b);
	}
	OK(t->rows.n == shown);
	for (uint32_t r = 0; r + 1 < t->rows.n; r++) {
		int c = cmp_values(p, env, t->sort, sign, t->item[r], t->item[r + 1]);
		OK(c < 0 || (c == 0 && t->item[r] < t->item[r + 1]));
	}
}

static uint32_t row_of(const struct items *p, int64_t id)
{
	for (uint32_t r = 0; r < p->table.rows.n; r++)
		if (p->id[p->table.item[r]] == id)
			return r;
	return UINT32_MAX;
}

static void tables(void)
{
	struct err e;
	struct regex *one = regex_new("1", &e);
	for (int i = 0; i < 300; i++) {
		struct items p = {0};
		struct pane_env env = {0};
		pane_table_open(&p.table, &kind);
		random_items(&p);
		pane_table_fill(&p.table, &p, &env, p.n);
		for (int k = 0; k < 8; k++) {
			in_order(&p, &env);
			if (p.table.rows.n)
				pane_table_select_row(&p.table, &p, rnd(p.table.rows.n));
			int64_t id = p.table.rows.n ? p.id[pane_table_selected(&p.table)] : -1;
			uint32_t c = rnd(6);
			if (c < 4) {	/* a new order selects the first row, the reversed one the same item */
				int by = (int)c % 3 - 1;
				pane_table_sort(&p.table, &p, &env, by);
				OK(by < 0 ? row_of(&p, id) == (p.table.rows.n ? p.table.rows.sel : UINT32_MAX)
					  : p.table.rows.sel == 0 && p.table.sort == by && !p.table.invert);
				continue;
			}
			if (c == 4)
				random_items(&p);
			env.grep.rx = c == 5 && !env.grep.rx ? one : NULL;
			pane_table_fill(&p.table, &p, &env, p.n);
			uint32_t at = row_of(&p, id);
			OK(at == UINT32_MAX || at == p.table.rows.sel);
		}
		/* matches are of these rows only */
		list_hits_begin(&p.table.hits, &p.table.rows, one, p.table.rows.n);
		OK(list_hits_marks(&p.table.hits, &p.table.rows, one));
		list_set_count(&p.table.rows, p.table.rows.n);
		OK(!list_hits_marks(&p.table.hits, &p.table.rows, one));
		pane_table_free(&p.table);
	}
	regex_free(one);
}

/* ---- the histogram of a table */

/* Return the duration of an item, of many magnitudes; -1: none. */
static int64_t item_duration(const void *st, uint32_t i)
{
	const struct items *p = st;
	return p->value[i] < 0 ? -1 : p->id[i] * p->id[i] << p->value[i];
}

static const struct pane_table_kind timed = {.cols = cols, .ncol = 2, .text = put_item, .compare = cmp_values,
    .id = item_id, .shown = is_shown, .duration = item_duration};

static void count_bars(const struct items *p)
{
	const struct bars *b = &p->table.brush.bars;
	uint64_t all = 0;
	for (int k = 0; k < b->n; k++) {
		uint64_t n = 0;
		for (uint32_t i = 0; i < p->n; i++) {
			int64_t ns = p->shown[i] ? item_duration(p, i) : -1;
			n += ns >= b->edge[k] && ns < b->edge[k + 1];
		}
		OK(b->count[k] == n);
		all += n;
	}
	uint64_t timed_items = 0;
	for (uint32_t i = 0; i < p->n; i++)
		timed_items += p->shown[i] && item_duration(p, i) >= 0;
	OK(all == timed_items && b->all == timed_items);
	OK(!b->n || (b->count[0] && b->count[b->n - 1]));
}

/* Check that the rows are the items within [lo, hi]; lo > hi: all of them. */
static void within(const struct items *p, int64_t lo, int64_t hi)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t ns = item_duration(p, i);
		bool in = p->shown[i] && (lo > hi || (ns >= lo && ns <= hi));
		n += in;
		OK((row_of(p, p->id[i]) != UINT32_MAX) == in);
	}
	OK(p->table.rows.n == n && p->table.brush.limits == (lo <= hi));
}

static enum brush_verdict press(struct items *p, const struct pane_env *env, enum cmd_id cmd, int count)
{
	return pane_table_brush(&p->table, p, env, &(struct act){cmd, count, NULL});
}

/* Select bars `from` to `to` by keys, in this direction. */
static void select_bars(struct items *p, const struct pane_env *env, int from, int to)
{
	enum cmd_id way = to < from ? CMD_LEFT : CMD_RIGHT;
	OK(press(p, env, CMD_FIRST, 0) == BRUSH_DONE && p->table.brush.bars.at == 0);
	if (from)
		press(p, env, CMD_RIGHT, from);
	if (p->table.brush.bars.held)
		press(p, env, CMD_RANGE, 0);
	if (from != to) {
		OK(press(p, env, CMD_RANGE, 0) == BRUSH_DONE);
		press(p, env, way, to < from ? from - to : to - from);
	}
	OK(p->table.brush.bars.at == to);
}

static void limits(void)
{
	struct pane_env env = {0};
	for (int i = 0; i < 300; i++) {
		struct items p = {0};
		pane_table_open(&p.table, &timed);
		random_items(&p);
		pane_table_fill(&p.table, &p, &env, p.n);
		count_bars(&p);
		within(&p, 1, 0);
		struct brush *b = &p.table.brush;
		if (!b->bars.n) {
			OK(press(&p, &env, CMD_RANGE, 0) == BRUSH_PASS && press(&p, &env, CMD_CANCEL, 0) == BRUSH_PASS);
			pane_table_free(&p.table);
			continue;
		}
		for (int k = 0; k < 6; k++) {
			OK(press(&p, &env, CMD_LEFT, 0) == BRUSH_PASS && press(&p, &env, CMD_OPEN, 0) == BRUSH_PASS);
			int from = (int)rnd((uint32_t)b->bars.n), to = (int)rnd((uint32_t)b->bars.n), a = from < to ? from : to;
			OK(press(&p, &env, CMD_RANGE, 0) == BRUSH_DONE && b->bars.on);
			OK(!brush_lines(b, 6) && brush_lines(b, 7) == 4 && brush_lines(b, 90) == 9);
			select_bars(&p, &env, from, to);
			int64_t lo = b->bars.edge[a], hi = b->bars.edge[(from < to ? to : from) + 1] - 1;
			OK(press(&p, &env, CMD_OPEN, 0) == BRUSH_LIMIT && b->lo == lo && b->hi == hi && !b->bars.on);
			OK(!brush_lines(b, 90));
			within(&p, lo, hi);
			count_bars(&p);
			/* the limit is selected when the bars are activated again, and stays if they are left */
			OK(press(&p, &env, CMD_RANGE, 0) == BRUSH_DONE && b->bars.edge[b->bars.at + 1] - 1 == hi);
			OK(b->bars.held == (from != to) && (from == to || b->bars.edge[b->bars.from] == lo));
			OK(press(&p, &env, CMD_CANCEL, 0) == BRUSH_DONE && !b->bars.on);
			within(&p, lo, hi);
			if (rnd(2)) {	/* other items, the same limit; active bars stay active */
				press(&p, &env, CMD_RANGE, 0);
				random_items(&p);
				pane_table_fill(&p.table, &p, &env, p.n);
				within(&p, lo, hi);
				count_bars(&p);
				OK(b->bars.on == (b->bars.n > 0) && (!b->bars.n || b->bars.at < b->bars.n));
				press(&p, &env, CMD_BACK, 0);
			}
			struct view v = {0}, none = {0};	/* a view has the limit, and one without it removes it */
			pane_table_save_limit(&p.table, &v);
			pane_table_load(&p.table, &p, &env, &none);
			within(&p, 1, 0);
			pane_table_load(&p.table, &p, &env, &v);
			within(&p, lo, hi);
			OK(press(&p, &env, CMD_CANCEL, 0) == BRUSH_LIMIT && press(&p, &env, CMD_CANCEL, 0) == BRUSH_PASS);
			within(&p, 1, 0);
			if (!b->bars.n)
				break;
		}
		pane_table_free(&p.table);
	}
}

/* ---- the chosen columns of a table */

static const struct pane_table_column wide_cols[] = {
    {"NAME", 16, LIST_NAME_WANT, LIST_TEXT, LIST_KEPT, 1, "name", "", true}, {"A", 4, 0, LIST_NUMBER, LIST_FIRST, 0, "a", "", false},
    {"B", 4, 0, LIST_NUMBER, LIST_FIRST, 0, "b", "", false}, {"BAR", 4, 0, LIST_TEXT, LIST_FIRST, 0, NULL, "", false},
    {"C", 4, 0, LIST_NUMBER, LIST_FIRST, 0, "c", "", false}};
static const struct pane_table_set wide_sets[] = {{"both", "", 6}, {NULL, NULL, 0}};
static const struct pane_table_kind wide = {.cols = wide_cols, .ncol = 5, .sort = 1, .text = put_item,
    .compare = cmp_values, .sets = wide_sets};

/* Choose columns by words. Return whether exactly those of `want` are shown, with the name and the sort column. */
static bool chosen(struct pane_table *t, const char *words, uint64_t want)
{
	struct ask none = {.kind = ASK_NONE};
	return pane_table_choose_columns(t, words, &none) == V_DONE &&
	    (pane_table_columns(t) & 31) == (want | 1 | UINT64_C(1) << t->sort);
}

static void columns(void)
{
	struct pane_table t = {0};
	struct ask out = {.kind = ASK_NONE};
	struct choice c[CHOICES_MAX];
	pane_table_open(&t, &wide);
	OK((pane_table_columns(&t) & 31) == 31 && pane_table_column_choices(&t, c) == 5);
	OK(chosen(&t, "b,c", 4 | 16) && chosen(&t, "c", 4) && chosen(&t, "+c", 4 | 16) && chosen(&t, "-b", 16));
	OK(chosen(&t, "b -c", 4) && chosen(&t, "both", 6));
	OK(pane_table_column_choices(&t, c) == 5 && !c[0].on && c[1].on && c[2].on && c[3].on && !c[4].on);
	OK(pane_table_choose_columns(&t, "b,x", &out) == V_ASK && (pane_table_columns(&t) & 31) == 7);	/* unchanged */
	t.sort = 4;
	OK((pane_table_columns(&t) & 31) == (7 | 16));
	OK(chosen(&t, "default", 31) && chosen(&t, "", 31));
	pane_table_free(&t);
}

/* ---- a table of many items, which a worker orders */

enum { MANY = 30000 };
static int64_t weight[MANY];	/* many of them equal */

static uint64_t weight_key(const void *st, int col, uint32_t i)
{
	(void)st;
	return radix_key_ascending(col ? weight[i] : (int64_t)i);
}

static int64_t weight_of(const void *st, uint32_t i)
{
	(void)st;
	return weight[i];
}

static const struct pane_table_kind many = {.cols = cols, .ncol = 2, .sort = 1, .text = put_item, .key = weight_key,
    .duration = weight_of};

/* Return whether the rows are the items within [lo, hi], by weight, equal ones by number. */
static bool ordered(const struct pane_table *t, int64_t lo, int64_t hi)
{
	int sign = cols[t->sort].up != t->invert ? 1 : -1;
	uint32_t n = 0;
	bool ok = true;
	for (uint32_t i = 0; i < MANY; i++)
		n += weight[i] >= lo && weight[i] <= hi;
	for (uint32_t r = 0; r < t->rows.n && ok; r++) {
		uint32_t i = t->item[r], k = r + 1 < t->rows.n ? t->item[r + 1] : UINT32_MAX;
		int64_t d = k == UINT32_MAX ? 1 : sign * (t->sort ? weight[k] - weight[i] : (int64_t)k - (int64_t)i);
		ok = weight[i] >= lo && weight[i] <= hi && (d > 0 || (d == 0 && k > i));
	}
	return ok && t->rows.n == n;
}

static void on_worker(void)
{
	struct pane_env env = {0};
	struct pane_table t = {0};
	for (uint32_t i = 0; i < MANY; i++)
		weight[i] = rnd(MANY / 3);
	pane_table_open(&t, &many);
	pane_table_fill(&t, NULL, &env, MANY);
	OK(async_job(&t.order) && !t.rows.n);
	pane_table_take(&t, NULL);
	OK(!async_job(&t.order) && ordered(&t, 0, MANY));
	pane_table_select_row(&t, NULL, 777);
	uint32_t item = pane_table_selected(&t);
	pane_table_sort(&t, NULL, &env, -1);
	OK(async_job(&t.order) && t.rows.n == MANY);	/* the old rows, until the new ones are made */
	pane_table_take(&t, NULL);
	OK(ordered(&t, 0, MANY) && pane_table_selected(&t) == item);
	pane_table_sort(&t, NULL, &env, 0);
	pane_table_sort(&t, NULL, &env, 1);	/* supersedes the order before */
	while (async_job(&t.order))
		pane_table_take(&t, NULL);
	OK(t.sort == 1 && ordered(&t, 0, MANY) && t.rows.sel == 0);
	OK(pane_table_brush(&t, NULL, &env, &(struct act){.cmd = CMD_RANGE}) == BRUSH_DONE);
	OK(pane_table_brush(&t, NULL, &env, &(struct act){.cmd = CMD_OPEN}) == BRUSH_LIMIT);
	pane_table_take(&t, NULL);
	OK(ordered(&t, t.brush.lo, t.brush.hi) && t.brush.bars.all == MANY && t.rows.n < MANY);
	pane_table_fill(&t, NULL, &env, MANY);
	pane_table_stop(&t);
	OK(!async_job(&t.order) && !t.rows.n);
	pane_table_free(&t);
}

int main(void)
{
	moves();
	pages();
	bars();
	hits();
	tables();
	limits();
	columns();
	on_worker();
	return DONE();
}
