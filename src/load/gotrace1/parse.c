/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Version 1 of the trace format, Go 1.5 to 1.21: one sequence of events, in batches by processor
 * (P). A byte has the type and the number of arguments besides times; 3 means that a length in
 * bytes follows and then as many arguments as fit. Times are ticks since the previous event, the
 * reader has to track which goroutine runs where, and frequency and stacks are at the end of the
 * file.
 *
 * So nothing can be shown before everything is read, unlike in version 2. Here the bytes become
 * events of fixed size, linked by P; order.c orders them, convert.c emits them as events of version
 * 2, and later stages do not depend on the version.
 *
 * The arguments of events changed over the versions; args_of() has all of that. Go 1.5 and 1.6
 * wrote a sequence number before each time, and no names in stacks: there an address is its own
 * name, and the start of a goroutine is an address.
 */
#include "config.h"
#include "load/gotrace1/internal.h"

#include "base/mem/mem.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_FRAMES = 1000, MAX_ARGS = 2 + 4 * MAX_FRAMES, MAX_STRING = 1000000 };

/* First version, number of its own arguments, and whether a stack's id follows as the last one. */
static const struct {
	uint8_t since, n;
	bool stack;
} shape[V1__N] = {
	[V1_BATCH] = {5, 2, false}, [V1_FREQUENCY] = {5, 1, false}, [V1_STACK] = {5, 2, false},
	[V1_GOMAXPROCS] = {5, 1, true}, [V1_PROC_START] = {5, 1, false}, [V1_PROC_STOP] = {5, 0,
	    false},
	[V1_GC_START] = {5, 1, true}, [V1_GC_DONE] = {5, 0, false}, [V1_STW_START] = {5, 1, false},
	[V1_STW_DONE] = {5, 0, false}, [V1_SWEEP_START] = {5, 0, true}, [V1_SWEEP_DONE] = {5, 2,
	    false},
	[V1_GO_CREATE] = {5, 2, true}, [V1_GO_START] = {5, 2, false}, [V1_GO_END] = {5, 0, false},
	[V1_GO_STOP] = {5, 0, true}, [V1_GO_SCHED] = {5, 0, true}, [V1_GO_PREEMPT] = {5, 0, true},
	[V1_GO_SLEEP] = {5, 0, true}, [V1_GO_BLOCK] = {5, 0, true}, [V1_GO_UNBLOCK] = {5, 2, true},
	[V1_GO_BLOCK_SEND] = {5, 0, true}, [V1_GO_BLOCK_RECV] = {5, 0, true},
	[V1_GO_BLOCK_SELECT] = {5, 0, true}, [V1_GO_BLOCK_SYNC] = {5, 0, true},
	[V1_GO_BLOCK_COND] = {5, 0, true}, [V1_GO_BLOCK_NET] = {5, 0, true},
	[V1_GO_SYSCALL] = {5, 0, true}, [V1_GO_SYSEXIT] = {5, 3, false}, [V1_GO_SYSBLOCK] = {5, 0,
	    false},
	[V1_GO_WAITING] = {5, 1, false}, [V1_GO_IN_SYSCALL] = {5, 1, false},
	[V1_HEAP_ALLOC] = {5, 1, false}, [V1_HEAP_GOAL] = {5, 1, false},
	[V1_TIMER_GOROUTINE] = {5, 1, false}, [V1_FUTILE_WAKEUP] = {5, 0, false},
	[V1_STRING] = {7, 0, false}, [V1_GO_START_LOCAL] = {7, 1, false},
	[V1_GO_UNBLOCK_LOCAL] = {7, 1, true}, [V1_GO_SYSEXIT_LOCAL] = {7, 2, false},
	[V1_GO_START_LABEL] = {8, 3, false}, [V1_GO_BLOCK_GC] = {8, 0, true},
	[V1_ASSIST_START] = {9, 0, true}, [V1_ASSIST_DONE] = {9, 0, false},
	[V1_TASK_CREATE] = {11, 3, true}, [V1_TASK_END] = {11, 1, true}, [V1_REGION] = {11, 3,
	    true},
	[V1_LOG] = {11, 2, true}, [V1_CPU_SAMPLE] = {19, 3, true},
};

struct parse {
	struct v1_trace *v;
	struct byte_cursor c;
	struct gotrace1_proc *proc;	/* P of the current batch */
	int64_t ts, seq;
	uint64_t arg[MAX_ARGS];
	size_t narg;
	struct gen_string text;	/* of a log message */
};

/* Return the number of arguments of an event of this type and version, including its times. */
static size_t args_of(const struct parse *p, uint8_t type)
{
	int ver = p->v->version;
	size_t n = (size_t)shape[type].n + shape[type].stack;
	if (type == V1_STACK)
		return p->narg;
	if (type == V1_BATCH || type == V1_FREQUENCY || type == V1_TIMER_GOROUTINE)
		return n + (ver < 7);
	n += ver < 7 ? 2 : 1;
	if (type == V1_SWEEP_DONE && ver < 9)
		n -= 2;
	if ((type == V1_GC_START || type == V1_GO_START || type == V1_GO_UNBLOCK) && ver < 7)
		n--;
	if (type == V1_STW_START && ver < 10)
		n--;
	return n;
}

static int bad(struct parse *p, uint64_t at, const char *what, uint64_t v)
{
	return err_set(&p->v->damage, ERR_FORMAT, at, what, v);
}

static int read_args(struct parse *p, uint8_t head, uint64_t at)
{
	p->narg = 0;
	if (head >> 6 < 3) {
		size_t n = (size_t)(head >> 6) + (p->v->version < 7 ? 2 : 1);
		while (p->narg < n)
			p->arg[p->narg++] = byte_cursor_uvarint(&p->c);
		return p->c.bad ? bad(p, at, "truncated in an event of type %" PRIu64,
		    head & 63) : 0;
	}
	uint64_t n = byte_cursor_uvarint(&p->c);
	const uint8_t *bytes = byte_cursor_bytes(&p->c, n);
	if (!bytes)
		return bad(p, at, "truncated in an event of type %" PRIu64, head & 63);
	struct byte_cursor c = byte_cursor_make(bytes, (size_t)n, 0);
	while (byte_cursor_left(&c) && !c.bad && p->narg < MAX_ARGS)
		p->arg[p->narg++] = byte_cursor_uvarint(&c);
	return byte_cursor_left(&c) ? bad(p, at, "event of type %" PRIu64 " is malformed", head & 63) : 0;
}

static int read_string(struct parse *p, uint64_t at)
{
	struct trace_generation *g = p->v->gen;
	uint64_t id = byte_cursor_uvarint(&p->c), n = byte_cursor_uvarint(&p->c);
	if (!p->c.bad && (!id || !n || n > MAX_STRING))
		return bad(p, at, "string has invalid id or length (%" PRIu64 ")", n);
	const uint8_t *s = byte_cursor_bytes(&p->c, n);
	if (!s)
		return bad(p, at, "truncated in string %" PRIu64, id);
	g->str = mem_grow(g->str, &g->capstr, g->nstr + 1, sizeof *g->str);
	g->str[g->nstr++] = (struct gen_string){(const char *)s, (uint32_t)n};
	u64_index_add(&g->strs, id);
	return 0;
}

static int read_text(struct parse *p, uint64_t at)
{
	uint64_t n = byte_cursor_uvarint(&p->c);
	const uint8_t *s = n > MAX_STRING ? NULL : byte_cursor_bytes(&p->c, n);
	if (!s)
		return bad(p, at, "the text of a log message is truncated or too long (%" PRIu64 " bytes)", n);
	p->text = (struct gen_string){(const char *)s, (uint32_t)n};
	return 0;
}

/* Before 1.7: return the id of a string with the address. The file has no strings, so the ids are free. */
static uint64_t address_name(struct parse *p, uint64_t pc)
{
	struct trace_generation *g = p->v->gen;
	bool fresh;
	if (!pc)
		return 0;
	struct u64_slot *s = u64_map_put(&p->v->names, pc, &fresh);
	if (fresh) {
		const char *text = arena_printf(&g->made, "0x%" PRIx64, pc);
		g->str = mem_grow(g->str, &g->capstr, g->nstr + 1, sizeof *g->str);
		g->str[g->nstr] = (struct gen_string){text, (uint32_t)strlen(text)};
		s->n = g->nstr++;
		u64_index_add(&g->strs, s->n);
	}
	return s->n;
}

/* Before 1.7: return the id of a stack with only this address. It is greater than the file's ids. */
static uint64_t address_stack(struct parse *p, uint64_t pc)
{
	enum { OURS = 0x70000000 };
	struct trace_generation *g = p->v->gen;
	bool fresh;
	if (!pc)
		return 0;
	struct u64_slot *s = u64_map_put(&p->v->starts, pc, &fresh);
	if (!fresh)
		return s->n;
	uint64_t id = OURS + g->nstack;
	s->n = id;
	g->stack = mem_grow(g->stack, &g->capstack, g->nstack + 1, sizeof *g->stack);
	g->stack[g->nstack] = (struct gen_stack){g->nref, 1};
	generation_add_frame(g, &(struct gen_pc){pc, address_name(p, pc), 0, 0});
	u64_map_put(&p->v->stack_ids, id, &fresh)->n = g->nstack++;
	return id;
}

/* Add the stacks of a trace without its end. */
static void lost_stack(struct v1_trace *v, uint64_t id)
{
	bool fresh;
	if (!(uint32_t)id)
		return;
	struct u64_slot *s = u64_map_put(&v->stack_ids, (uint32_t)id, &fresh);
	if (fresh)
		s->n = lost_names_add_stack(v->gen, (uint32_t)id);
}

static void lost_stacks(struct v1_trace *v)
{
	for (size_t i = 0; i < v->nev; i++) {
		lost_stack(v, v->ev[i].stack);
		if (v->ev[i].type == V1_GO_CREATE)
			lost_stack(v, v->ev[i].arg[1]);
	}
}

static int add_stack(struct parse *p, uint64_t at)
{
	struct trace_generation *g = p->v->gen;
	size_t per = p->v->version < 7 ? 1 : 4;
	uint64_t n = p->narg < 2 ? 0 : p->arg[1];
	if (p->narg < 2 || n > MAX_FRAMES || p->narg != 2 + per * n)
		return bad(p, at, "stack with a wrong number of frames (%" PRIu64 ")", n);
	uint32_t id = (uint32_t)p->arg[0];
	if (!id || !n)
		return 0;
	struct gen_stack s = {g->nref, (uint32_t)n};
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t *a = &p->arg[2 + i * per];
		generation_add_frame(g, &(struct gen_pc){a[0], per == 4 ? a[1] : address_name(p, a[0]),
					    per == 4 ? a[2] : 0, per == 4 ? a[3] : 0});
	}
	bool fresh;
	struct u64_slot *slot = u64_map_put(&p->v->stack_ids, id, &fresh);
	if (fresh) {
		slot->n = g->nstack;
		g->stack = mem_grow(g->stack, &g->capstack, g->nstack + 1, sizeof *g->stack);
		g->nstack++;
	}
	g->stack[slot->n] = s;
	return 0;
}

static struct gotrace1_proc *proc_of(struct v1_trace *v, int64_t pid)
{
	bool fresh;
	struct u64_slot *s = u64_map_put(&v->procs, (uint64_t)pid, &fresh);
	if (fresh) {
		s->n = v->nproc;
		v->proc = mem_grow(v->proc, &v->capproc, v->nproc + 1, sizeof *v->proc);
		v->proc[v->nproc++] = (struct gotrace1_proc){.p = pid};
	}
	return &v->proc[s->n];
}

static int begin_batch(struct parse *p, uint64_t at)
{
	uint64_t pid = p->arg[0];
	if (pid != UINT64_MAX && pid > INT32_MAX)
		return bad(p, at, "processor ID %" PRIu64 " is too large", pid);
	p->proc = proc_of(p->v, (int64_t)pid);
	p->seq = p->v->version < 7 ? (int64_t)p->arg[1] : 0;
	p->ts = (int64_t)p->arg[p->v->version < 7 ? 2 : 1];
	p->v->gen->nbatches++;
	return 0;
}

/* Update the goroutine that runs on the P. */
static void track_running(struct parse *p, struct gotrace1_event *e)
{
	switch (e->type) {
	case V1_GO_START:
	case V1_GO_START_LOCAL:
	case V1_GO_START_LABEL:
		e->g = p->proc->g = e->arg[0];
		break;
	case V1_GO_END: case V1_GO_STOP: case V1_GO_SCHED: case V1_GO_PREEMPT: case V1_GO_SLEEP:
	case V1_GO_BLOCK: case V1_GO_BLOCK_SEND: case V1_GO_BLOCK_RECV: case V1_GO_BLOCK_SELECT:
	case V1_GO_BLOCK_SYNC: case V1_GO_BLOCK_COND: case V1_GO_BLOCK_NET: case V1_GO_SYSBLOCK:
	case V1_GO_BLOCK_GC:
		p->proc->g = 0;
		break;
	case V1_GO_SYSEXIT:
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		e->g = e->arg[0];
		break;
	case V1_LOG:
		e->arg[2] = (uint64_t)((const uint8_t *)p->text.p - p->v->in.p);
		e->arg[3] = p->text.n;
		break;
	default:
		break;
	}
}

static void append_event(struct v1_trace *v, struct gotrace1_proc *proc, const struct gotrace1_event *e)
{
	v->ev = mem_grow(v->ev, &v->capev, v->nev + 1, sizeof *v->ev);
	v->ev[v->nev++] = *e;
	uint32_t ref = (uint32_t)v->nev;
	if (proc->last)
		v->ev[proc->last - 1].next = ref;
	else
		proc->first = ref;
	proc->last = ref;
}

static void add_event(struct parse *p, uint8_t type)
{
	struct v1_trace *v = p->v;
	struct gotrace1_event e = {.type = type, .p = (int32_t)p->proc->p, .g = p->proc->g};
	size_t at = v->version < 7 ? 2 : 1, n = p->narg;
	if (type != V1_CPU_SAMPLE) {
		if (v->version < 7)
			e.seq = p->seq = wire_add(p->seq, (int64_t)p->arg[0]);
		e.ts = p->ts = wire_add(p->ts, (int64_t)p->arg[at - 1]);
	}
	if (shape[type].stack)
		e.stack = (uint32_t)p->arg[--n];
	for (size_t i = at; i < n; i++)
		e.arg[i - at] = p->arg[i];
	if (type == V1_GO_CREATE && v->version < 7)
		e.arg[1] = address_stack(p, e.arg[1]);
	if (type == V1_CPU_SAMPLE) {
		/* A signal handler took the sample and another thread wrote it later: samples are on a pseudo P,
		   by their own times. */
		e.ts = (int64_t)e.arg[0];
		e.p = (int32_t)e.arg[1];
		e.g = e.arg[2];
		e.arg[0] = 0;
		size_t own = (size_t)(p->proc - v->proc);
		append_event(v, proc_of(v, V1_P_PROFILE), &e);
		p->proc = &v->proc[own];
		return;
	}
	track_running(p, &e);
	append_event(v, p->proc, &e);
}

static int parse_one(struct parse *p)
{
	uint64_t at = byte_cursor_at(&p->c);
	uint8_t head = byte_cursor_u8(&p->c), type = head & 63;
	if (!type || type >= V1__N || shape[type].since > p->v->version)
		return bad(p, at, "unknown event type %" PRIu64, type);
	if (type == V1_STRING)
		return read_string(p, at);
	if (read_args(p, head, at) || (type == V1_LOG && read_text(p, at)))
		return -1;
	if (p->narg != args_of(p, type))
		return bad(p, at, "event with a wrong number of arguments: %" PRIu64, p->narg);
	if (type == V1_BATCH)
		return begin_batch(p, at);
	if (!p->proc)
		return bad(p, at, "event of type %" PRIu64 " before any batch", type);
	switch (type) {
	case V1_FREQUENCY:
		p->v->ticks_per_sec = (int64_t)p->arg[0];
		return 0;
	case V1_TIMER_GOROUTINE: {
		bool fresh;
		u64_map_put(&p->v->timers, p->arg[0], &fresh);
		return 0;
	}
	case V1_STACK:
		return add_stack(p, at);
	default:
		if (p->v->nev >= UINT32_MAX - 1)
			return bad(p, at, "more than %" PRIu64 " events", UINT32_MAX - 1);
		add_event(p, type);
		return 0;
	}
}

/* Read v->in: events by P, and tables. Damage ends the reading. */
static void parse_events(struct v1_trace *v)
{
	struct parse *p = xcalloc(1, sizeof *p);
	p->v = v;
	p->c = byte_cursor_make(v->in.p + GO_HEADER, v->in.n - GO_HEADER, GO_HEADER);
	do
		v->end = byte_cursor_at(&p->c);
	while (byte_cursor_left(&p->c) && !parse_one(p));
	mem_free(p);
}

static void free_tables(struct v1_trace *v)
{
	u64_map_free(&v->stack_ids);
	u64_map_free(&v->names);
	u64_map_free(&v->starts);
	u64_map_free(&v->timers);
	u64_map_free(&v->procs);
	mem_free(v->ev);
	mem_free(v->proc);
	mem_free(v->order);
}

int gotrace1_read(struct bytes in, int version, struct event_orderer *o, struct trace_generation **gen, uint64_t *lost,
    struct err *damage)
{
	struct v1_trace v = {.in = in, .version = version, .gen = generation_new(),
	    .damage = {.at = ERR_NOWHERE}};
	v.gen->number = 1;
	parse_events(&v);
	if (v.ticks_per_sec <= 0)
		lost_stacks(&v);
	uint64_t shown = v.end, dup;
	if (generation_seal_v1(v.gen, &dup) && !v.damage.kind)
		err_set(&v.damage, ERR_FORMAT, ERR_NOWHERE, "string has duplicate id %" PRIu64,
		    dup);
	bool frequency = v.ticks_per_sec > 0;
	int ret = v.nev || frequency ? 0 : -1;
	if (!frequency)
		v.ticks_per_sec = 1000000000;
	if (in.n <= GO_HEADER)
		err_set(&v.damage, ERR_FORMAT, GO_HEADER, GO_NOTHING);
	if (!ret) {
		gotrace1_order(&v);
		if (v.norder < v.nev && !v.forced)
			shown = (uint64_t)((double)shown * (double)v.norder / (double)v.nev);
		o->forced += v.forced;
		o->dropped += v.dropped;
		gotrace1_convert(&v, o);
		o->info->generations = 1;
		o->info->batches = v.gen->nbatches;
		o->info->bytes = v.end;
		if (o->ops->generation && !o->stopped && !o->ops->generation(o->self, o->info))
			o->stopped = true;
	}
	if (!frequency && !v.damage.kind)
		err_set(&v.damage, ERR_FORMAT, ERR_NOWHERE, "no EvFrequency event");
	o->unended = !frequency;
	*damage = v.damage;
	*gen = v.gen;
	*lost = in.n - shown;
	free_tables(&v);
	return ret;
}
