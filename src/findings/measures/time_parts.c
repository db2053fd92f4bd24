/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What goroutines did: intervals of one goroutine, looked up from the end of a range backwards, because the end is the
 * event of interest (it woke another goroutine). The last intervals stand for a range that has more of them: a goroutine
 * that polls has thousands in each millisecond, and they are much alike.
 */
#include "config.h"
#include "findings/measures/lock_sets.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "trace/bins.h"

#include <stdlib.h>

void time_parts_put(struct time_parts *a, enum time_class cls, stk_id stack, int64_t t0, int64_t ns, trk_id g)
{
	bool fresh;
	struct u64_slot *slot = u64_map_put(&a->of, (uint64_t)cls << 32 | stack, &fresh);
	if (fresh) {
		slot->n = a->n;
		a->v = mem_grow(a->v, &a->cap, a->n + 1u, sizeof *a->v);
		a->v[a->n++] = (struct time_part){.cls = cls, .stack = stack};
	}
	struct time_part *p = &a->v[slot->n];
	wrap_add_to(&p->ns, ns);
	if (ns > p->longest) {
		p->longest = ns;
		p->t0 = t0;
		p->g = g;
		p->lock = a->lock;
	}
	wrap_add_to(&a->total, ns);
}

static bool runs(enum tstate s)
{
	return s == TS_RUN || s == TS_SWEEP || s == TS_STW;
}

static bool waits(enum tstate s)
{
	return s >= TS_CHANSEND && s < TS__N && s != TS_UNKNOWN;
}

/* Is it the time from the creation of the goroutine to its first run? */
static bool is_unborn(const struct snap *sn, const struct trace_interval *v)
{
	const struct trk_row *t = store_trk(sn->st, v->trk);
	return v->state == TS_READY && t->creator && v->t0 == t->t0;
}

/* Return where the range begins: after the last wait at which q->until() returns true, or at the first run. */
static struct time_parts_start start_of(const struct snap *sn, const struct time_parts_query *q)
{
	struct time_parts_start none = {.t = q->a};
	struct trace_interval v;
	if (!q->until || !trace_interval_at(sn, q->g, q->b - 1, &v))
		return none;
	for (int i = 0; i < TIME_PARTS_STEPS; i++) {
		if (is_unborn(sn, &v))
			return (struct time_parts_start){.t = v.t1 < q->b ? v.t1 : q->b};
		if (v.t0 <= q->a)
			return none;
		struct time_parts_start after = {v.t0, v.state == TS_READY ? v.peer : 0, v.stack};
		if (!trace_interval_step(sn, &v, -1))
			return none;
		if (waits(v.state) && q->until(q->arg, v.state, v.stack))
			return after;
	}
	return none;
}

/* Add a part of a run by the stacks that were recorded in it. */
static void add_run(struct time_parts *to, const struct time_parts_query *q, int64_t a, int64_t b)
{
	struct critical_path path = {0};
	critical_path_walk(q->walker, q->g, a, b, &path);
	for (size_t i = 0; i < path.n; i++) {
		const struct critical_piece *v = &path.v[i];
		time_parts_put(to, v->cls, q->ends && v->end ? v->end : v->stack, v->t0,
		    wrap_clamp((double)(v->t1 - v->t0) * q->scale), q->g);
	}
	critical_path_free(&path);
}

/* Add what the holders of a lock did while the goroutine waited for it. Return false if it is no wait for a lock. */
static bool add_wait(
    struct time_parts *to, const struct time_parts_query *q, const struct trace_interval *v, int64_t a, int64_t b,
    const struct time_parts_start *woken)
{
	struct scan_wait w = {
	    .t0 = a, .t1 = b, .g = q->g, .waker = woken->waker, .stack = v->stack, .waker_stack = woken->stack};
	struct time_part_lock outer = to->lock;
	if (!q->locks || v->state != TS_SYNC || !w.waker || woken->t != b || q->depth >= TIME_PARTS_DEEPEST)
		return false;
	to->lock = (struct time_part_lock){outer.wait ? outer.wait : v->stack, woken->stack};
	bool added = lock_sets_add_holders(q->locks, &w, to, &(struct lock_holders_query){
	    .scale = q->scale, .walker = q->walker, .follow = true, .depth = q->depth + 1});
	to->lock = outer;
	return added;
}

/* Return the start of the last TIME_PARTS_STEPS intervals before q->b, but no time before `start`. */
static int64_t start_of_last(const struct snap *sn, const struct time_parts_query *q, int64_t start)
{
	struct trace_interval v;
	if (q->b <= start || !trace_interval_at(sn, q->g, q->b - 1, &v))
		return start;
	for (int i = 1; i < TIME_PARTS_STEPS && v.t0 > start; i++)
		if (!trace_interval_step(sn, &v, -1))
			return start;
	return v.t0 > start ? v.t0 : start;
}

/* Add what the goroutine did in [from, q->b), in which it has no more than TIME_PARTS_STEPS intervals. */
static void add_intervals(struct time_parts *to, const struct snap *sn, const struct time_parts_query *q, int64_t from)
{
	struct time_parts_start woken = {0};
	struct trace_interval v;
	int64_t end = q->b;
	stk_id last = q->last;
	if (end <= from || !trace_interval_at(sn, q->g, end - 1, &v))
		return;
	while (end > from) {
		int64_t t0 = v.t0 > from ? v.t0 : from;
		stk_id stack = runs(v.state) || !v.stack ? last : v.stack;
		if (q->walker && runs(v.state))
			add_run(to, q, t0, end);
		else if (!add_wait(to, q, &v, t0, end, &woken))
			time_parts_put(to, time_class_of(sn->st, v.state, v.stack), stack, t0,
			    wrap_clamp((double)(end - t0) * q->scale), q->g);
		/* A runnable span has the stack of the waker, unless it follows a run. */
		if (v.state != TS_READY && v.stack)
			last = v.stack;
		woken = (struct time_parts_start){t0, v.state == TS_READY ? v.peer : 0, v.stack};
		end = t0;
		if (end > from && !trace_interval_step(sn, &v, -1))
			break;
	}
}

struct time_parts_start time_parts_add(
    struct time_parts *to, const struct snap *sn, const struct time_parts_query *q)
{
	struct time_parts_start start = start_of(sn, q);
	struct time_parts_query seen = *q;
	int64_t from = start_of_last(sn, q, start.t);
	if (from > start.t)
		seen.scale *= (double)(q->b - start.t) / (double)(q->b - from);
	add_intervals(to, sn, &seen, from);
	return start;
}

static int by_ns(const void *x, const void *y)
{
	const struct time_part *a = x, *b = y;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->cls != b->cls)
		return a->cls < b->cls ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

void time_parts_sort(struct time_parts *a)
{
	if (a->n)
		qsort(a->v, a->n, sizeof *a->v, by_ns);
	u64_map_free(&a->of);
}

struct part_function { fun_id fun; int64_t ns, of_class[TIME_CLASS__N]; };
struct part_functions { struct part_function *v; uint32_t n; size_t cap; struct u64_hash of; };

static fun_id function_of(const struct store *st, stk_id at)
{
	return at ? store_frm(st, stk_frame(st, at))->fun : 0;
}

static void add_function(struct part_functions *s, fun_id fun, const struct time_part *p)
{
	bool fresh;
	struct u64_slot *slot = u64_map_put(&s->of, fun, &fresh);
	if (fresh) {
		slot->n = s->n;
		s->v = mem_grow(s->v, &s->cap, s->n + 1u, sizeof *s->v);
		s->v[s->n++] = (struct part_function){.fun = fun};
	}
	wrap_add_to(&s->v[slot->n].ns, p->ns);
	wrap_add_to(&s->v[slot->n].of_class[p->cls], p->ns);
}

/* Find the function and the class. at: of each part. */
static fun_id main_function(const struct store *st, const struct time_parts *a, const stk_id *at, struct time_parts_main *m)
{
	struct part_functions s = {0};
	uint32_t most = 0;
	for (uint32_t i = 0; i < a->n; i++)
		add_function(&s, function_of(st, at[i]), &a->v[i]);
	for (uint32_t i = 1; i < s.n; i++)
		if (s.v[i].ns > s.v[most].ns)
			most = i;
	for (int i = 0; i < TIME_CLASS__N; i++) {
		if (s.v[most].of_class[i] > m->ns) {
			m->ns = s.v[most].of_class[i];
			m->cls = (enum time_class)i;
		}
	}
	fun_id fun = s.v[most].fun;
	mem_free(s.v);
	u64_map_free(&s.of);
	return fun;
}

bool time_parts_main(
    const struct store *st, const struct time_parts *a, time_part_function *function, struct time_parts_main *m)
{
	*m = (struct time_parts_main){.cls = TIME_UNKNOWN};
	if (!a->n)
		return false;
	stk_id *at = xmalloc(a->n * sizeof *at);
	for (uint32_t i = 0; i < a->n; i++)
		at[i] = function(st, &a->v[i]);
	fun_id fun = main_function(st, a, at, m);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct time_part *p = &a->v[i];
		if (p->cls != m->cls || function_of(st, at[i]) != fun || (m->part && p->ns <= m->part->ns))
			continue;
		m->part = p;
		m->at = at[i];
	}
	mem_free(at);
	return m->part != NULL;
}

void time_parts_free(struct time_parts *a)
{
	mem_free(a->v);
	u64_map_free(&a->of);
	*a = (struct time_parts){0};
}

stk_id time_parts_node_in(const struct store *st, stk_id stack, fun_id fun)
{
	while (stack && store_frm(st, stk_frame(st, stack))->fun != fun)
		stack = stk_parent(st, stack);
	return stack;
}
