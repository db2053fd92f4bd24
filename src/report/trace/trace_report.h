/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_TRACE_REPORT_H
#define TTRACE_REPORT_TRACE_TRACE_REPORT_H

#include "base/text/regex.h"
#include "report/json.h"
#include "report/report.h"
#include "report/table.h"
#include "session/trace_open.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/task_filter.h"

/* What the reports on traces have in common: the trace, the range and the goroutines asked for. */
struct trace_report_ctx {
	const struct options *o;
	struct buf *out;
	struct out *to;			/* whose that is */
	struct trace t;
	const struct snap *sn;
	const struct store *st;
	struct arena *mem;		/* t.arena */
	enum table_format format;
	struct stats_query ask;		/* open where nothing was asked */
	int64_t t0, t1;			/* the range, closed */
	struct trace_filter filter;
	/* its goroutines, of a filter with a P those of them that ran there; NULL: all */
	const uint8_t *on;
	struct task_criteria task_criteria;		/* -latency, -complete, -logtext */
	struct trace_span_match place;	/* -region: where its regions began */
	struct regex *text, *task, *region;	/* -logtext; -task and -region where they are expressions */
	const struct stats_tasks *ts;		/* with -task */
};
/* Is a task, a region asked for: by -name, -task, -region, -latency, -complete, -logtext, and what narrows
   goroutines? */
bool trace_report_wants_task(const struct trace_report_ctx *, const struct stats_tasks *, const struct stats_task *);
bool trace_report_wants_region(const struct trace_report_ctx *, const struct sink_span *);
bool trace_report_wants_name(const struct trace_report_ctx *, str_id);	/* -name, where it is given */
int trace_report_open(struct trace_report_ctx *, const struct options *, struct out *, struct err *e);
void trace_report_close(struct trace_report_ctx *);

/* Text of a string of the store; of unnamed things `none`. */
struct trace_report_text { const char *s; size_t n; };
struct trace_report_text trace_report_string(const struct trace_report_ctx *, str_id, const char *none);
static inline bool trace_report_has_option(const struct trace_report_ctx *r, enum option_id id)
{
	return options_str(r->o, id) && *options_str(r->o, id);
}
/* "function file:line" of a frame. */
void trace_report_put_frame(const struct trace_report_ctx *, struct buf *, frm_id);
/* Where a stack stands, the last cells of a row of a table. Text: its first user frame (trace/user_code.h) and what
   that calls, "main.work main.go:41 > sync.(*Mutex).Lock". For scripts: the innermost frame, and function, file and line
   of the first user frame, in the columns TRACE_REPORT_SITE. */
void trace_report_add_site(const struct trace_report_ctx *, struct table *, stk_id);
#define TRACE_REPORT_SITE { "Where", "where", TB_STR }, { "Function", "user_function", TB_STR }, \
	{ "File", "user_file", TB_STR }, { "Line", "user_line", TB_INT }
enum { TRACE_REPORT_SITE_COLS = 4 };
/* How many of n columns that end in TRACE_REPORT_SITE the format has. */
uint32_t trace_report_site_cols(const struct trace_report_ctx *, uint32_t n);

/* For those who look here and there: what lies on disk is let go of now and then. */
void trace_report_release_pages(const struct trace_report_ctx *, uint32_t look);
/* After each item of a long report, with its number: what is there goes out, and what lies on disk is let go of now
   and then. false: nobody reads it, it can stop. */
bool trace_report_flush(const struct trace_report_ctx *, uint32_t item);
/* A table of so many rows that they are not kept: made row by row, as text twice, for the first time says how wide they
   are.
	for (struct trace_report_rows k = { r, t }; trace_report_next_pass(&k);)
		for (each item; !r->to->failed; ...) { its rows; trace_report_end_item(&k); }
 */
struct trace_report_rows { const struct trace_report_ctx *r; struct table *t; uint32_t item; bool widens, pours; };
bool trace_report_next_pass(struct trace_report_rows *);
void trace_report_end_item(struct trace_report_rows *);

/* Lengths at which quantiles are given, in tables and JSON: p50_ns, p90_ns, p99_ns, max_ns. */
enum { TRACE_REPORT_QUANTILES = 4 };
void trace_report_quantiles(const struct trace_report_ctx *, int64_t *v, uint32_t n, int64_t q[TRACE_REPORT_QUANTILES]);
/* The same as fields of an object; null where there are no lengths. */
void trace_report_json_quantiles(const struct trace_report_ctx *, struct json *, int64_t *v, uint32_t n);
/* The times of a goroutine or region, inside of an object. */
void trace_report_json_times(const struct trace_report_ctx *, struct json *, const struct goroutine_times *);
/* Columns for them in a table: how many, and their cells. */
enum { TRACE_REPORT_TIME_COLS = 8 };
extern const struct table_col trace_report_time_cols[TRACE_REPORT_TIME_COLS];
void trace_report_add_times(struct table *, const struct goroutine_times *);

int report_goroutines(const struct options *, struct out *, struct err *);
int report_goroutine(const struct options *, struct out *, struct err *);
int report_tasks(const struct options *, struct out *, struct err *);
int report_regions(const struct options *, struct out *, struct err *);
int report_mmu(const struct options *, struct out *, struct err *);
int report_gc(const struct options *, struct out *, struct err *);
int report_stw(const struct options *, struct out *, struct err *);
int report_procs(const struct options *, struct out *, struct err *);
int report_syscalls(const struct options *, struct out *, struct err *);
int report_stats(const struct options *, struct out *, struct err *);
int report_info(const struct options *, struct out *, struct err *);

#endif
