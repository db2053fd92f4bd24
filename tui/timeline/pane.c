/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The timeline pane: what each P (or M, or G) did, from the whole trace down to single nanoseconds.
 * This file handles its commands; move.c moves the window, draw.c, header_rows.c and span_text.c
 * draw, internal.h has the state.
 *
 * The pane keeps a window and a cursor, and nothing that grows with the trace but the list of rows.
 * While the trace is loading and the window is the whole trace, the window grows with it; once
 * zoomed, it does not change.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "findings/findings.h"
#include "tracepane/slow_query.h"
#include "tracepane/tracepane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void timeline_open(void *st, const struct pane_env *env)
{
	struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	tl->overlays = TL_STW | TL_GC;
	tl->labels = true;
	tl->t0 = snap->t0;
	tl->t1 = snap->t1;
	tl->at = snap->t0 + (snap->t1 - snap->t0) / 2;
	tl->whole = true;
	timeline_filter_open(tl);
	timeline_index(tl, env);
	timeline_scope_update(tl, env);
	timeline_make_rows(tl, env);
	timeline_scope_choose_kind(tl, env);
	timeline_set_window(tl, env, snap->t0, snap->t1);
}

static void timeline_close(void *st)
{
	struct timeline *tl = st;
	timeline_verdict_free(tl);
	timeline_free_hits(tl);
	span_query_free(tl->search.criteria);
	for (uint32_t i = 0; i < tl->rows.ngroup; i++)
		regex_free(tl->rows.group[i]);
	timeline_index_free(tl);
	timeline_scope_free(tl);
	mem_free(tl->rows.row);
}

void timeline_update(void *st, const struct pane_env *env)
{
	struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	timeline_index(tl, env);
	bool narrowed = timeline_scope_update(tl, env);
	if (narrowed || tl->rows.made != tl->news || tl->rows.compact != env->compact || timeline_filter_pending(tl))
		timeline_make_rows(tl, env);
	if (narrowed)
		timeline_scope_choose_kind(tl, env);
	if (snap->complete && !tl->search.restarted) {
		tl->search.restarted = true;
		if (tl->search.criteria)
			timeline_restart_search(tl, env);
	}
	timeline_verdict_update(tl, env);
	if (snap->complete && (!env->judge || snap->trace.log))
		tl->moved = true;	/* there is no first screen */
	if (!tl->moved)
		tl->at = snap->t0 + (snap->t1 - snap->t0) / 2;
	if (tl->whole)
		timeline_set_window(tl, env, snap->t0, snap->t1);
	else
		timeline_set_window(tl, env, tl->t0, tl->t1);
}

static bool on_outline(const struct timeline *tl, const struct snap *snap, const struct timeline_layout *l)
{
	return !tl->wake.nchain && !snap->complete && snap->outline && tl->whole && l->nstory;
}

static void timeline_draw(const void *st, const struct pane_env *env, struct grid *g)
{
	const struct timeline *tl = st;
	struct timeline_layout l = timeline_layout(tl, env);
	const struct snap *snap = session_snap(env->s);
	if (snap->t1 <= snap->t0) {
		grid_text(g, 1, 2, ST_DIM, 0,
		    snap->complete ? "The trace has no events for a timeline."
				   : "Nothing has been read yet.");
		if (!snap->complete && snap->outline)
			timeline_draw_outline(env, g, 3, env->rows - 3);
		return;
	}
	timeline_begin_frame(tl, snap, l.cells);
	timeline_fill_proc_bins(tl, env, &l);
	timeline_scope_fill_cells(tl, env, &l);
	timeline_fill_marks(tl, env, &l);
	timeline_verdict_draw(tl, env, g);
	timeline_draw_header(tl, env, g, &l);
	timeline_draw_rows(tl, env, g, &l);
	timeline_draw_legend(tl, g, &l);
	if (tl->wake.nchain)
		timeline_draw_chain(tl, env, g, &l);
	else if (on_outline(tl, snap, &l))
		timeline_draw_outline(env, g, l.story, l.nstory);
	else if (tl->moved)
		timeline_draw_span_text(tl, env, g, &l);
}

static void range_cmd(struct timeline *tl)
{
	if (!tl->range.on) {
		tl->range.on = true;
		tl->range.anchor = tl->at;
		tl->range.t0 = tl->range.t1 = 0;
		return;
	}
	tl->range.on = false;
	tl->range.t0 = tl->range.anchor < tl->at ? tl->range.anchor : tl->at;
	tl->range.t1 = tl->range.anchor < tl->at ? tl->at : tl->range.anchor;
}

/* f: filter all panes by the range, the task, the region, or the track of the row. */
static enum verdict focus_cmd(struct timeline *tl, const struct pane_env *env, struct ask *out)
{
	const struct store *st = session_snap(env->s)->st;
	struct timeline_row r = timeline_selected_row(tl);
	struct timeline_extent x;
	trk_id t = timeline_selected_track(tl, env);
	enum track_kind kind = store_trk(st, t)->kind;
	out->query = *session_query(env->s);
	out->query.suspended = false;
	if (tl->range.on)
		range_cmd(tl);
	if (tl->range.t1 > tl->range.t0) {
		out->query.from = tl->range.t0;
		out->query.to = tl->range.t1;
	} else if (r.what == ROW_TASK) {
		out->query.task = arena_printf(
		    env->scratch, "%llu", (unsigned long long)tl->ix->tasks->task[r.id].id);
	} else if (r.what == ROW_REGION && timeline_extent(tl, env, &x) && x.span != UINT32_MAX) {
		out->query.g = t; /* this region, not all of its name */
		out->query.from = x.t0;
		out->query.to = x.t1;
	} else if (kind == TK_G) {
		out->query.g = t;
	} else if (kind == TK_P) {
		out->query.proc = t;
	} else {
		return V_PASS;
	}
	out->kind = ASK_QUERY;
	return V_ASK;
}

/* The digit of another pane while a range is selected: open that pane filtered to the range. */
static enum verdict pane_cmd(
    const struct timeline *tl, const struct pane_env *env, enum cmd_id cmd, struct ask *out)
{
	int64_t a = tl->range.on ? tl->range.anchor : tl->range.t0, b = tl->range.on ? tl->at : tl->range.t1;
	if (a == b)
		return V_PASS;
	out->kind = ASK_QUERY;
	out->query = *session_query(env->s);
	out->query.suspended = false;
	out->query.from = a < b ? a : b;
	out->query.to = a < b ? b : a;
	out->pane = cmds[cmd].name;
	return V_ASK;
}

/* Enter: fit the window to the range or the span; u restores the old window. */
static enum verdict enter_cmd(struct timeline *tl, const struct pane_env *env, struct ask *out)
{
	struct timeline_row r = timeline_selected_row(tl);
	if (tl->range.on)
		range_cmd(tl);
	if (tl->range.t1 <= tl->range.t0 && r.what != ROW_TASK && r.what != ROW_REGION)
		return timeline_jump(tl, env, CMD_OPEN, 1, timeline_selected_track(tl, env), out);
	timeline_fit_selection(tl, env);
	tl->range.t0 = tl->range.t1 = 0;
	return V_DONE;
}

/* Enter without a cursor: open the findings. false: there are none. */
static bool evidence_cmd(const struct timeline *tl, struct ask *out)
{
	const struct findings *all = timeline_verdict_findings(tl);
	if (!all || !all->n)
		return false;
	out->kind = ASK_PANE;
	out->pane = "findings";
	out->place = PLACE_NONE;
	return true;
}

static enum verdict cause_cmd(
    struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	if (timeline_selected_row(tl).what == ROW_TASK)
		return timeline_goto_linked_task(tl, env, a->cmd == CMD_CAUSE ? -1 : 1, out);
	return timeline_jump(tl, env, a->cmd, 1, timeline_selected_track(tl, env), out);
}

/* Move up and down by rows. false: not such a command. */
static bool move_rows(struct timeline *tl, const struct pane_env *env, const struct act *a)
{
	int page = timeline_layout(tl, env).nrows, n = act_n(a);
	page = page > 1 ? page - 1 : 1;
	int64_t at = tl->rows.sel;
	switch (a->cmd) {
	case CMD_DOWN: at += n; break;
	case CMD_UP: at -= n; break;
	case CMD_PAGE_DOWN: at += (int64_t)n * page; break;
	case CMD_PAGE_UP: at -= (int64_t)n * page; break;
	case CMD_HALF_DOWN: at += (int64_t)n * (page / 2 + 1); break;
	case CMD_HALF_UP: at -= (int64_t)n * (page / 2 + 1); break;
	case CMD_FIRST: at = 0; break;
	case CMD_LAST: at = a->count > 0 ? a->count - 1 : (int64_t)tl->rows.nrow - 1; break;
	default: return false;
	}
	timeline_select_row(tl, env, at);
	return true;
}

/* 0: show the whole time; first, if the rows are a subset of the goroutines, show all of them. */
static enum verdict whole_cmd(struct timeline *tl, const struct pane_env *env, struct ask *out)
{
	const struct snap *sn = session_snap(env->s);
	trk_id at = timeline_selected_track(tl, env);
	bool whole = tl->whole;
	if (tl->rows.kind == TL_G && tl->rows.only != ONLY_ALL) {
		whole = false;
		timeline_show_subset(tl, env, ONLY_ALL, 0);
		if (at)
			timeline_show_track(tl, env, at);
	}
	timeline_set_window(tl, env, sn->t0, sn->t1);
	return whole && tl->scope.on ? pane_message(out, "the filters select these rows: \\ turns them off, R "
	    "removes them") : V_DONE;
}

static enum verdict zoom_cmd(struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	int n = act_n(a) < 64 ? act_n(a) : 64;
	int64_t t0 = tl->t0, t1 = tl->t1;
	timeline_zoom(tl, env, a->cmd == CMD_ZOOM_IN ? n : -n);
	if (tl->t0 != t0 || tl->t1 != t1)
		return V_DONE;
	return pane_message(out, a->cmd == CMD_ZOOM_IN ? "zoom-in: maximum zoom" : "zoom-out: everything is shown");
}

/* Move in time. false: not such a command. */
static bool move_time(struct timeline *tl, const struct pane_env *env, const struct act *a)
{
	int n = act_n(a);
	switch (a->cmd) {
	case CMD_LEFT: timeline_move_cursor(tl, env, -n); break;
	case CMD_RIGHT: timeline_move_cursor(tl, env, n); break;
	case CMD_SCREEN_LEFT: timeline_scroll(tl, env, -0.5 * n); break;
	case CMD_SCREEN_RIGHT: timeline_scroll(tl, env, 0.5 * n); break;
	case CMD_CENTRE:
		timeline_set_window(tl, env, tl->at - (tl->t1 - tl->t0) / 2, tl->at + (tl->t1 - tl->t0) / 2);
		break;
	case CMD_RANGE: range_cmd(tl); break;
	default: return false;
	}
	return true;
}

static enum verdict where_cmd(
    struct timeline *tl, const struct pane_env *env, const char *cond, struct ask *out)
{
	struct err e;
	struct span_criteria *h = NULL;
	if (!cond || !*cond) {
		if (!cond) {
			out->kind = ASK_PROMPT;
			snprintf(out->text, sizeof out->text, "where %s",
			    tl->search.criteria ? span_query_text(tl->search.criteria) : "");
			return V_ASK;
		}
	} else if (!(h = span_query_new(cond, &e))) {
		return pane_message(out, "%s", e.msg);
	}
	timeline_set_search(tl, env, h, 1);
	return V_DONE;
}

/* O: cycle through both overlays, STW alone, GC alone, none; or set the named one. */
static enum verdict overlay_cmd(struct timeline *tl, const char *arg, struct ask *out)
{
	static const struct {
		const char *word;
		int set;
	} words[] = {{"both", TL_STW | TL_GC}, {"gc", TL_GC}, {"stw", TL_STW}, {"none", 0}};
	static const char *const text[] = {
	    "no overlays", "stop-the-world pauses", "GC cycles", "GC cycles and stop-the-world pauses"};
	for (size_t i = 0; arg && i < sizeof words / sizeof *words; i++)
		if (!strcmp(arg, words[i].word)) {
			tl->overlays = words[i].set;
			return V_DONE;
		}
	if (arg && *arg)
		return pane_message(out, "overlay requires both, stw, gc or none");
	tl->overlays = (tl->overlays + 3) & 3;
	return pane_message(out, "%s", text[tl->overlays]);
}

/* e: set which lines are above the rows. */
static enum verdict lines_cmd(
    struct timeline *tl, const struct pane_env *env, const char *arg, struct ask *out)
{
	static const char *const words[] = {"auto", "all", "few"};
	int to = arg && *arg ? -1 : (tl->more + 1) % 3;
	for (int i = 0; arg && i < 3; i++)
		if (!strcmp(arg, words[i]))
			to = i;
	if (to < 0)
		return pane_message(out, "columns requires auto, all or few: the counters of the timeline");
	tl->more = to;
	timeline_make_rows(tl, env);
	timeline_set_window(tl, env, tl->t0, tl->t1);
	return pane_message(out, to == 1	 ? "all counters"
			       : to == 2 ? "no counters"
					 : "counters that fit");
}

static enum verdict cancel_cmd(struct timeline *tl, struct ask *out)
{
	if (tl->range.on || tl->range.t1 > tl->range.t0) {
		tl->range.on = false;
		tl->range.t0 = tl->range.t1 = 0;
		return pane_message(out, "range dropped");
	}
	if (!tl->search.criteria)
		return V_PASS;
	bool found = span_query_text(tl->search.criteria)[0] == '/'; /* the app ends this search */
	enum verdict v = found ? V_PASS : pane_message(out, "search for %s ended", span_query_text(tl->search.criteria));
	timeline_set_search(tl, NULL, NULL, 0);
	return v;
}

/* Run commands that change the rows. V_PASS: not such a command. */
static enum verdict act_rows(
    struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	switch (a->cmd) {
	case CMD_ROWS: return timeline_rows_command(tl, env, a->arg, out);
	case CMD_TAG: timeline_toggle_pin(tl, env); return V_DONE;
	case CMD_EXPAND: {
		uint32_t n = tl->rows.nrow;
		timeline_toggle_regions(tl, env);
		return tl->rows.nrow != n
			   ? V_DONE
			   : pane_message(out, tl->rows.kind == TL_G
						   ? "no regions on this goroutine: trace.WithRegion creates them"
						   : "regions are shown under goroutines: M shows goroutines");
	}
	case CMD_STACKS: timeline_toggle_stacks(tl, env); return V_DONE;
	case CMD_OVERLAY: return overlay_cmd(tl, a->arg, out);
	case CMD_LABELS:
		tl->labels = !tl->labels;
		return pane_message(out, tl->labels ? "names inside spans of four cells or more"
					       : "no names inside spans");
	case CMD_LEGEND: return timeline_legend_command(tl, env, out);
	case CMD_COLUMNS: return lines_cmd(tl, env, a->arg, out);
	default: return V_PASS;
	}
}

static enum verdict act_find(
    struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	switch (a->cmd) {
	case CMD_WHERE:
	case CMD_LATENCY: return where_cmd(tl, env, a->arg, out);
	case CMD_GOTO_FUN:
		if (!a->arg || !*a->arg || strchr(a->arg, ' '))
			return V_PASS;
		return where_cmd(tl, env, arena_printf(env->scratch, "fn~%s", a->arg), out);
	case CMD_HIGHLIGHT: return timeline_highlight(tl, env, a->arg, out);
	case CMD_SORT:
	case CMD_SORT_LEFT:
	case CMD_SORT_RIGHT: return timeline_sort_hits(tl, env, a, out);
	case CMD_NEXT:
	case CMD_PREV:
		return tl->search.criteria && !env->find.rx
			   ? timeline_goto_hit(tl, env, a->cmd == CMD_NEXT ? 1 : -1, out)
			   : V_PASS;
	case CMD_OPEN: return enter_cmd(tl, env, out);
	case CMD_SPAN_NEXT:
	case CMD_SPAN_PREV:
	case CMD_SPAN_FIRST:
	case CMD_SPAN_LAST: return timeline_goto_span(tl, env, a->cmd, act_n(a), out);
	case CMD_CAUSE:
	case CMD_EFFECT: return cause_cmd(tl, env, a, out);
	case CMD_CHAIN: return timeline_toggle_chain(tl, env, out);
	case CMD_GOTO_TIME:
	case CMD_GOTO_G:
	case CMD_GOTO_P:
	case CMD_GOTO_TASK: return timeline_goto(tl, env, a, out);
	case CMD_FOCUS: return a->arg ? V_PASS : focus_cmd(tl, env, out);
	case CMD_CANCEL: return cancel_cmd(tl, out);
	default: return V_PASS;
	}
}

/* While nothing is selected, do what the command does for the worst finding. V_PASS: it is the same for the cursor. */
static enum verdict act_unselected(struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	const struct findings *all = timeline_verdict_findings(tl);
	if (tl->range.on || tl->range.t1 > tl->range.t0)
		return V_PASS;
	if (a->cmd == CMD_FOCUS && !a->arg)
		return pane_message(out, "nothing is selected: j k choose a row, v a range of time");
	if (a->cmd == CMD_PANE_LIST && !a->arg && all && all->n)
		return tracepane_ask_line(&all->v[0], env, out);
	if (a->cmd == CMD_PANE_TASK && !a->arg) {
		out->kind = ASK_PANE;
		out->pane = "tasks";
		out->place = PLACE_NONE;
		out->place.by_default = true;
		return V_ASK;
	}
	if (a->cmd != CMD_OPEN)
		return V_PASS;
	if (evidence_cmd(tl, out))
		return V_ASK;
	return timeline_verdict_show_slow(tl, env) ? pane_message(out, "one of the slowest operations") : V_PASS;
}

static enum verdict act_any(struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	timeline_filter_drop_seek(tl);
	timeline_scope_drop_deferred(tl);
	if (timeline_chain_command(tl, env, a) || move_rows(tl, env, a) || move_time(tl, env, a))
		return V_DONE;
	if (a->cmd == CMD_ZOOM_IN || a->cmd == CMD_ZOOM_OUT)
		return zoom_cmd(tl, env, a, out);
	if (a->cmd == CMD_ZOOM_ALL)
		return whole_cmd(tl, env, out);
	if (a->cmd == CMD_NEXT_PART || a->cmd == CMD_PREV_PART)
		return timeline_goto_finding(tl, env, a->cmd == CMD_NEXT_PART ? 1 : -1, out);
	if (!a->arg && a->cmd >= CMD_PANE_TOP && a->cmd <= CMD_PANE_EVENTS &&
	    a->cmd != CMD_PANE_TIME)
		return pane_cmd(tl, env, a->cmd, out);
	if (!a->arg && a->cmd == CMD_PANE_TIME)	/* 5 in the timeline itself keeps the rows */
		return pane_message(out, "timeline: this is the current pane");
	enum verdict v = act_rows(tl, env, a, out);
	return v == V_PASS ? act_find(tl, env, a, out) : v;
}

/* Esc, when nothing else is left to be dropped: the cursor is no selection any more. */
static enum verdict drop_selection(struct timeline *tl, struct ask *out)
{
	if (!tl->moved)
		return V_PASS;
	tl->moved = false;
	return pane_message(out, "selection dropped: W 7 Enter take the worst finding");
}

/* A command that does something here places the cursor: the first screen, which shows what is wrong with the program, becomes
   that of a place in it. Its layout is known before the command, which may scroll rows. */
static enum verdict timeline_act(void *st, const struct pane_env *env, const struct act *a, struct ask *out)
{
	struct timeline *tl = st;
	int64_t at = tl->at, t0 = tl->t0, t1 = tl->t1;
	/* these place it even if the result is a message: within a cell, or at a time that has not been read yet */
	bool goes = a->cmd == CMD_SPAN_NEXT || a->cmd == CMD_SPAN_PREV || a->cmd == CMD_GOTO_TIME || a->cmd == CMD_GOTO_G ||
		    a->cmd == CMD_GOTO_P || a->cmd == CMD_GOTO_TASK;
	if (a->cmd == CMD_CANCEL && a->arg)
		return drop_selection(tl, out);
	enum verdict v = tl->moved ? V_PASS : act_unselected(tl, env, a, out);
	if (v != V_PASS)
		return v;
	if (tl->moved)
		return act_any(tl, env, a, out);
	tl->moved = true;
	v = act_any(tl, env, a, out);
	bool same = tl->at == at && tl->t0 == t0 && tl->t1 == t1;
	bool done = v == V_DONE && !(same && a->cmd == CMD_ZOOM_ALL);	/* which Esc tries, too */
	tl->moved = done || !same || (goes && out->kind != ASK_PROMPT);
	if (tl->moved)
		timeline_set_window(tl, env, tl->t0, tl->t1);
	return v;
}

/* Store what K explains: the state under the cursor, the kind of the row, and the matches. */
static void put_topics(const struct timeline *tl, const struct pane_env *env, enum topic t[3])
{
	static const enum topic kinds[] = {[TK_NONE] = TOPIC_NONE, [TK_P] = TOPIC_T_PROC, [TK_M] = TOPIC_T_THREAD,
	    [TK_G] = TOPIC_T_GOROUTINE};
	struct timeline_row r = timeline_selected_row(tl);
	struct trace_interval iv;
	if (r.what == ROW_TRACK && timeline_selected_ival(tl, env, &iv))
		t[0] = explain_state(iv.state);
	t[1] = r.what == ROW_TASK   ? TOPIC_T_TASK
	     : r.what == ROW_REGION ? TOPIC_T_REGION
	     : r.what == ROW_STACK  ? TOPIC_T_STACKS
				    : kinds[store_trk(session_snap(env->s)->st, r.id)->kind];
	t[2] = tl->search.criteria ? TOPIC_T_HITS : TOPIC_NONE;
}

static void timeline_place(const void *st, const struct pane_env *env, struct place *p)
{
	const struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	struct trace_interval iv;
	struct timeline_row r = timeline_selected_row(tl);
	if (!tl->moved) {
		timeline_verdict_place(tl, p);
		p->by_default = true;
		return;
	}
	put_topics(tl, env, p->topic);
	p->trk = p->row = timeline_selected_track(tl, env);
	p->t0 = tl->at;
	if (tl->range.t1 > tl->range.t0) {
		p->t0 = tl->range.t0;
		p->t1 = tl->range.t1;
	}
	if (r.what == ROW_TASK) {
		p->rows = ROWS_TASK;
		p->id = tl->ix->tasks->task[r.id].id;
	}
	if (!timeline_selected_ival(tl, env, &iv))
		return;
	if (store_trk(snap->st, p->trk)->kind != TK_G && iv.peer) {
		p->trk = iv.peer;
		if (!trace_interval_at(snap, iv.peer, tl->at, &iv))
			return;
	}
	p->stk = iv.stack;
	if (iv.stack) {
		p->frm = stk_frame(snap->st, iv.stack);
		p->fun = store_frm(snap->st, p->frm)->fun;
	}
}

/* Return the report `events` for the window. */
static void timeline_report(const void *st, const struct pane_env *env, struct pane_report *r)
{
	const struct timeline *tl = st;
	*r = (struct pane_report){.name = "events",
	    .options = {arena_printf(env->scratch, "-from=%lldns", (long long)tl->t0),
		arena_printf(env->scratch, "-to=%lldns", (long long)tl->t1)}};
}

static void timeline_save_view(const void *st, struct view *v)
{
	const struct timeline *tl = st;
	view_put_zoom_time(v, "t0", tl->t0);
	view_put_zoom_time(v, "t1", tl->t1);
	view_put_zoom(v, "rows", tl->rows.kind);
	view_put_zoom(v, "only", tl->rows.only);
	view_put_zoom(v, "id", (int64_t)tl->rows.only_id);
	view_put_zoom(v, "order", tl->rows.order);
	view_put_zoom(v, "whole", tl->whole);
	view_put_cursor(v, "first", !tl->moved);
	view_put_cursor_time(v, "t", tl->at);
	view_put_cursor(v, "row", tl->rows.sel);
	view_put_cursor(v, "top", tl->rows.top);
}

void timeline_load_view(void *st, const struct pane_env *env, const struct view *v)
{
	struct timeline *tl = st;
	const struct snap *sn = session_snap(env->s);
	int64_t t0 = view_get_time(v, "t0"), t1 = view_get_time(v, "t1"), row = view_get(v, "row");
	enum timeline_kind kind = (enum timeline_kind)view_get_below(v, "rows", TL__N);
	enum timeline_subset only = (enum timeline_subset)view_get_below(v, "only", ONLY_OPERATION + 1);
	enum timeline_task_order order = (enum timeline_task_order)view_get_below(v, "order", BY_DURATION + 1);
	uint64_t id = (uint64_t)view_get(v, "id");
	tl->moved = !view_get(v, "first");
	timeline_scope_defer_load(tl, v);
	if ((only != ONLY_GROUP || id < tl->rows.ngroup) &&
	    (kind != tl->rows.kind || only != tl->rows.only || order != tl->rows.order || id != tl->rows.only_id)) {
		tl->rows.only = only;
		tl->rows.only_id = id;
		tl->rows.order = order;
		tl->going = true;
		timeline_set_kind(tl, env, kind);
		tl->going = false;
	}
	t0 = t0 < sn->t0 ? sn->t0 : t0;
	t1 = t1 == TIME_NONE || t1 > sn->t1 ? sn->t1 : t1;
	tl->at = view_get_time(v, "t");
	timeline_set_window(tl, env, t0, t1 < t0 ? t0 : t1);
	tl->at = view_get_time(v, "t");
	timeline_set_window(tl, env, tl->t0, tl->t1);
	timeline_select_row(tl, env, row);
	timeline_filter_seek_row(tl, row);
}

static void timeline_keys(const void *st, const struct pane_env *env, struct buf *b)
{
	const struct timeline *tl = st;
	if (tl->wake.nchain) {
		buf_puts(b, "j k line  Enter go there  q W close");
		return;
	}
	if (!tl->moved) {
		const struct findings *all = timeline_verdict_findings(tl);
		if (all && all->n)
			buf_puts(b, "Enter evidence  ");
		if (timeline_verdict_has_operations(tl))
			buf_puts(b, "W why one was slow  7 all of them  ");
		buf_puts(b, all && all->n ? "Tab where  K explain  2 line  " : "");
		buf_puts(b, "h j k l cursor  + - zoom  M rows  e counters  / find  ? help  w b span  ( ) cause effect  v range  "
		    "f filter to it  H highlight  n N match  t pin  E regions  S stacks");
		return;
	}
	buf_puts(b, env->cols >= 120
		? "! findings  h l move  + - zoom  Enter fit  v range  f filter to it  w b span  "
		  "( ) cause effect  W why  H highlight  n N match  M rows  t pin  E regions  S stacks  "
		  "e counters  ? help"
		: "! findings  h l move  + - zoom  Enter fit  v range  w b span  ( ) cause  M rows  H highlight  "
		  "? help");
}

static void timeline_click(
    void *st, const struct pane_env *env, int y, int x, bool twice, struct ask *out)
{
	struct timeline *tl = st;
	struct timeline_layout l = timeline_layout(tl, env);
	const struct snap *snap = session_snap(env->s);
	if (on_outline(tl, snap, &l) && y >= l.story) {	/* this time may not be read yet */
		out->kind = ASK_RUN;
		snprintf(out->text, sizeof out->text, "goto-time %lldns", (long long)timeline_outline_time(env, x));
		return;
	}
	tl->moved |= (y >= l.rows && y < l.rows + l.nrows) || (x >= l.gutter && x < l.gutter + l.cells);
	if (y >= l.rows && y < l.rows + l.nrows)
		timeline_select_row(tl, env, (int64_t)tl->rows.top + (y - l.rows));
	if (x >= l.gutter && x < l.gutter + l.cells)
		timeline_move_cursor(tl, env, x - l.gutter - timeline_cell_at(tl, l.cells, tl->at));
	if (twice)
		enter_cmd(tl, env, out);
}

const struct pane_ops pane_timeline = {
    .name = "timeline",
    .tab = "Time",
    .bit = P_TIME,
    .cmd = CMD_PANE_TIME,
    .trace_only = true, .of_selection = true,
    .state_size = sizeof(struct timeline),
    .open = timeline_open,
    .close = timeline_close,
    .update = timeline_update,
    .draw = timeline_draw,
    .act = timeline_act,
    .go = timeline_goto_place,
    .place = timeline_place,
    .output.report = timeline_report,
    .view.save = timeline_save_view,
    .view.load = timeline_load_view,
    .summary = timeline_summary,
    .lines.detail = timeline_detail,
    .own.find = timeline_find,
    .lines.keys = timeline_keys,
    .own.choices = timeline_choices,
    .own.click = timeline_click,
    .work.slots = timeline_work,
};
