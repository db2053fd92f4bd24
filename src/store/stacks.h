/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STACKS_H
#define TTRACE_STACKS_H

#include "store/store.h"

/* The writer's half of the call tree: from (parent, location) to the node below. */
struct stacks {
	struct store *st;
	struct stacks_kid { loc_id loc; stk_id node; } *kid;	/* of each node its first child */
	size_t ckid;
	struct stacks_kid *last;	/* the stack before, outermost first: the next one often begins alike */
	size_t nlast, clast;
	struct stacks_slot { stk_id parent; loc_id loc; stk_id node; } *slot;	/* all other children */
	size_t cap, n;
};

void stacks_init(struct stacks *, struct store *);	/* the root too */
void stacks_free(struct stacks *);
void stacks_done(struct stacks *);	/* no more will come: the index goes, until more does */
stk_id stacks_add(struct stacks *, const loc_id *leaf_first, size_t n);

#endif
