/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The call tree: a graph with a node for each context, which are as many as the frames of all stacks where these have
 * little in common. A drawing shows those that have a share of the whole, and a node takes 200 bytes, its edge
 * and the tables that find them as much again. So it is found out first which will be left.
 *
 * For that bundles are sorted by their frames from the root on: then each node is a stretch of them, what it weighs is
 * known when the stretch ends, and only those that are open are held. What will be left are the nodes above the limit,
 * those above them, and those without any weight, which trimming passes over. They become a tree of numbers (struct
 * left), and bundles walk down it in their own order, so nodes and edges are made in the order in which they would be,
 * were there all.
 *
 * Not so where nodes of negative weight are left out (drop_negative): what the whole is depends on all of them then.
 * And not taken: to weigh all nodes by their numbers first. The table of who is whose child alone took 500 MB of 6
 * million.
 */
#include "config.h"
#include "pprof/graph_internal.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

void graph_descent_step(const struct graph_builder *b, struct down *d)
{
	struct profile_run r = b->p->stack[graph_bundle(b, d->bundle).stack];
	struct line_slots at = {0, 0};
	if (d->k)	/* of the frame that was met last */
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

/* Those that have the same frames from the root on lie together: each group is parted by the frame that it has come to,
   and who shares that goes one further. So a frame of a stack is looked at once. */
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
		size_t lo = g.lo, hi = g.lo + g.n;	/* [g.lo, lo) is less, [hi, ...) is more */
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

struct kept_node { uint32_t info, up, node; };	/* up: of which, + 1; node: of the graph, + 1, when it has been made */
struct open_context { uint32_t slot; int64_t cum, flat; size_t from; };	/* from: what is left below it */

struct sieve {
	struct kept_node *kept_node;
	size_t nleft, cleft;
	struct open_context *open_context;
	size_t depth, copen;
	uint32_t *below;		/* what is left, whose parents are open */
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

/* Bundles in order: what they have in common with the one before stays open. */
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

/* The node below another one; 0: it is not left. */
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
		graph_set_tags(b, s->set);	/* they are numbered as they come, wherever they are */
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
