/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The effect of the filters on the timeline. The rows are limited to the goroutines of a filter, or
 * to a P; on these rows, cells without anything in the scope are dimmed: outside of the time range
 * and of the slices of tasks and regions, and on rows of Ps and Ms where another goroutine ran.
 *
 * Whether a cell of a P has something in the scope is found by a walk over its intervals, at most
 * CELL_STEPS: a cell with more is not dimmed, unless the running sums show that no goroutine of the
 * filter ran at that time. So the cost of a frame depends on what it shows, and a dimmed cell never
 * has anything in the scope. A search through all spans in a thread, as for a highlight, would be
 * exact at any zoom but would have to be repeated for each filter.
 *
 * Focus and ignore are applied likewise to a cell of a goroutine: it is dimmed if none of its
 * stacks there is in focus. The rows are the goroutines that are in focus somewhere.
 *
 * To find the goroutines of a filter, each goroutine is examined. For a million that is a job:
 * until it has ended, the rows are those of the previous filter, and a deferred move is repeated
 * then, unless a key has moved elsewhere.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

enum { CELL_STEPS = 16, FOCUS_STEPS = 32, FEW = 64 }; /* FEW: number of goroutines up to which running sums are used */

/* Find the first goroutines of the set, and whether there are more than FEW; skip 8 bits at a time. */
static void find_few(struct timeline_scope *sc, const struct snap *sn, const uint8_t *set)
{
	sc->few = arena_alloc(&sc->mem, FEW * sizeof *sc->few);
	sc->nfew = 0;
	for (trk_id t = 1; set && t < sn->ntrks && sc->nfew <= FEW; t++) {
		if (!set[t >> 3])
			t |= 7;
		else if (trace_gset_has(set, t) && store_trk(sn->st, t)->kind == TK_G && sc->nfew++ < FEW)
			sc->few[sc->nfew - 1] = t;
	}
}

struct timeline_scope_work {
	const struct snap *sn;
	struct query q;		/* its strings are owned by the session */
	struct timeline_scope to;
	bool goes, loads;	/* the deferred move */
	struct place place;
	struct view view;
};

static void find_scope(void *work, struct job *j)
{
	struct timeline_scope_work *w = work;
	struct timeline_scope *sc = &w->to;
	const struct snap *sn = w->sn;
	const uint8_t *set;
	query_trace_filter(sn, &w->q, false, &sc->mem, &sc->f, NULL, NULL);
	query_add_focus(sn, &w->q, &sc->mem, &sc->f, NULL);
	set = sc->f.slice ? trace_filter_goroutines(sn, &sc->f, &sc->mem) : sc->f.g;
	struct progress_watcher on = job_progress_watcher(j);
	if (sc->f.focus)
		set = trace_focus_goroutines(sc->f.focus, sc->f.from, sc->f.to, set, &sc->mem, &on);
	sc->g = set;
	sc->there = trace_filter_presence(sn, &sc->f, &sc->mem, &sc->nthere);
	find_few(sc, sn, set);
	sc->on = set || sc->f.proc || sc->f.from != TIME_NONE || sc->f.to != TIME_NONE;
}

static void free_scope(void *work)
{
	struct timeline_scope_work *w = work;
	arena_free(&w->to.mem);
	mem_free(w);
}

static const struct async_kind scope_kind = {find_scope, free_scope};

/* Activate the result. true: the rows have to be made again. */
static bool take_scope(struct timeline *tl, struct timeline_scope_work *w)
{
	struct timeline_scope *sc = &tl->scope;
	bool was = sc->on;
	timeline_filter_stop(tl);
	arena_free(&sc->mem);
	w->to.took = sc->took;
	w->to.guest = w->to.on || was ? 0 : sc->guest;
	*sc = w->to;
	w->to.mem = (struct arena){0};
	return sc->on || was;
}

/* A filter of goroutines examines each of them, focus and ignore each of their intervals. */
static uint64_t scope_cost(const struct snap *sn, const struct query *q)
{
	bool each = q->g || q->gs || q->group || q->task || q->region || q->operation;
	if (q->suspended)
		return 0;
	return q->f.focus || q->f.ignore ? snap_cost(sn, 1) : each ? timeline_snap_cost(sn) : 0;
}

bool timeline_scope_update(struct timeline *tl, const struct pane_env *env)
{
	struct timeline_scope *sc = &tl->scope;
	struct timeline_scope_work *w = async_wanted(&tl->scoping);
	uint32_t serial = session_selection(env->s);
	bool there = sc->serial == serial && sc->made, narrowed = tl->rows.narrowed;
	tl->rows.narrowed = false;
	if (there)
		async_cancel(&tl->scoping);
	if (there || (w && w->to.serial == serial))
		return narrowed;
	w = xcalloc(1, sizeof *w);
	w->sn = session_snap(env->s);
	w->q = *session_query(env->s);
	w->to.serial = serial;
	w->to.made = true;
	w = async_start(&tl->scoping, &scope_kind, w, scope_cost(w->sn, &w->q));
	if (w) {
		narrowed |= take_scope(tl, w);
		free_scope(w);
	}
	return narrowed;
}

void timeline_scope_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct timeline *tl = st;
	(void)out;
	struct timeline_scope_work *w = async_finish(&tl->scoping);
	if (w)
		tl->rows.narrowed = take_scope(tl, w);
	timeline_update(tl, env);
	if (!w)
		return;
	if (w->goes)
		timeline_goto_place(tl, env, &w->place);
	if (w->loads)
		timeline_load_view(tl, env, &w->view);
	free_scope(w);
}

void timeline_scope_defer_goto(struct timeline *tl, const struct place *p)
{
	struct timeline_scope_work *w = async_wanted(&tl->scoping);
	if (!w)
		return;
	w->goes = true;
	w->place = *p;
}

void timeline_scope_defer_load(struct timeline *tl, const struct view *v)
{
	struct timeline_scope_work *w = async_wanted(&tl->scoping);
	if (!w)
		return;
	w->loads = true;
	w->view = *v;
}

void timeline_scope_drop_deferred(struct timeline *tl)
{
	struct timeline_scope_work *w = async_wanted(&tl->scoping);
	if (w)
		w->goes = w->loads = false;
}

void timeline_scope_free(struct timeline *tl)
{
	async_stop(&tl->scoping);
	arena_free(&tl->scope.mem);
}

/* Test the set before the track: there may be a million goroutines, whose track rows are spread over memory. */
bool timeline_scope_has_goroutine(const struct timeline_scope *sc, const struct snap *sn, trk_id t)
{
	if (t == sc->guest)
		return true;
	if (!trace_gset_has(sc->g, t))
		return false;
	if (sc->f.to == TIME_NONE && sc->f.from == TIME_NONE)
		return true;
	const struct trk_row *r = store_trk(sn->st, t);
	return (sc->f.to == TIME_NONE || r->t0 == TIME_NONE || r->t0 < sc->f.to) &&
	       (sc->f.from == TIME_NONE || !r->to_t1 || store_t1(sn->st, r) > sc->f.from);
}

bool timeline_scope_has_track(const struct timeline *tl, const struct snap *sn, trk_id t)
{
	const struct timeline_scope *sc = &tl->scope;
	switch (store_trk(sn->st, t)->kind) {
	case TK_P: return t == sc->guest || !sc->f.proc || t == sc->f.proc;
	case TK_G: return timeline_scope_has_goroutine(sc, sn, t);
	default: return true;
	}
}

bool timeline_scope_has_task(const struct timeline *tl, const struct snap *sn, const struct stats_task *t)
{
	const struct timeline_scope *sc = &tl->scope;
	int64_t t0, t1;
	tracepane_task_bounds(sn, t, &t0, &t1);
	if ((sc->f.from != TIME_NONE && t1 < sc->f.from) || (sc->f.to != TIME_NONE && t0 >= sc->f.to))
		return false;
	if (t->span == UINT32_MAX)
		return !sc->f.span && !sc->f.g && (!sc->f.focus || trace_focus_takes(sc->f.focus, 0));
	trk_id g = store_span(sn->st, t->span)->s.trk;
	return (!sc->f.span || trace_gset_has(sc->f.span, t->span)) && trace_gset_has(sc->f.g, g) &&
	    (!sc->f.focus || trace_focus_has_time(sc->f.focus, g, t0, t1, FOCUS_ALL_PIECES));
}

/* Show goroutines instead of Ps while the filters select some, because rows of Ps do not show single goroutines. */
void timeline_scope_choose_kind(struct timeline *tl, const struct pane_env *env)
{
	struct timeline_scope *sc = &tl->scope;
	bool some = sc->g && sc->nfew;
	if (some && tl->rows.kind == TL_P) {
		tl->rows.only = ONLY_ALL;
		timeline_set_kind(tl, env, TL_G);
		sc->took = true;
	} else if (!some && sc->took) {
		sc->took = false;
		if (tl->rows.kind == TL_G && tl->rows.only == ONLY_ALL)
			timeline_set_kind(tl, env, TL_P);
	}
	timeline_restart_search(tl, env); /* it only covers the scope */
}

/* Return the cells of the window in which a goroutine of the scope ran; if there are more than FEW, in which one
   was in a slice. */
static uint8_t *find_running_cells(const struct timeline *tl, const struct pane_env *env, int cells)
{
	const struct timeline_scope *sc = &tl->scope;
	const struct snap *sn = session_snap(env->s);
	uint8_t *on = arena_zalloc(env->scratch, (size_t)cells + 1);
	struct bin *b = arena_alloc(env->scratch, ((size_t)cells + 1) * sizeof *b);
	for (int c = 0; c < cells && sc->nfew > FEW; c++)
		on[c] = 1;
	for (uint32_t i = 0; i < sc->nfew && sc->nfew <= FEW; i++) {
		bins_row(sn, sc->few[i], tl->t0, tl->t1, (uint32_t)cells, b);
		for (int c = 0; c < cells; c++)
			on[c] |= b[c].ns[TS_RUN] || b[c].ns[TS_GCWORK] || b[c].ns[TS_ASSIST] || b[c].ns[TS_SWEEP] ||
				 b[c].ns[TS_STW] || b[c].ns[TS_SYSCALL];
	}
	for (int c = 0; c < cells; c++)
		on[c] &= trace_slices_overlap(
		    sc->there, sc->nthere, timeline_cell_edge(tl, cells, c), timeline_cell_edge(tl, cells, c + 1) - 1);
	return on;
}

/* Return whether the scope has something of a goroutine of the set in [a, b). */
static bool on_g(const struct timeline_scope *sc, trk_id g, int64_t a, int64_t b)
{
	return trace_filter_overlap(&sc->f, g, a, b) > 0 &&
	    (!sc->f.focus || trace_focus_has_time(sc->f.focus, g, a, b, FOCUS_STEPS));
}

/* Return whether P p has something in the scope in [a, b). */
static bool on_p(const struct timeline_scope *sc, const struct snap *sn, trk_id p, int64_t a, int64_t b)
{
	struct trace_interval v;
	bool have = trace_interval_at(sn, p, a, &v);
	for (int i = 0; i < CELL_STEPS; i++, have = trace_interval_step(sn, &v, 1)) {
		if (!have || v.t0 >= b)
			return false;
		int64_t t0 = v.t0 > a ? v.t0 : a, t1 = v.t1 < b ? v.t1 : b;
		if (v.peer && trace_gset_has(sc->g, v.peer) && on_g(sc, v.peer, t0, t1))
			return true;
	}
	return true; /* too many intervals: assume so */
}

void timeline_scope_fill_cells(const struct timeline *tl, const struct pane_env *env, struct timeline_layout *l)
{
	if (tl->scope.g && l->cells > 0 && (tl->rows.kind == TL_P || tl->rows.kind == TL_M || tl->rows.npin))
		l->ran = find_running_cells(tl, env, l->cells);
}

bool timeline_scope_has_cell(
    const struct timeline *tl, const struct snap *sn, const struct timeline_layout *l, trk_id t, int c)
{
	const struct timeline_scope *sc = &tl->scope;
	int64_t a = timeline_cell_edge(tl, l->cells, c), b = timeline_cell_edge(tl, l->cells, c + 1);
	enum track_kind kind = store_trk(sn->st, t)->kind;
	if ((sc->f.from != TIME_NONE && b <= sc->f.from) || (sc->f.to != TIME_NONE && a >= sc->f.to))
		return false;
	if (!sc->g || t == sc->guest)
		return true;
	if (kind == TK_G)
		return b <= a || on_g(sc, t, a, b);
	return !l->ran || (l->ran[c] && (kind != TK_P || on_p(sc, sn, t, a, b)));
}
