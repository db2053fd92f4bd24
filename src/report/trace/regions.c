/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace regions`: kinds of user regions, by name and outermost frame of the
 * place where they started, with counts and quantiles of their durations; with
 * -name, or in JSON, each region with its goroutine's times.
 */
#include "config.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"
#include "base/wrap_math.h"

#include <string.h>

static bool region_wanted(const void *arg, const struct sink_span *s)
{
	const struct trace_report_ctx *r = arg;
	return trace_summary_counts(r, s->t1 == TIME_NONE ? r->sn->t1 : s->t1) && trace_report_wants_region(r, s);
}

static int64_t length(const struct trace_report_ctx *r, const struct stats_region *x)
{
	return (x->t1 == TIME_NONE ? r->sn->t1 : x->t1) - (x->t0 == TIME_NONE ? r->sn->t0 : x->t0);
}

static void lengths_json(const struct trace_report_ctx *r, struct json *j, const struct stats_region_kinds *ks,
    const struct stats_region_kind *k)
{
	int64_t *v = xmalloc((k->n + 1u) * sizeof *v), total = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		v[i] = length(r, &ks->r[k->first + i]);
		total = wrap_add(total, v[i]);
	}
	json_i64(j, "total_ns", total);
	trace_report_json_quantiles(j, v, k->n);
	mem_free(v);
}

static void kind_json(const struct trace_report_ctx *r, struct json *j, const struct stats_region_kinds *ks,
    const struct stats_region_kind *k)
{
	struct trace_report_text name = trace_report_string(r, k->name, ""), fun = { "", 0 }, file = { "", 0 };
	int64_t line = 0;
	uint64_t pc = 0;
	char hex[32];
	if (k->frame) {
		const struct frm_row *f = store_frm(r->st, k->frame);
		fun = trace_report_string(r, store_fun(r->st, f->fun)->name, "");
		file = trace_report_string(r, store_fun(r->st, f->fun)->file, "");
		line = f->line;
		pc = store_loc(r->st, f->loc)->addr;
	}
	struct buf b = {0};
	buf_puts(&b, "0x");
	buf_hex(&b, pc);
	memcpy(hex, buf_str(&b), b.n + 1);
	buf_free(&b);
	json_object(j, NULL);
	json_str(j, "name", name.s, name.n);
	json_str(j, "function", fun.s, fun.n);
	json_text(j, "pc", hex);
	json_str(j, "file", file.s, file.n);
	json_i64(j, "line", line);
	json_i64(j, "count", k->n);
	lengths_json(r, j, ks, k);
	json_array(j, "regions");
	for (uint32_t i = k->first; i < k->first + k->n; i++) {
		const struct stats_region *x = &ks->r[i];
		int64_t t0 = x->t0 == TIME_NONE ? r->sn->t0 : x->t0;
		struct goroutine_times g;
		json_object(j, NULL);
		json_u64(j, "goroutine", store_trk(r->st, x->trk)->id);
		json_u64(j, "task", x->task);
		json_i64(j, "start_ns", t0);
		json_i64(j, "duration_ns", length(r, x));
		json_bool(j, "complete", x->t0 != TIME_NONE && x->t1 != TIME_NONE);
		stats_of_region(x, &g);
		trace_report_json_times(r, j, &g);
		json_end(j);
		if (!trace_report_flush(r))
			break;
	}
	json_end(j);
	json_end(j);
}

static void kinds_json(const struct trace_report_ctx *r, const struct stats_region_kinds *ks)
{
	struct json j = { .b = r->out };
	json_object(&j, NULL);
	json_array(&j, "kinds");
	for (uint32_t i = 0; i < ks->n && !r->to->failed; i++)
		kind_json(r, &j, ks, &ks->kind[i]);
	json_end(&j);
	json_end(&j);
}

static const struct stats_region_kinds *find_kinds(struct trace_report_ctx *r, bool lengths)
{
	r->ask.g = r->on;
	r->ask.region = region_wanted;
	r->ask.lengths = lengths;
	r->ask.arg = r;
	return stats_regions(stats_index_new(r->sn, r->mem), &r->ask, r->mem);
}

static int put_kinds(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	const struct stats_region_kinds *ks = find_kinds(r, true);
	(void)arg, (void)e;
	for (uint32_t i = 0; i < ks->n; i++) {
		const struct stats_region_kind *k = &ks->kind[i];
		int64_t q[TRACE_REPORT_QUANTILES], *v = ks->length + k->first, total = 0;
		for (uint32_t x = 0; x < k->n; x++)
			total = wrap_add(total, v[x]);
		trace_report_quantiles(v, k->n, q);
		table_int(t, k->n);
		table_int(t, total);
		for (int x = 0; x < TRACE_REPORT_QUANTILES; x++)
			table_int(t, q[x]);
		struct trace_report_text name =
		    trace_report_string(r, k->name, r->format == TF_TEXT ? "(inherited task)" : "");
		struct buf b = {0};
		trace_report_put_frame(r, &b, k->frame);
		table_str(t, name.s, name.n);
		table_str(t, b.p ? b.p : "", b.n);
		buf_free(&b);
	}
	return 0;
}

static void kind_rows(const struct trace_report_ctx *r, struct trace_report_rows *rows,
    const struct stats_region_kinds *ks, const struct stats_region_kind *k)
{
	struct trace_report_text name = trace_report_string(r, k->name, "");
	struct goroutine_times g;
	for (uint32_t i = k->first; i < k->first + k->n && !r->to->failed; i++) {
		const struct stats_region *x = &ks->r[i];
		table_int(rows->t, (int64_t)store_trk(r->st, x->trk)->id);
		table_int(rows->t, (int64_t)x->task);
		table_int(rows->t, x->t0 == TIME_NONE ? r->sn->t0 : x->t0);
		stats_of_region(x, &g);
		trace_report_add_times(rows->t, &g);
		table_str(rows->t, name.s, name.n);
		trace_report_end_item(rows);
	}
}

static void list_table(const struct trace_report_ctx *r, const struct stats_region_kinds *ks)
{
	struct table t;
	struct table_col col[TRACE_REPORT_TIME_COLS + 4] = {
		{ "Goroutine", "goroutine", TB_INT }, { "Task", "task", TB_INT }, { "Start", "start_ns", TB_NS },
	};
	memcpy(col + 3, trace_report_time_cols, sizeof trace_report_time_cols);
	col[TRACE_REPORT_TIME_COLS + 3] = (struct table_col){ "Region", "name", TB_STR };
	table_begin(&t, col, TRACE_REPORT_TIME_COLS + 4);
	for (struct trace_report_rows k = { .r = r, .t = &t }; trace_report_next_pass(&k);)
		for (uint32_t i = 0; i < ks->n; i++)
			kind_rows(r, &k, ks, &ks->kind[i]);
	table_free(&t);
}

int report_regions(const struct options *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "Count", "count", TB_INT }, { "Total", "total_ns", TB_NS }, { "p50", "p50_ns", TB_NS },
		{ "p90", "p90_ns", TB_NS }, { "p99", "p99_ns", TB_NS }, { "Max", "max_ns", TB_NS },
		{ "Region", "name", TB_STR }, { "Started in", "where", TB_STR },
	};
	static const struct trace_summary kinds = { .col = col, .ncol = sizeof col / sizeof *col,
		.sums = "count total_ns", .fill = put_kinds };
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	int bad = 0;
	if (r.format == TF_JSON && !trace_summary_compares(o))
		kinds_json(&r, find_kinds(&r, false));
	else if (o->v[OPT_NAME].set && !trace_summary_compares(o))
		list_table(&r, find_kinds(&r, false));
	else
		bad = trace_summary_print(&r, &kinds, e);
	trace_report_close(&r);
	return bad;
}
