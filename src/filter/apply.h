/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_APPLY_H
#define TTRACE_FILTER_APPLY_H

#include "calltree/tree.h"
#include "filter/match.h"

/*
 * Call trees that a query makes of the store's. In all of them parents come
 * before children and node 0 is the root.
 */
struct frame_tree {
	const struct store *st;	/* its rows, when there are none of its own */
	uint32_t n;
	struct profile_restore_rows row; /* frame NULL; or: a frame may be FRAME_TREE_TAG | the number of a tag */
	struct frame_tree_tag { str_id label, key; } *tag;	/* label: the key, when it is empty */
	uint32_t ntag;
	uint32_t *of;		/* per sample its node */
	size_t cap, cforks, cfork;
	uint32_t nfork;
};
#define FRAME_TREE_TAG CALLTREE_TAG
/* Going over its nodes. */
struct frame_tree_pass { const struct profile_restore_rows *row; struct stk_pass stks; };
static inline struct frame_tree_pass frame_tree_pass(const struct frame_tree *t)
{
	return (struct frame_tree_pass){t->row.frame ? &t->row : NULL, stk_pass(t->st)};
}
static inline struct stk_row frame_tree_at(struct frame_tree_pass *p, uint32_t i)
{
	return p->row ? tree_row(p->row, i) : stk_at(&p->stks, i);
}
void tag_tree_free(struct frame_tree *);

/* Tags as frames: nodes of the root keys above, and of the leaf keys below, the stack of every
 * sample. */
void tag_tree_build(struct frame_tree *, const struct snap *, const struct labels *, const str_id *key,
    size_t nkey, size_t nroot);

/* The same of weights that come by (stack, tag): of[] is by part. */
struct trace_tag_weight;
void tag_tree_build_parts(
    struct frame_tree *, const struct snap *, const struct trace_tag_weight *, uint32_t n, str_id key, bool root);

/* What verdicts make of a tree. state[i]: what a stack that ends at i has seen. When frames vanish,
   to[i]: where the weight of samples at node i goes, FILTER_NONE when they do not count; and
   rep[i]: the nearest node that is seen, i or above (0: none); else NULL, both are i. */
#define FILTER_NONE UINT32_MAX
enum { FILTER_SHOWING = 4 };	/* in state, beside FM_LOC_FOCUS and FM_LOC_IGNORE: show_from has begun */
struct filter_result { uint8_t *state; uint32_t *to, *rep; };
struct filter_result filter_apply(const struct frame_tree *, const struct frame_matches *, struct arena *);
/* The same of a tree in preorder, for the nodes that samples are at alone: ends, which are rank_seal()ed. to[] is by
   these; gone: nodes that are not seen. What it says is by xmalloc(). */
struct filter_end_result { uint32_t *to; struct rank *gone; };
struct filter_end_result filter_apply_to_ends(
    const struct frame_tree *, const struct frame_matches *, const struct rank *ends);
/* Its state alone, as if no frame vanished. */
struct filter_result filter_stack_states(const struct frame_tree *, const struct frame_matches *, struct arena *);
/* The same by the ends of a shape, when FM_OWN_FOCUS and FM_OWN_IGNORE are a matter of things: flag[] by thing,
   state[] zeros at first. */
struct calltree;
void filter_end_states(const struct calltree *, const uint8_t *flag, uint8_t *state);
/* Do samples at a node with this state count, as far as focus and ignore go? */
static inline bool filter_counts(uint8_t state)
{
	return (state & (FM_LOC_FOCUS | FM_LOC_IGNORE)) == FM_LOC_FOCUS;
}

#endif
