/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of greedy goroutines: what had the Ps while others were runnable. Each moment of a wait for a P is divided
 * evenly among the Ps and charged to what runs on them, as by -type=sched -blame=occupant; here all waits count, and the
 * sums are by the start function of what ran. What is charged to no goroutine are idle Ps: the goroutine was woken late.
 */
#include "config.h"
#include "boards/internal.h"

#include "base/mem/mem.h"
#include "base/u64_map.h"
#include "base/wrap_math.h"
#include "trace/as_profile.h"
#include "trace/user_code.h"

#include <stdlib.h>

/* A run that the scheduler should have interrupted: it asks for that after 10 ms. */
enum { GREEDY_LONG_NS = 20000000 };
enum { GREEDY_RUNS = 4 };	/* long runs that are parts of a row */

/* What is charged to one line of a group. */
struct greedy_line { uint32_t group; stk_id stack; int64_t ns; trk_id g; };	/* g: that was charged last */

/* Goroutines of one start function. */
struct greedy_group {
	str_id name;
	int64_t ns, run, most;		/* most: what is charged to g */
	trk_id g;
	struct board_curve curve;	/* of goroutines that wait, those that are charged to it */
	uint32_t n, nlong;		/* goroutines that are charged; long runs of them */
	struct scan_span longest[GREEDY_RUNS];	/* of the long runs, the longest first */
	uint32_t nlongest;
	struct board_part part[BOARD_PARTS];	/* lines, then long runs */
	uint32_t nparts;
};

struct greedy {
	struct board_maker *k;
	int64_t *ns;			/* what is charged to each goroutine */
	uint32_t *of_name;		/* by start function: index of its group plus 1 */
	stk_id *of_stack;		/* by stack: a stack of the same line, as its index plus 1 */
	struct u64_hash of_line;	/* that stack by line */
	struct u64_hash of_part;	/* indexes of lines by group and such a stack */
	struct greedy_group *v;
	struct greedy_line *line;
	uint32_t n, nline;
	size_t cap, cline;
	int64_t total;
};

static uint32_t group_of(struct greedy *y, trk_id g)
{
	str_id name = store_trk_name(y->k->m->sn->st, g);
	if (!y->of_name[name]) {
		y->v = mem_grow(y->v, &y->cap, y->n + 1u, sizeof *y->v);
		y->v[y->n++] = (struct greedy_group){.name = name, .curve = board_curve_new(y->k)};
		y->of_name[name] = y->n;
	}
	return y->of_name[name] - 1;
}

/* Return a stack that stands for all whose place is on the same line. */
static stk_id stack_of_line(struct greedy *y, stk_id stack)
{
	const struct store *st = y->k->m->sn->st;
	bool first;
	if (y->of_stack[stack])
		return y->of_stack[stack] - 1;
	stk_id site = user_code_site(st, stack);
	const struct frm_row *row = store_frm(st, site ? stk_frame(st, site) : 0);
	struct u64_slot *line = u64_map_put(&y->of_line, (uint64_t)row->fun << 32 | (uint32_t)row->line, &first);
	if (first)
		line->n = stack;
	y->of_stack[stack] = (stk_id)line->n + 1;
	return (stk_id)line->n;
}

/* A run is charged only for its part in the range of the curve. */
static void add_to_curve(struct board_curve *c, const struct charged_stretch *x)
{
	int64_t a = x->t0 > c->t0 ? x->t0 : c->t0, b = x->t1 < c->t1 ? x->t1 : c->t1;
	if (a < b)
		board_curve_add(c, a, b, (double)x->ns / (double)(b - a));
}

/* A part of a run is charged. */
static void charge(void *arg, const struct charged_stretch *x)
{
	struct greedy *y = arg;
	uint32_t group = group_of(y, x->g);
	bool fresh;
	struct greedy_group *v = &y->v[group];
	v->n += !y->ns[x->g];
	wrap_add_to(&v->ns, x->ns);
	wrap_add_to(&y->ns[x->g], x->ns);
	wrap_add_to(&y->total, x->ns);
	add_to_curve(&v->curve, x);
	if (y->ns[x->g] > v->most) {
		v->most = y->ns[x->g];
		v->g = x->g;
	}
	struct u64_slot *slot = u64_map_put(&y->of_part, (uint64_t)group << 32 | stack_of_line(y, x->stack), &fresh);
	if (fresh) {
		slot->n = y->nline;
		y->line = mem_grow(y->line, &y->cline, y->nline + 1u, sizeof *y->line);
		y->line[y->nline++] = (struct greedy_line){.group = group, .stack = (stk_id)slot->key};
	}
	wrap_add_to(&y->line[slot->n].ns, x->ns);
	y->line[slot->n].g = x->g;
}

static void keep_longest(struct greedy_group *v, const struct scan_span *x)
{
	uint32_t i = v->nlongest < GREEDY_RUNS ? v->nlongest++ : GREEDY_RUNS;
	for (; i && v->longest[i - 1].t1 - v->longest[i - 1].t0 < x->t1 - x->t0; i--)
		if (i < GREEDY_RUNS)
			v->longest[i] = v->longest[i - 1];
	if (i < GREEDY_RUNS)
		v->longest[i] = *x;
}

/* Long runs count whether others were runnable or not, so they are only those of groups that are charged. */
static void add_runs(struct greedy *y)
{
	const struct scan *s = &y->k->m->scan;
	for (trk_id g = 1; g < s->sn->ntrks; g++)
		if (y->ns[g])
			wrap_add_to(&y->v[group_of(y, g)].run, scan_run_ns(s, g));
	for (uint32_t i = 0; i < s->runs.n; i++) {
		const struct scan_span *x = &s->runs.v[i];
		if (!y->ns[x->g] || x->t1 - x->t0 < GREEDY_LONG_NS)
			continue;
		struct greedy_group *v = &y->v[group_of(y, x->g)];
		v->nlong++;
		keep_longest(v, x);
	}
}

static int largest_first(const void *a, const void *b)
{
	const struct greedy_line *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->group != y->group ? (x->group < y->group ? -1 : 1) : (x->stack > y->stack) - (x->stack < y->stack);
}

/* The parts of a row: the lines to which most is charged. */
static void add_parts(struct greedy *y)
{
	if (y->nline)
		qsort(y->line, y->nline, sizeof *y->line, largest_first);
	for (uint32_t i = 0; i < y->nline; i++) {
		struct greedy_group *v = &y->v[y->line[i].group];
		if (v->nparts < BOARD_PARTS - GREEDY_RUNS)
			v->part[v->nparts++] = (struct board_part){.list = "charged", .word = "", .ns = y->line[i].ns,
			    .stack = y->line[i].stack, .g = y->line[i].g, .t0 = TIME_NONE, .t1 = TIME_NONE};
	}
	for (uint32_t i = 0; i < y->n; i++)
		for (uint32_t k = 0; k < y->v[i].nlongest; k++) {
			const struct scan_span *x = &y->v[i].longest[k];
			y->v[i].part[y->v[i].nparts++] = (struct board_part){.list = "long run", .word = "", .ns = x->t1 - x->t0,
			    .stack = x->stack, .g = x->g, .t0 = x->t0, .t1 = x->t1};
		}
}

static void put_group(struct greedy *y, const struct greedy_group *v)
{
	const struct board_measures *m = y->k->m;
	const struct str_row *name = store_str(m->sn->st, v->name);
	struct board_row *r = board_add_row(y->k);
	r->trk = v->nlongest ? v->longest[0].g : v->g;
	if (v->nlongest) {
		r->t0 = v->longest[0].t0;
		r->t1 = v->longest[0].t1;
		board_put_int(r, BOARD_GREEDY_LONGEST, r->t1 - r->t0);
	}
	r->group = v->name;
	r->curve = v->curve.slot;
	r->stack = v->part[0].stack;
	board_put_int(r, BOARD_GREEDY_DELAY, v->ns);
	board_put_float(r, BOARD_GREEDY_SHARE, (double)v->ns / (double)y->total);
	board_put_int(r, BOARD_GREEDY_COUNT, v->n);
	if (v->run)
		board_put_int(r, BOARD_GREEDY_RUN, v->run);
	if (m->scan.runs.least <= GREEDY_LONG_NS)	/* else the list has not all of them */
		board_put_int(r, BOARD_GREEDY_LONG, v->nlong);
	if (name->n)
		board_put_text(r, BOARD_GREEDY_GROUP, name->s, name->n);
	board_put_place(r, BOARD_GREEDY_RUNS_AT, r->stack);
	board_put_parts(y->k, r, v->part, v->nparts);
}

static void put_idle(struct greedy *y, int64_t ns)
{
	static const char name[] = "(idle Ps: woken late)";
	struct board_row *r = board_add_row(y->k);
	board_put_int(r, BOARD_GREEDY_DELAY, ns);
	board_put_float(r, BOARD_GREEDY_SHARE, (double)ns / (double)y->total);
	board_put_word(r, BOARD_GREEDY_GROUP, name);
}

void board_greedy(struct board_maker *k)
{
	const struct board_measures *m = k->m;
	struct arena scratch = {0};
	struct greedy y = {.k = k, .ns = arena_zalloc(&scratch, (m->sn->ntrks + 1u) * sizeof *y.ns)};
	y.of_name = arena_zalloc(&scratch, (m->sn->nstrs + 1u) * sizeof *y.of_name);
	y.of_stack = arena_zalloc(&scratch, (m->sn->nstks + 1u) * sizeof *y.of_stack);
	struct trace_filter f = {.from = TIME_NONE, .to = TIME_NONE};
	if (m->filter)
		f = *m->filter;
	f.blame = BLAME_OCCUPANT;
	f.every_wait = true;
	f.each = charge;
	f.arg = &y;
	if (k->on)
		f.on = *k->on;
	const struct trace_weights *w = trace_weigh(m->sn, TRACE_SCHED, &f, &scratch);
	if (job_should_continue(k->on)) {
		int64_t idle = wrap_sub(w->total_ns, y.total);
		wrap_add_to(&y.total, idle);
		add_runs(&y);
		add_parts(&y);
		for (uint32_t i = 0; i < y.n; i++)
			put_group(&y, &y.v[i]);
		if (idle > 0)
			put_idle(&y, idle);
	}
	u64_map_free(&y.of_line);
	u64_map_free(&y.of_part);
	mem_free(y.v);
	mem_free(y.line);
	arena_free(&scratch);
}
