/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Names goroutines by what they execute, where their start function does not tell it: errgroup.(*Group).Go.func1 calls
 * whatever function it was given, and so do testing.tRunner and the starters of many programs.
 *
 * A start function is a trampoline if it has a call (one program counter) that calls different functions in different
 * goroutines, but in each goroutine only one. Such a call is indirect: its target is an argument of the goroutine, as the
 * start function is. If all goroutines are seen to call the same function there, that may also be a part of the start
 * function's own work. Then it counts only if the package of the called function is that whose code had the goroutine
 * created, through another package, to which the start function belongs.
 *
 * A method of an interface, as Read of different connections, is one function here: its name tells no more than the start
 * function does.
 *
 * What a goroutine calls is seen by the stacks at which it waits, is in a system call, or wakes or creates another
 * goroutine. One that did none of these is named as those that were created at the same stack, if these agree.
 *
 * This is done once, when a trace is complete. Most traces have no such call, which the tree of stacks shows. Else the
 * sheets are walked once.
 */
#include "config.h"
#include "store/tracks/internal.h"

#include "base/text/text.h"
#include "base/u64_map.h"

/* A call in a start function: a node below the root of the tree. One that is broken had several callees in a goroutine. */
struct call { str_id callee; bool several, handed, broken, taken; };

struct package { const char *s; size_t n; };

struct trampoline_search {
	struct tracks *k;
	const struct store *st;
	uint32_t nstks;
	struct u64_hash call_of;	/* by node: index into call */
	struct call *call;
	size_t ncall, ccall;
	struct u64_hash creators;	/* start functions with the packages that had their goroutines created */
	stk_id *callee;			/* by stack: the node of the callee in it, below a call of the table; 0: none */
	stk_id *seen;			/* by track: the same of the goroutine */
};

static const struct frm_row *frame_of(const struct store *st, stk_id s)
{
	return store_frm(st, stk_frame(st, s));
}

static str_id function_of(const struct store *st, stk_id s)
{
	return store_fun(st, frame_of(st, s)->fun)->name;
}

static struct package package_of(const struct store *st, str_id name)
{
	const struct str_row *s = store_str(st, name);
	return (struct package){s->s, text_go_package(s->s, s->n)};
}

static bool same_package(struct package a, struct package b)
{
	return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

static uint64_t creator_key(str_id start_fun, struct package package)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ start_fun;
	for (size_t i = 0; i < package.n; i++)
		h = (h ^ (uint8_t)package.s[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* Note the package whose code had goroutines of an origin created: of the first frame outside the package of the start
   function. */
static void note_creator(struct trampoline_search *x, const struct trk_origin *o)
{
	enum { NEAR = 8 };	/* frames */
	struct package own = package_of(x->st, o->start_fun);
	stk_id s = own.n ? o->created : 0;
	for (int i = 0; s && i < NEAR; i++, s = stk_parent(x->st, s)) {
		struct package package = package_of(x->st, function_of(x->st, s));
		bool fresh;
		if (same_package(own, package))
			continue;
		if (package.n)
			u64_map_put(&x->creators, creator_key(o->start_fun, package), &fresh);
		return;
	}
}

/* ---- calls */

/* Return whether the code of one function calls that of the other, neither is inlined, and none is of the runtime. */
static bool is_call(const struct store *st, stk_id from, stk_id to)
{
	const struct str_row *a = store_str(st, function_of(st, from)), *b = store_str(st, function_of(st, to));
	uint64_t pc = store_loc(st, frame_of(st, from)->loc)->addr;
	return a->n && b->n && pc && pc != store_loc(st, frame_of(st, to)->loc)->addr && !sink_runtime(a->s, a->n) &&
	    !sink_runtime(b->s, b->n);
}

/* Return whether two functions are different, and not one method of different types. Closures have equal last parts. */
static bool are_different(const struct store *st, str_id a, str_id b)
{
	const struct str_row *x = store_str(st, a), *y = store_str(st, b);
	size_t i = text_symbol_tail(x->s, x->n), k = text_symbol_tail(y->s, y->n), n = x->n - i;
	bool same_tail = n == y->n - k && !memcmp(x->s + i, y->s + k, n);
	return a != b && (!same_tail || !n || (n > 4 && !memcmp(x->s + i, "func", 4)));
}

static void note_call(struct trampoline_search *x, stk_id from, stk_id to)
{
	bool fresh;
	str_id start_fun = function_of(x->st, from), callee = function_of(x->st, to);
	struct u64_slot *slot = u64_map_put(&x->call_of, from, &fresh);
	if (fresh) {
		x->call = mem_grow(x->call, &x->ccall, x->ncall + 1, sizeof *x->call);
		x->call[x->ncall] = (struct call){.callee = callee};
		slot->n = x->ncall++;
	}
	struct call *c = &x->call[slot->n];
	c->several |= are_different(x->st, c->callee, callee);
	c->handed |= u64_map_get(&x->creators, creator_key(start_fun, package_of(x->st, callee))) != NULL;
}

/* Find the calls in outermost functions. Return whether one may be that of a trampoline. */
static bool find_calls(struct trampoline_search *x)
{
	bool any = false;
	struct stk_pass all = stk_pass(x->st);
	for (stk_id s = 1; s < x->nstks; s++) {
		stk_id up = stk_at(&all, s).parent;
		if (up && !stk_parent(x->st, up) && is_call(x->st, up, s))
			note_call(x, up, s);
	}
	for (size_t i = 0; i < x->ncall; i++)
		any |= x->call[i].several || x->call[i].handed;
	return any;
}

static struct call *call_at(const struct trampoline_search *x, stk_id callee)
{
	const struct u64_slot *slot = u64_map_get(&x->call_of, stk_parent(x->st, callee));
	return slot ? &x->call[slot->n] : NULL;
}

static void find_callees(struct trampoline_search *x)
{
	struct stk_pass all = stk_pass(x->st);
	x->callee = xcalloc(x->nstks + 1u, sizeof *x->callee);
	for (stk_id s = 1; s < x->nstks; s++) {
		stk_id up = stk_at(&all, s).parent;
		if (!up || stk_parent(x->st, up)) {
			x->callee[s] = x->callee[up];
		} else if (is_call(x->st, up, s)) {
			const struct call *c = call_at(x, s);
			x->callee[s] = c && (c->several || c->handed) ? s : 0;
		}
	}
	for (size_t i = 0; i < x->ncall; i++)
		x->call[i] = (struct call){.handed = x->call[i].handed};
}

/* ---- goroutines */

static void note_callee(struct trampoline_search *x, trk_id g, stk_id stack)
{
	stk_id at = stack < x->nstks ? x->callee[stack] : 0, before = x->seen[g];
	if (!at || at == before || store_trk(x->st, g)->kind != TK_G ||
	    store_origin(x->st, store_trk(x->st, g))->start_fun != function_of(x->st, stk_parent(x->st, at)))
		return;
	struct call *c = call_at(x, at);
	str_id callee = function_of(x->st, at);
	x->seen[g] = at;
	c->several |= c->callee && are_different(x->st, c->callee, callee);
	c->callee = callee;
	if (before && are_different(x->st, function_of(x->st, before), callee))
		c->broken = call_at(x, before)->broken = true;
}

/* The stack of a runnable interval is that of its waker; without a waker it is that of a preemption. */
static void walk_sheet(struct trampoline_search *x, const struct sheet *sh)
{
	for (uint32_t row = sh->nother; row < sh->ntrk; row++)
		for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
			stk_id stack = sheet_stack(sh, i);
			unsigned state = sh->state[i] & SHEET_STATE;
			trk_id by = stack && state == TS_READY ? sheet_peer(sh, i) : 0;
			if (stack && state >= TS_READY && by < x->k->n)
				note_callee(x, by ? by : sh->trk[row], stack);
		}
}

/* Return the callee of a goroutine, if a trampoline calls it; else 0. */
static str_id name_of(const struct trampoline_search *x, trk_id g)
{
	const struct call *c = x->seen[g] ? call_at(x, x->seen[g]) : NULL;
	return c && !c->broken && (c->several || c->handed) ? function_of(x->st, x->seen[g]) : 0;
}

static void name_goroutines(struct trampoline_search *x)
{
	const str_id different = UINT32_MAX;
	uint32_t norigins = column_n(&x->st->trk_origins);
	str_id *agreed = xcalloc(norigins + 1u, sizeof *agreed);	/* by origin: the name of those that have one */
	for (trk_id g = 1; g < x->k->n; g++) {
		str_id name = name_of(x, g), *all = &agreed[store_trk(x->st, g)->origin];
		if (name)
			*all = *all && *all != name ? different : name;
	}
	for (trk_id g = 1; g < x->k->n; g++) {
		uint32_t origin = store_trk(x->st, g)->origin;
		str_id name = name_of(x, g);
		if (!name && origin < norigins && agreed[origin] != different &&
		    store_origin(x->st, store_trk(x->st, g))->created)
			name = agreed[origin];
		if (name)
			tracks_set_name(x->k, g, name);
	}
	mem_free(agreed);
}

void trampolines_name(struct tracks *k)
{
	struct trampoline_search x = {.k = k, .st = k->st, .nstks = column_n(&k->st->stks)};
	for (uint32_t i = 1; i < column_n(&k->st->trk_origins); i++)
		note_creator(&x, column_at(&k->st->trk_origins, i));
	if (k->n > 1 && find_calls(&x)) {
		find_callees(&x);
		x.seen = xcalloc(k->n, sizeof *x.seen);
		for (uint32_t i = 0; i < column_n(&k->st->sheets); i++)
			walk_sheet(&x, store_slot(k->st, i)->sheet);
		name_goroutines(&x);
	}
	mem_free(x.seen);
	mem_free(x.callee);
	mem_free(x.call);
	u64_map_free(&x.call_of);
	u64_map_free(&x.creators);
}
