/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_REPORT_H
#define TTRACE_REPORT_REPORT_H

#include "cli/options.h"
#include "report/output.h"

/* Reports: text made from a file, without the viewer. Each is a row of cli/reports.def and one of these functions,
   report_NAME(). They return 0, or -1 with *e. */
typedef int report_fn(const struct options *, struct out *, struct err *);
#define REPORT(name, fn, arg, takes, group, help, purpose, columns, example) report_fn fn;
#include "cli/reports.def"
#undef REPORT

struct report {
	const char *name;
	report_fn *run;
};
extern const struct report reports[];	/* ends with a NULL name */
const struct report *report_find(const char *name);

/* Return whether the report runs other programs: objdump or dot. */
bool report_runs_programs(const struct report *);

/* Fetch the inputs of the command line that are not files (session/download.h) into o->downloads, with progress on a
   terminal; ^C stops it. Return 0, also if there are none; -1 with *e. */
int report_fetch_inputs(struct options *o, struct err *e);

/* run returns -1 with *e, or the exit status, mostly 0. */

#endif
