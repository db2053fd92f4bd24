/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What is left of a call graph for a page of text or a drawing: light nodes go
 * by their cumulative weight, then the first so many in order, then light
 * labels and edges. A graph that loses nodes is built again from the samples,
 * because an edge across what was removed is not the sum of the edges it had;
 * a tree is cut in place, because there it is. Orders are total: ties end at
 * the printable name, and then at the order before.
 */
#include "config.h"
#include "analysis/graph.h"

#include "base/units.h"
#include "base/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t quotient(int64_t a, int64_t b)
{
	return prof_mean(a, b);
}

int64_t gnode_flat(const struct gnode *n)
{
	return quotient(n->flat, n->flat_div);
}

int64_t gnode_cum(const struct gnode *n)
{
	return quotient(n->cum, n->cum_div);
}

int64_t gedge_weight(const struct gedge *e)
{
	return quotient(e->weight, e->mean ? e->div[0] : 0);
}

/* The sum of raw values. */
static int64_t graph_flat(const struct graph *g)
{
	int64_t sum = 0;
	if (g->sifted)
		return g->flat;
	for (size_t i = 0; i < g->n; i++)
		prof_sum(&sum, g->node[i]->flat);
	return sum;
}

/* ---- orders */

static int by_weight(int64_t a, int64_t b)
{
	a = wrap_abs(a);
	b = wrap_abs(b);
	return a > b ? -1 : a < b;
}

static int by_text(const struct gnode *a, const struct gnode *b)
{
	size_t n = a->ntext < b->ntext ? a->ntext : b->ntext;
	int c = a == b ? 0 : memcmp(a->text, b->text, n);
	return c ? c : a->ntext < b->ntext ? -1 : a->ntext > b->ntext;
}

static int by_name(const struct gnode *a, const struct gnode *b)
{
	if (a->info.addr && b->info.addr && a->info.addr != b->info.addr)
		return a->info.addr < b->info.addr ? -1 : 1;
	return by_text(a, b);
}

static int cmp_flat(const void *x, const void *y)
{
	const struct gnode *a = *(struct gnode *const *)x, *b = *(struct gnode *const *)y;
	int c = by_weight(a->flat, b->flat);
	c = c ? c : by_name(a, b);
	c = c ? c : by_weight(a->cum, b->cum);
	return c ? c : a->rank < b->rank ? -1 : 1;
}

static int cmp_score(const void *x, const void *y)
{
	const struct gnode *a = *(struct gnode *const *)x, *b = *(struct gnode *const *)y;
	int c = by_weight(a->score, b->score);
	c = c ? c : by_name(a, b);
	c = c ? c : by_weight(a->flat, b->flat);
	c = c ? c : by_weight(a->cum, b->cum); /* contexts of one function in a tree */
	return c ? c : a->rank < b->rank ? -1 : 1;
}

/* The more even the shares of the edges, the more there is to see in them. */
static double entropy(const struct gedge *list, bool in, int64_t self)
{
	double score = 0;
	int64_t total = self;
	for (const struct gedge *e = list; e; e = in ? e->next_in : e->next_out)
		if (!e->dead && e->weight > 0)
			prof_sum(&total, e->weight);
	if (!total)
		return 0;
	for (const struct gedge *e = list; e; e = in ? e->next_in : e->next_out)
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

static bool any_edge(const struct gedge *list, bool in)
{
	for (; list; list = in ? list->next_in : list->next_out)
		if (!list->dead)
			return true;
	return false;
}

static int64_t visual_score(const struct gnode *n)
{
	double s = any_edge(n->in, true) ? entropy(n->in, true, 0) : 1;
	s += any_edge(n->out, false) ? entropy(n->out, false, n->flat) : 1;
	return wrap_add(units_i64(s * (double)n->cum), n->flat);
}

static void graph_sort(struct graph *g, bool cum, bool visual)
{
	for (size_t i = 0; i < g->n; i++) {
		g->node[i]->rank = (uint32_t)i;
		g->node[i]->score = visual ? visual_score(g->node[i]) : g->node[i]->cum;
	}
	qsort(g->node, g->n, sizeof *g->node, visual || cum ? cmp_score : cmp_flat);
}

static int cmp_edge(const void *x, const void *y)
{
	const struct gedge *a = *(struct gedge *const *)x, *b = *(struct gedge *const *)y;
	int c = by_weight(a->weight, b->weight);
	c = c ? c : by_text(a->src, b->src);
	c = c ? c : by_text(a->dst, b->dst);
	c = c ? c : a->src->id < b->src->id ? -1 : a->src->id > b->src->id;
	return c ? c : a->dst->id < b->dst->id ? -1 : a->dst->id > b->dst->id;
}

void gedges_sort(struct gedge **e, size_t n)
{
	qsort(e, n, sizeof *e, cmp_edge);
}

struct gedge **gedges_sorted(struct graph *g, struct gedge *list, bool in, size_t *n)
{
	size_t k = 0;
	for (struct gedge *e = list; e; e = in ? e->next_in : e->next_out)
		k += !e->dead;
	struct gedge **all = arena_alloc(&g->arena, (k + 1) * sizeof *all);
	*n = 0;
	for (struct gedge *e = list; e; e = in ? e->next_in : e->next_out)
		if (!e->dead)
			all[(*n)++] = e;
	gedges_sort(all, *n);
	return all;
}

/* ---- what goes */

static void graph_trim_tags(struct graph *g, int64_t cutoff)
{
	for (size_t i = 0; i < g->n; i++)
		for (struct gmark *t = g->node[i]->tag; t; t = t->next)
			if (wrap_abs(t->flat) < cutoff && wrap_abs(t->cum) < cutoff)
				t->node |= GMARK_DEAD;
}

static size_t graph_trim_edges(struct graph *g, int64_t cutoff)
{
	size_t dropped = 0;
	for (size_t i = 0; i < g->n; i++)
		for (struct gedge *e = g->node[i]->in; e; e = e->next_in)
			if (!e->dead && wrap_abs(e->weight) < cutoff) {
				e->dead = true;
				dropped++;
			}
	return dropped;
}

/* Can e's source reach its destination without e? Backwards, breadth first. */
static bool redundant(struct gedge *e, struct gnode **queue, uint32_t mark)
{
	size_t head = 0, tail = 0;
	queue[tail++] = e->dst;
	e->dst->seen = mark;
	while (head < tail)
		for (struct gedge *i = queue[head++]->in; i; i = i->next_in) {
			if (i->dead || i == e || i->src->seen == mark)
				continue;
			if (i->src == e->src)
				return true;
			i->src->seen = mark;
			queue[tail++] = i->src;
		}
	return false;
}

static void graph_drop_redundant(struct graph *g)
{
	struct gnode **queue = xmalloc((g->nall + 1) * sizeof(struct gnode *));
	uint32_t mark = 0;
	for (size_t i = 0; i < g->nall; i++)
		g->all[i]->seen = 0;
	for (size_t i = g->n; i--;) {
		size_t n;
		struct gedge **in = gedges_sorted(g, g->node[i]->in, true, &n);
		while (n-- && in[n]->residual) /* never one that is heavier than a direct edge */
			if (redundant(in[n], queue, ++mark))
				in[n]->dead = true;
	}
	mem_free(queue);
}

static void unlink_in(struct gnode *n, struct gedge *e)
{
	struct gedge **at = &n->in;
	while (*at && *at != e)
		at = &(*at)->next_in;
	if (*at)
		*at = e->next_in;
}

/* A node of a tree goes: its children become its parent's. */
static void splice(struct gnode *n)
{
	struct gedge *up = n->in, *next;
	while (up && up->dead)
		up = up->next_in;
	for (struct gedge *e = n->out; e; e = next) {
		next = e->next_out;
		if (e->dead)
			continue;
		if (!up) {
			unlink_in(e->dst, e);
			e->dead = true;
			continue;
		}
		e->src = up->src;
		e->residual = true;
		e->inlined &= up->inlined;
		e->next_out = up->src->out;
		up->src->out = e;
	}
	n->out = NULL;
	if (up)
		up->dead = true;
}

/* To the nodes that are kept. */
static void graph_trim_tree(struct graph *g)
{
	size_t kept = 0;
	for (size_t i = 0; i < g->n; i++)
		if (g->node[i]->keep)
			g->node[kept++] = g->node[i];
		else
			splice(g->node[i]);
	g->n = kept;
	graph_drop_redundant(g);
}

/* ---- all of it, in pprof's order */

static size_t count_tags(const struct gnode *n)
{
	size_t c = 0;
	for (const struct gmark *t = n->tag; t; t = t->next)
		c += !gmark_dead(t) && t->flat;
	return c;
}

/* How many nodes of the sorted graph stay; in a drawing up to four labels take a place each. */
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

/* Cut down to the nodes that are marked; the graph itself, or another in its place. */
static struct graph *cut(struct graph *g, const struct gopt *o)
{
	if (o->tree) {
		graph_trim_tree(g);
		return g;
	}
	struct graph *next = graph_rebuild(g->p, o, g);
	graph_names(next);
	graph_free(g);
	return next;
}

/* The first so many nodes are marked to be kept. */
static void keep_first(struct graph *g, size_t top)
{
	for (size_t i = 0; i < g->n; i++)
		g->node[i]->keep = i < top;
}

/* The sorted graph cut down to its first nodes; edges that are light go before that, which counts where it stays as it
   is. */
static struct graph *cut_top(struct graph *g, const struct gopt *o, int64_t node_cut, int64_t edge_cut)
{
	graph_trim_tags(g, node_cut);
	graph_trim_edges(g, edge_cut);
	size_t top = top_count(g, (size_t)o->nodecount, o->visual);
	if (top == g->n)
		return g;
	keep_first(g, top);
	g = cut(g, o);
	graph_sort(g, o->cum_sort, o->visual);
	return g;
}

/* The same where labels have not been weighed yet: they take places too, but no node less than one. So none are weighed
   but those of the nodes that there may be room for, of which there are fewer than in the graph. */
static struct graph *cut_labelled(struct graph *g, const struct gopt *o, int64_t node_cut)
{
	keep_first(g, (size_t)o->nodecount);
	g = cut(g, o);
	graph_trim_tags(g, node_cut);
	size_t top = top_count(g, (size_t)o->nodecount, o->visual);
	if (top < g->n) {
		keep_first(g, top);
		struct graph *next = graph_again(g->p, o, g);
		graph_names(next);
		graph_free(g);
		g = next;
	}
	graph_sort(g, o->cum_sort, o->visual);
	return g;
}

/* A graph of the nodes that are kept, or of all; without labels where *later, which it stays if more nodes are left
 * than will be. */
static struct graph *first_cut(struct graph *nodes, const struct gopt *o, bool all, bool *later)
{
	struct gopt bare = *o;
	bare.tags = false;
	const struct graph *kept = all ? NULL : nodes;
	struct graph *g = (all ? graph_again : graph_rebuild)(nodes->p, *later ? &bare : o, kept);
	if (*later && g->n <= (size_t)o->nodecount) {
		*later = false;
		graph_free(g);
		g = graph_again(nodes->p, o, kept);
	}
	graph_names(g);
	graph_free(nodes);
	return g;
}

struct graph *graph_trimmed(struct prof *p, const struct gopt *asked)
{
	struct gopt opt = *asked, *o = &opt;
	opt.sift = o->tree;
	opt.spend &= !o->tags && !(o->nodefraction > 0) && o->nodecount <= 0;	/* there is one walk */
	bool light = !o->tree && o->nodefraction > 0, later = light && o->tags && o->nodecount > 0;
	struct graph *g = light ? graph_nodes(p, o) : graph_new(p, o);
	double total = (double)graph_flat(g);
	int64_t node_cut = wrap_abs(units_i64(total * o->nodefraction));
	int64_t edge_cut = wrap_abs(units_i64(total * o->edgefraction));
	size_t dropped = 0;
	opt.tag_least = node_cut;
	for (size_t i = 0; i < g->n && node_cut > 0; i++) {
		g->node[i]->keep = wrap_abs(g->node[i]->cum) >= node_cut;
		dropped += !g->node[i]->keep;
	}
	if (g->sifted)
		dropped = g->light;
	if (light) {
		g = first_cut(g, o, !dropped, &later);
	} else {
		graph_names(g);
		if (dropped)
			g = cut(g, o);
	}
	size_t orig = g->n;
	graph_sort(g, o->cum_sort, o->visual);
	if (o->nodecount > 0)
		g = later ? cut_labelled(g, o, node_cut) : cut_top(g, o, node_cut, edge_cut);
	graph_trim_tags(g, node_cut);
	g->dropped_edges = graph_trim_edges(g, edge_cut);
	if (o->visual)
		graph_drop_redundant(g);
	g->orig = orig;
	g->dropped_nodes = dropped;
	return g;
}
