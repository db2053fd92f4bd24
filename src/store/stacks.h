/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STACKS_H
#define TTRACE_STACKS_H

#include "store/store.h"

/* The writer's half of the call tree: from (parent, location) to the node below. */
struct stacks {
	struct store *st;
	struct stacks_top { frm_id frame; uint32_t n; } *top;	/* by location: its outermost frame, and how many */
	uint32_t ntop;
	size_t ctop;
	/* the stack before, outermost first: the next one often begins alike. rising: the node was made
	   by these stacks, and its children came in the order of their numbers, so a larger one is new */
	struct stacks_step { loc_id loc; stk_id node; bool rising; } *last;
	size_t nlast, nbefore, clast;
	/* children that do not lie beside their parent */
	struct stacks_slot { stk_id node; uint32_t hash; } *slot;
	size_t cap, n;
	bool sorted;		/* all there are came by stacks_branch(), and there is no index */
};

void stacks_init(struct stacks *, struct store *);	/* the root too */
void stacks_free(struct stacks *);
void stacks_rows(struct store *);	/* the columns of nodes, without any */
void stacks_rows_free(struct store *);
void stacks_done(struct stacks *);	/* no more will come: the index goes, until more does */
stk_id stacks_add(struct stacks *, const loc_id *leaf_first, size_t n);
stk_id stacks_branch(struct stacks *, size_t same, const loc_id *outer_first, size_t n);	/* see sink.branch() */

#endif
