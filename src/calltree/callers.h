/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_CALLERS_H
#define TTRACE_CALLTREE_CALLERS_H

#include "calltree/weighted.h"

/*
 * Who calls a thing and what it calls, one level or several. A call counts a
 * stack once however often it is on it, and a thing that calls itself is no
 * caller of its own: the edges of pprof's graph.
 */
struct call_step { uint32_t at; int64_t w, o; };	/* a node of the tree, and what goes through it here; of the
						   other column of a difference too */

struct link {
	uint32_t symbol;
	int64_t value, other;
	bool inl;		/* inlined at every one of these calls */
	struct call_step *call_step;	/* the calls that it stands for, to go on from */
	uint32_t nstep;
};

/* Heaviest first; in the arena, but for the steps, which are good until another thing is asked for. */
uint32_t calltree_callers(const struct weighted_tree *, uint32_t symbol, struct arena *, struct link **);
uint32_t calltree_callees(const struct weighted_tree *, uint32_t symbol, struct arena *, struct link **);
/* One level further from a link of the same direction. */
uint32_t calltree_callers_next(const struct weighted_tree *, const struct link *, struct arena *, struct link **);
uint32_t calltree_callees_next(const struct weighted_tree *, const struct link *, struct arena *, struct link **);
void calltree_drop_callers(struct weighted_tree *);	/* what was kept of the thing that was asked for */

#endif
