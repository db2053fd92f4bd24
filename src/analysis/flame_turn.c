/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Flame graphs of another tree than that of the calls: folded, turned round, or looked at from one thing.
 *
 * Each makes its tree by growing it (grow.c) in one pass over the nodes, wherever those lie (nodes.h). What is known
 * of the nodes above one is kept by depth, not by node: of those there may be millions.
 */
#include "config.h"
#include "analysis/flame_in.h"

#include "base/mem.h"
#include "base/wrap.h"

/* Frames of one row are not walked further from the leaves below this share of the whole. */
enum { REVERSE_PART = 20000 };

static void weigh(struct grow *g, uint32_t node, int64_t flat, int64_t other)
{
	g->flat[node] = wrap_add(g->flat[node], flat);
	if (g->two)
		g->oflat[node] = wrap_add(g->oflat[node], other);
}

/* A node of the tree becomes part of one of the new tree. */
static void add_node(struct grow *g, uint32_t to, const struct nodes *t, uint32_t i)
{
	struct calls_sum own = nodes_own(t, i);
	weigh(g, to, own.w, own.o);
	g->how[to] |= t->how[i] & (CT_INL | CT_NOTINL);
}

static bool folds(const struct calls *c, uint32_t parent, uint32_t thing)
{
	enum pkg_kind p = c->thing[parent].kind, k = c->thing[thing].kind;
	return parent && (k == PKG_RUNTIME || k == PKG_STD) && (p == PKG_RUNTIME || p == PKG_STD);
}

/* Fold recursion and runtime: every node goes to a node of the new tree. */
struct open { uint32_t end, thing, to, before; };	/* before: what on[] was */

struct ctree flame_fold(const struct nodes *t, const struct flame_conf *f, struct arena *a)
{
	struct grow g;
	struct open *open = NULL;
	size_t cap = 0, depth = 0;
	uint32_t *on = xcalloc(t->c->nthing, sizeof *on);	/* node of the new tree, by thing */
	grow_init(&g, t->c->two);
	for (uint32_t i = 0; i < t->n && flame_wanted(f, i); i++) {
		if (!nodes_count(t, i)) {
			i = nodes_next(t, i) - 1;
			continue;
		}
		for (; depth && open[depth - 1].end <= i; depth--)
			on[open[depth - 1].thing] = open[depth - 1].before;
		uint32_t k = t->thing[i], to = 0, p = depth ? open[depth - 1].to : 0;
		if (i && f->fold_runtime && folds(t->c, g.thing[p], k))
			to = p;
		else if (i && f->fold_recursion && on[k])
			to = on[k];
		else if (i)
			to = grow_child(&g, p, k);
		open = mem_grow(open, &cap, depth + 1, sizeof *open);
		open[depth++] = (struct open){nodes_next(t, i), k, to, on[k]};
		on[k] = to;
		add_node(&g, to, t, i);
	}
	mem_free(on);
	mem_free(open);
	return grow_finish(&g, a);
}

/* Paths from nodes to the root, merged from their lower ends. A group is a node of the new tree
   with the steps that went into it; groups too light to be seen at any zoom worth its name are not
   walked on: their weight stays with them. */
struct climb { uint32_t at; int64_t w, o; };

static void climb(struct grow *g, const struct nodes *t, struct climb *v, size_t n, int64_t least,
    const struct flame_conf *f)
{
	struct climb *next = xmalloc((n + 1) * sizeof *next);
	uint32_t *node_of = xmalloc((n + 1) * sizeof *node_of),
		 *back = xmalloc((n + 1) * sizeof *back);
	int64_t *mass = NULL;
	size_t massn = 0;
	for (size_t i = 0; i < n; i++)
		back[i] = 0;
	while (n && goes_on(&f->on)) {
		uint32_t before = g->n;
		for (size_t i = 0; i < n; i++) {
			node_of[i] = grow_child(g, back[i], t->thing[v[i].at]);
			g->how[node_of[i]] |= t->how[v[i].at] & (CT_INL | CT_NOTINL);
		}
		mass = mem_grow(mass, &massn, (size_t)(g->n - before) + 1, sizeof *mass);
		for (uint32_t k = 0; k < g->n - before; k++)
			mass[k] = 0;
		for (size_t i = 0; i < n; i++)
			mass[node_of[i] - before] = wrap_add(mass[node_of[i] - before],
			    wrap_add(wrap_abs(v[i].w), wrap_abs(v[i].o)));
		size_t m = 0;
		for (size_t i = 0; i < n; i++) {
			uint32_t p = nodes_parent(t, v[i].at);
			if (!p || mass[node_of[i] - before] < least) {
				weigh(g, node_of[i], v[i].w, v[i].o);
				continue;
			}
			next[m] = (struct climb){p, v[i].w, v[i].o};
			back[m++] = node_of[i];
		}
		struct climb *swap = v;
		v = next;
		next = swap;
		n = m;
	}
	mem_free(mass);
	mem_free(node_of);
	mem_free(back);
	mem_free(v);
	mem_free(next);
}

struct ctree flame_turn(const struct nodes *t, const struct flame_conf *f, struct arena *a)
{
	struct grow g;
	struct climb *v = NULL;
	size_t n = 0, cap = 0;
	int64_t all = 0;
	grow_init(&g, t->c->two);
	for (uint32_t i = 1; i < t->n && flame_wanted(f, i); i++) {
		struct calls_sum own = nodes_own(t, i);
		if (!own.w && !own.o)
			continue;
		v = mem_grow(v, &cap, n + 1, sizeof *v);
		v[n++] = (struct climb){i, own.w, own.o};
		all = wrap_add(all, wrap_add(wrap_abs(own.w), wrap_abs(own.o)));
	}
	climb(&g, t, v, n, all / REVERSE_PART, f);
	return grow_finish(&g, a);
}

/* From one thing: the topmost nodes of it count, what recurs below is among the callees. */
struct ctree flame_pivot(const struct nodes *t, const struct flame_conf *f, struct arena *a)
{
	struct grow g;
	struct climb *v = NULL;
	size_t n = 0, cap = 0;
	grow_init(&g, t->c->two);
	uint32_t me = f->up ? 0 : grow_child(&g, 0, f->pivot);
	uint32_t *to = xcalloc(t->n, sizeof *to);	/* few of its pages are used */
	for (uint32_t i = 1; (i = nodes_seek(t->thing, i, t->n, f->pivot)) < t->n; ) {
		struct calls_sum sum = nodes_sum(t, i);
		uint32_t end = nodes_next(t, i), top = i;
		if (sum.hits && f->up) {
			v = mem_grow(v, &cap, n + 1, sizeof *v);
			v[n++] = (struct climb){top, sum.w, sum.o};
		}
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
		climb(&g, t, v, n, 0, f);
	return grow_finish(&g, a);
}
