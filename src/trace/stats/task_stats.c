/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tasks, collected from the spans and the logs. A task also exists if it is only
 * referred to: by a region, a log or a child; then it has no name and no times, as
 * in the reference. Task 0 is all that happens outside of tasks.
 */
#include "config.h"
#include "trace/stats/goroutine_stats.h"

#include "trace/stats/internal.h"

#include "base/bsearch.h"
#include "base/intern.h"
#include "base/radix_sort.h"
#include "store/tracks/time_search.h"

#include <stdlib.h>
#include <string.h>

int stats_compare_names(const struct store *st, str_id a, str_id b)
{
	const struct str_row *x = store_str(st, a), *y = store_str(st, b);
	uint32_t n = x->n < y->n ? x->n : y->n;
	int c = n ? memcmp(x->s, y->s, n) : 0;
	return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

/* ---- tasks */

/* Every task that is referred to, with the number of its logs and regions. Programs number their tasks from 1 on, so
   this is a table by number. If the numbers are far apart, it is a hash table. */
struct named_task { uint64_t id; uint32_t logs, regions, rank; bool seen; };
struct named_tasks {
	struct intern index;
	struct named_task *v;
	size_t cap;
	uint32_t n, last, room;	/* n: number of tasks; room: entries of v if it is a table by number, else 0 */
	struct arena mem;
};

static int same_id(const void *v, uint32_t i, const void *id)
{
	return ((const struct named_task *)v)[i].id == *(const uint64_t *)id;
}

static struct named_task *name(struct named_tasks *m, uint64_t id)
{
	if (m->room) {
		struct named_task *x = &m->v[id];
		m->n += !x->seen;
		x->seen = true;
		x->id = id;
		return x;
	}
	if (m->n && m->v[m->last].id == id)	/* the usual case */
		return &m->v[m->last];
	uint32_t hash = intern_hash_u64(id, 0), i = intern_find(&m->index, hash, same_id, m->v, &id);
	if (i == UINT32_MAX) {
		m->v = mem_grow(m->v, &m->cap, m->n + 1u, sizeof *m->v);
		m->v[i = m->n++] = (struct named_task){ .id = id, .seen = true };
		intern_put(&m->index, hash, i);
	}
	m->last = i;
	return &m->v[i];
}

static bool of_task(const struct sink_span *s)
{
	return s->kind == SP_REGION && !(s->v0 & RG_INHERITED);
}

/* Return the largest number of a task that the span refers to, 0 for none. */
static uint64_t largest_id(const struct sink_span *s)
{
	uint64_t parent = s->parent != UINT64_MAX ? s->parent : s->v0 ? s->v0 - 1 : 0;
	if (s->kind != SP_TASK)
		return of_task(s) ? s->id : 0;
	return s->id > parent ? s->id : parent;
}

static void make_table(const struct snap *sn, struct named_tasks *m, uint32_t nmarks, const struct progress_watcher *on)
{
	uint64_t most = 0, end = 2 * (uint64_t)sn->nspans + 1024;
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(on, i); i++) {
		uint64_t id = largest_id(&store_span(sn->st, i)->s);
		most = id > most ? id : most;
	}
	for (uint32_t i = 0; i < nmarks && most < end && stats_should_continue(on, i); i++) {
		const struct sink_mark *k = store_mark(sn->st, i);
		most = k->kind == MK_LOG && k->task > most ? k->task : most;
	}
	if (most >= end || most >= UINT32_MAX)
		return;
	m->room = (uint32_t)most + 1;
	m->v = arena_alloc(&m->mem, m->room * sizeof *m->v);
	for (uint32_t i = 0; i < m->room && stats_should_continue(on, i); i++)
		m->v[i] = (struct named_task){0};
}

static uint32_t names_end(const struct named_tasks *m)
{
	return m->room ? m->room : m->n;
}

static void symbols_free(struct named_tasks *m)
{
	intern_free(&m->index);
	if (!m->room)
		mem_free(m->v);
	arena_free(&m->mem);
}

static void count_names(
    const struct snap *sn, struct named_tasks *m, uint32_t nmarks, const struct progress_watcher *on)
{
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(on, i); i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (of_task(s))
			name(m, s->id)->regions++;
		if (s->kind != SP_TASK)
			continue;
		name(m, s->id);
		if (s->parent != UINT64_MAX)
			name(m, s->parent);
		else if (s->v0)
			name(m, s->v0 - 1);
	}
	for (uint32_t i = 0; i < nmarks && stats_should_continue(on, i); i++)
		if (store_mark(sn->st, i)->kind == MK_LOG)
			name(m, store_mark(sn->st, i)->task)->logs++;
}

struct id_of { uint64_t id; uint32_t i; };

static int id_cmp(const void *a, const void *b)
{
	uint64_t x = ((const struct id_of *)a)->id, y = ((const struct id_of *)b)->id;
	return x < y ? -1 : x > y;
}

static void rank_names(struct named_tasks *m, const struct progress_watcher *on)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->room && stats_should_continue(on, i); i++) {
		m->v[i].rank = n;
		n += m->v[i].seen;
	}
	if (m->room)
		return;
	struct id_of *v = xmalloc((m->n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < m->n; i++)
		v[i] = (struct id_of){ m->v[i].id, i };
	if (m->n)
		qsort(v, m->n, sizeof *v, id_cmp);
	for (uint32_t i = 0; i < m->n; i++)
		m->v[v[i].i].rank = i;
	mem_free(v);
}

/* Add the data of a task's own span. A task may end twice. */
static void add_task_span(struct stats_task *t, const struct sink_span *sp, uint32_t i)
{
	if (t->span == UINT32_MAX || sp->t0 != TIME_NONE) {
		t->span = i;
		t->t0 = sp->t0;
	}
	if (t->parent == UINT64_MAX)
		t->parent = sp->parent;
	t->end = i;
	t->name = sp->name;
	t->t1 = sp->t1;
}

/* ---- events of tasks */

/* Regions are in the order of their ends; their numbers give the order of their starts. */
struct task_events {
	uint32_t *v, *began;	/* parallel arrays: event, and number of the region */
	bool wide;		/* some numbers do not fit into 32 bits: they are read from the spans */
	struct radix_item *few;	/* scratch memory */
	struct arena *mem;
};

enum { EVENTS_FEW = 1 << 12 };

static uint64_t begin_of(const struct snap *sn, const struct task_events *e, uint32_t i)
{
	return e->wide ? store_span(sn->st, e->v[i])->s.parent : e->began[i];
}

static void sort_keyed(
    const struct snap *sn, const struct task_events *e, uint32_t from, uint32_t n, struct radix_item *v)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct radix_item){ begin_of(sn, e, from + i), e->v[from + i] };
	radix_sort_items(v, n);
	for (uint32_t i = 0; i < n; i++)
		e->v[from + i] = v[i].v;
}

/* Sort very many regions, as those outside of tasks, by a table of numbers. Return false if
   numbers are too far apart, or if two are equal. */
static bool sort_many(const struct task_events *e, uint32_t from, uint32_t n)
{
	struct arena own = {0};
	uint32_t least = UINT32_MAX, most = 0, *at;
	for (uint32_t i = from; i < from + n; i++) {
		least = e->began[i] < least ? e->began[i] : least;
		most = e->began[i] > most ? e->began[i] : most;
	}
	uint64_t room = (uint64_t)(most - least) + 1;
	bool good = !e->wide && room / 4 <= n;
	at = good ? arena_alloc(&own, room * sizeof *at) : NULL;
	for (uint64_t i = 0; good && i < room; i++)
		at[i] = UINT32_MAX;
	for (uint32_t i = from; i < from + n && good; i++) {
		good = at[e->began[i] - least] == UINT32_MAX;
		at[e->began[i] - least] = e->v[i];
	}
	for (uint64_t i = 0, to = from; good && i < room; i++)
		if (at[i] != UINT32_MAX)
			e->v[to++] = at[i];
	arena_free(&own);
	return good;
}

/* Sort the regions of a task. */
static void sort_regions(const struct snap *sn, const struct task_events *e, uint32_t from, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = from + 1; i < from + n; i++)
		sorted = sorted && begin_of(sn, e, i - 1) <= begin_of(sn, e, i);
	if (sorted || (n > EVENTS_FEW && sort_many(e, from, n)))
		return;
	struct radix_item *v = n > EVENTS_FEW ? xmalloc(n * sizeof *v) : e->few;
	sort_keyed(sn, e, from, n, v);
	if (v != e->few)
		mem_free(v);
}

/* Add the data of the tasks' spans. Append logs, then regions, to the events of their tasks. */
static void put_all(const struct snap *sn, struct stats_tasks *o, struct named_tasks *m, struct task_events *e,
    uint32_t nmarks, const struct progress_watcher *on)
{
	for (uint32_t i = 0; i < nmarks && stats_should_continue(on, i); i++)
		if (store_mark(sn->st, i)->kind == MK_LOG) {
			struct stats_task *t = &o->task[name(m, store_mark(sn->st, i)->task)->rank];
			e->v[t->first + t->n++] = i | STATS_LOG;
		}
	for (uint32_t i = 0; i < sn->nspans && stats_should_continue(on, i); i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		struct stats_task *t = s->kind == SP_TASK || of_task(s) ? &o->task[name(m, s->id)->rank] : NULL;
		if (!t)
			continue;
		if (s->kind == SP_TASK) {
			add_task_span(t, s, i);
			continue;
		}
		e->wide |= s->parent > UINT32_MAX;
		e->began[t->first + t->n] = (uint32_t)s->parent;
		e->v[t->first + t->n++] = i;
	}
}

/* Fill the events, with the regions of each task in the order of their starts. */
static void put_events(const struct snap *sn, struct stats_tasks *o, struct named_tasks *m, uint32_t nevents,
    uint32_t nmarks, struct arena *mem, const struct progress_watcher *on)
{
	struct arena own = {0};
	struct task_events e = { .v = o->event, .mem = mem };
	e.began = arena_alloc(&own, ((size_t)nevents + 1) * sizeof *e.began);
	e.few = xmalloc(EVENTS_FEW * sizeof *e.few);
	put_all(sn, o, m, &e, nmarks, on);
	for (uint32_t i = 0; i < names_end(m) && stats_should_continue(on, i); i++) {
		if (!m->v[i].seen || !m->v[i].regions)
			continue;
		const struct stats_task *t = &o->task[m->v[i].rank];
		sort_regions(sn, &e, t->first + m->v[i].logs, t->n - m->v[i].logs);
	}
	mem_free(e.few);
	arena_free(&own);
}

struct stats_tasks *stats_tasks(const struct snap *sn, struct arena *mem, const struct progress_watcher *on)
{
	struct named_tasks m = {0};
	struct stats_tasks *o = arena_zalloc(mem, sizeof *o);
	uint32_t nmarks = sn->nmarks < STATS_LOG ? sn->nmarks : STATS_LOG, at = 0;
	make_table(sn, &m, nmarks, on);
	count_names(sn, &m, nmarks, on);
	rank_names(&m, on);
	o->n = m.n;
	o->task = arena_alloc(mem, (o->n + 1u) * sizeof *o->task);
	for (uint32_t i = 0, end = names_end(&m); i < end && stats_should_continue(on, i); i++) {
		if (m.v[i].seen)
			o->task[m.v[i].rank] = (struct stats_task){ .id = m.v[i].id, .parent = UINT64_MAX,
			    .span = UINT32_MAX,
			.end = UINT32_MAX, .t0 = TIME_NONE, .t1 = TIME_NONE, .n = m.v[i].logs + m.v[i].regions };
	}
	for (uint32_t i = 0; i < o->n && stats_should_continue(on, i); i++) {
		o->task[i].first = at;
		at += o->task[i].n;
		o->task[i].n = 0;	/* counted again while they are appended */
	}
	o->event = arena_alloc(mem, ((size_t)at + 1) * sizeof *o->event);
	put_events(sn, o, &m, at, nmarks, mem, on);
	symbols_free(&m);
	o->n = job_should_continue(on) ? o->n : 0;
	return o;
}

uint32_t stats_task_find(const struct stats_tasks *ts, uint64_t id)
{
	struct bsearch_probe h = {.hi = ts->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, ts->task[h.at].id < id);
	return h.lo < ts->n && ts->task[h.lo].id == id ? (uint32_t)h.lo : UINT32_MAX;
}
