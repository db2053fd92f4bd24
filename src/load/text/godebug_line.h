/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_GODEBUG_LINE_H
#define TTRACE_LOAD_TEXT_GODEBUG_LINE_H

#include "load/text/scan.h"

/*
 * Parses the lines that the runtime prints under GODEBUG=gctrace=1, schedtrace=N and scheddetail=1.
 * Times are ns since the program started, in the precision of the line (a millisecond at best).
 */
struct godebug_gc {
	uint64_t number;
	int64_t t;			/* start of the cycle */
	int64_t stw0, mark, stw1;	/* wall-clock time: sweep termination, mark, mark termination */
	int64_t assist, worker, idle;	/* CPU time of marking */
	uint64_t heap0, heap1, heap2, goal, stacks, globals;	/* bytes of heap: at start, at end, live; goal */
	uint32_t procs;
	bool forced, leaks, whole;	/* whole: the line is complete */
};
/* Parse a gctrace line. The text may have a prefix. Returns false if it is none. */
bool godebug_gc(struct scan_text line, struct godebug_gc *);

enum godebug_count { GD_PROCS, GD_IDLE_PROCS, GD_THREADS, GD_SPINNING, GD_IDLE_THREADS, GD_RUNQ, GD__N };
struct godebug_sched {
	int64_t t;
	uint64_t v[GD__N];
	bool gcwaiting, detail;
	struct scan_text queues;		/* lengths of the Ps' run queues, in order; empty with detail */
};
/* Parse a SCHED line. The text may have a prefix. Returns false if it is none. */
bool godebug_sched(struct scan_text line, struct godebug_sched *);
/* Take the next number of a list. */
bool godebug_next_number(struct scan_text *list, uint64_t *v);

/* Parse "  P0: status=1 ... m=2 runqsize=0", "  M2: p=1 curg=3 ...", "  G1: status=4(sleep) m=nil ...". */
struct godebug_unit {
	char kind;			/* P, M or G */
	uint64_t id, status, queue;
	int64_t m, p, g;		/* -1: none */
	bool blocked;
	struct scan_text reason;
};
/* Returns false if the line is none of these. */
bool godebug_unit(struct scan_text line, struct godebug_unit *);

#endif
