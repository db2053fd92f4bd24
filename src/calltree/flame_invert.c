/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Flame graphs of other trees than the call tree: inverted, or upwards from one symbol.
 *
 * These trees are built (calltree/builder.c) in one pass over the nodes in place (node_walk.h), skipping hidden ones;
 * no tree without the hidden nodes is built first. State about the nodes above a node is kept by depth, not by node,
 * because there may be millions of nodes.
 */
#include "config.h"
#include "calltree/flame_internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/builder.h"

/* Paths that share less than this part of the total are not followed further from the leaves. */
enum { REVERSE_PART = 20000 };

/* Paths from nodes to the root, merged from their lower ends. All climbers move up one node at a time. Those that are
   at the same node of the new tree form a group; a group too light to be visible at a useful zoom stops there and keeps
   its weight. Climbers that continue are compacted to the front of v[] and node_of[]. Weights and final nodes are
   stored by the climber's number and do not move. If the numbers are ends of a tree, the weights are read from
   that tree (`of`). */
struct climb { uint32_t at, peer; };
struct climbers {
	struct climb *v;
	size_t n, cap;
	const struct end_sums *of;	/* NULL, or the weights by number */
	/* The weights by number if `of` is NULL; o: NULL, or those of the other column. */
	int64_t *w, *o;
};

static struct weighted_sum climber_sum(const struct climbers *c, uint32_t peer)
{
	return c->of ? sums_between(c->of, peer, peer + 1)
	    : (struct weighted_sum){1, c->w[peer], c->o ? c->o[peer] : 0};
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

/* Move all climbers to the root and build the new tree. Numbers are less than `numbers`. The builder takes over the
   weights. */
static void climb(struct calltree_builder *g, const struct nodes *t, struct climbers *c, uint32_t numbers,
    int64_t least, const struct flame_conf *f)
{
	uint32_t *node_of = xcalloc(c->n + 1, sizeof *node_of);	/* by position in v[]: the current node of the new
								   tree */
	uint32_t *last = xcalloc(numbers + 1u, sizeof *last);	/* by number: the node where it stopped */
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
			struct weighted_sum v = climber_sum(c, c->v[i].peer);
			mass[node_of[i] - before] = wrap_add(mass[node_of[i] - before],
			    wrap_add(wrap_abs(v.w), wrap_abs(v.o)));
		}
		size_t m = 0;
		for (size_t i = 0; i < n; i++) {
			struct climb up = {nodes_nearest_seen(t, nodes_parent(t, c->v[i].at)), c->v[i].peer};
			if (!up.at || mass[node_of[i] - before] < least) {
				last[up.peer] = node_of[i];
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
