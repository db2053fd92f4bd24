/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The output of screen_diff.c on an emulated terminal: after any sequence of screens every cell is right, for all
 * combinations of the terminal's capabilities; and a screen that has not changed costs no byte.
 */
#include "config.h"
#include "term/grid.h"
#include "term/screen_diff.h"
#include "vt.h"

#include "tap.h"

#include <stdio.h>
#include <string.h>

static uint32_t seed = 7;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static const struct look look = {TH_DARK, 256};

static bool right(const struct grid *g, const struct vt *v, bool dim)
{
	int n = g->rows * g->cols, last = g->cell[n - 1].ch ? 1 : 2;
	for (int i = 0; i < (v->xenl ? n : n - last); i++) {	/* without xenl the last character is not written */
		const struct cell *c = &g->cell[i];
		const struct vcell *t = &v->cell[i];
		struct paint p = style_cell_paint(&look, c);
		int attr = (p.attr & AT_BOLD ? VA_BOLD : 0) | (p.attr & AT_DIM && dim ? VA_DIM : 0) |
			   (p.attr & AT_UNDERLINE ? VA_UNDER : 0) | (p.attr & AT_REVERSE ? VA_REVERSE : 0);
		bool seen = c->ch != ' ' || attr & (VA_UNDER | VA_REVERSE);
		if (t->ch != c->ch || (t->mark != c->mark && (v->xenl || (i + 1) % g->cols)) || t->bg != p.bg ||
		    (seen && (t->fg != p.fg || t->attr != attr)) || (!seen && t->attr & (VA_UNDER | VA_REVERSE))) {
			fprintf(stderr, "cell %d,%d: U+%04X %d/%d %d, wanted U+%04X %d/%d %d\n", i / g->cols,
			    i % g->cols, (unsigned)t->ch, (int)t->fg, (int)t->bg, t->attr, (unsigned)c->ch, p.fg,
			    p.bg, attr);
			return false;
		}
	}
	return true;
}

/* Change the screen at random: text, a bar, a blank area, a list that scrolls, or all of it. */
static void change(struct grid *g)
{
	static const char *const words[] = {"runtime.mallocgc", "x", "  ", "\xe4\xb8\xad\xe6\x96\x87 wide",
	    "e\xcc\x81t\xc3\xa9", "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c",
	    "\xe2\x80\xa6", "====================", "1.23s   4.5%"};
	int y = (int)rnd((uint32_t)g->rows), x = (int)rnd((uint32_t)g->cols);
	struct rect r = {y, x, 1 + (int)rnd(4), 1 + (int)rnd(30)};
	switch (rnd(7)) {
	case 0: case 1:
		grid_text(g, y, x, (enum style)rnd(ST__N), rnd(3) ? 0 : (int)rnd(32), words[rnd(9)]);
		break;
	case 2: grid_fill(g, r, ' ', (enum style)rnd(ST__N), 0); break;
	case 3: grid_back(g, r, (enum style)rnd(ST__N)); break;
	case 4: grid_attr(g, r, (int)rnd(16)); break;
	case 5: {
		size_t row = (size_t)g->cols;
		int k = 1 + (int)rnd(3), h = g->rows - k - 2;
		bool up = rnd(2);
		if (h > 0)
			memmove(g->cell + (size_t)(up ? 1 : 1 + k) * row, g->cell + (size_t)(up ? 1 + k : 1) * row,
			    (size_t)h * row * sizeof *g->cell);
		break;
	}
	default:
		for (int i = 0; i < 40; i++)
			grid_text(g, (int)rnd((uint32_t)g->rows), (int)rnd((uint32_t)g->cols),
			    (enum style)rnd(ST__N), 0, words[rnd(9)]);
	}
	for (int i = 0; i < g->rows * g->cols; i++)	/* a right half must follow a left half of the same style */
		if (g->cell[i].ch == 0 && (i % g->cols == 0 || g->cell[i - 1].ch < 0x1100))
			g->cell[i].ch = ' ';
		else if (g->cell[i].ch == 0)
			g->cell[i].fg = g->cell[i - 1].fg, g->cell[i].bg = g->cell[i - 1].bg,
			g->cell[i].attr = g->cell[i - 1].attr;
}

static void run(unsigned bits, int rows, int cols)
{
	struct screen_diff_caps caps = {.bce = bits & 1, .rep = bits & 2, .ech = bits & 4, .csr = bits & 8,
	    .off = bits & 16, .dim = bits & 32, .wraps = bits & 64,
	    .no_default = bits & 128};
	struct screen_state *screen_state = screen_diff_new(&caps);
	struct grid *g = grid_new(rows, cols, false);
	struct vt *v = vt_new(rows, cols, "");
	v->bce = caps.bce;
	v->xenl = !caps.wraps;
	v->no_default = caps.no_default;
	struct buf b = {0};
	bool ok = true;
	for (int i = 0; i < 60 && ok; i++) {
		for (uint32_t k = rnd(6); k > 0; k--)
			change(g);
		if (i == 30)
			screen_diff_forget(screen_state);
		buf_reset(&b);
		screen_diff_write(screen_state, g, &look, &b);
		vt_feed(v, b.p, b.n);
		ok = right(g, v, caps.dim) && !v->unknown;
		buf_reset(&b);
		ok &= screen_diff_write(screen_state, g, &look, &b) == 0 && b.n == 0;
	}
	OK(ok);
	screen_diff_free(screen_state);
	grid_free(g);
	vt_free(v);
	buf_free(&b);
}

int main(void)
{
	for (unsigned bits = 0; bits < 256; bits++) {
		run(bits, 24, 80);
		run(bits, 1 + (int)rnd(12), 1 + (int)rnd(60));
	}
	return DONE();
}
