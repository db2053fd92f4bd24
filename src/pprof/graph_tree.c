/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The call tree: a graph with a node for each context. Contexts are the nodes of the tree of stacks after its frames
 * were translated to slots, so that frames that look equal are one. There may be millions; a drawing shows those with a
 * minimum share of the total, and a node of a graph takes 200 bytes. So it is computed first which contexts will be
 * left: those over the limit, their callers, and those without any weight, which trimming ignores. Bundles then walk the
 * tree in their own order, so nodes and edges are created in the same order as in the complete tree.
 *
 * This is not done if nodes of negative weight are left out (drop_negative), because then the total depends on all
 * nodes.
 */
#include "config.h"
#include "pprof/internal.h"

#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

struct slot_tree graph_slot_tree(const struct graph_builder *b)
{
	struct slot_tree t = {0};
	t.node = stack_tree_translate(&t.tree, &b->p->tree, b->line_slots, b->slot);
	return t;
}

void graph_slot_tree_free(struct slot_tree *t)
{
	stack_tree_free(&t->tree);
	mem_free(t->node);
}

/* The contexts, by node of the tree of slots. */
struct context_builder {
	struct graph_builder *b;
	struct slot_tree slots;
	uint32_t *node;		/* id of the graph's node + 1; 0: it does not exist yet */
	uint8_t *flags;
	struct stack_path path;
};
/* It has bundles; a call that is not inlined leads to it; it has own weight; it will be left. */
enum { VISITED = 1, CALLED = 2, OWN_WEIGHT = 4, LEFT = 8 };

static uint32_t context_of(const struct context_builder *c, const struct bundle *s)
{
	return c->slots.node[c->b->p->stack[s->stack]];
}

/* Flag the contexts of all bundles. */
static void flag_visited(struct context_builder *c)
{
	const struct graph_builder *b = c->b;
	const struct profile *p = b->p;
	uint8_t *known = xcalloc(p->tree.n, 1);
	for (size_t i = 0; i < b->nbundle; i++)
		for (uint32_t at = p->stack[b->bundle[i].stack]; at && !known[at]; at = profile_caller(p, at)) {
			uint32_t context = c->slots.node[at], lines = b->line_slots[profile_frame(p, at)].n;
			known[at] = 1;
			for (; lines; lines--, context = c->slots.tree.node[context].caller)
				c->flags[context] |= lines > 1 ? VISITED : VISITED | CALLED;
		}
	mem_free(known);
}

/* Flag the contexts that a limit leaves. own: own weight by context; replaced by the weight with all callees. Return
   how many are too light. */
static size_t flag_left(struct context_builder *c, int64_t *own, int64_t least)
{
	const struct stack_tree *t = &c->slots.tree;
	size_t light = 0;
	for (uint32_t i = 1; i < t->n; i++)
		c->flags[i] |= own[i] ? OWN_WEIGHT : 0;
	for (uint32_t i = t->n; i-- > 1;) {
		uint32_t up = t->node[i].caller;
		bool some = own[i] || c->flags[i] & OWN_WEIGHT, heavy = wrap_abs(own[i]) >= least;
		if (!(c->flags[i] & VISITED))
			continue;
		light += some && !heavy;
		if (!some || heavy)
			c->flags[i] |= LEFT;
		c->flags[up] |= c->flags[i] & LEFT;
		profile_sum(&own[up], own[i]);
	}
	return light;
}

/* Choose the contexts that trimming by this fraction leaves. Return whether it removes any. */
static bool choose_contexts(struct context_builder *c, double part)
{
	struct graph_builder *b = c->b;
	int64_t all = 0, least, *own = xcalloc(c->slots.tree.n, sizeof *own);
	for (size_t i = 0; i < b->nbundle; i++) {
		if (!b->bundle[i].stack)
			continue;
		profile_sum(&own[context_of(c, &b->bundle[i])], b->bundle[i].w);
		profile_sum(&all, b->bundle[i].w);
	}
	least = wrap_abs(pprof_units_to_i64((double)all * part));
	if (least > 0) {
		b->g->sifted = true;
		b->g->flat = all;
		b->g->light = flag_left(c, own, least);
		if (b->sets)
			graph_set_tag_cutoff(b, least);
	}
	mem_free(own);
	return least > 0;
}

/* Return the node of a context below another node (NULL: none), and create it if necessary. */
static struct graph_node *context_node(struct context_builder *c, uint32_t context, struct graph_node *up)
{
	struct graph_builder *b = c->b;
	uint32_t *id = &c->node[context];
	if (*id)
		return b->g->all[*id - 1];
	*id = graph_add_node(b, c->slots.tree.node[context].frame - 1, up ? up->id + 1 : 0);
	struct graph_node *n = b->g->all[*id - 1];
	if (up)
		graph_add_edge(b, up, n)->inlined = !(c->flags[context] & CALLED);
	return n;
}

static void walk_bundle(struct context_builder *c, const struct bundle *s, bool all)
{
	struct graph_builder *b = c->b;
	struct graph_node *n = NULL;
	if (b->sets && s->set && s->stack)
		graph_set_tags(b, s->set);	/* tags are numbered in the order of bundles, even if the node is not
						   kept */
	stack_path_move(&c->path, &c->slots.tree, context_of(c, s));
	for (size_t i = 0; i < c->path.n; i++) {
		uint32_t context = c->path.node[i];
		if (!all && !(c->flags[context] & LEFT))
			return;
		n = context_node(c, context, n);
		graph_weight(b, n, s, false);
		struct graph_edge *e = graph_first_edge(b->g, n, true);
		if (e)
			profile_sum(&e->weight, s->w);
		if (e && e->mean)
			profile_sum(&e->div[0], s->d);
	}
	if (n)
		graph_weight(b, n, s, true);
}

void graph_walk_tree(struct graph_builder *b, double part)
{
	struct context_builder c = {.b = b, .slots = graph_slot_tree(b)};
	c.node = xcalloc(c.slots.tree.n, sizeof *c.node);
	c.flags = xcalloc(c.slots.tree.n, 1);
	flag_visited(&c);
	bool all = part <= 0 || b->o->drop_negative || !choose_contexts(&c, part);
	for (size_t i = 0; i < b->nbundle && profile_should_continue(b->p, i, b->nbundle); i++)
		walk_bundle(&c, &b->bundle[i], all);
	graph_slot_tree_free(&c.slots);
	mem_free(c.node);
	mem_free(c.flags);
	mem_free(c.path.node);
}
