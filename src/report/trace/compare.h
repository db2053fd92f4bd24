/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_COMPARE_H
#define TTRACE_REPORT_TRACE_COMPARE_H

#include "compare/compare.h"
#include "report/trace/earlier.h"

/* A report that compares its trace, the later side, with another trace (-base, -diff_base), another time range
   (-diff_range), or its slow operations with the rest (-rest). */
struct report_comparison {
	struct report_earlier earlier;
	struct comparison *c;		/* NULL: the options ask for no comparison */
};
/* Compare if the options ask for it. findings: NULL, or how they are judged, and those of the later side. Return -1 with
   *e. Call report_compare_close() in both cases, before the report is closed. */
int report_compare_open(
    struct report_comparison *, struct trace_report_ctx *, const struct findings_query *findings,
    struct findings *after, struct err *e);
void report_compare_close(struct report_comparison *);

/* Print the first line, the kinds, and the places that changed. */
void report_compare_text(const struct trace_report_ctx *, const struct comparison *);
/* Print all amounts of all kinds as one table. */
void report_compare_table(const struct trace_report_ctx *, const struct comparison *);
/* Write the field "changes" of an object. */
void report_compare_json(struct json *, const struct comparison *);

#endif
