/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_BUILDER_H
#define TTRACE_CALLTREE_BUILDER_H

#include "calltree/node_walk.h"

/* Making trees: nodes are added below others, merged by thing; then they become a shape with what weighs there. */
struct calltree_builder {
	uint32_t n;
	uint32_t *parent, *symbol;
	uint8_t *how;
	uint32_t *slot;		/* children that do not lie beside their parents, by the hash of (parent, thing) */
	size_t cap, nslot, ncap;	/* of the hash: room and use; of the arrays */
	/* what weighs: node at[k] v[k], and o[k] of the other side */
	uint32_t *at;
	int64_t *v, *o;
	const struct end_sums *of;	/* NULL, or: v[k] is what weighs at the end k of these */
	size_t nown;
	bool two;
};
void calltree_build_init(struct calltree_builder *, bool two_sides);	/* with a root */
uint32_t calltree_build_child(struct calltree_builder *, uint32_t parent, uint32_t symbol);
/* All that weighs, which is the tree's then: at node at[k], where that is not 0, what is at the end k of `of`,
   which stays until the tree is finished, or v[k] and o[k]. */
void calltree_build_weights(
    struct calltree_builder *, uint32_t *at, const struct end_sums *of, int64_t *v, int64_t *o, size_t n);
/* At or below every node but the root something counts. Siblings stand in the order in which they were made. Sums are
   in the arena; the rest goes. */
struct calltree *calltree_build_finish(
    struct calltree_builder *, struct granularity *, struct end_sums *, struct arena *);

#endif
