/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_WEIGHTS_H
#define TTRACE_CALLTREE_WEIGHTS_H

#include "base/wrap_math.h"
#include "store/store.h"

/*
 * Weights on a call tree: the own weight of each node. The tree is the store's, or one derived from it by a query that
 * removes or adds frames (hide, show, show_from, prune_from, tagroot, granularity). Parents come before children, so
 * one backward pass would compute all totals.
 */
/* Two sides of a difference: A is the profile under examination, B its base. flat and cum have the side or difference
   that is shown; the other column has the value that is needed to derive both sides from it. */
enum side_show { SHOW_DELTA, SHOW_A, SHOW_B, SHOW__N };
struct pair { int64_t a, b; };
static inline struct pair side_pair(enum side_show show, int64_t shown, int64_t other)
{
	if (show == SHOW_DELTA)
		return (struct pair){wrap_add(shown, other), other};
	return show == SHOW_A ? (struct pair){shown, other} : (struct pair){other, shown};
}

/* The inverse of side_pair(): return the value that is shown and set *other to the other column. */
static inline int64_t side_shown(enum side_show show, int64_t a, int64_t b, int64_t *other)
{
	*other = show == SHOW_B ? a : b;
	return show == SHOW_B ? b : show == SHOW_A ? a : wrap_sub(a, b);
}

/* What is one symbol on the screen and in a report. */
enum gran { GR_FUNCTIONS, GR_FILEFUNCTIONS, GR_FILES, GR_LINES, GR_ADDRESSES };

struct weights {
	uint32_t n;		/* nodes; node 0 is the root */
	const stk_id *parent;	/* parent[i] < i */
	const frm_id *frame;	/* into the store's frames; ignored where label is set */
	const str_id *label;	/* NULL, or per node: a tag shown as a frame (else 0) */
	const int64_t *flat;	/* own weight */
	const int64_t *count;	/* NULL, or the number of events in flat */
	const int64_t *oflat;	/* NULL, or the other column of a difference */
	enum side_show show;
	int64_t total;		/* sum of flat, after the filters */
	int64_t all;		/* before the filters; percentages are of this */
	str_id unit;
};

/* Where weights are added when a query does not need a tree of its own: directly to the ends of a call tree
   (tree.h). */
enum { HIT_OWN = 1, HIT_BELOW = 2 };
struct calltree;
struct weigh_target {
	struct weighted_tree *weighted_tree;
	struct calltree *calltree;
	const uint32_t *end;	/* by sample, or by node of the store: its end */
	int64_t *flat, *oflat;	/* by end, initially 0; oflat: or NULL */
	uint8_t *hit;		/* by end: it has weight */
	uint8_t *dead;		/* by symbol: hidden by the query; NULL: none */
	uint8_t *cut;		/* or by node (filter/cut.h); NULL: none */
	/* by end: the node that gets its weight instead, UINT32_MAX: the weight is dropped; NULL: all ends keep their
	   weight */
	uint32_t *to;
	uint32_t nsmp;		/* weights are given for the store's first nsmp samples; 0: for nodes */
	bool walked;		/* the caller will walk over nodes; so no stacks are split off, because the tree without
				   them would be another one of that size */
	bool bare;		/* stacks of which no frame is left count at the root */
	int64_t all;
	str_id unit;
	enum side_show show;
};
static inline void onto_put(struct weigh_target *o, uint32_t end, int64_t v, int64_t other)
{
	o->hit[end] = HIT_OWN;
	o->flat[end] = wrap_add(o->flat[end], v);
	if (o->oflat)
		o->oflat[end] = wrap_add(o->oflat[end], other);
}

#endif
