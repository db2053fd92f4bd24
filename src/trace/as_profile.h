/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_AS_PROFILE_H
#define TTRACE_TRACE_AS_PROFILE_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

#include <stdbool.h>

/*
 * A trace as a profile: time and count per node of the store's call tree, by
 * what goroutines did. The rules of net, sync, syscall and sched are those of
 * `go tool trace -pprof`: a stretch counts when it ended within the trace, is
 * charged to the stack where it began (sched: that of whoever made the
 * goroutine runnable), and is clipped to the goroutine's life from its first run.
 */
enum trace_weight_type {
	TRACE_CPU,
	TRACE_RUN,
	TRACE_SCHED,
	TRACE_SYNC,
	TRACE_NET,
	TRACE_SYSCALL,
	TRACE_BLOCK,
	TRACE_ASSIST,
	TRACE_WEIGHT__N
};
/* cpu: samples; run: running, divided among the stacks recorded while the goroutine ran (run_stacks.c), without
   the frames of the runtime that preempt (of nothing but these: where the goroutine started): sums are exact,
   shares of stacks an estimate; block: all waiting, tagged with the reason; assist: mark assists, on the stack
   that had to */
const char *trace_weight_name(enum trace_weight_type);	/* "cpu", ... */
int trace_weight_find(const char *name);		/* -1: none of that name */

/* What sched charges a goroutine's wait for a P to. waker: the stack of whoever made it runnable, as
   the reference. self: its own, where it had blocked, yielded or begun. occupant: what ran on the Ps
   meanwhile: each moment of the wait is shared out evenly among as many Ps as there were, a share
   goes to the stack that what ran there is charged to (as run), or to nobody where the P was idle. */
enum trace_blame { BLAME_WAKER, BLAME_SELF, BLAME_OCCUPANT, BLAME__N };
const char *trace_blame_name(enum trace_blame);	/* "waker", ... */
int trace_blame_find(const char *name);		/* -1: none of that name */
bool trace_type_has_proc(enum trace_weight_type, enum trace_blame);	/* can a P be chosen? Waiting happens on no P */

struct trace_filter {
	int64_t from, to;		/* TIME_NONE: open */
	const uint8_t *g;		/* NULL, or one bit per track: which goroutines */
	const struct trace_slice *slice;	/* NULL, or the stretches of time to count (regions, tasks), sorted by
					   (trk, t0) and disjoint within a track */
	uint32_t nslice;
	const struct arena *lies;	/* NULL, or where they are, which may be on disk: let go of now and then */
	const uint8_t *span;		/* with slices: one bit per span, the tasks and regions that are meant: the
					   tasks picked and their regions, the regions picked and their tasks */
	trk_id proc;			/* only on this P (run, cpu, syscall); 0 all */
	enum trace_blame blame;		/* of sched */
	/* is told how far it is; where he says stop, what comes out is to be thrown away */
	struct progress_watcher on;
	/* NULL, or told of each stretch that is charged (not of cpu samples) */
	void (*each)(void *arg, trk_id g, int64_t ns, stk_id);
	void *arg;
};
struct trace_slice { trk_id trk; int64_t t0, t1; };

struct trace_tag_weight { stk_id stack; str_id tag; int64_t ns, count; };

struct trace_weights {				/* per node: nstks of the snapshot */
	uint32_t n;
	int64_t *ns, *count;		/* own; a run is counted once, at the first stack that it is charged to */
	int64_t *last;			/* when one last ended (not of cpu) */
	int64_t total_ns, total_count;
	bool empty;			/* the filter let no goroutine through */
	/* of a whole trace block, and sched by occupant, also by tag: the same weights, taken apart */
	struct trace_tag_weight *part;
	uint32_t npart;
};
#define TRACE_WEIGHT_TAG "reason"			/* the key of those tags */
/* In the arena. Without a filter (NULL) all. Weight whose stack was not recorded is at node 0. */
struct trace_weights *trace_weigh(
    const struct snap *, enum trace_weight_type, const struct trace_filter *, struct arena *);
/* The stack of that one frame, which is in the store of each trace; 0 where there is none. */
stk_id trace_no_stack_node(const struct snap *);
/* Move the weight of node 0 to the frame "(no stack)", as trees show it; reports leave it where it is, as the reference. */
void trace_show_no_stack(struct trace_weights *, const struct snap *);

/* Sets of goroutines: bits for a trace_filter, in the arena. match() is asked once per start function. */
uint8_t *trace_gset_by_name(const struct snap *, bool (*match)(void *, const char *name, size_t n), void *arg,
    struct arena *);
uint8_t *trace_gset_of_one(const struct snap *, trk_id g, struct arena *);
/* Those of "12,g15,18"; NULL when it is no such list. *n: how many of them there are. */
uint8_t *trace_gset_parse(const struct snap *, const char *ids, struct arena *, uint32_t *n);
static inline bool trace_gset_has(const uint8_t *set, trk_id t) { return !set || set[t >> 3] >> (t & 7) & 1; }

/* Those of a set (NULL: of all) that ran on a P in a window, or called into the system from it; and the P itself. */
uint8_t *trace_gset_on_proc(
    const struct snap *, trk_id proc, int64_t from, int64_t to, const uint8_t *set, struct arena *);

/* How much of [a, b) of a goroutine a filter lets through, its window left aside. */
int64_t trace_filter_overlap(const struct trace_filter *, trk_id g, int64_t a, int64_t b);
/* The goroutines (of those in `among`, unless it is NULL) that are not in a set. */
uint8_t *trace_gset_complement(const struct snap *, const uint8_t *set, const uint8_t *among, struct arena *);
/* How many goroutines of a set existed in a window (TIME_NONE: open). */
uint32_t trace_gset_count(const struct snap *, const uint8_t *set, int64_t from, int64_t to);

/* Which tasks or regions are meant. rest: those that are left out by it: of the same names when it has
   bounds of latency, else of all other names. A task that the trace has not all of has no latency. */
struct trace_span_match {
	uint64_t id;			/* of a task, when match is NULL */
	bool near;			/* all spans of it overlap [from, to], as who asks knows */
	int64_t from, to;
	bool (*match)(void *, const char *name, size_t n);
	void *arg;
	int64_t lo, hi;			/* they took lo to hi ns; TIME_NONE: open */
	bool rest;
	bool placed;			/* regions: only those that began at pc, */
	bool inherited;			/* also those that stand for the task a goroutine was created in */
	uint64_t pc;
	uint32_t n;			/* out: how many they are */
	const uint8_t *span;		/* out: see trace_filter; of one that is near NULL */
};
/* "^cook$@0x71a3ae": the expression for the name of regions without the place, which goes into *p. "^$" is the
   name of those that are inherited. */
const char *trace_parse_region_place(const char *, struct arena *, struct trace_span_match *p);
/* The program counter of the place where a region began, which tells regions of one name apart. */
uint64_t trace_region_pc(const struct store *, const struct sink_span *);
/* The outermost of such regions, or the regions (and what one goroutine did) of such tasks, as slices. */
struct trace_slice *trace_region_slices(const struct snap *, struct trace_span_match *, struct arena *, uint32_t *n);
struct trace_slice *trace_task_slices(const struct snap *, struct trace_span_match *, struct arena *, uint32_t *n);
/* When what a filter lets through was there: the lives of its goroutines, the stretches of its tasks and regions,
   joined and by time. NULL: it names none of these. Of what is of no goroutine (a GC cycle, a stop of the world) those
   are narrowed to that overlap it. */
struct trace_slice *trace_filter_presence(
    const struct snap *, const struct trace_filter *, struct arena *, uint32_t *n);
bool trace_slices_overlap(const struct trace_slice *, uint32_t n, int64_t t0, int64_t t1);
/* ns by state of all that a filter lets through: of goroutines, or of what they did in its slices. */
void trace_filter_states(const struct snap *, const struct trace_filter *, int64_t ns[TS__N]);
/* About that, of a few sheets and in no time: to hold two filters of one snapshot against each other. */
void trace_filter_states_approx(const struct snap *, const struct trace_filter *, int64_t ns[TS__N]);

#endif
