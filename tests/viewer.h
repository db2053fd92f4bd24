/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_VIEWER_H
#define TTRACE_VIEWER_H

/* The viewer without a terminal: opened on what the options name, with keys in the notation of -script. */
#include "app/app.h"
#include "app/command.h"

#include <string.h>

/* The viewer of a file that has been read; NULL: it cannot be read. Released by viewer_close(). */
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

/* Presses the keys one after the other and draws what each shows into g. */
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
