/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TAG_PATHS_H
#define TTRACE_FILTER_TAG_PATHS_H

#include "base/intern.h"
#include "calltree/labels.h"
#include "filter/apply.h"

/*
 * Chains of tags as paths of a small tree: what tags as frames put above or below stacks. For tag_tree.c and
 * tag_graft.c.
 */
struct tag_path_set {
	struct intern index;
	struct tag_path { uint32_t parent; struct frame_tree_tag tag; } *v;	/* v[0] is none */
	uint32_t n, *pre;	/* pre: their places in preorder */
	size_t cap;
};
void tag_paths_init(struct tag_path_set *);
/* The one of a label below another one, 0: none; label 0: as pprof shows a frame that has a file only. */
uint32_t tag_path(struct tag_path_set *, uint32_t parent, str_id label, str_id key);
void tag_paths_finish(struct tag_path_set *);		/* there will be no more: places */
void tag_paths_free(struct tag_path_set *);

/* Chains of root keys in top, of the others in end; by label set where it ends in each, which the caller frees. */
void tag_paths_of_sets(const struct snap *, const struct labels *, const str_id *key, size_t nkey, size_t nroot,
    struct tag_path_set *top, struct tag_path_set *end, uint32_t **top_of, uint32_t **end_of);

/* The places of nodes in preorder; parent[i] < i. */
uint32_t *tag_paths_preorder(const uint32_t *parent, uint32_t n);

#endif
