/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_WEIGH_H
#define TTRACE_FILTER_WEIGH_H

#include "base/err.h"
#include "calltree/weights.h"
#include "filter/compile.h"

#include <stdatomic.h>

/*
 * The filters of a query on the store's call tree: pprof's focus, ignore, hide, show, show_from, prune_from and tag
 * filters, evaluated once per function and node, never per sample.
 */

/* The samples of side A and those of side B: bit k stands for the samples of file k. */
struct sides {
	uint64_t a, b;
	enum side_show show;
	double ratio;		/* factor of A's values; 0 or 1: unchanged */
	int64_t whole;		/* reference of percentages of a difference; 0: the total of B */
};
static inline bool side_in(uint64_t set, uint32_t side) { return side < 64 && set >> side & 1; }

/* What is weighed: the samples of a type; or the weights that the store's nodes have already, as those of a trace
   (trace/as_profile.h); or parts of such weights, whose tag becomes a frame. Tag filters apply to samples only. */
struct weigh_source {
	size_t type;
	const struct sides *sides;	/* NULL: all samples count, and there is one side */
	const int64_t *flat;		/* NULL, or weights by node */
	const int64_t *count;		/* NULL, or the number of events in each */
	const int64_t *base;		/* NULL, or the weights of side B */
	bool part_base;			/* parts have weights of side B */
	const struct trace_tag_weight *part;	/* NULL, or parts */
	uint32_t npart;
	bool part_at_leaf;		/* the tag of a part is below its stack, otherwise above it */
	const struct stk_row *node;	/* NULL: nodes are the store's; or nnode other ones, see calltree_source */
	uint32_t nnode;
	enum side_show show;		/* of nodes and parts */
	str_id unit;			/* likewise */
	uint32_t sampled, sampled_of;	/* see trace_weights */
	bool approximate;		/* likewise */
	bool estimated;			/* each weight is an estimate, the sum of all is not */
};

/* The call trees of a snapshot and a granularity that are kept from one query to the next. */
struct filter_trees {
	struct granularity *granularity;	/* set by the caller; a reference */
	struct calltree *plain;	/* of the store's nodes; NULL: not built yet */
	struct calltree *special;	/* NULL, or the tree of the latest query that needs another one: with tags as
					   frames, or with marks */
};
void filter_trees_drop(struct filter_trees *);	/* free the trees, keep the granularity */
void filter_trees_drop_special(struct filter_trees *);

/* Return the weighted call tree of a query. Trees that it needs and *k lacks are built and kept there. NULL: it was
   stopped by *stop, which may be NULL. */
struct weighted_tree;
struct weighted_tree *filter_weigh(struct filter_trees *k, const struct snap *, const struct compiled_filters *,
    bool noinlines, const struct weigh_source *, const _Atomic bool *stop);

/* sides.c. sides_ratio() returns the factor of A's values that makes their sum equal to B's; sides_whole() the sum of
   absolute values of the difference between A and B, where samples of the same stack and labels count as one;
   sides_scaled() a value times a ratio. */
double sides_ratio(const struct snap *, size_t type, uint64_t a, uint64_t b);
int64_t sides_whole(const struct snap *, size_t type, const struct sides *);
int64_t sides_scaled(int64_t v, double ratio);

#endif
