/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Emits events of version 1 as events of version 2, as the reference converts them. Most are
 * converted one to one, by a table. The rest differ because the old runtime recorded less:
 * goroutines that exist when the trace begins are "created" before the first GOMAXPROCS, system
 * calls are a point unless they blocked, threads are known only through the P that they took, and
 * the reason of a wait is the type of the event and no string.
 */
#include "config.h"
#include "load/gotrace1/internal.h"

#include "base/mem/mem.h"

#include <inttypes.h>
#include <string.h>

struct v1_task {
	struct gen_string name;
	uint64_t parent;
};

struct conv {
	struct v1_trace *v;
	struct event_orderer *o;
	bool starting;		/* before the first GOMAXPROCS, while existing goroutines are listed */
	struct u64_hash created; /* goroutines created while starting that have no running or waiting status yet */
	uint64_t *created_id;	/* the same in order of creation; may have ids that were removed from created */
	size_t ncreated, capcreated;
	struct u64_hash procs;	/* procs: Ps that occurred; threads: P to its M */
	struct u64_hash threads;
	struct u64_hash tasks;
	struct arena mem;
	uint32_t stop_kind;	/* string of the last stop of the world */
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

/* Events that become one event: its type, and the reason why a goroutine stopped. */
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
	return generation_add_string(c->v->gen, s, (uint32_t)strlen(s));
}

static uint32_t str_at(const struct conv *c, uint64_t id)
{
	uint32_t i = u64_index_get(&c->v->gen->strs, id);
	return i == U64_INDEX_NONE ? 0 : i;
}

static uint32_t stack_at(const struct conv *c, uint64_t id)
{
	const struct u64_slot *s = u64_map_get(&c->v->stack_ids, (uint32_t)id);
	return s ? (uint32_t)s->n : 0;
}

/* Emit an event with the common fields: place, time, stack, and the states and resource of its row. */
static struct trace_event *emit_event(struct conv *c, uint8_t type, const struct gotrace1_event *e)
{
	struct event_orderer *o = c->o;
	const struct wire_event_spec *s = &wire_event_specs[type];
	struct trace_event *t = o->next++;
	int64_t time = e->ts > o->last ? e->ts : wire_add(o->last, 1);
	o->last = time;
	*t = (struct trace_event){
	    .time = time, .m = -1, .p = e->p, .g = e->g ? (int64_t)e->g : -1,
	    .kind = s->kind, .wire = type, .resource = s->resource, .from = s->from, .to = s->to,
	    .what = s->what, .stack = s->stack ? stack_at(c, e->stack) : 0,
	};
	const struct u64_slot *m = e->p == -1 || e->type == V1_CPU_SAMPLE ? NULL
	    : u64_map_get(&c->threads, (uint64_t)(int64_t)e->p);
	if (m)
		t->m = (int64_t)m->n;
	/* the subject is the current P or G, unless the event names another one */
	t->id = s->resource == TR_P ? t->p : s->resource == TR_G ? t->g : 0;
	return t;
}

static void emit_status(struct conv *c, const struct gotrace1_event *e, int64_t id, enum trace_state to)
{
	struct trace_event *t = emit_event(c, GE_GoStatus, e);
	t->id = id;
	t->to = (uint8_t)to;
}

/* At the first GOMAXPROCS all existing goroutines have been listed; those without another status are runnable. */
static void end_start(struct conv *c, const struct gotrace1_event *e)
{
	struct gotrace1_event at = {.ts = e->ts, .p = -1};
	c->starting = false;
	for (size_t i = 0; i < c->ncreated; i++) {
		if (!u64_map_get(&c->created, c->created_id[i]))
			continue;
		emit_status(c, &at, (int64_t)c->created_id[i], TST_RUNNABLE);
		if (c->o->next > c->o->full && !order_flush(c->o))
			return;
	}
}

static void on_proc(struct conv *c, const struct gotrace1_event *e)
{
	bool fresh, start = e->type == V1_PROC_START;
	uint64_t p = (uint64_t)(int64_t)e->p;
	if (start)
		u64_map_put(&c->threads, p, &fresh)->n = e->arg[0];
	u64_map_put(&c->procs, p, &fresh);
	struct trace_event *t = emit_event(c, fresh ? GE_ProcStatus : start ? GE_ProcStart : GE_ProcStop, e);
	if (fresh)
		t->to = start ? TST_RUNNING : TST_IDLE;
	if (!start)
		u64_map_remove(&c->threads, p);
}

static void on_create(struct conv *c, const struct gotrace1_event *e)
{
	bool fresh;
	if (!c->starting) {
		struct trace_event *t = emit_event(c, GE_GoCreate, e);
		t->id = (int64_t)e->arg[0];
		t->stack2 = stack_at(c, e->arg[1]);
		return;
	}
	u64_map_put(&c->created, e->arg[0], &fresh);
	c->created_id = mem_grow(c->created_id, &c->capcreated, c->ncreated + 1,
	    sizeof *c->created_id);
	c->created_id[c->ncreated++] = e->arg[0];
}

static void on_found(struct conv *c, const struct gotrace1_event *e, enum trace_state to)
{
	u64_map_remove(&c->created, e->arg[0]);
	emit_status(c, e, (int64_t)e->arg[0], to);
}

static void on_start_label(struct conv *c, const struct gotrace1_event *e)
{
	struct trace_event *t = emit_event(c, GE_GoStart, e);
	t->id = (int64_t)e->arg[0];
	if (t->m == -1)
		t->m = 0;
	int64_t m = t->m;
	t = emit_event(c, GE_GoLabel, e);
	t->m = m;
	t->name = str_at(c, e->arg[2]);
}

static void on_syscall(struct conv *c, const struct gotrace1_event *e)
{
	emit_event(c, GE_GoSyscallBegin, e);
	if (e->blocked)
		return;
	struct gotrace1_event end = *e;
	end.ts++;
	emit_event(c, GE_GoSyscallEnd, &end);
}

static void on_stop(struct conv *c, const struct gotrace1_event *e)
{
	struct trace_event *t = emit_event(c, plain[e->type].to, e);
	if (e->type == V1_STW_START) {
		uint64_t k = e->arg[0];
		bool known = c->v->version < 21 ? k < 2 : k < sizeof stops / sizeof *stops;
		c->stop_kind = text(c, stops[!known ? 0 : c->v->version < 21 ? k + 1 : k]);
	}
	t->name = c->stop_kind;
}

static void on_task(struct conv *c, const struct gotrace1_event *e)
{
	bool fresh;
	struct trace_event *t = emit_event(c, plain[e->type].to, e);
	t->id = (int64_t)e->arg[0];
	t->value = UINT64_MAX;
	if (e->type == V1_TASK_CREATE) {
		if (e->arg[1])
			t->value = e->arg[1];
		t->name = str_at(c, e->arg[2]);
		struct v1_task *v1_task = arena_alloc(&c->mem, sizeof *v1_task);
		*v1_task = (struct v1_task){c->v->gen->str[t->name], e->arg[1]};
		u64_map_put(&c->tasks, e->arg[0], &fresh)->p = v1_task;
		return;
	}
	struct u64_slot *s = u64_map_get(&c->tasks, e->arg[0]);
	if (s) {
		const struct v1_task *v1_task = s->p;
		t->value = v1_task->parent;
		t->name = generation_add_string(c->v->gen, v1_task->name.p, v1_task->name.n);
		u64_map_remove(&c->tasks, e->arg[0]);
	}
}

static void on_log(struct conv *c, const struct gotrace1_event *e)
{
	struct trace_event *t = emit_event(c, GE_UserLog, e);
	t->id = (int64_t)e->arg[0];
	t->name = str_at(c, e->arg[1]);
	t->text = generation_add_string(c->v->gen, (const char *)c->v->in.p + e->arg[2], (uint32_t)e->arg[3]);
}

static void on_plain(struct conv *c, const struct gotrace1_event *e)
{
	struct trace_event *t = emit_event(c, plain[e->type].to, e);
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

static void convert_event(struct conv *c, const struct gotrace1_event *e)
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
		struct trace_event *t = emit_event(c, e->arg[1] ? GE_UserRegionEnd : GE_UserRegionBegin, e);
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

/* A system call blocked if the next event of its goroutine is the loss of the P. */
static void mark_blocked(struct v1_trace *v)
{
	struct u64_hash next = {0};
	for (size_t i = v->norder; i-- > 0;) {
		struct gotrace1_event *e = &v->ev[v->order[i]];
		bool fresh;
		struct u64_slot *s = u64_map_put(&next, e->g, &fresh);
		if (e->type == V1_GO_SYSCALL)
			e->blocked = !fresh && s->n == V1_GO_SYSBLOCK;
		s->n = e->type;
	}
	u64_map_free(&next);
}

static void emit_sync(struct event_orderer *o, int64_t time, bool opens)
{
	*o->next++ = (struct trace_event){.time = time, .m = -1, .p = -1, .g = -1, .kind = TEV_SYNC,
	    .wire = GE_SYNC_OURS, .what = opens, .value = ++o->syncs};
}

/* Return whether the trace begins with the list of existing goroutines. It does, unless that was in a batch that
   is missing. */
static bool has_whole_start(const struct v1_trace *v)
{
	if (!v->norder)
		return true;
	uint8_t first = v->ev[v->order[0]].type;
	return !v->forced || first == V1_GO_CREATE || first == V1_GO_WAITING || first == V1_GO_IN_SYSCALL;
}

void gotrace1_convert(struct v1_trace *v, struct event_orderer *o)
{
	struct conv c = {.v = v, .o = o, .starting = has_whole_start(v)};
	o->gen = v->gen;
	o->last = -1;
	mark_blocked(v);
	if (v->norder)
		emit_sync(o, v->ev[v->order[0]].ts - 1, true);
	for (size_t i = 0; i < v->norder; i++) {
		if (o->next > o->full && !order_flush(o))
			break;
		convert_event(&c, &v->ev[v->order[i]]);
	}
	emit_sync(o, o->last + 1, false);
	order_flush(o);
	u64_map_free(&c.created);
	mem_free(c.created_id);
	u64_map_free(&c.procs);
	u64_map_free(&c.threads);
	u64_map_free(&c.tasks);
	arena_free(&c.mem);
}
