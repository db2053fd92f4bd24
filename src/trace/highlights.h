/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_HIGHLIGHTS_H
#define TTRACE_TRACE_HIGHLIGHTS_H

#include "base/job.h"
#include "base/text/buf.h"
#include "store/store.h"

/*
 * What stands out in a stretch of a trace: a few facts, each with the place that shows it. Sums and shares are of the
 * stretch. A longest span is one that overlaps the stretch, and it is as long as it is: also where it begins before
 * the stretch or ends after it, and across all sheets.
 */
struct trace_highlights {
	int64_t t0, t1;		/* where; t0 == t1: nowhere in particular */
	trk_id trk;		/* on which row, 0 none */
	const char *text;	/* a sentence, safe for a terminal; in the arena */
};
enum { TRACE_HIGHLIGHTS_MAX = 6 };
struct trace_highlights_query {
	int64_t t0, t1;			/* the stretch, not empty, within the snapshot */
	const trk_id *p;		/* all Ps of the trace */
	uint32_t np;
	const struct progress_watcher *on;	/* may be NULL; several threads ask it */
};
/* At most TRACE_HIGHLIGHTS_MAX of them, the general ones first; how many. None where the onlooker stops it. Whole
   sheets cost a look at their gists, those at the ends of the stretch, and those without a gist, a pass over their
   intervals. */
size_t trace_highlights(const struct snap *, const struct trace_highlights_query *, struct arena *,
    struct trace_highlights out[TRACE_HIGHLIGHTS_MAX]);

#endif
