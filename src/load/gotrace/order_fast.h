/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_ORDER_FAST_H
#define TTRACE_LOAD_GOTRACE_ORDER_FAST_H

/*
 * The short path for common events. Eight types make up nineteen of twenty events, and nearly
 * always everything is as expected: the goroutine and the processor are those that the thread used
 * last, the sequence number is the next one, strings and stacks exist. Then the event is taken
 * here, without a struct order_step and without reading all of its row of events.def, in a third of
 * the instructions.
 *
 * An event that is unusual in any way changes nothing here and takes the general path (order.c).
 * Only that path knows why an event must wait or what is wrong with it. So this file may be left
 * out and the trace is the same (tests/load/t-same-store.c leaves it out). It is a header because the
 * functions are inlined into the loop of the merge; calls and the saving of registers were a tenth
 * of its time.
 *
 * Not taken: making the general path shorter. It is long because of the errors that it can report.
 */
#include "load/gotrace/order.h"
#include "load/gotrace/order_state.h"
#include "load/gotrace/wire.h"

#include <stddef.h>
#include <string.h>

/* Write the event with the thread's P and G before the change; text, stack2, value and value2 are 0. */
static inline struct trace_event *order_fast_put(
    struct event_orderer *o, unsigned type, const struct wire_event *ev, const struct order_thread *m, int64_t id)
{
	struct trace_event *t = o->next++;
	order_prefetch_out(t);
	t->time = order_monotonic_time(o, ev->time);
	t->m = m->id;
	t->p = m->p;
	t->g = m->g;
	memcpy((char *)t + offsetof(struct trace_event, kind),
	    (const char *)&wire_event_specs[type] + offsetof(struct wire_event_spec, kind), 8);
	t->id = id;
	t->value = 0;
	t->value2 = 0;
	return t;
}

/* Return the goroutine that runs, or is in a system call, on a thread that has a P. NULL: take the general path. */
static inline struct order_goroutine *order_fast_current_g(const struct order_thread *m, uint8_t status)
{
	struct order_goroutine *g = m->gs;
	return g && g->status == status && g->id == m->g && m->g != -1 && m->p != -1 ? g : NULL;
}

/* Return the goroutine of an event with a sequence number, if it has this status. An ended goroutine whose place
   was not taken yet has status G_BAD. */
static inline struct order_goroutine *order_fast_find_g(struct event_orderer *o, const uint64_t *arg, uint8_t status)
{
	int64_t id = (int64_t)arg[1];
	struct order_goroutine *g = order_place_g(o, id);
	if (g->id != id && !(g = goroutine_table_find_far(&o->gs, id)))
		return NULL;
	return g->status == status && g->age == o->age && arg[2] == g->seq + 1 ? g : NULL;
}

static inline __attribute__((always_inline)) bool order_fast_start(
    struct event_orderer *o, const struct wire_event *ev, struct order_thread *m)
{
	struct order_goroutine *g = order_fast_find_g(o, ev->arg, G_RUNNABLE);
	if (!g || m->p == -1 || m->g != -1)
		return false;
	order_fast_put(o, GE_GoStart, ev, m, g->id);
	g->status = G_RUNNING;
	g->seq = ev->arg[2];
	m->g = g->id;
	m->gs = g;
	return true;
}

static inline __attribute__((always_inline)) bool order_fast_unblock(
    struct event_orderer *o, const struct wire_event *ev, struct order_thread *m)
{
	struct order_goroutine *g = order_fast_find_g(o, ev->arg, G_WAITING);
	uint32_t stack = u64_index_get(&o->gen->stacks, ev->arg[3]);
	if (!g || stack == U64_INDEX_NONE)
		return false;
	order_fast_put(o, GE_GoUnblock, ev, m, g->id)->stack = stack;
	g->status = G_RUNNABLE;
	g->seq = ev->arg[2];
	return true;
}

/* GoStop and GoBlock: arg[1] is the reason, arg[2] the stack. */
static inline __attribute__((always_inline)) bool order_fast_stop(
    struct event_orderer *o, unsigned type, const struct wire_event *ev, struct order_thread *m, uint8_t status)
{
	struct order_goroutine *g = order_fast_current_g(m, G_RUNNING);
	uint32_t name = u64_index_get(&o->gen->strs, ev->arg[1]), stack = u64_index_get(&o->gen->stacks, ev->arg[2]);
	if (!g || name == U64_INDEX_NONE || stack == U64_INDEX_NONE)
		return false;
	struct trace_event *t = order_fast_put(o, type, ev, m, g->id);
	t->name = name;
	t->stack = stack;
	g->status = status;
	m->g = -1;
	return true;
}

static inline bool order_fast_destroy(struct event_orderer *o, const struct wire_event *ev, struct order_thread *m)
{
	struct order_goroutine *g = order_fast_current_g(m, G_RUNNING);
	if (!g)
		return false;
	order_fast_put(o, GE_GoDestroy, ev, m, g->id);
	order_remove_g(o, g);
	m->g = -1;
	return true;
}

static inline bool order_fast_create(struct event_orderer *o, const struct wire_event *ev, struct order_thread *m)
{
	int64_t id = (int64_t)ev->arg[1];
	uint32_t stack2 = u64_index_get(&o->gen->stacks, ev->arg[2]),
		 stack = u64_index_get(&o->gen->stacks, ev->arg[3]);
	if (!order_fast_current_g(m, G_RUNNING) || stack == U64_INDEX_NONE || stack2 == U64_INDEX_NONE ||
	    order_find_g(o, id))
		return false;
	order_add_g(o, id, G_RUNNABLE);
	struct trace_event *t = order_fast_put(o, GE_GoCreate, ev, m, id);
	t->stack = stack;
	t->stack2 = stack2;
	return true;
}

static inline __attribute__((always_inline)) bool order_fast_syscall(
    struct event_orderer *o, const struct wire_event *ev, struct order_thread *m)
{
	struct order_goroutine *g = order_fast_current_g(m, G_RUNNING);
	struct order_proc *p = m->ps;
	uint32_t stack = u64_index_get(&o->gen->stacks, ev->arg[2]);
	if (!g || !p || p->id != m->p || p->age != o->age || ev->arg[1] != p->seq + 1 || stack == U64_INDEX_NONE)
		return false;
	order_fast_put(o, GE_GoSyscallBegin, ev, m, g->id)->stack = stack;
	g->status = G_SYSCALL;
	p->status = P_SYSCALL;
	p->seq = ev->arg[1];
	return true;
}

static inline __attribute__((always_inline)) bool order_fast_return(
    struct event_orderer *o, const struct wire_event *ev, struct order_thread *m)
{
	struct order_goroutine *g = order_fast_current_g(m, G_SYSCALL);
	struct order_proc *p = m->ps;
	if (!g || !p || p->id != m->p || p->status != P_SYSCALL)
		return false;
	order_fast_put(o, GE_GoSyscallEnd, ev, m, g->id);
	g->status = G_RUNNING;
	p->status = P_RUNNING;
	return true;
}

/* Take ev of thread m if it is a common event and nothing about it is unusual. Returns false if nothing changed;
   then call order_advance(). */
static inline __attribute__((always_inline)) bool order_fast_advance(
    struct event_orderer *o, const struct wire_event *ev, struct order_thread *m)
{
	switch (ev->type) {
	case GE_GoStart: return order_fast_start(o, ev, m);
	case GE_GoUnblock: return order_fast_unblock(o, ev, m);
	case GE_GoBlock: return order_fast_stop(o, GE_GoBlock, ev, m, G_WAITING);
	case GE_GoStop: return order_fast_stop(o, GE_GoStop, ev, m, G_RUNNABLE);
	case GE_GoSyscallBegin: return order_fast_syscall(o, ev, m);
	case GE_GoSyscallEnd: return order_fast_return(o, ev, m);
	case GE_GoCreate: return order_fast_create(o, ev, m);
	case GE_GoDestroy: return order_fast_destroy(o, ev, m);
	default: return false;
	}
}

#endif
