/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The bytes that goroutines allocate, by stack. The sizes of the heap tell what a goroutine took and when
 * (allocations.h), but not its stack. It is known where the goroutine had to sweep for the allocation. Else it was in
 * the functions that the recorded stacks before and after have in common. If several of its stacks so far were within
 * allocations, and all of these have deeper functions in common, it was there: a goroutine that allocates in a loop until
 * it ends has no stack after that. alloc_sites.c divides what is charged to such a function among the known places below
 * it.
 *
 * The road not taken is to charge the stack of the nearest mark assist: a new goroutine has no credit, so it assists
 * where it allocates first, whatever it allocates later.
 *
 * One pass over the sheets, in which each goroutine has the stack of what it did last and the rows of the heap since
 * then. Both continue across the borders of sheets. All goroutines are walked, since known places of any of them count.
 */
#include "config.h"
#include "trace/alloc/alloc_weights.h"

#include "base/mem/sparse_array.h"
#include "base/wrap_math.h"
#include "trace/alloc/alloc_sites.h"
#include "trace/alloc/allocations.h"
#include "trace/bins.h"
#include "trace/run_stacks.h"
#include "trace/user_code.h"

#include <string.h>

enum { SEVERAL = 4 };

/* What a goroutine does. */
struct allocator {
	stk_id last;		/* where it was when its stack was recorded last; 0: unknown */
	stk_id all;		/* what its stacks within allocations have in common */
	trk_id proc;
	uint32_t rows;		/* since then: the first of its list in alloc_walk.row; 0: none */
	uint8_t stacks;		/* how many of them there were, up to SEVERAL */
	/* swept: it swept for the allocation that comes next; called: `last` is that of a call which does not allocate, and
	   has returned */
	bool runs, swept, called;
};

struct alloc_walk {
	const struct snap *sn;
	const struct trace_filter *f;
	struct trace_weights *w;
	struct run_moments moments;
	struct allocations heap;
	struct alloc_sites sites;
	uint8_t *allocates;		/* by node: is it within an allocation? */
	struct sparse_array of;		/* struct allocator, by track */
	struct waiting_row { int64_t t, bytes; uint32_t next; } *row;
	uint32_t nrow, unused;		/* unused: the first of a list of elements of row; row[0] is none */
	size_t crow;
};

/* Find the nodes within runtime.mallocgc and its variants for sizes. */
static uint8_t *find_allocating(const struct snap *sn)
{
	static const char malloc[] = "runtime.mallocgc";
	uint8_t *v = xcalloc(sn->nstks + 1u, 1);
	struct stk_pass pass = stk_pass(sn->st);
	for (stk_id i = 1; i < sn->nstks; i++) {
		struct stk_row r = stk_at(&pass, i);
		const struct str_row *name = store_str(sn->st, store_fun(sn->st, store_frm(sn->st, r.frame)->fun)->name);
		v[i] = v[r.parent] || (name->n >= sizeof malloc - 1 && !memcmp(name->s, malloc, sizeof malloc - 1));
	}
	return v;
}

static bool selects(const struct alloc_walk *a, trk_id g, trk_id proc, int64_t t)
{
	const struct trace_filter *f = a->f;
	return !f || ((f->from == TIME_NONE || t >= f->from) && (f->to == TIME_NONE || t < f->to) &&
	    (!f->proc || f->proc == proc) && trace_gset_has(f->g, g) &&
	    (!f->slice || trace_filter_overlap(f, g, t, t + 1) > 0));
}

/* The runtime's functions allocate for the one that calls them. */
static stk_id site_of(const struct store *st, stk_id stack)
{
	stk_id caller = user_code_outside_runtime(st, stack);
	return caller ? caller : stack;
}

static void put_weight(struct alloc_walk *a, stk_id stack, int64_t t, int64_t bytes)
{
	a->w->count[stack]++;
	a->w->total_count++;
	wrap_add_to(&a->w->total_ns, bytes);
	if (t > a->w->last[stack])
		a->w->last[stack] = t;
}

static void keep_row(struct alloc_walk *a, struct allocator *of, int64_t t, int64_t bytes)
{
	uint32_t i = a->unused;
	if (i) {
		a->unused = a->row[i].next;
	} else {
		i = a->nrow++;
		a->row = mem_grow(a->row, &a->crow, a->nrow, sizeof *a->row);
	}
	a->row[i] = (struct waiting_row){t, bytes, of->rows};
	of->rows = i;
}

/* Take the goroutine's rows of the heap up to t. */
static void take_rows(struct alloc_walk *a, trk_id g, struct allocator *of, int64_t t)
{
	uint32_t i;
	while (allocations_next(&a->heap, t, &i)) {
		int64_t when = store_count(a->sn->st, CT_HEAP_LIVE, i)->t, bytes = allocations_bytes(a->sn, i);
		bool selected = selects(a, g, of->proc, when);
		if (of->swept) {
			stk_id at = site_of(a->sn->st, of->last);
			alloc_sites_known(&a->sites, bytes, at);
			if (selected) {
				put_weight(a, at, when, bytes);
				wrap_add_to(&a->w->ns[at], bytes);
			}
		} else if (selected) {
			keep_row(a, of, when, bytes);
		}
		of->swept = false;
	}
}

/* Return where the goroutine was since its last recorded stack, if the next one is that; 0: it has none. */
static stk_id place_between(const struct alloc_walk *a, trk_id g, const struct allocator *of, stk_id next)
{
	const struct store *st = a->sn->st;
	stk_id at = next && of->last ? run_stacks_deepest(st, of->last, next) : 0;
	stk_id call = of->called ? user_code_site(st, of->last) : 0;
	if (call && at && run_stacks_deepest(st, at, call) == call)	/* it left that call, to make it again */
		at = stk_parent(st, call);
	at = at ? at : run_stacks_outermost(st, g, of->last ? of->last : next);
	if (of->stacks >= SEVERAL && run_stacks_deepest(st, at, of->all) == at)
		at = of->all;
	return site_of(st, at);
}

/* Charge the rows since the last recorded stack. */
static void charge_rows(struct alloc_walk *a, trk_id g, struct allocator *of, stk_id next)
{
	stk_id at = of->rows ? place_between(a, g, of, next) : 0;
	while (of->rows) {
		uint32_t i = of->rows;
		put_weight(a, at, a->row[i].t, a->row[i].bytes);
		alloc_sites_below(&a->sites, a->row[i].bytes, at);
		of->rows = a->row[i].next;
		a->row[i].next = a->unused;
		a->unused = i;
	}
}

/* The stack of a goroutine was recorded, where it entered this state; 0: it has ended. called: where it called something,
   else it was interrupted. */
static void meet_stack(struct alloc_walk *a, trk_id g, struct allocator *of, stk_id stack, enum tstate s, bool called)
{
	bool within = a->allocates[stack];
	stack = run_stacks_interrupted(a->sn->st, g, stack);
	if (of->last || s == TS_NONE)	/* what it took before its first stack is charged with what follows */
		charge_rows(a, g, of, s == TS_NONE ? 0 : stack);
	if (s == TS_NONE) {
		*of = (struct allocator){0};
		return;
	}
	of->last = stack;
	of->called = called && !within;
	of->swept = within && s == TS_SWEEP;
	if (!within)
		return;
	alloc_sites_within(&a->sites, site_of(a->sn->st, stack));
	of->all = of->stacks ? run_stacks_deepest(a->sn->st, of->all, stack) : stack;
	of->stacks += of->stacks < SEVERAL;
}

static void meet_moments(struct alloc_walk *a, trk_id g, struct allocator *of, int64_t t)
{
	struct run_moment m;
	while (run_moments_next(&a->moments, t, &m)) {
		if (!m.stack || !of->runs)
			continue;
		take_rows(a, g, of, m.t);
		meet_stack(a, g, of, m.stack, TS_RUN, !m.sample);
	}
}

static void walk_interval(struct alloc_walk *a, const struct sheet *sh, uint32_t i, trk_id g, struct allocator *of)
{
	enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
	int64_t t = sh->t0 + sheet_start(sh, i);
	if (!(sh->state[i] & SHEET_CONT)) {
		meet_moments(a, g, of, t);
		take_rows(a, g, of, t);
		/* One that becomes runnable after a wait has the stack of its waker. */
		bool own = s != TS_READY || of->runs;
		if (s == TS_NONE || (own && sheet_stack(sh, i)))
			meet_stack(a, g, of, sheet_stack(sh, i), s, s != TS_READY);
	}
	of->runs = state_runs(s);
	if (of->runs)
		of->proc = sheet_peer(sh, i);
}

static void walk_row(struct alloc_walk *a, const struct sheet *sh, uint32_t row)
{
	trk_id g = sh->trk[row];
	const struct allocator *was = sparse_array_find(&a->of, g);
	struct allocator now = was ? *was : (struct allocator){0};
	run_moments_begin_goroutine(&a->moments, g);
	allocations_begin_goroutine(&a->heap, g);
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++)
		walk_interval(a, sh, i, g, &now);
	meet_moments(a, g, &now, INT64_MAX);
	take_rows(a, g, &now, INT64_MAX);
	if (was || now.last || now.rows || now.runs)
		*(struct allocator *)sparse_array_at(&a->of, g) = now;
}

static void walk_sheets(struct alloc_walk *a)
{
	uint32_t n = a->sn->nsheets;	/* walking the sheets is about a third of the work of a pane */
	for (uint32_t i = 0; i < n && (!a->f || watcher_report(&a->f->on, i, 3ull * n)); i++) {
		const struct sheet *sh = sheet_get(a->sn, i);
		run_moments_begin_sheet(&a->moments, a->sn, sh);
		allocations_begin_sheet(&a->heap, a->sn, sh);
		for (uint32_t row = sh->nother; row < sh->ntrk; row++)
			if (store_trk(a->sn->st, sh->trk[row])->kind == TK_G)
				walk_row(a, sh, row);
	}
}

void alloc_weights(const struct snap *sn, const struct trace_filter *f, struct trace_weights *w)
{
	struct alloc_walk a = {.sn = sn, .f = f, .w = w, .allocates = find_allocating(sn), .nrow = 1};
	a.of = sparse_array_new(sn->ntrks, sizeof(struct allocator));
	a.row = mem_grow(NULL, &a.crow, 1, sizeof *a.row);
	alloc_sites_init(&a.sites, sn);
	walk_sheets(&a);
	for (trk_id g = 1; g < sn->ntrks; g++) {
		struct allocator *of = sparse_array_find(&a.of, g);
		if (of)
			charge_rows(&a, g, of, 0);
	}
	alloc_sites_divide(&a.sites, w->ns);
	alloc_sites_free(&a.sites);
	sparse_array_free(&a.of);
	run_moments_free(&a.moments);
	allocations_free(&a.heap);
	mem_free(a.allocates);
	mem_free(a.row);
}
