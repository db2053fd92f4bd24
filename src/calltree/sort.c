/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Things in the orders in which lists show them: by own weight, by cumulative weight, by name. Fifty thousand
 * functions take longer to sort than a frame may, so the orders are kept with the calls, and made with
 * them where they are made beside the keyboard; who lists things then leaves out what is not to be
 * seen. Sorted by numbers, one key after another, the last one first: what is equal in the
 * first is in the order of the others. What has become less is as much of a change.
 */
#include "config.h"
#include "calltree/weighted.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "base/wrap_math.h"

enum key { BY_FLAT, BY_CUM, BY_WHAT_FLAT, BY_WHAT_CUM };

static uint64_t key_of(const struct calls *c, uint32_t i, enum key k)
{
	const struct thing_weight *t = &c->weight[i];
	struct thing_other o = calls_other(c, i);
	int64_t v = k == BY_FLAT ? t->flat
		  : k == BY_CUM	 ? t->cum
		  : k == BY_WHAT_FLAT ? side_pair(c->show, t->flat, o.flat).a
				      : side_pair(c->show, t->cum, o.cum).a;
	return ~wrap_size(v);
}

static void by_key(const struct calls *c, struct keyed *v, uint32_t n, enum key k)
{
	for (uint32_t i = 0; i < n; i++)
		v[i].key = key_of(c, v[i].v, k);
	keyed_sort(v, n);
}

static uint32_t *take(struct calls *c, const struct keyed *v, uint32_t n)
{
	uint32_t *to = arena_alloc(&c->arena, ((size_t)n + 1) * sizeof *to);
	for (uint32_t i = 0; i < n; i++)
		to[i] = v[i].v;
	return to;
}

const struct call_orders *calls_orders(struct calls *c)
{
	struct call_orders *o = &c->orders;
	if (o->cum)
		return o;
	struct keyed *v = xmalloc(((size_t)c->nthing + 1) * sizeof *v);
	for (uint32_t i = 1; i < c->nthing; i++) {
		const struct thing_weight *t = &c->weight[i];
		if (t->nnode || t->flat || t->cum || calls_other(c, i).flat || calls_other(c, i).cum)
			v[o->n++] = (struct keyed){c->thing[i].rank, i};
	}
	keyed_sort(v, o->n);
	o->name = take(c, v, o->n);
	if (c->two) {		/* what has not changed: by what it is */
		by_key(c, v, o->n, BY_WHAT_CUM);
		by_key(c, v, o->n, BY_WHAT_FLAT);
	}
	by_key(c, v, o->n, BY_CUM);
	by_key(c, v, o->n, BY_FLAT);
	o->flat = take(c, v, o->n);
	by_key(c, v, o->n, BY_CUM);
	o->cum = take(c, v, o->n);
	mem_free(v);
	return o;
}
