/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_JOB_H
#define TTRACE_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * One piece of work beside the interface: job.c alone includes pthread.h.
 * The worker reports progress and asks job_cancelled(); the owner polls
 * job_fd() (readable when there is news), reads job_done(), and joins.
 */
struct job;
typedef int job_fn(struct job *, void *arg);	/* 0 or -1; runs on the worker */

struct job *job_start(job_fn *, void *arg);	/* NULL: no thread or pipe; else job_join() frees it */
void job_report_progress(struct job *, uint64_t done, uint64_t total);	/* worker: progress, wakes the owner at
								   most 4 times a second */
void job_wake(struct job *);			/* worker: something was published */
bool job_cancelled(const struct job *);		/* worker */
void job_wait_while_held(struct job *);		/* worker: stands still here while it is held, and not cancelled */

int  job_fd(const struct job *);		/* owner: poll this for POLLIN */
void job_drain(struct job *);			/* owner: empty the wake fd */
bool job_done(const struct job *, int *result);
void job_progress(const struct job *, uint64_t *done, uint64_t *total);
void job_cancel(struct job *);
void job_hold(struct job *, bool);		/* owner: others come first; false, as often: on it goes */
int  job_join(struct job *);			/* waits; frees; the result */

/* Who looks on while something takes long: is told how far it is (total 0: that is not known), and may say stop
   (false), and whenever he is asked again. go NULL: nobody. */
struct progress_watcher { bool (*go)(void *arg, uint64_t done, uint64_t total); void *arg; };
/* Worker: the job, which may be cancelled; of NULL nobody. */
struct progress_watcher job_progress_watcher(struct job *);
static inline bool watcher_report(const struct progress_watcher *o, uint64_t done, uint64_t total)
{
	return !o->go || o->go(o->arg, done, total);
}
/* Return whether to go on; o may be NULL: nothing stops it. */
static inline bool job_should_continue(const struct progress_watcher *o)
{
	return !o || watcher_report(o, 0, 0);
}

/* Run fn(arg, 0..n-1) on up to the number of processors threads and wait for all. */
void job_parallel(uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg);
uintptr_t job_thread_id(void);	/* this thread: not 0, and no other's while it lives */
int  job_cpus(void);
/* TTRACE_JOBS: so many threads, whatever the machine has and however small the work; 0: not set */
int  job_forced_threads(void);

/* For what several threads change, rarely: one at a time. */
struct lock;
struct lock *lock_new(void);
void lock_free(struct lock *);
void lock_acquire(struct lock *);
bool lock_try(struct lock *);	/* false: another has it */
void lock_release(struct lock *);

/*
 * A belt between two threads: slots that one fills and the other empties, in
 * order. What is in them belongs to whoever holds the slot, so nothing is
 * copied and nothing else is locked; a full belt holds the producer back.
 */
struct ring_queue;
struct ring_queue *ring_new(uint32_t slots);
void ring_free(struct ring_queue *);
int  ring_begin_write(struct ring_queue *);		/* producer: the slot to fill; -1: nobody wants more */
void ring_end_write(struct ring_queue *);		/* producer: it is filled */
int  ring_begin_read(struct ring_queue *);		/* consumer: the slot to empty; -1: the end */
int  ring_try_read(struct ring_queue *);		/* consumer: likewise, but -1 also when none is filled yet */
void ring_end_read(struct ring_queue *);		/* consumer: it is empty */
void ring_close(struct ring_queue *);		/* either: there is, or is wanted, no more */
/* producer: there is no more; waits until all is emptied, unless the consumer has closed it */
void ring_finish(struct ring_queue *);
/* What either does before it would sleep, for as long as that says true: the producer when so many slots are filled,
   for the belt should not be empty by the time that it is back, the consumer when none is. To be set while there is one
   thread. */
void ring_set_idle_work(struct ring_queue *, uint32_t most, bool (*work)(void *), void *arg);
/* producer, with no slot in the hand: when it is empty it gets so many slots, and from then on they take turns: who has
   filled it goes on when it is empty, and who has emptied it when it is full; neither does anything else meanwhile. */
void ring_set_lockstep(struct ring_queue *, uint32_t slots);
uint32_t ring_filled(struct ring_queue *);	/* slots that are; either, and whoever works meanwhile */

#endif
