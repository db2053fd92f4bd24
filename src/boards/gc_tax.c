/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of what the GC costs each kind of operations: the parts of their critical paths in which the operation, or a
 * goroutine that it waits for, marks for the GC before it may allocate, waits for a P on which a mark worker runs, waits
 * for the GC, or waits for a stopped world. It sums up paths, so it says by how much operations would be shorter, which
 * shares of the Ps do not.
 */
#include "config.h"
#include "boards/internal.h"

#include "base/mem/mem.h"
#include "critical/many.h"

enum gc_tax { TAX_ASSIST, TAX_WORKERS, TAX_OTHER, TAX_STOPPED, TAX__N };

struct tax_sum {
	uint64_t n;			/* operations that were walked */
	int64_t time, ns[TAX__N];
	int64_t most;			/* the tax of one operation, the first of those with most */
	uint32_t worst;
};

struct gc_taxes {
	struct board_maker *k;
	struct tax_sum *v;		/* by part and kind */
};

/* Return which tax a piece is; TAX__N: none. */
static enum gc_tax tax_of(const struct critical_piece *p)
{
	switch (p->cls) {
	case TIME_GC_ASSIST: return TAX_ASSIST;
	case TIME_GC_OTHER: return TAX_OTHER;
	case TIME_STW: return TAX_STOPPED;
	default: return p->reason == CRITICAL_GC_WORKERS ? TAX_WORKERS : TAX__N;
	}
}

static void add_path(void *arg, uint32_t part, uint32_t target, const struct critical_path *path)
{
	struct gc_taxes *t = arg;
	const struct operations *ops = t->k->m->operations;
	struct tax_sum *s = &t->v[(size_t)part * ops->nkinds + ops->v[target].kind];
	int64_t all = 0;
	for (size_t i = 0; i < path->n; i++) {
		enum gc_tax x = tax_of(&path->v[i]);
		int64_t ns = path->v[i].t1 - path->v[i].t0;
		if (x == TAX__N)
			continue;
		s->ns[x] += ns;
		all += ns;
	}
	s->n++;
	s->time += path->t1 - path->t0;
	if (all > s->most || (all == s->most && target < s->worst)) {
		s->most = all;
		s->worst = target;
	}
}

static void merge(struct tax_sum *to, const struct tax_sum *from)
{
	to->n += from->n;
	to->time += from->time;
	for (int i = 0; i < TAX__N; i++)
		to->ns[i] += from->ns[i];
	if (from->most > to->most || (from->most == to->most && from->worst < to->worst)) {
		to->most = from->most;
		to->worst = from->worst;
	}
}

static void put_kind(struct gc_taxes *t, uint32_t kind, const struct tax_sum *s)
{
	const struct board_measures *m = t->k->m;
	const struct operation_kind *k = &m->operations->kind[kind];
	const struct operation *worst = &m->operations->v[s->worst];
	int64_t all = s->ns[TAX_ASSIST] + s->ns[TAX_WORKERS] + s->ns[TAX_OTHER] + s->ns[TAX_STOPPED];
	struct board_row *r = board_add_row(t->k);
	r->trk = worst->g;
	r->t0 = worst->t0;
	r->t1 = worst->t1;
	r->group = store_trk(m->sn->st, worst->g)->name;
	r->stack = k->site;
	board_put_int(r, BOARD_GCTAX_TOTAL, all);
	board_put_float(r, BOARD_GCTAX_SHARE, s->time ? (double)all / (double)s->time : 0);
	board_put_int(r, BOARD_GCTAX_MEAN, all / (int64_t)s->n);
	board_put_int(r, BOARD_GCTAX_MAX, s->most);
	board_put_int(r, BOARD_GCTAX_ASSIST, s->ns[TAX_ASSIST]);
	board_put_int(r, BOARD_GCTAX_WORKERS, s->ns[TAX_WORKERS]);
	board_put_int(r, BOARD_GCTAX_OTHER, s->ns[TAX_OTHER]);
	board_put_int(r, BOARD_GCTAX_STOPPED, s->ns[TAX_STOPPED]);
	board_put_int(r, BOARD_GCTAX_COUNT, (int64_t)s->n);
	board_put_int(r, BOARD_GCTAX_OF, k->n);
	board_put_text(r, BOARD_GCTAX_KIND, k->name, k->nname);
}

void board_gc_tax(struct board_maker *k)
{
	const struct operations *ops = k->m->operations;
	uint32_t parts = critical_many_parts();
	struct gc_taxes t = {.k = k, .v = xcalloc((size_t)parts * ops->nkinds + 1u, sizeof *t.v)};
	struct critical_target *target = xmalloc((ops->n + 1u) * sizeof *target);
	for (size_t i = 0; i < (size_t)parts * ops->nkinds; i++)
		t.v[i].worst = UINT32_MAX;
	for (uint32_t i = 0; i < ops->n; i++)
		target[i] = critical_target_of_operation(ops, i);
	critical_many_walk(&(struct critical_many){.walker = k->m->walker, .target = target, .n = ops->n, .each = add_path,
	    .arg = &t, .on = k->on ? *k->on : (struct progress_watcher){0}});
	for (uint32_t kind = 0; kind < ops->nkinds && job_should_continue(k->on); kind++) {
		for (uint32_t part = 1; part < parts; part++)
			merge(&t.v[kind], &t.v[(size_t)part * ops->nkinds + kind]);
		if (t.v[kind].n)
			put_kind(&t, kind, &t.v[kind]);
	}
	mem_free(target);
	mem_free(t.v);
}
