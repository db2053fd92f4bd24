/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_BUILDER_H
#define TTRACE_CALLTREE_BUILDER_H

#include "base/intern.h"
#include "calltree/node_walk.h"

/* Builds a call tree: nodes are added below existing nodes, merged by symbol, and then laid out in preorder with their
   weights. */
struct calltree_builder {
	uint32_t n;
	uint32_t *parent, *symbol;
	uint8_t *how;
	struct intern others;	/* the children that are not stored directly after their parent */
	size_t cap;		/* of the arrays by node */
	/* weights: v[k] is added at node at[k], and o[k] in the other column of a difference */
	uint32_t *at;
	int64_t *v, *o;
	const struct end_sums *of;	/* NULL, or the weight k is the one of end k in this table, and v and o are
					   unused */
	size_t nown;
	bool two;
};
/* Initialise a builder with a root node. */
void calltree_build_init(struct calltree_builder *, bool two_sides);
uint32_t calltree_build_child(struct calltree_builder *, uint32_t parent, uint32_t symbol);
/* Set all weights; the builder takes ownership of at, v and o. Weight k is added at node at[k], and is ignored if at[k]
   is 0. If `of` is not NULL, weight k is that of end k in `of`, which must remain valid until the tree is finished;
   otherwise it is v[k] and o[k]. */
void calltree_build_weights(
    struct calltree_builder *, uint32_t *at, const struct end_sums *of, int64_t *v, int64_t *o, size_t n);
/* Lay the tree out in preorder and release the builder. Every node but the root must have weight at or below it.
   Siblings keep the order in which they were added. The running sums are allocated in the arena. */
struct calltree *calltree_build_finish(
    struct calltree_builder *, struct granularity *, struct end_sums *, struct arena *);

#endif
