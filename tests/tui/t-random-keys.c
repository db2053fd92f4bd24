/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Random keys on random screens: the viewer runs without a terminal, with keys and sizes drawn at random (seeded, so that
 * a failure can be repeated), on a trace and on profiles. After every key the screen is drawn twice: both must be the
 * same, every cell must be printable, and nothing may crash. TTRACESECURE forbids writing and editing files.
 */
#include "config.h"
#include "app/app.h"
#include "base/mem/mem.h"
#include "app/command.h"
#include "cli/options.h"
#include "session/session.h"

#include "sample.h"
#include "tap.h"
#include "viewer.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seed;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static int32_t some_key(void)
{
	static const int32_t special[] = {KEY_RETURN, KEY_ESC, KEY_TAB, KEY_BACKTAB, KEY_DOWN_,
	    KEY_UP_, KEY_LEFT_, KEY_RIGHT_, KEY_PGDN, KEY_PGUP, KEY_HOME_, KEY_END_, KEY_BACKSPACE,
	    KEY_F1, KEY_F3, KEY_F4, KEY_F6, 2, 4, 6, 7, 15, 18, 21, 0x4e2d, 0x301};
	static const char often[] = "jjjkklh123445++--fxdourn/&\\*[]";
	uint32_t k = rnd(10);
	if (k < 3)
		return special[rnd(sizeof special / sizeof *special)];
	if (k < 7)
		return often[rnd(sizeof often - 1)];
	return (int32_t)(' ' + rnd(95));
}

static void click(struct app *a, int rows, int cols)
{
	static const int32_t key[] = {KEY_CLICK, KEY_CLICK2, KEY_RCLICK, KEY_WHEEL_UP,
	    KEY_WHEEL_DOWN, KEY_ZOOM_UP, KEY_ZOOM_DOWN};
	app_click(a, key[rnd(7)], (int)rnd((uint32_t)rows), (int)rnd((uint32_t)cols));
}

/* Press random keys. Return the session that is open at the end: the key r may have replaced it. */
static struct session *drive(struct session *s, const struct options *o, uint32_t from, int keys)
{
	static const int size[][2] = {
	    {24, 80}, {60, 200}, {5, 20}, {1, 1}, {8, 40}, {43, 132}, {9, 41}, {24, 120}};
	struct err e;
	int rows = 24, cols = 80;
	seed = from;
	struct app_setup u = {
	    .rows = rows, .cols = cols, .ascii = from & 1, .look = {TH_DARK, from & 2 ? 256 : 0}};
	struct app *a = app_new(o, s, &u, &e);
	OK(a != NULL);
	if (!a)
		return s;
	struct grid *g = grid_new(1, 1, false), *h = grid_new(1, 1, false);
	int bad = 0;
	for (int k = 0; k < keys && !bad; k++) {
		if (rnd(25) == 0) {
			const int *to = size[rnd(8)];
			rows = rnd(3) ? to[0] : 1 + (int)rnd(70);
			cols = rnd(3) ? to[1] : 1 + (int)rnd(230);
			app_resize(a, rows, cols);
		}
		int32_t key = rnd(12) ? some_key() : 0;
		if (key)
			app_key(a, key);
		else
			click(a, rows, cols);
		struct app_requests w = app_take_requests(a);
		mem_free(w.copy);
		mem_free(w.file);
		app_wait(a);	/* else the progress of loading changes the screen */
		app_draw(a, g);
		app_draw(a, h);
		bad = !viewer_cells_valid(g) || !viewer_same(g, h) || g->rows != rows || g->cols != cols;
		if (bad)
			fprintf(
			    stderr, "seed %u, key %d (%d) at %dx%d\n", from, k, key, cols, rows);
	}
	OK(!bad);
	grid_free(g);
	grid_free(h);
	s = app_session(a);
	app_free(a);
	return s;
}

static void run(const char *file, uint32_t seeds, int keys)
{
	struct options o;
	struct err e = {0};
	if (!sample_opt(&o, file)) {
		OK(0);
		return;
	}
	for (uint32_t i = 0; i < seeds; i++) {
		struct session *s = session_open(&o, &e);
		OK(s && !session_wait(s, &e));
		if (s)
			s = drive(s, &o, i + 1, keys);
		session_close(s);
	}
	options_free(&o);
}

int main(int argc, char **argv)
{
	uint32_t seeds = argc > 1 ? (uint32_t)atoi(argv[1]) : 6;
	int keys = argc > 2 ? atoi(argv[2]) : 250;
	setenv("TTRACESECURE", "1", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	run("cpu.pb.gz", seeds, keys);
	run("heap.pb.gz", seeds, keys);
	run("orders.trace", seeds, keys);
	return DONE();
}
