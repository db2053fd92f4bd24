/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_FLAME_H
#define TTRACE_CALLTREE_FLAME_H

#include "base/job.h"
#include "calltree/node_walk.h"

/*
 * A flame graph: a call tree with places on a line. Places are
 * running sums, so frames of a row tile their parents exactly; a screen rounds
 * the two ends of a frame and never adds up rounded widths.
 *
 * A node gets its place when somebody looks at its parent's children, and who shows, moves and zooms deals with
 * places, by number. They stay where they are as long as the flame.
 */
struct flame_conf {
	enum order order;
	bool reverse;		/* merged from the leaves */
	bool fold_recursion;	/* a thing below itself is the same frame */
	bool fold_runtime;	/* runtime (and standard library) frames below one of their own kind
				   are part of it */
	uint32_t pivot;		/* 0, or the thing to look from: callees, or with `up` callers */
	bool up;
	bool more;		/* of a difference: only what has become more has a width */
	struct progress_watcher on;	/* where he says stop there is no flame: NULL */
};

struct flame_place {
	uint32_t node;		/* of the tree */
	uint32_t up;		/* the place of its parent */
	uint32_t kid0, nkid;	/* its children are places kid0 .. kid0 + nkid - 1, by off: see flame_kids() */
	int64_t off, wid;	/* [off, off+wid) on the line; the root, place 0, is the whole of it */
	uint64_t id;		/* of the path to it: the same whatever the query */
};

/* Places are made when somebody looks at them, which changes nothing of what a flame says: so they are no part of it,
   but lie beside it. */
struct flame_places {
	struct flame_place *at;
	uint32_t n;
	size_t cap;
};

struct flame {
	struct arena arena;
	const struct weighted_tree *c;	/* whose things these are */
	struct nodes t;
	struct calltree *made;	/* NULL, or theirs, when it was put together for this; as where something is gone */
	const int64_t *run;	/* running sums of widths over the ends that weights are at */
	struct flame_places *open;
	enum order order;
	uint32_t depth;		/* of callers (`up`): rows there are, the root's too */
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
	return nodes_own(&f->t, f->open->at[place].node);
}
static inline bool flame_inlined(const struct flame *f, uint32_t place)
{
	return (nodes_how(&f->t, f->open->at[place].node) & (CT_INL | CT_NOTINL)) == CT_INL;
}
/* Is it in the subtree of another one? */
static inline bool flame_below(const struct flame *f, uint32_t place, uint32_t top)
{
	uint32_t node = f->open->at[place].node, from = f->open->at[top].node;
	return node >= from && node < nodes_next(&f->t, from);
}

/* The children of a place, the first of them at *first; the places may lie elsewhere afterwards. */
uint32_t flame_kids(const struct flame *, uint32_t place, uint32_t *first);
/* The place of a node that counts; it is looked for from the root on. */
uint32_t flame_place_of(const struct flame *, uint32_t node);
/* Of the heaviest node of a thing, the first of these; 0: none. */
uint32_t flame_heaviest(const struct flame *, uint32_t symbol);
/* With this id; 0: none. All nodes are asked when it is none of those that have been looked at. */
uint32_t flame_find(const struct flame *, uint64_t id);
/* Down a path of ids from below the root; *n: how many of its steps there are. */
uint32_t flame_follow(const struct flame *, const uint64_t *path, size_t *n);

/* What is drawn of it: spans of cells. */
struct flame_span {
	uint32_t place;		/* for slivers: the first of them */
	int row, x0, x1;	/* cells [x0, x1) */
	double sliver;		/* 0: a frame; else frames narrower than a cell, and how much of the cell
				   they fill, 0..1 */
};
struct flame_viewport {
	uint32_t zoom;		/* the place that fills the width */
	int cols, rows;		/* of cells; row 0 is the zoomed one, rows above `skip` are not said */
	int skip;
};
typedef void flame_fn(void *arg, const struct flame_span *);
/* Every span in view, parents first, at a cost of cells and not of the tree. */
void flame_each(const struct flame *, const struct flame_viewport *, flame_fn *, void *arg);
/* Cells of one place in that view; false when it has none of its own (a sliver: x1 == x0 + 1). */
bool flame_cells(const struct flame *, const struct flame_viewport *, uint32_t place, int *x0, int *x1);
uint32_t flame_row(const struct flame *, uint32_t zoom, uint32_t place);	/* 0: the zoomed one itself */

/* Nodes whose thing is marked, and the union of their weights: a hit below a hit adds nothing.
   The weight is that of the stacks only on a tree that is not folded. before[]: how many there are before each block of
   nodes, of flame_blocks(). */
enum { FLAME_BLOCK = 16384 };
static inline uint32_t flame_blocks(const struct nodes *t) { return t->n / FLAME_BLOCK + 1; }
uint32_t flame_hits(const struct nodes *, const uint8_t *hit_by_symbol, int64_t *weight, uint32_t *before);

#endif
