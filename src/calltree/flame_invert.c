/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Flame graphs of another tree than that of the calls: turned round, or from one thing up.
 *
 * These trees are grown (calltree/builder.c) in one pass over the nodes, wherever those lie (node_walk.h), past those that were taken
 * away: no tree without them is made for it. What is known
 * of the nodes above one is kept by depth, not by node: of those there may be millions.
 */
#include "config.h"
#include "calltree/flame_internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/builder.h"

/* Frames of one row are not walked further from the leaves below this share of the whole. */
enum { REVERSE_PART = 20000 };

/* Paths from nodes to the root, merged from their lower ends. A group is a node of the new tree
   with the steps that went into it; groups too light to be seen at any zoom worth its name are not
   walked on: their weight stays with them. Who climbs no more gives way to those after him, so
   what is known of each moves down in its place; not what he weighs, nor where he has come to, which is asked for by his
   number. Where that is the number of an end of the tree, the tree says what he weighs. */
struct climb { uint32_t at, who; };
struct climbers {
	struct climb *v;
	size_t n, cap;
	const struct end_sums *of;	/* or, by number, */
	int64_t *w, *o;			/* o: NULL, or of the other side */
};

static struct weighted_sum climber_sum(const struct climbers *c, uint32_t who)
{
	return c->of ? sums_between(c->of, who, who + 1)
	    : (struct weighted_sum){1, c->w[who], c->o ? c->o[who] : 0};
}

static void add_climber(struct climbers *c, uint32_t at, struct weighted_sum v, bool two)
{
	size_t cap = c->cap;
	c->v = mem_grow(c->v, &cap, c->n + 1, sizeof *c->v);
	if (cap != c->cap) {
		c->w = xrealloc(c->w, cap * sizeof *c->w);
		c->o = two ? xrealloc(c->o, cap * sizeof *c->o) : NULL;
	}
	c->cap = cap;
	c->v[c->n] = (struct climb){at, (uint32_t)c->n};
	c->w[c->n] = v.w;
	if (two)
		c->o[c->n] = v.o;
	c->n++;
}

/* Those of numbers below n climb; what they weigh is the new tree's then. */
static void climb(struct calltree_builder *g, const struct nodes *t, struct climbers *c, uint32_t numbers,
    int64_t least, const struct flame_conf *f)
{
	uint32_t *node_of = xcalloc(c->n + 1, sizeof *node_of);	/* of the new tree: where each has come to */
	uint32_t *last = xcalloc(numbers + 1u, sizeof *last);	/* by number: where he climbs no more */
	int64_t *mass = NULL;
	size_t massn = 0, n = c->n;
	while (n && job_should_continue(&f->on)) {
		uint32_t before = g->n;
		for (size_t i = 0; i < n; i++) {
			node_of[i] = calltree_build_child(g, node_of[i], nodes_symbol(t, c->v[i].at));
			g->how[node_of[i]] |= nodes_how(t, c->v[i].at) & (CT_INL | CT_NOTINL);
		}
		mass = mem_grow(mass, &massn, (size_t)(g->n - before) + 1, sizeof *mass);
		for (uint32_t k = 0; k < g->n - before; k++)
			mass[k] = 0;
		for (size_t i = 0; i < n; i++) {
			struct weighted_sum v = climber_sum(c, c->v[i].who);
			mass[node_of[i] - before] = wrap_add(mass[node_of[i] - before],
			    wrap_add(wrap_abs(v.w), wrap_abs(v.o)));
		}
		size_t m = 0;
		for (size_t i = 0; i < n; i++) {
			struct climb up = {nodes_nearest_seen(t, nodes_parent(t, c->v[i].at)), c->v[i].who};
			if (!up.at || mass[node_of[i] - before] < least) {
				last[up.who] = node_of[i];
				continue;
			}
			c->v[m] = up;
			node_of[m++] = node_of[i];
		}
		n = m;
	}
	mem_free(mass);
	mem_free(node_of);
	mem_free(c->v);
	calltree_build_weights(g, last, c->of, c->w, c->o, numbers);
}

struct calltree *flame_inverted(const struct nodes *t, const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	struct calltree_builder g;
	struct climbers c = {.v = xmalloc((t->w.n + 1u) * sizeof *c.v), .of = &t->w};
	int64_t all = 0;
	uint32_t k = 0;
	calltree_build_init(&g, t->c->two);
	for (size_t b = 0; b < rank_blocks(t->n) && flame_wanted(f, (uint32_t)b); b++)
		for (uint64_t bits = t->w.ends[b].bits; bits; bits &= bits - 1, k++) {
			uint32_t i = nodes_nearest_seen(t, (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits));
			struct weighted_sum own = climber_sum(&c, k);
			if (!i || (!own.w && !own.o))
				continue;
			c.v[c.n++] = (struct climb){i, k};
			all = wrap_add(all, wrap_add(wrap_abs(own.w), wrap_abs(own.o)));
		}
	climb(&g, t, &c, t->w.n, all / REVERSE_PART, f);
	return calltree_build_finish(&g, t->s->granularity, w, a);
}

struct calltree *flame_callers(const struct nodes *t, const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	struct calltree_builder g;
	struct climbers c = {0};
	calltree_build_init(&g, t->c->two);
	for (uint32_t i = 1; (i = nodes_seek(t->what, i, t->n, f->pivot)) < t->n;) {
		struct weighted_sum sum = nodes_sum(t, i);
		if (nodes_is_hidden(t, i)) {
			i++;
			continue;
		}
		if (sum.hits)
			add_climber(&c, i, sum, g.two);
		i = nodes_next(t, i);
	}
	climb(&g, t, &c, (uint32_t)c.n, 0, f);
	return calltree_build_finish(&g, t->s->granularity, w, a);
}
