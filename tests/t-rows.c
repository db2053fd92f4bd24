/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The list widget by its laws: after any moves the selection is a row and in view,
 * a page leaves it on its line of the screen, the bar is at an end exactly when the
 * list is; and stepping through the hits of a search goes round all of them, in order.
 */
#include "config.h"
#include "base/mem/mem.h"
#include "tap.h"
#include "widget/list.h"

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

/* With no end of the list near, a page moves the list under the selection, and centring puts it into the middle. */
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

/* The bar touches an end of its column exactly when the first or the last row is in view. */
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
		for (uint32_t k = 0; k < h.n; k++) {	/* all of them, from the next one on */
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

int main(void)
{
	moves();
	pages();
	bars();
	hits();
	return DONE();
}
