/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_ORDER_H
#define TTRACE_LOAD_GOTRACE_ORDER_H

#include "base/mem/mem.h"
#include "load/gotrace/generation.h"
#include "load/gotrace/goroutine_table.h"

struct order_goroutine;
struct order_proc;

/* What a thread is known to hold. g and p are cached where they are known; they do not lie side by side, for a compiler
   would then fetch both at once out of where one of them has just been written, and the processor wait for that. */
struct order_thread {
	int64_t id, g;
	struct order_goroutine *gs;
	int64_t p;
	struct order_proc *ps;
	struct order_thread *next;	/* all threads, newest first */
	uint32_t age;		/* goorder.age while events of it are still to come */
};

/* an event on the wire is at most 3 of ours */
enum { GO_OUT = 1024, GO_OUT_MANY = 1 << 16, GO_OUT_ROOM = 4, GO_NEAR = 1 << 14, GO_NEAR_MOST = 1 << 20 };

/* The scheduler as the trace tells it, across generations. */
struct event_orderer {
	const struct event_stream_ops *ops;
	void *self;
	struct event_stream_info *info;
	struct trace_generation *gen;
	uint64_t first_gen;
	uint32_t age;		/* generations so far: sequence numbers are of one of them */
	struct arena mem;
	struct goroutine_map gs;	/* struct order_goroutine */
	struct u64_hash ps, ms, tasks;
	struct order_extras *free_held;
	struct task *free_task;
	struct order_thread *all_m;
	uint64_t gc_seq;
	int gc;			/* 0 not known, 1 off, 2 on */
	uint64_t dropped;	/* events left out of generations that are not whole */
	uint64_t forced;	/* and such as were believed */
	bool unended;		/* version 1 without its end, which has the frequency and the stacks */
	uint64_t misused;	/* regions that end while another is inside */
	int64_t last;		/* time of the event before */
	uint64_t syncs;
	struct trace_event *out;	/* events that are ready, */
	size_t nout;		/* and for how many there is room: GO_OUT, or of its own GO_OUT_MANY */
	struct trace_event *own;	/* the same, or NULL: brought by who takes them */
	struct trace_event *next, *full;	/* in it: where the next event goes; beyond that, first flush */
	uint64_t bytes;		/* of the input that have been taken apart */
	bool stopped;		/* by the consumer */
	bool general;		/* no event goes the short way (order_fast.h) */
	struct err bad;		/* why the last order_advance() said GO_BAD */
};

/* out: room for GO_OUT events; NULL: it brings its own. */
void order_init(struct event_orderer *, const struct event_stream_ops *, void *self, struct event_stream_info *,
    struct trace_event *out);
void order_free(struct event_orderer *);
/* Whom events go to, when none is ready: the next ones are to go there. */
void order_set_output(struct event_orderer *, struct trace_event *out);

/* Where memory is short goroutines may lie on disk: they are not looked at for now. */
void order_release_pages(const struct event_orderer *);
/* Say what is ready. false: the consumer wants no more. */
bool order_flush(struct event_orderer *);
/* A Sync event: of the generation that begins, or (opens false) of the end. */
void order_emit_sync(struct event_orderer *, int64_t time, bool opens);
/* A CPU sample, which is bound to no order. -1: *e. */
int order_emit_sample(struct event_orderer *, const struct gen_sample *);

/* Try to take ev, which came from thread m: may it happen now? GO_WAIT: not before something on
   another thread. *state is m's, found at the first call and kept by the caller. */
enum order_result { GO_YES, GO_WAIT, GO_BAD };
enum order_result order_advance(struct event_orderer *, struct wire_event *, int64_t m, struct order_thread **state);
/* In a generation that is cut: believe the event, and take it. Not GO_YES: another thread, whose events are still to
   come, says otherwise, or the event makes no sense at all. */
enum order_result order_force(struct event_orderer *, struct wire_event *, int64_t m, struct order_thread **state);

#endif
