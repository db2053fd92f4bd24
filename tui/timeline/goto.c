/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Navigation: the arguments of gt, gG, gp and gk, and places from other panes. A place may include
 * the rows (a group, a task, all goroutines), the track and the time; a function without a time
 * becomes a search for the spans with it in their stack.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/text/text.h"
#include "tracepane/tracepane.h"

#include <stdio.h>
#include <string.h>

static enum verdict goto_track(struct timeline *tl, const struct pane_env *env,
    enum track_kind kind, const char *arg, struct ask *out)
{
	const struct snap *snap = session_snap(env->s);
	uint64_t id;
	if (!trace_parse_id(arg, kind == TK_G ? 'g' : 'p', &id))
		return pane_message(out, "a number is required");
	trk_id i = timeline_find_track(tl, snap, kind, id);
	if (!i)
		return pane_message(out, kind == TK_G ? "no goroutine with this number" : "no P with this number");
	timeline_show_track(tl, env, i);
	return timeline_jump(tl, env, kind == TK_G ? CMD_GOTO_G : CMD_GOTO_P, 1, i, out);
}

static enum verdict goto_task(
    struct timeline *tl, const struct pane_env *env, const char *arg, struct ask *out)
{
	struct timeline_extent x;
	uint64_t id;
	if (!trace_parse_id(arg, 't', &id))
		return V_PASS;	/* by name: the app searches in pane 7 */
	if (!timeline_select_task(tl, env, id) || !timeline_extent(tl, env, &x))
		return pane_message(out, "no task with this number");
	if (x.t1 <= tl->t0 || x.t0 >= tl->t1 || x.t1 - x.t0 < (tl->t1 - tl->t0) / 32)
		timeline_fit_selection(tl, env);
	else
		timeline_goto_time(tl, env, x.t0 + (x.t1 - x.t0) / 2);
	return V_DONE;
}

/* Run gt, gG, gp and gk; prompt for a missing argument. */
enum verdict timeline_goto(
    struct timeline *tl, const struct pane_env *env, const struct act *a, struct ask *out)
{
	const char *arg = a->arg ? a->arg + strspn(a->arg, " ") : "";
	const struct snap *sn = session_snap(env->s);
	struct err e;
	int64_t t;
	if (!*arg) {
		out->kind = ASK_PROMPT;
		snprintf(out->text, sizeof out->text, "%s ", cmds[a->cmd].name);
		return V_ASK;
	}
	if (a->cmd == CMD_GOTO_TIME) {
		if (query_parse_time(sn, arg, &t, &e))
			return pane_message(out, "%s", e.msg);
		int64_t len = tl->t1 - tl->t0;
		tl->at = t;
		timeline_set_window(tl, env, t - len / 2, t - len / 2 + len);
		tl->at = t < tl->t0 ? tl->t0 : t >= tl->t1 ? tl->t1 - 1 : t;
		if (t > sn->t1)
			return pane_message(out, "%s is after the end of the trace: moved to the end", arg);
		return V_DONE;
	}
	if (a->cmd == CMD_GOTO_TASK)
		return goto_task(tl, env, arg, out);
	return goto_track(tl, env, a->cmd == CMD_GOTO_G ? TK_G : TK_P, arg, out);
}

/* ( and ) on the row of a task: go to its parent or its first child. */
enum verdict timeline_goto_linked_task(struct timeline *tl, const struct pane_env *env, int dir, struct ask *out)
{
	const struct stats_tasks *ts = tl->ix->tasks;
	struct timeline_row r = timeline_selected_row(tl);
	uint64_t id = ts->task[r.id].id, to = UINT64_MAX;
	int64_t first = INT64_MAX;
	if (dir < 0)
		to = ts->task[r.id].parent;
	for (uint32_t i = 0; dir > 0 && i < ts->n; i++)
		if (ts->task[i].parent == id && ts->task[i].id != id && ts->task[i].t0 < first) {
			first = ts->task[i].t0;
			to = ts->task[i].id;
		}
	if (to == UINT64_MAX || !to || !timeline_select_task(tl, env, to))
		return pane_message(
		    out, dir < 0 ? "no parent in this trace" : "no child tasks");
	struct timeline_extent x;
	if (timeline_extent(tl, env, &x))
		timeline_goto_time(tl, env, x.t0 + (x.t1 - x.t0) / 2);
	return V_DONE;
}

static bool task_matches(
    const struct timeline *tl, const struct snap *sn, uint32_t row, const struct regex *rx)
{
	struct timeline_row r = timeline_row(tl, row);
	struct buf b = {0};
	if (r.what != ROW_TASK)
		return false;
	buf_printf(&b, "%llu ", (unsigned long long)tl->ix->tasks->task[r.id].id);
	tracepane_put_str(sn->st, tl->ix->tasks->task[r.id].name, "", &b);
	bool hit = regex_match(rx, b.p, b.n);
	buf_free(&b);
	return hit;
}

uint32_t timeline_find_task(struct timeline *tl, const struct pane_env *env, int dir, uint32_t *at)
{
	const struct snap *sn = session_snap(env->s);
	uint32_t hits = 0, n = tl->rows.nrow, step = dir < 0 ? n - 1 : 1;
	for (uint32_t k = dir == 2 ? 0 : 1; dir && k <= n; k++) {
		uint32_t i = (uint32_t)((tl->rows.sel + (uint64_t)k * step) % n);
		if (!task_matches(tl, sn, i, env->find.rx))
			continue;
		struct timeline_extent x;
		timeline_select_row(tl, env, i);
		if (timeline_extent(tl, env, &x))
			timeline_goto_time(tl, env, x.t0 + (x.t1 - x.t0) / 2);
		break;
	}
	for (uint32_t i = 0; i < n; i++)
		if (task_matches(tl, sn, i, env->find.rx)) {
			hits++;
			*at = i <= tl->rows.sel ? hits : *at;
		}
	return hits;
}

/* Show the rows that a place requests. */
static bool go_rows(struct timeline *tl, const struct pane_env *env, const struct place *p)
{
	const struct snap *sn = session_snap(env->s);
	struct ask ask = {0};
	struct buf b = {0};
	bool done = false;
	if (p->rows == ROWS_GROUP && p->id < sn->nstrs) {
		buf_puts(&b, "group ");
		tracepane_put_name_regex(sn->st, (str_id)p->id, &b);
		done = timeline_rows_command(tl, env, buf_str(&b), &ask) == V_DONE;
	} else if (p->rows == ROWS_TASK || p->rows == ROWS_OPERATION) {
		buf_printf(&b, p->rows == ROWS_TASK ? "task %llu" : "operation %llu", (unsigned long long)p->id);
		done = timeline_rows_command(tl, env, buf_str(&b), &ask) == V_DONE;
	} else if (p->rows == ROWS_ALL) {
		done = timeline_show_subset(tl, env, ONLY_ALL, 0);
	}
	buf_free(&b);
	return done;
}

/* Move the cursor into the lifetime of a goroutine. */
static void go_life(struct timeline *tl, const struct pane_env *env, trk_id t)
{
	const struct snap *sn = session_snap(env->s);
	const struct trk_row *r = store_trk(sn->st, t);
	int64_t t0 = r->t0 == TIME_NONE ? sn->t0 : r->t0, t1 = r->to_t1 ? store_t1(sn->st, r) : sn->t1;
	if (tl->at < t0 || tl->at >= t1)
		timeline_goto_time(tl, env, t0 + (t1 - t0) / 2);
}

bool timeline_goto_place(void *st, const struct pane_env *env, const struct place *p)
{
	struct timeline *tl = st;
	const struct snap *snap = session_snap(env->s);
	bool done = false;
	timeline_scope_defer_goto(tl, p);
	tl->going = true;
	if (p->t0 != TIME_NONE) {
		tl->moved = true;
		int64_t t1 = p->t1 != TIME_NONE && p->t1 > p->t0 ? p->t1 : p->t0 + 1;
		int64_t pad = (t1 - p->t0) / 8;
		tl->at = p->t0 + (t1 - p->t0) / 2;
		if (p->t1 != TIME_NONE)
			timeline_set_window(tl, env, p->t0 - pad, t1 + pad);
		else
			timeline_set_window(
			    tl, env, p->t0 - (tl->t1 - tl->t0) / 2, p->t0 + (tl->t1 - tl->t0) / 2);
		done = true;
	}
	if ((p->rows == ROWS_ALL || p->rows == ROWS_GROUP) && !done && p->trk && p->trk < snap->ntrks) {
		go_life(tl, env, p->trk);
		tl->moved = true;
	}
	if (go_rows(tl, env, p)) {
		if ((p->rows == ROWS_TASK || p->rows == ROWS_OPERATION) && done)
			timeline_goto_time(
			    tl, env, p->t1 == TIME_NONE ? p->t0 : p->t0 + (p->t1 - p->t0) / 2);
		done = true;
	}
	bool is_group = p->rows == ROWS_TASK || p->rows == ROWS_OPERATION || (p->rows == ROWS_GROUP && p->t0 == TIME_NONE);
	if (p->trk && p->trk < snap->ntrks && !is_group)
		done |= timeline_show_track(tl, env, p->trk);
	if (!done && p->fun && p->fun < snap->nfuns) {
		timeline_set_search(tl, env,
		    span_query_in_function(
			p->fun, store_str(snap->st, store_fun(snap->st, p->fun)->name)->s),
		    1);
		done = true;
	}
	tl->going = false;
	tl->moved |= done;
	return done;
}
