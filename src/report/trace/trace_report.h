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
struct trep {
	const struct opt *o;
	struct buf *out;
	struct out *to;			/* whose that is */
	struct trace t;
	const struct snap *sn;
	const struct store *st;
	struct arena *mem;		/* t.arena */
	enum table_format format;
	struct sched_ask ask;		/* open where nothing was asked */
	int64_t t0, t1;			/* the range, closed */
	struct tw_filter filter;
	/* its goroutines, of a filter with a P those of them that ran there; NULL: all */
	const uint8_t *on;
	struct pick pick;		/* -latency, -complete, -logtext */
	struct tw_pick place;	/* -region: where its regions began */
	struct rx *text, *task, *region;	/* -logtext; -task and -region where they are expressions */
	const struct sched_tasks *ts;		/* with -task */
};
/* Is a task, a region asked for: by -name, -task, -region, -latency, -complete, -logtext, and what narrows
   goroutines? */
bool trep_task(const struct trep *, const struct sched_tasks *, const struct sched_task *);
bool trep_region(const struct trep *, const struct sink_span *);
bool trep_named(const struct trep *, str_id);	/* -name, where it is given */
int trep_open(struct trep *, const struct opt *, struct out *, struct err *e);
void trep_close(struct trep *);

/* Text of a string of the store; of unnamed things `none`. */
struct trep_text { const char *s; size_t n; };
struct trep_text trep_str(const struct trep *, str_id, const char *none);
static inline bool trep_has(const struct trep *r, enum opt_id id) { return opt_str(r->o, id) && *opt_str(r->o, id); }
/* "function file:line" of a frame. */
void trep_frame(const struct trep *, struct buf *, frm_id);
/* Where a stack stands, the last cells of a row of a table. Text: its first user frame (trace/user_code.h) and what
   that calls, "main.work main.go:41 > sync.(*Mutex).Lock". For scripts: the innermost frame, and function, file and line
   of the first user frame, in the columns TREP_SITE. */
void trep_site(const struct trep *, struct table *, stk_id);
#define TREP_SITE { "Where", "where", TB_STR }, { "Function", "user_function", TB_STR }, \
	{ "File", "user_file", TB_STR }, { "Line", "user_line", TB_INT }
enum { TREP_SITE_COLS = 4 };
/* How many of n columns that end in TREP_SITE the format has. */
uint32_t trep_site_cols(const struct trep *, uint32_t n);

/* For those who look here and there: what lies on disk is let go of now and then. */
void trep_rest(const struct trep *, uint32_t look);
/* After each item of a long report, with its number: what is there goes out, and what lies on disk is let go of now
   and then. false: nobody reads it, it can stop. */
bool trep_flow(const struct trep *, uint32_t item);
/* A table of so many rows that they are not kept: made row by row, as text twice, for the first time says how wide they
   are.
	for (struct trep_rows k = { r, t }; trep_again(&k);)
		for (each item; !r->to->failed; ...) { its rows; trep_row(&k); }
 */
struct trep_rows { const struct trep *r; struct table *t; uint32_t item; bool widens, pours; };
bool trep_again(struct trep_rows *);
void trep_row(struct trep_rows *);

/* Lengths at which quantiles are given, in tables and JSON: p50_ns, p90_ns, p99_ns, max_ns. */
enum { TREP_SHARES = 4 };
void trep_shares(const struct trep *, int64_t *v, uint32_t n, int64_t q[TREP_SHARES]);
/* The same as fields of an object; null where there are no lengths. */
void trep_shares_json(const struct trep *, struct json *, int64_t *v, uint32_t n);
/* The times of a goroutine or region, inside of an object. */
void trep_gstat_json(const struct trep *, struct json *, const struct gstat *);
/* Columns for them in a table: how many, and their cells. */
enum { TREP_GCOLS = 8 };
extern const struct table_col trep_gcols[TREP_GCOLS];
void trep_gcells(struct table *, const struct gstat *);

int report_goroutines(const struct opt *, struct out *, struct err *);
int report_goroutine(const struct opt *, struct out *, struct err *);
int report_tasks(const struct opt *, struct out *, struct err *);
int report_regions(const struct opt *, struct out *, struct err *);
int report_mmu(const struct opt *, struct out *, struct err *);
int report_gc(const struct opt *, struct out *, struct err *);
int report_stw(const struct opt *, struct out *, struct err *);
int report_procs(const struct opt *, struct out *, struct err *);
int report_syscalls(const struct opt *, struct out *, struct err *);
int report_stats(const struct opt *, struct out *, struct err *);
int report_info(const struct opt *, struct out *, struct err *);

#endif
