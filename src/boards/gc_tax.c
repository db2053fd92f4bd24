/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of what the GC costs each kind of operations (critical/gc_tax.h). Other stops of the world have a column of
 * their own.
 */
#include "config.h"
#include "boards/internal.h"

#include "critical/gc_tax.h"

/* The parts of a row: the operations with most tax. */
static void put_worst(struct board_maker *k, struct board_row *r, const struct gc_tax_sum *s)
{
	struct board_part v[GC_TAX_WORST];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->nworst && s->worst[i].ns > 0; i++) {
		struct operation o = operations_get(k->m->operations, s->worst[i].at);
		v[n++] = (struct board_part){.list = "most taxed", .word = "", .ns = s->worst[i].ns, .stack = r->stack,
		    .g = o.g, .t0 = o.t0, .t1 = o.t1};
	}
	board_put_parts(k, r, v, n);
}

static void put_kind(struct board_maker *k, uint32_t kind, const struct gc_tax_sum *s)
{
	const struct board_measures *m = k->m;
	const struct operation_kind *of = &m->operations->kind[kind];
	struct operation worst = operations_get(m->operations, s->worst[0].at);
	int64_t all = gc_tax_total(s);
	struct board_row *r = board_add_row(k);
	r->trk = worst.g;
	r->t0 = worst.t0;
	r->t1 = worst.t1;
	r->group = store_trk_name(m->sn->st, worst.g);
	r->stack = of->site;
	board_put_int(r, BOARD_GCTAX_TOTAL, all);
	board_put_float(r, BOARD_GCTAX_SHARE, s->time ? (double)all / (double)s->time : 0);
	board_put_int(r, BOARD_GCTAX_MEAN, all / (int64_t)s->n);
	board_put_int(r, BOARD_GCTAX_MAX, s->worst[0].ns);
	board_put_int(r, BOARD_GCTAX_ASSIST, s->ns[GC_TAX_ASSIST]);
	board_put_int(r, BOARD_GCTAX_WORKERS, s->ns[GC_TAX_WORKERS]);
	board_put_int(r, BOARD_GCTAX_OTHER, s->ns[GC_TAX_OTHER]);
	board_put_int(r, BOARD_GCTAX_STOPPED, s->ns[GC_TAX_STOPPED]);
	board_put_int(r, BOARD_GCTAX_OTHER_STOPS, s->ns[GC_TAX_OTHER_STOPS]);
	board_put_int(r, BOARD_GCTAX_COUNT, (int64_t)s->n);
	board_put_int(r, BOARD_GCTAX_OF, of->n);
	board_put_text(r, BOARD_GCTAX_KIND, of->name, of->nname);
	put_worst(k, r, s);
}

void board_gc_tax(struct board_maker *k)
{
	const struct operations *ops = k->m->operations;
	struct arena mem = {0};
	const struct gc_tax_sum *v = gc_tax_sums(k->m->sn, ops, k->m->walker, k->on, &mem);
	for (uint32_t kind = 0; kind < ops->nkinds && job_should_continue(k->on); kind++)
		if (v[kind].n)
			put_kind(k, kind, &v[kind]);
	arena_free(&mem);
}
