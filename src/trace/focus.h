/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_FOCUS_H
#define TTRACE_TRACE_FOCUS_H

#include "base/job.h"
#include "trace/stack_moments.h"

/*
 * The filters focus and ignore applied to what a trace lists. A goroutine, an event, a span has functions: those of the
 * stacks that were recorded of it, and the start function of its goroutine. It is in focus if one of them matches focus
 * (or there is no focus) and none matches ignore. So focus and ignore of one expression divide every list in two.
 */
enum { HITS_FOCUS = 1, HITS_IGNORE = 2 };
struct trace_focus {			/* made by filter_trace_focus(); it does not change */
	const struct snap *sn;
	unsigned asked;			/* HITS_FOCUS, HITS_IGNORE: which filters there are */
	const uint8_t *stack;		/* by node of the call tree: the filters that a function of the stack matches */
	const uint8_t *start[2];	/* NULL, or a bit per track: goroutines whose start function matches focus, ignore */
	struct stack_moments moments;	/* those whose stack matches one */
};

/* Return whether something whose functions match these filters is in focus. */
static inline bool trace_focus_takes(const struct trace_focus *f, unsigned hits)
{
	return (hits & f->asked & HITS_FOCUS) == (f->asked & HITS_FOCUS) && !(hits & HITS_IGNORE);
}
/* Return the filters that the stack matches; 0: none. */
unsigned trace_focus_stack(const struct trace_focus *, stk_id);
/* Return the filters that the start function of a goroutine matches; of other tracks none. */
unsigned trace_focus_start(const struct trace_focus *, trk_id);
/* Return whether an event is in focus, with its stack. g, other: the goroutine on which it happened and that of which it
   changes the state; 0: none. */
bool trace_focus_has_event(const struct trace_focus *, trk_id g, trk_id other, stk_id);
/* Return whether the start of a span is in focus; true if the focus is NULL. */
bool trace_focus_has_span(const struct trace_focus *, const struct sink_span *);
/* Return whether a goroutine is in focus in [t0, t1): by the stacks that were recorded in that time, that of the wait or
   system call in which it was, and what the stacks before and after a run have in common. pieces: the number of pieces
   of intervals to look at; where there are more, it counts as in focus. */
bool trace_focus_has_time(const struct trace_focus *, trk_id g, int64_t t0, int64_t t1, uint32_t pieces);
#define FOCUS_ALL_PIECES UINT32_MAX
/* Return the goroutines (of `among`, unless it is NULL) that are in focus in [from, to) (TIME_NONE: open), in the arena,
   by a pass over the sheets of that time. If `on` stops it, the result is incomplete. */
uint8_t *trace_focus_goroutines(const struct trace_focus *, int64_t from, int64_t to, const uint8_t *among, struct arena *,
    const struct progress_watcher *on);
#endif
