/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Regions and tasks, gathered from the spans and the logs. A region's times are
 * its goroutine's over the same stretch. A task is also there when it is only
 * named: by a region, a log or a child; then it has no name and no times, as in
 * the reference, and the task 0 is all that happens outside of tasks.
 */
#include "config.h"
#include "analysis/sched.h"

#include "base/halve.h"
#include "store/spans.h"

#include <stdlib.h>
#include <string.h>

int sched_name_cmp(const struct store *st, str_id a, str_id b)
{
	const struct str_row *x = store_str(st, a), *y = store_str(st, b);
	uint32_t n = x->n < y->n ? x->n : y->n;
	int c = n ? memcmp(x->s, y->s, n) : 0;
	return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

struct region_key { uint32_t span; str_id name; frm_id frame; uint64_t pc; const struct store *st; };

static int region_cmp(const void *a, const void *b)
{
	const struct region_key *x = a, *y = b;
	if (x->name != y->name)
		return sched_name_cmp(x->st, x->name, y->name);
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->span < y->span ? -1 : x->span > y->span;
}

static bool region_asked(const struct snap *sn, const struct sched_ask *q, const struct sink_span *sp)
{
	int64_t a, b;
	if (sp->kind != SP_REGION || sp->v0 & RG_LOOSE)
		return false;
	span_bounds(sn, sp, &a, &b);
	return (q->t0 == TIME_NONE || b >= q->t0) && (q->t1 == TIME_NONE || a < q->t1) &&
	    (!q->g || q->g[sp->trk >> 3] >> (sp->trk & 7) & 1) && (!q->region || q->region(q->arg, sp));
}

struct sched_kinds *sched_regions(const struct sched *s, const struct sched_ask *q, struct arena *mem)
{
	const struct snap *sn = sched_snap(s);
	struct sched_kinds *o = arena_zalloc(mem, sizeof *o);
	struct region_key *key = NULL;
	size_t n = 0, cap = 0;
	for (uint32_t i = 0; i < sn->nspans; i++) {
		store_pass(sn, i);
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		if (!region_asked(sn, q, sp))
			continue;
		frm_id f = sched_root(sn->st, sp->stack);
		uint64_t pc = f ? store_loc(sn->st, store_frm(sn->st, f)->loc)->addr : 0;
		key = mem_grow(key, &cap, n + 1, sizeof *key);
		key[n++] = (struct region_key){ i, sp->name, f, pc, sn->st };
	}
	if (n)
		qsort(key, n, sizeof *key, region_cmp);
	o->nr = (uint32_t)n;
	o->kind = arena_alloc(mem, (n + 1u) * sizeof *o->kind);
	o->r = arena_alloc(mem, (n + 1u) * sizeof *o->r);
	for (uint32_t i = 0; i < n; i++) {
		const struct sink_span *sp = &store_span(sn->st, key[i].span)->s;
		if (!i || key[i].name != key[i - 1].name || key[i].frame != key[i - 1].frame)
			o->kind[o->n++] = (struct sched_kind){ key[i].name, key[i].frame, i, 0 };
		o->kind[o->n - 1].n++;
		o->r[i].span = key[i].span;
		sched_stat(s, sp->trk, sp->t0, sp->t1, mem, &o->r[i].s);
	}
	mem_free(key);
	return o;
}

/* ---- tasks */

/* Everything that names a task, to be sorted by the task. */
struct mention { uint64_t task; uint64_t order; enum { M_TASK, M_LOG, M_REGION, M_NAMED } what; uint32_t i; };

static int mention_cmp(const void *a, const void *b)
{
	const struct mention *x = a, *y = b;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct mentions { struct mention *v; size_t n, cap; };

static void mention(struct mentions *m, uint64_t task, uint64_t order, int what, uint32_t i)
{
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
	m->v[m->n++] = (struct mention){ task, order, what, i };
}

static struct mentions gather(const struct snap *sn)
{
	struct mentions m = {0};
	for (uint32_t i = 0; i < sn->nspans; i++) {
		store_pass(sn, i);
		const struct sink_span *sp = &store_span(sn->st, i)->s;
		if (sp->kind == SP_TASK) {
			mention(&m, sp->id, i, M_TASK, i);
			if (sp->parent != UINT64_MAX)
				mention(&m, sp->parent, i, M_NAMED, i);
			else if (sp->v0)
				mention(&m, sp->v0 - 1, i, M_NAMED, i);
		} else if (sp->kind == SP_REGION && !(sp->v0 & RG_INHERITED)) {
			mention(&m, sp->id, sp->parent, M_REGION, i);
		}
	}
	for (uint32_t i = 0; i < sn->nmarks; store_pass(sn, i++))
		if (store_mark(sn->st, i)->kind == MK_LOG)
			mention(&m, store_mark(sn->st, i)->task, i, M_LOG, i);
	if (m.n)
		qsort(m.v, m.n, sizeof *m.v, mention_cmp);
	return m;
}

struct sched_tasks *sched_tasks(const struct snap *sn, struct arena *mem)
{
	struct mentions m = gather(sn);
	struct sched_tasks *o = arena_zalloc(mem, sizeof *o);
	for (size_t i = 0; i < m.n; i++)
		o->n += !i || m.v[i].task != m.v[i - 1].task;
	o->task = arena_alloc(mem, (o->n + 1u) * sizeof *o->task);
	o->event = arena_alloc(mem, (m.n + 1) * sizeof *o->event);
	uint32_t n = 0, ne = 0;
	for (size_t i = 0; i < m.n; i++) {
		if (!i || m.v[i].task != m.v[i - 1].task)
			o->task[n++] = (struct sched_task){ .id = m.v[i].task, .parent = UINT64_MAX,
				.span = UINT32_MAX, .end = UINT32_MAX, .t0 = TIME_NONE, .t1 = TIME_NONE, .first = ne };
		struct sched_task *t = &o->task[n - 1];
		if (m.v[i].what == M_TASK) {
			const struct sink_span *sp = &store_span(sn->st, m.v[i].i)->s;
			if (t->span == UINT32_MAX || sp->t0 != TIME_NONE) {
				t->span = m.v[i].i;
				t->t0 = sp->t0;
			}
			if (t->parent == UINT64_MAX)
				t->parent = sp->parent;
			t->end = m.v[i].i;
			t->name = sp->name;
			t->t1 = sp->t1;
		} else if (m.v[i].what != M_NAMED) {
			o->event[ne++] = (struct sched_event){ m.v[i].what == M_LOG, m.v[i].i };
			t->n++;
		}
	}
	mem_free(m.v);
	return o;
}

uint32_t sched_task_find(const struct sched_tasks *ts, uint64_t id)
{
	struct halve h = {.hi = ts->n};
	while (halve(&h))
		halve_on(&h, ts->task[h.at].id < id);
	return h.lo < ts->n && ts->task[h.lo].id == id ? (uint32_t)h.lo : UINT32_MAX;
}

/* ---- quantiles */

static int i64_cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

void sched_sort(int64_t *v, uint32_t n)
{
	if (n)
		qsort(v, n, sizeof *v, i64_cmp);
}

int64_t sched_quantile(const int64_t *v, uint32_t n, double q)
{
	if (!n)
		return 0;
	uint32_t i = (uint32_t)(q * (double)n);
	return v[i < n ? i : n - 1];
}
