/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds the operation for which a goroutine works at a time. The operations of a goroutine are in the order of their
 * starts, and each has the one that was still open when it started: the operation at a time is the last one that has
 * started, or else one that is outside of it. So the cost is a binary search and the depth to which operations nest.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/bsearch.h"
#include "base/radix_sort.h"

/* Sort the items by a second key: equal ones keep their order. */
static void sort_again(struct radix_item *v, const struct operations *o, uint64_t (*key)(const struct operation *))
{
	for (uint32_t i = 0; i < o->n; i++)
		v[i].key = key(&o->v[v[i].v]);
	radix_sort_items(v, o->n);
}

static uint64_t key_of_end(const struct operation *x) { return radix_key_descending(x->t1); }
static uint64_t key_of_start(const struct operation *x) { return radix_key_ascending(x->t0); }
static uint64_t key_of_goroutine(const struct operation *x) { return x->g; }

/* Set outer[]: going forward, an operation is inside the last one of its goroutine that has not ended. */
static void set_outer(const struct operations *o)
{
	for (uint32_t i = 0; i < o->n; i++) {
		const struct operation *x = &o->v[o->by_g[i]];
		uint32_t up = i ? i - 1 : OPERATION_NONE;
		if (i && o->v[o->by_g[i - 1]].g != x->g)
			up = OPERATION_NONE;
		while (up != OPERATION_NONE && o->v[o->by_g[up]].t1 <= x->t0)
			up = o->outer[up];
		o->outer[i] = up;
	}
}

void operations_index(struct operations *o, struct arena *mem)
{
	struct radix_item *v = xmalloc((o->n + 1u) * sizeof *v);
	o->by_g = arena_alloc(mem, (o->n + 1u) * sizeof *o->by_g);
	o->outer = arena_alloc(mem, (o->n + 1u) * sizeof *o->outer);
	for (uint32_t i = 0; i < o->n; i++)
		v[i].v = i;
	sort_again(v, o, key_of_end);
	sort_again(v, o, key_of_start);
	sort_again(v, o, key_of_goroutine);
	for (uint32_t i = 0; i < o->n; i++)
		o->by_g[i] = v[i].v;
	mem_free(v);
	set_outer(o);
}

uint32_t operations_at(const struct operations *o, trk_id g, int64_t t)
{
	struct bsearch_probe h = {.hi = o->n};
	while (bsearch_probe(&h)) {
		const struct operation *x = &o->v[o->by_g[h.at]];
		bsearch_narrow(&h, x->g < g || (x->g == g && x->t0 <= t));
	}
	uint32_t i = h.lo && o->v[o->by_g[h.lo - 1]].g == g ? (uint32_t)h.lo - 1 : OPERATION_NONE;
	while (i != OPERATION_NONE && o->v[o->by_g[i]].t1 <= t)
		i = o->outer[i];
	return i == OPERATION_NONE ? OPERATION_NONE : o->by_g[i];
}

void operations_set_parents(const struct operations *o, const struct snap *sn)
{
	for (uint32_t i = 0; i < o->n; i++) {
		struct operation *x = &o->v[i];
		trk_id creator = o->kind[x->kind].source == OPERATION_LIFE ? store_trk(sn->st, x->g)->creator : 0;
		if (creator)
			x->parent = operations_at(o, creator, x->t0);
	}
}
