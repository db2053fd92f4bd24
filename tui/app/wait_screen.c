/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The screen before there is data: a server may collect for half a minute, a pipe may be slow. The
 * kind of file is not known yet, so this is no pane and there is no app; it shows the seconds and
 * handles the keys that quit.
 *
 * The bar shows the seconds that the server was asked for, or the bytes once they arrive and their
 * total is known.
 */
#include "config.h"
#include "app/wait_screen.h"

#include "base/job.h"
#include "base/text/text.h"
#include "term/key.h"
#include "term/term.h"

#include <string.h>

static int64_t elapsed_seconds(const struct fetch_progress *f)
{
	return f->ms / 1000;
}

void wait_screen_text(const struct fetch_progress *f, struct buf *b)
{
	if (f->bytes)
		text_bytes(b, (int64_t)f->bytes);
	if (f->bytes && f->total)
		buf_printf(b, ", %d%%", (int)(100.0 * (double)f->bytes / (double)f->total));
	else if (f->expect_s && elapsed_seconds(f) <= f->expect_s)
		buf_printf(b, "%s%lld s of %lld s", f->bytes ? ", " : "", (long long)elapsed_seconds(f),
		    (long long)f->expect_s);
	else
		buf_printf(b, "%s%lld s", f->bytes ? ", " : "", (long long)elapsed_seconds(f));
}

#ifdef HAVE_CURSES

static double done_share(const struct fetch_progress *f)
{
	double x = f->total ? (double)f->bytes / (double)f->total
		   : f->expect_s ? (double)f->ms / 1000 / (double)f->expect_s : 0;
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Draw the screen. */
static void wait_screen_draw(const struct session *s, struct grid *g)
{
	struct fetch_progress f = {.from = ""};
	struct buf b = {0};
	bool known = session_fetch_progress(s, &f);
	int y = g->h > 8 ? g->h / 2 - 2 : 1, x = g->w > 60 ? 4 : 1, w = g->w - 2 * x;
	grid_text(g, 0, 0, ST_TITLE, 0, "ttrace");
	if (w < 10)
		return;
	text_fit_middle(&b, f.from, strlen(f.from), (size_t)w - 10, g->ascii);
	x = grid_text(g, y, x, ST_NORMAL, 0, known ? "waiting for " : "reading");
	grid_textn(g, y, x, ST_ACCENT, 0, b.p, b.n);
	x = g->w > 60 ? 4 : 1;
	if (known && (f.total || f.expect_s))
		grid_bar(g, y + 2, x, w < 60 ? w : 60, done_share(&f), ST_ACCENT);
	buf_reset(&b);
	if (known)
		wait_screen_text(&f, &b);
	grid_text(g, y + 3, x, ST_NORMAL, 0, buf_str(&b));
	x = grid_text(g, g->h - 1, 0, ST_KEY, 0, "q");
	grid_text(g, g->h - 1, x, ST_DIM, 0, " cancel and quit");
	buf_free(&b);
}

/* Return whether a key quits. ^C is 3. */
static bool is_quit_key(int32_t key)
{
	return key == 'q' || key == 'Q' || key == KEY_ESC || key == 3 || key == KEY_F10;
}

int wait_screen_run(struct term *t, struct session *s, struct look *look, bool ascii, struct err *e)
{
	struct grid *g = grid_new(1, 1, ascii);
	int rc = 0, rows, cols;
	while (!rc && !session_format_known(s)) {
		struct term_input in = {0};
		struct job *j = session_job(s);
		term_size(t, &rows, &cols);
		grid_resize(g, rows, cols);
		wait_screen_draw(s, g);
		term_show(t, g, look);
		switch (term_wait(t, j ? job_fd(j) : -1, 500, &in)) {
		case TE_KEY: rc = is_quit_key(in.key); break;
		case TE_QUIT: rc = 1; break;
		case TE_STOP: term_stop(t); break;
		case TE_CONT: term_redraw(t); break;
		case TE_BACKGROUND: look->theme = in.light ? TH_LIGHT : TH_DARK; break;
		case TE_FD:
			job_drain(j);
			session_refresh(s);
			break;
		default: break;
		}
		if (!rc && session_failed(s, e))
			rc = -1;
	}
	grid_free(g);
	return rc;
}

#endif
