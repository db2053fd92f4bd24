/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* `ttrace gc`: the GC cycles as trace/gc_cycles.c finds them. */
#include "config.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"

#include "base/wrap_math.h"
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
	const struct sink_span *s = &store_span(r->st, c->span)->s;
	if (s->trk)
		table_int(t, (int64_t)store_trk(r->st, s->trk)->id);
	else
		table_none(t);	/* a log has no goroutine for it */
	trace_report_add_site(r, t, s->stack);
}

static int print_cycles(const struct trace_report_ctx *r, struct err *e)
{
	static const struct table_col col[] = {
		{ "GC", "number", TB_INT }, { "Start", "start_ns", TB_NS }, { "Mark", "mark_ns", TB_NS },
		{ "STW before", "stw_before_ns", TB_NS }, { "STW after", "stw_after_ns", TB_NS },
		{ "STW", "stw_ns", TB_NS }, { "Assists", "assist_ns", TB_NS }, { "Number", "assists", TB_INT },
		{ "Sweep", "sweep_ns", TB_NS },
		{ "Heap before", "heap_before_bytes", TB_BYTES }, { "Heap after", "heap_after_bytes", TB_BYTES },
		{ "Goal", "goal_bytes", TB_BYTES }, { "Started by", "goroutine", TB_INT }, TRACE_REPORT_SITE,
	};
	struct table t;
	uint32_t n;
	const struct gc_cycle *c = gc_cycles(r->sn, &r->filter, r->mem, &n);
	table_begin(&t, col, trace_report_site_cols(r, sizeof col / sizeof *col));
	for (uint32_t i = 0; i < n; i++)
		if (c[i].t1 >= r->t0 && c[i].t0 <= r->t1)
			print_cycle(r, &t, &c[i]);
	int bad = table_sort(&t, r->o, e);
	if (!bad)
		table_print(&t, r->format, r->out);
	table_free(&t);
	return bad;
}

/* Sum up the cycles as one row. */
static int put_sums(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	uint32_t n;
	const struct gc_cycle *c = gc_cycles(r->sn, &r->filter, r->mem, &n);
	int64_t mark = 0, stw = 0, assist = 0, sweep = 0, began = 0;
	(void)arg, (void)e;
	for (uint32_t i = 0; i < n; i++) {
		if (c[i].t0 < r->t0 || c[i].t0 >= r->t1)
			continue;
		began++;
		wrap_add_to(&mark, c[i].t1 - c[i].t0);
		wrap_add_to(&stw, gc_cycle_stw(&c[i]));
		wrap_add_to(&assist, c[i].assist);
		wrap_add_to(&sweep, c[i].sweep);
	}
	const int64_t sum[] = { began, mark, stw, assist, sweep };
	for (size_t i = 0; i < sizeof sum / sizeof *sum; i++)
		table_int(t, sum[i]);
	count_at(r, t, CT_HEAP_LIVE, r->t1);
	count_at(r, t, CT_HEAP_GOAL, r->t1);
	table_str(t, "GC cycles", 9);
	return 0;
}

int report_gc(const struct options *o, struct out *out, struct err *e)
{
	static const struct table_col sums[] = {
		{ "Cycles", "count", TB_INT }, { "Mark", "mark_ns", TB_NS }, { "STW", "stw_ns", TB_NS },
		{ "Assists", "assist_ns", TB_NS }, { "Sweep", "sweep_ns", TB_NS }, { "Heap", "heap_bytes", TB_BYTES },
		{ "Goal", "goal_bytes", TB_BYTES }, { "What", "name", TB_STR },
	};
	static const struct trace_summary cycles = { .col = sums, .ncol = sizeof sums / sizeof *sums,
		.sums = "count mark_ns stw_ns assist_ns sweep_ns", .fill = put_sums };
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	int bad = trace_summary_compares(o) ? trace_summary_print(&r, &cycles, e) : print_cycles(&r, e);
	trace_report_close(&r);
	return bad;
}
