/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FLAME_H
#define TTRACE_FLAME_H

#include "analysis/calls.h"
#include "base/job.h"

/*
 * A flame graph: a call tree with a place on a line for every node. Places are
 * running sums, so frames of a row tile their parents exactly; a screen rounds
 * the two ends of a frame and never adds up rounded widths.
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
	struct onlooker on;	/* where he says stop there is no flame: NULL */
};

struct flame {
	struct arena arena;
	const struct calls *c;	/* whose things these are */
	struct ctree t;
	int64_t *off, *wid;	/* [off, off+wid) on the line; the root is the whole of it */
	uint32_t *kid0, *kid;	/* children of i: kid[kid0[i]] .. kid[kid0[i+1]-1], by off */
	uint64_t *id;		/* of the path to a node: the same whatever the query */
	uint32_t depth;		/* rows there are, the root's too */
};
struct flame *flame_new(const struct calls *, const struct flame_conf *);
void flame_free(struct flame *);

/* What is drawn of it: spans of cells. */
struct flame_span {
	uint32_t node;		/* for slivers: the first of them */
	int row, x0, x1;	/* cells [x0, x1) */
	double sliver;		/* 0: a frame; else frames narrower than a cell, and how much of the cell
				   they fill, 0..1 */
};
struct flame_look {
	uint32_t zoom;		/* the node that fills the width */
	int cols, rows;		/* of cells; row 0 is the zoomed node, rows above `skip` are not said */
	int skip;
};
typedef void flame_fn(void *arg, const struct flame_span *);
/* Every span in view, parents first, at a cost of cells and not of the tree. */
void flame_each(const struct flame *, const struct flame_look *, flame_fn *, void *arg);
/* Cells of one node in that view; false when it has none of its own (a sliver: x1 == x0 + 1). */
bool flame_cells(const struct flame *, const struct flame_look *, uint32_t node, int *x0, int *x1);
uint32_t flame_row(const struct flame *, uint32_t zoom, uint32_t node);	/* 0: the zoomed one itself */

/* The node with this id; 0: none. */
uint32_t flame_find(const struct flame *, uint64_t id);

/* Nodes whose thing is marked, and the union of their weights: a hit below a hit adds nothing.
   The weight is that of the stacks only on a tree that is not folded. */
uint32_t flame_hits(const struct ctree *, const uint8_t *hit_by_thing, int64_t *weight);

#endif
