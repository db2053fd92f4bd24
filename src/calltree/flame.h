/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_FLAME_H
#define TTRACE_CALLTREE_FLAME_H

#include "base/job.h"
#include "calltree/node_walk.h"

/*
 * A flame graph: a call tree whose nodes have places on a line. Places are running sums, so the frames of a row tile
 * their parents exactly. A screen rounds the two ends of a frame and never adds up rounded widths.
 *
 * A node gets its place when the children of its parent are requested (flame_kids()). Callers that draw, move and zoom
 * refer to places by number. The numbers stay valid as long as the flame exists.
 */
struct flame_conf {
	enum order order;
	bool reverse;		/* merge stacks from the leaves */
	bool fold_equal;	/* one place for frames of a symbol that call only each other; not with a pivot */
	bool fold_recursion;	/* merge a symbol with the nearest frame of the same symbol above it */
	bool fold_runtime;	/* merge runtime and standard library frames into a parent of one of these kinds */
	uint32_t pivot;		/* 0, or the symbol at the root: its callees, or its callers if `up` is set */
	bool up;
	bool more;		/* of a difference: only nodes whose weight increased have a width */
	struct progress_watcher on;	/* if it stops the work, flame_new() returns NULL */
};

struct flame_place {
	uint32_t node;		/* of the call tree */
	uint32_t last, rows;	/* with fold_equal: the last node that the place stands for, and how many; else node, 1 */
	uint32_t up;		/* the place of its parent */
	uint32_t kid0, nkid;	/* its children are the places kid0 .. kid0 + nkid - 1, ordered by off; valid after
				   flame_kids() */
	int64_t off, wid;	/* [off, off+wid) on the line; the root, place 0, covers all of it */
	uint64_t id;		/* hash of the path to it, independent of the query */
};

/* Places are created on demand, which does not change the contents of a flame. They are kept in a separate block, so
   that a const flame can be given new ones. */
struct flame_places {
	struct flame_place *at;
	uint32_t n;
	size_t cap;
};

struct flame {
	struct arena arena;
	const struct weighted_tree *c;	/* the weighted tree whose symbols the nodes refer to */
	struct nodes t;
	struct calltree *made;	/* NULL, or the tree that was built for this flame (inverted, from a pivot, folded, or
				   without hidden nodes) */
	const int64_t *run;	/* running sums of widths over the ends */
	struct flame_places *open;
	enum order order;
	bool fold_equal;
	uint32_t depth;		/* with `up`: the number of rows, the root included; else 1 */
};
struct flame *flame_new(const struct weighted_tree *, const struct flame_conf *);
void flame_free(struct flame *);

static inline uint32_t flame_symbol_of(const struct flame *f, uint32_t place)
{
	return nodes_symbol(&f->t, f->open->at[place].node);
}
static inline struct weighted_sum flame_sum(const struct flame *f, uint32_t place)
{
	return nodes_sum(&f->t, f->open->at[place].node);
}
static inline struct weighted_sum flame_own(const struct flame *f, uint32_t place)
{
	const struct flame_place *p = &f->open->at[place];
	struct weighted_sum own = nodes_own(&f->t, p->last);
	if (p->last == p->node)
		return own;
	struct weighted_sum all = nodes_sum(&f->t, p->node), last = nodes_sum(&f->t, p->last);
	return (struct weighted_sum){all.hits - last.hits + own.hits, wrap_add(wrap_sub(all.w, last.w), own.w),
	    wrap_add(wrap_sub(all.o, last.o), own.o)};
}
static inline bool flame_inlined(const struct flame *f, uint32_t place)
{
	return (nodes_how(&f->t, f->open->at[place].node) & (CT_INL | CT_NOTINL)) == CT_INL;
}
/* Return whether a place is in the subtree of another one, or is that one. */
static inline bool flame_below(const struct flame *f, uint32_t place, uint32_t top)
{
	uint32_t node = f->open->at[place].node, from = f->open->at[top].node;
	return node >= from && node < nodes_next(&f->t, from);
}

/* Set *first to the first child of a place and return the number of children. This may move the array of places. */
uint32_t flame_kids(const struct flame *, uint32_t place, uint32_t *first);
/* Return the place of a node that has weight, or of the one that stands for it; places are created on the path from the root to it. */
uint32_t flame_place_of(const struct flame *, uint32_t node);
/* Return the place of the widest node of a symbol, the first one of equal nodes; 0: none. */
uint32_t flame_heaviest(const struct flame *, uint32_t symbol);
/* Return the place with this id, 0: none. All nodes are searched if no existing place has the id. */
uint32_t flame_find(const struct flame *, uint64_t id);
/* Follow a path of ids from the root and return the last place found. *n is the length of the path; it is set to the
   number of ids that were found. */
uint32_t flame_follow(const struct flame *, const uint64_t *path, size_t *n);

/* A span of cells to draw. */
struct flame_span {
	uint32_t place;		/* for slivers: the first of them */
	int row, x0, x1;	/* cells [x0, x1) */
	double sliver;		/* 0: a frame. Otherwise frames narrower than a cell, and the part of the cell that they
				   fill, up to 1 */
};
struct flame_viewport {
	uint32_t zoom;		/* the place that fills the width */
	int cols, rows;		/* in cells; row 0 is the zoomed place; the first `skip` rows are not reported */
	int skip;
};
typedef void flame_fn(void *arg, const struct flame_span *);
/* Call fn for every span in view, parents first. The cost depends on the number of cells, not on the size of the
   tree. */
void flame_each(const struct flame *, const struct flame_viewport *, flame_fn *, void *arg);
/* Compute the cells of one place in that view. Return false if it is narrower than a cell and part of a sliver; then x1
   == x0 + 1. */
bool flame_cells(const struct flame *, const struct flame_viewport *, uint32_t place, int *x0, int *x1);
/* Return the row of a place; 0: the zoomed place itself. */
uint32_t flame_row(const struct flame *, uint32_t zoom, uint32_t place);

/* Count the nodes whose symbol is marked, and set *weight to the union of their weights: a match below another match
   adds nothing. On a folded tree *weight is not the weight of the matching stacks. Set before[b] to the number of
   matches before each block b of FLAME_BLOCK nodes; it has flame_blocks() entries. */
enum { FLAME_BLOCK = 16384 };
static inline uint32_t flame_blocks(const struct nodes *t) { return t->n / FLAME_BLOCK + 1; }
uint32_t flame_hits(const struct nodes *, const uint8_t *hit_by_symbol, int64_t *weight, uint32_t *before);

#endif
