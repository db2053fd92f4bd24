/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Calls that are made beside the interface, for a viewer that answers every key.
 *
 * The worker has a session of its own: the snapshot and the sides, which do not change, a copy of the
 * query, its filters compiled anew, and the shapes, which are lent to it and come back. So
 * what weighs (session/weigh.c) does not know where it runs, and nothing is locked. What others hold meanwhile
 * are calls of before; with the worker these share shapes and things, whose holders are counted
 * atomically.
 *
 * One is at work at a time. What belongs to a query that is not the present one any more is dropped when it is
 * ready, but for the shapes, and what is wanted by then is begun. Small things are made at once: a
 * thread costs more than they do, and a screen would be drawn twice.
 */
#include "config.h"
#include "session/internal.h"

#include "base/clock.h"
#include "base/job.h"
#include "calltree/addresses.h"
#include "calltree/flame.h"
#include "calltree/highlights.h"
#include "calltree/weighted.h"
#include "filter/tag_weights.h"

static const struct filters no_filters;

enum { SMALL = 30000 };		/* nodes, samples and states of tracks: some milliseconds */

struct weighing {
	struct session at;
	struct query q;
	struct wanted want;
	struct calls *made;
	struct rest_states rest;	/* where it is compared with it */
	bool rested, first;	/* first: a viewer says what stands out of it */
	bool tree;		/* another tree is made */
	struct job *job;
	_Atomic bool stop;	/* the session is left */
	int64_t us;
};

void session_patient(struct session *s)
{
	s->patient = true;
}

static bool small(const struct session *s)
{
	const struct snap *sn = s->snap;
	uint64_t n = (uint64_t)sn->nstks + sn->nsmps;
	if (job_wanted() > 1)
		return false;
	for (uint32_t i = 0; i < sn->nsheets && n <= SMALL; i++)
		n += store_slot(sn->st, i)->n;
	return n <= SMALL;
}

/* ---- what goes */

/* A tree of millions of nodes is a hundred megabytes, and the system takes tens of milliseconds to take them. */
enum { LARGE = 200000, LARGE_BYTES = 1 << 20 };
struct leaving { struct calls *c; struct flame *f[2]; struct arena mem; };

static int leave(struct job *j, void *arg)
{
	struct leaving *l = arg;
	(void)j;
	flame_free(l->f[0]);
	flame_free(l->f[1]);
	calls_free(l->c);
	arena_free(&l->mem);
	mem_free(l);
	return 0;
}

static void go(struct session *s, struct leaving *l, bool large)
{
	for (int i = 0; i < 4 && large && s && s->patient; i++) {
		struct job **j = &s->leaving[i];
		if (*j && job_done(*j, NULL)) {
			job_join(*j);
			*j = NULL;
		}
		if (!*j && (*j = job_start(leave, l)))
			return;
	}
	leave(NULL, l);
}

void session_let_go(struct session *s, struct calls *c, struct flame *const *f)
{
	struct leaving *l = xcalloc(1, sizeof *l);
	bool large = false;
	for (int i = 0; i < 2 && f; i++) {
		l->f[i] = f[i];
		large |= f[i] && (f[i]->arena.held + f[i]->open->n * sizeof *f[i]->open->at > LARGE_BYTES ||
		    (f[i]->made && f[i]->made->n > LARGE));
	}
	if (c && c->refs > 1) {		/* others hold it: nothing goes */
		calls_free(c);
		c = NULL;
	}
	l->c = c;
	large |= c && c->shape->refs == 1 && c->shape->n > LARGE;
	go(s, l, large);
}

void session_let_go_of(struct session *s, struct arena *a)
{
	struct leaving *l = xcalloc(1, sizeof *l);
	l->mem = *a;
	*a = (struct arena){.spills = a->spills};
	go(s, l, l->mem.held > LARGE_BYTES);
}

/* ---- what comes */

static int weigh(struct job *j, void *arg)
{
	struct weighing *w = arg;
	int64_t began = clock_us();
	w->at.job = j;
	w->at.stop = &w->stop;
	w->made = session_calls(&w->at, w->want.gran);
	if (w->rested)
		session_rest(&w->at, &w->q, &w->rest);
	if (atomic_load(&w->stop))
		return 0;
	job_tell(j, 90, 100);
	if (w->want.what != FOR_THINGS && w->want.gran == GR_LINES)
		calls_funs(w->made);
	if (w->want.gran != GR_LINES)
		calls_orders(w->made);
	if (w->first)
		session_shares(&w->at, w->made);
	w->us = clock_us() - began;
	return 0;
}

/* What session/weigh.c looks at, and no more. */
static void copy(struct session *to, const struct session *s, struct query *q)
{
	*q = s->hist[s->at];
	to->op.reader = s->op.reader;
	to->op.ns = s->op.ns;
	to->snap = s->snap;
	to->o = s->o;
	to->hist = q;
	to->nhist = 1;
	to->focus = focus_new(q->suspended ? &no_filters : &q->f, NULL);
	to->serial = s->serial;
	memcpy(to->side, s->side, sizeof to->side);
	to->nside = s->nside;
	to->sum = s->sum;
	to->crowded = s->crowded;
}

static void lend_shapes(struct session *from, struct session *to)
{
	memcpy(to->shape, from->shape, sizeof to->shape);
	memset(from->shape, 0, sizeof from->shape);
}

static void weighing_free(struct weighing *w)
{
	session_drop_calls(&w->at);
	calls_free(w->made);
	focus_free(w->at.focus);
	arena_free(&w->at.arena[0]);
	arena_free(&w->at.arena[1]);
	mem_free(w);
}

/* false: there is no thread to be had. */
static bool start(struct session *s, struct wanted want)
{
	struct weighing *w = xcalloc(1, sizeof *w);
	copy(&w->at, s, &w->q);
	w->at.walks = want.what == FOR_NODES;
	w->want = want;
	w->rested = session_is_trace(s) && query_has_rest(&w->q) && s->rest_of != s->serial + 1;
	w->first = !s->shared && s->snap->complete && !session_is_trace(s);
	s->shared |= w->first;
	w->tree = session_makes_tree(s, want.gran);
	if (w->tree && session_large_tree(s->snap->nstks))
		session_drop_calls(s);
	lend_shapes(s, &w->at);
	w->job = w->at.focus ? job_start(weigh, w) : NULL;
	if (!w->job) {
		lend_shapes(&w->at, s);
		weighing_free(w);
		return false;
	}
	s->weighing = w;
	return true;
}

const struct shares *session_shares(const struct session *s, struct calls *c)
{
	const char *type = session_type_name(s, session_type(s));
	return calls_shares(c, !strcmp(type, "cpu") ? OF_CPU : !strcmp(type, "goroutine") ? OF_GOROUTINES : OF_MEMORY);
}

struct job *session_weighing(const struct session *s)
{
	return s->weighing ? s->weighing->job : NULL;
}

/* The calls of the present query, as far as they were made. */
static struct calls *at_hand(struct session *s, enum gran gran, enum calls_for what)
{
	struct calls *c = s->cserial == s->serial ? s->calls[session_slot(gran)] : NULL;
	if (!c || c->gran != gran || (what != FOR_THINGS && gran == GR_LINES && !c->funs))
		return NULL;
	return what == FOR_NODES && c->shape->aside && session_large_tree(c->shape->n) ? NULL : c;
}

/* What is wanted of the present query takes more room than there is: it is wanted again, and panes make that. */
static bool crowded(struct session *s, const struct weighing *w)
{
	if (w->at.crowded == s->crowded)
		return false;
	s->crowded = w->at.crowded;
	s->wanted[session_slot(w->want.gran)] = w->want;
	return true;
}

static bool take(struct session *s)
{
	struct weighing *w = s->weighing;
	bool fits = w->want.serial == s->serial && !crowded(s, w);
	s->weighing = NULL;
	job_join(w->job);
	lend_shapes(&w->at, s);
	s->spent += w->us;
	if (fits && w->rested) {
		s->rest = w->rest;
		s->rest_of = s->serial + 1;
	}
	if (fits) {
		struct calls **c = &s->calls[session_slot(w->want.gran)];
		if (s->cserial != s->serial)
			session_drop_calls(s);
		s->cserial = s->serial;
		s->sum = w->at.sum;
		session_let_go(s, *c, NULL);
		*c = w->made;
		w->made = NULL;
	}
	session_drop_calls(&w->at);
	session_let_go(s, w->made, NULL);
	w->made = NULL;
	weighing_free(w);
	return fits;
}

bool session_weighed(struct session *s)
{
	if (!s->weighing || !job_done(s->weighing->job, NULL))
		return false;
	bool fits = take(s), room = s->crowded == s->serial + 1;	/* panes look again where they are to make that */
	for (int i = 0; i < 2 && !s->weighing; i++) {
		struct wanted w = s->wanted[i];
		s->wanted[i].calls = false;
		if (w.calls && w.serial == s->serial && !at_hand(s, w.gran, w.what))
			fits |= start(s, w) && room;
	}
	return fits;
}

bool session_rest_soon(struct session *s, struct rest_states *r)
{
	if (s->rest_of != s->serial + 1 && s->weighing)
		return false;
	if (s->rest_of != s->serial + 1)
		session_rest(s, &s->hist[s->at], &s->rest);
	s->rest_of = s->serial + 1;
	*r = s->rest;
	return true;
}

void session_weigh_end(struct session *s)
{
	if (s->weighing)
		take(s);
}

void session_weigh_stop(struct session *s)
{
	if (!s->weighing)
		return;
	atomic_store(&s->weighing->stop, true);
	job_cancel(s->weighing->job);
	s->weighing->want.serial = ~s->serial;	/* of nothing that anybody wants */
	take(s);
}

struct calls *session_calls_ready(struct session *s)
{
	for (int i = 0; i < 2 && s->cserial == s->serial; i++)
		if (s->calls[i])
			return calls_ref(s->calls[i]);
	return NULL;
}

bool session_will_make_tree(struct session *s, enum gran gran)
{
	s->roomy = !s->patient && !at_hand(s, gran, FOR_THINGS) && session_large_tree(s->snap->nstks) &&
	    session_makes_tree(s, gran);
	if (s->roomy)
		session_drop_calls(s);
	return s->roomy;
}

bool session_wants_room(const struct session *s, const struct calls *c)
{
	bool made = s->weighing ? s->weighing->tree : s->roomy;
	return made && !c->none && session_large_tree(s->snap->nstks) && session_large_tree(c->shape->n);
}

bool session_wants_rest(const struct session *s, const struct calls *c)
{
	bool now = s->cserial == s->serial && (c == s->calls[0] || c == s->calls[1]);
	return session_wants_room(s, c) || (s->weighing && !now && !c->none && session_large_tree(c->shape->n));
}

struct calls *session_calls_soon(struct session *s, enum gran gran, enum calls_for what)
{
	struct wanted want = {true, what, gran, s->serial};
	struct calls *c = at_hand(s, gran, what);
	if (c)
		return calls_ref(c);
	if (!s->patient || (!s->weighing && small(s))) {
		s->roomy = false;
		s->walks = what == FOR_NODES;
		return session_calls(s, gran);
	}
	if (s->weighing) {
		const struct wanted *now = &s->weighing->want;
		if (now->serial != s->serial || now->gran != gran || now->what < what)
			s->wanted[session_slot(gran)] = want;
		if (now->serial != s->serial)	/* nobody wants it any more */
			job_cancel(s->weighing->job);
		return NULL;
	}
	return start(s, want) ? NULL : session_calls(s, gran);
}

/* ---- what is counted without calls */

struct counting {
	const struct snap *sn;
	struct query q;
	struct focus *focus;
	size_t type;
	struct sides sides;
	bool sided, preorder, of_tags;
	uint32_t serial;
	struct tags *tags;
	struct addr_sums *addrs;
	struct job *job;
};

static int count(struct job *j, void *arg)
{
	struct counting *c = arg;
	const struct sides *d = c->sided ? &c->sides : NULL;
	(void)j;
	if (c->of_tags)
		c->tags = tags_new(c->sn, c->focus, c->type, c->q.noinlines, d);
	else
		c->addrs = focus_addresses(c->sn, c->focus, c->type, c->q.noinlines, d, c->preorder);
	return 0;
}

static struct counting *count_soon(struct session *s, bool of_tags, bool preorder)
{
	struct counting *c = xcalloc(1, sizeof *c);
	*c = (struct counting){.sn = s->snap, .q = s->hist[s->at], .type = session_type(s), .sided = s->nside > 1,
	    .sides = session_sides(s), .serial = s->serial, .of_tags = of_tags, .preorder = preorder};
	c->focus = focus_new(c->q.suspended ? &no_filters : &c->q.f, NULL);
	c->job = c->focus ? job_start(count, c) : NULL;
	if (c->job)
		return c;
	focus_free(c->focus);
	mem_free(c);
	return NULL;
}

struct counting *session_tagging(struct session *s)
{
	return s->patient && !small(s) ? count_soon(s, true, false) : NULL;
}

/* Where the store's nodes are in preorder a shape of them says so; one with tags is. */
struct addr_sums *session_addresses(struct session *s, struct counting **soon)
{
	const struct shape *of = s->shape[session_slot(GR_LINES)].shape;
	bool preorder = of && of->preorder;
	if (session_is_trace(s) || !session_large_tree(s->snap->nstks) || !s->snap->nsmps ||
	    (!preorder && !focus_has_tags(s->snap, s->focus)))
		return NULL;
	if (s->patient && (*soon = count_soon(s, false, preorder)))
		return NULL;
	struct sides d = session_sides(s);
	return focus_addresses(s->snap, s->focus, session_type(s), s->hist[s->at].noinlines, s->nside > 1 ? &d : NULL,
	    preorder);
}

struct job *counting_job(const struct counting *c)
{
	return c ? c->job : NULL;
}

static void counted(struct counting *c, uint32_t *serial)
{
	job_join(c->job);
	*serial = c->serial;
	focus_free(c->focus);
}

struct tags *counting_tags(struct counting *c, uint32_t *serial)
{
	counted(c, serial);
	struct tags *made = c->tags;
	mem_free(c);
	return made;
}

struct addr_sums *counting_addresses(struct counting *c, uint32_t *serial)
{
	counted(c, serial);
	struct addr_sums *made = c->addrs;
	mem_free(c);
	return made;
}
