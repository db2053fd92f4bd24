/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_EVENTS_H
#define TTRACE_TRACE_EVENTS_H

#include "base/text/buf.h"
#include "store/store.h"

/*
 * A list of events made from the store: transitions of goroutines, starts and
 * ends of spans, marks, CPU samples. Any time range of the trace can be
 * gathered separately.
 */
enum event_item_kind {
	EVENT_CREATE,
	EVENT_READY,
	EVENT_RUN,
	EVENT_BLOCK,
	EVENT_SYSCALL,
	EVENT_END,
	EVENT_BEGIN_SPAN,
	EVENT_END_SPAN,
	EVENT_MARK,
	EVENT_SAMPLE,
	EVENT_PROC_START,
	EVENT_PROC_STOP,
	EVENT_HEAP,
	EVENT_GOAL, /* the last four: rows of counters */
	EVENT__N
};
struct event_item {
	int64_t t;
	enum event_item_kind kind;
	enum tstate state;	/* transitions: the new state; EVENT_RUN: the old state */
	trk_id trk;		/* the goroutine (or P) of the event; 0: none */
	uint32_t peer;		/* transitions: see state.def; others: index of the span, mark, sample or row */
	stk_id stack;
};
enum { EVENT_ALL = (1 << EVENT__N) - 1 };

struct trace_events_query {
	uint32_t kinds;			/* 1 << EVENT_RUN | ... */
	uint32_t spans;			/* 1 << SP_GC | ...: only starts and ends of these spans */
	uint32_t marks;			/* 1 << MK_LOG | ... */
	bool (*want)(const void *arg, const struct event_item *);	/* NULL: all */
	const void *arg;
	trk_id g;			/* only transitions of this goroutine; 0: of all */
};
struct event_list {
	struct event_item *v;
	uint32_t n;
	size_t cap;
	int64_t t0, t1;
	bool cut0, cut1;	/* from trace_events_gather_at(): more events exist before, after */
	/* while gathering: */
	bool whole;		/* keep events of one instant together */
	uint32_t max, full;	/* full: number of events at which the list is thinned */
	/* the requested event; the last one cut off before it, the first cut off after it */
	struct event_item at, last0, first1;
};

/* Gather at most max events of [t0, t1), in order. If there are more, t1 is lowered to the end of those gathered; at
   least the events of one instant are taken. */
void trace_events_gather(
    const struct snap *, const struct trace_events_query *, int64_t t0, int64_t t1, uint32_t max, struct event_list *);
/* Likewise, around an event, which need not exist: both ends are cut, also within an instant, which may have a million
   events. */
void trace_events_gather_at(const struct snap *, const struct trace_events_query *, int64_t t0, int64_t t1,
    const struct event_item *at, uint32_t max, struct event_list *);
/* Find a time range around t with about `want` events, by their density there, inside [lo, hi). */
void trace_events_range_around(
    const struct snap *, int64_t t, uint32_t want, int64_t lo, int64_t hi, int64_t *t0, int64_t *t1);

const char *trace_events_name(const struct snap *, const struct event_item *);	/* "GoBlock" */

#endif
