/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_INTERNAL_H
#define TTRACE_FILTER_INTERNAL_H

#include "filter/apply.h"
#include "filter/weigh.h"

/* The state of a weighing, for weigh.c and weigh_rebuilt.c. */

/* One weighing. Its arrays have a row for each node of the tree. */
struct weigh_context {
	const struct snap *sn;
	const struct compiled_filters *fc;
	struct arena scratch;
	struct frame_tree frame_tree;
	struct labels labels;
	struct frame_matches frame_matches;
	struct filter_result d;	/* no state: every stack counts */
	struct rank *ends;	/* with `of`: NULL, or the nodes that have samples; cut has the result of the filters on
				   them */
	struct filter_end_result cut;
	struct room {		/* one allocation, so that an arena that is reset reuses it */
		int64_t *flat, *count, *oflat;
		uint32_t *id;	/* its number among the nodes that are left */
		stk_id *parent;
		frm_id *frame;
		str_id *label;
		uint8_t *hit;	/* it has weight; later: it has weight at or below it */
	} r;
	struct weigh_target *weigh_target;	/* NULL, or the target that gets the weights instead */
	uint32_t *of;		/* NULL, or by sample: the node where it counts, or FILTER_NONE */
	struct rank *hit;	/* with `of`: the nodes in it. Then no weights are added up but `all` and `base` */
	uint8_t *keep;		/* NULL, or by end of the target: the match flags of a stack that ends there */
	const struct sides *sides;	/* NULL: there is only one side */
	int64_t all, base;	/* sums of absolute values before the filters: of all samples, and of those of a diff
				   base */
};

void weigh_begin(
    struct weigh_context *, const struct snap *, const struct compiled_filters *, bool noinlines, const struct sides *);
void weigh_end(struct weigh_context *);
/* Return whether filters other than those on tags depend on frames. */
bool weigh_by_frames(const struct weigh_context *);
/* Weigh all samples that count. */
void weigh_samples(struct weigh_context *, size_t type);
str_id weigh_unit(const struct snap *, size_t type);

#endif
