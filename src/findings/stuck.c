/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What never ends. A trace cannot prove that a wait never ends, so a wait must be open at the end, long, and much longer
 * than all that ended at its line. That is enough for waits for a lock or for a receiver: healthy programs do not have
 * them. A goroutine that receives, or waits for a condition or a wait group, may be idle. Such waits count
 * - with a sure one, if they began at the same time and one goroutine made the other, or both have the same creator;
 * - without a sure one, if the program is at rest: none of its goroutines runs, sleeps, is in a system call or waits for
 *   the network, so nothing is left that could end the wait; and the goroutine that created it waits as well. Of these
 *   the created one is to blame: a test that waits for its goroutines blocks first.
 * One deadlock is one cluster, a union over lines: sure waits that began within TOGETHER_NS, and waits for one lock,
 * for which methods of one type, or the same function, count, since these mostly lock the mutex of their receiver.
 */
#include "config.h"
#include "findings/stuck.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "findings/internal.h"
#include "trace/bins.h"
#include "trace/user_code.h"
#include "trace/wait_before.h"

#include <stdlib.h>
#include <string.h>

enum { TOGETHER_NS = 5000000, STOPPING_NS = 50000000, FRAMES = 64 };	/* STOPPING_NS: to stop the recording takes less */
#define NO_SITE UINT32_MAX

struct stuck_search {
	struct findings_run *r;
	const struct stuck_limits *limit;
	const struct lock_sets *locks;
	struct stuck *to;
	uint32_t *parent;		/* by site: see root_of() */
	int64_t *ended;			/* by lock set: the longest wait that ended */
	struct u64_hash of_type;	/* by type or function: a site at which it waits for a lock, + 1 */
	struct radix_item *began;	/* sure waits in the trace, by time; v: index in scan.open */
	uint32_t nbegan;
	uint32_t *open_of;		/* by track: index in scan.open + 1 */
	uint32_t *cluster;		/* by root site: index + 1 */
	struct u64_hash of_site;	/* by cluster, site and state: index in its v, + 1 */
};

static uint32_t root_of(struct stuck_search *s, uint32_t site)
{
	while (s->parent[site] != site) {
		s->parent[site] = s->parent[s->parent[site]];
		site = s->parent[site];
	}
	return site;
}

/* The smaller site is the root, so the result does not depend on the order. */
static void join(struct stuck_search *s, uint32_t a, uint32_t b)
{
	a = root_of(s, a);
	b = root_of(s, b);
	s->parent[a > b ? a : b] = a > b ? b : a;
}

/* Return a number for the type of which a function is a method, "main.(*cache)", or for the function if it is none. 0:
   it is no user code. */
static uint64_t type_of(const struct store *st, stk_id stack)
{
	const struct str_row *f = names_function(st, stack);
	const char *paren = f->n ? memchr(f->s, ')', f->n) : NULL;
	uint64_t h = 14695981039346656037u;
	if (!user_code_is_user_function(f->s, f->n))
		return 0;
	size_t n = paren && memchr(f->s, '(', (size_t)(paren - f->s)) ? (size_t)(paren - f->s) : f->n;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)f->s[i]) * 1099511628211u;
	return h ? h : 1;
}

static enum time_class class_of(const struct stuck_search *s, const struct scan_open *o)
{
	return s->r->scan.sites.v[o->site].cls;
}

/* Does the wait end only when a lock is released or a value is received? Goroutines that use one connection or file wait
   for their turn in internal/poll, which is no fault: several may accept connections. */
static bool is_sure(const struct stuck_search *s, const struct scan_open *o)
{
	if (!o->stack)
		return false;
	if (o->state == TS_CHANSEND)
		return true;
	return class_of(s, o) == TIME_LOCK && !names_begins(names_function(s->r->st, o->stack), "internal/poll.");
}

static bool is_handed_over(const struct stuck_search *s, const struct scan_open *o)
{
	return scan_is_handed_over(class_of(s, o)) && !s->r->scan.sites.v[o->site].idle && o->stack;
}

static int64_t length_of(const struct stuck_search *s, const struct scan_open *o)
{
	return s->r->sn->t1 - o->t0;
}

static int64_t ended_at(const struct stuck_search *s, uint32_t site)
{
	return lock_sets_waits(s->locks, site) ? s->ended[lock_sets_of(s->locks, site)] : s->r->scan.site[site].longest;
}

/* Return how much longer the wait is than the limits. */
static double fit_of(const struct stuck_search *s, const struct scan_open *o)
{
	int64_t ended = ended_at(s, o->site);
	double open = finding_fit((double)length_of(s, o), s->limit->open),
	       ratio = ended ? finding_fit((double)length_of(s, o) / (double)ended, s->limit->ratio) : open;
	return open < ratio ? open : ratio;
}

static bool began_in_range(const struct stuck_search *s, const struct scan_open *o)
{
	return o->t0 < s->r->scan.t1;
}

static void measure_ended(struct stuck_search *s)
{
	const struct scan *sc = &s->r->scan;
	s->ended = xcalloc(sc->sites.n + 1u, sizeof *s->ended);
	for (uint32_t i = 0; i < sc->sites.n && i < sc->csite; i++) {
		const struct scan_site *x = lock_sets_waits(s->locks, i);
		uint32_t set = lock_sets_of(s->locks, i);
		if (x && x->longest > s->ended[set])
			s->ended[set] = x->longest;
	}
}

/* ---- sure waits */

static void note_lock(struct stuck_search *s, const struct scan_open *o)
{
	bool fresh;
	uint64_t type = type_of(s->r->st, user_code_site(s->r->st, o->stack));
	join(s, o->site, lock_sets_of(s->locks, o->site));
	if (!type)
		return;
	struct u64_slot *slot = u64_map_put(&s->of_type, type, &fresh);
	if (fresh)
		slot->n = o->site + 1;
	else
		join(s, o->site, (uint32_t)slot->n - 1);
}

/* Find the sure waits, and join those for one lock. */
static void find_sure(struct stuck_search *s)
{
	const struct scan *sc = &s->r->scan;
	s->began = xmalloc((sc->nopen + 1u) * sizeof *s->began);
	for (uint32_t i = 0; i < sc->nopen; i++) {
		const struct scan_open *o = &sc->open[i];
		s->open_of[o->g] = i + 1;
		if (!is_sure(s, o) || !began_in_range(s, o) || fit_of(s, o) < 0.5)
			continue;
		if (class_of(s, o) == TIME_LOCK)
			note_lock(s, o);
		if (!o->before)
			s->began[s->nbegan++] = (struct radix_item){(uint64_t)(o->t0 - s->r->sn->t0), i};
	}
	if (s->nbegan)
		radix_sort_items(s->began, s->nbegan);
}

static void join_by_time(struct stuck_search *s)
{
	for (uint32_t i = 1; i < s->nbegan; i++)
		if (s->began[i].key - s->began[i - 1].key <= TOGETHER_NS)
			join(s, s->r->scan.open[s->began[i].v].site, s->r->scan.open[s->began[i - 1].v].site);
}

/* ---- clusters */

static struct stuck_cluster *cluster_of(struct stuck_search *s, uint32_t site)
{
	uint32_t root = root_of(s, site);
	if (!s->cluster[root]) {
		s->to->v = mem_grow(s->to->v, &s->to->cap, s->to->n + 1u, sizeof *s->to->v);
		s->to->v[s->to->n++] = (struct stuck_cluster){.t0 = INT64_MAX};
		s->cluster[root] = s->to->n;
	}
	return &s->to->v[s->cluster[root] - 1];
}

/* Return the element for the waits of a cluster at one line in one state. */
static struct stuck_site *site_in(struct stuck_search *s, struct stuck_cluster *c, uint32_t i)
{
	bool fresh;
	const struct scan_open *o = &s->r->scan.open[i];
	uint64_t key = ((uint64_t)(c - s->to->v) << 40) ^ ((uint64_t)o->site << 8) ^ (uint64_t)o->state;
	struct u64_slot *slot = u64_map_put(&s->of_site, key, &fresh);
	if (fresh) {
		c->v = mem_grow(c->v, &c->cap, c->n + 1u, sizeof *c->v);
		c->v[c->n] = (struct stuck_site){.site = o->site, .state = o->state, .first = i, .t0 = o->t0,
		    .rank = STUCK_VICTIM};
		slot->n = c->n++;
	}
	return &c->v[slot->n];
}

static void add_wait(struct stuck_search *s, struct stuck_cluster *c, uint32_t i, enum stuck_rank rank)
{
	const struct scan_open *o = &s->r->scan.open[i];
	struct stuck_site *x = site_in(s, c, i);
	x->n++;
	x->nbefore += o->before;
	x->rank = rank < x->rank ? (uint8_t)rank : x->rank;
	if (o->t0 < x->t0) {
		x->t0 = o->t0;
		x->first = i;
	}
	c->waits++;
	c->before += o->before;
	c->t0 = o->t0 < c->t0 ? o->t0 : c->t0;
	c->locks |= class_of(s, o) == TIME_LOCK;
	if (rank != STUCK_SURE)
		return;
	double fit = fit_of(s, o);
	c->fit = fit > c->fit ? fit : c->fit;
	c->open = length_of(s, o) > c->open ? length_of(s, o) : c->open;
	c->ended = ended_at(s, o->site) > c->ended ? ended_at(s, o->site) : c->ended;
}

static void add_sure(struct stuck_search *s)
{
	const struct scan *sc = &s->r->scan;
	for (uint32_t i = 0; i < sc->nopen; i++) {
		const struct scan_open *o = &sc->open[i];
		if (is_sure(s, o) && began_in_range(s, o) && fit_of(s, o) >= 0.5)
			add_wait(s, cluster_of(s, o->site), i, STUCK_SURE);
	}
}

static bool are_related(const struct findings_run *r, trk_id a, trk_id b)
{
	trk_id of_a = store_trk(r->st, a)->creator, of_b = store_trk(r->st, b)->creator;
	return of_a == b || of_b == a || (of_a && of_a == of_b);
}

/* Return the sure wait with which another one began, of a related goroutine; NO_SITE: none. */
static uint32_t sure_beside(const struct stuck_search *s, const struct scan_open *o)
{
	enum { LOOKS = 64 };
	uint64_t t = (uint64_t)(o->t0 - s->r->sn->t0), from = t > TOGETHER_NS ? t - TOGETHER_NS : 0;
	uint32_t lo = 0, hi = s->nbegan;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->began[mid].key < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (uint32_t k = 0; k < LOOKS && lo < s->nbegan && s->began[lo].key <= t + TOGETHER_NS; k++, lo++)
		if (are_related(s->r, o->g, s->r->scan.open[s->began[lo].v].g))
			return s->r->scan.open[s->began[lo].v].site;
	return NO_SITE;
}

/* Return a site at which goroutines wait for a lock that the waiter may hold: its stack has a method of the type in which
   they wait. */
static uint32_t held_by(struct stuck_search *s, const struct scan_open *o)
{
	stk_id at = user_code_first_frame(s->r->st, o->stack);
	for (int i = 0; at && i < FRAMES; i++, at = stk_parent(s->r->st, at)) {
		uint64_t type = s->of_type.n ? type_of(s->r->st, at) : 0;
		const struct u64_slot *slot = type ? u64_map_get(&s->of_type, type) : NULL;
		if (slot)
			return (uint32_t)slot->n - 1;
	}
	return NO_SITE;
}

/* Add the waits that belong to a sure one: of what seems to hold a lock, and of what began with it. */
static void add_companions(struct stuck_search *s)
{
	const struct scan *sc = &s->r->scan;
	for (uint32_t i = 0; i < sc->nopen; i++) {
		const struct scan_open *o = &sc->open[i];
		bool network = class_of(s, o) == TIME_NETWORK && !s->r->scan.sites.v[o->site].idle;
		if (is_sure(s, o) || (!network && !is_handed_over(s, o)) || !began_in_range(s, o) || fit_of(s, o) < 0.5)
			continue;
		uint32_t lock = held_by(s, o), beside = o->before || network ? NO_SITE : sure_beside(s, o);
		struct stuck_cluster *c = lock != NO_SITE ? cluster_of(s, lock) : NULL;
		/* What waits longer than all others of the cluster may hold the lock. Of those since before the trace the order
		   is not known, and many wait for a condition or a wait group. */
		bool holds = o->before ? c && c->before && class_of(s, o) != TIME_COND && class_of(s, o) != TIME_WAITGROUP
				       : c && o->t0 <= c->t0 + TOGETHER_NS;
		if (holds)
			add_wait(s, c, i, o->before || network || o->t0 > c->t0 ? STUCK_PERHAPS : STUCK_HOLDER);
		else if (beside != NO_SITE)
			add_wait(s, cluster_of(s, beside), i, STUCK_VICTIM);
	}
}

/* ---- a program at rest */

/* Return when the goroutine that runs at the end last woke another one of the program before that, INT64_MAX: it has run
   for long. It is the one that stops the recording, and may have polled for the end of the others. */
static int64_t active_before_end(const struct findings_run *r, const struct scan_busy *b)
{
	struct trace_interval v;
	struct wake_edges_walk walk = {0};
	struct edge e;
	int64_t last = r->sn->t0, end = r->sn->t1 - STOPPING_NS;
	bool there = trace_interval_at(r->sn, b->g, r->sn->t1 - 1, &v);
	while (there && v.state < TS_CHANSEND && v.t0 >= end)
		there = trace_interval_step(r->sn, &v, -1);
	if (there && v.state < TS_CHANSEND)
		return INT64_MAX;
	while (wake_edges_next(r->sn, &walk, b->g, r->sn->t0, end, &e))
		last = r->groups.of[e.to] && e.t > last ? e.t : last;
	return last;
}

/* The runtime's own goroutine that delivers signals is in a call all the time. */
static bool is_signal_loop(const struct findings_run *r, const struct scan_busy *b)
{
	return names_is(names_function(r->st, b->stack), "os/signal.signal_recv");
}

/* Return since when nothing of the program runs or can run by itself; INT64_MAX: something can. */
static int64_t at_rest_since(const struct stuck_search *s)
{
	const struct findings_run *r = s->r;
	const struct scan *sc = &r->scan;
	int64_t since = r->sn->t0;
	uint32_t running = 0;
	for (uint32_t i = 0; i < sc->nbusy; i++) {
		if (is_signal_loop(r, &sc->busy[i]))
			continue;
		int64_t t = sc->busy[i].in_call || running++ ? INT64_MAX : active_before_end(r, &sc->busy[i]);
		if (t == INT64_MAX)
			return t;
		since = t > since ? t : since;
	}
	for (uint32_t i = 0; i < sc->nopen; i++) {
		if (!scan_is_handed_over(class_of(s, &sc->open[i])) && sc->open[i].state != TS_FOREVER)
			return INT64_MAX;
		since = sc->open[i].t0 > since ? sc->open[i].t0 : since;
	}
	for (trk_id g = 1; g < r->sn->ntrks; g++) {
		int64_t end = r->groups.of[g] && !s->open_of[g] ? store_t1(r->st, store_trk(r->st, g)) : TIME_NONE;
		/* what stops the recording may start goroutines for it */
		if (end != TIME_NONE && end > since && end < r->sn->t1 - STOPPING_NS)
			since = end;
	}
	return since;
}

/* Does the goroutine that created this one wait as well, or has it ended? */
static bool is_awaited(const struct stuck_search *s, trk_id g)
{
	trk_id by = store_trk(s->r->st, g)->creator;
	if (!by)
		return false;
	if (!s->open_of[by])
		return store_t1(s->r->st, store_trk(s->r->st, by)) != TIME_NONE;
	return is_handed_over(s, &s->r->scan.open[s->open_of[by] - 1]);
}

/* Can the wait count while the program is at rest? */
static bool may_be_stuck(const struct stuck_search *s, const struct scan_open *o)
{
	return !o->before && is_handed_over(s, o) && began_in_range(s, o) && fit_of(s, o) >= 0.5;
}

/* Mark what waits for a goroutine that it created. parent: a bit per track. */
static void mark_parents(const struct stuck_search *s, uint8_t *parent)
{
	const struct scan *sc = &s->r->scan;
	for (uint32_t i = 0; i < sc->nopen; i++) {
		trk_id by = store_trk(s->r->st, sc->open[i].g)->creator;
		if (may_be_stuck(s, &sc->open[i]) && is_awaited(s, sc->open[i].g))
			parent[by >> 3] |= (uint8_t)(1u << (by & 7));
	}
}

/* Add the waits that nothing is left to end, all to the cluster of the first one. */
static void add_at_rest(struct stuck_search *s)
{
	const struct scan *sc = &s->r->scan;
	int64_t since = at_rest_since(s);
	if (since == INT64_MAX || (double)(s->r->sn->t1 - since) < s->limit->open || s->r->sn->t1 - since < s->r->wall / 4)
		return;
	uint8_t *parent = xcalloc(s->r->sn->ntrks / 8 + 1u, 1);
	uint32_t first = NO_SITE;
	mark_parents(s, parent);
	for (uint32_t i = 0; i < sc->nopen; i++) {
		const struct scan_open *o = &sc->open[i];
		bool child = is_awaited(s, o->g), waits = parent[o->g >> 3] >> (o->g & 7) & 1;
		if (!may_be_stuck(s, o) || !(child || waits))
			continue;
		first = first == NO_SITE ? o->site : first;
		add_wait(s, cluster_of(s, first), i, waits ? STUCK_VICTIM : STUCK_SURE);
	}
	mem_free(parent);
}

/* ---- what is known of a cluster */

/* When the first of some goroutines was created. */
static void keep_earliest(struct u64_hash *h, uint64_t key, int64_t t0)
{
	bool fresh;
	struct u64_slot *slot = u64_map_put(h, key, &fresh);
	if (fresh || t0 < (int64_t)slot->n)
		slot->n = (uint64_t)t0;
}

static bool is_earlier(const struct u64_hash *h, uint64_t key, int64_t t)
{
	const struct u64_slot *slot = key ? u64_map_get(h, key) : NULL;
	return slot && (int64_t)slot->n <= t;
}

/* Is the goroutine there at the end, and does something else than to wait for others of the program or for work? */
static bool is_busy(const struct stuck_search *s, trk_id g)
{
	const struct findings_run *r = s->r;
	const struct scan_open *o = s->open_of[g] ? &r->scan.open[s->open_of[g] - 1] : NULL;
	if (!r->groups.of[g] || (!o && store_t1(r->st, store_trk(r->st, g)) != TIME_NONE))
		return false;
	return !o || (!scan_is_handed_over(class_of(s, o)) && !r->scan.sites.v[o->site].idle && o->state != TS_FOREVER);
}

/* Find clusters whose goroutines may still be served: one that was there before the wait is busy and belongs to them. It
   has the same start function or creator, is the creator, or was created by the one that waits. A channel can be a
   semaphore, and a consumer may be slow. */
static void find_served(struct stuck_search *s)
{
	struct findings_run *r = s->r;
	struct u64_hash group = {0}, creator = {0};
	for (trk_id g = 1; s->to->n && g < r->sn->ntrks; g++) {
		const struct trk_row *t = store_trk(r->st, g);
		if (!is_busy(s, g))
			continue;
		keep_earliest(&group, r->groups.v[r->groups.of[g] - 1].name, t->t0);
		if (t->creator)
			keep_earliest(&creator, t->creator, t->t0);
	}
	for (uint32_t i = 0; i < s->to->n; i++) {
		struct stuck_cluster *c = &s->to->v[i];
		for (uint32_t k = 0; k < c->n && !c->locks; k++) {
			const struct scan_open *o = &r->scan.open[c->v[k].first];
			trk_id by = store_trk(r->st, o->g)->creator;
			/* how long it takes them is known if waits ended there */
			if (c->v[k].rank == STUCK_VICTIM || r->scan.site[o->site].n)
				continue;
			c->served |= is_earlier(&group, store_trk_name(r->st, o->g), o->t0) ||
			    is_earlier(&creator, o->g, o->t0) || is_earlier(&creator, by, o->t0) ||
			    (by && is_busy(s, by));
		}
	}
	u64_map_free(&group);
	u64_map_free(&creator);
}

/* Set which clusters are growing: a wait of the first site began in each quarter of the time. */
static void find_growth(struct stuck_search *s)
{
	const struct scan *sc = &s->r->scan;
	for (uint32_t i = 0; i < s->to->n; i++) {
		struct stuck_cluster *c = &s->to->v[i];
		uint32_t quarters = 0;
		if (c->locks || finding_fit(c->waits, s->limit->leak) < 1)
			continue;
		for (uint32_t o = sc->site[c->v[0].site].open; o; o = sc->open[o - 1].next)
			if (!sc->open[o - 1].before && sc->open[o - 1].t0 >= sc->t0 && began_in_range(s, &sc->open[o - 1]))
				quarters |= 1u << groups_quarter(sc->open[o - 1].t0 - sc->t0, s->r->wall);
		c->grows = quarters == (1u << GROUP_QUARTERS) - 1;
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct stuck_site *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->n != y->n ? (x->n > y->n ? -1 : 1) : (x->site > y->site) - (x->site < y->site);
}

stk_id stuck_holds(const struct findings_run *r, const struct stuck_site *holder, const struct stuck_site *waiter)
{
	stk_id own = user_code_site(r->st, r->scan.open[holder->first].stack),
	       at = stk_parent(r->st, own), other = user_code_site(r->st, r->scan.open[waiter->first].stack);
	uint64_t type = type_of(r->st, other);
	for (int i = 0; type && at && i < FRAMES; i++, at = stk_parent(r->st, at))
		if (type_of(r->st, at) == type)
			return at;
	return 0;
}

/* If one goroutine waits for a lock, and did not lock it itself, another one holds it: perhaps one that blocked with it. */
static void find_single_holder(const struct stuck_search *s, struct stuck_cluster *c)
{
	uint32_t sure = 0;
	const struct stuck_site *lock = NULL;
	for (uint32_t i = 0; i < c->n; i++) {
		sure += c->v[i].rank < STUCK_PERHAPS ? c->v[i].n : 0;
		lock = c->v[i].rank == STUCK_SURE ? &c->v[i] : lock;
	}
	if (!c->locks || sure != 1 || !lock || stuck_holds(s->r, lock, lock))
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->v[i].rank == STUCK_VICTIM)
			c->v[i].rank = STUCK_PERHAPS;
}

static void finish(struct stuck_search *s)
{
	s->to->locked = arena_zalloc(&s->r->scratch, s->r->scan.sites.n + 1u);
	for (uint32_t i = 0; i < s->to->n; i++) {
		struct stuck_cluster *c = &s->to->v[i];
		find_single_holder(s, c);
		if (c->n)
			qsort(c->v, c->n, sizeof *c->v, by_rank);
		for (uint32_t k = 0; k < c->n && c->locks && c->fit >= 1; k++)
			s->to->locked[c->v[k].site] = 1;
	}
	find_served(s);
	find_growth(s);
}

struct stuck *stuck_find(struct findings_run *r, const struct stuck_limits *limit)
{
	uint32_t n = r->scan.sites.n;
	struct stuck_search s = {.r = r, .limit = limit, .locks = findings_locks(r),
	    .to = arena_zalloc(&r->scratch, sizeof *s.to), .parent = xmalloc((n + 1u) * sizeof *s.parent),
	    .open_of = xcalloc(r->sn->ntrks + 1u, sizeof *s.open_of),
	    .cluster = xcalloc(n + 1u, sizeof *s.cluster)};
	for (uint32_t i = 0; i < n; i++)
		s.parent[i] = i;
	measure_ended(&s);
	find_sure(&s);
	join_by_time(&s);
	add_sure(&s);
	add_companions(&s);
	if (!s.to->n)
		add_at_rest(&s);
	finish(&s);
	mem_free(s.parent);
	mem_free(s.ended);
	mem_free(s.began);
	mem_free(s.open_of);
	mem_free(s.cluster);
	u64_map_free(&s.of_type);
	u64_map_free(&s.of_site);
	return s.to;
}

void stuck_free(struct stuck *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		mem_free(s->v[i].v);
	mem_free(s->v);
}
