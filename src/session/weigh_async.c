/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Calls that are computed in the background, for a viewer that answers every key.
 *
 * The worker has a session of its own: the snapshot and the sides, which do not change, a copy of the query,
 * its filters, and the kept call trees, which move to it and back with the result. So session/weigh.c does
 * not depend on where it runs, and nothing is locked. Panes meanwhile hold earlier calls, which share call
 * trees and granularities with the worker; their references are counted atomically.
 *
 * One job runs at a time. The result of an outdated query is dropped, except for the call trees, which are
 * most of the work: so its job is cancelled, but not dropped, as it would be by async_cancel(). Then the calls that are
 * wanted by then are started. Small work is done at once: a thread costs more than it, and the screen would
 * be drawn twice.
 */
#include "config.h"
#include "session/internal.h"

#include "base/async.h"
#include "base/clock.h"
#include "base/job.h"
#include "calltree/flame.h"
#include "calltree/highlights.h"
#include "calltree/weighted.h"
#include "filter/tag_weights.h"
#include "trace/as_profile.h"

struct weighing_work {
	struct session *owner;		/* of the call trees */
	struct session session;
	struct query q;
	struct wanted want;
	struct weighted_tree *made;
	struct rest_states rest;	/* of a comparison with the rest */
	/* rested: rest is computed; first: highlights are computed for the first complete result */
	bool rested, first;
	_Atomic bool stop;	/* the session is being closed */
	int64_t us;
};

void session_set_nonblocking(struct session *s)
{
	s->weigh.nonblocking = true;
}

/* Return the cost of weighing: a pass over nodes, samples and intervals; 0 if the caller waits for it. */
static uint64_t weighing_cost(const struct session *s)
{
	enum { PASSES_OF_PATHS = 8 };
	bool paths = session_is_trace(s) && session_type(s) == TRACE_CRITICAL;
	return !s->weigh.nonblocking ? 0
	    : s->snap->nstks + (uint64_t)s->snap->nsmps + snap_cost(s->snap, paths ? PASSES_OF_PATHS : 1);
}

/* ---- releasing */

/* A tree of millions of nodes has a hundred megabytes, and the kernel takes tens of milliseconds to free them. */
enum { LARGE = 200000, LARGE_BYTES = 1 << 20 };
struct leaving { struct weighted_tree *c; struct flame *f[2]; struct arena mem; };

static void run_release(void *work, struct job *j)
{
	struct leaving *l = work;
	(void)j;
	flame_free(l->f[0]);
	flame_free(l->f[1]);
	weighted_free(l->c);
	arena_free(&l->mem);
}

static const struct async_kind release_kind = {run_release, mem_free};

static void start_release(struct session *s, struct leaving *l, bool large)
{
	for (int i = 0; i < (int)(sizeof s->weigh.freeing / sizeof *s->weigh.freeing) && large && s && s->weigh.nonblocking; i++) {
		struct async *a = &s->weigh.freeing[i];
		if (async_job(a) && job_done(async_job(a), NULL))
			mem_free(async_finish(a));
		if (!async_job(a)) {
			mem_free(async_start(a, &release_kind, l, ASYNC_ALWAYS));
			return;
		}
	}
	run_release(l, NULL);
	mem_free(l);
}

void session_free_calls_async(struct session *s, struct weighted_tree *c, struct flame *const *f)
{
	struct leaving *l = xcalloc(1, sizeof *l);
	bool large = false;
	for (int i = 0; i < 2 && f; i++) {
		l->f[i] = f[i];
		large |= f[i] && (f[i]->arena.held + f[i]->open->n * sizeof *f[i]->open->at > LARGE_BYTES ||
		    (f[i]->made && f[i]->made->n > LARGE));
	}
	if (c && c->refs > 1) {		/* others hold it: nothing is freed */
		weighted_free(c);
		c = NULL;
	}
	l->c = c;
	large |= c && c->calltree->refs == 1 && c->calltree->n > LARGE;
	start_release(s, l, large);
}

void session_free_arena_async(struct session *s, struct arena *a)
{
	struct leaving *l = xcalloc(1, sizeof *l);
	l->mem = *a;
	*a = (struct arena){0};
	start_release(s, l, l->mem.held > LARGE_BYTES);
}

/* ---- computing */

static void run_weighing(void *work, struct job *j)
{
	struct weighing_work *w = work;
	int64_t began = clock_us();
	w->session.weigh.job = j;
	w->session.weigh.stop = &w->stop;
	w->made = session_calls(&w->session, w->want.gran);
	if (w->rested)
		session_rest_times(&w->session, &w->q, &w->rest);
	if (atomic_load(&w->stop))
		return;
	if (j)
		job_report_progress(j, 90, 100);
	if (w->want.what == FOR_FUNCTIONS)
		function_weights_of(w->made);
	if (w->want.gran != GR_LINES)
		calltree_sort_orders(w->made);
	if (w->first)
		session_shares(&w->session, w->made);
	w->us = clock_us() - began;
}

/* Copy only what session/weigh.c reads. */
static void copy_session(struct session *to, const struct session *s, struct query *q)
{
	*q = s->queries.query[s->queries.at];
	to->opening.reader = s->opening.reader;
	to->opening.ns = s->opening.ns;
	to->opening.bytes = s->opening.bytes;
	to->snap = s->snap;
	to->o = s->o;
	to->queries.query = q;
	to->queries.n = 1;
	to->weigh.filters = filter_ref(s->weigh.filters);
	to->serial = s->serial;
	memcpy(to->compare.side, s->compare.side, sizeof to->compare.side);
	to->compare.nside = s->compare.nside;
	to->compare.sum = s->compare.sum;
}

static void move_calltrees(struct session *from, struct session *to)
{
	memcpy(to->weigh.calltrees, from->weigh.calltrees, sizeof to->weigh.calltrees);
	memset(from->weigh.calltrees, 0, sizeof from->weigh.calltrees);
}

/* Give the call trees back, and free the rest. */
static void free_weighing(void *work)
{
	struct weighing_work *w = work;
	move_calltrees(&w->session, w->owner);
	session_drop_calls(&w->session);
	weighted_free(w->made);
	filter_free(w->session.weigh.filters);
	mem_free(w);
}

static const struct async_kind weighing_kind = {run_weighing, free_weighing};

const struct shares *session_shares(const struct session *s, struct weighted_tree *c)
{
	const char *type = session_type_name(s, session_type(s));
	return calltree_highlights(c, !strcmp(type, "cpu")	   ? OF_CPU
				      : !strcmp(type, "goroutine") ? OF_GOROUTINES
								   : OF_MEMORY);
}

struct job *session_weighing_job(const struct session *s)
{
	return async_job(&s->weigh.worker);
}

/* Return the existing calls of the current query; NULL if they lack what is wanted. */
static struct weighted_tree *ready_calls(struct session *s, enum gran gran, enum calls_for what)
{
	struct weighted_tree *c = s->weigh.tree_serial == s->serial ? s->weigh.tree[session_slot(gran)] : NULL;
	return c && c->gran == gran && (what != FOR_FUNCTIONS || c->funs) ? c : NULL;
}

/* Take a result. Return whether it is of the current query. */
static bool take_result(struct session *s, struct weighing_work *w)
{
	bool fits = w->want.serial == s->serial;
	s->weigh.spent += w->us;
	if (fits && w->rested) {
		s->weigh.rest = w->rest;
		s->weigh.rest_serial = s->serial + 1;
	}
	if (fits) {
		struct weighted_tree **c = &s->weigh.tree[session_slot(w->want.gran)];
		if (s->weigh.tree_serial != s->serial)
			session_drop_calls(s);
		s->weigh.tree_serial = s->serial;
		s->compare.sum = w->session.compare.sum;
		session_free_calls_async(s, *c, NULL);
		*c = w->made;
		w->made = NULL;
	}
	session_drop_calls(&w->session);
	session_free_calls_async(s, w->made, NULL);
	w->made = NULL;
	free_weighing(w);
	return fits;
}

/* Start the job. If no thread can be started, the calls are there when this returns. */
static void start_weighing(struct session *s, struct wanted want)
{
	struct weighing_work *w = xcalloc(1, sizeof *w);
	w->owner = s;
	copy_session(&w->session, s, &w->q);
	w->want = want;
	w->rested = session_is_trace(s) && query_has_rest(&w->q) && s->weigh.rest_serial != s->serial + 1;
	w->first = !s->weigh.shared && s->snap->complete && !session_is_trace(s);
	s->weigh.shared |= w->first;
	move_calltrees(s, &w->session);
	w = async_start(&s->weigh.worker, &weighing_kind, w, ASYNC_ALWAYS);
	if (w)
		take_result(s, w);
}

bool session_weighing_poll(struct session *s)
{
	struct async *worker = &s->weigh.worker;
	if (!async_job(worker) || !job_done(async_job(worker), NULL))
		return false;
	bool fits = take_result(s, async_finish(worker));
	for (int i = 0; i < CALL_SLOTS && !async_job(worker); i++) {
		struct wanted w = s->weigh.wanted[i];
		s->weigh.wanted[i].weighted_tree = false;
		if (w.weighted_tree && w.serial == s->serial && !ready_calls(s, w.gran, w.what))
			start_weighing(s, w);
	}
	return fits;
}

bool session_rest_async(struct session *s, struct rest_states *r)
{
	if (s->weigh.rest_serial != s->serial + 1 && async_job(&s->weigh.worker))
		return false;
	if (s->weigh.rest_serial != s->serial + 1)
		session_rest_times(s, &s->queries.query[s->queries.at], &s->weigh.rest);
	s->weigh.rest_serial = s->serial + 1;
	*r = s->weigh.rest;
	return true;
}

void session_weigh_end(struct session *s)
{
	if (async_job(&s->weigh.worker))
		take_result(s, async_finish(&s->weigh.worker));
}

void session_weigh_stop(struct session *s)
{
	struct weighing_work *w = async_wanted(&s->weigh.worker);
	if (w)
		atomic_store(&w->stop, true);
	async_stop(&s->weigh.worker);
}

struct weighted_tree *session_calls_ready(struct session *s)
{
	for (int i = 0; i < CALL_SLOTS && s->weigh.tree_serial == s->serial; i++)
		if (s->weigh.tree[i])
			return weighted_ref(s->weigh.tree[i]);
	return NULL;
}

struct weighted_tree *session_calls_async(struct session *s, enum gran gran, enum calls_for what)
{
	struct wanted want = {true, what, gran, s->serial};
	const struct weighing_work *now = async_wanted(&s->weigh.worker);
	struct weighted_tree *c = ready_calls(s, gran, what);
	if (!c && !now && !async_is_long(weighing_cost(s)))
		return session_calls(s, gran);
	if (!c && !now) {
		start_weighing(s, want);
		c = ready_calls(s, gran, what);
	} else if (!c) {
		if (now->want.serial != s->serial || now->want.gran != gran || now->want.what < what)
			s->weigh.wanted[session_slot(gran)] = want;
		if (now->want.serial != s->serial)	/* the query is outdated */
			job_cancel(async_job(&s->weigh.worker));
	}
	return c ? weighted_ref(c) : NULL;
}

/* ---- tags */

struct tags_work {
	const struct snap *sn;
	bool noinlines, sided;
	struct compiled_filters *filters;
	size_t type;
	struct sides sides;
	uint32_t serial;
	struct tags *tags;
};

static void run_tags(void *work, struct job *j)
{
	struct tags_work *c = work;
	(void)j;
	c->tags = tag_weights_new(c->sn, c->filters, c->type, c->noinlines, c->sided ? &c->sides : NULL);
}

static void free_tags(void *work)
{
	struct tags_work *c = work;
	tag_weights_free(c->tags);
	filter_free(c->filters);
	mem_free(c);
}

static const struct async_kind tags_kind = {run_tags, free_tags};

static struct tags *take_tags(struct tags_work *c, uint32_t *serial)
{
	struct tags *made = c ? c->tags : NULL;
	if (!c)
		return NULL;
	*serial = c->serial;
	c->tags = NULL;
	free_tags(c);
	return made;
}

struct tags *session_tags_async(struct session *s, struct async *slot, uint32_t *serial)
{
	struct tags_work *c = xcalloc(1, sizeof *c);
	*c = (struct tags_work){.sn = s->snap,
	    .noinlines = s->queries.query[s->queries.at].noinlines,
	    .type = session_type(s),
	    .sided = s->compare.nside > 1,
	    .sides = session_sides(s),
	    .serial = s->serial,
	    .filters = filter_ref(s->weigh.filters)};
	return take_tags(async_start(slot, &tags_kind, c, weighing_cost(s)), serial);
}

struct tags *session_tags_finish(struct async *slot, uint32_t *serial)
{
	return take_tags(async_finish(slot), serial);
}
