/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Selects the stack that a run is charged to. A trace has no stack of a run, only
 * stacks of events: where the goroutine woke or created another, started a mark
 * assist, was preempted or blocked. The time of a run up to the next such event
 * is charged to the stack of the event. So a function that computes while it
 * holds a mutex is charged where it unlocks the mutex, not where its goroutine
 * blocks later. If CPU samples were taken in that time, the time up to a sample
 * is charged to the stack of the sample, and the time after the last sample to
 * that of the last.
 *
 * A run is divided at moments, not into shares. No nanosecond is lost or counted
 * twice, a window that cuts a run does not change what is charged on either side,
 * and only the stack of its last sample is kept of a run. Logs, regions and tasks
 * have stacks too, but are not used: they are in columns of their own, which may
 * be larger than the memory.
 *
 * Samples are in the store in the order of time, as sheets are. There are some
 * hundred of them a second and thread, so those of one sheet are few. They are
 * sorted by goroutine, as the edges of a sheet are.
 *
 * The weight of an event without a recorded stack cannot be charged to a stack.
 * Reports leave it out of the tree, as the reference does. Trees on a screen show
 * it under a frame of its own.
 */
#include "config.h"
#include "trace/run_stacks.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "trace/as_profile.h"

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

stk_id run_stacks_interrupted(const struct store *st, trk_id g, stk_id stack)
{
	while (stack && preempts(st, stk_frame(st, stack)))
		stack = stk_parent(st, stack);
	return stack ? stack : (stk_id)store_origin(st, store_trk(st, g))->start;
}

stk_id run_stacks_charged(const struct store *st, trk_id g, const struct run_moment *m, stk_id *sampled)
{
	stk_id stack = m->sample || !*sampled ? run_stacks_interrupted(st, g, m->stack) : *sampled;
	*sampled = m->sample ? stack : 0;
	return stack;
}

void run_moments_begin_sheet(struct run_moments *m, const struct snap *sn, const struct sheet *sh)
{
	m->st = sn->st;
	m->sh = sh;
	m->n = m->sample = m->edge = 0;
	for (; m->next < sn->nsmps; m->next++) {
		struct smp_time t = store_smp_time(m->st, m->next);
		if (t.when >= sh->t1)
			break;
		if (t.when == TIME_NONE || !t.trk || !store_smp(m->st, m->next)->stack)
			continue;
		m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
		m->v[m->n++] = (struct radix_item){ t.trk, m->next };
	}
	radix_sort_items(m->v, (uint32_t)m->n);
}

static uint32_t edge_interval(const struct run_moments *m)
{
	return m->sh->edge[m->edge] & ~EDGE_CREATED;
}

void run_moments_begin_goroutine(struct run_moments *m, trk_id g)
{
	m->g = g;
	while (m->sample < m->n && m->v[m->sample].key < g)
		m->sample++;
	while (m->edge < m->sh->nedge && sheet_peer(m->sh, edge_interval(m)) < g)
		m->edge++;
}

bool run_moments_next(struct run_moments *m, int64_t t, struct run_moment *out)
{
	*out = (struct run_moment){ .t = t };
	if (m->edge < m->sh->nedge && sheet_peer(m->sh, edge_interval(m)) == m->g) {
		uint32_t i = edge_interval(m);
		int64_t when = m->sh->t0 + sheet_start(m->sh, i);
		if (when < t)
			*out = (struct run_moment){ .t = when, .stack = sheet_stack(m->sh, i),
			    .created = m->sh->edge[m->edge] & EDGE_CREATED };
	}
	if (m->sample < m->n && m->v[m->sample].key == m->g) {
		uint32_t i = m->v[m->sample].v;
		int64_t when = store_smp_time(m->st, i).when;
		if (when < out->t)
			*out = (struct run_moment){ .t = when, .stack = store_smp(m->st, i)->stack, .sample = true };
	}
	m->sample += out->sample;
	m->edge += out->t < t && !out->sample;
	return out->t < t;
}

void run_moments_free(struct run_moments *m)
{
	mem_free(m->v);
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
	return t == TRACE_CPU || t == TRACE_RUN || t == TRACE_SYSCALL || (t == TRACE_SCHED && b == BLAME_OCCUPANT);
}

bool trace_type_has_classes(enum trace_weight_type t)
{
	return t == TRACE_CRITICAL || t == TRACE_TIME;
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
