/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The tree keeps the share of each operation at each node, not only the sums. With them the operation that gives a
 * frame its most, and the trees of some of the operations, need no second walk. Their number is bounded by the number
 * of pieces that are walked (CRITICAL_MANY).
 */
#include "config.h"
#include "critical/tree.h"

#include "base/u64_map.h"
#include "base/wrap_math.h"

/* Waits that led to a piece, as their stacks; up: the wait before it, or CRITICAL_NONE. */
struct stack_chain { uint32_t up, depth; stk_id stack; uint32_t node[TIME_CLASS__N]; };	/* node 0: not added yet */

struct critical_tree_index {
	struct u64_hash chains;		/* (up + 1) << 32 | stack: the chain */
	struct stack_chain *chain;
	size_t nchain, cchain, cshare;
	uint32_t *share_of;	/* by node: its newest share, plus 1; of an earlier operation if not above `first` */
	size_t cshare_of, first;
	uint32_t *chain_of;		/* by via of the path that is added */
	size_t cchain_of;
};

struct critical_tree *critical_tree_new(const struct snap *sn)
{
	struct critical_tree *t = xcalloc(1, sizeof *t);
	t->sn = sn;
	t->index = xcalloc(1, sizeof *t->index);
	joined_stacks_init(&t->stacks, sn->st);
	for (int i = 0; i < TIME_CLASS__N; i++)
		joined_stacks_add(&t->stacks);
	return t;
}

static void drop_index(struct critical_tree *t)
{
	struct critical_tree_index *x = t->index;
	if (!x)
		return;
	u64_map_free(&x->chains);
	mem_free(x->chain);
	mem_free(x->share_of);
	mem_free(x->chain_of);
	mem_free(x);
	joined_stacks_close(&t->stacks);
	t->index = NULL;
}

void critical_tree_free(struct critical_tree *t)
{
	if (!t)
		return;
	drop_index(t);
	joined_stacks_free(&t->stacks);
	mem_free(t->share);
	mem_free(t);
}

static void add_share(struct critical_tree *t, uint32_t node, uint32_t operation, int64_t ns, uint32_t pieces)
{
	struct critical_tree_index *x = t->index;
	size_t had = x->cshare_of;
	x->share_of = mem_grow(x->share_of, &x->cshare_of, t->stacks.n, sizeof *x->share_of);
	for (size_t i = had; i < x->cshare_of; i++)
		x->share_of[i] = 0;
	uint32_t i = x->share_of[node];
	if (i > x->first) {
		wrap_add_to(&t->share[i - 1].ns, ns);
		t->share[i - 1].n += pieces;
		return;
	}
	t->share = mem_grow(t->share, &x->cshare, t->nshare + 1, sizeof *t->share);
	t->share[t->nshare++] = (struct critical_share){ns, operation, node, pieces};
	x->share_of[node] = (uint32_t)t->nshare;
}

/* Return the chain of a wait at a stack after another chain. */
static uint32_t extend_chain(struct critical_tree_index *x, uint32_t up, stk_id stack)
{
	bool fresh;
	const struct stack_chain *above = up == CRITICAL_NONE ? NULL : &x->chain[up];
	if (!stack || (above && (above->stack == stack || above->depth + 1 >= CRITICAL_CHAIN)))
		return up;
	struct u64_slot *s = u64_map_put(&x->chains, (uint64_t)(up + 1) << 32 | stack, &fresh);
	if (!fresh)
		return (uint32_t)s->n;
	s->n = x->nchain;
	x->chain = mem_grow(x->chain, &x->cchain, x->nchain + 1, sizeof *x->chain);
	x->chain[x->nchain] = (struct stack_chain){.up = up, .stack = stack,
	    .depth = up == CRITICAL_NONE ? 0 : x->chain[up].depth + 1};
	return (uint32_t)x->nchain++;
}

/* Return the node below which the stack of a piece starts. */
static uint32_t node_of_chain(struct critical_tree *t, uint32_t chain, enum time_class cls)
{
	struct critical_tree_index *x = t->index;
	uint32_t way[CRITICAL_CHAIN], n = 0, node = 1 + (uint32_t)cls;
	for (; chain != CRITICAL_NONE; chain = x->chain[chain].up) {
		if (x->chain[chain].node[cls]) {
			node = x->chain[chain].node[cls];
			break;
		}
		way[n++] = chain;
	}
	while (n) {
		struct stack_chain *c = &x->chain[way[--n]];
		node = c->node[cls] = joined_stacks_append(&t->stacks, node, c->stack);
	}
	return node;
}

void critical_tree_add(struct critical_tree *t, const struct critical_path *p, uint32_t operation)
{
	struct critical_tree_index *x = t->index;
	x->first = t->nshare;
	x->chain_of = mem_grow(x->chain_of, &x->cchain_of, p->nvia + 1, sizeof *x->chain_of);
	for (size_t i = 0; i < p->nvia; i++)
		x->chain_of[i] = extend_chain(
		    x, p->via[i].up == CRITICAL_NONE ? CRITICAL_NONE : x->chain_of[p->via[i].up], p->via[i].stack);
	for (size_t i = 0; i < p->n; i++) {
		const struct critical_piece *v = &p->v[i];
		uint32_t chain = v->via == CRITICAL_NONE ? CRITICAL_NONE : x->chain_of[v->via];
		if (t->stacks.n > CRITICAL_TREE_NODES)
			chain = CRITICAL_NONE;
		uint32_t node = node_of_chain(t, chain, v->cls);
		if (v->stack && (chain == CRITICAL_NONE || x->chain[chain].stack != v->stack))
			node = joined_stacks_append(&t->stacks, node, v->stack);
		add_share(t, node, operation, v->t1 - v->t0, 1);
		t->approximate |= v->approximate;
	}
}

void critical_tree_merge(struct critical_tree *t, const struct critical_tree *from)
{
	uint32_t *to = xmalloc((from->stacks.n + 1u) * sizeof *to), operation = UINT32_MAX;
	t->approximate |= from->approximate;
	for (uint32_t i = 0; i < from->stacks.n; i++) {
		const struct joined_stack *v = &from->stacks.node[i];
		to[i] = v->stack ? joined_stacks_append(&t->stacks, to[v->base], v->stack) : i;
	}
	for (size_t i = 0; i < from->nshare; i++) {
		const struct critical_share *v = &from->share[i];
		if (v->operation != operation)
			t->index->first = t->nshare;
		operation = v->operation;
		add_share(t, to[v->node], operation, v->ns, v->n);
	}
	mem_free(to);
}

static void add_path(void *arg, uint32_t part, uint32_t target, const struct critical_path *p)
{
	struct critical_tree *const *trees = arg;
	critical_tree_add(trees[part], p, target);
}

struct critical_tree *critical_tree_of_targets(const struct critical_walker *w, const struct critical_target *target,
    uint32_t n, const struct progress_watcher *on)
{
	uint32_t parts = critical_many_parts();
	struct critical_tree **trees = xmalloc(parts * sizeof *trees), *t;
	for (uint32_t i = 0; i < parts; i++)
		trees[i] = critical_tree_new(critical_walker_snap(w));
	struct critical_many q = {.walker = w, .target = critical_many_at, .of = target, .n = n, .each = add_path, .arg = trees,
	    .on = on ? *on : (struct progress_watcher){0}};
	uint32_t walked = critical_many_walk(&q);
	for (uint32_t i = 1; i < parts; i++)
		drop_index(trees[i]);	/* not needed to read the tree, and larger than it */
	for (uint32_t i = 1; i < parts; i++) {
		critical_tree_merge(trees[0], trees[i]);
		critical_tree_free(trees[i]);
	}
	t = trees[0];
	mem_free(trees);
	t->nwalked = walked;
	drop_index(t);
	if (walked || !n)
		return t;
	critical_tree_free(t);
	return NULL;
}

/* ---- sums */

void critical_tree_weights(const struct critical_tree *t, int64_t *ns, int64_t *count)
{
	for (size_t i = 0; i < t->nshare; i++) {
		const struct critical_share *v = &t->share[i];
		ns[v->node] = wrap_add(ns[v->node], v->ns);
		if (count)
			count[v->node] += v->n;
	}
}

uint32_t critical_tree_exemplar(const struct critical_tree *t, const uint8_t *nodes, int64_t *ns)
{
	uint32_t best = UINT32_MAX;
	*ns = 0;
	for (size_t i = 0; i < t->nshare;) {
		uint32_t operation = t->share[i].operation;
		int64_t sum = 0;
		for (; i < t->nshare && t->share[i].operation == operation; i++)
			if (nodes[t->share[i].node >> 3] >> (t->share[i].node & 7) & 1)
				wrap_add_to(&sum, t->share[i].ns);
		if (sum > *ns || (sum && sum == *ns && operation < best)) {
			*ns = sum;
			best = operation;
		}
	}
	return best;
}
