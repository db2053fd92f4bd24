/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Calls that are computed in the background, for a viewer that answers every key.
 *
 * The worker has a session of its own: the snapshot and the sides, which do not change, a copy of the query,
 * its filters compiled anew, and the merged trees, which are lent to it and returned. So session/weigh.c does
 * not depend on where it runs, and nothing is locked. Panes meanwhile hold earlier calls, which share merged
 * trees and granularities with the worker; their references are counted atomically.
 *
 * One job runs at a time. The result of an outdated query is dropped, except for the merged trees, and the
 * calls that are wanted by then are started. Small work is done at once: a thread costs more than it, and the
 * screen would be drawn twice.
 */
#include "config.h"
#include "session/internal.h"

#include "base/async.h"
#include "base/clock.h"
#include "base/job.h"
#include "calltree/addresses.h"
#include "calltree/flame.h"
#include "calltree/highlights.h"
#include "calltree/weighted.h"
#include "filter/tag_weights.h"


enum { SMALL = 30000 };		/* nodes, samples and states of tracks: some milliseconds of work */

struct weighing {
	struct session session;
	struct query q;
	struct wanted want;
	struct weighted_tree *made;
	struct rest_states rest;	/* of a comparison with the rest */
	/* rested: rest is computed; first: highlights are computed for the first complete result */
	bool rested, first;
	bool tree;		/* another merged tree is built */
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
	*a = (struct arena){.spills = a->spills};
	start_release(s, l, l->mem.held > LARGE_BYTES);
}

/* ---- computing */

static int run_weigh_job(struct job *j, void *arg)
{
	struct weighing *w = arg;
	int64_t began = clock_us();
	w->session.weigh.job = j;
	w->session.weigh.stop = &w->stop;
	w->made = session_calls(&w->session, w->want.gran);
	if (w->rested)
		session_rest_times(&w->session, &w->q, &w->rest);
	if (atomic_load(&w->stop))
		return 0;
	job_report_progress(j, 90, 100);
	if (w->want.what != FOR_SYMBOLS && w->want.gran == GR_LINES)
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
	to->weigh.needs_room = s->weigh.needs_room;
}

static void lend_calltrees(struct session *from, struct session *to)
{
	memcpy(to->weigh.calltree, from->weigh.calltree, sizeof to->weigh.calltree);
	memset(from->weigh.calltree, 0, sizeof from->weigh.calltree);
}

static void weighing_free(struct weighing *w)
{
	session_drop_calls(&w->session);
	weighted_free(w->made);
	filter_free(w->session.weigh.filters);
	arena_free(&w->session.weigh.arena[0]);
	arena_free(&w->session.weigh.arena[1]);
	mem_free(w);
}

/* Return false if no thread can be started. */
static bool start_weighing(struct session *s, struct wanted want)
{
	struct weighing *w = xcalloc(1, sizeof *w);
	copy_session(&w->session, s, &w->q);
	w->session.weigh.walks = want.what == FOR_NODES;
	w->want = want;
	w->rested = session_is_trace(s) && query_has_rest(&w->q) && s->weigh.rest_serial != s->serial + 1;
	w->first = !s->weigh.shared && s->snap->complete && !session_is_trace(s);
	s->weigh.shared |= w->first;
	w->tree = session_makes_tree(s, want.gran);
	if (w->tree && session_large_tree(s->snap->nstks))
		session_drop_calls(s);
	lend_calltrees(s, &w->session);
	w->job = w->session.weigh.filters ? job_start(run_weigh_job, w) : NULL;
	if (!w->job) {
		lend_calltrees(&w->session, s);
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
	if (!c || c->gran != gran || (what != FOR_SYMBOLS && gran == GR_LINES && !c->funs))
		return NULL;
	return what == FOR_NODES && c->calltree->aside && session_large_tree(c->calltree->n) ? NULL : c;
}

/* If the query needs more memory than there is, request it again, so that panes release their trees first. */
static bool crowded(struct session *s, const struct weighing *w)
{
	if (w->session.weigh.needs_room == s->weigh.needs_room)
		return false;
	s->weigh.needs_room = w->session.weigh.needs_room;
	s->weigh.wanted[session_slot(w->want.gran)] = w->want;
	return true;
}

static bool take_result(struct session *s)
{
	struct weighing *w = s->weigh.worker;
	bool fits = w->want.serial == s->serial && !crowded(s, w);
	s->weigh.worker = NULL;
	job_join(w->job);
	lend_calltrees(&w->session, s);
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
	bool fits = take_result(s),
	     room = s->weigh.needs_room == s->serial + 1; /* panes must look again to release theirs */
	for (int i = 0; i < 2 && !s->weigh.worker; i++) {
		struct wanted w = s->weigh.wanted[i];
		s->weigh.wanted[i].weighted_tree = false;
		if (w.weighted_tree && w.serial == s->serial && !ready_calls(s, w.gran, w.what))
			fits |= start_weighing(s, w) && room;
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
	for (int i = 0; i < 2 && s->weigh.tree_serial == s->serial; i++)
		if (s->weigh.tree[i])
			return weighted_ref(s->weigh.tree[i]);
	return NULL;
}

bool session_will_make_tree(struct session *s, enum gran gran)
{
	s->weigh.will_make_tree = !s->weigh.nonblocking && !ready_calls(s, gran, FOR_SYMBOLS) &&
				  session_large_tree(s->snap->nstks) && session_makes_tree(s, gran);
	if (s->weigh.will_make_tree)
		session_drop_calls(s);
	return s->weigh.will_make_tree;
}

bool session_needs_room(const struct session *s, const struct weighted_tree *c)
{
	bool made = s->weigh.worker ? s->weigh.worker->tree : s->weigh.will_make_tree;
	return made && !c->none && session_large_tree(s->snap->nstks) && session_large_tree(c->calltree->n);
}

bool session_should_release(const struct session *s, const struct weighted_tree *c)
{
	bool now = s->weigh.tree_serial == s->serial && (c == s->weigh.tree[0] || c == s->weigh.tree[1]);
	return session_needs_room(s, c) || (s->weigh.worker && !now && !c->none && session_large_tree(c->calltree->n));
}

struct weighted_tree *session_calls_async(struct session *s, enum gran gran, enum calls_for what)
{
	struct wanted want = {true, what, gran, s->serial};
	struct weighted_tree *c = ready_calls(s, gran, what);
	if (c)
		return weighted_ref(c);
	if (!s->weigh.nonblocking || (!s->weigh.worker && is_little_work(s))) {
		s->weigh.will_make_tree = false;
		s->weigh.walks = what == FOR_NODES;
		return session_calls(s, gran);
	}
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

/* ---- totals without calls */

struct totals_work {
	const struct snap *sn;
	struct query q;
	struct compiled_filters *focus;
	size_t type;
	struct sides sides;
	bool sided, preorder, of_tags;
	uint32_t serial;
	struct tags *tags;
	struct addr_sums *addrs;
};

static void run_totals(void *work, struct job *j)
{
	struct totals_work *c = work;
	const struct sides *d = c->sided ? &c->sides : NULL;
	(void)j;
	if (c->of_tags)
		c->tags = tag_weights_new(c->sn, c->focus, c->type, c->q.noinlines, d);
	else
		c->addrs = filter_weigh_addresses(c->sn, c->focus, c->type, c->q.noinlines, d, c->preorder);
}

static void free_totals(void *work)
{
	struct totals_work *c = work;
	tag_weights_free(c->tags);
	mem_free(c->addrs);
	filter_free(c->focus);
	mem_free(c);
}

static const struct async_kind totals_kind = {run_totals, free_totals};

/* Count by a worker if there is much. Return the work if it is done already. */
static struct totals_work *start_totals(struct session *s, struct async *slot, bool of_tags, bool preorder)
{
	struct totals_work *c = xcalloc(1, sizeof *c);
	*c = (struct totals_work){.sn = s->snap,
	    .q = s->queries.query[s->queries.at],
	    .type = session_type(s),
	    .sided = s->compare.nside > 1,
	    .sides = session_sides(s),
	    .serial = s->serial,
	    .of_tags = of_tags,
	    .preorder = preorder};
	c->focus = filter_ref(s->weigh.filters);
	return async_start(slot, &totals_kind, c, s->weigh.nonblocking && !is_little_work(s) ? ASYNC_ALWAYS : 0);
}

static struct tags *take_tags(struct totals_work *c, uint32_t *serial)
{
	struct tags *made = c ? c->tags : NULL;
	if (!c)
		return NULL;
	*serial = c->serial;
	c->tags = NULL;
	free_totals(c);
	return made;
}

static struct addr_sums *take_addresses(struct totals_work *c, uint32_t *serial)
{
	struct addr_sums *made = c ? c->addrs : NULL;
	if (!c)
		return NULL;
	*serial = c->serial;
	c->addrs = NULL;
	free_totals(c);
	return made;
}

struct tags *session_tags_async(struct session *s, struct async *slot, uint32_t *serial)
{
	return take_tags(start_totals(s, slot, true, false), serial);
}

struct tags *session_tags_finish(struct async *slot, uint32_t *serial)
{
	return take_tags(async_finish(slot), serial);
}

/* The plain merged tree records whether the store's nodes are in preorder. The result with tags as frames is in
   preorder. */
struct addr_sums *session_addresses_async(struct session *s, struct async *slot, uint32_t *serial)
{
	const struct calltree *of = s->weigh.calltree[session_slot(GR_LINES)].calltree;
	bool preorder = of && of->preorder;
	if (session_is_trace(s) || !session_large_tree(s->snap->nstks) || !s->snap->nsmps ||
	    (!preorder && !filter_has_tag_frames(s->snap, s->weigh.filters)))
		return NULL;
	return take_addresses(start_totals(s, slot, false, preorder), serial);
}

struct addr_sums *session_addresses_finish(struct async *slot, uint32_t *serial)
{
	return take_addresses(async_finish(slot), serial);
}
