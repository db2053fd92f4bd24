/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Weights on a tree of the query's own, in preorder. First the node where each sample counts is computed, and which
 * nodes are hidden; then one walk over the nodes builds the result. That is a call tree for this query alone, or the
 * weight at each address, for which no tree is built: a row for each line of code at an address, with its own weight
 * and that of the stacks that contain it. The path to the current node determines which rows are open; the weight below
 * a node is what was added up since it was entered.
 *
 * Not taken: weighted trees by address. Such a tree is as large as that by lines, which is shown beside the addresses.
 */
#include "config.h"
#include "filter/internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/addresses.h"
#include "calltree/tree.h"

#include <string.h>

/* Return the nodes that have samples, before any filter. */
static struct rank *ends_of(const struct weigh_context *g)
{
	struct rank *at = xcalloc(rank_blocks(g->frame_tree.n), sizeof *at);
	for (uint32_t i = 0; i < g->sn->nsmps; i++)
		rank_set(at, g->frame_tree.of ? g->frame_tree.of[i] : store_smp(g->sn->st, i)->stack);
	rank_seal(at, g->frame_tree.n);
	return at;
}

/* Set g->of to the node where each sample counts. Return the hidden nodes, NULL: there are none. */
static struct rank *find_samples(struct weigh_context *g, size_t type)
{
	uint32_t n = g->frame_tree.n, nsmp = g->sn->nsmps;
	if (weigh_by_frames(g)) {
		g->ends = ends_of(g);
		g->cut = filter_apply_to_ends(&g->frame_tree, &g->frame_matches, g->ends);
	}
	g->of = xmalloc((nsmp + 1u) * sizeof *g->of);
	memset(g->of, 0xff, nsmp * sizeof *g->of);
	g->hit = xcalloc(rank_blocks(n), sizeof *g->hit);
	weigh_samples(g, type);
	rank_seal(g->hit, n);
	struct rank *gone = g->cut.gone;
	mem_free(g->frame_tree.of);	/* not needed any more, because of g->of */
	g->frame_tree.of = NULL;
	mem_free(g->cut.to);
	mem_free(g->ends);
	g->cut = (struct filter_end_result){0};
	g->ends = NULL;
	return gone;
}

/* Begin a weighing on a tree in preorder: the store's, or one with tags as frames. Return false if there is none, or no
   sample. */
static bool begin_apart(struct weigh_context *g, const struct snap *sn, const struct compiled_filters *fc,
    bool noinlines, const struct sides *sides, bool preorder)
{
	str_id key[KEYS_MAX];
	size_t nroot, nkey = filter_tag_keys(fc, sn, key, KEYS_MAX, &nroot);
	if ((!nkey && !preorder) || !sn->nsmps)
		return false;
	weigh_begin(g, sn, fc, noinlines, sides);
	if (nkey || filter_has_tags(fc))
		labels_update(&g->labels, sn);
	if (nkey)
		tag_tree_build(&g->frame_tree, sn, &g->labels, key, nkey, nroot);
	return true;
}

/* Build the call tree of the nodes where samples count. */
static struct calltree *build_calltree(
    struct weigh_context *g, struct granularity *t, size_t type, const _Atomic bool *stop)
{
	uint32_t n = g->frame_tree.n, nsmp = g->sn->nsmps;
	struct rank *gone = find_samples(g, type);
	str_id *label = xmalloc((g->frame_tree.ntag + 1u) * sizeof *label);
	for (uint32_t i = 0; i < g->frame_tree.ntag; i++)
		label[i] = g->frame_tree.tag[i].label;
	struct granularity *with =
	    g->frame_tree.ntag ? granularity_with_tags(t, label, g->frame_tree.ntag) : granularity_ref(t);
	struct calltree *s = calltree_new(with, &(struct frames){.n = n,
						    .st = g->sn->st,
						    .row = g->frame_tree.row.frame ? &g->frame_tree.row : NULL,
						    .spend = &g->frame_tree.row,
						    .tag = label,
						    .ntag = g->frame_tree.ntag,
						    .gone = gone,
						    .hit = g->hit,
						    .nsmp = nsmp,
						    .of = g->of,
						    .stop = stop});
	granularity_free(with);
	mem_free(label);
	mem_free(gone);
	mem_free(g->hit);
	g->hit = NULL;
	return s;
}

struct weighted_tree *filter_weigh_rebuilt(const struct snap *sn, const struct compiled_filters *fc, size_t type,
    bool noinlines, const struct sides *sides, struct granularity *granularity, bool preorder, const _Atomic bool *stop)
{
	struct weigh_context g;
	struct weighted_tree *c = NULL;
	if (!begin_apart(&g, sn, fc, noinlines, sides, preorder))
		return NULL;
	struct calltree *s = build_calltree(&g, granularity, type, stop);
	if (s) {
		struct weigh_target o;
		c = weighted_begin(s, sides && sides->b, &o);
		g.weigh_target = &o;
		g.all = g.base = 0;
		o.bare = true;
		weigh_samples(&g, type);
		o.all = g.base > 0 ? g.base : g.all;
		o.show = o.oflat ? sides->show : SHOW_DELTA;
		o.unit = weigh_unit(sn, type);
		weighted_finish(c, &o);
		calltree_free(s);
	}
	mem_free(g.of);
	g.weigh_target = NULL;
	weigh_end(&g);
	return c;
}

/* ---- addresses */

/* Return the value of one sample that is shown. */
static int64_t shown_value(const struct weigh_context *g, size_t type, uint32_t i)
{
	const struct sides *d = g->sides;
	int64_t v = store_value(g->sn->st, (uint32_t)type, i), other;
	if (!d)
		return v;
	uint32_t side = store_side(g->sn->st, i);
	int64_t a = side_in(d->a, side) ? sides_scaled(v, d->ratio) : 0, b = side_in(d->b, side) ? v : 0;
	return d->b ? side_shown(d->show, a, b, &other) : a;
}

/* Return the own weights of the nodes in g->hit, in preorder. */
static int64_t *own_weights(const struct weigh_context *g, size_t type)
{
	uint32_t last = (uint32_t)rank_blocks(g->frame_tree.n) - 1;
	uint32_t n = g->hit[last].before + rank_popcount(g->hit[last].bits);
	int64_t *own = xcalloc(n + 1u, sizeof *own);
	for (uint32_t i = 0; i < g->sn->nsmps; i++) {
		if (g->of[i] == FILTER_NONE)
			continue;
		int64_t *to = &own[rank_below(g->hit, g->of[i])];
		*to = wrap_add(*to, shown_value(g, type, i));
	}
	return own;
}

/* A node on the current path; row: that of its frame, + 1; 0: it has none. */
struct step_at { uint32_t node, row; bool first; int64_t before; };

/* What was added up since the node was entered is the weight at and below it. */
static void leave_node(const struct step_at *at, int64_t sum, uint32_t *open, struct addr_sum *v)
{
	if (!at->row)
		return;
	open[at->row]--;
	if (at->first)
		v[at->row - 1].cum = wrap_add(v[at->row - 1].cum, wrap_sub(sum, at->before));
}

static void sum_up(const struct weigh_context *g, const struct rank *gone, const int64_t *own, const uint32_t *row_of,
    struct addr_sums *to)
{
	struct frame_tree_pass rows = frame_tree_pass(&g->frame_tree);
	struct step_at *way = NULL;
	size_t cap = 0, depth = 0;
	uint32_t *open = xcalloc(to->n + 1u, sizeof *open);
	int64_t sum = 0;
	for (uint32_t i = 0; i < g->frame_tree.n; i++) {
		struct stk_row r = frame_tree_at(&rows, i);
		while (i && way[depth - 1].node != r.parent)
			leave_node(&way[--depth], sum, open, to->v);
		uint32_t row = !i || r.frame & FRAME_TREE_TAG || (gone && rank_has(gone, i)) ? 0 : row_of[r.frame];
		way = mem_grow(way, &cap, depth + 1, sizeof *way);
		way[depth++] = (struct step_at){i, row, row && !open[row]++, sum};
		if (!rank_has(g->hit, i))
			continue;
		sum = wrap_add(sum, *own);
		if (row)
			to->v[row - 1].flat = wrap_add(to->v[row - 1].flat, *own);
		own++;
	}
	while (depth)
		leave_node(&way[--depth], sum, open, to->v);
	mem_free(way);
	mem_free(open);
}

struct addr_sums *filter_weigh_addresses(const struct snap *sn, const struct compiled_filters *fc, size_t type,
    bool noinlines, const struct sides *sides, bool preorder)
{
	struct weigh_context g;
	if (!begin_apart(&g, sn, fc, noinlines, sides, preorder))
		return NULL;
	struct rank *gone = find_samples(&g, type);
	int64_t *own = own_weights(&g, type);
	mem_free(g.of);
	uint32_t *row_of;
	struct addr_sums *to = addresses_new(sn, &row_of);
	sum_up(&g, gone, own, row_of, to);
	void *all[] = {gone, own, row_of, g.hit};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	weigh_end(&g);
	return to;
}
