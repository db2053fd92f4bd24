/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_FLAME_INTERNAL_H
#define TTRACE_CALLTREE_FLAME_INTERNAL_H

#include "calltree/flame.h"

/* For flame.c, flame_prune.c and flame_invert.c. */

/* In the condition of loops over nodes, counted from 0: who comes after one that was stopped does nothing. */
static inline bool flame_wanted(const struct flame_conf *f, uint32_t i)
{
	return i % 65536 || job_should_continue(&f->on);
}

/* Other trees, see struct flame_conf; half of one where it was stopped. What is left of nodes without those that are
   gone, and without those that are folded; */
struct calltree *flame_pruned(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);
/* from the pivot down, up, or turned round, which leaves out what is gone as well. */
struct calltree *flame_callees(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);
struct calltree *flame_callers(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);
struct calltree *flame_inverted(const struct nodes *, const struct flame_conf *, struct end_sums *, struct arena *);

#endif
