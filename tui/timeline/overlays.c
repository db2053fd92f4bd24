/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rows that are not the states of a track: tasks, regions below their goroutine, stacks over time,
 * and the ticks of logs and CPU samples.
 *
 * A task is a thin line from its start to its end, with its regions as bars; an end that is not in
 * the trace is an arrow. A region of four cells or more is a bar with its name and duration;
 * smaller ones are summarised in a cell. Without colour a bar is written [name duration....]. The
 * cost of a row is its cells times a binary search; only the regions of a task, which overlap, are
 * walked, up to TASK_WALK.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "trace/bins_time.h"
#include "tracepane/tracepane.h"

#include <stdio.h>
#include <string.h>

enum { SOLID = 4, TASK_WALK = 4096 };

static bool uses_letters(const struct grid *g)
{
	return g->ascii || g->mono;
}

/* Return one of the twelve hues for a name. */
static enum style name_colour(const struct store *st, str_id name)
{
	const struct str_row *s = store_str(st, name);
	uint32_t h = 2166136261u;
	for (uint32_t i = 0; i < s->n; i++)
		h = (h ^ (unsigned char)s->s[i]) * 16777619u;
	return (enum style)(ST_HUE0 + h % 12);
}

/* A bar. text: replaces name and duration. */
struct overlay_bar { int64_t t0, t1; str_id name; int tone; const char *text; };

/* Append the text of a bar for `room` cells: its name and duration, or only its name. Return the cells used. */
static size_t bar_text(const struct store *st, const struct overlay_bar *b, size_t room, bool ascii, struct buf *out)
{
	if (b->text)
		return text_fit(out, b->text, strlen(b->text), room, ascii);
	struct buf all = {0};
	tracepane_put_str(st, b->name, "region", &all);
	size_t name = all.n;
	buf_putc(&all, ' ');
	text_ns(&all, b->t1 - b->t0);
	bool both = text_width(buf_str(&all), all.n) <= room;
	size_t used = text_fit_symbol(out, buf_str(&all), both ? all.n : name, room, ascii);
	buf_free(&all);
	return used;
}

/* Draw a bar in cells [c0, c1) of the row. */
static void draw_bar(const struct timeline *tl, const struct store *st, struct grid *g,
    const struct timeline_layout *l, int y, const struct overlay_bar *b, int c0, int c1)
{
	enum style s = name_colour(st, b->name);
	int n = c1 - c0, x = l->gutter + c0;
	bool bare = uses_letters(g), left = b->t0 >= tl->t0, right = b->t1 <= tl->t1;
	struct buf text = {0};
	for (int i = 0; i < n; i++)
		grid_put(g, y, x + i, bare ? '.' : ' ', s, bare ? ST_NORMAL : s,
		    bare      ? 0
		    : b->tone ? AT_TONE
			      : 0);
	int from = bare && left, room = n - from - (bare && right);
	if (bare && left)
		grid_put(g, y, x, '[', s, ST_NORMAL, 0);
	if (bare && right)
		grid_put(g, y, x + n - 1, ']', s, ST_NORMAL, 0);
	if (room > 0 && bar_text(st, b, (size_t)room, g->ascii, &text) > 1)
		grid_text(g, y, x + from, ST_NORMAL,
		    bare      ? 0
		    : b->tone ? AT_TONE
			      : 0,
		    buf_str(&text));
	if (!bare)
		grid_back(g, (struct rect){y, x, 1, n}, s);
	buf_free(&text);
}

/* ---- regions of a goroutine, one level */

void timeline_draw_regions(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y, trk_id trk, int level)
{
	const struct snap *sn = session_snap(env->s);
	uint32_t n, cells = (uint32_t)l->cells;
	const struct region_layout_piece *v = region_layout_row(tl->ix->row_layout, trk, level, &n);
	for (uint32_t c = 0; c < cells && n;) {
		int64_t a = timeline_cell_edge(tl, l->cells, (int)c), b = timeline_cell_edge(tl, l->cells, (int)c + 1);
		uint32_t i = region_layout_find(v, n, a), end = c + 1;
		if (i == n || v[i].t0 >= tl->t1)
			break;
		if (v[i].t0 >= b) { /* skip to the next one */
			uint32_t to = (uint32_t)timeline_cell_at(tl, l->cells, v[i].t0);
			c = to > c ? to : c + 1;
			continue;
		}
		if (v[i].t1 > b)
			end = v[i].t1 >= tl->t1 ? cells : (uint32_t)timeline_cell_at(tl, l->cells, v[i].t1);
		str_id name = store_span(sn->st, v[i].span)->s.name;
		if (end >= c + SOLID) {
			struct overlay_bar overlay_bar = {v[i].t0, v[i].t1, name, (int)(i & 1), NULL};
			draw_bar(tl, sn->st, g, l, y, &overlay_bar, (int)c, (int)end);
			c = end;
		} else {
			grid_put(g, y, l->gutter + (int)c, g->ascii ? '+' : 0x2586,
			    name_colour(sn->st, name), ST_NORMAL, 0);
			c++;
		}
	}
}

/* ---- a task */

/* Draw the regions of the task: a bar if wide, else a mark. */
static void task_regions(const struct timeline *tl, const struct snap *sn, struct grid *g,
    const struct timeline_layout *l, int y, const struct stats_task *t)
{
	uint32_t n = t->n < TASK_WALK ? t->n : TASK_WALK;
	for (uint32_t k = 0; k < n; k++) {
		struct stats_task_event e = stats_task_event(tl->ix->tasks, t->first + k);
		int64_t a, b;
		if (e.log)
			continue;
		const struct sink_span *s = &store_span(sn->st, e.i)->s;
		time_search_span_bounds(sn, s, &a, &b);
		if (b < tl->t0 || a >= tl->t1)
			continue;
		int c0 = a <= tl->t0 ? 0 : timeline_cell_at(tl, l->cells, a),
		    c1 = b >= tl->t1 ? l->cells : timeline_cell_at(tl, l->cells, b);
		struct overlay_bar overlay_bar = {a, b, s->name, (int)(k & 1), NULL};
		if (c1 - c0 >= SOLID)
			draw_bar(tl, sn->st, g, l, y, &overlay_bar, c0, c1);
		else
			for (int c = c0; c <= c1 && c < l->cells; c++)
				grid_put(g, y, l->gutter + c, g->ascii ? '+' : 0x2586,
				    name_colour(sn->st, s->name), ST_NORMAL, 0);
	}
}

static void task_logs(const struct timeline *tl, const struct snap *sn, struct grid *g,
    const struct timeline_layout *l, int y, const struct stats_task *t)
{
	uint32_t n = t->n < TASK_WALK ? t->n : TASK_WALK;
	for (uint32_t k = 0; k < n; k++) {
		struct stats_task_event e = stats_task_event(tl->ix->tasks, t->first + k);
		if (!e.log)
			continue;
		int64_t at = store_mark(sn->st, e.i)->t;
		if (at < tl->t0 || at >= tl->t1)
			continue;
		int x = l->gutter + timeline_cell_at(tl, l->cells, at);
		const struct cell *c = grid_at(g, y, x);
		enum style bg = c ? (enum style)c->bg : ST_NORMAL;
		grid_put(g, y, x, g->ascii ? '\'' : 0x2575, bg == ST_NORMAL ? ST_ACCENT : ST_LABEL,
		    bg, 0);
	}
}

void timeline_draw_task(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y, uint32_t task)
{
	const struct snap *sn = session_snap(env->s);
	const struct stats_task *t = &tl->ix->tasks->task[task];
	int64_t a, b;
	tracepane_task_bounds(sn, t, &a, &b);
	if (b < tl->t0 || a >= tl->t1)
		return;
	int c0 = a <= tl->t0 ? 0 : timeline_cell_at(tl, l->cells, a);
	int c1 = b >= tl->t1 ? l->cells - 1 : timeline_cell_at(tl, l->cells, b);
	enum style s = name_colour(sn->st, t->name);
	for (int c = c0; c <= c1; c++)
		grid_put(g, y, l->gutter + c, g->ascii ? '_' : 0x2501, s, ST_NORMAL, 0);
	task_regions(tl, sn, g, l, y, t);
	task_logs(tl, sn, g, l, y, t);
	/* draw an arrow only at an end of the trace, not of the window */
	if (t->t0 == TIME_NONE && tl->t0 <= sn->t0)
		grid_put(g, y, l->gutter, g->ascii ? '<' : 0x25c2, ST_WARN, ST_NORMAL, 0);
	if (t->t1 == TIME_NONE && tl->t1 >= sn->t1)
		grid_put(
		    g, y, l->gutter + l->cells - 1, g->ascii ? '>' : 0x25b8, ST_WARN, ST_NORMAL, 0);
}

/* ---- stacks over time */

/* Return the sample in [t0, t1) that is nearest to t; 0: none. */
static stk_id nearest_sample(
    const struct timeline *tl, const struct snap *sn, trk_id g, int64_t t0, int64_t t1, int64_t t)
{
	uint32_t before, after;
	const struct region_layout_tick *a = region_layout_samples(tl->ix->row_layout, g, t0, t, &before);
	const struct region_layout_tick *b = region_layout_samples(tl->ix->row_layout, g, t, t1, &after);
	if (!before && !after)
		return 0;
	bool later = !before || (after && b[0].t - t < t - a[before - 1].t);
	return store_smp(sn->st, later ? b[0].i : a[before - 1].i)->stack;
}

/* Return the stack of a cell, at the time of its middle: the nearest CPU sample if the goroutine runs then, else
   the stack where it stopped. */
static stk_id cell_stack(
    const struct timeline *tl, const struct snap *sn, trk_id trk, int64_t a, int64_t b)
{
	struct trace_interval iv;
	stk_id s = 0;
	int64_t mid = a + (b - a) / 2;
	if (!trace_interval_at(sn, trk, mid, &iv))
		return 0;
	if (store_trk(sn->st, trk)->kind != TK_G && (!iv.peer || !trace_interval_at(sn, iv.peer, mid, &iv)))
		return 0;
	if (iv.state == TS_RUN)
		s = nearest_sample(tl, sn, iv.trk, iv.t0, iv.t1, mid);
	if (!s)
		timeline_span_stack(sn, &iv, &s);
	return s;
}

enum { DEEP_MAX = 200 }; /* frames of a stack that are read, from the leaf */

/* Return the node of stack s at a depth from the root; 0: it is less deep. */
static stk_id at_depth(const struct store *st, stk_id s, int depth)
{
	stk_id path[DEEP_MAX];
	int n = 0;
	for (; s && n < DEEP_MAX; s = stk_parent(st, s))
		path[n++] = s;
	return depth < n ? path[n - 1 - depth] : 0;
}

static int depth_of(const struct store *st, stk_id s)
{
	int n = 0;
	for (; s && n < DEEP_MAX; s = stk_parent(st, s))
		n++;
	return n;
}

/* Return the number of frames that all stacks share from the root; only the last of them is drawn. */
static int shared_depth(const struct store *st, const stk_id *stk, int n)
{
	int depth = DEEP_MAX;
	stk_id of = 0;
	for (int c = 0; c < n; c++) {
		if (!stk[c] || stk[c] == of)
			continue;
		int d = depth_of(st, stk[c]), k = 0;
		if (!of)
			depth = d;
		while (of && k < depth && k < d && at_depth(st, of, k) == at_depth(st, stk[c], k))
			k++;
		if (of && k < depth)
			depth = k;
		of = of ? of : stk[c];
	}
	return depth > 1 && depth < DEEP_MAX ? depth - 1 : 0;
}

static void frame_bar(const struct timeline *tl, const struct store *st, struct grid *g,
    const struct timeline_layout *l, int y, stk_id s, int c0, int c1)
{
	const struct str_row *name =
	    store_str(st, store_fun(st, store_frm(st, stk_frame(st, s))->fun)->name);
	int attr = 0, n = c1 - c0, x = l->gutter + c0;
	enum style style = style_of_symbol(name->s ? name->s : "", name->n, &attr);
	struct buf b = {0};
	(void)tl;
	for (int i = 0; i < n; i++)
		grid_put(g, y, x + i, uses_letters(g) ? (i ? ' ' : '|') : ' ', style,
		    uses_letters(g) ? ST_NORMAL : style, attr);
	int from = uses_letters(g);
	if (n - from > 1 && text_fit_symbol(&b, name->s, name->n, (size_t)(n - from), g->ascii) > 1)
		grid_text(g, y, x + from, ST_NORMAL, uses_letters(g) ? 0 : attr, buf_str(&b));
	if (!uses_letters(g))
		grid_back(g, (struct rect){y, x, 1, n}, style);
	buf_free(&b);
}

void timeline_draw_stacks(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y, trk_id trk, int level, int levels)
{
	const struct snap *sn = session_snap(env->s);
	int n = l->cells;
	stk_id *stk = arena_alloc(env->scratch, ((size_t)n + 1) * sizeof *stk);
	for (int c = 0; c < n; c++)
		stk[c] = cell_stack(tl, sn, trk, timeline_cell_edge(tl, n, c), timeline_cell_edge(tl, n, c + 1));
	int skip = shared_depth(sn->st, stk, n);
	for (int k = level; k < levels && y < g->h; k++, y++)
		for (int c = 0, end; c < n; c = end) {
			stk_id s = at_depth(sn->st, stk[c], skip + k);
			end = c + 1;
			while (end < n && s &&
			       (stk[end] == stk[c] || at_depth(sn->st, stk[end], skip + k) == s))
				end++;
			if (s)
				frame_bar(tl, sn->st, g, l, y, s, c, end);
		}
}

/* ---- ticks */

/* Return whether a tick may replace a cell: its neighbours show the same state, as a letter or thin; it is neither
   part of a label nor a summary. was: the row before any tick. */
static bool room_for_tick(const struct grid *g, const struct cell *was, int x, int x0)
{
	uint32_t ch = was[x].ch;
	if (x <= x0 || x + 1 >= g->w || was[x - 1].bg != was[x].bg || was[x + 1].bg != was[x].bg)
		return false;
	if (was[x - 1].ch != ch || was[x + 1].ch != ch)
		return false;
	return uses_letters(g) ? ch != ':' && ch != ' '
			  : ch == 0x2582 || ch == 0x2500 || (ch == ' ' && was[x].bg != ST_NORMAL);
}

static void draw_tick(
    struct grid *g, const struct timeline_layout *l, int y, int c, const struct cell *was, uint32_t ch, int *last)
{
	int x = l->gutter + c;
	enum style bg = (enum style)was[x].bg;
	if (c <= *last + 1 || !room_for_tick(g, was, x, l->gutter))
		return;
	grid_put(g, y, x, ch, bg == ST_NORMAL ? ST_ACCENT : ST_LABEL, bg, was[x].attr);
	*last = c;
}

static void draw_samples(const struct timeline *tl, struct grid *g, const struct timeline_layout *l, int y, trk_id trk,
    const struct cell *was)
{
	uint32_t n, left;
	const struct region_layout_tick *v = region_layout_samples(tl->ix->row_layout, trk, tl->t0, tl->t1, &n);
	for (int last = -2; n; n = left) {
		int c = timeline_cell_at(tl, l->cells, v->t);
		draw_tick(g, l, y, c, was, g->ascii ? '^' : 0xb7, &last);
		const struct region_layout_tick *next = region_layout_samples(
		    tl->ix->row_layout, trk, timeline_cell_edge(tl, l->cells, c + 1), tl->t1, &left);
		if (next == v)
			break;
		v = next;
	}
}

/* Draw the ticks of logs from the indexes of the marks at the edges of cells, without access to the marks, which
   may be on disk. */
static void draw_logs(const struct timeline *tl, struct grid *g, const struct timeline_layout *l, int y, trk_id trk,
    const struct cell *was)
{
	uint32_t n, k;
	const uint32_t *v = region_layout_logs(tl->ix->row_layout, trk, &n);
	for (int c = 0, last = -2; n && c < l->cells; c++) {
		k = region_layout_first_log(v, n, l->marks[c]);
		if (k == n || v[k] >= l->marks[l->cells])
			return;
		while (l->marks[c + 1] <= v[k])
			c++;
		draw_tick(g, l, y, c, was, g->ascii ? '\'' : 0x2575, &last);
		v += k;
		n -= k;
	}
}

void timeline_fill_marks(const struct timeline *tl, const struct pane_env *env, struct timeline_layout *l)
{
	if (!tl->ix->row_layout->log.all || l->cells <= 0)
		return;
	if (timeline_cached_line(tl, HD_EDGES, ((size_t)l->cells + 1) * sizeof *l->marks, (void **)&l->marks))
		return;
	const struct snap *sn = session_snap(env->s);
	for (int c = 0; c <= l->cells; c++) {
		l->marks[c] = bins_first_mark_from(sn, tl->ix->marks, timeline_cell_edge(tl, l->cells, c));
	}
}

void timeline_draw_ticks(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y, trk_id trk)
{
	if (!grid_keeps(g, y) || l->gutter + l->cells > g->w)
		return;
	struct cell *was = arena_alloc(env->scratch, (size_t)g->w * sizeof *was);
	memcpy(was, grid_at(g, y, 0), (size_t)g->w * sizeof *was);
	draw_samples(tl, g, l, y, trk, was);
	if (l->marks)
		draw_logs(tl, g, l, y, trk, was);
}

/* Draw the length of the run queue on the row of a P of a schedtrace log, where it is not 0. With too many values
   the row would be all digits: then only the line above the rows shows their sum. */
void timeline_draw_queues(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y, trk_id trk)
{
	enum { MANY = 100000 };
	const struct snap *sn = session_snap(env->s);
	uint32_t end, i = time_search_marks(sn, tl->t0, tl->t1, &end);
	uint64_t *most = arena_zalloc(env->scratch, ((size_t)l->cells + 1) * sizeof *most);
	for (; i < end && end - i <= MANY; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		int c = timeline_cell_at(tl, l->cells, m->t);
		if (m->kind == MK_QUEUE && m->trk == trk && m->task > most[c])
			most[c] = m->task;
	}
	for (int c = 0; c < l->cells; c++)
		if (most[c])
			grid_put(g, y, l->gutter + c, most[c] > 9 ? '+' : '0' + (uint32_t)most[c], ST_S_READY,
			    ST_NORMAL, AT_BOLD);
}
