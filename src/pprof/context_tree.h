/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_CONTEXT_TREE_H
#define TTRACE_PPROF_CONTEXT_TREE_H

#include "base/wrap_math.h"
#include "calltree/tree.h"
#include "pprof/graph.h"

/*
 * The complete call tree of a profile: the graph of graph_options.tree, for reports that print every node. Nodes are
 * numbered in preorder; 0 is the root, which is not a node of the report.
 */
struct context_tree {
	struct profile *p;
	struct graph_info *info;
	uint32_t *function;	/* by info: equal for the same function */
	uint32_t *text;		/* by info: rank of its printable name; equal for equal names */
	uint32_t ninfo, nfunction, ntext;
	struct calltree *s;	/* what[] is info + 1; it has no granularity and no flags of calls */
	int64_t *sum;		/* before each end, and after the last */
	uint32_t *first;	/* by end: the number of the first bundle of samples with that stack */
};

/* Build the tree. graph_options.mean and drop_negative are not supported. */
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

/* Return whether a node has any weight. Nodes without weight are not reported, except as callers. */
static inline bool context_tree_has_weight(const struct context_tree *c, uint32_t node)
{
	return context_tree_flat(c, node) || context_tree_cum(c, node);
}

/* Set *node to the nodes that have weight, in the order of graph_trimmed(): greatest own weight first. Return their
   number. The caller frees the array. */
uint32_t context_tree_sorted(const struct context_tree *, uint32_t **node);
/* Set r->v to the children of a node, heaviest first, and return their number. The array is reused by the next call. */
struct context_tree_room { uint32_t *v; size_t cap; };
uint32_t context_tree_children(const struct context_tree *, uint32_t node, struct context_tree_room *);

#endif
