/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_ORDER_H
#define TTRACE_LOAD_GOTRACE_ORDER_H

#include "base/mem/mem.h"
#include "load/gotrace/generation.h"
#include "load/gotrace/goroutine_table.h"

struct order_goroutine;
struct order_proc;

/* What a thread is known to have. gs and ps cache the entries of g and p, where they are known. g and p are not
   adjacent: a compiler would load both at once shortly after one of them was written, and the processor would have
   to wait for that store. */
struct order_thread {
	int64_t id, g;
	struct order_goroutine *gs;
	int64_t p;
	struct order_proc *ps;
	struct order_thread *next;	/* list of all threads, newest first */
	uint32_t age;	/* event_orderer.age while the generation has more events of this thread, else 0 or older */
};

/* GO_OUT_ROOM: free entries before each step, since an event on the wire becomes at most 3 events. */
enum { GO_OUT = 1024, GO_OUT_ROOM = 4, GO_NEAR_MOST = 1 << 20 };

/* The scheduler's state as the trace describes it, across generations. */
struct event_orderer {
	const struct event_stream_ops *ops;
	void *self;
	struct event_stream_info *info;
	struct trace_generation *gen;
	uint64_t first_gen;
	uint32_t age;		/* number of generations so far: sequence numbers are valid within one */
	struct arena mem;
	struct goroutine_map gs;	/* struct order_goroutine */
	struct u64_hash ps, ms, tasks;
	struct order_extras *free_held;
	struct task *free_task;
	struct order_thread *all_m;
	uint64_t gc_seq;
	int gc;			/* 0: not known, 1: off, 2: on */
	uint64_t dropped;	/* events left out of generations that are not whole */
	uint64_t forced;	/* events of such generations that were taken although they were not possible */
	bool unended;		/* a trace of version 1 without its end, which has the frequency and the stacks */
	uint64_t misused;	/* regions that end while another is open inside */
	int64_t last;		/* time of the last event */
	uint64_t syncs;
	struct trace_event *out;	/* buffer of events that are ready */
	struct trace_event *own;	/* the same buffer if allocated here; NULL: the consumer provides it */
	struct trace_event *next, *full;	/* next: where the next event is written; beyond full: flush first */
	uint64_t bytes;		/* bytes of the input decoded so far */
	bool stopped;		/* the consumer stopped the reading */
	bool general;		/* do not use order_fast.h */
	struct err bad;		/* why the last order_advance() returned GO_BAD, unless the generation is salvaged */
};

/* Initialize. bytes: length of the input. out has room for GO_OUT events; NULL: allocate a buffer. */
void order_init(struct event_orderer *, const struct event_stream_ops *, void *self, struct event_stream_info *,
    struct trace_event *out, uint64_t bytes);
void order_free(struct event_orderer *);
/* Write the next events to out. Called while no event is ready. */
void order_set_output(struct event_orderer *, struct trace_event *out);

/* Deliver the events that are ready. Returns false if the consumer stopped. */
bool order_flush(struct event_orderer *);
/* Emit a Sync event: of the generation that begins, or (opens false) of the end of the trace. */
void order_emit_sync(struct event_orderer *, int64_t time, bool opens);
/* Emit a CPU sample, which needs no ordering. Returns -1 if it cannot be emitted; o->bad has the reason. */
int order_emit_sample(struct event_orderer *, const struct gen_sample *);

/* Take ev of thread m if it is possible now. GO_WAIT: another thread has to advance first. GO_BAD: the trace is
   broken, see o->bad. *state is m's entry: NULL at the first call, found then and kept by the caller. */
enum order_result { GO_YES, GO_WAIT, GO_BAD };
enum order_result order_advance(struct event_orderer *, struct wire_event *, int64_t m, struct order_thread **state);
/* In a truncated generation: assume the state that the event requires, and take the event. Does not return GO_YES
   if a thread with events still to come contradicts it, or if the event makes no sense. */
enum order_result order_force(struct event_orderer *, struct wire_event *, int64_t m, struct order_thread **state);

#endif
