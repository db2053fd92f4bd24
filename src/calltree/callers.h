/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CALLTREE_CALLERS_H
#define TTRACE_CALLTREE_CALLERS_H

#include "calltree/weighted.h"

/*
 * Callers and callees of a symbol, one level or several. A call counts a stack once, however often the call occurs in
 * it. A symbol that calls itself is not its own caller. These are the edges of pprof's graph.
 */
/* A node of the call tree, and the weight that passes through it on this path, in both columns of a difference. */
struct call_step { uint32_t at; int64_t w, o; };

struct link {
	uint32_t symbol;
	int64_t value, other;
	bool inl;		/* inlined at every one of these calls */
	struct call_step *call_step;	/* the calls that this link sums up; the next level starts from them */
	uint32_t nstep;
};

/* Set *out to the callers or callees of a symbol, heaviest first, and return their number. The array is allocated in
   the arena, but the call_step arrays are valid only until the next query for another symbol. */
uint32_t calltree_callers(const struct weighted_tree *, uint32_t symbol, struct arena *, struct link **);
uint32_t calltree_callees(const struct weighted_tree *, uint32_t symbol, struct arena *, struct link **);
/* Return the callers of a caller, or the callees of a callee: one level further than the link. */
uint32_t calltree_callers_next(const struct weighted_tree *, const struct link *, struct arena *, struct link **);
uint32_t calltree_callees_next(const struct weighted_tree *, const struct link *, struct arena *, struct link **);
/* Release the cached callers and callees of the symbol that was queried last. */
void calltree_drop_callers(struct weighted_tree *);

#endif
