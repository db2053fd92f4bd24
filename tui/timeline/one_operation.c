/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Where the time of one operation goes: part of the first screen of a trace. A heading with the latency of the main kind
 * of operations; a bar for each class of time; the first lines of the critical paths, which tell what is behind a class.
 * Where the screen is wide, the latency of all of them and the slowest ones stand beside it.
 *
 * The bars show the time of the goroutine that served the operation. The goroutines of a task that uses several at once
 * have more time than it lasts; then the bars show the classes on its critical path, which add up to its duration.
 *
 * All numbers are in the analysis. A frame costs what it draws.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/text/text.h"
#include "critical/many.h"
#include "session/trace_analysis.h"
#include "trace/time_class.h"

#include <inttypes.h>
#include <string.h>

enum {
	PATHS = 3,	/* lines of critical paths */
	CLASSES = 7,	/* bars */
	X_BAR = 15, SHARES = 18,	/* columns before a bar, and after it */
	WIDE = 120,	/* columns for a second part beside the bars */
	LEAST = 5	/* per cent of a critical path that are worth a line */
};

/* ---- numbers */

struct class_part { enum time_class cls; int64_t ns; };
struct class_parts {
	struct class_part v[TIME_CLASS__N];
	int n;
	int64_t all;
	uint32_t operations;	/* the number whose time this is */
	bool path, sample;	/* on their critical paths; of some of them */
};

/* Return whether the times of the goroutines add up to those of the operations. */
static bool adds_up(const struct operation_kind *k)
{
	int64_t sum = 0;
	for (int c = 0; c < TIME_CLASS__N; c++)
		sum += k->class_ns[c];
	return sum > k->total - k->total / 20 && sum < k->total + k->total / 20;
}

static struct class_parts class_parts_of(const struct trace_analysis *a, const struct operation_kind *k)
{
	struct class_parts p = {.operations = k->n, .path = !adds_up(k)};
	const int64_t *ns = k->class_ns;
	if (p.path) {
		ns = a->slowest.lines ? critical_lines_classes(a->slowest.lines) : NULL;
		p.operations = a->slowest.n;
		p.sample = a->slowest.n < a->nslowest;
	}
	for (int c = 0; ns && c < TIME_CLASS__N; c++) {
		int at = p.n;
		if (ns[c] <= 0)
			continue;
		for (; at && p.v[at - 1].ns < ns[c]; at--)
			p.v[at] = p.v[at - 1];
		p.v[at] = (struct class_part){(enum time_class)c, ns[c]};
		p.n++;
		p.all += ns[c];
	}
	return p;
}

/* Return how many bars are worth a line: those of at least half a per cent. */
static int bars_of(const struct class_parts *p)
{
	int n = 0;
	while (n < p->n && n < CLASSES && (!n || text_percent(p->v[n].ns, p->all) >= 0.5))
		n++;
	return n;
}

static int paths_of(const struct trace_analysis *a)
{
	const struct critical_lines *l = a->slowest.lines;
	int n = 0;
	while (l && n < PATHS && (uint32_t)n < critical_lines_count(l) &&
	       text_percent(critical_lines_at(l, (uint32_t)n)->ns, critical_lines_total(l)) >= LEAST)
		n++;
	return n;
}

static bool is_triggered(const struct trace_analysis *a)
{
	return a->triggered && a->trigger.operation != OPERATION_NONE;
}

/* ---- text */

/* Append a number per second: "0.5", "12.3", "444", "5517". */
static void put_per_second(struct buf *b, double v)
{
	buf_printf(b, v >= 100 ? "%.0f/s" : "%.3g/s", v);
}

/* Append "flight recorder, after lookup 61 (20.5ms)": for what the program wrote the snapshot. */
static void put_trigger(const struct trace_analysis *a, struct buf *b)
{
	buf_puts(b, "flight recorder, ");
	critical_put_triggering(b, a->sn, a->all, &a->trigger);
}

static void put_rate(const struct snap *sn, const struct operation_kind *k, struct buf *b)
{
	double seconds = (double)(sn->t1 - sn->t0) / 1e9;
	put_per_second(b, seconds > 0 ? (double)(k->n - k->nbefore) / seconds : 0);
}

/* Append "request  444/s  p50 36.0ms  p99 36.9ms", or "request  33 open  1 complete" of a kind that is mostly open. */
static void put_line(const struct snap *sn, const struct operation_kind *k, struct buf *b)
{
	text_safe(b, k->name, k->nname);
	buf_puts(b, "  ");
	if (operations_mostly_open(k)) {
		buf_printf(b, "%" PRIu32 " open  %" PRIu32 " complete", k->n - k->ncomplete, k->ncomplete);
		return;
	}
	put_rate(sn, k, b);
	buf_puts(b, "  p50 ");
	text_ns(b, k->p50);
	buf_puts(b, "  p99 ");
	text_ns(b, k->p99);
}

/* Return where "call" begins in "main.(*upstream).call kit.go:233". */
static size_t method_start(const struct buf *place)
{
	const char *s = place->p, *end = place->n ? memchr(s, ' ', place->n) : NULL,
		   *dot = end ? text_last(s, '.', (size_t)(end - s)) : NULL;
	return dot && dot[1] != ' ' && !memchr(s, '[', (size_t)(end - s)) ? (size_t)(dot + 1 - s) : 0;
}

/* How much of a line of the critical paths is written: "92% network", with the method "call kit.go:233", with the whole
   place "main.(*upstream).call kit.go:233" and the reason. */
enum path_text { PATH_CLASS, PATH_METHOD, PATH_REASON };

/* Append line i of paths_of(). */
static void put_path(const struct trace_analysis *a, int i, enum path_text text, struct buf *b)
{
	const struct critical_lines *l = a->slowest.lines;
	const struct critical_line *v = critical_lines_at(l, (uint32_t)i);
	struct buf place = {0}, because = {0};
	buf_printf(b, "%s%.0f%% %s", a->slowest.n < a->nslowest || v->approximate ? "~" : "",
	    text_percent(v->ns, critical_lines_total(l)), time_class_name(v->cls));
	if (text == PATH_CLASS)
		return;
	critical_put_place(&place, a->sn->st, v->at);
	buf_puts(b, place.n ? " " : "");
	size_t skip = text == PATH_REASON ? 0 : method_start(&place);
	if (text == PATH_REASON)
		critical_line_put_because(l, v, &because);
	if (because.n)
		buf_printf(&place, "%s%s", v->chain != CRITICAL_NONE ? ", reached through " : ", ", buf_str(&because));
	text_safe(b, buf_str(&place) + skip, place.n - skip);
	buf_free(&because);
	buf_free(&place);
}

/* Append the first lines of the critical paths that fit into `width` columns; of the first one only the class, if its
   place does not fit. */
static void put_paths(const struct trace_analysis *a, size_t width, struct buf *b)
{
	for (int i = 0; i < paths_of(a); i++) {
		size_t before = b->n;
		for (int text = PATH_METHOD; text >= PATH_CLASS; text--) {
			b->n = before;
			buf_puts(b, i ? ", " : "  path ");
			put_path(a, i, (enum path_text)text, b);
			if (text_width(b->p, b->n) <= width)
				break;
			b->n = before;
			if (i)
				return;
		}
		if (b->n == before)
			return;
	}
}

/* ---- lines */

/* Draw all in one line. */
static void draw_line(const struct trace_analysis *a, const struct operation_kind *k, struct grid *g, int y)
{
	struct buf b = {0}, rate = {0}, path = {0};
	if (is_triggered(a)) {
		put_trigger(a, &rate);
		buf_puts(&rate, "  ");
	}
	put_line(a->sn, k, &rate);
	if (paths_of(a)) {
		put_path(a, 0, PATH_CLASS, &path);
		buf_puts(&path, "  path ");	/* in any order: its width is reserved */
	}
	text_fit_line(&b, rate.p, rate.n, (size_t)g->w - text_width(path.p, path.n), g->ascii);
	put_paths(a, (size_t)g->w, &b);
	grid_line(g, y, 0, ST_NORMAL, 0, &b);
	buf_free(&path);
	buf_free(&rate);
	buf_free(&b);
}

/* Append how many there are, and their p99 and longest. */
static void put_numbers(const struct snap *sn, const struct operation_kind *k, bool quantiles, struct buf *b)
{
	text_count(b, k->n);
	if (operations_mostly_open(k)) {
		buf_printf(b, ", %" PRIu32 " of them complete", k->ncomplete);
		return;
	}
	buf_puts(b, ", ");
	put_rate(sn, k, b);
	if (!quantiles)
		return;
	buf_puts(b, "  p99 ");
	text_ns(b, k->p99);
	buf_puts(b, "  max ");
	text_ns(b, k->max);
}

/* Draw "one request = 36.0ms (p50)" and, at the right, the numbers of all of them. */
static void draw_heading(
    const struct trace_analysis *a, const struct operation_kind *k, struct grid *g, int y, bool quantiles)
{
	struct buf left = {0}, right = {0}, fit = {0}, name = {0};
	bool open = operations_mostly_open(k);
	put_numbers(a->sn, k, quantiles, &right);
	text_safe(&name, k->name, k->nname);
	if (!open) {
		buf_puts(&left, " = ");
		text_ns(&left, k->p50);
		buf_puts(&left, " (p50)");
	}
	size_t room = (size_t)g->w > right.n + left.n + 8 ? (size_t)g->w - right.n - left.n - 2 : 8;
	int x = 0;
	if (!open && name.n + 4 <= room) {
		x = grid_text(g, y, 0, ST_NORMAL, AT_BOLD, "one ");
		room -= 4;
	}
	text_fit_line(&fit, name.p, name.n, room, g->ascii);
	x = grid_textn(g, y, x, ST_NORMAL, AT_BOLD, fit.p, fit.n);
	grid_textn(g, y, x, ST_NORMAL, AT_BOLD, buf_str(&left), left.n);
	grid_right(g, y, g->w, ST_NORMAL, 0, buf_str(&right));
	buf_free(&left);
	buf_free(&right);
	buf_free(&fit);
	buf_free(&name);
}

static void draw_bars(const struct class_parts *p, struct grid *g, int y, int n)
{
	int w = g->w - X_BAR - SHARES;
	struct buf b = {0};
	for (int i = 0; i < n; i++) {
		double share = (double)p->v[i].ns / (double)p->all;
		grid_text(g, y + i, 1, ST_NORMAL, 0, time_class_name(p->v[i].cls));
		grid_bar(g, y + i, X_BAR, w > 1 ? w : 1, share, style_of_state(time_class_state(p->v[i].cls)));
		buf_reset(&b);
		buf_printf(&b, "%s%.0f%%", p->sample ? "~" : "", 100 * share);
		grid_right(g, y + i, g->w - 12, ST_NORMAL, 0, buf_str(&b));
		if (!i)
			grid_text(g, y, g->w - 11, ST_DIM, 0, "mean");
		buf_reset(&b);
		text_ns(&b, p->operations ? p->v[i].ns / p->operations : 0);
		grid_right(g, y + i, g->w, ST_NORMAL, 0, buf_str(&b));
	}
	buf_free(&b);
}

static void draw_paths(const struct trace_analysis *a, struct grid *g, int y, int n)
{
	struct buf b = {0}, fit = {0};
	for (int i = 0; i < n; i++) {
		buf_reset(&b);
		buf_reset(&fit);
		put_path(a, i, PATH_REASON, &b);
		text_fit_line(&fit, b.p, b.n, g->w > X_BAR ? (size_t)(g->w - X_BAR) : 0, g->ascii);
		if (!i)
			grid_text(g, y, 1, ST_DIM, 0, "critical path");
		grid_textn(g, y + i, X_BAR, ST_NORMAL, 0, fit.p, fit.n);
	}
	buf_free(&b);
	buf_free(&fit);
}

/* ---- latency */

/* Return the number of operations in column c of w, per bin: columns have different numbers of bins. */
static double column_of(const struct operation_latency *l, int c, int w)
{
	int from = c * LATENCY_BINS / w, to = (c + 1) * LATENCY_BINS / w;
	double n = 0;
	for (int i = from; i < to; i++)
		n += l->count[i];
	return to > from ? n / (to - from) : 0;
}

/* A mark below the histogram, with its name at its right, or at its left where the histogram ends. */
struct latency_mark { const char *name; int64_t ns; };
enum { MARK_NAME = 3 };		/* the length of each name */

/* Return the first column of a mark of a histogram of w columns. */
static int mark_column(const struct operation_latency *l, int w, int64_t ns)
{
	int x = (int)(operation_latency_position(l, ns) * (w - 1));
	return x + MARK_NAME + 1 <= w ? x : x - MARK_NAME;
}

/* Draw the marks in the order of importance; one that would touch another is left out. */
static void draw_marks(
    const struct operation_latency *l, struct grid *g, int y, int w, const struct latency_mark *m, int n)
{
	int at[8];
	const char *sign = g->ascii ? "^" : "▲";
	for (int i = 0; i < n; i++) {
		bool free = true;
		at[i] = mark_column(l, w, m[i].ns);
		for (int k = 0; k < i; k++)
			free &= at[i] > at[k] + MARK_NAME + 1 || at[i] + MARK_NAME + 1 < at[k];
		if (!free)
			at[i] = w + 2 * MARK_NAME;	/* away from the others */
		else if (operation_latency_position(l, m[i].ns) * (w - 1) < at[i] + 1)
			grid_printf(g, y, at[i], ST_ACCENT, 0, "%s%s", sign, m[i].name);
		else
			grid_printf(g, y, at[i], ST_ACCENT, 0, "%s%s", m[i].name, sign);
	}
}

/* Draw the durations at five places of the axis. */
static void draw_scale(const struct operation_latency *l, struct grid *g, int y, int w)
{
	enum { PARTS = 4 };
	struct buf b = {0};
	for (int i = 0, end = 0; i <= PARTS; i++) {
		buf_reset(&b);
		text_ns(&b, operation_latency_at(l, (double)i / PARTS));
		int x = i * (w - 1) / PARTS - (i == PARTS ? (int)b.n - 1 : i ? (int)b.n / 2 : 0);
		if (x >= end)
			end = grid_text(g, y, x, ST_DIM, 0, buf_str(&b)) + 1;
	}
	buf_free(&b);
}

static void draw_histogram(const struct trace_analysis *a, const struct operation_kind *k, struct grid *g, int y, int h)
{
	const struct operation_latency *l = &a->latency;
	int w = g->w < LATENCY_BINS / 2 ? g->w : LATENCY_BINS / 2;
	int bars = l->all / 4 < 8 ? 8 : l->all / 4 < (uint32_t)w ? (int)(l->all / 4) : w;	/* wider ones for few operations */
	double most = 0;
	if (w < 8)
		return;
	for (int i = 0; i < bars; i++)
		most = column_of(l, i, bars) > most ? column_of(l, i, bars) : most;
	for (int c = 0; c < w; c++) {
		double up = most > 0 ? column_of(l, c * bars / w, bars) / most * h : 0;
		for (int i = 0; i < h && up > i; i++)
			grid_level(g, y + h - 1 - i, c, up - i > 1 ? 1 : up - i, ST_HEAT, ST_NORMAL);
	}
	draw_scale(l, g, y + h, w);
	const struct latency_mark mark[] = {
	    {"p99", k->p99}, {"p50", k->p50}, {"max", k->max}, {"p95", operation_latency_quantile(l, 0.95)}};
	draw_marks(l, g, y + h + 1, w, mark, (int)(sizeof mark / sizeof *mark));
}

/* Draw the slowest operations, with what their goroutines did in the order of time. */
static void draw_slowest(const struct trace_analysis *a, const struct operation_kind *k, const struct pane_env *env,
    struct grid *g, int y, int n)
{
	enum { X_LATENCY = 18, X_START = 28, X_STATES = 30 };
	struct buf b = {0};
	const struct operation_latency *l = &a->latency;
	grid_text(g, y, 0, ST_HEAD, 0, "SLOWEST");
	grid_right(g, y, X_LATENCY, ST_HEAD, 0, "LATENCY");
	grid_right(g, y, X_START, ST_HEAD, 0, "START");
	grid_text(g, y, X_STATES, ST_HEAD, 0, "WHAT ITS GOROUTINE DID");
	for (int i = 0; i < n && (uint32_t)i < l->nslowest; i++) {
		struct operation o = operations_of_kind(a->operations, (uint32_t)(k - a->operations->kind), l->slowest[i]);
		buf_reset(&b);
		buf_printf(&b, "#%" PRIu64, o.id);
		grid_text(g, y + 1 + i, 1, ST_NORMAL, 0, buf_str(&b));
		tracepane_draw_ns(g, y + 1 + i, X_LATENCY, o.t1 - o.t0, 0);
		buf_reset(&b);
		text_at(&b, o.t0, 100000);
		grid_right(g, y + 1 + i, X_START, ST_NORMAL, 0, buf_str(&b));
		tracepane_draw_states(env, g, y + 1 + i, X_STATES, g->w - X_STATES, o.g, o.t0, o.t1);
	}
	buf_free(&b);
}

static void draw_beside(const struct trace_analysis *a, const struct operation_kind *k, const struct pane_env *env,
    struct grid *g, int lines)
{
	enum { MARKS = 2, QUANTILES = 46 };	/* lines below the histogram; columns for four quantiles */
	int h = lines >= 14 ? 4 : lines >= 10 ? 3 : 2, y = 1 + h + MARKS, rows = lines - y - 1;
	struct buf b = {0};
	buf_puts(&b, "latency of ");
	text_count(&b, a->latency.all);
	int end = grid_text(g, 0, 0, ST_NORMAL, AT_BOLD, buf_str(&b));
	buf_reset(&b);
	buf_puts(&b, "p50 ");
	text_ns(&b, k->p50);
	if (g->w - end >= QUANTILES) {
		buf_puts(&b, "  p90 ");
		text_ns(&b, k->p90);
	}
	buf_puts(&b, "  p99 ");
	text_ns(&b, k->p99);
	buf_puts(&b, "  max ");
	text_ns(&b, k->max);
	grid_right(g, 0, g->w, ST_NORMAL, 0, buf_str(&b));
	buf_free(&b);
	draw_histogram(a, k, g, 1, h);
	if (rows > 0)
		draw_slowest(a, k, env, g, y, rows);
}

/* ---- all of it */

int timeline_operation_lines(const struct trace_analysis *a, const struct operation_kind *k, const struct pane_env *env,
    int most)
{
	enum { BESIDE = 14 };
	struct class_parts p = class_parts_of(a, k);
	int n = is_triggered(a) + 1 + bars_of(&p) + paths_of(a);
	n = env->cols >= WIDE && a->latency.all > 1 && n < BESIDE ? BESIDE : n;
	return n < most ? n : most;
}

void timeline_operation_draw(const struct trace_analysis *a, const struct operation_kind *k, const struct pane_env *env,
    struct grid *g, int y, int lines)
{
	struct class_parts p = class_parts_of(a, k);
	int bars = bars_of(&p), paths = paths_of(a), left = lines - 1 - is_triggered(a);
	bool beside = g->w >= WIDE && a->latency.all > 1 && lines >= 5;
	if (lines < 2) {
		draw_line(a, k, g, y);
		return;
	}
	if (bars + paths > left) {	/* the first line of the paths tells what is behind the first bar */
		bars = bars < left - 1 ? bars : left > 1 ? left - 1 : 1;
		paths = left - bars < paths ? left - bars : paths;
	}
	struct rect old = grid_clip(g, (struct rect){y, 0, lines, beside ? g->w / 2 : g->w});
	int at = 0;
	if (is_triggered(a)) {
		struct buf b = {0};
		put_trigger(a, &b);
		grid_text(g, at++, 0, ST_ACCENT, AT_BOLD, buf_str(&b));
		buf_free(&b);
	}
	draw_heading(a, k, g, at++, !beside);
	draw_bars(&p, g, at, bars);
	draw_paths(a, g, at + bars, paths);
	grid_unclip(g, old);
	if (!beside)
		return;
	int x = g->w / 2 + 1;
	grid_fill(g, (struct rect){y, x, lines, 1}, 0x2502, ST_RULE, 0);
	old = grid_clip(g, (struct rect){y, x + 2, lines, g->w - x - 2});
	draw_beside(a, k, env, g, lines);
	grid_unclip(g, old);
}
