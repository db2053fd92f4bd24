/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Flame graphs of another tree than that of the calls: folded, turned round, or looked at from one thing.
 *
 * What is folded is what is left of a shape (shape.c) when nodes become part of others above them. The other trees are
 * grown (grow.c) in one pass over the nodes, wherever those lie (nodes.h). What is known
 * of the nodes above one is kept by depth, not by node: of those there may be millions.
 */
#include "config.h"
#include "analysis/flame_in.h"

#include "analysis/grow.h"
#include "base/mem.h"
#include "base/wrap.h"

/* Frames of one row are not walked further from the leaves below this share of the whole. */
enum { REVERSE_PART = 20000 };

/* A node of the tree becomes part of one of the new tree. */
static void add_node(struct grow *g, uint32_t to, const struct nodes *t, uint32_t i)
{
	struct calls_sum own = nodes_own(t, i);
	if (own.hits)
		grow_weigh(g, to, own.w, own.o);
	g->how[to] |= t->how[i] & (CT_INL | CT_NOTINL);
}

static bool folds(const struct calls *c, uint32_t parent, uint32_t thing)
{
	enum pkg_kind p = c->thing[parent].kind, k = c->thing[thing].kind;
	return parent && (k == PKG_RUNTIME || k == PKG_STD) && (p == PKG_RUNTIME || p == PKG_STD);
}

/* Nodes that become part of one further up, as they come; then by the node that they become part of. */
struct aways { uint32_t *node, *to; uint32_t n; size_t cnode, cto; };

static void add_away(struct aways *v, uint32_t node, uint32_t to)
{
	v->node = mem_grow(v->node, &v->cnode, v->n + 1u, sizeof *v->node);
	v->to = mem_grow(v->to, &v->cto, v->n + 1u, sizeof *v->to);
	v->node[v->n] = node;
	v->to[v->n++] = to;
}

static struct shape_folds sort_aways(struct aways *v, uint32_t nodes)
{
	struct shape_folds f = {.at = xcalloc(rank_blocks(nodes), sizeof *f.at)};
	for (uint32_t i = 0; i < v->n; i++)
		rank_set(f.at, v->to[i]);
	uint32_t n = rank_seal(f.at, nodes);
	f.first = xcalloc(n + 2u, sizeof *f.first);
	f.node = xmalloc((v->n + 1u) * sizeof *f.node);
	for (uint32_t i = 0; i < v->n; i++)
		f.first[rank_of(f.at, v->to[i]) + 2]++;
	for (uint32_t i = 1; i < n + 2; i++)
		f.first[i] += f.first[i - 1];
	for (uint32_t i = 0; i < v->n; i++)
		f.node[f.first[rank_of(f.at, v->to[i]) + 1]++] = v->node[i];
	mem_free(v->node);
	mem_free(v->to);
	return f;
}

/* Fold recursion and runtime: every node stays, or becomes part of one above it that stays. */
struct open { uint32_t end, thing, to, before; };	/* before: what on[] was */

static struct shape_folds find_folds(const struct nodes *t, const struct flame_conf *f, uint8_t *hit)
{
	struct open *open = NULL;
	struct aways aways = {0};
	size_t cap = 0, depth = 0;
	uint32_t *on = xcalloc(t->c->nthing, sizeof *on);	/* the node that stays, by thing */
	for (uint32_t i = 0; i < t->n && flame_wanted(f, i); i++) {
		if (!nodes_count(t, i)) {
			i = nodes_next(t, i) - 1;
			continue;
		}
		for (; depth && open[depth - 1].end <= i; depth--)
			on[open[depth - 1].thing] = open[depth - 1].before;
		uint32_t k = t->thing[i], p = depth ? open[depth - 1].to : 0, to = i;
		if (i && f->fold_runtime && folds(t->c, t->thing[p], k))
			to = p;
		else if (i && f->fold_recursion && on[k])
			to = on[k];
		hit[i] = to == i ? LEFT_HIT : to == p ? LEFT_GONE : LEFT_AWAY;
		if (hit[i] == LEFT_AWAY)
			add_away(&aways, i, to);
		open = mem_grow(open, &cap, depth + 1, sizeof *open);
		open[depth++] = (struct open){nodes_next(t, i), k, to, on[k]};
		on[k] = to;
	}
	mem_free(on);
	mem_free(open);
	return sort_aways(&aways, t->n);
}

struct shape *flame_fold(const struct nodes *t, const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	uint8_t *hit = xcalloc(t->n, 1);
	struct shape_folds folds = find_folds(t, f, hit);
	folds.on = &f->on;
	struct shape *s = shape_left(t->s, hit, t->w.ends, t->w.n, &folds);
	void *all[] = {hit, folds.at, folds.first, folds.node};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	*w = left_sums(s, t->s, &t->w, a);
	return s;
}

/* Paths from nodes to the root, merged from their lower ends. A group is a node of the new tree
   with the steps that went into it; groups too light to be seen at any zoom worth its name are not
   walked on: their weight stays with them. Who climbs no more gives way to those after him, so
   what is known of each moves down in its place; not what he weighs, which is asked for by his number. */
struct climb { uint32_t at, who; };
struct climbers { struct climb *v; int64_t *w, *o; size_t n, cap; };	/* o: NULL, or of the other side */

static void add_climber(struct climbers *c, uint32_t at, int64_t w, int64_t o, bool two)
{
	if (c->n == c->cap) {
		size_t cap = c->cap;
		c->v = mem_grow(c->v, &cap, c->n + 1, sizeof *c->v);
		c->w = xrealloc(c->w, cap * sizeof *c->w);
		if (two)
			c->o = xrealloc(c->o, cap * sizeof *c->o);
		c->cap = cap;
	}
	c->v[c->n] = (struct climb){at, (uint32_t)c->n};
	c->w[c->n] = w;
	if (two)
		c->o[c->n] = o;
	c->n++;
}

static void climb(struct grow *g, const struct nodes *t, struct climbers *c, int64_t least, const struct flame_conf *f)
{
	uint32_t *node_of = xcalloc(c->n + 1, sizeof *node_of);	/* of the new tree: where each has come to */
	int64_t *mass = NULL;
	size_t massn = 0, n = c->n;
	while (n && goes_on(&f->on)) {
		uint32_t before = g->n;
		for (size_t i = 0; i < n; i++) {
			node_of[i] = grow_child(g, node_of[i], t->thing[c->v[i].at]);
			g->how[node_of[i]] |= t->how[c->v[i].at] & (CT_INL | CT_NOTINL);
		}
		mass = mem_grow(mass, &massn, (size_t)(g->n - before) + 1, sizeof *mass);
		for (uint32_t k = 0; k < g->n - before; k++)
			mass[k] = 0;
		for (size_t i = 0; i < n; i++) {
			uint32_t who = c->v[i].who;
			mass[node_of[i] - before] = wrap_add(mass[node_of[i] - before],
			    wrap_add(wrap_abs(c->w[who]), c->o ? wrap_abs(c->o[who]) : 0));
		}
		size_t m = 0;
		for (size_t i = 0; i < n; i++) {
			struct climb up = {nodes_parent(t, c->v[i].at), c->v[i].who};
			if (!up.at || mass[node_of[i] - before] < least) {
				grow_weigh(g, node_of[i], c->w[up.who], c->o ? c->o[up.who] : 0);
				continue;
			}
			c->v[m] = up;
			node_of[m++] = node_of[i];
		}
		n = m;
	}
	void *all[] = {mass, node_of, c->v, c->w, c->o};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
}

struct shape *flame_turn(const struct nodes *t, const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	struct grow g;
	struct climbers c = {0};
	int64_t all = 0;
	grow_init(&g, t->c->two);
	for (uint32_t i = 1; i < t->n && flame_wanted(f, i); i++) {
		struct calls_sum own = nodes_own(t, i);
		if (!own.w && !own.o)
			continue;
		add_climber(&c, i, own.w, own.o, g.two);
		all = wrap_add(all, wrap_add(wrap_abs(own.w), wrap_abs(own.o)));
	}
	climb(&g, t, &c, all / REVERSE_PART, f);
	return grow_finish(&g, t->s->things, w, a);
}

/* From one thing: the topmost nodes of it count, what recurs below is among the callees. */
struct shape *flame_pivot(const struct nodes *t, const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	struct grow g;
	struct climbers c = {0};
	grow_init(&g, t->c->two);
	uint32_t me = f->up ? 0 : grow_child(&g, 0, f->pivot);
	uint32_t *to = xcalloc(t->n, sizeof *to);	/* few of its pages are used */
	for (uint32_t i = 1; (i = nodes_seek(t->thing, i, t->n, f->pivot)) < t->n; ) {
		struct calls_sum sum = nodes_sum(t, i);
		uint32_t end = nodes_next(t, i), top = i;
		if (sum.hits && f->up)
			add_climber(&c, top, sum.w, sum.o, g.two);
		for (to[i] = me; !f->up && i < end; i++) {
			if (!nodes_count(t, i)) {
				i = nodes_next(t, i) - 1;
				continue;
			}
			if (i > top)
				to[i] = grow_child(&g, to[nodes_parent(t, i)], t->thing[i]);
			add_node(&g, to[i], t, i);
		}
		i = end;
	}
	mem_free(to);
	if (f->up)
		climb(&g, t, &c, 0, f);
	return grow_finish(&g, t->s->things, w, a);
}
