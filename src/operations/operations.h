/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_OPERATIONS_OPERATIONS_H
#define TTRACE_OPERATIONS_OPERATIONS_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/rank_bitmap.h"
#include "operations/servers.h"
#include "store/store.h"
#include "trace/filter.h"
#include "trace/task_filter.h"
#include "trace/time_class.h"

/*
 * Operations are the units of work of a program: user tasks, requests of servers, rounds of loops, lives of short
 * goroutines. They are grouped into kinds. Times are ns since the first event of the trace.
 */
enum operation_source {
	OPERATION_TASK,		/* a user task */
	OPERATION_SERVER,	/* a request, found by the functions of a server on the stacks */
	OPERATION_ROUND,	/* of a loop: from the end of one idle wait to the next one */
	OPERATION_LIFE,		/* the life of a short goroutine */
	OPERATION_GOROUTINE,	/* the whole time of a goroutine in the trace */
	OPERATION_SOURCE__N
};
const char *operations_source_name(enum operation_source);	/* "task", "server", "round", "life", "goroutine" */
struct operation_kind;
/* Return how operations of the kind were counted: by their "task", by the reads of a "connection", by a "stream", the
   goroutine of one request, by an "idle wait" between two, or by their "goroutine". */
const char *operations_counted_by(const struct operation_kind *);

#define OPERATION_NONE UINT32_MAX

struct operation {
	int64_t t0, t1;			/* clamped to the snapshot */
	uint64_t id;			/* of a task: its number; otherwise a number that is unique among all others */
	trk_id g;			/* the goroutine on which it ends; a task that does not end: on which it starts */
	trk_id starter;			/* the goroutine on which it starts, mostly the same */
	uint32_t kind : 31;		/* index of its kind */
	uint32_t complete : 1;		/* its start and end are in the trace: only such operations have a duration */
};

struct operation_kind {
	const char *name;		/* bytes as in the file: of the task; of functions */
	size_t nname;
	enum operation_source source;
	stk_id site;	/* rounds: the idle wait; lives: where they are created; servers: the function in the name; 0: none */
	bool streams;			/* requests: each one is the life of a goroutine; else they are read from connections */
	uint32_t first, n;		/* its operations have the indexes first .. first + n - 1, by start */
	uint32_t ncomplete;
	/* requests that are read from connections: how many began before the trace; how many were seen to begin, by the
	   goroutine that the server creates for each of them */
	uint32_t nbefore, nbegun;
	int64_t p50, p90, p99, max;	/* durations of the complete ones, exact; 0: there are none */
	int64_t total;			/* sum of the durations of all */
	int64_t complete_total;		/* of the complete ones */
	int64_t in_flight;		/* the total without the time of lives and goroutines that is no work, see work_walk.c */
	uint32_t nacting;		/* how many ended a wait of another goroutine, or wrote to the network */
	int64_t class_ns[TIME_CLASS__N];	/* time by class of the goroutines that worked for them, see operations.c */
	int64_t slow_from;		/* complete operations of at least this duration are slow; INT64_MAX: none is */
	uint32_t nslow;
	bool gap;			/* slow_from follows a gap (task_filter_slow()); else it is above p99 */
	void *record;			/* of each operation, see records.c; room: for how many while they are found */
	size_t room;
};

/* Operations are numbered by kind, then start: operations_get(). */
struct operations {
	uint32_t n, nkinds;
	struct operation_kind *kind;	/* best source first, then largest total */
	const uint8_t *idle;		/* one bit per stack, see operations_is_idle() */
	uint32_t nstks;
	/* what records.c needs to make operations of records */
	struct snap sn;
	const uint8_t *forever;		/* a bit per track: see goroutine_roles */
	const struct rank *lives;	/* the tracks whose whole time is an operation, whether it is selected or not */
	uint64_t first_life, first_part;	/* their ids start here, and those of rounds and requests */
	const int64_t *late;		/* ends of long rounds and requests */
	/* the number of the handler of each request, by its id less first_part; nhandler: how many have one. Nodes of
	   handlers, by number; 0: unknown */
	const uint16_t *handler;
	size_t nhandler;
	uint32_t nhandlers;
	const stk_id *handler_site;
	/* see operations_at(): the first nparts operations, which are not the whole time of a goroutine, by goroutine,
	   start and descending end; and of each in that order the position of the one around it, or OPERATION_NONE */
	uint32_t nparts;
	uint32_t *by_g, *outer;		/* outer NULL: none is in another one */
	/* by row of trk_origins, of which there were norigins: the kind of the goroutines with this origin whose whole time is
	   an operation; 0 also if there are none */
	uint32_t *life_kind, norigins;
};
/* Return an operation. */
struct operation operations_get(const struct operations *, uint32_t index);
/* Return the operation of a kind with the index kind->first + i, or its goroutine, without a search for the kind. */
struct operation operations_of_kind(const struct operations *, uint32_t kind, uint32_t i);
trk_id operations_goroutine(const struct operations *, uint32_t kind, uint32_t i);
/* Return the duration of operation i of a kind; TIME_NONE: it is not complete. */
int64_t operations_duration(const struct operations *, uint32_t kind, uint32_t i);
/* Set ns[] to the durations of n operations of the kind, from number i on. */
void operations_durations(const struct operations *, uint32_t kind, uint32_t i, uint32_t n, int64_t *ns);
/* Return the node of the handler that worked for a request; 0: no stack shows it, or it is no request. */
stk_id operations_handler(const struct operations *, const struct operation *);
/* Return the number of the handler of operation i of a kind, which is less than o->nhandlers; 0: it has none that is known. */
uint32_t operations_handler_number(const struct operations *, uint32_t kind, uint32_t i);
/* Return the index of the kind of an operation. */
uint32_t operations_kind_of(const struct operations *, uint32_t index);
/* Return the index of the operation that another one is a part of, or OPERATION_NONE: the parent of a task, or what
   created a life. */
uint32_t operations_parent(const struct operations *, uint32_t index);
/* Return the first operation with at least the index i that is a part of another one, or OPERATION_NONE. */
uint32_t operations_next_child(const struct operations *, uint32_t of, uint32_t i);

/* Selects operations by duration and completeness, by the names of their kinds (NULL: all), or by an id. */
struct operation_criteria {
	int64_t lo, hi;			/* ns, inclusive; TIME_NONE: open */
	enum task_completeness whole;
	const struct regex *kind;
	bool by_id;
	uint64_t id;
	bool ends;			/* only those that end in the range of the filter */
};
/* Find all operations of a complete snapshot, in the arena; those that overlap the range of the filter (NULL: all) and
   whose goroutines it selects, each with all of its time, and that meet the criteria (NULL: all). Return NULL if `on`
   (may be NULL) stops it. Any thread. */
struct operations *operations_find(const struct snap *, const struct trace_filter *, const struct operation_criteria *,
    struct arena *, const struct progress_watcher *on);

/* Find them. As soon as it is known which waits are idle, call fn(arg, o, 0..n-1), on other threads if there are any: it
   may only call operations_is_idle(), and keep the pointer, which is that of the result. */
struct operations_beside { void (*fn)(void *arg, const struct operations *, uint32_t i); uint32_t n; void *arg; };
struct operations *operations_find_beside(const struct snap *, const struct trace_filter *, const struct operations_beside *,
    struct arena *, const struct progress_watcher *on);

/* Return what operations_is_idle() needs, and no operations: a part of the work. */
const struct operations *operations_find_idle(const struct snap *, struct arena *, const struct progress_watcher *on);

/* Return whether an operation meets the criteria, apart from those for its kind; NULL: all do. */
bool operation_meets(const struct operation_criteria *, const struct operation *);
/* Return whether an operation overlaps the time range of a filter (NULL: all do), and the selected times of a goroutine
   on which it starts or ends, and the goroutine on which it ends is in focus meanwhile. */
bool operation_passes(const struct trace_filter *, const struct operation *);
/* Return the index of the operation with this id; OPERATION_NONE: there is none. */
uint32_t operations_by_id(const struct operations *, uint64_t id);

/* Return the operations of all of a complete snapshot, which are found once and kept until its store is freed. Return
   NULL if stopped. Any thread. */
const struct operations *operations_shared(const struct snap *, const struct progress_watcher *on);
/* Return them if they have been found already, else NULL. Any thread. */
const struct operations *operations_if_shared(const struct snap *);
/* Sums of time by class: n rows of ncol numbers. */
struct class_table {
	uint32_t n;
	int ncol;
	enum time_class col[TIME_CLASS__N];	/* of each column, ascending */
	int64_t *ns;
};
/* Return a number of a row, 0 for a class without a column. */
static inline int64_t class_table_get(const struct class_table *t, uint32_t row, enum time_class c)
{
	for (int i = 0; i < t->ncol; i++)
		if (t->col[i] == c)
			return t->ns[(size_t)row * (size_t)t->ncol + (size_t)i];
	return 0;
}
/* Return the time by class of each operation of a kind, row i for the operation kind->first + i, in the arena. Columns
   are the classes of which the kind has time. It is the time of the goroutines that worked for the operation: the
   classes of an operation that is no task add up to its duration, those of all operations of a kind to the times of the
   kind. Return NULL if stopped. Passes over all intervals. Any thread. */
struct class_table *operations_classes(const struct snap *, const struct operations *, uint32_t kind, struct arena *,
    const struct progress_watcher *on);

/* Add a server whose requests are operations, see servers_add(). Return -1 with *e if the line is invalid. Call it
   before operations are found. */
int operations_add_server(const char *line, struct err *e);

/* Return whether a goroutine that waits at this stack has no work: it is the outermost wait of a loop to which a
   goroutine came back at least 8 times, outside of user tasks. Waits for a mutex, a wait group or room in a channel are
   never idle. Idle waits for the network or a timer still are that: a goroutine that depends on them waits for them. */
static inline bool operations_is_idle(const struct operations *o, stk_id wait)
{
	return wait < o->nstks && o->idle[wait >> 3] >> (wait & 7) & 1;
}

/* Return the index of the operation that ends on this goroutine and contains the time t, the innermost one if there are
   several. OPERATION_NONE: none. */
uint32_t operations_at(const struct operations *, trk_id g, int64_t t);

/* Return the index of the operation that the words choose: the id of an operation ("17"), or a regular expression for
   the names of kinds: then the complete operation of these kinds whose duration is nearest their p99. *count: how many
   operations fit. OPERATION_NONE: none, or the expression is invalid. */
uint32_t operations_choose(const struct operations *, const char *words, uint32_t *count);
/* Return the selected operations as slices: tasks as by trace_task_slices(), others as the time of their goroutine. The
   names that p->match gets are those of kinds, and p->id is the id of an operation. rest: of all other names of the
   same sources. Sets p->n and p->span. A snapshot that is not complete has no operations. */
struct trace_slice *operations_slices(const struct snap *, struct trace_span_match *p, struct arena *, uint32_t *n);
/* Return the kind that a trace is explained by if none is chosen; UINT32_MAX: there is none. */
uint32_t operations_main_kind(const struct operations *);
/* Return whether the time of a kind is mostly that of operations that are not complete: those are judged then. */
static inline bool operations_mostly_open(const struct operation_kind *k)
{
	return !k->ncomplete || k->complete_total < k->total / 2;
}
/* Return the index of the operation of a kind that is nearest its p99; of one that is mostly open the longest of those. */
uint32_t operations_nearest_p99(const struct operations *, const struct operation_kind *);

/* Return the bytes that operations allocated, by operation or by kind, in the arena; of rows that the filter selects. */
int64_t *operations_allocated(const struct snap *, const struct operations *, const struct trace_filter *, bool kinds,
    struct arena *);

#endif
