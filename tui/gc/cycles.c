/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The GC cycles in the GC pane: those in the time range, the cells of their columns, and the values
 * that they are sorted by. A value is what the cell shows, so the order can be checked on the
 * screen. A cycle without the value (the heap size of a trace without heap events) comes last in
 * both directions, as in the report `gc`.
 */
#include "config.h"
#include "gc/internal.h"

#include "store/tracks/time_search.h"

const struct gc_cycle *gc_cycle_at(const struct gc_state *p, uint32_t row)
{
	return row < p->rows[0].n ? &p->cycle[p->row[0][row]] : NULL;
}

void gc_cycles_list(struct gc_state *p, const struct snap *sn, int64_t select)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->ncycle; i++)
		if (p->cycle[i].t1 >= p->scope.t0 && p->cycle[i].t0 < p->scope.t1)
			p->row[0][n++] = i;
	gc_table_order(p, sn, GC_CYCLES, n, select);
}

static struct gc_key heap_at(const struct snap *sn, enum counter c, int64_t t)
{
	uint32_t i = time_search_counter(sn, c, t);
	return i == UINT32_MAX ? (struct gc_key){0, true} : (struct gc_key){(int64_t)store_count(sn->st, c, i)->v, false};
}

struct gc_key gc_cycle_value(const struct snap *sn, const struct gc_cycle *c, enum gc_cycle_col col)
{
	switch (col) {
	case CYCLE_NUMBER: return (struct gc_key){c->number, false};
	case CYCLE_START: return (struct gc_key){c->t0, false};
	case CYCLE_MARK: return (struct gc_key){c->t1 - c->t0, false};
	case CYCLE_STW: return (struct gc_key){gc_cycle_stw(c), gc_cycle_stw(c) < 0};
	case CYCLE_ASSIST: return (struct gc_key){c->assist, false};
	case CYCLE_ASSISTS: return (struct gc_key){c->nassist, false};
	case CYCLE_HEAP: return heap_at(sn, CT_HEAP_LIVE, c->t0);
	case CYCLE_AFTER: return c->open ? (struct gc_key){0, true} : heap_at(sn, CT_HEAP_LIVE, c->t1);
	case CYCLE_GOAL: return heap_at(sn, CT_HEAP_GOAL, c->t0);
	case CYCLE_SWEEP: return (struct gc_key){c->sweep, false};
	case CYCLE_COLS: break;
	}
	return (struct gc_key){0, true};
}

void gc_cycle_cell(const struct snap *sn, struct grid *g, int w, const struct gc_cycle *c, enum gc_cycle_col col)
{
	struct gc_key k = gc_cycle_value(sn, c, col);
	if (k.none) {
		if (!c->open || col != CYCLE_AFTER)
			grid_right(g, 0, w, ST_DIM, 0, "-");
		return;
	}
	switch (col) {
	case CYCLE_NUMBER:
	case CYCLE_ASSISTS: tracepane_draw_count(g, 0, w, k.v); break;
	case CYCLE_START: tracepane_draw_time(g, 0, w, k.v); break;
	case CYCLE_HEAP:
	case CYCLE_AFTER:
	case CYCLE_GOAL: tracepane_draw_bytes(g, 0, w, (uint64_t)k.v); break;
	case CYCLE_MARK:
	case CYCLE_STW:
	case CYCLE_ASSIST:
	case CYCLE_SWEEP: tracepane_draw_ns(g, 0, w, k.v, 0); break;
	case CYCLE_COLS: break;
	}
}
