/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Two sides in one store: random profiles of one program that was loaded at different addresses. The difference of each
   stack is the difference of its sums in the two profiles, and the total is that of the profile that pprof would merge. */
#include "config.h"
#include "store/builder.h"
#include "store/check.h"
#include "weighed.h"
#include "pprof/profile.h"
#include "filter/tag_weights.h"
#include "base/text/buf.h"
#include "base/wrap_math.h"
#include "sums.h"
#include "tap.h"

#include <string.h>

enum { FUNS = 6, LOCS = 9, SMPS = 25, DEPTH = 5 };
static const char *const name[FUNS] = {"main", "a.b", "a.c", "b", "c.d", "e"};

/* Add a profile of the program at address `start`. The number of a location decides its functions, in every profile. */
static void add_profile(const struct sink *s, uint64_t start, bool seconds)
{
	fun_id fun[FUNS];
	loc_id loc[LOCS];
	map_id map = s->ops->map(s->self, &(struct sink_map){.id = 1, .start = start, .limit = start + 0x4000,
	    .file = add_str(s, "prog")});
	for (uint32_t i = 0; i < FUNS; i++)
		fun[i] = s->ops->fun(s->self, &(struct sink_fun){.id = i + 1, .name = add_str(s, name[i]),
		    .file = add_str(s, i % 2 ? "m.go" : "n.go"), .line = i});
	for (uint32_t i = 0; i < LOCS; i++) {
		struct sink_line line[2] = {{fun[i % FUNS], i, 0}, {fun[(i + 1) % FUNS], i + 1, 0}};
		loc[i] = s->ops->loc(s->self, &(struct sink_loc){.id = LOCS - i, .addr = start + 16 * i, .map = map,
		    .line = line, .nline = 1 + i % 2});
	}
	s->profile->type(s->self, add_str(s, "n"), add_str(s, "count"));
	s->profile->type(s->self, add_str(s, "cpu"), add_str(s, seconds ? "microseconds" : "nanoseconds"));
	for (uint32_t i = 0; i < SMPS; i++) {
		loc_id stack[DEPTH];
		size_t n = 1 + rnd(DEPTH);
		for (size_t k = 0; k < n; k++)
			stack[k] = loc[rnd(3) + 3 * (uint32_t)(k % 3)];
		struct sink_label l = {.key = add_str(s, "k"), .str = add_str(s, rnd(2) ? "x" : "y")};
		int64_t v[2] = {1 + rnd(3), rnd(90)};
		s->profile->sample(s->self, &(struct sink_sample){.stack = s->ops->stack(s->self, stack, n), .value = v,
		    .label = &l, .nlabel = rnd(2), .when = TIME_NONE});
	}
}

static struct profile *make(uint64_t start, bool seconds)
{
	struct profile *p = profile_new();
	struct sink s = profile_sink(p);
	add_profile(&s, start, seconds);
	return p;
}

/* ---- sums by stack */

static void of_model(const struct profile *p, int64_t times, struct sums *out)
{
	struct buf b = {0};
	struct stack_path path = {0};
	for (size_t i = 0; i < p->nsample; i++) {
		buf_reset(&b);
		stack_path_move(&path, &p->tree, p->stack[p->sample[i].stack]);
		for (size_t k = 0; k < path.n; k++) {
			const struct profile_location *l = &p->loc[profile_frame(p, path.node[k])];
			for (uint32_t j = l->nline; j--;)
				buf_printf(&b, "%s;", profile_string(p, p->fun[p->line[l->line + j].fun].name));
		}
		sums_add(out, buf_str(&b), times * profile_value(p, i)[1]);
	}
	buf_free(&b);
	mem_free(path.node);
}

static void put_function(const struct weighted_tree *c, uint32_t symbol, struct buf *b)
{
	buf_printf(b, "%s;", store_str(c->st, c->symbol[symbol].name)->s);
}

static void check(const struct snap *sn, struct sides d, const struct sums *shown, const struct sums *other)
{
	struct sums s = {0}, o = {0};
	struct filters none = {0};
	struct compiled_filters *fc = filter_compile(&none, NULL);
	struct weighted_tree *c = weigh(sn, GR_ADDRESSES, &none, false, &(struct weigh_source){.type = 1, .sides = &d});
	sums_of_tree(c, false, put_function, &s);
	sums_of_tree(c, true, put_function, &o);
	OK(sums_same(&s, shown));
	OK(sums_same(&o, other));
	/* weights by tag have the same totals */
	struct tags *t = tag_weights_new(sn, fc, 1, false, &d);
	OK(t->total == c->total && t->other == c->ototal);
	for (uint32_t k = 0; k < t->nkey; k++) {
		int64_t sum = 0;
		for (uint32_t i = t->key[k].first; i < t->key[k].first + t->key[k].n; i++)
			sum += t->value[i].weight;
		OK(sum == t->key[k].weight);	/* each sample has one value of a key here */
	}
	tag_weights_free(t);
	sums_free(&s);
	sums_free(&o);
	filter_free(fc);
	weighted_free(c);
}

/* Return the sum of the absolute values of A - B in one merged profile, as pprof makes it. */
static int64_t merged_whole(uint64_t sa, uint64_t sb)
{
	uint64_t keep = seed;
	seed = sa;
	struct profile *p = make(0x10000, false);
	seed = sb;
	struct profile *q = make(0x70000, false), *both[2] = {p, q}, *sum;
	double minus[2] = {-1, -1};
	pprof_scale(q, minus);
	OK(!pprof_merge(both, 2, &sum, NULL));
	int64_t whole = 0;
	for (size_t i = 0; i < sum->nsample; i++)
		whole += wrap_abs(profile_value(sum, i)[1]);
	profile_free(sum);
	seed = keep;
	return whole;
}

static void one(bool seconds)
{
	struct err e;
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	uint64_t sa = seed;
	struct profile *p = make(0x10000, false);
	uint64_t sb = seed;
	struct profile *q = make(0x70000, seconds);
	int64_t times = seconds ? 1000 : 1;
	pprof_to_sink(p, &sink);
	const struct snap *sn = builder_finish(b);
	uint32_t frames = sn->nfrms, stacks = sn->nstks;

	builder_reopen(b);
	OK(!pprof_add_side(p, sn, &sink, 1, &e));
	sn = builder_publish_reopened(b);
	OK(sn->nfrms == frames && sn->nstks == stacks);	/* a profile that is added again has no new frames or stacks */
	builder_reopen(b);
	OK(!pprof_add_side(q, sn, &sink, 2, &e));
	sn = builder_publish_reopened(b);
	OK(sn->nfrms == frames);	/* its frames are known, although their addresses differ */
	OK(!store_check(sn, &e));

	struct sums x = {0}, y = {0}, d = {0}, m = {0};
	of_model(p, 1, &x);
	of_model(q, times, &y);
	of_model(p, 1, &d);
	of_model(q, -times, &d);
	of_model(p, -1, &m);
	of_model(q, times, &m);
	check(sn, (struct sides){1, 4, SHOW_DELTA, 0, 0}, &d, &y);
	check(sn, (struct sides){2, 4, SHOW_DELTA, 0, 0}, &d, &y);
	check(sn, (struct sides){4, 1, SHOW_DELTA, 0, 0}, &m, &x);
	check(sn, (struct sides){1, 4, SHOW_A, 0, 0}, &x, &y);
	check(sn, (struct sides){1, 4, SHOW_B, 0, 0}, &y, &x);
	struct sides two = {1, 4, SHOW_DELTA, 0, 0};
	if (!seconds)
		OK(sides_whole(sn, 1, &two) == merged_whole(sa, sb));
	double ratio = sides_ratio(sn, 0, 1, 2);
	OK(ratio == 1);
	sums_free(&x);
	sums_free(&y);
	sums_free(&d);
	sums_free(&m);
	profile_free(p);
	profile_free(q);
	builder_free(b);
}

int main(void)
{
	for (int i = 0; i < 60; i++)
		one(i % 3 == 2);
	return DONE();
}
