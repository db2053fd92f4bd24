/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_TRACE_OPEN_H
#define TTRACE_SESSION_TRACE_OPEN_H

#include "cli/options.h"
#include "load/load.h"
#include "pprof/profile.h"
#include "trace/as_profile.h"

/* A trace for a report: read completely, in the foreground, with the options of the command line. */
struct trace {
	struct store_builder *store_builder;	/* NULL: sn belongs to the session */
	const struct snap *sn;
	struct arena arena;	/* memory of the report */
};

/* Remove a program before a trace from the files, as users of go tool trace type it: a trace has its own names. */
void trace_drop_program(struct options *);
/* Open the first file of the command line. Return -1 with *e; also, with -strict, if it is damaged. Notices (notice may
   be NULL) are reported only on success. */
int trace_open(struct trace *, const struct options *, profile_notice *, void *arg, struct err *e);
/* Likewise, of bytes that are already open; the caller closes them. */
int trace_read(struct trace *, struct bytes *, const struct options *, profile_notice *, void *arg, struct err *e);
/* Use the trace of the session that the report runs in. Return false if it has none of that name. */
bool trace_from_session(struct trace *, const char *name, const struct options *);
void trace_close(struct trace *);

/* Return the watcher of the options, for work on the trace. */
struct progress_watcher trace_watcher(const struct options *);

/* Make a profile of the weights of -type (default: trace_default_type(), with -blame sched), as `go tool trace -pprof`
   writes it. With -rest: the mean of one of those that the filter selects, or, as TRACE_REST, of those that it excludes.
   TRACE_RANGE: of -diff_range, scaled to the length of the range of -from and -to. */
enum trace_side { TRACE_SHOWN, TRACE_REST, TRACE_RANGE };
struct profile *trace_make_profile(const struct trace *, const struct options *, enum trace_side, struct err *e);
/* Return whether -rest or -diff_range compare a trace with a part of itself. */
bool trace_has_own_base(const struct options *);

#endif
