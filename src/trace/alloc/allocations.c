/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What goroutines allocate. The runtime records the size of the live heap whenever the cache of a P gets a span of small
 * objects or a large object is allocated, on the thread of the goroutine that needed it. So the difference between two
 * rows is what the goroutine of the second one took. Nothing is stored but that goroutine: all else is derived.
 *
 * Two Ps may add to the size in one order and write their events in the other. Then the second row is smaller than the
 * first, but not smaller than the one before these two: each is charged as if they were in the right order. A size that
 * is smaller than both is one after a GC cycle, or after caches were flushed, and no goroutine is charged with it.
 *
 * The road not taken is a table of differences by row: it would be as large as the sizes themselves.
 */
#include "config.h"
#include "trace/alloc/allocations.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

static uint64_t size_at(const struct snap *sn, uint32_t i)
{
	return store_count(sn->st, CT_HEAP_LIVE, i)->v;
}

/* Were rows i - 1 and i written in the wrong order? */
static bool is_swapped(const struct snap *sn, uint32_t i)
{
	return i >= 2 && i < sn->ncounts[CT_HEAP_LIVE] && size_at(sn, i) < size_at(sn, i - 1) &&
	    size_at(sn, i) >= size_at(sn, i - 2) && store_heap_by(sn->st, i) != store_heap_by(sn->st, i - 1);
}

int64_t allocations_bytes(const struct snap *sn, uint32_t i)
{
	if (!i || !store_heap_by(sn->st, i))
		return 0;
	uint64_t now = size_at(sn, i), before = size_at(sn, i - 1);
	if (is_swapped(sn, i))
		before = size_at(sn, i - 2);
	else if (is_swapped(sn, i + 1))
		before = size_at(sn, i + 1);
	else if (is_swapped(sn, i - 1))
		before = size_at(sn, i - 2);
	uint64_t bytes = now > before ? now - before : 0;
	return bytes > INT64_MAX ? 0 : (int64_t)bytes;
}

void allocations_each(const struct snap *sn, const struct trace_filter *f,
    void (*fn)(void *arg, trk_id, int64_t t, int64_t bytes), void *arg)
{
	enum { OFTEN = 1 << 16 };
	bool from = f && f->from != TIME_NONE, to = f && f->to != TIME_NONE;
	uint32_t i = from ? time_search_counter_before(sn, CT_HEAP_LIVE, f->from) : 0,
		 end = to ? time_search_counter_before(sn, CT_HEAP_LIVE, f->to) : sn->ncounts[CT_HEAP_LIVE];
	for (; i < end && (i % OFTEN || !f || watcher_report(&f->on, i, end)); i++) {
		int64_t bytes = allocations_bytes(sn, i), t = store_count(sn->st, CT_HEAP_LIVE, i)->t;
		trk_id g = store_heap_by(sn->st, i);
		if (bytes && (!f || (trace_gset_has(f->g, g) && (!f->slice || trace_filter_overlap(f, g, t, t + 1) > 0))))
			fn(arg, g, t, bytes);
	}
}

static void add_bytes(void *by, trk_id g, int64_t t, int64_t bytes)
{
	(void)t;
	wrap_add_to(&((int64_t *)by)[g], bytes);
}

int64_t *allocations_by_goroutine(const struct snap *sn, const struct trace_filter *f, struct arena *mem)
{
	int64_t *by = arena_zalloc(mem, (sn->ntrks + 1u) * sizeof *by);
	allocations_each(sn, f, add_bytes, by);
	return by;
}

void allocations_begin_sheet(struct allocations *a, const struct snap *sn, const struct sheet *sh)
{
	a->sn = sn;
	a->n = a->at = 0;
	for (; a->next < sn->ncounts[CT_HEAP_LIVE]; a->next++) {
		if (store_count(sn->st, CT_HEAP_LIVE, a->next)->t >= sh->t1)
			break;
		if (!allocations_bytes(sn, a->next))
			continue;
		a->v = mem_grow(a->v, &a->cap, a->n + 1, sizeof *a->v);
		a->v[a->n++] = (struct radix_item){store_heap_by(sn->st, a->next), a->next};
	}
	radix_sort_items(a->v, (uint32_t)a->n);
}

void allocations_begin_goroutine(struct allocations *a, trk_id g)
{
	a->g = g;
	while (a->at < a->n && a->v[a->at].key < g)
		a->at++;
}

bool allocations_next(struct allocations *a, int64_t t, uint32_t *row)
{
	if (a->at >= a->n || a->v[a->at].key != a->g || store_count(a->sn->st, CT_HEAP_LIVE, a->v[a->at].v)->t > t)
		return false;
	*row = a->v[a->at++].v;
	return true;
}

void allocations_free(struct allocations *a)
{
	mem_free(a->v);
	*a = (struct allocations){0};
}
