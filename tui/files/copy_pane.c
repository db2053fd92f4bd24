/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The whole of a pane as text: the pane drawn on a sheet of paper. Panes draw into any
 * grid, so a tall one holds the whole list, and no pane needs a second way to say what
 * it shows. What has no end (a million events) ends with the paper.
 *
 * Three thousand lines are fifty screens, so the sheet is drawn strip by strip: a
 * strip is a grid that keeps some rows of the sheet, and who draws lists passes over the
 * others. Between two strips the loop looks for keys. Whoever comes with something that
 * changes the pane, a key or news of the file, has the rest drawn first, so all of a
 * sheet shows one moment; Esc drops it. Not taken: a thread. Panes are drawn
 * by one alone: what they keep from frame to frame, and the scratch, are not to be shared.
 *
 * A strip is a frame: it waits for no sheet of the trace, and where some are away it is
 * drawn from sums, as the screen is. To bring what all rows of a sheet of paper look at would be minutes.
 */
#include "config.h"
#include "app/internal.h"

#include "base/clock.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"

#include <string.h>

enum { PAPER_ROWS = 3000, PAPER_COLS = 160 };
enum { STRIP = 32, STRIP_MOST = 512, SPENT = 3000 };	/* rows; us that are spent before the loop looks for keys */

struct pane_copy {
	struct pane_env env;
	struct grid *g;
	struct buf text;
	size_t end;		/* of the text, but for blank lines */
	int rows, at, strip;	/* of the sheet; those before at are in the text; the next so many */
	char *pipe;		/* NULL: it is to be copied */
};

/* Line `y` of the strip as text; false when it is blank. */
static bool line_text(const struct grid *g, int y, struct buf *b)
{
	size_t end = b->n, begin = b->n;
	for (int x = 0; x < g->cols; x++) {
		const struct cell *c = &g->cell[y * g->cols + x];
		char u[4];
		if (c->ch)
			buf_put(b, u, text_encode_utf8(c->ch, u));
		if (c->mark)
			buf_put(b, u, text_encode_utf8(c->mark, u));
		if (c->ch && c->ch != ' ')
			end = b->n;
	}
	b->n = end;
	return end > begin;
}

/* Without waiting, unless nobody is patient. */
static void draw_strip(struct app *a, struct pane_copy *p, int rows, int from, int to)
{
	p->env.rows = rows;
	grid_strip(p->g, rows, p->env.cols, from, to);
	if (a->patient)
		session_begin_frame(a->s, false);
	pane_now(a)->draw(state_now(a), &p->env, p->g);
	if (a->patient)
		session_end_frame(a->s);
}

/* false: a list does not fit on so many rows. */
static bool list_fits(struct app *a, struct pane_copy *p, int rows)
{
	draw_strip(a, p, rows, 0, 0);
	return !p->g->scrolls;
}

/* As tall as the list needs: panes with a picture below it make the picture fill the rest. The sheets to choose from
   grow by thirds; a list that has no end goes onto the largest. */
static int sheet_rows(struct app *a, struct pane_copy *p)
{
	int size[32] = {a->env.rows}, n = 1, lo = 0, hi;
	if (pane_now(a)->bit == P_TIME)		/* rows without a scrollbar */
		return PAPER_ROWS;
	for (; n < 32 && size[n - 1] + size[n - 1] / 3 + 1 < PAPER_ROWS; n++)
		size[n] = size[n - 1] + size[n - 1] / 3 + 1;
	if (list_fits(a, p, size[0]) || n == 1 || !list_fits(a, p, size[n - 1]))
		return p->g->rows;
	for (hi = n - 1; hi - lo > 1;) {
		int at = (lo + hi) / 2;
		if (list_fits(a, p, size[at]))
			hi = at;
		else
			lo = at;
	}
	return size[hi];
}

static void strip_taken(struct pane_copy *p)
{
	for (int y = 0; y < p->g->to - p->g->from; y++) {
		bool any = line_text(p->g, y, &p->text);
		buf_putc(&p->text, '\n');
		if (any)
			p->end = p->text.n;
	}
	p->at = p->g->to;
}

static int strip_end(const struct pane_copy *p)
{
	return p->rows - p->at < p->strip ? p->rows : p->at + p->strip;
}

static void free_pane_copy(struct app *a)
{
	struct pane_copy *p = a->pane_copy;
	if (!p)
		return;
	a->pane_copy = NULL;
	grid_free(p->g);
	buf_free(&p->text);
	mem_free(p->pipe);
	mem_free(p);
}

static void finish_copy(struct app *a)
{
	struct pane_copy *p = a->pane_copy;
	p->text.n = p->end;
	if (p->pipe) {
		mem_free(a->wants.pipe);
		mem_free(a->wants.text);
		a->wants.pipe = p->pipe;
		a->wants.ntext = p->text.n;
		a->wants.text = xstrdup(buf_str(&p->text));
		p->pipe = NULL;
		a->message[0] = '\0';
	} else {
		files_copy_text(a, &p->text, "report");
	}
	free_pane_copy(a);
}

bool app_busy(const struct app *a)
{
	return a->pane_copy;
}

/* For some milliseconds, or for one strip where tests want many steps. */
static void draw_strips(struct app *a)
{
	struct pane_copy *p = a->pane_copy;
	int64_t t0 = clock_us(), spent = 0, most = job_forced_threads() > 1 ? 0 : SPENT;
	while (p->at < p->rows && spent <= most) {
		draw_strip(a, p, p->rows, p->at, strip_end(p));
		strip_taken(p);
		int64_t took = clock_us() - t0 - spent;
		spent += took;
		if (took < SPENT / 4 && p->strip < STRIP_MOST)
			p->strip *= 2;
		else if (took > SPENT / 2 && p->strip > STRIP)
			p->strip /= 2;
	}
	if (p->at == p->rows)
		finish_copy(a);
}

void app_run_step(struct app *a)
{
	draw_strips(a);
	arena_reset(&a->scratch);
}

void copy_pane_finish(struct app *a)
{
	struct pane_copy *p = a->pane_copy;
	if (!p)
		return;
	while (p->at < p->rows) {
		draw_strip(a, p, p->rows, p->at, strip_end(p));
		strip_taken(p);
		p->strip = STRIP_MOST;
	}
	finish_copy(a);
}

bool copy_pane_cancel(struct app *a)
{
	bool any = a->pane_copy;
	free_pane_copy(a);
	return any;
}

void copy_pane_start(struct app *a, const char *pipe)
{
	copy_pane_finish(a);
	struct pane_copy *p = a->pane_copy = xcalloc(1, sizeof *p);
	const struct pane_ops *ops = pane_now(a);
	struct buf head = {0};
	p->pipe = pipe ? xstrdup(pipe) : NULL;
	p->env = a->env;
	p->env.cols = p->env.choose = a->cols > PAPER_COLS ? a->cols : PAPER_COLS;
	p->env.rows = ops->bit == P_TIME ? PAPER_ROWS : a->env.rows;
	p->env.mono = true;
	p->g = grid_new(1, 1, a->env.ascii);
	p->g->mono = true;
	if (ops->summary)
		ops->summary(state_now(a), &p->env, &head);
	text_mask_passwords(&p->text, session_file(a->s));
	buf_printf(&p->text, ": %s\n%s\n", ops->name, buf_str(&head));
	buf_free(&head);
	p->end = p->text.n;
	p->rows = sheet_rows(a, p);
	p->strip = STRIP;
	if (!a->patient) {
		copy_pane_finish(a);
		return;
	}
	app_message(a, ST_DIM, pipe ? "collecting the lines of this pane" : "copying the lines of this pane");
	if (job_forced_threads() <= 1)		/* what is small is there with the key */
		draw_strips(a);
}
