/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Making call trees. Nodes are added below nodes that are there, one child per
 * thing; a hash of (parent, thing) finds the child, so a tree of any shape is
 * merged in one pass over what it is made of. The first child of a node is kept
 * beside it: most have no other, and a hash of millions is a cache miss a look. Parents come before
 * children, by construction.
 *
 * grow_finish lays the tree out: sizes by one backward pass, places in preorder
 * handed out forwards: a node knows its place before its children ask for theirs,
 * since their sizes are known. Siblings stay in the order of their making. In preorder
 * running sums say what is at and below each node.
 */
#include "config.h"
#include "analysis/calls.h"

#include "base/intern.h"
#include "base/wrap.h"

#include <string.h>

static void grow_arrays(struct grow *g)
{
	size_t cap = g->ncap ? g->ncap * 2 : 256;
	g->parent = xrealloc(g->parent, cap * sizeof *g->parent);
	g->thing = xrealloc(g->thing, cap * sizeof *g->thing);
	g->kid = xrealloc(g->kid, cap * sizeof *g->kid);
	g->flat = xrealloc(g->flat, cap * sizeof *g->flat);
	if (g->two)
		g->oflat = xrealloc(g->oflat, cap * sizeof *g->oflat);
	g->how = xrealloc(g->how, cap);
	g->ncap = cap;
}

static size_t slot_of(const struct grow *g, uint32_t parent, uint32_t thing)
{
	size_t i = hash_u64((uint64_t)parent << 32 | thing, 0) & (g->cap - 1);
	while (g->slot[i] && (g->parent[g->slot[i]] != parent || g->thing[g->slot[i]] != thing))
		i = (i + 1) & (g->cap - 1);
	return i;
}

static void grow_hash(struct grow *g)
{
	struct grow old = *g;
	g->cap = old.cap ? old.cap * 2 : 512;
	g->slot = xcalloc(g->cap, sizeof *g->slot);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i])
			g->slot[slot_of(g, g->parent[old.slot[i]], g->thing[old.slot[i]])] = old.slot[i];
	mem_free(old.slot);
}

static uint32_t add(struct grow *g, uint32_t parent, uint32_t thing)
{
	if (g->n == g->ncap)
		grow_arrays(g);
	g->parent[g->n] = parent;
	g->thing[g->n] = thing;
	g->kid[g->n] = 0;
	g->flat[g->n] = 0;
	if (g->two)
		g->oflat[g->n] = 0;
	g->how[g->n] = 0;
	return g->n++;
}

void grow_init(struct grow *g, bool two)
{
	*g = (struct grow){.two = two};
	grow_hash(g);
	add(g, 0, 0);
}

uint32_t grow_child(struct grow *g, uint32_t parent, uint32_t thing)
{
	uint32_t kid = g->kid[parent];
	if (kid && g->thing[kid] == thing)
		return kid;
	if (!kid) {
		kid = add(g, parent, thing);	/* add() may move kid[] */
		return g->kid[parent] = kid;
	}
	size_t i = slot_of(g, parent, thing);
	if (g->slot[i])
		return g->slot[i];
	uint32_t id = add(g, parent, thing);	/* never 0: that is the root */
	g->slot[i] = id;
	if ((size_t)++g->nslot * 2 > g->cap)
		grow_hash(g);
	return id;
}

void sort_u32(uint32_t *v, size_t n, int (*cmp)(const void *, uint32_t, uint32_t), const void *ctx)
{
	for (size_t i = 0; i < n; i += 8)	/* runs of eight by insertion, then merges */
		for (size_t j = i + 1; j < n && j < i + 8; j++) {
			uint32_t x = v[j];
			size_t k = j;
			for (; k > i && cmp(ctx, v[k - 1], x) > 0; k--)
				v[k] = v[k - 1];
			v[k] = x;
		}
	if (n <= 8)
		return;
	uint32_t *tmp = xmalloc(n * sizeof *tmp);
	for (size_t run = 8; run < n; run *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * run) {
			size_t mid = lo + run < n ? lo + run : n,
			       hi = mid + run < n ? mid + run : n;
			size_t a = lo, b = mid, out = lo;
			while (a < mid || b < hi)
				tmp[out++] = b == hi || (a < mid && cmp(ctx, v[a], v[b]) <= 0)
						 ? v[a++]
						 : v[b++];
		}
		memcpy(v, tmp, n * sizeof *v);
	}
	mem_free(tmp);
}

uint32_t first_u32(uint32_t *v, uint32_t n, uint32_t k, int (*cmp)(const void *, uint32_t, uint32_t), const void *ctx)
{
	uint32_t m = 0;		/* v[0..m) are the first of what has been seen, in order */
	for (uint32_t i = 0; i < n && k; i++) {
		uint32_t x = v[i], at = m;
		if (m == k && cmp(ctx, v[m - 1], x) <= 0)
			continue;
		if (m < k)
			m++;
		else
			v[i] = v[--at];
		for (; at && cmp(ctx, v[at - 1], x) > 0; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
	return m;
}

/* Where each goes in preorder, and where the subtree of each ends, by its place there. */
static uint32_t *places(const struct grow *g, uint32_t *next)
{
	uint32_t n = g->n, *pos = xmalloc(n * sizeof *pos), *at = xmalloc(n * sizeof *at);
	for (uint32_t i = 0; i < n; i++)	/* at: the size of its subtree; of those that have a place, where the */
		at[i] = 1;			/* next child goes */
	for (uint32_t i = n - 1; i > 0; i--)
		at[g->parent[i]] += at[i];
	pos[0] = 0;
	next[0] = n;
	at[0] = 1;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t size = at[i], *up = &at[g->parent[i]];
		pos[i] = *up;
		*up += size;
		next[pos[i]] = pos[i] + size;
		at[i] = pos[i] + 1;
	}
	mem_free(at);
	return pos;
}

/* Own weights to running sums, in preorder; the column goes. */
static int64_t *sums(int64_t *own, const uint32_t *pos, uint32_t n, struct arena *a)
{
	int64_t *sum = arena_alloc(a, (n + 1u) * sizeof *sum), before = 0;
	for (uint32_t i = 0; i < n; i++)
		sum[pos[i]] = own[i];
	mem_free(own);
	for (uint32_t i = 0; i < n; i++) {
		int64_t v = sum[i];
		sum[i] = before;
		before = wrap_add(before, v);
	}
	sum[n] = before;
	return sum;
}

/* Column by column, for each is as much as the tree that it is made of. */
struct ctree grow_finish(struct grow *g, struct arena *a)
{
	uint32_t n = g->n;
	mem_free(g->slot);
	mem_free(g->kid);
	uint32_t *next = arena_alloc(a, n * sizeof *next), *pos = places(g, next);
	uint32_t *parent = arena_alloc(a, n * sizeof *parent);
	for (uint32_t i = 0; i < n; i++)
		parent[pos[i]] = pos[g->parent[i]];
	mem_free(g->parent);
	uint32_t *thing = arena_alloc(a, n * sizeof *thing);
	for (uint32_t i = 0; i < n; i++)
		thing[pos[i]] = g->thing[i];
	mem_free(g->thing);
	uint8_t *how = arena_alloc(a, n);
	for (uint32_t i = 0; i < n; i++)
		how[pos[i]] = g->how[i];
	mem_free(g->how);
	const int64_t *sum = sums(g->flat, pos, n, a), *osum = g->two ? sums(g->oflat, pos, n, a) : NULL;
	mem_free(pos);
	*g = (struct grow){0};
	return (struct ctree){.n = n, .parent = parent, .next = next, .thing = thing, .sum = sum, .osum = osum,
	    .how = how};
}
