/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The walk goes back in time, from the end of the operation. `t` is how far it has come; what is after it is tiled by
 * pieces. A frame is a goroutine whose states are walked down to `lo`: of the operation, or of a goroutine that ended a
 * wait of the frame below, for as long as that wait lasted. So when t reaches lo, the wait is explained, and the frame
 * below continues with what its goroutine did before it.
 *
 * cp(G, a, b) is recursive by definition; here it is a loop with a stack of frames. Where a wait started before the lo
 * of its frame, nothing of that frame is left to explain, and the new frame replaces it: in a convoy, where each
 * goroutine waited for the one before it, the stack stays at two frames, however long the chain. The chain itself is
 * kept in via[], a tree like the store's stacks.
 *
 * Each step goes back by a piece or follows a goroutine at the same t, which it does no more than 2 * CRITICAL_DEPTH
 * times before t has to move. So the walk ends, whatever wakers and creators a damaged file names.
 */
#include "config.h"
#include "critical/internal.h"

#include "base/wrap_math.h"
#include "trace/bins.h"
#include "trace/wait_before.h"

struct walk_frame {
	trk_id g;
	uint32_t via;
	int64_t lo;
	bool placed;			/* at: the piece that is walked next */
	struct track_cursor at;
	bool woken;			/* by: what made the goroutine runnable at t */
	trk_id by;
};

struct path_walk {
	const struct critical_walker *w;
	const struct snap *sn;
	struct critical_path *p;
	struct walk_frame *frame;
	size_t n, cap;
	struct track_cursor c;		/* of the top frame */
	struct walk_places places;
	int64_t t;
	uint32_t stalled;		/* goroutines that were followed since t moved */
	struct critical_piece *part;	/* of a run or a wait for a P, in the order of time */
	size_t npart, cpart;
};

/* ---- pieces, from the last to the first */

static bool can_join(const struct critical_piece *a, const struct critical_piece *b)
{
	return a->g == b->g && a->stack == b->stack && a->via == b->via && a->occupant == b->occupant &&
	    a->span == b->span && a->cls == b->cls && a->reason == b->reason && a->followed == b->followed &&
	    a->several == b->several && a->approximate == b->approximate;
}

static void put_piece(struct path_walk *k, const struct critical_piece *v)
{
	struct critical_path *p = k->p;
	struct critical_piece *next = !p->n ? NULL : p->each ? p->v : &p->v[p->n - 1];
	if (v->t1 <= v->t0)
		return;
	wrap_add_to(&p->ns[v->cls], v->t1 - v->t0);
	p->ncut += !v->followed;
	k->t = v->t0;
	k->stalled = 0;
	if (next && can_join(v, next)) {
		next->t0 = v->t0;
		p->looked++;
		return;
	}
	if (p->each && next)
		p->each(p->arg, p, next);
	size_t at = p->each ? 0 : p->n;
	p->v = mem_grow(p->v, &p->cap, at + 1, sizeof *p->v);
	p->v[at] = *v;
	p->n++;
}

static void put_own(struct path_walk *k, const struct walk_frame *f, int64_t from, enum time_class cls, stk_id stack)
{
	put_piece(k, &(struct critical_piece){.t0 = from, .t1 = k->t, .g = f->g, .stack = stack, .via = f->via,
	    .span = CRITICAL_NONE, .cls = cls, .followed = true});
}

/* The wait that led to the frame keeps the time from `from` on. */
static void put_wait(struct path_walk *k, const struct walk_frame *f, int64_t from, enum critical_reason why)
{
	const struct critical_via *via = &k->p->via[f->via];
	put_piece(k, &(struct critical_piece){.t0 = from, .t1 = k->t, .g = via->g, .stack = via->stack, .via = via->up,
	    .span = CRITICAL_NONE, .cls = via->cls, .reason = why, .followed = true});
}

static void keep_part(void *arg, const struct critical_piece *v)
{
	struct path_walk *k = arg;
	k->part = mem_grow(k->part, &k->cpart, k->npart + 1, sizeof *k->part);
	k->part[k->npart] = *v;
	k->part[k->npart++].via = k->frame[k->n - 1].via;
}

static void put_parts(struct path_walk *k)
{
	while (k->npart)
		put_piece(k, &k->part[--k->npart]);
}

struct walked_run { struct path_walk *k; enum time_class cls; };

static void keep_run_part(void *arg, int64_t t0, int64_t t1, stk_id stack, stk_id end)
{
	const struct walked_run *r = arg;
	keep_part(r->k, &(struct critical_piece){.t0 = t0, .t1 = t1, .g = r->k->frame[r->k->n - 1].g, .stack = stack, .end = end,
	    .span = CRITICAL_NONE, .cls = r->cls, .followed = true});
}

/* ---- frames */

static void push_frame(struct path_walk *k, trk_id g, int64_t lo, uint32_t via)
{
	struct walk_frame *top = k->n ? &k->frame[k->n - 1] : NULL;
	if (top && top->lo == lo)	/* the new frame ends at the same time, so the walk does not come back to this one */
		k->n--;
	k->frame = mem_grow(k->frame, &k->cap, k->n + 1, sizeof *k->frame);
	k->frame[k->n++] = (struct walk_frame){.g = g, .via = via, .lo = lo};
	k->stalled++;
}

/* Move to the piece of the top frame's goroutine that ends at t, or contains the time before. Return false if the
   goroutine does not exist then. */
static bool place_cursor(struct path_walk *k, struct walk_frame *f)
{
	bool there = true;
	if (f->placed) {
		k->c = f->at;
		there = track_cursor_step(&k->c, -1) && track_cursor_t1(&k->c) == k->t;
	}
	if (!f->placed || !there) {
		walk_places_return(&k->places, f->g, &k->c);
		there = track_cursor_seek(&k->c, k->sn, f->g, k->t - 1);
	}
	return there && track_cursor_state(&k->c) != TS_NONE;
}

/* The piece is walked down to its start: continue with the one before it. */
static void mark_walked(struct path_walk *k, struct walk_frame *f)
{
	struct walk_place *v = walk_place_of(&k->places, &k->c);
	v->row = k->c.row;
	v->i = k->c.i;
	f->at = k->c;
	f->placed = true;
}

/* Is it a goroutine of the program? Those of the runtime only pass on what happened elsewhere. */
static bool is_of_program(const struct snap *sn, trk_id g)
{
	if (!g || g >= sn->ntrks || store_trk(sn->st, g)->kind != TK_G)
		return false;
	const struct str_row *name = store_str(sn->st, store_trk_name(sn->st, g));
	return !sink_runtime(name->s, name->n);
}

/* The goroutine does not exist before t. If it was created there, continue with its creator. If that is unknown (a
   timer has none), or it lived earlier, the wait that led here keeps its own class. */
static void walk_before_birth(struct path_walk *k, struct walk_frame *f)
{
	const struct trk_row *r = store_trk(k->sn->st, f->g);
	trk_id creator = r->creator;
	struct trace_interval v;
	if (r->t0 == k->t && creator != f->g && is_of_program(k->sn, creator)) {
		*f = (struct walk_frame){.g = creator, .via = f->via, .lo = f->lo};
		k->stalled++;
		return;
	}
	int64_t from = trace_interval_near(k->sn, f->g, k->t, -1, &v) && v.t1 > f->lo && v.t1 < k->t ? v.t1 : f->lo;
	f->placed = f->woken = false;
	if (f->via == CRITICAL_NONE) {
		put_own(k, f, from, TIME_UNKNOWN, 0);
		return;
	}
	put_wait(k, f, from, CRITICAL_OWN);
}

/* ---- waits */

/* A wait: when it started and ended, and what ended it. */
struct wait_end { int64_t t0, t1; trk_id by; bool blocked; };

static struct wait_end end_of_wait(const struct path_walk *k, const struct walk_frame *f)
{
	const struct track_cursor *c = &k->c;
	struct wait_end e = {.t0 = track_cursor_t0(c), .t1 = k->t, .by = f->by};
	if (f->woken && !track_cursor_is_continued(c))
		return e;
	struct trace_interval v;
	if (!trace_interval_at(k->sn, f->g, k->t - 1, &v))
		return e;
	e.t0 = v.t0;
	e.t1 = v.t1;
	e.blocked = v.t1 >= k->sn->t1;
	if (!f->woken)
		e.by = !e.blocked && trace_interval_step(k->sn, &v, 1) && v.state == TS_READY ? v.peer : 0;
	return e;
}

/* Return whether a goroutine that was woken from a wait of that class waited for the goroutine that woke it. Timers and
   the network poller also run on the threads of other goroutines. */
static bool waits_for_waker(const struct path_walk *k, const struct walk_frame *f, enum time_class cls, trk_id by)
{
	bool own = cls == TIME_NETWORK || cls == TIME_SLEEP || cls == TIME_GC_ASSIST || cls == TIME_GC_OTHER;
	return !own && by != f->g && is_of_program(k->sn, by);
}

/* Return whether a goroutine that is followed had no work: it was in its idle wait. If that is for the network or a
   timer, the goroutine that depends on it waits for that as well (the reader of a connection of a client), unless it
   was for the next request of a server. end: of the wait. */
static bool has_no_work(
    const struct path_walk *k, const struct walk_frame *f, enum time_class cls, stk_id stack, int64_t end)
{
	const struct operations *o = k->w->operations;
	if (f->via == CRITICAL_NONE || !operations_is_idle(o, stack))
		return false;
	if (cls != TIME_NETWORK && cls != TIME_SLEEP)
		return true;
	uint32_t next = operations_at(o, f->g, end);
	if (next == OPERATION_NONE)
		return false;
	struct operation x = operations_get(o, next);
	return x.t0 == end && o->kind[x.kind].source == OPERATION_SERVER;
}

static bool may_follow(const struct path_walk *k, const struct walk_frame *f)
{
	const struct critical_path *p = k->p;
	return p->n < CRITICAL_FOLLOWED && (f->via == CRITICAL_NONE || p->via[f->via].depth + 1 < CRITICAL_DEPTH);
}

static uint32_t add_via(struct path_walk *k, const struct walk_frame *f, enum time_class cls, stk_id stack)
{
	struct critical_path *p = k->p;
	bool own = f->via == CRITICAL_NONE;
	uint32_t depth = own ? 0 : p->via[f->via].depth + 1;
	uint32_t outermost = own ? (uint32_t)p->nvia : p->via[f->via].outermost;
	p->via = mem_grow(p->via, &p->cvia, p->nvia + 1, sizeof *p->via);
	p->via[p->nvia] = (struct critical_via){f->via, outermost, depth, f->g, stack, cls};
	return (uint32_t)p->nvia++;
}

static void walk_wait(struct path_walk *k, struct walk_frame *f)
{
	stk_id stack = track_cursor_stack(&k->c);
	enum time_class cls = time_class_of(k->sn->st, track_cursor_state(&k->c), stack);
	struct wait_end e = end_of_wait(k, f);
	int64_t from = e.t0 > f->lo ? e.t0 : f->lo;
	struct critical_piece v = {.t0 = from, .t1 = k->t, .g = f->g, .stack = stack, .via = f->via,
	    .span = CRITICAL_NONE, .cls = cls, .followed = true};
	mark_walked(k, f);
	f->placed = e.t0 == track_cursor_t0(&k->c);
	f->woken = false;
	if (from == k->t)
		return;
	bool follows = !e.blocked && waits_for_waker(k, f, cls, e.by);
	if (e.blocked && k->sn->complete && cls != TIME_UNKNOWN)
		v.cls = TIME_STILL_BLOCKED;
	else if (has_no_work(k, f, cls, stack, e.t1)) {
		put_wait(k, f, from, CRITICAL_NO_WORK);
		return;
	} else if (follows && may_follow(k, f)) {
		push_frame(k, e.by, from, add_via(k, f, cls, stack));
		return;
	} else
		v.followed = !follows;
	if (trace_began_before(k->sn, f->g, e.t0))
		v.reason = CRITICAL_BEFORE;
	put_piece(k, &v);
}

/* ---- the walk */

static void walk_run(struct path_walk *k, struct walk_frame *f, int64_t from)
{
	stk_id stack = track_cursor_stack(&k->c);
	struct walked_run r = {k, time_class_of(k->sn->st, track_cursor_state(&k->c), stack)};
	mark_walked(k, f);
	f->woken = false;
	if (k->p->coarse) {
		put_own(k, f, from, r.cls, 0);
		return;
	}
	critical_run_parts(k->w, &k->places, &k->c, from, k->t, keep_run_part, &r);
	put_parts(k);
}

static void walk_runnable(struct path_walk *k, struct walk_frame *f, int64_t from)
{
	mark_walked(k, f);
	f->woken = !track_cursor_is_continued(&k->c) && from == track_cursor_t0(&k->c);
	f->by = track_cursor_peer(&k->c);
	if (from < k->t)
		critical_runnable_parts(&k->p->runnable, k->w, &(struct critical_wait){f->g, from, k->t, k->p->coarse}, keep_part, k);
	put_parts(k);
}

/* Return the stack of a system call. What is recorded when it loses its P has none: it is that of its start. */
static stk_id stack_of_call(const struct track_cursor *at)
{
	struct track_cursor c = {0};
	stk_id stack = track_cursor_stack(at);
	if (stack || track_cursor_state(at) != TS_SYSBLOCK)
		return stack;
	c = *at;
	while (!stack && track_cursor_step(&c, -1)) {
		enum tstate s = track_cursor_state(&c);
		if (s != TS_SYSBLOCK && s != TS_SYSCALL)
			break;
		stack = track_cursor_stack(&c);
	}
	return stack;
}

/* Walk the piece under the cursor, or a part of it. What is unknown is mostly a wait that started before the trace. */
static void walk_piece(struct path_walk *k, struct walk_frame *f)
{
	enum tstate s = track_cursor_state(&k->c);
	int64_t from = track_cursor_t0(&k->c) > f->lo ? track_cursor_t0(&k->c) : f->lo;
	if (s == TS_READY) {
		walk_runnable(k, f, from);
	} else if (state_runs(s)) {
		walk_run(k, f, from);
	} else if (s == TS_SYSCALL || s == TS_SYSBLOCK || s == TS_IDLE) {
		mark_walked(k, f);
		f->woken = false;
		put_own(k, f, from, time_class_of(k->sn->st, s, 0), stack_of_call(&k->c));
	} else {
		walk_wait(k, f);
	}
}

static void walk_step(struct path_walk *k)
{
	struct walk_frame *f = &k->frame[k->n - 1];
	if (k->t <= f->lo) {
		k->n--;
	} else if (k->p->n >= CRITICAL_PIECES || k->stalled > 2 * CRITICAL_DEPTH) {
		put_piece(k, &(struct critical_piece){.t0 = f->lo, .t1 = k->t, .g = f->g, .via = f->via,
		    .span = CRITICAL_NONE, .cls = TIME_UNKNOWN, .followed = false});
	} else if (place_cursor(k, f)) {
		walk_piece(k, f);
	} else {
		walk_before_birth(k, f);
	}
}

/* Pass on the last piece, or bring them into the order of time. */
static void finish_pieces(struct critical_path *p)
{
	if (p->each && p->n)
		p->each(p->arg, p, p->v);
	if (p->each)
		return;
	for (size_t i = 0, k = p->n; i + 1 < k; i++) {
		struct critical_piece v = p->v[i];
		p->v[i] = p->v[--k];
		p->v[k] = v;
	}
}

static int64_t clamp_time(const struct snap *sn, int64_t t)
{
	return t < sn->t0 ? sn->t0 : t > sn->t1 ? sn->t1 : t;
}

void critical_path_walk(const struct critical_walker *w, trk_id g, int64_t t0, int64_t t1, struct critical_path *p)
{
	struct path_walk k = {.w = w, .sn = w->sn, .p = p};
	p->n = p->nvia = p->ncut = 0;
	p->looked = 0;
	for (int i = 0; i < TIME_CLASS__N; i++)
		p->ns[i] = 0;
	p->t0 = clamp_time(w->sn, t0);
	p->t1 = clamp_time(w->sn, t1);
	k.t = p->t1;
	critical_runnable_begin(p->runnable);
	push_frame(&k, g, p->t0, CRITICAL_NONE);
	while (k.n)
		walk_step(&k);
	finish_pieces(p);
	p->looked += critical_runnable_cost(p->runnable);
	mem_free(k.frame);
	mem_free(k.part);
}

void critical_path_free(struct critical_path *p)
{
	mem_free(p->v);
	mem_free(p->via);
	critical_runnable_free(p->runnable);
	*p = (struct critical_path){0};
}
