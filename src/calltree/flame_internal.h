/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_FLAME_INTERNAL_H
#define TTRACE_CALLTREE_FLAME_INTERNAL_H

#include "calltree/flame.h"

/* Shared by flame.c, flame_prune.c and flame_invert.c. */

/* Condition of loops over nodes, where i counts from 0: return false if the work is to stop. The watcher is asked every
   65,536 nodes. After a stop, all later loops end at once too. */
static inline bool flame_wanted(const struct flame_conf *f, uint32_t i)
{
	return i % 65536 || job_should_continue(&f->on);
}

/* Build other trees as struct flame_conf requests; if the work is stopped the result is incomplete and the caller frees
   it. flame_pruned() leaves out hidden nodes and merges folded ones. */
struct calltree *flame_pruned(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);
/* flame_callees() builds the tree below the pivot, flame_callers() the tree above it, flame_inverted() the tree merged
   from the leaves. All three leave out hidden nodes. */
struct calltree *flame_callees(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);
struct calltree *flame_callers(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);
struct calltree *flame_inverted(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);

#endif
