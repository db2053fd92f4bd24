/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_EARLIER_H
#define TTRACE_REPORT_TRACE_EARLIER_H

#include "report/trace/internal.h"

/* The earlier side of a report that compares: the trace of -base or -diff_base, or the time range of -diff_range. */
struct report_earlier {
	struct trace_report_ctx r;	/* as the report has it of the later side */
	struct options options;
	const char *file;		/* NULL: the same trace */
	bool opened;
};
/* Return 1 if the options ask for a comparison, 0 if not, -1 with *e. Call report_earlier_close() in all cases, before the
   later side is closed. The struct must not be moved. */
int report_earlier_open(struct report_earlier *, const struct trace_report_ctx *, struct err *e);
void report_earlier_close(struct report_earlier *);

#endif
