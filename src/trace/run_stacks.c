/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Selects the stack that a part of a run is charged to. A trace has no stack of a run, only those of events: where the
 * goroutine blocked before it, woke or created another, made a system call, started a region, was preempted, blocked
 * again. Between two such events it was in the functions that both stacks have in common, as far as they are the same
 * calls: down to the first frame that differs, and that one too if only its line does. What it called and left again
 * meanwhile is not known, so the time is charged to the deepest of these functions, at its line in the first stack. No
 * stack is made up: it is the upper part of a recorded one.
 *
 * An event is often a call of the runtime, of a mutex or of a connection. Two equal stacks are two such calls, and the
 * time between them is that of the function that makes them. So what is common ends above the runtime's functions, and
 * where it reaches the leaf of a stack, with the first frame of user code. Charging the stack of the next event instead
 * would be easier, and was wrong: what a goroutine computes before it takes a mutex was charged to the mutex.
 *
 * CPU samples are where the goroutine was. The time up to a sample is charged to the stack of the sample, and the time
 * from the last sample to the next event to that of the last. During a mark assist or a stop of the world the goroutine
 * is where that started.
 *
 * A run is divided at moments, not into shares. No nanosecond is lost or counted twice, a window that cuts a run does
 * not change what is charged on either side, and only one stack is kept of a goroutine.
 *
 * The weight of an event without a recorded stack cannot be charged to a stack. Reports leave it out of the tree, as
 * the reference does. Trees on a screen show it under a frame of its own.
 */
#include "config.h"
#include "trace/run_stacks.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "trace/as_profile.h"
#include "trace/bins.h"
#include "trace/user_code.h"

#include <string.h>

/* Is this a function of the runtime that preempts a goroutine? */
static bool preempts(const struct store *st, frm_id f)
{
	static const char *const function[] = { "runtime.asyncPreempt2", "runtime.asyncPreempt", "runtime.preemptPark",
		"runtime.gopreempt_m", "runtime.goschedImpl", "runtime.newstack", "runtime.morestack",
		"runtime.morestack_noctxt" };
	const struct str_row *name = store_str(st, store_fun(st, store_frm(st, f)->fun)->name);
	if (name->n < 8 || memcmp(name->s, "runtime.", 8) != 0)
		return false;
	for (size_t i = 0; i < sizeof function / sizeof *function; i++)
		if (name->n == strlen(function[i]) && !memcmp(name->s, function[i], name->n))
			return true;
	return false;
}

static stk_id without_preemption(const struct store *st, stk_id stack)
{
	while (stack && preempts(st, stk_frame(st, stack)))
		stack = stk_parent(st, stack);
	return stack;
}

static stk_id start_of(const struct store *st, trk_id g)
{
	return store_origin(st, store_trk(st, g))->start;
}

stk_id run_stacks_interrupted(const struct store *st, trk_id g, stk_id stack)
{
	stack = without_preemption(st, stack);
	return stack ? stack : start_of(st, g);
}

/* ---- what two stacks have in common */

static uint32_t depth_of(const struct store *st, stk_id s)
{
	uint32_t n = 0;
	for (; s; s = stk_parent(st, s))
		n++;
	return n;
}

static bool same_function(const struct store *st, stk_id a, stk_id b)
{
	return a && b && store_frm(st, stk_frame(st, a))->fun == store_frm(st, stk_frame(st, b))->fun;
}

stk_id run_stacks_deepest(const struct store *st, stk_id from, stk_id to)
{
	uint32_t nfrom = depth_of(st, from), nto = depth_of(st, to);
	stk_id a = from, b = to, below_a = 0, below_b = 0;
	for (; nfrom > nto; nfrom--)
		a = stk_parent(st, below_a = a);
	for (; nto > nfrom; nto--)
		b = stk_parent(st, below_b = b);
	while (a != b) {
		a = stk_parent(st, below_a = a);
		b = stk_parent(st, below_b = b);
	}
	return same_function(st, below_a, below_b) ? below_a : a;
}

stk_id run_stacks_common(const struct store *st, stk_id from, stk_id to)
{
	from = without_preemption(st, from);
	to = without_preemption(st, to);
	stk_id at = from && to ? run_stacks_deepest(st, from, to) : 0;
	if (!at)
		return 0;
	stk_id caller = at == from || at == to ? user_code_site(st, at) : user_code_outside_runtime(st, at);
	return caller ? caller : at;
}

static stk_id cached_common(const struct store *st, stk_id from, stk_id to, struct run_pairs *pairs)
{
	uint32_t h = (from * UINT32_C(2654435761) ^ to * UINT32_C(2246822519)) >> 16;
	struct run_pair *v = &pairs->v[h % RUN_PAIRS];
	if (v->from != from || v->to != to)
		*v = (struct run_pair){from, to, run_stacks_common(st, from, to)};
	return v->common;
}

stk_id run_stacks_outermost(const struct store *st, trk_id g, stk_id stack)
{
	stk_id start = start_of(st, g);
	for (stk_id up = stack; !start && up; up = stk_parent(st, up))
		stack = up;
	return start ? start : stack;
}

stk_id run_stacks_charged(
    const struct store *st, trk_id g, struct run_known *known, const struct run_moment *m, struct run_pairs *pairs)
{
	stk_id stack = 0;
	if (m->sample || known->sample)
		stack = without_preemption(st, m->sample ? m->stack : known->stack);
	else if (known->stack && m->stack)
		stack = cached_common(st, known->stack, m->stack, pairs);
	/* Where it was is not known at one end, or the two ends have nothing in common, as deep stacks are cut. */
	if (!stack)
		stack = run_stacks_outermost(st, g, !known->stack ? m->stack : !m->stack ? known->stack : 0);
	if (m->stack)
		*known = (struct run_known){m->stack, m->sample};
	return stack;
}

void run_known_enter(struct run_known *known, enum tstate was, enum tstate s, stk_id stack)
{
	bool own = s != TS_READY || state_runs(was);
	if (own && (stack || s == TS_NONE || s == TS_READY || s >= TS_CHANSEND))
		*known = (struct run_known){.stack = s == TS_NONE ? 0 : stack};
}

/* ---- the moments of a sheet */

void run_moments_begin_sheet(struct run_moments *m, const struct snap *sn, const struct sheet *sh)
{
	if (!m->list.v)
		stack_moments_make(&m->list, sn, &m->mem, NULL);
	m->sh = sh;
	m->edge = 0;
}

static uint32_t edge_interval(const struct run_moments *m)
{
	return m->sh->edge[m->edge] & ~EDGE_CREATED;
}

void run_moments_begin_goroutine(struct run_moments *m, trk_id g)
{
	m->g = g;
	m->at = stack_moments_find(&m->list, g, m->sh->t0);
	while (m->edge < m->sh->nedge && sheet_peer(m->sh, edge_interval(m)) < g)
		m->edge++;
}

bool run_moments_next(struct run_moments *m, int64_t t, struct run_moment *out)
{
	t = t < m->sh->t1 ? t : m->sh->t1;
	*out = (struct run_moment){ .t = t };
	if (m->edge < m->sh->nedge && sheet_peer(m->sh, edge_interval(m)) == m->g) {
		uint32_t i = edge_interval(m);
		int64_t when = m->sh->t0 + sheet_start(m->sh, i);
		if (when < t)
			*out = (struct run_moment){ .t = when, .stack = sheet_stack(m->sh, i),
			    .created = m->sh->edge[m->edge] & EDGE_CREATED };
	}
	const struct stack_moment *v = m->at < m->list.n ? &m->list.v[m->at] : NULL;
	bool listed = v && v->g == m->g && v->t < out->t;
	if (listed)
		*out = (struct run_moment){.t = v->t, .stack = v->stack, .sample = v->sample};
	m->at += listed;
	m->edge += out->t < t && !listed;
	return out->t < t;
}

void run_moments_free(struct run_moments *m)
{
	arena_free(&m->mem);
	*m = (struct run_moments){0};
}

static const char *const blames[BLAME__N] = {
	[BLAME_WAKER] = "waker", [BLAME_SELF] = "self", [BLAME_OCCUPANT] = "occupant",
	[BLAME_CHAIN] = "chain",
};

const char *trace_blame_name(enum trace_blame b)
{
	return b < BLAME__N ? blames[b] : "";
}

int trace_blame_find(const char *name)
{
	for (int i = 0; i < BLAME__N; i++)
		if (!strcmp(blames[i], name))
			return i;
	return -1;
}

bool trace_type_has_blame(enum trace_weight_type t, enum trace_blame b)
{
	return b == BLAME_CHAIN ? t == TRACE_SYNC || t == TRACE_BLOCK || t == TRACE_NET : t == TRACE_SCHED;
}

bool trace_type_has_proc(enum trace_weight_type t, enum trace_blame b)
{
	return t == TRACE_CPU || t == TRACE_RUN || t == TRACE_ALLOC || t == TRACE_SYSCALL || (t == TRACE_SCHED && b == BLAME_OCCUPANT);
}

bool trace_type_has_classes(enum trace_weight_type t)
{
	return t == TRACE_CRITICAL || t == TRACE_TIME;
}

enum trace_estimate trace_type_estimate(enum trace_weight_type t, enum trace_blame b)
{
	if (t == TRACE_TIME || t == TRACE_CRITICAL)
		return ESTIMATE_PART;
	return t == TRACE_RUN || t == TRACE_ALLOC || (t == TRACE_SCHED && b == BLAME_OCCUPANT) ? ESTIMATE_ALL : ESTIMATE_NONE;
}

/* add_no_stack() of the reader creates that stack before all others. */
stk_id trace_no_stack_node(const struct snap *sn)
{
	if (!sn->has_trace || sn->nstks < 2 || stk_parent(sn->st, 1))
		return 0;
	fun_id f = store_frm(sn->st, stk_frame(sn->st, 1))->fun;
	const struct str_row *s = store_str(sn->st, store_fun(sn->st, f)->name);
	return s->n == sizeof SINK_NO_STACK - 1 && !memcmp(s->s, SINK_NO_STACK, s->n);
}

void trace_show_no_stack(struct trace_weights *w, const struct snap *sn)
{
	stk_id to = trace_no_stack_node(sn);
	if (w->node)
		to = w->n > 1 && w->node[1].stack == to ? 1 : 0;
	if (!to || w->n < 2)
		return;
	w->ns[to] = wrap_add(w->ns[to], w->ns[0]);
	w->count[to] = wrap_add(w->count[to], w->count[0]);
	w->ns[0] = w->count[0] = 0;
	for (uint32_t i = 0; i < w->npart; i++)
		if (!w->part[i].stack)
			w->part[i].stack = to;
}
