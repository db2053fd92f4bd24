/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Builds the call graph. Samples are bundled by stack first (by stack and labels if labels are drawn). Then each bundle
 * walks its stack once from the root. The cum of a node and the weight of an edge count a bundle once, however often
 * they occur in the stack; the number of the last bundle is stored for that. The sums over bundles equal the sums over
 * samples, so this costs one walk per distinct stack instead of one per sample.
 *
 * Most nodes of a large profile are too light to be shown, and edges are expensive: so trimming requests only the nodes
 * first (graph_nodes). If all are wanted, stacks are released while edges take their place (graph_options.spend). Of a
 * tree, which has a node for each context, only the nodes that trimming does not remove are built (graph_tree.c). A
 * node that is not wanted (see graph_rebuild) leaves a gap; an edge across a gap is residual, and a stack that ends in
 * a gap adds no flat weight.
 */
#include "config.h"
#include "pprof/internal.h"

#include "base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

uint32_t *graph_pair_put(struct pairs *m, uint32_t a, uint32_t b)
{
	if ((m->n + 1) * 2 > m->cap) {
		struct pairs old = *m;
		m->cap = old.cap ? old.cap * 2 : 1024;
		m->slot = xcalloc(m->cap, sizeof *m->slot);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slot[i].val) {
				size_t k = intern_hash_u64(old.slot[i].key, 7) & (m->cap - 1);
				while (m->slot[k].val)
					k = (k + 1) & (m->cap - 1);
				m->slot[k] = old.slot[i];
			}
		mem_free(old.slot);
	}
	uint64_t key = (uint64_t)a << 32 | b;
	size_t k = intern_hash_u64(key, 7) & (m->cap - 1);
	while (m->slot[k].val && m->slot[k].key != key)
		k = (k + 1) & (m->cap - 1);
	if (!m->slot[k].val) {
		m->slot[k].key = key;
		m->n++; /* the caller sets the value */
	}
	return &m->slot[k].val;
}

uint32_t *graph_pair_find(const struct pairs *m, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)a << 32 | b;
	size_t k = intern_hash_u64(key, 7) & (m->cap - 1);
	while (m->cap && m->slot[k].val && m->slot[k].key != key)
		k = (k + 1) & (m->cap - 1);
	return m->cap && m->slot[k].val ? &m->slot[k].val : NULL;
}

/* ---- nodes */

static int same_info(const void *ctx, uint32_t id, const void *key)
{
	const struct graph_builder *b = ctx;
	const struct graph_info *x = &b->info[id], *y = key;
	return x->name == y->name && x->file == y->file && x->object == y->object &&
	       x->addr == y->addr && x->start == y->start && x->line == y->line && x->col == y->col;
}

/* Return the number of an info. If it has none, add it, or return UINT32_MAX. */
static uint32_t number_info(struct graph_builder *b, const struct graph_info *i, bool add)
{
	uint32_t h = intern_hash_u64(intern_hash_u64((uint64_t)i->name << 32 | i->file, i->addr),
	    intern_hash_u64(
		(uint64_t)i->line ^ (uint64_t)i->col << 40, (uint64_t)i->start << 32 ^ i->object));
	uint32_t id = intern_find(&b->infox, h, same_info, b, i);
	if (id != UINT32_MAX || !add)
		return id;
	b->info = mem_grow(b->info, &b->cinfo, b->ninfo + 1, sizeof *b->info);
	b->info[b->ninfo] = *i;
	intern_put(&b->infox, h, (uint32_t)b->ninfo);
	return (uint32_t)b->ninfo++;
}

uint32_t graph_function(struct graph_builder *b, uint32_t info)
{
	struct graph_info i = b->info[info];
	if (!i.addr && !i.line)
		return info;
	i.addr = 0;
	i.line = i.col = 0;
	return number_info(b, &i, true);
}

static uint32_t function_of(struct graph_builder *b, uint32_t info, uint32_t context)
{
	uint32_t *f = graph_pair_put(&b->functions, context, graph_function(b, info));
	if (!*f)
		*f = (uint32_t)b->functions.n;
	return *f;
}

uint32_t graph_add_node(struct graph_builder *b, uint32_t info, uint32_t context)
{
	struct graph *g = b->g;
	struct graph_node *n = arena_zalloc(&g->arena, sizeof *n);
	n->info = b->info[info];
	n->id = (uint32_t)g->nall;
	n->function = b->o->functions ? function_of(b, info, context) : 0;
	g->all = mem_grow(g->all, &g->call, g->nall + 1, sizeof *g->all);
	g->all[g->nall] = n;
	return (uint32_t)++g->nall;
}

static void intern_lines(struct graph_builder *b)
{
	struct profile *p = b->p;
	size_t slots = 0;
	b->line_slots = xmalloc(p->nloc * sizeof *b->line_slots);
	for (size_t i = 0; b->kept && i < b->kept->n; i++)
		if (b->kept->node[i]->keep)
			number_info(b, &b->kept->node[i]->info, true);
	b->nkept = b->ninfo;
	for (size_t i = 1; i < p->nloc; i++) {
		b->line_slots[i] =
		    (struct line_slots){(uint32_t)slots, p->loc[i].nline ? p->loc[i].nline : 1};
		slots += b->line_slots[i].n;
	}
	b->slot = xmalloc((slots + 1) * sizeof *b->slot);
	for (size_t i = 1; i < p->nloc; i++) {
		for (uint32_t k = 0; k < b->line_slots[i].n; k++) {
			struct graph_info info = graph_info_of_line(p, &p->loc[i], k, b->o->objects);
			uint32_t id = number_info(b, &info, !b->kept);
			b->slot[b->line_slots[i].first + k] = id == UINT32_MAX ? 0 : id + 1;
		}
	}
}

void graph_weight(struct graph_builder *b, struct graph_node *n, const struct bundle *s, bool flat)
{
	profile_sum(flat ? &n->flat : &n->cum, s->w);
	profile_sum(flat ? &n->flat_div : &n->cum_div, s->d);
	if (b->sets && s->set)
		graph_add_tags(b, n, s, flat);
}

/* ---- walks */

static int same_edge(const void *ctx, uint32_t id, const void *key)
{
	const struct graph_edge *e = column_at(&((const struct graph *)ctx)->edges, id), *k = key;
	return e->src == k->src && e->dst == k->dst;
}

static struct graph_edge *edge_of(struct graph_builder *b, const struct way *w)
{
	struct graph_edge key = {.src = w->src->id, .dst = w->dst->id, .inlined = true, .mean = b->o->mean}, *e;
	uint32_t id = intern_find(&b->edgex, w->hash, same_edge, b->g, &key);
	if (id != UINT32_MAX)
		return column_at(&b->g->edges, id);
	e = column_add(&b->g->edges, &id);
	intern_put(&b->edgex, w->hash, id);
	memcpy(e, &key, sizeof key);
	e->next_in = w->dst->in;
	e->next_out = w->src->out;
	w->dst->in = w->src->out = id + 1;
	return e;
}

void graph_add_way(struct graph_builder *b, struct graph_node *src, struct graph_node *dst, bool residual, bool inlined)
{
	uint32_t h = intern_hash_u64((uint64_t)src->id << 32 | dst->id, 7);
	intern_prefetch(&b->edgex, h);
	b->way = mem_grow(b->way, &b->cway, b->nway + 1, sizeof *b->way);
	b->way[b->nway++] = (struct way){src, dst, h, residual, inlined};
}

static void add_edge(struct graph_builder *b, const struct way *w, const struct bundle *s, uint32_t pass)
{
	struct graph_edge *e = edge_of(b, w);
	if (e->seen == pass)
		return;
	e->seen = pass;
	profile_sum(&e->weight, s->w);
	if (e->mean)
		profile_sum(&e->div[0], s->d);
	e->residual |= w->residual;
	e->inlined &= w->inlined;
}

/* The edges of a stack are at random addresses: prefetch all of them before the first is used. */
void graph_weigh_ways(struct graph_builder *b, const struct bundle *s, uint32_t pass)
{
	for (size_t i = 0; i < b->nway; i++) {
		uint32_t id = intern_guess(&b->edgex, b->way[i].hash);
		if (id != UINT32_MAX)
			__builtin_prefetch(column_at(&b->g->edges, id));
	}
	for (size_t i = 0; i < b->nway; i++)
		add_edge(b, &b->way[i], s, pass);
	b->nway = 0;
}

static void walk_stack(struct graph_builder *b, const struct bundle *s, uint32_t pass)
{
	struct profile_run r = b->p->stack[s->stack];
	struct graph_node **all = b->g->all;
	uint32_t parent = 0;
	bool residual = false;
	for (uint32_t i = r.n; i--;) {
		struct line_slots at = b->line_slots[profile_frame(b->p, r.off + i)];
		for (uint32_t k = at.n; k--;) {
			uint32_t n = b->slot[at.first + k];
			if (!n) {
				residual = true;
				continue;
			}
			if (b->seen[n - 1] != pass) {
				b->seen[n - 1] = pass;
				profile_sum(&b->cum[n - 1], s->w);
				if (b->cum_div)
					profile_sum(&b->cum_div[n - 1], s->d);
			}
			if (parent && parent != n && !b->light)
				graph_add_way(b, all[parent - 1], all[n - 1], residual, k + 1 != at.n);
			parent = n;
			residual = false;
		}
	}
	graph_weigh_ways(b, s, pass);
	if (parent && !residual) {
		profile_sum(&all[parent - 1]->flat, s->w);
		profile_sum(&all[parent - 1]->flat_div, s->d);
	}
}

struct bundle graph_bundle(const struct graph_builder *b, size_t i)
{
	if (!b->bundle) {
		struct profile_sample s = b->p->sample[i];
		const int64_t *v = profile_value(b->p, i);
		return (struct bundle){s.stack, s.labels, v[b->o->type], b->o->mean ? *v : 0};
	}
	const struct bundled *s = &b->bundle[i];
	return (struct bundle){s->stack, s->set, s->w, b->bundle_d ? b->bundle_d[i] : 0};
}

static void forget_infos(struct graph_builder *b)
{
	mem_free(b->info);
	b->info = NULL;
	intern_free(&b->infox);
	mem_free(b->functions.slot);
	b->functions = (struct pairs){0};
}

enum { SPENT = 1 << 13 };

static void spend(struct graph_builder *b, uint32_t stack)
{
	size_t upto = (size_t)b->p->stack[stack].off * b->p->width;
	mem_discard(b->p->packed, b->spent, upto);
	b->spent = upto;
}

/* Sort bundles in the order in which their stacks are stored, so that stacks can be released while they are read.
   Mostly they are in order already. Not for a tree, because its nodes are numbered in the order of bundles. */
static void order_bundles(struct graph_builder *b)
{
	const struct profile *p = b->p;
	size_t n = b->nbundle, i = 1;
	while (i < n && p->stack[b->bundle[i].stack].off >= p->stack[b->bundle[i - 1].stack].off)
		i++;
	b->ordered = i >= n;
	if (b->ordered || b->bundle_d)
		return;
	struct radix_item *k = xmalloc(n * sizeof *k);
	struct bundled *to = xmalloc(n * sizeof *to);
	for (i = 0; i < n; i++)
		k[i] = (struct radix_item){p->stack[b->bundle[i].stack].off, (uint32_t)i};
	radix_sort_items(k, (uint32_t)n);
	for (i = 0; i < n; i++)
		to[i] = b->bundle[k[i].v];
	mem_free(k);
	mem_free(b->bundle);
	b->bundle = to;
	b->cbundle = n;
	b->ordered = true;
}

static void walk_all(struct graph_builder *b)
{
	struct bundle s;
	size_t n = b->kept ? b->nkept : b->ninfo;
	if (b->o->tree) {
		graph_walk_tree(b, b->o->sift ? b->o->nodefraction : 0);
		return;
	}
	for (size_t i = 0; i < n; i++)
		graph_add_node(b, (uint32_t)i, 0);
	forget_infos(b);
	if (b->o->spend && !b->o->tags)
		order_bundles(b);
	b->seen = xcalloc(n + 1, sizeof *b->seen);
	b->cum = xcalloc(n + 1, sizeof *b->cum);
	if (b->o->mean)
		b->cum_div = xcalloc(n + 1, sizeof *b->cum_div);
	for (size_t i = 0; i < b->nbundle && profile_should_continue(b->p, i, b->nbundle); i++) {
		s = graph_bundle(b, i);
		if (b->bundle || s.w || s.d)
			walk_stack(b, &s, (uint32_t)i + 1);
		if (b->ordered && i % SPENT == SPENT - 1)
			spend(b, s.stack);
	}
	for (size_t i = 0; i < n; i++) {
		b->g->all[i]->cum = b->cum[i];
		b->g->all[i]->cum_div = b->cum_div ? b->cum_div[i] : 0;
	}
}

static int same_bundle(const void *ctx, uint32_t id, const void *key)
{
	const struct bundled *x = &((const struct graph_builder *)ctx)->bundle[id];
	const struct profile_sample *k = key;
	return x->stack == k->stack && x->set == k->labels;
}

/* Bundle samples with the same stack (and labels); samples without weight are left out. If there are less than two
   samples a stack on average, bundling saves little and needs a table, so each sample is walked by itself. With
   graph_options.spend bundles are made nevertheless, because they replace the samples; but by labels, which would need
   the larger table, each sample then becomes a bundle. */
static void make_bundles(struct graph_builder *b)
{
	struct profile *p = b->p;
	bool by_set = b->o->tags && !b->light, spend = b->o->spend, few = p->nsample / 2 <= p->nstack;
	if (!spend && few) {
		b->nbundle = p->nsample;
		return;
	}
	few &= by_set;
	b->bundle = few ? mem_grow(NULL, &b->cbundle, p->nsample + 1, sizeof *b->bundle) : NULL;
	uint32_t *by_stack = xcalloc(by_set ? 1 : p->nstack, sizeof *by_stack);
	struct intern by_pair = {0};
	for (size_t i = 0; i < p->nsample; i++) {
		int64_t w = profile_value(p, i)[b->o->type], d = b->o->mean ? *profile_value(p, i) : 0;
		struct profile_sample s = p->sample[i];
		if (spend && i && i % SPENT == 0)
			profile_release_samples(p, i - SPENT, i);
		if (!w && !d)
			continue;
		uint32_t *at = &by_stack[by_set ? 0 : s.stack], h = 0, found;
		if (few) {
			found = 0;
			at = &found;
		} else if (by_set) {
			h = intern_hash_u64(s.stack, s.labels);
			found = intern_find(&by_pair, h, same_bundle, b, &s) + 1;
			at = &found;
		}
		if (!*at) {
			b->bundle =
			    mem_grow(b->bundle, &b->cbundle, b->nbundle + 1, sizeof *b->bundle);
			b->bundle[b->nbundle] = (struct bundled){s.stack, s.labels, 0};
			if (b->o->mean) {
				b->bundle_d = mem_grow(b->bundle_d, &b->cbundle_d, b->nbundle + 1, sizeof *b->bundle_d);
				b->bundle_d[b->nbundle] = 0;
			}
			b->nbundle++;
			*at = (uint32_t)b->nbundle;
			if (by_set && !few)
				intern_put(&by_pair, h, *at - 1);
		}
		profile_sum(&b->bundle[*at - 1].w, w);
		if (b->bundle_d)
			profile_sum(&b->bundle_d[*at - 1], d);
	}
	mem_free(by_stack);
	intern_free(&by_pair);
	if (spend)
		profile_drop_samples(p);
}

static void select_nodes(struct graph *g, bool drop_negative)
{
	g->node = xmalloc((g->nall + 1) * sizeof *g->node);
	for (size_t i = 0; i < g->nall; i++) {
		struct graph_node *n = g->all[i];
		if (!n->cum && !n->flat)
			continue;
		if (drop_negative && (n->flat < 0 || (!n->flat && n->cum < 0)))
			continue;
		g->node[g->n++] = n;
	}
}

void graph_prepare(struct graph_builder *b)
{
	intern_lines(b);
	make_bundles(b);
}

void graph_free_prepared(struct graph_builder *b)
{
	void *all[] = {b->line_slots, b->slot, b->seen, b->cum, b->cum_div, b->functions.slot, b->tag_keys.slot,
	    b->bundle, b->bundle_d, b->sets, b->set_key, b->key_size, b->way};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
	intern_free(&b->infox);
	intern_free(&b->edgex);
	intern_free(&b->markx);
}

static struct graph *build_graph(
    struct profile *p, const struct graph_options *o, const struct graph *kept, bool light)
{
	struct graph *g = xcalloc(1, sizeof *g);
	struct graph_builder b = {.g = g, .p = p, .o = o, .kept = kept, .light = light};
	g->p = p;
	g->mean = o->mean;
	column_init(&g->edges, sizeof(struct graph_edge) + (o->mean ? sizeof(int64_t) : 0));
	column_init(&g->marks, sizeof(struct graph_mark) + (o->mean ? 2 * sizeof(int64_t) : 0));
	if (o->tags && !light)
		b.sets = xcalloc(p->nset, sizeof *b.sets);
	graph_prepare(&b);
	if (b.sets && o->tag_least > 0)
		graph_set_tag_cutoff(&b, o->tag_least);
	walk_all(&b);
	select_nodes(g, o->drop_negative);
	mem_free(b.info);
	g->labelled = g->n;
	if (b.sets && !o->tree)
		graph_init_labels(&b);
	else
		graph_free_prepared(&b);
	return g;
}

struct graph *graph_rebuild(struct profile *p, const struct graph_options *o, const struct graph *kept)
{
	pprof_trim_paths(p, o->trim_path, o->source_path);
	return build_graph(p, o, kept, false);
}

struct graph *graph_new(struct profile *p, const struct graph_options *o)
{
	return graph_rebuild(p, o, NULL);
}

struct graph *graph_nodes(struct profile *p, const struct graph_options *o)
{
	pprof_trim_paths(p, o->trim_path, o->source_path);
	return build_graph(p, o, NULL, true);
}

struct graph *graph_rebuild_trimmed(struct profile *p, const struct graph_options *o, const struct graph *kept)
{
	return build_graph(p, o, kept, false);
}

void graph_drop_edges_labels(struct graph *g)
{
	for (size_t i = 0; i < g->nall; i++) {
		g->all[i]->in = g->all[i]->out = 0;
		g->all[i]->tag = NULL;
	}
	column_free(&g->edges);
	column_free(&g->marks);
	graph_free_labels(g);
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	mem_free(g->node);
	mem_free(g->all);
	arena_free(&g->arena);
	column_free(&g->edges);
	column_free(&g->marks);
	mem_free(g->tag_key);
	graph_free_labels(g);
	mem_free(g);
}
