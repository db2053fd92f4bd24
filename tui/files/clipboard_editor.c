/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Output to the clipboard, to a file, to another program, to the editor.
 *
 * The app only makes requests; the terminal reaches the clipboard or an editor (struct
 * app_requests). A key that writes a file first shows its name, and asks before it replaces an
 * existing one (write_file.c). TTRACESECURE in the environment disables all of this, for machines
 * on which a viewer must not write or start anything.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/newfile.h"
#include "base/put.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "symbols/source.h"
#include "term/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool refuse_secure(struct app *a)
{
	if (a->secure)
		app_message(a, ST_WARN, "off because TTRACESECURE is set");
	return a->secure;
}

/* ---- copying */

void files_copy_text(struct app *a, struct buf *b, const char *what)
{
	if (!b->n) {
		app_message(a, ST_WARN, "nothing to copy");
		return;
	}
	mem_free(a->wants.copy);
	a->wants.ncopy = b->n;
	a->wants.copy = xstrdup(buf_str(b));
	app_message(a, ST_DIM, "copied %s: %zu byte%s", what, b->n, text_s(b->n));
}

enum { COPY_COLS = 4096 };

void files_copy(struct app *a, const char *what)
{
	const struct pane_ops *p = pane_now(a);
	struct pane_env wide = a->env;
	struct buf b = {0};
	wide.cols = COPY_COLS;	/* keep names whole, even if the screen is narrow */
	if (refuse_secure(a))
		return;
	if (!strcmp(what, "report")) {
		copy_pane_start(a, NULL);
		return;
	}
	if (!strcmp(what, "view"))
		view_options_put(a, &b);
	else if (p->output.copy)
		p->output.copy(state_now(a), &a->env, &b);
	else
		pane_put_detail(p, state_now(a), &wide, &b);
	if (!b.n && !strcmp(what, "item")) {	/* nothing is selected: copy the view */
		what = "view";
		view_options_put(a, &b);
	}
	files_copy_text(a, &b, !strcmp(what, "view") ? buf_str(&b) : what);
	buf_free(&b);
}

void app_copy_done(struct app *a, const char *file, bool failed)
{
	if (failed)
		app_message(a, ST_ERROR, "no clipboard, and cannot write a file");
	else if (file)
		app_message(a, ST_NORMAL, "no clipboard available: written to %s", file);
}

/* ---- files */

/* P: show the name for editing before anything is written. */
static void ask_name(struct app *a)
{
	struct stat st;
	struct buf b = {0};
	for (int i = 1; i < 1000; i++) {
		buf_reset(&b);
		buf_printf(&b, "screen ttrace-%d.txt", i);
		if (lstat(buf_str(&b) + strlen("screen "), &st))
			break;
	}
	app_prompt(a, CMD_COMMAND, buf_str(&b));
	buf_free(&b);
}

void files_write_screen(struct app *a, const char *file)
{
	const struct pane_ops *p = pane_now(a);
	struct buf b = {0}, name = {0};
	struct err e;
	if (refuse_secure(a))
		return;
	if (!file || !*file) {
		ask_name(a);
		return;
	}
	if (!write_file_allowed(a, CMD_SCREEN, file, file))
		return;
	buf_puts(&name, path_home(&a->scratch, file));	/* app_draw() resets the scratch arena */
	bool own = p->output.copy && p->output.copy(state_now(a), &a->env, &b);
	if (!own)
		buf_reset(&b);
	struct grid *g = own ? NULL : grid_new(a->screen.rows, a->screen.cols, a->env.ascii);
	a->status.text[0] = '\0';
	if (g) {
		app_draw(a, g);
		export_screen(g, &a->screen.look, buf_str(&name), &b);
	}
	grid_free(g);
	if (newfile_write(buf_str(&name), b.p, b.n, 0, &e))
		app_message(a, ST_ERROR, "%s", e.msg);
	else
		app_message(a, ST_NORMAL, own ? "selection written to %s" : "screen written to %s", buf_str(&name));
	buf_free(&name);
	buf_free(&b);
}

void files_pipe_pane(struct app *a, const char *command)
{
	if (refuse_secure(a))
		return;
	if (!command) {
		app_prompt(a, CMD_PIPE, "");
		return;
	}
	if (*command)
		copy_pane_start(a, command);
}

void files_edit_source(struct app *a)
{
	struct place p;
	if (refuse_secure(a))
		return;
	app_place(a, &p);
	const struct store *st = session_snap(a->s)->st;
	const struct frm_row *frm = p.frm ? store_frm(st, p.frm) : NULL;
	fun_id f = frm ? frm->fun : p.fun;
	const char *file = f ? store_str(st, store_fun(st, f)->file)->s : "";
	const struct source *src = *file ? source_cache_get(session_sources(a->s), file) : NULL;
	struct buf where = {0};
	if (!src) {
		app_message(a, ST_WARN, "no source line is selected");
	} else if (!src->path) {
		source_cache_describe(session_sources(a->s), &where);
		app_message(a, ST_WARN, "%s not found: searched %s", file, buf_str(&where));
	} else {
		mem_free(a->wants.file);
		a->wants.file = xstrdup(src->path);
		a->wants.line = p.line > 0 ? p.line : frm && frm->line > 0 ? frm->line : store_fun(st, f)->line;
	}
	buf_free(&where);
}
