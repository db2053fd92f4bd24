/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A view on a call tree: which nodes a query hides, and where stacks end.
 *
 * If frames are hidden by their names alone, so are symbols, and a table of symbols is enough. Otherwise there is a byte
 * for each node: show_from hides what is not at or below a match, and nodes that have marks may be hidden each for
 * itself. If the outer calls of a symbol are hidden, an inner one may become the first and adds to its cum (CUT_FIRST).
 *
 * With prune_from the weight of a stack moves up to the innermost match. Nothing else moves, so the tree is the same for
 * all queries.
 */
#include "config.h"
#include "filter/view.h"

#include "base/mem/mem.h"
#include "calltree/node_walk.h"

_Static_assert((int)CUT_GONE == (int)FM_HIDDEN, "a match flag is used as a flag of views");

static uint8_t union_of(const uint8_t *flag, uint32_t n)
{
	uint8_t any = 0;
	for (uint32_t i = 0; i < n; i++)
		any |= flag[i];
	return any;
}

static uint8_t *flags_by_node(const struct node_flags *f)
{
	const struct calltree *s = f->s;
	uint8_t *node = xmalloc((size_t)s->n + 1);
	const uint8_t what = FM_HIDDEN | FM_SHOW_FROM | FM_PRUNE;
	if (s->mark && !(union_of(f->symbol, s->granularity->n) & what)) {
		for (uint32_t i = 0; i < s->n; i++)
			node[i] = s->mark[i] & what;
		return node;
	}
	for (uint32_t i = 0; i < s->n; i++)
		node[i] = node_flags_at(f, i) & what;
	return node;
}

/* Hide all nodes that are not at or below a match of show_from, and drop the weights of stacks that end at them. */
static void begin_at(const struct calltree *s, uint8_t *node, struct weigh_target *o)
{
	uint32_t k = 0;		/* the ends before i */
	for (uint32_t i = 0; i < s->n;) {
		if (i && (node[i] & (FM_SHOW_FROM | FM_HIDDEN)) == FM_SHOW_FROM) {
			i = calltree_next(s, i);
			k = rank_below(s->ends, i);
			continue;
		}
		if (rank_has(s->ends, i))
			weigh_target_drop(o, k++);
		node[i++] |= FM_HIDDEN;
	}
	node[0] = 0;
}

/* Return whether the same symbol is visible above a node. *steps: how many nodes may still be visited for that. */
static bool seen_above(const struct calltree *s, const uint8_t *node, uint32_t i, uint64_t *steps)
{
	uint32_t t = calltree_symbol(s, i);
	for (; (i = calltree_parent(s, i)) && *steps; --*steps)
		if (calltree_symbol(s, i) == t && !(node[i] & FM_HIDDEN))
			return true;
	return false;
}

/* Set CUT_FIRST (calltree/node_walk.h) by going up from each recursive call. Return false if recursion is so deep that
   this would take too long. */
static bool mark_first_from_below(const struct calltree *s, uint8_t *node)
{
	uint64_t steps = (uint64_t)s->n * 4 + 1000;
	for (uint32_t i = 1; i < s->n && steps; i++)
		if (s->what[i] & CT_AGAIN && !(node[i] & FM_HIDDEN) && !seen_above(s, node, i, &steps))
			node[i] |= CUT_FIRST;
	return steps;
}

/* A visible node on the current path. */
struct visible_node { uint32_t end, symbol; };

/* The same with the visible nodes on the current path counted by symbol. */
static void mark_first_on_path(const struct calltree *s, uint8_t *node)
{
	uint32_t *open = xcalloc(s->granularity->n, sizeof *open), depth = 0;
	struct visible_node *path = NULL;
	size_t cap = 0;
	for (uint32_t i = 1; i < s->n; i++) {
		node[i] &= (uint8_t)~CUT_FIRST;
		if (node[i] & FM_HIDDEN)
			continue;
		while (depth && path[depth - 1].end <= i)
			open[path[--depth].symbol]--;
		uint32_t t = calltree_symbol(s, i);
		if (!open[t]++)
			node[i] |= CUT_FIRST;
		path = mem_grow(path, &cap, (size_t)depth + 1, sizeof *path);
		path[depth++] = (struct visible_node){calltree_next(s, i), t};
	}
	mem_free(open);
	mem_free(path);
}

/* Return the nodes where stacks end: at the innermost match of prune_from. node: NULL, or the flags by node. */
static uint32_t *pruned_ends(const struct node_flags *f, const uint8_t *node)
{
	const struct calltree *s = f->s;
	uint32_t *to = xmalloc((s->nend + 1u) * sizeof *to), *open = NULL, depth = 0, k = 0;
	size_t cap = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		for (; depth && calltree_next(s, open[depth - 1]) <= i; depth--)
			;
		uint8_t v = node ? node[i] : node_flags_at(f, i);
		if ((v & (FM_PRUNE | FM_HIDDEN)) == FM_PRUNE) {
			open = mem_grow(open, &cap, (size_t)depth + 1, sizeof *open);
			open[depth++] = i;
		}
		if (rank_has(s->ends, i))
			to[k++] = depth ? open[depth - 1] : i;
	}
	mem_free(open);
	return to;
}

static uint8_t *hidden_symbols(const struct node_flags *f)
{
	uint32_t n = f->s->granularity->n;
	uint8_t *dead = xmalloc(n);
	for (uint32_t t = 0; t < n; t++)
		dead[t] = (f->symbol[t] & FM_HIDDEN) != 0;
	return dead;
}

void view_hide_nodes(const struct node_flags *f, bool from, bool prune, struct weigh_target *o)
{
	const struct calltree *s = f->s;
	uint8_t *node = s->mark || from ? flags_by_node(f) : NULL;
	if (from)
		begin_at(s, node, o);
	if (prune)
		o->to = pruned_ends(f, node);
	if (!node && union_of(f->symbol, s->granularity->n) & FM_HIDDEN) {
		o->dead = hidden_symbols(f);
	} else if (node && union_of(node, s->n) & FM_HIDDEN) {
		if (!mark_first_from_below(s, node))
			mark_first_on_path(s, node);
		o->cut = node;
	} else {
		mem_free(node);
	}
}
