/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_SPLIT_STACKS_H
#define TTRACE_FILTER_SPLIT_STACKS_H

#include "calltree/tree.h"
#include "store/store.h"

/*
 * A shape with the stacks of some samples laid aside: behind its last node, below the root, lie the ways of these, a
 * node for each of the store's own. The ends that they went to are left without weight. odd: of the ends of the shape,
 * those whose samples go; raw: of the store's first nstks nodes, which lie there now, the root among them (mem_free()).
 * NULL: these would be too many, or the store's nodes are not in preorder.
 */
struct calltree *split_stacks_new(struct calltree *, const struct snap *, const struct rank *odd, struct rank **raw);
/* What all samples of a type weigh on it, where that is known of the shape it is made of (calltree_totals()). */
struct weigh_target;
bool split_stacks_totals(const struct calltree *, const struct snap *, uint32_t type, struct weigh_target *);

#endif
