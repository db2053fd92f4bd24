/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Callers and callees.
 *
 * A call is a node of the shape together with the nearest above it that is seen.
 * The nodes of a thing are found by looking at what all nodes are, one after
 * another (nodes_seek()), and no list of all of them has to
 * be made anew for every query. What they weigh are differences of running sums (weighted.c),
 * so none of this needs the tree of the query. The same call may be on a stack twice (a, b, a, b): sorted by
 * the other side and by preorder, the calls nested in one that counts already
 * are those that begin before it ends, and are left out.
 *
 * Further levels follow the paths of the calls that counted: each step keeps
 * the weight that goes through it, so levels never add up to more than the
 * level before.
 */
#include "config.h"
#include "calltree/callers.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "calltree/node_walk.h"
#include "filter/cut.h"

#include <string.h>

struct call { uint32_t thing, node; struct step to; bool inl; };
struct call_list { struct call *v; uint32_t n; size_t cap; };

static void add_call(
    struct call_list *l, uint32_t thing, uint32_t node, struct step to, bool inl)
{
	l->v = mem_grow(l->v, &l->cap, (size_t)l->n + 1, sizeof *l->v);
	l->v[l->n++] = (struct call){thing, node, to, inl};
}


static uint32_t seen_above(const struct calls *c, uint32_t node)
{
	do
		node = shape_parent(c->shape, node);
	while (node && calls_gone(c, node));
	return node;
}

/* Callers and callees are asked for one after the other, and again for every frame, so those of the last thing are
   kept. */
struct asked {
	uint32_t thing, n;
	struct step *node;		/* its nodes that something counts at or below, and what does */
	size_t cap;
	struct arena mem;
	struct { struct link *v; uint32_t n; } up, down;
};

void callers_drop(struct calls *c)
{
	if (!c->asked)
		return;
	mem_free(c->asked->node);
	arena_free(&c->asked->mem);
	mem_free(c->asked);
	c->asked = NULL;
}

static void add_node(const struct calls *c, struct asked *k, uint32_t node)
{
	struct calls_sum v = calls_below(c, node);
	if (!v.hits || calls_gone(c, node))
		return;
	k->node = mem_grow(k->node, &k->cap, (size_t)k->n + 1, sizeof *k->node);
	k->node[k->n++] = (struct step){node, v.w, v.o};
}

static void find_nodes(const struct calls *c, struct asked *k)
{
	const struct shape *s = c->shape;
	uint32_t n = c->weight[k->thing].nseen;
	for (uint32_t i = 1; k->n < n && (i = nodes_seek(s->what, i, s->n, k->thing)) < s->n; i++)
		add_node(c, k, i);
}

static struct asked *ask(const struct calls *asked, uint32_t thing)
{
	struct calls *c = (struct calls *)(uintptr_t)asked;	/* what it says does not change by it */
	if (!c->asked)
		c->asked = xcalloc(1, sizeof *c->asked);
	struct asked *k = c->asked;
	if (k->thing == thing)
		return k;
	arena_reset(&k->mem);
	k->up.v = k->down.v = NULL;
	k->thing = thing;
	k->n = 0;
	find_nodes(c, k);
	return k;
}

static bool inlined(const struct calls *c, uint32_t node)
{
	return (shape_how(c->shape, node) & (CT_INL | CT_NOTINL)) == CT_INL;
}

static int cmp_call(const void *ctx, uint32_t a, uint32_t b)
{
	const struct call *x = (const struct call *)ctx + a, *y = (const struct call *)ctx + b;
	if (x->thing != y->thing)
		return x->thing < y->thing ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int cmp_link(const void *ctx, uint32_t a, uint32_t b)
{
	const struct link *x = (const struct link *)ctx + a, *y = (const struct link *)ctx + b;
	/* as pprof orders them: what has become less counts as much */
	uint64_t p = wrap_size(x->value), q = wrap_size(y->value);
	if (p != q)
		return p > q ? -1 : 1;
	return (x->thing > y->thing) - (x->thing < y->thing);
}

/* The calls in order, and of how many things they are. */
static uint32_t *in_order(const struct call_list *l, uint32_t *things)
{
	uint32_t *order = xmalloc(((size_t)l->n + 1) * sizeof *order), n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		order[i] = i;
	sort_u32(order, l->n, cmp_call, l->v);
	for (uint32_t i = 0; i < l->n; i++)
		n += !i || l->v[order[i]].thing != l->v[order[i - 1]].thing;
	*things = n;
	return order;
}

/* Links, the heaviest first, in the arena. Frees what they were in. */
static struct link *heaviest_first(struct link *v, uint32_t n, struct arena *a)
{
	uint32_t *order = xmalloc(((size_t)n + 1) * sizeof *order);
	struct link *sorted = arena_alloc(a, ((size_t)n + 1) * sizeof *sorted);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	sort_u32(order, n, cmp_link, v);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = v[order[i]];
	mem_free(order);
	mem_free(v);
	return sorted;
}

/* Calls to links, by thing. With a shape: without the calls nested in one that counts; steps of
   further levels need no such care, their weights are what is left. Frees the list. */
static uint32_t link_up(
    const struct shape *t, struct call_list *l, struct arena *a, struct link **out)
{
	uint32_t n = 0, things, end = 0, *order = in_order(l, &things);
	struct link *v = xmalloc(((size_t)things + 1) * sizeof *v);
	struct step *step = arena_alloc(a, ((size_t)l->n + 1) * sizeof *step);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct call *c = &l->v[order[i]];
		if (!n || v[n - 1].thing != c->thing) {
			v[n++] = (struct link){c->thing, 0, 0, true, step, 0};
			end = 0;
		}
		struct link *k = &v[n - 1];
		k->inl &= c->inl;
		if (t && c->node < end)
			continue;
		end = t ? shape_next(t, c->node) : 0;
		k->value = wrap_add(k->value, c->to.w);
		k->other = wrap_add(k->other, c->to.o);
		*step++ = c->to;
		k->nstep++;
	}
	mem_free(order);
	mem_free(l->v);
	*out = heaviest_first(v, n, a);
	return n;
}

/* The nearest nodes below one that are seen: calls of it. Where nearly all are hidden that is every node there is, one
   behind the other: what little is below one is gone through without asking whether anything counts there. */
static void add_below(const struct calls *c, uint32_t node, uint32_t but, struct call_list *l)
{
	enum { LITTLE = 64 };
	const struct shape *s = c->shape;
	for (uint32_t k = node + 1, end = shape_next(s, node); k < end;) {
		if (calls_gone(c, k) && shape_next(s, k) - k < LITTLE) {
			k++;
			continue;
		}
		struct calls_sum v = calls_below(c, k);
		if (v.hits && calls_gone(c, k)) {
			k++;
			continue;
		}
		if (v.hits && shape_thing(s, k) != but)
			add_call(l, shape_thing(s, k), k, (struct step){k, v.w, v.o}, inlined(c, k));
		k = shape_next(s, k);
	}
}

static uint32_t hand_out(const struct link *v, uint32_t n, struct arena *a, struct link **out)
{
	*out = arena_alloc(a, ((size_t)n + 1) * sizeof *v);
	if (n)
		memcpy(*out, v, n * sizeof *v);
	return n;
}

uint32_t callers_of(const struct calls *c, uint32_t thing, struct arena *a, struct link **out)
{
	const struct shape *s = c->shape;
	struct asked *k = ask(c, thing);
	struct call_list l = {0};
	for (uint32_t m = 0; m < k->n && !k->up.v; m++) {
		struct step v = k->node[m];
		uint32_t i = v.at, p = seen_above(c, i);
		if (p && shape_thing(s, p) != thing)
			add_call(&l, shape_thing(s, p), i, (struct step){p, v.w, v.o}, inlined(c, i));
	}
	if (!k->up.v)
		k->up.n = link_up(s, &l, &k->mem, &k->up.v);
	return hand_out(k->up.v, k->up.n, a, out);
}

uint32_t callees_of(const struct calls *c, uint32_t thing, struct arena *a, struct link **out)
{
	const struct shape *s = c->shape;
	struct asked *k = ask(c, thing);
	struct call_list l = {0};
	for (uint32_t m = 0; m < k->n && !k->down.v; m++)
		add_below(c, k->node[m].at, thing, &l);
	if (!k->down.v)
		k->down.n = link_up(s, &l, &k->mem, &k->down.v);
	return hand_out(k->down.v, k->down.n, a, out);
}

uint32_t callers_next(
    const struct calls *c, const struct link *k, struct arena *a, struct link **out)
{
	const struct shape *s = c->shape;
	struct call_list l = {0};
	for (uint32_t i = 0; i < k->nstep; i++) {
		uint32_t at = k->step[i].at, p = at ? seen_above(c, at) : 0;
		if (p)
			add_call(&l, shape_thing(s, p), p, (struct step){p, k->step[i].w, k->step[i].o}, inlined(c, at));
	}
	return link_up(NULL, &l, a, out);
}

uint32_t callees_next(
    const struct calls *c, const struct link *k, struct arena *a, struct link **out)
{
	struct call_list l = {0};
	for (uint32_t i = 0; i < k->nstep; i++)
		add_below(c, k->step[i].at, 0, &l);
	return link_up(NULL, &l, a, out);
}
