/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sums up what the GC costs operations, for the board gctax and for the finding about the GC, which so agree. It sums up
 * critical paths, so it says by how much operations would be shorter, which shares of the Ps do not. A P that another
 * goroutine has while it marks is not counted: the time of a run is not divided between marking and the rest.
 */
#include "config.h"
#include "critical/gc_tax.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "critical/many.h"
#include "trace/stats/stops.h"

#include <string.h>

struct gc_taxes {
	const struct snap *sn;
	const struct operations *ops;
	struct gc_tax_sum *v;		/* by part and kind */
	const struct stop *stop;	/* all of the trace, in the order of time */
	uint32_t nstop;
};

static bool stops_for_gc(const struct store *st, uint32_t span)
{
	struct stop_kind kind = stops_kind(st, span);
	return kind.n >= 3 && !memcmp(kind.s, "GC ", 3);
}

/* Is it the GC that has stopped the world in a piece? The goroutine that stops the world itself has no span. */
static bool is_gc_stop(const struct gc_taxes *t, const struct critical_piece *p)
{
	const struct store *st = t->sn->st;
	if (p->span != CRITICAL_NONE)
		return stops_for_gc(st, p->span);
	struct bsearch_probe h = {.hi = t->nstop};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, t->stop[h.at].t1 <= p->t0);
	return h.lo < t->nstop && t->stop[h.lo].t0 < p->t1 && stops_for_gc(st, t->stop[h.lo].span);
}

/* Return which tax a piece is; GC_TAX__N: none. */
static enum gc_tax tax_of(const struct gc_taxes *t, const struct critical_piece *p)
{
	switch (p->cls) {
	case TIME_GC_ASSIST: return GC_TAX_ASSIST;
	case TIME_GC_OTHER: return GC_TAX_OTHER;
	case TIME_STW: return is_gc_stop(t, p) ? GC_TAX_STOPPED : GC_TAX_OTHER_STOPS;
	default: return p->reason == CRITICAL_GC_WORKERS ? GC_TAX_WORKERS : GC_TAX__N;
	}
}

/* Of equal taxes, keep those of the first operations: the result does not depend on the order. */
static bool is_worse(struct gc_taxed a, struct gc_taxed b)
{
	return a.ns != b.ns ? a.ns > b.ns : a.at < b.at;
}

static void keep_worst(struct gc_tax_sum *s, struct gc_taxed x)
{
	uint32_t i = s->nworst < GC_TAX_WORST ? s->nworst++ : GC_TAX_WORST;
	for (; i && is_worse(x, s->worst[i - 1]); i--)
		if (i < GC_TAX_WORST)
			s->worst[i] = s->worst[i - 1];
	if (i < GC_TAX_WORST)
		s->worst[i] = x;
}

static void add_path(void *arg, uint32_t part, uint32_t target, const struct critical_path *path)
{
	struct gc_taxes *t = arg;
	const struct operations *ops = t->ops;
	struct gc_tax_sum *s = &t->v[(size_t)part * ops->nkinds + operations_kind_of(ops, target)];
	int64_t all = 0;
	for (size_t i = 0; i < path->n; i++) {
		enum gc_tax x = tax_of(t, &path->v[i]);
		int64_t ns = path->v[i].t1 - path->v[i].t0;
		if (x == GC_TAX__N)
			continue;
		wrap_add_to(&s->ns[x], ns);
		all += x < GC_TAX_OF_GC ? ns : 0;
	}
	s->n++;
	wrap_add_to(&s->time, path->t1 - path->t0);
	keep_worst(s, (struct gc_taxed){all, target});
}

static void merge(struct gc_tax_sum *to, const struct gc_tax_sum *from)
{
	to->n += from->n;
	wrap_add_to(&to->time, from->time);
	for (int i = 0; i < GC_TAX__N; i++)
		wrap_add_to(&to->ns[i], from->ns[i]);
	for (uint32_t i = 0; i < from->nworst; i++)
		keep_worst(to, from->worst[i]);
}

static struct critical_target target_of(const void *ops, uint32_t i)
{
	return critical_target_of_operation(ops, i);
}

struct gc_tax_sum *gc_tax_sums(const struct snap *sn, const struct operations *ops, const struct critical_walker *walker,
    const struct progress_watcher *on, struct arena *mem)
{
	uint32_t parts = critical_many_parts();
	struct gc_taxes t = {.sn = sn, .ops = ops, .v = xcalloc((size_t)parts * ops->nkinds + 1u, sizeof *t.v)};
	const struct trace_filter whole = {.from = TIME_NONE, .to = TIME_NONE};
	t.stop = stops_find(sn, &whole, sn->t0, sn->t1, mem, &t.nstop);
	critical_many_walk(&(struct critical_many){.walker = walker, .target = target_of, .of = ops, .n = ops->n,
	    .each = add_path, .arg = &t, .coarse = true, .on = on ? *on : (struct progress_watcher){0}});
	for (uint32_t kind = 0; kind < ops->nkinds; kind++)
		for (uint32_t part = 1; part < parts; part++)
			merge(&t.v[kind], &t.v[(size_t)part * ops->nkinds + kind]);
	struct gc_tax_sum *v = arena_alloc(mem, (ops->nkinds + 1u) * sizeof *v);
	memcpy(v, t.v, ops->nkinds * sizeof *v);
	mem_free(t.v);
	return v;
}

int64_t gc_tax_total(const struct gc_tax_sum *s)
{
	int64_t all = 0;
	for (int i = 0; i < GC_TAX_OF_GC; i++)
		wrap_add_to(&all, s->ns[i]);
	return all;
}
