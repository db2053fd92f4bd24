/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_SPAN_SCAN_H
#define TTRACE_TRACE_SPAN_SCAN_H

#include "base/job.h"
#include "store/store.h"

/* Every span of many goroutines that is there in [t0, t1), whole also where it goes beyond that: of each goroutine in
   the order of time, of all of them as they come, sheet by sheet. */
struct span_scan_item {
	uint32_t k;			/* goroutine g[k] */
	enum tstate state, was;		/* was: of the span before, TS_NONE: it is the first */
	uint32_t who;			/* see state.def; 0 when nobody wants to know */
	int64_t t0, t1;
};
struct span_scan_run {
	const trk_id *g;		/* each once */
	uint32_t n;
	int64_t t0, t1;
	bool newest;			/* of a number that is used again the newest life */
	bool whos;
	bool cached_only;			/* no sheet that has been dropped is made again */
	/* where it stops early, also those spans that had begun, as far as was looked */
	bool open;
	/* steps: about a span each, and what it costs to look into a sheet, or to make it */
	uint64_t most;
	struct progress_watcher on;		/* may stop it */
	void (*on_span)(void *arg, const struct span_scan_item *);
	void *arg;
};
enum { SPAN_SCAN_SHEET_STEPS = 1 << 16 };	/* steps of one that is made again */
bool span_scan_run(const struct snap *, const struct span_scan_run *);	/* false: it stopped early */

#endif
