/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Events of version 1 said in the words of version 2, as the reference converts
 * them. Most are one to one; a table has those. The rest differ in what the old
 * runtime knew: goroutines that are there when the trace begins are "created"
 * before the first GOMAXPROCS, system calls are a point unless they took long,
 * threads are known only through the P they took, and what a goroutine waits for
 * is the type of the event and no string.
 */
#include "config.h"
#include "load/gotrace1/parse.h"

#include "base/mem/mem.h"

#include <inttypes.h>
#include <string.h>

struct task {
	struct gostr name;
	uint64_t parent;
};

struct conv {
	struct gov1 *v;
	struct goorder *o;
	bool starting;		/* before the first GOMAXPROCS: who is there already */
	struct idmap created;	/* goroutines seen while starting and not yet found running or waiting */
	uint64_t *created_id;	/* the same in order */
	size_t ncreated, capcreated;
	struct idmap procs;	/* P: seen; threads: P to its M */
	struct idmap threads;
	struct idmap tasks;
	struct arena mem;
	uint32_t stop_kind;	/* string of the last stop */
};

enum { S_FOREVER = 1, S_GOSCHED, S_PREEMPTED, S_SLEEP, S_SEND, S_RECV, S_SELECT, S_SYNC, S_COND,
    S_NET, S_ASSIST };

static const char *const reasons[] = {
	[S_FOREVER] = "forever", [S_GOSCHED] = "runtime.Gosched", [S_PREEMPTED] = "preempted",
	[S_SLEEP] = "sleep", [S_SEND] = "chan send", [S_RECV] = "chan receive",
	    [S_SELECT] = "select",
	[S_SYNC] = "sync", [S_COND] = "sync.(*Cond).Wait", [S_NET] = "network",
	[S_ASSIST] = "GC mark assist wait for work",
};

static const char *const stops[] = {
	"", "GC mark termination", "GC sweep termination", "write heap dump", "goroutine profile",
	"goroutine profile cleanup", "all goroutine stack trace", "read mem stats",
	"AllThreadsSyscall", "GOMAXPROCS", "start trace", "stop trace", "CountPagesInUse (test)",
	"ReadMetricsSlow (test)", "ReadMemStatsSlow (test)", "PageCachePagesLeaked (test)",
	"ResetDebugLog (test)",
};

/* Those that become one event: which, why a goroutine stopped, and where their stack belongs. */
static const struct {
	uint8_t to, reason;
} plain[V1__N] = {
	[V1_GOMAXPROCS] = {GE_ProcsChange, 0}, [V1_GC_START] = {GE_GCBegin, 0},
	[V1_GC_DONE] = {GE_GCEnd, 0}, [V1_SWEEP_START] = {GE_GCSweepBegin, 0},
	[V1_SWEEP_DONE] = {GE_GCSweepEnd, 0}, [V1_GO_CREATE] = {GE_GoCreate, 0},
	[V1_GO_START] = {GE_GoStart, 0}, [V1_GO_END] = {GE_GoDestroy, 0},
	[V1_GO_STOP] = {GE_GoBlock, S_FOREVER}, [V1_GO_SCHED] = {GE_GoStop, S_GOSCHED},
	[V1_GO_PREEMPT] = {GE_GoStop, S_PREEMPTED}, [V1_GO_SLEEP] = {GE_GoBlock, S_SLEEP},
	[V1_GO_BLOCK] = {GE_GoBlock, 0}, [V1_GO_UNBLOCK] = {GE_GoUnblock, 0},
	[V1_GO_BLOCK_SEND] = {GE_GoBlock, S_SEND}, [V1_GO_BLOCK_RECV] = {GE_GoBlock, S_RECV},
	[V1_GO_BLOCK_SELECT] = {GE_GoBlock, S_SELECT}, [V1_GO_BLOCK_SYNC] = {GE_GoBlock, S_SYNC},
	[V1_GO_BLOCK_COND] = {GE_GoBlock, S_COND}, [V1_GO_BLOCK_NET] = {GE_GoBlock, S_NET},
	[V1_GO_BLOCK_GC] = {GE_GoBlock, S_ASSIST}, [V1_GO_SYSCALL] = {GE_GoSyscallBegin, 0},
	[V1_GO_SYSEXIT] = {GE_GoSyscallEndBlocked, 0}, [V1_HEAP_ALLOC] = {GE_HeapAlloc, 0},
	[V1_HEAP_GOAL] = {GE_HeapGoal, 0}, [V1_ASSIST_START] = {GE_GCMarkAssistBegin, 0},
	[V1_ASSIST_DONE] = {GE_GCMarkAssistEnd, 0}, [V1_CPU_SAMPLE] = {GE_CPUSample, 0},
	[V1_GO_WAITING] = {GE_GoStatus, 0}, [V1_GO_IN_SYSCALL] = {GE_GoStatus, 0},
	[V1_PROC_START] = {GE_ProcStart, 0}, [V1_PROC_STOP] = {GE_ProcStop, 0},
	[V1_STW_START] = {GE_STWBegin, 0}, [V1_STW_DONE] = {GE_STWEnd, 0},
	[V1_TASK_CREATE] = {GE_UserTaskBegin, 0}, [V1_TASK_END] = {GE_UserTaskEnd, 0},
	[V1_REGION] = {GE_UserRegionBegin, 0}, [V1_LOG] = {GE_UserLog, 0},
	[V1_GO_START_LABEL] = {GE_GoStart, 0},
};

static uint32_t text(struct conv *c, const char *s)
{
	return gogen_extra(c->v->gen, s, (uint32_t)strlen(s));
}

static uint32_t str_at(const struct conv *c, uint64_t id)
{
	uint32_t i = idtab_get(&c->v->gen->strs, id);
	return i == IDTAB_NONE ? 0 : i;
}

static uint32_t stack_at(const struct conv *c, uint64_t id)
{
	const struct idslot *s = idmap_get(&c->v->stack_ids, (uint32_t)id);
	return s ? (uint32_t)s->n : 0;
}

/* The event with what is common to all: place, time, stack, and the states and resource of its row. */
static struct tev *say(struct conv *c, uint8_t type, const struct gov1_ev *e)
{
	struct goorder *o = c->o;
	const struct goev_spec *s = &goev_specs[type];
	struct tev *t = o->next++;
	int64_t time = e->ts > o->last ? e->ts : gowire_add(o->last, 1);
	o->last = time;
	*t = (struct tev){
	    .time = time, .m = -1, .p = e->p, .g = e->g ? (int64_t)e->g : -1,
	    .kind = s->kind, .wire = type, .resource = s->resource, .from = s->from, .to = s->to,
	    .what = s->what, .stack = s->stack ? stack_at(c, e->stack) : 0,
	};
	const struct idslot *m = e->p == -1 || e->type == V1_CPU_SAMPLE ? NULL
	    : idmap_get(&c->threads, (uint64_t)(int64_t)e->p);
	if (m)
		t->m = (int64_t)m->n;
	/* whom it is about: who is here, unless the event names another */
	t->id = s->resource == TR_P ? t->p : s->resource == TR_G ? t->g : 0;
	return t;
}

static void say_status(struct conv *c, const struct gov1_ev *e, int64_t id, enum tev_state to)
{
	struct tev *t = say(c, GE_GoStatus, e);
	t->id = id;
	t->to = (uint8_t)to;
}

/* The first GOMAXPROCS: all goroutines there were have been mentioned; the rest of them can run. */
static void end_start(struct conv *c, const struct gov1_ev *e)
{
	struct gov1_ev at = {.ts = e->ts, .p = -1};
	c->starting = false;
	for (size_t i = 0; i < c->ncreated; i++) {
		if (!idmap_get(&c->created, c->created_id[i]))
			continue;
		say_status(c, &at, (int64_t)c->created_id[i], TST_RUNNABLE);
		if (c->o->next > c->o->full && !goorder_flush(c->o))
			return;
	}
}

static void on_proc(struct conv *c, const struct gov1_ev *e)
{
	bool fresh, start = e->type == V1_PROC_START;
	uint64_t p = (uint64_t)(int64_t)e->p;
	if (start)
		idmap_put(&c->threads, p, &fresh)->n = e->arg[0];
	idmap_put(&c->procs, p, &fresh);
	struct tev *t = say(c, fresh ? GE_ProcStatus : start ? GE_ProcStart : GE_ProcStop, e);
	if (fresh)
		t->to = start ? TST_RUNNING : TST_IDLE;
	if (!start)
		idmap_drop(&c->threads, p);
}

static void on_create(struct conv *c, const struct gov1_ev *e)
{
	bool fresh;
	if (!c->starting) {
		struct tev *t = say(c, GE_GoCreate, e);
		t->id = (int64_t)e->arg[0];
		t->stack2 = stack_at(c, e->arg[1]);
		return;
	}
	idmap_put(&c->created, e->arg[0], &fresh);
	c->created_id = mem_grow(c->created_id, &c->capcreated, c->ncreated + 1,
	    sizeof *c->created_id);
	c->created_id[c->ncreated++] = e->arg[0];
}

static void on_found(struct conv *c, const struct gov1_ev *e, enum tev_state to)
{
	idmap_drop(&c->created, e->arg[0]);
	say_status(c, e, (int64_t)e->arg[0], to);
}

static void on_start_label(struct conv *c, const struct gov1_ev *e)
{
	struct tev *t = say(c, GE_GoStart, e);
	t->id = (int64_t)e->arg[0];
	if (t->m == -1)
		t->m = 0;
	int64_t m = t->m;
	t = say(c, GE_GoLabel, e);
	t->m = m;
	t->name = str_at(c, e->arg[2]);
}

static void on_syscall(struct conv *c, const struct gov1_ev *e)
{
	say(c, GE_GoSyscallBegin, e);
	if (e->blocked)
		return;
	struct gov1_ev end = *e;
	end.ts++;
	say(c, GE_GoSyscallEnd, &end);
}

static void on_stop(struct conv *c, const struct gov1_ev *e)
{
	struct tev *t = say(c, plain[e->type].to, e);
	if (e->type == V1_STW_START) {
		uint64_t k = e->arg[0];
		bool known = c->v->version < 21 ? k < 2 : k < sizeof stops / sizeof *stops;
		c->stop_kind = text(c, stops[!known ? 0 : c->v->version < 21 ? k + 1 : k]);
	}
	t->name = c->stop_kind;
}

static void on_task(struct conv *c, const struct gov1_ev *e)
{
	bool fresh;
	struct tev *t = say(c, plain[e->type].to, e);
	t->id = (int64_t)e->arg[0];
	t->value = UINT64_MAX;
	if (e->type == V1_TASK_CREATE) {
		if (e->arg[1])
			t->value = e->arg[1];
		t->name = str_at(c, e->arg[2]);
		struct task *task = arena_alloc(&c->mem, sizeof *task);
		*task = (struct task){c->v->gen->str[t->name], e->arg[1]};
		idmap_put(&c->tasks, e->arg[0], &fresh)->p = task;
		return;
	}
	struct idslot *s = idmap_get(&c->tasks, e->arg[0]);
	if (s) {
		const struct task *task = s->p;
		t->value = task->parent;
		t->name = gogen_extra(c->v->gen, task->name.p, task->name.n);
		idmap_drop(&c->tasks, e->arg[0]);
	}
}

static void on_log(struct conv *c, const struct gov1_ev *e)
{
	struct tev *t = say(c, GE_UserLog, e);
	t->id = (int64_t)e->arg[0];
	t->name = str_at(c, e->arg[1]);
	t->text = gogen_extra(c->v->gen, (const char *)c->v->in.p + e->arg[2], (uint32_t)e->arg[3]);
}

static void on_plain(struct conv *c, const struct gov1_ev *e)
{
	struct tev *t = say(c, plain[e->type].to, e);
	switch (e->type) {
	case V1_GO_START:
	case V1_GO_UNBLOCK:
		t->id = (int64_t)e->arg[0];
		break;
	case V1_GOMAXPROCS:
	case V1_HEAP_ALLOC:
	case V1_HEAP_GOAL:
		t->value = e->arg[0];
		break;
	case V1_SWEEP_DONE:
		t->value = e->arg[0];
		t->value2 = e->arg[1];
		break;
	default:
		if (plain[e->type].reason)
			t->name = text(c, reasons[plain[e->type].reason]);
		break;
	}
}

static void convert(struct conv *c, const struct gov1_ev *e)
{
	switch (e->type) {
	case V1_NONE:
	case V1_GO_SYSBLOCK:
	case V1_FUTILE_WAKEUP:
		break;
	case V1_PROC_START:
	case V1_PROC_STOP:
		on_proc(c, e);
		break;
	case V1_GO_CREATE:
		on_create(c, e);
		break;
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		on_found(c, e, e->type == V1_GO_WAITING ? TST_WAITING : TST_SYSCALL);
		break;
	case V1_GO_START_LABEL:
		on_start_label(c, e);
		break;
	case V1_GO_SYSCALL:
		on_syscall(c, e);
		break;
	case V1_STW_START:
	case V1_STW_DONE:
		on_stop(c, e);
		break;
	case V1_TASK_CREATE:
	case V1_TASK_END:
		on_task(c, e);
		break;
	case V1_REGION: {
		struct tev *t = say(c, e->arg[1] ? GE_UserRegionEnd : GE_UserRegionBegin, e);
		t->id = (int64_t)e->arg[0];
		t->name = str_at(c, e->arg[2]);
		break;
	}
	case V1_LOG:
		on_log(c, e);
		break;
	case V1_GO_START:
		if (c->starting) {
			on_found(c, e, TST_RUNNING);
			break;
		}
		on_plain(c, e);
		break;
	case V1_GOMAXPROCS:
		if (c->starting) {
			end_start(c, e);
			break;
		}
		on_plain(c, e);
		break;
	default:
		on_plain(c, e);
		break;
	}
}

/* A system call blocked if the next that its goroutine did was to lose the P. */
static void mark_blocked(struct gov1 *v)
{
	struct idmap next = {0};
	for (size_t i = v->norder; i-- > 0;) {
		struct gov1_ev *e = &v->ev[v->order[i]];
		bool fresh;
		struct idslot *s = idmap_put(&next, e->g, &fresh);
		if (e->type == V1_GO_SYSCALL)
			e->blocked = !fresh && s->n == V1_GO_SYSBLOCK;
		s->n = e->type;
	}
	idmap_free(&next);
}

static void say_sync(struct goorder *o, int64_t time, bool opens)
{
	*o->next++ = (struct tev){.time = time, .m = -1, .p = -1, .g = -1, .kind = TEV_SYNC,
	    .wire = GE_SYNC_OURS, .what = opens, .value = ++o->syncs};
}

/* Does the trace begin with who is there? It does, unless that was in a batch that never came. */
static bool begins(const struct gov1 *v)
{
	if (!v->norder)
		return true;
	uint8_t first = v->ev[v->order[0]].type;
	return !v->forced || first == V1_GO_CREATE || first == V1_GO_WAITING || first == V1_GO_IN_SYSCALL;
}

void gov1_convert(struct gov1 *v, struct goorder *o)
{
	struct conv c = {.v = v, .o = o, .starting = begins(v)};
	o->gen = v->gen;
	o->last = -1;
	mark_blocked(v);
	if (v->norder)
		say_sync(o, v->ev[v->order[0]].ts - 1, true);
	for (size_t i = 0; i < v->norder; i++) {
		if (o->next > o->full && !goorder_flush(o))
			break;
		convert(&c, &v->ev[v->order[i]]);
	}
	say_sync(o, o->last + 1, false);
	goorder_flush(o);
	idmap_free(&c.created);
	mem_free(c.created_id);
	idmap_free(&c.procs);
	idmap_free(&c.threads);
	idmap_free(&c.tasks);
	arena_free(&c.mem);
}
