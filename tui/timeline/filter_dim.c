/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the filters leave, on the timeline. The rows are narrowed to it: to the
 * goroutines of a filter, to a P; on the rows that are left the cells step back
 * in which nothing of it lies: outside of the range of time, of the stretches of
 * tasks and regions, and on rows of Ps and Ms where another goroutine ran.
 *
 * That a cell of a P has something of it is found by walking the intervals in
 * it, CELL_STEPS at most: one that holds more stays as it is, unless no goroutine
 * of the filter ran anywhere at that time, which their running sums say. So a
 * frame costs what it shows, and what is dimmed is never of the filter. A search
 * through all spans in a thread of its own, as for a highlight, would be exact at
 * any zoom and has to be made anew for each filter.
 *
 * Which goroutines a filter means is a look at each of them. Of a million that is a job: until it has ended the rows
 * are those of the filter before, and where one was to look is looked at once more then, if no key has gone elsewhere.
 */
#include "config.h"
#include "timeline/timeline.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

enum { CELL_STEPS = 16, FEW = 64 }; /* FEW: so many goroutines are asked for their sums */

/* The first of them, and whether they are more: of a million bits eight are looked at together. */
static void find_few(struct tl_scope *sc, const struct snap *sn, const uint8_t *set)
{
	sc->few = arena_alloc(&sc->mem, FEW * sizeof *sc->few);
	sc->nfew = 0;
	for (trk_id t = 1; set && t < sn->ntrks && sc->nfew <= FEW; store_pass(sn, t++)) {
		if (!set[t >> 3])
			t |= 7;
		else if (tw_has(set, t) && store_trk(sn->st, t)->kind == TK_G && sc->nfew++ < FEW)
			sc->few[sc->nfew - 1] = t;
	}
}

struct tl_scoping {
	struct job *job;
	const struct snap *sn;
	struct query q;		/* the session keeps its strings */
	struct tl_scope to;
	bool dropped;		/* the query is another one by now */
	bool goes, loads;	/* where one was to look then */
	struct place place;
	struct view view;
};

static int find(struct job *j, void *arg)
{
	struct tl_scoping *w = arg;
	struct tl_scope *sc = &w->to;
	const struct snap *sn = w->sn;
	const uint8_t *set;
	(void)j;
	session_filter(sn, &w->q, &sc->mem, &sc->f);
	set = sc->f.g;
	if (sc->f.slice) {
		uint8_t *of = arena_zalloc(&sc->mem, sn->ntrks / 8 + 1u);
		for (uint32_t i = 0; i < sc->f.nslice; i++) {
			trk_id t = sc->f.slice[i].trk;
			if (tw_has(sc->f.g, t))
				of[t >> 3] |= (uint8_t)(1u << (t & 7));
		}
		set = of;
	}
	sc->g = set;
	sc->there = tw_presence(sn, &sc->f, &sc->mem, &sc->nthere);
	find_few(sc, sn, set);
	sc->on = set || sc->f.proc || sc->f.from != TIME_NONE || sc->f.to != TIME_NONE;
	return 0;
}

/* What was found is in force. true: rows are to be made. */
static bool take(struct timeline *tl, struct tl_scoping *w)
{
	struct tl_scope *sc = &tl->scope;
	bool was = sc->on;
	tl_pick_stop(tl);
	arena_free(&sc->mem);
	w->to.took = sc->took;
	w->to.guest = w->to.on || was ? 0 : sc->guest;
	*sc = w->to;
	return sc->on || was;
}

/* Goroutines are looked at, each of them. */
static bool is_much(const struct snap *sn, const struct query *q)
{
	return !q->suspended && (q->g || q->gs || q->group || q->task || q->region) && !tl_is_small(sn);
}

bool tl_scope_make(struct timeline *tl, const struct pane_env *env)
{
	struct tl_scope *sc = &tl->scope;
	struct tl_scoping *w = tl->scoping;
	uint32_t serial = session_scope(env->s);
	bool there = sc->serial == serial && sc->made, narrowed = tl->narrowed;
	tl->narrowed = false;
	if (w)		/* one at a time */
		w->dropped |= w->to.serial != serial;
	if (w || there)
		return narrowed;
	w = xcalloc(1, sizeof *w);
	w->sn = session_snap(env->s);
	w->q = *session_query(env->s);
	w->to.serial = serial;
	w->to.made = true;
	w->job = is_much(w->sn, &w->q) ? job_start(find, w) : NULL;
	if (w->job) {
		tl->scoping = w;
		return narrowed;
	}
	find(NULL, w);
	narrowed |= take(tl, w);
	mem_free(w);
	return narrowed;
}

struct job *tl_scope_job(const struct timeline *tl)
{
	return tl->scoping ? tl->scoping->job : NULL;
}

void tl_scope_done(struct timeline *tl, const struct pane_env *env)
{
	struct tl_scoping *w = tl->scoping;
	tl->scoping = NULL;
	job_join(w->job);
	if (w->dropped)
		arena_free(&w->to.mem);
	else
		tl->narrowed = take(tl, w);
	tl_update(tl, env);
	if (w->goes && !w->dropped)
		tl_go(tl, env, &w->place);
	if (w->loads && !w->dropped)
		tl_load(tl, env, &w->view);
	mem_free(w);
}

void tl_scope_go(struct timeline *tl, const struct place *p)
{
	if (!tl->scoping)
		return;
	tl->scoping->goes = true;
	tl->scoping->place = *p;
}

void tl_scope_load(struct timeline *tl, const struct view *v)
{
	if (!tl->scoping)
		return;
	tl->scoping->loads = true;
	tl->scoping->view = *v;
}

void tl_scope_here(struct timeline *tl)
{
	if (tl->scoping)
		tl->scoping->goes = tl->scoping->loads = false;
}

void tl_scope_free(struct timeline *tl)
{
	if (tl->scoping) {
		job_join(tl->scoping->job);
		arena_free(&tl->scoping->to.mem);
		mem_free(tl->scoping);
	}
	tl->scoping = NULL;
	arena_free(&tl->scope.mem);
}

/* The set is asked first: there are as many goroutines as there are, and their rows are far apart. */
bool tl_scope_goroutine(const struct tl_scope *sc, const struct snap *sn, trk_id t)
{
	if (t == sc->guest)
		return true;
	if (!tw_has(sc->g, t))
		return false;
	if (sc->f.to == TIME_NONE && sc->f.from == TIME_NONE)
		return true;
	const struct trk_row *r = store_trk(sn->st, t);
	return (sc->f.to == TIME_NONE || r->t0 == TIME_NONE || r->t0 < sc->f.to) &&
	       (sc->f.from == TIME_NONE || !r->to_t1 || store_t1(sn->st, r) > sc->f.from);
}

bool tl_scope_row(const struct timeline *tl, const struct snap *sn, trk_id t)
{
	const struct tl_scope *sc = &tl->scope;
	switch (store_trk(sn->st, t)->kind) {
	case TK_P: return t == sc->guest || !sc->f.proc || t == sc->f.proc;
	case TK_G: return tl_scope_goroutine(sc, sn, t);
	default: return true;
	}
}

bool tl_scope_task(const struct timeline *tl, const struct snap *sn, const struct sched_task *t)
{
	const struct tl_scope *sc = &tl->scope;
	int64_t t0, t1;
	tl_task_bounds(sn, t, &t0, &t1);
	if ((sc->f.from != TIME_NONE && t1 < sc->f.from) || (sc->f.to != TIME_NONE && t0 >= sc->f.to))
		return false;
	if (sc->f.span)
		return t->span != UINT32_MAX && tw_has(sc->f.span, t->span);
	return !sc->g || (t->span != UINT32_MAX && tw_has(sc->g, store_span(sn->st, t->span)->s.trk));
}

/* Rows of Ps say nothing of some goroutines: those take their place, and leave it with the filter. */
void tl_scope_rows(struct timeline *tl, const struct pane_env *env)
{
	struct tl_scope *sc = &tl->scope;
	bool some = sc->g && sc->nfew;
	if (some && tl->kind == TL_P) {
		tl->only = ONLY_ALL;
		tl_set_kind(tl, env, TL_G);
		sc->took = true;
	} else if (!some && sc->took) {
		sc->took = false;
		if (tl->kind == TL_G && tl->only == ONLY_ALL)
			tl_set_kind(tl, env, TL_P);
	}
	tl_hunt_again(tl, env); /* it is among those of the filters */
}

/* In which cells of the window one of the goroutines ran at all; with too many of them, was there. */
static uint8_t *ran(const struct timeline *tl, const struct pane_env *env, int cells)
{
	const struct tl_scope *sc = &tl->scope;
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
		on[c] &= tw_present(sc->there, sc->nthere, tl_edge(tl, cells, c), tl_edge(tl, cells, c + 1) - 1);
	return on;
}

/* Does something of it lie on a P in [a, b)? */
static bool on_p(const struct tl_scope *sc, const struct snap *sn, trk_id p, int64_t a, int64_t b)
{
	struct ival v;
	bool have = ival_at(sn, p, a, &v);
	for (int i = 0; i < CELL_STEPS; i++, have = ival_step(sn, &v, 1)) {
		if (!have || v.t0 >= b)
			return false;
		int64_t t0 = v.t0 > a ? v.t0 : a, t1 = v.t1 < b ? v.t1 : b;
		if (v.who && tw_has(sc->g, v.who) && tw_within(&sc->f, v.who, t0, t1) > 0)
			return true;
	}
	return true; /* more than can be asked */
}

void tl_scope_frame(const struct timeline *tl, const struct pane_env *env, struct tl_layout *l)
{
	if (tl->scope.g && l->cells > 0 && (tl->kind == TL_P || tl->kind == TL_M || tl->npin))
		l->ran = ran(tl, env, l->cells);
}

bool tl_scope_in(const struct timeline *tl, const struct snap *sn, const struct tl_layout *l, trk_id t, int c)
{
	const struct tl_scope *sc = &tl->scope;
	int64_t a = tl_edge(tl, l->cells, c), b = tl_edge(tl, l->cells, c + 1);
	enum track_kind kind = store_trk(sn->st, t)->kind;
	if ((sc->f.from != TIME_NONE && b <= sc->f.from) || (sc->f.to != TIME_NONE && a >= sc->f.to))
		return false;
	if (!sc->g || t == sc->guest)
		return true;
	if (kind == TK_G)
		return b <= a || tw_within(&sc->f, t, a, b) > 0;
	return !l->ran || (l->ran[c] && (kind != TK_P || on_p(sc, sn, t, a, b)));
}
