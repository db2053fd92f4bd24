/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SINK_TRACE_H
#define TTRACE_SINK_TRACE_H

#include "sink.h"

#include <string.h>

struct err;

/* What readers pass of execution traces, and of logs that are shown as traces. Times are ns since the first event, and
   do not decrease on one track. */

/* State of a P, an M or a G. The rows of state.def have name, letter and style. */
enum tstate {
#define STATE(id, letter, name, reason) TS_##id,
#include "state.def"
#undef STATE
	TS__N
};

/* A flag in the state of a G if that state became known later, by a status event: the interval is from the
   last Sync to that event, and another entry with the same state follows. */
enum { TS_PAST = 0x40 };

/* The track is in this state from t on. Entries of one track are in the order of time. */
struct sink_enter {
	int64_t t;
	trk_id trk;
	uint32_t peer;		/* see state.def */
	stk_id stack;
	uint8_t state;		/* enum tstate and TS_PAST */
	uint8_t moved;		/* used by the sink */
	/* Of a G, without TS_PAST: the P that changes its state too, see sink_proc_state(); 0: none. So most
	   entries of Ps need no memory of their own. */
	uint16_t also;
};

/* Return whether the goroutines started by this function are the runtime's own. */
static inline bool sink_runtime(const char *name, size_t n)
{
	return n >= 8 && !memcmp(name, "runtime.", 8) && !(n == 12 && !memcmp(name, "runtime.main", 12));
}

/* Return the state of the P sink_enter.also when its G enters this state. The entry names the G unless the P is
   idle. */
static inline enum tstate sink_proc_state(unsigned state)
{
	return (state >= TS_RUN && state <= TS_STW) || state == TS_SYSCALL ? (enum tstate)state : TS_IDLE;
}

enum track_kind { TK_NONE, TK_P, TK_M, TK_G };

enum mark_kind { MK_LOG, MK_PROC_STEAL, MK_GOMAXPROCS, MK_LABEL, MK_WAKE_NET,
	MK_QUEUE,	/* of a P, in a log of schedtrace: `task` is the number of goroutines in its run queue */
	MK__N };

struct sink_mark {
	int64_t t;
	enum mark_kind kind;
	trk_id trk;		/* the G (or P) that it belongs to */
	uint64_t task;		/* logs: task id */
	str_id category, text;
	stk_id stack;
};

enum span_kind { SP_TASK, SP_REGION, SP_GC, SP_STW, SP_ASSIST, SP_SWEEP, SP_RANGE };

struct sink_span {	/* something with a start and an end */
	enum span_kind kind;
	int64_t t0, t1;		/* TIME_NONE: it starts before, or ends after the trace */
	trk_id trk, trk1; /* tasks: G of the start and of the end; sweeps: P, and the G that is charged with it or 0 */
	/* Task: id and parent (UINT64_MAX: unknown); region: task, and number in the order of starts. */
	uint64_t id, parent;
	str_id name;		/* task or region type, STW reason, range name */
	stk_id stack, stack1;	/* of the start, of the end */
	/* SP_GC: live heap before and after; SP_SWEEP: bytes swept and reclaimed; SP_TASK: v0 is 0, or 1 + a
	   parent that only its end records (0 in version 1); SP_REGION: RG_* flags, and 0 or the transition that
	   ended it: 1 + 16 * from + to, as enum trace_state. */
	uint64_t v0, v1;
};
/* RG_INHERITED: not a region of the program, but the task of the region in which the G was created. RG_LOOSE: a
   region of a system goroutine that never ended; it does not count as a region of the goroutine. */
enum { RG_INHERITED = 1, RG_LOOSE = 2 };

/* The last four are counted by the store from entries: goroutines by state, thinned so that minimum and maximum of
   every 1024th part of a sheet are kept. Threads in system calls are CT_SYSCALL. */
enum counter {
	CT_HEAP_LIVE, CT_HEAP_GOAL, CT_GOMAXPROCS, CT_STACKS, CT_OTHER,
	/* of schedtrace: goroutines in all run queues and in the global one, idle Ps, threads */
	CT_QUEUED, CT_QUEUE_GLOBAL, CT_PROCS_IDLE, CT_THREADS, CT_THREADS_IDLE, CT_SPINNING,
	/* not counters but events, stored as counters because there are many: a P started on a thread; a P was
	   released (one that was taken away is an MK_PROC_STEAL instead). The value is the P's trk_id. */
	CT_PROC_START, CT_PROC_STOP,
	CT_RUNNABLE, CT_RUNNING, CT_WAITING, CT_SYSCALL, CT__N
};

/* Starts and ends of the work that takes Ps from the program, in the order of events: minimum mutator utilisation
   is computed from these alone. Mark workers are recorded twice: as the reference counts them (a worker that is
   labelled while it runs counts again), and as _ONCE, where each counts once. */
enum util_what { UT_PROCS, UT_STW, UT_ASSIST, UT_SWEEP, UT_WORKER, UT_DEDICATED, UT_WORKER_ONCE, UT_DEDICATED_ONCE };
struct sink_util {
	int64_t t, next;	/* its time; time of the next later event of any kind */
	enum util_what what;	/* UT_WORKER: fractional mark workers */
	uint32_t proc;		/* number of the P; UT_PROCS: number of Ps from now on */
	int32_t delta;		/* 1: start, -1: end */
	bool past;		/* it started before the trace */
};

#define SINK_NO_STACK "(no stack)"	/* function for weight without a recorded stack */

struct sink_trace {	/* facts of a trace */
	int version;		/* 22 for Go 1.22, ... */
	int64_t wall;		/* ns since 1970 at time 0 of the trace, or TIME_NONE */
	int64_t first, last;	/* ns: times of the first and last event; all other times are relative to first */
	uint64_t events, batches, generations;
	/* Made from lines of gctrace and schedtrace: events is the number of lines, generations that of runs of
	   the program; there is no version. */
	bool log;
};

/* Estimates about a trace before it is read. */
enum { OUTLINE_BINS = 512 };
struct sink_outline {
	int64_t t1;		/* approximate duration */
	uint64_t bytes[OUTLINE_BINS];	/* distribution over time, from 0 to t1 */
	uint64_t seen;		/* bytes of the file that were scanned; all of it if whole */
	uint32_t generations;
	bool whole;
};

struct sink_trace_ops {
	/* Find or add a track. Return 0 if the number needs more than 62 bits; real traces have no such numbers. */
	trk_id (*track)(void *, enum track_kind, uint64_t id);
	/* Set what is known of a goroutine's start; 0: not known. May be called again when more is known. */
	void   (*born)(void *, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created);
	void   (*enter)(void *, const struct sink_enter *, size_t n);
	void   (*mark)(void *, const struct sink_mark *);
	void   (*span)(void *, const struct sink_span *);	/* at its end, or at the end of the trace */
	/* by: of CT_HEAP_LIVE, the goroutine whose allocation changed it; 0: unknown, or none. */
	void   (*count)(void *, int64_t t, enum counter, uint64_t v, trk_id by);
	void   (*util)(void *, const struct sink_util *);
	void   (*facts)(void *, const struct sink_trace *);	/* at any time; the last call counts */

	/* Before all other calls, and again when more is known. NULL: the sink does not want it. */
	void   (*outline)(void *, const struct sink_outline *);
	/* Only a part of the trace is read: there will be no data from before t. Before all other data. */
	void   (*starts_at)(void *, int64_t t);

	/* Do a step of pending work, of up to half a millisecond. Called by a thread of the reader that makes no other
	   calls, when it would have to wait, and once as soon as there is such a thread. Return false if there is
	   nothing to do or another thread does it. NULL: the sink has no such work. On two processors this takes a
	   fifth off the time in which a trace is read, because two threads share the work of three. */
	bool   (*idle_work)(void *);
};

/* Pass one entry. */
static inline void sink_enter_one(const struct sink *s, trk_id trk, int64_t t, unsigned state, uint32_t peer, stk_id stack)
{
	s->trace->enter(s->self,
	    &(struct sink_enter){.t = t, .trk = trk, .peer = peer, .stack = stack, .state = (uint8_t)state}, 1);
}

#endif
