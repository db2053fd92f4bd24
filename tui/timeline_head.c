/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What stands above the rows of the timeline: the time axis, STW, GC, the heap
 * with its goal, runnable goroutines, threads in system calls, marks. Each is
 * one line of cells over the same window as the rows. Counters show the
 * largest value within a cell: a spike that lasts a microsecond is what one
 * looks for, and the mean would hide it.
 *
 * tl_layout() alone decides what there is room for; the lines given up first
 * are those that say least (marks, threads, then runnable).
 */
#include "config.h"
#include "timeline.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct tl_layout tl_layout(const struct timeline *tl, const struct pane_env *env)
{
	struct tl_layout l = {0};
	int h = env->rows, y = 0;
	l.gutter = tl->kind != TL_G ? 10 : env->cols >= 120 ? 28 : env->cols >= 60 ? 20 : 10;
	l.cells = env->cols - l.gutter > 0 ? env->cols - l.gutter : 0;
	l.axis = h >= 2 ? y++ : -1;
	l.stw = h >= 8 ? y++ : -1;
	l.gc = h >= 8 ? y++ : -1;
	l.heap = h >= 12 ? y++ : -1;
	l.ready = h >= 14 ? y++ : -1;
	l.threads = h >= 16 ? y++ : -1;
	l.marks = h >= 24 ? y++ : -1;
	l.nstory = h >= 36 ? 8 : h >= 14 ? 2 : 0;
	l.rows = y;
	l.nrows = h - y - l.nstory;
	if (l.nrows < 1)
		l.nrows = h - y > 0 ? h - y : 0;
	if (l.nstory && (uint32_t)l.nrows > tl->nrow + 1)
		l.nrows = (int)tl->nrow + 1;	/* what is told moves up under the last row */
	l.story = l.rows + l.nrows;
	if (l.nstory)
		l.nstory = h - l.story;
	return l;
}

int tl_cell(const struct timeline *tl, int cells, int64_t t)
{
	int64_t len = tl->t1 - tl->t0;
	if (len <= 0 || cells <= 0 || t <= tl->t0)
		return 0;
	if (t >= tl->t1)
		return cells - 1;
	int c = (int)((__extension__ (__int128)(t - tl->t0)) * cells / len);
	while (c + 1 < cells && tl_edge(tl, cells, c + 1) <= t)
		c++;
	while (c > 0 && tl_edge(tl, cells, c) > t)
		c--;
	return c;
}

/* 1, 2 or 5 times a power of ten: the smallest not below want. */
static int64_t round_step(int64_t want)
{
	int64_t p = 1;
	while (p < want && p < INT64_MAX / 10)
		p *= 10;
	if (p / 5 >= want)
		return p / 5;
	if (p / 2 >= want)
		return p / 2;
	return p;
}

static void draw_axis(const struct timeline *tl, struct grid *g, const struct tl_layout *l)
{
	int64_t len = tl->t1 - tl->t0;
	grid_text(g, l->axis, 0, ST_DIM, 0, "time");
	if (len <= 0 || l->cells < 10)
		return;
	int64_t step = round_step(len * 12 / l->cells + 1);
	int64_t t = tl->t0 <= 0 ? 0 : (tl->t0 + step - 1) / step * step;
	struct buf b = {0};
	int64_t first = t;
	for (int last = -1; t < tl->t1; t += step) {
		int c = tl_cell(tl, l->cells, t);
		buf_reset(&b);
		if (last >= 0 && t != 0)
			buf_putc(&b, '+');
		if (last >= 0 && t != 0)
			text_ns(&b, t - first);
		else
			text_at(&b, t, step);
		if (c > last && c + (int)b.n + 1 <= l->cells) {
			grid_put(g, l->axis, l->gutter + c, g->ascii ? '|' : 0x2575, ST_DIM, ST_NORMAL, 0);
			grid_text(g, l->axis, l->gutter + c + 1, ST_DIM, 0, buf_str(&b));
			last = c + (int)b.n + 1;
		}
		if (t > INT64_MAX - step)
			break;
	}
	buf_free(&b);
	if (tl->at >= tl->t0 && tl->at < tl->t1)
		grid_put(g, l->axis, l->gutter + tl_cell(tl, l->cells, tl->at), g->ascii ? 'v' : 0x25bc, ST_ACCENT,
		    ST_NORMAL, AT_BOLD);
}

static void draw_spans(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct tl_layout *l, int y, enum span_kind kind, const char *name, uint32_t ascii, uint32_t utf8, enum style st)
{
	if (y < 0)
		return;
	int64_t *on = arena_zalloc(env->scratch, ((size_t)l->cells + 1) * sizeof *on);
	bins_spans(session_snap(env->s), 1u << kind, 0, tl->t0, tl->t1, (uint32_t)l->cells, on);
	grid_text(g, y, 0, ST_DIM, 0, name);
	for (int c = 0; c < l->cells; c++)
		if (on[c])
			grid_put(g, y, l->gutter + c, g->ascii ? ascii : utf8, st, ST_NORMAL, 0);
}

/* One line of a counter: heights between its least and its largest value in the window. */
static void draw_counter(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct tl_layout *l, int y, enum counter ct, const char *name, enum style st)
{
	if (y < 0)
		return;
	struct cbin *v = arena_alloc(env->scratch, ((size_t)l->cells + 1) * sizeof *v);
	bins_count(session_snap(env->s), ct, tl->t0, tl->t1, (uint32_t)l->cells, v);
	uint64_t top = 0;
	bool any = false;
	for (int c = 0; c < l->cells; c++)
		if (v[c].any) {
			any = true;
			top = v[c].max > top ? v[c].max : top;
		}
	struct buf b = {0};
	grid_text(g, y, 0, ST_DIM, 0, name);
	if (any) {
		if (ct == CT_HEAP_LIVE)
			text_bytes(&b, (int64_t)top);
		else
			buf_u64(&b, top);
		if ((int)b.n + (int)strlen(name) + 1 < l->gutter)
			grid_right(g, y, l->gutter - 1, ST_DIM, 0, buf_str(&b));
	}
	for (int c = 0; c < l->cells && any; c++) {
		if (!v[c].any)
			continue;
		if (g->ascii && ct != CT_HEAP_LIVE)
			grid_put(g, y, l->gutter + c, v[c].max > 9 ? '+' : v[c].max ? '0' + (uint32_t)v[c].max : '.', st,
			    ST_NORMAL, 0);
		else if (v[c].max)
			grid_level(g, y, l->gutter + c, top ? (double)v[c].max / (double)top : 0, st, ST_NORMAL);
	}
	buf_free(&b);
}

static void draw_marks(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct tl_layout *l)
{
	if (l->marks < 0)
		return;
	uint32_t *on = arena_zalloc(env->scratch, ((size_t)l->cells + 1) * sizeof *on);
	bins_marks(session_snap(env->s), 1u << MK_LOG, 0, tl->t0, tl->t1, (uint32_t)l->cells, on);
	grid_text(g, l->marks, 0, ST_DIM, 0, "logs");
	for (int c = 0; c < l->cells; c++)
		if (on[c])
			grid_put(g, l->marks, l->gutter + c, g->ascii ? (on[c] > 1 ? '"' : '\'') : on[c] > 1 ? 0x257d : 0x2575,
			    ST_ACCENT, ST_NORMAL, 0);
}

void tl_draw_head(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct tl_layout *l)
{
	if (l->axis >= 0)
		draw_axis(tl, g, l);
	draw_spans(tl, env, g, l, l->stw, SP_STW, "STW", '|', 0x2503, ST_S_STW);
	draw_spans(tl, env, g, l, l->gc, SP_GC, "GC", 'G', 0x2586, ST_S_GC);
	draw_counter(tl, env, g, l, l->heap, CT_HEAP_LIVE, "heap", ST_HEAT);
	draw_counter(tl, env, g, l, l->ready, CT_RUNNABLE, "runnable", ST_S_READY);
	draw_counter(tl, env, g, l, l->threads, CT_SYSCALL, "syscalls", ST_S_SYSCALL);
	draw_marks(tl, env, g, l);
}

/* Line 2 of the screen: which part of the whole, what a cell is, wall clock. */
void tl_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	struct tl_layout l = tl_layout(tl, env);
	int64_t len = tl->t1 - tl->t0, all = snap->t1 - snap->t0;
	int64_t step = l.cells > 0 ? len / l.cells : len;
	text_at(b, tl->t0, step);
	buf_puts(b, "..");
	text_at(b, tl->t1, step);
	buf_puts(b, " of ");
	text_ns(b, all);
	if (all > 0 && len < all)
		buf_printf(b, " (%.3g%%)", (double)len * 100 / (double)all);
	if (l.cells > 0) {
		buf_puts(b, " | 1 cell=");
		text_ns(b, len / l.cells > 0 ? len / l.cells : 1);
	}
	if (snap->st->has_trace && snap->st->trace.wall != TIME_NONE) {
		int64_t wall = snap->st->trace.wall + tl->t0;
		int64_t s = wall / 1000000000 % 86400;
		buf_printf(b, " | wall %02d:%02d:%02d.%03d UTC", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60),
		    (int)(wall / 1000000 % 1000));
	}
	static const char *const kinds[TL__N] = {"P", "M", "G"};
	buf_printf(b, " | %u %s row%s", tl->nrow, kinds[tl->kind], tl->nrow == 1 ? "" : "s");
	if (tl->r1 > tl->r0) {
		buf_puts(b, " | range ");
		text_ns(b, tl->r1 - tl->r0);
	} else if (tl->ranging) {
		buf_puts(b, " | v: range ");
		text_ns(b, tl->at > tl->anchor ? tl->at - tl->anchor : tl->anchor - tl->at);
	}
}
