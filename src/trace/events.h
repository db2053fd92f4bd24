/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_EVENTS_H
#define TTRACE_TRACE_EVENTS_H

#include "base/text/buf.h"
#include "store/store.h"

/*
 * What happened, one thing after the other, out of the store: transitions of
 * goroutines, begins and ends of spans, marks, CPU samples. Any stretch of the
 * trace is gathered by itself.
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
	EVENT_GOAL, /* rows of counters */
	EVENT__N
};
struct event_item {
	int64_t t;
	enum event_item_kind kind;
	enum tstate state;	/* transitions: into which; EVENT_RUN: out of which */
	trk_id trk;		/* the goroutine (or P) it is about; 0 */
	uint32_t who;		/* transitions: see state.def; others: index of span, mark, sample, row */
	stk_id stack;
};
enum { EVENT_ALL = (1 << EVENT__N) - 1 };

struct trace_events_query {
	uint32_t kinds;			/* 1 << EVENT_RUN | ... */
	uint32_t spans;			/* 1 << SP_GC | ...: of the spans' begins and ends only these */
	uint32_t marks;			/* 1 << MK_LOG | ... */
	bool (*want)(const void *arg, trk_id g, int64_t t);	/* NULL: all */
	const void *arg;
	trk_id g;			/* of goroutines this one's alone; 0: of all */
};
struct event_list {
	struct event_item *v;
	uint32_t n;
	size_t cap;
	int64_t t0, t1;
	bool cut0, cut1;	/* of trace_events_gather_at(): there were more before, after */
	/* while it gathers */
	bool whole;		/* what is of one instant stays together */
	uint32_t max, full;	/* full: so many are thinned */
	/* what is asked for; the last before, the first after that was left out */
	struct event_item at, last0, first1;
};

/* Events of [t0, t1), in order, at most max: then t1 is moved down to what was taken, but something
   is always taken. */
void trace_events_gather(
    const struct snap *, const struct trace_events_query *, int64_t t0, int64_t t1, uint32_t max, struct event_list *);
/* The same, of those around an event, which need not be: both ends are cut, and within an instant too, of which a
   million may be. */
void trace_events_gather_at(const struct snap *, const struct trace_events_query *, int64_t t0, int64_t t1,
    const struct event_item *at, uint32_t max, struct event_list *);
/* A stretch around t that has about `want` events, as the density there goes; inside of [lo, hi). */
void trace_events_range_around(
    const struct snap *, int64_t t, uint32_t want, int64_t lo, int64_t hi, int64_t *t0, int64_t *t1);

const char *trace_events_name(const struct snap *, const struct event_item *);	/* "GoBlock" */

#endif
