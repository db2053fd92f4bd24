/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Adds tags as frames to a call tree: below each chain of root tags there is a part of the existing tree, and leaf tags
 * are added below its nodes. No two children of a node are the same symbol in the input, nor in the result, so nothing
 * is merged and the new tree is written in its final layout. It contains all samples, so other filters are weighed onto
 * it (weigh.c); only if stacks are cut as well does the query need a tree of its own.
 *
 * Samples are sorted by chain, by end (numbered in preorder) and by their leaf tags. For each sample the nodes that are
 * not on the previous sample's path are new: runs of nodes without forks, which are copied at once. A node stands for
 * all calls of the original one, whether they have this tag or not. So it may have more flags of inlining than its
 * calls, and siblings are in the order of the original tree, as with every filter that is weighed onto a tree.
 *
 * Not taken: writing a tree of frames (tag_tree.c) and building a call tree from that. For 10 M nodes this took three
 * times as long, and 150 MB beside the tree.
 */
#include "config.h"
#include "filter/tag_graft.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "calltree/tree_internal.h"
#include "filter/match.h"
#include "filter/tag_paths.h"

#include <string.h>

/* Nodes lo .. hi of the original tree, each a child of the one before, are id ... in the new one. */
struct node_run { uint32_t lo, hi, id; };

/* A path down a tree of tags, to the tag that was written last. */
struct chain {
	const struct tag_path_set *tag_path_set;
	uint32_t *symbol;	/* by index in tag_path_set */
	uint32_t *tag_path, *id, n;	/* by depth */
};

struct graft_writer {
	struct calltree *s;
	const struct calltree *base;
	size_t cap;
	struct node_run *path, *way;	/* path: to the node that was written last; way: the runs still to be written */
	size_t cpath, cway;
	uint32_t depth, last;
	struct chain top, end;
	uint32_t *top_of, *end_of;	/* by label set */
	uint32_t *node;			/* by end of the original tree */
};

/* ---- nodes */

/* Append n nodes, each below the one before and the first below `parent`; return the first one's number. */
static uint32_t add_chain(struct graft_writer *w, uint32_t parent, uint32_t n)
{
	struct calltree *s = w->s;
	uint32_t id = s->n;
	if ((size_t)id + n > w->cap) {
		size_t had = w->cap ? rank_blocks((uint32_t)w->cap) : 0, want = w->cap * 2 + n;
		w->cap = want > w->base->n ? want : w->base->n;
		s->what = xrealloc(s->what, w->cap * sizeof *s->what);
		s->forks = xrealloc(s->forks, rank_blocks((uint32_t)w->cap) * sizeof *s->forks);
		memset(s->forks + had, 0, (rank_blocks((uint32_t)w->cap) - had) * sizeof *s->forks);
	}
	if (id && parent + 1 != id) {
		s->fork = mem_grow(s->fork, &s->cfork, (size_t)s->nfork + 1, sizeof *s->fork);
		s->fork[s->nfork++] = parent;
		rank_set(s->forks, id);
	}
	s->n += n;
	return id;
}

/* Return the first of the nodes up to x that are each the first child of the one before; at least last + 1. */
static uint32_t begin_of(const struct calltree *s, uint32_t x, uint32_t last)
{
	size_t b = x / 64;
	uint64_t bits = s->forks[b].bits & ((UINT64_C(2) << x % 64) - 1);
	while (!bits && b * 64 > last)
		bits = s->forks[--b].bits;
	uint32_t at = bits ? (uint32_t)(b * 64) + 63 - (uint32_t)__builtin_clzll(bits) : 0;
	return at > last ? at : last + 1;
}

/* Return the new node of a node of the original tree below the current chain, and copy the path to it. */
static uint32_t copy_path_to(struct graft_writer *w, uint32_t to)
{
	const struct calltree *b = w->base;
	uint32_t x = to, n = 0;
	while (x > w->last) {
		uint32_t lo = begin_of(b, x, w->last);
		w->way = mem_grow(w->way, &w->cway, n + 1u, sizeof *w->way);
		w->way[n++] = (struct node_run){lo, x, 0};
		x = calltree_parent(b, lo);
	}
	w->last = to;
	while (w->path[w->depth - 1].lo > x)
		w->depth--;
	struct node_run *at = &w->path[w->depth - 1];
	at->hi = x;
	uint32_t id = at->id + (x - at->lo);
	while (n) {
		struct node_run r = w->way[--n];
		uint32_t k = r.hi - r.lo + 1;
		r.id = add_chain(w, id, k);
		memcpy(w->s->what + r.id, b->what + r.lo, k * sizeof *b->what);
		w->path = mem_grow(w->path, &w->cpath, w->depth + 1u, sizeof *w->path);
		w->path[w->depth++] = r;
		id = r.id + k - 1;
	}
	return id;
}

/* ---- tags */

static bool is_in(const struct chain *c, uint32_t n, uint32_t symbol)
{
	for (uint32_t i = 0; i < n; i++)
		if (c->symbol[c->tag_path[i]] == symbol)
			return true;
	return false;
}

/* Add the tags of a chain below a node, except those shared with the previous chain. Return the last node. */
static uint32_t add_chain_below(struct graft_writer *w, struct chain *c, uint32_t tag_path, uint32_t below)
{
	uint32_t n = 0, same = 0;
	for (uint32_t x = tag_path; x; x = c->tag_path_set->v[x].parent)
		n++;
	for (uint32_t x = tag_path, k = n; x; x = c->tag_path_set->v[x].parent) {
		same = k <= c->n && c->tag_path[k - 1] == x && !same ? k : same;
		k--;
	}
	for (uint32_t x = tag_path, k = n; k > same; x = c->tag_path_set->v[x].parent)
		c->tag_path[--k] = x;
	for (uint32_t k = same; k < n; k++) {
		uint32_t symbol = c->symbol[c->tag_path[k]], id = add_chain(w, k ? c->id[k - 1] : below, 1);
		bool again = is_in(c, k, symbol) || (c == &w->end && is_in(&w->top, w->top.n, symbol));
		w->s->what[id] = calltree_what(symbol, CT_NOTINL | (again ? CT_AGAIN : 0u));
		c->id[k] = id;
	}
	c->n = n;
	return n ? c->id[n - 1] : below;
}

static struct chain chain_new(const struct tag_path_set *t, const struct granularity *of, size_t depth)
{
	struct chain c = {.tag_path_set = t, .symbol = xcalloc(t->n, sizeof *c.symbol),
	    .tag_path = xcalloc(depth + 1, sizeof *c.tag_path), .id = xcalloc(depth + 1, sizeof *c.id)};
	for (uint32_t i = 1; i < t->n; i++)
		c.symbol[i] = granularity_find_tag(of, t->v[i].tag.label);
	return c;
}

static struct granularity *symbols_with_tags(
    const struct calltree *base, const struct tag_path_set *top, const struct tag_path_set *end)
{
	uint32_t n = 0;
	str_id *label = xmalloc((top->n + end->n) * sizeof *label);
	for (uint32_t i = 0; i < top->n; i++)
		label[n++] = top->v[i].tag.label;
	for (uint32_t i = 0; i < end->n; i++)
		label[n++] = end->v[i].tag.label;
	struct granularity *t = granularity_with_tags(base->granularity, label, n);
	mem_free(label);
	return t;
}

/* ---- samples */

/* Return all samples, sorted by the place where they are added. */
static struct radix_item *sorted_samples(const struct graft_writer *w, const struct snap *sn, bool ends)
{
	uint32_t n = sn->nsmps;
	struct radix_item *v = xmalloc((n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] =
		    (struct radix_item){ends ? w->end.tag_path_set->pre[w->end_of[store_smp(sn->st, i)->set]] : 0, i};
	if (ends)
		radix_sort_items(v, n);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t set = store_smp(sn->st, v[k].v)->set;
		v[k].key = (uint64_t)w->top.tag_path_set->pre[w->top_of[set]] << 32 | w->base->end[v[k].v];
	}
	radix_sort_items(v, n);
	return v;
}

/* The ends of one chain are scattered over the original tree: prefetch the data of the following ones. */
static inline void prefetch_nodes(const struct graft_writer *w, const struct radix_item *v, uint32_t n)
{
	enum { NODE = 30, FORK = 20, THING = 10 };
	const struct calltree *b = w->base;
	if (n <= NODE)
		return;
	__builtin_prefetch(&w->node[(uint32_t)v[NODE].key]);
	__builtin_prefetch(&b->forks[w->node[(uint32_t)v[FORK].key] / 64]);
	uint32_t i = w->node[(uint32_t)v[THING].key];
	__builtin_prefetch(&b->fork[b->forks[i / 64].before]);
	__builtin_prefetch(&b->what[i]);
	__builtin_prefetch(&w->s->end[v[THING].v], 1);
}

/* Write the nodes of all samples. Return false if it was stopped. */
static bool write_all(struct graft_writer *w, const struct snap *sn, const struct radix_item *v, uint32_t n, bool ends,
    const _Atomic bool *stop)
{
	enum { PIECE = 1 << 16 };
	uint32_t below = 0;
	w->path = mem_grow(NULL, &w->cpath, 1, sizeof *w->path);
	for (uint32_t k = 0; k < n; k++) {
		if (stop && k % 4096 == 0 && atomic_load_explicit(stop, memory_order_relaxed))
			return false;
		if (k && k % PIECE == 0)
			mem_discard(v, (size_t)(k - PIECE) * sizeof *v, (size_t)(k - 1) * sizeof *v);
		bool other = !k || v[k].key >> 32 != v[k - 1].key >> 32;
		uint32_t set = other || ends ? store_smp(sn->st, v[k].v)->set : 0, end = (uint32_t)v[k].key;
		prefetch_nodes(w, v + k, n - k);
		if (other) {
			below = add_chain_below(w, &w->top, w->top_of[set], 0);
			w->path[0] = (struct node_run){0, 0, below};
			w->depth = 1;
			w->last = 0;
		}
		uint32_t at = copy_path_to(w, w->node[end]);
		if (other || end != (uint32_t)v[k - 1].key)
			w->end.n = 0;
		w->s->end[v[k].v] = ends ? add_chain_below(w, &w->end, w->end_of[set], at) : at;
	}
	return true;
}

static void number_ends(struct calltree *s, uint32_t n)
{
	s->ends = xcalloc(rank_blocks(s->n), sizeof *s->ends);
	for (uint32_t i = 0; i < n; i++)
		rank_set(s->ends, s->end[i]);
	s->nend = rank_seal(s->ends, s->n);
	for (uint32_t i = 0; i < n; i++)
		s->end[i] = rank_below(s->ends, s->end[i]);
}

static uint32_t *nodes_of_ends(const struct calltree *s)
{
	uint32_t *node = xmalloc((s->nend + 1u) * sizeof *node), k = 0;
	for (size_t b = 0; b < rank_blocks(s->n); b++)
		for (uint64_t bits = s->ends[b].bits; bits; bits &= bits - 1)
			node[k++] = (uint32_t)(b * 64) + (uint32_t)__builtin_ctzll(bits);
	return node;
}

static void writer_free(struct graft_writer *w)
{
	void *all[] = {w->path, w->way, w->top.symbol, w->top.tag_path, w->top.id, w->end.symbol, w->end.tag_path,
	    w->end.id, w->top_of, w->end_of, w->node};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
}

static struct calltree_tags *tags_of(
    const struct tag_path_set *top, const struct tag_path_set *end, const str_id *key, size_t nkey, size_t nroot)
{
	size_t n = (size_t)top->n + end->n - 2;		/* the first of each is the empty chain */
	struct calltree_tags *t = xmalloc(sizeof *t + n * sizeof *t->v + nkey * sizeof *key);
	*t = (struct calltree_tags){.nkey = (uint32_t)nkey, .nroot = (uint32_t)nroot};
	for (uint32_t i = 1; i < top->n; i++)
		t->v[t->n++] = (struct calltree_tag){top->v[i].tag.label, top->v[i].tag.key};
	for (uint32_t i = 1; i < end->n; i++)
		t->v[t->n++] = (struct calltree_tag){end->v[i].tag.label, end->v[i].tag.key};
	t->key = memcpy(t->v + n, key, nkey * sizeof *key);
	return t;
}

bool tag_graft_has_keys(const struct calltree *s, const str_id *key, size_t nkey, size_t nroot)
{
	const struct calltree_tags *t = s->tags;
	if (!t || !nkey)
		return !t && !nkey;
	return t->nkey == nkey && t->nroot == nroot && !memcmp(t->key, key, nkey * sizeof *key);
}

struct calltree *tag_graft_new(struct calltree *base, bool spend, const struct snap *sn, const struct labels *ls,
    const str_id *key, size_t nkey, size_t nroot, const _Atomic bool *stop)
{
	struct graft_writer w = {.base = base, .node = nodes_of_ends(base)};
	struct tag_path_set top = {0}, end = {0};
	tag_paths_of_sets(sn, ls, key, nkey, nroot, &top, &end, &w.top_of, &w.end_of);
	tag_paths_finish(&top);
	tag_paths_finish(&end);
	struct calltree *s = w.s = xcalloc(1, sizeof *s);
	*s = (struct calltree){.refs = 1, .granularity = symbols_with_tags(base, &top, &end), .preorder = true};
	w.top = chain_new(&top, s->granularity, nkey);
	w.end = chain_new(&end, s->granularity, nkey);
	s->tags = tags_of(&top, &end, key, nkey, nroot);
	s->end = xmalloc((sn->nsmps + 1u) * sizeof *s->end);
	add_chain(&w, 0, 1);
	s->what[0] = base->what[0];
	struct radix_item *v = sorted_samples(&w, sn, nkey > nroot);
	if (spend)
		calltree_drop_numbering(base);
	bool whole = write_all(&w, sn, v, sn->nsmps, nkey > nroot, stop);
	mem_free(v);
	writer_free(&w);
	if (spend)
		calltree_free(base);
	tag_paths_free(&top);
	tag_paths_free(&end);
	if (!whole) {
		calltree_free(s);
		return NULL;
	}
	number_ends(s, sn->nsmps);
	calltree_close(s);
	return s;
}

/* ---- queries */

bool filter_has_tag_frames(const struct snap *sn, const struct compiled_filters *fc)
{
	str_id key[KEYS_MAX];
	size_t nroot;
	return filter_tag_keys(fc, sn, key, KEYS_MAX, &nroot) > 0;
}

bool filter_keeps_whole_stacks(const struct compiled_filters *fc, bool noinlines)
{
	return !noinlines && !filter_has_show_from(fc) && !fc->rx[FILTER_PRUNE_FROM];
}

struct calltree *filter_tagged_calltree(const struct snap *sn, const struct compiled_filters *fc, bool noinlines,
    struct calltree *base, bool spend, const _Atomic bool *stop)
{
	str_id key[KEYS_MAX];
	size_t nroot, nkey = filter_tag_keys(fc, sn, key, KEYS_MAX, &nroot);
	struct labels ls = {0};
	if (!nkey || !sn->nsmps || !filter_keeps_whole_stacks(fc, noinlines))
		return NULL;
	labels_update(&ls, sn);
	struct calltree *s = tag_graft_new(base, spend, sn, &ls, key, nkey, nroot, stop);
	labels_free(&ls);
	return s;
}

bool filter_fits_calltree(const struct snap *sn, const struct compiled_filters *fc, const struct calltree *s)
{
	str_id key[KEYS_MAX];
	size_t nroot, nkey = filter_tag_keys(fc, sn, key, KEYS_MAX, &nroot);
	return tag_graft_has_keys(s, key, nkey, nroot);
}
