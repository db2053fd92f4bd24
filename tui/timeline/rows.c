/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The rows of the timeline: Ps, Ms, goroutines (all, those of a start function, of a task, related
 * to one goroutine) or tasks; pinned ones first. Below a goroutine are the levels of its regions if
 * there is room for all of them or if it was expanded, and below one track its stacks over time.
 *
 * The rows are made when their inputs change, never for a frame. The selected row is found again by
 * its identity, not by its index. A million goroutines are not copied into rows, but found by their
 * index in the list of all goroutines, skipping pinned ones and inserting the rows below expanded
 * ones, so switching to them costs nothing.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/mem/mem.h"
#include "trace/neighbours.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 4096 };	/* fewer tracks than this are copied into rows */

static bool has_track(const trk_id *v, uint32_t n, trk_id t)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i] == t)
			return true;
	return false;
}

static void add_row(struct timeline *tl, enum timeline_row_type what, uint32_t id, uint8_t level)
{
	tl->rows.row = mem_grow(tl->rows.row, &tl->rows.cap, tl->rows.nrow + 1u, sizeof *tl->rows.row);
	tl->rows.row[tl->rows.nrow++] = (struct timeline_row){id, (uint8_t)what, level};
	tl->rows.nhead = tl->rows.nrow;
}

struct timeline_row timeline_row(const struct timeline *tl, uint32_t i)
{
	if (i < tl->rows.nhead)
		return tl->rows.row[i];
	uint32_t k = i - tl->rows.nhead;
	for (uint32_t u = 0; u < tl->rows.nunder && tl->rows.under[u].at <= i; u++) {
		const struct timeline_subrows *un = &tl->rows.under[u];
		uint32_t level = i - un->at;
		if (level < un->regions)
			return (struct timeline_row){un->trk, ROW_REGION, (uint8_t)level};
		if (level - un->regions < un->stacks)
			return (struct timeline_row){un->trk, ROW_STACK, (uint8_t)(level - un->regions)};
		k -= un->regions + un->stacks;
	}
	for (uint32_t h = 0; h < tl->rows.nhole && tl->rows.hole[h] <= k; h++)
		k++;
	return (struct timeline_row){tl->rows.rest[k], tl->rows.rest_what, 0};
}

/* Return the index of a track in rest[]; UINT32_MAX: it is not there, or pinned. */
static uint32_t in_rest(const struct timeline *tl, const struct snap *sn, trk_id t)
{
	uint32_t i = UINT32_MAX;
	if (!tl->rows.nrest || tl->rows.rest_what != ROW_TRACK || has_track(tl->rows.pin, tl->rows.npin, t))
		return i;
	if (tl->rows.ordered)
		return timeline_track_position(sn, tl->rows.rest, tl->rows.nrest, t);
	for (i = 0; i < tl->rows.nrest && tl->rows.rest[i] != t; i++)
		;
	return i < tl->rows.nrest ? i : UINT32_MAX;
}

uint32_t timeline_track_row(const struct timeline *tl, const struct snap *sn, trk_id t)
{
	for (uint32_t i = 0; i < tl->rows.nhead; i++)
		if (tl->rows.row[i].id == t && tl->rows.row[i].what == ROW_TRACK)
			return i;
	uint32_t k = in_rest(tl, sn, t), holes = 0;
	if (k == UINT32_MAX)
		return k;
	while (holes < tl->rows.nhole && tl->rows.hole[holes] < k)
		holes++;
	k += tl->rows.nhead - holes;
	for (uint32_t u = 0; u < tl->rows.nunder && tl->rows.under[u].at <= k; u++)
		k += tl->rows.under[u].regions + tl->rows.under[u].stacks;
	return k;
}

/* ---- tasks */

struct task_key {
	int64_t by, then;
	uint32_t i;
};

static int task_cmp(const void *a, const void *b)
{
	const struct task_key *x = a, *y = b;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	if (x->then != y->then)
		return x->then < y->then ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* Sort all tasks by start, or by duration, longest first. */
static struct task_key *sort_tasks(
    const struct stats_tasks *ts, const struct snap *sn, bool longest, struct arena *a, uint32_t *n)
{
	struct task_key *v = arena_alloc(a, (ts->n + 1u) * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; i < ts->n; i++) {
		int64_t t0, t1;
		if (!ts->task[i].id) /* the entry of everything outside of tasks */
			continue;
		tracepane_task_bounds(sn, &ts->task[i], &t0, &t1);
		v[(*n)++] = (struct task_key){longest ? t0 - t1 : t0, longest ? t0 : t0 - t1, i};
	}
	if (*n)
		qsort(v, *n, sizeof *v, task_cmp);
	return v;
}

uint32_t *timeline_tasks_by_start(const struct snap *sn, const struct stats_tasks *ts, struct arena *a, uint32_t *n)
{
	struct arena own = {0};
	struct task_key *v = sort_tasks(ts, sn, false, &own, n);
	uint32_t *out = arena_alloc(a, (*n + 1u) * sizeof *out);
	for (uint32_t i = 0; i < *n; i++)
		out[i] = v[i].i;
	arena_free(&own);
	return out;
}

/* Add children below their parents, siblings in order of their start. Tasks whose parents form a cycle come last. */
static void put_tree(struct timeline *tl, const struct task_key *v, uint32_t nv, struct arena *a)
{
	const struct stats_tasks *ts = tl->ix->tasks;
	uint32_t n = ts->n, depth = 0;
	uint32_t *child = arena_alloc(a, (n + 1u) * sizeof *child),
		 *next = arena_alloc(a, (n + 1u) * sizeof *next);
	uint32_t *up = arena_alloc(a, (n + 1u) * sizeof *up), roots = UINT32_MAX;
	uint8_t *done = arena_zalloc(a, n + 1u);
	memset(child, 0xff, (n + 1u) * sizeof *child);
	for (uint32_t k = nv; k-- > 0;) { /* from the last, so that each list is in order */
		uint32_t i = v[k].i, p = ts->task[i].parent == UINT64_MAX
					     ? UINT32_MAX
					     : stats_task_find(ts, ts->task[i].parent);
		uint32_t *list = p == UINT32_MAX || p == i || !ts->task[p].id ? &roots : &child[p];
		up[i] = list == &roots ? UINT32_MAX : p;
		next[i] = *list;
		*list = i;
	}
	for (uint32_t i = roots; i != UINT32_MAX;) {
		add_row(tl, ROW_TASK, i, depth < 20 ? (uint8_t)depth : 20);
		done[i] = 1;
		if (child[i] != UINT32_MAX) {
			i = child[i];
			depth++;
			continue;
		}
		while (i != UINT32_MAX && next[i] == UINT32_MAX) {
			i = up[i];
			depth -= depth > 0;
		}
		if (i != UINT32_MAX)
			i = next[i];
	}
	for (uint32_t k = 0; k < nv; k++)
		if (!done[v[k].i])
			add_row(tl, ROW_TASK, v[k].i, 0);
}

static void put_tasks(struct timeline *tl, const struct snap *sn, struct arena *a)
{
	uint32_t n;
	if (tl->rows.order == BY_START && !tl->scope.on) {
		const struct timeline_index *ix = tl->ix;
		for (uint32_t i = 0; i < ix->nby_start && ix->nby_start <= MANY; i++)
			add_row(tl, ROW_TASK, ix->by_start[i], 0);
		if (ix->nby_start <= MANY)
			return;
		tl->rows.rest = ix->by_start;
		tl->rows.nrest = ix->nby_start;
		tl->rows.nrow += tl->rows.nrest;
		return;
	}
	struct task_key *v = sort_tasks(tl->ix->tasks, sn, tl->rows.order == BY_DURATION, a, &n);
	uint32_t m = 0;
	for (uint32_t k = 0; k < n; k++)
		if (timeline_scope_has_task(tl, sn, &tl->ix->tasks->task[v[k].i]))
			v[m++] = v[k];
	n = m;
	if (tl->rows.order == BY_TREE) {
		put_tree(tl, v, n, a);
		return;
	}
	for (uint32_t k = 0; k < n; k++)
		add_row(tl, ROW_TASK, v[k].i, 0);
}

/* ---- tracks */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Show all goroutines except pinned ones. */
static void all_goroutines(struct timeline *tl, const struct snap *sn)
{
	tl->rows.nrest = tl->tr->n[TK_G];
	tl->rows.rest = tl->tr->trk[TK_G];
	tl->rows.ordered = true;
	for (uint32_t i = 0; i < tl->rows.npin; i++) {
		uint32_t k = timeline_track_position(sn, tl->rows.rest, tl->rows.nrest, tl->rows.pin[i]);
		if (k < tl->rows.nrest)
			tl->rows.hole[tl->rows.nhole++] = k;
	}
	qsort(tl->rows.hole, tl->rows.nhole, sizeof *tl->rows.hole, by_number);
	tl->rows.nrow += tl->rows.nrest - tl->rows.nhole;
}

/* Add goroutines; if there are many they are not copied into rows, and all goroutines not into a list either. */
static void put_goroutines(struct timeline *tl, const struct pane_env *env)
{
	if (tl->rows.only == ONLY_ALL && !tl->scope.on && !env->compact && tl->tr->n[TK_G] > MANY) {
		timeline_filter_clear(tl);
		all_goroutines(tl, session_snap(env->s));
		return;
	}
	const struct timeline_row_list *some = timeline_row_filter(tl, env);
	tl->rows.ordered = some->ordered;
	if (some->n <= MANY) {
		for (uint32_t i = 0; i < some->n; i++)
			add_row(tl, ROW_TRACK, some->v[i], 0);
		return;
	}
	tl->rows.rest = some->v;
	tl->rows.nrest = some->n;
	tl->rows.nrow += some->n;
}

/* Return whether a track is active in the window. */
static bool is_busy(const struct timeline *tl, const struct snap *sn, trk_id t)
{
	struct bin b;
	bins_sum(sn, t, tl->t0, tl->t1, &b);
	return b.ns[TS_NONE] + b.ns[TS_IDLE] < tl->t1 - tl->t0;
}

static void put_tracks(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	enum track_kind kind = tl->rows.kind == TL_P ? TK_P : TK_M;
	const trk_id *v = tl->tr->trk[kind];
	for (uint32_t i = 0; i < tl->tr->n[kind]; i++)
		if (!has_track(tl->rows.pin, tl->rows.npin, v[i]) && timeline_scope_has_track(tl, sn, v[i]) &&
		    (!env->compact || tl->rows.kind == TL_P || is_busy(tl, sn, v[i])))
			add_row(tl, ROW_TRACK, v[i], 0);
}

/* Add the task of the rows and its subtasks before its goroutines. */
static void put_task_head(struct timeline *tl, const struct pane_env *env)
{
	uint32_t task = stats_task_find(tl->ix->tasks, tl->rows.only_id), shown = 0;
	if (task == UINT32_MAX)
		return;
	uint8_t *in = neighbours_task_subtree(tl->ix->tasks, task, env->scratch);
	add_row(tl, ROW_TASK, task, 0);
	for (uint32_t i = 0; i < tl->ix->tasks->n && shown < 8; i++)
		if (in[i] && i != task) {
			add_row(tl, ROW_TASK, i, 1);
			shown++;
		}
}

/* ---- rows below a track */

static bool is_expanded(const struct timeline *tl, trk_id t)
{
	return has_track(tl->rows.open, tl->rows.nopen, t);
}

static void put_under(struct timeline *tl, const struct snap *sn, trk_id t, bool all)
{
	if (store_trk(sn->st, t)->kind == TK_G && (all || is_expanded(tl, t))) {
		int n = region_layout_levels(tl->ix->row_layout, t);
		for (int k = 0; k < n; k++)
			add_row(tl, ROW_REGION, t, (uint8_t)k);
	}
	for (int k = 0; t == tl->rows.stacks && k < TL_DEEP; k++)
		add_row(tl, ROW_STACK, t, (uint8_t)k);
}

/* Return the number of rows with all regions shown; stop counting at `most`. */
static uint32_t lines_with_regions(const struct timeline *tl, uint32_t most)
{
	uint32_t n = tl->rows.nrow - tl->rows.nhead;
	for (uint32_t i = 0; i < tl->rows.nhead && n <= most; i++)
		n += 1 + (tl->rows.row[i].what == ROW_TRACK
				 ? (uint32_t)region_layout_levels(tl->ix->row_layout, tl->rows.row[i].id)
				 : 0);
	return n;
}

static int by_place(const void *a, const void *b)
{
	const struct timeline_subrows *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Insert the rows below expanded tracks in rest[]. */
static void put_under_rest(struct timeline *tl, const struct snap *sn)
{
	uint32_t more = 0;
	for (uint32_t i = 0; i <= tl->rows.nopen; i++) {
		trk_id t = i < tl->rows.nopen ? tl->rows.open[i] : tl->rows.stacks;
		if (!t || (i == tl->rows.nopen && is_expanded(tl, t)) || in_rest(tl, sn, t) == UINT32_MAX)
			continue;
		struct timeline_subrows u = {
		    .at = timeline_track_row(tl, sn, t) + 1, .trk = t, .stacks = t == tl->rows.stacks ? TL_DEEP : 0};
		if (store_trk(sn->st, t)->kind == TK_G && i < tl->rows.nopen)
			u.regions = (uint8_t)region_layout_levels(tl->ix->row_layout, t);
		tl->rows.under[tl->rows.nunder + more++] = u;
	}
	qsort(tl->rows.under, more, sizeof *tl->rows.under, by_place);
	for (uint32_t i = 0; i < more; i++) {	/* behind the rows inserted before */
		tl->rows.under[i].at += tl->rows.nrow - tl->rows.nhead - (tl->rows.nrest - tl->rows.nhole);
		tl->rows.nrow += tl->rows.under[i].regions + tl->rows.under[i].stacks;
	}
	tl->rows.nunder = more;
}

static void add_under(struct timeline *tl, const struct pane_env *env, uint32_t npin)
{
	const struct snap *sn = session_snap(env->s);
	struct timeline_layout l = timeline_layout(tl, env);
	uint32_t n = tl->rows.nhead, many = tl->rows.nrow - n,
		 room = (uint32_t)(env->rows > l.rows ? env->rows - l.rows : 0);
	bool all = tl->rows.kind == TL_G && !env->compact && lines_with_regions(tl, room) + 2 <= room;
	bool pins = npin && env->rows >= 36 && !env->compact;
	tl->rows.npinrow = npin;
	if (!tl->rows.nrow || (!all && !pins && !tl->rows.nopen && !tl->rows.stacks))
		return;
	struct timeline_row *was = xmalloc((n + 1u) * sizeof *was);
	memcpy(was, tl->rows.row, n * sizeof *was);
	tl->rows.nrow = tl->rows.nhead = 0;
	for (uint32_t i = 0; i < n; i++) {
		add_row(tl, (enum timeline_row_type)was[i].what, was[i].id, was[i].level);
		if (was[i].what == ROW_TRACK)
			put_under(tl, sn, was[i].id, all || (pins && i < npin));
		if (i + 1 == npin)
			tl->rows.npinrow = tl->rows.nrow;
	}
	mem_free(was);
	tl->rows.nrow += many;
	if (many)
		put_under_rest(tl, sn);
}

static bool select_same(struct timeline *tl, const struct pane_env *env, struct timeline_row keep)
{
	uint32_t at = UINT32_MAX;
	for (uint32_t i = 0; i < tl->rows.nhead && at == UINT32_MAX; i++)
		if (tl->rows.row[i].id == keep.id && tl->rows.row[i].what == keep.what &&
		    (keep.what == ROW_TASK || tl->rows.row[i].level == keep.level))
			at = i;
	if (at == UINT32_MAX && keep.what == ROW_TRACK)
		at = timeline_track_row(tl, session_snap(env->s), keep.id);
	for (uint32_t i = 0; i < tl->rows.nrest && at == UINT32_MAX && keep.what == ROW_TASK; i++)
		if (tl->rows.rest_what == ROW_TASK && tl->rows.rest[i] == keep.id)
			at = tl->rows.nhead + i;
	for (uint32_t u = 0; u < tl->rows.nunder && at == UINT32_MAX; u++) {
		const struct timeline_subrows *un = &tl->rows.under[u];
		if (un->trk == keep.id && keep.what == ROW_REGION && keep.level < un->regions)
			at = un->at + keep.level;
		if (un->trk == keep.id && keep.what == ROW_STACK && keep.level < un->stacks)
			at = un->at + un->regions + keep.level;
	}
	if (at == UINT32_MAX)
		return false;
	timeline_select_row(tl, env, at);
	return true;
}

void timeline_make_rows(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct timeline_row keep = timeline_selected_row(tl);
	timeline_index(tl, env);
	tl->rows.nrow = tl->rows.nhead = tl->rows.nrest = tl->rows.nhole = tl->rows.nunder = 0;
	tl->rows.rest_what = tl->rows.kind == TL_T ? ROW_TASK : ROW_TRACK;
	for (uint32_t i = 0; i < tl->rows.npin; i++)
		add_row(tl, ROW_TRACK, tl->rows.pin[i], 0);
	if (tl->rows.kind == TL_T)
		put_tasks(tl, sn, env->scratch);
	else if (tl->rows.kind == TL_G && tl->rows.only == ONLY_TASK)
		put_task_head(tl, env);
	if (tl->rows.kind == TL_G)
		put_goroutines(tl, env);
	else if (tl->rows.kind != TL_T)
		put_tracks(tl, env);
	tl->rows.made = tl->news;
	tl->rows.compact = env->compact;
	timeline_filter_commit(tl);
	add_under(tl, env, tl->rows.npin);
	if (keep.id && (select_same(tl, env, keep) ||
			   timeline_select_track(tl, env, keep.what == ROW_TASK ? 0 : keep.id)))
		return;
	timeline_select_row(tl, env, tl->rows.sel);
	timeline_filter_seek(tl, sn, keep.what == ROW_TASK ? 0 : keep.id, false);
}

void timeline_set_kind(struct timeline *tl, const struct pane_env *env, enum timeline_kind kind)
{
	struct trace_interval iv;
	trk_id was = timeline_selected_track(tl, env), to = 0;
	if (was && !tl->going && trace_interval_at(session_snap(env->s), was, tl->at, &iv))
		to = store_trk(session_snap(env->s)->st, was)->kind == TK_G && kind == TL_G
			 ? was
			 : iv.peer;
	if (tl->ix->first)
		timeline_index_finish(tl);	/* the user wants these rows, so wait for the index */
	tl->rows.kind = kind;
	tl->rows.sel = tl->rows.top = 0;
	timeline_make_rows(tl, env);
	timeline_set_window(tl, env, tl->t0, tl->t1);
	if (tl->search.criteria && timeline_search_outdated(tl))
		timeline_restart_search(tl, env);
	if (to && !timeline_select_track(tl, env, to))
		timeline_filter_seek(
		    tl, session_snap(env->s), to, false); /* from a P to its G, from a G to its P */
}

bool timeline_show_subset(struct timeline *tl, const struct pane_env *env, enum timeline_subset only, uint64_t id)
{
	enum timeline_subset was = tl->rows.only;
	uint64_t was_id = tl->rows.only_id;
	timeline_index_now(tl, env);
	tl->rows.only = only;
	tl->rows.only_id = id;
	timeline_set_kind(tl, env, TL_G);
	if (timeline_filter_pending(tl))
		timeline_filter_fallback(tl, was, was_id);
	if (tl->rows.nrow > tl->rows.npinrow || only == ONLY_ALL || timeline_filter_pending(tl))
		return true;
	tl->rows.only = was;
	tl->rows.only_id = was_id;
	timeline_set_kind(tl, env, TL_G);
	return false;
}

bool timeline_select_task(struct timeline *tl, const struct pane_env *env, uint64_t id)
{
	timeline_index_now(tl, env);
	uint32_t task = stats_task_find(tl->ix->tasks, id);
	if (task == UINT32_MAX)
		return false;
	if (tl->rows.kind != TL_T)
		timeline_set_kind(tl, env, TL_T);
	return select_same(tl, env, (struct timeline_row){task, ROW_TASK, 0});
}
