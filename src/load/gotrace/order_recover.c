/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Taking an event although its cause is missing. In a truncated generation each thread has a
 * beginning and no end, and many threads have nothing: the batches are missing that held the
 * initial states of goroutines and processors, and the events that woke or released them. When no
 * thread can advance, the earliest waiting event is assumed to be right: the state that it requires
 * is set, as if a status event had recorded it, and its sequence number counts as the next one.
 *
 * The batches of a thread are complete up to its last one. So the state of a thread with events
 * still to come is reliable, and its G and P are not taken from it; those of a thread without
 * further events may be. An event that contradicts this is left for later, or left out.
 *
 * Not taken: emitting the assumed status as an event. That event would not be in the file, and the
 * transition itself records the previous state.
 */
#include "config.h"
#include "load/gotrace/order_state.h"

/* Take goroutine g and processor p (-1: none) from all other threads. Returns false if a thread with events still
   to come has one. */
static bool set_free(struct event_orderer *o, const struct order_thread *mine, int64_t g, int64_t p)
{
	for (const struct order_thread *m = o->all_m; m; m = m->next)
		if (m != mine && m->age == o->age && ((g != -1 && m->g == g) || (p != -1 && m->p == p)))
			return false;
	for (struct order_thread *m = o->all_m; m; m = m->next) {
		if (m == mine)
			continue;
		if (g != -1 && m->g == g)
			m->g = -1;
		if (p != -1 && m->p == p)
			m->p = -1;
	}
	return true;
}

/* Assume that the goroutine was in this state, and that seq is its next sequence number. */
static bool force_g(struct event_orderer *o, const struct order_thread *mine, int64_t id, uint8_t status, uint64_t seq)
{
	if (id == -1 || (mine && mine->g == id && status != G_RUNNING && status != G_SYSCALL) ||
	    !set_free(o, mine, id, -1))
		return false;
	struct order_goroutine *g = order_find_g(o, id);
	if (!g)
		g = order_add_g(o, id, status);
	g->status = status;
	g->age = o->age;
	g->seq = seq - 1;
	return true;
}

static struct order_proc *force_p(struct event_orderer *o, int64_t id, uint8_t status, uint64_t seq)
{
	struct order_proc *p = order_find_p(o, id);
	if (!p)
		p = order_add_p(o, id, status);
	p->status = status;
	p->age = o->age;
	p->seq = seq - 1;
	return p;
}

/* Assume that the processor of the thread was taken away by a missing event. */
static void lose_p(struct event_orderer *o, struct order_thread *m)
{
	struct order_proc *p = m->p == -1 ? NULL : order_find_p(o, m->p);
	if (p)
		p->status = P_IDLE;
	m->p = -1;
}

static bool force_start(struct event_orderer *o, struct order_thread *m, int64_t id, uint64_t seq)
{
	if (!m || id == -1 || m->p == id || !set_free(o, m, -1, id))
		return false;
	lose_p(o, m);
	force_p(o, id, P_IDLE, seq);
	return true;
}

static bool force_steal(struct event_orderer *o, int64_t id, uint64_t seq, int64_t from)
{
	if (id == -1)
		return false;
	struct order_thread *m = order_find_m(o, from);
	bool has = m && m->p == id;
	if (!set_free(o, has ? m : NULL, -1, id))
		return false;
	force_p(o, id, has ? P_SYSCALL : P_ABANDONED, seq);
	return true;
}

/* Assume the states of the thread's current goroutine and processor. */
static bool force_own(struct event_orderer *o, struct order_thread *m, uint8_t status, uint8_t pstatus, uint64_t seq)
{
	struct order_goroutine *g = m && m->g != -1 ? order_find_g(o, m->g) : NULL;
	if (!g || !set_free(o, m, m->g, m->p))
		return false;
	g->status = status;
	struct order_proc *p = m->p == -1 ? NULL : order_find_p(o, m->p);
	if (p) {
		p->status = pstatus;
		p->age = o->age;
		if (seq)
			p->seq = seq - 1;
	}
	return true;
}

/* The call ended without the processor, which was taken by a missing event. */
static bool force_end_blocked(struct event_orderer *o, struct order_thread *m)
{
	if (!force_own(o, m, G_SYSCALL, P_SYSCALL, 0))
		return false;
	lose_p(o, m);
	return true;
}

/* A status event after an assumption about the same goroutine: the status is right. */
static bool force_status(struct event_orderer *o, struct order_thread *m, const struct wire_event *ev)
{
	int64_t id = (int64_t)ev->arg[1];
	uint8_t status = (uint8_t)ev->arg[3];
	if (ev->arg[3] <= G_BAD || ev->arg[3] >= G__N)
		return false;
	if (status == G_SYSCALL) {
		m = order_find_m(o, (int64_t)ev->arg[2]);
		if (m && m->g != id && m->age == o->age)
			return false;
		if (!force_g(o, m, id, status, 1))
			return false;
		if (m)
			m->g = id;
		return true;
	}
	return force_g(o, status == G_RUNNING ? m : NULL, id, status, 1);
}

static bool force_proc_status(struct event_orderer *o, struct order_thread *m, const struct wire_event *ev)
{
	int64_t id = (int64_t)ev->arg[1];
	uint8_t status = (uint8_t)ev->arg[2];
	if (ev->arg[2] <= P_BAD || ev->arg[2] >= P__N || id == -1)
		return false;
	bool runs = status == P_RUNNING || status == P_SYSCALL;
	if (!set_free(o, runs ? m : NULL, -1, id))
		return false;
	force_p(o, id, status, 1);
	return true;
}

static bool force_gc(struct event_orderer *o, const struct wire_event *ev)
{
	o->gc_seq = ev->arg[1] - 1;
	order_assume_gc(o, ev->type != GE_GCBegin);
	return true;
}

static bool force_state(struct event_orderer *o, struct order_thread *m, const struct wire_event *ev)
{
	int64_t id = (int64_t)ev->arg[1];
	uint64_t seq = ev->arg[2];
	switch (ev->type) {
	case GE_ProcStart:
		return force_start(o, m, id, seq);
	case GE_ProcSteal:
		return force_steal(o, id, seq, (int64_t)ev->arg[3]);
	case GE_ProcStatus:
		return force_proc_status(o, m, ev);
	case GE_GoStatus:
	case GE_GoStatusStack:
		return force_status(o, m, ev);
	case GE_GoStart:
		return m && m->g == -1 && force_g(o, m, id, G_RUNNABLE, seq);
	case GE_GoUnblock:
	case GE_GoSwitch:
	case GE_GoSwitchDestroy:
		return force_g(o, m, id, G_WAITING, seq);
	case GE_GoSyscallBegin:
		return force_own(o, m, G_RUNNING, P_RUNNING, ev->arg[1]);
	case GE_GoSyscallEnd:
		return force_own(o, m, G_SYSCALL, P_SYSCALL, 0);
	case GE_GoSyscallEndBlocked:
		return force_end_blocked(o, m);
	case GE_GoDestroySyscall:
		return force_own(o, m, G_SYSCALL, P_SYSCALL, 0);
	case GE_GCActive:
	case GE_GCBegin:
	case GE_GCEnd:
		return force_gc(o, ev);
	default:
		return false;
	}
}

enum order_result order_force(struct event_orderer *o, struct wire_event *ev, int64_t m, struct order_thread **state)
{
	if (m != -1 && !*state)
		return GO_WAIT;
	if (!force_state(o, m == -1 ? NULL : *state, ev))
		return GO_WAIT;
	return order_advance(o, ev, m, state);
}
