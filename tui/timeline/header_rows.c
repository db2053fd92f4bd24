/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines above the rows: the time axis, the matches of a search, STW, GC, the heap with its goal,
 * counters, starts of Ps, logs. Each has the same cells as the rows. A counter shows the largest
 * value in a cell, because a mean would hide a spike of a microsecond. If there is room (or nothing
 * else to show), the heap and the runnable goroutines have three lines.
 *
 * Counters are of one neutral colour, except the one that the worst finding is about. They are drawn from 0 to a
 * maximum that means something: the number of Ps, the goal of the heap, else the largest value. What does not change is
 * a number without bars. The numbers stand after the time axis.
 *
 * timeline_layout() alone decides which lines fit: a table has the height of the pane from which each line is shown, and
 * an order in which they are chosen when there is room for a few.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "findings/findings.h"
#include "trace/bins_time.h"

#include <stdio.h>
#include <string.h>

/* A line: the height of the pane from which it is shown, its place in the order in which the lines that are counters are
   chosen (0: it is none, and always shown), its counter, its name, and its style if the finding is about it. */
static const struct header_row {
	enum timeline_header_line what;
	int from; /* height of the pane in lines */
	int order;
	int ct;	  /* enum counter; -1: none */
	const char *name;
	enum style style;
} heads[] = {
    {HD_AXIS, 2, 0, -1, "time", ST_DIM},
    {HD_HITS, 4, 0, -1, "matches", ST_HIT},
    {HD_OPERATIONS, 8, 2, -1, "operations", ST_ACCENT},
    {HD_LATENCY, 8, 1, -1, "latency", ST_ACCENT},
    {HD_FINDINGS, 20, 0, -1, "findings", ST_WARN},
    {HD_STW, 8, 8, -1, "STW", ST_STWLINE},
    {HD_GC, 8, 5, -1, "GC", ST_S_GC},
    {HD_HEAP, 8, 4, CT_HEAP_LIVE, "heap", ST_ACCENT},
    {HD_STACKS, 60, 15, CT_STACKS, "stacks", ST_HEAT},
    {HD_OTHER, 60, 16, CT_OTHER, "other mem", ST_HEAT},
    {HD_PROCS, 36, 9, CT_GOMAXPROCS, "GOMAXPROCS", ST_HEAT},
    {HD_BUSY, 8, 3, -1, "Ps busy", ST_S_RUN},
    {HD_QUEUED, 14, 3, CT_QUEUED, "queued", ST_S_READY}, /* in schedtrace logs */
    {HD_IDLE, 16, 10, CT_PROCS_IDLE, "idle Ps", ST_S_UNKNOWN},
    {HD_THREADS, 24, 11, CT_THREADS, "threads", ST_S_SYSCALL},
    {HD_SPINNING, 36, 14, CT_SPINNING, "spinning", ST_S_RUN},
    {HD_RUNNABLE, 8, 6, CT_RUNNABLE, "runnable", ST_S_READY},
    {HD_RUNNING, 36, 13, CT_RUNNING, "running", ST_S_RUN},
    {HD_WAITING, 36, 12, CT_WAITING, "waiting", ST_S_CHAN},
    {HD_SYSCALL, 8, 7, CT_SYSCALL, "syscalls", ST_S_SYSCALL},
    {HD_STARTS, 36, 0, -1, "P start", ST_DIM},
    {HD_LOGS, 24, 0, -1, "logs", ST_ACCENT},
};
enum { NHEADS = sizeof heads / sizeof *heads, NUMBERS = 12, RARE = 1000 };

/* Return whether a line has something to show; verdict: the height of the lines above. While a file is read, lines that
   every trace has are shown already, so that the rows do not move. */
static bool has_line(const struct timeline *tl, const struct snap *sn, int verdict, const struct header_row *h)
{
	bool early = !sn->complete;
	switch (h->what) {
	case HD_HITS: return tl->search.criteria != NULL;
	case HD_OPERATIONS:
	case HD_LATENCY: return verdict && (timeline_verdict_has_operations(tl) || !timeline_verdict_findings(tl));
	case HD_FINDINGS:
		return verdict && (!timeline_verdict_findings(tl) || timeline_verdict_findings(tl)->n);
	case HD_STACKS:
	case HD_OTHER: return sn->ncounts[h->ct] > 1;
	case HD_PROCS: return tl->ix->procs;
	case HD_BUSY:
		return tl->rows.nrow > 0 && !sn->trace.log; /* logs do not always have it for each P */
	case HD_STARTS:
		return tl->rows.nrow > 0 && sn->nmarks + sn->ncounts[CT_PROC_START] > 0 && !sn->trace.log;
	case HD_GC: return early || bins_spans_total(tl->ix->cycles, SP_GC).n > 0;
	case HD_STW: return early || bins_spans_total(tl->ix->cycles, SP_STW).ns > (sn->t1 - sn->t0) / RARE || tl->more == 1;
	case HD_LOGS: return early || (tl->ix->whole ? tl->ix->logs : sn->nmarks > 0 && !sn->trace.log);
	default:
		return h->ct < 0 || (early && tl->rows.nrow > 0 && h->ct >= CT_RUNNABLE) ||
		       sn->ncounts[h->ct] > 1;
	}
}

/* Return the maximum height of a line. */
static int line_most(const struct timeline *tl, const struct pane_env *env, const struct header_row *k)
{
	bool operations = k->what == HD_OPERATIONS || k->what == HD_LATENCY;
	if (k->ct < 0 && k->what != HD_BUSY && !operations)
		return 1;
	if (!tl->rows.nrow) /* there are only counters */
		return env->rows >= 30 ? 4 : env->rows >= 18 ? 2 : 1;
	if (env->compact || (env->rows < TL_TALL && (tl->moved || env->rows < 16)))
		return 1;
	if (env->rows < TL_TALL)
		return 3;
	return k->what == HD_HEAP || k->what == HD_RUNNABLE ? 5 : operations ? 3 : k->what == HD_BUSY ? 3 : 1;
}

/* Return whether there is a text below the rows: about the cursor, or the outline of what is being read. */
static bool has_story(const struct timeline *tl, const struct pane_env *env)
{
	return env->detail && !env->compact && (tl->moved || !session_snap(env->s)->complete);
}

/* Return the lines needed for the rows of tracks (at most half of the h lines), and the text about the cursor. */
static int room_below(const struct timeline *tl, const struct pane_env *env, int h)
{
	int tracks = (int64_t)tl->rows.nrow + 1 < h / 2 ? (int)tl->rows.nrow + 1 : h / 2;
	return !tl->rows.nrow ? 0 : env->detail && has_story(tl, env) ? tracks + TL_STORY_LEAST : tracks;
}

static const struct header_row *head_of(enum timeline_header_line what)
{
	const struct header_row *k = heads;
	while (k->what != what)
		k++;
	return k;
}

/* Give spare rows of the screen to the lines that can use them, in turn. Return how many were given. */
static int grow_lines(const struct timeline *tl, const struct pane_env *env, struct timeline_layout *l, int spare)
{
	int given = 0;
	for (int before = -1; before != given && given < spare;) {
		before = given;
		for (int i = 0; i < l->nline && given < spare; i++)
			if (l->line[i].h < line_most(tl, env, head_of(l->line[i].what))) {
				l->line[i].h++;
				given++;
			}
	}
	for (int i = 1; i < l->nline; i++)
		l->line[i].y = l->line[i - 1].y + l->line[i - 1].h;
	return given;
}

/* Set the columns of the names, of the cells and of the numbers. */
static void set_columns(const struct timeline *tl, const struct pane_env *env, struct timeline_layout *l)
{
	bool wide = tl->rows.kind == TL_G || tl->rows.kind == TL_T || tl->rows.stacks || tl->rows.npin;
	l->gutter = !wide || env->cols < 60 ? 11 : env->cols >= 120 ? 28 : 20;
	l->right = env->cols >= 60 ? NUMBERS : 0;
	l->cells = env->cols - l->gutter - l->right > 0 ? env->cols - l->gutter - l->right : 0;
}

/* Choose the lines for `height` lines of the pane, of which the rows get up to half. */
static void choose_lines(const struct timeline *tl, const struct pane_env *env, int height, int verdict, bool chosen[NHEADS])
{
	enum timeline_header_line about = timeline_verdict_line(tl);
	int few = env->compact || tl->more == 2 ? 4 : NHEADS;
	int rows = tl->rows.nrow < (uint32_t)height / 2 ? (int)tl->rows.nrow : height / 2, left = height - rows, counters = 0;
	int most = tl->more == 1 || !tl->rows.nrow || env->rows >= TL_TALL ? NHEADS : env->rows < 26 ? 4 : 6;
	for (int i = 0; i < NHEADS; i++) {
		const struct header_row *k = &heads[i];
		int from = tl->more == 1 || !tl->rows.nrow ? (k->from < 16 ? k->from : 16) : k->what == about ? 8 : k->from;
		chosen[i] = env->rows - verdict >= from && i <= few && has_line(tl, session_snap(env->s), verdict, k);
		left -= chosen[i] && !k->order;
		counters += chosen[i] && k->order;
	}
	most = left < most ? left : most;
	for (; counters > most && counters > 0; counters--) {
		int last = -1;
		for (int i = 0; i < NHEADS; i++)
			if (chosen[i] && heads[i].order && (last < 0 || heads[last].what == about ||
			    (heads[i].what != about && heads[i].order > heads[last].order)))
				last = i;
		chosen[last] = false;
	}
}

struct timeline_layout timeline_layout(const struct timeline *tl, const struct pane_env *env)
{
	struct timeline_layout l = {0};
	int verdict = timeline_verdict_lines(tl, env), y = verdict;
	bool chosen[NHEADS];
	l.nlegend = timeline_legend_lines(tl, env);
	l.legend = env->rows - l.nlegend;
	int h = l.legend;
	set_columns(tl, env, &l);
	l.nstory = !has_story(tl, env) ? 0 : env->rows >= TL_TALL ? 8 : h >= 14 ? 2 : 0;
	choose_lines(tl, env, h - y - l.nstory, verdict, chosen);
	for (int i = 0; i < NHEADS; i++) {
		if (!chosen[i] || y >= h || (tl->rows.nrow && i && y + 1 >= h))
			continue;
		l.line[l.nline].what = heads[i].what;
		l.line[l.nline].y = y++;
		l.line[l.nline++].h = 1;
	}
	y += grow_lines(tl, env, &l, h - y - room_below(tl, env, h));
	l.rows = y;
	l.nrows = h - y - l.nstory;
	if (l.nrows < 1)
		l.nrows = h - y > 0 ? h - y : 0;
	if (l.nstory && (uint32_t)l.nrows > tl->rows.nrow + 1)
		l.nrows = (int)tl->rows.nrow + 1; /* the text begins directly below the last row */
	l.story = l.rows + l.nrows;
	if (l.nstory)
		l.nstory = h - l.story;
	return l;
}

int timeline_cell_at(const struct timeline *tl, int cells, int64_t t)
{
	int64_t len = tl->t1 - tl->t0;
	if (len <= 0 || cells <= 0 || t <= tl->t0)
		return 0;
	if (t >= tl->t1)
		return cells - 1;
	int c = (int)((__extension__(__int128)(t - tl->t0)) * cells / len);
	while (c + 1 < cells && timeline_cell_edge(tl, cells, c + 1) <= t)
		c++;
	while (c > 0 && timeline_cell_edge(tl, cells, c) > t)
		c--;
	return c;
}

/* Return the smallest of 1, 2 or 5 times a power of ten that is at least `want`. */
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

/* Write the label of the axis at t: the first label in full, the others as the difference to it. */
static void axis_label(
    struct buf *b, int64_t t, int64_t first, int64_t step, int64_t wall, bool is_first)
{
	buf_reset(b);
	if (wall != TIME_NONE) {
		text_clock(b, wall + t, step);
	} else if (is_first || t == 0) {
		text_at(b, t, step);
	} else {
		buf_putc(b, '+');
		text_ns(b, t - first);
	}
}

/* Draw the time range of the query as a band on the axis. */
static void draw_filter(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y)
{
	const struct query *q = session_query(env->s);
	int64_t a = q->from == TIME_NONE ? tl->t0 : q->from,
		b = q->to == TIME_NONE ? tl->t1 : q->to;
	if (q->suspended || (q->from == TIME_NONE && q->to == TIME_NONE) || b <= tl->t0 ||
	    a >= tl->t1)
		return;
	int c0 = a <= tl->t0 ? 0 : timeline_cell_at(tl, l->cells, a),
	    c1 = b >= tl->t1 ? l->cells - 1 : timeline_cell_at(tl, l->cells, b);
	if (g->ascii || g->mono)
		grid_attr(g, (struct rect){y, l->gutter + c0, 1, c1 - c0 + 1}, AT_UNDERLINE);
	grid_back(g, (struct rect){y, l->gutter + c0, 1, c1 - c0 + 1}, ST_RANGE);
}

static void draw_axis(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y)
{
	int64_t len = tl->t1 - tl->t0,
		wall = env->wall ? query_start_time_of_day(session_snap(env->s)) : TIME_NONE;
	int wide = wall == TIME_NONE ? 12 : 18;
	if (len <= 0 || l->cells < 10)
		return;
	int64_t step = round_step(len / l->cells * wide + len % l->cells * wide / l->cells + 1);
	/* time between the start of the window and the last multiple of the step before it */
	int64_t past = (tl->t0 % step + (wall == TIME_NONE ? 0 : wall % step)) % step, first = 0;
	struct buf b = {0};
	int at = tl->moved && tl->at >= tl->t0 && tl->at < tl->t1 ? timeline_cell_at(tl, l->cells, tl->at) : -1, last = -1;
	for (int64_t d = past ? step - past : 0; d < len; d = len - d > step ? d + step : len) {
		int64_t t = tl->t0 + d;
		int c = timeline_cell_at(tl, l->cells, t);
		first = last < 0 ? t : first;
		axis_label(&b, t, first, step, wall, last < 0);
		if (c > last && c + (int)b.n + 1 <= l->cells) {
			grid_put(
			    g, y, l->gutter + c, g->ascii ? '|' : 0x2575, ST_DIM, ST_NORMAL, 0);
			if (at <= c || at > c + (int)b.n)	/* no room for it at the cursor */
				grid_text(g, y, l->gutter + c + 1, ST_DIM, 0, buf_str(&b));
			last = c + (int)b.n + 1;
		}
	}
	buf_free(&b);
	draw_filter(tl, env, g, l, y);
	if (at >= 0)
		grid_put(g, y, l->gutter + at, g->ascii ? 'v' : 0x25bc, ST_ACCENT, ST_NORMAL, AT_BOLD);
}

/* Draw spans: the height of a cell is the share that they cover. In ASCII there are two heights: half or more, and
   less. */
static void draw_spans(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y, enum span_kind kind, const char ascii[2], enum style st)
{
	const int64_t *on = timeline_gc_ns(tl, session_snap(env->s), l->cells, kind);
	struct buf b = {0};
	int64_t sum = 0;
	for (int c = 0; c < l->cells; c++)
		sum += on[c];
	buf_printf(&b, "%.2g%%", text_percent(sum, tl->t1 - tl->t0));
	if (l->right)
		grid_right(g, y, l->gutter + l->cells + l->right, ST_NORMAL, 0, buf_str(&b));
	buf_free(&b);
	for (int c = 0; c < l->cells; c++) {
		double part = timeline_cell_share(tl, l->cells, c, on[c]);
		if (!on[c])
			continue;
		if (g->ascii)
			grid_put(g, y, l->gutter + c, (unsigned char)ascii[part < 0.5], st, ST_NORMAL, 0);
		else
			grid_level(g, y, l->gutter + c, part, st, ST_NORMAL);
	}
}

/* ---- counters */

struct series { /* the drawn values of a counter, one per cell */
	double v, goal;
	bool any, has_goal;
};

/* Append "36.2-38.1ms" for two texts: a unit that both have is written once. */
static void put_range(struct buf *b, const struct buf *least, const struct buf *most)
{
	static const char digits[] = "0123456789.";
	size_t i = least->n, k = most->n;
	while (i && k && least->p[i - 1] == most->p[k - 1] && !strchr(digits, least->p[i - 1]))
		i--, k--;
	bool same = i && strchr(digits, least->p[i - 1]) && k && strchr(digits, most->p[k - 1]);
	buf_put(b, least->p, same ? i : least->n);
	buf_putc(b, '-');
	buf_put(b, most->p, most->n);
}

static void put_value(struct buf *b, enum timeline_header_line what, double v)
{
	if (what == HD_LATENCY)
		text_ns(b, (int64_t)v);
	else if (what == HD_HEAP || what == HD_STACKS || what == HD_OTHER)
		text_bytes(b, (int64_t)v);
	else
		text_count(b, (int64_t)v);
}

/* What a line of counters shows. */
struct extremes { double least, most, sum, top; int n; };

/* Write what the counter is in the window after the axis: "36.2-38.1ms", or only the maximum if there is no room; the mean
   of rates. */
static void draw_numbers(const struct timeline *tl, struct grid *g, int y, const struct timeline_layout *l,
    const struct header_row *k, const struct extremes *e)
{
	struct buf b = {0}, least = {0}, most = {0};
	double seconds = (double)(tl->t1 - tl->t0) / 1e9;
	put_value(&least, k->what, e->least);
	put_value(&most, k->what, e->most);
	if (k->what == HD_BUSY)
		buf_printf(&b, "%.0f%% of %d P", e->top > 0 ? 100 * e->sum / e->n / e->top : 0, (int)e->top);
	else if (k->what == HD_OPERATIONS)
		buf_printf(&b, e->sum / seconds >= 100 ? "%.0f/s" : "%.3g/s", seconds > 0 ? e->sum / seconds : 0);
	else if (least.n == most.n && !memcmp(least.p, most.p, least.n))
		buf_put(&b, most.p, most.n);
	else
		put_range(&b, &least, &most);
	if ((int)b.n >= l->right) {
		buf_reset(&b);
		buf_put(&b, most.p, most.n);
	}
	if ((int)b.n < l->right)
		grid_right(g, y, l->gutter + l->cells + l->right, ST_NORMAL, 0, buf_str(&b));
	buf_free(&b);
	buf_free(&least);
	buf_free(&most);
}

/* Return what is known of the values, and the value at the upper edge of the line. */
static struct extremes find_extremes(const struct timeline *tl, const struct timeline_layout *l, const struct header_row *k,
    const struct series *v)
{
	struct extremes e = {0};
	for (int c = 0; c < l->cells; c++) {
		if (!v[c].any)
			continue;
		e.least = !e.n || v[c].v < e.least ? v[c].v : e.least;
		e.most = !e.n || v[c].v > e.most ? v[c].v : e.most;
		e.top = v[c].has_goal && v[c].goal > e.top ? v[c].goal : e.top;
		e.sum += v[c].v;
		e.n++;
	}
	if (k->what == HD_BUSY || k->what == HD_RUNNING || k->what == HD_IDLE)
		e.top = tl->tr->n[TK_P];
	e.top = e.most > e.top ? e.most : e.top;
	return e;
}

/* Draw the values as heights in h lines of eighths; the goal is a line in its own colour where it is above. */
static void draw_series(const struct timeline *tl, struct grid *g, const struct timeline_layout *l, int y, int h,
    const struct header_row *k, const struct series *v)
{
	struct extremes e = find_extremes(tl, l, k, v);
	enum style style = timeline_verdict_line(tl) == k->what ? k->style : ST_HEAT;
	if (!e.n)
		return;
	draw_numbers(tl, g, y, l, k, &e);
	if (e.least == e.most && k->what != HD_BUSY)
		return;
	bool number = g->ascii && h == 1 && e.most <= 99 && k->what != HD_HEAP && k->what != HD_LATENCY;
	for (int c = 0; c < l->cells; c++) {
		double up = v[c].any && e.top > 0 ? v[c].v / e.top * h : 0;
		if (number && v[c].any) {
			uint32_t d = (uint32_t)(v[c].v + 0.5);
			grid_put(g, y, l->gutter + c, d > 9 ? '+' : d ? '0' + d : '.', style, ST_NORMAL, 0);
			continue;
		}
		for (int i = 0; i < h && up > i; i++)
			grid_level(g, y + h - 1 - i, l->gutter + c, up - i > 1 ? 1 : up - i, style, ST_NORMAL);
		int at = v[c].has_goal && e.top > 0 ? (int)(v[c].goal / e.top * h - 0.001) : -1;
		if (h > 1 && at >= 0 && at < h && up <= at)
			grid_put(g, y + h - 1 - at, l->gutter + c, g->ascii ? '~' : 0x2594, ST_ACCENT, ST_NORMAL, 0);
	}
}

/* Without the sums of the index a counter costs one step per value: skip large ones until there is an index. */
static void fill_counter(const struct timeline *tl, const struct pane_env *env,
    const struct timeline_layout *l, int ct, bool goal, struct series *v)
{
	enum { MANY = 100000 };
	if (tl->ix->first && session_snap(env->s)->ncounts[ct] > MANY)
		return;
	struct counter_bin *b = arena_alloc(env->scratch, ((size_t)l->cells + 1) * sizeof *b);
	bins_counter_from_sums(session_snap(env->s), tl->ix->counts, (enum counter)ct, tl->t0, tl->t1,
	    (uint32_t)l->cells, b);
	for (int c = 0; c < l->cells; c++) {
		if (goal) {
			v[c].goal = (double)b[c].last;
			v[c].has_goal = b[c].any;
		} else {
			v[c].v = (double)b[c].max;
			v[c].any = b[c].any;
		}
	}
}

/* Compute the mean number of Ps with a thread in each cell. */
static void fill_busy(const struct timeline *tl, const struct timeline_layout *l, struct series *v)
{
	for (int p = 0; p < l->nps; p++)
		for (int c = 0; c < l->cells; c++) {
			const struct bin *b = &l->ps[p][c];
			int64_t all = timeline_cell_edge(tl, l->cells, c + 1) - timeline_cell_edge(tl, l->cells, c);
			v[c].v += all > 0
				      ? 1 - (double)(b->ns[TS_NONE] + b->ns[TS_IDLE]) / (double)all
				      : 0;
			v[c].any = true;
		}
}

/* Fill in the number of operations that start in each cell, or the duration of the longest of them. */
static void fill_operations(const struct timeline *tl, const struct timeline_layout *l, bool latency, struct series *v)
{
	for (int c = 0; c < l->cells; c++) {
		uint32_t n;
		int64_t longest;
		timeline_verdict_count(tl, timeline_cell_edge(tl, l->cells, c), timeline_cell_edge(tl, l->cells, c + 1), &n,
		    &longest);
		v[c].v = latency ? (double)longest : n;
		v[c].any = latency ? longest > 0 : true;
	}
}

void timeline_fill_proc_bins(const struct timeline *tl, const struct pane_env *env, struct timeline_layout *l)
{
	const struct snap *sn = session_snap(env->s);
	bool wanted = false;
	for (int i = 0; i < l->nline; i++)
		wanted |= l->line[i].what == HD_BUSY;
	l->ps = arena_alloc(env->scratch, TL_PS * sizeof *l->ps);
	/* Ps precede nearly all goroutines */
	trk_id p[TL_PS], all[TL_PS];
	for (trk_id t = 1; wanted && t < sn->ntrks && t < 16 * TL_PS && l->nps < TL_PS; t++)
		if (store_trk(sn->st, t)->kind == TK_P)
			p[l->nps++] = t;
	memcpy(all, p, (size_t)l->nps * sizeof *p);
	timeline_count_bins(tl, sn, all, (uint32_t)l->nps);
	for (int i = 0; i < l->nps; i++)
		l->ps[i] = timeline_row_bins(tl, sn, p[i]);
}

/* Draw the number of marks in each cell of a line of marks. */
static void draw_marks(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, int y, uint32_t kinds, enum style st)
{
	const struct snap *sn = session_snap(env->s);
	bool procs = kinds & 1u << MK_PROC_STEAL;
	uint32_t *on;
	if (!timeline_cached_line(tl, procs ? HD_STARTS : HD_LOGS, ((size_t)l->cells + 1) * sizeof *on, (void **)&on)) {
		bins_marks(sn, tl->ix->marks, kinds, tl->t0, tl->t1, (uint32_t)l->cells, on);
		for (int k = CT_PROC_START; procs && k <= CT_PROC_STOP; k++)
			for (uint32_t c = 0, was = 0, now; c <= (uint32_t)l->cells; c++, was = now) {
				now = bins_counter_rows_before(sn, tl->ix->counts, (enum counter)k,
				    timeline_cell_edge(tl, l->cells, (int)c));
				if (c)
					on[c - 1] += now - was;
			}
	}
	for (int c = 0; c < l->cells; c++)
		if (on[c])
			grid_put(g, y, l->gutter + c,
			    g->ascii	? (on[c] > 1 ? '"' : '\'')
			    : on[c] > 1 ? 0x257d
					: 0x2575,
			    st, ST_NORMAL, 0);
}

/* Draw a mark in each cell in which matches start or one is in progress; a number if there are many. */
static void draw_hits(const struct timeline *tl, struct grid *g, const struct timeline_layout *l, int y)
{
	struct buf b = {0};
	if (async_job(&tl->search.slot))
		buf_puts(&b, "...");
	else
		text_count(&b, (int64_t)tl->search.hits.all);
	if ((int)b.n + 6 < l->gutter)
		grid_right(g, y, l->gutter - 1, ST_DIM, 0, buf_str(&b));
	buf_free(&b);
	for (int c = 0; c < l->cells && tl->search.hits.n; c++) {
		uint32_t n = span_hits_first_from(&tl->search.hits, timeline_cell_edge(tl, l->cells, c + 1)) -
			     span_hits_first_from(&tl->search.hits, timeline_cell_edge(tl, l->cells, c));
		if (!n)
			continue;
		grid_put(g, y, l->gutter + c,
		    n == 1     ? (g->ascii ? '!' : 0x2575)
		    : n < 10   ? '0' + n
		    : g->ascii ? '*'
			       : 0x2588,
		    ST_HIT, ST_NORMAL, 0);
	}
}

static void draw_line(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l, const struct header_row *k, int y, int h)
{
	grid_text(g, y, 0, ST_DIM, 0, k->name);
	switch (k->what) {
	case HD_AXIS: draw_axis(tl, env, g, l, y); return;
	case HD_HITS: draw_hits(tl, g, l, y); return;
	case HD_FINDINGS: timeline_draw_finding_marks(tl, g, l, y); return;
	case HD_STW: draw_spans(tl, env, g, l, y, SP_STW, "|'", k->style); return;
	case HD_GC: draw_spans(tl, env, g, l, y, SP_GC, "Gg", k->style); return;
	case HD_STARTS: draw_marks(tl, env, g, l, y, 1u << MK_PROC_STEAL, k->style); return;
	case HD_LOGS: draw_marks(tl, env, g, l, y, 1u << MK_LOG, k->style); return;
	default: break;
	}
	struct series *v;
	if (k->what == HD_OPERATIONS || k->what == HD_LATENCY) {
		if (!timeline_verdict_has_operations(tl))
			return;
		v = arena_zalloc(env->scratch, ((size_t)l->cells + 1) * sizeof *v);
		fill_operations(tl, l, k->what == HD_LATENCY, v);
		draw_series(tl, g, l, y, h, k, v);
		return;
	}
	if (!timeline_cached_line(tl, k->what, ((size_t)l->cells + 1) * sizeof *v, (void **)&v)) {
		if (k->what == HD_BUSY)
			fill_busy(tl, l, v);
		else
			fill_counter(tl, env, l, k->ct, false, v);
		if (k->what == HD_HEAP)
			fill_counter(tl, env, l, CT_HEAP_GOAL, true, v);
	}
	draw_series(tl, g, l, y, h, k, v);
}

void timeline_draw_header(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l)
{
	for (int i = 0; i < l->nline; i++)
		draw_line(tl, env, g, l, head_of(l->line[i].what), l->line[i].y, l->line[i].h);
}

/* Append the facts of the whole trace: "2.48s | 4 P | 29 goroutines | no GC | go1.27". */
static void put_facts(const struct timeline *tl, const struct snap *sn, struct buf *b)
{
	uint32_t gc = bins_spans_total(tl->ix->cycles, SP_GC).n, g = tl->tr->n[TK_G];
	text_ns(b, sn->t1 - sn->t0);
	buf_printf(b, " | %u P | ", tl->tr->n[TK_P]);
	text_count(b, g);
	buf_printf(b, " goroutine%s | ", text_s(g));
	if (gc)
		buf_printf(b, "%u GC cycle%s", gc, text_s(gc));
	else
		buf_puts(b, "no GC");
	if (sn->trace.version >= 5)
		buf_printf(b, " | go1.%d", sn->trace.version);
}

/* Append "0.00s..2.47s of 2.48s | 1 cell=35.4ms | 4 P rows". */
static void put_window(const struct timeline *tl, const struct pane_env *env, int64_t step, struct buf *b)
{
	const struct snap *sn = session_snap(env->s);
	int64_t len = tl->t1 - tl->t0, all = sn->t1 - sn->t0;
	text_at(b, tl->t0, step);
	buf_puts(b, "..");
	text_at(b, tl->t1, step);
	buf_puts(b, " of ");
	text_ns(b, all);
	if (all > 0 && len < all)
		buf_printf(b, " (%.3g%%)", (double)len * 100 / (double)all);
	buf_puts(b, " | 1 cell=");
	text_ns(b, step > 0 ? step : 1);
	buf_puts(b, " | ");
	timeline_describe_rows(tl, env, b);
}

/* Line 2 of the screen: the position of the window in the trace, the duration of a cell, wall clock time. */
void timeline_summary(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	struct timeline_layout l = {0};
	set_columns(tl, env, &l);
	int64_t len = tl->t1 - tl->t0, step = l.cells > 0 ? len / l.cells : len;
	if (!snap->complete && snap->t1 <= snap->t0) {	/* no times are known yet */
		buf_puts(b, "reading");
		return;
	}
	if (!tl->moved && tl->whole && snap->complete && !snap->trace.log && tl->rows.kind == TL_P)
		put_facts(tl, snap, b);
	else
		put_window(tl, env, step, b);
	if (tl->search.criteria) {
		buf_printf(b, " | %s%s ", tl->search.dim ? "highlight " : "", span_query_text(tl->search.criteria));
		if (async_job(&tl->search.slot))
			buf_puts(b, "searching, Esc cancels");
		else
			timeline_describe_hits(tl, b);
	}
	if (tl->range.t1 > tl->range.t0) {
		buf_puts(b, " | range ");
		text_ns(b, tl->range.t1 - tl->range.t0);
	} else if (tl->range.on) {
		buf_puts(b, " | v: range ");
		text_ns(b, tl->at > tl->range.anchor ? tl->at - tl->range.anchor : tl->range.anchor - tl->at);
	}
	int64_t wall = query_start_time_of_day(snap);
	if (wall != TIME_NONE) {
		buf_puts(b, env->wall ? " | from " : " | wall ");
		if (env->wall)
			text_at(b, tl->t0, step);
		else
			text_clock(b, wall + tl->t0, 1000000);
		buf_puts(b, env->wall ? " of the trace" : " UTC");
	}
}
