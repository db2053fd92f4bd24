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

enum cycle_col {
	CYCLE_NUMBER, CYCLE_START, CYCLE_MARK, CYCLE_STW, CYCLE_ASSIST, CYCLE_ASSISTS, CYCLE_HEAP, CYCLE_AFTER, CYCLE_GOAL,
	CYCLE_SWEEP, CYCLE_STARTED, CYCLE_COLS
};
static const struct pane_table_column cols[CYCLE_COLS] = {
    [CYCLE_NUMBER] = {"GC", 5, 0, LIST_NUMBER, LIST_FIRST, 0, "number", "the number of the cycle", true},
    [CYCLE_START] = {"START", 9, 0, LIST_NUMBER, LIST_FIRST, 0, "start", "when it started", true},
    [CYCLE_MARK] = {"MARK", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "mark", "duration of the mark phase", false},
    [CYCLE_STW] = {"STW", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "stw", "duration of its two stops", false},
    [CYCLE_ASSIST] = {"ASSIST", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "assist", "time of its mark assists", false},
    [CYCLE_ASSISTS] = {"ASSISTS", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "assists", "number of its mark assists", false},
    [CYCLE_HEAP] = {"HEAP", 6, 0, LIST_NUMBER, LIST_FIRST, 0, "heap_before", "heap size at its start", false},
    [CYCLE_AFTER] = {"AFTER", 6, 0, LIST_NUMBER, LIST_FIRST, 0, "heap_after", "heap size at the end of the mark phase", false},
    [CYCLE_GOAL] = {"GOAL", 6, 0, LIST_NUMBER, LIST_FIRST, 0, "goal", "heap goal", false},
    [CYCLE_SWEEP] = {"SWEEP", 7, 0, LIST_NUMBER, LIST_FIRST, 0, "sweep", "time spent sweeping for allocations", false},
    [CYCLE_STARTED] = {"STARTED BY", 16, 32, LIST_TEXT, LIST_LAST, 1, "started_by", "what started it", true},
};

/* A value to sort by; none: the trace does not have it. */
struct cycle_value { int64_t v; bool none; };

const struct gc_cycle *gc_selected_cycle(const struct gc_state *p)
{
	uint32_t i = pane_table_selected(&p->table[GC_CYCLES]);
	return i == UINT32_MAX ? NULL : &p->cycle[i];
}

static struct cycle_value heap_at(const struct snap *sn, enum counter c, int64_t t)
{
	uint32_t i = time_search_counter(sn, c, t);
	return i == UINT32_MAX ? (struct cycle_value){0, true} : (struct cycle_value){(int64_t)store_count(sn->st, c, i)->v, false};
}

static struct cycle_value value_of(const struct snap *sn, const struct gc_cycle *c, enum cycle_col col)
{
	switch (col) {
	case CYCLE_NUMBER: return (struct cycle_value){c->number, false};
	case CYCLE_START: return (struct cycle_value){c->t0, false};
	case CYCLE_MARK: return (struct cycle_value){c->t1 - c->t0, false};
	case CYCLE_STW: return (struct cycle_value){gc_cycle_stw(c), gc_cycle_stw(c) < 0};
	case CYCLE_ASSIST: return (struct cycle_value){c->assist, false};
	case CYCLE_ASSISTS: return (struct cycle_value){c->nassist, false};
	case CYCLE_HEAP: return heap_at(sn, CT_HEAP_LIVE, c->t0);
	case CYCLE_AFTER: return c->open ? (struct cycle_value){0, true} : heap_at(sn, CT_HEAP_LIVE, c->t1);
	case CYCLE_GOAL: return heap_at(sn, CT_HEAP_GOAL, c->t0);
	case CYCLE_SWEEP: return (struct cycle_value){c->sweep, false};
	case CYCLE_STARTED:
	case CYCLE_COLS: break;
	}
	return (struct cycle_value){0, true};
}

/* The frame of user code that started a cycle, and its goroutine; the trace may have neither. */
static void draw_started(const struct pane_env *env, struct grid *g, int w, const struct gc_cycle *c)
{
	const struct store *st = session_snap(env->s)->st;
	const struct sink_span *s = &store_span(st, c->span)->s;
	struct buf b = {0};
	tracepane_put_site(st, s->stack, &b);
	if (s->trk) {
		buf_puts(&b, b.n ? "  " : "");
		s->stack ? tracepane_put_id(st, s->trk, &b) : tracepane_put_track(st, s->trk, &b);
	}
	tracepane_draw_text(env, g, 0, 0, w, b.n ? ST_NORMAL : ST_DIM, &b);
	buf_free(&b);
}

static void draw_cell(const void *st, const struct pane_env *env, struct grid *g, int w, uint32_t item, int col)
{
	const struct gc_cycle *c = &((const struct gc_state *)st)->cycle[item];
	struct cycle_value k = value_of(session_snap(env->s), c, (enum cycle_col)col);
	if (col == CYCLE_STARTED) {
		draw_started(env, g, w, c);
		return;
	}
	if (k.none) {
		if (!c->open || col != CYCLE_AFTER)
			grid_right(g, 0, w, ST_DIM, 0, "-");
		return;
	}
	switch ((enum cycle_col)col) {
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
	case CYCLE_STARTED:
	case CYCLE_COLS: break;
	}
}

static int compare(const void *st, const struct pane_env *env, int col, int sign, uint32_t i, uint32_t k)
{
	const struct gc_state *p = st;
	if (col == CYCLE_STARTED)
		return sign * gc_compare_callers(session_snap(env->s)->st, p->cycle[i].span, p->cycle[k].span);
	struct cycle_value a = value_of(session_snap(env->s), &p->cycle[i], (enum cycle_col)col),
			   b = value_of(session_snap(env->s), &p->cycle[k], (enum cycle_col)col);
	return a.none || b.none ? a.none - b.none : sign * ((a.v > b.v) - (a.v < b.v));
}

static void put_text(const void *st, const struct pane_env *env, uint32_t item, struct buf *b)
{
	const struct gc_cycle *c = &((const struct gc_state *)st)->cycle[item];
	buf_printf(b, "GC %u ", c->number);
	gc_put_cause(session_snap(env->s)->st, c->span, b);
}

static int64_t id_of(const void *st, uint32_t item)
{
	return ((const struct gc_state *)st)->cycle[item].span;
}

static bool is_in_range(const void *st, const struct pane_env *env, uint32_t item)
{
	const struct gc_state *p = st;
	(void)env;
	return p->cycle[item].t1 >= p->scope.t0 && p->cycle[item].t0 < p->scope.t1;
}

/* A cycle that has not ended has no duration. */
static int64_t mark_duration(const void *st, uint32_t item)
{
	const struct gc_cycle *c = &((const struct gc_state *)st)->cycle[item];
	return c->open ? -1 : c->t1 - c->t0;
}

const struct pane_table_kind gc_cycles_table = {
    .cols = cols, .ncol = CYCLE_COLS, .sort = CYCLE_NUMBER, .text = put_text, .cell = draw_cell, .compare = compare,
    .id = id_of, .shown = is_in_range, .duration = mark_duration};
