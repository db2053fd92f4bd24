/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_APP_H
#define TTRACE_APP_APP_H

#include "app/tui.h"
#include "base/err.h"
#include "session/session.h"
#include "term/grid.h"
#include "term/style.h"

/*
 * The viewer without a terminal: keys go in, a grid comes out. What only a
 * terminal can do it asks of whoever drives it (term.c's loop, or script.c,
 * which has none and lets it be).
 */
struct app;

struct app_setup {
	int rows, cols;
	bool ascii;
	struct look look;
	tui_report *report;	/* NULL: there are none */
	bool files;		/* history and configuration may be read and written */
	bool patient;		/* what takes long is made beside the keyboard: see app_work() */
};
struct app *app_new(const struct options *, struct session *, const struct app_setup *, struct err *);
void app_free(struct app *);

void app_key(struct app *, int32_t key);
void app_click(struct app *, int32_t key, int y, int x);	/* KEY_CLICK, ... */
void app_resize(struct app *, int rows, int cols);
void app_refresh(struct app *);			/* the session may have more: take it */
/* What it waits for, to be polled; NULL nothing. The session shown: another one when a file was read again;
   whoever opened the first one closes this one. */
struct job *app_job(const struct app *);
struct session *app_session(const struct app *);
void app_wait(struct app *);			/* until it waits for nothing */
/* what is worked at beside the keyboard for the pane shown, or NULL */
struct job *app_work(const struct app *);
/* Something is made between keys, by steps of some milliseconds as long as no key comes; until it is there the screen
   stays as it is. */
bool app_busy(const struct app *);
void app_run_step(struct app *);
void app_take_results(struct app *, bool wait);	/* take what it made, when it has ended or after waiting */
void app_draw(struct app *, struct grid *);	/* resized to the app's size; every cell written */
void app_message(struct app *, enum style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

struct app_requests {		/* of the terminal; taken by app_requests() */
	bool quit, redraw, stop;	/* stop: ^Z */
	char *copy;			/* to the clipboard; free it */
	size_t ncopy;
	char *pipe, *text;		/* a command, and what it gets on its input; free both */
	size_t ntext;
	char *file;			/* to be opened in an editor; free it */
	int64_t line;
};
struct app_requests app_take_requests(struct app *);
void app_requests_free(struct app_requests *);
/* What became of the copy: in a file, where there is no clipboard; failed: nowhere. */
void app_copy_done(struct app *, const char *file, bool failed);
const struct look *app_look(const struct app *);
bool app_mouse(const struct app *);
bool app_cursor(const struct app *);	/* it is to be visible */
bool app_ticks(const struct app *);
/* What the frame before cost, from the key to its bytes, for `set debug on`. */
void app_cost(struct app *, int64_t us, uint32_t cells, size_t bytes);

#endif
