/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Jobs: they run, report progress and can be cancelled; parallel loops and ring queues lose nothing. */
#include "config.h"
#include "base/job.h"
#include "tap.h"

#include <poll.h>

static int count_up(struct job *j, void *arg)
{
	uint32_t *n = arg;
	while (*n < 1000)
		job_report_progress(j, ++*n, 1000);
	return 0;
}

static int until_cancelled(struct job *j, void *arg)
{
	(void)arg;
	job_wake(j);
	while (!job_cancelled(j))
		poll(NULL, 0, 1);
	return -1;
}

static void mark(void *arg, uint32_t i)
{
	((uint8_t *)arg)[i]++;
}

/* A ring queue passes all numbers from one thread to another, in order; idle work finds nothing to do. */
enum { SLOTS = 4, ALL = 373 };
struct relay {
	struct ring_queue *ring_queue;
	int slot[SLOTS];
};

static void make_all(void *arg)
{
	struct relay *r = arg;
	for (int i = 0; i < ALL; i++) {
		r->slot[ring_begin_write(r->ring_queue)] = i;
		ring_end_write(r->ring_queue);
	}
	ring_finish(r->ring_queue);
}

/* Write until the reader closes the queue. */
static void make_ever(void *arg)
{
	struct relay *r = arg;
	while (ring_begin_write(r->ring_queue) >= 0)
		ring_end_write(r->ring_queue);
}

static bool busy(void *arg)
{
	(void)arg;
	return false;
}

static void test_ring(void)
{
	struct relay r = {.ring_queue = ring_new(SLOTS)};
	ring_set_idle_work(r.ring_queue, SLOTS / 2, busy, NULL);
	OK(ring_start(r.ring_queue, make_all, &r));
	int n = 0;
	for (int i; (i = ring_begin_read(r.ring_queue)) >= 0; ring_end_read(r.ring_queue))
		OK(r.slot[i] == n++);
	ring_stop(r.ring_queue);
	OK(n == ALL);
	ring_free(r.ring_queue);

	r.ring_queue = ring_new(SLOTS);
	OK(ring_start(r.ring_queue, make_ever, &r));
	OK(ring_begin_read(r.ring_queue) >= 0);
	ring_stop(r.ring_queue);	/* the writer waits for room, or not yet */
	ring_stop(r.ring_queue);
	ring_free(r.ring_queue);
}

int main(void)
{
	test_ring();
	uint32_t n = 0;
	uint64_t done, total;
	struct job *j = job_start(count_up, &n);
	struct pollfd p = {.fd = job_fd(j), .events = POLLIN};
	int rc = 1;
	while (!job_done(j, &rc)) {
		OK(poll(&p, 1, -1) == 1);
		job_drain(j);
	}
	job_progress(j, &done, &total);
	OK(rc == 0 && done == 1000 && total == 1000);
	OK(job_join(j) == 0 && n == 1000);

	j = job_start(until_cancelled, NULL);
	p.fd = job_fd(j);
	OK(poll(&p, 1, -1) == 1 && !job_done(j, NULL));
	job_cancel(j);
	OK(job_join(j) == -1);

	static uint8_t seen[10000];
	job_parallel(10000, mark, seen);
	for (int i = 0; i < 10000; i++)
		OK(seen[i] == 1);
	return DONE();
}
