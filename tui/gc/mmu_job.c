/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The curve of the garbage collection pane: PLOT values, each of which takes a pass over all steps
 * of the utilisation, and the worst windows of the selected length, for which all windows are
 * sorted. For a long trace, or for percentiles, that takes seconds. Unless it is short, a job does
 * it, and the old curve is shown until then, with a note that it is out of date.
 *
 * One job runs at a time. If the input changes meanwhile it is cancelled, and the next one starts
 * when it has ended, so no thread reads steps that are being replaced.
 */
#include "config.h"
#include "gc/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

/* Rows of utils, and so steps, up to which no job is needed: for a minimum, for sorting all windows, for a
   percentile. */
enum { FEW = 1000, FEW_WORST = 5000, FEW_PCT = 50 };
enum { AT_FIRST = 10 * 1000 * 1000 };

struct gc_curve_work {
	struct job *job;	/* for the pane; NULL: computed at once */
	const struct job *by;	/* the same job, for the worker, which may need it before `job` is set */
	const struct snap *sn;
	struct gc_curve_query of;
	/* whole: compute the curve too, not only the worst windows; dropped: the result is not wanted any more */
	bool whole, dropped;
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
	return w->by && job_cancelled(w->by);
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

static int run_curve(struct job *j, void *arg)
{
	struct gc_curve_work *w = arg;
	w->by = j;
	if (w->whole)
		make_curve(w);
	if (w->mmu->n && !curve_cancelled(w))
		w->nworst = mmu_worst(w->mmu, w->window[w->at], WORST, w->worst);
	return 0;
}

/* Move the result to the pane. */
static void take_curve(struct gc_state *p, struct gc_curve_work *w)
{
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

/* Start the job; compute it at once if it is short or no thread is available. */
static void start_curve(struct gc_state *p, const struct pane_env *env, bool whole)
{
	struct gc_curve_work *w = xcalloc(1, sizeof *w);
	uint32_t few = !whole ? FEW_WORST : p->pct ? FEW_PCT : FEW;
	w->sn = session_snap(env->s);
	w->of = curve_wanted(p, env);
	w->whole = whole;
	w->mmu = whole ? NULL : p->mmu;
	w->at = p->at;
	memcpy(w->window, p->window, sizeof w->window);
	if (w->sn->nutils > few || job_forced_threads() > 1)
		w->job = job_start(run_curve, w);
	if (w->job) {
		p->work = w;
		return;
	}
	run_curve(NULL, w);
	take_curve(p, w);
	mem_free(w);
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
	if (p->work) {
		bool fits = same_curve(&p->work->of, &now) && (p->work->whole ? whole : p->work->at == p->at);
		if (!fits) {
			p->work->dropped = true;
			job_cancel(p->work->job);
		}
	} else if (whole || worst) {
		start_curve(p, env, whole);
		if (!p->work && p->plotted && p->worst_of != p->at)
			start_curve(p, env, false);
	}
}

bool gc_curve_pending(const struct gc_state *p)
{
	return p->work && p->work->whole;
}

struct job *gc_curve_job(const struct gc_state *p)
{
	return p->work ? p->work->job : NULL;
}

void gc_curve_finish(struct gc_state *p, const struct pane_env *env)
{
	struct gc_curve_work *w = p->work;
	struct gc_curve_query now = curve_wanted(p, env);
	p->work = NULL;
	job_join(w->job);
	if (!w->dropped && same_curve(&w->of, &now))
		take_curve(p, w);
	arena_free(&w->mem);
	mem_free(w);
	gc_curve_update(p, env);
}

void gc_curve_drop(struct gc_state *p)
{
	if (p->work) {
		job_cancel(p->work->job);
		job_join(p->work->job);
		arena_free(&p->work->mem);
		mem_free(p->work);
	}
	p->work = NULL;
	arena_free(&p->curve);
}
