/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of what the GC costs each kind of operations: the parts of their critical paths in which the operation, or a
 * goroutine that it waits for, marks for the GC before it may allocate, waits for a P on which a mark worker runs, waits
 * for the GC, or waits while the GC has stopped the world. It sums up paths, so it says by how much operations would be
 * shorter, which shares of the Ps do not. Other stops have a column of their own. A P that another goroutine has while it
 * marks is not counted: the time of a run is not divided between marking and the rest.
 */
#include "config.h"
#include "boards/internal.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "critical/many.h"
#include "trace/stats/stops.h"

#include <string.h>

/* The first TAX_OF_GC are due to the GC. */
enum gc_tax { TAX_ASSIST, TAX_WORKERS, TAX_OTHER, TAX_STOPPED, TAX_OF_GC, TAX_OTHER_STOPS = TAX_OF_GC, TAX__N };

enum { TAX_WORST = 8 };

struct tax_sum {
	uint64_t n;			/* operations that were walked */
	int64_t time, ns[TAX__N];
	struct taxed { int64_t ns; uint32_t at; } worst[TAX_WORST];	/* operations with most tax, the most first */
	uint32_t nworst;
};

struct gc_taxes {
	struct board_maker *k;
	struct tax_sum *v;		/* by part and kind */
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
	const struct store *st = t->k->m->sn->st;
	if (p->span != CRITICAL_NONE)
		return stops_for_gc(st, p->span);
	struct bsearch_probe h = {.hi = t->nstop};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, t->stop[h.at].t1 <= p->t0);
	return h.lo < t->nstop && t->stop[h.lo].t0 < p->t1 && stops_for_gc(st, t->stop[h.lo].span);
}

/* Return which tax a piece is; TAX__N: none. */
static enum gc_tax tax_of(const struct gc_taxes *t, const struct critical_piece *p)
{
	switch (p->cls) {
	case TIME_GC_ASSIST: return TAX_ASSIST;
	case TIME_GC_OTHER: return TAX_OTHER;
	case TIME_STW: return is_gc_stop(t, p) ? TAX_STOPPED : TAX_OTHER_STOPS;
	default: return p->reason == CRITICAL_GC_WORKERS ? TAX_WORKERS : TAX__N;
	}
}

/* Of equal taxes, keep those of the first operations: the result does not depend on the order. */
static bool is_worse(struct taxed a, struct taxed b)
{
	return a.ns != b.ns ? a.ns > b.ns : a.at < b.at;
}

static void keep_worst(struct tax_sum *s, struct taxed x)
{
	uint32_t i = s->nworst < TAX_WORST ? s->nworst++ : TAX_WORST;
	for (; i && is_worse(x, s->worst[i - 1]); i--)
		if (i < TAX_WORST)
			s->worst[i] = s->worst[i - 1];
	if (i < TAX_WORST)
		s->worst[i] = x;
}

static void add_path(void *arg, uint32_t part, uint32_t target, const struct critical_path *path)
{
	struct gc_taxes *t = arg;
	const struct operations *ops = t->k->m->operations;
	struct tax_sum *s = &t->v[(size_t)part * ops->nkinds + operations_kind_of(ops, target)];
	int64_t all = 0;
	for (size_t i = 0; i < path->n; i++) {
		enum gc_tax x = tax_of(t, &path->v[i]);
		int64_t ns = path->v[i].t1 - path->v[i].t0;
		if (x == TAX__N)
			continue;
		wrap_add_to(&s->ns[x], ns);
		all += x < TAX_OF_GC ? ns : 0;
	}
	s->n++;
	wrap_add_to(&s->time, path->t1 - path->t0);
	keep_worst(s, (struct taxed){all, target});
}

static void merge(struct tax_sum *to, const struct tax_sum *from)
{
	to->n += from->n;
	wrap_add_to(&to->time, from->time);
	for (int i = 0; i < TAX__N; i++)
		wrap_add_to(&to->ns[i], from->ns[i]);
	for (uint32_t i = 0; i < from->nworst; i++)
		keep_worst(to, from->worst[i]);
}

/* The parts of a row: the operations with most tax. */
static void put_worst(struct gc_taxes *t, struct board_row *r, const struct tax_sum *s)
{
	struct board_part v[TAX_WORST];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->nworst && s->worst[i].ns > 0; i++) {
		struct operation o = operations_get(t->k->m->operations, s->worst[i].at);
		v[n++] = (struct board_part){.list = "most taxed", .word = "", .ns = s->worst[i].ns, .stack = r->stack,
		    .g = o.g, .t0 = o.t0, .t1 = o.t1};
	}
	board_put_parts(t->k, r, v, n);
}

static void put_kind(struct gc_taxes *t, uint32_t kind, const struct tax_sum *s)
{
	const struct board_measures *m = t->k->m;
	const struct operation_kind *k = &m->operations->kind[kind];
	struct operation worst = operations_get(m->operations, s->worst[0].at);
	int64_t all = wrap_add(wrap_add(s->ns[TAX_ASSIST], s->ns[TAX_WORKERS]), wrap_add(s->ns[TAX_OTHER], s->ns[TAX_STOPPED]));
	struct board_row *r = board_add_row(t->k);
	r->trk = worst.g;
	r->t0 = worst.t0;
	r->t1 = worst.t1;
	r->group = store_trk_name(m->sn->st, worst.g);
	r->stack = k->site;
	board_put_int(r, BOARD_GCTAX_TOTAL, all);
	board_put_float(r, BOARD_GCTAX_SHARE, s->time ? (double)all / (double)s->time : 0);
	board_put_int(r, BOARD_GCTAX_MEAN, all / (int64_t)s->n);
	board_put_int(r, BOARD_GCTAX_MAX, s->worst[0].ns);
	board_put_int(r, BOARD_GCTAX_ASSIST, s->ns[TAX_ASSIST]);
	board_put_int(r, BOARD_GCTAX_WORKERS, s->ns[TAX_WORKERS]);
	board_put_int(r, BOARD_GCTAX_OTHER, s->ns[TAX_OTHER]);
	board_put_int(r, BOARD_GCTAX_STOPPED, s->ns[TAX_STOPPED]);
	board_put_int(r, BOARD_GCTAX_OTHER_STOPS, s->ns[TAX_OTHER_STOPS]);
	board_put_int(r, BOARD_GCTAX_COUNT, (int64_t)s->n);
	board_put_int(r, BOARD_GCTAX_OF, k->n);
	board_put_text(r, BOARD_GCTAX_KIND, k->name, k->nname);
	put_worst(t, r, s);
}

static struct critical_target target_of(const void *ops, uint32_t i)
{
	return critical_target_of_operation(ops, i);
}

void board_gc_tax(struct board_maker *k)
{
	const struct operations *ops = k->m->operations;
	uint32_t parts = critical_many_parts();
	const struct snap *sn = k->m->sn;
	struct gc_taxes t = {.k = k, .v = xcalloc((size_t)parts * ops->nkinds + 1u, sizeof *t.v)};
	const struct trace_filter whole = {.from = TIME_NONE, .to = TIME_NONE};
	t.stop = stops_find(sn, &whole, sn->t0, sn->t1, &k->to->mem, &t.nstop);
	critical_many_walk(&(struct critical_many){.walker = k->m->walker, .target = target_of, .of = ops, .n = ops->n,
	    .each = add_path, .arg = &t, .coarse = true, .on = k->on ? *k->on : (struct progress_watcher){0}});
	for (uint32_t kind = 0; kind < ops->nkinds && job_should_continue(k->on); kind++) {
		for (uint32_t part = 1; part < parts; part++)
			merge(&t.v[kind], &t.v[(size_t)part * ops->nkinds + kind]);
		if (t.v[kind].n)
			put_kind(&t, kind, &t.v[kind]);
	}
	mem_free(t.v);
}
