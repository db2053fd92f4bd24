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
#include "session/trace_analysis.h"
#include "tracepane/slow_query.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 3, MOST = 4, BLOCK = 64, INDENT = 8, LEAST_ROWS = 16, TALL = 34, WRAP_LOSS = 12 };

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

/* How many lines the finding and the operation may take. The height depends on the screen, and until a key has placed the
   cursor: then the rows and the text about the cursor get most of it. When the analysis has come, what it does not need
   is left to them. */
static int most_lines(const struct timeline *tl, const struct pane_env *env)
{
	bool first = !tl->moved;
	bool shown = env->judge && env->detail && !env->compact && !session_snap(env->s)->trace.log;
	if (!shown || env->rows < 4)
		return 0;
	if (env->rows < LEAST_ROWS || env->cols < 60)
		return env->rows < 6 ? 1 : env->rows < 12 ? 2 : 3;
	if (env->rows < TALL)
		return first ? env->rows / 2 : 4;
	return first ? (env->rows < 60 ? 19 : 24) : 7;
}

/* Next to a problem, a notice of something that costs little does not help to decide where to look; nor does any if there
   is little room. */
static bool is_worth_a_line(const struct findings *all, const struct finding *f, bool tall)
{
	return f->level == FINDING_PROBLEM || all->v[0].level != FINDING_PROBLEM || (tall && f->score >= FINDING_LOW);
}

/* Return how many findings are shown; tall: of a tall pane. */
static int findings_shown(const struct findings *all, bool tall)
{
	int n = 0;
	while (n < SHOWN && n < (int)all->n && is_worth_a_line(all, &all->v[n], tall))
		n++;
	return n;
}

/* Append "93% of the time of those affected". */
static void put_quantity(const struct finding *f, struct buf *b)
{
	buf_printf(b, "%.0f%% %s", f->score, finding_score_of(f));
}

static int draw_level(struct grid *g, int y, const struct finding *f)
{
	bool problem = f->level == FINDING_PROBLEM;
	return grid_text(g, y, 0, problem ? ST_PROBLEM : ST_NOTICE, AT_BOLD, problem ? "PROBLEM" : "notice ") + 1;
}

/* Draw a sentence from INDENT on, in at most `most` lines, shortened to what they hold. Return how many it takes. */
static int draw_sentence(struct grid *g, int y, int most, const char *text)
{
	struct buf b = {0};
	int room = g->w - INDENT > WRAP_LOSS ? g->w - INDENT : WRAP_LOSS + 1;
	text_fit_line(&b, text, strlen(text), (size_t)(most * room - (most - 1) * WRAP_LOSS), g->ascii);
	int end = y + 1;
	if (most == 1)
		grid_textn(g, y, INDENT, ST_NORMAL, 0, b.p, b.n);
	else
		end = tracepane_draw_wrapped(g, y, INDENT, ST_NORMAL, buf_str(&b));
	buf_free(&b);
	return end - y;
}

/* Append "main.(*ledger).reserve main.go:41: goroutines queue for a lock, 93% of the time of those affected". */
static void put_short(const struct store *st, const struct finding *f, struct buf *b)
{
	if (f->nculprit) {
		tracepane_put_frame(st, f->culprit[0].frame, b, true);
		buf_puts(b, ": ");
	}
	buf_printf(b, "%s, ", finding_rules[f->rule].title);
	put_quantity(f, b);
}

/* Draw a finding in `most` lines: what it is and what it costs, then the sentence with the function and the line; in few
   lines (brief) both in short. Return how many it takes. */
static int draw_finding(const struct store *st, struct grid *g, int y, int most, const struct finding *f, bool brief)
{
	struct buf b = {0};
	int x = draw_level(g, y, f);
	if (most < 2 || brief) {
		put_short(st, f, &b);
		int lines = draw_sentence(g, y, brief ? most : 1, buf_str(&b));
		buf_free(&b);
		return lines;
	}
	put_quantity(f, &b);
	grid_text(g, y, x, ST_NORMAL, AT_BOLD, finding_rules[f->rule].title);
	if (x + (int)strlen(finding_rules[f->rule].title) + 2 + (int)b.n > g->w)
		b.n = strcspn(buf_str(&b), " ");	/* only the number */
	grid_right(g, y, g->w, ST_NORMAL, 0, buf_str(&b));
	buf_free(&b);
	return 1 + draw_sentence(g, y + 1, most - 1, f->text);
}

/* Draw the worst findings in `room` lines, the first one with as many as it needs. Return how many lines they take. */
static int draw_findings(struct grid *g, const struct pane_env *env, bool brief, int room, const struct findings *all)
{
	int y = 0, n = findings_shown(all, env->rows >= TALL);
	for (int i = 0; i < n && y < room; i++) {
		int others = n - i - 1, most = room - y > others + 1 ? room - y - others : room - y > 2 ? 2 : 1;
		y += draw_finding(session_snap(env->s)->st, g, y, most < MOST ? most : MOST, &all->v[i], brief);
	}
	if (!n) {
		struct buf b = {0};
		buf_puts(&b, "Nothing stands out");
		if (all->nunanswered)
			buf_printf(&b, "; %" PRIu32 " rule%s cannot be answered from this trace (! lists them)", all->nunanswered,
			    text_s(all->nunanswered));
		grid_text(g, y++, 0, ST_NORMAL, 0, buf_str(&b));
		buf_free(&b);
	}
	return y;
}

/* Return how many lines the findings take of `room`. */
static int findings_lines(const struct findings *all, const struct pane_env *env, bool brief, int room)
{
	struct grid g = {.ascii = env->ascii};
	grid_strip(&g, room, env->cols, 0, 0);	/* it stores nothing */
	int lines = draw_findings(&g, env, brief, room, all);
	mem_free(g.cell);
	return lines;
}

/* In few lines a finding is its function, its line and what it is, without the sentence. */
static bool is_brief(const struct timeline *tl, const struct pane_env *env)
{
	return env->rows < LEAST_ROWS || (tl->moved && env->rows < TALL);
}

/* Return how many lines of `most` are for the findings: on the first screen the operation has the other half. */
static int findings_room(const struct timeline *tl, int most)
{
	bool operation = timeline_verdict_has_operations(tl);
	return !operation || most < 4 ? most : tl->moved ? most - 1 : most / 2 < 8 ? most / 2 : 8;
}

int timeline_verdict_lines(const struct timeline *tl, const struct pane_env *env)
{
	int most = most_lines(tl, env);
	const struct findings *all = timeline_verdict_findings(tl);
	if (!most || !all)
		return most;
	int lines = findings_lines(all, env, is_brief(tl, env), findings_room(tl, most));
	if (!timeline_verdict_has_operations(tl) || lines == most)
		return lines;
	lines += most - lines > 4;	/* a blank line */
	return lines + timeline_operation_lines(tl->verdict->analysis, tl->verdict->kind, env, most - lines);
}

void timeline_verdict_draw(const struct timeline *tl, const struct pane_env *env, struct grid *g)
{
	const struct findings *all = timeline_verdict_findings(tl);
	int most = most_lines(tl, env), lines = timeline_verdict_lines(tl, env);
	if (!lines)
		return;
	if (!all) {
		grid_text(g, 0, 0, ST_DIM, 0, session_snap(env->s)->complete ? "The trace is being judged."
		    : "The trace is judged when all of it is read.");
		return;
	}
	struct rect old = grid_clip(g, (struct rect){0, 0, lines, g->w});
	int y = draw_findings(g, env, is_brief(tl, env), findings_room(tl, most), all);
	y += most - y > 4;
	if (y < lines)
		timeline_operation_draw(tl->verdict->analysis, tl->verdict->kind, env, g, y, lines - y);
	grid_unclip(g, old);
}

enum timeline_header_line timeline_verdict_line(const struct timeline *tl)
{
	static const struct { enum finding_rule rule; enum timeline_header_line line; } about[] = {
	    {FINDING_NO_P, HD_RUNNABLE}, {FINDING_LONG_RUN, HD_RUNNABLE}, {FINDING_FINE_GOROUTINES, HD_RUNNABLE},
	    {FINDING_GOMAXPROCS, HD_RUNNABLE}, {FINDING_GC, HD_HEAP}, {FINDING_HEAP_GROWS, HD_HEAP}, {FINDING_STW, HD_STW},
	    {FINDING_SYSCALL, HD_SYSCALL}, {FINDING_CHILD_PROCESS, HD_SYSCALL}, {FINDING_IMBALANCE, HD_BUSY},
	    {FINDING_SERIAL_STAGE, HD_BUSY}, {FINDING_SPIN, HD_BUSY}, {FINDING_STOLEN_CPU, HD_BUSY}, {FINDING_FROZEN, HD_BUSY},
	    {FINDING_LEAK, HD_WAITING}, {FINDING_STUCK_LOCK, HD_WAITING}, {FINDING_STUCK_WAIT, HD_WAITING}};
	const struct findings *all = timeline_verdict_findings(tl);
	if (!all || !all->n)
		return HD__N;
	for (size_t i = 0; i < sizeof about / sizeof *about; i++)
		if (about[i].rule == all->v[0].rule)
			return about[i].line;
	return HD_LATENCY;
}

void timeline_verdict_place(const struct timeline *tl, struct place *p)
{
	const struct findings *all = timeline_verdict_findings(tl);
	p->topic[1] = timeline_verdict_has_operations(tl) ? TOPIC_T_OPERATION : TOPIC_NONE;
	p->topic[2] = TOPIC_T_PROC;
	if (!all || !all->n)
		return;
	const struct store *st = tl->verdict->analysis->sn->st;
	p->topic[0] = (enum topic)(TOPIC_RULE_LOCK_QUEUE + all->v[0].rule);
	p->frm = all->v[0].nculprit ? all->v[0].culprit[0].frame : 0;
	p->fun = p->frm ? store_frm(st, p->frm)->fun : 0;
}

void timeline_verdict_detail(const struct timeline *tl, struct buf *b)
{
	const struct findings *all = timeline_verdict_findings(tl);
	if (!all || !all->n)
		return;
	buf_printf(b, "%s: ", finding_rules[all->v[0].rule].id);
	for (uint32_t i = 0; i < all->v[0].nnumber; i++) {
		buf_puts(b, i ? ", " : "");
		finding_put_number(b, &all->v[0].number[i]);
	}
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

bool timeline_verdict_show_slow(struct timeline *tl, const struct pane_env *env)
{
	const struct trace_analysis *a = tl->verdict ? tl->verdict->analysis : NULL;
	uint32_t i = a ? trace_analysis_slow_operation(a, NULL) : OPERATION_NONE;
	struct place to = PLACE_NONE;
	if (i == OPERATION_NONE)
		return false;
	tracepane_operation_place(a->all, i, &to);
	return timeline_goto_place(tl, env, &to);
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
