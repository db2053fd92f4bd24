/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_READER_H
#define TTRACE_LOAD_GOTRACE_READER_H

#include "base/mem/mem.h"
#include "load/gotrace/batch_scan.h"
#include "load/gotrace/event_stream.h"
#include "load/gotrace/goroutine_table.h"
#include "load/load.h"
#include "sink.h"

/* From the ordered events of a trace to the sink; inside of gotrace*.c only. */

/* The outermost function of a stack, and what a goroutine is that began with it. */
struct start_function {
	str_id name;			/* the sink's; 0 where that is told a generation again */
	bool is_known;			/* this is so; else nothing is known yet */
	bool any;			/* there is one */
	bool system, worker;
};

/* Strings and stacks of the generation at hand, said to the sink when first used. */
struct interned_tables {
	const struct trace_generation *gen;
	uint64_t number;
	bool any;
	uint32_t *str, *stack;		/* by id of the generation: the sink's id + 1, 0 not yet */
	struct start_function *root;		/* by stack */
	uint32_t *wait;			/* by string: the state of a goroutine that waits for it, + 1 */
	size_t nstr, nstack, nroot, nwait;	/* of them; capacities */
};

struct open_region {				/* a region that is open, or the task a goroutine was born into */
	struct open_region *up;
	uint64_t task, seq;
	str_id name;
	int64_t t0;
	stk_id stack;
	unsigned flags;			/* RG_* */
};

struct open_range {
	bool open;
	int64_t t0;
	str_id name;
	stk_id stack;
};

/* Of a goroutine; few ever have any. */
struct goroutine_ranges {
	struct open_range assist, stw;
	int64_t sweep_lost;		/* where it is gg.swept: since when it is charged with a sweep whose end was
					   seen elsewhere */
	struct goroutine_ranges *free;		/* the next, of those that are of nobody */
};

struct track_proc;
struct track_goroutine {
	_Alignas(32) int64_t id;	/* -1: ended */
	union {
		struct track_proc
		    *p; /* while it runs, or is in a system call and holds it; and its thread is that one's */
		int64_t m;		/* alone: the thread that it has without a P */
	};
	union {
		struct open_region *top;
		struct track_goroutine *free;	/* the next, of those that are room */
	};
	trk_id trk;
	uint8_t state; /* enum trace_state; TST_UNDETERMINED: it does not live, this is room for another */
	uint8_t shown;			/* enum tstate */
	unsigned works : 2;		/* GW_*: what it is told as taking its P now */
	bool alone : 1;
	bool named : 1, system : 1, mark_worker : 1, dedicated : 1, fractional : 1;
	bool ranged : 1;		/* it has, or had, goranges */
	bool assists : 1, stops : 1;	/* which of them are open */
	bool swept : 1;			/* it has a sweep_lost */
};
enum { GW_NOTHING, GW_DEDICATED, GW_FRACTIONAL };
_Static_assert(sizeof(struct track_goroutine) == 32, "half a line of the cache: there may be a million of them");

struct track_proc {
	int64_t id, m;			/* m: what carries it, -1 */
	trk_id trk;
	struct track_goroutine *g;			/* runs here or is in a system call */
	int64_t syscall_g;		/* -1 none */
	uint8_t shown;
	trk_id who;			/* and with whom */
	bool swept_by_g;
	int64_t sweep_g;
	struct open_range sweep;
};

struct track_thread {
	int64_t id;
	trk_id trk, who;
	uint8_t shown;
};

struct open_task {
	str_id name;
	trk_id trk;
	stk_id stack;
	int64_t t0;
	union {
		uint64_t parent;
		struct open_task *free;	/* the next, of those that have ended */
	};
};

enum { NEAR_PS = 256, NEAR_GS = 1 << 14, NEAR_GS_MOST = 1 << 20, ENTERS = 1024 };

struct gotrace {
	struct sink *sink;
	const struct bytes *in;
	struct outline *outline;	/* NULL: none */
	struct interned_tables tab;
	const struct trace_event *ev;
	int64_t base, sync, last;	/* first event, newest Sync, newest event: absolute */
	int64_t now;			/* of the event at hand, since the first */
	bool begun, stopped, sampled;
	bool part;		/* begins within the trace: base is given */
	uint64_t nsync, seq;
	uint64_t bytes, unpublished; /* read when the newest generation ended; events since the last upto() */
	struct goroutine_map gs;		/* struct track_goroutine */
	struct u64_hash ps, ms, tasks;
	struct u64_hash ranges;		/* struct goroutine_ranges by goroutine */
	struct u64_hash lost;		/* Ps by the goroutines that lost them in the system call that they are in */
	struct track_proc *near[NEAR_PS];	/* the first Ps, by id */
	struct open_region *free_open;
	struct open_task *free_task;
	struct goroutine_ranges *free_ranges;
	struct arena *mem;
	struct open_range gc;
	trk_id gc_trk;
	uint64_t heap_live, gc_live;
	str_id n_assist, n_sweep, n_gc;
	struct sink_util *util;		/* wait for an event later than util_t */
	int64_t util_t;			/* INT64_MAX: there are none */
	size_t nutil, cutil;
	/* states to be said, many at a time, up to entered; where there is room for no more. They lie where the sink
	   wants them, or in enters[ENTERS] */
	struct sink_enter *enter, *entered, *enters_end, *enters;
	const struct sink_checkpoint *reread;	/* a generation is said again: nothing but states matters */
};

/* gotrace/outline.c: from the heads of the batches alone. NULL: a trace that has none. Said as far as it can be made at once,
   then step by step */
struct outline *outline_new(struct bytes, struct sink *);
void outline_step(struct outline *, struct sink *);
void outline_free(struct outline *);

/* From the generation that begins at that byte on; base: ns of the trace's first event, as its events count. */
int gotrace_read_from(struct bytes, uint64_t from, int64_t base, struct sink *, struct err *);

/* intern_tables.c */
bool intern_tables_begin(struct gotrace *, const struct trace_generation *);	/* another than before */
void intern_tables_free(struct interned_tables *);
str_id intern_tables_str(struct gotrace *, uint32_t id);
stk_id intern_tables_find_stack(struct gotrace *, uint32_t id);
const struct start_function *intern_tables_find_root(struct gotrace *, uint32_t id);

/* track_states.c */
/* Transitions, as many as come one after another; how many of the n. The next one, if any, is the one at hand then. */
size_t track_states_apply(struct gotrace *, const struct trace_event *, size_t n);
void track_states_label_event(struct gotrace *, const struct trace_event *);
void track_states_init_table(struct gotrace *, uint64_t n);	/* a table of so many, before there is any goroutine */
void track_states_grow_table(struct gotrace *);	/* like order_grow_table() */
struct track_goroutine *track_states_g_of_event(
    const struct gotrace *, const struct trace_event *);		/* track_states_find_g() of the event's own */
struct track_proc *track_states_get_p(struct gotrace *, int64_t id);	/* found or made */
void track_states_update(struct gotrace *, struct track_goroutine *, stk_id);	/* what it does may have changed */
void track_states_add_util(struct gotrace *, enum util_what, int64_t p, int delta, bool past);

void track_states_flush(struct gotrace *);			/* say the states that wait */
/* The P that it lost in the system call that it is in, -1 none. */
int64_t track_states_lost_p(const struct gotrace *, const struct track_goroutine *);
void track_states_set_lost_p(struct gotrace *, const struct track_goroutine *, int64_t p);
static inline struct track_proc *track_states_p_of(const struct track_goroutine *g)	/* the P that it has, or NULL */
{
	return g->alone ? NULL : g->p;
}

/* spans.c */
void spans_range_event(struct gotrace *, const struct trace_event *);
void spans_user_event(struct gotrace *, const struct trace_event *);	/* tasks, regions, logs */
void spans_inherit_task(struct gotrace *, struct track_goroutine *child, const struct track_goroutine *creator);
/* A goroutine ended or blocked for ever (to), or the trace did (ev NULL). */
void spans_end_g(struct gotrace *, struct track_goroutine *, const struct trace_event *);
void spans_end_all(struct gotrace *);

static inline stk_id intern_tables_stack(struct gotrace *r, uint32_t id)
{
	return id < r->tab.nstack && r->tab.stack[id] ? r->tab.stack[id] - 1 : intern_tables_find_stack(r, id);
}

/* NULL: the stack has none. */
static inline const struct start_function *intern_tables_root(struct gotrace *r, uint32_t id)
{
	const struct start_function *root = id < r->tab.nroot ? &r->tab.root[id] : NULL;
	if (!root || !root->is_known)
		root = intern_tables_find_root(r, id);
	return root && root->any ? root : NULL;
}

static inline struct track_goroutine *track_states_place_g(const struct gotrace *r, int64_t id)
{
	return goroutine_table_place(&r->gs, sizeof(struct track_goroutine), id);
}

static inline struct track_goroutine *track_states_find_g(const struct gotrace *r, int64_t id)
{
	struct track_goroutine *g = track_states_place_g(r, id);
	return g->state && g->id == id ? g : goroutine_table_find_far(&r->gs, id);
}

/* Since the first event. Times of a damaged file may be anything: beyond 73 years they stand still. */
static inline int64_t gotrace_rel(const struct gotrace *r, int64_t time)
{
	uint64_t d = (uint64_t)time - (uint64_t)r->base;
	return d < (uint64_t)1 << 61 ? (int64_t)d : time <= r->base ? 0 : (int64_t)1 << 61;
}

void gotrace_emit_utils(struct gotrace *, int64_t next);

/* The next event is that one. */
static inline void gotrace_set_event(struct gotrace *r, const struct trace_event *ev)
{
	if (ev->time > r->util_t)
		gotrace_emit_utils(r, gotrace_rel(r, ev->time));
	r->last = ev->time;
	r->ev = ev;
	r->now = gotrace_rel(r, ev->time);
}

static inline int64_t gotrace_now(const struct gotrace *r)
{
	return r->now;
}

#endif
