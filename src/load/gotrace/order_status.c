/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The statuses at the beginning of a generation: the state of each goroutine and processor that the
 * generation refers to. In the first generation nothing else is known of them. Later a status must
 * agree with the events, or the trace is broken, with two exceptions: a processor whose thread was
 * abandoned in a system call, and the thread of a goroutine in a system call, which no other event
 * records.
 */
#include "config.h"
#include "load/gotrace/order_state.h"

#include <inttypes.h>

static const uint8_t g_states[G__N] = {
	[G_BAD] = TST_UNDETERMINED, [G_RUNNABLE] = TST_RUNNABLE, [G_RUNNING] = TST_RUNNING,
	[G_SYSCALL] = TST_SYSCALL, [G_WAITING] = TST_WAITING,
};
static const uint8_t p_states[P__N] = {
	[P_BAD] = TST_UNDETERMINED, [P_RUNNING] = TST_RUNNING, [P_IDLE] = TST_IDLE,
	[P_SYSCALL] = TST_RUNNING, [P_ABANDONED] = TST_IDLE,
};

/* A P's state at the start of a generation. If a P in a system call is recorded as abandoned, the event is emitted
   with the thread that has the P. */
enum order_result order_proc_status(struct order_step *s)
{
	struct event_orderer *o = s->o;
	int64_t id = (int64_t)s->ev->arg[1];
	uint8_t status = (uint8_t)s->ev->arg[2], was = status, to = status;
	if (status >= P__N)
		return order_fail(s, "%s: invalid status: %" PRIu64, status);
	uint8_t from = p_states[status];
	struct order_proc *p = order_find_p(o, id);
	bool promoted = false;
	if (!p) {
		p = order_add_p(o, id, status);
		from = o->gen->number == o->first_gen ? TST_UNDETERMINED : TST_NOTEXIST;
	} else if (status == P_ABANDONED && p->status == P_SYSCALL) {
		from = TST_RUNNING;
		to = P_SYSCALL;
		promoted = true;
	} else if (p->status != was) {
		return order_fail(s, "%s: inconsistent status for proc %" PRIu64, (uint64_t)id);
	}
	p->age = o->age;
	p->seq = 0;
	if (status == P_RUNNING || status == P_SYSCALL) {
		s->next.p = id;
		p->m = s->m ? s->m : p->m;
	}
	if (promoted) {
		struct order_thread *m = p->m;
		if (!m || m->p != id)
			return order_fail(s, "%s: failed to find sched context for proc %" PRIu64
			    " that's about to be stolen", (uint64_t)id);
		s->now = (struct order_place){m->id, id, m->g};
	}
	struct trace_event *t = order_emit(o, s->ev->type, s->ev, s->now);
	if (!t)
		return GO_BAD;
	t->from = from;
	t->to = p_states[to];
	return GO_YES;
}

/* Set the thread of a goroutine that is in a system call since before the generation. */
static bool bind_syscall(struct order_step *s, int64_t id, int64_t mid)
{
	struct event_orderer *o = s->o;
	if (mid == -1)
		return order_fail(s, "%s: found goroutine %" PRIu64 " in syscall without a thread",
		    (uint64_t)id), false;
	if (mid == s->now.m) {
		if (o->gen->number != o->first_gen && s->now.g != id)
			return order_fail(s,
			    "%s: inconsistent thread for syscalling goroutine %" PRIu64,
				   (uint64_t)id), false;
		s->next.g = id;
		return true;
	}
	struct order_thread *m = order_find_m(o, mid);
	if (m && m->g != id)
		return order_fail(s, "%s: inconsistent thread for syscalling goroutine %" PRIu64,
		    (uint64_t)id), false;
	if (m)
		s->now.g = m->g;
	else
		order_add_m(o, mid)->g = id;
	s->now.m = mid;
	return true;
}

enum order_result order_go_status(struct order_step *s)
{
	struct event_orderer *o = s->o;
	int64_t id = (int64_t)s->ev->arg[1], mid = (int64_t)s->ev->arg[2];
	uint8_t status = (uint8_t)s->ev->arg[3];
	if (status >= G__N)
		return order_fail(s, "%s: invalid status for a goroutine: %" PRIu64, status);
	uint8_t from = g_states[status];
	struct order_goroutine *g = order_find_g(o, id);
	if (g) {
		if (g->status != status)
			return order_fail(s, "%s: inconsistent status for goroutine %" PRIu64,
			    (uint64_t)id);
		g->age = o->age;
		g->seq = 0;
	} else if (o->gen->number == o->first_gen) {
		order_add_g(o, id, status);
		from = TST_UNDETERMINED;
	} else {
		return order_fail(s,
		    "%s for new goroutine after the first generation: id=%" PRIu64, (uint64_t)id);
	}
	if (status == G_RUNNING)
		s->next.g = id;
	if (status == G_SYSCALL && !bind_syscall(s, id, mid))
		return GO_BAD;
	struct trace_event *t = order_emit(o, s->ev->type, s->ev, s->now);
	if (!t)
		return GO_BAD;
	t->from = from;
	t->to = g_states[status];
	return GO_YES;
}
