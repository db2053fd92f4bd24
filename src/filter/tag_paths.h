/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TAG_PATHS_H
#define TTRACE_FILTER_TAG_PATHS_H

#include "base/intern.h"
#include "calltree/labels.h"
#include "calltree/tree.h"

/*
 * Chains of tags as paths of a small tree: the frames that tags add above or below stacks (tag_graft.c).
 */
struct tag_path_set {
	struct intern index;
	struct tag_path { uint32_t parent; struct calltree_tag tag; } *v;	/* v[0] is the empty chain */
	uint32_t n, *pre;	/* pre: place in preorder by index, after tag_paths_finish() */
	size_t cap;
};
/* Compute pre[]; no path may be added afterwards. */
void tag_paths_finish(struct tag_path_set *);
void tag_paths_free(struct tag_path_set *);

/* Add the chains of all label sets: those of root keys to `top`, the others to `end`. *top_of and *end_of map a label
   set to the end of its chain in each; the caller frees them. */
void tag_paths_of_sets(const struct snap *, const struct labels *, const str_id *key, size_t nkey, size_t nroot,
    struct tag_path_set *top, struct tag_path_set *end, uint32_t **top_of, uint32_t **end_of);
/* The same for parts of a trace's weights, whose tags have one key: at the root, or at the leaf. The maps are by part. */
struct trace_tag_weight;
void tag_paths_of_parts(const struct trace_tag_weight *, uint32_t n, str_id key, bool root, struct tag_path_set *top,
    struct tag_path_set *end, uint32_t **top_of, uint32_t **end_of);

#endif
