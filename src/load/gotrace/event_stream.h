/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_EVENT_STREAM_H
#define TTRACE_LOAD_GOTRACE_EVENT_STREAM_H

#include "base/err.h"
#include "base/wrap_math.h"
#include "load/load.h"

/*
 * Go execution traces as one ordered stream of events, with the kinds and fields of the reference's
 * trace.Event (internal/trace/event.go of Go 1.27), which `go tool trace -d=parsed` prints. The
 * events are the same for all versions of the wire format. Strings and stacks are ids in the
 * generation's tables.
 */
enum trace_event_kind {
	TEV_SYNC, TEV_METRIC, TEV_LABEL, TEV_STACK_SAMPLE,
	TEV_RANGE_BEGIN, TEV_RANGE_ACTIVE, TEV_RANGE_END,
	TEV_TASK_BEGIN, TEV_TASK_END, TEV_REGION_BEGIN, TEV_REGION_END, TEV_LOG,
	TEV_TRANSITION, TEV_EXPERIMENTAL
};

enum trace_resource { TR_NONE, TR_G, TR_P, TR_M };	/* the reference's ResourceKind */
/* GoState and ProcState of the reference, in one enum */
enum trace_state {
	TST_UNDETERMINED, TST_NOTEXIST, TST_RUNNABLE, TST_RUNNING, TST_WAITING, TST_SYSCALL, TST_IDLE
};

enum trace_range_kind { TRG_GC, TRG_ASSIST, TRG_SWEEP, TRG_STW };
enum trace_metric { TM_HEAP_LIVE, TM_HEAP_GOAL, TM_GOMAXPROCS };

/* One event fills one cache line, which is passed from one processor to another. No kind needs all fields, so two
   groups of eight bytes have two meanings each: value and value2 of events for which trace_event_has_value2() is
   true, text, stack2, name and stack of the others. An event that uses value has no text and no stack2. */
struct trace_event {
	int64_t time;		/* ns as the reference's Event.Time() (not rebased) */
	int64_t m, p, g;	/* where it happened; -1: none */
	uint8_t kind;		/* enum trace_event_kind */
	/* Event type on the wire (enum wire_event_type), needed for special cases. A GoSwitch becomes three
	   events; two of them have the types of the events that they stand for (GoBlock or GoDestroy, and
	   GoStart). */
	uint8_t wire;
	uint8_t resource;	/* enum trace_resource, of a transition, label or range */
	uint8_t from, to;	/* enum trace_state, of transitions */
	/* Enum trace_range_kind or trace_metric; of a Sync: 1 it opens a generation, 0 it ends the trace. */
	uint8_t what;
	int64_t id;		/* transition, range, label: G, P or M id; task, region, log: task id
				   (-1 none); experimental: first argument */
	union {
		/* Metric; sweep end: bytes swept; task begin and end: parent task id (all ones: none); sync: its
		   number, from 1; experimental: second argument. */
		uint64_t value;
		struct {
			uint32_t text;		/* string: log message */
			uint32_t stack2;	/* goroutine creation: where the new goroutine starts */
		};
	};
	union {
		uint64_t value2;	/* sweep end: bytes reclaimed; experimental: third argument */
		struct {
			/* string: reason of a transition or STW, task or region type, label, log category */
			uint32_t name;
			uint32_t stack;	/* stack where the event was recorded */
		};
	};
};
_Static_assert(sizeof(struct trace_event) == 64, "a line of the cache");

/* Return whether the event uses value2, and so has neither name nor stack. */
static inline bool trace_event_has_value2(const struct trace_event *t)
{
	return t->kind == TEV_EXPERIMENTAL || (t->kind == TEV_RANGE_END && t->what == TRG_SWEEP);
}

static inline uint32_t trace_event_name(const struct trace_event *t) { return trace_event_has_value2(t) ? 0 : t->name; }
static inline uint32_t trace_event_stack(const struct trace_event *t)
{
	return trace_event_has_value2(t) ? 0 : t->stack;
}
/* The following functions may be called for any event and return 0 where it has no such field. */
static inline uint32_t trace_event_text(const struct trace_event *t) { return t->kind == TEV_LOG ? t->text : 0; }
static inline uint32_t trace_event_stack2(const struct trace_event *t)
{
	return t->kind == TEV_TRANSITION ? t->stack2 : 0;
}
static inline uint64_t trace_event_value(const struct trace_event *t)
{
	return t->kind == TEV_LOG || t->kind == TEV_TRANSITION ? 0 : t->value;
}

/* fun and file are string ids of the generation. */
struct trace_frame { uint64_t pc; uint32_t fun, file; uint64_t line; };

/* Tables of one generation, immutable while its events are delivered. */
struct trace_generation;
const char *generation_str(const struct trace_generation *, uint32_t id, size_t *n); /* "" if there is no such string */
const struct trace_frame *generation_stack(const struct trace_generation *, uint32_t id, uint32_t *n); /* leaf first */
uint64_t generation_number(const struct trace_generation *);
struct trace_clock { bool known; int64_t time; uint64_t mono, sec, nsec; };	/* known since Go 1.25 */
const struct trace_clock *generation_clock(
    const struct trace_generation *);				/* the clock of the Sync that opens the generation */
uint32_t generation_nstacks(const struct trace_generation *);	/* stack ids are dense indexes below this */
/* String ids are below this; it may grow while events of the generation are delivered. */
uint32_t generation_nstrs(const struct trace_generation *);

struct event_stream_info {
	int version;			/* 22, 23, 25, 26 (v2) or 5..21 (v1) */
	int64_t wall, wall_at;		/* clock snapshot: ns since 1970 at trace time wall_at, or TIME_NONE */
	uint64_t events, batches, generations, bytes;	/* bytes: read so far */
	uint64_t lost;			/* bytes from the damage to the end */
	uint64_t lost_at;		/* offset of the damage or ERR_NOWHERE */
};

/* Return the wall time of the event time t in ns since 1970, or TIME_NONE. */
static inline int64_t event_stream_wall(const struct event_stream_info *i, int64_t t)
{
	return i->wall == TIME_NONE ? TIME_NONE : wrap_sub(i->wall, wrap_sub(i->wall_at, t));
}

/* Return whether the n events are only the Sync that ends a trace. */
static inline bool event_stream_is_end(const struct trace_event *t, size_t n)
{
	return n == 1 && t->kind == TEV_SYNC && !t->what;
}

/* Callbacks of the consumer. events() gets events in order, many at a time, all of one generation. A callback that
   returns false stops the reading. */
struct event_stream_ops {
	bool (*events)(void *self, const struct trace_generation *, const struct trace_event *, size_t n);
	void (*warn)(void *self, uint64_t at, const char *msg);
	bool (*generation)(void *self, const struct event_stream_info *);	/* a generation ended */
	/* Called before events(): bytes read so far, approximately; may be NULL. */
	void (*progress)(void *self, uint64_t bytes);
	/* Called once after the header was checked, before all other callbacks; a second thread may be reading the
	   file already. May be NULL. */
	void (*begin)(void *self);
	bool (*idle_work)(void *self);	/* see sink_trace_ops.idle_work; NULL: the sink has none */
	/* 0, or the offset where a generation begins. Then nothing before it is read, and the input may end after
	   any generation. */
	uint64_t from;
};

/* Read a whole trace. Returns 0 if all of it was read, or all before some damage (then warn() was called and
   *damage has the reference's reason). Returns -1 if nothing was readable. */
int event_stream_read(
    struct bytes, const struct event_stream_ops *, void *self, struct event_stream_info *, struct err *damage);

#endif
