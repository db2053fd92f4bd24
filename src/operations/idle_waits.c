/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds the waits at which loops wait for work. One pass over the sheets counts for each goroutine how often it waited
 * at each stack, and how often it woke another goroutine there. The stacks at which it did so more than once show its
 * loop: the loop is in the innermost function that is common to all of them. The idle wait is one of the waits to which
 * the goroutine came back at least ROUNDS times: first of all one in the loop's own function, or in library functions
 * that this function called. A wait in a function of the user that the loop calls (a queue) may be one too, but only
 * for another goroutine: waits for the network or a timer there are parts of the work, since a worker whose jobs are
 * always ready never waits for one, and only the waits of its jobs recur.
 *
 * If several waits qualify, one for other goroutines comes before the network, a timer comes last, and of equal ones
 * the topmost in the loop is taken: it is in its head. A timer is at its end. Waits for a mutex, a wait group or room
 * in a channel are never for work, and waits within user tasks are parts of these.
 *
 * Stacks include the function at which the goroutine started. So what one goroutine shows holds for its siblings, which
 * may have made fewer rounds, and a bit per stack is the result.
 *
 * A table of all pairs of goroutines and stacks would be larger than the caches, and than the trace. So a goroutine has
 * room for a few stacks, then for some more. If that is full, a stack that was used once is replaced: the wait of a
 * loop comes back before the loop has been at that many others. Goroutines that end without a loop give their room to
 * later ones.
 *
 * What is counted for one goroutine does not depend on others, so threads share the goroutines: each one passes over all
 * sheets and skips the rows of the others. Tracks are dealt out by eight, the number whose bits share a byte.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/bsearch.h"
#include "store/tracks/wake_edges.h"
#include "trace/longest_wait.h"
#include "trace/user_code.h"
#include "trace/wait_before.h"

#include <string.h>

enum { ROUNDS = 8, RECURS = 2, FEW = 4, MANY = 16 };

/* How often a goroutine waited at a stack, and woke another one there. */
struct stack_use { stk_id stack; uint16_t waits, wakes; };

/* Blocks of one size for the uses of goroutines. */
struct use_pool { struct stack_use *v; size_t n, cap; uint32_t *unused; size_t nunused, cunused; };

/* The goroutines of one thread. */
struct idle_part {
	struct idle_pass *all;
	uint32_t part;
	struct use_pool few, many;
	uint8_t *state;			/* by stack: the state of a wait there; of several, see state_that_counts() */
	bool done;
};

enum { PARTS = 16, DEALT = 8 };
struct idle_pass {
	const struct snap *sn;
	const struct task_work *tasks;
	struct goroutine_roles *r;
	const struct progress_watcher *on;
	uint32_t *block;		/* by track: 0: none; twice the number of its block, plus 1; plus 1 if of `many` */
	uint32_t nparts;
	struct idle_part part[PARTS];
	const uint8_t *state;		/* of all parts */
};

static uint32_t part_of(const struct idle_pass *a, trk_id g)
{
	return g / DEALT % a->nparts;
}

/* ---- uses of stacks */

static uint32_t block_new(struct use_pool *p, uint32_t size)
{
	uint32_t b = p->nunused ? p->unused[--p->nunused] : (uint32_t)(p->n++);
	p->v = mem_grow(p->v, &p->cap, p->n * size, sizeof *p->v);
	memset(p->v + (size_t)b * size, 0, size * sizeof *p->v);
	return b;
}

static void block_free(struct use_pool *p, uint32_t b)
{
	p->unused = mem_grow(p->unused, &p->cunused, p->nunused + 1, sizeof *p->unused);
	p->unused[p->nunused++] = b;
}

/* Return the uses of a goroutine, of which the first ones have a stack; *n: how many there can be. NULL: none. */
static struct stack_use *uses_of(const struct idle_part *p, trk_id g, uint32_t *n)
{
	uint32_t b = p->all->block[g] - 1;
	*n = !p->all->block[g] ? 0 : b & 1 ? MANY : FEW;
	return !*n ? NULL : b & 1 ? p->many.v + (size_t)(b >> 1) * MANY : p->few.v + (size_t)(b >> 1) * FEW;
}

/* Give the goroutine its first block, or a larger one. Return its first free use. */
static struct stack_use *uses_grow(struct idle_part *p, trk_id g)
{
	uint32_t *block = &p->all->block[g];
	if (!*block) {
		uint32_t b = block_new(&p->few, FEW);
		*block = (b << 1) + 1;
		return p->few.v + (size_t)b * FEW;
	}
	uint32_t from = (*block - 1) >> 1, b = block_new(&p->many, MANY);
	struct stack_use *to = p->many.v + (size_t)b * MANY;
	memcpy(to, p->few.v + (size_t)from * FEW, FEW * sizeof *to);
	block_free(&p->few, from);
	*block = (b << 1 | 1) + 1;
	return to + FEW;
}

/* Return the use of a stack by a goroutine. NULL: it uses too many stacks, and all of them recur. */
static struct stack_use *use_of(struct idle_part *p, trk_id g, stk_id stack)
{
	uint32_t n, i = 0;
	struct stack_use *v = uses_of(p, g, &n);
	while (i < n && v[i].stack && v[i].stack != stack)
		i++;
	if (n < MANY && i == n) {
		v = uses_grow(p, g);
		i = 0;
	}
	for (; i == MANY && n; n--)	/* replace the last one that was used once */
		if (v[n - 1].waits + v[n - 1].wakes < RECURS) {
			i = n - 1;
			v[i] = (struct stack_use){0};
		}
	if (i == MANY)
		return NULL;
	v[i].stack = stack;
	return &v[i];
}

static void count_up(uint16_t *n)
{
	*n = (uint16_t)(*n + (*n < UINT16_MAX));
}

/* Forget a goroutine that has ended, unless one of its waits recurs. */
static void forget(struct idle_part *p, trk_id g, int64_t t)
{
	const struct store *st = p->all->sn->st;
	uint32_t n, b = p->all->block[g] - 1;
	const struct stack_use *v = uses_of(p, g, &n);
	int64_t end = n ? store_t1(st, store_trk(st, g)) : TIME_NONE;
	if (end == TIME_NONE || end > t)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (v[i].waits >= RECURS)
			return;
	block_free(b & 1 ? &p->many : &p->few, b >> 1);
	p->all->block[g] = 0;
}

/* ---- the pass */

/* Return the first range of the goroutine that ends after t, or the first of a later goroutine. */
static uint32_t range_after(const struct task_work *b, trk_id g, int64_t t)
{
	struct bsearch_probe h = {.hi = b->nbusy};
	while (bsearch_probe(&h)) {
		const struct trace_slice *x = &b->busy[h.at];
		bsearch_narrow(&h, x->trk < g || (x->trk == g && x->t1 <= t));
	}
	return (uint32_t)h.lo;
}

/* Is the time t of the goroutine within a task? *at: a range at or before the one after t, which is advanced. */
static bool is_in_task(const struct task_work *b, uint32_t *at, trk_id g, int64_t t)
{
	while (*at < b->nbusy && b->busy[*at].trk == g && b->busy[*at].t1 <= t)
		++*at;
	return *at < b->nbusy && b->busy[*at].trk == g && b->busy[*at].t0 <= t;
}

/* Return the order in which reasons for waits are taken for waits for work; 0: they never are. */
static int rank_of_state(enum tstate s)
{
	switch (s) {
	case TS_SELECT:
	case TS_CHANRECV:
	case TS_COND: return 3;
	case TS_NET: return 2;
	case TS_SLEEP: return 1;
	default: return 0;
	}
}

/* Return which of two states of waits at one stack counts: the one that is sooner taken for a wait for work. */
static uint8_t state_that_counts(uint8_t a, uint8_t b)
{
	int x = rank_of_state((enum tstate)a), y = rank_of_state((enum tstate)b);
	return x != y ? (x > y ? a : b) : a > b ? a : b;
}

/* A stack shows which server a goroutine is of, and whether user code runs on it. */
static void note_stack(struct goroutine_roles *r, trk_id g, stk_id stack)
{
	const struct server_stack *x = &r->stack[stack];
	if (x->user)
		r->user[g >> 3] |= (uint8_t)(1u << (g & 7));
	if (x->server && !servers_is_life(r->servers, x->server - 1u)) {
		r->role[g] = ROLE_SERVER;
		r->of[g] = x->server - 1u;
	}
}

static void count_waits(struct idle_part *p, const struct sheet *sh, uint32_t row)
{
	const struct idle_pass *a = p->all;
	trk_id g = sh->trk[row];
	uint32_t at = works_for_tasks(a->tasks, g) ? range_after(a->tasks, g, sh->t0) : a->tasks->nbusy;
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
		stk_id stack = state_is_wait(s) ? sheet_stack(sh, i) : 0;
		if (s == TS_FOREVER)
			a->r->forever[g >> 3] |= (uint8_t)(1u << (g & 7));
		if (!stack || stack >= a->sn->nstks || trace_interval_continues(a->sn, sh, row, i) ||
		    is_in_task(a->tasks, &at, g, sh->t0 + sheet_start(sh, i)))
			continue;
		struct stack_use *u = use_of(p, g, stack);
		if (u)
			count_up(&u->waits);
		if (p->state[stack] != s)
			p->state[stack] = state_that_counts(p->state[stack], (uint8_t)s);
		note_stack(a->r, g, stack);
	}
}

/* Count the wakes of a goroutine; *edge: index of its first edge in the sheet, or of a goroutine before it. */
static void count_wakes(struct idle_part *p, const struct sheet *sh, trk_id g, uint32_t *edge)
{
	uint32_t end = wake_edges_of(sh, g, edge);
	for (; *edge < end; ++*edge) {
		stk_id stack = sheet_stack(sh, sh->edge[*edge] & ~EDGE_CREATED);
		if (!stack || stack >= p->all->sn->nstks)
			continue;
		struct stack_use *u = use_of(p, g, stack);
		if (u)
			count_up(&u->wakes);
		note_stack(p->all->r, g, stack);
	}
}

static void count_sheet(struct idle_part *p, const struct sheet *sh)
{
	const struct idle_pass *a = p->all;
	uint32_t edge = 0;
	for (uint32_t row = sh->nother; row < sh->ntrk && sh->trk[row] < a->sn->ntrks; row++) {
		trk_id g = sh->trk[row];
		if (part_of(a, g) != p->part)
			continue;
		count_waits(p, sh, row);
		count_wakes(p, sh, g, &edge);
		if (a->block[g])
			forget(p, g, sh->t1);
	}
}

/* Count on any thread. The first part reports the progress. */
static void count_part(void *pass, uint32_t i)
{
	struct idle_pass *a = pass;
	struct idle_part *p = &a->part[i];
	const struct snap *sn = a->sn;
	*p = (struct idle_part){.all = a, .part = i, .state = xcalloc(sn->nstks + 1u, 1), .done = true};
	for (uint32_t s = 0; s < sn->nsheets && p->done; s++) {
		p->done = !a->on || (i ? job_should_continue(a->on) : watcher_report(a->on, s, sn->nsheets));
		if (p->done)
			count_sheet(p, sheet_get(sn, s));
	}
}

/* Count all. Return false if stopped. */
static bool count_all(struct idle_pass *a)
{
	bool done = true;
	a->nparts = (uint32_t)job_cpus() < PARTS ? (uint32_t)job_cpus() : PARTS;
	job_parallel(a->nparts, count_part, a);
	uint8_t *state = a->part[0].state;
	for (uint32_t i = 0; i < a->nparts; i++) {
		const struct idle_part *p = &a->part[i];
		for (stk_id s = 0; s < a->sn->nstks; s++)
			state[s] = state_that_counts(state[s], p->state[s]);
		done = done && p->done;
	}
	a->state = state;
	return done;
}

/* ---- the choice */

/* Return the number of outermost frames that are common to all stacks that recur. */
static uint32_t loop_depth(const struct store *st, const struct stack_use *u, uint32_t n)
{
	const struct stack_use *first = NULL;
	uint32_t depth = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!u[i].stack || u[i].waits + u[i].wakes < RECURS)
			continue;
		uint32_t same = first ? stacks_common(st, first->stack, u[i].stack) : stacks_depth(st, u[i].stack);
		depth = !first || same < depth ? same : depth;
		first = first ? first : &u[i];
	}
	return depth;
}

/* A wait that may be the idle one. in_loop: no function of the user that the loop called is on the stack; line: in the
   function of the loop. */
struct candidate { stk_id stack; int rank; bool in_loop; int64_t line; };

/* Return what a wait is as a candidate, given the depth of the loop; rank 0: it is none. */
static struct candidate candidate_of(const struct idle_pass *p, stk_id stack, uint32_t loop)
{
	const struct store *st = p->sn->st;
	struct candidate c = {.stack = stack, .rank = rank_of_state((enum tstate)p->state[stack])};
	stk_id user = user_code_first_frame(st, stack), site = user ? user : user_code_site(st, stack);
	uint32_t depth = stacks_depth(st, site), all = stacks_depth(st, stack);
	c.in_loop = !user || depth <= loop;
	/* a select or a channel of a library, in a call of the program, is not one for work of the program */
	if (c.rank == 3 && user && user_code_outside_runtime(st, stack) != user)
		c.rank = 0;
	/* the network and timers are only for work in the loop itself */
	if (c.rank < 3 && !c.in_loop)
		c.rank = 0;
	if (depth > loop && loop)
		site = stacks_ancestor(st, stack, all - loop);
	c.line = store_frm(st, stk_frame(st, site))->line;
	return c;
}

/* Does a candidate come before another one? A timer at the end of a loop sets its pace, other waits are in its head. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->in_loop != b->in_loop)
		return a->in_loop;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (a->line != b->line)
		return a->rank == 1 ? a->line > b->line : a->line < b->line;
	return a->stack < b->stack;
}

/* Mark the idle wait of a goroutine with n uses. */
static void mark_idle(struct idle_pass *p, const struct stack_use *u, uint32_t n)
{
	struct candidate best = {0};
	uint32_t loop = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (u[i].waits < ROUNDS || !rank_of_state((enum tstate)p->state[u[i].stack]))
			continue;
		loop = loop ? loop : loop_depth(p->sn->st, u, n);
		struct candidate c = candidate_of(p, u[i].stack, loop);
		if (c.rank && (!best.rank || is_better(&c, &best)))
			best = c;
	}
	if (best.rank)
		p->r->idle[best.stack >> 3] |= (uint8_t)(1u << (best.stack & 7));
}

/* Give the goroutine the role of a loop, if it came back to an idle wait. */
static void choose_loop(struct idle_pass *p, trk_id g, const struct stack_use *u, uint32_t n)
{
	uint32_t most = RECURS - 1;
	for (uint32_t i = 0; i < n; i++) {
		stk_id s = u[i].stack;
		if (s && u[i].waits > most && p->r->idle[s >> 3] >> (s & 7) & 1 && p->r->stack[s].user) {
			most = u[i].waits;
			p->r->role[g] = ROLE_ROUND;
			p->r->of[g] = s;
		}
	}
}

/* Waits for the next request are idle, however few there are. */
static void mark_servers(struct idle_pass *p)
{
	for (stk_id s = 1; s < p->sn->nstks; s++)
		if (p->r->stack[s].idle && state_is_wait((enum tstate)p->state[s]))
			p->r->idle[s >> 3] |= (uint8_t)(1u << (s & 7));
}

/* Return the uses of a goroutine without a role. */
static const struct stack_use *uses_without_role(const struct idle_pass *p, trk_id g, uint32_t *n)
{
	return p->r->role[g] == ROLE_NONE ? uses_of(&p->part[part_of(p, g)], g, n) : NULL;
}

static void choose_all(struct idle_pass *p)
{
	uint32_t n;
	for (trk_id g = 1; g < p->sn->ntrks; g++) {
		const struct stack_use *u = uses_without_role(p, g, &n);
		if (u)
			mark_idle(p, u, n);
	}
	mark_servers(p);
	for (trk_id g = 1; g < p->sn->ntrks; g++) {
		const struct stack_use *u = uses_without_role(p, g, &n);
		if (u && !works_for_tasks(p->tasks, g))
			choose_loop(p, g, u, n);
	}
}

static void pool_free(struct use_pool *p)
{
	mem_free(p->v);
	mem_free(p->unused);
}

bool idle_waits_find(const struct snap *sn, const struct task_work *tasks, struct goroutine_roles *r, struct arena *mem,
    const struct progress_watcher *on)
{
	struct idle_pass p = {.sn = sn, .tasks = tasks, .r = r, .on = on};
	p.block = xcalloc(sn->ntrks + 1u, sizeof *p.block);
	r->idle = arena_zalloc(mem, sn->nstks / 8 + 1u);
	bool done = count_all(&p);
	if (done)
		choose_all(&p);
	for (uint32_t i = 0; i < p.nparts; i++) {
		pool_free(&p.part[i].few);
		pool_free(&p.part[i].many);
		mem_free(p.part[i].state);
	}
	mem_free(p.block);
	return done;
}
