/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_STOP_PHASES_H
#define TTRACE_TRACE_STATS_STOP_PHASES_H

#include "trace/stats/stops.h"

/*
 * The phases of a stop of the world. When it starts, goroutines still run; it is complete when the last P has stopped.
 * After its end, other Ps start again.
 */
struct stop_phases {
	int64_t stopping;	/* ns from its start until the last P has stopped; 0: no other P ran */
	int64_t stopped;	/* ns from then to its end */
	int64_t restart;	/* ns from its end until another P that ran before runs again; -1: none ran, or none does */
	trk_id last;		/* the goroutine that ran on the last P; 0: none did, or it is a mark worker */
	stk_id stack;		/* where it was; 0: unknown */
};
/* Return the Ps of a snapshot, in the arena. */
trk_id *stop_phases_procs(const struct snap *, struct arena *, uint32_t *n);
/* next: start of the next stop, or the end of the trace. */
struct stop_phases stop_phases_find(
    const struct snap *, const trk_id *procs, uint32_t nprocs, const struct stop *, int64_t next);

#endif
