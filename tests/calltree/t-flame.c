/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Call trees as panes show them, against the samples: random trees with recursion go through weighted.c, callers.c and
 * flame.c, and every number must be what a walk over the stack of each sample counts.
 */
#include "config.h"
#include "calltree/callers.h"
#include "calltree/flame.h"
#include "store/builder.h"
#include "weighed.h"
#include "base/wrap_math.h"
#include "store/store.h"
#include "tap.h"

#include <string.h>

enum { FUNS = 14, SAMPLES = 300, DEPTH = 24 };

struct world {
	struct store_builder *b;
	const struct snap *sn;
	int64_t total;
	uint32_t nsample, fun[SAMPLES][DEPTH], depth[SAMPLES];	/* root first */
	int64_t value[SAMPLES];
};

static loc_id locs[FUNS][3];

static void make_locs(struct sink *k)
{
	for (uint32_t f = 0; f < FUNS; f++) {
		char name[32];
		int n = snprintf(name, sizeof name,
		    f % 4 == 3	 ? "runtime.f%u"
		    : f % 4 == 2 ? "main.(*T).f%u"
				 : "x.org/p/q.f%u",
		    f);
		str_id s = k->ops->str(k->self, name, (size_t)n),
		       file = k->ops->str(k->self, "q.go", 4);
		fun_id fun = k->ops->fun(k->self,
		    &(struct sink_fun){
			.id = f + 1, .name = s, .sysname = s, .file = file, .line = 10 * f});
		for (uint32_t l = 0; l < 3; l++) {
			struct sink_line line = {fun, 10 * f + l + 1, 0};
			locs[f][l] = k->ops->loc(k->self, &(struct sink_loc){.id = f * 3 + l + 1,
							      .addr = 4096 + f * 64 + l * 8,
							      .line = &line,
							      .nline = 1});
		}
	}
}

static void grow_by(int64_t *sum, int64_t v)
{
	*sum = wrap_add(*sum, v);
}

enum values { POSITIVE, SIGNED, EXTREME };

static struct world *world_new(enum values values)
{
	struct world *o = xcalloc(1, sizeof *o);
	o->b = builder_new();
	struct sink k = builder_sink(o->b);
	make_locs(&k);
	k.profile->type(k.self, k.ops->str(k.self, "cpu", 3), k.ops->str(k.self, "nanoseconds", 11));
	o->nsample = 1 + rnd(SAMPLES);
	for (uint32_t i = 0; i < o->nsample; i++) {
		loc_id at[DEPTH];
		uint32_t n = 1 + rnd(DEPTH), live = 1 + rnd(FUNS);
		o->depth[i] = n;
		for (uint32_t d = 0; d < n; d++) {
			o->fun[i][d] = d == 0 ? 0 : rnd(live);
			at[n - 1 - d] = locs[o->fun[i][d]][rnd(3)];
		}
		o->value[i] = rnd(5) ? 1 + rnd(1000) : 1;
		if (values == SIGNED && !rnd(3))
			o->value[i] = -o->value[i];
		if (values == EXTREME && rnd(3))
			o->value[i] = rnd(2) ? INT64_MIN : INT64_MAX - rnd(3);
		stk_id stk = k.ops->stack(k.self, at, n);
		k.profile->sample(k.self,
		    &(struct sink_sample){.stack = stk, .value = &o->value[i], .when = TIME_NONE});
	}
	o->sn = builder_finish(o->b);
	for (uint32_t i = 0; i < o->nsample; i++)
		grow_by(&o->total, o->value[i]);
	return o;
}

static void world_free(struct world *o)
{
	builder_free(o->b);
	mem_free(o);
}

static struct weighted_tree *calls_by(const struct world *o, enum gran gran)
{
	return weigh(o->sn, gran, &(struct filters){0}, false, &(struct weigh_source){.type = 0});
}

/* Return the number of a symbol's function: the digits at the end of its name. */
static uint32_t fun_of(const struct weighted_tree *c, uint32_t symbol)
{
	struct str_row s = weighted_symbol(c, symbol);
	uint32_t n = s.n, v = 0, p = 1;
	while (n && s.s[n - 1] >= '0' && s.s[n - 1] <= '9')
		v += (uint32_t)(s.s[--n] - '0') * p, p *= 10;
	return v;
}

static void weights_of_symbols(const struct world *o, const struct weighted_tree *c)
{
	int64_t all = 0;
	for (uint32_t t = 1; t < c->nsymbol; t++) {
		uint32_t f = fun_of(c, t);
		int64_t flat = 0, cum = 0;
		for (uint32_t i = 0; i < o->nsample; i++) {
			bool on = false;
			for (uint32_t d = 0; d < o->depth[i]; d++)
				on |= o->fun[i][d] == f;
			cum += on ? o->value[i] : 0;
			flat += o->fun[i][o->depth[i] - 1] == f ? o->value[i] : 0;
		}
		OK(c->weight[t].flat == flat);
		OK(c->weight[t].cum == cum);
		all += flat;
	}
	OK(all == c->total);
}

/* Return the weight of the calls from a to b; a stack that has several of them counts once. */
static int64_t edge_weight(const struct world *o, uint32_t a, uint32_t b)
{
	int64_t w = 0;
	for (uint32_t i = 0; i < o->nsample; i++) {
		bool on = false;
		for (uint32_t d = 1; d < o->depth[i]; d++)
			on |= o->fun[i][d - 1] == a && o->fun[i][d] == b;
		w += on ? o->value[i] : 0;
	}
	return w;
}

static void edges(const struct world *o, const struct weighted_tree *c, bool negative)
{
	struct arena a = {0};
	struct link *l;
	for (uint32_t t = 1; t < c->nsymbol; t++) {
		uint32_t n = calltree_callers(c, t, &a, &l);
		for (uint32_t i = 0; i < n; i++) {
			OK(l[i].value == edge_weight(o, fun_of(c, l[i].symbol), fun_of(c, t)));
			OK(l[i].symbol != t && (!i || wrap_size(l[i - 1].value) >= wrap_size(l[i].value)));
			struct link *far;
			int64_t sum = 0;
			uint32_t m = calltree_callers_next(c, &l[i], &a, &far);
			for (uint32_t k = 0; k < m; k++)
				sum += far[k].value;
			OK(negative || sum <= l[i].value);
		}
		n = calltree_callees(c, t, &a, &l);
		for (uint32_t i = 0; i < n; i++)
			OK(l[i].value == edge_weight(o, fun_of(c, t), fun_of(c, l[i].symbol)));
	}
	arena_free(&a);
}

/* Opening all nodes gives a place to each node with weight: inside its parent, beside its siblings. */
static void layout(const struct flame *f, int64_t total)
{
	int64_t sum = 0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < f->open->n; i++) {
		uint32_t k, n = flame_kids(f, i, &k);
		int64_t at = f->open->at[i].off;
		sum += flame_own(f, i).w;
		for (; n; n--, k++) {
			OK(f->open->at[k].up == i && f->open->at[k].off == at && flame_below(f, k, i));
			OK(nodes_parent(&f->t, f->open->at[k].node) == f->open->at[i].last);
			at += f->open->at[k].wid;
		}
		OK(at <= f->open->at[i].off + f->open->at[i].wid);	/* the rest is the node's own weight */
	}
	for (uint32_t i = 0; i < f->t.n; i++) {
		if (!nodes_has_weight(&f->t, i))
			continue;
		const struct flame_place *p = &f->open->at[flame_place_of(f, i)];
		OK(p->node <= i && i <= p->last);
		count += p->node == i;
	}
	OK(count == f->open->n);
	OK(sum == total && flame_sum(f, 0).w == total);
}

struct canvas {
	const struct flame *f;
	struct flame_viewport l;
	uint32_t cell[64][400];	/* place + 1; UINT32_MAX: a sliver */
	uint32_t spans;
};

static void put(void *arg, const struct flame_span *s)
{
	struct canvas *c = arg;
	double cell = (double)c->f->open->at[c->l.zoom].wid / c->l.cols;
	OK(s->row >= 0 && s->row < c->l.rows && s->x0 >= 0 && s->x1 <= c->l.cols && s->x0 < s->x1);
	if (s->sliver > 0)
		OK(s->x1 == s->x0 + 1 && s->sliver <= 1);
	else
		OK((s->x1 - s->x0) * cell < (double)c->f->open->at[s->place].wid + cell * 1.001);
	for (int x = s->x0; x < s->x1; x++) {
		OK(!c->cell[s->row][x]);	/* no other span has this cell */
		c->cell[s->row][x] = s->sliver > 0 ? UINT32_MAX : s->place + 1;
		if (s->row && !s->sliver)	/* inside its parent */
			OK(c->cell[s->row - 1][x] == c->f->open->at[s->place].up + 1);
	}
	c->spans++;
}

static void view(const struct flame *f)
{
	static struct canvas c;
	memset(&c, 0, sizeof c);
	c.f = f;
	c.l = (struct flame_viewport){rnd(4) ? 0 : rnd(f->open->n), 1 + (int)rnd(300), 1 + (int)rnd(40), 0};
	if (f->open->at[c.l.zoom].wid <= 0)
		return;
	flame_each(f, &c.l, put, &c);
	OK(c.spans >= 1 && c.spans <= (uint32_t)(c.l.cols * c.l.rows));
	/* the rows after skipped ones are the same */
	uint32_t all[64][400];
	memcpy(all, c.cell, sizeof all);
	int rows = c.l.rows, skip = (int)rnd((uint32_t)rows);
	memset(c.cell, 0, sizeof c.cell);
	c.l.skip = skip;
	c.l.rows = rows - skip;
	flame_each(f, &c.l, put, &c);
	for (int y = 0; y + skip < rows; y++)
		OK(!memcmp(c.cell[y], all[y + skip], sizeof all[0]));
}

static void hits(const struct world *o, const struct flame *f, const struct weighted_tree *c)
{
	uint8_t *hit = xcalloc(c->nsymbol, 1);
	bool is[FUNS] = {false};
	for (uint32_t t = 1; t < c->nsymbol; t++)
		hit[t] = !rnd(4), is[fun_of(c, t)] = hit[t];
	int64_t w, want = 0;
	uint32_t *before = xmalloc(flame_blocks(&f->t) * sizeof *before);
	flame_hits(&f->t, hit, &w, before);
	mem_free(before);
	for (uint32_t i = 0; i < o->nsample; i++) {
		bool on = false;
		for (uint32_t d = 0; d < o->depth[i]; d++)
			on |= is[o->fun[i][d]];
		want += on ? o->value[i] : 0;
	}
	OK(w == want);
	mem_free(hit);
}

/* A place stands for frames of one symbol without other children, and its own weight is what its children leave. */
static void folded(const struct flame *f, const struct flame_conf *conf)
{
	for (uint32_t p = 1; p < f->open->n; p++) {
		const struct flame_place at = f->open->at[p];
		uint32_t k, n, rows = 1;
		int64_t w = flame_own(f, p).w;
		for (uint32_t i = at.last; i != at.node; i = nodes_parent(&f->t, i), rows++) {
			OK(nodes_symbol(&f->t, i) == nodes_symbol(&f->t, at.node));
			OK(flame_place_of(f, i) == p);
		}
		OK(rows == at.rows && (rows == 1 || (conf->fold_equal && !conf->pivot)));
		n = flame_kids(f, p, &k);
		OK(!conf->fold_equal || conf->pivot || n != 1 || flame_symbol_of(f, k) != flame_symbol_of(f, p));
		for (; n; n--, k++)
			w += flame_sum(f, k).w;
		OK(w == flame_sum(f, p).w);
	}
}

static void flames(const struct world *o, const struct weighted_tree *c)
{
	for (int i = 0; i < 12; i++) {
		struct flame_conf conf = {.order = (enum order)rnd(3),
		    .reverse = rnd(2),
		    .fold_recursion = rnd(2),
		    .fold_equal = rnd(2),
		    .fold_runtime = rnd(2)};
		if (!rnd(3))
			conf.pivot = 1 + rnd(c->nsymbol - 1), conf.up = rnd(2);
		struct flame *f = flame_new(c, &conf);
		layout(f, conf.pivot ? c->weight[conf.pivot].cum : c->total);
		view(f);
		if (!conf.pivot && !conf.reverse && !conf.fold_runtime && !conf.fold_recursion)
			hits(o, f, c);
		uint32_t at = rnd(f->open->n);
		uint64_t id = f->open->at[at].id;
		OK(!at || flame_find(f, id) == at);
		struct flame *anew = flame_new(c, &conf);	/* no node of it is open yet */
		at = flame_find(anew, id);
		OK(id == 1 || anew->open->at[at].id == id);
		flame_free(anew);
		folded(f, &conf);
		if (conf.fold_recursion && !conf.reverse && !conf.pivot)
			for (uint32_t k = 1; k < f->t.n; k++)
				for (uint32_t p = nodes_parent(&f->t, k); p; p = nodes_parent(&f->t, p))
					OK(nodes_symbol(&f->t, p) != nodes_symbol(&f->t, k));
		flame_free(f);
	}
}

/* Values at the limits of their type: sums are those of 64 bits, without undefined behaviour (sanitizers check this). */
static void extremes(void)
{
	struct world *o = world_new(EXTREME);
	struct weighted_tree *c = calls_by(o, GR_FUNCTIONS);
	for (uint32_t i = 0; i < 24; i++) {
		struct flame_conf conf = {.reverse = i % 2, .fold_recursion = i / 2 % 2, .fold_runtime = i / 4 % 2};
		if (i / 8)
			conf.pivot = 1 + i % (c->nsymbol - 1), conf.up = i / 8 == 2;
		struct flame *f = flame_new(c, &conf);
		int64_t sum = 0;
		for (uint32_t k = 0; k < f->t.n; k++)
			grow_by(&sum, nodes_own(&f->t, k).w);
		OK(sum == flame_sum(f, 0).w && sum == (conf.pivot ? c->weight[conf.pivot].cum : o->total));
		flame_free(f);
	}
	struct arena a = {0};
	for (uint32_t k = 1; k < c->nsymbol; k++)
		for (int up = 0; up < 2; up++) {
			struct link *l;
			uint32_t n = up ? calltree_callers(c, k, &a, &l) : calltree_callees(c, k, &a, &l);
			for (uint32_t i = 0; i < n; i++) {
				int64_t sum = 0;
				for (uint32_t s = 0; s < l[i].nstep; s++)
					grow_by(&sum, l[i].call_step[s].w);
				OK(sum == l[i].value);
			}
		}
	arena_free(&a);
	weighted_free(c);
	world_free(o);
}

/* A reversed flame graph follows a stack of 1/20,000 of the total to its root, but no smaller one. */
static void least(void)
{
	for (int64_t v = 1; v <= 2; v++) {
		struct store_builder *b = builder_new();
		struct sink k = builder_sink(b);
		make_locs(&k);
		k.profile->type(k.self, k.ops->str(k.self, "cpu", 3), k.ops->str(k.self, "nanoseconds", 11));
		loc_id heavy[2] = {locs[1][0], locs[0][0]}, light[2] = {locs[4][0], locs[0][0]};
		int64_t most = 40000 - v;
		k.profile->sample(k.self,
		    &(struct sink_sample){.stack = k.ops->stack(k.self, heavy, 2), .value = &most, .when = TIME_NONE});
		k.profile->sample(k.self,
		    &(struct sink_sample){.stack = k.ops->stack(k.self, light, 2), .value = &v, .when = TIME_NONE});
		const struct snap *sn = builder_finish(b);
		struct weighted_tree *c = weigh(sn, GR_FUNCTIONS, &(struct filters){0}, false,
		    &(struct weigh_source){.type = 0});
		struct flame *f = flame_new(c, &(struct flame_conf){.reverse = true});
		OK(f->t.n == (v == 2 ? 5 : 4));
		flame_free(f);
		weighted_free(c);
		builder_free(b);
	}
}

int main(void)
{
	least();
	for (seed = 1; seed < 2000; seed += 97) {
		uint64_t s = seed;
		bool negative = s % 5 == 0;
		struct world *o = world_new(negative ? SIGNED : POSITIVE);
		struct weighted_tree *c = calls_by(o, GR_FUNCTIONS);
		weights_of_symbols(o, c);
		edges(o, c, negative);
		flames(o, c);
		weighted_free(c);
		for (int g = GR_FILEFUNCTIONS; g <= GR_ADDRESSES; g++) {
			c = calls_by(o, (enum gran)g);
			int64_t flat = 0;
			for (uint32_t t = 0; t < c->nsymbol; t++)
				flat += c->weight[t].flat;
			struct nodes all = nodes_of(c);
			OK(flat == o->total && nodes_sum(&all, 0).w == o->total);
			OK(g != GR_FILES || c->nsymbol == 2);
			weighted_free(c);
		}
		world_free(o);
		extremes();
		seed = s;
	}
	return DONE();
}
