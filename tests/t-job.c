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
		job_tell(j, ++*n, 1000);
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

int main(void)
{
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
