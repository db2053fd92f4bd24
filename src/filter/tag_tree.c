/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Tags as frames: below every chain of root tags the part of the call tree that its samples use, and chains of leaf
 * tags below the nodes where these end.
 *
 * Chains are the paths of two small trees of tags, built from the label sets. Samples are sorted by chain, by stack (in
 * preorder) and by their leaf tags. Then the new tree is written in preorder: for each sample the nodes that are not on
 * the previous sample's path are new. So nothing is looked up, the memory needed depends on the nodes that are written,
 * and they are in preorder themselves (calltree/tree.c makes use of that).
 *
 * Not taken: copies of nodes found by a hash table of (chain, node): 3 s and 60 bytes a node, five times as much as
 * this.
 */
#include "config.h"
#include "filter/apply.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "filter/tag_paths.h"
#include "trace/as_profile.h"

#include <string.h>

void tag_tree_free(struct frame_tree *t)
{
	tree_rows_free(&t->row);
	mem_free(t->tag);
	mem_free(t->of);
	*t = (struct frame_tree){0};
}

/* ---- the new tree */

/* A path down one of the three trees, to the node that was written last. */
struct tree_descent {
	const struct tag_path_set *tag_path_set;	/* NULL: the store's tree */
	const uint32_t *pre;		/* NULL: its nodes are in preorder */
	uint32_t tag0, depth, last;
	struct { uint32_t node, id; } *path;
	size_t cap;
};

struct graft {
	struct frame_tree *t;
	const struct snap *sn;
	const struct trace_tag_weight *part;	/* NULL: the input is samples */
	struct tag_path_set top, end;
	uint32_t *top_of, *end_of;	/* by label set, or by part */
	struct { uint32_t node; frm_id frame; } *way;	/* the nodes still to be written */
	size_t cway;
	bool ends;			/* there are leaf tags */
};

static void begin_descent(struct tree_descent *d, uint32_t id)
{
	d->path = mem_grow(d->path, &d->cap, 1, sizeof *d->path);
	d->path[0].node = d->last = 0;
	d->path[0].id = id;
	d->depth = 1;
}

static uint32_t add_row(struct frame_tree *t, uint32_t parent, frm_id frame)
{
	struct tree_rows *r = &t->row;
	uint32_t id = t->n++;
	r->frame = mem_grow(r->frame, &t->cap, t->n, sizeof *r->frame);
	r->frame[id] = frame;
	if (id % 64 == 0) {
		r->forks = mem_grow(r->forks, &t->cforks, id / 64 + 2u, sizeof *r->forks);
		r->forks[id / 64] = r->forks[id / 64 + 1] = (struct rank){0};
	}
	if (id && parent + 1 != id) {
		r->fork = mem_grow(r->fork, &t->cfork, t->nfork + 1u, sizeof *r->fork);
		r->fork[t->nfork++] = parent;
		rank_set(r->forks, id);
	}
	return id;
}

static struct stk_row row_of(const struct graft *g, const struct tree_descent *d, uint32_t x)
{
	if (d->tag_path_set)
		return (struct stk_row){d->tag_path_set->v[x].parent, FRAME_TREE_TAG | (d->tag0 + x)};
	return (struct stk_row){stk_parent(g->sn->st, x), stk_frame(g->sn->st, x)};
}

static uint32_t add_path_to(struct graft *g, struct tree_descent *d, uint32_t to)
{
	uint32_t x = to, n = 0, last = d->pre ? d->pre[d->last] : d->last;
	while ((d->pre ? d->pre[x] : x) > last) {
		struct stk_row r = row_of(g, d, x);
		if (n == g->cway)
			g->way = mem_grow(g->way, &g->cway, n + 1u, sizeof *g->way);
		g->way[n].node = x;
		g->way[n++].frame = r.frame;
		x = r.parent;
	}
	while (d->path[d->depth - 1].node != x)
		d->depth--;
	uint32_t id = d->path[d->depth - 1].id;
	if (d->depth + n > d->cap)
		d->path = mem_grow(d->path, &d->cap, d->depth + n, sizeof *d->path);
	while (n) {
		id = add_row(g->t, id, g->way[--n].frame);
		d->path[d->depth].node = g->way[n].node;
		d->path[d->depth++].id = id;
	}
	d->last = to;
	return id;
}

struct sample_place { uint32_t top, stack, end; };
static struct sample_place spot_of(const struct graft *g, uint32_t i)
{
	if (g->part)
		return (struct sample_place){g->top_of[i], g->part[i].stack, g->end_of[i]};
	const struct smp_row *s = store_smp(g->sn->st, i);
	return (struct sample_place){g->top_of[s->set], s->stack, g->end_of[s->set]};
}

/* Return the places of the store's nodes in preorder, NULL: they are in preorder already. */
static uint32_t *store_preorder(const struct snap *sn)
{
	uint32_t *path = NULL, *parent, *pre, depth = 1, i;
	size_t cap = 0;
	path = mem_grow(path, &cap, 1, sizeof *path);
	path[0] = 0;
	for (i = 1; i < sn->nstks && depth; i++) {
		uint32_t p = stk_parent(sn->st, i);
		while (depth && path[depth - 1] != p)
			depth--;
		if (depth == cap)
			path = mem_grow(path, &cap, depth + 1u, sizeof *path);
		path[depth] = i;
		depth += depth != 0;
	}
	mem_free(path);
	if (depth)
		return NULL;
	parent = xmalloc(sn->nstks * sizeof *parent);
	for (i = 0; i < sn->nstks; i++)
		parent[i] = stk_parent(sn->st, i);
	pre = tag_paths_preorder(parent, sn->nstks);
	mem_free(parent);
	return pre;
}

/* Return all n samples (or parts), sorted by the place where they are added. */
static struct radix_item *sorted_samples(const struct graft *g, const uint32_t *pre, uint32_t n)
{
	struct radix_item *v = xmalloc((n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct radix_item){g->ends ? g->end.pre[spot_of(g, i).end] : 0, i};
	if (g->ends)
		radix_sort_items(v, n);
	for (uint32_t k = 0; k < n; k++) {
		struct sample_place s = spot_of(g, v[k].v);
		v[k].key = (uint64_t)g->top.pre[s.top] << 32 | (pre ? pre[s.stack] : s.stack);
	}
	radix_sort_items(v, n);
	return v;
}

static void write_tree(struct graft *g, uint32_t n)
{
	struct frame_tree *t = g->t;
	tag_paths_finish(&g->top);
	tag_paths_finish(&g->end);
	uint32_t *pre = store_preorder(g->sn);
	struct radix_item *v = sorted_samples(g, pre, n);
	struct tree_descent top = {.tag_path_set = &g->top, .pre = g->top.pre}, way = {.pre = pre},
		    end = {.tag_path_set = &g->end, .pre = g->end.pre, .tag0 = g->top.n};
	struct sample_place had = {0, 0, 0};
	bool in_key = !pre && !g->ends;	/* the sort key contains the place, so it is not looked up */
	uint32_t *top_at = xmalloc(g->top.n * sizeof *top_at);
	for (uint32_t i = 0; i < g->top.n; i++)
		top_at[g->top.pre[i]] = i;
	t->ntag = g->top.n + g->end.n;
	t->tag = xmalloc(t->ntag * sizeof *t->tag);
	for (uint32_t i = 0; i < t->ntag; i++)
		t->tag[i] = i < g->top.n ? g->top.v[i].tag : g->end.v[i - g->top.n].tag;
	t->of = xmalloc((n + 1u) * sizeof *t->of);
	add_row(t, 0, 0);
	begin_descent(&top, 0);
	begin_descent(&way, 0);
	begin_descent(&end, 0);
	for (uint32_t k = 0; k < n; k++) {
		struct sample_place s = in_key ? (struct sample_place){top_at[v[k].key >> 32], (uint32_t)v[k].key, 0}
		    : spot_of(g, v[k].v);
		if (s.top != had.top)
			begin_descent(&way, add_path_to(g, &top, s.top));
		uint32_t at = add_path_to(g, &way, s.stack);
		if (!k || s.top != had.top || s.stack != had.stack)
			begin_descent(&end, at);
		t->of[v[k].v] = add_path_to(g, &end, s.end);
		had = s;
	}
	rank_seal(t->row.forks, t->n);
	mem_free(v);
	mem_free(pre);
	mem_free(top_at);
	mem_free(top.path);
	mem_free(way.path);
	mem_free(end.path);
	mem_free(g->way);
	mem_free(g->top_of);
	mem_free(g->end_of);
	tag_paths_free(&g->top);
	tag_paths_free(&g->end);
}

void tag_tree_build(
    struct frame_tree *t, const struct snap *sn, const struct labels *ls, const str_id *key, size_t nkey, size_t nroot)
{
	struct graft g = {.t = t, .sn = sn, .ends = nkey > nroot};
	*t = (struct frame_tree){.st = sn->st};
	tag_paths_of_sets(sn, ls, key, nkey, nroot, &g.top, &g.end, &g.top_of, &g.end_of);
	write_tree(&g, sn->nsmps);
}

void tag_tree_build_parts(
    struct frame_tree *t, const struct snap *sn, const struct trace_tag_weight *part, uint32_t n, str_id key, bool root)
{
	struct graft g = {.t = t, .sn = sn, .part = part, .ends = !root};
	*t = (struct frame_tree){.st = sn->st};
	tag_paths_init(&g.top);
	tag_paths_init(&g.end);
	g.top_of = xcalloc(n + 1u, sizeof *g.top_of);
	g.end_of = xcalloc(n + 1u, sizeof *g.end_of);
	for (uint32_t i = 0; i < n; i++)
		*(root ? &g.top_of[i] : &g.end_of[i]) = tag_path(root ? &g.top : &g.end, 0, part[i].tag, key);
	write_tree(&g, n);
}
