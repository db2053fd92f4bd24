/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_SPLIT_STACKS_H
#define TTRACE_FILTER_SPLIT_STACKS_H

#include "calltree/tree.h"
#include "store/store.h"

/*
 * Return a call tree in which the stacks of some samples are split off: their nodes are added after the last node,
 * below the root, one for each node of the store. The ends that they had before get no weight. odd: the ends of s whose
 * samples are split off. *raw: which of the store's first nstks nodes were added, including the root; the caller frees
 * it with mem_free(). Return NULL if there would be too many nodes, or if the store's nodes are not in preorder.
 */
struct calltree *split_stacks_new(struct calltree *, const struct snap *, const struct rank *odd, struct rank **raw);
/* Set the weights of all samples of a type, if they are known for the original tree (calltree_totals()). */
struct weigh_target;
bool split_stacks_totals(const struct calltree *, const struct snap *, uint32_t type, struct weigh_target *);

#endif
