/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Finds the operation for which a goroutine works at a time. The operations of a goroutine are in the order of their
 * starts, and each has the one that was still open when it started: the operation at a time is the last one that has
 * started, or else one that is outside of it. So the cost is a binary search and the depth to which operations nest.
 *
 * Those that are the whole time of a goroutine are not in that list, as there may be millions: one is found in its kind,
 * which depends on the origin of the goroutine.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/bsearch.h"
#include "base/radix_sort.h"

#include <string.h>

/* Is operation a before b, by start and descending end? */
static bool is_before(const struct operations *o, uint32_t a, uint32_t b)
{
	struct operation x = operations_get(o, a), y = operations_get(o, b);
	return x.t0 != y.t0 ? x.t0 < y.t0 : x.t1 > y.t1;
}

/* Sort by two keys; equal ones keep their order. */
static void sort_many(const struct operations *o, uint32_t *at, uint32_t n)
{
	struct radix_item *v = xmalloc((n + 1u) * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct radix_item){radix_key_descending(operations_get(o, at[i]).t1), at[i]};
	radix_sort_items(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i].key = radix_key_ascending(operations_get(o, v[i].v).t0);
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

/* Call a function with the goroutine of each operation that is not the whole time of one. */
static void each_goroutine(const struct operations *o, void (*fn)(void *arg, trk_id g, uint32_t index), void *arg)
{
	for (uint32_t k = 0; k < o->nkinds && o->kind[k].first < o->nparts; k++)
		for (uint32_t i = 0; i < o->kind[k].n; i++)
			fn(arg, operations_goroutine(o, k, i), o->kind[k].first + i);
}

static void note_most(void *arg, trk_id g, uint32_t index)
{
	trk_id *most = arg;
	(void)index;
	*most = g > *most ? g : *most;
}

static void count_one(void *arg, trk_id g, uint32_t index)
{
	uint32_t *end = arg;
	(void)index;
	end[g + 1]++;
}

struct placing { uint32_t *end, *by_g; };

static void place_one(void *arg, trk_id g, uint32_t index)
{
	const struct placing *p = arg;
	p->by_g[p->end[g]++] = index;
}

/* Do the operations of a goroutine, which are sorted by kind and start, follow one another? Only tasks can be inside
   others of their kind. */
static bool are_apart(const struct operations *o, const uint32_t *at, uint32_t n)
{
	uint32_t kind = n > 1 ? operations_kind_of(o, at[0]) : 0;
	return n < 2 || (o->kind[kind].source != OPERATION_TASK && operations_kind_of(o, at[n - 1]) == kind);
}

/* Set outer[] of the n operations of a goroutine from position `first` on: going forward, an operation is inside the
   last one that has not ended. Most goroutines have none that is inside another one, so outer[] is made at the first. */
static void set_outer(struct operations *o, struct arena *mem, uint32_t first, uint32_t n)
{
	int64_t end = INT64_MIN;
	for (uint32_t i = first; n > 1 && i < first + n; i++) {
		struct operation x = operations_get(o, o->by_g[i]);
		if (!o->outer && x.t0 < end) {
			o->outer = arena_alloc(mem, (o->nparts + 1u) * sizeof *o->outer);
			memset(o->outer, 0xff, (o->nparts + 1u) * sizeof *o->outer);
			set_outer(o, mem, first, n);
			return;
		}
		end = x.t1 > end ? x.t1 : end;
		uint32_t up = i > first && o->outer ? i - 1 : OPERATION_NONE;
		while (up != OPERATION_NONE && operations_get(o, o->by_g[up]).t1 <= x.t0)
			up = o->outer[up];
		if (o->outer)
			o->outer[i] = up;
	}
}

/* A counting sort by goroutine. */
static void index_parts(struct operations *o, struct arena *mem)
{
	trk_id most = 0;
	o->by_g = arena_alloc(mem, (o->nparts + 1u) * sizeof *o->by_g);
	each_goroutine(o, note_most, &most);
	uint32_t *end = xcalloc(most + 2u, sizeof *end);	/* at first the number of those of the goroutine before */
	each_goroutine(o, count_one, end);
	for (trk_id g = 1; g <= most; g++)
		end[g] += end[g - 1];
	each_goroutine(o, place_one, &(struct placing){end, o->by_g});
	for (trk_id g = 0; g <= most; g++) {
		uint32_t first = g ? end[g - 1] : 0;
		if (are_apart(o, o->by_g + first, end[g] - first))
			continue;
		sort_goroutine(o, o->by_g + first, end[g] - first);
		set_outer(o, mem, first, end[g] - first);
	}
	mem_free(end);
}

/* Return the number of the first kind whose operations are the whole time of goroutines. */
static uint32_t first_life_kind(const struct operations *o)
{
	return o->nparts < o->n ? operations_kind_of(o, o->nparts) : o->nkinds;
}

void operations_index(struct operations *o, struct arena *mem)
{
	uint32_t from = 0;
	while (from < o->nkinds && o->kind[from].source < OPERATION_LIFE)
		from++;
	o->nparts = from < o->nkinds ? o->kind[from].first : o->n;
	index_parts(o, mem);
	o->norigins = column_n(&o->sn.st->trk_origins);
	o->life_kind = arena_zalloc(mem, (o->norigins + 1u) * sizeof *o->life_kind);
	for (uint32_t k = from; k < o->nkinds; k++)
		for (uint32_t i = 0; i < o->kind[k].n; i++) {
			uint32_t origin = store_trk(o->sn.st, operations_goroutine(o, k, i))->origin;
			if (origin < o->norigins)
				o->life_kind[origin] = k;
		}
}

/* Return the operation of a kind that is the whole time of a goroutine; OPERATION_NONE: it is of another kind. Within a
   kind they are by start, then by goroutine. */
static uint32_t life_in_kind(const struct operations *o, uint32_t k, trk_id g)
{
	struct bsearch_probe h = {.hi = o->kind[k].n};
	int64_t t0 = store_trk(o->sn.st, g)->t0;
	while (bsearch_probe(&h)) {
		trk_id at = operations_goroutine(o, k, (uint32_t)h.at);
		int64_t t = store_trk(o->sn.st, at)->t0;
		bsearch_narrow(&h, t != t0 ? t < t0 : at < g);
	}
	bool found = h.lo < o->kind[k].n && operations_goroutine(o, k, (uint32_t)h.lo) == g;
	return found ? o->kind[k].first + (uint32_t)h.lo : OPERATION_NONE;
}

/* Return the operation that is the whole time of a goroutine; OPERATION_NONE: there is none. */
static uint32_t life_of(const struct operations *o, trk_id g)
{
	if (!o->lives || g >= o->sn.ntrks || !rank_has(o->lives, g))
		return OPERATION_NONE;
	uint32_t first = first_life_kind(o), origin = store_trk(o->sn.st, g)->origin;
	uint32_t k = origin < o->norigins ? o->life_kind[origin] : 0;
	uint32_t found = k >= first && k < o->nkinds ? life_in_kind(o, k, g) : OPERATION_NONE;
	/* While a trace is read, more may become known of an origin after the index is made. */
	for (k = first; !o->sn.complete && k < o->nkinds && found == OPERATION_NONE; k++)
		found = life_in_kind(o, k, g);
	return found;
}

/* Return the operation at a time, of those that are not the whole time of the goroutine. */
static uint32_t part_at(const struct operations *o, trk_id g, int64_t t)
{
	struct bsearch_probe h = {.hi = o->nparts};
	while (bsearch_probe(&h)) {
		struct operation x = operations_get(o, o->by_g[h.at]);
		bsearch_narrow(&h, x.g < g || (x.g == g && x.t0 <= t));
	}
	uint32_t i = (uint32_t)h.lo - 1;	/* OPERATION_NONE if all are later */
	if (i == OPERATION_NONE || operations_get(o, o->by_g[i]).g != g)
		return OPERATION_NONE;
	while (i != OPERATION_NONE && operations_get(o, o->by_g[i]).t1 <= t)
		i = o->outer ? o->outer[i] : OPERATION_NONE;
	return i == OPERATION_NONE ? OPERATION_NONE : o->by_g[i];
}

/* A task that ends on a goroutine may overlap its life without being worked for there. */
uint32_t operations_at(const struct operations *o, trk_id g, int64_t t)
{
	uint32_t part = part_at(o, g, t), life = life_of(o, g);
	if (life == OPERATION_NONE)
		return part;
	struct operation x = operations_get(o, life);
	if (t < x.t0 || t >= x.t1)
		return part;
	return part == OPERATION_NONE || !is_before(o, life, part) ? life : part;
}
