/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds the waits at which loops wait for work. One pass over the sheets counts for each goroutine how often it waited
 * at each stack, and how often it woke another goroutine there. The stacks at which it did so more than once show its
 * loop: the loop is in the innermost function that is common to all of them. The idle wait is a wait in that function
 * itself, or in library functions that it called, to which the goroutine came back at least ROUNDS times. A wait in a function of the user that the loop calls is a
 * part of the work: a worker whose jobs are always ready never waits for one, and only the waits of its jobs recur.
 *
 * If several waits qualify, a wait for work of any kind (select) comes before others, a timer comes last, and of equal
 * ones the topmost in the source is taken: it is in the head of the loop. Waits for a mutex, a wait group or room in a
 * channel are never for work, and waits within user tasks are parts of these.
 *
 * Stacks include the function at which the goroutine started. So what one goroutine shows holds for its siblings, which
 * may have made fewer rounds, and a bit per stack is the result.
 *
 * The table has an entry per goroutine and stack. When it is full, entries of goroutines that have ended and made too
 * few rounds are dropped, so that a million short goroutines do not stay in it.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/bsearch.h"
#include "trace/longest_wait.h"
#include "trace/user_code.h"

#include <stdlib.h>

enum { ROUNDS = 8, RECURS = 2, FIRST_ENTRIES = 1 << 12 };

/* How a goroutine used a stack; waits + wakes is 0 in a free slot of the table. */
struct stack_use { trk_id g; stk_id stack; uint32_t waits, wakes; uint8_t state; };
struct use_table { struct stack_use *v; uint32_t n, size; };

struct idle_pass {
	const struct snap *sn;
	const struct task_work *tasks;
	struct use_table table;
	uint8_t *idle;
};

/* ---- the table */

static uint32_t slot_of(const struct use_table *t, trk_id g, stk_id stack)
{
	uint64_t hash = ((uint64_t)g << 32 | stack) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(hash >> 32) & (t->size - 1);
	while (t->v[i].g && (t->v[i].g != g || t->v[i].stack != stack))
		i = (i + 1) & (t->size - 1);
	return i;
}

/* Can the goroutine no longer come back to a stack after the time t? */
static bool is_over(const struct snap *sn, const struct stack_use *u, int64_t t)
{
	int64_t end = store_t1(sn->st, store_trk(sn->st, u->g));
	return u->waits < ROUNDS && u->wakes < ROUNDS && end != TIME_NONE && end < t;
}

/* Move the entries that are still needed at time t to a table of another size, at most half full. */
static void table_rebuild(struct use_table *t, const struct snap *sn, int64_t at)
{
	struct use_table had = *t;
	uint32_t keep = 0;
	for (uint32_t i = 0; i < had.size; i++)
		keep += had.v[i].g && !is_over(sn, &had.v[i], at);
	*t = (struct use_table){.size = FIRST_ENTRIES};
	while (t->size / 2 < keep + 1)
		t->size *= 2;
	t->v = xcalloc(t->size, sizeof *t->v);
	for (uint32_t i = 0; i < had.size; i++)
		if (had.v[i].g && !is_over(sn, &had.v[i], at)) {
			t->v[slot_of(t, had.v[i].g, had.v[i].stack)] = had.v[i];
			t->n++;
		}
	mem_free(had.v);
}

static struct stack_use *use_of(struct idle_pass *p, trk_id g, stk_id stack, int64_t now)
{
	struct use_table *t = &p->table;
	if (t->n >= t->size / 4 * 3)
		table_rebuild(t, p->sn, now);
	struct stack_use *u = &t->v[slot_of(t, g, stack)];
	if (!u->g) {
		*u = (struct stack_use){.g = g, .stack = stack};
		t->n++;
	}
	return u;
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

static void count_waits(struct idle_pass *p, const struct sheet *sh, uint32_t row)
{
	trk_id g = sh->trk[row];
	uint32_t first = sh->first[row], end = sh->first[row + 1], at = range_after(p->tasks, g, sh->t0);
	for (uint32_t i = first; i < end; i++) {
		enum tstate s = (enum tstate)(sh->state[i] & SHEET_STATE);
		stk_id stack = state_is_wait(s) ? sheet_stack(sh, i) : 0;
		if (!stack || (i == first ? sh->state[i] & SHEET_CONT : sheet_continues(sh->state[i - 1], sh->state[i])))
			continue;
		int64_t t = sh->t0 + sheet_start(sh, i);
		if (is_in_task(p->tasks, &at, g, t))
			continue;
		struct stack_use *u = use_of(p, g, stack, sh->t0);
		u->waits++;
		u->state = (uint8_t)s;
	}
}

static void count_wakes(struct idle_pass *p, const struct sheet *sh)
{
	for (uint32_t k = 0; k < sh->nedge; k++) {
		uint32_t i = sh->edge[k] & ~EDGE_CREATED;
		trk_id g = sheet_peer(sh, i);
		stk_id stack = sheet_stack(sh, i);
		if (g && stack && g < p->sn->ntrks)
			use_of(p, g, stack, sh->t0)->wakes++;
	}
}

/* Return false if stopped. */
static bool count_uses(struct idle_pass *p, const struct progress_watcher *on)
{
	for (uint32_t s = 0; s < p->sn->nsheets; s++) {
		if (on && !watcher_report(on, s, p->sn->nsheets))
			return false;
		const struct sheet *sh = sheet_get(p->sn, s);
		for (uint32_t row = sh->nother; row < sh->ntrk; row++)
			if (sh->trk[row] < p->sn->ntrks)
				count_waits(p, sh, row);
		count_wakes(p, sh);
		sheet_put(p->sn, s);
	}
	return true;
}

/* ---- the choice */

static uint32_t depth_of(const struct store *st, stk_id s)
{
	uint32_t n = 0;
	for (; s; s = stk_parent(st, s))
		n++;
	return n;
}

static stk_id ancestor(const struct store *st, stk_id s, uint32_t up)
{
	for (; up; up--)
		s = stk_parent(st, s);
	return s;
}

/* Return how many of the outermost frames of two stacks are of the same functions. */
static uint32_t common_functions(const struct store *st, stk_id a, stk_id b)
{
	uint32_t da = depth_of(st, a), db = depth_of(st, b), n = da < db ? da : db, same = n;
	a = ancestor(st, a, da - n);
	b = ancestor(st, b, db - n);
	for (uint32_t depth = n; a != b; depth--) {
		if (store_frm(st, stk_frame(st, a))->fun != store_frm(st, stk_frame(st, b))->fun)
			same = depth - 1;
		a = stk_parent(st, a);
		b = stk_parent(st, b);
	}
	return same;
}

/* Return the order in which reasons for waits are taken for waits for work; 0: they never are. */
static int rank_of_state(enum tstate s)
{
	switch (s) {
	case TS_SELECT:
	case TS_CHANRECV:
	case TS_COND:
	case TS_NET: return 2;
	case TS_SLEEP: return 1;
	default: return 0;
	}
}

/* Does this use come before another one as the idle wait? */
static bool is_better(const struct store *st, const struct stack_use *u, const struct stack_use *than)
{
	int a = rank_of_state((enum tstate)u->state), b = rank_of_state((enum tstate)than->state);
	int64_t x = store_frm(st, stk_frame(st, user_code_site(st, u->stack)))->line,
		y = store_frm(st, stk_frame(st, user_code_site(st, than->stack)))->line;
	return a != b ? a > b : x < y;
}

/* Choose the idle wait among the n uses of one goroutine, and mark it. */
static void choose(struct idle_pass *p, const struct stack_use *u, uint32_t n)
{
	const struct store *st = p->sn->st;
	const struct stack_use *best = NULL;
	uint32_t loop = depth_of(st, u[0].stack);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t same = common_functions(st, u[0].stack, u[i].stack);
		loop = same < loop ? same : loop;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (u[i].waits < ROUNDS || !rank_of_state((enum tstate)u[i].state) ||
		    depth_of(st, user_code_first_frame(st, u[i].stack)) > loop)
			continue;
		if (!best || is_better(st, &u[i], best))
			best = &u[i];
	}
	if (best)
		p->idle[best->stack >> 3] |= (uint8_t)(1u << (best->stack & 7));
}

static int use_cmp(const void *a, const void *b)
{
	const struct stack_use *x = a, *y = b;
	if (x->g != y->g)
		return x->g < y->g ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Move the uses that recur to the start of the table, by goroutine. Return their number. */
static uint32_t sort_recurring(struct use_table *t)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->size; i++)
		if (t->v[i].g && t->v[i].waits + t->v[i].wakes >= RECURS)
			t->v[n++] = t->v[i];
	if (n)
		qsort(t->v, n, sizeof *t->v, use_cmp);
	return n;
}

uint8_t *idle_waits_find(const struct snap *sn, const struct task_work *tasks, struct arena *mem,
    const struct progress_watcher *on)
{
	struct idle_pass p = {.sn = sn, .tasks = tasks, .idle = arena_zalloc(mem, sn->nstks / 8 + 1u)};
	p.table = (struct use_table){.v = xcalloc(FIRST_ENTRIES, sizeof *p.table.v), .size = FIRST_ENTRIES};
	bool done = count_uses(&p, on);
	uint32_t n = done ? sort_recurring(&p.table) : 0;
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && p.table.v[k].g == p.table.v[i].g;)
			k++;
		choose(&p, p.table.v + i, k - i);
	}
	mem_free(p.table.v);
	return done ? p.idle : NULL;
}
