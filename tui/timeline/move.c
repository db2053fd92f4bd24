/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Motion: windows, the cursor, spans, cause and effect.
 *
 * The window [t0, t1) is always inside what is loaded, at least a nanosecond per cell long, and
 * contains the cursor. The cursor is a time, not a cell: zooming keeps it in its column if the ends
 * of the trace allow it, and it can be on a span that is narrower than a cell.
 */
#include "config.h"
#include "timeline/internal.h"

static int cells_of(const struct timeline *tl, const struct pane_env *env)
{
	int n = timeline_layout(tl, env).cells;
	return n > 0 ? n : 1;
}

void timeline_set_window(struct timeline *tl, const struct pane_env *env, int64_t t0, int64_t t1)
{
	const struct snap *snap = session_snap(env->s);
	int64_t least = cells_of(tl, env), len = t1 - t0, all = snap->t1 - snap->t0;
	if (len < least)
		len = least;
	if (len > all)
		len = all > 0 ? all : 1;
	if (t0 > snap->t1 - len)
		t0 = snap->t1 - len;
	if (t0 < snap->t0)
		t0 = snap->t0;
	bool moved = tl->t0 != t0 || tl->t1 != t0 + len;
	tl->t0 = t0;
	tl->t1 = t0 + len;
	tl->whole = len >= all;
	if (tl->at >= tl->t1)
		tl->at = tl->t1 - 1;
	if (tl->at < tl->t0)
		tl->at = tl->t0;
	if (moved && env->compact && (tl->rows.kind == TL_G || tl->rows.kind == TL_M))
		timeline_make_rows(tl, env); /* with compact rows, those active in the window */
}

void timeline_zoom(struct timeline *tl, const struct pane_env *env, int steps)
{
	for (; steps; steps += steps > 0 ? -1 : 1) {
		int64_t len = tl->t1 - tl->t0;
		int64_t to = steps > 0 ? len / 2 : len > INT64_MAX / 2 ? len : len * 2;
		double part = len > 0 ? (double)(tl->at - tl->t0) / (double)len : 0;
		int64_t t0 = tl->at - (int64_t)(part * (double)to);
		timeline_set_window(tl, env, t0, t0 + to);
	}
}

void timeline_move_cursor(struct timeline *tl, const struct pane_env *env, int cells)
{
	int n = cells_of(tl, env);
	int64_t len = tl->t1 - tl->t0;
	int64_t c = (int64_t)timeline_cell_at(tl, n, tl->at) + cells;
	if (c < 0 || c >= n) {
		int64_t by = (int64_t)((double)len * (double)(c < 0 ? c : c - n + 1) / n);
		timeline_set_window(tl, env, tl->t0 + by, tl->t1 + by);
		c = c < 0 ? 0 : n - 1;
	}
	int64_t a = timeline_cell_edge(tl, n, (int)c), b = timeline_cell_edge(tl, n, (int)c + 1);
	tl->at = a + (b - a) / 2;
	if (tl->at >= tl->t1)
		tl->at = tl->t1 - 1;
}

void timeline_scroll(struct timeline *tl, const struct pane_env *env, double screens)
{
	int64_t by = (int64_t)((double)(tl->t1 - tl->t0) * screens);
	int64_t old = tl->t0;
	timeline_set_window(tl, env, tl->t0 + by, tl->t1 + by);
	int64_t moved = tl->t0 - old;
	tl->at += moved ? moved : by; /* at the ends of the trace only the cursor moves */
	timeline_set_window(tl, env, tl->t0, tl->t1);
}

void timeline_select_row(struct timeline *tl, const struct pane_env *env, int64_t row)
{
	struct timeline_layout l = timeline_layout(tl, env);
	if (row >= (int64_t)tl->rows.nrow)
		row = (int64_t)tl->rows.nrow - 1;
	if (row < 0)
		row = 0;
	tl->rows.sel = (uint32_t)row;
	uint32_t h = l.nrows > 0 ? (uint32_t)l.nrows : 1;
	if (tl->rows.sel < tl->rows.top)
		tl->rows.top = tl->rows.sel;
	if (tl->rows.sel >= tl->rows.top + h)
		tl->rows.top = tl->rows.sel - h + 1;
	if (tl->rows.top && tl->rows.top + h > tl->rows.nrow)
		tl->rows.top = tl->rows.nrow > h ? tl->rows.nrow - h : 0;
}

bool timeline_select_track(struct timeline *tl, const struct pane_env *env, trk_id t)
{
	uint32_t i = t ? timeline_track_row(tl, session_snap(env->s), t) : UINT32_MAX;
	if (i == UINT32_MAX)
		return false;
	timeline_select_row(tl, env, i);
	return true;
}

bool timeline_show_track(struct timeline *tl, const struct pane_env *env, trk_id t)
{
	static const enum timeline_kind kinds[] = {[TK_P] = TL_P, [TK_M] = TL_M, [TK_G] = TL_G};
	const struct snap *sn = session_snap(env->s);
	if (!t || t >= sn->ntrks || timeline_select_track(tl, env, t))
		return t && t < sn->ntrks;
	enum track_kind k = store_trk(sn->st, t)->kind;
	if (k == TK_NONE)
		return false;
	if (kinds[k] != tl->rows.kind)
		timeline_set_kind(tl, env, kinds[k]);
	if (timeline_select_track(tl, env, t) || timeline_filter_seek(tl, sn, t, true))
		return true;
	tl->rows.only = ONLY_ALL; /* the goroutine is not in the subset or in the scope of the filters */
	tl->scope.guest = t;
	timeline_make_rows(tl, env);
	return timeline_select_track(tl, env, t) || timeline_filter_seek(tl, sn, t, true);
}

void timeline_goto_time(struct timeline *tl, const struct pane_env *env, int64_t t)
{
	int64_t len = tl->t1 - tl->t0;
	tl->at = t;
	if (t < tl->t0 || t >= tl->t1)
		timeline_set_window(tl, env, t - len / 2, t - len / 2 + len);
	else
		timeline_set_window(tl, env, tl->t0, tl->t1);
}

/* ---- spans: the intervals of a track, the events of a task, the regions of a level */

/* Find the next or previous event of a task: its ends, the starts of its regions, its logs. */
static bool task_step(const struct timeline *tl, const struct snap *sn, uint32_t task, int64_t at,
    int dir, int64_t *to)
{
	const struct stats_task *t = &tl->ix->tasks->task[task];
	int64_t best = dir > 0 ? INT64_MAX : INT64_MIN, ends[2];
	tracepane_task_bounds(sn, t, &ends[0], &ends[1]);
	for (uint32_t k = 0; k < t->n + 2; k++) {
		int64_t v = k < 2 ? ends[k] : 0;
		if (k >= 2) {
			struct stats_task_event e = stats_task_event(tl->ix->tasks, t->first + k - 2);
			v = e.log ? store_mark(sn->st, e.i)->t : store_span(sn->st, e.i)->s.t0;
		}
		if (v != TIME_NONE && (dir > 0 ? v > at && v < best : v < at && v > best))
			best = v;
	}
	*to = best;
	return best != INT64_MAX && best != INT64_MIN;
}

static bool region_step(
    const struct timeline *tl, struct timeline_row r, int64_t at, int dir, int64_t *to)
{
	uint32_t n;
	const struct region_layout_piece *v = region_layout_row(tl->ix->row_layout, r.id, r.level, &n);
	uint32_t i = region_layout_find(v, n, at); /* the region at the time, or the next */
	bool in = i < n && v[i].t0 <= at;
	if (dir > 0 ? i + in >= n : i == 0)
		return false;
	i = dir > 0 ? i + in : i - 1;
	*to = v[i].t0 + (v[i].t1 - v[i].t0) / 2;
	return true;
}

enum verdict timeline_goto_span(
    struct timeline *tl, const struct pane_env *env, enum cmd_id cmd, int n, struct ask *out)
{
	const struct snap *snap = session_snap(env->s);
	struct timeline_row r = timeline_selected_row(tl);
	bool ends = cmd == CMD_SPAN_FIRST || cmd == CMD_SPAN_LAST;
	int dir = cmd == CMD_SPAN_NEXT || cmd == CMD_SPAN_LAST ? 1 : -1;
	trk_id t = timeline_selected_track(tl, env);
	int64_t to, a, b;
	if (r.what != ROW_TASK && r.what != ROW_REGION)
		return t ? timeline_jump(tl, env, cmd, n, t, out) : V_DONE;
	if (ends && r.what == ROW_TASK) {
		tracepane_task_bounds(snap, &tl->ix->tasks->task[r.id], &a, &b);
		timeline_goto_time(tl, env, dir < 0 ? a : b > a ? b - 1 : a);
	} else if (ends) {
		if (region_step(tl, r, dir < 0 ? snap->t0 - 1 : snap->t1, -dir, &to))
			timeline_goto_time(tl, env, to);
	}
	for (; !ends && n > 0 && (r.what == ROW_TASK ? task_step(tl, snap, r.id, tl->at, dir, &to)
						     : region_step(tl, r, tl->at, dir, &to)); n--)
		timeline_goto_time(tl, env, to);
	return V_DONE;
}

bool timeline_extent(const struct timeline *tl, const struct pane_env *env, struct timeline_extent *x)
{
	const struct snap *sn = session_snap(env->s);
	struct timeline_row r = timeline_selected_row(tl);
	struct trace_interval iv;
	*x = (struct timeline_extent){.trk = timeline_selected_track(tl, env), .span = UINT32_MAX};
	if (r.what == ROW_TASK && r.id < tl->ix->tasks->n) {
		tracepane_task_bounds(sn, &tl->ix->tasks->task[r.id], &x->t0, &x->t1);
		x->span = tl->ix->tasks->task[r.id].span;
		return x->t1 > x->t0;
	}
	if (r.what == ROW_REGION) {
		uint32_t n;
		const struct region_layout_piece *v = region_layout_row(tl->ix->row_layout, r.id, r.level, &n);
		uint32_t i = region_layout_find(v, n, tl->at);
		if (i < n && v[i].t0 > tl->at &&
		    timeline_cell_at(tl, cells_of(tl, env), v[i].t0) !=
			timeline_cell_at(tl, cells_of(tl, env), tl->at))
			i = n;
		if (i < n)
			*x = (struct timeline_extent){v[i].t0, v[i].t1, r.id, v[i].span};
		return i < n;
	}
	if (!timeline_selected_ival(tl, env, &iv))
		return false;
	x->t0 = iv.t0;
	x->t1 = iv.t1;
	return true;
}

void timeline_fit_interval(struct timeline *tl, const struct pane_env *env, int64_t t0, int64_t t1)
{
	int64_t pad = (t1 - t0) / 16 + 1;
	tl->at = t0 + (t1 - t0) / 2;
	timeline_set_window(tl, env, t0 - pad, t1 + pad);
}

void timeline_fit_selection(struct timeline *tl, const struct pane_env *env)
{
	struct timeline_extent x;
	int64_t a = tl->range.t0, b = tl->range.t1;
	if (b <= a) {
		if (!timeline_extent(tl, env, &x))
			return;
		a = x.t0;
		b = x.t1;
		tl->at = a + (b - a) / 2;
	}
	int64_t pad = (b - a) / 16 + 1;
	timeline_set_window(tl, env, a - pad, b + pad);
}
