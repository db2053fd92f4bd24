/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is wrong with the program, and what its main kind of operations does: the lines at the top of the timeline,
 * which is the first screen of a trace, and the two lines of operations over time below the axis.
 *
 * The worst findings come first, in their own words. If there is one, it may take several lines; several share the
 * room; what they leave has the parts of the critical paths. The lines do not depend on the window; the operations over
 * time do. Tab goes to where each finding shows, the worst one first; the marks in the row "findings" are these places.
 *
 * Operations of a kind are sorted by their starts. Their number in a cell is a difference of two binary searches. The
 * longest one of a cell is found from the longest of every 64 operations, so a frame does not look at all of them.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "critical/many.h"
#include "session/trace_analysis.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 3, MOST = 3, BLOCK = 64, INDENT = 8, LEAST_ROWS = 16, TALL = 34, WRAP_LOSS = 12 };

struct timeline_verdict {
	struct trace_analysis *analysis;	/* NULL: none yet */
	struct async making;
	const struct operation_kind *kind;	/* the main kind; NULL: there are no operations */
	int64_t *longest;			/* of every BLOCK operations of the kind, in ns */
	struct { uint32_t at; int64_t t0, t1; } tour;	/* the finding that Tab went to, and the window there */
};

static void choose_kind(struct timeline_verdict *v)
{
	const struct operations *ops = v->analysis->operations;
	uint32_t k = operations_main_kind(ops);
	mem_free(v->longest);
	v->longest = NULL;
	v->kind = k == UINT32_MAX ? NULL : &ops->kind[k];
	if (!v->kind)
		return;
	v->longest = xcalloc(v->kind->n / BLOCK + 1, sizeof *v->longest);
	for (uint32_t i = 0; i < v->kind->n; i++) {
		struct operation o = operations_of_kind(ops, k, i);
		int64_t *most = &v->longest[i / BLOCK];
		*most = o.complete && o.t1 - o.t0 > *most ? o.t1 - o.t0 : *most;
	}
}

static void take_analysis(struct timeline_verdict *v, struct trace_analysis *a)
{
	if (!a)
		return;
	trace_analysis_free(v->analysis);
	bool same = v->analysis == a;
	v->analysis = a;
	if (!same)
		choose_kind(v);
}

void timeline_verdict_update(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (!env->judge || !sn->complete || sn->trace.log)
		return;
	if (!tl->verdict)
		tl->verdict = xcalloc(1, sizeof *tl->verdict);
	take_analysis(tl->verdict, session_analysis_async(env->s, &tl->verdict->making));
}

struct async *timeline_verdict_slot(const struct timeline *tl)
{
	return tl->verdict ? &tl->verdict->making : NULL;
}

void timeline_verdict_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct timeline *tl = st;
	(void)out;
	struct trace_analysis *a = session_analysis_finish(env->s, &tl->verdict->making);
	take_analysis(tl->verdict, a ? a : session_analysis_async(env->s, &tl->verdict->making));
}

void timeline_verdict_free(struct timeline *tl)
{
	if (!tl->verdict)
		return;
	async_stop(&tl->verdict->making);
	trace_analysis_free(tl->verdict->analysis);
	mem_free(tl->verdict->longest);
	mem_free(tl->verdict);
	tl->verdict = NULL;
}

/* The height depends on the screen alone, so that nothing moves when the analysis arrives. */
int timeline_verdict_lines(const struct pane_env *env)
{
	bool shown = env->judge && env->detail && !env->compact && env->cols >= 60 && !session_snap(env->s)->trace.log;
	return !shown || env->rows < LEAST_ROWS ? 0 : env->rows >= TALL ? 7 : 4;
}

const struct findings *timeline_verdict_findings(const struct timeline *tl)
{
	return tl->verdict && tl->verdict->analysis ? tl->verdict->analysis->findings : NULL;
}

bool timeline_verdict_has_operations(const struct timeline *tl)
{
	const struct operation_kind *k = tl->verdict ? tl->verdict->kind : NULL;
	return k && (k->ncomplete > 1 || operations_mostly_open(k));
}

/* Return an operation of the kind. */
static struct operation operation_of(const struct timeline_verdict *v, uint32_t i)
{
	const struct operations *o = v->analysis->operations;
	return operations_of_kind(o, (uint32_t)(v->kind - o->kind), i);
}

/* Return the index, within the kind, of the first operation that starts at or after t. */
static uint32_t first_from(const struct timeline_verdict *v, int64_t t)
{
	struct bsearch_probe h = {.hi = v->kind->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, operation_of(v, (uint32_t)h.at).t0 < t);
	return (uint32_t)h.lo;
}

void timeline_verdict_count(const struct timeline *tl, int64_t t0, int64_t t1, uint32_t *n, int64_t *longest)
{
	const struct timeline_verdict *v = tl->verdict;
	uint32_t i = first_from(v, t0), end = first_from(v, t1);
	*n = end - i;
	*longest = 0;
	while (i < end) {
		bool whole = i % BLOCK == 0 && i + BLOCK <= end;
		struct operation o = operation_of(v, i);
		int64_t ns = whole ? v->longest[i / BLOCK] : o.complete ? o.t1 - o.t0 : 0;
		*longest = ns > *longest ? ns : *longest;
		i += whole ? BLOCK : 1;
	}
}

/* ---- lines */

/* Draw a text from INDENT on, in at most `most` lines, shortened to what they hold. Return how many it takes. */
static int draw_text(struct grid *g, int y, int most, const struct buf *text)
{
	struct buf b = {0};
	int room = g->w - INDENT > WRAP_LOSS ? g->w - INDENT : WRAP_LOSS + 1;
	text_fit_line(&b, text->p, text->n, (size_t)(most * room - (most - 1) * WRAP_LOSS), g->ascii);
	int end = y + 1;
	if (most == 1)
		grid_textn(g, y, INDENT, ST_NORMAL, 0, b.p, b.n);
	else
		end = tracepane_draw_wrapped(g, y, INDENT, ST_NORMAL, buf_str(&b));
	buf_free(&b);
	return end - y;
}

static int draw_finding(struct grid *g, int y, int most, const struct finding *f)
{
	struct buf b = {0};
	bool problem = f->level == FINDING_PROBLEM;
	buf_printf(&b, "%s %.0f  %s", finding_rules[f->rule].id, f->score, f->text);
	grid_text(g, y, 0, problem ? ST_PROBLEM : ST_NOTICE, AT_BOLD, problem ? "PROBLEM" : "notice");
	int lines = draw_text(g, y, most, &b);
	buf_free(&b);
	return lines;
}

/* Next to a problem, a notice of something that costs little does not help to decide where to look. */
static bool is_worth_a_line(const struct findings *all, const struct finding *f)
{
	return f->level == FINDING_PROBLEM || all->v[0].level != FINDING_PROBLEM || f->score >= FINDING_LOW;
}

/* Draw the worst findings in `room` lines, the first ones with more of them. Return how many lines they take. */
static int draw_findings(struct grid *g, int room, const struct findings *all)
{
	struct buf b = {0};
	int y = 0, n = 0;
	while (n < SHOWN && n < (int)all->n && is_worth_a_line(all, &all->v[n]))
		n++;
	for (int i = 0; i < n && y < room; i++) {
		int most = (room - y) / (n - i) + ((room - y) % (n - i) != 0), left = room - y;
		if (!i && most < 2 && left > 2 && all->v[0].level == FINDING_PROBLEM)
			most = 2;	/* the line and the number of the worst one, rather than one more notice */
		y += draw_finding(g, y, most < MOST ? most : MOST, &all->v[i]);
	}
	if (!n) {
		buf_puts(&b, "Nothing stands out");
		if (all->nunanswered)
			buf_printf(&b, "; %" PRIu32 " rule%s cannot be answered from this trace (! lists them)", all->nunanswered,
			    text_s(all->nunanswered));
		grid_text(g, y++, 0, ST_NORMAL, 0, buf_str(&b));
	}
	buf_free(&b);
	return y;
}

/* Append a number per second: "0.5", "12.3", "444", "5517". */
static void put_per_second(struct buf *b, double v)
{
	buf_printf(b, v >= 100 ? "%.0f/s" : "%.3g/s", v);
}

/* Append "flight recorder, after lookup 61 (20.5ms)  ": for what the program wrote the snapshot. */
static void put_trigger(const struct trace_analysis *a, struct buf *b)
{
	if (!a->triggered || a->trigger.operation == OPERATION_NONE)
		return;
	buf_puts(b, "flight recorder, ");
	critical_put_triggering(b, a->sn, a->all, &a->trigger);
	buf_puts(b, "  ");
}

/* Append "request  444/s  p50 36.0ms  p99 36.9ms", or "request  33 open  1 complete" of a kind that is mostly open. */
static void put_rate(const struct snap *sn, const struct operation_kind *k, struct buf *b)
{
	double seconds = (double)(sn->t1 - sn->t0) / 1e9;
	text_safe(b, k->name, k->nname);
	buf_puts(b, "  ");
	if (operations_mostly_open(k)) {
		buf_printf(b, "%" PRIu32 " open  %" PRIu32 " complete", k->n - k->ncomplete, k->ncomplete);
		return;
	}
	put_per_second(b, seconds > 0 ? (double)(k->n - k->nbefore) / seconds : 0);
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

/* Append that line. Return false if its share is small. */
static bool put_path(const struct trace_analysis *a, uint32_t i, enum path_text text, struct buf *b)
{
	enum { LEAST = 5 };
	const struct critical_lines *l = a->slowest.lines;
	int64_t all = l ? critical_lines_total(l) : 0;
	if (!all || i >= critical_lines_count(l) || text_percent(critical_lines_at(l, i)->ns, all) < LEAST)
		return false;
	const struct critical_line *v = critical_lines_at(l, i);
	struct buf place = {0}, because = {0};
	buf_printf(b, "%s%.0f%% %s", a->slowest.n < a->nslowest || v->approximate ? "~" : "", text_percent(v->ns, all),
	    time_class_name(v->cls));
	if (text == PATH_CLASS)
		return true;
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
	return true;
}

/* Append the first parts of the critical paths that fit into `width` columns; of the first one only the class,
   if its place does not fit. */
static void put_paths(const struct trace_analysis *a, size_t width, struct buf *b)
{
	for (uint32_t i = 0; i < SHOWN; i++) {
		size_t before = b->n;
		for (int text = PATH_METHOD; text >= PATH_CLASS; text--) {
			b->n = before;
			buf_puts(b, i ? ", " : "  path ");
			if (put_path(a, i, (enum path_text)text, b) && text_width(b->p, b->n) <= width)
				break;
			b->n = before;
			if (i)
				return;
		}
		if (b->n == before)
			return;
	}
}

/* Draw the main kind of operations: its rate and latency, and the parts of its critical paths, in `room` lines. */
static void draw_kind(const struct timeline_verdict *v, struct grid *g, int y, int room)
{
	struct buf b = {0}, rate = {0}, path = {0};
	put_trigger(v->analysis, &rate);
	put_rate(v->analysis->sn, v->kind, &rate);
	if (room == 1 && put_path(v->analysis, 0, PATH_CLASS, &path))
		buf_puts(&path, "  path ");	/* in any order: its width is reserved */
	text_fit_line(&b, rate.p, rate.n, (size_t)g->w - text_width(path.p, path.n), g->ascii);
	if (room == 1)
		put_paths(v->analysis, (size_t)g->w, &b);
	buf_free(&path);
	grid_line(g, y, 0, ST_NORMAL, 0, &b);
	buf_free(&rate);
	for (int i = 0; i + 1 < room; i++) {
		buf_reset(&b);
		if (!put_path(v->analysis, (uint32_t)i, PATH_REASON, &b))
			break;
		if (!i)
			grid_text(g, y + 1, 0, ST_DIM, 0, "path");
		draw_text(g, y + 1 + i, 1, &b);
	}
	buf_free(&b);
}

void timeline_verdict_draw(const struct timeline *tl, const struct pane_env *env, struct grid *g)
{
	const struct findings *all = timeline_verdict_findings(tl);
	int room = timeline_verdict_lines(env), y = 0;
	bool kind = timeline_verdict_has_operations(tl);
	if (!room)
		return;
	if (!all) {
		grid_text(g, 0, 0, ST_DIM, 0, session_snap(env->s)->complete ? "The trace is being judged."
		    : "The trace is judged when all of it is read.");
		return;
	}
	y = draw_findings(g, room - kind, all);
	if (kind)
		draw_kind(tl->verdict, g, y, room - y);
}

/* ---- places of findings */

void timeline_draw_finding_marks(const struct timeline *tl, struct grid *g, const struct timeline_layout *l, int y)
{
	const struct findings *all = timeline_verdict_findings(tl);
	for (uint32_t i = 0; all && i < all->n; i++) {
		const struct finding *f = &all->v[i];
		int64_t t0 = f->show_t0 > tl->t0 ? f->show_t0 : tl->t0, t1 = f->show_t1 < tl->t1 ? f->show_t1 : tl->t1;
		bool everywhere = t0 == tl->t0 && t1 == tl->t1;
		if (t1 > t0 && !everywhere)
			grid_put(g, y, l->gutter + timeline_cell_at(tl, l->cells, t0 + (t1 - t0) / 2), '!', ST_WARN,
			    ST_NORMAL, AT_BOLD);
	}
}

enum verdict timeline_goto_finding(struct timeline *tl, const struct pane_env *env, int dir, struct ask *out)
{
	const struct findings *all = timeline_verdict_findings(tl);
	struct timeline_verdict *v = tl->verdict;
	if (!all) {
		const struct snap *sn = session_snap(env->s);
		bool later = env->judge && !sn->trace.log && (sn->complete || session_job(env->s));
		return pane_message(out, later ? "The trace is being judged." : "Findings are not looked for in this file.");
	}
	bool on = tl->t0 == v->tour.t0 && tl->t1 == v->tour.t1;
	for (uint32_t k = 0; k < all->n; k++) {
		v->tour.at = !on && !k ? (dir > 0 ? 0 : all->n - 1) : (v->tour.at + (dir > 0 ? 1 : all->n - 1)) % all->n;
		const struct finding *f = &all->v[v->tour.at];
		int64_t ns = f->show_t1 - f->show_t0;
		if (ns <= 0)
			continue;
		if (f->trk)
			timeline_show_track(tl, env, f->trk);
		tl->at = f->show_t0 + ns / 2;
		timeline_set_window(tl, env, f->show_t0 - ns / 2, f->show_t1 + ns / 2);
		v->tour.t0 = tl->t0;
		v->tour.t1 = tl->t1;
		return pane_message(out, "%s", f->text);
	}
	return pane_message(out, "Nothing stands out.");
}
