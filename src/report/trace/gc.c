/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* `ttrace gc`: the GC cycles as trace/gc_cycles.c finds them. */
#include "config.h"
#include "report/trace/internal.h"

#include "store/tracks/time_search.h"
#include "trace/gc_cycles.h"

/* Add the duration of a stop of the world as a cell. */
static void put_stop_cell(struct table *t, int64_t ns)
{
	if (ns < 0)
		table_none(t);
	else
		table_int(t, ns);
}

static void count_at(const struct trace_report_ctx *r, struct table *t, enum counter c, int64_t when)
{
	uint32_t i = time_search_counter(r->sn, c, when);
	if (i == UINT32_MAX)
		table_none(t);
	else
		table_int(t, (int64_t)store_count(r->st, c, i)->v);
}

static void print_cycle(const struct trace_report_ctx *r, struct table *t, const struct gc_cycle *c)
{
	table_int(t, c->number);
	table_int(t, c->t0);
	table_int(t, c->t1 - c->t0);
	put_stop_cell(t, c->stw_before);
	put_stop_cell(t, c->stw_after);
	put_stop_cell(t, gc_cycle_stw(c));
	table_int(t, c->assist);
	if (c->assist && !c->nassist)
		table_none(t);	/* a log does not record their number */
	else
		table_int(t, c->nassist);
	table_int(t, c->sweep);
	count_at(r, t, CT_HEAP_LIVE, c->t0);
	if (c->open)
		table_none(t);
	else
		count_at(r, t, CT_HEAP_LIVE, c->t1);
	count_at(r, t, CT_HEAP_GOAL, c->t0);
}

int report_gc(const struct options *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "GC", "number", TB_INT }, { "Start", "start_ns", TB_NS }, { "Mark", "mark_ns", TB_NS },
		{ "STW before", "stw_before_ns", TB_NS }, { "STW after", "stw_after_ns", TB_NS },
		{ "STW", "stw_ns", TB_NS }, { "Assists", "assist_ns", TB_NS }, { "Number", "assists", TB_INT }, { "Sweep", "sweep_ns", TB_NS },
		{ "Heap before", "heap_before_bytes", TB_BYTES }, { "Heap after", "heap_after_bytes", TB_BYTES },
		{ "Goal", "goal_bytes", TB_BYTES },
	};
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	struct table t;
	table_begin(&t, col, sizeof col / sizeof *col);
	uint32_t n;
	const struct gc_cycle *c = gc_cycles(r.sn, &r.filter, r.mem, &n);
	for (uint32_t i = 0; i < n; i++)
		if (c[i].t1 >= r.t0 && c[i].t0 <= r.t1)
			print_cycle(&r, &t, &c[i]);
	int bad = table_sort(&t, o, e);
	if (!bad)
		table_print(&t, r.format, r.out);
	table_free(&t);
	trace_report_close(&r);
	return bad;
}
