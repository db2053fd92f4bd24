/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BOARDS_WAIT_SWEEP_H
#define TTRACE_BOARDS_WAIT_SWEEP_H

#include "boards/measures.h"

/* The start or the end of a wait of a goroutine of the program. */
struct wait_event {
	int64_t t;		/* clipped to the time range */
	trk_id g;
	enum tstate state;
	stk_id stack;		/* where it waits */
	bool ends;
	/* of an end: */
	int64_t t0, t1;		/* of the whole wait */
	int64_t ns;		/* how much of it the filter selects */
	trk_id waker;		/* what ended it; 0: a timer, the network poller, not known, */
	stk_id waker_stack;	/* and where that was */
	bool open;		/* it lasts until the end of the trace */
};
/* Visit the starts and ends of all waits in some states (bits 1 << enum tstate) that the filter selects, in the order of
   time, of equal times ends first. Return false if the watcher stops it. */
bool wait_sweep(const struct board_measures *, uint64_t states, void (*visit)(void *arg, const struct wait_event *),
    void *arg, const struct progress_watcher *);

#endif
