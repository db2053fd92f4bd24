/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The screen: two lines above the pane, two below.
 *
 *	0	FILE  !Find WWhy ;Wait[1Top]2List ...             ?, or progress
 *	1	summary of the pane | the active filters, always
 *	2..	the pane, and at 120 columns its side part
 *	-2	detail of the selection, or a message
 *	-1	keys of this pane, or a prompt
 *
 * These four lines never scroll. When there is too little room, the file's name is shortened first,
 * then the names of the tabs but the current one, then the pane's summary. The filters stay, because numbers under a
 * forgotten filter mislead.
 */
#include "config.h"
#include "app/internal.h"
#include "app/wait_screen.h"

#include "base/job.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "trace/as_profile.h"
#include "trace/task_filter.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MIN = 8, COLS_MIN = 40, NAME_LEAST = 4, TITLE_COLS = 100, KEYS_COLS = 120 };

/* ---- line 0 */

/* Return the key of a pane's tab, or 0: the tab is shown only while the pane is current. */
static char tab_key(int i)
{
	const char *k = cmds[panes[i]->cmd].keys;
	return !panes[i]->aside && k && (!k[1] || k[1] == ' ') ? k[0] : '\0';
}

static bool has_tab(const struct app *a, int i)
{
	return i == a->cur || (app_pane_fits(a, i) && tab_key(i));
}

/* Return the width of the tabs with the blanks or brackets around each. */
static int tabs_width(const struct app *a, bool names)
{
	int w = 1;
	for (int i = 0; panes[i]; i++)
		if (has_tab(a, i))
			w += 1 + (tab_key(i) != 0) + (names || i == a->cur ? (int)strlen(panes[i]->tab) : 0);
	return w;
}

/* Draw the tabs from column x, names: not only of the current one. *hit: set to the pane whose tab is at column `at`.
   The brackets take the places of blanks, so the tabs stay where they are when another one becomes current. */
static void draw_tabs(const struct app *a, struct grid *g, int x, bool names, int at, int *hit)
{
	for (int i = 0; panes[i]; i++) {
		char key = tab_key(i);
		bool now = i == a->cur;
		if (!has_tab(a, i))
			continue;
		int from = ++x;
		if (now)
			grid_text(g, 0, x - 1, ST_TITLE, 0, "[");
		if (key)
			x = grid_textn(g, 0, x, now ? ST_ACCENT : ST_TAB, 0, &key, 1);
		if (names || now)
			x = grid_text(g, 0, x, now ? ST_TITLE : ST_TAB, now ? AT_BOLD : 0, panes[i]->tab);
		if (now)
			grid_text(g, 0, x, ST_TITLE, 0, "]");
		if (hit && at >= from - now && at < x + now)
			*hit = i;
	}
}

/* Append the progress of loading, or the key of the help. */
static void put_corner(const struct app *a, struct buf *b)
{
	struct job *j = app_job(a);
	uint64_t done = 0, total = 0;
	if (!j && (session_weighing_job(a->s) || app_has_pending(a))) {
		if ((j = app_work(a)))
			job_progress(j, &done, &total);
		buf_puts(b, "counting");
		if (total && done)
			buf_printf(b, " %d%%", (int)(100 * done / total));
		return;
	}
	if (!j) {
		buf_puts(b, a->screen.cols < KEYS_COLS ? "?" : "? keys  : command");
		return;
	}
	struct fetch_progress f;
	const struct session *s = reload_session(a);
	if (session_fetch_progress(s, &f)) {
		wait_screen_text(&f, b);
		return;
	}
	bool reads = session_is_loading(s);
	job_progress(j, &done, &total);
	buf_puts(b, reads ? "loading " : "working ");
	if (!reads && !(total && done))
		b->n--;
	else if (total && done)
		buf_printf(b, "%d%%", (int)(100.0 * (double)done / (double)total));
	else
		text_bytes(b, (int64_t)session_snap(a->s)->total);
}

static void draw_head(const struct app *a, struct grid *g, int at, int *hit)
{
	static const char title[] = "ttrace ";	/* shown where nothing is cut for it */
	struct buf right = {0}, name = {0}, file = {0};
	put_corner(a, &right);
	bool works = app_job(a) || session_weighing_job(a->s) || app_has_pending(a);
	int room = g->w - (int)right.n;
	bool names = tabs_width(a, true) + (works ? 0 : NAME_LEAST) <= room;	/* work soon ends: tabs keep their names */
	int left = room - tabs_width(a, names), x = 0;
	session_title(a->s, left > 0 ? (size_t)left : 0, &file);
	if (g->w >= TITLE_COLS && left > (int)(text_width(file.p, file.n) + strlen(title)))
		buf_printf(&name, "%s%s", title, buf_str(&file));
	else if (left >= NAME_LEAST)
		text_fit_middle(&name, file.p, file.n, (size_t)left, g->ascii);
	x = grid_text(g, 0, 0, ST_TITLE, 0, buf_str(&name));
	struct rect old = grid_clip(g, (struct rect){0, 0, 1, room});
	draw_tabs(a, g, x && x < left ? x + 1 : x, names, at, hit);
	grid_unclip(g, old);
	grid_right(g, 0, g->w, works ? ST_WARN : ST_KEY, 0, buf_str(&right));
	buf_free(&right);
	buf_free(&name);
	buf_free(&file);
}

int app_tab_at(const struct app *a, int x)
{
	struct grid *g = grid_new(1, a->screen.cols, a->env.ascii);
	int hit = -1;
	draw_head(a, g, x, &hit);
	grid_free(g);
	return hit;
}

/* ---- line 1 */

static void draw_summary(struct app *a, struct grid *g)
{
	struct buf own = {0}, filters = {0}, unused = {0}, fit = {0};
	const struct pane_ops *p = pane_now(a);
	if (p->summary)
		p->summary(state_now(a), &a->env, &own);
	pane_put_limit(p, state_now(a), &a->env, &filters);
	app_chips(a, &filters, &unused);
	if (a->part) {
		buf_puts(&own, " of the first ");
		text_count(&own, a->part);
		buf_puts(&own, " samples");
	}
	size_t w = (size_t)g->w, fw = text_width(filters.p, filters.n) + text_width(unused.p, unused.n);
	size_t room = fw + 10 > w ? (w < 10 ? w : 10) : w - fw;
	text_fit(&fit, own.p, own.n, room, g->ascii);
	int x = grid_textn(g, 1, 0, ST_NORMAL, 0, fit.p, fit.n);
	buf_reset(&fit);
	size_t bar = !own.n && filters.n > 3 ? 3 : 0;	/* remove the " | " at the start of an empty line */
	text_fit(&fit, buf_str(&filters) + bar, filters.n - bar, x < g->w ? (size_t)(g->w - x) : 0, g->ascii);
	x = grid_textn(g, 1, x, session_query(a->s)->suspended ? ST_WARN : ST_ACCENT, 0, fit.p, fit.n);
	buf_reset(&fit);
	text_fit(&fit, buf_str(&unused), unused.n, x < g->w ? (size_t)(g->w - x) : 0, g->ascii);
	x = grid_textn(g, 1, x, ST_DIM, 0, fit.p, fit.n);
	buf_reset(&fit);
	app_describe_profile(a, x < g->w ? (size_t)(g->w - x) : 0, &fit);
	grid_textn(g, 1, x, ST_DIM, 0, fit.p, fit.n);
	buf_free(&own);
	buf_free(&filters);
	buf_free(&unused);
	buf_free(&fit);
}

/* ---- the last two lines */

/* Return the length of the keys at the start of a hint: single characters separated by spaces, or else the first
   word. */
static size_t hint_keys(const char *s, size_t n)
{
	size_t k = 0;
	while (k < n && (k + 1 == n || s[k + 1] == ' '))
		k += 2;
	return k > n ? n : k ? k - 1 : strcspn(s, " ") < n ? strcspn(s, " ") : n;
}

/* Draw hints, "Enter peek  < > sort": two spaces separate hints, the keys come first in each. */
static void draw_hints(struct grid *g, int y, int room, const char *s)
{
	int x = 0;
	while (*s) {
		const char *end = strstr(s, "  ");
		size_t n = end ? (size_t)(end - s) : strlen(s), key = hint_keys(s, n);
		if (x + (int)text_width(s, n) > room)
			break;
		x = grid_textn(g, y, x, ST_KEY, 0, s, key);
		if (key < n)
			x = grid_textn(g, y, x, ST_DIM, 0, s + key, n - key);
		x += 2;
		s += n + strspn(s + n, " ");
	}
}

/* Make hints from commands.def: the pane's own rows, then those common to all panes. */
static void own_hints(const struct app *a, struct buf *b)
{
	const struct pane_ops *p = pane_now(a);
	for (int i = 1; i < CMD__N; i++)
		if (cmds[i].keys && (cmds[i].panes & p->bit) && (cmds[i].panes & P_EVERY) != P_EVERY) {
			command_first_key((enum cmd_id)i, p->bit, b);
			buf_printf(b, " %s  ", cmds[i].name);
		}
	buf_puts(b,
	    "Enter open  / find  f focus  x ignore  d hide  \\ filters on/off  R clear  u undo  "
	    "y copy  : command  ? help  q back");
}

void app_hints(const struct app *a, struct buf *b)
{
	size_t n = b->n;
	pane_put_hints(pane_now(a), state_now(a), &a->env, b);
	if (b->n == n)
		own_hints(a, b);
}

static int by_cost(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

/* Return the given percentile of the costs of the last frames, in us. */
static uint32_t cost_share(const struct app *a, uint32_t percent)
{
	uint32_t v[COSTS], n = a->screen.ncost < COSTS ? a->screen.ncost : COSTS;
	memcpy(v, a->screen.costs, n * sizeof *v);
	qsort(v, n, sizeof *v, by_cost);
	return n ? v[(n - 1) * percent / 100] : 0;
}

/* Draw the line above the last: the prompt's note, the message, or the detail of the selection. */
static void draw_message_line(const struct app *a, struct grid *g)
{
	struct buf b = {0}, fit = {0};
	const struct pane_ops *p = pane_now(a);
	int y = g->h - 2;
	grid_fill(g, (struct rect){y, 0, 1, g->w}, ' ', ST_NORMAL, 0);
	if (a->prompt.cmd && a->prompt.note[0]) {
		grid_text(g, y, 0, a->prompt.note_bad ? ST_ERROR : ST_DIM, 0, a->prompt.note);
	} else if (a->status.text[0]) {
		grid_text(g, y, 0, a->status.style, 0, a->status.text);
	} else {
		pane_put_detail(p, state_now(a), &a->env, &b);
		text_fit_line(&fit, b.p, b.n, (size_t)g->w, g->ascii);
		grid_textn(g, y, 0, ST_NORMAL, 0, fit.p, fit.n);
	}
	buf_free(&b);
	buf_free(&fit);
}

static void draw_foot(const struct app *a, struct grid *g)
{
	enum { PENDING = 6 };	/* the least cells for keys that wait for another: hints give way to them, whole */
	struct buf b = {0}, pending = {0};
	int y = g->h - 2;
	app_put_pending(a, &pending);
	int keys = pending.n ? (int)text_width(pending.p, pending.n) + 1 : 0;
	if (a->prompt.cmd) {
		prompt_draw(
		    &a->prompt.edit, g, y + 1, app_prompt_label(a), a->prompt.note_bad ? ST_ERROR : ST_NORMAL);
	} else {
		app_hints(a, &b);
		draw_hints(g, y + 1, g->w - (keys && keys < PENDING ? PENDING : keys), buf_str(&b));
	}
	grid_right(g, y + 1, g->w, ST_ACCENT, 0, buf_str(&pending));
	buf_free(&pending);
	if (a->screen.debug) {
		buf_reset(&b);
		buf_printf(&b, " %lld us (p50 %u, p99 %u), %u cells, %zu bytes", (long long)a->screen.cost_us,
		    cost_share(a, 50), cost_share(a, 99), a->screen.cost_cells, a->screen.cost_bytes);
		grid_right(g, y, g->w, ST_DIM, 0, buf_str(&b));
	}
	buf_free(&b);
}

/* Report matches that could not be decided: the selection of the expression may be wrong. */
static void report_undecided(struct app *a)
{
	uint64_t n = regex_undecided();
	if (n == a->status.undecided)
		return;
	struct buf b = {0};
	regex_explain_undecided(&b);
	app_message(a, ST_WARN, "%s", buf_str(&b));
	buf_free(&b);
	a->status.undecided = n;
}

/* Return the number of used columns; rules and the scroll bar do not count. */
static int used_width(const struct grid *g)
{
	int most = 0;
	for (int y = 0; y < g->rows; y++)
		for (int x = g->cols - 2; x >= most; x--) {
			const struct cell *c = &g->cell[y * g->cols + x];
			if (c->ch != ' ' && c->fg != ST_RULE)
				most = x + 1;
		}
	return most;
}

/* Draw the pane scrolled to the right: draw it a->shift columns wider and copy the visible part. Reduce the shift
   while its last step shows nothing new. */
static void draw_shifted(struct app *a, struct grid *g, struct rect area)
{
	struct grid *t = grid_new(area.h, area.w + a->screen.shift, g->ascii);
	for (;;) {
		t->ascii = g->ascii;
		t->mono = g->mono;
		pane_now(a)->draw(state_now(a), &a->env, t);
		if (!a->screen.shift || used_width(t) > area.w + a->screen.shift - SHIFT)
			break;
		a->screen.shift = a->screen.shift > SHIFT ? a->screen.shift - SHIFT : 0;
		a->env.choose -= a->env.cols - (area.w + a->screen.shift);
		a->env.cols = area.w + a->screen.shift;
		grid_resize(t, area.h, area.w + a->screen.shift);
	}
	for (int y = 0; y < area.h; y++)
		for (int x = 0; x < area.w; x++) {
			const struct cell *from = &t->cell[y * t->cols + x + a->screen.shift];
			struct cell *to = &g->cell[(area.y + y) * g->cols + area.x + x];
			*to = *from;
			/* blank the cut half of a wide character */
			if ((!x && !from->ch) || (x == area.w - 1 && x + a->screen.shift + 1 < t->cols && !from[1].ch))
				to->ch = ' ', to->mark = 0;
		}
	grid_focus(g, area.y + t->focus_y, t->focus_x > a->screen.shift ? t->focus_x - a->screen.shift : 0);
	grid_free(t);
}

bool app_too_small(const struct app *a)
{
	return a->screen.rows < ROWS_MIN || a->screen.cols < COLS_MIN;
}

void app_draw(struct app *a, struct grid *g)
{
	grid_resize(g, a->screen.rows, a->screen.cols);
	g->ascii = a->env.ascii;
	g->mono = a->env.mono;
	if (app_too_small(a)) {
		if (a->screen.cols < 44)
			grid_text(
			    g, 0, 0, ST_NORMAL, 0, a->screen.cols < 16 ? "small" : "too small");
		else
			grid_printf(g, 0, 0, ST_NORMAL, 0,
			    "%dx%d is too small: ttrace needs %dx%d", a->screen.cols, a->screen.rows,
			    COLS_MIN, ROWS_MIN);
		return;
	}
	app_layout(a);
	const struct pane_ops *p = pane_now(a);
	struct rect area = {2, 0, a->env.rows, a->env.cols - a->screen.shift};
	grid_focus(g, 2, 0);	/* the default if the pane has no selection */
	pane_mark_hits(p, state_now(a), &a->env);
	draw_head(a, g, -1, NULL);
	draw_summary(a, g);
	struct rect old = grid_clip(g, area);
	if (!a->screen.shift)
		p->draw(state_now(a), &a->env, g);
	grid_unclip(g, old);
	if (a->screen.shift)
		draw_shifted(a, g, area);
	if (area.w < a->screen.cols) {
		grid_fill(g, (struct rect){2, area.w, area.h, 1}, 0x2502, ST_RULE, 0);
		grid_clip(g, (struct rect){2, area.w + 2, area.h, a->screen.cols - area.w - 2});
		p->side.draw(state_now(a), &a->env, g);
		grid_unclip(g, old);
	}
	if (a->pop.kind)
		app_pop_draw(a, g);
	report_undecided(a);
	draw_message_line(a, g);
	draw_foot(a, g);
	arena_reset(&a->scratch);
}
