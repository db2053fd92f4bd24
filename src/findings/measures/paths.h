/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_PATHS_H
#define TTRACE_FINDINGS_MEASURES_PATHS_H

#include "base/u64_map.h"
#include "critical/path.h"

/*
 * Where the time of the operations of a kind goes: the critical paths of samples of its slow operations and of the
 * rest, summed up by class and line.
 */
enum path_side { PATH_REST, PATH_SLOW, PATH_SIDES };
struct path_place {
	enum time_class cls;
	bool own;		/* time of the operation's goroutine; else of goroutines for which it waited */
	frm_id frame;		/* the line of the first user frame; 0: unknown */
	int64_t ns[PATH_SIDES];
	/* its longest piece, and the outermost wait that led to it (0: own) */
	int64_t longest, t0;
	stk_id stack, wait;
	trk_id g;
	int64_t now;		/* used while a path is added: ns of the operation */
};
/* Pieces of one stack; now: used likewise. */
struct path_stack { uint32_t place, now; uint64_t n[PATH_SIDES]; };
/* An operation that does many waits at one place, one after another: n with one stack, as calls in a loop have. rest: how
   many of that stack others do on average. */
struct path_series { uint32_t place, operation, n, stack; int64_t ns; double rest; };
struct kind_paths {
	const struct operation_kind *kind;
	int64_t slow_from;		/* operations of at least this duration are on the slow side; INT64_MAX: none */
	uint32_t nslow;
	bool gap;			/* slow ones are beyond a gap in the durations that is empty, or nearly */
	uint32_t n[PATH_SIDES];		/* operations that were walked */
	int64_t total[PATH_SIDES];	/* their durations */
	struct path_place *v;
	uint32_t nplaces;
	size_t cap;
	struct path_stack *stack;
	uint32_t nstacks;
	size_t cstacks;
	/* index in stack[] by stack, or in v[] by function and line; class and own */
	struct u64_hash of_stack, of_line;
	struct path_series series;	/* the one with most time, among slow operations; n 0: none */
};
/* Does a user or another program wait for each operation of the kind? */
static inline bool paths_is_served(const struct operation_kind *k)
{
	return k->source == OPERATION_TASK || k->source == OPERATION_SERVER;
}
/* Walk samples of both sides, until the watcher stops it. Free it with paths_free(). */
void paths_of_kind(struct kind_paths *, const struct critical_walker *, const struct operations *,
    const struct operation_kind *, const struct progress_watcher *);
/* Walk the path of an operation, of which goroutine, start and end are used, and add it. The pieces are not kept. */
void paths_add(struct kind_paths *, const struct critical_walker *, const struct operation *, enum path_side,
    struct critical_path *);
void paths_free(struct kind_paths *);
/* Return the mean time of one operation of a side, at one place or in all. */
static inline double paths_mean(const struct kind_paths *k, const struct path_place *p, enum path_side s)
{
	return k->n[s] ? (double)(p ? p->ns[s] : k->total[s]) / k->n[s] : 0;
}

#endif
