/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Threads. A job is one thread, three atomics and a pipe: the worker stores progress and writes a byte; the owner polls
 * the pipe together with the terminal. No data is shared under a lock: the worker publishes its results by atomic
 * pointers (store/builder.c).
 *
 * The wake pipe is non-blocking: if it is full, the owner has been woken already. Progress wakes the owner at most four
 * times a second, so that a slow connection is not repainted for every per cent.
 *
 * A ring queue is a ring of slot numbers under one lock, which is taken a few thousand times a second, because slots
 * are large. A thread that finds it full or empty sleeps until an eighth of the slots has moved. Waking a thread costs
 * as much as filling a slot, and two threads of nearly the same speed would wake each other for every slot. Doing other
 * work is better than sleeping: ring_set_idle_work(). The thread at the other end, which ring_start() starts, is no job:
 * it has no progress and no pipe, and it is ended by closing the queue.
 *
 * job_parallel() is a loop shared by several threads: an atomic counter hands out indexes. There is no pool, because a
 * load calls it only once or twice.
 */
#include "config.h"
#include "base/job.h"

#include "base/clock.h"
#include "base/mem/mem.h"
#include "base/shake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { TICK_NS = 250000000, THREADS_MAX = 64, MANY = 8 };

struct job {
	pthread_t thread;
	job_fn *fn;
	void *arg;
	int wake[2];		/* read end, write end */
	_Atomic uint64_t done, total;
	_Atomic bool cancel, ended;
	int result;		/* written before ended */
	int64_t last_report;		/* when progress last woke the owner; worker only */
};

static void lock_mutex(pthread_mutex_t *m)
{
	shake();
	pthread_mutex_lock(m);
}

static void unlock_mutex(pthread_mutex_t *m)
{
	pthread_mutex_unlock(m);
	shake();
}

/* The lock is held before and after. May return without a signal, as pthread_cond_wait() may. */
static void wait_for_signal(pthread_cond_t *on, pthread_mutex_t *m)
{
	if (!shake())
		pthread_cond_wait(on, m);
}

static _Thread_local const struct job *job_here;

static void *run_job(void *arg)
{
	struct job *j = arg;
	shake();
	job_here = j;
	j->result = j->fn(j, j->arg);
	shake();
	atomic_store(&j->ended, true);
	job_wake(j);
	return NULL;
}

/*
 * Starts threads on any processor except that of the creating thread, which has work as well. Under a hypervisor an
 * idle processor looks busy to the system, so about half of the new threads waited two to four milliseconds on their
 * creator's processor.
 */
#ifdef HAVE_PTHREAD_ATTR_SETAFFINITY_NP
/* The function of a thread, called after the thread is allowed on all processors again. */
struct starting { void *(*fn)(void *); void *arg; cpu_set_t all; };

static void *run_unpinned(void *arg)
{
	struct starting s = *(struct starting *)arg;
	mem_free(arg);
	(void)sched_setaffinity(0, sizeof s.all, &s.all);
	return s.fn(s.arg);
}

static int start_on_other_cpu(pthread_t *t, void *(*fn)(void *), void *arg)
{
	cpu_set_t others;
	pthread_attr_t attr;
	int here = sched_getcpu(), rc = -1;
	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof others, &others))
		return -1;
	struct starting *s = xmalloc(sizeof *s);
	*s = (struct starting){fn, arg, others};
	CPU_CLR(here, &others);
	if (CPU_COUNT(&others) && !pthread_attr_init(&attr)) {
		if (!pthread_attr_setaffinity_np(&attr, sizeof others, &others))
			rc = pthread_create(t, &attr, run_unpinned, s);
		pthread_attr_destroy(&attr);
	}
	if (rc)
		mem_free(s);
	return rc;
}
#else
static int start_on_other_cpu(pthread_t *t, void *(*fn)(void *), void *arg)
{
	(void)t, (void)fn, (void)arg;
	return -1;
}
#endif

/* Start a thread. Signals are handled by the UI thread: a worker blocks all signals except those that its own faults
   raise. */
static int start_thread(pthread_t *t, void *(*fn)(void *), void *arg)
{
	sigset_t all, old;
	sigfillset(&all);
	static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = start_on_other_cpu(t, fn, arg);
	if (rc)
		rc = pthread_create(t, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

static void set_nonblocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

struct job *job_start(job_fn *fn, void *arg)
{
	struct job *j = xcalloc(1, sizeof *j);
	j->fn = fn;
	j->arg = arg;
	if (pipe(j->wake)) {
		mem_free(j);
		return NULL;
	}
	set_nonblocking(j->wake[0]);
	set_nonblocking(j->wake[1]);
	if (start_thread(&j->thread, run_job, j)) {
		close(j->wake[0]);
		close(j->wake[1]);
		mem_free(j);
		return NULL;
	}
	return j;
}

void job_wake(struct job *j)
{
	shake();
	while (write(j->wake[1], "!", 1) < 0 && errno == EINTR)
		;
	shake();
}

void job_report_progress(struct job *j, uint64_t done, uint64_t total)
{
	atomic_store_explicit(&j->done, done, memory_order_relaxed);
	atomic_store_explicit(&j->total, total, memory_order_relaxed);
	int64_t now = clock_ns();
	if (now - j->last_report < TICK_NS)
		return;
	j->last_report = now;
	job_wake(j);
}

bool job_cancelled(const struct job *j)
{
	return atomic_load_explicit(&j->cancel, memory_order_relaxed);
}

bool job_has_thread(void)
{
	return job_here;
}

bool job_here_cancelled(void)
{
	return job_here && job_cancelled(job_here);
}

static bool job_continues(void *arg, uint64_t done, uint64_t total)
{
	if (total)
		job_report_progress(arg, done, total);
	return !job_cancelled(arg);
}

struct progress_watcher job_progress_watcher(struct job *j)
{
	return (struct progress_watcher){j ? job_continues : NULL, j};
}

int job_fd(const struct job *j)
{
	return j->wake[0];
}

void job_drain(struct job *j)
{
	char b[64];
	shake();
	while (read(j->wake[0], b, sizeof b) > 0)
		;
	shake();
}

/* The end is stored before its byte is written, so a job that is not done here will write one. */
void job_wait(struct job *j)
{
	struct pollfd p = {.fd = job_fd(j), .events = POLLIN};
	if (!job_done(j, NULL))
		poll(&p, 1, -1);
	job_drain(j);
}

bool job_done(const struct job *j, int *result)
{
	if (!atomic_load(&j->ended))
		return false;
	if (result)
		*result = j->result;
	return true;
}

void job_progress(const struct job *j, uint64_t *done, uint64_t *total)
{
	*done = atomic_load_explicit(&j->done, memory_order_relaxed);
	*total = atomic_load_explicit(&j->total, memory_order_relaxed);
}

void job_cancel(struct job *j)
{
	shake();
	atomic_store(&j->cancel, true);
}

int job_join(struct job *j)
{
	pthread_join(j->thread, NULL);
	int result = j->result;
	close(j->wake[0]);
	close(j->wake[1]);
	mem_free(j);
	return result;
}

uintptr_t job_thread_id(void)
{
	return (uintptr_t)pthread_self();
}

void job_signal_thread(uintptr_t thread, int sig)
{
	(void)pthread_kill((pthread_t)thread, sig);
}

int job_forced_threads(void)
{
	const char *s = getenv("TTRACE_JOBS");
	long n = s ? strtol(s, NULL, 10) : 0;
	return n < 0 ? 0 : n > THREADS_MAX ? THREADS_MAX : (int)n;
}

int job_cpus(void)
{
	static _Atomic long online;	/* result of sysconf(), which reads a file */
	long n = job_forced_threads();
	if (!n)
		n = atomic_load_explicit(&online, memory_order_relaxed);
	if (!n)
		atomic_store_explicit(&online, n = sysconf(_SC_NPROCESSORS_ONLN), memory_order_relaxed);
	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (int)n;
}

struct parallel {
	void (*fn)(void *, uint32_t);
	void *arg;
	uint32_t n;
	_Atomic uint32_t next;
};

static void *run_share(void *arg)
{
	struct parallel *p = arg;
	for (uint32_t i; (i = atomic_fetch_add(&p->next, 1)) < p->n; shake())
		p->fn(p->arg, i);
	return NULL;
}

void job_parallel(uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg)
{
	struct parallel p = {.fn = fn, .arg = arg, .n = n};
	pthread_t t[THREADS_MAX];
	int started = 0, want = job_cpus() - 1;
	while (started < want && (uint32_t)started + 1 < n && !start_thread(&t[started], run_share, &p))
		started++;
	run_share(&p);
	while (started)
		pthread_join(t[--started], NULL);
}

struct lock { pthread_mutex_t m; };

struct lock *lock_new(void)
{
	struct lock *l = xcalloc(1, sizeof *l);
	pthread_mutex_init(&l->m, NULL);
	return l;
}

void lock_free(struct lock *l)
{
	if (l)
		pthread_mutex_destroy(&l->m);
	mem_free(l);
}

void lock_acquire(struct lock *l)
{
	lock_mutex(&l->m);
}

bool lock_try(struct lock *l)
{
	return !pthread_mutex_trylock(&l->m);
}

void lock_release(struct lock *l)
{
	unlock_mutex(&l->m);
}

struct ring_queue {
	pthread_mutex_t lock;
	pthread_cond_t room, goods;
	uint32_t slots, sent, done;	/* sent - done slots are filled */
	uint32_t enough;		/* number of slots at which a waiting thread is woken */
	uint32_t most;			/* number of filled slots from which the producer does idle work */
	bool closed;
	bool (*work)(void *);		/* idle work, instead of sleeping */
	void *arg;
	pthread_t thread;		/* of ring_start() */
	bool started;
	struct { void (*fn)(void *); void *arg; } other_end;
};

struct ring_queue *ring_new(uint32_t slots)
{
	struct ring_queue *b = xcalloc(1, sizeof *b);
	b->slots = slots;
	b->enough = slots < MANY ? 1 : slots / MANY;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->room, NULL);
	pthread_cond_init(&b->goods, NULL);
	return b;
}

void ring_free(struct ring_queue *b)
{
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->room);
	pthread_cond_destroy(&b->goods);
	mem_free(b);
}

void ring_set_idle_work(struct ring_queue *b, uint32_t most, bool (*work)(void *), void *arg)
{
	b->most = most;
	b->work = work;
	b->arg = arg;
}

static void *run_other_end(void *arg)
{
	struct ring_queue *b = arg;
	shake();
	b->other_end.fn(b->other_end.arg);
	return NULL;
}

bool ring_start(struct ring_queue *b, void (*fn)(void *arg), void *arg)
{
	b->other_end.fn = fn;
	b->other_end.arg = arg;
	b->started = !start_thread(&b->thread, run_other_end, b);
	return b->started;
}

void ring_stop(struct ring_queue *b)
{
	ring_close(b);
	if (b->started)
		pthread_join(b->thread, NULL);
	b->started = false;
}

/* Do idle work once. The lock is held before and after. */
static bool run_idle_work(struct ring_queue *b)
{
	bool (*work)(void *) = b->work;
	if (!work)
		return false;
	unlock_mutex(&b->lock);
	bool more = work(b->arg);
	lock_mutex(&b->lock);
	return more;
}

int ring_begin_write(struct ring_queue *b)
{
	lock_mutex(&b->lock);
	while (b->work && b->sent - b->done >= b->most && !b->closed && run_idle_work(b))
		;
	if (b->sent - b->done == b->slots)
		while (b->slots - (b->sent - b->done) < b->enough && !b->closed)
			wait_for_signal(&b->room, &b->lock);
	int slot = b->closed ? -1 : (int)(b->sent % b->slots);
	unlock_mutex(&b->lock);
	return slot;
}

int ring_begin_read(struct ring_queue *b)
{
	lock_mutex(&b->lock);
	while (b->sent == b->done && !b->closed && run_idle_work(b))
		;
	if (b->sent == b->done)
		while (b->sent - b->done < b->enough && !b->closed)
			wait_for_signal(&b->goods, &b->lock);
	int slot = b->sent == b->done ? -1 : (int)(b->done % b->slots);
	unlock_mutex(&b->lock);
	return slot;
}

int ring_try_read(struct ring_queue *b)
{
	lock_mutex(&b->lock);
	int slot = b->sent == b->done ? -1 : (int)(b->done % b->slots);
	unlock_mutex(&b->lock);
	return slot;
}

uint32_t ring_filled(struct ring_queue *b)
{
	lock_mutex(&b->lock);
	uint32_t n = b->sent - b->done;
	unlock_mutex(&b->lock);
	return n;
}

static void belt_move(struct ring_queue *b, uint32_t sent, uint32_t done, bool closed)
{
	lock_mutex(&b->lock);
	b->sent += sent;
	b->done += done;
	b->closed |= closed;
	uint32_t full = b->sent - b->done;
	bool goods = b->closed || (sent && full == b->enough),
	     room = b->closed || (done && b->slots - full == b->enough);
	unlock_mutex(&b->lock);
	if (goods)
		pthread_cond_signal(&b->goods);
	if (room)
		pthread_cond_signal(&b->room);
}

void ring_end_write(struct ring_queue *b)
{
	belt_move(b, 1, 0, false);
}

void ring_end_read(struct ring_queue *b)
{
	belt_move(b, 0, 1, false);
}

void ring_finish(struct ring_queue *b)
{
	lock_mutex(&b->lock);
	bool wanted = !b->closed;
	b->closed = true;
	pthread_cond_signal(&b->goods);
	while (wanted && b->sent != b->done)
		if (!run_idle_work(b) && b->sent != b->done)
			wait_for_signal(&b->room, &b->lock);
	unlock_mutex(&b->lock);
}

void ring_close(struct ring_queue *b)
{
	belt_move(b, 0, 0, true);
}
