/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_PPROF_STACK_TREE_H
#define TTRACE_PPROF_STACK_TREE_H

#include "base/intern.h"

/*
 * Stacks as a tree. A node is a frame below the node of its caller and stands for the stack from the outermost frame to
 * this one, so stacks with the same outermost frames share nodes. Node 0 is the empty stack. A caller has a smaller
 * number than its callees. Frames are numbers whose meaning the user defines. Zero-initialise, then call
 * stack_tree_init().
 */
struct stack_node { uint32_t caller, frame; };
struct stack_tree {
	struct stack_node *node;
	uint32_t n;		/* number of nodes */
	size_t cap;
	struct intern forks;	/* index of the nodes before `indexed` that do not directly follow their callers */
	uint32_t indexed;
};

void stack_tree_init(struct stack_tree *);	/* with node 0 */
void stack_tree_free(struct stack_tree *);
/* Free the index; the next stack_tree_child() builds it again. */
void stack_tree_drop_index(struct stack_tree *);
/* Return the node of a frame below a caller; it is added if necessary. */
uint32_t stack_tree_child(struct stack_tree *, uint32_t caller, uint32_t frame);
/* Add a node that is known not to exist, without any lookup. */
uint32_t stack_tree_append(struct stack_tree *, uint32_t caller, uint32_t frame);

/* Number in preorder the nodes whose number[] is 1 and those above them; all others must be 0 and stay so. Return how
   many there are, with node 0. */
uint32_t stack_tree_number(const struct stack_tree *, uint32_t *number);
/* Number the nodes again. Nodes other than 0 whose number is 0 are removed. */
void stack_tree_renumber(struct stack_tree *, const uint32_t *number, uint32_t n);

/* The nodes of one stack, outermost first. Zero-initialise; the owner frees node[]. */
struct stack_path { uint32_t *node; size_t n, cap; };
/* Make it the path of another node. Return how many of its nodes were on the path before: only these keep their
   places. If nodes are visited in ascending order, nearly every node of a tree is entered only once. */
size_t stack_path_move(struct stack_path *, const struct stack_tree *, uint32_t node);

/* Make a tree with other frames: frame f of `from` becomes the frames of[range[f]], the first of them innermost.
   Callees with equal frames become one node. Return, by node of `from`, the node of its innermost frame; the caller
   frees the array. */
struct stack_frames { uint32_t first, n; };
uint32_t *stack_tree_translate(struct stack_tree *, const struct stack_tree *from, const struct stack_frames *range,
    const uint32_t *of);

#endif
