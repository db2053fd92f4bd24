/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The scheduler's state machine. Clocks of different processors disagree, so
 * times alone do not order a trace. What does: events of one thread are in
 * order; starting or waking a goroutine, and taking a processor, carry sequence
 * numbers; and a goroutine cannot run unless it was runnable. So the orderer
 * keeps the state of every goroutine (G), processor (P) and thread (M), and
 * takes an event only when it can happen: GO_WAIT sends the caller to another
 * thread, GO_BAD says that it can never happen and the trace is broken.
 *
 * Handlers are in a table by event. Each sees a step: where the thread is now
 * and, to be changed, where it will be; gostep_say() makes the event out of its row in
 * events.def, in the place where it happened: before the change.
 *
 * State belongs to the whole trace (order_tables.c), ids of strings and stacks to a
 * generation: what must outlive one (names of tasks, regions and stops) is kept as
 * bytes. What a generation says at its beginning is order_status.c, what is no
 * scheduling order_ranges.c, a trace that is cut order_recover.c.
 */
#include "config.h"
#include "load/gotrace/order.h"

#include "load/gotrace/order_state.h"

#include <inttypes.h>
#include <string.h>

enum go_advance gostep_bad(struct step *s, const char *fmt, uint64_t v)
{
	err_set(&s->o->bad, ERR_FORMAT, ERR_NOWHERE, fmt, goev_specs[s->ev->type].name, v);
	return GO_BAD;
}

/* ---- saying events */

/* Index of a string or a stack, by the file's number; IDTAB_NONE: there is none, and it matters. */
static uint32_t missing(struct goorder *o, uint64_t id, uint8_t type, const char *what)
{
	if (o->gen->salvaged)
		return 0;
	err_set(&o->bad, ERR_FORMAT, ERR_NOWHERE, "found invalid %s ID %" PRIu64 " for event %s", what, id,
	    goev_specs[type].name);
	return IDTAB_NONE;
}

uint32_t gostep_str(struct goorder *o, uint64_t id, uint8_t type)
{
	uint32_t i = idtab_get(&o->gen->strs, id);
	return i != IDTAB_NONE ? i : missing(o, id, type, "string");
}

static inline uint32_t stack_at(struct goorder *o, uint64_t id, uint8_t type)
{
	uint32_t i = idtab_get(&o->gen->stacks, id);
	return i != IDTAB_NONE ? i : missing(o, id, type, "stack");
}

/* What few rows have besides: two stacks, two strings, or two numbers. */
static struct tev *say_rest(struct goorder *o, const struct goev_spec *s, const uint64_t *arg, struct tev *t)
{
	uint32_t text = 0, stack2 = 0;
	if (s->text && (text = gostep_str(o, arg[s->text], s->wire)) == IDTAB_NONE)
		return NULL;
	if (s->stack2 && (stack2 = stack_at(o, arg[s->stack2], s->wire)) == IDTAB_NONE)
		return NULL;
	if (s->value2) {
		t->value2 = arg[s->value2];
		return t;
	}
	t->text = text;
	t->stack2 = stack2;
	return t;
}

/* Most events name one stack or none, and no string but the reason why they stop. */
static struct tev *say(struct goorder *o, uint8_t type, struct goev *ev, const struct where *w)
{
	const struct goev_spec *s = &goev_specs[type];
	uint64_t *arg = ev->arg;
	uint32_t name = 0, stack = 0;
	struct tev *t = o->next;
	if (s->stack && (stack = stack_at(o, arg[s->stack], type)) == IDTAB_NONE)
		return NULL;
	if (s->str && (name = gostep_str(o, arg[s->str], type)) == IDTAB_NONE)
		return NULL;
	arg[GO_ARG_G] = (uint64_t)w->g;
	arg[GO_ARG_P] = (uint64_t)w->p;
	t->value = arg[s->value];
	t->name = name;
	t->stack = stack;
	if (s->rest && !say_rest(o, s, arg, t))
		return NULL;
	o->next++;
	gostep_take_line(t);
	t->time = gostep_later(o, ev->time);
	t->m = w->m;
	t->p = w->p;
	t->g = w->g;
	memcpy((char *)t + offsetof(struct tev, kind), (const char *)s + offsetof(struct goev_spec, kind), 8);
	t->id = (int64_t)arg[s->id];
	return t;
}

struct tev *gostep_say(struct goorder *o, uint8_t type, struct goev *ev, struct where w)
{
	return say(o, type, ev, &w);
}

enum go_advance gostep_took(struct step *s)
{
	return gostep_say(s->o, s->ev->type, s->ev, s->now) ? GO_YES : GO_BAD;
}

/* The same, where it pays to have it in place. */
static inline enum go_advance took(struct step *s)
{
	return say(s->o, s->ev->type, s->ev, &s->now) ? GO_YES : GO_BAD;
}

void goorder_room(struct goorder *o, struct tev *out)
{
	o->out = o->next = out;
	o->full = out + o->nout - GO_OUT_ROOM;
}

void goorder_rest(const struct goorder *o)
{
	gonear_rest(&o->gs);
}

bool goorder_flush(struct goorder *o)
{
	size_t n = (size_t)(o->next - o->out);
	o->next = o->out;
	if (n && !o->stopped) {
		o->info->events += n;
		if (o->ops->progress)
			o->ops->progress(o->self, o->bytes);
		bool turns = o->gs.spilled && o->ops->rest;
		if (turns)
			goorder_rest(o);
		o->stopped = !o->ops->events(o->self, o->gen, o->out, n);
		if (turns)
			o->ops->rest(o->self);
	}
	return !o->stopped;
}

void goorder_sync(struct goorder *o, int64_t time, bool opens)
{
	*o->next++ = (struct tev){
	    .time = gostep_later(o, time), .m = -1, .p = -1, .g = -1, .kind = TEV_SYNC,
	    .wire = GE_SYNC_OURS,
	    .what = opens, .value = ++o->syncs,
	};
}

int goorder_sample(struct goorder *o, const struct gosample *s)
{
	struct goev ev = {.time = s->time, .arg = {0, s->stack}, .type = GE_CPUSample};
	struct where w = {(int64_t)s->m, (int64_t)s->p, (int64_t)s->g};
	if (idtab_get(&o->gen->stacks, s->stack) == IDTAB_NONE)
		ev.arg[1] = 0;	/* the reference looks when it is shown */
	return gostep_say(o, GE_CPUSample, &ev, w) ? 0 : -1;
}

static bool succeeds(const struct goorder *o, uint64_t seq, uint32_t age, uint64_t before)
{
	return age == o->age && seq == before + 1;
}

bool gostep_have(struct step *s, enum need p, enum need g)
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
		err_set(&s->o->bad, ERR_FORMAT, ERR_NOWHERE, "%s, at event %s", why,
		    goev_specs[s->ev->type].name);
	return !why;
}

static struct go_g *find_running(struct step *s, uint8_t status)
{
	if (!gostep_have(s, MUST, MUST))
		return NULL;
	struct go_g *g = gostep_g(s);
	if (!g)
		gostep_bad(s, "event %s for goroutine (%" PRIu64 ") that doesn't exist",
		    (uint64_t)s->now.g);
	else if (g->status != status)
		gostep_bad(s, "%s event for goroutine %" PRIu64 " that's not Running",
		    (uint64_t)s->now.g);
	return g && g->status == status ? g : NULL;
}

/* The running goroutine of this thread, or NULL and why not. Nearly always it is the one that was met last. */
static inline struct go_g *running(struct step *s, uint8_t status)
{
	struct go_g *g = s->m ? s->m->gs : NULL;
	if (g && g->used && g->id == s->now.g && g->status == status && g->id != -1 && s->now.p != -1)
		return g;
	return find_running(s, status);
}

/* ---- processors */

static enum go_advance proc_start(struct step *s)
{
	int64_t id = (int64_t)s->ev->arg[1];
	struct go_p *p = gostep_find_p(s->o, id);
	if (!p || p->status != P_IDLE || !succeeds(s->o, s->ev->arg[2], p->age, p->seq) ||
	    s->now.p != -1)
		return GO_WAIT;
	if (!gostep_have(s, NOT, MAY))
		return GO_BAD;
	p->status = P_RUNNING;
	p->seq = s->ev->arg[2];
	s->next.p = id;
	return took(s);
}

static enum go_advance proc_stop(struct step *s)
{
	struct go_p *p = gostep_p(s);
	if (!p)
		return gostep_bad(s, "event %s for proc (%" PRIu64 ") that doesn't exist",
		    (uint64_t)s->now.p);
	if (p->status != P_RUNNING && p->status != P_SYSCALL)
		return gostep_bad(s, "%s event for proc %" PRIu64 " that's not Running or Syscall",
		    (uint64_t)s->now.p);
	if (!gostep_have(s, MUST, MAY))
		return GO_BAD;
	p->status = P_IDLE;
	s->next.p = -1;
	return took(s);
}

static enum go_advance proc_steal(struct step *s)
{
	int64_t id = (int64_t)s->ev->arg[1], from = (int64_t)s->ev->arg[3];
	struct go_p *p = gostep_find_p(s->o, id);
	if (!p || (p->status != P_SYSCALL && p->status != P_ABANDONED) ||
	    !succeeds(s->o, s->ev->arg[2], p->age, p->seq))
		return GO_WAIT;
	if (!gostep_have(s, MAY, MAY))
		return GO_BAD;
	bool lost = p->status == P_ABANDONED;
	p->status = P_IDLE;
	p->seq = s->ev->arg[2];
	if (lost) {
		/* its thread may be anywhere by now; the P was idle as far as anybody knew */
	} else if (from == s->now.m) {
		if (s->now.p != id)
			return gostep_bad(s,
			    "%s: tried to self-steal proc %" PRIu64 ", but got another",
			    (uint64_t)id);
		s->next.p = -1;
	} else {
		struct go_m *m = gostep_find_m(s->o, from);
		if (!m)
			return gostep_bad(s, "%s: stole proc from non-existent thread %" PRIu64,
			    (uint64_t)from);
		if (m->p != id)
			return gostep_bad(s,
			    "%s: tried to steal proc %" PRIu64 " from a thread that has another",
			    (uint64_t)id);
		m->p = -1;	/* now its system call can end */
	}
	struct tev *t = gostep_say(s->o, s->ev->type, s->ev, s->now);
	if (t && lost)
		t->from = TST_IDLE;
	return t ? GO_YES : GO_BAD;
}

/* ---- goroutines */

static enum go_advance go_create(struct step *s)
{
	if (!gostep_have(s, MUST, MAY))
		return GO_BAD;
	struct go_g *g = gostep_g(s);
	if (g && g->status != G_RUNNING)
		return gostep_bad(s, "%s event for goroutine %" PRIu64 " that's not Running",
		    (uint64_t)s->now.g);
	int64_t id = (int64_t)s->ev->arg[1];
	if (gostep_find_g(s->o, id))
		return gostep_bad(s,
		    "%s: tried to create goroutine (%" PRIu64 ") that already exists",
		    (uint64_t)id);
	gostep_add_g(s->o, id, s->ev->type == GE_GoCreateBlocked ? G_WAITING : G_RUNNABLE);
	return took(s);
}

static enum go_advance go_create_syscall(struct step *s)
{
	if (!gostep_have(s, MAY, NOT))
		return GO_BAD;
	int64_t id = (int64_t)s->ev->arg[1];
	if (gostep_find_g(s->o, id))
		return gostep_bad(s,
		    "%s: tried to create goroutine (%" PRIu64 ") in syscall that already exists",
		    (uint64_t)id);
	gostep_add_g(s->o, id, G_SYSCALL);
	s->next.g = id;
	return took(s);
}

static enum go_advance go_start(struct step *s)
{
	int64_t id = (int64_t)s->ev->arg[1];
	struct go_g *g = gostep_find_g(s->o, id);
	if (!g || g->status != G_RUNNABLE || !succeeds(s->o, s->ev->arg[2], g->age, g->seq))
		return GO_WAIT;
	if ((!s->m || s->now.p == -1 || s->now.g != -1) && !gostep_have(s, MUST, NOT))
		return GO_BAD;
	g->status = G_RUNNING;
	g->seq = s->ev->arg[2];
	s->next.g = id;
	if (s->m)
		s->m->gs = g;
	return took(s);
}

static enum go_advance go_stop(struct step *s)
{
	struct go_g *g = running(s, G_RUNNING);
	if (!g)
		return GO_BAD;
	if (s->ev->type == GE_GoDestroy)
		gostep_drop_g(s->o, g);
	else
		g->status = s->ev->type == GE_GoStop ? G_RUNNABLE : G_WAITING;
	s->next.g = -1;
	return took(s);
}

static enum go_advance go_unblock(struct step *s)
{
	struct go_g *g = gostep_find_g(s->o, (int64_t)s->ev->arg[1]);
	if (!g || g->status != G_WAITING || !succeeds(s->o, s->ev->arg[2], g->age, g->seq))
		return GO_WAIT;
	g->status = G_RUNNABLE;
	g->seq = s->ev->arg[2];
	return took(s);
}

/* Three in one: the other is woken, this one blocks or ends, the other starts. */
static enum go_advance go_switch(struct step *s)
{
	struct go_g *g = running(s, G_RUNNING);
	if (!g)
		return GO_BAD;
	int64_t id = (int64_t)s->ev->arg[1];
	struct go_g *to = gostep_find_g(s->o, id);
	if (!to || to->status != G_WAITING || !succeeds(s->o, s->ev->arg[2], to->age, to->seq))
		return GO_WAIT;
	if (!gostep_say(s->o, s->ev->type, s->ev, s->now))
		return GO_BAD;
	struct goev none = {.time = s->ev->time};
	if (s->ev->type == GE_GoSwitch) {
		g->status = G_WAITING;
		gostep_say(s->o, GE_GoBlock, &none, s->now);
	} else {
		gostep_drop_g(s->o, g);
		gostep_say(s->o, GE_GoDestroy, &none, s->now);
	}
	to->status = G_RUNNING;
	to->seq = s->ev->arg[2];
	s->next.g = id;
	struct goev start = {.time = s->ev->time, .arg = {0, (uint64_t)id, s->ev->arg[2]}};
	return gostep_say(s->o, GE_GoStart, &start, (struct where){s->now.m, s->now.p, -1})
	    ? GO_YES : GO_BAD;
}

static enum go_advance syscall_begin(struct step *s)
{
	struct go_g *g = running(s, G_RUNNING);
	if (!g)
		return GO_BAD;
	g->status = G_SYSCALL;
	struct go_p *p = gostep_p(s);
	if (!p && s->now.p == -1)	/* of a generation that is cut */
		return took(s);
	if (!p)
		return gostep_bad(s, "%s: uninitialized proc %" PRIu64, (uint64_t)s->now.p);
	p->status = P_SYSCALL;
	if (!succeeds(s->o, s->ev->arg[1], p->age, p->seq))
		return gostep_bad(s, "failed to advance %s: can't make sequence %" PRIu64,
		    s->ev->arg[1]);
	p->seq = s->ev->arg[1];
	return took(s);
}

static enum go_advance syscall_end(struct step *s)
{
	struct go_g *g = running(s, G_SYSCALL);
	if (!g)
		return GO_BAD;
	g->status = G_RUNNING;
	struct go_p *p = gostep_p(s);
	if (!p && s->now.p == -1)
		return took(s);
	if (!p || p->status != P_SYSCALL)
		return gostep_bad(s, "%s: expected proc %" PRIu64 " in state Syscall",
		    (uint64_t)s->now.p);
	p->status = P_RUNNING;
	return took(s);
}

/* The call lasted so long that the P was taken away: not before that happened. */
static enum go_advance syscall_end_blocked(struct step *s)
{
	if (s->now.p != -1) {
		struct go_p *p = gostep_p(s);
		if (!p)
			return gostep_bad(s, "%s: uninitialized proc %" PRIu64, (uint64_t)s->now.p);
		if (p->status == P_SYSCALL)
			return GO_WAIT;
	}
	if (!gostep_have(s, MAY, MUST))
		return GO_BAD;
	struct go_g *g = gostep_g(s);
	if (!g || g->status != G_SYSCALL)
		return gostep_bad(s, "%s event for goroutine %" PRIu64 " that's not in a syscall",
		    (uint64_t)s->now.g);
	g->status = G_RUNNABLE;
	s->next.g = -1;
	return took(s);
}

/* The end of a C thread's call into Go. Its P goes too: the id of the thread may soon be another's. */
static enum go_advance destroy_syscall(struct step *s)
{
	if (!gostep_have(s, MAY, MUST))
		return GO_BAD;
	struct go_g *g = gostep_g(s);
	if (!g || g->status != G_SYSCALL)
		return gostep_bad(s, "%s event for goroutine %" PRIu64 " that's not in a syscall",
		    (uint64_t)s->now.g);
	gostep_drop_g(s->o, g);
	s->next.g = -1;
	if (s->now.p != -1) {
		struct go_p *p = gostep_p(s);
		if (!p || p->status != P_SYSCALL)
			return gostep_bad(s, "%s: proc %" PRIu64 " in unexpected state",
			    (uint64_t)s->now.p);
		p->status = P_ABANDONED;
		s->next.p = -1;
		struct goev steal = {.time = s->ev->time, .arg = {0, (uint64_t)s->now.p}};
		gostep_say(s->o, GE_ProcSteal, &steal, s->now);
	}
	return took(s);
}

static gostep_fn *const handlers[GE__N] = {
	[GE_ProcsChange] = gostep_annotation, [GE_ProcStart] = proc_start,
	    [GE_ProcStop] = proc_stop,
	[GE_ProcSteal] = proc_steal, [GE_ProcStatus] = gostep_proc_status,
	[GE_GoCreate] = go_create, [GE_GoCreateBlocked] = go_create,
	[GE_GoCreateSyscall] = go_create_syscall, [GE_GoStart] = go_start,
	[GE_GoDestroy] = go_stop, [GE_GoStop] = go_stop, [GE_GoBlock] = go_stop,
	[GE_GoDestroySyscall] = destroy_syscall, [GE_GoUnblock] = go_unblock,
	[GE_GoSyscallBegin] = syscall_begin, [GE_GoSyscallEnd] = syscall_end,
	[GE_GoSyscallEndBlocked] = syscall_end_blocked,
	[GE_GoStatus] = gostep_go_status, [GE_GoStatusStack] = gostep_go_status,
	[GE_GoSwitch] = go_switch, [GE_GoSwitchDestroy] = go_switch,
	[GE_STWBegin] = gostep_g_range_begin, [GE_STWEnd] = gostep_g_range_end,
	[GE_GCMarkAssistBegin] = gostep_g_range_begin, [GE_GCMarkAssistEnd] = gostep_g_range_end,
	[GE_GCMarkAssistActive] = gostep_g_range_active,
	[GE_GCActive] = gostep_gc_mark, [GE_GCBegin] = gostep_gc_mark, [GE_GCEnd] = gostep_gc_mark,
	[GE_GCSweepActive] = gostep_sweep_active, [GE_GCSweepBegin] = gostep_sweep_begin,
	    [GE_GCSweepEnd] = gostep_sweep_end,
	[GE_HeapAlloc] = gostep_heap_metric, [GE_HeapGoal] = gostep_heap_metric,
	[GE_GoLabel] = gostep_annotation, [GE_UserLog] = gostep_annotation,
	[GE_UserTaskBegin] = gostep_task_begin, [GE_UserTaskEnd] = gostep_task_end,
	[GE_UserRegionBegin] = gostep_region_begin, [GE_UserRegionEnd] = gostep_region_end,
	[GE_Span] = gostep_experimental, [GE_SpanAlloc] = gostep_experimental,
	    [GE_SpanFree] = gostep_experimental,
	[GE_HeapObject] = gostep_experimental, [GE_HeapObjectAlloc] = gostep_experimental,
	[GE_HeapObjectFree] = gostep_experimental, [GE_GoroutineStack] = gostep_experimental,
	[GE_GoroutineStackAlloc] = gostep_experimental,
	    [GE_GoroutineStackFree] = gostep_experimental,
};

enum go_advance goorder_advance(struct goorder *o, struct goev *ev, int64_t m, struct go_m **state)
{
	struct go_m *at = NULL;
	int64_t p = -1, g = -1;
	if (!o->first_gen)
		o->first_gen = o->gen->number;
	if (m != -1) {
		if (!*state && !(*state = gostep_find_m(o, m)))
			*state = gostep_add_m(o, m);
		at = *state;
		at->age = o->age;
		p = at->p;
		g = at->g;
	}
	/* not one of the other: what has just been written by parts is not read as a whole without waiting for it */
	struct step s = {.o = o, .ev = ev, .m = at, .now = {m, p, g}, .next = {m, p, g}};
	gostep_fn *f = handlers[ev->type];
	if (!f)
		return gostep_bad(&s, "bad event type found while ordering: %s (%" PRIu64 ")",
		    ev->type);
	enum go_advance r = f(&s);
	if (r == GO_YES && at) {
		at->p = s.next.p;
		at->g = s.next.g;
	}
	return r;
}

void goorder_init(struct goorder *o, const struct tev_ops *ops, void *self,
    struct tstream_info *info, struct tev *out)
{
	*o = (struct goorder){.ops = ops, .self = self, .info = info};
	gostep_places(o, GO_NEAR);
	o->nout = !out && mem_tight() ? GO_OUT_MANY : GO_OUT;	/* it may change its turn with who takes them */
	o->own = out ? NULL : xmalloc(o->nout * sizeof *o->out);
	goorder_room(o, out ? out : o->own);
}

void goorder_free(struct goorder *o)
{
	gonear_free(&o->gs);
	idmap_free(&o->ps);
	idmap_free(&o->ms);
	idmap_free(&o->tasks);
	arena_free(&o->mem);
	mem_free(o->own);
}
