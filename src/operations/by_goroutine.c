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

/* Is operation a before b, by start and descending end? */
static bool is_before(const struct operations *o, uint32_t a, uint32_t b)
{
	const struct operation *x = &o->v[a], *y = &o->v[b];
	return x->t0 != y->t0 ? x->t0 < y->t0 : x->t1 > y->t1;
}

/* Sort by two keys; equal ones keep their order. */
static void sort_many(const struct operations *o, uint32_t *at, uint32_t n)
{
	struct radix_item *v = xmalloc((n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct radix_item){radix_key_descending(o->v[at[i]].t1), at[i]};
	radix_sort_items(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i].key = radix_key_ascending(o->v[v[i].v].t0);
	radix_sort_items(v, n);
	for (uint32_t i = 0; i < n; i++)
		at[i] = v[i].v;
	mem_free(v);
}

/* Sort the operations of one goroutine, which are by kind and start: mostly one, or sorted already. */
static void sort_goroutine(const struct operations *o, uint32_t *at, uint32_t n)
{
	enum { FEW = 32 };
	uint32_t i = 1;
	while (i < n && !is_before(o, at[i], at[i - 1]))
		i++;
	if (i < n && n > FEW) {
		sort_many(o, at, n);
		return;
	}
	for (; i < n; i++) {
		uint32_t x = at[i], k = i;
		for (; k && is_before(o, x, at[k - 1]); k--)
			at[k] = at[k - 1];
		at[k] = x;
	}
}

/* Set by_g[] by a counting sort by goroutine. */
static void sort_by_goroutine(const struct operations *o)
{
	trk_id most = 0;
	for (uint32_t i = 0; i < o->n; i++)
		most = o->v[i].g > most ? o->v[i].g : most;
	uint32_t *end = xcalloc(most + 2u, sizeof *end);	/* at first the number of those of the goroutine before */
	for (uint32_t i = 0; i < o->n; i++)
		end[o->v[i].g + 1]++;
	for (trk_id g = 1; g <= most; g++)
		end[g] += end[g - 1];
	for (uint32_t i = 0; i < o->n; i++)
		o->by_g[end[o->v[i].g]++] = i;
	for (trk_id g = 0; g <= most; g++) {
		uint32_t first = g ? end[g - 1] : 0;
		sort_goroutine(o, o->by_g + first, end[g] - first);
	}
	mem_free(end);
}

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
	o->by_g = arena_alloc(mem, (o->n + 1u) * sizeof *o->by_g);
	o->outer = arena_alloc(mem, (o->n + 1u) * sizeof *o->outer);
	sort_by_goroutine(o);
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
