/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The call tree: a graph with a node for each context. There are as many contexts as frames in all stacks if these have
 * little in common. A drawing shows those with a minimum share of the total, and a node takes 200 bytes, and as much
 * again for its edge and the hash tables. So it is computed first which nodes will be left.
 *
 * For that bundles are sorted by their frames from the root. Then each node is a range of bundles, its weight is known
 * at the end of the range, and only open nodes are stored. The nodes that will be left are those above the limit, their
 * ancestors, and those without any weight, which trimming ignores. They form a tree of numbers (struct kept_node), and
 * bundles walk down it in their own order, so nodes and edges are created in the same order as in the complete tree.
 *
 * This is not done if nodes of negative weight are left out (drop_negative), because then the total depends on all
 * nodes. Not taken: weighing all nodes by number first. The table of children alone took 500 MB for 6 million nodes.
 */
#include "config.h"
#include "pprof/internal.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

void graph_descent_step(const struct graph_builder *b, struct down *d)
{
	struct profile_run r = b->p->stack[graph_bundle(b, d->bundle).stack];
	struct line_slots at = {0, 0};
	if (d->k)	/* the frame that was visited last */
		at = b->line_slots[profile_frame(b->p, r.off + d->i)];
	while (!d->k && d->i) {
		at = b->line_slots[profile_frame(b->p, r.off + --d->i)];
		d->k = at.n;
	}
	d->slot = d->k ? b->slot[at.first + --d->k] : 0;
}

struct down graph_descent_begin(const struct graph_builder *b, size_t bundle)
{
	struct down d = {.bundle = (uint32_t)bundle, .i = b->p->stack[graph_bundle(b, bundle).stack].n};
	graph_descent_step(b, &d);
	return d;
}

/* Sort by quicksort, one frame at a time from the root. Bundles with the same frames so far form a group, which is
   partitioned by its current frame; those that share it advance to the next one. So each frame of a stack is read
   once. */
static void sort_down(const struct graph_builder *b, struct down *v, size_t n)
{
	struct todo_range { size_t lo, n; } *todo = NULL;
	size_t ntodo = 0, cap = 0;
	uint32_t dice = 1;
	todo = mem_grow(todo, &cap, 1, sizeof *todo);
	todo[ntodo++] = (struct todo_range){0, n};
	while (ntodo) {
		struct todo_range g = todo[--ntodo];
		if (g.n < 2)
			continue;
		dice = dice * 1664525 + 1013904223;
		uint32_t mid = v[g.lo + dice % g.n].slot;
		size_t lo = g.lo, hi = g.lo + g.n;	/* [g.lo, lo) is less than mid, [hi, ...) is greater */
		for (size_t i = lo; i < hi;) {
			struct down x = v[i];
			if (x.slot == mid) {
				i++;
				continue;
			}
			size_t to = x.slot < mid ? lo++ : --hi;
			v[i] = v[to];
			v[to] = x;
			i += x.slot < mid;
		}
		todo = mem_grow(todo, &cap, ntodo + 3, sizeof *todo);
		todo[ntodo++] = (struct todo_range){g.lo, lo - g.lo};
		todo[ntodo++] = (struct todo_range){hi, g.lo + g.n - hi};
		for (size_t i = lo; i < hi && mid && hi - lo > 1; i++)
			graph_descent_step(b, &v[i]);
		if (mid)
			todo[ntodo++] = (struct todo_range){lo, hi - lo};
	}
	mem_free(todo);
}

/* ---- which nodes are left */

/* up: the parent's index + 1; node: the graph node + 1 once it exists, else 0. */
struct kept_node { uint32_t info, up, node; };
/* from: where its kept children begin in below[]. */
struct open_context { uint32_t slot; int64_t cum, flat; size_t from; };

struct sieve {
	struct kept_node *kept_node;
	size_t nleft, cleft;
	struct open_context *open_context;
	size_t depth, copen;
	uint32_t *below;		/* kept nodes whose parents are still open */
	size_t nbelow, cbelow;
	int64_t least;
	size_t dropped;
};

static void close_one(struct sieve *v)
{
	struct open_context o = v->open_context[--v->depth];
	bool some = o.cum || o.flat, heavy = wrap_abs(o.cum) >= v->least;
	v->dropped += some && !heavy;
	if (some && !heavy && v->nbelow == o.from)
		return;
	v->kept_node = mem_grow(v->kept_node, &v->cleft, v->nleft + 1, sizeof *v->kept_node);
	v->kept_node[v->nleft++] = (struct kept_node){o.slot - 1, 0, 0};
	for (size_t i = o.from; i < v->nbelow; i++)
		v->kept_node[v->below[i]].up = (uint32_t)v->nleft;
	v->nbelow = o.from;
	v->below = mem_grow(v->below, &v->cbelow, v->nbelow + 1, sizeof *v->below);
	v->below[v->nbelow++] = (uint32_t)v->nleft - 1;
}

static void open_one(struct sieve *v, uint32_t slot)
{
	v->open_context = mem_grow(v->open_context, &v->copen, v->depth + 1, sizeof *v->open_context);
	v->open_context[v->depth++] = (struct open_context){slot, 0, 0, v->nbelow};
}

/* Process the sorted bundles: the frames shared with the previous bundle stay open. */
static void sift_bundles(struct graph_builder *b, struct sieve *v, const struct down *order, size_t n)
{
	for (size_t i = 0; i < n && profile_should_continue(b->p, i, n); i++) {
		struct bundle s = graph_bundle(b, order[i].bundle);
		size_t k = 0;
		for (struct down d = graph_descent_begin(b, order[i].bundle); d.slot; graph_descent_step(b, &d), k++) {
			if (k < v->depth && v->open_context[k].slot == d.slot)
				continue;
			while (v->depth > k)
				close_one(v);
			open_one(v, d.slot);
		}
		while (v->depth > k)
			close_one(v);
		for (size_t o = 0; o < k; o++)
			profile_sum(&v->open_context[o].cum, s.w);
		if (k)
			profile_sum(&v->open_context[k - 1].flat, s.w);
	}
	while (v->depth)
		close_one(v);
}

struct down *graph_sorted_stacks(const struct graph_builder *b, size_t *n, int64_t *all)
{
	struct down *order = xmalloc((b->nbundle + 1) * sizeof *order);
	*n = 0;
	*all = 0;
	for (size_t i = 0; i < b->nbundle; i++) {
		struct bundle s = graph_bundle(b, i);
		order[*n] = graph_descent_begin(b, i);
		if ((!b->bundle && !s.w && !s.d) || !order[*n].slot)
			continue;
		++*n;
		profile_sum(all, s.w);
	}
	sort_down(b, order, *n);
	return order;
}

/* ---- the tree */

struct kids { struct pairs of; struct kept_node *kept_node; };

/* Return the node of an info below another one, and create it if necessary; 0: it is not kept. */
static uint32_t child_node(struct graph_builder *b, struct kids *k, uint32_t context, uint32_t *place, uint32_t info)
{
	if (!k->kept_node) {
		uint32_t *at = graph_pair_put(&k->of, context, info);
		return *at ? *at : (*at = graph_add_node(b, info, context));
	}
	uint32_t *at = graph_pair_find(&k->of, *place, info);
	if (!at)
		return 0;
	*place = *at;
	struct kept_node *l = &k->kept_node[*at - 1];
	return l->node ? l->node : (l->node = graph_add_node(b, info, context));
}

static void walk_stack(struct graph_builder *b, struct kids *kids, const struct bundle *s, uint32_t pass)
{
	struct profile_run r = b->p->stack[s->stack];
	struct graph_node *parent = NULL;
	uint32_t place = 0, n = 1;
	if (b->sets && s->set && r.n)
		graph_set_tags(b, s->set);	/* tags are numbered in the order of bundles, even if the node is not
						   kept */
	for (uint32_t i = r.n; i-- && n;) {
		struct line_slots at = b->line_slots[profile_frame(b->p, r.off + i)];
		for (uint32_t k = at.n; k-- && n;) {
			n = child_node(b, kids, parent ? parent->id + 1 : 0, &place, b->slot[at.first + k] - 1);
			if (!n)
				break;
			struct graph_node *to = b->g->all[n - 1];
			graph_weight(b, to, s, false);
			if (parent)
				graph_add_way(b, parent, to, false, k + 1 != at.n);
			parent = to;
		}
	}
	graph_weigh_ways(b, s, pass);
	if (parent && n)
		graph_weight(b, parent, s, true);
}

void graph_walk_tree(struct graph_builder *b, double part)
{
	struct sieve v = {0};
	struct kids kids = {0};
	if (part > 0 && !b->o->drop_negative) {
		size_t n;
		int64_t all;
		struct down *order = graph_sorted_stacks(b, &n, &all);
		v.least = wrap_abs(pprof_units_to_i64((double)all * part));
		if (v.least > 0) {
			sift_bundles(b, &v, order, n);
			for (uint32_t i = 0; i < v.nleft; i++)
				*graph_pair_put(&kids.of, v.kept_node[i].up, v.kept_node[i].info) = i + 1;
			kids.kept_node = v.kept_node ? v.kept_node : xcalloc(1, sizeof *v.kept_node);
			b->g->sifted = true;
			b->g->flat = all;
			b->g->light = v.dropped;
			if (b->sets)
				graph_set_tag_cutoff(b, v.least);
		}
		mem_free(order);
	}
	for (size_t i = 0; i < b->nbundle && profile_should_continue(b->p, i, b->nbundle); i++) {
		struct bundle s = graph_bundle(b, i);
		if (b->bundle || s.w || s.d)
			walk_stack(b, &kids, &s, (uint32_t)i + 1);
	}
	mem_free(kids.of.slot);
	mem_free(kids.kept_node);
	mem_free(v.open_context);
	mem_free(v.below);
}
