/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Work beside the interface: it runs, tells, can be cancelled, and shares loops. */
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

/* From one thread to another, in turns from the BEFORE'th on: nothing is lost, and who empties the belt sees it full. */
enum { SLOTS = 4, TURN = 16, BEFORE = 50, ALL = BEFORE + 20 * TURN + 3 };
struct relay {
	struct ring_queue *ring_queue;
	int slot[TURN], made;
};

static int make_all(struct job *j, void *arg)
{
	struct relay *r = arg;
	(void)j;
	for (int i = 0; i < ALL; i++) {
		if (i == BEFORE)
			ring_set_lockstep(r->ring_queue, TURN);
		int slot = ring_begin_write(r->ring_queue);
		r->slot[slot] = r->made = i;
		ring_end_write(r->ring_queue);
	}
	ring_finish(r->ring_queue);
	return 0;
}

static bool busy(void *arg)
{
	(void)arg;
	return false;
}

static void test_turns(void)
{
	struct relay r = {.ring_queue = ring_new(SLOTS)};
	ring_set_idle_work(r.ring_queue, SLOTS / 2, busy, NULL);
	struct job *j = job_start(make_all, &r);
	int n = 0;
	for (int i, turn = 0; (i = ring_begin_read(r.ring_queue)) >= 0; ring_end_read(r.ring_queue), n++) {
		OK(r.slot[i] == n);
		if (n < BEFORE)
			continue;
		if (turn == 0)
			turn = n + TURN < ALL ? TURN : ALL - n;
		OK(r.made == n + turn - 1 && ring_filled(r.ring_queue) == (uint32_t)turn);
		turn--;
	}
	OK(n == ALL && !job_join(j));
	ring_free(r.ring_queue);
}

int main(void)
{
	test_turns();
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
