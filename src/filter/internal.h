/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_INTERNAL_H
#define TTRACE_FILTER_INTERNAL_H

#include "filter/apply.h"
#include "filter/weigh.h"

/* The inside of a weighing, for filter/weigh.c and weigh_rebuilt.c. */

/* One weighing. Its arrays have a row per node of the tree. */
struct weigh_context {
	const struct snap *sn;
	const struct compiled_filters *fc;
	struct arena scratch;
	struct frame_tree frame_tree;
	struct labels labels;
	struct frame_matches frame_matches;
	struct filter_result d;	/* no state: every stack counts */
	struct rank *ends;	/* with of: NULL, or the nodes that samples are at, and what becomes of these */
	struct filter_end_result cut;
	struct room {		/* one allocation, so that an arena that is reset keeps it */
		int64_t *flat, *count, *oflat;
		uint32_t *id;	/* its number among those that count */
		stk_id *parent;
		frm_id *frame;
		str_id *label;
		uint8_t *hit;	/* something that counts is at it; then: or below it */
	} r;
	struct weigh_target *weigh_target;	/* NULL, or where weights go instead */
	uint32_t *of;		/* NULL, or by sample: the node that it counts at, or FILTER_NONE; */
	struct rank *hit;	/* these nodes. Nothing is added up then but what all is */
	uint8_t *keep;		/* NULL, or by its ends what a stack that ends there has seen */
	const struct sides *sides;	/* NULL: there is one */
	int64_t all, base;	/* sums of magnitudes before the filters; of a diff base */
};

void weigh_begin(
    struct weigh_context *, const struct snap *, const struct compiled_filters *, bool noinlines, const struct sides *);
void weigh_end(struct weigh_context *);
/* Do other filters than those of tags ask what frames are? */
bool weigh_by_frames(const struct weigh_context *);
void weigh_samples(struct weigh_context *, size_t type);	/* all samples that count */
str_id weigh_unit(const struct snap *, size_t type);

#endif
