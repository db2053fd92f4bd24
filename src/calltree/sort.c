/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Symbols in the orders of lists: by own weight, by cumulative weight, by name. To sort fifty thousand functions takes
 * longer than a frame may take, so the orders are kept with the weighted tree, and computed with it where that is built
 * in the background; a list then leaves out the symbols that it does not show. The stable radix sort runs once for each
 * key, the least significant key first. Weights are compared by absolute value, because a decrease counts as much.
 */
#include "config.h"
#include "calltree/weighted.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "base/wrap_math.h"

enum key { BY_FLAT, BY_CUM, BY_WHAT_FLAT, BY_WHAT_CUM };

static uint64_t key_of(const struct weighted_tree *c, uint32_t i, enum key k)
{
	const struct symbol_weight *t = &c->weight[i];
	struct symbol_other o = weighted_other(c, i);
	int64_t v = k == BY_FLAT ? t->flat
		  : k == BY_CUM	 ? t->cum
		  : k == BY_WHAT_FLAT ? side_pair(c->show, t->flat, o.flat).a
				      : side_pair(c->show, t->cum, o.cum).a;
	return ~wrap_size(v);
}

static void by_key(const struct weighted_tree *c, struct radix_item *v, uint32_t n, enum key k)
{
	for (uint32_t i = 0; i < n; i++)
		v[i].key = key_of(c, v[i].v, k);
	radix_sort_items(v, n);
}

static uint32_t *copy_order(struct weighted_tree *c, const struct radix_item *v, uint32_t n)
{
	uint32_t *to = arena_alloc(&c->arena, ((size_t)n + 1) * sizeof *to);
	for (uint32_t i = 0; i < n; i++)
		to[i] = v[i].v;
	return to;
}

const struct calltree_orders *calltree_sort_orders(struct weighted_tree *c)
{
	struct calltree_orders *o = &c->orders;
	if (o->cum)
		return o;
	struct radix_item *v = xmalloc(((size_t)c->nsymbol + 1) * sizeof *v);
	for (uint32_t i = 1; i < c->nsymbol; i++) {
		const struct symbol_weight *t = &c->weight[i];
		if (t->nnode || t->flat || t->cum || weighted_other(c, i).flat || weighted_other(c, i).cum)
			v[o->n++] = (struct radix_item){c->symbol[i].rank, i};
	}
	radix_sort_items(v, o->n);
	o->name = copy_order(c, v, o->n);
	if (c->two) {		/* equal differences: order by the value of side A */
		by_key(c, v, o->n, BY_WHAT_CUM);
		by_key(c, v, o->n, BY_WHAT_FLAT);
	}
	by_key(c, v, o->n, BY_CUM);
	by_key(c, v, o->n, BY_FLAT);
	o->flat = copy_order(c, v, o->n);
	by_key(c, v, o->n, BY_CUM);
	o->cum = copy_order(c, v, o->n);
	mem_free(v);
	return o;
}
