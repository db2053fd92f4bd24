/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Trims a call graph for a page of text or a drawing: light nodes are removed by their cum, then all but the first
 * nodecount nodes in order, then light labels and edges. A graph that loses nodes is built again from the samples,
 * because an edge across removed nodes is not the sum of their edges. A tree is cut in place, because there it is.
 * Orders are total: ties are decided by the printable name, and then by the previous order.
 */
#include "config.h"
#include "pprof/internal.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"
#include "calltree/weighted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t mean_of(int64_t a, int64_t b)
{
	return profile_mean(a, b);
}

int64_t graph_node_flat(const struct graph_node *n)
{
	return mean_of(n->flat, graph_node_div(n).flat);
}

int64_t graph_node_cum(const struct graph_node *n)
{
	return mean_of(n->cum, graph_node_div(n).cum);
}

int64_t graph_edge_weight(const struct graph_edge *e)
{
	return mean_of(e->weight, e->mean ? e->div[0] : 0);
}

/* Return the sum of own weights, undivided. */
static int64_t graph_flat(const struct graph *g)
{
	int64_t sum = 0;
	if (g->sifted)
		return g->flat;
	for (size_t i = 0; i < g->n; i++)
		profile_sum(&sum, g->node[i]->flat);
	return sum;
}

/* ---- orders */

static int by_weight(int64_t a, int64_t b)
{
	a = wrap_abs(a);
	b = wrap_abs(b);
	return a > b ? -1 : a < b;
}

static int by_text(const struct graph *g, const struct graph_node *a, const struct graph_node *b)
{
	return a == b ? 0 : graph_info_compare(g->p, &a->info, &b->info);
}

static int cmp_flat(const void *ctx, uint32_t x, uint32_t y)
{
	const struct graph *g = ctx;
	const struct graph_node *a = g->node[x], *b = g->node[y];
	int c = by_weight(a->flat, b->flat);
	c = c ? c : by_text(g, a, b);
	return c ? c : by_weight(a->cum, b->cum);
}

static int cmp_score(const void *ctx, uint32_t x, uint32_t y)
{
	const struct graph *g = ctx;
	const struct graph_node *a = g->node[x], *b = g->node[y];
	int c = by_weight(a->score, b->score);
	c = c ? c : by_text(g, a, b);
	c = c ? c : by_weight(a->flat, b->flat);
	return c ? c : by_weight(a->cum, b->cum);	/* for contexts of one function in a tree */
}

/* Return the entropy of the edges' shares: the more even they are, the more a drawing of them shows. */
static double edge_entropy(const struct graph *g, const struct graph_node *n, bool in, int64_t self)
{
	double score = 0;
	int64_t total = self;
	for (const struct graph_edge *e = graph_first_edge(g, n, in); e; e = graph_next_edge(g, e, in))
		if (!e->dead && e->weight > 0)
			profile_sum(&total, e->weight);
	if (!total)
		return 0;
	for (const struct graph_edge *e = graph_first_edge(g, n, in); e; e = graph_next_edge(g, e, in))
		if (!e->dead) {
			double f = (double)wrap_abs(e->weight) / (double)total;
			score += -f * log2(f);
		}
	if (self > 0) {
		double f = (double)self / (double)total;
		score += -f * log2(f);
	}
	return score;
}

static bool any_edge(const struct graph *g, const struct graph_node *n, bool in)
{
	for (const struct graph_edge *e = graph_first_edge(g, n, in); e; e = graph_next_edge(g, e, in))
		if (!e->dead)
			return true;
	return false;
}

static int64_t visual_score(const struct graph *g, const struct graph_node *n)
{
	double s = any_edge(g, n, true) ? edge_entropy(g, n, true, 0) : 1;
	s += any_edge(g, n, false) ? edge_entropy(g, n, false, n->flat) : 1;
	return wrap_add(pprof_units_to_i64(s * (double)n->cum), n->flat);
}

static void graph_sort(struct graph *g, bool cum, bool visual)
{
	uint32_t *order = xmalloc((g->n + 1) * sizeof *order);
	struct graph_node **sorted = xmalloc((g->n + 1) * sizeof *sorted);
	for (size_t i = 0; i < g->n; i++) {
		order[i] = (uint32_t)i;
		g->node[i]->score = visual ? visual_score(g, g->node[i]) : g->node[i]->cum;
	}
	calltree_sort_u32(order, g->n, visual || cum ? cmp_score : cmp_flat, g);
	for (size_t i = 0; i < g->n; i++)
		sorted[i] = g->node[order[i]];
	mem_free(order);
	mem_free(g->node);
	g->node = sorted;
}

static int cmp_edge(const void *ctx, uint32_t x, uint32_t y)
{
	const struct graph *g = ctx;
	const struct graph_edge *a = graph_edge_at(g, x + 1), *b = graph_edge_at(g, y + 1);
	int c = by_weight(a->weight, b->weight);
	c = c ? c : by_text(g, graph_edge_src(g, a), graph_edge_src(g, b));
	c = c ? c : by_text(g, graph_edge_dst(g, a), graph_edge_dst(g, b));
	c = c ? c : a->src < b->src ? -1 : a->src > b->src;
	return c ? c : a->dst < b->dst ? -1 : a->dst > b->dst;
}

void graph_sort_edges(const struct graph *g, uint32_t *e, size_t n)
{
	calltree_sort_u32(e, n, cmp_edge, g);
}

struct graph_edge **graph_sorted_edges(const struct graph *g, const struct graph_node *node, bool in, size_t *n)
{
	size_t k = 0;
	for (struct graph_edge *e = graph_first_edge(g, node, in); e; e = graph_next_edge(g, e, in))
		k += !e->dead;
	struct graph_edge **all = xmalloc((k + 1) * sizeof *all);
	uint32_t *order = xmalloc((k + 1) * sizeof *order);
	*n = 0;
	for (uint32_t at = in ? node->in : node->out; at;
	     at = in ? graph_edge_at(g, at)->next_in : graph_edge_at(g, at)->next_out)
		if (!graph_edge_at(g, at)->dead)
			order[(*n)++] = at - 1;
	graph_sort_edges(g, order, *n);
	for (size_t i = 0; i < *n; i++)
		all[i] = graph_edge_at(g, order[i] + 1);
	mem_free(order);
	return all;
}

/* ---- removal */

static void trim_tags(struct graph *g, int64_t cutoff)
{
	graph_trim_tags(g, 0, g->labelled, g->label_cut = cutoff);
}

static size_t graph_trim_edges(struct graph *g, int64_t cutoff)
{
	size_t dropped = 0;
	for (size_t i = 0; i < g->n; i++)
		for (struct graph_edge *e = graph_first_edge(g, g->node[i], true); e; e = graph_next_edge(g, e, true))
			if (!e->dead && wrap_abs(e->weight) < cutoff) {
				e->dead = true;
				dropped++;
			}
	return dropped;
}

/* Return whether the source of e reaches its destination without e: a breadth-first search backwards. */
static bool is_redundant(const struct graph *g, struct graph_edge *e, struct graph_node **queue, uint32_t mark)
{
	size_t head = 0, tail = 0;
	queue[tail++] = graph_edge_dst(g, e);
	queue[0]->mark = mark;
	while (head < tail)
		for (struct graph_edge *i = graph_first_edge(g, queue[head++], true); i;
		     i = graph_next_edge(g, i, true)) {
			struct graph_node *src = graph_edge_src(g, i);
			if (i->dead || i == e || src->mark == mark)
				continue;
			if (i->src == e->src)
				return true;
			src->mark = mark;
			queue[tail++] = src;
		}
	return false;
}

static bool any_residual(const struct graph *g, const struct graph_node *n)
{
	for (const struct graph_edge *e = graph_first_edge(g, n, true); e; e = graph_next_edge(g, e, true))
		if (e->residual && !e->dead)
			return true;
	return false;
}

static void graph_drop_redundant(struct graph *g)
{
	struct graph_node **queue = xmalloc((g->nall + 1) * sizeof(struct graph_node *));
	uint32_t mark = 0;
	for (size_t i = 0; i < g->nall; i++)
		g->all[i]->mark = 0;
	for (size_t i = g->n; i--;) {
		size_t n;
		if (!any_residual(g, g->node[i]))
			continue;
		struct graph_edge **in = graph_sorted_edges(g, g->node[i], true, &n);
		/* stop at the first direct edge: a residual edge that is heavier is kept */
		while (n-- && in[n]->residual)
			if (is_redundant(g, in[n], queue, ++mark))
				in[n]->dead = true;
		mem_free(in);
	}
	mem_free(queue);
}

static void unlink_in(const struct graph *g, uint32_t e)
{
	uint32_t *at = &graph_edge_dst(g, graph_edge_at(g, e))->in;
	while (*at && *at != e)
		at = &graph_edge_at(g, *at)->next_in;
	if (*at)
		*at = graph_edge_at(g, e)->next_in;
}

/* Remove a node of a tree: its children become children of its parent. */
static void splice_node(const struct graph *g, struct graph_node *n)
{
	struct graph_edge *up = graph_first_edge(g, n, true);
	while (up && up->dead)
		up = graph_next_edge(g, up, true);
	for (uint32_t at = n->out, next; at; at = next) {
		struct graph_edge *e = graph_edge_at(g, at);
		next = e->next_out;
		if (e->dead)
			continue;
		if (!up) {
			unlink_in(g, at);
			e->dead = true;
			continue;
		}
		struct graph_node *src = graph_edge_src(g, up);
		e->src = up->src;
		e->residual = true;
		e->inlined &= up->inlined;
		e->next_out = src->out;
		src->out = at;
	}
	n->out = 0;
	if (up)
		up->dead = true;
}

/* Cut a tree down to the nodes that have `keep` set. */
static void graph_trim_tree(struct graph *g)
{
	size_t kept = 0;
	for (size_t i = 0; i < g->n; i++)
		if (g->node[i]->keep)
			g->node[kept++] = g->node[i];
		else
			splice_node(g, g->node[i]);
	g->n = g->labelled = kept;
	graph_drop_redundant(g);
}

/* ---- trimming in pprof's order */

static size_t count_tags(const struct graph_node *n)
{
	size_t c = 0;
	for (const struct graph_mark *t = n->tag; t; t = t->next)
		c += !graph_mark_is_dead(t) && t->flat;
	return c;
}

/* Return how many nodes of the sorted graph are kept; in a drawing up to four labels of a node count as a node each. */
static size_t top_count(const struct graph *g, size_t max, bool visual)
{
	size_t count = 0;
	for (size_t i = 0; visual && i < g->n; i++) {
		size_t tags = count_tags(g->node[i]);
		count += (tags < 4 ? tags : 4) + 1;
		if (count >= max) {
			max = i + 1;
			break;
		}
	}
	return max < g->n ? max : g->n;
}

/* Cut the graph down to the nodes that have `keep` set. Return the graph itself, or a new one that replaces it. */
static struct graph *cut_graph(struct graph *g, const struct graph_options *o)
{
	if (o->tree) {
		graph_trim_tree(g);
		return g;
	}
	graph_drop_edges_labels(g);
	struct graph *next = graph_rebuild(g->p, o, g);
	graph_free(g);
	return next;
}

/* Set `keep` for the first `top` nodes. */
static void keep_first(struct graph *g, size_t top)
{
	for (size_t i = 0; i < g->n; i++)
		g->node[i]->keep = i < top;
}

/* Cut the sorted graph down to its first nodes. Light edges are removed before, which matters if the graph is not
   rebuilt. */
static struct graph *cut_top(struct graph *g, const struct graph_options *o, int64_t node_cut, int64_t edge_cut)
{
	trim_tags(g, node_cut);
	graph_trim_edges(g, edge_cut);
	size_t top = top_count(g, (size_t)o->nodecount, o->visual);
	if (top == g->n)
		return g;
	keep_first(g, top);
	g = cut_graph(g, o);
	graph_sort(g, o->cum_sort, o->visual);
	return g;
}

/* As cut_top(), for a graph whose labels have not been weighed yet. Labels also take places, but every node takes at
   least one. So labels are weighed only at the first nodecount nodes. If no label is too light to be drawn, only the
   labels that take a place are weighed: those of stacks that end at the node. */
static struct graph *cut_labelled(struct graph *g, const struct graph_options *o, int64_t node_cut)
{
	struct graph_options counts = *o;
	counts.leaf_tags = !node_cut;
	keep_first(g, (size_t)o->nodecount);
	g = cut_graph(g, &counts);
	trim_tags(g, node_cut);
	size_t top = top_count(g, (size_t)o->nodecount, o->visual);
	if (top < g->n || counts.leaf_tags) {
		keep_first(g, top);
		graph_drop_edges_labels(g);
		struct graph *next = graph_rebuild_trimmed(g->p, o, g);
		graph_free(g);
		g = next;
	}
	graph_sort(g, o->cum_sort, o->visual);
	return g;
}

/* Return a graph of the nodes that have `keep` set, or of all. With *later it has no labels; but if it has no more than
   nodecount nodes, it is built with labels and *later is cleared. */
static struct graph *first_cut(struct graph *nodes, const struct graph_options *o, bool all, bool *later)
{
	struct graph_options bare = *o;
	bare.tags = false;
	struct profile *p = nodes->p;
	const struct graph *kept = all ? NULL : nodes;
	if (all)
		graph_free(nodes);
	struct graph *g = (all ? graph_rebuild_trimmed : graph_rebuild)(p, *later ? &bare : o, kept);
	if (*later && g->n <= (size_t)o->nodecount) {
		*later = false;
		graph_free(g);
		g = graph_rebuild_trimmed(p, o, kept);
	}
	if (!all)
		graph_free(nodes);
	return g;
}

/* Return the complete graph. With *later it has no labels; but if it has no more than nodecount nodes, it is built
   again with labels and *later is cleared. */
static struct graph *with_labels(struct graph *g, const struct graph_options *o, bool *later)
{
	if (*later && g->n <= (size_t)o->nodecount) {
		struct graph *next = graph_rebuild_trimmed(g->p, o, NULL);
		*later = false;
		graph_free(g);
		g = next;
	}
	return g;
}

/* Keep only the first nodecount nodes of a graph without edges, of those that have `keep` set. Return how many there
   were. The order of a text does not depend on edges, so the graph need not be built in between. */
static size_t keep_top(struct graph *g, const struct graph_options *o)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++)
		if (g->node[i]->keep)
			g->node[n++] = g->node[i];
	g->n = n;
	if (n > (size_t)o->nodecount) {
		graph_sort(g, o->cum_sort, false);
		keep_first(g, (size_t)o->nodecount);
	}
	return n;
}

/* The number of marks in memory at a time: nearly as many as a hash table of 2^18 cells can index. */
enum { LABELS = 190000 };

struct graph *graph_trimmed(struct profile *p, const struct graph_options *asked)
{
	struct graph_options options = *asked, *o = &options;
	options.sift = o->tree;
	options.label_room = o->nodecount > 0 ? 0 : LABELS;		/* without nodecount labels do not affect which
									   nodes are shown */
	options.last &= !o->tags && o->nodefraction == 0 && o->nodecount <= 0;	/* else it may be built again */
	bool light = !o->tree && o->nodefraction > 0, later = !o->tree && o->tags && o->nodecount > 0;
	struct graph_options bare = options;
	bare.tags &= !later;
	struct graph *g = light ? graph_nodes(p, o) : graph_new(p, &bare);
	double total = (double)graph_flat(g);
	int64_t node_cut = wrap_abs(pprof_units_to_i64(total * o->nodefraction));
	int64_t edge_cut = wrap_abs(pprof_units_to_i64(total * o->edgefraction));
	size_t dropped = 0;
	options.tag_least = node_cut;
	for (size_t i = 0; i < g->n; i++) {
		g->node[i]->keep = node_cut <= 0 || wrap_abs(g->node[i]->cum) >= node_cut;
		dropped += !g->node[i]->keep;
	}
	if (g->sifted)
		dropped = g->light;
	bool cut = light && !o->visual && o->nodecount > 0;
	size_t orig = cut ? keep_top(g, o) : 0;
	if (light) {
		g = first_cut(g, o, !dropped && (!cut || orig <= (size_t)o->nodecount), &later);
	} else {
		g = with_labels(g, o, &later);
		if (dropped)
			g = cut_graph(g, o);
	}
	if (!cut)
		orig = g->n;
	graph_sort(g, o->cum_sort, o->visual);
	if (o->nodecount > 0 && !cut)
		g = later ? cut_labelled(g, o, node_cut) : cut_top(g, o, node_cut, edge_cut);
	trim_tags(g, node_cut);
	g->dropped_edges = graph_trim_edges(g, edge_cut);
	if (o->visual)
		graph_drop_redundant(g);
	g->orig = orig;
	g->dropped_nodes = dropped;
	return g;
}
