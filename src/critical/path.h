/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CRITICAL_PATH_H
#define TTRACE_CRITICAL_PATH_H

#include "base/job.h"
#include "base/mem/mem.h"
#include "operations/operations.h"
#include "trace/time_class.h"

/*
 * The critical path of an operation: where its time went. It starts at the operation's end and goes back in time. While
 * the goroutine waited for another one, it follows the goroutine that ended the wait: what that one did meanwhile is
 * what the operation waited for, and so on. The result is a list of pieces that tile the operation to the nanosecond.
 */
enum critical_reason {
	CRITICAL_OWN,		/* the goroutine did this, or waited for something that is no goroutine */
	CRITICAL_NO_WORK,	/* a wait, while the goroutine that ended it was in its idle wait */
	CRITICAL_WOKEN_LATE,	/* runnable while a P was idle */
	CRITICAL_OCCUPIED,	/* runnable: all Ps were occupied, this share of them by `occupant`, at `stack` */
	CRITICAL_GC_WORKERS,	/* likewise, by mark workers of the GC */
	CRITICAL_BEFORE,	/* a wait since before the trace */
	CRITICAL_STOPPED,	/* the world was stopped: `span` is the stop, `stack` that of its caller */
	CRITICAL_REASON__N
};

#define CRITICAL_NONE UINT32_MAX

struct critical_piece {
	int64_t t0, t1;		/* each piece starts where the one before ends */
	trk_id g;		/* whose time it is; 0: unknown */
	stk_id stack;		/* where; 0: unknown */
	/* of a run: the stack recorded at its end, of which `stack` has the functions in which the goroutine was all the
	   time (trace/run_stacks.h); it tells what was called then. Else 0 */
	stk_id end;
	uint32_t via;		/* index of the wait that was followed to g; CRITICAL_NONE: g is the operation's */
	trk_id occupant;	/* of CRITICAL_OCCUPIED: the goroutine; 0: others with little time each */
	uint32_t span;		/* of CRITICAL_STOPPED: the row of the stop; else CRITICAL_NONE */
	enum time_class cls : 8;
	enum critical_reason reason : 8;
	bool several;		/* `occupant` is one of several goroutines with the same start function */
	bool followed;		/* false: a bound on depth or pieces cut the walk here */
	/* The shares of what occupied the Ps are estimated from some instants of the wait, because it was long. The
	   times of pieces of one wait for a P are shares of it, in any case: they are placed one after the other. */
	bool approximate;
};

/* A wait that was followed to the goroutine that ended it. up: index of the wait that led to its goroutine,
   CRITICAL_NONE: it is the operation's. outermost: the one of the operation that led to it; itself, if it is that. */
struct critical_via { uint32_t up, outermost, depth; trk_id g; stk_id stack; enum time_class cls; };

struct critical_path {
	struct critical_piece *v;		/* if `each` is set, the walk alone uses it */
	struct critical_via *via;
	size_t n, nvia, cap, cvia;
	uint64_t looked;			/* what a walk looked at besides: parts that are joined to pieces, many Ps, parts of runs on them */
	struct runnable_wait *runnable;		/* memory of the walk, see internal.h */
	int64_t t0, t1;				/* clamped to the snapshot */
	int64_t ns[TIME_CLASS__N];		/* time by class; the sum is t1 - t0 */
	uint32_t ncut;				/* number of pieces that are not followed */
	/* Set by the caller: runs are not divided by stack, and waits for a P that have no part of CRITICAL_GC_WORKERS
	   not by occupant, which takes most of the time of a walk. The times by class and those parts are the same. */
	bool coarse;
	/* Set by the caller: NULL, or is called with each piece, the last one of the operation first. Then pieces are not
	   kept: a path may have CRITICAL_PIECES, and most callers only add them up. */
	void (*each)(void *arg, const struct critical_path *, const struct critical_piece *);
	void *arg;
};

/* What all walks over a snapshot share. It is only read after it was made, so several threads may walk at once. */
struct critical_walker;
/* Make a walker, in the arena. The operations tell which waits are idle. Return NULL if `on` (may be NULL) stops it. */
struct critical_walker *critical_walker_new(
    const struct snap *, const struct operations *, struct arena *, const struct progress_watcher *on);
const struct snap *critical_walker_snap(const struct critical_walker *);
const struct operations *critical_walker_operations(const struct critical_walker *);

/* The bounds: waits that are followed one out of another; pieces after which no wait is followed; pieces of a path. */
enum { CRITICAL_DEPTH = 512, CRITICAL_FOLLOWED = 1 << 16, CRITICAL_PIECES = 1 << 18 };
/* Walk the critical path of goroutine g from t1 back to t0. The caller zeroes the path before the first walk, but for
   what is set by the caller; a second walk, of the same walker, uses its memory again. Any thread. */
void critical_path_walk(const struct critical_walker *, trk_id g, int64_t t0, int64_t t1, struct critical_path *);
void critical_path_free(struct critical_path *);

#endif
