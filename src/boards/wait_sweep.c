/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of all goroutines in the order of time. A sheet has the intervals of a time range, track by track: the starts
 * and ends in it are collected, sorted and visited before the next sheet is read. So queue lengths are exact at any
 * moment, while only the events of one sheet and one wait for each goroutine are in memory.
 */
#include "config.h"
#include "boards/wait_sweep.h"

#include "base/mem/sparse_array.h"
#include "base/radix_sort.h"
#include "store/tracks/time_search.h"
#include "trace/wait_before.h"

/* The wait of a goroutine that has not ended. */
struct sweep_wait { int64_t t0; stk_id stack; uint8_t state; bool waits, started; };	/* started: it was visited */

struct sweep {
	const struct board_measures *m;
	uint64_t states;
	struct sparse_array now;	/* struct sweep_wait, by track; those that wait where a sheet ends */
	struct wait_event *v;		/* of this sheet */
	struct radix_item *order;
	uint32_t n;
	size_t cap, corder;
};

static void add_event(struct sweep *w, const struct wait_event *e)
{
	w->v = mem_grow(w->v, &w->cap, w->n + 1u, sizeof *w->v);
	w->order = mem_grow(w->order, &w->corder, w->n + 1u, sizeof *w->order);
	w->order[w->n] = (struct radix_item){(uint64_t)(e->t - w->m->scan.t0) << 1 | !e->ends, w->n};
	w->v[w->n++] = *e;
}

/* The piece [a, b) of a wait: the wait starts with the first piece in the time range. */
static void add_piece(struct sweep *w, trk_id g, struct sweep_wait *x, int64_t a, int64_t b)
{
	const struct scan *s = &w->m->scan;
	a = a > s->t0 ? a : s->t0;
	if (x->started || b <= a || a >= s->t1)
		return;
	x->started = true;
	add_event(w, &(struct wait_event){.t = a, .g = g, .state = (enum tstate)(x->state & SHEET_STATE), .stack = x->stack});
}

static void end_wait(struct sweep *w, trk_id g, struct sweep_wait *x, int64_t t, trk_id waker, stk_id stack, bool open)
{
	const struct scan *s = &w->m->scan;
	x->waits = false;
	if (!x->started)
		return;
	add_event(w, &(struct wait_event){.t = t < s->t1 ? t : s->t1, .g = g, .state = (enum tstate)(x->state & SHEET_STATE),
	    .stack = x->stack, .ends = true, .t0 = x->t0, .t1 = t, .ns = scan_judged_ns(s, g, x->t0, t), .waker = waker,
	    .waker_stack = waker ? stack : 0, .open = open});
}

static void walk_row(struct sweep *w, const struct sheet *sh, uint32_t row, trk_id g)
{
	struct sweep_wait *was = sparse_array_find(&w->now, g), x = was ? *was : (struct sweep_wait){0};
	for (uint32_t i = sh->first[row], end = sh->first[row + 1]; i < end; i++) {
		unsigned state = sh->state[i] & SHEET_STATE;
		bool wanted = w->states >> state & 1;
		if (!wanted && !x.waits)
			continue;
		int64_t t = sh->t0 + sheet_start(sh, i);
		if (x.waits && !sheet_continues(x.state, sh->state[i])) {
			trk_id peer = state == TS_READY ? sheet_peer(sh, i) : 0;
			end_wait(w, g, &x, t, peer < w->m->sn->ntrks ? peer : 0, peer ? sheet_stack(sh, i) : 0, false);
		}
		if (!wanted)
			continue;
		bool first = i == sh->first[row] && !(sh->state[i] & SHEET_CONT);
		if (!x.waits)
			x = (struct sweep_wait){.t0 = first ? trace_wait_start(w->m->sn, g, t) : t, .stack = sheet_stack(sh, i), .waits = true};
		x.state = sh->state[i];
		add_piece(w, g, &x, t, sheet_end(sh, row, i));
	}
	if (was || x.waits)
		*(struct sweep_wait *)sparse_array_at(&w->now, g) = x;
}

static void visit_sorted(struct sweep *w, void (*visit)(void *, const struct wait_event *), void *arg)
{
	if (w->n)
		radix_sort_items(w->order, w->n);
	for (uint32_t i = 0; i < w->n; i++)
		visit(arg, &w->v[w->order[i].v]);
	w->n = 0;
}

bool wait_sweep(const struct board_measures *m, uint64_t states, void (*visit)(void *, const struct wait_event *),
    void *arg, const struct progress_watcher *on)
{
	const struct snap *sn = m->sn;
	struct sweep w = {.m = m, .states = states, .now = sparse_array_new(sn->ntrks, sizeof(struct sweep_wait))};
	bool go = true;
	for (uint32_t i = 0; i < sn->nsheets && go; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		for (uint32_t row = sh->nother; row < sh->ntrk; row++)
			if (sh->trk[row] < sn->ntrks && m->groups.of[sh->trk[row]])
				walk_row(&w, sh, row, sh->trk[row]);
		visit_sorted(&w, visit, arg);
		go = watcher_report(on, i, sn->nsheets);
	}
	for (trk_id g = 1; g < sn->ntrks && go; g++) {
		struct sweep_wait *x = sparse_array_find(&w.now, g);
		if (x && x->waits)
			end_wait(&w, g, x, sn->t1, 0, 0, true);
	}
	visit_sorted(&w, visit, arg);
	mem_free(w.v);
	mem_free(w.order);
	sparse_array_free(&w.now);
	return go;
}
