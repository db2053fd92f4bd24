/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The text about the span under the cursor: which goroutine ran or waited, for how long, why it
 * ended, what woke it, where in the code. It is shown as lines below the rows, and as one line in
 * the detail line of the screen.
 *
 * The text is always about the goroutine: on a P or M row the interval names the G that ran there,
 * and the track of the G has the rest.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "trace/longest_wait.h"
#include "trace/wait_before.h"
#include "tracepane/tracepane.h"

#include <string.h>

const char *timeline_track_name(const struct store *st, trk_id id, struct buf *b)
{
	const struct trk_row *t = store_trk(st, id);
	static const char letter[] = "?PMG";
	buf_putc(b, letter[t->kind]);
	buf_i64(b, (int64_t)t->id);
	str_id name = store_origin(st, t)->name;
	if (t->kind == TK_G && name) {
		buf_putc(b, ' ');
		text_safe(b, store_str(st, name)->s, store_str(st, name)->n);
	}
	return buf_str(b);
}

trk_id timeline_selected_track(const struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct timeline_row r = timeline_selected_row(tl);
	if (r.what != ROW_TASK)
		return r.id;
	const struct stats_task *t = r.id < tl->ix->tasks->n ? &tl->ix->tasks->task[r.id] : NULL;
	if (t && t->span != UINT32_MAX && store_span(sn->st, t->span)->s.trk)
		return store_span(sn->st, t->span)->s.trk;
	if (!t || !t->n)
		return 0;
	struct stats_task_event e = stats_task_event(tl->ix->tasks, t->first);
	return e.log ? store_mark(sn->st, e.i)->trk : store_span(sn->st, e.i)->s.trk;
}

bool timeline_selected_ival(const struct timeline *tl, const struct pane_env *env, struct trace_interval *iv)
{
	trk_id t = timeline_selected_track(tl, env);
	return t && trace_interval_at(session_snap(env->s), t, tl->at, iv);
}

/* Get the goroutine at the cursor and its interval; false: none. */
static bool of_goroutine(
    const struct timeline *tl, const struct pane_env *env, struct trace_interval *iv, trk_id *g)
{
	const struct snap *snap = session_snap(env->s);
	if (!timeline_selected_ival(tl, env, iv))
		return false;
	*g = timeline_selected_track(tl, env);
	if (store_trk(snap->st, *g)->kind == TK_G)
		return iv->state != TS_NONE;
	*g = iv->peer;
	return *g && trace_interval_at(snap, *g, tl->at, iv);
}

static void put_now(const struct snap *snap, trk_id g, const struct trace_interval *iv, struct buf *b)
{
	const char *still = trace_interval_end_text(snap, iv);
	timeline_track_name(snap->st, g, b);
	buf_printf(b, " %s ", style_state_name(iv->state));
	text_ns(b, iv->t1 - iv->t0);
	if (still)
		buf_printf(b, ", %s", still);
}

/* Append what followed, ", then chan receive". */
static void put_next(const struct snap *snap, const struct trace_interval *iv, struct buf *b)
{
	struct trace_interval next = *iv;
	if (!trace_interval_step(snap, &next, 1))
		return;
	buf_puts(b, next.state == TS_NONE ? ", then ended" : ", then ");
	if (next.state == TS_NONE)
		return;
	buf_puts(b, style_state_name(next.state));
	if (tracepane_state_waits(next.state) && next.stack) {
		buf_puts(b, " in ");
		tracepane_put_site(snap->st, next.stack, b);
	}
}

/* ---- tasks and regions */

static void put_task(const struct timeline *tl, const struct snap *sn, uint32_t task, struct buf *b)
{
	const struct stats_task *t = &tl->ix->tasks->task[task];
	int64_t t0, t1;
	uint32_t logs = 0;
	tracepane_task_bounds(sn, t, &t0, &t1);
	buf_printf(b, "task %llu ", (unsigned long long)t->id);
	tracepane_put_str(sn->st, t->name, "(not started in this trace)", b);
	buf_putc(b, ' ');
	text_ns(b, t1 - t0);
	buf_puts(b, t->t0 == TIME_NONE ? ", started before the trace" : "");
	buf_puts(b, t->t1 == TIME_NONE ? ", not ended in the trace" : "");
	for (uint32_t k = t->first; k < t->first + t->n; k++)
		logs += stats_task_event(tl->ix->tasks, k).log;
	buf_printf(b, ", %u region%s, %u log%s", t->n - logs, text_s(t->n - logs), logs, text_s(logs));
	if (t->parent != UINT64_MAX && t->parent)
		buf_printf(b, ", child of task %llu", (unsigned long long)t->parent);
}

/* Append the regions of a task that are open at the cursor. */
static void put_inside(
    const struct timeline *tl, const struct pane_env *env, uint32_t task, struct buf *b)
{
	const struct snap *sn = session_snap(env->s);
	const struct stats_task *t = &tl->ix->tasks->task[task];
	int shown = 0;
	for (uint32_t k = t->first; k < t->first + t->n && shown < 4; k++) {
		struct stats_task_event e = stats_task_event(tl->ix->tasks, k);
		int64_t a, z;
		if (e.log)
			continue;
		const struct sink_span *sp = &store_span(sn->st, e.i)->s;
		time_search_span_bounds(sn, sp, &a, &z);
		if (a > tl->at || z <= tl->at)
			continue;
		buf_puts(b, shown++ ? ", " : "in ");
		tracepane_put_str(sn->st, sp->name, "region", b);
		buf_putc(b, ' ');
		text_ns(b, z - a);
		buf_puts(b, " of ");
		tracepane_put_track(sn->st, sp->trk, b);
	}
	if (!shown)
		buf_puts(b, "no region here");
}

static void put_region(const struct snap *sn, const struct timeline_extent *x, struct buf *b)
{
	const struct sink_span *s = &store_span(sn->st, x->span)->s;
	buf_puts(b, "region ");
	tracepane_put_str(sn->st, s->name, "", b);
	buf_putc(b, ' ');
	text_ns(b, x->t1 - x->t0);
	buf_puts(b, s->t0 == TIME_NONE ? ", started before the trace" : "");
	buf_puts(b, s->t1 == TIME_NONE ? ", not ended in the trace" : "");
	buf_puts(b, " of ");
	tracepane_put_track(sn->st, s->trk, b);
	if (s->id)
		buf_printf(b, ", task %llu", (unsigned long long)s->id);
	if (s->stack) {
		buf_puts(b, " at ");
		tracepane_put_call_site(sn->st, s->stack, b);
	}
}

/* Append the detail of rows that are not tracks; true: it is such a row. */
static bool user_detail(const struct timeline *tl, const struct pane_env *env, struct buf *b)
{
	const struct snap *sn = session_snap(env->s);
	struct timeline_row r = timeline_selected_row(tl);
	struct timeline_extent x;
	if (r.what == ROW_TASK)
		put_task(tl, sn, r.id, b);
	else if (r.what == ROW_REGION && timeline_extent(tl, env, &x) && x.span != UINT32_MAX)
		put_region(sn, &x, b);
	else if (r.what == ROW_REGION)
		buf_puts(b, "no region here (w and b go to the next and previous)");
	return r.what == ROW_TASK || r.what == ROW_REGION;
}

/* Append the log message in the cell of the cursor: of this goroutine, or else of any. */
static void put_log(const struct timeline *tl, const struct pane_env *env, trk_id g, struct buf *b)
{
	const struct snap *sn = session_snap(env->s);
	int cells = timeline_layout(tl, env).cells, c = timeline_cell_at(tl, cells, tl->at);
	uint32_t n, end,
	    i = time_search_marks(sn, timeline_cell_edge(tl, cells, c), timeline_cell_edge(tl, cells, c + 1), &end);
	const uint32_t *log = region_layout_logs(tl->ix->row_layout, g, &n);
	uint32_t k = region_layout_first_log(log, n, i);
	if (k < n && log[k] < end)
		i = log[k];
	else
		for (uint32_t tries = 0; i < end && store_mark(sn->st, i)->kind != MK_LOG; i++)
			if (++tries > 1000)
				return;
	if (i >= end)
		return;
	const struct sink_mark *m = store_mark(sn->st, i);
	buf_puts(b, " | log of ");
	tracepane_put_id(sn->st, m->trk, b);
	buf_puts(b, ": ");
	tracepane_put_str(sn->st, m->category, "", b);
	buf_putc(b, ' ');
	tracepane_put_str(sn->st, m->text, "", b);
}

/* Append the time of day, if the trace has it. */
static void put_time_of_day(const struct snap *snap, int64_t t, int64_t step, struct buf *b)
{
	int64_t wall = query_start_time_of_day(snap);
	if (wall == TIME_NONE)
		return;
	text_clock(b, wall + t, step);
	buf_puts(b, "  ");
}

void timeline_detail(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	struct trace_interval iv;
	trk_id g, row = timeline_selected_track(tl, env);
	int cells = timeline_layout(tl, env).cells;
	if (!snap->complete && snap->t1 <= snap->t0)
		return;
	if (!tl->moved) {
		timeline_verdict_detail(tl, b);
		return;
	}
	text_at(b, tl->at, cells > 0 ? (tl->t1 - tl->t0) / cells / 10 : 1);
	buf_puts(b, "  ");
	put_time_of_day(snap, tl->at, cells > 0 ? (tl->t1 - tl->t0) / cells / 10 : 1, b);
	if (user_detail(tl, env, b))
		return;
	if (!row) {
		buf_puts(b, "no rows");
		return;
	}
	if (store_trk(snap->st, row)->kind != TK_G) {
		timeline_track_name(snap->st, row, b);
		buf_puts(b, ": ");
	}
	g = row;
	if (of_goroutine(tl, env, &iv, &g)) {
		put_now(snap, g, &iv, b);
		put_next(snap, &iv, b);
	} else if (timeline_selected_ival(tl, env, &iv)) {
		buf_puts(b, style_state_name(iv.state));
		buf_putc(b, ' ');
		text_ns(b, iv.t1 - iv.t0);
	} else {
		buf_puts(b, "no data here");
	}
	put_log(tl, env, g, b);
	if (row >= tl->ix->nmoves || store_trk(snap->st, row)->kind != TK_P)
		return;
	uint32_t starts = tl->ix->moves[row].started, stops = tl->ix->moves[row].stopped, taken = tl->ix->moves[row].stolen;
	if (starts + taken)
		buf_printf(b, " | %u start%s, %u stop%s, lost %u time%s in total", starts, text_s(starts), stops,
		    text_s(stops),
		    taken, text_s(taken));
}

/* Append "woken by G88 db.query after 7.4ms of chan receive; was runnable 1.1ms". */
static void put_waker(const struct snap *snap, trk_id g, const struct trace_interval *iv, struct buf *b)
{
	struct trace_interval p = *iv;
	int64_t ready = 0;
	for (int steps = 0; p.state != TS_READY && steps < 8; steps++)
		if (tracepane_state_waits(p.state) || !trace_interval_step(snap, &p, -1))
			break;
	if (p.state == TS_READY) {
		ready = p.t1 - p.t0;
		buf_puts(b, "woken by ");
		if (p.peer)
			timeline_track_name(snap->st, p.peer, b);
		else
			buf_puts(b, "the runtime (timer, network poller or start of the trace)");
		if (p.stack) {
			buf_puts(b, " in ");
			tracepane_put_site(snap->st, p.stack, b);
		}
		struct trace_interval before = p;
		if (trace_interval_step(snap, &before, -1) && tracepane_state_waits(before.state)) {
			buf_puts(b, " after ");
			text_ns(b, before.t1 - before.t0);
			buf_printf(b, " of %s", style_state_name(before.state));
		}
		buf_puts(b, "; was runnable ");
		text_ns(b, ready);
	} else if (tracepane_state_waits(iv->state)) {
		struct trace_interval next = *iv;
		buf_printf(b, "waits (%s)", style_state_name(iv->state));
		if (trace_began_before(snap, g, iv->t0))
			buf_puts(b, " " TRACE_BEFORE);
		if (trace_interval_end_text(snap, iv))
			buf_printf(b, "; %s at the end of the trace", trace_interval_end_text(snap, iv));
		if (trace_interval_step(snap, &next, 1) && next.state == TS_READY && next.peer) {
			buf_puts(b, "; ended by ");
			timeline_track_name(snap->st, next.peer, b);
		}
	} else {
		trk_id by = store_trk(snap->st, g)->creator;
		if (by) {
			buf_puts(b, "created by ");
			timeline_track_name(snap->st, by, b);
		}
	}
}

/* Return the stack of a wait, or for a running span that of the wait that ended it. */
static stk_id blocking_stack(const struct snap *snap, const struct trace_interval *iv)
{
	if (tracepane_state_waits(iv->state) || iv->state == TS_SYSCALL || iv->state == TS_SYSBLOCK)
		return iv->stack;
	struct trace_interval next = *iv;
	for (int steps = 0; steps < 16 && trace_interval_step(snap, &next, 1); steps++) {
		if (tracepane_state_waits(next.state) || next.state == TS_SYSCALL)
			return next.stack;
		if (next.state == TS_NONE || next.state == TS_READY)
			break;
	}
	return next.state == TS_READY ? next.stack : 0;
}

void timeline_span_stack(const struct snap *snap, const struct trace_interval *iv, stk_id *s)
{
	*s = blocking_stack(snap, iv);
}

/* Return the wake that ( followed while the cursor is still at its target, the waker; or NULL. */
static const struct tracepane_wake *wake_here(const struct timeline *tl, trk_id g)
{
	return tl->wake.link.by && tl->wake.link.by == g && tl->wake.at == tl->at ? &tl->wake.link : NULL;
}

/* Draw the waker and the stack of the span under the cursor on lines y to end; return the line after them. */
static int draw_cause(const struct timeline *tl, const struct pane_env *env, struct grid *g, int y, int end)
{
	const struct snap *snap = session_snap(env->s);
	struct trace_interval iv;
	trk_id gor;
	struct buf b = {0};
	if (!of_goroutine(tl, env, &iv, &gor))
		return y;
	const struct tracepane_wake *wake = wake_here(tl, gor);
	if (wake)
		tracepane_put_wake(snap->st, wake, &b);
	else
		put_waker(snap, gor, &iv, &b);
	int lines = end - y;
	grid_line(g, y++, 0, ST_NORMAL, 0, &b);
	stk_id s = wake ? wake->stack : blocking_stack(snap, &iv);
	if (lines > 3 && s) {
		grid_text(g, y++, 0, ST_DIM, 0,
		    wake			     ? "stack of the wake"
		    : tracepane_state_waits(iv.state) ? "waits in"
						     : "stopped in");
		for (; s && y < end; s = stk_parent(snap->st, s)) {
			buf_reset(&b);
			tracepane_put_frame(snap->st, stk_frame(snap->st, s), &b, true);
			grid_line(g, y++, 2, ST_NORMAL, 0, &b);
		}
	} else if (s && y < end) {
		buf_reset(&b);
		buf_puts(&b, "stack: ");
		for (int n = 0; s && n < 6; n++, s = stk_parent(snap->st, s)) {
			if (n)
				buf_puts(&b, " < ");
			tracepane_put_frame(snap->st, stk_frame(snap->st, s), &b, n == 0);
		}
		grid_line(g, y++, 0, ST_DIM, 0, &b);
	}
	buf_free(&b);
	return y;
}

/* Draw one span of a track: start, duration, state, and its goroutine or its place in the code. */
static void draw_span(const struct snap *snap, struct grid *g, int y, const struct trace_interval *v, bool here)
{
	struct buf b = {0};
	if (here)
		grid_put(g, y, 0, '>', ST_ACCENT, ST_NORMAL, 0);
	text_at(&b, v->t0, 1000);
	grid_right(g, y, 13, ST_NORMAL, 0, buf_str(&b));
	tracepane_draw_ns(g, y, 22, v->t1 - v->t0, 0);
	grid_printf(g, y, 24, style_of_state(v->state), 0, "%c", style_state_letter(v->state));
	int x = grid_text(g, y, 26, ST_NORMAL, 0, style_state_name(v->state));
	buf_reset(&b);
	if (v->peer && v->peer < snap->ntrks) {
		buf_puts(&b, v->state == TS_READY ? "woken by " : "");
		timeline_track_name(snap->st, v->peer, &b);
		buf_puts(&b, "  ");
	}
	if (v->stack && tracepane_state_waits(v->state))
		tracepane_put_site(snap->st, v->stack, &b);
	grid_line(g, y, x + 2 > 46 ? x + 2 : 46, ST_NORMAL, 0, &b);
	buf_free(&b);
}

/* Draw the spans before and after the cursor on lines y to end, if there are enough lines. */
static void draw_around(const struct timeline *tl, const struct pane_env *env, struct grid *g, int y, int end)
{
	enum { LEAST = 2, MOST = 22 };	/* lines; each span takes an access to the trace */
	const struct snap *snap = session_snap(env->s);
	struct trace_interval now, v[MOST];
	struct buf b = {0};
	int n = end - y - 1 < MOST ? end - y - 1 : MOST, here = (n - 1) / 2, first = here, last = here;
	if (n < LEAST || !timeline_selected_ival(tl, env, &now))
		return;
	v[here] = now;
	for (; first > 0; first--) {
		v[first - 1] = v[first];
		if (!trace_interval_step(snap, &v[first - 1], -1))
			break;
	}
	for (; last + 1 < MOST && last + 1 < first + n; last++) {
		v[last + 1] = v[last];
		if (!trace_interval_step(snap, &v[last + 1], 1))
			break;
	}
	buf_puts(&b, "spans of ");
	timeline_track_name(snap->st, timeline_selected_track(tl, env), &b);
	grid_textn(g, y, 0, ST_DIM, 0, buf_str(&b), b.n);
	for (int i = first; i <= last; i++)
		draw_span(snap, g, ++y, &v[i], i == here);
	buf_free(&b);
}

void timeline_draw_span_text(const struct timeline *tl, const struct pane_env *env, struct grid *g,
    const struct timeline_layout *l)
{
	int y = l->story, end = l->story + l->nstory;
	enum timeline_row_type what = timeline_selected_row(tl).what;
	if (l->nstory < 1)
		return;
	if (what == ROW_TASK) {
		struct buf b = {0};
		put_inside(tl, env, timeline_selected_row(tl).id, &b);
		grid_line(g, y, 0, ST_NORMAL, 0, &b);
		buf_free(&b);
		return;
	}
	int after = draw_cause(tl, env, g, y, end);
	if (what != ROW_REGION)
		draw_around(tl, env, g, after + (after > y), end);
}
