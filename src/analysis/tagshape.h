/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TAGSHAPE_H
#define TTRACE_TAGSHAPE_H

#include "analysis/labels.h"
#include "analysis/shape.h"

/*
 * A shape of samples with tags as frames, those of root keys above and those of leaf keys below what a shape of the
 * same samples has, whose nodes are all seen. NULL: it was stopped.
 */
struct shape *shape_tagged(const struct shape *, const struct snap *, const struct labels *, const str_id *key,
    size_t nkey, size_t nroot, const _Atomic bool *stop);
/* Are these the tags that are its frames? */
bool shape_has_tags(const struct shape *, const str_id *key, size_t nkey, size_t nroot);

#endif
