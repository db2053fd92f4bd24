/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stacks that are sorted in runs and merged: whatever the runs are, the call tree is the one that the stacks make one by
 * one, each sample has its stack, and the store can take stacks of both kinds afterwards.
 */
#include "config.h"
#include "load/pprof/stack_merge.h"

#include "base/err.h"
#include "base/mem/mem.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { STACKS = 600, DEPTH = 12, LOCS = 300 };

static uint64_t seed = 1;

static uint32_t rnd(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((seed >> 33) % below);
}

struct example {
	loc_id loc[STACKS * DEPTH], most;
	struct stack_merge_ref stack[STACKS];
	uint32_t n;
};

/* Make stacks that share their outer frames: some are equal, some are a part of another, some are empty. */
static void make_stacks(struct example *x, uint32_t locs)
{
	size_t at = 0;
	x->n = rnd(STACKS);
	x->most = locs;
	for (uint32_t i = 0; i < x->n; i++) {
		struct stack_merge_ref s = {at, rnd(DEPTH)}, from = i ? x->stack[rnd(i)] : s;
		uint32_t same = i ? rnd(from.n + 1) : 0;
		same = same < s.n ? same : s.n;
		for (uint32_t k = 0; k < s.n; k++)
			x->loc[at + s.n - 1 - k] = k < same ? x->loc[from.loc + from.n - 1 - k] : 1 + rnd(locs);
		x->stack[i] = s;
		at += s.n;
	}
}

static struct store_builder *new_store(struct sink *s)
{
	struct store_builder *b = builder_new();
	*s = builder_sink(b);
	str_id name = s->ops->str(s->self, "f", 1);
	fun_id f = s->ops->fun(s->self, &(struct sink_fun){.id = 1, .name = name});
	for (uint64_t i = 1; i <= LOCS; i++) {	/* every third location has an inlined call */
		struct sink_line line[2] = {{f, (int64_t)i, 0}, {f, (int64_t)i + 1, 0}};
		s->ops->loc(s->self, &(struct sink_loc){.id = i, .addr = i, .line = line, .nline = 1 + (i % 3 == 0)});
	}
	s->profile->type(s->self, name, name);
	return b;
}

static void add_samples(const struct example *x, struct sink *s, bool one_by_one)
{
	int64_t v = 1;
	for (uint32_t i = 0; i < x->n; i++) {
		stk_id stk = one_by_one ? s->ops->stack(s->self, x->loc + x->stack[i].loc, x->stack[i].n) : STK_LATER;
		s->profile->sample(s->self, &(struct sink_sample){.stack = stk, .value = &v, .when = TIME_NONE});
	}
}

static void add_in_runs(const struct example *x, struct sink *s, uint32_t per)
{
	struct stack_merge_scratch room = {0};
	struct stack_merge_run run[STACKS + 1];
	stk_id of[STACKS];
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->n; i += per)
		run[n++] = stack_merge_sort(&room, x->loc, x->stack + i, x->n - i < per ? x->n - i : per, x->most);
	if (n)
		stack_merge_all(run, n, s, 0, NULL, of);
	s->profile->resolve_stacks(s->self, of, x->n);
	stack_merge_scratch_free(&room);
}

/* Return whether the path from a node to the root has exactly the frames of a stack. */
static bool is_stack(const struct store *st, stk_id at, const loc_id *leaf_first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct loc_row *l = store_loc(st, leaf_first[i]);
		for (uint32_t k = 0; k < l->nline; k++) {
			struct stk_row r = {stk_parent(st, at), stk_frame(st, at)};
			if (!at || r.frame != l->first + k)
				return false;
			at = r.parent;
		}
	}
	return !at;
}

static void check(const struct example *x, const struct snap *sn, uint32_t samples)
{
	struct err e;
	uint32_t wrong = 0;
	OK(sn->nsmps == samples);
	bool holds = !store_check(sn, &e);
	OK(holds || (fprintf(stderr, "%s\n", e.msg), false));
	for (uint32_t i = 0; i < samples; i++) {
		struct stack_merge_ref w = x->stack[i % x->n];
		wrong += !is_stack(sn->st, store_smp(sn->st, i)->stack, x->loc + w.loc, w.n);
	}
	OK(!wrong);
}

static void one_example(uint32_t locs, uint32_t per)
{
	static struct example x;
	struct sink a, b;
	struct store_builder *ba = new_store(&a), *bb = new_store(&b);
	make_stacks(&x, locs);
	add_samples(&x, &a, true);
	add_samples(&x, &b, false);
	b.ops->upto(b.self, TIME_NONE, 1);
	OK(builder_snap(bb)->nsmps == 0);
	add_in_runs(&x, &b, per);
	const struct snap *sa = builder_finish(ba);
	uint32_t n = sa->nstks;
	check(&x, sa, x.n);
	add_samples(&x, &b, true);	/* the same stacks one by one: no node is new */
	add_samples(&x, &b, false);	/* and in runs, into a store that has nodes */
	add_in_runs(&x, &b, per + 1);
	const struct snap *sb = builder_finish(bb);
	check(&x, sb, 3 * x.n);
	OK(sb->nstks == n);
	builder_free(ba);
	builder_free(bb);
}

int main(void)
{
	for (uint32_t i = 0; i < 300; i++) {
		setenv("TTRACE_JOBS", i % 2 ? "2" : "1", 1);
		one_example(i % 3 ? 1 + rnd(i % 3 == 1 ? 3 : 20) : LOCS, 1 + rnd(i % 7 ? 100 : STACKS));
	}
	return DONE();
}
