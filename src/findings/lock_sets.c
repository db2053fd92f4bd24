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
#include "findings/lock_sets.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "trace/user_code.h"

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

void lock_sets_join(struct lock_sets *l, uint32_t site, uint32_t with)
{
	l->parent[lock_sets_of(l, site)] = lock_sets_of(l, with);
}

void lock_sets_make(struct lock_sets *l, struct scan *s)
{
	*l = (struct lock_sets){.s = s, .nsite = s->sites.n};
	uint32_t n = s->sites.n + s->wakers.n;
	l->parent = xmalloc((n + 1u) * sizeof *l->parent);
	for (uint32_t i = 0; i < n; i++)
		l->parent[i] = i;
	for (uint32_t i = 0; i < s->npair; i++) {
		const struct scan_pair *p = &s->pair[i];
		if (s->sites.v[p->site].cls == TIME_LOCK && p->ns >= s->site[p->site].ns / PAIR_PART)
			lock_sets_join(l, l->nsite + p->waker, p->site);
	}
}

void lock_sets_free(struct lock_sets *l)
{
	mem_free(l->parent);
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

struct section_sum { fun_id fun; int64_t ns, of_class[TIME_CLASS__N]; };
struct section_sums { struct section_sum *v; uint32_t n; size_t cap; };

static fun_id function_of(const struct store *st, stk_id at)
{
	return at ? store_frm(st, stk_frame(st, at))->fun : 0;
}

static void add_section(struct section_sums *s, fun_id fun, const struct time_part *p)
{
	uint32_t i = 0;
	while (i < s->n && s->v[i].fun != fun)
		i++;
	if (i == s->n) {
		s->v = mem_grow(s->v, &s->cap, s->n + 1u, sizeof *s->v);
		s->v[s->n++] = (struct section_sum){.fun = fun};
	}
	wrap_add_to(&s->v[i].ns, p->ns);
	wrap_add_to(&s->v[i].of_class[p->cls], p->ns);
}

static const struct section_sum *largest_section(const struct section_sums *s)
{
	uint32_t most = 0;
	for (uint32_t i = 1; i < s->n; i++)
		if (s->v[i].ns > s->v[most].ns)
			most = i;
	return &s->v[most];
}

bool lock_sets_main_holder(const struct store *st, const struct time_parts *held, struct lock_holder *h)
{
	struct section_sums s = {0};
	stk_id *section = xcalloc(held->n + 1u, sizeof *section);
	*h = (struct lock_holder){.cls = TIME_UNKNOWN};
	for (uint32_t i = 0; i < held->n; i++) {
		section[i] = lock_sets_section(st, held->v[i].stack, held->v[i].lock.unlock);
		add_section(&s, function_of(st, section[i]), &held->v[i]);
	}
	const struct section_sum *most = s.n ? largest_section(&s) : NULL;
	for (int i = 0; most && i < TIME_CLASS__N; i++)
		if (most->of_class[i] > most->of_class[h->cls])
			h->cls = (enum time_class)i;
	const struct time_part *first = NULL;
	for (uint32_t i = 0; most && i < held->n; i++) {
		const struct time_part *p = &held->v[i];
		if (p->cls != h->cls || function_of(st, section[i]) != most->fun || (first && p->ns <= first->ns))
			continue;
		first = p;
		h->section = section[i];
		h->wait = p->lock.wait;
	}
	h->ns = most ? most->of_class[h->cls] : 0;
	mem_free(section);
	mem_free(s.v);
	return first != NULL;
}
