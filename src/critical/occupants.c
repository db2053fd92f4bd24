/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Why a goroutine waits for a P. While the world is stopped, because of the stop. While a P is idle, because nothing
 * has noticed the goroutine yet: it is woken late (or the process does not run). Otherwise because all Ps are occupied:
 * this time is divided among what occupied them, each by its share of their time.
 *
 * The Ps are those below GOMAXPROCS, which only changes while the world is stopped. Their states are read from their
 * rows as cells, a time range of one P in one state; idle cells are united, and the others cut at what is left. A wait
 * that overlaps more than CELLS of a P is not walked: what the Ps do at INSTANTS times stands for it, one in each of
 * equal steps, and the shares are marked as approximate. So the cost of a wait does not depend on its length. Where in a
 * step the instant lies depends on the goroutine: many goroutines wait through the same stretch of time, and if all
 * looked at the same instants, the errors of their shares would be equal and would add up in sums. Stops of the world
 * and the ends of sheets cut waits; each part is divided for itself.
 *
 * The parts are placed one after the other, since a share has no time of its own: first the late wake-up, then the
 * occupants in the order in which they are seen. What rounding leaves is part of the last one.
 */
#include "config.h"
#include "critical/internal.h"

#include "base/bsearch.h"
#include "base/intern.h"
#include "store/tracks/time_search.h"

#include <stdlib.h>

/* The first FEW_PROCS Ps are a part of the cost of a piece, which was measured with as many. */
enum { CELLS = 256, INSTANTS = 64, OCCUPANTS = 24, FEW_PROCS = 16 };

/* at: the time that stands for the cell; TIME_NONE: the whole cell is walked. */
struct proc_cell { int64_t t0, t1, at; trk_id proc, g; enum tstate state; };

/* g 0 and stack 0: others. several: g is one of several goroutines with the start function `name`. */
struct occupant { trk_id g; str_id name; stk_id stack; bool gc, several; double ns; };

struct runnable_wait {
	const struct critical_walker *w;
	critical_piece_fn *fn;
	void *arg;
	trk_id g;
	bool coarse;
	struct proc_cell *cell;
	size_t n, cap;
	bool approximate;
	struct occupant occupant[OCCUPANTS + 1];	/* the first noccupant ones, and the last one: others */
	uint32_t noccupant;
	uint64_t cost;
	struct track_cursor cursor;	/* of goroutines */
	struct walk_places places;	/* likewise */
	struct track_cursor *proc;	/* by number of the P */
	uint32_t idle;			/* a P that was idle throughout the last wait of which one was */
};

/* ---- cells */

static void add_cell(struct runnable_wait *x, int64_t t0, int64_t t1, int64_t at, const struct track_cursor *c)
{
	enum tstate s = track_cursor_state(c);
	if (t1 <= t0 || s == TS_NONE)
		return;
	x->cell = mem_grow(x->cell, &x->cap, x->n + 1, sizeof *x->cell);
	x->cell[x->n++] = (struct proc_cell){t0, t1, at, c->trk, s == TS_IDLE ? 0 : track_cursor_peer(c), s};
}

/* Add the states of P number p in [a, b). Return false if they are too many. */
static bool walk_proc(struct runnable_wait *x, uint32_t p, int64_t a, int64_t b)
{
	struct track_cursor *c = &x->proc[p];
	size_t most = x->n + CELLS;
	if (!track_cursor_seek(c, x->w->sn, x->w->proc[p], a))
		return true;
	do {
		int64_t t0 = track_cursor_t0(c), t1 = track_cursor_t1(c);
		if (t0 >= b)
			break;
		add_cell(x, t0 > a ? t0 : a, t1 < b ? t1 : b, TIME_NONE, c);
	} while (x->n < most && track_cursor_step(c, 1));
	return x->n < most;
}

static int64_t step_start(int64_t a, int64_t b, int i)
{
	return a + (int64_t)((double)(b - a) * i / INSTANTS);
}

/* Return the instant in [t0, t1), step i of the wait, that stands for the step: any, but always the same. */
static int64_t instant_of_step(const struct runnable_wait *x, int64_t t0, int64_t t1, int i)
{
	uint32_t hash = intern_mix_u64((uint64_t)t0, (uint64_t)x->g << 8 | (uint64_t)i);
	return t0 + (int64_t)((double)(t1 - t0) * (hash / 4294967296.0));
}

static void look_at_procs(struct runnable_wait *x, uint32_t nproc, int64_t a, int64_t b)
{
	x->n = 0;
	x->approximate = true;
	x->cost += nproc > FEW_PROCS ? (uint64_t)(nproc - FEW_PROCS) * INSTANTS : 0;
	for (uint32_t p = 0; p < nproc; p++)
		for (int i = 0; i < INSTANTS; i++) {
			int64_t t0 = step_start(a, b, i), t1 = i + 1 < INSTANTS ? step_start(a, b, i + 1) : b;
			int64_t at = instant_of_step(x, t0, t1, i);
			if (x->w->proc[p] && track_cursor_seek(&x->proc[p], x->w->sn, x->w->proc[p], at))
				add_cell(x, t0, t1, at, &x->proc[p]);
		}
}

static uint32_t procs_at(const struct critical_walker *w, int64_t t)
{
	uint32_t i = time_search_counter(w->sn, CT_GOMAXPROCS, t);
	if (i == UINT32_MAX && !w->sn->ncounts[CT_GOMAXPROCS])
		return w->nproc;
	uint64_t n = store_count(w->sn->st, CT_GOMAXPROCS, i == UINT32_MAX ? 0 : i)->v;
	return n && n < w->nproc ? (uint32_t)n : w->nproc;
}

static bool is_idle_throughout(const struct proc_cell *v, int64_t a, int64_t b)
{
	return v->state == TS_IDLE && v->t0 == a && v->t1 == b;
}

/* Collect the cells. Return false if a P is idle throughout, as it is in most waits: then nothing else matters. The P
   that was so last time is looked at first. */
static bool collect_cells(struct runnable_wait *x, int64_t a, int64_t b)
{
	uint32_t nproc = procs_at(x->w, a);
	bool all = true;
	x->n = 0;
	x->approximate = false;
	for (uint32_t i = 0; i < nproc && all; i++) {
		x->cost += i >= FEW_PROCS;
		uint32_t p = (x->idle + i) % nproc;
		size_t first = x->n;
		all = !x->w->proc[p] || walk_proc(x, p, a, b);
		if (x->n > first && is_idle_throughout(&x->cell[first], a, b)) {
			x->idle = p;
			return false;
		}
	}
	if (!all)
		look_at_procs(x, nproc, a, b);
	return true;
}

/* Sort by time, idle cells first. */
static int by_time(const void *a, const void *b)
{
	const struct proc_cell *x = a, *y = b;
	bool xi = x->state == TS_IDLE, yi = y->state == TS_IDLE;
	if (xi != yi)
		return xi ? -1 : 1;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->proc < y->proc ? -1 : x->proc > y->proc;
}

/* Replace the idle cells, which are the first ones, by disjoint ranges in which a P is idle. Return the number of
   ranges, which replace the first cells, and in *nidle that of the cells. */
static size_t unite_idle(struct runnable_wait *x, size_t *nidle, int64_t *ns)
{
	size_t n = 0;
	*ns = 0;
	for (*nidle = 0; *nidle < x->n && x->cell[*nidle].state == TS_IDLE; ++*nidle) {
		struct proc_cell *last = n ? &x->cell[n - 1] : NULL, v = x->cell[*nidle];
		if (last && v.t0 <= last->t1)
			last->t1 = v.t1 > last->t1 ? v.t1 : last->t1;
		else
			x->cell[n++] = v;
	}
	for (size_t i = 0; i < n; i++)
		*ns += x->cell[i].t1 - x->cell[i].t0;
	return n;
}

/* ---- occupants */

static void add_occupant(struct runnable_wait *x, trk_id g, stk_id stack, bool gc, double ns)
{
	str_id name = g ? (str_id)store_trk_name(x->w->sn->st, g) : 0;
	uint32_t i = 0;
	while (i < x->noccupant && (x->occupant[i].gc != gc || x->occupant[i].stack != stack ||
	    ((!name || x->occupant[i].name != name) && x->occupant[i].g != g)))
		i++;
	if (i == x->noccupant && i < OCCUPANTS)
		x->occupant[x->noccupant++] = (struct occupant){.g = g, .name = name, .stack = stack, .gc = gc};
	struct occupant *o = &x->occupant[i < x->noccupant ? i : OCCUPANTS];
	o->several |= o->g && o->g != g;
	o->ns += ns;
}

/* scale: how many nanoseconds of the wait one nanosecond of the goroutine stands for */
struct occupied_cell { struct runnable_wait *x; trk_id g; double scale; };

static void add_run_part(void *arg, int64_t t0, int64_t t1, stk_id stack, stk_id end)
{
	(void)end;
	const struct occupied_cell *o = arg;
	o->x->cost++;
	add_occupant(o->x, o->g, stack, false, (double)(t1 - t0) * o->scale);
}

/* Add what a P did in [a, b), a part of a cell. */
static void add_occupied(struct runnable_wait *x, const struct proc_cell *v, int64_t a, int64_t b)
{
	struct track_cursor *c = &x->cursor;
	struct occupied_cell o = {x, v->g, 1};
	if (v->state == TS_GCWORK) {
		add_occupant(x, 0, 0, true, (double)(b - a));
		return;
	}
	if (v->at != TIME_NONE) {	/* the nanosecond at that time stands for the part */
		o.scale = (double)(b - a);
		a = v->at;
		b = a + 1;
	}
	bool on = v->g && track_cursor_seek(c, x->w->sn, v->g, a);
	for (; on && a < b; on = on && track_cursor_step(c, 1)) {
		int64_t t1 = track_cursor_t1(c) < b ? track_cursor_t1(c) : b;
		if (t1 <= a)
			continue;
		if (state_runs(track_cursor_state(c)))
			critical_run_parts(x->w, &x->places, c, a, t1, add_run_part, &o);
		else
			add_occupant(x, v->g, track_cursor_stack(c), false, (double)(t1 - a) * o.scale);
		a = t1;
	}
	if (a < b)
		add_occupant(x, v->g, 0, false, (double)(b - a) * o.scale);
}

/* Add the parts of the cells in which no P is idle. */
static void find_occupants(struct runnable_wait *x, size_t nrange, size_t nidle)
{
	size_t first = 0;
	for (size_t i = nidle; i < x->n; i++) {
		struct proc_cell v = x->cell[i];
		int64_t a = v.t0;
		while (first < nrange && x->cell[first].t1 <= a)
			first++;
		for (size_t k = first; a < v.t1; k++) {
			int64_t to = k < nrange && x->cell[k].t0 < v.t1 ? x->cell[k].t0 : v.t1;
			if (to > a)
				add_occupied(x, &v, a, to);
			a = k < nrange && to < v.t1 ? x->cell[k].t1 : v.t1;
		}
	}
}

/* ---- parts */

static void put_part(const struct runnable_wait *x, int64_t t0, int64_t t1, enum critical_reason why,
    const struct occupant *o)
{
	struct critical_piece v = {.t0 = t0, .t1 = t1, .g = x->g, .via = CRITICAL_NONE, .span = CRITICAL_NONE,
	    .cls = TIME_RUNNABLE, .reason = why, .followed = true, .approximate = x->approximate};
	if (o) {
		v.stack = o->stack;
		v.occupant = o->g;
		v.several = o->several;
	}
	if (t1 > t0)
		x->fn(x->arg, &v);
}

/* Return the occupant after i, the last one of which are the others. */
static uint32_t next_occupant(const struct runnable_wait *x, uint32_t i)
{
	return i + 1 < x->noccupant || i == OCCUPANTS ? i + 1 : OCCUPANTS;
}

/* Divide [a, b) by the time of the occupants. */
static void put_occupants(const struct runnable_wait *x, int64_t a, int64_t b)
{
	double total = 0, done = 0, len = (double)(b - a);
	int64_t from = a;
	uint32_t last = 0;
	for (uint32_t i = 0; i <= OCCUPANTS; i = next_occupant(x, i)) {
		total += x->occupant[i].ns;
		last = x->occupant[i].ns > 0 ? i : last;
	}
	if (total <= 0) {
		put_part(x, a, b, CRITICAL_WOKEN_LATE, NULL);
		return;
	}
	for (uint32_t i = 0; i <= last; i = next_occupant(x, i)) {
		const struct occupant *o = &x->occupant[i];
		done += o->ns;
		int64_t to = i == last ? b : a + (int64_t)(len * (done / total));
		put_part(x, from, to, o->gc ? CRITICAL_GC_WORKERS : CRITICAL_OCCUPIED, o);
		from = to > from ? to : from;
	}
}

static bool has_gc_workers(const struct runnable_wait *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->cell[i].state == TS_GCWORK)
			return true;
	return false;
}

/* Divide [a, b), in which the world is not stopped. */
static void divide_unstopped(struct runnable_wait *x, int64_t a, int64_t b)
{
	size_t nidle, nrange;
	int64_t idle;
	if (b <= a)
		return;
	if (!collect_cells(x, a, b)) {
		put_part(x, a, b, CRITICAL_WOKEN_LATE, NULL);
		return;
	}
	if (x->coarse && !has_gc_workers(x)) {
		put_part(x, a, b, CRITICAL_OCCUPIED, NULL);
		return;
	}
	if (x->n)
		qsort(x->cell, x->n, sizeof *x->cell, by_time);
	nrange = unite_idle(x, &nidle, &idle);
	x->noccupant = 0;
	x->occupant[0] = x->occupant[OCCUPANTS] = (struct occupant){0};
	if (idle < b - a)
		find_occupants(x, nrange, nidle);
	put_part(x, a, a + idle, CRITICAL_WOKEN_LATE, NULL);
	if (idle < b - a)
		put_occupants(x, a + idle, b);
}

static struct runnable_wait *runnable_new(const struct critical_walker *w)
{
	struct runnable_wait *x = xcalloc(1, sizeof *x);
	x->w = w;
	x->proc = xcalloc(w->nproc + 1u, sizeof *x->proc);
	return x;
}

/* The P that is looked at first decides whether a wait is estimated: that may not depend on another walk. */
void critical_runnable_begin(struct runnable_wait *x)
{
	if (!x)
		return;
	x->idle = 0;
	x->cost = 0;
}

uint64_t critical_runnable_cost(const struct runnable_wait *x)
{
	return x ? x->cost : 0;
}

void critical_runnable_free(struct runnable_wait *x)
{
	if (!x)
		return;
	mem_free(x->proc);
	mem_free(x->cell);
	mem_free(x);
}

void critical_runnable_parts(struct runnable_wait **state, const struct critical_walker *w,
    const struct critical_wait *wait, critical_piece_fn *fn, void *arg)
{
	struct runnable_wait *x = *state = *state ? *state : runnable_new(w);
	int64_t a = wait->t0, b = wait->t1;
	x->fn = fn;
	x->arg = arg;
	x->g = wait->g;
	x->coarse = wait->coarse;
	struct bsearch_probe h = {.hi = w->nstop};
	while (bsearch_probe(&h))	/* the first stop that ends after a */
		bsearch_narrow(&h, w->stop[h.at].t1 <= a);
	for (const struct critical_stop *s = w->stop + h.lo; s < w->stop + w->nstop && s->t0 < b; s++) {
		const struct sink_span *span = &store_span(w->sn->st, s->span)->s;
		int64_t t0 = s->t0 > a ? s->t0 : a, t1 = s->t1 < b ? s->t1 : b;
		divide_unstopped(x, a, t0);
		if (t1 > t0)
			fn(arg, &(struct critical_piece){.t0 = t0, .t1 = t1, .g = x->g, .stack = span->stack,
			    .via = CRITICAL_NONE, .occupant = span->trk, .span = s->span, .cls = TIME_STW,
			    .reason = CRITICAL_STOPPED, .followed = true});
		a = t1;
	}
	divide_unstopped(x, a, b);
}
