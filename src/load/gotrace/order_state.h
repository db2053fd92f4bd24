/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_ORDER_STATE_H
#define TTRACE_LOAD_GOTRACE_ORDER_STATE_H

#include "load/gotrace/order.h"

/* Inside the orderer: what it knows of each goroutine and processor, and one step of it. */
enum { G_BAD, G_RUNNABLE, G_RUNNING, G_SYSCALL, G_WAITING, G__N };
enum { P_BAD, P_RUNNING, P_IDLE, P_SYSCALL, P_ABANDONED, P__N };

struct order_range {		/* something special going on, by its first event and, for stops, its kind */
	uint8_t type;
	uint64_t kind, gen;
	struct gen_string name;
};

struct range_list {
	struct order_range *v;
	uint32_t n, cap;
};

struct region {
	uint64_t task;
	struct gen_string name;
};

/* What few goroutines have, made when it is first needed. */
struct order_extras {
	uint32_t nregion, capregion;
	struct region *region;	/* innermost last */
	struct range_list range_list;
	struct order_extras *next;	/* unused ones */
};

/* Half a cache line: of those that live, as many as possible should stay near. */
struct order_goroutine {
	int64_t id;
	uint64_t seq;
	union {
		struct order_extras *held;	/* or NULL */
		struct order_goroutine *next;	/* unused ones */
	};
	uint32_t age;		/* goorder.age when it was last heard of by a status */
	uint8_t status;
	bool used;
};

struct order_proc {
	int64_t id;
	uint64_t seq;
	uint32_t age;
	uint8_t status;
	struct range_list range_list;
};

struct task {
	struct gen_string name;
	union {
		uint64_t parent;
		struct task *next;	/* unused ones */
	};
};

struct order_place {
	int64_t m, p, g;
};

struct order_step {
	struct event_orderer *o;
	struct wire_event *ev;
	struct order_thread *m;		/* NULL: the batch is of no thread */
	struct order_place now, next;
};

/* order_tables.c: goroutines, processors and threads by id, or NULL. */
static inline struct order_goroutine *order_place_g(const struct event_orderer *o, int64_t id)
{
	return goroutine_table_place(&o->gs, sizeof(struct order_goroutine), id);
}
static inline struct order_goroutine *order_find_g(struct event_orderer *o, int64_t id)
{
	struct order_goroutine *g = order_place_g(o, id);
	return g->used && g->id == id ? g : goroutine_table_find_far(&o->gs, id);
}
struct order_proc *order_find_p(struct event_orderer *, int64_t id);
/* Many lie where others should: a larger table, and all goroutines are elsewhere afterwards. Between two events. */
void order_grow_table(struct event_orderer *);
/* A table of so many places, before there is any goroutine. */
void order_init_table(struct event_orderer *, uint64_t n);
struct order_extras *order_get_extras(struct event_orderer *, struct order_goroutine *);
struct order_goroutine *order_add_g(struct event_orderer *, int64_t id, uint8_t status);
struct order_proc *order_add_p(struct event_orderer *, int64_t id, uint8_t status);
struct order_thread *order_add_m(struct event_orderer *, int64_t id);
struct order_thread *order_find_m(struct event_orderer *, int64_t id);
void order_remove_g(struct event_orderer *, struct order_goroutine *); /* it has ended; its room is used again */
/* The goroutine and the processor of the step's thread. A goroutine may have ended elsewhere in a
   broken trace and its state be another's by now. Nearly always it is the one that the thread met last. */
struct order_goroutine *order_lookup_g(struct order_step *);
struct order_proc *order_lookup_p(struct order_step *);
static inline struct order_goroutine *order_current_g(struct order_step *s)
{
	struct order_goroutine *g = s->m ? s->m->gs : NULL;
	return g && g->used && g->id == s->now.g ? g : order_lookup_g(s);
}
static inline struct order_proc *order_current_p(struct order_step *s)
{
	struct order_proc *p = s->m ? s->m->ps : NULL;
	return p && p->id == s->now.p ? p : order_lookup_p(s);
}

/* Does the thread have what the event needs? false: it says why not. */
enum order_need { NOT, MAY, MUST };
bool order_require(struct order_step *, enum order_need p, enum order_need g);

/* Times of events only grow. */
static inline int64_t order_monotonic_time(struct event_orderer *o, int64_t t)
{
	if (t <= o->last)
		t = wire_add(o->last, 1);
	return o->last = t;
}

/* Where events are written now another processor has read those before them: its copies of the cache lines are to be
   taken back, which is better asked for some events ahead. Beyond the last event no harm is done. */
static inline void order_prefetch_out(const struct trace_event *t)
{
	enum { AHEAD = 8 };
	__builtin_prefetch((const char *)t + (1 + AHEAD) * sizeof *t, 1);
}

/* GO_BAD, and why: fmt has a %s for the event and a PRIu64 for v. */
enum order_result order_fail(struct order_step *, const char *fmt, uint64_t v);
/* The event as its row says. NULL: it names a string or a stack that is not there. */
struct trace_event *order_emit(struct event_orderer *, uint8_t type, struct wire_event *, struct order_place);
enum order_result order_accept(struct order_step *);
uint32_t order_string(struct event_orderer *, uint64_t id, uint8_t type);

/* Of a trace that is cut: whether a cycle ran before the event that is believed. */
void order_assume_gc(struct event_orderer *, bool on);

/* Handlers of what is not scheduling (order_ranges.c). */
typedef enum order_result order_handler(struct order_step *);
order_handler order_annotation, order_task_begin, order_task_end, order_region_begin, order_region_end;
order_handler order_sweep_begin, order_sweep_active, order_sweep_end;
order_handler order_g_range_begin, order_g_range_active, order_g_range_end, order_gc_mark;
order_handler order_heap_metric, order_experimental;
/* order_status.c */
order_handler order_proc_status, order_go_status;

#endif
