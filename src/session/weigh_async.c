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
 * One job runs at a time. The result of an outdated query is dropped, except for the call trees, and the
 * calls that are wanted by then are started. Small work is done at once: a thread costs more than it, and the
 * screen would be drawn twice.
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


enum { SMALL = 30000 };		/* nodes, samples and states of tracks: some milliseconds of work */

struct weighing_job {
	struct session session;
	struct query q;
	struct wanted want;
	struct weighted_tree *made;
	struct rest_states rest;	/* of a comparison with the rest */
	/* rested: rest is computed; first: highlights are computed for the first complete result */
	bool rested, first;
	struct job *job;
	_Atomic bool stop;	/* the session is being closed */
	int64_t us;
};

void session_set_nonblocking(struct session *s)
{
	s->weigh.nonblocking = true;
}

static bool is_little_work(const struct session *s)
{
	const struct snap *sn = s->snap;
	uint64_t n = (uint64_t)sn->nstks + sn->nsmps;
	if (job_forced_threads() > 1)
		return false;
	for (uint32_t i = 0; i < sn->nsheets && n <= SMALL; i++)
		n += store_slot(sn->st, i)->n;
	return n <= SMALL;
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

static int run_weigh_job(struct job *j, void *arg)
{
	struct weighing_job *w = arg;
	int64_t began = clock_us();
	w->session.weigh.job = j;
	w->session.weigh.stop = &w->stop;
	w->made = session_calls(&w->session, w->want.gran);
	if (w->rested)
		session_rest_times(&w->session, &w->q, &w->rest);
	if (atomic_load(&w->stop))
		return 0;
	job_report_progress(j, 90, 100);
	if (w->want.what == FOR_FUNCTIONS)
		function_weights_of(w->made);
	if (w->want.gran != GR_LINES)
		calltree_sort_orders(w->made);
	if (w->first)
		session_shares(&w->session, w->made);
	w->us = clock_us() - began;
	return 0;
}

/* Copy only what session/weigh.c reads. */
static void copy_session(struct session *to, const struct session *s, struct query *q)
{
	*q = s->queries.query[s->queries.at];
	to->opening.reader = s->opening.reader;
	to->opening.ns = s->opening.ns;
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

static void weighing_free(struct weighing_job *w)
{
	session_drop_calls(&w->session);
	weighted_free(w->made);
	filter_free(w->session.weigh.filters);
	mem_free(w);
}

/* Return false if no thread can be started. */
static bool start_weighing(struct session *s, struct wanted want)
{
	struct weighing_job *w = xcalloc(1, sizeof *w);
	copy_session(&w->session, s, &w->q);
	w->want = want;
	w->rested = session_is_trace(s) && query_has_rest(&w->q) && s->weigh.rest_serial != s->serial + 1;
	w->first = !s->weigh.shared && s->snap->complete && !session_is_trace(s);
	s->weigh.shared |= w->first;
	move_calltrees(s, &w->session);
	w->job = w->session.weigh.filters ? job_start(run_weigh_job, w) : NULL;
	if (!w->job) {
		move_calltrees(&w->session, s);
		weighing_free(w);
		return false;
	}
	s->weigh.worker = w;
	return true;
}

const struct shares *session_shares(const struct session *s, struct weighted_tree *c)
{
	const char *type = session_type_name(s, session_type(s));
	return calltree_highlights(c, !strcmp(type, "cpu")	   ? OF_CPU
				      : !strcmp(type, "goroutine") ? OF_GOROUTINES
								   : OF_MEMORY);
}

struct job *session_weighing_job(const struct session *s)
{
	return s->weigh.worker ? s->weigh.worker->job : NULL;
}

/* Return the existing calls of the current query; NULL if they lack what is wanted. */
static struct weighted_tree *ready_calls(struct session *s, enum gran gran, enum calls_for what)
{
	struct weighted_tree *c = s->weigh.tree_serial == s->serial ? s->weigh.tree[session_slot(gran)] : NULL;
	return c && c->gran == gran && (what != FOR_FUNCTIONS || c->funs) ? c : NULL;
}

static bool take_result(struct session *s)
{
	struct weighing_job *w = s->weigh.worker;
	bool fits = w->want.serial == s->serial;
	s->weigh.worker = NULL;
	job_join(w->job);
	move_calltrees(&w->session, s);
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
	weighing_free(w);
	return fits;
}

bool session_weighing_poll(struct session *s)
{
	if (!s->weigh.worker || !job_done(s->weigh.worker->job, NULL))
		return false;
	bool fits = take_result(s);
	for (int i = 0; i < CALL_SLOTS && !s->weigh.worker; i++) {
		struct wanted w = s->weigh.wanted[i];
		s->weigh.wanted[i].weighted_tree = false;
		if (w.weighted_tree && w.serial == s->serial && !ready_calls(s, w.gran, w.what))
			start_weighing(s, w);
	}
	return fits;
}

bool session_rest_async(struct session *s, struct rest_states *r)
{
	if (s->weigh.rest_serial != s->serial + 1 && s->weigh.worker)
		return false;
	if (s->weigh.rest_serial != s->serial + 1)
		session_rest_times(s, &s->queries.query[s->queries.at], &s->weigh.rest);
	s->weigh.rest_serial = s->serial + 1;
	*r = s->weigh.rest;
	return true;
}

void session_weigh_end(struct session *s)
{
	if (s->weigh.worker)
		take_result(s);
}

void session_weigh_stop(struct session *s)
{
	if (!s->weigh.worker)
		return;
	atomic_store(&s->weigh.worker->stop, true);
	job_cancel(s->weigh.worker->job);
	s->weigh.worker->want.serial = ~s->serial;	/* matches no query */
	take_result(s);
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
	struct weighted_tree *c = ready_calls(s, gran, what);
	if (c)
		return weighted_ref(c);
	if (!s->weigh.nonblocking || (!s->weigh.worker && is_little_work(s)))
		return session_calls(s, gran);
	if (s->weigh.worker) {
		const struct wanted *now = &s->weigh.worker->want;
		if (now->serial != s->serial || now->gran != gran || now->what < what)
			s->weigh.wanted[session_slot(gran)] = want;
		if (now->serial != s->serial)	/* the query is outdated */
			job_cancel(s->weigh.worker->job);
		return NULL;
	}
	return start_weighing(s, want) ? NULL : session_calls(s, gran);
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
	bool much = s->weigh.nonblocking && !is_little_work(s);
	return take_tags(async_start(slot, &tags_kind, c, much ? ASYNC_ALWAYS : 0), serial);
}

struct tags *session_tags_finish(struct async *slot, uint32_t *serial)
{
	return take_tags(async_finish(slot), serial);
}
