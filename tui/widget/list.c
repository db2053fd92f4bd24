/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The list widget.
 *
 * The state is three numbers: the number of rows, the selected row, the first visible row.
 * Invariant: sel < n unless the list is empty, and list_first_row() always returns a window that
 * contains sel. The window is computed again for the height of each drawing, so a resize needs no
 * call and drawing stays pure. The cost of lists with millions of rows depends on the visible ones,
 * except for the marks of search matches on the scrollbar, which read one byte per row.
 */
#include "config.h"
#include "widget/list.h"

#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "base/text/text.h"

#include <string.h>

static uint32_t window_top(const struct rows *r, int h, uint32_t top)
{
	uint32_t k = h < 1 ? 1 : (uint32_t)h;
	if (r->n <= k)
		return 0;
	if (top > r->n - k)
		top = r->n - k;
	if (r->sel < top)
		top = r->sel;
	if (r->sel >= top + k)
		top = r->sel - k + 1;
	return top;
}

uint32_t list_first_row(const struct rows *r, int h)
{
	return window_top(r, h, r->top);
}

void list_set_count(struct rows *r, uint32_t n)
{
	r->n = n;
	r->made++;
	if (r->sel >= n)
		r->sel = n ? n - 1 : 0;
	if (r->h)
		r->top = window_top(r, r->h, r->top);
}

void list_reset(struct rows *r, uint32_t n)
{
	r->sel = r->top = 0;
	list_set_count(r, n);
}

void list_set_height(struct rows *r, int h)
{
	r->h = h < 1 ? 1 : h;
	r->top = window_top(r, r->h, r->top);
}

void list_select(struct rows *r, uint32_t sel)
{
	r->sel = !r->n ? 0 : sel < r->n ? sel : r->n - 1;
	if (r->h)		/* the height is unknown before the first act */
		r->top = window_top(r, r->h, r->top);
}

static void move_selection(struct rows *r, int64_t by)
{
	int64_t to = (int64_t)r->sel + by;
	list_select(r, to < 0 ? 0 : to > UINT32_MAX ? UINT32_MAX : (uint32_t)to);
}

/* Move the window with the selection, which stays on its line of the screen. */
static void move_page(struct rows *r, int64_t by)
{
	int64_t top = (int64_t)r->top + by;
	r->top = top < 0 ? 0 : top >= r->n ? r->n : (uint32_t)top;
	int64_t sel = (int64_t)r->sel + by;
	r->sel = sel < 0 || !r->n ? 0 : sel >= r->n ? r->n - 1 : (uint32_t)sel;
	r->top = window_top(r, r->h, r->top);
}

bool list_move(struct rows *r, const struct act *a, int h)
{
	int n = act_n(a);
	list_set_height(r, h);
	switch (a->cmd) {
	case CMD_DOWN: move_selection(r, n); return true;
	case CMD_UP: move_selection(r, -n); return true;
	case CMD_PAGE_DOWN: move_page(r, (int64_t)n * r->h); return true;
	case CMD_PAGE_UP: move_page(r, -(int64_t)n * r->h); return true;
	case CMD_HALF_DOWN: move_page(r, (int64_t)n * ((r->h + 1) / 2)); return true;
	case CMD_HALF_UP: move_page(r, -(int64_t)n * ((r->h + 1) / 2)); return true;
	case CMD_FIRST: list_select(r, a->count > 0 ? (uint32_t)a->count - 1 : 0); return true;
	case CMD_LAST:
		list_select(r, a->count > 0 ? (uint32_t)a->count - 1 : UINT32_MAX);
		return true;
	case CMD_CENTRE:
		r->top = r->sel > (uint32_t)r->h / 2 ? r->sel - (uint32_t)r->h / 2 : 0;
		r->top = window_top(r, r->h, r->top);
		return true;
	default: return false;
	}
}

bool list_click(struct rows *r, int y, int h)
{
	uint32_t i = list_first_row(r, h) + (uint32_t)(y < 0 ? 0 : y);
	bool there = y >= 0 && y < h && i < r->n;
	if (there)
		list_select(r, i);
	return there;
}

/* Return the first row that belongs to line y of a scrollbar of h lines. */
static uint32_t first_on(const struct rows *r, int h, int y)
{
	return (uint32_t)(((uint64_t)y * r->n + (uint64_t)h - 1) / (uint64_t)h);
}

static bool any_hit(const uint8_t *hit, uint32_t from, uint32_t to)
{
	while (from < to && !hit[from])
		from++;
	return from < to;
}

static void draw_scrollbar(const struct rows *r, struct grid *g, uint32_t top, const uint8_t *hit)
{
	int h = g->h, x = g->w - 1;
	int y0 = (int)((uint64_t)top * (uint64_t)h / r->n);
	int len = (int)((uint64_t)h * (uint64_t)h / r->n);
	len = len < 1 ? 1 : len;
	g->scrolls = true;
	if (y0 + len > h || top + (uint32_t)h >= r->n)
		y0 = h - len;
	for (int y = 0; y < h; y++) {
		bool thumb = y >= y0 && y < y0 + len;
		grid_put(
		    g, y, x, thumb ? 0x2588 : 0x2502, thumb ? ST_SCROLL : ST_RULE, ST_NORMAL, 0);
	}
	for (int y = 0; hit && y < h; y++)	/* most of a million rows may be matches */
		if (any_hit(hit, first_on(r, h, y), first_on(r, h, y + 1)))
			grid_put(g, y, x, 0x2500, ST_HIT, ST_NORMAL, 0);
}

void list_draw_rows(const struct rows *r, struct grid *g, list_row_fn *fn, const void *arg,
    const struct list_options *look)
{
	uint32_t top = list_first_row(r, g->h);
	bool bar = r->n > (uint32_t)g->h && g->w > 3;
	for (int y = 0; y < g->h && top + (uint32_t)y < r->n; y++) {
		if (!grid_keeps(g, y))
			continue;
		struct rect line = {y, 1, 1, g->w - 1 - bar};
		struct rect old = grid_clip(g, line);
		fn(arg, g, 0, top + (uint32_t)y);
		grid_unclip(g, old);
		if (top + (uint32_t)y != r->sel)
			continue;
		bool faint = look && look->unfocused;
		grid_put(g, y, 0, faint ? 0xb7 : '>', faint ? ST_DIM : ST_ACCENT, ST_NORMAL, 0);
		if (faint)
			continue;
		grid_select(g, (struct rect){y, 0, 1, g->w - bar});
		grid_focus(g, y, 0);
	}
	if (bar)
		draw_scrollbar(r, g, top, look ? look->hit : NULL);
}

/* ---- columns */

/* Cells are given out one after the other, in a fixed order, until there are none. What has been given is never taken back,
   and a column that does not fit ends it: so whatever w is, a wider list has the same columns and more, none narrower. */
struct cells {
	const struct list_column *c;
	int n, *width;		/* -1: not shown */
	int room, side;		/* cells that are left; those of the side part */
	int wants;		/* cells of the list before the side part */
};

static int wanted(const struct list_column *c)
{
	return c->want > c->least ? c->want : c->least;
}

static bool is_kept(const struct list_column *c)
{
	return c->drop == LIST_KEPT || c->sort;
}

static int least_width(const struct list_column *c, bool first)
{
	/* the sort arrow would touch the previous column if the heading fills its column */
	return c->least + (!first && c->content == LIST_NUMBER && c->sort && (int)strlen(c->head) >= c->least);
}

static void show_column(struct cells *a, int i)
{
	a->width[i] = least_width(&a->c[i], !i);
	a->room -= a->width[i] + 1;
}

/* Show the columns of a kind; false: one does not fit. */
static bool show_columns(struct cells *a, enum list_drop drop)
{
	for (int i = 0; i < a->n; i++) {
		if (a->width[i] >= 0 || a->c[i].drop != drop)
			continue;
		if (least_width(&a->c[i], !i) + 1 > a->room)
			return false;
		show_column(a, i);
	}
	return true;
}

/* Return how wide a column may become when there are free cells: what it wants, or all that is of use. */
static int limit_of(const struct list_column *c, bool all)
{
	int most = c->content == LIST_PICTURE ? 3 * wanted(c) : c->most > wanted(c) ? c->most : wanted(c);
	return all ? most : wanted(c);
}

/* Give free cells to the columns below their limits, by weight, and to the side part if `all`. false: there are no more. */
static bool give_cells(struct cells *a, bool all)
{
	for (;;) {
		int best = -1, side_at = a->side ? a->side - LIST_SIDE_WANT : 0;
		double at = all && a->side ? side_at : 1e9;
		for (int i = 0; i < a->n; i++) {
			double k = a->c[i].weight ? (double)(a->width[i] - a->c[i].least) / a->c[i].weight : 1e9;
			if (a->width[i] >= 0 && a->width[i] < limit_of(&a->c[i], all) && k < at) {
				best = i;
				at = k;
			}
		}
		if (at >= 1e9)
			return true;
		if (a->room < 1)
			return false;
		a->room--;
		if (best < 0)
			a->side++;
		else
			a->width[best]++;
	}
}

/* Give out w cells. side: a side part takes its share. */
static void give_all(struct cells *a, int w, bool side)
{
	a->room = w + 1;	/* each column has a blank before it, but the first */
	for (int i = 0; i < a->n; i++)
		a->width[i] = -1;
	for (int i = 0; i < a->n; i++)
		if (is_kept(&a->c[i]))
			show_column(a, i);
	if (!show_columns(a, LIST_FIRST) || !give_cells(a, false) || !show_columns(a, LIST_THEN) || !give_cells(a, false))
		return;
	a->wants = w + 1 - a->room - 1;
	if (side) {
		if (a->room < LIST_SIDE_GAP + LIST_SIDE_LEAST)
			return;
		a->room -= LIST_SIDE_GAP + LIST_SIDE_LEAST;
		a->side = LIST_SIDE_LEAST;
	}
	if (!show_columns(a, LIST_LAST) || !give_cells(a, false))
		return;
	int more = LIST_SIDE_WANT - a->side < a->room ? LIST_SIDE_WANT - a->side : a->room;
	if (a->side) {
		a->side += more;
		a->room -= more;
	}
	give_cells(a, true);
}

void list_layout_columns(const struct list_column *c, int n, int w, int *x, int *width)
{
	struct cells a = {.c = c, .n = n, .width = width};
	give_all(&a, w, false);
	for (int i = 0, at = 0; i < n; i++) {
		x[i] = width[i] < 0 ? -1 : at;
		if (width[i] >= 0)
			at += width[i] + 1;
	}
}

int list_cells_beside(const struct list_column *c, int n, int w, int *wants)
{
	enum { COLUMNS_MAX = 64 };
	int width[COLUMNS_MAX];
	struct cells a = {.c = c, .n = n < COLUMNS_MAX ? n : COLUMNS_MAX, .width = width, .wants = w};
	give_all(&a, w, true);
	*wants = a.wants;
	return a.side ? w - a.side - LIST_SIDE_GAP : w;
}

void list_want_text(struct list_column *c, uint32_t n, list_row_fn *draw, const void *arg, bool ascii)
{
	enum { FIRST_ROWS = 16, ROWS = 48, STEP = 8 };
	struct grid *g = grid_new(1, LIST_TEXT_MOST, ascii);
	int most = (int)strlen(c->head) + 1;
	for (uint32_t i = 0; i < n && i < ROWS; i++) {
		grid_fill(g, (struct rect){0, 0, 1, LIST_TEXT_MOST}, ' ', ST_NORMAL, 0);
		draw(arg, g, 0, n <= ROWS || i < FIRST_ROWS ? i : (uint32_t)((uint64_t)i * n / ROWS));
		for (int x = LIST_TEXT_MOST - 1; x >= most; x--)
			if (grid_at(g, 0, x)->ch != ' ')
				most = x + 1;
	}
	grid_free(g);
	most = (most + STEP - 1) / STEP * STEP;
	c->most = (uint8_t)most;
	c->want = (uint8_t)(most < c->least ? c->least : most < c->want ? most : c->want);
}

void list_draw_header(
    struct grid *g, int y, const struct list_column *c, int n, const int *x, const int *width)
{
	for (int i = 0; i < n; i++) {
		if (x[i] < 0)
			continue;
		int attr = c[i].sort ? AT_BOLD : 0, w = (int)strlen(c[i].head) + (c[i].sort != 0);
		int at = c[i].content == LIST_NUMBER ? x[i] + width[i] - w : x[i];
		struct rect old = grid_clip(g, (struct rect){y, 0, 1, x[i] + width[i]});
		int end = grid_text(g, 0, at, ST_HEAD, attr, c[i].head);
		if (c[i].sort)
			grid_put(g, 0, end, c[i].sort < 0 ? 0x25bc : 0x25b2, ST_HEAD, ST_NORMAL,
			    AT_BOLD);
		grid_unclip(g, old);
		if (c[i].word)
			grid_head(g, y, x[i], width[i], c[i].word, c[i].sort != 0);
	}
}

bool list_choose_columns(
    const char *words, list_find_column_fn *find, const void *arg, uint64_t shown, uint64_t *set)
{
	bool all = strchr(words, ',') != NULL;
	uint64_t m = all ? 0 : shown;
	for (const char *s = words; *s; s += strspn(s, ", ")) {
		size_t n = strcspn(s, ", ");
		bool sign = *s == '+' || *s == '-';
		int i = find(arg, s + sign, n - sign);
		if (i < 0)
			return false;
		uint64_t bit = UINT64_C(1) << i;
		m = *s == '-' ? m & ~bit : all || *s == '+' ? m | bit : m ^ bit;
		s += n;
	}
	*set = m;
	return true;
}

/* Get the characters of a line as UTF-8, and for each byte its cell. */
static size_t line_text(
    const struct grid *g, struct rect r, int y, char *s, uint16_t *cell, size_t max)
{
	size_t n = 0;
	for (int x = r.x; x < r.x + r.w && n + 4 < max; x++) {
		const struct cell *c = grid_at(g, y, x);
		if (!c || !c->ch)
			continue;
		size_t k = text_encode_utf8(c->ch, s + n);
		for (size_t i = 0; i < k; i++)
			cell[n + i] = (uint16_t)x;
		n += k;
	}
	return n;
}

void list_mark_hits(struct grid *g, struct rect r, const struct regex *rx)
{
	enum { MAX = 2048 };
	char s[MAX];
	uint16_t cell[MAX];
	r.w = r.x + r.w > g->w ? g->w - r.x : r.w;
	for (int y = r.y < 0 ? 0 : r.y; rx && r.x >= 0 && y < r.y + r.h && y < g->h; y++) {
		size_t n = line_text(g, r, y, s, cell, MAX), from, to, at = 0;
		while (at < n && regex_find(rx, s + at, n - at, &from, &to)) {
			for (size_t i = at + from; i < at + to; i++) {
				struct cell *c = grid_at(g, y, cell[i]);
				c->fg = ST_HIT;
				c->attr |= AT_BOLD;
			}
			at += to > from ? to : to + 1;
		}
	}
}

/* ---- matches */

void list_hits_free(struct list_hits *h)
{
	mem_free(h->at);
	mem_free(h->text);
	*h = (struct list_hits){0};
}

void list_hits_begin(struct list_hits *h, const struct rows *rows, const struct regex *rx, size_t n)
{
	list_hits_free(h);
	if (!rx)
		return;
	h->at = xcalloc(n ? n : 1, 1);
	h->text = xstrdup(regex_pattern(rx));
	h->rows = rows;
	h->made = rows ? rows->made : 0;
}

bool list_hits_are_current(const struct list_hits *h, const struct rows *rows, const struct regex *rx)
{
	return h->at && rx && h->rows == rows && (!rows || h->made == rows->made) && !strcmp(h->text, regex_pattern(rx));
}

const uint8_t *list_hits_marks(const struct list_hits *h, const struct rows *rows, const struct regex *rx)
{
	return list_hits_are_current(h, rows, rx) ? h->at : NULL;
}

uint32_t list_hits_step(const struct list_hits *h, struct rows *rows, int dir, uint32_t *at)
{
	uint32_t n = rows->n, i = rows->sel;
	*at = 0;
	if (!h->n)
		return 0;
	if (dir == 1 || dir == -1)
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	while (dir && !h->at[i])
		i = dir > 0 ? (i + 1) % n : (i + n - 1) % n;
	if (dir)
		list_select(rows, i);
	for (uint32_t k = 0; h->at[i] && k <= i; k++)
		*at += h->at[k];
	return h->n;
}
