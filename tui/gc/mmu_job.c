/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The curve of the garbage collection pane: PLOT values, each of which takes a pass over all steps
 * of the utilisation, and the worst windows of the selected length, for which all windows are
 * sorted. For a long trace, or for percentiles, that takes seconds. Unless it is short, a job does
 * it, and the old curve is shown until then, with a note that it is out of date.
 *
 * The slot starts the next job when the previous one has ended, so no thread reads steps that are being replaced.
 */
#include "config.h"
#include "gc/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

/* Steps of the cost of a row of utils: for a minimum, for sorting all windows, for a percentile. */
enum { COST_MIN = 20, COST_WORST = 4, COST_PCT = 400 };
enum { AT_FIRST = 10 * 1000 * 1000 };

struct gc_curve_work {
	const struct job *job;	/* set while it runs; NULL: computed at once */
	const struct snap *sn;
	struct gc_curve_query of;
	bool whole;		/* compute the curve too, not only the worst windows */
	const struct mmu *mmu;	/* of the pane; if whole, of the new curve */
	struct arena mem;
	double util[PLOT];
	int64_t window[PLOT];
	int at;
	struct mmu_window worst[WORST];
	uint32_t nworst;
};

/* Return the index of the window of the curve with that length, or the next shorter one. */
static int at_window(const int64_t window[PLOT], int64_t len)
{
	int at = 0;
	for (int i = 0; i < PLOT; i++)
		at = window[i] <= len ? i : at;
	return at;
}

static bool curve_cancelled(const struct gc_curve_work *w)
{
	return w->job && job_cancelled(w->job);
}

static void make_curve(struct gc_curve_work *w)
{
	const struct gc_curve_query *of = &w->of;
	struct mmu *m = mmu_new(w->sn, of->include | MMU_EXACT | (of->per_proc ? MMU_PER_PROC : 0), &w->mem);
	if (of->part)
		m = mmu_cut(m, of->t0, of->t1, &w->mem);
	w->mmu = m;
	if (!m->n || curve_cancelled(w))
		return;
	int64_t was = w->window[w->at] ? w->window[w->at] : AT_FIRST;
	mmu_plot(m, w->window);
	w->at = at_window(w->window, was);
	for (int i = 0; i < PLOT && !curve_cancelled(w); i++)
		w->util[i] = of->pct ? mmu_quantile(m, w->window[i], gc_pcts[of->pct].q) : mmu_min(m, w->window[i]);
}

static void run_curve(void *work, struct job *j)
{
	struct gc_curve_work *w = work;
	w->job = j;
	if (w->whole)
		make_curve(w);
	if (w->mmu->n && !curve_cancelled(w))
		w->nworst = mmu_worst(w->mmu, w->window[w->at], WORST, w->worst);
}

static void free_curve(void *work)
{
	struct gc_curve_work *w = work;
	arena_free(&w->mem);
	mem_free(w);
}

static const struct async_kind curve_kind = {run_curve, free_curve};

/* Move the result to the pane, unless w is NULL. */
static void take_curve(struct gc_state *p, struct gc_curve_work *w)
{
	if (!w)
		return;
	int64_t was = p->window[p->at] ? p->window[p->at] : AT_FIRST;
	if (w->whole) {
		arena_free(&p->curve);
		p->curve = w->mem;
		w->mem = (struct arena){0};
		p->mmu = w->mmu;
		p->made = w->of;
		p->plotted = w->mmu->n != 0;
		memcpy(p->util, w->util, sizeof p->util);
		memcpy(p->window, w->window, sizeof p->window);
		p->at = at_window(p->window, was);
	}
	p->worst_of = w->at;
	memcpy(p->worst, w->worst, sizeof p->worst);
	list_set_count(&p->worst_rows, p->plotted && p->worst_of == p->at ? w->nworst : 0);
	free_curve(w);
}

static bool same_curve(const struct gc_curve_query *a, const struct gc_curve_query *b)
{
	return a->of == b->of && a->n == b->n && a->include == b->include && a->pct == b->pct &&
	    a->per_proc == b->per_proc && a->part == b->part && a->t0 == b->t0 && a->t1 == b->t1;
}

static struct gc_curve_query curve_wanted(const struct gc_state *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	return (struct gc_curve_query){.of = sn->st,
	    .n = sn->complete ? sn->nutils : 0,
	    .include = p->include,
	    .pct = p->pct,
	    .per_proc = p->per_proc,
	    .part = p->scope.part,
	    .t0 = p->scope.t0,
	    .t1 = p->scope.t1};
}

static void start_curve(struct gc_state *p, const struct pane_env *env, bool whole)
{
	struct gc_curve_work *w = xcalloc(1, sizeof *w);
	w->sn = session_snap(env->s);
	w->of = curve_wanted(p, env);
	w->whole = whole;
	w->mmu = whole ? NULL : p->mmu;
	w->at = p->at;
	memcpy(w->window, p->window, sizeof w->window);
	take_curve(p, async_start(&p->work, &curve_kind, w,
	    (uint64_t)w->sn->nutils * (uint64_t)(!whole ? COST_WORST : p->pct ? COST_PCT : COST_MIN)));
}

void gc_curve_update(struct gc_state *p, const struct pane_env *env)
{
	struct gc_curve_query now = curve_wanted(p, env);
	if (!now.n) {
		p->plotted = false;
		p->made = now;
		list_set_count(&p->worst_rows, 0);
	}
	bool whole = now.n && !same_curve(&p->made, &now), worst = p->plotted && p->worst_of != p->at;
	if (worst)
		list_set_count(&p->worst_rows, 0);
	const struct gc_curve_work *w = async_wanted(&p->work);
	if (w && same_curve(&w->of, &now) && (w->whole ? whole : w->at == p->at))
		return;
	if (!whole && !worst) {
		async_cancel(&p->work);
		return;
	}
	start_curve(p, env, whole);
	if (!async_job(&p->work) && p->plotted && p->worst_of != p->at)
		start_curve(p, env, false);
}

bool gc_curve_pending(const struct gc_state *p)
{
	const struct gc_curve_work *w = async_wanted(&p->work);
	return w && w->whole;
}

void gc_curve_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct gc_state *p = st;
	(void)out;
	struct gc_curve_work *w = async_finish(&p->work);
	struct gc_curve_query now = curve_wanted(p, env);
	if (w && same_curve(&w->of, &now))
		take_curve(p, w);
	else if (w)
		free_curve(w);
	gc_curve_update(p, env);
}
