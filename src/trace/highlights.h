/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_HIGHLIGHTS_H
#define TTRACE_TRACE_HIGHLIGHTS_H

#include "base/job.h"
#include "base/text/buf.h"
#include "store/store.h"

/*
 * Highlights of a time range of a trace: a few facts, each with the place that shows it. Sums and shares are of the
 * range. A longest span is one that overlaps the range; it counts in full, also outside of the range and across
 * sheets.
 */
struct trace_highlights {
	int64_t t0, t1;		/* where; t0 == t1: no particular time */
	trk_id trk;		/* row of the track, 0: none */
	const char *text;	/* a sentence, safe for a terminal; in the arena */
};
enum { TRACE_HIGHLIGHTS_MAX = 6 };
struct trace_highlights_query {
	int64_t t0, t1;			/* the time range, not empty, within the snapshot */
	const trk_id *p;		/* all Ps of the trace */
	uint32_t np;
	const struct progress_watcher *on;	/* may be NULL; called by several threads */
};
/* Compute at most TRACE_HIGHLIGHTS_MAX highlights, the general ones first; return their number, 0 if stopped. Whole
   sheets cost a look at their extremes (sheet_extremes); sheets at the ends of the range and those without extremes
   cost a pass over their intervals. */
size_t trace_highlights(const struct snap *, const struct trace_highlights_query *, struct arena *,
    struct trace_highlights out[TRACE_HIGHLIGHTS_MAX]);

#endif
