/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_WEIGH_H
#define TTRACE_WEIGH_H

#include "store/store.h"

/*
 * Weights on a call tree: how much each node has of its own and with all below
 * it. The tree is the store's, or one derived from it by a query that removes
 * or adds frames (hide, show, show_from, prune_from, tagroot, granularity).
 * Parents come before children, so every total is one backward pass.
 */
struct weights {
	uint32_t n;		/* nodes; node 0 is the root */
	const stk_id *parent;	/* parent[i] < i */
	const frm_id *frame;	/* into the store's frames; see label for those that are no frames */
	const str_id *label;	/* NULL, or per node: a tag shown as a frame (else 0) */
	const int64_t *flat;	/* own weight */
	const int64_t *cum;	/* with descendants: recursion is NOT collapsed here */
	const int64_t *count;	/* NULL, or how many events make up flat */
	int64_t total;		/* sum of flat: after the filters */
	int64_t all;		/* before the filters: percentages are of this */
	str_id unit;
};

/* Per function: flat, and cum counted once per stack however often it recurs. */
struct fun_weight { fun_id fun; int64_t flat, cum; };
struct fun_weight *weigh_functions(const struct store *, const struct weights *, struct arena *, uint32_t *n);

#endif
