/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Critical paths against their recursive definition, on random traces: goroutines on Ps that block, wake and create
 * each other, are preempted, make system calls, with stops of the world, CPU samples and idle waits. The test compares
 * the classes and goroutines of all pieces; the stacks of runs with -type=run, which has the same rule; the shares of a
 * wait for a P with a count over all states of all Ps. On samples/, and on the traces given as arguments, it checks the
 * laws of a path, for windows of all goroutines.
 */
#include "config.h"
#include "critical/internal.h"
#include "critical/tree.h"
#include "base/err.h"
#include "load/load.h"
#include "operations/internal.h"
#include "store/builder.h"
#include "store/check.h"
#include "tap.h"
#include "trace/as_profile.h"

#include <stdio.h>
#include <string.h>

enum { NG = 14, NP = 3, NSTACK = 12, STEPS = 6000, MOST = 2 * STEPS, IDLE_STACK = 7, RUNTIME_G = 2 };

static uint64_t seed;
static int64_t rnd(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(seed >> 33) % n;
}

/* ---- a random trace */

struct entry { int64_t t; unsigned state; int peer; stk_id stack; bool request; };
	/* peer: a goroutine, -1: none; request: a request of a server starts when the wait ends */
struct life { struct entry v[MOST]; size_t n; trk_id trk; int creator; };
static struct life gs[NG], ps[NP];
static int64_t stop_t0[MOST], stop_t1[MOST], end_of_trace;
static size_t nstop;
static stk_id stack[NSTACK];
static int on[NP];		/* the goroutine of a P; -1: idle, -2: mark worker */
static int ngs;

static unsigned state_of(const struct life *l) { return l->n ? l->v[l->n - 1].state : TS_NONE; }

static bool runs(unsigned s)
{
	return s == TS_RUN || s == TS_ASSIST || s == TS_SWEEP || s == TS_STW;
}

static bool waits(unsigned s) { return s >= TS_CHANSEND; }

static void enter(struct sink *s, struct life *l, int64_t t, unsigned state, int peer, stk_id at)
{
	l->v[l->n++] = (struct entry){t, state, peer, at, false};
	sink_enter_one(s, l->trk, t, state, peer < 0 ? 0 : l >= ps && l < ps + NP ? gs[peer].trk
	    : state == TS_READY ? gs[peer].trk : ps[peer].trk, at);
}

static void make_stacks(struct sink *s)
{
	for (int i = 1; i < NSTACK; i++) {
		char name[16];
		int n = snprintf(name, sizeof name, "main.f%d", i);
		fun_id f = s->ops->fun(s->self, &(struct sink_fun){.name = s->ops->str(s->self, name, (size_t)n)});
		loc_id l = s->ops->loc(s->self, &(struct sink_loc){
			.addr = (uint64_t)i, .line = &(struct sink_line){.fun = f, .line = i}, .nline = 1});
		stack[i] = s->ops->stack(s->self, &l, 1);
	}
}

static void create(struct sink *s, int64_t t, int by)
{
	char name[16];
	if (ngs == NG)
		return;
	int g = ngs++, n = snprintf(name, sizeof name, g == RUNTIME_G ? "runtime.bg" : "main.g%d", g);
	gs[g].trk = s->trace->track(s->self, TK_G, (uint64_t)g + 1);
	gs[g].creator = by;
	s->trace->born(s->self, gs[g].trk, s->ops->str(s->self, name, (size_t)n), by < 0 ? 0 : gs[by].trk,
	    stack[rnd(NSTACK)], stack[rnd(NSTACK)]);
	if (by < 0 && rnd(2))
		enter(s, &gs[g], t, TS_UNKNOWN, -1, 0);
	else
		enter(s, &gs[g], t, TS_READY, by, stack[rnd(NSTACK)]);
}

/* Let the goroutine of a P enter a state and leave the P. */
static void leave(struct sink *s, int p, int64_t t, unsigned state, int peer)
{
	enter(s, &gs[on[p]], t, state, peer, stack[rnd(NSTACK)]);
	on[p] = -1;
	enter(s, &ps[p], t, TS_IDLE, -1, 0);
}

static void change_run(struct sink *s, int p, int64_t t)
{
	static const unsigned state[] = {TS_RUN, TS_ASSIST, TS_SWEEP, TS_SYSCALL, TS_STW};
	unsigned to = state[rnd(5)];
	if (state_of(&gs[on[p]]) == TS_SYSCALL && rnd(2)) {	/* the goroutine loses its P */
		enter(s, &gs[on[p]], t, TS_SYSBLOCK, -1, 0);
		on[p] = -1;
		enter(s, &ps[p], t, TS_IDLE, -1, 0);
		return;
	}
	if (to == state_of(&gs[on[p]]))
		return;
	enter(s, &gs[on[p]], t, to, p, stack[rnd(NSTACK)]);
	enter(s, &ps[p], t, to, on[p], 0);
}

static void add_sample(struct sink *s, int p, int64_t t)
{
	struct sink_sample row = {.stack = stack[rnd(NSTACK)], .value = (int64_t[]){1, 10000000}, .when = t,
		.trk = gs[on[p]].trk};
	s->profile->sample(s->self, &row);
}

static void wake(struct sink *s, int64_t t, int by)
{
	int g = (int)rnd(ngs);
	unsigned state = state_of(&gs[g]);
	if (state == TS_SYSBLOCK && rnd(2))
		enter(s, &gs[g], t, TS_READY, -1, 0);
	if (waits(state) && (by < 0) == (state == TS_NET || state == TS_SLEEP || !rnd(4)))
		enter(s, &gs[g], t, TS_READY, by, stack[rnd(NSTACK)]);
}

static void step_running(struct sink *s, int p, int64_t t)
{
	static const unsigned wait[] = {TS_SYNC, TS_SYNC, TS_CHANRECV, TS_CHANSEND, TS_SELECT, TS_COND, TS_NET,
		TS_SLEEP, TS_GCASSISTW, TS_SYNC};
	bool can = runs(state_of(&gs[on[p]])) && state_of(&gs[on[p]]) != TS_STW;
	switch (rnd(10)) {
	case 0: case 1: case 2:
		if (can)
			leave(s, p, t, wait[rnd(10)], -1);
		break;
	case 3:
		if (can)
			leave(s, p, t, TS_READY, -1);
		break;
	case 4: change_run(s, p, t); break;
	case 5: add_sample(s, p, t); break;
	case 6:
		if (!rnd(4))
			create(s, t, on[p]);
		break;
	case 7:
		if (can && !rnd(30) && ngs == NG)
			leave(s, p, t, TS_NONE, -1);
		break;
	default: wake(s, t, on[p]);
	}
}

/* Let an idle P start a runnable goroutine, or a mark worker. */
static void step_idle(struct sink *s, int p, int64_t t)
{
	int first = (int)rnd(ngs);
	if (!rnd(12)) {
		on[p] = -2;
		enter(s, &ps[p], t, TS_GCWORK, -1, 0);
		return;
	}
	for (int i = 0; i < ngs; i++) {
		int g = (first + i) % ngs;
		if (state_of(&gs[g]) != TS_READY)
			continue;
		on[p] = g;
		enter(s, &gs[g], t, TS_RUN, p, 0);
		enter(s, &ps[p], t, TS_RUN, g, 0);
		return;
	}
}

static void stop_world(struct sink *s, int64_t t0, int64_t t1)
{
	if (t0 < (nstop ? stop_t1[nstop - 1] : 0) || t1 <= t0)
		return;
	stop_t0[nstop] = t0;
	stop_t1[nstop++] = t1;
	s->trace->span(s->self, &(struct sink_span){.kind = SP_STW, .t0 = t0, .t1 = t1, .trk = gs[0].trk,
		.stack = stack[1], .name = s->ops->str(s->self, "stop-the-world (test)", 21)});
}

static void step(struct sink *s, int64_t t, int64_t apart)
{
	int p = (int)rnd(NP);
	if (!rnd(60))
		stop_world(s, t - rnd(3 * apart), t);
	if (!rnd(4))
		wake(s, t, -1);
	if (on[p] >= 0)
		step_running(s, p, t);
	else if (on[p] == -1)
		step_idle(s, p, t);
	else if (!rnd(3)) {
		on[p] = -1;
		enter(s, &ps[p], t, TS_IDLE, -1, 0);
	}
}

static const struct snap *make(struct store_builder *b, int64_t apart)
{
	struct sink s = builder_sink(b);
	int64_t t = 0;
	memset(gs, 0, sizeof gs);
	memset(ps, 0, sizeof ps);
	nstop = 0;
	ngs = 0;
	make_stacks(&s);
	s.profile->type(s.self, s.ops->str(s.self, "samples", 7), s.ops->str(s.self, "count", 5));
	s.profile->type(s.self, s.ops->str(s.self, "cpu", 3), s.ops->str(s.self, "nanoseconds", 11));
	for (int p = 0; p < NP; p++) {
		ps[p].trk = s.trace->track(s.self, TK_P, (uint64_t)p);
		on[p] = -1;
		enter(&s, &ps[p], 0, TS_IDLE, -1, 0);
	}
	for (int g = 0; g < NG / 2; g++)
		create(&s, 0, -1);
	for (int i = 0; i < STEPS; i++)
		step(&s, t += 1 + rnd(apart), apart);
	end_of_trace = t + 1;
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = end_of_trace});
	return builder_finish(b);
}

/* ---- paths by definition */

struct part { int64_t t0, t1; enum time_class cls; int g; };
static struct part *parts;
static size_t nparts, cparts;

static void put(int64_t t0, int64_t t1, enum time_class cls, int g)
{
	struct part *last = nparts ? &parts[nparts - 1] : NULL;
	if (t1 <= t0)
		return;
	if (last && last->cls == cls && last->g == g && last->t1 == t0) {
		last->t1 = t1;
		return;
	}
	parts = mem_grow(parts, &cparts, nparts + 1, sizeof *parts);
	parts[nparts++] = (struct part){t0, t1, cls, g};
}

static void put_runnable(int64_t a, int64_t b, int g)
{
	for (size_t i = 0; i < nstop && a < b; i++) {
		if (stop_t1[i] <= a || stop_t0[i] >= b)
			continue;
		put(a, stop_t0[i], TIME_RUNNABLE, g);
		a = a > stop_t0[i] ? a : stop_t0[i];
		put(a, stop_t1[i] < b ? stop_t1[i] : b, TIME_STW, g);
		a = stop_t1[i];
	}
	put(a, b, TIME_RUNNABLE, g);
}

static int64_t entry_end(const struct life *l, size_t i) { return i + 1 < l->n ? l->v[i + 1].t : end_of_trace; }

static bool is_idle(stk_id s) { return s == stack[IDLE_STACK]; }

/* Return the goroutine that ended the wait of entry i, if the path follows it; else -1. */
static int followed(const struct store *st, const struct life *l, size_t i, int g)
{
	enum time_class c = time_class_of(st, (enum tstate)l->v[i].state, l->v[i].stack);
	if (i + 1 == l->n || l->v[i + 1].state != TS_READY)
		return -1;
	int by = l->v[i + 1].peer;
	return by == g || by == RUNTIME_G || c == TIME_NETWORK || c == TIME_SLEEP || c == TIME_GC_ASSIST ? -1 : by;
}

static void walk(const struct store *st, int g, int64_t a, int64_t b, bool waker, struct part own)
{
	const struct life *l = &gs[g];
	if (a < l->v[0].t && a < b) {
		int64_t birth = l->v[0].t < b ? l->v[0].t : b;
		if (birth == l->v[0].t && l->creator >= 0 && l->creator != RUNTIME_G)
			walk(st, l->creator, a, birth, waker, own);
		else
			put(a, birth, waker ? own.cls : TIME_UNKNOWN, waker ? own.g : g);
	}
	for (size_t i = 0; i < l->n; i++) {
		int64_t t0 = l->v[i].t > a ? l->v[i].t : a, t1 = entry_end(l, i) < b ? entry_end(l, i) : b;
		enum tstate s = (enum tstate)l->v[i].state;
		enum time_class c = time_class_of(st, s, l->v[i].stack);
		int by = waits(s) ? followed(st, l, i, g) : -1;
		if (t1 <= t0)
			continue;
		if (s == TS_READY)
			put_runnable(t0, t1, g);
		else if (s == TS_NONE)
			put(t0, t1, waker ? own.cls : TIME_UNKNOWN, waker ? own.g : g);
		else if (waits(s) && s != TS_UNKNOWN && i + 1 == l->n)
			put(t0, t1, TIME_STILL_BLOCKED, g);
		else if (waker && waits(s) && is_idle(l->v[i].stack) &&
		    ((c != TIME_NETWORK && c != TIME_SLEEP) || l->v[i].request))
			put(t0, t1, own.cls, own.g);
		else if (by >= 0)
			walk(st, by, t0, t1, true, (struct part){.cls = c, .g = g});
		else
			put(t0, t1, c, g);
	}
}

/* ---- comparison */

static uint32_t shares;		/* number of waits for a P whose shares were compared */

static bool tiles(const struct critical_path *p, int64_t t0, int64_t t1)
{
	int64_t at = t0, sum = 0;
	for (size_t i = 0; i < p->n; at = p->v[i++].t1)
		if (p->v[i].t0 != at || p->v[i].t1 <= at || (p->v[i].via != CRITICAL_NONE && p->v[i].via >= p->nvia))
			return false;
	for (int c = 0; c < TIME_CLASS__N; c++)
		sum += p->ns[c];
	for (size_t i = 0; i < p->nvia; i++)
		if (p->via[i].up != CRITICAL_NONE &&
		    (p->via[i].up >= i || p->via[i].depth != p->via[p->via[i].up].depth + 1))
			return false;
	return at == t1 && p->t0 == t0 && p->t1 == t1 && sum == t1 - t0;
}

/* Return whether a piece of a system call has the stack of the call. */
static bool has_call(const struct critical_piece *v)
{
	size_t g = 0, i = 0;
	while (gs[g].trk != v->g)
		g++;
	while (entry_end(&gs[g], i) <= v->t0)
		i++;
	while (i && gs[g].v[i].state == TS_SYSBLOCK)
		i--;
	return gs[g].v[i].state == TS_SYSCALL && gs[g].v[i].stack == v->stack;
}

static bool same_parts(const struct critical_path *p)
{
	size_t k = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct critical_piece *v = &p->v[i];
		while (k < nparts && parts[k].t1 <= v->t0)
			k++;
		if (k == nparts || parts[k].t0 > v->t0 || parts[k].t1 < v->t1 || parts[k].cls != v->cls ||
		    gs[parts[k].g].trk != v->g || (v->cls == TIME_SYSCALL && !has_call(v)))
			return false;
	}
	return true;
}

/* Sum up the times of the Ps in [a, b). late: time in which a P was idle; by, gc: at other times, what each goroutine and
   the mark workers ran. */
struct counted { int64_t late, by[NG + 1], gc, total; };

static void count_procs(int64_t a, int64_t b, struct counted *c)
{
	size_t at[NP] = {0};
	for (int64_t t = a, next; t < b; t = next) {
		bool idle = false;
		next = b;
		for (int p = 0; p < NP; p++) {
			while (at[p] + 1 < ps[p].n && ps[p].v[at[p] + 1].t <= t)
				at[p]++;
			idle = idle || ps[p].v[at[p]].state == TS_IDLE;
			if (at[p] + 1 < ps[p].n && ps[p].v[at[p] + 1].t < next)
				next = ps[p].v[at[p] + 1].t;
		}
		c->late += idle ? next - t : 0;
		for (int p = 0; p < NP && !idle; p++) {
			int g = ps[p].v[at[p]].peer;
			*(g < 0 ? &c->gc : &c->by[g]) += next - t;
			c->total += next - t;
		}
	}
}

static bool is_near(int64_t got, int64_t len, int64_t part, int64_t total, int64_t slack)
{
	int64_t want = total ? (int64_t)((double)len * (double)part / (double)total) : 0;
	return got - want <= slack && want - got <= slack;
}

/* Compare the shares of one wait for a P, pieces v[0..n). */
static bool right_shares(const struct critical_piece *v, size_t n)
{
	struct counted want = {0}, got = {0};
	int64_t a = v[0].t0, b = v[n - 1].t1;
	bool all = true, right;
	count_procs(a, b, &want);
	for (size_t i = 0; i < n; i++) {
		int64_t ns = v[i].t1 - v[i].t0;
		int g = 0;
		while (g < NG && gs[g].trk != v[i].occupant)
			g++;
		if (v[i].reason == CRITICAL_WOKEN_LATE)
			got.late += ns;
		else
			*(v[i].reason == CRITICAL_GC_WORKERS ? &got.gc : &got.by[g]) += ns;
		all = all && !v[i].approximate;
	}
	if (!all)
		return true;
	right = got.late == want.late && is_near(got.gc, b - a - want.late, want.gc, want.total, 2 + got.by[NG]);
	for (int g = 0; g < NG; g++)
		right = right && is_near(got.by[g], b - a - want.late, want.by[g], want.total, NSTACK + got.by[NG]);
	return right;
}

static uint32_t check_shares(const struct critical_path *p, bool *right)
{
	uint32_t checked = 0;
	*right = true;
	for (size_t i = 0, end; i < p->n; i = end) {
		for (end = i; end < p->n && p->v[end].cls == TIME_RUNNABLE && p->v[end].g == p->v[i].g; end++)
			;
		if (end > i) {
			*right = *right && right_shares(&p->v[i], end - i);
			checked++;
		} else {
			end++;
		}
	}
	return checked;
}

/* Compare the stacks of a goroutine with those to which -type=run charges it. */
static bool same_runs(const struct critical_path *p, const struct snap *sn, const struct life *l, struct arena *a)
{
	struct trace_filter f = {.from = p->t0, .to = p->t1, .g = trace_gset_of_one(sn, l->trk, a)};
	const struct trace_weights *w = trace_weigh(sn, TRACE_RUN, &f, a);
	int64_t ns[64] = {0};
	bool same = true;
	for (size_t i = 0; i < p->n; i++) {
		const struct critical_piece *v = &p->v[i];
		bool run = v->cls == TIME_ON_CPU || v->cls == TIME_GC_OTHER || v->cls == TIME_GC_ASSIST ||
		    (v->cls == TIME_STW && v->reason == CRITICAL_OWN);
		if (run && v->via == CRITICAL_NONE && v->g == l->trk)
			ns[v->stack] += v->t1 - v->t0;
	}
	for (size_t i = 0; i + 1 < l->n; i++) {	/* waits to assist are of the class, but do not run */
		int64_t t0 = l->v[i].t > p->t0 ? l->v[i].t : p->t0;
		int64_t t1 = entry_end(l, i) < p->t1 ? entry_end(l, i) : p->t1;
		ns[l->v[i].stack] -= l->v[i].state == TS_GCASSISTW && t1 > t0 ? t1 - t0 : 0;
	}
	for (stk_id i = 0; i < w->n; i++)
		same = same && ns[i] == w->ns[i];
	return same;
}

/* Make a request start at the end of half of the idle waits for the network or a timer. */
static void make_requests(struct operations *o, struct arena *a)
{
	static struct operation_kind kind = {.source = OPERATION_SERVER};
	struct part_record *v = arena_zalloc(a, NG * MOST * sizeof *v);
	o->by_g = arena_zalloc(a, NG * MOST * sizeof *o->by_g);
	o->kind = &kind;
	kind.record = v;
	o->nkinds = 1;
	for (int g = 0; g < NG; g++)
		for (size_t i = 0; i + 1 < gs[g].n; i++) {
			struct entry *e = &gs[g].v[i];
			e->request = is_idle(e->stack) && e[1].t > e->t && rnd(2) &&
			    (e->state == TS_NET || e->state == TS_SLEEP);
			if (!e->request)
				continue;
			v[o->n] = (struct part_record){.g = gs[g].trk, .ns = 1,
			    .t0 = {(uint32_t)e[1].t, (uint32_t)((uint64_t)e[1].t >> 32)}};
			o->by_g[o->n] = o->n;
			kind.n = o->nparts = ++o->n;
		}
}

static void check_window(const struct critical_walker *w, int g, int64_t t0, int64_t t1, struct critical_path *p)
{
	struct arena a = {0};
	bool right;
	critical_path_walk(w, gs[g].trk, t0, t1, p);
	OK(tiles(p, t0, t1) && !p->ncut);
	nparts = 0;
	walk(w->sn->st, g, t0, t1, false, (struct part){0});
	OK(same_parts(p));
	OK(same_runs(p, w->sn, &gs[g], &a));
	arena_free(&a);
	if (w->sn->nsheets == 1) {	/* shares are computed anew in each sheet */
		uint32_t n = check_shares(p, &right);
		OK(right);
		shares += n;
	}
}

static int64_t gc_workers(const struct critical_path *p)
{
	int64_t ns = 0;
	for (size_t i = 0; i < p->n; i++)
		ns += p->v[i].reason == CRITICAL_GC_WORKERS ? p->v[i].t1 - p->v[i].t0 : 0;
	return ns;
}

/* A coarse path has the times by class of a full one, and the same time in which mark workers had the Ps. */
static bool same_coarsely(const struct critical_walker *w, trk_id g, const struct critical_path *p)
{
	struct critical_path c = {.coarse = true};
	critical_path_walk(w, g, p->t0, p->t1, &c);
	bool same = tiles(&c, p->t0, p->t1) && c.n <= p->n && gc_workers(&c) == gc_workers(p);
	for (int i = 0; i < TIME_CLASS__N; i++)
		same = same && c.ns[i] == p->ns[i];
	critical_path_free(&c);
	return same || p->n >= CRITICAL_FOLLOWED;
}

static void check_random(uint64_t number)
{
	struct arena a = {0};
	struct err e;
	struct critical_path p = {0};
	struct store_builder *b = builder_new();
	seed = number;
	const struct snap *sn = make(b, number % 3 ? 40 : 40000000);
	uint8_t *idle = arena_zalloc(&a, sn->nstks / 8 + 1);
	idle[stack[IDLE_STACK] >> 3] |= (uint8_t)(1u << (stack[IDLE_STACK] & 7));
	struct operations ops = {.idle = idle, .nstks = sn->nstks};
	OK(!store_check(sn, &e) && sn->nstks < 64 && (number % 3 || sn->nsheets > 10) && ngs == NG);
	make_requests(&ops, &a);
	const struct critical_walker *w = critical_walker_new(sn, &ops, &a, NULL);
	for (int i = 0; i < 100; i++) {
		int64_t t0 = rnd(end_of_trace), t1 = t0 + rnd(rnd(3) ? 40 * (end_of_trace / STEPS) : end_of_trace - t0);
		check_window(w, (int)rnd(NG), t0, t1 < end_of_trace ? t1 : end_of_trace, &p);
	}
	for (int g = 0; g < NG; g++) {
		critical_path_walk(w, gs[g].trk, gs[g].v[0].t, end_of_trace, &p);
		OK(tiles(&p, gs[g].v[0].t, end_of_trace));
		OK(same_runs(&p, sn, &gs[g], &a));
		OK(same_coarsely(w, gs[g].trk, &p));
	}
	critical_path_free(&p);
	arena_free(&a);
	builder_free(b);
}

/* ---- a wait that is too long to be walked */

enum { ROUNDS = 1024, CALL_NS = 500, RUN_NS = 300, GC_NS = 200, ROUND_NS = CALL_NS + RUN_NS + GC_NS, CALLER = 1,
	RUNNER, WORKER, OTHERS = 3, WAITERS = 8, WORK = 3, READY = 4 };

/* The P runs a system call, a goroutine and a mark worker in turn, each of which then sleeps; all others wait for it.
   start: their start functions; NULL: unknown. */
static const struct snap *make_turns(struct store_builder *b, const char *const start[OTHERS + 1])
{
	struct sink s = builder_sink(b);
	memset(gs, 0, sizeof gs);
	memset(ps, 0, sizeof ps);
	make_stacks(&s);
	ps[0].trk = s.trace->track(s.self, TK_P, 0);
	for (int g = 0; g <= OTHERS + WAITERS; g++)
		gs[g].trk = s.trace->track(s.self, TK_G, (uint64_t)g + 1);
	for (int g = 1; g <= OTHERS; g++) {
		if (start[g])
			s.trace->born(s.self, gs[g].trk, s.ops->str(s.self, start[g], strlen(start[g])), 0, 0, 0);
		enter(&s, &gs[g], 0, TS_SLEEP, -1, stack[WORK]);
	}
	for (int g = OTHERS + 1; g <= OTHERS + WAITERS; g++)
		enter(&s, &gs[g], 0, TS_READY, CALLER, stack[READY]);
	for (int64_t i = 0, t = 0; i < ROUNDS; i++) {
		static const struct { int g; unsigned state; int64_t ns; } turn[OTHERS] = {
			{CALLER, TS_SYSCALL, CALL_NS}, {RUNNER, TS_RUN, RUN_NS}, {WORKER, TS_GCWORK, GC_NS}};
		for (int k = 0; k < OTHERS; t += turn[k++].ns) {
			enter(&s, &gs[turn[k].g], t, turn[k].state, 0, stack[WORK]);
			enter(&s, &ps[0], t, turn[k].state, turn[k].g, 0);
			enter(&s, &gs[turn[k].g], t + turn[k].ns, TS_SLEEP, -1, stack[WORK]);
		}
	}
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = (int64_t)ROUNDS * ROUND_NS});
	return builder_finish(b);
}

/* The wait is charged only to what is on the P, by its share of the time. For each goroutine that waits the shares are
   estimates, whose errors are independent: those of the sum are smaller. All rounds are equal, and a wait is looked at
   in steps of a whole number of rounds: the same instant of each step would show one of the three alone. */
static void check_turns(void)
{
	struct arena a = {0};
	struct critical_path p = {0};
	struct store_builder *b = builder_new();
	const struct snap *sn = make_turns(b, (const char *[OTHERS + 1]){NULL});
	struct operations ops = {.idle = arena_zalloc(&a, sn->nstks / 8 + 1), .nstks = sn->nstks};
	struct critical_walker *w = critical_walker_new(sn, &ops, &a, NULL);
	int64_t end = (int64_t)ROUNDS * ROUND_NS, sum[OTHERS + 1] = {0}, first = 0;
	int differ = 0;
	for (int g = OTHERS + 1; g <= OTHERS + WAITERS; g++) {
		int64_t ns[OTHERS + 1] = {0};
		critical_path_walk(w, gs[g].trk, 0, end, &p);
		OK(tiles(&p, 0, end) && p.n == OTHERS);
		for (size_t i = 0; i < p.n; i++) {
			const struct critical_piece *v = &p.v[i];
			int by = v->reason == CRITICAL_GC_WORKERS ? WORKER : v->occupant == gs[CALLER].trk ? CALLER
			    : v->occupant == gs[RUNNER].trk ? RUNNER : 0;
			OK(v->approximate && !v->several && v->cls == TIME_RUNNABLE);
			OK(by == WORKER || v->stack == stack[WORK]);
			ns[by] += v->t1 - v->t0;
			sum[by] += v->t1 - v->t0;
		}
		differ += g > OTHERS + 1 && ns[CALLER] != first;
		first = ns[CALLER];
		OK(!ns[0] && is_near(ns[CALLER], end, CALL_NS, ROUND_NS, end / 5) &&
		   is_near(ns[RUNNER], end, RUN_NS, ROUND_NS, end / 5));
	}
	OK(is_near(sum[CALLER], WAITERS * end, CALL_NS, ROUND_NS, WAITERS * end / 20) &&
	   is_near(sum[RUNNER], WAITERS * end, RUN_NS, ROUND_NS, WAITERS * end / 20) &&
	   is_near(sum[WORKER], WAITERS * end, GC_NS, ROUND_NS, WAITERS * end / 20));
	OK(differ);
	printf("# shares of long waits: %.3f %.3f %.3f\n", (double)sum[CALLER] / (double)(WAITERS * end),
	    (double)sum[RUNNER] / (double)(WAITERS * end), (double)sum[WORKER] / (double)(WAITERS * end));
	critical_path_free(&p);
	arena_free(&a);
	builder_free(b);
}

static void check_text(const char *const start[OTHERS + 1], bool several, const char *want)
{
	struct arena a = {0};
	struct critical_path p = {0};
	struct buf b = {0};
	struct store_builder *build = builder_new();
	const struct snap *sn = make_turns(build, start);
	struct operations ops = {.idle = arena_zalloc(&a, sn->nstks / 8 + 1), .nstks = sn->nstks};
	critical_path_walk(critical_walker_new(sn, &ops, &a, NULL), gs[OTHERS + 1].trk, 0, (int64_t)ROUNDS * ROUND_NS, &p);
	struct critical_lines *l = critical_lines_new(sn);
	critical_lines_add(l, &p, 0);
	critical_lines_sort(l);
	critical_line_put_because(l, critical_lines_at(l, 0), &b);
	OK(!strcmp(buf_str(&b), want) || (fprintf(stderr, "%s, not %s\n", buf_str(&b), want), false));
	OK(critical_lines_at(l, 0)->approximate && p.v[0].several == several);
	struct critical_tree *t = critical_tree_new(sn), *all = critical_tree_new(sn);
	critical_tree_add(t, &p, 0);
	critical_tree_merge(all, t);
	OK(all->approximate);
	critical_tree_free(t);
	critical_tree_free(all);
	critical_lines_free(l);
	critical_path_free(&p);
	buf_free(&b);
	arena_free(&a);
	builder_free(build);
}

/* What occupied the Ps is named as one goroutine only if it was one. */
static void check_occupants(void)
{
	check_text((const char *[OTHERS + 1]){[CALLER] = "main.a", [RUNNER] = "main.a"}, true,
	    "all Ps occupied, by goroutines of main.a");
	check_text((const char *[OTHERS + 1]){[CALLER] = "main.a", [RUNNER] = "main.b"}, false,
	    "all Ps occupied, by G2 main.a and others");
}

/* ---- recorded traces */

/* The lines and the tree of many targets have the time of all their paths; the exemplar of a set of nodes is the operation
   that has the most time in them. */
static void check_sums(const struct critical_walker *w, const struct operations *ops, struct arena *a)
{
	struct critical_target *t = arena_alloc(a, (ops->n + 1u) * sizeof *t);
	struct critical_lines *all = critical_lines_new(w->sn);
	struct critical_path p = {0};
	struct critical_sum sum;
	uint64_t pieces = 0;
	for (uint32_t i = 0; i < ops->n; i++) {
		t[i] = critical_target_of_operation(ops, i);
		critical_path_walk(w, t[i].g, t[i].t0, t[i].t1, &p);
		critical_lines_add(all, &p, i);
		pieces += p.n;
	}
	critical_lines_sort(all);
	critical_path_free(&p);
	OK(critical_sum_lines(w, t, ops->n, NULL, &sum) && (sum.n == ops->n || pieces > CRITICAL_MANY / 2));
	if (sum.n < ops->n) {	/* only some operations were walked */
		critical_lines_free(all);
		critical_lines_free(sum.lines);
		return;
	}
	struct critical_tree *tree = critical_tree_of_targets(w, t, ops->n, NULL);
	bool same = critical_lines_count(all) == critical_lines_count(sum.lines);
	for (uint32_t i = 0; same && i < critical_lines_count(all); i++) {
		const struct critical_line *x = critical_lines_at(all, i), *y = critical_lines_at(sum.lines, i);
		same = x->ns == y->ns && x->cls == y->cls && x->function == y->function && x->n == y->n &&
		    x->t0 == y->t0 && x->ngoroutines == y->ngoroutines &&
		    x->operation == y->operation && x->stack == y->stack;
	}
	OK(same && critical_lines_total(all) == critical_lines_total(sum.lines));
	int64_t *ns = arena_zalloc(a, tree->stacks.n * sizeof *ns), most;
	int64_t *of = arena_zalloc(a, (ops->n + 1u) * sizeof *of), best = 0;
	critical_tree_weights(tree, ns, NULL);
	for (size_t i = tree->stacks.n; i-- > 1;) {
		same = same && tree->stacks.node[i].parent < i;
		ns[tree->stacks.node[i].parent] += ns[i];
	}
	OK(same && ns[0] == critical_lines_total(all));
	for (int c = 0; c < TIME_CLASS__N; c++)
		OK(ns[1 + c] == critical_lines_classes(all)[c]);
	uint8_t *set = arena_zalloc(a, tree->stacks.n / 8 + 1);
	for (size_t i = 0; i < tree->stacks.n; i++)
		if (rnd(2))
			set[i >> 3] |= (uint8_t)(1u << (i & 7));
	for (size_t i = 0; i < tree->nshare; i++)
		if (set[tree->share[i].node >> 3] >> (tree->share[i].node & 7) & 1)
			of[tree->share[i].operation] += tree->share[i].ns;
	for (uint32_t i = 0; i < ops->n; i++)
		best = of[i] > best ? of[i] : best;
	uint32_t exemplar = critical_tree_exemplar(tree, set, &most);
	OK(most == best && (!best || of[exemplar] == best));
	critical_tree_free(tree);
	critical_lines_free(all);
	critical_lines_free(sum.lines);
}

static void check_laws(const struct snap *sn)
{
	struct arena a = {0};
	struct critical_path p = {0};
	struct operations *ops = operations_find(sn, NULL, NULL, &a, NULL);
	const struct critical_walker *w = critical_walker_new(sn, ops, &a, NULL);
	bool right = true;
	for (uint32_t i = 0; i < ops->n; i++) {
		struct operation o = operations_get(ops, i);
		critical_path_walk(w, o.g, o.t0, o.t1, &p);
		right = right && tiles(&p, o.t0, o.t1) && p.n <= CRITICAL_PIECES && same_coarsely(w, o.g, &p);
		for (size_t k = 0; k < p.nvia; k++)
			right = right && p.via[k].depth < CRITICAL_DEPTH;
	}
	OK(right);
	for (trk_id t = 1; t < sn->ntrks && sn->t1 > sn->t0; t += 1 + sn->ntrks / 4096) {
		int64_t t0 = sn->t0 + rnd(sn->t1 - sn->t0), t1 = t0 + rnd(sn->t1 - t0 + 1);
		if (store_trk(sn->st, t)->kind != TK_G)
			continue;
		critical_path_walk(w, t, t0, t1, &p);
		right = right && tiles(&p, t0, t1);
	}
	OK(right);
	check_sums(w, ops, &a);
	critical_path_free(&p);
	arena_free(&a);
}

static void check_file(const char *path)
{
	struct bytes in;
	struct err e;
	if (input_open(path, &in, &e)) {
		OK(!"the file is read");
		return;
	}
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	(void)gotrace_read(in, &sink, &e);	/* an error is no failure: what was read is checked */
	check_laws(builder_finish(b));
	builder_free(b);
	input_close(&in);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"samples/orders.trace", "samples/stock.trace", NULL};
	tap_files(argc, argv, names, check_file);
	for (uint64_t i = 1; argc == 1 && i <= 12; i++)
		check_random(i);
	if (argc == 1)
		check_turns();
	check_occupants();
	OK(argc > 1 || shares > 1000);
	mem_free(parts);
	return DONE();
}
