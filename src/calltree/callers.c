/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Callers and callees.
 *
 * A call is a node of the call tree together with the nearest visible node above it. The nodes of a symbol are found by
 * a scan over all nodes (nodes_seek()), so no index has to be built for every query. Their weights are differences of
 * running sums (weighted.c), so no tree of the query is needed. The same call may be in a stack twice (a, b, a, b).
 * Calls are sorted by the other symbol and in preorder; a call nested in one that already counts begins before that one
 * ends, and is left out.
 *
 * Further levels follow the paths of the calls that counted. Each step keeps the weight that passes through it, so a
 * level never adds up to more than the level before.
 */
#include "config.h"
#include "calltree/callers.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/node_walk.h"

#include <string.h>

struct call_edge { uint32_t symbol, node; struct call_step to; bool inl; };
struct call_list { struct call_edge *v; uint32_t n; size_t cap; };

static void add_call(
    struct call_list *l, uint32_t symbol, uint32_t node, struct call_step to, bool inl)
{
	l->v = mem_grow(l->v, &l->cap, (size_t)l->n + 1, sizeof *l->v);
	l->v[l->n++] = (struct call_edge){symbol, node, to, inl};
}


static uint32_t seen_above(const struct weighted_tree *c, uint32_t node)
{
	do
		node = calltree_parent(c->calltree, node);
	while (node && weighted_is_hidden(c, node));
	return node;
}

/* Callers and callees are requested one after the other, and again for every frame on the screen, so the results of the
   last symbol are kept. */
struct callers_cache {
	uint32_t symbol, n;
	struct call_step *node;		/* its visible nodes, with the weight at and below them */
	size_t cap;
	struct arena mem;
	struct { struct link *v; uint32_t n; } up, down;
};

void calltree_drop_callers(struct weighted_tree *c)
{
	if (!c->callers_cache)
		return;
	mem_free(c->callers_cache->node);
	arena_free(&c->callers_cache->mem);
	mem_free(c->callers_cache);
	c->callers_cache = NULL;
}

static void add_node(const struct weighted_tree *c, struct callers_cache *k, uint32_t node)
{
	struct weighted_sum v = weighted_sum_below(c, node);
	if (!v.hits || weighted_is_hidden(c, node))
		return;
	k->node = mem_grow(k->node, &k->cap, (size_t)k->n + 1, sizeof *k->node);
	k->node[k->n++] = (struct call_step){node, v.w, v.o};
}

static void find_nodes(const struct weighted_tree *c, struct callers_cache *k)
{
	const struct calltree *s = c->calltree;
	uint32_t n = c->weight[k->symbol].nseen;
	for (uint32_t i = 1; k->n < n && (i = nodes_seek(s->what, i, s->n, k->symbol)) < s->n; i++)
		add_node(c, k, i);
}

static struct callers_cache *find_calls_of(const struct weighted_tree *callers_cache, uint32_t symbol)
{
	/* only the cache changes, so the tree is logically const */
	struct weighted_tree *c = (struct weighted_tree *)(uintptr_t)callers_cache;
	if (!c->callers_cache)
		c->callers_cache = xcalloc(1, sizeof *c->callers_cache);
	struct callers_cache *k = c->callers_cache;
	if (k->symbol == symbol)
		return k;
	arena_reset(&k->mem);
	k->up.v = k->down.v = NULL;
	k->symbol = symbol;
	k->n = 0;
	find_nodes(c, k);
	return k;
}

static bool is_inlined(const struct weighted_tree *c, uint32_t node)
{
	return (calltree_how(c->calltree, node) & (CT_INL | CT_NOTINL)) == CT_INL;
}

static int cmp_call(const void *ctx, uint32_t a, uint32_t b)
{
	const struct call_edge *x = (const struct call_edge *)ctx + a, *y = (const struct call_edge *)ctx + b;
	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int cmp_link(const void *ctx, uint32_t a, uint32_t b)
{
	const struct link *x = (const struct link *)ctx + a, *y = (const struct link *)ctx + b;
	/* in pprof's order: by absolute value, because a decrease counts as much */
	uint64_t p = wrap_size(x->value), q = wrap_size(y->value);
	if (p != q)
		return p > q ? -1 : 1;
	return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Return the calls in order, and set *things to the number of different symbols. */
static uint32_t *in_order(const struct call_list *l, uint32_t *things)
{
	uint32_t *order = xmalloc(((size_t)l->n + 1) * sizeof *order), n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		order[i] = i;
	calltree_sort_u32(order, l->n, cmp_call, l->v);
	for (uint32_t i = 0; i < l->n; i++)
		n += !i || l->v[order[i]].symbol != l->v[order[i - 1]].symbol;
	*things = n;
	return order;
}

/* Return the links in the arena, heaviest first. Frees v. */
static struct link *heaviest_first(struct link *v, uint32_t n, struct arena *a)
{
	uint32_t *order = xmalloc(((size_t)n + 1) * sizeof *order);
	struct link *sorted = arena_alloc(a, ((size_t)n + 1) * sizeof *sorted);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	calltree_sort_u32(order, n, cmp_link, v);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = v[order[i]];
	mem_free(order);
	mem_free(v);
	return sorted;
}

/* Merge calls to links, by symbol. If t is not NULL, calls nested in one that counts are left out; steps of further
   levels do not need this, because they only carry weight that is left. Frees the list. */
static uint32_t link_up(
    const struct calltree *t, struct call_list *l, struct arena *a, struct link **out)
{
	uint32_t n = 0, things, end = 0, *order = in_order(l, &things);
	struct link *v = xmalloc(((size_t)things + 1) * sizeof *v);
	struct call_step *call_step = arena_alloc(a, ((size_t)l->n + 1) * sizeof *call_step);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct call_edge *c = &l->v[order[i]];
		if (!n || v[n - 1].symbol != c->symbol) {
			v[n++] = (struct link){c->symbol, 0, 0, true, call_step, 0};
			end = 0;
		}
		struct link *k = &v[n - 1];
		k->inl &= c->inl;
		if (t && c->node < end)
			continue;
		end = t ? calltree_next(t, c->node) : 0;
		k->value = wrap_add(k->value, c->to.w);
		k->other = wrap_add(k->other, c->to.o);
		*call_step++ = c->to;
		k->nstep++;
	}
	mem_free(order);
	mem_free(l->v);
	*out = heaviest_first(v, n, a);
	return n;
}

/* Add the nearest visible nodes below a node: the calls it makes. If nearly all nodes are hidden, that visits every
   node; so subtrees of less than LITTLE nodes are entered without asking whether they have weight. */
static void add_below(const struct weighted_tree *c, uint32_t node, uint32_t but, struct call_list *l)
{
	enum { LITTLE = 64 };
	const struct calltree *s = c->calltree;
	for (uint32_t k = node + 1, end = calltree_next(s, node); k < end;) {
		if (weighted_is_hidden(c, k) && calltree_next(s, k) - k < LITTLE) {
			k++;
			continue;
		}
		struct weighted_sum v = weighted_sum_below(c, k);
		if (v.hits && weighted_is_hidden(c, k)) {
			k++;
			continue;
		}
		if (v.hits && calltree_symbol(s, k) != but)
			add_call(l, calltree_symbol(s, k), k, (struct call_step){k, v.w, v.o}, is_inlined(c, k));
		k = calltree_next(s, k);
	}
}

static uint32_t copy_links(const struct link *v, uint32_t n, struct arena *a, struct link **out)
{
	*out = arena_alloc(a, ((size_t)n + 1) * sizeof *v);
	if (n)
		memcpy(*out, v, n * sizeof *v);
	return n;
}

uint32_t calltree_callers(const struct weighted_tree *c, uint32_t symbol, struct arena *a, struct link **out)
{
	const struct calltree *s = c->calltree;
	struct callers_cache *k = find_calls_of(c, symbol);
	struct call_list l = {0};
	for (uint32_t m = 0; m < k->n && !k->up.v; m++) {
		struct call_step v = k->node[m];
		uint32_t i = v.at, p = seen_above(c, i);
		if (p && calltree_symbol(s, p) != symbol)
			add_call(&l, calltree_symbol(s, p), i, (struct call_step){p, v.w, v.o}, is_inlined(c, i));
	}
	if (!k->up.v)
		k->up.n = link_up(s, &l, &k->mem, &k->up.v);
	return copy_links(k->up.v, k->up.n, a, out);
}

uint32_t calltree_callees(const struct weighted_tree *c, uint32_t symbol, struct arena *a, struct link **out)
{
	const struct calltree *s = c->calltree;
	struct callers_cache *k = find_calls_of(c, symbol);
	struct call_list l = {0};
	for (uint32_t m = 0; m < k->n && !k->down.v; m++)
		add_below(c, k->node[m].at, symbol, &l);
	if (!k->down.v)
		k->down.n = link_up(s, &l, &k->mem, &k->down.v);
	return copy_links(k->down.v, k->down.n, a, out);
}

uint32_t calltree_callers_next(
    const struct weighted_tree *c, const struct link *k, struct arena *a, struct link **out)
{
	const struct calltree *s = c->calltree;
	struct call_list l = {0};
	for (uint32_t i = 0; i < k->nstep; i++) {
		uint32_t at = k->call_step[i].at, p = at ? seen_above(c, at) : 0;
		if (p)
			add_call(&l, calltree_symbol(s, p), p,
			    (struct call_step){p, k->call_step[i].w, k->call_step[i].o}, is_inlined(c, at));
	}
	return link_up(NULL, &l, a, out);
}

uint32_t calltree_callees_next(
    const struct weighted_tree *c, const struct link *k, struct arena *a, struct link **out)
{
	struct call_list l = {0};
	for (uint32_t i = 0; i < k->nstep; i++)
		add_below(c, k->call_step[i].at, 0, &l);
	return link_up(NULL, &l, a, out);
}
