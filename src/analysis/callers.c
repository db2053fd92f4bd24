/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Callers and callees.
 *
 * A call is a node of the tree together with its parent, so the calls of a
 * thing are found from the list of its nodes, at a cost of that list and not
 * of the tree. The same call may be on a stack twice (a, b, a, b): sorted by
 * the other side and by preorder, the calls nested in one that counts already
 * are those that begin before it ends, and are left out.
 *
 * Further levels follow the paths of the calls that counted: each step keeps
 * the weight that goes through it, so levels never add up to more than the
 * level before.
 */
#include "config.h"
#include "analysis/callers.h"

struct call { uint32_t thing, node; struct step to; bool inl; };
struct call_list { struct call *v; uint32_t n; size_t cap; };

static void add_call(
    struct call_list *l, uint32_t thing, uint32_t node, struct step to, bool inl)
{
	l->v = mem_grow(l->v, &l->cap, (size_t)l->n + 1, sizeof *l->v);
	l->v[l->n++] = (struct call){thing, node, to, inl};
}

/* What goes through a node, to go on from another. */
static struct step through(const struct ctree *t, uint32_t at, uint32_t node)
{
	return (struct step){at, t->cum[node], t->ocum ? t->ocum[node] : 0};
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
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return (x->thing > y->thing) - (x->thing < y->thing);
}

/* Calls to links, by thing. With a tree: without the calls nested in one that counts; steps of
   further levels need no such care, their weights are what is left. Frees the list. */
static uint32_t link_up(
    const struct ctree *t, struct call_list *l, struct arena *a, struct link **out)
{
	uint32_t *order = arena_alloc(a, ((size_t)l->n + 1) * sizeof *order), n = 0;
	struct link *v = arena_alloc(a, ((size_t)l->n + 1) * sizeof *v);
	struct step *step = arena_alloc(a, ((size_t)l->n + 1) * sizeof *step);
	for (uint32_t i = 0; i < l->n; i++)
		order[i] = i;
	sort_u32(order, l->n, cmp_call, l->v);
	uint32_t end = 0;
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
		end = t ? t->next[c->node] : 0;
		k->value += c->to.w;
		k->other += c->to.o;
		*step++ = c->to;
		k->nstep++;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	sort_u32(order, n, cmp_link, v);
	struct link *sorted = arena_alloc(a, ((size_t)n + 1) * sizeof *sorted);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = v[order[i]];
	mem_free(l->v);
	*out = sorted;
	return n;
}

uint32_t callers_of(const struct calls *c, uint32_t thing, struct arena *a, struct link **out)
{
	const struct ctree *t = &c->t;
	const struct thing *g = &c->thing[thing];
	struct call_list l = {0};
	for (uint32_t i = 0; i < g->nnode; i++) {
		uint32_t node = c->of[g->node0 + i], p = t->parent[node];
		if (p && t->thing[p] != thing)
			add_call(&l, t->thing[p], node, through(t, p, node), ctree_inlined(t, node));
	}
	return link_up(t, &l, a, out);
}

uint32_t callees_of(const struct calls *c, uint32_t thing, struct arena *a, struct link **out)
{
	const struct ctree *t = &c->t;
	const struct thing *g = &c->thing[thing];
	struct call_list l = {0};
	for (uint32_t i = 0; i < g->nnode; i++) {
		uint32_t node = c->of[g->node0 + i];
		for (uint32_t k = node + 1; k < t->next[node]; k = t->next[k])
			if (t->thing[k] != thing)
				add_call(&l, t->thing[k], k, through(t, k, k), ctree_inlined(t, k));
	}
	return link_up(t, &l, a, out);
}

uint32_t callers_next(
    const struct calls *c, const struct link *k, struct arena *a, struct link **out)
{
	const struct ctree *t = &c->t;
	struct call_list l = {0};
	for (uint32_t i = 0; i < k->nstep; i++) {
		uint32_t at = k->step[i].at, p = at ? t->parent[at] : 0;
		if (p)
			add_call(&l, t->thing[p], p, (struct step){p, k->step[i].w, k->step[i].o},
			    ctree_inlined(t, at));
	}
	return link_up(NULL, &l, a, out);
}

uint32_t callees_next(
    const struct calls *c, const struct link *k, struct arena *a, struct link **out)
{
	const struct ctree *t = &c->t;
	struct call_list l = {0};
	for (uint32_t i = 0; i < k->nstep; i++) {
		uint32_t at = k->step[i].at;
		for (uint32_t x = at + 1; x < t->next[at]; x = t->next[x])
			add_call(&l, t->thing[x], x, through(t, x, x), ctree_inlined(t, x));
	}
	return link_up(NULL, &l, a, out);
}
