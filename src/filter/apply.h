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
struct tree {
	const struct store *st;	/* its rows, when there are none of its own */
	uint32_t n;
	struct tree_rows row;	/* frame NULL; or: a frame may be TREE_TAG | the number of a tag */
	struct tree_tag { str_id label, key; } *tag;	/* label: the key, when it is empty */
	uint32_t ntag;
	uint32_t *of;		/* per sample its node */
	size_t cap, cforks, cfork;
	uint32_t nfork;
};
#define TREE_TAG SHAPE_TAG
/* Going over its nodes. */
struct tree_pass { const struct tree_rows *row; struct stk_pass stks; };
static inline struct tree_pass tree_pass(const struct tree *t)
{
	return (struct tree_pass){t->row.frame ? &t->row : NULL, stk_pass(t->st)};
}
static inline struct stk_row tree_at(struct tree_pass *p, uint32_t i)
{
	return p->row ? tree_row(p->row, i) : stk_at(&p->stks, i);
}
void tree_free(struct tree *);

/* Tags as frames: nodes of the root keys above, and of the leaf keys below, the stack of every
 * sample. */
void tree_tagged(struct tree *, const struct snap *, const struct labels *, const str_id *key,
    size_t nkey, size_t nroot);

/* The same of weights that come by (stack, tag): of[] is by part. */
struct tw_part;
void tree_parts(struct tree *, const struct snap *, const struct tw_part *, uint32_t n, str_id key, bool root);

/* What verdicts make of a tree. state[i]: what a stack that ends at i has seen. When frames vanish,
   to[i]: where the weight of samples at node i goes, DERIVE_NONE when they do not count; and
   rep[i]: the nearest node that is seen, i or above (0: none); else NULL, both are i. */
#define DERIVE_NONE UINT32_MAX
enum { DERIVE_ON = 4 };	/* in state, beside FV_FOCUS and FV_IGNORE: show_from has begun */
struct derived { uint8_t *state; uint32_t *to, *rep; };
struct derived derive(const struct tree *, const struct verdict *, struct arena *);
/* The same of a tree in preorder, for the nodes that samples are at alone: ends, which are rank_seal()ed. to[] is by
   these; gone: nodes that are not seen. What it says is by xmalloc(). */
struct derived_ends { uint32_t *to; struct rank *gone; };
struct derived_ends derive_ends(const struct tree *, const struct verdict *, const struct rank *ends);
/* Its state alone, as if no frame vanished. */
struct derived derive_stacks(const struct tree *, const struct verdict *, struct arena *);
/* The same by the ends of a shape, when FV_HIT and FV_BARRED are a matter of things: flag[] by thing,
   state[] zeros at first. */
struct shape;
void shape_states(const struct shape *, const uint8_t *flag, uint8_t *state);
/* Do samples at a node with this state count, as far as focus and ignore go? */
static inline bool derive_counts(uint8_t state)
{
	return (state & (FV_FOCUS | FV_IGNORE)) == FV_FOCUS;
}

#endif
