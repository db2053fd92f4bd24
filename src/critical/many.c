/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Paths are independent of each other, so each thread takes every k-th target. What is summed up is kept by part and
 * added in the order of parts at the end, so nothing is locked.
 *
 * The cost of a path is the number of its pieces, and of what a walk looks at without a piece of its own, which is only
 * known when it has been walked. A few targets, evenly spaced, are walked first to estimate it; then as many as the
 * bound allows, evenly spaced as well.
 */
#include "config.h"
#include "critical/many.h"

enum { PILOTS = 64, FEWEST = 8, REPORT = 64, LOOKS = 8 };	/* LOOKS: parts that cost as much as a piece */

struct many_run {
	const struct critical_many *q;
	uint32_t n, parts;		/* number of targets that are walked, of parts */
	_Atomic bool stopped;
};

uint32_t critical_many_parts(void)
{
	int n = job_cpus();
	return n > 0 ? (uint32_t)n : 1;
}

struct critical_target critical_many_at(const void *of, uint32_t i)
{
	return ((const struct critical_target *)of)[i];
}

/* Return the index of the i-th of n targets, evenly spaced among all. */
static uint32_t spaced_index(uint32_t i, uint32_t n, uint32_t all)
{
	return (uint32_t)((uint64_t)i * all / n);
}

/* Return how many targets can be walked. */
static uint32_t affordable_count(const struct critical_many *q)
{
	struct critical_path p = {.coarse = q->coarse};
	uint32_t pilots = q->n < PILOTS ? q->n : PILOTS, i = 0;
	uint64_t cost = 0, most = q->coarse ? CRITICAL_MANY_COARSE : CRITICAL_MANY;
	while (i < pilots && cost < most / PILOTS && job_should_continue(&q->on)) {
		struct critical_target t = q->target(q->of, spaced_index(i++, pilots, q->n));
		critical_path_walk(q->walker, t.g, t.t0, t.t1, &p);
		cost += p.n + p.looked / LOOKS;
	}
	critical_path_free(&p);
	uint64_t n = cost ? most * i / cost : q->n;
	return n < FEWEST && q->n > FEWEST ? FEWEST : n < q->n ? (uint32_t)n : q->n;
}

static void walk_part(void *arg, uint32_t part)
{
	struct many_run *r = arg;
	const struct critical_many *q = r->q;
	struct critical_path p = {.coarse = q->coarse};
	for (uint32_t i = part; i < r->n && !atomic_load_explicit(&r->stopped, memory_order_relaxed); i += r->parts) {
		uint32_t k = spaced_index(i, r->n, q->n);
		struct critical_target t = q->target(q->of, k);
		critical_path_walk(q->walker, t.g, t.t0, t.t1, &p);
		q->each(q->arg, part, k, &p);
		if (!part && i / r->parts % REPORT == 0 && !watcher_report(&q->on, i, r->n))
			atomic_store_explicit(&r->stopped, true, memory_order_relaxed);
	}
	critical_path_free(&p);
}

uint32_t critical_many_walk(const struct critical_many *q)
{
	struct many_run r = {.q = q, .parts = critical_many_parts()};
	r.n = affordable_count(q);
	job_parallel(r.parts, walk_part, &r);
	return atomic_load(&r.stopped) || !job_should_continue(&q->on) ? 0 : r.n;
}

static void add_lines(void *arg, uint32_t part, uint32_t target, const struct critical_path *p)
{
	struct critical_lines *const *lines = arg;
	critical_lines_add(lines[part], p, target);
}

bool critical_sum_lines(const struct critical_walker *w, const struct critical_target *target, uint32_t n,
    const struct progress_watcher *on, struct critical_sum *out)
{
	uint32_t parts = critical_many_parts();
	struct critical_lines **lines = xmalloc(parts * sizeof *lines);
	for (uint32_t i = 0; i < parts; i++)
		lines[i] = critical_lines_new(critical_walker_snap(w));
	struct critical_many q = {.walker = w, .target = critical_many_at, .of = target, .n = n, .each = add_lines, .arg = lines,
	    .on = on ? *on : (struct progress_watcher){0}};
	out->n = critical_many_walk(&q);
	for (uint32_t i = 1; i < parts; i++) {
		critical_lines_merge(lines[0], lines[i]);
		critical_lines_free(lines[i]);
	}
	out->lines = lines[0];
	critical_lines_sort(out->lines);
	mem_free(lines);
	if (out->n || !n)
		return true;
	critical_lines_free(out->lines);
	out->lines = NULL;
	return false;
}
