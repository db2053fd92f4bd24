/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_EVENT_STREAM_H
#define TTRACE_LOAD_GOTRACE_EVENT_STREAM_H

#include "base/err.h"
#include "load/load.h"

/*
 * Go execution traces as one ordered stream of events, the vocabulary of the
 * reference's trace.Event (internal/trace/event.go of Go 1.27): what
 * `go tool trace -d=parsed` prints. Whatever the wire version, what comes out
 * of here is the same. Strings and stacks are ids in the generation's tables.
 */
enum trace_event_kind {
	TEV_SYNC, TEV_METRIC, TEV_LABEL, TEV_STACK_SAMPLE,
	TEV_RANGE_BEGIN, TEV_RANGE_ACTIVE, TEV_RANGE_END,
	TEV_TASK_BEGIN, TEV_TASK_END, TEV_REGION_BEGIN, TEV_REGION_END, TEV_LOG,
	TEV_TRANSITION, TEV_EXPERIMENTAL
};

enum trace_resource { TR_NONE, TR_G, TR_P, TR_M };	/* the reference's ResourceKind */
/* GoState and ProcState of the reference, one enum */
enum trace_state {
	TST_UNDETERMINED, TST_NOTEXIST, TST_RUNNABLE, TST_RUNNING, TST_WAITING, TST_SYSCALL, TST_IDLE
};

enum trace_range_kind { TRG_GC, TRG_ASSIST, TRG_SWEEP, TRG_STW };
enum trace_metric { TM_HEAP_LIVE, TM_HEAP_GOAL, TM_GOMAXPROCS };

/* One line of the cache, which goes from one processor to another: no kind needs all fields, so two of eight bytes have
   two readings each. Of events that trace_event_has_value2() are value and value2, of others text, stack2, name and
   stack; an event that has a value has no text and no stack2. */
struct trace_event {
	int64_t time;		/* ns as the reference's Event.Time() (not rebased) */
	int64_t m, p, g;	/* where; -1 none */
	uint8_t kind;		/* enum trace_event_kind */
	uint8_t wire;		/* event type on the wire (gotrace/wire.h), for oddities; a GoSwitch comes as three
				   events, of which two have the types of what they stand for */
	uint8_t resource;	/* enum trace_resource: of the transition, label or range */
	uint8_t from, to;	/* enum trace_state, transitions */
	uint8_t what;		/* enum trace_range_kind or trace_metric; sync: 1 opens a generation, 0 the end */
	int64_t id;		/* transition, range, label: G, P or M id; task, region, log: task id
				   (-1 none); experimental: first argument */
	union {
		uint64_t value;		/* metric; sweep end: bytes swept; task begin and end: parent task id, all ones
					   when there is none; sync: its number from 1; experimental: second argument */
		struct {
			uint32_t text;		/* string: log message */
			uint32_t stack2;	/* goroutine creation: where the new one starts */
		};
	};
	union {
		uint64_t value2;	/* sweep end: bytes reclaimed; experimental: third argument */
		struct {
			/* string: reason of a transition or STW, task or region type, label, log category */
			uint32_t name;
			uint32_t stack;	/* stack of the event (who did it) */
		};
	};
};
_Static_assert(sizeof(struct trace_event) == 64, "a line of the cache");

/* Does it have value2, and so neither name nor stack? */
static inline bool trace_event_has_value2(const struct trace_event *t)
{
	return t->kind == TEV_EXPERIMENTAL || (t->kind == TEV_RANGE_END && t->what == TRG_SWEEP);
}

static inline uint32_t trace_event_name(const struct trace_event *t) { return trace_event_has_value2(t) ? 0 : t->name; }
static inline uint32_t trace_event_stack(const struct trace_event *t)
{
	return trace_event_has_value2(t) ? 0 : t->stack;
}
/* Of any event; 0 where it has none. */
static inline uint32_t trace_event_text(const struct trace_event *t) { return t->kind == TEV_LOG ? t->text : 0; }
static inline uint32_t trace_event_stack2(const struct trace_event *t)
{
	return t->kind == TEV_TRANSITION ? t->stack2 : 0;
}
static inline uint64_t trace_event_value(const struct trace_event *t)
{
	return t->kind == TEV_LOG || t->kind == TEV_TRANSITION ? 0 : t->value;
}

struct trace_frame { uint64_t pc; uint32_t fun, file; uint64_t line; };	/* strings of the generation */

/* Tables of one generation, immutable while its events are delivered. */
struct trace_generation;
const char *generation_str(const struct trace_generation *, uint32_t id, size_t *n);	/* "" when there is none */
const struct trace_frame *generation_stack(const struct trace_generation *, uint32_t id, uint32_t *n); /* leaf first */
uint64_t generation_number(const struct trace_generation *);
struct trace_clock { bool known; int64_t time; uint64_t mono, sec, nsec; };	/* known since Go 1.25 */
const struct trace_clock *generation_clock(
    const struct trace_generation *);				/* what a Sync that opens the generation says */
uint32_t generation_nstacks(const struct trace_generation *);	/* stack ids are dense indexes below this */
uint32_t generation_nstrs(const struct trace_generation *);	/* string ids likewise; may grow
						   while events of the generation come */

struct event_stream_info {
	int version;			/* 22, 23, 25, 26 (v2) or 5..21 (v1) */
	int64_t wall, wall_at;		/* clock snapshot: ns since 1970 at trace time wall_at, or TIME_NONE */
	uint64_t events, batches, generations, bytes;	/* bytes: read so far */
	uint64_t lost;			/* bytes after the damage */
	uint64_t lost_at;		/* offset of the damage or ERR_NOWHERE */
	struct buf *kept; /* event_stream_ops.keeps, and the generation is whole: what of the order goes on; to be
			     freed by generation() */
};

/* Nothing but the Sync that ends a trace. */
static inline bool event_stream_is_end(const struct trace_event *t, size_t n)
{
	return n == 1 && t->kind == TEV_SYNC && !t->what;
}

/* The consumer gets events in order, many at a time, all of one generation. false: stop. */
struct event_stream_ops {
	bool (*events)(void *self, const struct trace_generation *, const struct trace_event *, size_t n);
	void (*warn)(void *self, uint64_t at, const char *msg);
	bool (*generation)(
	    void *self, const struct trace_generation *, const struct event_stream_info *); /* it ended */
	void (*progress)(void *self, uint64_t bytes);	/* before events: read so far, about; may be NULL */
	/* before all else, the header being good; the file may be being read already. May be NULL */
	void (*begin)(void *self);
	bool (*idle_work)(void *self);	/* of the sink; see there. NULL: it has none */
	bool keeps;	/* generation() is to know what it takes to read on from there */
	/* 0, or the byte where a generation begins: nothing before it is read, and the input may end where any ends */
	uint64_t from;
	/* what was learnt of goroutines is not looked at for now: memory is short, and others are at work. May be NULL */
	void (*rest)(void *self);
};

/* Read a whole trace. 0: all of it, or all before the damage (then warn() said so and *damage has
   the reference's reason). -1: refused, nothing was readable. */
int event_stream_read(
    struct bytes, const struct event_stream_ops *, void *self, struct event_stream_info *, struct err *damage);

/* One generation again: in.p are its bytes, from `at` of the file on, kept is what info.kept was when the one
   before ended, n 0: it is the first. */
int event_stream_reread(int version, struct bytes in, uint64_t at, const void *kept, size_t n,
    const struct event_stream_ops *, void *self, struct err *);

#endif
