/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* `ttrace stw`: each stop of the world with time, duration, reason and the code that caused it; or (-by) count and
   duration by kind or caller; or (-name) the stops of one kind or caller. */
#include "config.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"

#include "trace/stats/stops.h"

#include <string.h>

static void put_name(const struct trace_report_ctx *r, struct table *t, uint32_t span, enum stops_by by)
{
	struct buf b = {0};
	stops_name(r->st, span, by, &b);
	table_str(t, b.p ? b.p : "", b.n);
	buf_free(&b);
}

/* Does it match -name, the name of a kind or caller? */
static bool named(const struct trace_report_ctx *r, uint32_t span, enum stops_by by)
{
	struct buf b = {0};
	stops_name(r->st, span, by, &b);
	bool same = trace_report_is_named(r, b.p, b.n);
	buf_free(&b);
	return same;
}

static void put_stop(const struct trace_report_ctx *r, struct table *t, const struct stop *v)
{
	const struct sink_span *s = &store_span(r->st, v->span)->s;
	table_int(t, v->t0);
	table_int(t, v->t1 - v->t0);
	if (s->trk)
		table_int(t, (int64_t)store_trk(r->st, s->trk)->id);
	else
		table_none(t);	/* a log has no goroutine for it */
	put_name(r, t, v->span, STOPS_KIND);
	trace_report_add_site(r, t, s->stack);
}

static void put_group(
    const struct trace_report_ctx *r, struct table *t, const struct stop_group *g, uint32_t span, enum stops_by by)
{
	table_int(t, g->n);
	table_int(t, g->total);
	table_int(t, g->max);
	table_int(t, stops_mean(g));
	put_name(r, t, span, by);
}

/* Get the value of -by. A value in $TTRACE_OPTS may be meant for other reports. */
static int by_of(const struct options *o, enum stops_by *by, struct err *e)
{
	const char *s = options_str(o, OPT_BY);
	*by = STOPS_SINGLE;
	for (int i = STOPS_KIND; o->v[OPT_BY].set && i < STOPS_BY__N; i++)
		if (!strcmp(s, stops_by_name[i]))
			*by = (enum stops_by)i;
	if (!options_typed(o, OPT_BY) || *by != STOPS_SINGLE)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NOWHERE, "stw: -by is kind or caller, not \"%s\"", s);
}

static void put_stops(const struct trace_report_ctx *r, struct table *t, enum stops_by by)
{
	uint32_t n;
	const struct stop *v = stops_find(r->sn, &r->filter, r->t0, r->t1 + 1, r->mem, &n);
	enum stops_by of = by == STOPS_SINGLE ? STOPS_KIND : by;
	for (uint32_t i = 0; i < n; i++)
		if (named(r, v[i].span, of))
			put_stop(r, t, &v[i]);
}

static int put_groups(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	const enum stops_by *by = arg;
	uint32_t n, ngroup;
	const struct stop *v = stops_find(r->sn, &r->filter, r->t0, r->t1 + 1, r->mem, &n);
	const struct stop_group *g = stops_group(r->sn, v, n, *by, r->mem, &ngroup);
	(void)e;
	for (uint32_t i = 0; i < ngroup; i++)
		put_group(r, t, &g[i], v[g[i].first].span, *by);
	return 0;
}

static int print_stops(const struct trace_report_ctx *r, enum stops_by by, struct err *e)
{
	static const struct table_col col[] = {
		{ "Start", "start_ns", TB_NS }, { "Duration", "duration_ns", TB_NS }, { "Goroutine", "goroutine", TB_INT },
		{ "Kind", "kind", TB_STR }, TRACE_REPORT_SITE,
	};
	struct table t;
	table_begin(&t, col, trace_report_site_cols(r, sizeof col / sizeof *col));
	put_stops(r, &t, by);
	int bad = table_sort(&t, r->o, e);
	if (!bad)
		table_print(&t, r->format, r->out);
	table_free(&t);
	return bad;
}

int report_stw(const struct options *o, struct out *out, struct err *e)
{
#define SUMS { "Count", "count", TB_INT }, { "Total", "total_ns", TB_NS }, { "Max", "max_ns", TB_NS }, \
	{ "Mean", "mean_ns", TB_NS }
	static const struct table_col kinds[] = { SUMS, { "Kind", "kind", TB_STR } };
	static const struct table_col callers[] = { SUMS, { "Caller", "caller", TB_STR } };
#undef SUMS
	enum stops_by by;
	struct trace_report_ctx r;
	if (by_of(o, &by, e) || trace_report_open(&r, o, out, e))
		return -1;
	bool compares = trace_summary_compares(o), single = (by == STOPS_SINGLE || o->v[OPT_NAME].set) && !compares;
	by = by == STOPS_SINGLE && compares ? STOPS_KIND : by;
	const struct trace_summary groups = { .col = by == STOPS_CALLER ? callers : kinds,
	    .ncol = sizeof kinds / sizeof *kinds, .sums = "count total_ns", .fill = put_groups, .arg = &by };
	int bad = single ? print_stops(&r, by, e) : trace_summary_print(&r, &groups, e);
	trace_report_close(&r);
	return bad;
}
