/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_TRACE_STREAM_H
#define TTRACE_REPORT_TRACE_TRACE_STREAM_H

#include "load/gotrace/event_stream.h"
#include "load/load.h"
#include "report/report.h"

/* What the reports that print a trace as it comes (events, wire, footprint) have in common. */

/* The first file of the command line, if it is a Go execution trace. */
int dump_open(const struct opt *, struct bytes *, struct err *);

/* Notices of the reader, kept until it is known whether the report succeeds: a failure says one line. */
struct dump_notes {
	const char *file;
	struct buf text;	/* lines that each end in NUL */
};
void dump_note(struct dump_notes *, uint64_t at, const char *msg);
void dump_cut(struct dump_notes *, const struct bytes *);	/* at the end: the file was cut meanwhile */
/* -strict: damage is a failure, *e. */
int  dump_end(const struct opt *, const struct tstream_info *, struct err *e);
void dump_notes_say(struct dump_notes *, bool say);	/* to standard error; frees them */

/* -from and -to as times of the file (gotrace/wire.h), [*from, *to); *asked: they are given. */
int dump_range(const struct opt *, struct bytes, bool *asked, int64_t *from, int64_t *to, struct err *);

int report_events(const struct opt *, struct out *, struct err *);
int report_wire(const struct opt *, struct out *, struct err *);
int report_footprint(const struct opt *, struct out *, struct err *);

#endif
