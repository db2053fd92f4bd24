/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A call tree with a node for each context, for a report that prints all of them (callgrind -call_tree). There are as
 * many nodes as frames in all stacks if these have little in common. As nodes of a graph, with edges and hash tables, 5
 * million took 2.9 GB; here a node takes four bytes, and weights are stored only where stacks end.
 *
 * The tree of slots (graph_tree.c) is numbered again in preorder, without the nodes that no sample with weight has. The
 * result is a struct calltree (calltree/tree.h) whose symbols are the frames themselves. Weights are at the ends of
 * stacks, and the weight at and below a node is a difference of two running sums. An edge has the weight of the node
 * that it leads to.
 *
 * Ties in the graph's order are decided by which node occurs first when samples are read in their order. Of two nodes
 * that is the one with the earlier first bundle, which is the minimum over the ends below it; if both have the same
 * one, the upper node, which is also first in preorder. This is computed only when everything else is equal, and is not
 * stored.
 */
#include "config.h"
#include "pprof/context_tree.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "calltree/tree.h"
#include "pprof/internal.h"

#include <string.h>

/* ---- the tree */

/* Set what[] and the parents of the tree: the nodes at and above the ends of bundles, in preorder. Return, by node of
   the tree of slots, its number; the caller frees the array. */
static uint32_t *number_nodes(const struct graph_builder *b, const struct slot_tree *slots, struct calltree *s)
{
	const struct stack_node *node = slots->tree.node;
	uint32_t n = slots->tree.n, *number = xcalloc(n, sizeof *number);
	for (size_t i = 0; i < b->nbundle; i++)
		number[slots->node[b->p->stack[b->bundle[i].stack]]] = 1;
	s->n = stack_tree_number(&slots->tree, number);
	s->what = xcalloc(s->n, sizeof *s->what);
	s->forks = xcalloc(rank_blocks(s->n), sizeof *s->forks);
	/* first by node; then only of nodes that do not follow their parents */
	s->fork = xcalloc(s->n, sizeof *s->fork);
	for (uint32_t i = 1; i < n; i++)
		if (number[i]) {
			s->what[number[i]] = node[i].frame;
			s->fork[number[i]] = number[node[i].caller];
		}
	for (uint32_t i = 1; i < s->n; i++)
		if (s->fork[i] + 1 != i) {
			rank_set(s->forks, i);
			s->fork[s->nfork++] = s->fork[i];
		}
	s->fork = xrealloc(s->fork, (s->nfork + 1) * sizeof *s->fork);
	calltree_close(s);
	return number;
}

/* Set the ends and their weights. */
static void add_ends(
    struct context_tree *c, const struct graph_builder *b, const uint32_t *node, const uint32_t *number)
{
	struct calltree *s = c->s;
	struct radix_item *end = xmalloc((b->nbundle + 1) * sizeof *end);
	uint32_t n = 0, k = 0;
	int64_t sum = 0;
	for (size_t i = 0; i < b->nbundle; i++)
		if (b->bundle[i].stack)
			end[n++] = (struct radix_item){number[node[b->p->stack[b->bundle[i].stack]]], (uint32_t)i};
	radix_sort_items(end, n);
	s->ends = xcalloc(rank_blocks(s->n), sizeof *s->ends);
	c->sum = xcalloc(n + 1u, sizeof *c->sum);
	c->first = xcalloc(n + 1u, sizeof *c->first);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || end[i].key != end[i - 1].key) {
			rank_set(s->ends, (uint32_t)end[i].key);
			c->first[k] = end[i].v;	/* the sort is stable */
			c->sum[k++] = sum;
		}
		profile_sum(&sum, b->bundle[end[i].v].w);
	}
	c->sum[k] = sum;
	s->nend = rank_seal(s->ends, s->n);
	mem_free(end);
}

/* ---- names */

static int by_text(const void *ctx, uint32_t a, uint32_t b)
{
	const struct context_tree *c = ctx;
	return graph_info_compare(c->p, &c->info[a], &c->info[b]);
}

static void rank_texts(struct context_tree *c)
{
	uint32_t *order = xmalloc((c->ninfo + 1u) * sizeof *order);
	for (uint32_t i = 0; i < c->ninfo; i++)
		order[i] = i;
	calltree_sort_u32(order, c->ninfo, by_text, c);
	c->text = xmalloc((c->ninfo + 1u) * sizeof *c->text);
	for (uint32_t i = 0; i < c->ninfo; i++) {
		c->ntext += !i || by_text(c, order[i - 1], order[i]);
		c->text[order[i]] = c->ntext - 1;
	}
	mem_free(order);
}

struct context_tree *context_tree_new(struct profile *p, const struct graph_options *o)
{
	struct context_tree *c = xcalloc(1, sizeof *c);
	struct graph_options bare = *o;
	bare.tags = false;
	struct graph_builder b = {.p = p, .o = &bare};
	c->p = p;
	c->s = xcalloc(1, sizeof *c->s);
	c->s->refs = 1;
	pprof_trim_paths(p, o->trim_path, o->source_path);
	graph_prepare(&b);
	profile_drop_samples(p);
	c->ninfo = (uint32_t)b.ninfo;
	c->function = xmalloc((c->ninfo + 1u) * sizeof *c->function);
	for (uint32_t i = 0; i < c->ninfo; i++)
		c->function[i] = graph_function(&b, i);
	c->nfunction = (uint32_t)b.ninfo;
	c->info = xrealloc(b.info, (c->ninfo + 1u) * sizeof *c->info);	/* drop the functions at its end: only numbered */
	intern_free(&b.infox);
	struct slot_tree slots = graph_slot_tree(&b);
	uint32_t *number = number_nodes(&b, &slots, c->s);
	add_ends(c, &b, slots.node, number);
	mem_free(number);
	graph_slot_tree_free(&slots);
	graph_free_prepared(&b);
	profile_drop_stacks(p);
	rank_texts(c);
	return c;
}

void context_tree_free(struct context_tree *c)
{
	if (!c)
		return;
	calltree_free(c->s);
	mem_free(c->info);
	mem_free(c->function);
	mem_free(c->text);
	mem_free(c->sum);
	mem_free(c->first);
	mem_free(c);
}

/* ---- orders */

static uint32_t first_below(const struct context_tree *c, uint32_t node)
{
	uint32_t k = rank_below(c->s->ends, node), end = rank_below(c->s->ends, calltree_next(c->s, node)),
		 least = UINT32_MAX;
	for (; k < end; k++)
		least = c->first[k] < least ? c->first[k] : least;
	return least;
}

static int cmp_met(const struct context_tree *c, uint32_t a, uint32_t b)
{
	uint32_t x = first_below(c, a), y = first_below(c, b);
	return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

static int cmp_weight(int64_t a, int64_t b)
{
	a = wrap_abs(a);
	b = wrap_abs(b);
	return (a < b) - (a > b);
}

static int cmp_cum(const void *ctx, uint32_t a, uint32_t b)
{
	int d = cmp_weight(context_tree_cum(ctx, a), context_tree_cum(ctx, b));
	return d ? d : cmp_met(ctx, a, b);
}

static int cmp_node(const void *ctx, uint32_t a, uint32_t b)
{
	const struct context_tree *c = ctx;
	int d = cmp_weight(context_tree_flat(c, a), context_tree_flat(c, b));
	uint32_t x = c->text[context_tree_info(c, a)], y = c->text[context_tree_info(c, b)];
	return d ? d : x != y ? (x > y) - (x < y) : cmp_cum(ctx, a, b);
}

static int cmp_kid(const void *ctx, uint32_t a, uint32_t b)
{
	const struct context_tree *c = ctx;
	int d = cmp_weight(context_tree_cum(c, a), context_tree_cum(c, b));
	uint32_t x = c->text[context_tree_info(c, a)], y = c->text[context_tree_info(c, b)];
	return d ? d : x != y ? (x > y) - (x < y) : cmp_met(c, a, b);
}

/* Sort nodes without own weight, which are most: first distribute them by name, then sort those of one name. */
static void sort_light(const struct context_tree *c, uint32_t *v, uint32_t n)
{
	uint32_t *from = xcalloc(c->ntext + 2u, sizeof *from), *to = xmalloc((n + 1u) * sizeof *to);
	for (uint32_t i = 0; i < n; i++)
		from[c->text[context_tree_info(c, v[i])] + 2]++;
	for (uint32_t t = 2; t < c->ntext + 2; t++)
		from[t] += from[t - 1];
	for (uint32_t i = 0; i < n; i++)
		to[from[c->text[context_tree_info(c, v[i])] + 1]++] = v[i];
	for (uint32_t t = 0; t < c->ntext; t++)
		calltree_sort_u32(to + from[t], from[t + 1] - from[t], cmp_cum, c);
	memcpy(v, to, n * sizeof *v);
	mem_free(to);
	mem_free(from);
}

uint32_t context_tree_sorted(const struct context_tree *c, uint32_t **node)
{
	uint32_t n = c->s->n, *v = *node = xmalloc((n + 1u) * sizeof *v), heavy = 0, all = 0;
	bool least = false;	/* an own weight is INT64_MIN, whose absolute value stays negative, so it is sorted
				   last */
	for (uint32_t i = 1; i < n; i++)
		if (context_tree_flat(c, i)) {
			v[heavy++] = i;
			least |= context_tree_flat(c, i) == INT64_MIN;
		}
	all = heavy;
	for (uint32_t i = 1; i < n; i++)
		if (!context_tree_flat(c, i) && context_tree_cum(c, i))
			v[all++] = i;
	calltree_sort_u32(v, least ? all : heavy, cmp_node, c);
	if (!least)
		sort_light(c, v + heavy, all - heavy);
	return all;
}

uint32_t context_tree_children(const struct context_tree *c, uint32_t node, struct context_tree_room *r)
{
	uint32_t n = 0;
	for (uint32_t i = node + 1, end = calltree_next(c->s, node); i < end; i = calltree_next(c->s, i)) {
		r->v = mem_grow(r->v, &r->cap, n + 1u, sizeof *r->v);
		r->v[n++] = i;
	}
	calltree_sort_u32(r->v, n, cmp_kid, c);
	return n;
}
