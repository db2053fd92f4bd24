/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_TREE_H
#define TTRACE_CALLTREE_TREE_H

#include "base/job.h"
#include "base/mem/packed_ints.h"
#include "base/rank_bitmap.h"
#include "calltree/granularity.h"

/*
 * A tree of frames merged by thing, before anything is weighed on it. In
 * preorder: the subtree of i is i .. calltree_next(i)-1. Siblings stand in the order in
 * which they were first seen. Weighings share it, so what stays the same from
 * one query to the next is made once.
 *
 * Weights are only ever put where stacks end, and those nodes are few. They are
 * numbered in preorder: ends[] has them, and the ends at or below node i are
 * rank_below(ends, i) .. rank_below(ends, calltree_next(i))-1. So a subtree's total is a difference
 * of two running sums.
 *
 * Where subtrees end is kept for what turns alone: the children of nodes that have two or more. Nodes on the way down
 * to a fork end where it does, and they are most.
 */
struct spare { size_t n; int64_t v[]; };	/* of a weighing, so many bytes */
struct calltree {
	_Atomic uint32_t refs;	/* a weighing may be made beside the interface */
	struct granularity *granularity;
	uint32_t n;
	uint32_t aside;		/* 0, or: from here on siblings may be the same thing, below the root too (split_stacks.h), */
	uint32_t *odd, nodd;	/* for these samples */
	bool preorder;		/* the nodes that it is made of are in preorder */
	struct rank *forks;	/* nodes that are not the first child: all others have the node before as parent */
	uint32_t *fork;		/* their parents */
	uint32_t nfork;
	size_t cfork;
	struct rank *turns;	/* the root, and nodes that have siblings: where their subtrees end, */
	uint32_t *turn;		/* and those of the nodes up to the next of these */
	uint32_t *what; /* its thing, and in the lowest bits how it is called: calltree_symbol(), calltree_how() */
	/* it has so much room, which one that has the same nodes and a few more may borrow, and them with it; lent as
	   well: there is one beside it, of a query alone, and had better be no other (calltree_mark_lent()) */
	size_t room;
	_Atomic bool lent;
	struct calltree *lender;
	struct rank *ends;
	uint32_t nend;
	uint32_t *end;		/* by sample, or by node of the tree of frames: the end that it goes to */
	uint32_t *at;		/* of calltree_prune(), by the old one's ends */
	/* of the store's own tree: its nodes from raw to the next one's raw are at, at + 1 ... here */
	struct calltree_run { uint32_t raw, at; } *run;
	uint32_t nrun;
	/* what all samples weigh, of one type: queries that choose stacks begin with it */
	struct calltree_totals { size_t type; struct packed_int_column *flat; uint8_t *hit; int64_t all, base; } whole;
	/* tags that are frames (filter_tagged_calltree()): of which keys, those at the root first; and which, as
	   tag_graft.c has them. NULL: none are */
	struct calltree_tags {
		uint32_t nkey, nroot, n;
		const str_id *key;
		struct calltree_tag {
			str_id label, key;
		} v[];
	} * tags;
	struct spare *_Atomic spare;	/* the columns of a weighing that is over, for the next one */
	_Atomic bool last;		/* no weighing will be on it any more: nothing is kept for one */
};

/* How a node is called, and whether it is from below itself. */
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
#define CALLTREE_SPLIT_MAX(n) ((n) / 8 + 1024)	/* how many nodes can be laid aside */
#define CALLTREE_TAG UINT32_C(0x80000000)

/* Nodes in preorder, as the store has its own: the parents of those that do not lie right behind them. */
struct profile_restore_rows { frm_id *frame; struct rank *forks; uint32_t *fork; };
static inline struct stk_row tree_row(const struct profile_restore_rows *t, uint32_t i)
{
	return (struct stk_row){rank_has(t->forks, i) ? t->fork[rank_below(t->forks, i)] : i - (i != 0), t->frame[i]};
}

void tree_rows_free(struct profile_restore_rows *);

/* A tree of frames; parents come first. */
struct frames {
	uint32_t n;
	const struct store *st;	/* NULL where neither nodes nor samples are its own */
	const struct profile_restore_rows *row;	/* NULL: see parent */
	struct profile_restore_rows *spend;	/* NULL, or the same: they go when the nodes have their places */
	const str_id *tag;	/* of rows whose frame is CALLTREE_TAG | the number of a tag */
	uint32_t ntag;
	const stk_id *parent;	/* NULL as well: the store's own first n nodes */
	const frm_id *frame;
	const str_id *label;	/* NULL, or per node a tag that stands for a frame */
	/* Of nodes in preorder: those that are not seen, and those that something counts at (rank_seal()ed). NULL:
	   none; all */
	const struct rank *gone, *hit;
	uint32_t nsmp;		/* weights come by the store's first nsmp samples; 0: by node */
	const uint32_t *of; /* NULL, or by sample: its node, which is seen and hit, CALLTREE_NONE: it does not count */
	const _Atomic bool *stop;	/* NULL, or: set when nobody wants it any more */
};
/* NULL: it was stopped. */
struct calltree *calltree_new(struct granularity *, const struct frames *);
/* Nodes that become part of others further up: those of the nodes at[], from first[] to the next one's first. */
struct calltree_folds {
	struct rank *at;
	uint32_t *first, *node;
};
/* What is left of a shape without the nodes that are PRUNE_GONE. PRUNE_PART ones become part of the nearest, those that
   `folds` has, if it is not NULL, of those that it says; and those of which hit[] says nothing are not there, nor is
   what is below them. at[] is by these ends of the old one that are hit: the nearest that is left; none: the root.
   It has no ends, and calltree_close() has yet to say where its subtrees end. Where the onlooker says stop, half of it
   is made. */
struct calltree *calltree_prune(const struct calltree *, const uint8_t *hit, const struct rank *ends, uint32_t nend,
    const struct calltree_folds *, const struct progress_watcher *);
enum { PRUNE_HIT = 1, PRUNE_GONE, PRUNE_PART };
/* Two bits each, which are set once; of n nodes so many bytes. */
static inline size_t prune_bytes(uint32_t n) { return n / 4 + 1; }
static inline void prune_set_mark(uint8_t *hit, uint32_t i, uint32_t left)
{
	hit[i / 4] |= (uint8_t)(left << i % 4 * 2);
}
static inline uint32_t prune_mark_at(const uint8_t *hit, uint32_t i) { return hit[i / 4] >> i % 4 * 2 & 3; }
void calltree_close(struct calltree *);	/* all nodes are there: calltree_next(), and s->forks may be asked */
struct calltree *calltree_ref(struct calltree *);
/* What all samples of a type weigh, by end, is kept; said again: false, it is not kept. In as few bytes as it takes. */
void calltree_keep_totals(struct calltree *, const struct calltree_totals *of, const int64_t *flat, const uint8_t *hit);
bool calltree_totals(const struct calltree *, size_t type, int64_t *flat, uint8_t *hit);
/* For who weighs: nothing is weighed on it for now, so the room of a weighing goes, or what all samples weigh as well; or
   never again, and nodes stay. */
void calltree_drop_spare(struct calltree *);
void calltree_drop_caches(struct calltree *);
void calltree_mark_last(struct calltree *);
void calltree_mark_lent(struct calltree *, struct calltree *of);	/* of->lent, as long as the first is there */
void calltree_drop_sample_ends(struct calltree *);	/* the only weighing on it is over: where samples end goes */
void calltree_drop_numbering(struct calltree *); /* nor, where nobody else holds it, where subtrees and samples end */
void calltree_free(struct calltree *);

#endif
