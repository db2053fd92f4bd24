/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Making call trees. Nodes are added below nodes that are there, one child per
 * thing; a hash of (parent, thing) finds the child, so a tree of any shape is
 * merged in one pass over what it is made of. The first child of a node is kept
 * beside it: most have no other, and a hash of millions is a cache miss a look. Parents come before
 * children, by construction.
 *
 * grow_finish lays the tree out: totals by one backward pass, places in preorder
 * handed out forwards: a node knows its place before its children ask for theirs,
 * since their sizes are known. Siblings stay in the order of their making.
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

static size_t slot_of(const struct grow *g, uint64_t key)
{
	size_t i = hash_u64(key, 0) & (g->cap - 1);
	while (g->slot[i] && g->key[i] != key)
		i = (i + 1) & (g->cap - 1);
	return i;
}

static void grow_hash(struct grow *g)
{
	struct grow old = *g;
	g->cap = old.cap ? old.cap * 2 : 512;
	g->slot = xcalloc(g->cap, sizeof *g->slot);
	g->key = xmalloc(g->cap * sizeof *g->key);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i]) {
			size_t k = slot_of(g, old.key[i]);
			g->slot[k] = old.slot[i];
			g->key[k] = old.key[i];
		}
	mem_free(old.slot);
	mem_free(old.key);
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
	uint64_t key = (uint64_t)parent << 32 | thing;
	size_t i = slot_of(g, key);
	if (g->slot[i])
		return g->slot[i];
	uint32_t id = add(g, parent, thing);	/* never 0: that is the root */
	g->slot[i] = id;
	g->key[i] = key;
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

/* Children of every node, in the order of their making: kid[first[i]] .. kid[first[i+1]-1]. */
static uint32_t *kids_of(const struct grow *g, uint32_t **first_out)
{
	uint32_t n = g->n;
	uint32_t *first = xcalloc((size_t)n + 2, sizeof *first), *kid = xmalloc(n * sizeof *kid);
	for (uint32_t i = 1; i < n; i++)
		first[g->parent[i] + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 1; i < n; i++)
		kid[first[g->parent[i] + 1]++] = i;
	*first_out = first;
	return kid;
}

struct ctree grow_finish(struct grow *g, struct arena *a)
{
	uint32_t n = g->n, *first, *kid = kids_of(g, &first);
	int64_t *sum = xmalloc(n * sizeof *sum);
	uint32_t *size = xmalloc(n * sizeof *size), *pos = xmalloc(n * sizeof *pos);
	memcpy(sum, g->flat, n * sizeof *sum);
	for (uint32_t i = 0; i < n; i++)
		size[i] = 1;
	for (uint32_t i = n - 1; i > 0; i--) {
		sum[g->parent[i]] = wrap_add(sum[g->parent[i]], sum[i]);
		size[g->parent[i]] += size[i];
	}
	uint32_t *parent = arena_alloc(a, n * sizeof *parent), *next = arena_alloc(a, n * sizeof *next),
		 *thing = arena_alloc(a, n * sizeof *thing);
	int64_t *flat = arena_alloc(a, n * sizeof *flat), *cum = arena_alloc(a, n * sizeof *cum);
	int64_t *oflat = g->two ? arena_alloc(a, n * sizeof *oflat) : NULL;
	int64_t *ocum = g->two ? arena_alloc(a, n * sizeof *ocum) : NULL;
	uint8_t *how = arena_alloc(a, n);
	pos[0] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = pos[i] + 1, p = pos[i];
		for (uint32_t k = first[i]; k < first[i + 1]; k++) {
			pos[kid[k]] = at;
			at += size[kid[k]];
		}
		parent[p] = pos[g->parent[i]];
		next[p] = p + size[i];
		thing[p] = g->thing[i];
		flat[p] = g->flat[i];
		cum[p] = sum[i];
		how[p] = g->how[i];
		if (oflat)
			oflat[p] = ocum[p] = g->oflat[i];
	}
	for (uint32_t i = n - 1; ocum && i > 0; i--)
		ocum[parent[i]] = wrap_add(ocum[parent[i]], ocum[i]);
	mem_free(first);
	mem_free(kid);
	mem_free(pos);
	mem_free(size);
	mem_free(sum);
	mem_free(g->parent);
	mem_free(g->thing);
	mem_free(g->kid);
	mem_free(g->flat);
	mem_free(g->oflat);
	mem_free(g->how);
	mem_free(g->key);
	mem_free(g->slot);
	*g = (struct grow){0};
	return (struct ctree){.n = n, .parent = parent, .next = next, .thing = thing, .flat = flat, .cum = cum,
	    .oflat = oflat, .ocum = ocum, .how = how};
}
