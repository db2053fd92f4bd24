/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_INTERNAL_H
#define TTRACE_FILTER_INTERNAL_H

#include "filter/apply.h"
#include "filter/weigh.h"

/* The inside of a weighing, for filter/weigh.c and weigh_rebuilt.c. */

/* One weighing. Its arrays have a row per node of the tree. */
struct scale {
	const struct snap *sn;
	const struct focus *fc;
	struct arena scratch;
	struct tree tree;
	struct labels labels;
	struct verdict verdict;
	struct derived d;	/* no state: every stack counts */
	struct rank *ends;	/* with of: NULL, or the nodes that samples are at, and what becomes of these */
	struct derived_ends cut;
	struct room {		/* one allocation, so that an arena that is reset keeps it */
		int64_t *flat, *count, *oflat;
		uint32_t *id;	/* its number among those that count */
		stk_id *parent;
		frm_id *frame;
		str_id *label;
		uint8_t *hit;	/* something that counts is at it; then: or below it */
	} r;
	struct onto *onto;	/* NULL, or where weights go instead */
	uint32_t *of;		/* NULL, or by sample: the node that it counts at, or DERIVE_NONE; */
	struct rank *hit;	/* these nodes. Nothing is added up then but what all is */
	uint8_t *keep;		/* NULL, or by its ends what a stack that ends there has seen */
	const struct sides *sides;	/* NULL: there is one */
	int64_t all, base;	/* sums of magnitudes before the filters; of a diff base */
};

void scale_begin(struct scale *, const struct snap *, const struct focus *, bool noinlines, const struct sides *);
void scale_end(struct scale *);
/* Do other filters than those of tags ask what frames are? */
bool scale_by_frames(const struct scale *);
void scale_weigh(struct scale *, size_t type);	/* all samples that count */
str_id scale_unit(const struct snap *, size_t type);

#endif
