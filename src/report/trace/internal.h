/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_INTERNAL_H
#define TTRACE_REPORT_TRACE_INTERNAL_H

#include "base/text/regex.h"
#include "report/json.h"
#include "report/report.h"
#include "report/table.h"
#include "session/query.h"
#include "session/trace_open.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/task_filter.h"

/* The state that reports on traces share: the trace, and the selected range and goroutines. */
struct trace_report_ctx {
	const struct options *o;
	struct buf *out;
	struct out *to;			/* the owner of out */
	struct trace t;
	const struct snap *sn;
	const struct store *st;
	struct arena *mem;		/* t.arena */
	enum table_format format;
	struct stats_query ask;		/* open where no filter is given */
	int64_t t0, t1;			/* the range, inclusive */
	struct trace_filter filter;
	/* the filter's goroutines; with a P only those that ran there; NULL: all */
	const uint8_t *on;
	struct task_criteria task_criteria;		/* -latency, -complete, -logtext */
	struct query_match match;		/* -task and -region */
	struct regex *text;			/* NULL, or -logtext */
	const struct stats_tasks *ts;		/* with an expression for -task, or -operation */
	bool selects_nothing;			/* no goroutine, task, region or operation matches the filter */
	bool *name_matched;			/* NULL without -name; set when it has selected something */
};
/* Return whether a task or region is selected: by -name, -task, -region, -latency, -complete, -logtext, and the filters
   of goroutines. */
bool trace_report_wants_task(const struct trace_report_ctx *, const struct stats_tasks *, const struct stats_task *);
bool trace_report_wants_region(const struct trace_report_ctx *, const struct sink_span *);
/* Return whether a name is that of -name; true without -name. */
bool trace_report_is_named(const struct trace_report_ctx *, const char *s, size_t n);
bool trace_report_wants_name(const struct trace_report_ctx *, str_id);
int trace_report_open(struct trace_report_ctx *, const struct options *, struct out *, struct err *e);
void trace_report_close(struct trace_report_ctx *);
/* Make a context with the time range [t0, t1) of the same trace; its sets of goroutines are in the arena. It is not
   closed. */
void trace_report_narrow(
    struct trace_report_ctx *to, const struct trace_report_ctx *, int64_t t0, int64_t t1, struct arena *);

struct trace_report_text { const char *s; size_t n; };
/* Return the text of a string of the store; `none` for an empty one. */
struct trace_report_text trace_report_string(const struct trace_report_ctx *, str_id, const char *none);
static inline bool trace_report_has_option(const struct trace_report_ctx *r, enum option_id id)
{
	return options_str(r->o, id) && *options_str(r->o, id);
}
/* Append "function file:line" of a frame. */
void trace_report_put_frame(const struct trace_report_ctx *, struct buf *, frm_id);
/* Add the last cells of a row, the place of a stack. Text: its first user frame (trace/user_code.h) and the innermost
   function, "main.work main.go:41 > sync.(*Mutex).Lock". For scripts: the innermost frame, and function, file and line
   of the first user frame, in the columns TRACE_REPORT_SITE. */
void trace_report_add_site(const struct trace_report_ctx *, struct table *, stk_id);
#define TRACE_REPORT_SITE { "Where", "where", TB_STR }, { "Function", "user_function", TB_STR }, \
	{ "File", "user_file", TB_STR }, { "Line", "user_line", TB_INT }
enum { TRACE_REPORT_SITE_COLS = 4 };
/* Return how many of n columns that end in TRACE_REPORT_SITE the format has. */
uint32_t trace_report_site_cols(const struct trace_report_ctx *, uint32_t n);

/* Call after each item of a long report: writes out the text. Return false if the output failed and the report can
   stop. */
bool trace_report_flush(const struct trace_report_ctx *);
/* A table with too many rows to keep. It is made row by row, as text twice: the first pass finds the widths of columns.

	for (struct trace_report_rows k = { r, t }; trace_report_next_pass(&k);)
		for (each item; !r->to->failed; ...) { its rows; trace_report_end_item(&k); }
 */
struct trace_report_rows { const struct trace_report_ctx *r; struct table *t; bool widens, pours; };
bool trace_report_next_pass(struct trace_report_rows *);
void trace_report_end_item(struct trace_report_rows *);

enum { TRACE_REPORT_QUANTILES = 4 };
/* Compute the quantiles that tables and JSON show: p50_ns, p90_ns, p99_ns, max_ns. */
void trace_report_quantiles(int64_t *v, uint32_t n, int64_t q[TRACE_REPORT_QUANTILES]);
/* Write them as fields of an object; null if there are no lengths. */
void trace_report_json_quantiles(struct json *, int64_t *v, uint32_t n);
/* Write the times of a goroutine or region as fields of an object. */
void trace_report_json_times(const struct trace_report_ctx *, struct json *, const struct goroutine_times *);
void trace_report_json_still(struct json *, int64_t ns);	/* for how long it is still blocked; 0: it is not */
/* The columns for these times in a table, and their cells. */
enum { TRACE_REPORT_TIME_COLS = 8 };
extern const struct table_col trace_report_time_cols[TRACE_REPORT_TIME_COLS];
void trace_report_add_times(struct table *, const struct goroutine_times *);
/* Likewise for bytes that were allocated, also by second of the range; and as fields of an object. */
enum { TRACE_REPORT_ALLOC_COLS = 2 };
extern const struct table_col trace_report_alloc_cols[TRACE_REPORT_ALLOC_COLS];
void trace_report_add_alloc(const struct trace_report_ctx *, struct table *, int64_t bytes);
void trace_report_json_alloc(const struct trace_report_ctx *, struct json *, int64_t bytes);
/* Does -sort name this column? */
bool trace_report_is_sorted_by(const struct trace_report_ctx *, const struct table_col *);

#endif
