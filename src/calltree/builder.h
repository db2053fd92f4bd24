/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_BUILDER_H
#define TTRACE_CALLTREE_BUILDER_H

#include "calltree/node_walk.h"

/* Making trees: nodes are added below others, merged by thing; then they become a shape with what weighs there. */
struct grow {
	uint32_t n;
	uint32_t *parent, *thing;
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
void grow_init(struct grow *, bool two_sides);	/* with a root */
uint32_t grow_child(struct grow *, uint32_t parent, uint32_t thing);
/* All that weighs, which is the tree's then: at node at[k], where that is not 0, what is at the end k of `of`,
   which stays until the tree is finished, or v[k] and o[k]. */
void grow_weights(struct grow *, uint32_t *at, const struct end_sums *of, int64_t *v, int64_t *o, size_t n);
/* At or below every node but the root something counts. Siblings stand in the order in which they were made. Sums are
   in the arena; the rest goes. */
struct shape *grow_finish(struct grow *, struct things *, struct end_sums *, struct arena *);

#endif
