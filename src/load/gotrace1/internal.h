/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE1_INTERNAL_H
#define TTRACE_LOAD_GOTRACE1_INTERNAL_H

#include "load/gotrace1/parse.h"

/* The events of version 1, and the steps of gotrace1_read(). */

enum gotrace1_type {
	V1_NONE, V1_BATCH, V1_FREQUENCY, V1_STACK, V1_GOMAXPROCS, V1_PROC_START, V1_PROC_STOP,
	V1_GC_START, V1_GC_DONE, V1_STW_START, V1_STW_DONE, V1_SWEEP_START, V1_SWEEP_DONE,
	V1_GO_CREATE, V1_GO_START, V1_GO_END, V1_GO_STOP, V1_GO_SCHED, V1_GO_PREEMPT, V1_GO_SLEEP,
	V1_GO_BLOCK, V1_GO_UNBLOCK, V1_GO_BLOCK_SEND, V1_GO_BLOCK_RECV, V1_GO_BLOCK_SELECT,
	V1_GO_BLOCK_SYNC, V1_GO_BLOCK_COND, V1_GO_BLOCK_NET, V1_GO_SYSCALL, V1_GO_SYSEXIT,
	V1_GO_SYSBLOCK, V1_GO_WAITING, V1_GO_IN_SYSCALL, V1_HEAP_ALLOC, V1_HEAP_GOAL,
	V1_TIMER_GOROUTINE, V1_FUTILE_WAKEUP, V1_STRING, V1_GO_START_LOCAL, V1_GO_UNBLOCK_LOCAL,
	V1_GO_SYSEXIT_LOCAL, V1_GO_START_LABEL, V1_GO_BLOCK_GC, V1_ASSIST_START, V1_ASSIST_DONE,
	V1_TASK_CREATE, V1_TASK_END, V1_REGION, V1_LOG, V1_CPU_SAMPLE, V1__N
};

/* Numbers of pseudo processors, for events that belong to no real one. */
enum { V1_P_TIMER = 1000001, V1_P_NET, V1_P_SYSCALL, V1_P_GC, V1_P_PROFILE };

struct gotrace1_event {
	int64_t ts;		/* ticks; after ordering: ns since the first event */
	int64_t seq;		/* Go 1.5 and 1.6: number among all events */
	uint64_t g, arg[4];	/* of a log message: task, category, offset and length of the text */
	uint32_t stack;		/* id in the file */
	int32_t p;
	uint32_t next;		/* the next event of the same P: index + 1 */
	uint8_t type;
	bool blocked;		/* system calls: the call lost its P */
};

struct gotrace1_proc {		/* the events of one P, in order */
	int64_t p;
	/* goroutine that runs after its last batch; while ordering: after the last ordered event */
	uint64_t g;
	uint32_t first, last;	/* index + 1 */
};

struct v1_trace {
	struct bytes in;
	int version;
	struct trace_generation *gen;	/* strings and stacks: one generation for the whole trace */
	struct u64_hash stack_ids;	/* id in the file to index of gen->stack */
	/* Before Go 1.7, by address: strings, and stacks of one frame with that address. */
	struct u64_hash names, starts;
	struct u64_hash timers;	/* goroutines of the runtime that wake others when timers expire */
	int64_t ticks_per_sec;
	struct gotrace1_event *ev;	/* in the order of the file */
	size_t nev, capev;
	struct gotrace1_proc *proc;
	size_t nproc, capproc;
	struct u64_hash procs;
	uint32_t *order;	/* indexes of ev */
	size_t norder;
	struct err damage;	/* the first damage; kind ERR_NONE: none */
	uint64_t forced, dropped;	/* impossible events that were taken anyway, or left out */
	uint64_t end;		/* number of bytes of the file that were read */
};

/* Put the events into an order that agrees with their times and with the goroutines' states. Where a truncated
   trace lacks the cause of an event, the event is taken anyway or left out. */
void gotrace1_order(struct v1_trace *v);
/* The last step of gotrace1_order(): check that each event is possible. */
void gotrace1_repair(struct v1_trace *v);
/* Emit them as events of version 2. */
void gotrace1_convert(struct v1_trace *v, struct event_orderer *o);

#endif
