/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_TEXT_GODEBUG_EMIT_H
#define TTRACE_LOAD_TEXT_GODEBUG_EMIT_H

#include "load/load.h"
#include "load/text/godebug_line.h"
#include "sink_trace.h"

/* The contents of a log of the runtime, which godebug.c reads, and how they are emitted. */
enum { MAX_PROCS = 1024, MAX_STATES = 1 << 22, MAX_UTILS = 1 << 22, UTIL_PROCS = 256 };

struct gc_rec { struct godebug_gc g; uint64_t at; };
struct sched_rec { struct godebug_sched s; size_t unit, nunit; };
/* One run of the program. base: its start in the trace; wall: wall-clock time of its start; gc, sched: its first
   records. */
struct godebug_run { int64_t base, end, wall; size_t gc, sched; };

/* A point in time. Points of one time are ordered: a new run of the program, then SCHED lines, then the points of
   cycles in the order in which they were added. */
enum point_kind { PT_RUN, PT_SCHED, PT_GC, PT_MARK, PT_UTIL, PT_UTIL_END, PT_MARK_END, PT_LAST_STW, PT_STW_END };
struct point { int64_t t; enum point_kind kind; uint32_t i, proc; enum util_what what; size_t seq; };

struct godebug_proc {
	trk_id trk;			/* 0: unknown */
	uint8_t base, shown;		/* states: of the last SCHED line, and as emitted last */
};

struct godebug {
	struct sink *s;
	struct gc_rec *gc;
	struct sched_rec *sched;
	struct godebug_unit *unit;
	struct godebug_run *godebug_run;
	struct point *point;
	size_t stacks, ngc, cgc, nsched, csched, nunit, cunit, nrun, crun, npoint, cpoint, lines, cut;
	uint64_t cut_at, last_gc;
	int64_t last_sched;
	bool detail, many_utils, many_states, out_of_memory;
	/* used while events are emitted */
	struct godebug_proc *proc;	/* by number */
	size_t nproc, cproc, nstates;
	bool stopped, has_stacks;
	uint32_t procs;			/* GOMAXPROCS as emitted last */
	const struct sched_rec *newest;	/* last SCHED line of this run */
	str_id n_gc, n_forced, n_stw0, n_stw1;
};

/* Emit the facts of the log as a whole; then emit all points in order. */
void godebug_emit_trace(const struct godebug *, int64_t end);
void godebug_emit_events(struct godebug *, struct bytes);

#endif
