/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Believing an event. Of a generation that is cut, each thread has a beginning
 * and no end, and many have nothing: what goroutines and processors were when it
 * began, who woke them and who gave them up lies in batches that never came. When
 * no thread can go on, the earliest event that waits is taken at its word: what
 * has to have been before it, was, as if a status event had said so, and its
 * sequence number is the next.
 *
 * Batches of a thread are there without a gap up to its last one. So a thread
 * whose events are still to come knows better than anybody what it runs, and
 * nothing is taken from it; from one that has ended anything is. An event that
 * cannot be believed then is left for later, or left out.
 *
 * Not taken: saying the status that was believed as an event of its own. It would
 * be an event that is not in the file; the transition itself says what was before.
 */
#include "config.h"
#include "load/gotrace/order_state.h"

/* Nobody else has goroutine g or processor p (-1: none) from here on. false: one that goes on has it. */
static bool set_free(struct goorder *o, const struct go_m *mine, int64_t g, int64_t p)
{
	for (const struct go_m *m = o->all_m; m; m = m->next)
		if (m != mine && m->age == o->age && ((g != -1 && m->g == g) || (p != -1 && m->p == p)))
			return false;
	for (struct go_m *m = o->all_m; m; m = m->next) {
		if (m == mine)
			continue;
		if (g != -1 && m->g == g)
			m->g = -1;
		if (p != -1 && m->p == p)
			m->p = -1;
	}
	return true;
}

/* The goroutine was in this state, and seq is its next number. */
static bool believe_g(struct goorder *o, const struct go_m *mine, int64_t id, uint8_t status, uint64_t seq)
{
	if (id == -1 || (mine && mine->g == id && status != G_RUNNING && status != G_SYSCALL) ||
	    !set_free(o, mine, id, -1))
		return false;
	struct go_g *g = gostep_find_g(o, id);
	if (!g)
		g = gostep_add_g(o, id, status);
	g->status = status;
	g->age = o->age;
	g->seq = seq - 1;
	return true;
}

static struct go_p *believe_p(struct goorder *o, int64_t id, uint8_t status, uint64_t seq)
{
	struct go_p *p = gostep_find_p(o, id);
	if (!p)
		p = gostep_add_p(o, id, status);
	p->status = status;
	p->age = o->age;
	p->seq = seq - 1;
	return p;
}

/* The processor that the thread had was taken away by somebody of whom nothing is known. */
static void lose_p(struct goorder *o, struct go_m *m)
{
	struct go_p *p = m->p == -1 ? NULL : gostep_find_p(o, m->p);
	if (p)
		p->status = P_IDLE;
	m->p = -1;
}

static bool believe_start(struct goorder *o, struct go_m *m, int64_t id, uint64_t seq)
{
	if (!m || id == -1 || m->p == id || !set_free(o, m, -1, id))
		return false;
	lose_p(o, m);
	believe_p(o, id, P_IDLE, seq);
	return true;
}

static bool believe_steal(struct goorder *o, int64_t id, uint64_t seq, int64_t from)
{
	if (id == -1)
		return false;
	struct go_m *m = gostep_find_m(o, from);
	bool has = m && m->p == id;
	if (!set_free(o, has ? m : NULL, -1, id))
		return false;
	believe_p(o, id, has ? P_SYSCALL : P_ABANDONED, seq);
	return true;
}

/* What the thread's own goroutine and processor must have been, for they are its own. */
static bool believe_own(struct goorder *o, struct go_m *m, uint8_t status, uint8_t pstatus, uint64_t seq)
{
	struct go_g *g = m && m->g != -1 ? gostep_find_g(o, m->g) : NULL;
	if (!g || !set_free(o, m, m->g, m->p))
		return false;
	g->status = status;
	struct go_p *p = m->p == -1 ? NULL : gostep_find_p(o, m->p);
	if (p) {
		p->status = pstatus;
		p->age = o->age;
		if (seq)
			p->seq = seq - 1;
	}
	return true;
}

/* The call ended without the processor: who took it is not known. */
static bool believe_end_blocked(struct goorder *o, struct go_m *m)
{
	if (!believe_own(o, m, G_SYSCALL, P_SYSCALL, 0))
		return false;
	lose_p(o, m);
	return true;
}

/* A status that comes after something was believed: the status knows better. */
static bool believe_status(struct goorder *o, struct go_m *m, const struct goev *ev)
{
	int64_t id = (int64_t)ev->arg[1];
	uint8_t status = (uint8_t)ev->arg[3];
	if (ev->arg[3] <= G_BAD || ev->arg[3] >= G__N)
		return false;
	if (status == G_SYSCALL) {
		m = gostep_find_m(o, (int64_t)ev->arg[2]);
		if (m && m->g != id && m->age == o->age)
			return false;
		if (!believe_g(o, m, id, status, 1))
			return false;
		if (m)
			m->g = id;
		return true;
	}
	return believe_g(o, status == G_RUNNING ? m : NULL, id, status, 1);
}

static bool believe_proc_status(struct goorder *o, struct go_m *m, const struct goev *ev)
{
	int64_t id = (int64_t)ev->arg[1];
	uint8_t status = (uint8_t)ev->arg[2];
	if (ev->arg[2] <= P_BAD || ev->arg[2] >= P__N || id == -1)
		return false;
	bool runs = status == P_RUNNING || status == P_SYSCALL;
	if (!set_free(o, runs ? m : NULL, -1, id))
		return false;
	believe_p(o, id, status, 1);
	return true;
}

static bool believe_gc(struct goorder *o, const struct goev *ev)
{
	o->gc_seq = ev->arg[1] - 1;
	gostep_gc_was(o, ev->type != GE_GCBegin);
	return true;
}

static bool believe(struct goorder *o, struct go_m *m, const struct goev *ev)
{
	int64_t id = (int64_t)ev->arg[1];
	uint64_t seq = ev->arg[2];
	switch (ev->type) {
	case GE_ProcStart:
		return believe_start(o, m, id, seq);
	case GE_ProcSteal:
		return believe_steal(o, id, seq, (int64_t)ev->arg[3]);
	case GE_ProcStatus:
		return believe_proc_status(o, m, ev);
	case GE_GoStatus:
	case GE_GoStatusStack:
		return believe_status(o, m, ev);
	case GE_GoStart:
		return m && m->g == -1 && believe_g(o, m, id, G_RUNNABLE, seq);
	case GE_GoUnblock:
	case GE_GoSwitch:
	case GE_GoSwitchDestroy:
		return believe_g(o, m, id, G_WAITING, seq);
	case GE_GoSyscallBegin:
		return believe_own(o, m, G_RUNNING, P_RUNNING, ev->arg[1]);
	case GE_GoSyscallEnd:
		return believe_own(o, m, G_SYSCALL, P_SYSCALL, 0);
	case GE_GoSyscallEndBlocked:
		return believe_end_blocked(o, m);
	case GE_GoDestroySyscall:
		return believe_own(o, m, G_SYSCALL, P_SYSCALL, 0);
	case GE_GCActive:
	case GE_GCBegin:
	case GE_GCEnd:
		return believe_gc(o, ev);
	default:
		return false;
	}
}

enum go_advance goorder_force(struct goorder *o, struct goev *ev, int64_t m, struct go_m **state)
{
	if (m != -1 && !*state)
		return GO_WAIT;
	if (!believe(o, m == -1 ? NULL : *state, ev))
		return GO_WAIT;
	return goorder_advance(o, ev, m, state);
}
