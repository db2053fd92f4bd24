/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Builds call trees. A node is added below an existing node, one child per symbol, so a tree of any form is merged in
 * one pass over its input. Most nodes have one child, which was added directly after them: it is found by looking at
 * the next node. Only the other children are in a hash table of (parent, symbol), where each lookup is a cache miss.
 * Parents come before children by construction.
 *
 * calltree_build_finish() lays the tree out. One backward pass computes the sizes of subtrees, one forward pass assigns
 * places in preorder: a node has its place before its children get theirs. Siblings keep the order in which they were
 * added. There are few weights compared to nodes; they are kept in input order until the places are known.
 *
 * Not taken: columns of sums, parents and ends of subtrees by node. For 5 M nodes these took 84 MB; a call tree has the
 * same information in 8.
 */
#include "config.h"
#include "calltree/builder.h"

#include "base/wrap_math.h"
#include "calltree/tree.h"
#include "calltree/weighted.h"

#include <string.h>

static void grow_arrays(struct calltree_builder *g)
{
	size_t cap = g->cap ? g->cap * 2 : 256;
	g->parent = xrealloc(g->parent, cap * sizeof *g->parent);
	g->symbol = xrealloc(g->symbol, cap * sizeof *g->symbol);
	g->how = xrealloc(g->how, cap);
	g->cap = cap;
}

static int same_node(const void *ctx, uint32_t id, const void *key)
{
	const struct calltree_builder *g = ctx;
	const uint32_t *k = key;
	return g->parent[id] == k[0] && g->symbol[id] == k[1];
}

static uint32_t add_node(struct calltree_builder *g, uint32_t parent, uint32_t symbol)
{
	if (g->n == g->cap)
		grow_arrays(g);
	g->parent[g->n] = parent;
	g->symbol[g->n] = symbol;
	g->how[g->n] = 0;
	return g->n++;
}

void calltree_build_init(struct calltree_builder *g, bool two)
{
	*g = (struct calltree_builder){.two = two};
	add_node(g, 0, 0);
}

uint32_t calltree_build_child(struct calltree_builder *g, uint32_t parent, uint32_t symbol)
{
	uint32_t beside = parent + 1;
	if (beside == g->n)
		return add_node(g, parent, symbol);
	if (g->parent[beside] == parent && g->symbol[beside] == symbol)
		return beside;
	uint32_t key[] = {parent, symbol}, hash = intern_hash_u64((uint64_t)parent << 32 | symbol, 0);
	uint32_t id = intern_find(&g->others, hash, same_node, g, key);
	if (id != UINT32_MAX)
		return id;
	id = add_node(g, parent, symbol);
	intern_put(&g->others, hash, id);
	return id;
}

void calltree_build_weights(
    struct calltree_builder *g, uint32_t *at, const struct end_sums *of, int64_t *v, int64_t *o, size_t n)
{
	g->at = at;
	g->v = v;
	g->o = o;
	g->of = of;
	g->nown = n;
}

void calltree_sort_u32(uint32_t *v, size_t n, int (*cmp)(const void *, uint32_t, uint32_t), const void *ctx)
{
	for (size_t i = 0; i < n; i += 8)	/* runs of eight by insertion sort, then merges */
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

uint32_t calltree_select_u32(
    uint32_t *v, uint32_t n, uint32_t k, int (*cmp)(const void *, uint32_t, uint32_t), const void *ctx)
{
	uint32_t m = 0;		/* v[0..m) are the smallest elements so far, in order */
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

/* Return the place of each node in preorder. The cells of at[] first have the size of the subtree, then the place of
   the next child, and after the second loop the end of the subtree. From that the last loop derives the place: a leaf
   is one before its end, any other node one before its first child. */
static uint32_t *preorder_places(const struct calltree_builder *g)
{
	uint32_t n = g->n, *at = xmalloc(n * sizeof *at);
	struct rank *inner = xcalloc(rank_blocks(n), sizeof *inner);
	for (uint32_t i = 0; i < n; i++)
		at[i] = 1;
	for (uint32_t i = n - 1; i > 0; i--) {
		at[g->parent[i]] += at[i];
		rank_set(inner, g->parent[i]);
	}
	at[0] = 1;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t size = at[i], *up = &at[g->parent[i]];
		at[i] = *up + 1;
		*up += size;
	}
	for (uint32_t i = n - 1; i > 0; i--) {		/* backwards: the first child writes last */
		at[i] -= !rank_has(inner, i);
		at[g->parent[i]] = at[i] - 1;
	}
	at[0] = 0;
	mem_free(inner);
	return at;
}

static void find_forks(const struct calltree_builder *g, const uint32_t *pos, struct calltree *s)
{
	uint32_t n = g->n;
	s->forks = xcalloc(rank_blocks(n), sizeof *s->forks);
	for (uint32_t i = 1; i < n; i++)
		if (pos[g->parent[i]] + 1 != pos[i])
			rank_set(s->forks, pos[i]);
	s->nfork = rank_seal(s->forks, n);
	s->fork = xmalloc((s->nfork + 1u) * sizeof *s->fork);
	for (uint32_t i = 1; i < n; i++)
		if (rank_has(s->forks, pos[i]))
			s->fork[rank_below(s->forks, pos[i])] = pos[g->parent[i]];
}

/* Convert own weights in input order to running sums by end. `ran`: NULL, or the running sums to read the own weights
   from. */
static int64_t *running_sums(const struct calltree_builder *g, const int64_t *own, const int64_t *ran,
    const uint32_t *pos, const struct calltree *s, struct arena *a)
{
	int64_t *sum = arena_zalloc(a, (s->nend + 1u) * sizeof *sum), before = 0;
	for (size_t k = 0; k < g->nown; k++) {
		if (!g->at[k])
			continue;
		int64_t *v = &sum[rank_below(s->ends, pos[g->at[k]])];
		*v = wrap_add(*v, ran ? wrap_sub(ran[k + 1], ran[k]) : own[k]);
	}
	for (uint32_t i = 0; i <= s->nend; i++) {
		int64_t v = sum[i];
		sum[i] = before;
		before = wrap_add(before, v);
	}
	return sum;
}

static void weigh_nodes(
    const struct calltree_builder *g, const uint32_t *pos, struct calltree *s, struct end_sums *w, struct arena *a)
{
	s->ends = xcalloc(rank_blocks(s->n), sizeof *s->ends);
	for (size_t k = 0; k < g->nown; k++)
		if (g->at[k])
			rank_set(s->ends, pos[g->at[k]]);
	s->nend = rank_seal(s->ends, s->n);
	struct rank *hits = arena_zalloc(a, rank_blocks(s->nend) * sizeof *hits);
	for (uint32_t k = 0; k < s->nend; k++)
		rank_set(hits, k);
	rank_seal(hits, s->nend);
	*w = (struct end_sums){.n = s->nend, .ends = s->ends, .hits = hits,
	    .sum = running_sums(g, g->v, g->of ? g->of->sum : NULL, pos, s, a),
	    .osum = g->two ? running_sums(g, g->o, g->of ? g->of->osum : NULL, pos, s, a) : NULL};
}

/* Works column by column and frees each one early, because a column takes as much as a fifth of the input. */
struct calltree *calltree_build_finish(
    struct calltree_builder *g, struct granularity *granularity, struct end_sums *w, struct arena *a)
{
	uint32_t n = g->n;
	struct calltree *s = xcalloc(1, sizeof *s);
	*s = (struct calltree){.refs = 1, .granularity = granularity_ref(granularity), .n = n};
	intern_free(&g->others);
	uint32_t *pos = preorder_places(g);
	find_forks(g, pos, s);
	mem_free(g->parent);
	s->what = xmalloc(n * sizeof *s->what);
	for (uint32_t i = 0; i < n; i++)
		s->what[pos[i]] = calltree_what(g->symbol[i], g->how[i]);
	mem_free(g->symbol);
	mem_free(g->how);
	weigh_nodes(g, pos, s, w, a);
	void *all[] = {pos, g->at, g->v, g->o};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	*g = (struct calltree_builder){0};
	calltree_close(s);
	return s;
}
