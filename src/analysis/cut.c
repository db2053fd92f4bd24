/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What filters leave of a shape, node by node.
 *
 * Whether a frame is seen may depend on where it stands: show_from takes away what is above
 * the outermost frame that it fits, prune_from what is below the innermost, noinlines all lines of a location but
 * one. Still no tree of the query is needed: nodes that are not seen are marked, a byte each, and the weight of a
 * stack goes to another node of the same way to the root. One pass over the store's nodes turns verdicts of frames
 * into those of nodes of the shape; show_from is then a matter of whole subtrees, prune_from of the intervals
 * that are open at an end. With a thing's outer calls gone, an inner one may be the first: it counts then.
 *
 * Frames that are one node of the shape may have different verdicts (a function that the same caller calls and has
 * inlined): then this does nothing, and the query gets a tree of its own.
 */
#include "config.h"
#include "analysis/cut.h"

#include "analysis/shape.h"
#include "base/mem.h"

#include <string.h>

enum { WHAT = FV_DEAD | FV_FROM | FV_PRUNE, OUTSIDE = 32, MIXED = 64, ASKED = 128 };

/* Verdicts of frames to nodes; MIXED: some of its frames are dead. false: it has several others. */
static bool mark_nodes(const struct shape *s, const struct snap *sn, const uint8_t *flag, uint8_t *node)
{
	for (uint32_t k = 0; k < s->nrun; k++) {
		uint32_t raw = s->run[k].raw, end = k + 1 < s->nrun ? s->run[k + 1].raw : sn->nstks, at = s->run[k].at;
		while (raw < end) {
			struct stk_pass r = stk_pass(sn->st);
			stk_go(&r, raw);
			uint32_t hi = r.hi < end ? r.hi : end;
			uint8_t differs = 0;
			for (; raw < hi; raw++, at++) {
				uint8_t had = node[at], v = (flag[r.frame[raw - r.lo]] & WHAT) | ASKED;
				uint8_t d = had & ASKED ? (had ^ v) & WHAT : 0;
				differs |= at ? d : 0;
				node[at] = (d & FV_DEAD ? (v & ~FV_DEAD) | MIXED : v) | (had & MIXED);
			}
			if (differs & ~FV_DEAD)
				return false;
		}
	}
	node[0] = 0;
	return true;
}

/* What is not below a frame that show_from fits is gone. */
static void begin_at(const struct shape *s, uint8_t *node)
{
	for (uint32_t i = 1; i < s->n;) {
		if ((node[i] & (FV_FROM | FV_DEAD)) == FV_FROM) {
			i = shape_next(s, i);
			continue;
		}
		node[i] = (node[i] & ~MIXED) | FV_DEAD | OUTSIDE;
		i++;
	}
}

/* Is the same thing seen above it? *steps: how many nodes may still be looked at for that. */
static bool seen_above(const struct shape *s, const uint8_t *node, uint32_t i, uint64_t *steps)
{
	uint32_t t = s->thing[i];
	while ((i = shape_parent(s, i)) && *steps) {
		--*steps;
		if (s->thing[i] == t && !(node[i] & FV_DEAD))
			return true;
	}
	return false;
}

/* Verdicts to what cut.h says. false: recursion so deep that it takes too long this way. */
static bool finish(const struct shape *s, uint8_t *node, bool *any)
{
	uint64_t steps = (uint64_t)s->n * 4 + 1000;
	*any = false;
	for (uint32_t i = 1; i < s->n; i++)
		*any |= (node[i] & FV_DEAD) != 0;
	for (uint32_t i = 1; *any && i < s->n; i++)
		if (s->how[i] & CT_AGAIN && !(node[i] & FV_DEAD) && !seen_above(s, node, i, &steps))
			node[i] |= CUT_FIRST;
	return steps;
}

/* Where the weights of ends go. */
static uint32_t *aim(const struct shape *s, const uint8_t *node, bool prune, bool bare)
{
	uint32_t *to = xmalloc((s->nend + 1u) * sizeof *to), *open = NULL, depth = 0, k = 0;
	size_t cap = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		for (; depth && shape_next(s, open[depth - 1]) <= i; depth--)
			;
		if (prune && (node[i] & (FV_PRUNE | FV_DEAD)) == FV_PRUNE) {
			open = mem_grow(open, &cap, (size_t)depth + 1, sizeof *open);
			open[depth++] = i;
		}
		if (!rank_has(s->ends, i))
			continue;
		uint32_t at = depth ? open[depth - 1] : i;
		while (at && node[at] & FV_DEAD && !(node[at] & OUTSIDE))
			at = shape_parent(s, at);
		to[k++] = (at || bare) && !(node[at] & OUTSIDE) ? at : SHAPE_NONE;
	}
	mem_free(open);
	return to;
}

/* Does it matter that some frames of a node are seen and some are not? Not where no stack goes through it any more. */
static bool matters(const struct shape *s, const uint8_t *node, const uint32_t *to)
{
	bool any = false;
	for (uint32_t i = 1; i < s->n && !any; i++)
		any = node[i] & MIXED;
	if (!any)
		return false;
	struct rank *left = xcalloc(rank_blocks(s->n), sizeof *left);
	for (uint32_t k = 0; k < s->nend; k++)
		if (to[k] != SHAPE_NONE)
			rank_set(left, to[k]);
	rank_seal(left, s->n);
	any = false;
	for (uint32_t i = 1; i < s->n && !any; i++)
		any = node[i] & MIXED && rank_of(left, i) != rank_of(left, shape_next(s, i));
	mem_free(left);
	return any;
}

bool cut_shape(const struct shape *s, const struct snap *sn, const uint8_t *flag, bool from, bool prune, bool bare,
    struct onto *o)
{
	uint8_t *node = xcalloc((size_t)s->n + 1, 1);
	bool any, can = s->nrun && mark_nodes(s, sn, flag, node);
	if (can && from)
		begin_at(s, node);
	uint32_t *to = can ? aim(s, node, prune, bare && !from) : NULL;
	if (!can || matters(s, node, to) || !finish(s, node, &any)) {
		mem_free(to);
		mem_free(node);
		return false;
	}
	o->to = to;
	for (uint32_t i = 0; any && i < s->n; i++)
		node[i] = (node[i] & FV_DEAD ? CUT_GONE : 0) | (node[i] & CUT_FIRST);
	if (any)
		o->cut = node;
	else
		mem_free(node);
	return true;
}
