/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Pictures of critical paths: of all operations of samples/ (or of the traces given as arguments), and of windows of
 * goroutines, the rows add up to the path and are in the order of time. Folded rows, also of random pictures, have at most
 * the lines that were asked for, and are all rows in their order.
 */
#include "config.h"
#include "critical/waterfall.h"
#include "base/err.h"
#include "load/load.h"
#include "operations/operations.h"
#include "store/builder.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;
static int64_t rnd(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(seed >> 33) % n;
}

/* The lines of a folded picture are all of its rows, in order; the row that is kept is one of them. */
static bool folds_well(const struct critical_waterfall *w)
{
	struct critical_fold fold[24];
	uint32_t most = 1 + (uint32_t)rnd(24), keep = rnd(2) ? (uint32_t)rnd(w->nrows) : UINT32_MAX, at = 0;
	uint32_t n = critical_waterfall_fold(w, keep, most, fold);
	bool right = n <= most && n > 0, kept = keep == UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		right = right && fold[i].row == at && fold[i].n > 0;
		at += fold[i].n;
		kept = kept || (fold[i].row == keep && fold[i].n == 1);
	}
	return right && (most < 4 || (kept && at == w->nrows)) && (most < w->nrows || n == w->nrows);
}

/* The time of the rows adds up to the path; the first row is all of it; parts and bars are in the order of time. */
static bool is_picture_of(const struct critical_waterfall *w, const struct critical_path *p)
{
	int64_t ns = 0, at = p->t0;
	uint32_t goroutines = 0;
	bool right = w->nrows > 0 && w->nrows <= CRITICAL_ROWS && w->most.ns <= p->t1 - p->t0;
	for (uint32_t r = 0; r < w->nrows; r++) {
		ns += w->row[r].ns;
		goroutines += w->row[r].n;
		for (uint32_t i = 0; i < w->row[r].nparts; i++) {
			const struct critical_part *v = &w->part[w->row[r].part + i];
			right = right && v->t1 >= v->t0 && (!i || v->t0 >= v[-1].t1);
			right = right && (r || v->t0 == at);
			at = r ? at : v->t1;
		}
	}
	right = right && ns == p->t1 - p->t0 && at == p->t1 && w->most.ngoroutines < goroutines;
	for (uint32_t i = 0; i < w->nbars; i++)
		right = right && w->bar[i].row < w->nrows && (!i || w->bar[i].part.t0 >= w->bar[i - 1].part.t0);
	return right;
}

static void check_path(const struct snap *sn, const struct critical_path *p)
{
	struct critical_lines *l = critical_lines_new(sn);
	struct critical_waterfall *w = critical_waterfall_new(l, p);
	struct buf b = {0};
	bool right = is_picture_of(w, p) && critical_lines_total(l) == p->t1 - p->t0;
	for (int i = 0; i < 8; i++)
		right = right && folds_well(w);
	critical_put_most(&b, sn, l, w);
	OK(right && (p->t1 == p->t0 || b.n > 10));
	buf_free(&b);
	critical_waterfall_free(w);
	critical_lines_free(l);
}

static void check_file(const char *path)
{
	struct bytes in;
	struct err e;
	struct arena a = {0};
	struct critical_path p = {0};
	if (input_open(path, &in, &e)) {
		OK(!"the file is read");
		return;
	}
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	(void)gotrace_read(in, &sink, &e);	/* an error is no failure: what was read is checked */
	const struct snap *sn = builder_finish(b);
	struct operations *ops = operations_find(sn, NULL, NULL, &a, NULL);
	const struct critical_walker *w = critical_walker_new(sn, ops, &a, NULL);
	for (uint32_t i = 0; i < ops->n; i += 1 + ops->n / 256) {
		struct operation o = operations_get(ops, i);
		critical_path_walk(w, o.g, o.t0, o.t1, &p);
		check_path(sn, &p);
	}
	for (trk_id t = 1; t < sn->ntrks && sn->t1 > sn->t0; t += 1 + sn->ntrks / 256) {
		if (store_trk(sn->st, t)->kind != TK_G)
			continue;
		critical_path_walk(w, t, sn->t0, sn->t0 + rnd(sn->t1 - sn->t0), &p);
		check_path(sn, &p);
	}
	critical_path_free(&p);
	arena_free(&a);
	builder_free(b);
	input_close(&in);
}

/* Pictures of random rows, of which many are alike. */
static void check_random(void)
{
	static struct critical_row row[400];
	struct critical_waterfall w = {.row = row};
	int bad = 0;
	for (int i = 0; i < 4000; i++) {
		int64_t alike = 1 + rnd(4);
		w.nrows = 1 + (uint32_t)rnd(i % 10 ? 30 : 400);
		for (uint32_t k = 0; k < w.nrows; k++)
			row[k] = (struct critical_row){.n = rnd(9) ? 1 : 5, .ns = rnd(1000), .alike = k > 1 && rnd(alike)};
		bad += !folds_well(&w);
	}
	OK(!bad);
}

/* A queue: what does not fit is folded in the middle of the rows that are alike. */
static void check_queue(void)
{
	struct critical_row row[16] = {{.n = 1}};
	struct critical_waterfall w = {.row = row, .nrows = 16};
	struct critical_fold fold[8];
	for (uint32_t k = 1; k < w.nrows; k++)
		row[k] = (struct critical_row){.n = 1, .ns = 10, .alike = k > 1};
	OK(critical_waterfall_fold(&w, UINT32_MAX, 8, fold) == 8);
	OK(fold[4].row == 4 && fold[4].n == 1 && fold[5].row == 5 && fold[5].n == 9 && fold[5].alike && fold[6].row == 14);
	OK(critical_waterfall_fold(&w, 9, 8, fold) == 8);
	OK(fold[4].row == 8 && fold[5].row == 9 && fold[5].n == 1 && fold[6].row == 10);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"samples/orders.trace", "samples/stock.trace", NULL};
	tap_files(argc, argv, names, check_file);
	check_random();
	check_queue();
	return DONE();
}
