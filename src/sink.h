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
 * The only door between readers and the store: what a file can say. A reader
 * knows formats and calls these; a sink (the store's builder, a printer, a
 * counter) knows no formats. Ids are the sink's; 0 is "none" in every table.
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
	uint64_t id;	/* as the file numbers it, or 0 */
	uint64_t start, limit, offset;
	str_id file, build_id;
	bool functions, filenames, lines, inlines;
};

struct sink_fun {
	uint64_t id;
	str_id name, sysname, file;
	int64_t line;	/* where it starts, 0 unknown */
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
	bool blank; /* a string label too, whose text is empty */
	bool bare; /* a number whose unit is given, and empty: it counts though it may be 0 */
};

struct sink_sample {
	stk_id stack;
	const int64_t *value;	/* one per sample type */
	const struct sink_label *label;
	size_t nlabel;
	int64_t when;		/* ns of the trace, or TIME_NONE */
	trk_id trk;		/* the G it was taken on, or 0 */
	trk_id proc;		/* the P, or 0 */
	uint32_t side;		/* 0, or the number of the file that was added to the first */
};

struct sink_meta {	/* of a profile; strings 0 when absent */
	str_id drop_frames, keep_frames, default_type, doc_url;
	str_id period_type, period_unit;
	int64_t time, duration, period;	/* ns; time since 1970 */
	const str_id *comment;
	size_t ncomment;
	bool commented;		/* the names come from comments of a text, which pprof does not read */
};

/* What a P, an M or a G is doing. The rows of state.def give name, letter and style. */
enum tstate {
#define STATE(id, letter, name, reason) TS_##id,
#include "state.def"
#undef STATE
	TS__N
};

/* Or'ed to enter()'s state of a G when that state was only learnt of later (a status event): this
   stretch is from the last Sync to that event, and another enter() of the same state follows. */
enum { TS_PAST = 0x40 };

/* From t on the track is in that state; in the order of time of each track. */
struct sink_enter {
	int64_t t;
	trk_id trk;
	uint32_t who;		/* see state.def */
	stk_id stack;
	uint8_t state;		/* enum tstate, TS_PAST */
	uint8_t moved;		/* the sink's own */
	/* of a G, without TS_PAST: a P that does from then on what the G does, or nothing, see sink_proc_state(); 0:
	   none. So most of what Ps do costs nothing of its own */
	uint16_t also;
};

/* Of a goroutine that such a function started: it is one of the runtime's own. */
static inline bool sink_runtime(const char *name, size_t n)
{
	return n >= 8 && !memcmp(name, "runtime.", 8) && !(n == 12 && !memcmp(name, "runtime.main", 12));
}

/* What sink_enter.also does when its G begins to do that. Its `who` is the G, but where it is idle. */
static inline enum tstate sink_proc_state(unsigned state)
{
	return (state >= TS_RUN && state <= TS_STW) || state == TS_SYSCALL ? (enum tstate)state : TS_IDLE;
}

enum track_kind { TK_NONE, TK_P, TK_M, TK_G };

enum mark_kind { MK_LOG, MK_PROC_STEAL, MK_GOMAXPROCS, MK_LABEL, MK_WAKE_NET,
	MK_QUEUE,	/* of a P, in a log of schedtrace: so many (task) goroutines are in its run queue */
	MK__N };

struct sink_mark {
	int64_t t;
	enum mark_kind kind;
	trk_id trk;		/* the G (or P) it belongs to */
	uint64_t task;		/* logs: task id */
	str_id category, text;
	stk_id stack;
};

enum span_kind { SP_TASK, SP_REGION, SP_GC, SP_STW, SP_ASSIST, SP_SWEEP, SP_RANGE };

struct sink_span {	/* something with a beginning and an end */
	enum span_kind kind;
	int64_t t0, t1;		/* TIME_NONE: began before, ends after the trace */
	trk_id trk, trk1;	/* G where it began and where it ended (tasks); sweeps: P, and the G
				   that is charged with it or 0 */
	uint64_t id, parent;	/* task: id and parent (UINT64_MAX: none known); region: task, number in
				   the order of beginnings */
	str_id name;		/* task or region type, STW reason, range name */
	stk_id stack, stack1;	/* where begun, where ended */
	uint64_t v0, v1;	/* SP_GC: heap live before and after; SP_SWEEP: bytes swept, reclaimed;
				   SP_TASK: 0, or 1 + a parent that only its end names (0 in version 1);
				   SP_REGION: RG_* flags, and 0 or the transition that ended it:
				   1 + 16 * from + to, as enum trace_state */
};
/* RG_INHERITED: not a region of the program: the task of the region that the G was created in.
   RG_LOOSE: of a system goroutine and never ended: it is none of the goroutine's regions. */
enum { RG_INHERITED = 1, RG_LOOSE = 2 };

/* The last four are counted by the store out of enter(): goroutines by state, thinned so that
   minimum and maximum of every 1024th of a sheet are kept. Threads in system calls are CT_SYSCALL. */
enum counter {
	CT_HEAP_LIVE, CT_HEAP_GOAL, CT_GOMAXPROCS, CT_STACKS, CT_OTHER,
	/* of schedtrace: goroutines in all run queues and in the global one, idle Ps, threads */
	CT_QUEUED, CT_QUEUE_GLOBAL, CT_PROCS_IDLE, CT_THREADS, CT_THREADS_IDLE, CT_SPINNING,
	/* no counters but ticks, for there are many: a P began to run on a thread, a P was given back (not taken:
	   MK_PROC_STEAL); the value is the P's trk_id */
	CT_PROC_START, CT_PROC_STOP,
	CT_RUNNABLE, CT_RUNNING, CT_WAITING, CT_SYSCALL, CT__N
};

/* What takes a P from the program, in the order of the events: minimum mutator utilisation is
   computed from these alone. Mark workers are told twice: as the reference counts them (a worker that is
   labelled while it runs once more), and ONCE each. */
enum util_what { UT_PROCS, UT_STW, UT_ASSIST, UT_SWEEP, UT_WORKER, UT_DEDICATED, UT_WORKER_ONCE, UT_DEDICATED_ONCE };
struct sink_util {
	int64_t t, next;	/* when; when the next event of any kind with a later time is */
	enum util_what what;	/* UT_WORKER: fractional mark workers */
	uint32_t proc;		/* number of the P; UT_PROCS: how many Ps from now on */
	int32_t delta;		/* 1 begins, -1 ends */
	bool past;		/* begun before the trace */
};

#define SINK_NO_STACK "(no stack)"	/* the function of weight whose stack was not recorded */

struct sink_trace {	/* facts of a trace */
	int version;		/* 22 for Go 1.22, ... */
	int64_t wall;		/* ns since 1970 at time 0 of the trace, or TIME_NONE */
	int64_t first, last;	/* ns: of the first and last event; times above count from 0 = first */
	uint64_t events, batches, generations;
	bool log;		/* lines of gctrace and schedtrace: so many events (lines), generations (runs
				   of the program); no version */
};

/* What a trace seems to hold before it is read. */
enum { OUTLINE_BINS = 512 };
struct sink_outline {
	int64_t t1;		/* it lasts about so long */
	uint64_t bytes[OUTLINE_BINS];	/* by time, from 0 to t1 */
	uint64_t seen;		/* of the file; all of it, when whole */
	uint32_t generations;
	bool whole;
};

/* What it takes to read one generation of a trace again, later, without what came before it; told at its
   end. The bytes are the reader's own affair; the sink copies them. */
struct sink_checkpoint {
	uint64_t at, end;		/* bytes of the file */
	const void *tables, *state;	/* what the sink calls its strings and stacks; what goes on when it ends */
	size_t ntables, nstate;
};

struct sink {
	const struct sink_ops {
		str_id (*str)(void *, const char *, size_t);
		map_id (*map)(void *, const struct sink_map *);
		fun_id (*fun)(void *, const struct sink_fun *);
		loc_id (*loc)(void *, const struct sink_loc *);
		stk_id (*stack)(void *, const loc_id *leaf_first, size_t n);
		/* NULL: it keeps stacks as they are. A sink that keeps them as a tree: a stack that begins with `same`
		   frames of the one said before by branch(), and goes on with these. All that are said so come in the
		   order of their outermost frames, and no two of them but equal ones are the same. */
		stk_id (*branch)(void *, size_t same, const loc_id *outer_first, size_t n);
		/* The stacks of all samples that were said with STK_LATER, in their order. Until then nobody sees
		   them. */
		void   (*resolve_stacks)(void *, const stk_id *, size_t n);
		/* on: the stacks and samples that are said from now on are some of those to come, to look at before
		   these are settled. Off: that was all. May be NULL. */
		void   (*preview)(void *, bool on);
		int    (*type)(void *, str_id name, str_id unit);	/* one more sample type */
		void   (*sample)(void *, const struct sink_sample *);
		void   (*meta)(void *, const struct sink_meta *);

		/* traces; times are ns since the first event, never less than the last of that track */
		trk_id (*track)(void *, enum track_kind, uint64_t id);	/* find or add */
		void   (*born)(void *, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created);
		void   (*enter)(void *, trk_id, int64_t t, enum tstate, uint32_t who, stk_id);
		void   (*enters)(void *, const struct sink_enter *, size_t n);	/* many of them */
		/* where so many may be written, to be said by enters() before anything but track() and born(): then
		   they are where they go already. NULL: anywhere */
		struct sink_enter *(*room)(void *, size_t n);
		void   (*mark)(void *, const struct sink_mark *);
		void   (*span)(void *, const struct sink_span *);	/* when it ends, or at the end */
		void   (*count)(void *, int64_t t, enum counter, uint64_t v);
		void   (*util)(void *, const struct sink_util *);
		void   (*trace)(void *, const struct sink_trace *);	/* any time; the last one holds */
		/* before all else, and again when more is known; not always */
		void   (*outline)(void *, const struct sink_outline *);
		/* before anything of the trace: of the time before nothing will be said */
		void   (*from)(void *, int64_t t);

		/* after upto(), where a generation ended; NULL: is this wanted? */
		bool   (*keep)(void *, const struct sink_checkpoint *);

		/* by a thread of the reader that says nothing and would have to wait: some work that the sink has, if
		   there is any and nobody else is at it. false: there was none. Asked once as soon as there is such a
		   thread. May be NULL */
		bool   (*idle_work)(void *);
		/* nothing is said for a moment: what was learnt of tracks is not looked at, and what waits may be done.
		   May be NULL */
		void   (*release_pages)(void *);

		/* notices: a file shown in spite of something; at is a byte offset or ERR_NOWHERE, or ERR_ASIDE */
		void   (*warn)(void *, uint64_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
		/* everything before t is said; publish it. bytes read of the input. false: stop. */
		bool   (*upto)(void *, int64_t t, uint64_t bytes);
	} *ops;
	void *self;
	/* whom the reference takes for a mark worker is told as UT_WORKER and UT_DEDICATED even where it is none:
	   millions of times, and for its curve of utilisation alone */
	bool oddities;
};

/* Says a generation again: gen->state is that of its beginning, NULL: it is the first. What is said is what was
   said, without all but enters, upto and keep; track() only finds. -1: the file is not what it was. */
typedef int sink_reread_fn(void *arg, const struct sink_checkpoint *gen, struct sink *, struct err *);

#endif
