/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TAG_GRAFT_H
#define TTRACE_FILTER_TAG_GRAFT_H

#include "calltree/labels.h"
#include "calltree/tree.h"

/*
 * Return a call tree of the same samples with tags as frames: root keys above and leaf keys below the stacks of a given
 * tree, in which no node is hidden. NULL: it was stopped. spend: release one reference to the given tree as soon as it
 * has been copied.
 */
struct calltree *tag_graft_new(struct calltree *, bool spend, const struct snap *, const struct labels *,
    const str_id *key, size_t nkey, size_t nroot, const _Atomic bool *stop);
/* Return whether these are the keys whose tags are frames of the tree. */
bool tag_graft_has_keys(const struct calltree *, const str_id *key, size_t nkey, size_t nroot);

#endif
