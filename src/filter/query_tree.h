/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_QUERY_TREE_H
#define TTRACE_FILTER_QUERY_TREE_H

#include "filter/states.h"

/*
 * The call tree that a query needs, and the match flags of its nodes.
 */
struct query_tree {
	struct calltree *s;	/* a reference; NULL: it was stopped */
	uint8_t *flag;		/* by symbol: match flags; the flags in which frames of a symbol differ are not set, and
				   nodes have them as marks */
	bool by_stack;		/* focus and ignore cannot be decided by these flags: use states_of_stacks() */
};
/* need: the match flags that matter. */
struct query_tree query_tree_find(struct filter_trees *, const struct snap *, const struct frame_matches *,
    const struct weigh_source *, uint8_t need, const _Atomic bool *stop);
void query_tree_free(struct query_tree *);

#endif
