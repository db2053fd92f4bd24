/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of goroutines and groups, and their time by class, against a walk over the intervals of each goroutine, for whole
 * traces and parts of them, in different groupings: the number of waits, their quantiles, and each class; the classes of
 * a goroutine are its total. Files in arguments are tested instead.
 */
#include "config.h"
#include "base/mem/mem.h"
#include "cli/options.h"
#include "session/trace_open.h"
#include "tap.h"
#include "tracefile.h"
#include "trace/bins.h"
#include "trace/longest_wait.h"
#include "trace/stats/goroutine_waits.h"
#include "trace/stats/group_key.h"
#include "trace/wait_before.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct snap *sn;
static const char *file;

/* Waits of a goroutine that overlap the time range, and its time by class while it lived in the range. */
struct walked { int64_t *wait; uint32_t n; size_t cap; int64_t ns[TIME_CLASS__N]; };

static void walk(const struct goroutine_times *g, int64_t t0, int64_t t1, struct walked *w)
{
	struct trace_interval v;
	int64_t born = store_trk(sn->st, g->trk)->t0, from = born > t0 ? born : t0, in_range = 0;
	bool go = trace_interval_at(sn, g->trk, from, &v) || trace_interval_near(sn, g->trk, from, 1, &v);
	for (; go && v.t0 < t1; go = trace_interval_step(sn, &v, 1)) {
		int64_t begin = state_is_wait(v.state) ? trace_wait_start(sn, g->trk, v.t0) : v.t0;
		int64_t lo = begin > g->t0 ? begin : g->t0, hi = v.t1 < g->t1 ? v.t1 : g->t1;
		if (state_is_wait(v.state)) {
			w->wait = mem_grow(w->wait, &w->cap, w->n + 1u, sizeof *w->wait);
			w->wait[w->n++] = v.t1 - begin;
		}
		if (hi <= lo)
			continue;
		w->ns[time_class_of(sn->st, v.state, v.stack)] += hi - lo;
		in_range += hi - lo;
	}
	w->ns[TIME_UNKNOWN] += g->total - in_range;
}

static bool same_quantiles(struct wait_quantiles q, int64_t *wait, uint32_t n)
{
	struct stats_spread s = stats_spread(wait, n);
	return q.n == n && q.p50 == s.at[SPREAD_P50] && q.p99 == s.at[SPREAD_P99];
}

/* Compare times by class. A goroutine in a blocked system call at the end of the trace counts as runnable and in the call
   in the totals, as in the reference; for it only the sum is compared. */
static bool same_classes(const struct goroutine_times *g, const int64_t *ns, const int64_t *walked)
{
	int64_t sum = 0;
	bool same = true, odd = trace_interval_state(sn, g->trk, sn->t1 - 1) == TS_SYSBLOCK && g->t1 == sn->t1;
	for (int c = 0; c < TIME_CLASS__N; c++) {
		sum += ns[c];
		same = same && ns[c] >= 0 && ns[c] == walked[c];
	}
	return sum == g->total && (same || odd);
}

static void check_groups(const struct stats_groups *gs, const struct goroutine_waits *w, int64_t t0, int64_t t1)
{
	for (uint32_t k = 0; k < gs->n; k++) {
		struct walked all = {0};
		for (uint32_t i = gs->group[k].first; i < gs->group[k].first + gs->group[k].n; i++) {
			struct walked one = {0};
			int64_t ns[TIME_CLASS__N] = {0};
			struct goroutine_times g;
			stats_groups_times(gs, i, NULL, &g);
			g.t0 = stats_groups_start(gs, i);
			g.t1 = g.t0 + g.total;
			walk(&g, t0, t1, &one);
			goroutine_waits_add_classes(w, i, ns);
			bool waits = same_quantiles(goroutine_waits_of(w, i), one.wait, one.n),
			     classes = same_classes(&g, ns, one.ns);
			OK(waits);
			OK(classes);
			if (!waits || !classes)
				fprintf(stderr, "%s, %lld..%lld: G%llu\n", file, (long long)t0, (long long)t1,
				    (unsigned long long)store_trk(sn->st, gs->g[i].trk)->id);
			all.wait = mem_grow(all.wait, &all.cap, all.n + one.n + 1u, sizeof *all.wait);
			for (uint32_t x = 0; x < one.n; x++)
				all.wait[all.n++] = one.wait[x];
			mem_free(one.wait);
		}
		OK(same_quantiles(goroutine_waits_of_group(w, k), all.wait, all.n));
		mem_free(all.wait);
	}
}

static void check_part(int64_t t0, int64_t t1, enum group_key_kind by)
{
	struct arena mem = {0};
	struct stats_query q = {.t0 = t0, .t1 = t1};
	int64_t a = t0 == TIME_NONE ? sn->t0 : t0, b = t1 == TIME_NONE ? sn->t1 : t1;
	q.key = group_key_make(sn, by, a, b, &mem, &q.on);
	const struct stats_groups *gs = stats_groups(stats_index_new(sn, &mem), &q, &mem);
	const struct goroutine_waits *w = goroutine_waits_measure(sn, gs, &q, &mem);
	OK(w);
	check_groups(gs, w, a, b);
	arena_free(&mem);
}

static bool stop(void *arg, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return ++*(int *)arg < 3;
}

static void check_stopped(void)
{
	struct arena mem = {0};
	int calls = 0;
	struct stats_query q = {.t0 = TIME_NONE, .t1 = TIME_NONE};
	const struct stats_groups *gs = stats_groups(stats_index_new(sn, &mem), &q, &mem);
	q.on = (struct progress_watcher){stop, &calls};
	OK(sn->nsheets < 3 || !goroutine_waits_measure(sn, gs, &q, &mem));
	arena_free(&mem);
}

static void check_file(const char *path)
{
	struct options o;
	struct trace t;
	file = path;
	if (!tracefile_open(&o, &t, path))
		return;
	sn = t.sn;
	int64_t len = sn->t1 - sn->t0;
	check_part(TIME_NONE, TIME_NONE, GROUP_KEY_FUNCTION);
	check_part(TIME_NONE, TIME_NONE, GROUP_KEY_STATE);
	for (int i = 0; i < 3; i++)
		check_part(sn->t0 + i * len / 4 + len / 1000, sn->t0 + (i + 2) * len / 5, (enum group_key_kind)i);
	check_part(TIME_NONE, sn->t0 + len / 100, GROUP_KEY_LIFE);
	check_stopped();
	trace_close(&t);
	options_free(&o);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"tests/faults/leak.trace.gz", "tests/faults/stw.trace.gz",
	    "tests/faults/gc.trace.gz", "samples/orders.trace", "samples/stock.trace", NULL};
	tap_files(argc, argv, names, check_file);
	return DONE();
}
