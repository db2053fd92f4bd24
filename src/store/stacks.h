/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_STACKS_H
#define TTRACE_STACKS_H

#include "base/intern.h"
#include "store/store.h"

/* The writer of the call tree: finds the node below a parent for a location, or adds it. */
struct stacks {
	struct store *st;
	struct stacks_top { frm_id frame; uint32_t n; } *top;	/* by location: outermost frame, number of frames */
	uint32_t ntop;
	size_t ctop;
	/* The previous stack, outermost first, since the next one often starts with the same frames. rising: the node
	   was made by these stacks, and its children came in the order of their location numbers, so a larger number is
	   a new child. */
	struct stacks_step { loc_id loc; stk_id node; bool rising; } *last;
	size_t nlast, nbefore, clast;
	struct intern others;	/* children that are not adjacent to their parent, by the outermost node of the location */
	bool indexed;		/* `others` has all of them */
	bool sorted;		/* all nodes came by stacks_branch(), and `others` is not needed */
};

void stacks_init(struct stacks *, struct store *);	/* also adds the root */
void stacks_free(struct stacks *);
void stacks_rows_free(struct store *);	/* free the columns of nodes */
void stacks_done(struct stacks *);	/* free the indexes; a later stack rebuilds them */
stk_id stacks_add(struct stacks *, const loc_id *leaf_first, size_t n);
stk_id stacks_branch(struct stacks *, size_t same, const loc_id *outer_first, size_t n);	/* see sink_profile_ops */

#endif
