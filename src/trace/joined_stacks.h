/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_JOINED_STACKS_H
#define TTRACE_TRACE_JOINED_STACKS_H

#include "base/intern.h"
#include "store/store.h"

/*
 * A tree of frames in which a stack of the store may start below another stack: that of a goroutine below the one of
 * the goroutine that waited for it. Node 0 is the root. Initialise with joined_stacks_init().
 */
struct joined_stack {
	uint32_t parent;	/* less than its own index */
	frm_id frame;		/* 0: the root, or a node of joined_stacks_add() */
	stk_id stack;		/* the node of the store that it stands for; 0: as above */
	uint32_t base;		/* the node below which its stack starts */
};
struct joined_stacks {
	const struct store *st;
	struct joined_stack *node;
	uint32_t n;
	size_t cap;
	struct intern by_stack;		/* finds a node by base and stack */
	stk_id *way;			/* scratch */
	size_t cway;
};

void joined_stacks_init(struct joined_stacks *, const struct store *);
/* Add a node without a frame below the root; return its index. */
uint32_t joined_stacks_add(struct joined_stacks *);
/* Return the node of a stack that starts below a base, and add it if necessary; the base itself for stack 0. */
uint32_t joined_stacks_append(struct joined_stacks *, uint32_t base, stk_id stack);
/* Free what only adding needs, or all. */
void joined_stacks_close(struct joined_stacks *);
void joined_stacks_free(struct joined_stacks *);

#endif
