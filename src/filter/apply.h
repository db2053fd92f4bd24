/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_APPLY_H
#define TTRACE_FILTER_APPLY_H

#include "calltree/tree.h"
#include "filter/match.h"

/*
 * Call trees that a query derives from the store's. In all of them parents come before children and node 0 is the root.
 */
struct frame_tree {
	const struct store *st;	/* provides the rows if the tree has none of its own */
	uint32_t n;
	struct tree_rows row; /* frame NULL: the store's rows. A frame may be FRAME_TREE_TAG | number of a
					    tag */
	struct frame_tree_tag { str_id label, key; } *tag;	/* label: the key if the text is empty */
	uint32_t ntag;
	uint32_t *of;		/* by sample: its node */
	size_t cap, cforks, cfork;
	uint32_t nfork;
};
#define FRAME_TREE_TAG CALLTREE_TAG
/* A pass over the nodes. */
struct frame_tree_pass { const struct tree_rows *row; struct stk_pass stks; };
static inline struct frame_tree_pass frame_tree_pass(const struct frame_tree *t)
{
	return (struct frame_tree_pass){t->row.frame ? &t->row : NULL, stk_pass(t->st)};
}
static inline struct stk_row frame_tree_at(struct frame_tree_pass *p, uint32_t i)
{
	return p->row ? tree_row(p->row, i) : stk_at(&p->stks, i);
}
void tag_tree_free(struct frame_tree *);

/* Build the tree of tags as frames: the stack of every sample, with nodes for the root keys above it and for the leaf
   keys below it. Free it with tag_tree_free(). */
void tag_tree_build(struct frame_tree *, const struct snap *, const struct labels *, const str_id *key,
    size_t nkey, size_t nroot);

/* The same for weights by (stack, tag): of[] is by part. */
struct trace_tag_weight;
void tag_tree_build_parts(
    struct frame_tree *, const struct snap *, const struct trace_tag_weight *, uint32_t n, str_id key, bool root);

/* The result of filters on a tree. state[i] has the match flags of a stack that ends at i. If frames are hidden or
   cut, to[i] is the node that gets the weight of samples at node i, FILTER_NONE if they do not count, and rep[i] is
   the nearest visible node at or above i (0: none); otherwise both are NULL and stand for i. The arrays are in the
   arena. */
#define FILTER_NONE UINT32_MAX
enum { FILTER_SHOWING = 4 };	/* flag in state[], besides FM_LOC_FOCUS and FM_LOC_IGNORE: show_from has matched */
struct filter_result { uint8_t *state; uint32_t *to, *rep; };
struct filter_result filter_apply(const struct frame_tree *, const struct frame_matches *, struct arena *);
/* The same for a tree in preorder, only for the nodes that have samples: ends, after rank_seal(). to[] is by end; gone
   marks the hidden nodes. The caller frees both with mem_free(). */
struct filter_end_result { uint32_t *to; struct rank *gone; };
struct filter_end_result filter_apply_to_ends(
    const struct frame_tree *, const struct frame_matches *, const struct rank *ends);
/* Compute only state[], as if no frame were hidden or cut. */
struct filter_result filter_stack_states(const struct frame_tree *, const struct frame_matches *, struct arena *);
/* Compute state[] by the ends of a call tree, for filters that match all frames of a symbol alike: flag[] has
   FM_OWN_FOCUS and FM_OWN_IGNORE by symbol. state[] must be zeroed. */
struct calltree;
void filter_end_states(const struct calltree *, const uint8_t *flag, uint8_t *state);
/* Return whether stacks with this state count, as far as focus and ignore are concerned. */
static inline bool filter_counts(uint8_t state)
{
	return (state & (FM_LOC_FOCUS | FM_LOC_IGNORE)) == FM_LOC_FOCUS;
}

#endif
