/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_FILTER_H
#define TTRACE_TRACE_FILTER_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/store.h"

#include <stdbool.h>

/*
 * The part of a trace that is shown or counted: a time range, goroutines, a P, and the time ranges of tasks and
 * regions. session/query.h makes it from a query.
 */

/* The stacks that scheduler latency (sched) is charged to. waker: the stack that made the goroutine runnable, as in the
   reference. self: the goroutine's own stack, where it had blocked, yielded or started. occupant: the stacks that ran
   on the Ps meanwhile: each moment of the wait is divided evenly among all Ps; the share of a P is charged to the stack
   that ran there (as in run), or to no stack if the P was idle. chain: of waits (sync, net, block): the stack where the
   goroutine waits, and below it that of what made it runnable. */
enum trace_blame { BLAME_WAKER, BLAME_SELF, BLAME_OCCUPANT, BLAME_CHAIN, BLAME__N };
const char *trace_blame_name(enum trace_blame);	/* "waker", ... */
int trace_blame_find(const char *name);		/* -1: none of that name */
/* A time of a goroutine that is charged to a stack: ns of it, or of the waits of others that it causes. */
struct charged_stretch { trk_id g; int64_t t0, t1, ns; stk_id stack; };
struct trace_filter {
	int64_t from, to;		/* TIME_NONE: open */
	const uint8_t *g;		/* NULL: all; else one bit per track: the selected goroutines */
	/* NULL, or the time ranges to count (regions, tasks), sorted by (trk, t0), disjoint in a track */
	const struct trace_slice *slice;
	uint32_t nslice;
	/* with slices: one bit per span, the selected tasks and their regions, or regions and their tasks */
	const uint8_t *span;
	/* NULL, or focus and ignore (trace/focus.h), which analyses that list things apply; not trace_weigh(), whose stacks
	   are filtered afterwards */
	const struct trace_focus *focus;
	trk_id proc;			/* only on this P (run, cpu, syscall); 0: all */
	enum trace_blame blame;		/* see trace_type_has_blame() */
	/* With BLAME_OCCUPANT: all waits for a P count, also before the first run of a goroutine, after a preemption, and at
	   the ends of the trace, which the reference leaves out. */
	bool every_wait;
	/* gets the progress; if it stops the work, the result is incomplete and must be dropped */
	struct progress_watcher on;
	/* NULL, or called for each stretch that is charged (not for cpu samples) */
	void (*each)(void *arg, const struct charged_stretch *);
	void *arg;
};
struct trace_slice { trk_id trk; int64_t t0, t1; };

/* Parse "12", "g12" or "G12", with this letter. */
bool trace_parse_id(const char *, char letter, uint64_t *id);
/* Return the goroutine or P with this number; 0: there is none. It may look at all tracks. */
trk_id trace_find_track(const struct snap *, enum track_kind, uint64_t id);

/* Make sets of goroutines: bits for a trace_filter, in the arena. match() is called once per start function. */
uint8_t *trace_gset_by_name(const struct snap *, bool (*match)(void *, const char *name, size_t n), void *arg,
    struct arena *);
uint8_t *trace_gset_of_one(const struct snap *, trk_id g, struct arena *);
/* A set of numbers of tasks or goroutines. Programs count them, so they are close together: a bit each, around the
   first number, in memory whose pages exist only where a bit is set. Numbers far from it are in a list. */
struct trace_ids {
	uint64_t from, width;
	uint8_t *near;
	uint64_t *far;
	size_t nfar, cfar;
};
/* Parse a list like "12,g15,18"; about: how many there may be. Return false if it is not such a list. Free it in both
   cases. */
bool trace_ids_parse(struct trace_ids *, const char *, uint32_t about);
bool trace_ids_has(const struct trace_ids *, uint64_t id);
void trace_ids_free(struct trace_ids *);
/* Parse a list like "12,g15,18". Return NULL if it is not such a list. *n: the number of goroutines that exist. */
uint8_t *trace_gset_parse(const struct snap *, const char *ids, struct arena *, uint32_t *n);
static inline bool trace_gset_has(const uint8_t *set, trk_id t) { return !set || set[t >> 3] >> (t & 7) & 1; }

/* Return the goroutines of a set (NULL: of all) that ran on a P in a window, or made a system call from it; and the P
   itself. */
uint8_t *trace_gset_on_proc(
    const struct snap *, trk_id proc, int64_t from, int64_t to, const uint8_t *set, struct arena *);

/* Return the goroutines of the slices of a filter. */
uint8_t *trace_filter_goroutines(const struct snap *, const struct trace_filter *, struct arena *);
/* Return the part of [a, b) of a goroutine that a filter selects, in ns, without its time range (from, to). */
int64_t trace_filter_overlap(const struct trace_filter *, trk_id g, int64_t a, int64_t b);
/* Return the goroutines (of `among`, unless it is NULL) that are not in a set. */
uint8_t *trace_gset_complement(const struct snap *, const uint8_t *set, const uint8_t *among, struct arena *);
/* Count the goroutines of a set that existed in a window (TIME_NONE: open). */
uint32_t trace_gset_count(const struct snap *, const uint8_t *set, int64_t from, int64_t to);

/* Selects tasks or regions. rest: those that are excluded: of the same names if there are bounds of latency, else of
   all other names. A task without its start or end in the trace has no latency. */
struct trace_span_match {
	uint64_t id;			/* number of a task, if match is NULL */
	bool near;			/* the caller knows that all spans of the task overlap [from, to] */
	int64_t from, to;
	bool (*match)(void *, const char *name, size_t n);
	void *arg;
	int64_t lo, hi;			/* duration of lo to hi ns, inclusive; TIME_NONE: open */
	bool rest;
	bool placed;			/* regions: only those that start at pc, */
	bool inherited;			/* also those that represent the task in which a goroutine was created */
	uint64_t pc;
	uint32_t n;			/* out: number of tasks or regions */
	const uint8_t *span;		/* out: see trace_filter; NULL if near */
};
/* Split "^cook$@0x71a3ae" into the expression for the name of regions, which is returned, and the place, which is set
   in *p. "^$" selects regions without a name, which are inherited. */
const char *trace_parse_region_place(const char *, struct arena *, struct trace_span_match *p);
/* Return the program counter where a region started, which distinguishes regions of one name. */
uint64_t trace_region_pc(const struct store *, const struct sink_span *);
/* Return the selected regions as slices, outermost ones only; or for tasks their regions and the time of each task that
   started and ended on one goroutine. */
struct trace_slice *trace_region_slices(const struct snap *, struct trace_span_match *, struct arena *, uint32_t *n);
struct trace_slice *trace_task_slices(const struct snap *, struct trace_span_match *, struct arena *, uint32_t *n);
/* Return when the selection of a filter existed: the lives of its goroutines, or the time ranges of its tasks and
   regions, merged and sorted by time. NULL: the filter has no such selection. Things without a goroutine (a GC cycle, a
   stop of the world) are selected if they overlap these ranges. */
struct trace_slice *trace_filter_presence(
    const struct snap *, const struct trace_filter *, struct arena *, uint32_t *n);
bool trace_slices_overlap(const struct trace_slice *, uint32_t n, int64_t t0, int64_t t1);
#endif
