/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TAG_PATHS_H
#define TTRACE_FILTER_TAG_PATHS_H

#include "base/intern.h"
#include "calltree/labels.h"
#include "filter/apply.h"

/*
 * Chains of tags as paths of a small tree: the frames that tags add above or below stacks. For tag_tree.c and
 * tag_graft.c.
 */
struct tag_path_set {
	struct intern index;
	struct tag_path { uint32_t parent; struct frame_tree_tag tag; } *v;	/* v[0] is the empty chain */
	uint32_t n, *pre;	/* pre: place in preorder by index, after tag_paths_finish() */
	size_t cap;
};
void tag_paths_init(struct tag_path_set *);
/* Return the path of a label below another one (0: none), and add it if necessary. label 0: the key is shown, as pprof
   shows a frame that has only a file. */
uint32_t tag_path(struct tag_path_set *, uint32_t parent, str_id label, str_id key);
/* Compute pre[]; no path may be added afterwards. */
void tag_paths_finish(struct tag_path_set *);
void tag_paths_free(struct tag_path_set *);

/* Add the chains of all label sets: those of root keys to `top`, the others to `end`. *top_of and *end_of map a label
   set to the end of its chain in each; the caller frees them. */
void tag_paths_of_sets(const struct snap *, const struct labels *, const str_id *key, size_t nkey, size_t nroot,
    struct tag_path_set *top, struct tag_path_set *end, uint32_t **top_of, uint32_t **end_of);

/* Return the places of nodes in preorder; parent[i] < i. The caller frees the array. */
uint32_t *tag_paths_preorder(const uint32_t *parent, uint32_t n);

#endif
