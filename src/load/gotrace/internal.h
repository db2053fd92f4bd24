/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_LOAD_GOTRACE_INTERNAL_H
#define TTRACE_LOAD_GOTRACE_INTERNAL_H

#include "base/mem/mem.h"
#include "load/gotrace/batch_scan.h"
#include "load/gotrace/event_stream.h"
#include "load/gotrace/goroutine_table.h"
#include "load/gotrace/outline.h"
#include "load/load.h"
#include "sink_profile.h"
#include "sink_trace.h"

/* The reader: from the ordered events of a trace to the sink. */

/* The root function of a stack, and what follows from it for a goroutine that started there. */
struct start_function {
	str_id name;			/* id of the sink */
	bool is_known : 1;		/* the other fields are valid */
	bool any : 1;			/* there is one */
	bool cut : 1;			/* the runtime records 128 frames, the innermost: this is not the start function */
	bool system : 1, worker : 1;
	uint8_t waits;			/* of a status: 0, or the state of a goroutine that waits with this stack, + 1 */
};

/* Strings and stacks of the current generation; each is passed to the sink when it is first used. */
struct interned_tables {
	const struct trace_generation *gen;
	uint64_t number;
	bool any;
	uint32_t *str, *stack;		/* by id of the generation: the sink's id + 1; 0: not passed yet */
	struct start_function *root;		/* by stack */
	uint32_t *wait;			/* by string: the state of a goroutine that waits for this reason, + 1 */
	size_t nstr, nstack, nroot, nwait;	/* capacities of these arrays */
};

struct open_region {				/* an open region, or the task that a goroutine inherited */
	struct open_region *up, *inner;		/* the one that was opened before it, and after it, in this goroutine */
	struct open_region *same;		/* if its goroutine is tangled: next in its slot of gotrace.regions */
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

/* Of a goroutine; few have any. */
struct goroutine_ranges {
	struct open_range assist, stw;
	/* Valid if track_goroutine.swept: start of a sweep that is charged to it and whose end was recorded on
	   another goroutine. */
	int64_t sweep_lost;
	struct goroutine_ranges *free;		/* list of unused ones */
};

struct track_proc;
struct track_goroutine {
	_Alignas(32) int64_t id;	/* -1: ended */
	union {
		struct track_proc
		    *p; /* the P while it runs, or is in a system call and has it; the thread is that of the P */
		int64_t m;		/* if alone is set: its thread, while it has no P */
	};
	union {
		struct open_region *top;
		struct track_goroutine *free;	/* list of unused ones */
	};
	trk_id trk;
	uint8_t state; /* enum trace_state; TST_UNDETERMINED: the entry is unused */
	uint8_t shown;			/* enum tstate */
	unsigned works : 2;		/* GW_*: the mark work by which it takes its P now, as last reported */
	bool alone : 1;
	bool named : 1, system : 1, mark_worker : 1, dedicated : 1, fractional : 1;
	bool ranged : 1;		/* it has or had an entry in gotrace.ranges */
	bool assists : 1, stops : 1;	/* which of its ranges are open */
	bool swept : 1;			/* its sweep_lost is valid */
	bool tangled : 1;		/* its open regions are in gotrace.regions */
};
enum { GW_NOTHING, GW_DEDICATED, GW_FRACTIONAL };
_Static_assert(sizeof(struct track_goroutine) == 32, "half a line of the cache: there may be a million of them");

struct track_proc {
	int64_t id, m;			/* m: the thread that carries it, or -1 */
	trk_id trk;
	struct track_goroutine *g;			/* the goroutine that runs here or is in a system call */
	int64_t syscall_g;		/* -1: none */
	uint8_t shown;
	trk_id peer;			/* the goroutine that `shown` was reported with */
	bool swept_by_g;
	int64_t sweep_g;
	struct open_range sweep;
};

struct track_thread {
	int64_t id;
	trk_id trk, peer;
	uint8_t shown;
};

struct open_task {
	str_id name;
	trk_id trk;
	stk_id stack;
	int64_t t0;
	union {
		uint64_t parent;
		struct open_task *free;	/* list of unused ones */
	};
};

enum { NEAR_PS = 256, NEAR_GS_MOST = 1 << 20, ENTRIES = 1024 };

/* Changes of the utilisation that are emitted at the first event later than t. */
struct pending_utils {
	struct sink_util *v;
	int64_t t;			/* INT64_MAX: there are none */
	size_t n, cap;
};

struct gotrace {
	struct sink *sink;
	const struct bytes *in;
	struct outline *outline;	/* NULL: none */
	struct interned_tables tab;
	const struct trace_event *ev;
	int64_t base, sync, last;	/* absolute times of the first event, the newest Sync and the newest event */
	int64_t now;			/* time of the current event since the first one */
	bool begun, stopped, sampled;
	bool full;		/* the reading ended because the memory is full */
	struct event_stream_info whole;	/* of all complete generations */
	bool part;		/* the reading begins within the trace: base was given */
	uint64_t nsync, seq;
	/* Bytes: read when the newest generation ended; unpublished: events since the last upto();
	   events: all that were taken. */
	uint64_t bytes, unpublished, events;
	struct goroutine_map gs;		/* struct track_goroutine */
	struct u64_hash ps, ms, tasks;
	struct u64_hash ranges;		/* struct goroutine_ranges by goroutine id */
	struct u64_hash regions;	/* struct open_region of goroutines that are tangled, by region_key() */
	struct u64_hash lost;		/* by goroutine id: the P that it lost during its current system call */
	struct track_proc *near[NEAR_PS];	/* the Ps of the lowest ids */
	struct open_region *free_open;
	struct open_task *free_task;
	struct goroutine_ranges *free_ranges;
	struct arena *mem;
	struct open_range gc;
	trk_id gc_trk;
	uint64_t heap_live, gc_live;
	uint64_t without_track;	/* number of goroutines, Ps and Ms for which sink_trace_ops.track() has no room */
	str_id n_assist, n_sweep, n_gc;
	struct pending_utils utils;
	struct sink_enter *entry;	/* buffer of ENTRIES entries for the sink */
	uint32_t nentry;
};

/* Read from the generation that begins at offset `from`. base is the time of the trace's first event in ns, on the
   clock of its events. */
int gotrace_read_from(struct bytes, uint64_t from, int64_t base, struct sink *, struct err *);

/* intern_tables.c. intern_tables_begin() prepares the tables for a generation, unless they are those of this one. */
void intern_tables_begin(struct gotrace *, const struct trace_generation *);
void intern_tables_free(struct interned_tables *);
/* Return the sink's id of a string, a stack or the root function of a stack, all by their ids in the generation.
   The last one is NULL if there is no such stack. */
str_id intern_tables_str(struct gotrace *, uint32_t id);
stk_id intern_tables_find_stack(struct gotrace *, uint32_t id);
const struct start_function *intern_tables_find_root(struct gotrace *, uint32_t id);
/* Return the state of a goroutine whose status is that it waits, with this stack. Call it before the stack is passed to
   the sink, which then gets the stack of an event that blocks a goroutine at the same line. */
enum tstate intern_tables_wait(struct gotrace *, uint32_t stack);

/* track_states.c. track_states_apply() applies the leading transitions of the n events and returns how many these
   were. The event after them, if any, is then the current one. */
size_t track_states_apply(struct gotrace *, const struct trace_event *, size_t n);
/* Emit a label as a mark, and recognize mark workers by it. */
void track_states_label_event(struct gotrace *, const struct trace_event *);
/* Make a table of n places; call it before any goroutine is added. */
void track_states_init_table(struct gotrace *, uint64_t n);
void track_states_grow_table(struct gotrace *);	/* see order_grow_table() */
struct track_goroutine *track_states_g_of_event(
    const struct gotrace *, const struct trace_event *);	/* the goroutine on which the event happened, or NULL */
struct track_proc *track_states_get_p(struct gotrace *, int64_t id);	/* find or add */
/* Emit the state of a running goroutine if its ranges changed it. */
void track_states_update(struct gotrace *, struct track_goroutine *, stk_id);
/* Add an entry for sink_trace_ops.util at the current time. It is emitted at the first later event. */
void track_states_add_util(struct gotrace *, enum util_what, int64_t p, int delta, bool past);

void track_states_flush(struct gotrace *);			/* pass buffered states to the sink */
/* Return the goroutine's P, or NULL. */
static inline struct track_proc *track_states_p_of(const struct track_goroutine *g)
{
	return g->alone ? NULL : g->p;
}

/* spans.c */
void spans_range_event(struct gotrace *, const struct trace_event *);
void spans_user_event(struct gotrace *, const struct trace_event *);	/* tasks, regions, logs */
/* Give a new goroutine the task of its creator's innermost region, if there is one. */
void spans_inherit_task(struct gotrace *, struct track_goroutine *child, const struct track_goroutine *creator);
/* End the regions and ranges of a goroutine that ended or blocked for ever (ev), or at the end of the trace (ev
   NULL). */
void spans_end_g(struct gotrace *, struct track_goroutine *, const struct trace_event *);
/* Emit all open spans at the end of the trace. */
void spans_end_all(struct gotrace *);

static inline stk_id intern_tables_stack(struct gotrace *r, uint32_t id)
{
	return id < r->tab.nstack && r->tab.stack[id] ? r->tab.stack[id] - 1 : intern_tables_find_stack(r, id);
}

/* Return the root function of a stack. NULL: the stack is empty or its root has no name. */
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

/* Return the time since the first event in ns, at most TIME_LATEST. */
static inline int64_t gotrace_rel(const struct gotrace *r, int64_t time)
{
	uint64_t d = (uint64_t)time - (uint64_t)r->base;
	return d < (uint64_t)TIME_LATEST ? (int64_t)d : time <= r->base ? 0 : TIME_LATEST;
}

/* Emit the waiting utils. next: time of the event after them. */
void gotrace_emit_utils(struct gotrace *, int64_t next);

/* Make *ev the current event. */
static inline void gotrace_set_event(struct gotrace *r, const struct trace_event *ev)
{
	if (ev->time > r->utils.t)
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
