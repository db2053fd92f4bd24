/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FILTER_STATES_H
#define TTRACE_FILTER_STATES_H

#include "calltree/tree.h"
#include "filter/match.h"

/*
 * Which stacks count: one pass from the root to the leaves, in which each node inherits what has matched above it.
 */

/* Match flags (location.h) of the nodes of a call tree: those of their symbols, and the nodes' own marks. */
struct node_flags { const struct calltree *s; const uint8_t *symbol; };
static inline uint8_t node_flags_at(const struct node_flags *f, uint32_t i)
{
	return f->symbol[calltree_symbol(f->s, i)] | (f->s->mark ? f->s->mark[i] : 0);
}

/* Return by end of a call tree whether its stacks pass focus and ignore (FM_OWN_FOCUS, FM_OWN_IGNORE). The array is in
   the arena. */
const uint8_t *states_of_ends(const struct node_flags *, struct arena *);
/* Return by node of the store, or of n other nodes (struct calltree_source) unless node is NULL, whether stacks that
   end there count, as far as their frames are concerned. NULL: all do. The array is in the arena. */
const uint8_t *states_of_stacks(const struct frame_matches *, const struct snap *, const struct stk_row *node,
    uint32_t n, struct arena *);

#endif
