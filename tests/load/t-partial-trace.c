/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A part of a trace that is read alone, without what precedes it, against the whole trace: wherever the part has a
 * state, every P and goroutine is in the same class of states, and in the same state if that began within the part; no
 * interval lies before or after the part. The first hundredth is left out, because events of the previous generation may
 * still be missing there. Arguments name more traces.
 */
#include "config.h"

#include "base/mem/mem.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"
#include "store/tracks/sheet_build.h"
#include "tests/tap.h"
#include "trace/bins.h"

#include <stdlib.h>

enum { MOMENTS = 400, FIRST = 4 };

static struct store_builder *load(struct bytes in, const struct trace_part *part)
{
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	struct err e = {0};
	int rc = part ? gotrace_read_part(in, part, &sink, &e) : gotrace_read(in, &sink, &e);
	const struct snap *sn = builder_finish(b);
	OK(!rc || (fprintf(stderr, "%s\n", e.msg), false));
	bool holds = store_check(sn, &e) == 0;
	OK(holds || (fprintf(stderr, "%s\n", e.msg), false));
	return b;
}

/* Return for each track of the part its track in the whole. */
static trk_id *rows_of(const struct snap *part, const struct snap *all)
{
	trk_id *of = xcalloc(part->ntrks + 1u, sizeof *of);
	for (trk_id i = 1; i < part->ntrks; i++) {
		const struct trk_row *t = store_trk(part->st, i);
		for (trk_id k = 1; k < all->ntrks && !of[i]; k++)
			if (store_trk(all->st, k)->kind == t->kind && store_trk(all->st, k)->id == t->id)
				of[i] = k;
	}
	return of;
}

struct count { uint64_t known, same, exact, wrong; };

static void at_moment(const struct snap *part, const struct snap *all, const trk_id *of, int64_t t, struct count *c)
{
	for (trk_id i = 1; i < part->ntrks; i++) {
		struct trace_interval a, b;
		if (!of[i] || !trace_interval_at(part, i, t, &a) || a.state == TS_NONE)
			continue;
		c->known++;
		bool there = trace_interval_at(all, of[i], t, &b);
		if (!there || sheet_class[a.state] != sheet_class[b.state])
			c->wrong++;
		else if (a.state == b.state)
			c->same++;
		if (a.t0 > part->t0 && there && a.t0 == b.t0 && a.state == b.state)
			c->exact++;
	}
}

static void part_of(struct bytes in, const struct snap *all, int64_t t0, int64_t t1)
{
	struct store_builder *b = load(in, &(struct trace_part){all->trace.first, t0, t1});
	const struct snap *part = builder_snap(b);
	trk_id *of = rows_of(part, all);
	struct count c = {0};
	OK(part->t0 <= (t0 < all->t1 ? t0 : all->t1) && part->t1 <= all->t1);
	OK(part->t1 > t0 || part->t1 == all->t1);
	bool found = true;
	for (trk_id i = 1; i < part->ntrks; i++)
		found &= of[i] != 0;
	OK(found);
	for (int i = FIRST; i < MOMENTS; i++)
		at_moment(part, all, of, part->t0 + (part->t1 - part->t0) / MOMENTS * i, &c);
	if (c.wrong)
		fprintf(stderr, "%lld..%lld: known %llu same %llu exact %llu wrong %llu\n", (long long)part->t0,
		    (long long)part->t1, (unsigned long long)c.known, (unsigned long long)c.same,
		    (unsigned long long)c.exact, (unsigned long long)c.wrong);
	OK(c.known && !c.wrong && c.exact);
	mem_free(of);
	builder_free(b);
}

static void run(const char *file)
{
	struct bytes in;
	struct err e;
	if (input_open(file, &in, &e) || input_gunzip(&in, &e)) {
		OK(0);
		return;
	}
	struct store_builder *b = load(in, NULL);
	const struct snap *all = builder_snap(b);
	for (int i = 0; i <= 4; i++)
		part_of(in, all, all->t1 / 4 * i, all->t1 / 4 * i);
	part_of(in, all, all->t1 / 3, all->t1);
	part_of(in, all, 0, all->t1);
	builder_free(b);
	input_close(&in);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"samples/orders.trace", NULL};
	tap_files(argc, argv, names, run);
	return DONE();
}
