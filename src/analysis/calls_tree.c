/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The tree of a weighing as columns. It is made when it is asked for, out of the running sums
 * (calls.c), and kept as long as the weighing. Who walks over nodes, flame graphs and the lines of a
 * function, needs it only where things were taken away (nodes.h).
 *
 * When something counts at or below every node it is the shape's own tree with
 * two columns beside it; when not, the nodes that count are copied together,
 * skipping whole subtrees; when things are taken away, they are taken out of the
 * shape first (shape_left()). A node never moves up, so one pass does each.
 */
#include "config.h"
#include "analysis/calls.h"

#include "analysis/cut.h"
#include "analysis/nodes.h"
#include "base/mem.h"
#include "base/wrap.h"

#include <string.h>

struct cells { int64_t *flat, *cum, *oflat, *ocum; uint32_t *parent, *next, *thing; uint8_t *how; };

/* Room for n nodes: weights and parents; whole: with the columns that a shape has. */
static struct cells cells_new(struct calls *c, size_t n, bool whole)
{
	size_t cols = c->two ? 4 : 2;
	char *p = c->cells = xmalloc(n * (cols * sizeof(int64_t) + (whole ? 3 * sizeof(uint32_t) + 1 : sizeof(uint32_t))) + 1);
	struct cells v = {0};
	v.flat = (int64_t *)p;
	v.cum = v.flat + n;
	if (c->two) {
		v.oflat = v.cum + n;
		v.ocum = v.oflat + n;
	}
	v.parent = (uint32_t *)(v.flat + cols * n);
	if (whole) {
		v.next = v.parent + n;
		v.thing = v.next + n;
		v.how = (uint8_t *)(v.thing + n);
	}
	return v;
}

/* What a node has of its own: it is one end, or none. */
static struct calls_sum own(const struct calls *c, uint32_t node)
{
	if (!rank_has(c->ends, node))
		return (struct calls_sum){0, 0, 0};
	uint32_t k = rank_of(c->ends, node);
	return nodes_between(c, k, k + 1);
}

static void put(const struct cells *v, uint32_t at, struct calls_sum flat, struct calls_sum cum)
{
	v->flat[at] = flat.w;
	v->cum[at] = cum.w;
	if (v->oflat) {
		v->oflat[at] = flat.o;
		v->ocum[at] = cum.o;
	}
}

static void parents(const struct shape *s, uint32_t *parent)
{
	for (uint32_t i = 0, k = 0; i < s->n; i++)
		parent[i] = rank_has(s->forks, i) ? s->fork[k++] : i - (i != 0);
}

static void share(struct calls *c)
{
	const struct shape *s = c->shape;
	struct cells v = cells_new(c, s->n, false);
	for (uint32_t i = 0; i < s->n; i++)
		put(&v, i, own(c, i), calls_below(c, i));
	parents(s, v.parent);
	c->t = (struct ctree){.n = s->n, .parent = v.parent, .next = s->next, .thing = s->thing, .how = s->how,
	    .flat = v.flat, .cum = v.cum, .oflat = v.oflat, .ocum = v.ocum};
}

/* How many nodes something counts at or below; the root is one. */
static uint32_t count(const struct calls *c)
{
	const struct shape *s = c->shape;
	uint32_t k = 0;
	for (uint32_t i = 0; i < s->n;) {
		bool has = !i || calls_below(c, i).hits;
		k += has;
		i = has ? i + 1 : s->next[i];
	}
	return k;
}

struct open { uint32_t end, id; };

/* Copy the k nodes that count together. What is above such a node is one too, so those that are open at a
   node are the path to it. */
static void copy(struct calls *c, uint32_t k)
{
	const struct shape *s = c->shape;
	struct cells v = cells_new(c, k, true);
	struct open *open = NULL;
	size_t depth = 0, cap = 0;
	uint32_t m = 0;
	for (uint32_t i = 0; i < s->n;) {
		struct calls_sum cum = calls_below(c, i);
		if (i && !cum.hits) {
			i = s->next[i];
			continue;
		}
		for (; depth && open[depth - 1].end <= i; depth--)
			v.next[open[depth - 1].id] = m;
		v.parent[m] = depth ? open[depth - 1].id : 0;
		v.thing[m] = s->thing[i];
		v.how[m] = s->how[i];
		put(&v, m, own(c, i), cum);
		open = mem_grow(open, &cap, depth + 1, sizeof *open);
		open[depth++] = (struct open){s->next[i++], m++};
	}
	while (depth)
		v.next[open[--depth].id] = m;
	mem_free(open);
	c->t = (struct ctree){.n = k, .parent = v.parent, .next = v.next, .thing = v.thing, .how = v.how,
	    .flat = v.flat, .cum = v.cum, .oflat = v.oflat, .ocum = v.ocum};
}

/* Own weights to what is left of the shape, and its totals. */
static void take_away(struct calls *c)
{
	const struct shape *from = c->shape;
	uint8_t *hit = xmalloc(from->n);
	for (uint32_t i = 0; i < from->n; i++)
		hit[i] = i && !calls_below(c, i).hits ? 0 : calls_gone(c, i) ? LEFT_GONE : LEFT_HIT;
	struct shape *s = c->left = shape_left(from, hit);
	struct cells v = cells_new(c, s->n, false);
	memset(c->cells, 0, s->n * (c->two ? 4 : 2) * sizeof(int64_t));
	for (uint32_t i = 0; i < from->n; i++) {
		struct calls_sum o = hit[i] ? own(c, i) : (struct calls_sum){0, 0, 0};
		if (!o.hits)
			continue;
		uint32_t at = !i || s->at[i] == SHAPE_NONE ? 0 : s->at[i];
		v.flat[at] = wrap_add(v.flat[at], o.w);
		if (v.oflat)
			v.oflat[at] = wrap_add(v.oflat[at], o.o);
	}
	mem_free(hit);
	parents(s, v.parent);
	for (uint32_t i = s->n; i-- > 0;) {
		v.cum[i] = wrap_add(v.cum[i], v.flat[i]);
		if (i)
			v.cum[v.parent[i]] = wrap_add(v.cum[v.parent[i]], v.cum[i]);
		if (!v.oflat)
			continue;
		v.ocum[i] = wrap_add(v.ocum[i], v.oflat[i]);
		if (i)
			v.ocum[v.parent[i]] = wrap_add(v.ocum[v.parent[i]], v.ocum[i]);
	}
	mem_free(s->at);
	s->at = NULL;
	c->t = (struct ctree){.n = s->n, .parent = v.parent, .next = s->next, .thing = s->thing, .how = s->how,
	    .flat = v.flat, .cum = v.cum, .oflat = v.oflat, .ocum = v.ocum};
}

const struct ctree *calls_tree(const struct calls *asked)
{
	struct calls *c = (struct calls *)(uintptr_t)asked;	/* what it says does not change by it */
	uint32_t k;
	if (c->t.n)
		return &c->t;
	if (c->dead || c->cut)
		take_away(c);
	else if ((k = count(c)) == c->shape->n)
		share(c);
	else
		copy(c, k);
	return &c->t;
}
