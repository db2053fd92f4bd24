/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The share of a P in the waiting of all runnable goroutines, against adding it up moment by moment: the share of a range
 * is the sum of (waiting goroutines / Ps) over its moments, and the shares of adjacent ranges add up exactly. In many
 * sheets it is the same to the nanosecond as in one.
 */
#include "config.h"
#include "store/builder.h"
#include "trace/run_queue.h"

#include "tap.h"

#include <string.h>

enum { T = 3000, WAITS = 60 };

static uint64_t seed = 11;
static int64_t rnd(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(seed >> 33) % n;
}

static int64_t wait[WAITS][2];

/* Add the parts of all waits in [t0, t1) as one sheet. */
static void add_waits(struct run_queue_sum *c, int64_t t0, int64_t t1)
{
	for (int i = 0; i < WAITS; i++) {
		int64_t a = wait[i][0] < t0 ? t0 : wait[i][0], b = wait[i][1] > t1 ? t1 : wait[i][1];
		if (b > a)
			run_queue_add_wait(c, a, b);
	}
	run_queue_end_sheet(c, t1);
}

/* Compare sums over many sheets with `whole`, the sums over one. */
static void check_sheets(const struct snap *sn, struct run_queue_sum *whole)
{
	struct run_queue_sum *c = run_queue_new(sn, 0);
	int64_t was = 0;
	for (int64_t t0 = 0, t1; t0 < T; t0 = t1) {
		t1 = t0 + 1 + rnd(200);
		t1 = t1 < T ? t1 : T;
		add_waits(c, t0, t1);
		OK(run_queue_share_until(c, t0) == was);
		for (int64_t t = t0; t <= t1; t++)
			OK(run_queue_share_until(c, t) == run_queue_share_until(whole, t));
		was = run_queue_share_until(c, t1);
	}
	OK(run_queue_proc_share(c) == run_queue_proc_share(whole));
	run_queue_free(c);
}

static int64_t share_of(const struct snap *sn, uint64_t proc)
{
	struct run_queue_sum *c = run_queue_new(sn, proc);
	add_waits(c, 0, T);
	int64_t ns = run_queue_proc_share(c);
	run_queue_free(c);
	return ns;
}

static void check(int64_t procs, int64_t more, int64_t change)
{
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	static double share[T];
	static int64_t waiting[T];
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = T});
	s.trace->count(s.self, 0, CT_GOMAXPROCS, (uint64_t)procs, 0);
	s.trace->count(s.self, change, CT_GOMAXPROCS, (uint64_t)more, 0);
	const struct snap *sn = builder_finish(b);
	struct run_queue_sum *c = run_queue_new(sn, 0);
	memset(waiting, 0, sizeof waiting);
	for (int i = 0; i < WAITS; i++) {
		int64_t t0 = rnd(T), t1 = t0 + rnd(T - t0);
		wait[i][0] = t0;
		wait[i][1] = t1;
		for (int64_t t = t0; t < t1; t++)
			waiting[t]++;
	}
	add_waits(c, 0, T);
	for (int t = 0; t < T; t++)
		share[t] = (t ? share[t - 1] : 0) + (double)waiting[t] / (double)(t < change ? procs : more);
	for (int i = 0; i < 200; i++) {
		int64_t a = 1 + rnd(T - 1), d = a + rnd(T - a), m = a + rnd(d - a + 1);
		double want = d > a ? share[d - 1] - share[a - 1] : 0, got = (double)run_queue_share_between(c, a, d);
		OK(got > want - 2.5 && got < want + 2.5);
		OK(run_queue_share_between(c, a, m) + run_queue_share_between(c, m, d) ==
		    run_queue_share_between(c, a, d));
	}
	OK(run_queue_proc_share(c) == run_queue_share_between(c, -1, T) && share_of(sn, 1000) == 0);
	int64_t most = share_of(sn, (uint64_t)(procs > more ? procs : more) - 1);
	OK(procs == more ? most == run_queue_proc_share(c) : most < run_queue_proc_share(c));
	OK(run_queue_share_between(c, T, T + 100) == 0 && run_queue_share_between(c, -100, 0) == 0);
	check_sheets(sn, c);
	run_queue_free(c);
	builder_free(b);
}

/* Times of a damaged file: a share that overflows is 0, not negative. */
static void check_far(void)
{
	const int64_t far = INT64_C(1) << 61;
	struct store_builder *b = builder_new();
	struct run_queue_sum *c = run_queue_new(builder_finish(b), UINT64_MAX);
	for (int i = 0; i < 5; i++)
		run_queue_add_wait(c, 0, far);
	run_queue_end_sheet(c, far);
	OK(run_queue_share_until(c, far) == 0 && run_queue_share_between(c, 0, 100) == 500);
	run_queue_free(c);
	builder_free(b);
}

int main(void)
{
	check_far();
	check(1, 1, T / 2);
	check(4, 4, T / 2);
	check(4, 3, T / 3);
	check(2, 64, T - 5);
	return DONE();
}
