/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Builds what is left of a tree for a flame graph: without hidden nodes, with siblings merged, with recursion and the
 * runtime folded, or from one symbol down. The result is a call tree like the original one (calltree_prune()) with the
 * same weights: each moves from its end to the nearest node above that is left, which becomes an end. All removals are
 * made at once, because each tree of millions of nodes takes a third of a second.
 *
 * The tree belongs to the flame, not to the weighted tree: nothing else needs it, so it is freed when another flame is
 * made.
 *
 * Not taken: weights of each node as columns beside the tree. For 5 M nodes these took 100 MB, and the weight at and
 * below a node is a difference of two running sums in either tree.
 */
#include "config.h"
#include "calltree/flame_internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

/* Mark the nodes of i .. end-1 that have weight at or below them, with PRUNE_GONE if they are hidden. */
static void mark_counting(const struct nodes *t, const struct flame_conf *f, uint32_t i, uint32_t end, uint8_t *hit)
{
	while (i < end && flame_wanted(f, i)) {
		if (!nodes_has_weight(t, i)) {
			i = nodes_next(t, i);
			continue;
		}
		prune_set_mark(hit, i, nodes_is_hidden(t, i) ? PRUNE_GONE : PRUNE_HIT);
		i++;
	}
}

/* ---- folding */

static bool folds(const struct weighted_tree *c, uint32_t parent, uint32_t symbol)
{
	enum pkg_kind p = c->symbol[parent].kind, k = c->symbol[symbol].kind;
	return parent && (k == PKG_RUNTIME || k == PKG_STD) && (p == PKG_RUNTIME || p == PKG_STD);
}

/* Nodes that become part of a node further up that is not their nearest visible one: in the order of the walk, then
   sorted by target. */
struct aways { uint32_t *node, *to; uint32_t n; size_t cnode, cto; };

static void add_away(struct aways *v, uint32_t node, uint32_t to)
{
	v->node = mem_grow(v->node, &v->cnode, v->n + 1u, sizeof *v->node);
	v->to = mem_grow(v->to, &v->cto, v->n + 1u, sizeof *v->to);
	v->node[v->n] = node;
	v->to[v->n++] = to;
}

static struct calltree_folds sort_aways(struct aways *v, uint32_t nodes)
{
	struct calltree_folds f = {.at = xcalloc(rank_blocks(nodes), sizeof *f.at)};
	for (uint32_t i = 0; i < v->n; i++)
		rank_set(f.at, v->to[i]);
	uint32_t n = rank_seal(f.at, nodes);
	f.first = xcalloc(n + 2u, sizeof *f.first);
	f.node = xmalloc((v->n + 1u) * sizeof *f.node);
	for (uint32_t i = 0; i < v->n; i++)
		f.first[rank_below(f.at, v->to[i]) + 2]++;
	for (uint32_t i = 1; i < n + 2; i++)
		f.first[i] += f.first[i - 1];
	for (uint32_t i = 0; i < v->n; i++)
		f.node[f.first[rank_below(f.at, v->to[i]) + 1]++] = v->node[i];
	mem_free(v->node);
	mem_free(v->to);
	return f;
}

/* Fold recursion and runtime: every node stays or becomes part of a node above it that stays. */
/* before: the value of on[symbol] outside this node. */
struct open_node { uint32_t end, symbol, to, before; };

static struct calltree_folds find_folds(const struct nodes *t, const struct flame_conf *f, uint8_t *hit)
{
	struct open_node *open_node = NULL;
	struct aways aways = {0};
	size_t cap = 0, depth = 0;
	uint32_t *on = xcalloc(t->c->nsymbol, sizeof *on);	/* by symbol: the node that stays on the current path;
								   0: none */
	for (uint32_t i = 0; i < t->n && flame_wanted(f, i); i++) {
		if (!nodes_has_weight(t, i)) {
			i = nodes_next(t, i) - 1;
			continue;
		}
		for (; depth && open_node[depth - 1].end <= i; depth--)
			on[open_node[depth - 1].symbol] = open_node[depth - 1].before;
		if (nodes_is_hidden(t, i)) {
			prune_set_mark(hit, i, PRUNE_GONE);
			continue;
		}
		uint32_t k = nodes_symbol(t, i), p = depth ? open_node[depth - 1].to : 0, to = i;
		if (i && f->fold_runtime && folds(t->c, nodes_symbol(t, p), k))
			to = p;
		else if (i && f->fold_recursion && on[k])
			to = on[k];
		if (to == i || to == p)
			prune_set_mark(hit, i, to == i ? PRUNE_HIT : PRUNE_PART);
		else
			add_away(&aways, i, to);
		open_node = mem_grow(open_node, &cap, depth + 1, sizeof *open_node);
		open_node[depth++] = (struct open_node){nodes_next(t, i), k, to, on[k]};
		on[k] = to;
	}
	mem_free(on);
	mem_free(open_node);
	return sort_aways(&aways, t->n);
}

/* ---- weights */

/* An iterator over the ends that have weight. next_end() returns the node in the new tree that gets the weight of end
   *k; UINT32_MAX: there are no more ends. */
struct ends {
	const struct end_sums *w;
	const struct calltree *left;
	bool below;		/* weight whose node is gone is dropped, instead of added at the root */
	size_t block, blocks;
	uint64_t bits;
	uint32_t k;
};

static uint32_t next_end(struct ends *e, uint32_t *k)
{
	const struct end_sums *w = e->w;
	for (;;) {
		while (!e->bits) {
			if (++e->block == e->blocks)
				return UINT32_MAX;
			e->bits = w->ends[e->block].bits;
		}
		uint32_t i = (uint32_t)(e->block * 64) + (uint32_t)__builtin_ctzll(e->bits);
		e->bits &= e->bits - 1;
		*k = e->k++;
		bool none = !i || e->left->at[*k] == CALLTREE_NONE;
		if (rank_has(w->hits, *k) && (!none || !e->below))
			return none ? 0 : e->left->at[*k];
	}
}

static struct ends ends_of(
    const struct end_sums *w, const struct calltree *was, const struct calltree *left, bool below)
{
	return (struct ends){.w = w, .left = left, .below = below, .blocks = rank_blocks(was->n),
	    .bits = w->ends[0].bits};
}

/* Convert own weights by end to running sums. */
static void run_up(int64_t *v, uint32_t n)
{
	int64_t sum = 0;
	for (uint32_t k = 0; k <= n; k++) {
		int64_t own = k < n ? v[k] : 0;
		v[k] = sum;
		sum = wrap_add(sum, own);
	}
}

static struct end_sums sum_pruned_ends(
    struct calltree *s, const struct calltree *was, const struct end_sums *w, bool below, struct arena *a)
{
	uint32_t at, k;
	s->ends = xcalloc(rank_blocks(s->n), sizeof *s->ends);
	for (struct ends e = ends_of(w, was, s, below); (at = next_end(&e, &k)) != UINT32_MAX;)
		rank_set(s->ends, at);
	uint32_t n = s->nend = rank_seal(s->ends, s->n);
	size_t cells = (n + 1u) * (w->osum ? 2u : 1u);
	int64_t *sum = arena_zalloc(a, cells * sizeof *sum + rank_blocks(n) * sizeof(struct rank));
	int64_t *osum = w->osum ? sum + n + 1 : NULL;
	struct rank *hits = (struct rank *)(void *)(sum + cells);
	for (struct ends e = ends_of(w, was, s, below); (at = next_end(&e, &k)) != UINT32_MAX;) {
		struct weighted_sum own = sums_between(w, k, k + 1);
		uint32_t to = rank_below(s->ends, at);
		rank_set(hits, to);
		sum[to] = wrap_add(sum[to], own.w);
		if (osum)
			osum[to] = wrap_add(osum[to], own.o);
	}
	rank_seal(hits, n);
	run_up(sum, n);
	if (osum)
		run_up(osum, n);
	mem_free(s->at);
	s->at = NULL;
	return (struct end_sums){.n = n, .ends = s->ends, .sum = sum, .osum = osum, .hits = hits};
}

/* Build the tree of the nodes marked in hit[], and free hit. */
static struct calltree *prune_nodes(const struct nodes *t, uint8_t *hit, const struct calltree_folds *folds, bool below,
    const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	struct calltree *s = calltree_prune(t->s, hit, t->w.ends, t->w.n, folds, &f->on);
	mem_free(hit);
	*w = sum_pruned_ends(s, t->s, &t->w, below, a);
	calltree_close(s);
	return s;
}

struct calltree *flame_pruned(const struct nodes *t, const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	uint8_t *hit = xcalloc(prune_bytes(t->n), 1);
	if (!f->fold_recursion && !f->fold_runtime) {
		mark_counting(t, f, 0, t->n, hit);
		return prune_nodes(t, hit, NULL, false, f, w, a);
	}
	struct calltree_folds away = find_folds(t, f, hit);
	struct calltree *s = prune_nodes(t, hit, &away, false, f, w, a);
	mem_free(away.at);
	mem_free(away.first);
	mem_free(away.node);
	return s;
}

/* Keep the subtrees of the topmost nodes of the pivot; deeper nodes of the pivot are among the callees. Everything
   above is removed. */
struct calltree *flame_callees(const struct nodes *t, const struct flame_conf *f, struct end_sums *w, struct arena *a)
{
	uint8_t *hit = xcalloc(prune_bytes(t->n), 1);
	prune_set_mark(hit, 0, PRUNE_HIT);
	for (uint32_t i = 1; (i = nodes_seek(t->what, i, t->n, f->pivot)) < t->n;) {
		if (nodes_is_hidden(t, i)) {
			i++;
			continue;
		}
		uint32_t next = nodes_next(t, i);
		if (nodes_has_weight(t, i)) {
			mark_counting(t, f, i, next, hit);
			for (uint32_t up = nodes_parent(t, i); !prune_mark_at(hit, up); up = nodes_parent(t, up))
				prune_set_mark(hit, up, PRUNE_GONE);
		}
		i = next;
	}
	return prune_nodes(t, hit, NULL, true, f, w, a);
}
