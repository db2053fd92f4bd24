/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Passes the data of a runtime log to the sink, in the order of time.
 *
 * Each P has the state of the last SCHED line and the state that was emitted last; a stop of the
 * world replaces the first. So points change states, and only show_procs() emits them, where they
 * differ. Unknown states are not guessed: without detail only the number of idle Ps is known and
 * which ones only sometimes, so a P is "unknown" where that does not follow. Stops of the world are
 * shown on the Ps that SCHED lines name; cycles without such lines have no Ps at all.
 */
#include "config.h"
#include "load/text/godebug_emit.h"

#include "base/mem/mem.h"

#include <stdlib.h>
#include <string.h>

static void count(const struct godebug *d, int64_t t, enum counter c, uint64_t v)
{
	d->s->trace->count(d->s->self, t, c, v, 0);
}

static void set_procs(struct godebug *d, const struct point *p, uint64_t n)
{
	if (!n || n > MAX_PROCS || n == d->procs)
		return;
	d->procs = (uint32_t)n;
	count(d, p->t, CT_GOMAXPROCS, n);
	d->s->trace->util(d->s->self, &(struct sink_util){p->t, p->t + 1, UT_PROCS, d->procs, 0, false});
}

/* Emit the states of the Ps whose state differs from the one emitted last. */
static void show_procs(struct godebug *d, int64_t t)
{
	for (size_t i = 0; i < d->nproc; i++) {
		struct godebug_proc *p = &d->proc[i];
		uint8_t s = d->stopped && p->base != TS_NONE ? TS_STW : p->base;
		if (s == p->shown || (s == TS_STW && d->nstates > MAX_STATES)) {
			d->many_states |= s != p->shown;
			continue;
		}
		p->shown = s;
		d->nstates++;
		sink_enter_one(d->s, p->trk, t, s, 0, 0);
	}
}

static void need_proc(struct godebug *d, uint64_t i)
{
	while (d->nproc <= i && i < MAX_PROCS) {
		d->proc = mem_grow(d->proc, &d->cproc, d->nproc + 1, sizeof *d->proc);
		trk_id trk = d->s->trace->track(d->s->self, TK_P, d->nproc);
		d->proc[d->nproc++] = (struct godebug_proc){.trk = trk, .base = TS_NONE, .shown = TS_NONE};
	}
}

static void emit_queue(const struct godebug *d, int64_t t, uint64_t proc, uint64_t n)
{
	if (n && proc < d->nproc)
		d->s->trace->mark(d->s->self,
		    &(struct sink_mark){.t = t, .kind = MK_QUEUE, .trk = d->proc[proc].trk, .task = n});
}

/* Set the states of Ps from the queues of one line, as far as they follow. Returns the sum of the queues. */
static uint64_t queued_procs(struct godebug *d, int64_t t, const struct godebug_sched *s)
{
	struct scan_text list = s->queues;
	uint64_t n = 0, busy = 0, sum = 0, q, idle = s->v[GD_IDLE_PROCS];
	for (; godebug_next_number(&list, &q); n++) {
		need_proc(d, n);
		sum += q;
		busy += q > 0;
		if (n >= d->nproc)
			continue;
		d->proc[n].base = q ? TS_RUN : TS_UNKNOWN;	/* an idle P has an empty queue */
		emit_queue(d, t, n, q);
	}
	for (size_t i = n < d->nproc ? (size_t)n : d->nproc; i < d->nproc; i++)
		d->proc[i].base = TS_NONE;
	bool rest_idle = idle >= n || n - busy == idle;
	for (size_t i = 0; i < d->nproc && i < n; i++)
		if (d->proc[i].base == TS_UNKNOWN && (rest_idle || !idle))
			d->proc[i].base = rest_idle && idle ? TS_IDLE : s->gcwaiting ? TS_STW : TS_RUN;
	return sum;
}

static uint8_t reason_state(struct scan_text r)
{
	static const struct { const char *word; uint8_t state; } reasons[] = {
		{"chan receive (nil", TS_FOREVER}, {"chan send (nil", TS_FOREVER}, {"select (no cases)", TS_FOREVER},
		{"chan receive", TS_CHANRECV}, {"chan send", TS_CHANSEND}, {"select", TS_SELECT}, {"IO wait", TS_NET},
		{"sleep", TS_SLEEP}, {"sync.Cond", TS_COND}, {"sync.", TS_SYNC}, {"semacquire", TS_SYNC},
		{"synctest", TS_SYNCTEST}, {"GC assist wait", TS_GCASSISTW}, {"GC sweep wait", TS_GCSWEEPW},
		{"wait for GC", TS_GCEND}, {"garbage collection", TS_GCEND}, {"GC weak to strong", TS_GCWEAK},
		{"preempted", TS_PREEMPT}, {"debug call", TS_DEBUG}, {"coroutine", TS_CORO}, {"GC worker", TS_SYSTEM},
		{"force gc", TS_SYSTEM}, {"GC scavenge", TS_SYSTEM}, {"finalizer", TS_SYSTEM}, {"cleanup", TS_SYSTEM},
		{"GOMAXPROCS updater", TS_SYSTEM}, {"trace reader", TS_SYSTEM},
	};
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (scan_starts_with(r, reasons[i].word))
			return reasons[i].state;
	return TS_OTHER;
}

/* The threads among the units of one SCHED line, by id: these have a P and a goroutine. */
struct threads { const struct godebug_unit *u; size_t n; };

static int unit_cmp(const void *a, const void *b)
{
	const struct godebug_unit *x = a, *y = b;
	return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

static const struct godebug_unit *thread_of(const struct threads *t, int64_t m)
{
	struct godebug_unit key = {.kind = 'M', .id = (uint64_t)m};
	return m < 0 || !t->n ? NULL : bsearch(&key, t->u, t->n, sizeof key, unit_cmp);
}

static trk_id proc_at(const struct godebug *d, int64_t p)
{
	return p >= 0 && (uint64_t)p < d->nproc ? d->proc[p].trk : 0;
}

static void emit_thread(struct godebug *d, int64_t t, const struct godebug_unit *u)
{
	trk_id m = d->s->trace->track(d->s->self, TK_M, u->id), p = proc_at(d, u->p);
	trk_id g = u->g >= 0 ? d->s->trace->track(d->s->self, TK_G, (uint64_t)u->g) : 0;
	enum tstate s = p ? TS_RUN : g && !u->blocked ? TS_SYSCALL : TS_IDLE;
	sink_enter_one(d->s, m, t, s, s == TS_RUN ? p : s == TS_SYSCALL ? g : 0, 0);
}

static void emit_goroutine(struct godebug *d, int64_t t, const struct godebug_unit *u, const struct threads *th)
{
	static const uint8_t states[16] = {[0] = TS_NONE, [1] = TS_READY, [2] = TS_RUN, [3] = TS_SYSCALL,
	    [4] = TS_OTHER, [6] = TS_NONE, [8] = TS_RUN, [9] = TS_PREEMPT, [10] = TS_FOREVER, [11] = TS_NONE};
	trk_id g = d->s->trace->track(d->s->self, TK_G, u->id);
	const struct godebug_unit *m = thread_of(th, u->m);
	uint8_t s = states[u->status & 15];	/* without the bit for "is being scanned" */
	uint32_t peer = 0;
	if (s == TS_OTHER) {
		s = reason_state(u->reason);
		if (s == TS_OTHER)
			peer = d->s->ops->str(d->s->self, u->reason.p, scan_len(u->reason));
	} else if (s == TS_RUN || s == TS_SYSCALL) {
		peer = m ? proc_at(d, m->p) : 0;
	}
	sink_enter_one(d->s, g, t, s, peer, 0);
}

static void emit_detail(struct godebug *d, int64_t t, const struct sched_rec *r)
{
	static const uint8_t states[8] = {
	    TS_IDLE, TS_RUN, TS_SYSCALL, TS_STW, TS_NONE, TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN};
	struct godebug_unit *u = d->unit + r->unit;
	struct threads th = {NULL, 0};
	if (r->nunit)
		qsort(u, r->nunit, sizeof *u, unit_cmp);	/* order: G, M, P */
	size_t p = 0, m = 0;
	while (m < r->nunit && u[m].kind == 'G')
		m++;
	for (p = m; p < r->nunit && u[p].kind == 'M';)
		p++;
	if (p > m)
		th = (struct threads){u + m, p - m};
	for (size_t i = 0; i < d->nproc; i++)
		d->proc[i].base = TS_NONE;
	for (size_t i = p; i < r->nunit; i++) {
		const struct godebug_unit *on = thread_of(&th, u[i].m);
		need_proc(d, u[i].id);
		if (u[i].id >= d->nproc)
			continue;
		uint8_t s = states[u[i].status & 7];
		d->proc[u[i].id].base = s;
		if (s != TS_RUN || d->stopped)
			continue;
		trk_id g = on && on->g >= 0 ? d->s->trace->track(d->s->self, TK_G, (uint64_t)on->g) : 0;
		sink_enter_one(d->s, d->proc[u[i].id].trk, t, TS_RUN, g, 0);
		d->proc[u[i].id].shown = TS_RUN;
	}
	for (size_t i = 0; i < p; i++)
		if (u[i].kind == 'M')
			emit_thread(d, t, &u[i]);
		else
			emit_goroutine(d, t, &u[i], &th);
}

/* End the goroutines of the previous line that this line does not have. */
static void emit_ended_goroutines(struct godebug *d, int64_t t, const struct sched_rec *r)
{
	if (r == d->sched || !r->nunit)
		return;
	const struct sched_rec *o = r - 1;
	for (size_t i = 0; i < o->nunit && d->unit[o->unit + i].kind == 'G'; i++)
		if (!bsearch(&d->unit[o->unit + i], d->unit + r->unit, r->nunit, sizeof *d->unit, unit_cmp))
			sink_enter_one(d->s, d->s->trace->track(d->s->self, TK_G, d->unit[o->unit + i].id), t,
			    TS_NONE, 0, 0);
}

static void emit_sched(struct godebug *d, const struct point *p)
{
	const struct sched_rec *r = &d->sched[p->i];
	const struct godebug_sched *s = &r->s;
	uint64_t queued = 0;
	d->newest = r;
	set_procs(d, p, s->v[GD_PROCS]);
	if (r->nunit) {
		emit_detail(d, p->t, r);
		emit_ended_goroutines(d, p->t, r);
		for (size_t i = 0; i < r->nunit; i++)
			if (d->unit[r->unit + i].kind == 'P') {
				queued += d->unit[r->unit + i].queue;
				emit_queue(d, p->t, d->unit[r->unit + i].id, d->unit[r->unit + i].queue);
			}
	} else {
		queued = queued_procs(d, p->t, s);
	}
	show_procs(d, p->t);
	count(d, p->t, CT_QUEUED, s->v[GD_RUNQ] + queued);
	count(d, p->t, CT_QUEUE_GLOBAL, s->v[GD_RUNQ]);
	count(d, p->t, CT_PROCS_IDLE, s->v[GD_IDLE_PROCS]);
	count(d, p->t, CT_THREADS, s->v[GD_THREADS]);
	count(d, p->t, CT_THREADS_IDLE, s->v[GD_IDLE_THREADS]);
	count(d, p->t, CT_SPINNING, s->v[GD_SPINNING]);
}

static void emit_stop(struct godebug *d, const struct point *p, int64_t t0, str_id name)
{
	d->s->trace->span(d->s->self, &(struct sink_span){.kind = SP_STW, .t0 = t0, .t1 = p->t, .name = name});
}

static void emit_util(const struct godebug *d, const struct point *p, enum util_what what, int delta)
{
	d->s->trace->util(d->s->self, &(struct sink_util){p->t, p->t + 1, what, p->proc, delta, false});
}

static void set_stopped(struct godebug *d, const struct point *p, bool on)
{
	d->stopped = on;
	show_procs(d, p->t);
	emit_util(d, p, UT_STW, on ? 1 : -1);
}

/* Emit the start of a cycle: the heap and the goal at that time. */
static void emit_cycle_begin(struct godebug *d, const struct point *p, const struct godebug_gc *g)
{
	if (!g->whole)
		return;
	count(d, p->t, CT_HEAP_LIVE, g->heap0);
	count(d, p->t, CT_HEAP_GOAL, g->goal);
	d->has_stacks |= g->stacks > 0;
	if (d->has_stacks)
		count(d, p->t, CT_STACKS, g->stacks);
}

/* Emit the end of marking. The total time of assists is emitted as spans without a goroutine. */
static void emit_mark(struct godebug *d, const struct point *p, const struct godebug_gc *g)
{
	int64_t t0 = p->t - g->mark;
	if (g->whole && g->heap1 > g->heap0)
		count(d, p->t > t0 ? p->t - 1 : p->t, CT_HEAP_LIVE, g->heap1);
	if (g->whole)
		count(d, p->t, CT_HEAP_LIVE, g->heap2);
	for (int64_t cpu = g->assist, n = 0; cpu > 0 && g->mark > 0 && n < UTIL_PROCS; cpu -= g->mark, n++)
		d->s->trace->span(d->s->self, &(struct sink_span){.kind = SP_ASSIST, .t0 = t0,
		    .t1 = t0 + (cpu < g->mark ? cpu : g->mark)});
	d->s->trace->span(d->s->self, &(struct sink_span){.kind = SP_GC, .t0 = t0, .t1 = p->t, .id = g->number,
	    .name = g->forced ? d->n_forced : d->n_gc, .v0 = g->heap0, .v1 = g->heap2});
}

/* The program was started again: end everything of its previous run. */
static void emit_restart(struct godebug *d, int64_t t)
{
	for (size_t i = 0; i < d->nproc; i++)
		d->proc[i].base = TS_NONE;
	show_procs(d, t);
	const struct sched_rec *r = d->newest;
	for (size_t i = 0; r && i < r->nunit; i++) {
		const struct godebug_unit *u = &d->unit[r->unit + i];
		if (u->kind != 'P')
			sink_enter_one(d->s, d->s->trace->track(d->s->self, u->kind == 'G' ? TK_G : TK_M, u->id),
			    t, TS_NONE, 0, 0);
	}
	d->newest = NULL;
}

static void emit_point(struct godebug *d, const struct point *p)
{
	const struct godebug_gc *g = p->kind <= PT_SCHED ? NULL : &d->gc[p->i].g;
	switch (p->kind) {
	case PT_RUN:
		emit_restart(d, p->t);
		break;
	case PT_SCHED:
		emit_sched(d, p);
		break;
	case PT_GC:
		set_procs(d, p, g->procs);
		emit_cycle_begin(d, p, g);
		set_stopped(d, p, true);
		break;
	case PT_MARK:
		set_stopped(d, p, false);
		emit_stop(d, p, p->t - g->stw0, d->n_stw0);
		break;
	case PT_MARK_END:
		emit_mark(d, p, g);
		break;
	case PT_LAST_STW:
		set_stopped(d, p, true);
		break;
	case PT_STW_END:
		set_stopped(d, p, false);
		emit_stop(d, p, p->t - g->stw1, d->n_stw1);
		break;
	case PT_UTIL:
	case PT_UTIL_END:
		emit_util(d, p, p->what, p->kind == PT_UTIL ? 1 : -1);
		break;
	default:
		break;
	}
}

void godebug_emit_events(struct godebug *d, struct bytes b)
{
	enum { EVERY = 4096 };
	/* GOMAXPROCS of the first line is valid from the start */
	const struct point begin = {0}, *first = d->point;
	while (first->kind == PT_RUN)	/* a run of no duration; each run has a line */
		first++;
	set_procs(d, &begin, first->kind == PT_SCHED ? d->sched[first->i].s.v[GD_PROCS] : d->gc[first->i].g.procs);
	for (size_t i = 0; i < d->npoint; i++) {
		const struct point *p = &d->point[i];
		emit_point(d, p);
		if (i % EVERY == EVERY - 1 && !d->s->ops->upto(d->s->self, p->t, (b.n + b.n * i / d->npoint) / 2))
			return;
	}
}

void godebug_emit_trace(const struct godebug *d, int64_t end)
{
	d->s->trace->facts(d->s->self, &(struct sink_trace){.log = true,
					 .wall = d->nrun ? d->godebug_run[0].wall : TIME_NONE,
					 .last = end,
					 .events = d->lines,
					 .batches = d->nsched,
					 .generations = d->nrun});
}
