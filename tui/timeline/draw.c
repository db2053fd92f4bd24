/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of the timeline: one per P, M or G; a cell is a slice of time.
 *
 * The shares of the states in a cell are differences of running sums, so the cost of a frame is
 * rows x columns, independent of the length of the trace. A span is drawn in one of two ways:
 *
 * - A span of four cells or more is solid, with a label inside; the tones alternate so that
 *   neighbours can be distinguished.
 * - Any other cell is a summary: on a P or M row the height is the share that was not idle and the
 *   colour the main busy state; on a G row waiting is thin and running is full.
 *
 * In ASCII a cell is the letter of the state with the majority, or `:` if none has half. Nothing is
 * drawn from sampled points: what is not exact is a share. An alternative would be a pyramid of
 * summaries per row.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"

#include <stdio.h>
#include <string.h>

enum { SOLID = 4 }; /* minimum width in cells of a span drawn as a bar */

/* Return whether states are shown as letters, because colours or blocks are missing. */
static bool uses_letters(const struct grid *g)
{
	return g->ascii || g->mono;
}

static bool is_idle(enum tstate s)
{
	return s == TS_NONE || s == TS_IDLE;
}

/* Mostly, but not entirely, idle: the level is more informative than a letter. */
static bool is_mostly_idle(const struct bin *share, int64_t all)
{
	int64_t idle = share->ns[TS_NONE] + share->ns[TS_IDLE];
	return idle < all && idle * 2 > all;
}

static void cell_ascii(struct grid *g, int y, int x, const struct bin *share, int64_t all)
{
	enum tstate s = bins_main_state(share, true);
	if (share->ns[s] * 2 < all && s != TS_NONE) {
		enum tstate busy = bins_main_state(share, false);
		grid_put(g, y, x, ':', style_of_state(busy), ST_NORMAL, 0);
		return;
	}
	grid_put(g, y, x, (unsigned char)style_state_letter(s), style_of_state(s), ST_NORMAL,
	    s == TS_IDLE ? AT_DIM : 0);
}

static void cell_utf8(struct grid *g, int y, int x, const struct bin *share, int64_t all, bool gor)
{
	/* the P of a schedtrace log may have been idle or not: do not show that as work */
	int64_t unknown = gor ? 0 : share->ns[TS_UNKNOWN];
	int64_t busy = all - share->ns[TS_NONE] - share->ns[TS_IDLE] - unknown;
	enum tstate s = bins_main_state(share, false);
	if (unknown > busy) {
		grid_put(g, y, x, '?', ST_S_UNKNOWN, ST_NORMAL, 0);
	} else if (busy <= 0 || all <= 0) {
		grid_put(g, y, x, ' ', ST_NORMAL, ST_NORMAL, 0);
	} else if (gor && tracepane_state_waits(s)) {
		grid_put(g, y, x, s == TS_SLEEP ? 0x2500 : 0x2582, style_of_state(s), ST_NORMAL, 0);
	} else {
		double level = (double)busy / (double)all;
		grid_level(g, y, x, gor ? 1.0 : level, style_of_state(s), ST_NORMAL);
	}
}

/* Append "G512 main.worker", "G512 worker" or "G512", whichever fits in `room` cells; the number is never cut. */
static void put_track(struct buf *b, const struct pane_env *env, trk_id id, size_t room)
{
	const struct store *st = session_snap(env->s)->st;
	const struct trk_row *t = store_trk(st, id);
	const struct str_row *s = store_str(st, store_origin(st, t)->name);
	buf_printf(b, "%c%llu", "?PMG"[t->kind], (unsigned long long)t->id);
	if (t->kind != TK_G || !s->n || b->n + 1 >= room)
		return;
	struct buf name = {0}, safe = {0};
	text_safe(&safe, s->s, s->n);
	if (text_fit_name(&name, buf_str(&safe), safe.n, room - b->n - 1, env->ascii))
		buf_printf(b, " %s", buf_str(&name));
	buf_free(&name);
	buf_free(&safe);
}

/* Append the label of a solid span, for `room` cells: the G that ran, or the state of a G and its P. */
static void span_label(
    const struct pane_env *env, const struct trace_interval *iv, bool gor, size_t room, struct buf *b)
{
	if (gor) {
		buf_puts(b, style_state_name(iv->state));
		if (iv->peer && (iv->state == TS_RUN || iv->state == TS_SYSCALL)) {
			buf_putc(b, ' ');
			timeline_track_name(session_snap(env->s)->st, iv->peer, b);
		}
	} else if (iv->peer) {
		put_track(b, env, iv->peer, room);
	} else {
		buf_puts(b, style_state_name(iv->state));
	}
}

struct bar {
	int y, x0, x1, tone; /* cells [x0, x1) of the grid */
	bool gor, labels;
};

static void draw_solid(struct grid *g, const struct pane_env *env, const struct trace_interval *iv, struct bar bar)
{
	enum style st = style_of_state(iv->state);
	bool thin = bar.gor && tracepane_state_waits(iv->state);
	bool blank = is_idle(iv->state);
	for (int x = bar.x0; x < bar.x1; x++) {
		if (uses_letters(g))
			grid_put(g, bar.y, x, (unsigned char)style_state_letter(iv->state), st, ST_NORMAL,
			    blank ? AT_DIM : 0);
		else if (blank)
			grid_put(g, bar.y, x, ' ', ST_NORMAL, ST_NORMAL, 0);
		else if (thin)
			grid_put(
			    g, bar.y, x, iv->state == TS_SLEEP ? 0x2500 : 0x2582, st, ST_NORMAL, 0);
		else
			grid_put(g, bar.y, x, ' ', st, st, bar.tone ? AT_TONE : 0);
	}
	int room = bar.x1 - bar.x0;
	if (blank || thin || !bar.labels || room < 4 || (uses_letters(g) && room < 9))
		return;
	struct buf b = {0}, cut = {0};
	int inset = uses_letters(g) ? 2 : 0;
	span_label(env, iv, bar.gor, (size_t)(room - 2 * inset), &b);
	size_t n = text_fit(&cut, buf_str(&b), b.n, (size_t)(room - 2 * inset), g->ascii);
	if (n > 2) {
		if (uses_letters(g))
			grid_text(g, bar.y, bar.x0 + inset, ST_NORMAL, 0, buf_str(&cut));
		else
			grid_text(
			    g, bar.y, bar.x0, ST_NORMAL, bar.tone ? AT_TONE : 0, buf_str(&cut));
	}
	if (!uses_letters(g))
		grid_back(g, (struct rect){bar.y, bar.x0, 1, room}, st);
	buf_free(&b);
	buf_free(&cut);
}

/* Return the end of the cells from c on that the interval covers completely; c if it covers none. */
static int cells_covered(const struct timeline *tl, int cells, int c, const struct trace_interval *iv)
{
	if (iv->t0 > timeline_cell_edge(tl, cells, c))
		return c;
	if (iv->t1 >= tl->t1)
		return cells;
	int end = timeline_cell_at(tl, cells, iv->t1);
	return end < c ? c : end;
}

/* With a highlight, dim everything but the matches: remove colours; in mono, reverse the matches. */
static void dim_cells(struct grid *g, int y, int x0, int x1, bool hit)
{
	bool bare = uses_letters(g);
	for (int x = x0; x < x1; x++) {
		struct cell *c = grid_at(g, y, x);
		if (!c)
			continue;
		if (hit) {
			c->attr |= bare ? AT_REVERSE : 0;
			continue;
		}
		if (c->ch != ' ')
			c->fg = c->bg == ST_NORMAL && !bare ? ST_RULE : ST_DIM;
		c->bg = c->bg == ST_NORMAL ? ST_NORMAL : ST_RULE;
		c->attr = bare ? AT_DIM : 0;
	}
}

/* Dim what the filters leave out; without colours, replace all but idle states with a mark. */
static void out_of_scope(struct grid *g, int y, int x)
{
	struct cell *c = grid_at(g, y, x);
	dim_cells(g, y, x, x + 1, false);
	if (c && uses_letters(g) && c->ch != ' ' && c->ch != '.')
		c->ch = '\'';
}

struct marked { /* the matches of a row; on: the rest is dimmed */
	const struct span_hits *hits;
	const uint32_t *of;
	uint32_t n;
	bool on;
};

static bool is_hit(const struct marked *m, int64_t t0, int64_t t1)
{
	return m->n && span_hits_overlap(m->hits, m->of, m->n, t0, t1);
}

/* Return whether a solid span may start at cell c: all SOLID cells have the same single state. This is cheaper
   than a query for the interval. */
static bool maybe_solid(const struct timeline *tl, const struct bin *share, int n, int c)
{
	enum tstate s = TS__N;
	if (c + SOLID > n)
		return false;
	for (int k = c; k < c + SOLID; k++) {
		int64_t all = timeline_cell_edge(tl, n, k + 1) - timeline_cell_edge(tl, n, k);
		if (s == TS__N)
			for (s = TS_NONE; s < TS__N && share[k].ns[s] < all; s++)
				;
		if (s == TS__N || share[k].ns[s] < all)
			return false;
	}
	return true;
}

static void draw_track(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *lay, int y, trk_id trk, const struct bin *share)
{
	const struct snap *snap = session_snap(env->s);
	bool gor = store_trk(snap->st, trk)->kind == TK_G;
	int n = lay->cells, tone = 0;
	struct marked m = {
	    .hits = &tl->search.hits, .on = tl->search.dim && tl->search.criteria && !async_job(&tl->search.slot)};
	m.of = timeline_track_hits(tl, snap, trk, &m.n);
	for (int c = 0; c < n;) {
		struct trace_interval iv;
		int end = c;
		if (maybe_solid(tl, share, n, c) && trace_interval_at(snap, trk, timeline_cell_edge(tl, n, c), &iv))
			end = cells_covered(tl, n, c, &iv);
		if (end - c >= SOLID) {
			tone ^= 1;
			draw_solid(g, env, &iv,
			    (struct bar){
				y, lay->gutter + c, lay->gutter + end, tone, gor, tl->labels});
			if (m.on)
				dim_cells(g, y, lay->gutter + c, lay->gutter + end,
				    is_hit(&m, iv.t0, iv.t1));
			c = end;
			continue;
		}
		int64_t all = timeline_cell_edge(tl, n, c + 1) - timeline_cell_edge(tl, n, c);
		if (uses_letters(g) && (g->ascii || gor || !is_mostly_idle(&share[c], all)))
			cell_ascii(g, y, lay->gutter + c, &share[c], all);
		else
			cell_utf8(g, y, lay->gutter + c, &share[c], all, gor);
		if (m.on)
			dim_cells(g, y, lay->gutter + c, lay->gutter + c + 1,
			    is_hit(&m, timeline_cell_edge(tl, n, c), timeline_cell_edge(tl, n, c + 1)));
		c++;
	}
	for (int c = 0; tl->scope.on && c < n; c++)
		if (!timeline_scope_has_cell(tl, snap, lay, trk, c))
			out_of_scope(g, y, lay->gutter + c);
	if (gor && !env->compact)
		timeline_draw_ticks(tl, env, g, lay, y, trk);
	if (snap->trace.log && store_trk(snap->st, trk)->kind == TK_P)
		timeline_draw_queues(tl, env, g, lay, y, trk);
}

/* ---- the gutter */

static int busy_percent(const struct timeline *tl, const struct timeline_layout *lay, const struct bin *share)
{
	int64_t busy = 0, all = tl->t1 - tl->t0;
	for (int c = 0; c < lay->cells; c++)
		for (int s = 0; s < TS__N; s++)
			if (!is_idle((enum tstate)s) && s != TS_UNKNOWN)
				busy += share[c].ns[s];
	return all > 0 ? (int)((double)busy * 100 / (double)all + 0.5) : 0;
}

/* Append the name of a row, for `room` cells. */
static void row_name(const struct timeline *tl, const struct pane_env *env, struct timeline_row r,
    size_t room, struct buf *b)
{
	const struct snap *snap = session_snap(env->s);
	const struct stats_task *task = r.what == ROW_TASK ? &tl->ix->tasks->task[r.id] : NULL;
	if (r.what == ROW_REGION || r.what == ROW_STACK) {
		buf_puts(b, r.level		  ? ""
			    : r.what == ROW_STACK ? "  stacks"
			    : room < 10		  ? "  regs"
						  : "  regions");
		return;
	}
	if (!task) {
		put_track(b, env, r.id, room);
		return;
	}
	const struct str_row *name = store_str(snap->st, task->name);
	struct buf safe = {0};
	buf_pad(b, ' ', r.level);
	buf_printf(b, "t%llu ", (unsigned long long)task->id);
	text_safe(&safe, name->s, name->n);
	if (task->name && b->n < room)
		text_fit_name(b, buf_str(&safe), safe.n, room - b->n, env->ascii);
	buf_free(&safe);
}

/* Draw the name of the row, and for Ps and Ms the share of the window in which they were busy. */
static void draw_gutter(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *lay, int y, uint32_t row, const struct bin *share)
{
	struct timeline_row r = timeline_row(tl, row);
	enum track_kind kind =
	    store_trk(session_snap(env->s)->st, r.what == ROW_TRACK ? r.id : 0)->kind;
	bool busy = kind == TK_P || kind == TK_M;
	struct buf name = {0};
	bool selected = tl->moved && row == tl->rows.sel;
	int attr = selected ? AT_BOLD : 0;
	enum style st = selected				      ? ST_ACCENT
			: r.what == ROW_REGION || r.what == ROW_STACK ? ST_DIM
								      : ST_NORMAL;
	row_name(tl, env, r, (size_t)(lay->gutter - (busy ? 6 : 1)), &name);
	struct rect old = grid_clip(g, (struct rect){y, 0, 1, lay->gutter - 1});
	grid_textn(g, 0, 0, st, attr, name.p, name.n);
	grid_unclip(g, old);
	if (busy) {
		char pct[8];
		snprintf(pct, sizeof pct, "%3d%%", busy_percent(tl, lay, share));
		grid_right(g, y, lay->gutter - 1, ST_DIM, attr, pct);
	}
	if (selected)
		grid_put(g, y, lay->gutter - 1, '>', ST_ACCENT, ST_NORMAL, AT_BOLD);
	else if (row < tl->rows.npinrow && r.what == ROW_TRACK)
		grid_put(g, y, lay->gutter - 1, '*', ST_DIM, ST_NORMAL, 0);
	buf_free(&name);
}

/* Tint column x where nothing solid is drawn, because the content of the rows takes precedence. */
static void tint_column(struct grid *g, int y0, int y1, int x, enum style st)
{
	for (int y = y0; y < y1 && y < g->h; y++) {
		struct cell *c = grid_at(g, y, x);
		if (c && c->bg == ST_NORMAL)
			c->bg = (uint8_t)st;
	}
}

/* Draw a thin line down column x through blank cells. */
static void draw_hairline(struct grid *g, int y0, int y1, int x, enum style st)
{
	for (int y = y0; y < y1 && y < g->h && x < g->w; y++) {
		const struct cell *c = grid_at(g, y, x);
		if (c && c->ch == ' ' && c->bg == ST_NORMAL)
			grid_put(g, y, x, 0x2502, st, ST_NORMAL, 0);
	}
}

/* Mark the share of column c in which the world was stopped: a thin line from a tenth on, a tint of the whole cell
   from half on. */
static void draw_stopped(struct grid *g, const struct timeline_layout *lay, int y0, int y1, int c, double part)
{
	if (part >= 0.1)
		draw_hairline(g, y0, y1, lay->gutter + c, ST_STWLINE);
	if (part >= 0.5)
		tint_column(g, y0, y1, lay->gutter + c, ST_STWTINT);
}

/* Draw the selected range and the overlays of columns that they cover at least by half: GC as a tint,
   stop-the-world pauses as lines, a long one by its two ends. */
static void draw_overlays(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *lay, int y0, int y1)
{
	const struct snap *snap = session_snap(env->s);
	int n = lay->cells;
	if (!uses_letters(g) && (tl->overlays & TL_STW)) {
		const int64_t *on = timeline_gc_ns(tl, snap, n, SP_STW);
		for (int c = 0; c < n; c++)
			if (on[c] && !(c && on[c - 1] && c + 1 < n && on[c + 1]))
				draw_stopped(g, lay, y0, y1, c, timeline_cell_share(tl, n, c, on[c]));
	}
	if (!uses_letters(g) && (tl->overlays & TL_GC)) {
		const int64_t *on = timeline_gc_ns(tl, snap, n, SP_GC);
		for (int c = 0; c < n; c++)
			if (timeline_cell_share(tl, n, c, on[c]) >= 0.5)
				tint_column(g, y0, y1, lay->gutter + c, ST_GCTINT);
	}
	int64_t a = tl->range.t0, b = tl->range.t1;
	if (tl->range.on) {
		a = tl->range.anchor < tl->at ? tl->range.anchor : tl->at;
		b = tl->range.anchor < tl->at ? tl->at : tl->range.anchor;
	}
	if (b > a && b > tl->t0 && a < tl->t1) {
		int c0 = timeline_cell_at(tl, n, a), c1 = timeline_cell_at(tl, n, b);
		grid_back(g, (struct rect){y0, lay->gutter + c0, y1 - y0, c1 - c0 + 1}, ST_RANGE);
	}
}

/* Draw the cursor: the cell of the selected row, and a faint line through empty cells of the other rows. */
static void draw_cursor(const struct timeline *tl, struct grid *g, const struct timeline_layout *lay, int y1)
{
	int x = lay->gutter + timeline_cell_at(tl, lay->cells, tl->at);
	if (!uses_letters(g))
		tint_column(g, lay->rows, y1, x, ST_RULE);
	if (tl->rows.sel >= tl->rows.top && tl->rows.sel - tl->rows.top < (uint32_t)lay->nrows) {
		int y = lay->rows + (int)(tl->rows.sel - tl->rows.top);
		grid_attr(g, (struct rect){y, x, 1, 1}, AT_REVERSE);
		grid_focus(g, y, x);
	}
}

/* Return the line on which goroutine g is shown at t: its own row, or the row of its P; -1: none. */
static int row_of(const struct timeline *tl, const struct snap *sn, const struct timeline_layout *lay,
    trk_id g, int64_t t)
{
	struct trace_interval iv;
	trk_id p = trace_interval_at(sn, g, t > sn->t0 ? t - 1 : t, &iv) && iv.state != TS_READY ? iv.peer : 0;
	for (uint32_t r = tl->rows.top; r < tl->rows.nrow && (int)(r - tl->rows.top) < lay->nrows; r++)
		if (timeline_row(tl, r).what == ROW_TRACK &&
		    (timeline_row(tl, r).id == g || (p && timeline_row(tl, r).id == p)))
			return lay->rows + (int)(r - tl->rows.top);
	return -1;
}

/* Mark the targets of ( and ) that are visible. */
static void mark_partners(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *lay)
{
	struct timeline_wake_link to[2];
	const struct snap *sn = session_snap(env->s);
	int n = timeline_wake_partners(tl, env, to);
	for (int i = 0; i < n; i++) {
		if (to[i].t1 < tl->t0 || to[i].t1 >= tl->t1)
			continue;
		int y = row_of(tl, sn, lay, to[i].trk, to[i].t1);
		int x = lay->gutter + timeline_cell_at(tl, lay->cells, to[i].t1);
		const struct cell *c = grid_at(g, y, x);
		if (!c)
			continue;
		enum style bg = (enum style)c->bg;
		uint32_t ch = to[i].created ? (g->ascii ? '>' : 0x25b6) : g->ascii ? '<' : 0x25c0;
		grid_put(g, y, x, ch, bg == ST_NORMAL ? ST_ACCENT : ST_LABEL, bg, AT_BOLD);
	}
}

/* Return how many levels of stacks are visible from row r on; they are drawn together. */
static int stack_levels(const struct timeline *tl, uint32_t r, int lines)
{
	int n = timeline_row(tl, r).level;
	for (; r < tl->rows.nrow && timeline_row(tl, r).what == ROW_STACK && lines > 0; r++, lines--)
		n++;
	return n;
}

static void draw_row(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *lay, int y, uint32_t r)
{
	struct timeline_row row = timeline_row(tl, r);
	const struct bin *share = row.what == ROW_TRACK ? timeline_row_bins(tl, session_snap(env->s), row.id) : NULL;
	switch ((enum timeline_row_type)row.what) {
	case ROW_TRACK: draw_track(tl, env, g, lay, y, row.id, share); break;
	case ROW_TASK: timeline_draw_task(tl, env, g, lay, y, row.id); break;
	case ROW_REGION: timeline_draw_regions(tl, env, g, lay, y, row.id, row.level); break;
	case ROW_STACK:
		if (r == tl->rows.top || timeline_row(tl, r - 1).what != ROW_STACK)
			timeline_draw_stacks(tl, env, g, lay, y, row.id, row.level,
			    stack_levels(tl, r, lay->rows + lay->nrows - y));
		break;
	}
	draw_gutter(tl, env, g, lay, y, r, share);
}

void timeline_draw_rows(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *lay)
{
	if (lay->cells <= 0)
		return;
	int y = lay->rows;
	trk_id all[TL_PS];
	uint32_t n = 0;
	for (uint32_t r = tl->rows.top; r < tl->rows.nrow && (int)(r - tl->rows.top) < lay->nrows && n < TL_PS; r++)
		if (timeline_row(tl, r).what == ROW_TRACK && grid_keeps(g, y + (int)(r - tl->rows.top)))
			all[n++] = timeline_row(tl, r).id;
	timeline_count_bins(tl, session_snap(env->s), all, n);
	for (uint32_t r = tl->rows.top; r < tl->rows.nrow && y < lay->rows + lay->nrows; r++, y++) {
		/* the first line of stacks draws all of them */
		if (!grid_keeps(g, y) && timeline_row(tl, r).what != ROW_STACK)
			continue;
		draw_row(tl, env, g, lay, y, r);
	}
	draw_overlays(tl, env, g, lay, lay->rows, y);
	if (!tl->moved)
		return;
	mark_partners(tl, env, g, lay);
	draw_cursor(tl, g, lay, y);
}
