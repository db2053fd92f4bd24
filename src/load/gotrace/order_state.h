/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_ORDER_STATE_H
#define TTRACE_LOAD_GOTRACE_ORDER_STATE_H

#include "load/gotrace/order.h"

/* Inside the orderer: what it knows of each goroutine and processor, and one step of it. */
enum { G_BAD, G_RUNNABLE, G_RUNNING, G_SYSCALL, G_WAITING, G__N };
enum { P_BAD, P_RUNNING, P_IDLE, P_SYSCALL, P_ABANDONED, P__N };

struct range {		/* something special going on, by its first event and, for stops, its kind */
	uint8_t type;
	uint64_t kind, gen;
	struct gostr name;
};

struct ranges {
	struct range *v;
	uint32_t n, cap;
};

struct region {
	uint64_t task;
	struct gostr name;
};

/* What few goroutines have, made when it is first needed. */
struct go_held {
	uint32_t nregion, capregion;
	struct region *region;	/* innermost last */
	struct ranges ranges;
	struct go_held *next;	/* unused ones */
};

/* Half a cache line: of those that live, as many as possible should stay near. */
struct go_g {
	int64_t id;
	uint64_t seq;
	union {
		struct go_held *held;	/* or NULL */
		struct go_g *next;	/* unused ones */
	};
	uint32_t age;		/* goorder.age when it was last heard of by a status */
	uint8_t status;
	bool used;
};

struct go_p {
	int64_t id;
	uint64_t seq;
	uint32_t age;
	uint8_t status;
	struct ranges ranges;
};

struct task {
	struct gostr name;
	union {
		uint64_t parent;
		struct task *next;	/* unused ones */
	};
};

struct where {
	int64_t m, p, g;
};

struct step {
	struct goorder *o;
	struct goev *ev;
	struct go_m *m;		/* NULL: the batch is of no thread */
	struct where now, next;
};

/* order_tables.c: goroutines, processors and threads by id, or NULL. */
static inline struct go_g *gostep_place(const struct goorder *o, int64_t id)
{
	return gonear_place(&o->gs, sizeof(struct go_g), id);
}
static inline struct go_g *gostep_find_g(struct goorder *o, int64_t id)
{
	struct go_g *g = gostep_place(o, id);
	return g->used && g->id == id ? g : gonear_far(&o->gs, id);
}
struct go_p *gostep_find_p(struct goorder *, int64_t id);
/* Many lie where others should: a larger table, and all goroutines are elsewhere afterwards. Between two events. */
void gostep_spread(struct goorder *);
void gostep_places(struct goorder *, uint64_t n);	/* a table of so many places, before there is any goroutine */
struct go_held *gostep_held(struct goorder *, struct go_g *);
struct go_g *gostep_add_g(struct goorder *, int64_t id, uint8_t status);
struct go_p *gostep_add_p(struct goorder *, int64_t id, uint8_t status);
struct go_m *gostep_add_m(struct goorder *, int64_t id);
struct go_m *gostep_find_m(struct goorder *, int64_t id);
void gostep_drop_g(struct goorder *, struct go_g *);		/* it has ended; its room is used again */
/* The goroutine and the processor of the step's thread. A goroutine may have ended elsewhere in a
   broken trace and its state be another's by now. Nearly always it is the one that the thread met last. */
struct go_g *gostep_meet_g(struct step *);
struct go_p *gostep_meet_p(struct step *);
static inline struct go_g *gostep_g(struct step *s)
{
	struct go_g *g = s->m ? s->m->gs : NULL;
	return g && g->used && g->id == s->now.g ? g : gostep_meet_g(s);
}
static inline struct go_p *gostep_p(struct step *s)
{
	struct go_p *p = s->m ? s->m->ps : NULL;
	return p && p->id == s->now.p ? p : gostep_meet_p(s);
}

/* Does the thread have what the event needs? false: it says why not. */
enum need { NOT, MAY, MUST };
bool gostep_have(struct step *, enum need p, enum need g);

/* Times of events only grow. */
static inline int64_t gostep_later(struct goorder *o, int64_t t)
{
	if (t <= o->last)
		t = gowire_add(o->last, 1);
	return o->last = t;
}

/* Where events are written now another processor has read those before them: its copies of the cache lines are to be
   taken back, which is better asked for some events ahead. Beyond the last event no harm is done. */
static inline void gostep_take_line(const struct tev *t)
{
	enum { AHEAD = 8 };
	__builtin_prefetch((const char *)t + (1 + AHEAD) * sizeof *t, 1);
}

/* GO_BAD, and why: fmt has a %s for the event and a PRIu64 for v. */
enum go_advance gostep_bad(struct step *, const char *fmt, uint64_t v);
/* The event as its row says. NULL: it names a string or a stack that is not there. */
struct tev *gostep_say(struct goorder *, uint8_t type, struct goev *, struct where);
enum go_advance gostep_took(struct step *);
uint32_t gostep_str(struct goorder *, uint64_t id, uint8_t type);

/* Of a trace that is cut: whether a cycle ran before the event that is believed. */
void gostep_gc_was(struct goorder *, bool on);

/* Handlers of what is not scheduling (order_ranges.c). */
typedef enum go_advance gostep_fn(struct step *);
gostep_fn gostep_annotation, gostep_task_begin, gostep_task_end, gostep_region_begin, gostep_region_end;
gostep_fn gostep_sweep_begin, gostep_sweep_active, gostep_sweep_end;
gostep_fn gostep_g_range_begin, gostep_g_range_active, gostep_g_range_end, gostep_gc_mark;
gostep_fn gostep_heap_metric, gostep_experimental;
/* order_status.c */
gostep_fn gostep_proc_status, gostep_go_status;

#endif
