/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SINK_H
#define TTRACE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct err;

/*
 * The interface between readers and the store: all data that a file can contain. A reader knows
 * formats and calls these functions; a sink (the store's builder, a printer, a counter) knows no
 * formats. Ids are those of the sink; 0 is "none" in every table.
 */
typedef uint32_t str_id;	/* "" is 0 */
typedef uint32_t fun_id;
typedef uint32_t map_id;
typedef uint32_t loc_id;
typedef uint32_t frm_id;	/* one line of a location */
typedef uint32_t stk_id;	/* a node of the call tree: a frame and its parent */
typedef uint32_t trk_id;

#define TIME_NONE INT64_MIN
#define STK_LATER UINT32_MAX

struct sink_map {
	uint64_t id;	/* the file's number, or 0 */
	uint64_t start, limit, offset;
	str_id file, build_id;
	bool functions, filenames, lines, inlines;
};

struct sink_fun {
	uint64_t id;
	str_id name, sysname, file;
	int64_t line;	/* first line; 0: unknown */
};

struct sink_line {	/* innermost (inlined) first, as in profile.proto */
	fun_id fun;
	int64_t line, col;
};

struct sink_loc {
	uint64_t id, addr;
	map_id map;
	bool folded;
	const struct sink_line *line;
	size_t nline;
};

struct sink_label {
	str_id key, str;	/* str != 0: a string label */
	int64_t num;
	str_id unit;
	bool blank; /* a string label whose text is empty */
	bool bare; /* a number with an empty unit that is given explicitly; it is a label even if the number is 0 */
};

struct sink_sample {
	stk_id stack;
	const int64_t *value;	/* one for each sample type */
	const struct sink_label *label;
	size_t nlabel;
	int64_t when;		/* ns since the start of the trace, or TIME_NONE */
	trk_id trk;		/* the G that it was taken on, or 0 */
	trk_id proc;		/* the P, or 0 */
	uint32_t side;		/* 0, or the number of the file that was added to the first one */
};

struct sink_meta {	/* of a profile; strings are 0 if absent */
	str_id drop_frames, keep_frames, default_type, doc_url;
	str_id period_type, period_unit;
	int64_t time, duration, period;	/* ns; time since 1970 */
	const str_id *comment;
	size_t ncomment;
	bool commented;		/* the names are from comments of a text, which pprof does not read */
};

/* State of a P, an M or a G. The rows of state.def have name, letter and style. */
enum tstate {
#define STATE(id, letter, name, reason) TS_##id,
#include "state.def"
#undef STATE
	TS__N
};

/* A flag in enter()'s state of a G if that state became known later, by a status event: the interval is from the
   last Sync to that event, and another enter() with the same state follows. */
enum { TS_PAST = 0x40 };

/* The track is in this state from t on. Entries of one track are in the order of time. */
struct sink_enter {
	int64_t t;
	trk_id trk;
	uint32_t who;		/* see state.def */
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

/* The last four are counted by the store from enter(): goroutines by state, thinned so that minimum and maximum of
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

/* What is needed to read one generation of a trace again later, without the generations before it; passed at the
   end of the generation. Only the reader knows the meaning of the bytes; the sink copies them. */
struct sink_checkpoint {
	uint64_t at, end;		/* its bytes in the file */
	/* Tables: the sink's ids of its strings and stacks; state: the reader's state at its end. */
	const void *tables, *state;
	size_t ntables, nstate;
};

struct sink {
	const struct sink_ops {
		str_id (*str)(void *, const char *, size_t);
		map_id (*map)(void *, const struct sink_map *);
		fun_id (*fun)(void *, const struct sink_fun *);
		loc_id (*loc)(void *, const struct sink_loc *);
		stk_id (*stack)(void *, const loc_id *leaf_first, size_t n);
		/* NULL: the sink keeps stacks as they are. For a sink that keeps them as a tree: add a stack that
		   consists of the first `same` frames of the stack of the previous call and these frames. Stacks
		   are passed in the order of their outermost frames, equal ones in adjacent calls. */
		stk_id (*branch)(void *, size_t same, const loc_id *outer_first, size_t n);
		/* Set the stacks of all samples that were passed with STK_LATER, in order. Such samples are not
		   visible before. */
		void   (*resolve_stacks)(void *, const stk_id *, size_t n);
		int    (*type)(void *, str_id name, str_id unit);	/* add a sample type */
		void   (*sample)(void *, const struct sink_sample *);
		void   (*meta)(void *, const struct sink_meta *);

		/* Traces. Times are ns since the first event, and do not decrease on one track. */
		trk_id (*track)(void *, enum track_kind, uint64_t id);	/* find or add */
		void   (*born)(void *, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created);
		void   (*enter)(void *, trk_id, int64_t t, enum tstate, uint32_t who, stk_id);
		void   (*enters)(void *, const struct sink_enter *, size_t n);	/* many entries at once */
		/* Return memory for n entries, which the caller fills and passes to enters() before any other call
		   but track() and born(); so they need not be copied. NULL: use other memory. */
		struct sink_enter *(*room)(void *, size_t n);
		void   (*mark)(void *, const struct sink_mark *);
		void   (*span)(void *, const struct sink_span *);	/* at its end, or at the end of the trace */
		void   (*count)(void *, int64_t t, enum counter, uint64_t v);
		void   (*util)(void *, const struct sink_util *);
		void   (*trace)(void *, const struct sink_trace *);	/* at any time; the last call counts */
		/* before all other calls, and again when more is known; optional */
		void   (*outline)(void *, const struct sink_outline *);
		/* before all other data of the trace: there will be no data from before t */
		void   (*from)(void *, int64_t t);

		/* After upto() at the end of a generation. With NULL: return whether checkpoints are wanted. */
		bool   (*keep)(void *, const struct sink_checkpoint *);

		/* Do some pending work of the sink. Called by a thread of the reader that makes no other calls,
		   when it would have to wait, and once as soon as there is such a thread. Returns false if there
		   is no work or another thread does it. May be NULL. */
		bool   (*idle_work)(void *);
		/* The reader makes no calls for a moment: the sink may release pages of what it knows of tracks
		   and do pending work. May be NULL. */
		void   (*release_pages)(void *);

		/* a notice about a file that is shown nevertheless; at: a byte offset, ERR_NOWHERE or ERR_ASIDE */
		void   (*warn)(void *, uint64_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
		/* All data before t has been passed: publish it. bytes: bytes of the input read so far. Returns
		   false to stop the reading. */
		bool   (*upto)(void *, int64_t t, uint64_t bytes);
	} *ops;
	void *self;
	/* UT_WORKER and UT_DEDICATED are also passed for goroutines that the reference mistakes for mark workers.
	   There are millions of them, and only the reference's curve of utilisation needs them. */
	bool oddities;
};

/* Read a generation again. gen->state is the state at its start; NULL: it is the first one. Calls the sink as the
   first reading did, but only enters(), upto() and keep(); track() only finds. Returns -1 if the file changed. */
typedef int sink_reread_fn(void *arg, const struct sink_checkpoint *gen, struct sink *, struct err *);

#endif
