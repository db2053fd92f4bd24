/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_TREE_H
#define TTRACE_CALLTREE_TREE_H

#include "base/job.h"
#include "base/rank_bitmap.h"
#include "calltree/granularity.h"

/*
 * A tree of frames merged by symbol, without weights. It is in preorder: the subtree of i is i .. calltree_next(i)-1.
 * Siblings have the order in which they were first seen. All weighted trees share it, so what does not depend on the
 * query is computed once.
 *
 * Weights are only stored at nodes where stacks end, and those are few. They are numbered in preorder: ends[] marks
 * them, and the ends at or below node i are rank_below(ends, i) .. rank_below(ends, calltree_next(i))-1. So the total
 * of a subtree is a difference of two running sums.
 *
 * The end of a subtree is stored only for "turns": the root and the children of nodes that have two or more children.
 * All other nodes, which are most, end where the nearest turn before them ends.
 */
struct calltree {
	_Atomic uint32_t refs;	/* atomic: a weighted tree may be built in the background */
	struct granularity *granularity;
	uint32_t n;
	struct rank *forks;	/* nodes that are not a first child; the parent of any other node is the node before
				   it */
	uint32_t *fork;		/* their parents */
	uint32_t nfork;
	size_t cfork;
	struct rank *turns;	/* the root, and nodes that have siblings */
	uint32_t *turn;		/* where their subtrees end, and those of the nodes up to the next turn */
	/* The symbol of a node, and in the lowest CT_BITS bits how it is called: calltree_symbol(), calltree_how(). */
	uint32_t *what;
	struct rank *ends;
	uint32_t nend;
	uint32_t *end;		/* by sample, or by node of the store: the end where its weight is added */
	uint32_t *at;		/* result of calltree_prune(), by end of the old tree */
	/* NULL, or by node: the mark that all its frames have, and by frame. Siblings may then be the same symbol. */
	uint8_t *mark, *frame_mark;
	/* The weights of all samples of one type by end; queries that select stacks start from them. Only the thread
	   that weighs reads and writes them. */
	struct calltree_totals { size_t type; int64_t *flat; uint8_t *hit; int64_t all, base; } whole;
	/* tags shown as frames (filter/tag_graft.h), NULL: none. key[] has the keys, those at the root first; v[] has
	   the tags. mark is that of the tag's nodes, if nodes have marks. */
	struct calltree_tags {
		uint32_t nkey, nroot, n;
		const str_id *key;
		struct calltree_tag {
			str_id label, key;	/* label: the key if the text is empty */
			uint8_t mark;
		} v[];
	} * tags;
};

/* How a node is called: inlined, not inlined (both, if nodes were merged). CT_AGAIN: a node above it is the same
   symbol. */
enum { CT_INL = 1, CT_NOTINL = 2, CT_AGAIN = 4, CT_BITS = 3 };

static inline uint32_t calltree_what(uint32_t symbol, uint32_t how) { return symbol << CT_BITS | how; }
static inline uint32_t calltree_symbol(const struct calltree *s, uint32_t i) { return s->what[i] >> CT_BITS; }
static inline uint8_t calltree_how(const struct calltree *s, uint32_t i) { return s->what[i] & ((1u << CT_BITS) - 1); }

static inline uint32_t calltree_parent(const struct calltree *s, uint32_t i)
{
	return rank_has(s->forks, i) ? s->fork[rank_below(s->forks, i)] : i - (i != 0);
}

static inline uint32_t calltree_next(const struct calltree *s, uint32_t i)
{
	return s->turn[rank_upto(s->turns, i) - 1];
}

#define CALLTREE_NONE UINT32_MAX

/* What a call tree is built of: the first n nodes of the store's stacks, or others. */
struct calltree_source {
	const struct store *st;
	uint32_t n;
	const struct stk_row *node;	/* NULL, or n nodes instead of the store's: parent < self, node 0 is the root */
	uint32_t nsmp;		/* weights are given for the store's first nsmp samples; 0: for nodes */
	/* NULL, or by frame: calls of one symbol whose frames have different marks become different nodes */
	const uint8_t *mark;
	const _Atomic bool *stop;	/* NULL, or set by another thread when the result is no longer needed */
};
/* Build a call tree. Return NULL if it was stopped. */
struct calltree *calltree_new(struct granularity *, const struct calltree_source *);
/* Nodes that become part of a node further up: node[first[r]] .. node[first[r + 1] - 1] become part of the r-th node in
   at. */
struct calltree_folds {
	struct rank *at;
	uint32_t *first, *node;
};
/* Return what is left of a call tree after removing nodes. hit[] has a mark for each node (prune_set_mark()). A
   PRUNE_GONE node is removed and its children become children of the nearest node above that is left. A PRUNE_PART node
   becomes part of that node; a node in `folds` becomes part of the node stated there. Nodes without a mark are removed
   with their subtrees. folds may be NULL.

   at[] of the result has, for each of the nend ends of the old tree, the nearest node that is left, or CALLTREE_NONE if
   that is the root or the end was removed with its subtree. The result has no ends of its own, and the caller must call
   calltree_close(). If the watcher stops the work the result is incomplete. */
struct calltree *calltree_prune(const struct calltree *, const uint8_t *hit, const struct rank *ends, uint32_t nend,
    const struct calltree_folds *, const struct progress_watcher *);
enum { PRUNE_HIT = 1, PRUNE_GONE, PRUNE_PART };
/* Marks take two bits for each node and are set once; prune_bytes() is the size of the array for n nodes. */
static inline size_t prune_bytes(uint32_t n) { return n / 4 + 1; }
static inline void prune_set_mark(uint8_t *hit, uint32_t i, uint32_t left)
{
	hit[i / 4] |= (uint8_t)(left << i % 4 * 2);
}
static inline uint32_t prune_mark_at(const uint8_t *hit, uint32_t i) { return hit[i / 4] >> i % 4 * 2 & 3; }
/* Finish a tree whose nodes are complete: compute where subtrees end, so that calltree_next() works, and seal
   s->forks. */
void calltree_close(struct calltree *);
/* Set ends and nend, and convert the nodes in end[], one for each of n samples, to ends. */
void calltree_ends_of_nodes(struct calltree *, uint32_t n);
struct calltree *calltree_ref(struct calltree *);
/* Keep the weights of all samples of a type by end (copied). */
void calltree_keep_totals(struct calltree *, const struct calltree_totals *);
void calltree_free(struct calltree *);

#endif
