/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_REPORT_TRACE_EVENT_FILTER_H
#define TTRACE_REPORT_TRACE_EVENT_FILTER_H

#include "load/gotrace/event_stream.h"
#include "report/report.h"
#include "trace/filter.h"

/* Selects events of a trace: by time, goroutine, P, or by goroutines, tasks or regions; all by default. */
struct event_criteria {
	bool times, peer;
	int64_t from, to;	/* [from, to), in the time of struct trace_event */
	bool listed, on_proc;
	struct trace_ids g;	/* if listed: only these goroutines */
	uint64_t p;		/* if on_proc: only this P */
	bool some;		/* only within the ranges in v, or events of the tasks in task */
	/* by goroutine, then time, inclusive; in the time of struct trace_event */
	struct event_stretch { int64_t g, t0, t1; } *v;
	size_t nv;
	uint64_t *task;		/* sorted */
	size_t ntask;
	struct event_focus *focus;	/* NULL, or -focus and -ignore */
};
int  event_criteria(const struct options *, struct bytes, struct event_criteria *, struct err *);
bool event_criteria_match(const struct event_criteria *, const struct trace_generation *, const struct trace_event *);
void event_criteria_free(struct event_criteria *);

#endif
