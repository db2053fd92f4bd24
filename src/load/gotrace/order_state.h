/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_ORDER_STATE_H
#define TTRACE_LOAD_GOTRACE_ORDER_STATE_H

#include "load/gotrace/order.h"

/* Internals of the orderer: its state of each goroutine and processor, and one step. */
enum { G_BAD, G_RUNNABLE, G_RUNNING, G_SYSCALL, G_WAITING, G__N };
enum { P_BAD, P_RUNNING, P_IDLE, P_SYSCALL, P_ABANDONED, P__N };

struct order_range {	/* a range that is open: type of its first event and, for stops of the world, the kind */
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

/* State that few goroutines have, allocated when first needed. */
struct order_extras {
	uint32_t nregion, capregion;
	struct region *region;	/* innermost last */
	struct range_list range_list;
	struct order_extras *next;	/* list of unused ones */
};

/* Half a cache line, so that as many live goroutines as possible stay in the cache. */
struct order_goroutine {
	int64_t id;
	uint64_t seq;
	union {
		struct order_extras *held;	/* NULL: none */
		struct order_goroutine *next;	/* list of unused ones */
	};
	uint32_t age;		/* event_orderer.age when a status event last recorded it */
	uint8_t status;
	bool used;
};

struct order_proc {
	int64_t id;
	uint64_t seq;
	struct order_thread *m;	/* the thread that got it last, and has it if that thread's p is id; NULL: none */
	uint32_t age;
	uint8_t status;
	struct range_list range_list;
};

struct task {
	struct gen_string name;
	union {
		uint64_t parent;
		struct task *next;	/* list of unused ones */
	};
};

struct order_place {
	int64_t m, p, g;
};

struct order_step {
	struct event_orderer *o;
	struct wire_event *ev;
	struct order_thread *m;		/* NULL: the batch belongs to no thread */
	struct order_place now, next;
};

/* order_tables.c: find goroutines, processors and threads by id. NULL: there is none. */
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
/* Enlarge the goroutine table if it is crowded; all entries move. Call it only between two events. */
void order_grow_table(struct event_orderer *);
/* Make a goroutine table of n places. Call it before any goroutine is added. */
void order_init_table(struct event_orderer *, uint64_t n);
/* Return the goroutine's extras, allocated if it has none. */
struct order_extras *order_get_extras(struct event_orderer *, struct order_goroutine *);
/* Add an entry. The id of a goroutine must not be in the table yet. */
struct order_goroutine *order_add_g(struct event_orderer *, int64_t id, uint8_t status);
struct order_proc *order_add_p(struct event_orderer *, int64_t id, uint8_t status);
struct order_thread *order_add_m(struct event_orderer *, int64_t id);
struct order_thread *order_find_m(struct event_orderer *, int64_t id);
void order_remove_g(struct event_orderer *, struct order_goroutine *); /* free its entry */
/* Return the goroutine and the processor of the step's thread; NULL: there is none. The cached entry is checked
   first and is nearly always right. In a broken trace the goroutine may have ended elsewhere, and its entry may be
   reused. */
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

/* Check whether the thread has a P and a G as the event needs. If it returns false, o->bad has the reason. */
enum order_need { NOT, MAY, MUST };
bool order_require(struct order_step *, enum order_need p, enum order_need g);

/* Return t, made later than the previous event if it is not. */
static inline int64_t order_monotonic_time(struct event_orderer *o, int64_t t)
{
	if (t <= o->last)
		t = wire_add(o->last, 1);
	return o->last = t;
}

/* Prefetch for writing the output some events ahead of t. Another processor has read these cache lines, so its
   copies have to be invalidated first. A prefetch beyond the last event does no harm. */
static inline void order_prefetch_out(const struct trace_event *t)
{
	enum { AHEAD = 8 };
	__builtin_prefetch((const char *)t + (1 + AHEAD) * sizeof *t, 1);
}

/* Set o->bad and return GO_BAD. fmt has a %s for the event's name and a PRIu64 for v. */
enum order_result order_fail(struct order_step *, const char *fmt, uint64_t v);
/* Write an event as its row of events.def describes. NULL: it refers to a string or a stack that does not exist;
   o->bad has the reason. */
struct trace_event *order_emit(struct event_orderer *, uint8_t type, struct wire_event *, struct order_place);
enum order_result order_accept(struct order_step *);
uint32_t order_string(struct event_orderer *, uint64_t id, uint8_t type);

/* In a truncated trace: set whether a GC cycle ran before the event that is assumed to be right. */
void order_assume_gc(struct event_orderer *, bool on);

/* Handlers of events that are not scheduling (order_ranges.c). */
typedef enum order_result order_handler(struct order_step *);
order_handler order_annotation, order_task_begin, order_task_end, order_region_begin, order_region_end;
order_handler order_sweep_begin, order_sweep_active, order_sweep_end;
order_handler order_g_range_begin, order_g_range_active, order_g_range_end, order_gc_mark;
order_handler order_heap_metric, order_experimental;
/* order_status.c */
order_handler order_proc_status, order_go_status;

#endif
