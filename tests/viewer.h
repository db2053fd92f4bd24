/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_VIEWER_H
#define TTRACE_VIEWER_H

/* A viewer without a terminal: it opens the file that the options name; keys are in the notation of -script. */
#include "app/app.h"
#include "app/command.h"

#include <stdio.h>
#include <string.h>

/* Return a viewer whose file has been read whole, or NULL if it cannot be read. viewer_close() releases it. */
static inline struct app *viewer_open(const struct options *o, int rows, int cols)
{
	struct err e;
	struct app_setup u = {.rows = rows, .cols = cols, .look = {TH_DARK, 256}};
	struct session *s = session_open(o, &e);
	struct app *a = s && !session_wait(s, &e) ? app_new(o, s, &u, &e) : NULL;
	if (s && !a)
		session_close(s);
	return a;
}

static inline void viewer_close(struct app *a)
{
	struct session *s = app_session(a);
	app_free(a);
	session_close(s);
}

/* Return whether two screens are equal, with their styles. */
static inline bool viewer_same(const struct grid *a, const struct grid *b)
{
	bool yes = a->rows == b->rows && a->cols == b->cols;
	for (int i = 0; yes && i < a->rows * a->cols; i++) {
		const struct cell *p = &a->cell[i], *q = &b->cell[i];
		yes = p->ch == q->ch && p->mark == q->mark && p->fg == q->fg && p->bg == q->bg && p->attr == q->attr;
	}
	return yes;
}

/* Return whether each cell is printable, with a style that exists, and whether each wide character has its two cells. */
static inline bool viewer_cells_valid(const struct grid *g)
{
	for (int y = 0; y < g->rows; y++)
		for (int x = 0; x < g->cols; x++) {
			const struct cell *c = &g->cell[y * g->cols + x];
			bool half = c->ch == 0;
			if ((half && (x == 0 || c[-1].ch < 0x80)) || (!half && c->ch < ' ') || c->ch == 0x7f ||
			    c->fg >= ST__N || c->bg >= ST__N) {
				fprintf(stderr, "%dx%d: cell %d,%d is U+%04X\n", g->cols, g->rows, y, x, c->ch);
				return false;
			}
		}
	return true;
}

/* Press the keys one after the other; wait for the jobs of each and draw its screen into g. */
static inline void viewer_press(struct app *a, struct grid *g, const char *keys)
{
	for (size_t n = strlen(keys); n;) {
		int32_t key;
		size_t k = keys_parse(keys, n, &key);
		app_key(a, key);
		app_wait(a);
		app_take_results(a, true);
		app_draw(a, g);
		keys += k;
		n -= k;
	}
}

#endif
