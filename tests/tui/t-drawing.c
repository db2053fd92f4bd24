/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The parts that draw the viewer, without a session: cells, palettes, key names, lists, the line editor.
 *
 * Palettes must meet limits: text has a contrast of 4.5 to 1 (WCAG) on any background, and the states are at least 15
 * apart in CIELAB for an eye without red, green or blue cones. The eyes are simulated by the matrices of
 * Machado, Oliveira and Fernandes (2009).
 */
#include "config.h"
#include "base/mem/mem.h"
#include "app/command.h"
#include "term/grid.h"
#include "widget/prompt.h"
#include "widget/list.h"
#include "term/style.h"

#include "readable.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t seed = 1;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* ---- colours */

static const double eyes[4][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
	{-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
	{-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
	{0.004733, 0.691367, 0.303900}}};
static const char *const eye_names[4] = {"all cones", "no red", "no green", "no blue"};

static double cube(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static void lab(int colour, int eye, double out[3])
{
	uint8_t c[3];
	double l[3], x[3], f[3];
	static const double m[3][3] = {
	    {0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
	static const double white[3] = {0.95047, 1, 1.08883};
	style_rgb(colour, c);
	for (int i = 0; i < 3; i++) {
		l[i] = 0;
		for (int k = 0; k < 3; k++)
			l[i] += eyes[eye][i][k] * readable_linear(c[k]);
		l[i] = l[i] < 0 ? 0 : l[i] > 1 ? 1 : l[i];
	}
	for (int i = 0; i < 3; i++) {
		x[i] = m[i][0] * l[0] + m[i][1] * l[1] + m[i][2] * l[2];
		f[i] = cube(x[i] / white[i]);
	}
	out[0] = 116 * f[1] - 16;
	out[1] = 500 * (f[0] - f[1]);
	out[2] = 200 * (f[1] - f[2]);
}

static double apart(int a, int b, int eye)
{
	double p[3], q[3];
	lab(a, eye, p);
	lab(b, eye, q);
	return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
		    (p[2] - q[2]) * (p[2] - q[2]));
}

static int back(enum theme t, enum style s, int tone)
{
	struct look l = {t, 256};
	return style_paint(&l, ST_LABEL, s, tone ? AT_TONE : 0).bg;
}

static void test_contrast(void)
{
	for (int t = TH_DARK; t < TH_MONO; t++)
		for (int s = 0; s < ST__N; s++)
			for (int tone = 0; tone < 2; tone++) {
				struct look l = {(enum theme)t, 256};
				struct paint p =
				    style_paint(&l, ST_LABEL, (enum style)s, tone ? AT_TONE : 0);
				bool bar = s >= ST_S_NONE;
				bool ok = p.bg < 0 || readable_contrast(p.fg, p.bg) >= (t == TH_CONTRAST && bar ? 7 : 4.5);
				if (!ok)
					fprintf(stderr, "%s style %d tone %d: %d on %d %.2f\n",
					    style_theme_names[t], s, tone, p.fg, p.bg,
					    readable_contrast(p.fg, p.bg));
				OK(ok);
			}
}

/* Text in the terminal's own foreground is also drawn on bars, as the label of a span, and is readable there. */
static void test_own_foreground(void)
{
	static const enum style text[] = {ST_NORMAL, ST_TITLE, ST_KEY};
	for (int t = TH_DARK; t < TH_MONO; t++)
		for (int s = ST_S_NONE; s < ST__N; s++)
			for (int i = 0; i < 2 * 3; i++) {
				struct look l = {(enum theme)t, 256};
				struct cell c = {.ch = 'G', .fg = (uint8_t)text[i / 2], .bg = (uint8_t)s,
				    .attr = i % 2 ? AT_TONE : 0};
				struct paint p = style_cell_paint(&l, &c);
				OK(p.bg < 0 || (p.fg >= 0 && readable_contrast(p.fg, p.bg) >= 4.5));
			}
}

/* Text that is not on a bar is readable on the terminal's background, on white in the light theme and on black in the
   others, and on the selected row, where it is bold. */
static void test_text(void)
{
	for (int t = TH_DARK; t < TH_MONO; t++)
		for (int s = 0; s < ST__N; s++) {
			struct look l = {(enum theme)t, 256};
			bool shape = s == ST_RULE || s == ST_SCROLL || s == ST_SLIVER || s == ST_CURSOR || s >= ST_HUE0;
			struct grid *g = grid_new(1, 8, false);
			grid_text(g, 0, 0, (enum style)s, 0, "a1");
			grid_text(g, 0, 4, (enum style)s, AT_DIM, "b");
			OK(shape || !readable_faults(g, "a text"));
			grid_select(g, (struct rect){0, 0, 1, 8});
			OK(!readable_faults(g, "the selected row"));
			for (int x = 0; x < 8; x++)
				OK(style_cell_paint(&l, &g->cell[x]).attr & AT_BOLD);
			int fg = style_cell_paint(&l, &(struct cell){'a', 0, (uint8_t)s, ST_NORMAL, 0}).fg;
			OK(t != TH_CONTRAST || shape || fg < 0 || s == ST_PROBLEM || s == ST_NOTICE ||
			    readable_contrast(fg, 16) >= 7);
			grid_free(g);
		}
}

/* Red is the colour of a problem, and only of it: of no other text, bar or tint, except those of stopping the world. */
static void test_red(void)
{
	OK(style_find_theme("safe") == TH_DARK && style_find_theme("mono") == TH_MONO && style_find_theme("green") < 0);
	static const int red = 124;
	for (int t = TH_DARK; t <= TH_LIGHT; t++)
		for (int s = 0; s < ST__N; s++)
			for (int tone = 0; tone < 2; tone++) {
				struct look l = {(enum theme)t, 256};
				int c[2] = {back((enum theme)t, (enum style)s, tone),
				    style_paint(&l, (enum style)s, ST_NORMAL, 0).fg};
				for (int i = 0; i < 2 && s != ST_PROBLEM && s != ST_STWLINE && s != ST_STWTINT && s != ST_S_STW; i++)
					OK(c[i] < 0 || apart(c[i], red, 0) >= 28);
			}
	struct look l = {TH_DARK, 256};
	OK(style_paint(&l, ST_PROBLEM, ST_NORMAL, 0).bg == red && style_paint(&l, ST_PROBLEM, ST_SELECT, 0).bg == red);
}

/* All tones of different states differ for an eye of any kind, in the theme of high contrast for one with all cones. */
static void test_apart(void)
{
	static const enum style s[] = {ST_S_RUN, ST_S_READY, ST_S_CHAN, ST_S_SYNC, ST_S_NET,
	    ST_S_SYSCALL, ST_S_SLEEP, ST_S_GC, ST_S_ASSIST, ST_S_STW};
	int n = sizeof s / sizeof *s;
	for (int t = TH_DARK; t < TH_MONO; t++)
		for (int eye = 0; eye < (t == TH_CONTRAST ? 1 : 4); eye++)
			for (int i = 0; i < 2 * n; i++)
				for (int k = i / 2 * 2 + 2; k < 2 * n; k++) {
					int a = back((enum theme)t, s[i / 2], i % 2), b = back((enum theme)t, s[k / 2], k % 2);
					double d = apart(a, b, eye);
					if (d < 15)
						fprintf(stderr, "%s, %s: %d and %d are %.1f apart\n", style_theme_names[t],
						    eye_names[eye], a, b, d);
					OK(d >= 15);
				}
}

/* The two tones of a state differ for an eye of any kind, and so do the colours of a difference, from less to more. */
static void test_tones(void)
{
	static const enum style s[] = {ST_S_RUN, ST_S_READY, ST_S_CHAN, ST_S_SYNC, ST_S_NET,
	    ST_S_SYSCALL, ST_S_GC, ST_S_ASSIST};
	size_t n = sizeof s / sizeof *s;
	for (int t = TH_DARK; t < TH_MONO; t++)
		for (size_t i = 0; i < n; i++)
			for (int eye = 0; eye < 4; eye++) {
				double d = apart(back((enum theme)t, s[i], 0), back((enum theme)t, s[i], 1), eye);
				if (d < 3)
					fprintf(stderr, "%s, %s: the tones %d and %d are %.1f apart\n",
					    style_theme_names[t], eye_names[eye], back((enum theme)t, s[i], 0),
					    back((enum theme)t, s[i], 1), d);
				OK(d >= 3);
			}
	static const enum style d[] = {ST_LESS2, ST_LESS1, ST_SAME, ST_MORE1, ST_MORE2};
	for (int t = TH_DARK; t < TH_MONO; t++)
		for (int eye = 0; eye < 4; eye++)
			for (int i = 0; i < 4; i++) {
				double x = apart(back((enum theme)t, d[i], 0), back((enum theme)t, d[i + 1], 0), eye);
				if (x < 12)
					fprintf(stderr, "%s, %s: %d and %d of a difference are %.1f apart\n",
					    style_theme_names[t], eye_names[eye], back((enum theme)t, d[i], 0),
					    back((enum theme)t, d[i + 1], 0), x);
				OK(x >= 12);
			}
}

/* Blocks and lines of a state have the colour of its bars, letters a readable one. */
static void test_shapes(void)
{
	for (int t = TH_DARK; t < TH_MONO; t++)
		for (int s = ST_S_RUN; s <= ST_S_UNKNOWN; s++) {
			struct look l = {(enum theme)t, 256};
			OK(style_cell_paint(&l, &(struct cell){0x2585, 0, (uint8_t)s, ST_NORMAL, 0}).fg ==
			    back((enum theme)t, (enum style)s, 0));
		}
}

/* With sixteen colours all texts differ from their background, and dim text has a colour of its own. */
static void test_sixteen(void)
{
	struct look l = {TH_DARK, 16};
	for (int f = 0; f < ST__N; f++)
		for (int b = 0; b < ST__N; b++) {
			struct paint p = style_paint(&l, (enum style)f, (enum style)b, 0);
			OK(p.fg < 16 && p.bg < 8 && (p.bg < 0 || p.fg != p.bg));
		}
	OK(style_paint(&l, ST_DIM, ST_NORMAL, 0).fg == 8);
}

/* With eight colours or none every state has a letter and a name, and text on it is readable. */
static void test_few_colours(void)
{
	for (int t = 0; t < TS__N; t++) {
		OK(style_state_letter((enum tstate)t) && *style_state_name((enum tstate)t));
		struct look mono = {TH_MONO, 0}, eight = {TH_DARK, 8};
		struct paint m = style_paint(&mono, ST_LABEL, style_of_state((enum tstate)t), 0);
		struct paint e = style_paint(&eight, ST_LABEL, style_of_state((enum tstate)t), 0);
		OK(m.fg == -1 && m.bg == -1);
		OK(e.bg < 8 && e.fg < 8 && (e.bg < 0 || e.fg != e.bg));
	}
}

static void test_symbols(void)
{
	int attr;
	OK(style_of_symbol("main.(*Server).handle", 21, &attr) == ST_MAINPKG);
	OK(style_of_symbol("runtime.mallocgc", 16, &attr) == ST_RUNTIME);
	OK(style_of_symbol("encoding/json.Unmarshal", 23, &attr) == ST_STDLIB);
	OK(style_of_symbol("github.com/a/b.(*T).F", 21, &attr) >= ST_HUE0);
	OK(style_of_symbol("github.com/a/b.(*T).F", 21, &attr) ==
	    style_of_symbol("github.com/a/b.G", 16, &attr));
	style_of_symbol("", 0, &attr);
}

/* ---- cells */

static void check_cells(const struct grid *g)
{
	int bad = 0;
	for (int y = 0; y < g->rows; y++)
		for (int x = 0; x < g->cols; x++) {
			const struct cell *c = &g->cell[y * g->cols + x];
			bad += c->ch == 0 &&
			       (x == 0 || c[-1].ch < 0x80); /* a right half has a left one */
			bad += c->ch != 0 && c->ch < ' ';
			bad += c->fg >= ST__N || c->bg >= ST__N;
		}
	OK(!bad);
}

static void test_random_drawing(void)
{
	static const char *const text[] = {"plain", "\xe4\xb8\xad\xe6\x96\x87", "a\xcc\x81",
	    "\x1b[31m\n\x7f\xff",
	    "\xe2\x80\xae bidi",
	    "\xe2\x96\x88\xe2\x94\x82\xe2\x80\xa6", ""};
	for (int round = 0; round < 400; round++) {
		struct grid *g = grid_new(1 + (int)rnd(6), 1 + (int)rnd(20), rnd(2));
		for (int k = 0; k < 60; k++) {
			int y = (int)rnd(9) - 1, x = (int)rnd(26) - 3;
			struct rect r = {
			    (int)rnd(7) - 1, (int)rnd(22) - 1, (int)rnd(5) - 1, (int)rnd(9) - 1};
			switch (rnd(8)) {
			case 0: grid_fill(g, r, rnd(2) ? ' ' : 0x2588, ST_S_RUN, 0); break;
			case 1: grid_bar(g, y, x, (int)rnd(12), rnd(100) / 90.0, ST_HEAT); break;
			case 2: grid_level(g, y, x, rnd(100) / 90.0, ST_S_GC, ST_NORMAL); break;
			case 3:
				grid_clip(g, r),
				    grid_unclip(g, (struct rect){0, 0, g->rows, g->cols});
				break;
			case 4: grid_select(g, r); break;
			case 5: grid_right(g, y, x, ST_DIM, 0, text[rnd(7)]); break;
			default: grid_text(g, y, x, ST_NORMAL, 0, text[rnd(7)]); break;
			}
		}
		check_cells(g);
		struct buf b = {0};
		grid_print(g, &b, NULL);
		OK(!memchr(buf_str(&b), '\x1b', b.n));
		if (g->ascii) {
			int high = 0;
			for (size_t i = 0; i < b.n; i++)
				high += (unsigned char)b.p[i] >= 0x7f;
			OK(!high);
		}
		buf_free(&b);
		grid_free(g);
	}
}

/* Text is clipped to its rectangle: outside of it nothing changes. */
static void test_clip(void)
{
	struct grid *g = grid_new(3, 10, false);
	grid_clip(g, (struct rect){1, 2, 1, 4});
	grid_text(g, 0, -1, ST_NORMAL, 0, "abcdefgh");
	grid_text(g, -1, 0, ST_NORMAL, 0, "above");
	grid_put(g, 0, 3, 0x4e2d, ST_NORMAL, ST_NORMAL, 0);
	grid_fill(g, (struct rect){-5, -5, 50, 1}, '#', ST_NORMAL, 0);
	grid_unclip(g, (struct rect){0, 0, 3, 10});
	struct buf b = {0};
	grid_print(g, &b, NULL);
	OK(!strcmp(buf_str(&b), "\n  bcd\n\n"));
	buf_free(&b);
	grid_free(g);
}

/* Text that the edge cuts ends in a sign, if more than blanks is lost and enough of it is left. */
static void test_cut_sign(void)
{
	static const struct { int x; const char *s, *want; } t[] = {{0, "abcdefgh", "abcdefgh\n"},
	    {0, "abcdefghi", "abcdefg~\n"},
		{0, "abcdefgh   ", "abcdefgh\n"}, {4, "abcde", "    abc~\n"}, {5, "abcde", "     abc\n"},
		    {8, "abc", "\n"},
		{-3, "abcdefghijkl", "defghij~\n"}};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct grid *g = grid_new(1, 8, true);
		struct buf b = {0};
		grid_text(g, 0, t[i].x, ST_NORMAL, 0, t[i].s);
		grid_print(g, &b, NULL);
		OK(!strcmp(buf_str(&b), t[i].want));
		buf_free(&b);
		grid_free(g);
	}
}

/* ---- keys */

static void test_keys(void)
{
	static const struct {
		const char *s;
		int32_t key;
		size_t n;
	} names[] = {{"<Enter>", KEY_RETURN, 7}, {"<^D>", 4, 4}, {"<C-d>", 4, 5},
	    {"<F10>", KEY_F10, 5}, {"<lt>", '<', 4}, {"<x", '<', 1}, {"<", '<', 1},
	    {"\n", KEY_RETURN, 1}, {"\xc3\xa9", 0xe9, 2}, {"<S-Tab>", KEY_BACKTAB, 7}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int32_t key = 0;
		OK(keys_parse(names[i].s, strlen(names[i].s), &key) == names[i].n);
		OK(key == names[i].key);
	}
}

/* Every key of commands.def finds its own command in every pane in which no other row has that key. */
static void test_keymap(void)
{
	struct arena a = {0};
	struct keymap m;
	keymap_init(&m, &a);
	for (size_t i = 0; i < m.n; i++) {
		const struct binding *b = &m.row[i], *got;
		for (int pane = 1; pane <= P_INFO; pane *= 2) {
			if (!(b->panes & pane))
				continue;
			enum match r = keymap_find(&m, b->key, b->n, pane, &got);
			bool own = (b->panes & P_EVERY) != P_EVERY;
			/* the key is found, or a row of this pane alone has taken it */
			OK(r == KM_FOUND || r == KM_MORE || !own);
			if (r == KM_FOUND && got->cmd != b->cmd)
				OK((got->panes & P_EVERY) != P_EVERY && !own);
		}
	}
	struct err e;
	const struct binding *got;
	OK(!keymap_add(&m, "j", "half-down", P_EVERY, &e));
	OK(keymap_find(&m, &(int32_t){'j'}, 1, P_TOP, &got) == KM_FOUND &&
	    got->cmd == CMD_HALF_DOWN);
	OK(keymap_add(&m, "j", "no-such", P_EVERY, &e) < 0);
	OK(keymap_add(&m, "", "down", P_EVERY, &e) < 0);
	int32_t zz[2] = {'z', 'z'};
	OK(keymap_find(&m, zz, 1, P_TOP, &got) == KM_MORE);
	OK(keymap_find(&m, zz, 1, P_FLAME, &got) == KM_FOUND && got->cmd == CMD_COLLAPSE);
	OK(keymap_find(&m, zz, 2, P_TOP, &got) == KM_FOUND && got->cmd == CMD_CENTRE);
	keymap_free(&m);
	arena_free(&a);
}

static void test_words(void)
{
	for (int i = 1; i < CMD__N; i++)
		OK(command_find(cmds[i].name, strlen(cmds[i].name)) == (enum cmd_id)i);
	OK(command_find("zoom-i", 6) == CMD_ZOOM_IN);
	OK(command_find("zoom", 4) == CMD_NONE);	/* three names start so */
	OK(command_find("", 0) == CMD_NONE);
}

/* ---- lists and lines */

static void test_rows(void)
{
	static const enum cmd_id moves[] = {CMD_DOWN, CMD_UP, CMD_PAGE_DOWN, CMD_PAGE_UP,
	    CMD_HALF_DOWN, CMD_HALF_UP, CMD_FIRST, CMD_LAST, CMD_CENTRE};
	struct rows r = {0};
	for (int k = 0; k < 20000; k++) {
		int h = 1 + (int)rnd(12);
		if (rnd(20) == 0)
			list_set_count(&r, rnd(4) ? rnd(60) : 0);
		struct act a = {moves[rnd(9)], rnd(3) ? 0 : (int)rnd(90), NULL};
		OK(list_move(&r, &a, h));
		uint32_t top = list_first_row(&r, h);
		if (r.n ? r.sel >= r.n || top > r.sel || r.sel >= top + (uint32_t)h
			: r.sel || top) {
			OK(0);
			break;
		}
		if (r.n >= (uint32_t)h &&
		    top + (uint32_t)h > r.n) { /* no empty lines while there are rows */
			OK(0);
			break;
		}
	}
}

static void some_columns(void)
{
	int x[3], w[3], wants;
	struct list_column c[3] = {{.head = "A", .least = 8, .content = LIST_NUMBER, .drop = LIST_FIRST},
	    {.head = "NAME", .least = 16, .want = 40, .content = LIST_TEXT, .weight = 1},
	    {.head = "B", .least = 6, .content = LIST_NUMBER, .drop = LIST_FIRST, .sort = 1}};
	list_layout_columns(c, 3, 40, x, w);
	OK(x[0] == 0 && x[1] == 9 && w[1] == 24 && x[2] == 34);
	list_layout_columns(c, 3, 24, x, w);
	OK(x[0] == -1 && x[1] == 0 && x[2] == 17);	/* kept: the list is sorted by it */
	c[2].sort = 0;
	list_layout_columns(c, 3, 25, x, w);
	OK(x[2] == -1 && x[1] == 9 && w[1] == 16);
	list_layout_columns(c, 3, 80, x, w);
	OK(w[1] == 40);		/* more is of no use */
	c[1].most = 50;
	list_layout_columns(c, 3, 80, x, w);
	OK(w[1] == 50);		/* it is, if nothing else needs the cells */
	OK(list_cells_beside(c, 3, 56 + LIST_SIDE_GAP + LIST_SIDE_LEAST - 1, &wants) == 97 && wants == 56);
	OK(list_cells_beside(c, 3, 98, &wants) == 56);
	OK(list_cells_beside(c, 3, 118, &wants) == 56 && list_cells_beside(c, 3, 300, &wants) == 66);
	c[2].drop = LIST_THEN;
	list_layout_columns(c, 3, 55, x, w);
	OK(x[2] == -1 && w[1] == 40);	/* the name has what it wants first */
	list_layout_columns(c, 3, 56, x, w);
	OK(x[2] == 50);
}

static void random_columns(struct list_column *c, int n)
{
	for (int i = 0; i < n; i++)
		c[i] = (struct list_column){.head = "HEAD", .least = (uint8_t)(1 + rnd(20)), .want = (uint8_t)rnd(70),
		    .content = (uint8_t)rnd(3), .drop = (uint8_t)rnd(4), .weight = (uint8_t)rnd(3), .sort = !rnd(8),
		    .most = (uint8_t)rnd(120)};
}

/* A wider list, or a wider screen with a side part, has each column of the narrower one, and none of them narrower. */
static void columns(void)
{
	enum { MAX = 12, WIDE = 300 };
	some_columns();
	for (int i = 0; i < 400; i++) {
		struct list_column c[MAX];
		int n = 1 + (int)rnd(MAX), before[2][MAX] = {{0}}, bad = 0, was = 0;
		random_columns(c, n);
		for (int w = 1; w <= WIDE; w++)
			for (int side = 0; side < 2; side++) {
				int x[MAX], width[MAX], wants = w, own = side ? list_cells_beside(c, n, w, &wants) : w;
				list_layout_columns(c, n, own < w || wants > w ? own : wants, x, width);
				for (int k = 0; k < n; k++) {
					bad += width[k] < before[side][k] && w > 1;
					bad += width[k] >= 0 && width[k] < c[k].least;
					before[side][k] = width[k];
				}
				bad += side && own < w && w - own < LIST_SIDE_GAP + LIST_SIDE_LEAST;
				bad += side && was && own == w;	/* the side part stays */
				was |= side && own < w;
			}
		OK(!bad);
	}
}

static void type(struct prompt *p, const char *s)
{
	for (size_t n = strlen(s); n;) {
		int32_t key;
		size_t k = keys_parse(s, n, &key);
		prompt_key(p, key);
		s += k;
		n -= k;
	}
}

static void test_prompt(void)
{
	struct history h = {0};
	struct prompt p;
	prompt_history_add(&h, "first one");
	prompt_history_add(&h, "second");
	prompt_start(&p, "", &h);
	type(&p, "h\xc3\xa9llo w\xc3\xb6rld<Left><Left><Backspace>");
	OK(!strcmp(p.text, "h\xc3\xa9llo w\xc3\xb6ld"));
	type(&p, "<^A>X<^E>Y<^W>");
	OK(!strcmp(p.text, "Xh\xc3\xa9llo "));
	type(&p, "<^U>typed<Up><Up>");
	OK(!strcmp(p.text, "first one"));
	type(&p, "<Down><Down>");
	OK(!strcmp(p.text, "typed"));
	type(&p, "<^R>fir");
	OK(!strcmp(p.text, "first one"));
	for (int i = 0; i < 3000; i++)
		type(&p, "\xe4\xb8\xad");
	OK(p.n <= PROMPT_MAX && p.n % 3 == 0);
	struct grid *g = grid_new(1, 12, false);
	prompt_draw(&p, g, 0, ":", ST_NORMAL);
	check_cells(g);
	grid_free(g);
	prompt_history_free(&h);
}

int main(void)
{
	columns();
	test_contrast();
	test_own_foreground();
	test_text();
	test_red();
	test_shapes();
	test_apart();
	test_few_colours();
	test_tones();
	test_sixteen();
	test_symbols();
	test_random_drawing();
	test_clip();
	test_cut_sign();
	test_keys();
	test_keymap();
	test_words();
	test_rows();
	test_prompt();
	return DONE();
}
