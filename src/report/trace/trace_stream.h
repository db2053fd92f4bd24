/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_TRACE_STREAM_H
#define TTRACE_REPORT_TRACE_TRACE_STREAM_H

#include "load/gotrace/event_stream.h"
#include "load/load.h"
#include "report/report.h"

/* What the reports that print a trace as it comes (events, wire, footprint) have in common. */

/* The first file of the command line, if it is a Go execution trace. */
int trace_stream_open(const struct options *, struct bytes *, struct err *);

/* Notices of the reader, kept until it is known whether the report succeeds: a failure says one line. */
struct trace_stream_notes {
	const char *file;
	struct buf text;	/* lines that each end in NUL */
};
void trace_stream_add_note(struct trace_stream_notes *, uint64_t at, const char *msg);
/* At the end: the file was cut meanwhile. */
void trace_stream_note_cut(struct trace_stream_notes *, const struct bytes *);
/* -strict: damage is a failure, *e. */
int  trace_stream_check_strict(const struct options *, const struct event_stream_info *, struct err *e);
void trace_stream_finish_notes(struct trace_stream_notes *, bool say);	/* to standard error; frees them */

/* -from and -to as times of the file (gotrace/wire.h), [*from, *to); *asked: they are given. */
int trace_stream_range(
    const struct options *, struct bytes, bool *range_given, int64_t *from, int64_t *to, struct err *);

int report_events(const struct options *, struct out *, struct err *);
int report_wire(const struct options *, struct out *, struct err *);
int report_footprint(const struct options *, struct out *, struct err *);

#endif
