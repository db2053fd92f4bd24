/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The whole content of a pane as text: the pane is drawn into a grid of up to PAPER_ROWS rows. Panes draw into a grid of
 * any size, so it holds the whole list, and no pane needs a second output function. Longer lists (a million events) are
 * cut.
 *
 * Three thousand lines are fifty screens, so they are drawn in strips: a strip keeps some rows of that grid, and list
 * drawing skips the others. Between two strips the loop polls for keys. Before a key or new data changes the pane, the
 * rest is drawn, so the text shows one state; Esc cancels it. Not taken: a thread. Panes may only be drawn by the UI
 * thread, because their caches and the scratch arena are not shared.
 */
#include "config.h"
#include "app/internal.h"

#include "base/clock.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"

#include <string.h>

enum { PAPER_ROWS = 3000, PAPER_COLS = 160 };
enum { STRIP = 32, STRIP_MOST = 512, SPENT = 3000 };	/* rows; SPENT: us of drawing between two polls */

struct pane_copy {
	struct pane_env env;
	struct grid *g;
	struct buf text;
	size_t end;		/* end of the text without trailing blank lines */
	int rows, at, strip;	/* rows of the grid; rows before `at` are in the text; rows of the next strip */
	char *pipe;		/* NULL: copy it */
};

/* Append line `y` of the strip as text; return false if it is blank. */
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

static void draw_strip(struct app *a, struct pane_copy *p, int rows, int from, int to)
{
	p->env.rows = rows;
	grid_strip(p->g, rows, p->env.cols, from, to);
	pane_now(a)->draw(state_now(a), &p->env, p->g);
}

/* Return whether the list fits in this number of rows. */
static bool list_fits(struct app *a, struct pane_copy *p, int rows)
{
	draw_strip(a, p, rows, 0, 0);
	return !p->g->scrolls;
}

/* Return the smallest height that shows the whole list, because panes with a chart below it extend the chart to
   the end. The candidates grow by thirds; a longer list gets the largest. */
static int paper_rows(struct app *a, struct pane_copy *p)
{
	int size[32] = {a->env.rows}, n = 1, lo = 0, hi;
	if (pane_now(a)->bit == P_TIME)		/* its rows have no scrollbar */
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
	struct pane_copy *p = a->files.pane_copy;
	if (!p)
		return;
	a->files.pane_copy = NULL;
	grid_free(p->g);
	buf_free(&p->text);
	mem_free(p->pipe);
	mem_free(p);
}

static void finish_copy(struct app *a)
{
	struct pane_copy *p = a->files.pane_copy;
	p->text.n = p->end;
	if (p->pipe) {
		mem_free(a->wants.pipe);
		mem_free(a->wants.text);
		a->wants.pipe = p->pipe;
		a->wants.ntext = p->text.n;
		a->wants.text = xstrdup(buf_str(&p->text));
		p->pipe = NULL;
		a->status.text[0] = '\0';
	} else {
		files_copy_text(a, &p->text, "report");
	}
	free_pane_copy(a);
}

bool app_busy(const struct app *a)
{
	return a->files.pane_copy;
}

/* Draw strips for some milliseconds, or one strip if tests force many steps. */
static void draw_strips(struct app *a)
{
	struct pane_copy *p = a->files.pane_copy;
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
	struct pane_copy *p = a->files.pane_copy;
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
	bool any = a->files.pane_copy;
	free_pane_copy(a);
	return any;
}

void copy_pane_start(struct app *a, const char *pipe)
{
	copy_pane_finish(a);
	struct pane_copy *p = a->files.pane_copy = xcalloc(1, sizeof *p);
	const struct pane_ops *ops = pane_now(a);
	struct buf head = {0};
	p->pipe = pipe ? xstrdup(pipe) : NULL;
	p->env = a->env;
	p->env.cols = p->env.choose = a->screen.cols > PAPER_COLS ? a->screen.cols : PAPER_COLS;
	p->env.rows = ops->bit == P_TIME ? PAPER_ROWS : a->env.rows;
	p->env.mono = true;
	p->g = grid_new(1, 1, a->env.ascii);
	p->g->mono = true;
	if (ops->summary)
		ops->summary(state_now(a), &p->env, &head);
	pane_put_limit(ops, state_now(a), &p->env, &head);
	text_mask_passwords(&p->text, session_file(a->s));
	buf_printf(&p->text, ": %s\n%s\n", ops->name, buf_str(&head));
	buf_free(&head);
	p->end = p->text.n;
	p->rows = paper_rows(a, p);
	p->strip = STRIP;
	if (!a->patient) {
		copy_pane_finish(a);
		return;
	}
	app_message(a, ST_DIM, pipe ? "collecting the lines of this pane" : "copying the lines of this pane");
	if (job_forced_threads() <= 1)		/* a small one is complete at once */
		draw_strips(a);
}
