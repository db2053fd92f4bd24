/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_TAG_GRAFT_H
#define TTRACE_FILTER_TAG_GRAFT_H

#include "calltree/labels.h"
#include "calltree/tree.h"

/*
 * A shape of samples with tags as frames, those of root keys above and those of leaf keys below what a shape of the
 * same samples has, whose nodes are all seen. NULL: it was stopped. spend: a holder of that goes as soon as it has been
 * copied.
 */
struct calltree *tag_graft_new(struct calltree *, bool spend, const struct snap *, const struct labels *,
    const str_id *key, size_t nkey, size_t nroot, const _Atomic bool *stop);
/* Are these the tags that are its frames? */
bool tag_graft_has_keys(const struct calltree *, const str_id *key, size_t nkey, size_t nroot);

#endif
