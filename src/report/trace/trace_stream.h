/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_TRACE_STREAM_H
#define TTRACE_REPORT_TRACE_TRACE_STREAM_H

#include "load/gotrace/event_stream.h"
#include "load/load.h"
#include "report/report.h"

/* Shared by the reports that print a trace while reading it (events, wire, footprint). */

/* Open the first file of the command line, which must be a Go execution trace. */
int trace_stream_open(const struct options *, struct bytes *, struct err *);

/* Notices of the reader, kept until it is known whether the report succeeds: a failure prints only one line. */
struct trace_stream_notes {
	const char *file;
	struct buf text;	/* lines, each ended by NUL */
};
void trace_stream_add_note(struct trace_stream_notes *, uint64_t at, const char *msg);
/* Add a notice if the file was cut while it was read. */
void trace_stream_note_cut(struct trace_stream_notes *, const struct bytes *);
/* Return -1 with *e if -strict is set and the trace is damaged. */
int  trace_stream_check_strict(const struct options *, const struct event_stream_info *, struct err *e);
/* say: print them to standard error; frees them */
void trace_stream_finish_notes(struct trace_stream_notes *, bool say);

/* Get -from and -to as times of the file (struct trace_event), [*from, *to); *range_given: one of them is set. */
int trace_stream_range(
    const struct options *, struct bytes, bool *range_given, int64_t *from, int64_t *to, struct err *);

#endif
