/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_SPAN_SCAN_H
#define TTRACE_TRACE_SPAN_SCAN_H

#include "base/job.h"
#include "store/store.h"

/* Report every span of many goroutines that overlaps [t0, t1), in full also outside of that range: per goroutine in the
   order of time, overall sheet by sheet. */
struct span_scan_item {
	uint32_t k;			/* the goroutine: the k-th of g */
	enum tstate state, was;		/* was: state of the span before; TS_NONE: it is the first */
	uint32_t peer;			/* see state.def; 0 unless peers is set */
	stk_id stack;			/* where the state started; 0 unless stacks is set */
	int64_t t0, t1;
};
struct span_scan_run {
	const trk_id *g;		/* n of them, each once */
	uint32_t n, step;		/* step: bytes from one to the next; 0: they are adjacent */
	int64_t t0, t1;
	bool newest;			/* if a number is used again, only the newest life */
	bool peers, stacks;
	/* if it stops early, also report the unfinished spans, as far as they were walked */
	bool open;
	/* maximum steps: about one per span, plus the cost of a lookup in a sheet */
	uint64_t most;
	struct progress_watcher on;		/* may stop it */
	void (*on_span)(void *arg, const struct span_scan_item *);
	void *arg;
};
bool span_scan_run(const struct snap *, const struct span_scan_run *);	/* false: it stopped early */

#endif
