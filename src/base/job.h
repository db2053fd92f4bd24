/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_JOB_H
#define TTRACE_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Threads: jobs in the background, parallel loops, locks and ring queues. job.c is the only file that includes
 * pthread.h.
 *
 * A job is one task on a thread of its own. The worker reports progress and checks job_cancelled(); the owner polls
 * job_fd(), which is readable when there is news, reads job_done(), and joins.
 */
struct job;
/* Return 0 or -1; runs on the worker. */
typedef int job_fn(struct job *, void *arg);

/* Start a job, to be freed by job_join(). Return NULL if no thread or pipe can be created. */
struct job *job_start(job_fn *, void *arg);
/* Worker: report progress; wakes the owner at most 4 times a second. */
void job_report_progress(struct job *, uint64_t done, uint64_t total);
void job_wake(struct job *);			/* worker: wake the owner, because a result was published */
bool job_cancelled(const struct job *);		/* worker */
bool job_has_thread(void);			/* return whether the calling thread is the worker of a job */
bool job_here_cancelled(void);			/* the same as job_cancelled(), for that job; false if there is none */

int  job_fd(const struct job *);		/* owner: the descriptor to poll for POLLIN */
void job_drain(struct job *);			/* owner: empty the descriptor */
void job_wait(struct job *);			/* owner: wait until there is news or the job has ended, and drain */
bool job_done(const struct job *, int *result);
void job_progress(const struct job *, uint64_t *done, uint64_t *total);
void job_cancel(struct job *);
int  job_join(struct job *);			/* owner: wait for the end, free the job, and return its result */

/* A callback for long work: it gets the amount done and the total (0: unknown), and returns false to stop the work.
   Once it has returned false it keeps doing so. go NULL: there is no callback. */
struct progress_watcher { bool (*go)(void *arg, uint64_t done, uint64_t total); void *arg; };
/* Worker: return a watcher that reports the progress of the job and stops when the job is cancelled. For NULL, return a
   watcher without a callback. */
struct progress_watcher job_progress_watcher(struct job *);
static inline bool watcher_report(const struct progress_watcher *o, uint64_t done, uint64_t total)
{
	return !o->go || o->go(o->arg, done, total);
}
/* Return whether to continue; o may be NULL: nothing stops the work. */
static inline bool job_should_continue(const struct progress_watcher *o)
{
	return !o || watcher_report(o, 0, 0);
}

/* Run fn(arg, 0..n-1) on up to job_cpus() threads and wait for all of them. */
void job_parallel(uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg);
/* Return an id of the calling thread: not 0, and unique while the thread lives. */
uintptr_t job_thread_id(void);
/* Send a signal to the thread with that id. Async-signal-safe. */
void job_signal_thread(uintptr_t thread, int sig);
int  job_cpus(void);
/* Return the number of threads that TTRACE_JOBS demands, whatever the number of processors and however small the work;
   0: it is not set. */
int  job_forced_threads(void);

/* A mutex, for data that several threads change rarely. */
struct lock;
struct lock *lock_new(void);
void lock_free(struct lock *);
void lock_acquire(struct lock *);
bool lock_try(struct lock *);	/* false: another thread has it */
void lock_release(struct lock *);

/*
 * A ring queue between two threads: slots that the producer fills and the consumer empties, in order. The contents of a
 * slot belong to the thread that holds the slot, so nothing is copied and nothing else is locked. A full queue blocks
 * the producer.
 */
struct ring_queue;
struct ring_queue *ring_new(uint32_t slots);
void ring_free(struct ring_queue *);
/* Run fn(arg), which uses the other end of the queue, on a thread of its own. fn has to return when the queue is
   closed. Return false if no thread can be started. */
bool ring_start(struct ring_queue *, void (*fn)(void *arg), void *arg);
void ring_stop(struct ring_queue *);			/* close the queue, and join its thread if it has one */
int  ring_begin_write(struct ring_queue *);		/* producer: the slot to fill; -1: the queue is closed */
void ring_end_write(struct ring_queue *);		/* producer: the slot is filled */
/* consumer: the slot to empty; -1: the queue is closed and empty */
int  ring_begin_read(struct ring_queue *);
/* consumer: as ring_begin_read(), but -1 also if no slot is filled yet */
int  ring_try_read(struct ring_queue *);
void ring_end_read(struct ring_queue *);		/* consumer: the slot is empty */
void ring_close(struct ring_queue *);		/* either: no more slots will be written, or read */
/* Producer: close the queue and wait until all slots are emptied, unless the consumer has closed it already. */
void ring_finish(struct ring_queue *);
/* Set work that a thread does instead of sleeping, for as long as work() returns true: the producer while at least
   `most` slots are filled (fewer, and the queue could run empty before it is back), the consumer while none is. Call
   before the second thread is started. */
void ring_set_idle_work(struct ring_queue *, uint32_t most, bool (*work)(void *), void *arg);
uint32_t ring_filled(struct ring_queue *);	/* the number of filled slots; any thread */

#endif
