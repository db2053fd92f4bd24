/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Applies filters to a call tree node by node.
 *
 * Whether a frame is visible may depend on its place: show_from removes what is above its outermost match, prune_from
 * what is below its innermost, noinlines all lines of a location but one. Still no tree of the query is needed: hidden
 * nodes are marked, one byte each, and the weight of a stack moves to another node on its path to the root. One pass
 * over the store's nodes converts the match flags of frames to flags of the call tree's nodes. Then show_from hides
 * whole subtrees, and prune_from is decided by the nodes that are open at an end. If the outer calls of a symbol are
 * hidden, an inner one may become the first and adds to its cum.
 *
 * Frames of one node may have different flags (a function that one caller both calls and has inlined; a library that
 * has the same functions as the program). Then the stacks through the node are split off (split_stacks.c). If that is
 * not possible cut_calltree() returns false, and the query gets a tree of its own.
 */
#include "config.h"
#include "filter/cut.h"

#include "base/mem/mem.h"
#include "calltree/node_walk.h"
#include "filter/split_stacks.h"

#include <stdlib.h>

enum { WHAT = FM_HIDDEN | FM_SHOW_FROM | FM_PRUNE, OUTSIDE = 32, MIXED = 64, ASKED = 128 };

_Static_assert((int)CUT_GONE == (int)FM_HIDDEN, "what is dead is gone");

/* Flags by node, their union, and the list of MIXED nodes, of whose frames only some are hidden. */
struct marks { uint8_t *node, any; uint32_t *mixed, n; size_t cap; };

/* Set the flags of the nodes from `at` on from those of n frames; nodes may have flags already. Return the flags that
   differ. */
static uint8_t mark_differing(struct marks *m, const uint8_t *flag, const frm_id *frame, uint32_t n, uint32_t at)
{
	uint8_t differs = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t had = m->node[at + i], v = (flag[frame[i]] & WHAT) | ASKED;
		uint8_t d = had & ASKED ? (had ^ v) & WHAT : 0;
		differs |= d;
		m->any |= v;
		m->node[at + i] = (d & FM_HIDDEN ? (v & ~FM_HIDDEN) | MIXED : v) | (had & MIXED);
		if (d & FM_HIDDEN && !(had & MIXED)) {
			m->mixed = mem_grow(m->mixed, &m->cap, (size_t)m->n + 1, sizeof *m->mixed);
			m->mixed[m->n++] = at + i;
		}
	}
	return differs;
}

/* The same for nodes without flags, which are nearly all. */
static void mark_unmarked(struct marks *m, const uint8_t *flag, const frm_id *frame, uint32_t n, uint32_t at)
{
	uint8_t *node = m->node + at, any = 0;
	for (uint32_t i = 0; i < n; i++)
		any |= node[i] = (flag[frame[i]] & WHAT) | ASKED;
	m->any |= any;
}

/* Set the flags of all nodes. Return false if the frames of one node differ in other flags than FM_HIDDEN. */
static bool mark_nodes(const struct calltree *s, const struct snap *sn, const uint8_t *flag, struct marks *m)
{
	uint32_t top = 1;	/* no node from here on has flags */
	uint8_t differs = 0;
	for (uint32_t k = 0; k < s->nrun; k++) {
		uint32_t raw = s->run[k].raw, end = k + 1 < s->nrun ? s->run[k + 1].raw : sn->nstks, at = s->run[k].at;
		while (raw < end) {
			struct stk_pass r = stk_pass(sn->st);
			stk_go(&r, raw);
			uint32_t n = (r.hi < end ? r.hi : end) - raw, again = at >= top ? 0 : top - at < n ? top - at : n;
			const frm_id *frame = r.frame + (raw - r.lo);
			differs |= mark_differing(m, flag, frame, again, at);
			mark_unmarked(m, flag, frame + again, n - again, at + again);
			raw += n;
			at += n;
			top = at > top ? at : top;
		}
		m->node[0] = 0;	/* the root is not a frame */
	}
	return !(differs & ~FM_HIDDEN);
}

/* Hide all nodes that are not at or below a match of show_from. Return FM_HIDDEN if there are any. */
static uint8_t begin_at(const struct calltree *s, uint8_t *node)
{
	uint8_t gone = 0;
	for (uint32_t i = 1; i < s->n;) {
		if ((node[i] & (FM_SHOW_FROM | FM_HIDDEN)) == FM_SHOW_FROM) {
			i = calltree_next(s, i);
			continue;
		}
		node[i] = (node[i] & ~MIXED) | FM_HIDDEN | OUTSIDE;
		gone = FM_HIDDEN;
		i++;
	}
	return gone;
}

/* Return whether the same symbol is visible above a node. *steps: how many nodes may still be visited for that. */
static bool seen_above(const struct calltree *s, const uint8_t *node, uint32_t i, uint64_t *steps)
{
	uint32_t t = calltree_symbol(s, i);
	while ((i = calltree_parent(s, i)) && *steps) {
		--*steps;
		if (calltree_symbol(s, i) == t && !(node[i] & FM_HIDDEN))
			return true;
	}
	return false;
}

enum { STRETCH = 256 };	/* number of nodes that are tested at a time */

/* Return whether one of the nodes lo .. hi-1 is visible and has CT_AGAIN. */
static bool has_recursion(const struct calltree *s, const uint8_t *node, uint32_t lo, uint32_t hi)
{
	uint8_t any = 0;
	for (uint32_t i = lo; i < hi; i++)
		any |= s->what[i] & CT_AGAIN && !(node[i] & FM_HIDDEN);
	return any;
}

/* Set CUT_FIRST (calltree/node_walk.h), if nodes are hidden. Return false if recursion is so deep that this would take
   too long. */
static bool mark_first_seen(const struct calltree *s, uint8_t *node)
{
	uint64_t steps = (uint64_t)s->n * 4 + 1000;
	for (uint32_t lo = 1; lo < s->n; lo += STRETCH) {
		uint32_t hi = s->n - lo < STRETCH ? s->n : lo + STRETCH;
		if (!has_recursion(s, node, lo, hi))
			continue;
		for (uint32_t i = lo; i < hi; i++)
			if (s->what[i] & CT_AGAIN && !(node[i] & FM_HIDDEN) && !seen_above(s, node, i, &steps))
				node[i] |= CUT_FIRST;
	}
	return steps;
}

/* Return the nearest visible node. Nodes outside show_from do not count, nor, unless bare, stacks without a visible
   node. */
static uint32_t nearest_seen(const struct calltree *s, const uint8_t *node, uint32_t at, bool bare)
{
	while (at && node[at] & FM_HIDDEN && !(node[at] & OUTSIDE))
		at = calltree_parent(s, at);
	return (at || bare) && !(node[at] & OUTSIDE) ? at : CALLTREE_NONE;
}

/* Return the nodes that get the weights of ends. */
static uint32_t *end_targets(const struct calltree *s, const uint8_t *node, bool bare)
{
	uint32_t *to = xmalloc((s->nend + 1u) * sizeof *to), k = 0;
	for (size_t b = 0; b < rank_blocks(s->n); b++)
		for (uint64_t bits = s->ends[b].bits; bits; bits &= bits - 1)
			to[k++] = nearest_seen(s, node, (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits), bare);
	return to;
}

/* The same with prune_from, where stacks end further up. */
static uint32_t *aim_up(const struct calltree *s, const uint8_t *node, bool bare)
{
	uint32_t *to = xmalloc((s->nend + 1u) * sizeof *to), *open = NULL, depth = 0, k = 0;
	size_t cap = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		for (; depth && calltree_next(s, open[depth - 1]) <= i; depth--)
			;
		if ((node[i] & (FM_PRUNE | FM_HIDDEN)) == FM_PRUNE) {
			open = mem_grow(open, &cap, (size_t)depth + 1, sizeof *open);
			open[depth++] = i;
		}
		if (rank_has(s->ends, i))
			to[k++] = nearest_seen(s, node, depth ? open[depth - 1] : i, bare);
	}
	mem_free(open);
	return to;
}

/* Return whether MIXED nodes matter: not if no stack through them counts any more. */
static bool mixed_matters(const struct calltree *s, const struct marks *m, const uint32_t *to)
{
	struct rank *left = xcalloc(rank_blocks(s->n), sizeof *left);
	for (uint32_t k = 0; k < s->nend; k++)
		if (to[k] != CALLTREE_NONE)
			rank_set(left, to[k]);
	rank_seal(left, s->n);
	bool any = false;
	for (uint32_t k = 0; k < m->n && !any; k++) {
		uint32_t i = m->mixed[k];
		any = m->node[i] & MIXED && rank_below(left, i) != rank_below(left, calltree_next(s, i));
	}
	mem_free(left);
	return any;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Return the ends at and below MIXED nodes. */
static struct rank *mixed_ends(const struct calltree *s, struct marks *m)
{
	struct rank *odd = xcalloc(rank_blocks(s->nend), sizeof *odd);
	qsort(m->mixed, m->n, sizeof *m->mixed, by_number);
	for (uint32_t i = 0, upto = 0; i < m->n; i++) {
		uint32_t k = rank_below(s->ends, m->mixed[i]), end = rank_below(s->ends, calltree_next(s, m->mixed[i]));
		for (k = k > upto ? k : upto; k < end; k++)
			rank_set(odd, k);
		upto = k;
	}
	return odd;
}

/* Split off the stacks through MIXED nodes; each new node is one node of the store. NULL: there are too many. */
static struct calltree *split_mixed_stacks(
    struct calltree *s, const struct snap *sn, const uint8_t *flag, struct marks *m)
{
	struct rank *raw, *odd = mixed_ends(s, m);
	struct calltree *with = split_stacks_new(s, sn, odd, &raw);
	mem_free(odd);
	if (!with)
		return NULL;
	uint32_t k = s->n;
	struct stk_pass rows = stk_pass(sn->st);
	m->node = xrealloc(m->node, (size_t)with->n + 1);
	for (size_t b = 0; b < rank_blocks(sn->nstks); b++)
		for (uint64_t bits = b ? raw[b].bits : raw[b].bits & ~UINT64_C(1); bits; bits &= bits - 1) {
			uint32_t i = (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits);
			m->any |= m->node[k++] = flag[stk_at(&rows, i).frame] & WHAT;
		}
	mem_free(raw);
	return with;
}

/* Compute the flags by node of a call tree on which that is possible. Return false if there is none. */
static bool match_nodes(
    const struct snap *sn, const uint8_t *flag, bool from, bool prune, struct weigh_target *o, struct marks *m)
{
	struct calltree *s = o->calltree;
	if (!s->nrun || !mark_nodes(s, sn, flag, m))
		return false;
	if (from)
		m->any |= begin_at(s, m->node);
	if (from || prune || !m->n)
		return true;
	struct calltree *with = o->nsmp && !o->walked ? split_mixed_stacks(s, sn, flag, m) : NULL;
	if (with)
		weighted_retarget(o, with);
	return with;
}

bool cut_calltree(const struct snap *sn, const uint8_t *flag, bool from, bool prune, bool bare, struct weigh_target *o)
{
	struct marks m = {.node = xcalloc((size_t)o->calltree->n + 1, 1)};
	bool can = match_nodes(sn, flag, from, prune, o, &m);
	const struct calltree *s = o->calltree;
	uint32_t *to = NULL;
	if (can)
		to = prune ? aim_up(s, m.node, bare && !from) : end_targets(s, m.node, bare && !from);
	if (can && (from || prune) && m.n)
		can = !mixed_matters(s, &m, to);
	bool dead = m.any & FM_HIDDEN;
	can = can && (!dead || mark_first_seen(s, m.node));
	if (can) {
		o->to = to;
		o->cut = dead ? m.node : NULL;
	}
	mem_free(can ? NULL : to);
	mem_free(can && dead ? NULL : m.node);
	mem_free(m.mixed);
	return can;
}
