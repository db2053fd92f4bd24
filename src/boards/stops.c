/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The board of stops of the world: a row for each kind and caller, with the time until all Ps had stopped, the time that
 * the world was stopped, and the time until it ran again; and what was last to stop.
 */
#include "config.h"
#include "boards/internal.h"

#include "base/mem/mem.h"
#include "base/u64_map.h"
#include "base/wrap_math.h"
#include "findings/measures/time_parts.h"
#include "trace/run_stacks.h"
#include "trace/stats/stop_phases.h"

struct stop_sum {
	uint32_t span, longest;		/* longest: index of the stop */
	int64_t n, total, max, stopping, stopped, restart, restarts;
	struct time_parts last;		/* what was last to stop, by stack */
	struct board_curve curve;
};

struct stop_board {
	struct board_maker *k;
	struct u64_hash of_key;		/* index by kind and caller */
	struct stop_sum *v;
	uint32_t n;
	size_t cap;
};

static struct stop_sum *sum_of(struct stop_board *b, uint32_t span)
{
	const struct snap *sn = b->k->m->sn;
	bool fresh;
	uint64_t key = stops_key(sn, span, STOPS_KIND) * 0x9e3779b97f4a7c15u ^ stops_key(sn, span, STOPS_CALLER);
	struct u64_slot *slot = u64_map_put(&b->of_key, key, &fresh);
	if (fresh) {
		slot->n = b->n;
		b->v = mem_grow(b->v, &b->cap, b->n + 1u, sizeof *b->v);
		b->v[b->n++] = (struct stop_sum){.span = span, .curve = board_curve_new(b->k)};
	}
	return &b->v[slot->n];
}

static void add_stop(struct stop_board *b, const struct stop *v, uint32_t i, const struct stop_phases *x)
{
	struct stop_sum *s = sum_of(b, v[i].span);
	int64_t ns = v[i].t1 - v[i].t0;
	s->n++;
	wrap_add_to(&s->total, ns);
	wrap_add_to(&s->stopping, x->stopping);
	wrap_add_to(&s->stopped, x->stopped);
	if (x->restart >= 0) {
		wrap_add_to(&s->restart, x->restart);
		s->restarts++;
	}
	if (ns > s->max || s->n == 1) {
		s->max = ns;
		s->longest = i;
	}
	if (x->last)
		time_parts_put(&s->last, TIME_ON_CPU, run_stacks_interrupted(b->k->m->sn->st, x->last, x->stack), v[i].t0,
		    x->stopping, x->last);
	board_curve_add(&s->curve, v[i].t0, v[i].t1, 1);
}

static void put_parts(struct stop_board *b, struct board_row *r, const struct stop_sum *s)
{
	struct board_part v[BOARD_MERGED];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->last.n; i++) {
		const struct time_part *x = &s->last.v[i];
		board_merge_part(b->k, v, &n, &(struct board_part){.list = "last to stop", .word = "", .ns = x->ns,
		    .stack = x->stack, .g = x->g, .t0 = x->t0, .t1 = x->t0 + x->longest});
	}
	board_put_parts(b->k, r, v, board_sort_parts(v, n));
}

static void put_sum(struct stop_board *b, const struct stop *stops, struct stop_sum *s)
{
	const struct store *st = b->k->m->sn->st;
	const struct stop *longest = &stops[s->longest];
	const struct sink_span *span = &store_span(st, longest->span)->s;
	struct stop_kind kind = stops_kind(st, s->span);
	struct board_row *r = board_add_row(b->k);
	r->trk = span->trk;
	r->t0 = longest->t0;
	r->t1 = longest->t1;
	r->stack = span->stack;
	r->group = span->trk ? store_trk_name(st, span->trk) : 0;
	r->curve = s->curve.slot;
	board_put_int(r, BOARD_STOPS_TOTAL, s->total);
	board_put_int(r, BOARD_STOPS_COUNT, s->n);
	board_put_int(r, BOARD_STOPS_MAX, s->max);
	board_put_int(r, BOARD_STOPS_STOPPING, s->stopping);
	board_put_int(r, BOARD_STOPS_STOPPED, s->stopped);
	if (s->restarts)
		board_put_int(r, BOARD_STOPS_RESTART, s->restart);
	board_put_text(r, BOARD_STOPS_KIND, kind.s, kind.n);
	if (span->stack)
		board_put_place(r, BOARD_STOPS_CALLER, span->stack);
	else
		board_put_reason(r, BOARD_STOPS_CALLER, "(no stack)");
	time_parts_sort(&s->last);
	if (s->last.n)
		board_put_place(r, BOARD_STOPS_LAST, s->last.v[0].stack);
	put_parts(b, r, s);
}

void board_stops(struct board_maker *k)
{
	const struct board_measures *m = k->m;
	struct stop_board b = {.k = k};
	uint32_t n, nprocs;
	const struct stop *v = stops_find(m->sn, m->filter, m->scan.t0, m->scan.t1, &k->to->mem, &n);
	const trk_id *procs = stop_phases_procs(m->sn, &k->to->mem, &nprocs);
	for (uint32_t i = 0; i < n && watcher_report(k->on, i, n); i++) {
		struct stop_phases x = stop_phases_find(m->sn, procs, nprocs, &v[i], i + 1 < n ? v[i + 1].t0 : m->sn->t1);
		add_stop(&b, v, i, &x);
	}
	for (uint32_t i = 0; i < b.n; i++) {
		put_sum(&b, v, &b.v[i]);
		time_parts_free(&b.v[i].last);
	}
	u64_map_free(&b.of_key);
	mem_free(b.v);
}
