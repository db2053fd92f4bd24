/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Builds the call graph. Samples are bundled by stack first (by stack and labels if labels are drawn). Then the tree of
 * stacks is walked in the order of its nodes, so that a frame that many stacks share is entered once. The cum of a node
 * and the weight of an edge count a stack once, however often they occur in it: they are open while the walk is below
 * their outermost occurrence, and get its weight when it is left.
 *
 * Most nodes of a large profile are too light to be shown, and edges are expensive: so trimming requests only the nodes
 * first (graph_nodes). Of a tree, which has a node for each context, only the nodes that trimming does not remove are
 * built (graph_tree.c). A node that is not wanted (see graph_rebuild) leaves a gap; an edge across a gap is residual,
 * and a stack that ends in a gap adds no flat weight.
 */
#include "config.h"
#include "pprof/internal.h"

#include "base/ending.h"
#include "base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

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
	bool fresh;
	struct u64_slot *f = u64_map_put(&b->functions, (uint64_t)context << 32 | graph_function(b, info), &fresh);
	if (fresh)
		f->n = b->functions.n;
	return (uint32_t)f->n;
}

uint32_t graph_add_node(struct graph_builder *b, uint32_t info, uint32_t context)
{
	struct graph *g = b->g;
	if (g->nall == GRAPH_NODES_MAX)
		ending_no_memory(SIZE_MAX);
	struct graph_node *n = arena_zalloc(&g->arena, sizeof *n + (b->o->mean ? sizeof *n->div : 0));
	n->info = b->info[info];
	n->mean = b->o->mean;
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
	b->line_slots = xcalloc(p->nloc, sizeof *b->line_slots);
	for (size_t i = 0; b->kept && i < b->kept->n; i++)
		if (b->kept->node[i]->keep)
			number_info(b, &b->kept->node[i]->info, true);
	b->nkept = b->ninfo;
	for (size_t i = 1; i < p->nloc; i++) {
		b->line_slots[i] =
		    (struct stack_frames){(uint32_t)slots, p->loc[i].nline ? p->loc[i].nline : 1};
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
	if (n->mean)
		profile_sum(flat ? &n->div->flat : &n->div->cum, s->d);
	if (b->sets && s->set)
		graph_add_tags(b, n, s, flat);
}

/* ---- walks */

struct graph_edge *graph_add_edge(struct graph_builder *b, struct graph_node *src, struct graph_node *dst)
{
	struct graph_edge key = {.src = src->id, .dst = dst->id, .inlined = true, .mean = b->o->mean}, *e;
	uint32_t id;
	e = column_add(&b->g->edges, &id);
	memcpy(e, &key, sizeof key);
	e->next_in = dst->in;
	e->next_out = src->out;
	dst->in = src->out = id + 1;
	return e;
}

static int same_edge(const void *ctx, uint32_t id, const void *key)
{
	const struct graph_edge *e = column_at(&((const struct graph *)ctx)->edges, id), *k = key;
	return e->src == k->src && e->dst == k->dst;
}

static uint32_t edge_hash(uint32_t src, uint32_t dst)
{
	return intern_hash_u64((uint64_t)src << 32 | dst, 7);
}

static struct graph_edge *edge_of(struct graph_builder *b, uint32_t src, uint32_t dst)
{
	struct graph_edge key = {.src = src, .dst = dst};
	uint32_t h = edge_hash(src, dst), id = intern_find(&b->edgex, h, same_edge, b->g, &key);
	if (id != UINT32_MAX)
		return column_at(&b->g->edges, id);
	intern_put(&b->edgex, h, column_n(&b->g->edges));
	return graph_add_edge(b, b->g->all[src], b->g->all[dst]);
}

/* ---- the walk */

/* A line of the current stack. Its weight is that of the stacks below it that were visited so far; it is added to the
   node and the edge when the line is left. */
struct open_line {
	uint32_t node;			/* + 1; 0: it is not wanted, or open further out */
	uint32_t inner;			/* the innermost node that is wanted, + 1; 0: none */
	bool residual;			/* the line is not wanted */
	struct graph_edge *edge;	/* NULL: none, or it is open further out */
	int64_t w, d;
};
struct graph_walk {
	struct graph_builder *b;
	struct stack_path path;
	size_t *end;			/* by frame of the path: number of lines up to and including it */
	struct open_line *line;		/* line[0] is outside of all frames */
	size_t n, cend, cline;
	/* By node; an array of its own, because it is used at random, and most. edges: those of the node are needed. */
	struct node_sum { int64_t cum, flat; bool open, edges; } *sum;
};

static void open_edge(
    struct graph_builder *b, struct open_line *l, const struct open_line *up, uint32_t dst, bool inlined)
{
	struct graph_edge *e = edge_of(b, up->inner - 1, dst);
	if (e->open)
		return;
	e->open = true;
	e->residual |= up->residual;
	e->inlined &= inlined;
	l->edge = e;
}

static void open_line(struct graph_walk *k, uint32_t slot, bool inlined)
{
	k->line = mem_grow(k->line, &k->cline, k->n + 1, sizeof *k->line);
	struct open_line *l = &k->line[k->n++], *up = l - 1;
	*l = (struct open_line){.inner = slot ? slot : up->inner, .residual = !slot};
	if (!slot)
		return;
	if (!k->sum[slot - 1].open) {
		k->sum[slot - 1].open = true;
		l->node = slot;
	}
	if (up->inner && up->inner != slot && (k->sum[slot - 1].edges || k->sum[up->inner - 1].edges))
		open_edge(k->b, l, up, slot - 1, inlined);
}

static void close_line(struct graph_walk *k)
{
	struct open_line *l = &k->line[--k->n];
	if (l->node) {
		struct node_sum *sum = &k->sum[l->node - 1];
		sum->open = false;
		profile_sum(&sum->cum, l->w);
		if (k->b->o->mean)
			profile_sum(&k->b->g->all[l->node - 1]->div->cum, l->d);
	}
	if (l->edge) {
		l->edge->open = false;
		profile_sum(&l->edge->weight, l->w);
		if (l->edge->mean)
			profile_sum(&l->edge->div[0], l->d);
	}
	profile_sum(&l[-1].w, l->w);
	profile_sum(&l[-1].d, l->d);
}

/* Return the hash of the edge that probably leads to a node of the profile's tree; 0: none. */
static uint32_t likely_edge(const struct graph_builder *b, uint32_t node)
{
	const struct stack_node *at = b->p->tree.node, x = at[node];
	struct stack_frames callee = b->line_slots[x.frame], caller = b->line_slots[at[x.caller].frame];
	uint32_t src = b->slot[caller.first], dst = b->slot[callee.first + callee.n - 1];
	return x.caller && src && dst ? edge_hash(src - 1, dst - 1) : 0;
}

/* The walk goes through the nodes nearly in the order of their numbers: prefetch what it needs of those ahead. */
static void prefetch_ahead(const struct graph_walk *k, uint32_t node)
{
	enum { AHEAD = 8 };
	const struct graph_builder *b = k->b;
	const struct stack_tree *t = &b->p->tree;
	if (t->n - node <= 4 * AHEAD)
		return;
	__builtin_prefetch(&b->line_slots[t->node[node + 4 * AHEAD].frame]);
	__builtin_prefetch(&b->slot[b->line_slots[t->node[node + 3 * AHEAD].frame].first]);
	uint32_t slot = b->slot[b->line_slots[t->node[node + AHEAD].frame].first];
	if (slot)
		__builtin_prefetch(&k->sum[slot - 1]);
	if (b->light || b->o->edges_of)
		return;
	uint32_t far = likely_edge(b, node + 2 * AHEAD), near = likely_edge(b, node + AHEAD);
	if (far)
		intern_prefetch(&b->edgex, far);
	uint32_t edge = near ? intern_guess(&b->edgex, near) : UINT32_MAX;
	if (edge != UINT32_MAX)
		__builtin_prefetch(column_at(&b->g->edges, edge));
}

/* Leave the frames that do not belong to the stack of a node, and enter the others. */
static void walk_to(struct graph_walk *k, uint32_t node)
{
	struct graph_builder *b = k->b;
	size_t i = stack_path_move(&k->path, &b->p->tree, node);
	while (k->n > (i ? k->end[i - 1] : 1))
		close_line(k);
	k->end = mem_grow(k->end, &k->cend, k->path.n, sizeof *k->end);
	for (; i < k->path.n; i++) {
		struct stack_frames r = b->line_slots[profile_frame(b->p, k->path.node[i])];
		prefetch_ahead(k, k->path.node[i]);
		for (uint32_t line = r.n; line--;)
			open_line(k, b->slot[r.first + line], line + 1 != r.n);
		k->end[i] = k->n;
	}
}

/* Return the bundles sorted by the nodes of their stacks. */
static struct radix_item *bundles_by_node(const struct graph_builder *b)
{
	struct radix_item *order = xmalloc((b->nbundle + 1) * sizeof *order);
	for (size_t i = 0; i < b->nbundle; i++)
		order[i] = (struct radix_item){b->p->stack[b->bundle[i].stack], (uint32_t)i};
	radix_sort_items(order, (uint32_t)b->nbundle);
	return order;
}

static void walk_bundle(struct graph_walk *k, uint32_t node, const struct bundle *s)
{
	walk_to(k, node);
	struct open_line *leaf = &k->line[k->n - 1];
	profile_sum(&leaf->w, s->w);
	profile_sum(&leaf->d, s->d);
	if (!leaf->inner || leaf->residual)
		return;
	profile_sum(&k->sum[leaf->inner - 1].flat, s->w);
	if (k->b->o->mean)
		profile_sum(&k->b->g->all[leaf->inner - 1]->div->flat, s->d);
}

/* Find the nodes whose edges are needed. */
static void choose_edges(struct graph_walk *k, size_t n)
{
	const struct regex *rx = k->b->o->edges_of;
	struct buf b = {0};
	for (size_t i = 0; i < n && !k->b->light; i++) {
		buf_reset(&b);
		if (rx)
			graph_info_name(&b, k->b->p, &k->b->g->all[i]->info, " ");
		k->sum[i].edges = !rx || regex_match(rx, b.p, b.n);
	}
	buf_free(&b);
}

/* Weigh n nodes and their edges. */
static void walk_bundles(struct graph_builder *b, size_t n)
{
	enum { AHEAD = 8 };
	struct radix_item *order = bundles_by_node(b);
	struct graph_walk k = {.b = b, .sum = xcalloc(n + 1, sizeof *k.sum)};
	k.line = mem_grow(NULL, &k.cline, 1, sizeof *k.line);
	k.line[k.n++] = (struct open_line){0};
	choose_edges(&k, n);
	for (size_t i = 0; i < b->nbundle && profile_should_continue(b->p, i, b->nbundle); i++) {
		if (i + AHEAD < b->nbundle)
			__builtin_prefetch(&b->bundle[order[i + AHEAD].v]);
		walk_bundle(&k, (uint32_t)order[i].key, &b->bundle[order[i].v]);
	}
	walk_to(&k, 0);
	for (size_t i = 0; i < n; i++) {
		b->g->all[i]->cum = k.sum[i].cum;
		b->g->all[i]->flat = k.sum[i].flat;
	}
	mem_free(k.path.node);
	mem_free(k.end);
	mem_free(k.line);
	mem_free(k.sum);
	mem_free(order);
}

static void forget_infos(struct graph_builder *b)
{
	mem_free(b->info);
	b->info = NULL;
	intern_free(&b->infox);
	u64_map_free(&b->functions);
}

static void walk_all(struct graph_builder *b)
{
	size_t n = b->kept ? b->nkept : b->ninfo;
	if (b->o->tree) {
		graph_walk_tree(b, b->o->sift ? b->o->nodefraction : 0);
		return;
	}
	for (size_t i = 0; i < n; i++)
		graph_add_node(b, (uint32_t)i, 0);
	forget_infos(b);
	walk_bundles(b, n);
}

static int same_bundle(const void *ctx, uint32_t id, const void *key)
{
	const struct bundle *x = &((const struct graph_builder *)ctx)->bundle[id];
	const struct profile_sample *k = key;
	return x->stack == k->stack && x->set == k->labels;
}

/* Return the bundle of a stack and a label set. */
static uint32_t labelled_bundle(const struct graph_builder *b, struct intern *index, struct profile_sample s)
{
	uint32_t h = intern_hash_u64(s.stack, s.labels), found = intern_find(index, h, same_bundle, b, &s);
	if (found != UINT32_MAX)
		return found;
	intern_put(index, h, (uint32_t)b->nbundle);
	return (uint32_t)b->nbundle;
}

/* Bundle samples with the same stack (and labels, if these are weighed); samples without weight are left out. */
static void make_bundles(struct graph_builder *b)
{
	const struct profile *p = b->p;
	bool by_set = b->o->tags && !b->light;
	uint32_t *by_stack = xcalloc(by_set ? 1 : p->nstack, sizeof *by_stack);	/* + 1; 0: none yet */
	struct intern index = {0};
	for (size_t i = 0; i < p->nsample; i++) {
		int64_t w = profile_value(p, i)[b->o->type], d = b->o->mean ? *profile_value(p, i) : 0;
		struct profile_sample s = p->sample[i];
		if (!w && !d)
			continue;
		size_t at = by_set ? labelled_bundle(b, &index, s) :
		    by_stack[s.stack] ? by_stack[s.stack] - 1 : b->nbundle;
		if (at == b->nbundle) {
			b->bundle = mem_grow(b->bundle, &b->cbundle, ++b->nbundle, sizeof *b->bundle);
			b->bundle[at] = (struct bundle){s.stack, s.labels, 0, 0};
			if (!by_set)
				by_stack[s.stack] = (uint32_t)b->nbundle;
		}
		profile_sum(&b->bundle[at].w, w);
		profile_sum(&b->bundle[at].d, d);
	}
	mem_free(by_stack);
	intern_free(&index);
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
	void *all[] = {b->line_slots, b->slot, b->bundle, b->sets, b->set_key, b->key_size};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		mem_free(all[i]);
	u64_map_free(&b->functions);
	u64_map_free(&b->tag_keys);
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
	if (o->last)
		profile_drop_samples(p);
	walk_all(&b);
	if (o->last)
		profile_drop_stacks(p);
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
