/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The order of events in traces of version 1. Each P's events are in order; between Ps, a
 * goroutine's starts and wake-ups are counted, so an event is ready when its goroutine has the
 * status and the count that the event requires. Of the ready events at the heads of the Ps the
 * earliest is next: this is correct whatever the clocks are, and in the order of time if the clocks
 * are right. If several are the earliest, any may be next. The reference begins with the Ps in the
 * order of a Go map, a different one at each run, and since no two events may have equal times its
 * times differ by nanoseconds from run to run. Here Ps are in the order of the file; with its Ps in
 * the same order the reference's output is the same, byte for byte.
 *
 * A buffer of a P is written when it is full, so a trace that was not stopped has the beginning of
 * some Ps and nothing of others. When no P can advance, the earliest event is taken anyway, as in
 * order_recover.c: its goroutine is set to the required state. The exception is a goroutine that
 * runs on a P with events still to come, because that P's state is reliable.
 *
 * Then ticks are converted to times, the ends of system calls are moved to when they happened (they
 * are written late), wake-ups without effect are removed (up to 1.10), and all events are checked
 * (repair.c). The reference refuses a trace that fails any of this; here times that decrease are
 * corrected, and other events are taken anyway or left out.
 */
#include "config.h"
#include "load/gotrace1/internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

#include <inttypes.h>
#include <string.h>

/* Limit of tries: a crafted trace of a million Ps would never end. */
enum { PATIENCE = 1 << 27, PER_EVENT = 256 };

enum status { DEAD, RUNNABLE, RUNNING, WAITING };

#define NO_SEQ UINT64_MAX	/* any number, and it does not change */
#define NEXT_SEQ (UINT64_MAX - 1)
#define NO_G UINT64_MAX
#define THE_GC (UINT64_MAX - 1)	/* orders GC cycles like a goroutine */

struct gstate {
	uint64_t seq;
	enum status status;
};

struct change {		/* of one goroutine, by one event */
	bool any;
	uint64_t g;
	struct gstate from, to;
};

static struct change change_of(const struct gotrace1_event *e)
{
	switch (e->type) {
	case V1_GO_CREATE:
		return (struct change){true, e->arg[0], {0, DEAD}, {1, RUNNABLE}};
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		return (struct change){true, e->g, {1, RUNNABLE}, {2, WAITING}};
	case V1_GO_START:
	case V1_GO_START_LABEL:
		return (struct change){true, e->g, {e->arg[1], RUNNABLE}, {e->arg[1] + 1, RUNNING}};
	case V1_GO_START_LOCAL:
		return (struct change){true, e->g, {NO_SEQ, RUNNABLE}, {NEXT_SEQ, RUNNING}};
	case V1_GO_BLOCK: case V1_GO_BLOCK_SEND: case V1_GO_BLOCK_RECV: case V1_GO_BLOCK_SELECT:
	case V1_GO_BLOCK_SYNC: case V1_GO_BLOCK_COND: case V1_GO_BLOCK_NET: case V1_GO_SLEEP:
	case V1_GO_SYSBLOCK: case V1_GO_BLOCK_GC:
		return (struct change){true, e->g, {NO_SEQ, RUNNING}, {NO_SEQ, WAITING}};
	case V1_GO_SCHED:
	case V1_GO_PREEMPT:
		return (struct change){true, e->g, {NO_SEQ, RUNNING}, {NO_SEQ, RUNNABLE}};
	case V1_GO_UNBLOCK:
	case V1_GO_SYSEXIT:
		return (struct change){true, e->arg[0], {e->arg[1], WAITING}, {e->arg[1] + 1,
		    RUNNABLE}};
	case V1_GO_UNBLOCK_LOCAL:
	case V1_GO_SYSEXIT_LOCAL:
		return (struct change){true, e->arg[0], {NO_SEQ, WAITING}, {NEXT_SEQ, RUNNABLE}};
	case V1_GC_START:
		return (struct change){true, THE_GC, {e->arg[0], DEAD}, {e->arg[0] + 1, DEAD}};
	default:
		return (struct change){.any = false};
	}
}

/* The map stores a goroutine's state as one number: its count and its status. */
static struct gstate state_of(const struct u64_hash *gs, uint64_t g)
{
	const struct u64_slot *s = u64_map_get(gs, g);
	return s ? (struct gstate){s->n >> 2, (enum status)(s->n & 3)} : (struct gstate){0, DEAD};
}

static bool is_ready(const struct u64_hash *gs, const struct change *c)
{
	if (!c->any)
		return true;
	struct gstate now = state_of(gs, c->g);
	return (c->from.seq == NO_SEQ || c->from.seq == now.seq) && c->from.status == now.status;
}

static void apply_change(struct u64_hash *gs, const struct change *c)
{
	if (!c->any)
		return;
	uint64_t seq = c->to.seq;
	if (seq >= NEXT_SEQ)
		seq = state_of(gs, c->g).seq + (seq == NEXT_SEQ);
	bool fresh;
	u64_map_put(gs, c->g, &fresh)->n = seq << 2 | c->to.status;
}

/* ---- the merge */

struct proc_head {
	uint32_t ev, proc;
};

struct proc_merge {
	struct v1_trace *v;
	struct u64_hash gs;
	struct proc_head *heap;	/* ready events by time, at most one for each P */
	uint32_t n;
	uint32_t *idle;		/* Ps whose head is not in the heap */
	uint32_t nidle;
	uint64_t examined;	/* tries at Ps whose event was not ready */
};

static int64_t time_at(const struct proc_merge *m, uint32_t i)
{
	return m->v->ev[m->heap[i].ev].ts;
}

static void swap_heads(struct proc_merge *m, uint32_t i, uint32_t j)
{
	struct proc_head t = m->heap[i];
	m->heap[i] = m->heap[j];
	m->heap[j] = t;
}

static void push_head(struct proc_merge *m, struct proc_head h)
{
	uint32_t i = m->n++;
	m->heap[i] = h;
	for (; i && time_at(m, i) < time_at(m, (i - 1) / 2); i = (i - 1) / 2)
		swap_heads(m, i, (i - 1) / 2);
}

static struct proc_head pop_head(struct proc_merge *m)
{
	struct proc_head top = m->heap[0];
	m->heap[0] = m->heap[--m->n];
	for (uint32_t i = 0;;) {
		uint32_t c = 2 * i + 1;
		if (c >= m->n)
			return top;
		if (c + 1 < m->n && time_at(m, c + 1) < time_at(m, c))
			c++;
		if (time_at(m, c) >= time_at(m, i))
			return top;
		swap_heads(m, i, c);
		i = c;
	}
}

/* Move the Ps whose next event is ready into the heap; drop those without further events. */
static void gather_ready(struct proc_merge *m)
{
	for (uint32_t i = 0; i < m->nidle;) {
		struct gotrace1_proc *p = &m->v->proc[m->idle[i]];
		struct proc_head h = {p->first - 1, m->idle[i]};
		if (p->first) {
			struct change c = change_of(&m->v->ev[h.ev]);
			if (!is_ready(&m->gs, &c)) {
				i++;
				m->examined++;
				continue;
			}
			push_head(m, h);
		}
		m->idle[i] = m->idle[--m->nidle];
	}
}

/* Return whether g runs on another P that has more events. */
static bool busy_elsewhere(const struct v1_trace *v, uint32_t proc, uint64_t g)
{
	for (uint32_t i = 0; i < v->nproc; i++)
		if (i != proc && v->proc[i].first && v->proc[i].g == g)
			return true;
	return false;
}

static uint32_t find_earliest(const struct proc_merge *m, bool believable)
{
	uint32_t best = UINT32_MAX;
	int64_t ts = 0;
	for (uint32_t i = 0; i < m->nidle; i++) {
		const struct gotrace1_proc *p = &m->v->proc[m->idle[i]];
		const struct gotrace1_event *e = &m->v->ev[p->first - 1];
		struct change c = change_of(e);
		if (believable && busy_elsewhere(m->v, m->idle[i], c.g))
			continue;
		if (best == UINT32_MAX || e->ts < ts) {
			best = m->idle[i];
			ts = e->ts;
		}
	}
	return best;
}

/* Skip the next event of a P, which is impossible. */
static bool drop_event(struct v1_trace *v, uint32_t p)
{
	v->proc[p].first = v->ev[v->proc[p].first - 1].next;
	v->dropped++;
	return true;
}

/* No P can advance: make the earliest event possible. Returns false if no events are left. An event whose count
   does not fit into the map is dropped. */
static bool force_earliest(struct proc_merge *m)
{
	bool fresh;
	if (!m->nidle)
		return false;
	if (!m->v->damage.kind)
		err_set(&m->v->damage, ERR_FORMAT, ERR_NOWHERE, "no consistent ordering of events possible");
	m->examined += (uint64_t)m->nidle * m->v->nproc;
	uint32_t p = find_earliest(m, true);
	if (p == UINT32_MAX)
		return drop_event(m->v, find_earliest(m, false));
	struct change c = change_of(&m->v->ev[m->v->proc[p].first - 1]);
	uint64_t seq = c.from.seq == NO_SEQ ? state_of(&m->gs, c.g).seq : c.from.seq;
	if (seq > UINT64_MAX >> 2)
		return drop_event(m->v, p);
	u64_map_put(&m->gs, c.g, &fresh)->n = seq << 2 | c.from.status;
	return true;
}

/* Append the event to the order and apply it to its goroutine and its P. */
static void take_event(struct proc_merge *m, struct proc_head h, const struct change *c)
{
	struct v1_trace *v = m->v;
	struct gotrace1_event *e = &v->ev[h.ev];
	struct gotrace1_proc *p = &v->proc[h.proc];
	apply_change(&m->gs, c);
	if (c->any && c->to.status == RUNNING)
		p->g = c->g;
	else if (c->any && c->from.status == RUNNING)
		p->g = NO_G;
	if (e->type == V1_GO_START_LOCAL) {
		e->type = V1_GO_START;
	} else if (e->type == V1_GO_UNBLOCK_LOCAL) {
		e->type = V1_GO_UNBLOCK;
	} else if (e->type == V1_GO_SYSEXIT_LOCAL) {
		e->type = V1_GO_SYSEXIT;	/* it was written in time: arg 2 is 0 */
	}
	v->order[v->norder++] = h.ev;
	p->first = e->next;
}

static void proc_merge(struct v1_trace *v)
{
	struct proc_merge m = {.v = v};
	m.heap = xcalloc(v->nproc, sizeof *m.heap);
	m.idle = xcalloc(v->nproc, sizeof *m.idle);
	for (uint32_t i = 0; i < v->nproc; i++) {
		m.idle[m.nidle++] = i;
		v->proc[i].g = NO_G;
	}
	while (m.examined <= PATIENCE + PER_EVENT * (uint64_t)v->norder) {
		gather_ready(&m);
		if (!m.n && !force_earliest(&m))
			break;
		if (!m.n)
			continue;
		struct proc_head h = pop_head(&m);
		struct change c = change_of(&v->ev[h.ev]);
		if (is_ready(&m.gs, &c))
			take_event(&m, h, &c);
		else	/* the heads of two Ps needed the same goroutine */
			m.examined++;
		m.idle[m.nidle++] = h.proc;
	}
	u64_map_free(&m.gs);
	mem_free(m.heap);
	mem_free(m.idle);
}

/* ---- sorting by a field of the event */

static int64_t key_ts(const struct gotrace1_event *e)
{
	return e->ts;
}

static int64_t key_seq(const struct gotrace1_event *e)
{
	return e->seq;
}

/* Stable merge sort of indexes; two sorted runs in order cost one comparison. */
static void sort_by(const struct v1_trace *v, uint32_t *x, size_t n,
    int64_t (*key)(const struct gotrace1_event *))
{
	uint32_t *tmp = xmalloc(n * sizeof *tmp);
	for (size_t w = 1; w < n; w *= 2)
		for (size_t at = 0; at + w < n; at += 2 * w) {
			size_t mid = at + w, end = mid + w < n ? mid + w : n, i = at, j = mid,
			    k = 0;
			if (key(&v->ev[x[mid - 1]]) <= key(&v->ev[x[mid]]))
				continue;
			while (i < mid && j < end)
				tmp[k++] = key(&v->ev[x[j]]) < key(&v->ev[x[i]]) ? x[j++] : x[i++];
			while (i < mid)
				tmp[k++] = x[i++];
			memcpy(x + at, tmp, k * sizeof *x);
		}
	mem_free(tmp);
}

static void sort_samples(struct v1_trace *v)
{
	const struct u64_slot *s = u64_map_get(&v->procs, V1_P_PROFILE);
	if (!s)
		return;
	struct gotrace1_proc *p = &v->proc[s->n];
	size_t n = 0;
	for (uint32_t i = p->first; i; i = v->ev[i - 1].next)
		v->order[n++] = i - 1;
	sort_by(v, v->order, n, key_ts);
	p->first = n ? v->order[0] + 1 : 0;
	for (size_t i = 0; i < n; i++)
		v->ev[v->order[i]].next = i + 1 < n ? v->order[i + 1] + 1 : 0;
}

/* Go 1.5 and 1.6 numbered all events; the end of a system call has its number among its arguments. */
static void order_by_number(struct v1_trace *v)
{
	for (size_t i = 0; i < v->nev; i++) {
		struct gotrace1_event *e = &v->ev[i];
		v->order[i] = (uint32_t)i;
		if (e->type == V1_GO_SYSEXIT) {
			e->seq = (int64_t)e->arg[1];
			if (e->arg[2])
				e->ts = (int64_t)e->arg[2];
		}
	}
	v->norder = v->nev;
	sort_by(v, v->order, v->norder, key_seq);
}

static void hold_clocks(struct v1_trace *v)
{
	bool back = false;
	for (size_t i = 1; i < v->norder; i++) {
		int64_t before = v->ev[v->order[i - 1]].ts;
		if (v->ev[v->order[i]].ts < before) {
			v->ev[v->order[i]].ts = before;
			back = true;
		}
	}
	if (back && !v->damage.kind)
		err_set(&v->damage, ERR_FORMAT, ERR_NOWHERE,
		    "timestamps out of order: some were corrected");
}

/* The end of a system call is written when the goroutine has a P again; arg 2 is the time of the end. */
static void move_syscall_ends(struct v1_trace *v)
{
	struct u64_hash began = {0};
	for (size_t i = 0; i < v->norder; i++) {
		struct gotrace1_event *e = &v->ev[v->order[i]];
		bool fresh;
		if (e->type == V1_GO_SYSBLOCK || e->type == V1_GO_IN_SYSCALL)
			u64_map_put(&began, e->g, &fresh)->n = (uint64_t)e->ts;
		if (e->type != V1_GO_SYSEXIT || !e->arg[2])
			continue;
		const struct u64_slot *s = u64_map_get(&began, e->g);
		if (s && (int64_t)e->arg[2] >= (int64_t)s->n)
			e->ts = (int64_t)e->arg[2];
	}
	u64_map_free(&began);
	sort_by(v, v->order, v->norder, key_ts);
}

static void to_ns(struct v1_trace *v)
{
	if (!v->norder)
		return;
	int64_t first = v->ev[v->order[0]].ts;
	double freq = 1e9 / (double)v->ticks_per_sec;
	for (size_t i = 0; i < v->norder; i++) {
		struct gotrace1_event *e = &v->ev[v->order[i]];
		double t = (double)wrap_sub(e->ts, first) * freq;
		e->ts = t > -9e18 && t < 9e18 ? (int64_t)t : INT64_MAX / 2;
		if (e->type == V1_GO_UNBLOCK && u64_map_get(&v->timers, e->g))
			e->p = V1_P_TIMER;
		if (e->type == V1_GO_SYSEXIT)
			e->p = V1_P_SYSCALL;
	}
}

/* ---- wake-ups without effect: unblock, start, and blocked again */

struct wakeup {
	uint32_t first;		/* list of events linked by gotrace1_event.next, index + 1 */
	bool futile;
};

static void drop_chain(struct v1_trace *v, const struct wakeup *w)
{
	for (uint32_t i = w->first; i; i = v->ev[i - 1].next)
		v->ev[i - 1].type = V1_NONE;
}

static void remove_futile(struct v1_trace *v)
{
	struct u64_hash gs = {0};
	struct wakeup *of = NULL;
	size_t nof = 0, cap = 0, n = 0;
	for (size_t i = 0; i < v->norder; i++) {
		uint32_t at = v->order[i];
		struct gotrace1_event *e = &v->ev[at];
		bool wake = e->type == V1_GO_UNBLOCK, fresh;
		bool blocks = e->type >= V1_GO_BLOCK && e->type <= V1_GO_BLOCK_COND && !wake;
		if (!wake && !blocks && e->type != V1_GO_START && e->type != V1_GO_PREEMPT &&
		    e->type != V1_FUTILE_WAKEUP)
			continue;
		struct u64_slot *s = u64_map_put(&gs, wake ? e->arg[0] : e->g, &fresh);
		if (fresh) {
			of = mem_grow(of, &cap, nof + 1, sizeof *of);
			of[nof] = (struct wakeup){0};
			s->n = nof++;
		}
		struct wakeup *w = &of[s->n];
		if (wake)
			w->first = 0;
		if (!blocks) {
			e->next = w->first;
			w->first = at + 1;
			w->futile |= e->type == V1_FUTILE_WAKEUP;
			continue;
		}
		if (w->futile) {
			drop_chain(v, w);
			e->type = V1_NONE;
		}
		*w = (struct wakeup){0};
	}
	for (size_t i = 0; i < v->norder; i++)
		if (v->ev[v->order[i]].type != V1_NONE)
			v->order[n++] = v->order[i];
	v->nev -= v->norder - n;
	v->norder = n;
	u64_map_free(&gs);
	mem_free(of);
}

void gotrace1_order(struct v1_trace *v)
{
	v->order = xmalloc(v->nev * sizeof *v->order);
	sort_samples(v);
	if (v->version < 7)
		order_by_number(v);
	else
		proc_merge(v);
	hold_clocks(v);
	if (v->version >= 7)
		move_syscall_ends(v);
	to_ns(v);
	if (v->version < 11)
		remove_futile(v);
	gotrace1_repair(v);
}
