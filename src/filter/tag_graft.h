/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TAG_GRAFT_H
#define TTRACE_FILTER_TAG_GRAFT_H

#include "calltree/tree.h"
#include "filter/match.h"

/* Tags that become frames: those of the samples' labels, or those of parts. */
struct tag_frames {
	str_id key[KEYS_MAX];		/* root keys first */
	size_t nkey, nroot;		/* nkey 0: none */
	const struct trace_tag_weight *part;	/* NULL: the labels of samples */
	uint32_t npart;
};
struct weigh_source;
struct tag_frames tag_frames_find(const struct snap *, const struct compiled_filters *, const struct weigh_source *);

/* Return the mark of a tag's nodes. */
typedef uint8_t tag_mark_fn(const void *of, const struct calltree_tag *);

/*
 * Return a call tree of all samples (or parts) with tags as frames: root keys above and leaf keys below the stacks of a
 * given tree, which has the ends of samples (of the store's nodes if there are parts). end[] of the result is by sample
 * (by part). mark: not NULL if the given tree has marks. NULL: it was stopped.
 */
struct calltree *tag_graft_new(const struct calltree *, const struct snap *, const struct tag_frames *, tag_mark_fn *mark,
    const void *of, const _Atomic bool *stop);
/* Return whether these are the keys whose tags are frames of the tree. */
bool tag_graft_has_keys(const struct calltree *, const struct tag_frames *);

#endif
