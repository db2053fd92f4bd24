/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_TREE_H
#define TTRACE_CALLTREE_TREE_H

#include "base/job.h"
#include "base/mem/packed_ints.h"
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
struct spare { size_t n; int64_t v[]; };	/* the columns of a weighted tree, n bytes */
struct calltree {
	_Atomic uint32_t refs;	/* atomic: a weighted tree may be built in the background */
	struct granularity *granularity;
	uint32_t n;
	uint32_t aside;		/* 0, or: from this node on siblings may be the same symbol, also below the root; these
				   nodes hold the stacks that were split off (filter/split_stacks.h) */
	uint32_t *odd, nodd;	/* the samples that were split off */
	bool preorder;		/* the nodes that it was built from are in preorder */
	struct rank *forks;	/* nodes that are not a first child; the parent of any other node is the node before
				   it */
	uint32_t *fork;		/* their parents */
	uint32_t nfork;
	size_t cfork;
	struct rank *turns;	/* the root, and nodes that have siblings */
	uint32_t *turn;		/* where their subtrees end, and those of the nodes up to the next turn */
	/* The symbol of a node, and in the lowest CT_BITS bits how it is called: calltree_symbol(), calltree_how(). */
	uint32_t *what;
	/* Capacity of what[]. A tree that has the same nodes and a few more may borrow the array of `lender`, whose
	   `lent` is set meanwhile. `lent` is also set while a tree exists that one query built for itself, because
	   there should be no second one (calltree_mark_lent()). */
	size_t room;
	_Atomic bool lent;
	struct calltree *lender;
	struct rank *ends;
	uint32_t nend;
	uint32_t *end;		/* by sample, or by node of the tree of frames: the end where its weight is added */
	uint32_t *at;		/* result of calltree_prune(), by end of the old tree */
	/* for a tree built from the store's own nodes: the nodes from raw to the next run's raw are at, at + 1 ... in
	   this tree */
	struct calltree_run { uint32_t raw, at; } *run;
	uint32_t nrun;
	/* the weights of all samples of one type; queries that select stacks start from them */
	struct calltree_totals { size_t type; struct packed_int_column *flat; uint8_t *hit; int64_t all, base; } whole;
	/* tags shown as frames (filter_tagged_calltree()), NULL: none. key[] has the keys, those at the root first; v[]
	   has the tags as filter/tag_graft.c stores them */
	struct calltree_tags {
		uint32_t nkey, nroot, n;
		const str_id *key;
		struct calltree_tag {
			str_id label, key;
		} v[];
	} * tags;
	struct spare *_Atomic spare;	/* columns of a weighted tree that was freed, kept for the next one */
	_Atomic bool last;		/* no weighted tree will be built on this tree any more: no columns are kept */
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
/* The number of nodes that can be split off (filter/split_stacks.h). */
#define CALLTREE_SPLIT_MAX(n) ((n) / 8 + 1024)
#define CALLTREE_TAG UINT32_C(0x80000000)

/* Nodes in preorder, in the form of the store's own: forks marks nodes whose parent is not the node before, fork[] has
   their parents. */
struct tree_rows { frm_id *frame; struct rank *forks; uint32_t *fork; };
static inline struct stk_row tree_row(const struct tree_rows *t, uint32_t i)
{
	return (struct stk_row){rank_has(t->forks, i) ? t->fork[rank_below(t->forks, i)] : i - (i != 0), t->frame[i]};
}

void tree_rows_free(struct tree_rows *);

/* A tree of frames; parents come before children. */
struct frames {
	uint32_t n;
	const struct store *st;	/* NULL if neither nodes nor samples are the store's */
	const struct tree_rows *row;	/* NULL: see parent */
	struct tree_rows *spend;	/* NULL, or the same as row: freed when the nodes have been placed */
	const str_id *tag;	/* of rows whose frame is CALLTREE_TAG | number of a tag */
	uint32_t ntag;
	const stk_id *parent;	/* NULL, with row NULL: the store's own first n nodes */
	const frm_id *frame;
	const str_id *label;	/* NULL, or by node: a tag that is shown instead of a frame */
	/* For nodes in preorder: hidden nodes (NULL: none), and nodes that have weight, after rank_seal() (NULL:
	   all). */
	const struct rank *gone, *hit;
	uint32_t nsmp;		/* weights are given for the store's first nsmp samples; 0: for nodes */
	/* NULL, or by sample: its node, which is visible and in `hit`; CALLTREE_NONE: the sample does not count. */
	const uint32_t *of;
	const _Atomic bool *stop;	/* NULL, or set by another thread when the result is no longer needed */
};
/* Build a call tree. Return NULL if it was stopped. */
struct calltree *calltree_new(struct granularity *, const struct frames *);
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
struct calltree *calltree_ref(struct calltree *);
/* Keep the weight of all samples of a type by end, packed; calltree_totals() restores it, or returns false if the
   weights of that type are not kept. */
void calltree_keep_totals(struct calltree *, const struct calltree_totals *of, const int64_t *flat, const uint8_t *hit);
bool calltree_totals(const struct calltree *, size_t type, int64_t *flat, uint8_t *hit);
/* For code that weighs. calltree_drop_spare() frees the columns kept for the next weighted tree; calltree_drop_caches()
   also frees the totals of all samples; calltree_mark_last() does so for good, but keeps the nodes. */
void calltree_drop_spare(struct calltree *);
void calltree_drop_caches(struct calltree *);
void calltree_mark_last(struct calltree *);
/* Set of->lent until s is freed. */
void calltree_mark_lent(struct calltree *, struct calltree *of);
/* Free the ends by sample: the only weighted tree on this tree has been finished. */
void calltree_drop_sample_ends(struct calltree *);
/* Free the ends of subtrees and the ends of samples, unless the tree has another holder. */
void calltree_drop_numbering(struct calltree *);
void calltree_free(struct calltree *);

#endif
