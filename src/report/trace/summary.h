/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_SUMMARY_H
#define TTRACE_REPORT_TRACE_SUMMARY_H

#include "report/trace/internal.h"

/*
 * A report whose rows sum up a time range by name: kinds of tasks, call sites, Ps. It is printed as a table or, with
 * -base, -diff_base or -diff_range, as what differs between the ranges of two sides.
 */
struct trace_summary {
	const struct table_col *col;
	uint32_t ncol;
	/* keys of columns, with spaces between. sums: counts and sums over the range, compared per second of it. names:
	   numbers that name a row, as all columns of text do. notes: text that does not name it. The other columns are
	   levels: means, quantiles, shares. */
	const char *sums, *names, *notes;
	/* Add the rows of the context's range, for text or for scripts by its format. Return -1 with *e if it was stopped.
	   It is called for each side, and for slices of their ranges; allocations in the arena of the context last until
	   it returns. */
	int (*fill)(struct trace_report_ctx *, struct table *, const void *arg, struct err *e);
	const void *arg;
};
/* Return whether the options ask for a comparison. */
bool trace_summary_compares(const struct options *);
/* Return whether a task, region or operation that ends at t1 counts: in a comparison only in the range in which it ends,
   so that it counts in one slice. Otherwise all that overlap the range count. */
bool trace_summary_counts(const struct trace_report_ctx *, int64_t t1);
/* Print a summary, sorted by -sort. Return -1 with *e. */
int trace_summary_print(struct trace_report_ctx *, const struct trace_summary *, struct err *e);

#endif
