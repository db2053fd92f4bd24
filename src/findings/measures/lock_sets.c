/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * One lock is a union of sets over the pairs of the scan: lines that wait and lines that unlock belong together if the
 * latter ended waits of the former. The holder is the goroutine that unlocked. It held the lock from its own wake-up in
 * such a set; then the holder before is the one that woke it; otherwise from before the wait that it ended, but not from
 * before its first run.
 *
 * A holder may itself wait for another lock, as the writer of a sync.RWMutex waits for its readers while further readers
 * wait behind it. Then what counts, if lock_holders_query.follow is set, is what the holder of that other lock does.
 *
 * A sharded lock is one set, although its shards have queues of their own: the time that goroutines wait is right, and
 * so is the place to change.
 */
#include "config.h"
#include "findings/measures/lock_sets.h"

#include "base/mem/mem.h"
#include "trace/user_code.h"

#include <string.h>

/* Pairs with less than this part of the waiting at a site do not join sets. */
enum { PAIR_PART = 50 };

uint32_t lock_sets_of(const struct lock_sets *l, uint32_t i)
{
	while (l->parent[i] != i) {
		l->parent[i] = l->parent[l->parent[i]];
		i = l->parent[i];
	}
	return i;
}

static void join_sets(struct lock_sets *l, uint32_t site, uint32_t with)
{
	l->parent[lock_sets_of(l, site)] = lock_sets_of(l, with);
}

static void list_sites(struct lock_sets *l)
{
	memset(l->first, 0xff, l->nsite * sizeof *l->first);
	for (uint32_t i = l->nsite; i-- > 0;) {
		uint32_t set = lock_sets_of(l, i);
		if (!lock_sets_waits(l, i))
			continue;
		l->next[i] = l->first[set];
		l->first[set] = i;
	}
}

uint32_t lock_sets_first(const struct lock_sets *l, uint32_t set)
{
	return l->first[set];
}

uint32_t lock_sets_next(const struct lock_sets *l, uint32_t site)
{
	return l->next[site];
}

void lock_sets_make(struct lock_sets *l, struct scan *s)
{
	*l = (struct lock_sets){.s = s, .nsite = s->sites.n};
	uint32_t n = s->sites.n + s->wakers.n;
	l->parent = xmalloc((n + 1u) * sizeof *l->parent);
	l->first = xmalloc((l->nsite + 1u) * sizeof *l->first);
	l->next = xmalloc((l->nsite + 1u) * sizeof *l->next);
	for (uint32_t i = 0; i < n; i++)
		l->parent[i] = i;
	for (uint32_t i = 0; i < s->npair; i++) {
		const struct scan_pair *p = &s->pair[i];
		if (s->sites.v[p->site].cls == TIME_LOCK && p->ns >= s->site[p->site].ns / PAIR_PART)
			join_sets(l, l->nsite + p->waker, p->site);
	}
	list_sites(l);
}

void lock_sets_free(struct lock_sets *l)
{
	mem_free(l->parent);
	mem_free(l->first);
	mem_free(l->next);
}

const struct scan_site *lock_sets_waits(const struct lock_sets *l, uint32_t site)
{
	return site < l->nsite && site < l->s->csite && l->s->sites.v[site].cls == TIME_LOCK ? &l->s->site[site] : NULL;
}

struct holder_search { const struct lock_sets *l; uint32_t set; };

static bool is_wait_of_set(void *arg, enum tstate s, stk_id stack)
{
	const struct holder_search *h = arg;
	if (s != TS_SYNC)
		return false;
	uint32_t site = site_table_of(&h->l->s->sites, s, stack);
	return site < h->l->nsite && lock_sets_of(h->l, site) == h->set;
}

/* During a wait several goroutines may hold the lock, each until it wakes the next: follow them back to the start of
   the wait. */
bool lock_sets_add_holders(const struct lock_sets *l, const struct scan_wait *w, struct time_parts *held,
    const struct lock_holders_query *q)
{
	enum { HOLDERS = 64 };
	uint32_t site = site_table_of(&l->s->sites, TS_SYNC, w->stack);
	if (!lock_sets_waits(l, site))
		return false;
	struct holder_search h = {l, lock_sets_of(l, site)};
	struct time_parts_start at = {w->t1, w->waker, w->waker_stack};
	stk_id outer = held->lock.unlock;
	for (int i = 0; i < HOLDERS && at.waker && at.t > w->t0; i++) {
		int64_t end = at.t;
		held->lock.unlock = at.stack;
		at = time_parts_add(held, l->s->sn, &(struct time_parts_query){.g = at.waker, .a = w->t0, .b = end,
		    .scale = q->scale, .last = at.stack, .until = is_wait_of_set, .arg = &h, .walker = q->walker,
		    .locks = q->follow ? l : NULL, .depth = q->depth});
		if (at.t >= end)
			break;
	}
	held->lock.unlock = outer;
	return true;
}

stk_id lock_sets_section(const struct store *st, stk_id stack, stk_id unlock)
{
	enum { CALLERS = 8 };
	stk_id u = user_code_site(st, unlock);
	bool user = u && user_code_first_frame(st, u) == u;
	for (int i = 0; u && i < CALLERS; i++) {
		stk_id at = time_parts_node_in(st, stack, store_frm(st, stk_frame(st, u))->fun);
		if (at)
			return at;
		u = user ? user_code_first_frame(st, stk_parent(st, u)) : stk_parent(st, u);
	}
	return user_code_site(st, stack);
}

static stk_id section_of(const struct store *st, const struct time_part *p)
{
	return lock_sets_section(st, p->stack, p->lock.unlock);
}

bool lock_sets_main_holder(const struct store *st, const struct time_parts *held, struct time_parts_main *h)
{
	return time_parts_main(st, held, section_of, h);
}
