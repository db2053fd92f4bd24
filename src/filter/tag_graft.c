/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Adds tags as frames to a call tree: below each chain of root tags there is a part of the existing tree, and leaf tags
 * are added below its nodes. Nothing has to be merged, so the new tree is written in its final layout. It contains all
 * samples, so filters are applied to it as to the tree without tags (weigh.c).
 *
 * Samples are sorted by chain, by end (numbered in preorder) and by their leaf tags. For each sample the nodes that are
 * not on the previous sample's path are new: runs of nodes without forks, which are copied at once. A node stands for
 * all calls of the original one, whether they have this tag or not. So it may have more flags of inlining than its
 * calls, and siblings are in the order of the original tree, as with every filter.
 *
 * The weights of a trace by reason (trace/as_profile.h) are grafted in the same way: a part is a sample with one label.
 *
 * Not taken: writing a tree of frames and building a call tree from that. For 10 M nodes this took three times as long.
 */
#include "config.h"
#include "filter/tag_graft.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "filter/tag_paths.h"
#include "filter/weigh.h"
#include "store/builder.h"
#include "trace/as_profile.h"

#include <string.h>

/* Nodes lo .. hi of the original tree, each a child of the one before, are id ... in the new one. */
struct node_run { uint32_t lo, hi, id; };

/* A path down a tree of tags, to the tag that was written last. */
struct chain {
	const struct tag_path_set *tag_path_set;
	uint32_t *symbol;	/* by index in tag_path_set */
	uint8_t *mark;		/* likewise */
	uint32_t *tag_path, *id, n;	/* by depth */
};

struct graft_writer {
	struct calltree *s;
	const struct calltree *base;
	const struct snap *sn;
	const struct trace_tag_weight *part;	/* NULL: samples are grafted */
	uint32_t n;			/* number of samples or parts */
	size_t cap;
	struct node_run *path, *way;	/* path: to the node that was written last; way: the runs still to be written */
	size_t cpath, cway;
	uint32_t depth, last;
	struct chain top, end;
	struct tag_path_set tops, ends;
	uint32_t *top_of, *end_of;	/* by label set, or by part */
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
		s->mark = w->base->mark ? xrealloc(s->mark, w->cap) : NULL;
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
		if (b->mark)
			memcpy(w->s->mark + r.id, b->mark + r.lo, k);
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
		if (w->s->mark)
			w->s->mark[id] = c->mark[c->tag_path[k]];
		c->id[k] = id;
	}
	c->n = n;
	return n ? c->id[n - 1] : below;
}

static struct chain chain_new(
    const struct tag_path_set *t, const struct granularity *granularity, size_t depth, tag_mark_fn *mark, const void *of)
{
	struct chain c = {.tag_path_set = t, .symbol = xcalloc(t->n, sizeof *c.symbol), .mark = xcalloc(t->n, 1),
	    .tag_path = xcalloc(depth + 1, sizeof *c.tag_path), .id = xcalloc(depth + 1, sizeof *c.id)};
	for (uint32_t i = 1; i < t->n; i++) {
		c.symbol[i] = granularity_find_tag(granularity, t->v[i].tag.label);
		c.mark[i] = mark ? mark(of, &t->v[i].tag) : 0;
	}
	return c;
}

static void chain_free(struct chain *c)
{
	mem_free(c->symbol);
	mem_free(c->mark);
	mem_free(c->tag_path);
	mem_free(c->id);
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

/* Return the index of a sample in top_of and end_of. */
static inline uint32_t tags_at(const struct graft_writer *w, uint32_t i)
{
	return w->part ? i : store_smp(w->sn->st, i)->set;
}

/* Return all samples, sorted by the place where they are added. */
static struct radix_item *sorted_samples(const struct graft_writer *w, bool ends)
{
	struct radix_item *v = xmalloc((w->n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < w->n; i++)
		v[i] = (struct radix_item){ends ? w->ends.pre[w->end_of[tags_at(w, i)]] : 0, i};
	if (ends)
		radix_sort_items(v, w->n);
	for (uint32_t k = 0; k < w->n; k++) {
		uint32_t i = v[k].v, end = w->base->end[w->part ? w->part[i].stack : i];
		v[k].key = (uint64_t)w->tops.pre[w->top_of[tags_at(w, i)]] << 32 | end;
	}
	radix_sort_items(v, w->n);
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
	if (b->fork)	/* NULL: no node has children that are not the next nodes */
		__builtin_prefetch(&b->fork[b->forks[i / 64].before]);
	__builtin_prefetch(&b->what[i]);
	__builtin_prefetch(&w->s->end[v[THING].v], 1);
}

/* Write the nodes of all samples. Return false if it was stopped. */
static bool write_all(struct graft_writer *w, const struct radix_item *v, bool ends, const _Atomic bool *stop)
{
	uint32_t below = 0;
	w->path = mem_grow(NULL, &w->cpath, 1, sizeof *w->path);
	for (uint32_t k = 0; k < w->n; k++) {
		if (stop && k % 4096 == 0 && atomic_load_explicit(stop, memory_order_relaxed))
			return false;
		bool other = !k || v[k].key >> 32 != v[k - 1].key >> 32;
		uint32_t tags = other || ends ? tags_at(w, v[k].v) : 0, end = (uint32_t)v[k].key;
		prefetch_nodes(w, v + k, w->n - k);
		if (other) {
			below = add_chain_below(w, &w->top, w->top_of[tags], 0);
			w->path[0] = (struct node_run){0, 0, below};
			w->depth = 1;
			w->last = 0;
		}
		uint32_t at = copy_path_to(w, w->node[end]);
		if (other || end != (uint32_t)v[k - 1].key)
			w->end.n = 0;
		w->s->end[v[k].v] = ends ? add_chain_below(w, &w->end, w->end_of[tags], at) : at;
	}
	return true;
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
	void *all[] = {w->path, w->way, w->top_of, w->end_of, w->node};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	chain_free(&w->top);
	chain_free(&w->end);
	tag_paths_free(&w->tops);
	tag_paths_free(&w->ends);
}

static struct calltree_tags *tags_of(const struct graft_writer *w, const struct tag_frames *f)
{
	size_t n = (size_t)w->tops.n + w->ends.n - 2;		/* the first of each is the empty chain */
	struct calltree_tags *t = xmalloc(sizeof *t + n * sizeof *t->v + f->nkey * sizeof *f->key);
	*t = (struct calltree_tags){.nkey = (uint32_t)f->nkey, .nroot = (uint32_t)f->nroot};
	for (uint32_t i = 1; i < w->tops.n; i++)
		t->v[t->n++] = (struct calltree_tag){w->tops.v[i].tag.label, w->tops.v[i].tag.key, w->top.mark[i]};
	for (uint32_t i = 1; i < w->ends.n; i++)
		t->v[t->n++] = (struct calltree_tag){w->ends.v[i].tag.label, w->ends.v[i].tag.key, w->end.mark[i]};
	t->key = memcpy(t->v + n, f->key, f->nkey * sizeof *f->key);
	return t;
}

bool tag_graft_has_keys(const struct calltree *s, const struct tag_frames *f)
{
	const struct calltree_tags *t = s->tags;
	if (!t || !f->nkey)
		return !t && !f->nkey;
	return t->nkey == f->nkey && t->nroot == f->nroot && !memcmp(t->key, f->key, f->nkey * sizeof *f->key);
}

static void find_paths(struct graft_writer *w, const struct tag_frames *f)
{
	if (f->part) {
		tag_paths_of_parts(f->part, f->npart, f->key[0], f->nroot, &w->tops, &w->ends, &w->top_of, &w->end_of);
	} else {
		struct labels ls = {0};
		labels_update(&ls, w->sn);
		tag_paths_of_sets(w->sn, &ls, f->key, f->nkey, f->nroot, &w->tops, &w->ends, &w->top_of, &w->end_of);
		labels_free(&ls);
	}
	tag_paths_finish(&w->tops);
	tag_paths_finish(&w->ends);
}

struct calltree *tag_graft_new(const struct calltree *base, const struct snap *sn, const struct tag_frames *f,
    tag_mark_fn *mark, const void *of, const _Atomic bool *stop)
{
	struct graft_writer w = {.base = base, .sn = sn, .part = f->part, .n = f->part ? f->npart : sn->nsmps};
	bool ends = f->nkey > f->nroot;
	w.node = nodes_of_ends(base);
	find_paths(&w, f);
	struct calltree *s = w.s = xcalloc(1, sizeof *s);
	*s = (struct calltree){.refs = 1, .granularity = symbols_with_tags(base, &w.tops, &w.ends)};
	w.top = chain_new(&w.tops, s->granularity, f->nkey, mark, of);
	w.end = chain_new(&w.ends, s->granularity, f->nkey, mark, of);
	s->tags = tags_of(&w, f);
	s->end = xmalloc((w.n + 1u) * sizeof *s->end);
	add_chain(&w, 0, 1);
	s->what[0] = base->what[0];
	if (base->mark) {
		s->mark[0] = 0;
		s->frame_mark = xmalloc(base->granularity->nfrm + 1u);
		memcpy(s->frame_mark, base->frame_mark, base->granularity->nfrm);
	}
	struct radix_item *v = sorted_samples(&w, ends);
	bool whole = write_all(&w, v, ends, stop);
	mem_free(v);
	writer_free(&w);
	if (!whole) {
		calltree_free(s);
		return NULL;
	}
	calltree_ends_of_nodes(s, w.n);
	calltree_close(s);
	return s;
}

struct tag_frames tag_frames_find(
    const struct snap *sn, const struct compiled_filters *fc, const struct weigh_source *source)
{
	struct tag_frames f = {.part = source->part, .npart = source->npart};
	if (source->part) {
		f.nkey = 1;
		f.nroot = !source->part_at_leaf;
		f.key[0] = builder_add_string(sn, TRACE_WEIGHT_TAG, sizeof TRACE_WEIGHT_TAG - 1);
	} else if (!source->flat && sn->nsmps) {
		f.nkey = filter_tag_keys(fc, sn, f.key, KEYS_MAX, &f.nroot);
	}
	return f;
}
