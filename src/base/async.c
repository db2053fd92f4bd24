/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A slot for background work. One job runs at a time: if something else is wanted meanwhile, the job is cancelled, and
 * the new work starts when it has ended. So nothing waits for a thread, and no two threads change what a kind of work
 * shares. Of several works that are wanted one after another only the last is kept.
 *
 * Invariant: work is set exactly while job is; next is set only if the running work is dropped.
 *
 * A pool of threads with a queue would start work sooner, but the previous answer's memory is often what the next one
 * replaces.
 */
#include "config.h"
#include "base/async.h"

#include "base/job.h"

static int run_async(struct job *j, void *arg)
{
	struct async *a = arg;
	a->kind->run(a->work, j);
	return 0;
}

static bool start_job(struct async *a, void *work)
{
	a->work = work;
	a->dropped = false;
	a->job = job_start(run_async, a);
	if (!a->job)
		a->work = NULL;
	return a->job != NULL;
}

static void free_work(const struct async *a, void *work)
{
	if (a->kind->free)
		a->kind->free(work);
}

static void *run_now(struct async *a, void *work)
{
	a->kind->run(work, NULL);
	return work;
}

bool async_is_long(uint64_t steps)
{
	return steps > ASYNC_AT_ONCE || (steps && job_forced_threads() > 1);
}

void *async_start(struct async *a, const struct async_kind *kind, void *work, uint64_t steps)
{
	if (a->job) {
		async_cancel(a);
		a->next = work;
		return NULL;
	}
	a->kind = kind;
	return async_is_long(steps) && start_job(a, work) ? NULL : run_now(a, work);
}

void *async_finish(struct async *a)
{
	void *work = a->work, *next = a->next;
	job_join(a->job);
	a->job = NULL;
	a->work = a->next = NULL;
	if (a->dropped) {
		free_work(a, work);
		work = NULL;
	}
	a->dropped = false;
	return next && !start_job(a, next) ? run_now(a, next) : work;
}

bool async_cancel(struct async *a)
{
	bool any = async_wanted(a) != NULL;
	if (a->next)
		free_work(a, a->next);
	a->next = NULL;
	if (a->job) {
		a->dropped = true;
		job_cancel(a->job);
	}
	return any;
}

void async_stop(struct async *a)
{
	async_cancel(a);
	if (a->job)
		async_finish(a);
}
