/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of locks. What one lock is, and what held it, is inferred (findings/measures/lock_sets.h). The queue of a lock, the
 * most goroutines in it and its longest convoy are exact: they follow from the waits in the order of time. What holders
 * did is estimated from samples of the waits, as for the findings.
 */
#include "config.h"
#include "boards/internal.h"
#include "findings/measures/lock_sets.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "trace/bins.h"

/* The queue of one lock. A convoy is a time in which it is never empty. */
struct lock_waits {
	uint32_t site;			/* the one with most waiting */
	uint64_t n;
	int64_t ns, longest, t0, t1;	/* t0..t1: the longest wait, of g */
	int64_t open_ns;		/* of waits that last until the end of the trace */
	trk_id g;
	struct board_group group;	/* of those that wait */
	uint32_t now, most, open;
	int64_t last, since;		/* time of the last change; start of the current convoy */
	uint64_t ended;			/* in the current convoy */
	int64_t convoy;
	uint64_t convoyed;
	struct board_curve curve;
	struct time_parts held;
};

struct locks {
	struct board_maker *k;
	struct board_waits *at;		/* by site */
	struct lock_sets sets;
	uint32_t *of;			/* by set: index + 1 */
	struct lock_waits *v;
	uint32_t n;
	size_t cap;
};

static struct lock_waits *waits_of(struct locks *l, uint32_t site)
{
	uint32_t set = lock_sets_of(&l->sets, site);
	if (!l->of[set]) {
		l->v = mem_grow(l->v, &l->cap, l->n + 1u, sizeof *l->v);
		l->v[l->n++] = (struct lock_waits){.site = site, .curve = board_curve_new(l->k)};
		l->of[set] = l->n;
	}
	return &l->v[l->of[set] - 1];
}

static void end_wait(struct lock_waits *q, const struct wait_event *e, str_id group)
{
	board_group_add(&q->group, group);
	q->n++;
	wrap_add_to(&q->ns, e->ns);
	q->open += e->open;
	wrap_add_to(&q->open_ns, e->open ? e->ns : 0);
	q->ended++;
	if (e->t1 - e->t0 > q->longest) {
		q->longest = e->t1 - e->t0;
		q->t0 = e->t0;
		q->t1 = e->t1;
		q->g = e->g;
	}
	if (--q->now)
		return;
	if (e->t - q->since > q->convoy) {
		q->convoy = e->t - q->since;
		q->convoyed = q->ended;
	}
}

static void visit(void *arg, const struct wait_event *e)
{
	struct locks *l = arg;
	uint32_t site = site_table_of(&l->sets.s->sites, e->state, e->stack);
	if (!lock_sets_waits(&l->sets, site))
		return;
	struct lock_waits *q = waits_of(l, site);
	board_curve_add(&q->curve, q->last, e->t, q->now);
	q->last = e->t;
	if (e->ends) {
		board_waits_add(&l->at[site], e);
		end_wait(q, e, store_trk_name(l->k->m->sn->st, e->g));
		return;
	}
	if (!q->now++) {
		q->since = e->t;
		q->ended = 0;
	}
	q->most = q->now > q->most ? q->now : q->most;
}

/* Add the samples of the waits at a site to its lock. */
static void add_samples(struct locks *l, uint32_t site)
{
	const struct scan_site *x = lock_sets_waits(&l->sets, site);
	struct lock_waits *q = waits_of(l, site);
	if (x->ns > l->sets.s->site[q->site].ns)
		q->site = site;
	for (uint32_t i = 0; i < x->nsample && job_should_continue(l->k->on); i++) {
		const struct scan_wait *w = &x->sample[i];
		lock_sets_add_holders(&l->sets, w, &q->held, &(struct lock_holders_query){
		    .scale = (double)x->step / (double)(w->t1 - w->t0), .walker = l->k->m->walker});
	}
}

/* Its times are scaled from samples: its range is the interval that is there. */
static struct board_part holding(const struct locks *l, const struct time_part *x)
{
	struct trace_interval v;
	bool there = trace_interval_at(l->k->m->sn, x->g, x->t0, &v);
	return (struct board_part){.list = "holders", .approximate = true, .word = time_class_name(x->cls),
	    .ns = x->ns, .stack = x->stack, .g = x->g, .t0 = x->t0, .t1 = there ? v.t1 : x->t0 + 1};
}

/* The parts of a row: what holders did, then the sites at which goroutines wait. */
static void put_parts(struct locks *l, struct board_row *r, const struct lock_waits *q)
{
	enum { SITES = 8 };
	struct board_part v[2 * BOARD_MERGED];
	uint32_t n = 0;
	for (uint32_t i = 0; i < q->held.n; i++) {
		struct board_part x = holding(l, &q->held.v[i]);
		board_merge_part(l->k, v, &n, &x);
	}
	n = board_sort_parts(v, n);
	uint32_t i = lock_sets_first(&l->sets, lock_sets_of(&l->sets, q->site)), sites = 0;
	for (; i != UINT32_MAX && sites < BOARD_MERGED; i = lock_sets_next(&l->sets, i)) {
		const struct board_waits *x = &l->at[i];
		if (!x->n)
			continue;
		v[n + sites++] = (struct board_part){.list = "waits", .word = "", .ns = x->ns, .count = x->n,
		    .stack = l->sets.s->sites.v[i].stack, .g = x->g, .t0 = x->t0, .t1 = x->t1};
	}
	sites = board_sort_parts(v + n, sites);
	board_put_parts(l->k, r, v, n + (sites < SITES ? sites : SITES));
}

static void put_holders(struct locks *l, struct board_row *r, struct lock_waits *q)
{
	struct time_parts_main h;
	/* A trace does not show what holds a lock that is not released: the samples are of other waits. */
	bool released = q->open_ns <= wrap_sub(q->ns, q->open_ns);
	if (!q->held.total || !released || !lock_sets_main_holder(l->k->m->sn->st, &q->held, &h)) {
		board_put_reason(r, BOARD_LOCKS_HELD_AT, released ? "(not known)" : "(not released)");
		return;
	}
	board_put_word(r, BOARD_LOCKS_HOLDER, time_class_name(h.cls));
	board_put_float(r, BOARD_LOCKS_SHARE, (double)h.ns / (double)q->held.total);
	board_put_place(r, BOARD_LOCKS_HELD_AT, h.at);
}

static void put_lock(struct locks *l, struct lock_waits *q)
{
	const struct board_measures *m = l->k->m;
	struct board_row *r = board_add_row(l->k);
	r->trk = q->g;
	r->t0 = q->t0;
	r->t1 = q->t1;
	r->stack = m->scan.sites.v[q->site].stack;
	r->group = board_group_name(&q->group);
	r->curve = q->curve.slot;
	board_put_int(r, BOARD_LOCKS_TOTAL, q->ns);
	board_put_int(r, BOARD_LOCKS_COUNT, (int64_t)q->n);
	board_put_int(r, BOARD_LOCKS_MAX, q->longest);
	board_put_float(r, BOARD_LOCKS_WAITERS, (double)q->ns / (double)m->wall);
	board_put_int(r, BOARD_LOCKS_MOST, q->most);
	board_put_int(r, BOARD_LOCKS_OPEN, q->open);
	board_put_int(r, BOARD_LOCKS_CONVOY, q->convoy);
	board_put_int(r, BOARD_LOCKS_CONVOYED, (int64_t)q->convoyed);
	board_put_place(r, BOARD_LOCKS_WAITS_AT, r->stack);
	time_parts_sort(&q->held);	/* of many lines, those with most time are merged */
	put_holders(l, r, q);
	put_parts(l, r, q);
}

void board_locks(struct board_maker *k)
{
	struct scan *s = &k->m->scan;
	struct locks l = {.k = k};
	lock_sets_make(&l.sets, s);
	l.of = xcalloc(l.sets.nsite + 1u, sizeof *l.of);
	l.at = xcalloc(l.sets.nsite + 1u, sizeof *l.at);
	if (wait_sweep(k->m, UINT64_C(1) << TS_SYNC, visit, &l, k->on)) {
		for (uint32_t i = 0; i < l.sets.nsite; i++)
			if (lock_sets_waits(&l.sets, i) && (s->site[i].n || s->site[i].nopen) && l.of[lock_sets_of(&l.sets, i)])
				add_samples(&l, i);
		for (uint32_t i = 0; i < l.n; i++)
			put_lock(&l, &l.v[i]);
	}
	for (uint32_t i = 0; i < l.n; i++)
		time_parts_free(&l.v[i].held);
	mem_free(l.v);
	mem_free(l.of);
	mem_free(l.at);
	lock_sets_free(&l.sets);
}
