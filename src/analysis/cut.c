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
 * inlined, a library that has what the program has as well): then the stacks through it are laid aside (aside.c), and
 * where that can't be this does nothing and the query gets a tree of its own.
 */
#include "config.h"
#include "analysis/cut.h"

#include "analysis/aside.h"
#include "base/mem.h"

#include <string.h>

enum { WHAT = FV_DEAD | FV_FROM | FV_PRUNE, OUTSIDE = 32, MIXED = 64, ASKED = 128 };

/* Verdicts of frames 0 .. n-1 to nodes, of which some may have one. What differs. */
static uint8_t mark_again(const uint8_t *flag, const frm_id *frame, uint32_t n, uint8_t *node)
{
	uint8_t differs = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t had = node[i], v = (flag[frame[i]] & WHAT) | ASKED;
		uint8_t d = had & ASKED ? (had ^ v) & WHAT : 0;
		differs |= d;
		node[i] = (d & FV_DEAD ? (v & ~FV_DEAD) | MIXED : v) | (had & MIXED);
	}
	return differs;
}

/* The same of nodes that have none yet: nearly all. */
static void mark(const uint8_t *flag, const frm_id *frame, uint32_t n, uint8_t *node)
{
	for (uint32_t i = 0; i < n; i++)
		node[i] = (flag[frame[i]] & WHAT) | ASKED;
}

/* Verdicts of frames to nodes; MIXED: some of its frames are dead. false: it has several others. */
static bool mark_nodes(const struct shape *s, const struct snap *sn, const uint8_t *flag, uint8_t *node)
{
	uint32_t top = 1;	/* from here on none has a verdict */
	uint8_t differs = 0;
	for (uint32_t k = 0; k < s->nrun; k++) {
		uint32_t raw = s->run[k].raw, end = k + 1 < s->nrun ? s->run[k + 1].raw : sn->nstks, at = s->run[k].at;
		while (raw < end) {
			struct stk_pass r = stk_pass(sn->st);
			stk_go(&r, raw);
			uint32_t n = (r.hi < end ? r.hi : end) - raw, again = at >= top ? 0 : top - at < n ? top - at : n;
			differs |= mark_again(flag, r.frame + (raw - r.lo), again, node + at);
			mark(flag, r.frame + (raw - r.lo) + again, n - again, node + at + again);
			raw += n;
			at += n;
			top = at > top ? at : top;
		}
		node[0] = 0;	/* the root is no frame */
	}
	return !(differs & ~FV_DEAD);
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

enum { STRETCH = 256 };	/* nodes that are looked at at once */

/* Of nodes lo .. hi-1: has one of them any of these flags? */
static bool some(const uint8_t *node, uint32_t lo, uint32_t hi, uint8_t flags)
{
	uint8_t any = 0;
	for (uint32_t i = lo; i < hi; i++)
		any |= node[i];
	return any & flags;
}

/* And is one seen that is not the first of its thing, for what CT_AGAIN says? */
static bool some_again(const struct shape *s, const uint8_t *node, uint32_t lo, uint32_t hi)
{
	uint8_t any = 0;
	for (uint32_t i = lo; i < hi; i++)
		any |= s->how[i] & CT_AGAIN && !(node[i] & FV_DEAD);
	return any;
}

/* Verdicts to what cut.h says. false: recursion so deep that it takes too long this way. */
static bool finish(const struct shape *s, uint8_t *node, bool *any)
{
	uint64_t steps = (uint64_t)s->n * 4 + 1000;
	*any = some(node, 1, s->n, FV_DEAD);
	for (uint32_t lo = 1; *any && lo < s->n; lo += STRETCH) {
		uint32_t hi = s->n - lo < STRETCH ? s->n : lo + STRETCH;
		if (!some_again(s, node, lo, hi))
			continue;
		for (uint32_t i = lo; i < hi; i++)
			if (s->how[i] & CT_AGAIN && !(node[i] & FV_DEAD) && !seen_above(s, node, i, &steps))
				node[i] |= CUT_FIRST;
	}
	return steps;
}

/* The nearest that is seen. What lies outside does not count, nor, unless bare, what nothing is left of. */
static uint32_t nearest(const struct shape *s, const uint8_t *node, uint32_t at, bool bare)
{
	while (at && node[at] & FV_DEAD && !(node[at] & OUTSIDE))
		at = shape_parent(s, at);
	return (at || bare) && !(node[at] & OUTSIDE) ? at : SHAPE_NONE;
}

/* Where the weights of ends go. */
static uint32_t *aim(const struct shape *s, const uint8_t *node, bool bare)
{
	uint32_t *to = xmalloc((s->nend + 1u) * sizeof *to), k = 0;
	for (size_t b = 0; b < rank_blocks(s->n); b++)
		for (uint64_t bits = s->ends[b].bits; bits; bits &= bits - 1)
			to[k++] = nearest(s, node, (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits), bare);
	return to;
}

/* The same where stacks end further up. */
static uint32_t *aim_up(const struct shape *s, const uint8_t *node, bool bare)
{
	uint32_t *to = xmalloc((s->nend + 1u) * sizeof *to), *open = NULL, depth = 0, k = 0;
	size_t cap = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		for (; depth && shape_next(s, open[depth - 1]) <= i; depth--)
			;
		if ((node[i] & (FV_PRUNE | FV_DEAD)) == FV_PRUNE) {
			open = mem_grow(open, &cap, (size_t)depth + 1, sizeof *open);
			open[depth++] = i;
		}
		if (rank_has(s->ends, i))
			to[k++] = nearest(s, node, depth ? open[depth - 1] : i, bare);
	}
	mem_free(open);
	return to;
}

/* Does it matter that some frames of a node are seen and some are not? Not where no stack goes through it any more. */
static bool matters(const struct shape *s, const uint8_t *node, const uint32_t *to)
{
	struct rank *left = xcalloc(rank_blocks(s->n), sizeof *left);
	for (uint32_t k = 0; k < s->nend; k++)
		if (to[k] != SHAPE_NONE)
			rank_set(left, to[k]);
	rank_seal(left, s->n);
	bool any = false;
	for (uint32_t i = 1; i < s->n && !any; i++)
		any = node[i] & MIXED && rank_of(left, i) != rank_of(left, shape_next(s, i));
	mem_free(left);
	return any;
}

/* The ends at and below nodes that stand for frames of both kinds. */
static struct rank *mixed_ends(const struct shape *s, const uint8_t *node)
{
	struct rank *odd = xcalloc(rank_blocks(s->nend), sizeof *odd);
	for (uint32_t i = 1; i < s->n;) {
		uint32_t next = i + 1;
		if (node[i] & MIXED) {
			next = shape_next(s, i);
			for (uint32_t k = rank_of(s->ends, i), end = rank_of(s->ends, next); k < end; k++)
				rank_set(odd, k);
		}
		i = next;
	}
	return odd;
}

/* The stacks through such nodes are laid aside, and each node that is new is one of the store's. NULL: they are many. */
static struct shape *lay_aside(struct shape *s, const struct snap *sn, const uint8_t *flag, uint8_t **node)
{
	struct rank *raw, *odd = mixed_ends(s, *node);
	struct shape *with = shape_aside(s, sn, odd, &raw);
	mem_free(odd);
	if (!with)
		return NULL;
	uint32_t k = s->n;
	struct stk_pass rows = stk_pass(sn->st);
	*node = xrealloc(*node, (size_t)with->n + 1);
	for (size_t b = 0; b < rank_blocks(sn->nstks); b++)
		for (uint64_t bits = b ? raw[b].bits : raw[b].bits & ~UINT64_C(1); bits; bits &= bits - 1)
			(*node)[k++] = flag[stk_at(&rows, (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits)).frame] & WHAT;
	mem_free(raw);
	return with;
}

/* Verdicts by node, of a shape that has them; false: nothing is to be had this way. */
static bool settle(const struct snap *sn, const uint8_t *flag, bool from, bool prune, struct onto *o, uint8_t **node)
{
	struct shape *s = o->shape;
	if (!s->nrun || !mark_nodes(s, sn, flag, *node))
		return false;
	if (from)
		begin_at(s, *node);
	if (from || prune || !some(*node, 1, s->n, MIXED))
		return true;
	struct shape *with = o->nsmp ? lay_aside(s, sn, flag, node) : NULL;
	if (with)
		calls_onto(o, with);
	return with;
}

bool cut_shape(const struct snap *sn, const uint8_t *flag, bool from, bool prune, bool bare, struct onto *o)
{
	uint8_t *node = xcalloc((size_t)o->shape->n + 1, 1);
	bool any, can = settle(sn, flag, from, prune, o, &node);
	const struct shape *s = o->shape;
	uint32_t *to = NULL;
	if (can)
		to = prune ? aim_up(s, node, bare && !from) : aim(s, node, bare && !from);
	if (can && (from || prune) && some(node, 1, s->n, MIXED))
		can = !matters(s, node, to);
	if (!can || !finish(s, node, &any)) {
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
