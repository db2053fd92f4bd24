/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_ASYNC_H
#define TTRACE_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;

/*
 * A slot for background work of which the owner wants the latest result only. A work is a structure of the owner with
 * the question and room for the answer; the slot owns it from async_start() until async_finish() returns it. All
 * functions are for the owner's thread; run() of the kind is called on a worker.
 */
struct async_kind {
	/* Compute the answer. job is NULL if it runs on the owner's thread; a long run checks job_cancelled(). */
	void (*run)(void *work, struct job *);
	void (*free)(void *work);	/* release the work with its answer; NULL: it is a part of something else */
};
struct async {			/* zeroed: empty */
	const struct async_kind *kind;
	struct job *job;	/* NULL: nothing runs */
	void *work;		/* what the job computes */
	void *next;		/* what is to be computed after it, or NULL */
	bool dropped;		/* the answer of `work` is not wanted any more */
};

/*
 * The cost of a work, in steps of about 50 ns: the rows that it looks at. Work of at most ASYNC_AT_ONCE steps, a
 * millisecond, is done at once, unless TTRACE_JOBS demands threads; 0 steps are done at once in any case.
 * ASYNC_ALWAYS: a worker does it in any case.
 */
enum { ASYNC_AT_ONCE = 20000 };
#define ASYNC_ALWAYS UINT64_MAX
bool async_is_long(uint64_t steps);

/*
 * Want this work, and nothing that was wanted before. Return the work if it is done already, because it is short or
 * no thread is available; it belongs to the caller then. Return NULL if a worker computes it: async_finish() returns
 * it. If other work runs, it is cancelled, and this one starts when it has ended.
 */
void *async_start(struct async *, const struct async_kind *, void *work, uint64_t steps);
/* Take the answer of the job, and wait for it if it still runs. Start the next work, if any. Return the work, which the
   caller then owns, or NULL if its answer is not wanted. The slot must have a job. */
void *async_finish(struct async *);
/* Drop what is wanted. A running job is cancelled, but not waited for. Return whether anything was wanted. */
bool async_cancel(struct async *);
/* Drop what is wanted, wait for the job, and free all. */
void async_stop(struct async *);

/* Return the work whose answer is wanted, or NULL. Only members that run() does not change may be read. */
static inline void *async_wanted(const struct async *a)
{
	return a->next ? a->next : a->dropped ? NULL : a->work;
}
/* Return what the job computes, whether it is still wanted or not, or NULL. */
static inline const void *async_running(const struct async *a)
{
	return a->work;
}
/* Return the job, to poll it (job_fd()) and to show its progress, or NULL. */
static inline struct job *async_job(const struct async *a)
{
	return a->job;
}

#endif
