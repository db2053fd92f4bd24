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
 * The viewer without a terminal: it takes keys and fills a grid. What only a terminal can do is
 * returned as requests to the caller: term.c's loop, or script.c, which has no terminal and ignores
 * them.
 */
struct app;

struct app_setup {
	int rows, cols;
	bool ascii;
	struct look look;
	bool themed;		/* the user has chosen the theme */
	tui_report *report;	/* NULL: no reports */
	bool files;		/* history and configuration may be read and written */
	bool patient;		/* long computations run in the background: see app_work() */
};
struct app *app_new(const struct options *, struct session *, const struct app_setup *, struct err *);
void app_save(struct app *);	/* write the history of prompts, and the last view */
void app_free(struct app *);

void app_key(struct app *, int32_t key);
/* Would app_key() wait for what an earlier key asked for, and a job makes? Not for Esc and keys that quit. */
bool app_key_waits(const struct app *, int32_t key);
void app_click(struct app *, int32_t key, int y, int x);	/* key: KEY_CLICK, ... */
void app_resize(struct app *, int rows, int cols);
void app_background(struct app *, bool light);	/* the terminal's, which chooses the theme unless the user has */
void app_refresh(struct app *);			/* take new data of the session, if any */
/* Return the job to poll, or NULL. app_session() returns the session shown, which is another one after a reload;
   the caller that opened the first session closes this one. */
struct job *app_job(const struct app *);
struct session *app_session(const struct app *);
void app_wait(struct app *);			/* until no job is pending */
/* Return the background job for the pane shown, or NULL. */
struct job *app_work(const struct app *);
/* Return whether a computation runs on the UI thread between keys, in steps of a few milliseconds by
   app_run_step(). The screen does not change until it is complete. */
bool app_busy(const struct app *);
void app_run_step(struct app *);
/* Take the results of app_work(), if it has ended or, with wait, when it ends. */
void app_take_results(struct app *, bool wait);
void app_draw(struct app *, struct grid *);	/* resizes the grid to the app's size and writes every cell */
void app_message(struct app *, enum style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool app_has_message(const struct app *);

struct app_requests {		/* to the terminal; taken by app_take_requests() */
	bool quit, redraw, stop;	/* stop: ^Z */
	char *copy;			/* text for the clipboard; the caller frees it */
	size_t ncopy;
	char *pipe, *text;		/* a command and its input; the caller frees both */
	size_t ntext;
	char *file;			/* open it in an editor; the caller frees it */
	int64_t line;
};
struct app_requests app_take_requests(struct app *);
void app_requests_free(struct app_requests *);
/* Report the result of a copy: written to a file, if there is no clipboard; failed: neither was possible. */
void app_copy_done(struct app *, const char *file, bool failed);
const struct look *app_look(const struct app *);
bool app_mouse(const struct app *);
bool app_cursor(const struct app *);	/* it is visible */
bool app_ticks(const struct app *);
/* Record what the previous frame cost, from the key to its bytes, for `set debug on`. */
void app_cost(struct app *, int64_t us, uint32_t cells, size_t bytes);

#endif
