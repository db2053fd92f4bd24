/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of locks against a count over all pairs of waits, for the whole trace and for parts of it: the number of
 * waits, their time, the longest, the most at one time and the longest convoy. The area of each curve is the time of
 * waiting.
 */
#include "config.h"
#include "base/mem/mem.h"
#include "boards/board.h"
#include "cli/options.h"
#include "session/trace_open.h"
#include "tap.h"
#include "trace/bins.h"
#include "trace/user_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lock_wait { int64_t t0, t1; };	/* clipped */
static struct lock_wait *all;
static uint32_t n;
static size_t cap;
static int64_t longest;

/* Collect the waits for a lock at a line that overlap [from, to). */
static void collect(const struct snap *sn, frm_id at, int64_t from, int64_t to)
{
	n = 0;
	longest = 0;
	for (trk_id g = 1; g < sn->ntrks; g++) {
		struct trace_interval v;
		if (store_trk(sn->st, g)->kind != TK_G || !trace_interval_near(sn, g, sn->t0, 1, &v))
			continue;
		do {
			stk_id site = user_code_site(sn->st, v.stack);
			if (time_class_of(sn->st, v.state, v.stack) != TIME_LOCK || !site ||
			    stk_frame(sn->st, site) != at || v.t1 <= from || v.t0 >= to)
				continue;
			all = mem_grow(all, &cap, n + 1u, sizeof *all);
			all[n++] = (struct lock_wait){v.t0 > from ? v.t0 : from, v.t1 < to ? v.t1 : to};
			longest = v.t1 - v.t0 > longest ? v.t1 - v.t0 : longest;
		} while (trace_interval_step(sn, &v, 1));
	}
}

static int64_t total(void)
{
	int64_t ns = 0;
	for (uint32_t i = 0; i < n; i++)
		ns += all[i].t1 - all[i].t0;
	return ns;
}

/* Return the most waits at one time; this number is reached where one of them starts. */
static int64_t most(void)
{
	int64_t best = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t now = 0;
		for (uint32_t k = 0; k < n; k++)
			now += all[k].t0 <= all[i].t0 && all[k].t1 > all[i].t0;
		best = now > best ? now : best;
	}
	return best;
}

/* Return the longest convoy: from the start of a wait on, follow the waits that are open when another one ends. */
static int64_t convoy(void)
{
	int64_t best = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t end = all[i].t1;
		for (bool more = true; more;) {
			more = false;
			for (uint32_t k = 0; k < n; k++)
				if (all[k].t0 < end && all[k].t1 > end) {
					end = all[k].t1;
					more = true;
				}
		}
		best = end - all[i].t0 > best ? end - all[i].t0 : best;
	}
	return best;
}

static int64_t cell(const struct board_row *r, enum board_column_id col)
{
	return r->cell[col - board_first_column(BOARD_LOCKS)].i;
}

/* Return whether all waits for the lock are at one line: then the row has one part in the list of lines. */
static bool has_one_line(const struct board_row *r)
{
	uint32_t lines = 0;
	for (uint32_t i = 0; i < r->nparts; i++)
		lines += !strcmp(r->part[i].list, "waits");
	return lines == 1;
}

static void check_row(const struct board *b, const struct board_row *r, const struct snap *sn)
{
	double area = 0;
	collect(sn, stk_frame(sn->st, user_code_site(sn->st, r->stack)), b->t0, b->t1);
	OK(cell(r, BOARD_LOCKS_COUNT) == n);
	OK(cell(r, BOARD_LOCKS_TOTAL) == total());
	OK(cell(r, BOARD_LOCKS_MAX) == longest);
	OK(cell(r, BOARD_LOCKS_MOST) == most());
	OK(cell(r, BOARD_LOCKS_CONVOY) == convoy());
	for (int i = 0; i < BOARD_SLOTS; i++)
		area += r->curve[i] * (double)(b->t1 - b->t0) / BOARD_SLOTS;
	OK(area > 0.999 * (double)total() - 1 && area < 1.001 * (double)total() + 1);
}

/* The area of each curve of the greedy board is the delay that is charged. */
static void check_greedy(struct board_measures *m, const struct progress_watcher *on)
{
	struct board *b = board_make(BOARD_GREEDY, m, on);
	for (uint32_t i = 0; i < b->n; i++) {
		int64_t ns = b->v[i].cell[BOARD_GREEDY_DELAY - board_first_column(BOARD_GREEDY)].i;
		double area = 0;
		for (int k = 0; b->v[i].curve && k < BOARD_SLOTS; k++)
			area += b->v[i].curve[k] * (double)(b->t1 - b->t0) / BOARD_SLOTS;
		OK(!b->v[i].curve || (area > 0.999 * (double)ns - 1 && area < 1.001 * (double)ns + 1));
	}
	board_free(b);
}

static uint32_t check_part(const struct snap *sn, int64_t from, int64_t to)
{
	struct arena mem = {0};
	struct trace_filter f = {.from = from, .to = to};
	const struct operations *ops = operations_shared(sn, NULL);
	struct board_source source = {.sn = sn, .filter = &f, .operations = ops,
	    .walker = critical_walker_new(sn, ops, &mem, NULL)};
	const struct progress_watcher on = {0};
	struct board_measures *m = board_measures_new(&source, &on);
	struct board *b = board_make(BOARD_LOCKS, m, &on);
	uint32_t rows = 0;
	for (uint32_t i = 0; i < b->n && rows < 4; i++) {
		OK(!i || cell(&b->v[i], BOARD_LOCKS_TOTAL) <= cell(&b->v[i - 1], BOARD_LOCKS_TOTAL));
		if (!has_one_line(&b->v[i]))
			continue;
		check_row(b, &b->v[i], sn);
		rows++;
	}
	board_free(b);
	check_greedy(m, &on);
	board_measures_free(m);
	arena_free(&mem);
	return rows;
}

static void check_file(const char *name)
{
	char program[] = "ttrace", word[] = "locks";
	struct options o;
	struct err e = {0};
	struct trace t;
	OK(!options_parse(&o, 3, (char *[]){program, word, tap_source(name), NULL}, &e) && !trace_open(&t, &o, NULL, NULL, &e));
	int64_t len = t.sn->t1 - t.sn->t0;
	OK(check_part(t.sn, TIME_NONE, TIME_NONE));
	for (int i = 0; i < 5; i++)
		check_part(t.sn, t.sn->t0 + i * len / 6 + 12345, t.sn->t0 + (i + 2) * len / 7);
	trace_close(&t);
	options_free(&o);
}

int main(void)
{
	check_file("tests/faults/lock-queue.trace.gz");
	check_file("tests/faults/stuck-lock.trace.gz");
	check_file("samples/orders.trace");
	mem_free(all);
	return DONE();
}
