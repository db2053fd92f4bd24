/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_TREE_INTERNAL_H
#define TTRACE_CALLTREE_TREE_INTERNAL_H

#include "calltree/tree.h"

/* Functions of tree_numbering.c for tree.c. All nodes are placed, and s->at has the node of each input node. */
/* Set s->ends, s->end and s->nend. */
void calltree_number_ends(struct calltree *, const struct frames *);
/* Set s->run for the store's first n nodes. */
void calltree_number_runs(struct calltree *, uint32_t n);
/* As calltree_close(), for a tree that starts with the nodes of `was` and has more children below the root. */
void calltree_close_after(struct calltree *, const struct calltree *was);

#endif
