/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The scheduler's state machine. Clocks of different processors disagree, so times alone do not
 * order a trace. These rules do: events of one thread are in order; starting or waking a goroutine,
 * and taking a processor, carry sequence numbers; and a goroutine cannot run unless it was
 * runnable. So the orderer keeps the state of every goroutine (G), processor (P) and thread (M),
 * and takes an event only when it is possible. GO_WAIT makes the caller try another thread; GO_BAD
 * means that the event will never be possible and the trace is broken.
 *
 * Handlers are in a table by event type. Each gets a step: the thread's G and P now and, to be
 * changed, after the event. order_emit() makes the event from its row in events.def, with the G and
 * P before the change.
 *
 * State belongs to the whole trace (order_tables.c), ids of strings and stacks to a generation.
 * What must outlive a generation (names of tasks, regions and stops) is kept as bytes. The statuses
 * at the beginning of a generation are handled by order_status.c, events that are not scheduling by
 * order_ranges.c, a truncated trace by order_recover.c.
 */
#include "config.h"
#include "load/gotrace/order.h"

#include "load/gotrace/order_state.h"

#include <inttypes.h>
#include <string.h>

/* Return the error that gets the reason of a failure. Return NULL in a salvaged generation, where each event may fail and no
   reason is read. */
static struct err *reason(struct event_orderer *o)
{
	return o->gen->salvaged ? NULL : &o->bad;
}

enum order_result order_fail(struct order_step *s, const char *fmt, uint64_t v)
{
	err_set(reason(s->o), ERR_FORMAT, ERR_NOWHERE, fmt, wire_event_specs[s->ev->type].name, v);
	return GO_BAD;
}

/* ---- emitting events */

/* Report an id without a string or stack. Returns U64_INDEX_NONE, or 0 in a salvaged generation, where it does not
   matter. */
static uint32_t report_missing(struct event_orderer *o, uint64_t id, uint8_t type, const char *what)
{
	if (o->gen->salvaged)
		return 0;
	err_set(&o->bad, ERR_FORMAT, ERR_NOWHERE, "found invalid %s ID %" PRIu64 " for event %s", what, id,
	    wire_event_specs[type].name);
	return U64_INDEX_NONE;
}

uint32_t order_string(struct event_orderer *o, uint64_t id, uint8_t type)
{
	uint32_t i = u64_index_get(&o->gen->strs, id);
	return i != U64_INDEX_NONE ? i : report_missing(o, id, type, "string");
}

static inline uint32_t stack_at(struct event_orderer *o, uint64_t id, uint8_t type)
{
	uint32_t i = u64_index_get(&o->gen->stacks, id);
	return i != U64_INDEX_NONE ? i : report_missing(o, id, type, "stack");
}

/* Set the fields that few rows have: a second stack, a second string, or a second number. */
static struct trace_event *emit_extra_fields(
    struct event_orderer *o, const struct wire_event_spec *s, const uint64_t *arg, struct trace_event *t)
{
	uint32_t text = 0, stack2 = 0;
	if (s->text && (text = order_string(o, arg[s->text], s->wire)) == U64_INDEX_NONE)
		return NULL;
	if (s->stack2 && (stack2 = stack_at(o, arg[s->stack2], s->wire)) == U64_INDEX_NONE)
		return NULL;
	if (s->value2) {
		t->value2 = arg[s->value2];
		return t;
	}
	t->text = text;
	t->stack2 = stack2;
	return t;
}

/* Emit an event. Most have at most one stack, and no string but the reason why a goroutine stops. */
static struct trace_event *emit_event(
    struct event_orderer *o, uint8_t type, struct wire_event *ev, const struct order_place *w)
{
	const struct wire_event_spec *s = &wire_event_specs[type];
	uint64_t *arg = ev->arg;
	uint32_t name = 0, stack = 0;
	struct trace_event *t = o->next;
	if (s->stack && (stack = stack_at(o, arg[s->stack], type)) == U64_INDEX_NONE)
		return NULL;
	if (s->str && (name = order_string(o, arg[s->str], type)) == U64_INDEX_NONE)
		return NULL;
	arg[GO_ARG_G] = (uint64_t)w->g;
	arg[GO_ARG_P] = (uint64_t)w->p;
	t->value = arg[s->value];
	t->name = name;
	t->stack = stack;
	if (s->rest && !emit_extra_fields(o, s, arg, t))
		return NULL;
	o->next++;
	order_prefetch_out(t);
	t->time = order_monotonic_time(o, ev->time);
	t->m = w->m;
	t->p = w->p;
	t->g = w->g;
	memcpy((char *)t + offsetof(struct trace_event, kind), (const char *)s + offsetof(struct wire_event_spec, kind),
	    8);
	t->id = (int64_t)arg[s->id];
	return t;
}

struct trace_event *order_emit(struct event_orderer *o, uint8_t type, struct wire_event *ev, struct order_place w)
{
	return emit_event(o, type, ev, &w);
}

enum order_result order_accept(struct order_step *s)
{
	return order_emit(s->o, s->ev->type, s->ev, s->now) ? GO_YES : GO_BAD;
}

/* The same, inlined because it is called for most events. */
static inline enum order_result accept_step(struct order_step *s)
{
	return emit_event(s->o, s->ev->type, s->ev, &s->now) ? GO_YES : GO_BAD;
}

void order_set_output(struct event_orderer *o, struct trace_event *out)
{
	o->out = o->next = out;
	o->full = out + GO_OUT - GO_OUT_ROOM;
}

bool order_flush(struct event_orderer *o)
{
	size_t n = (size_t)(o->next - o->out);
	o->next = o->out;
	if (n && !o->stopped) {
		o->info->events += n;
		if (o->ops->progress)
			o->ops->progress(o->self, o->bytes);
		o->stopped = !o->ops->events(o->self, o->gen, o->out, n);
	}
	return !o->stopped;
}

void order_emit_sync(struct event_orderer *o, int64_t time, bool opens)
{
	*o->next++ = (struct trace_event){
	    .time = order_monotonic_time(o, time), .m = -1, .p = -1, .g = -1, .kind = TEV_SYNC,
	    .wire = GE_SYNC_OURS,
	    .what = opens, .value = ++o->syncs,
	};
}

int order_emit_sample(struct event_orderer *o, const struct gen_sample *s)
{
	struct wire_event ev = {.time = s->time, .arg = {0, s->stack}, .type = GE_CPUSample};
	struct order_place w = {(int64_t)s->m, (int64_t)s->p, (int64_t)s->g};
	if (u64_index_get(&o->gen->stacks, s->stack) == U64_INDEX_NONE)
		ev.arg[1] = 0;	/* the reference checks the id only when the stack is printed */
	return order_emit(o, GE_CPUSample, &ev, w) ? 0 : -1;
}

static bool is_next_seq(const struct event_orderer *o, uint64_t seq, uint32_t age, uint64_t before)
{
	return age == o->age && seq == before + 1;
}

bool order_require(struct order_step *s, enum order_need p, enum order_need g)
{
	const char *why = NULL;
	if (s->now.m == -1)
		why = "expected a thread but didn't have one";
	else if (p == MUST && s->now.p == -1 && !s->o->gen->salvaged)
		why = "expected a proc but didn't have one";
	else if (p == NOT && s->now.p != -1)
		why = "expected no proc but had one";
	else if (g == MUST && s->now.g == -1)
		why = "expected a goroutine but didn't have one";
	else if (g == NOT && s->now.g != -1)
		why = "expected no goroutine but had one";
	if (why)
		err_set(reason(s->o), ERR_FORMAT, ERR_NOWHERE, "%s, at event %s", why,
		    wire_event_specs[s->ev->type].name);
	return !why;
}

static struct order_goroutine *find_running(struct order_step *s, uint8_t status)
{
	if (!order_require(s, MUST, MUST))
		return NULL;
	struct order_goroutine *g = order_current_g(s);
	if (!g)
		order_fail(s, "event %s for goroutine (%" PRIu64 ") that doesn't exist",
		    (uint64_t)s->now.g);
	else if (g->status != status)
		order_fail(s, "%s event for goroutine %" PRIu64 " that's not Running",
		    (uint64_t)s->now.g);
	return g && g->status == status ? g : NULL;
}

/* Return the running goroutine of this thread, or NULL; then o->bad has the reason. Nearly always it is the cached
   one. */
static inline struct order_goroutine *running_g(struct order_step *s, uint8_t status)
{
	struct order_goroutine *g = s->m ? s->m->gs : NULL;
	if (g && g->used && g->id == s->now.g && g->status == status && g->id != -1 && s->now.p != -1)
		return g;
	return find_running(s, status);
}

/* ---- processors */

static enum order_result proc_start(struct order_step *s)
{
	int64_t id = (int64_t)s->ev->arg[1];
	struct order_proc *p = order_find_p(s->o, id);
	if (!p || p->status != P_IDLE || !is_next_seq(s->o, s->ev->arg[2], p->age, p->seq) ||
	    s->now.p != -1)
		return GO_WAIT;
	if (!order_require(s, NOT, MAY))
		return GO_BAD;
	p->status = P_RUNNING;
	p->seq = s->ev->arg[2];
	p->m = s->m;
	s->next.p = id;
	return accept_step(s);
}

static enum order_result proc_stop(struct order_step *s)
{
	struct order_proc *p = order_current_p(s);
	if (!p)
		return order_fail(s, "event %s for proc (%" PRIu64 ") that doesn't exist",
		    (uint64_t)s->now.p);
	if (p->status != P_RUNNING && p->status != P_SYSCALL)
		return order_fail(s, "%s event for proc %" PRIu64 " that's not Running or Syscall",
		    (uint64_t)s->now.p);
	if (!order_require(s, MUST, MAY))
		return GO_BAD;
	p->status = P_IDLE;
	s->next.p = -1;
	return accept_step(s);
}

static enum order_result proc_steal(struct order_step *s)
{
	int64_t id = (int64_t)s->ev->arg[1], from = (int64_t)s->ev->arg[3];
	struct order_proc *p = order_find_p(s->o, id);
	if (!p || (p->status != P_SYSCALL && p->status != P_ABANDONED) ||
	    !is_next_seq(s->o, s->ev->arg[2], p->age, p->seq))
		return GO_WAIT;
	if (!order_require(s, MAY, MAY))
		return GO_BAD;
	bool lost = p->status == P_ABANDONED;
	p->status = P_IDLE;
	p->seq = s->ev->arg[2];
	if (lost) {
		/* its thread may have any other P by now; the P was recorded as idle */
	} else if (from == s->now.m) {
		if (s->now.p != id)
			return order_fail(s,
			    "%s: tried to self-steal proc %" PRIu64 ", but got another",
			    (uint64_t)id);
		s->next.p = -1;
	} else {
		struct order_thread *m = order_find_m(s->o, from);
		if (!m)
			return order_fail(s, "%s: stole proc from non-existent thread %" PRIu64,
			    (uint64_t)from);
		if (m->p != id)
			return order_fail(s,
			    "%s: tried to steal proc %" PRIu64 " from a thread that has another",
			    (uint64_t)id);
		m->p = -1;	/* now the thread's system call can end */
	}
	struct trace_event *t = order_emit(s->o, s->ev->type, s->ev, s->now);
	if (t && lost)
		t->from = TST_IDLE;
	return t ? GO_YES : GO_BAD;
}

/* ---- goroutines */

static enum order_result go_create(struct order_step *s)
{
	if (!order_require(s, MUST, MAY))
		return GO_BAD;
	struct order_goroutine *g = order_current_g(s);
	if (g && g->status != G_RUNNING)
		return order_fail(s, "%s event for goroutine %" PRIu64 " that's not Running",
		    (uint64_t)s->now.g);
	int64_t id = (int64_t)s->ev->arg[1];
	if (order_find_g(s->o, id))
		return order_fail(s,
		    "%s: tried to create goroutine (%" PRIu64 ") that already exists",
		    (uint64_t)id);
	order_add_g(s->o, id, s->ev->type == GE_GoCreateBlocked ? G_WAITING : G_RUNNABLE);
	return accept_step(s);
}

static enum order_result go_create_syscall(struct order_step *s)
{
	if (!order_require(s, MAY, NOT))
		return GO_BAD;
	int64_t id = (int64_t)s->ev->arg[1];
	if (order_find_g(s->o, id))
		return order_fail(s,
		    "%s: tried to create goroutine (%" PRIu64 ") in syscall that already exists",
		    (uint64_t)id);
	order_add_g(s->o, id, G_SYSCALL);
	s->next.g = id;
	return accept_step(s);
}

static enum order_result go_start(struct order_step *s)
{
	int64_t id = (int64_t)s->ev->arg[1];
	struct order_goroutine *g = order_find_g(s->o, id);
	if (!g || g->status != G_RUNNABLE || !is_next_seq(s->o, s->ev->arg[2], g->age, g->seq))
		return GO_WAIT;
	if ((!s->m || s->now.p == -1 || s->now.g != -1) && !order_require(s, MUST, NOT))
		return GO_BAD;
	g->status = G_RUNNING;
	g->seq = s->ev->arg[2];
	s->next.g = id;
	if (s->m)
		s->m->gs = g;
	return accept_step(s);
}

static enum order_result go_stop(struct order_step *s)
{
	struct order_goroutine *g = running_g(s, G_RUNNING);
	if (!g)
		return GO_BAD;
	if (s->ev->type == GE_GoDestroy)
		order_remove_g(s->o, g);
	else
		g->status = s->ev->type == GE_GoStop ? G_RUNNABLE : G_WAITING;
	s->next.g = -1;
	return accept_step(s);
}

static enum order_result go_unblock(struct order_step *s)
{
	struct order_goroutine *g = order_find_g(s->o, (int64_t)s->ev->arg[1]);
	if (!g || g->status != G_WAITING || !is_next_seq(s->o, s->ev->arg[2], g->age, g->seq))
		return GO_WAIT;
	g->status = G_RUNNABLE;
	g->seq = s->ev->arg[2];
	return accept_step(s);
}

/* Three events in one: the other goroutine is woken, this one blocks or ends, the other one starts. */
static enum order_result go_switch(struct order_step *s)
{
	struct order_goroutine *g = running_g(s, G_RUNNING);
	if (!g)
		return GO_BAD;
	int64_t id = (int64_t)s->ev->arg[1];
	struct order_goroutine *to = order_find_g(s->o, id);
	if (!to || to->status != G_WAITING || !is_next_seq(s->o, s->ev->arg[2], to->age, to->seq))
		return GO_WAIT;
	if (!order_emit(s->o, s->ev->type, s->ev, s->now))
		return GO_BAD;
	struct wire_event none = {.time = s->ev->time};
	if (s->ev->type == GE_GoSwitch) {
		g->status = G_WAITING;
		order_emit(s->o, GE_GoBlock, &none, s->now);
	} else {
		order_remove_g(s->o, g);
		order_emit(s->o, GE_GoDestroy, &none, s->now);
	}
	to->status = G_RUNNING;
	to->seq = s->ev->arg[2];
	s->next.g = id;
	struct wire_event start = {.time = s->ev->time, .arg = {0, (uint64_t)id, s->ev->arg[2]}};
	return order_emit(s->o, GE_GoStart, &start, (struct order_place){s->now.m, s->now.p, -1})
	    ? GO_YES : GO_BAD;
}

static enum order_result syscall_begin(struct order_step *s)
{
	struct order_goroutine *g = running_g(s, G_RUNNING);
	if (!g)
		return GO_BAD;
	g->status = G_SYSCALL;
	struct order_proc *p = order_current_p(s);
	if (!p && s->now.p == -1)	/* in a truncated generation */
		return accept_step(s);
	if (!p)
		return order_fail(s, "%s: uninitialized proc %" PRIu64, (uint64_t)s->now.p);
	p->status = P_SYSCALL;
	if (!is_next_seq(s->o, s->ev->arg[1], p->age, p->seq))
		return order_fail(s, "failed to advance %s: can't make sequence %" PRIu64,
		    s->ev->arg[1]);
	p->seq = s->ev->arg[1];
	return accept_step(s);
}

static enum order_result syscall_end(struct order_step *s)
{
	struct order_goroutine *g = running_g(s, G_SYSCALL);
	if (!g)
		return GO_BAD;
	g->status = G_RUNNING;
	struct order_proc *p = order_current_p(s);
	if (!p && s->now.p == -1)
		return accept_step(s);
	if (!p || p->status != P_SYSCALL)
		return order_fail(s, "%s: expected proc %" PRIu64 " in state Syscall",
		    (uint64_t)s->now.p);
	p->status = P_RUNNING;
	return accept_step(s);
}

/* The call lasted so long that the P was taken away; wait until that event was taken. */
static enum order_result syscall_end_blocked(struct order_step *s)
{
	if (s->now.p != -1) {
		struct order_proc *p = order_current_p(s);
		if (!p)
			return order_fail(s, "%s: uninitialized proc %" PRIu64, (uint64_t)s->now.p);
		if (p->status == P_SYSCALL)
			return GO_WAIT;
	}
	if (!order_require(s, MAY, MUST))
		return GO_BAD;
	struct order_goroutine *g = order_current_g(s);
	if (!g || g->status != G_SYSCALL)
		return order_fail(s, "%s event for goroutine %" PRIu64 " that's not in a syscall",
		    (uint64_t)s->now.g);
	g->status = G_RUNNABLE;
	s->next.g = -1;
	return accept_step(s);
}

/* A C thread's call into Go ends. Its P is released too, because the id of the thread may soon be used by another
   one. */
static enum order_result destroy_syscall(struct order_step *s)
{
	if (!order_require(s, MAY, MUST))
		return GO_BAD;
	struct order_goroutine *g = order_current_g(s);
	if (!g || g->status != G_SYSCALL)
		return order_fail(s, "%s event for goroutine %" PRIu64 " that's not in a syscall",
		    (uint64_t)s->now.g);
	order_remove_g(s->o, g);
	s->next.g = -1;
	if (s->now.p != -1) {
		struct order_proc *p = order_current_p(s);
		if (!p || p->status != P_SYSCALL)
			return order_fail(s, "%s: proc %" PRIu64 " in unexpected state",
			    (uint64_t)s->now.p);
		p->status = P_ABANDONED;
		s->next.p = -1;
		struct wire_event steal = {.time = s->ev->time, .arg = {0, (uint64_t)s->now.p}};
		order_emit(s->o, GE_ProcSteal, &steal, s->now);
	}
	return accept_step(s);
}

static order_handler *const handlers[GE__N] = {
	[GE_ProcsChange] = order_annotation, [GE_ProcStart] = proc_start,
	    [GE_ProcStop] = proc_stop,
	[GE_ProcSteal] = proc_steal, [GE_ProcStatus] = order_proc_status,
	[GE_GoCreate] = go_create, [GE_GoCreateBlocked] = go_create,
	[GE_GoCreateSyscall] = go_create_syscall, [GE_GoStart] = go_start,
	[GE_GoDestroy] = go_stop, [GE_GoStop] = go_stop, [GE_GoBlock] = go_stop,
	[GE_GoDestroySyscall] = destroy_syscall, [GE_GoUnblock] = go_unblock,
	[GE_GoSyscallBegin] = syscall_begin, [GE_GoSyscallEnd] = syscall_end,
	[GE_GoSyscallEndBlocked] = syscall_end_blocked,
	[GE_GoStatus] = order_go_status, [GE_GoStatusStack] = order_go_status,
	[GE_GoSwitch] = go_switch, [GE_GoSwitchDestroy] = go_switch,
	[GE_STWBegin] = order_g_range_begin, [GE_STWEnd] = order_g_range_end,
	[GE_GCMarkAssistBegin] = order_g_range_begin, [GE_GCMarkAssistEnd] = order_g_range_end,
	[GE_GCMarkAssistActive] = order_g_range_active,
	[GE_GCActive] = order_gc_mark, [GE_GCBegin] = order_gc_mark, [GE_GCEnd] = order_gc_mark,
	[GE_GCSweepActive] = order_sweep_active, [GE_GCSweepBegin] = order_sweep_begin,
	    [GE_GCSweepEnd] = order_sweep_end,
	[GE_HeapAlloc] = order_heap_metric, [GE_HeapGoal] = order_heap_metric,
	[GE_GoLabel] = order_annotation, [GE_UserLog] = order_annotation,
	[GE_UserTaskBegin] = order_task_begin, [GE_UserTaskEnd] = order_task_end,
	[GE_UserRegionBegin] = order_region_begin, [GE_UserRegionEnd] = order_region_end,
	[GE_Span] = order_experimental, [GE_SpanAlloc] = order_experimental,
	    [GE_SpanFree] = order_experimental,
	[GE_HeapObject] = order_experimental, [GE_HeapObjectAlloc] = order_experimental,
	[GE_HeapObjectFree] = order_experimental, [GE_GoroutineStack] = order_experimental,
	[GE_GoroutineStackAlloc] = order_experimental,
	    [GE_GoroutineStackFree] = order_experimental,
};

enum order_result order_advance(struct event_orderer *o, struct wire_event *ev, int64_t m, struct order_thread **state)
{
	struct order_thread *at = NULL;
	int64_t p = -1, g = -1;
	if (!o->first_gen)
		o->first_gen = o->gen->number;
	if (m != -1) {
		if (!*state && !(*state = order_find_m(o, m)))
			*state = order_add_m(o, m);
		at = *state;
		at->age = o->age;
		p = at->p;
		g = at->g;
	}
	/* both copies are made from the values: reading a struct just written in parts would wait for the stores */
	struct order_step s = {.o = o, .ev = ev, .m = at, .now = {m, p, g}, .next = {m, p, g}};
	order_handler *f = handlers[ev->type];
	if (!f)
		return order_fail(&s, "bad event type found while ordering: %s (%" PRIu64 ")",
		    ev->type);
	enum order_result r = f(&s);
	if (r == GO_YES && at) {
		at->p = s.next.p;
		at->g = s.next.g;
	}
	return r;
}

void order_init(struct event_orderer *o, const struct event_stream_ops *ops, void *self,
    struct event_stream_info *info, struct trace_event *out, uint64_t bytes)
{
	*o = (struct event_orderer){.ops = ops, .self = self, .info = info};
	order_init_table(o, goroutine_table_places(bytes));
	o->own = out ? NULL : xmalloc(GO_OUT * sizeof *o->out);
	order_set_output(o, out ? out : o->own);
}

void order_free(struct event_orderer *o)
{
	goroutine_table_free(&o->gs);
	u64_map_free(&o->ps);
	u64_map_free(&o->ms);
	u64_map_free(&o->tasks);
	arena_free(&o->mem);
	mem_free(o->own);
}
