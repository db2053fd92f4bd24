/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_TREE_INTERNAL_H
#define TTRACE_CALLTREE_TREE_INTERNAL_H

#include "calltree/tree.h"

/* For tree.c: tree_numbering.c. Of a shape whose nodes have their places, s->at says where those it is made of have gone
   to. */
void calltree_number_ends(struct calltree *, const struct frames *);		/* s->ends, s->end, s->nend */
void calltree_number_runs(struct calltree *, uint32_t n); /* s->run, of the store's first n nodes */
/* calltree_close(); its first nodes, but for the root, are those of `was` */
void calltree_close_after(struct calltree *, const struct calltree *was);

#endif
