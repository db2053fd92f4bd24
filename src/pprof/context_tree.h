/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_CONTEXT_TREE_H
#define TTRACE_PPROF_CONTEXT_TREE_H

#include "base/wrap_math.h"
#include "calltree/tree.h"
#include "pprof/graph.h"

/*
 * The call tree of a profile, all of it: the graph of gopt.tree for who tells of every node. Nodes are numbered in
 * preorder; 0 is the root, which is none.
 */
struct context_tree {
	struct profile *p;
	struct graph_info *info;
	uint32_t *function;	/* by info: equal for the same function */
	uint32_t *text;		/* by info: its place in the order of printable names; equal for equal names */
	uint32_t ninfo, nfunction, ntext;
	struct calltree *s;	/* what: info + 1. Without things, and without what is said of calls */
	int64_t *sum;		/* before each end, and after the last */
	uint32_t *first;	/* by end: the first sample that goes there, as its number among those that differ */
};

/* Samples and stacks of the profile are used up. Not for means, and not without nodes of negative weight. */
struct context_tree *context_tree_new(struct profile *, const struct graph_options *);
void context_tree_free(struct context_tree *);

static inline uint32_t context_tree_info(const struct context_tree *c, uint32_t node)
{
	return c->s->what[node] - 1;
}

static inline int64_t context_tree_flat(const struct context_tree *c, uint32_t node)
{
	uint32_t k = rank_below(c->s->ends, node);
	return rank_has(c->s->ends, node) ? wrap_sub(c->sum[k + 1], c->sum[k]) : 0;
}

static inline int64_t context_tree_cum(const struct context_tree *c, uint32_t node)
{
	return wrap_sub(
	    c->sum[rank_below(c->s->ends, calltree_next(c->s, node))], c->sum[rank_below(c->s->ends, node)]);
}

/* Does it weigh anything? Others are no nodes, but for who calls them. */
static inline bool context_tree_has_weight(const struct context_tree *c, uint32_t node)
{
	return context_tree_flat(c, node) || context_tree_cum(c, node);
}

/* Those that are there in the order of graph_trimmed(): heaviest first by own weight. How many; to be freed. */
uint32_t context_tree_sorted(const struct context_tree *, uint32_t **node);
/* The nodes below one, heaviest first. How many; room is kept for the next. */
struct context_tree_room { uint32_t *v; size_t cap; };
uint32_t context_tree_children(const struct context_tree *, uint32_t node, struct context_tree_room *);

#endif
