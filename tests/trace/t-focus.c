/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Focus and ignore on goroutines and times against brute force: all stacks of a goroutine in a time range are collected
 * from joined intervals, wake-ups, CPU samples, marks and spans, and each name is asked. For whole traces and for ranges
 * drawn at random (seeded). Files in arguments are tested instead.
 */
#include "config.h"
#include "base/text/regex.h"
#include "cli/options.h"
#include "filter/trace_focus.h"
#include "session/trace_open.h"
#include "store/tracks/time_search.h"
#include "tap.h"
#include "tracefile.h"
#include "trace/bins.h"
#include "trace/filter.h"
#include "trace/run_stacks.h"

#include <stdio.h>
#include <string.h>

static const struct snap *sn;
static const char *file;
static uint64_t seed = 7;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static bool text_matches(const struct regex *rx, str_id s)
{
	const struct str_row *r = store_str(sn->st, s);
	return regex_match(rx, r->s ? r->s : "", r->n);
}

static bool stack_matches(const struct regex *rx, stk_id s)
{
	for (; s; s = stk_parent(sn->st, s)) {
		const struct fun_row *f = store_fun(sn->st, store_frm(sn->st, stk_frame(sn->st, s))->fun);
		if (text_matches(rx, f->name) || text_matches(rx, f->file))
			return true;
	}
	return false;
}

static stk_id own_stack(const struct trace_interval *v)
{
	return v->state == TS_READY && v->peer ? 0 : v->stack;
}

static stk_id near_stack(struct trace_interval v, int dir)
{
	while (trace_interval_step(sn, &v, dir) && v.state != TS_NONE)
		if (own_stack(&v))
			return own_stack(&v);
	return 0;
}

static bool interval_matches(const struct regex *rx, const struct trace_interval *v)
{
	if (own_stack(v) || v->state == TS_NONE)
		return stack_matches(rx, own_stack(v));
	stk_id before = near_stack(*v, -1);
	if (!state_runs(v->state))
		return stack_matches(rx, before);
	return stack_matches(rx, run_stacks_common(sn->st, before, near_stack(*v, 1)));
}

static bool moments_match(const struct regex *rx, trk_id g, int64_t t0, int64_t t1)
{
	bool is = false;
	struct wake_edges_walk walk = {0};
	struct edge e;
	while (wake_edges_next(sn, &walk, g, t0, t1, &e))
		is |= stack_matches(rx, e.stack);
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		struct smp_time t = store_smp_time(sn->st, i);
		is |= t.trk == g && t.when != TIME_NONE && t.when >= t0 && t.when < t1 &&
		    stack_matches(rx, store_smp(sn->st, i)->stack);
	}
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		is |= m->kind == MK_LOG && m->trk == g && m->t >= t0 && m->t < t1 && stack_matches(rx, m->stack);
	}
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->kind != SP_TASK && s->kind != SP_REGION)
			continue;
		trk_id end = s->kind == SP_TASK ? s->trk1 : s->trk;
		is |= s->trk == g && s->t0 != TIME_NONE && s->t0 >= t0 && s->t0 < t1 && stack_matches(rx, s->stack);
		is |= end == g && s->t1 != TIME_NONE && s->t1 >= t0 && s->t1 < t1 && stack_matches(rx, s->stack1);
	}
	return is;
}

static bool matches_in(const struct regex *rx, trk_id g, int64_t t0, int64_t t1)
{
	struct trace_interval v;
	bool more = trace_interval_at(sn, g, t0, &v) || trace_interval_near(sn, g, t0, 1, &v);
	bool is = text_matches(rx, store_trk_name(sn->st, g));
	for (; more && v.t0 < t1 && !is; more = trace_interval_step(sn, &v, 1))
		is = interval_matches(rx, &v);
	return is || moments_match(rx, g, t0, t1);
}

/* One goroutine of the set, its time as a whole, and focus and ignore of the same expression. */
static void check_goroutine(const struct regex *rx, const struct trace_focus *const f[2], const uint8_t *const set[2],
    trk_id g, int64_t t0, int64_t t1)
{
	struct trace_interval v;
	bool want = matches_in(rx, g, t0, t1);
	bool lives = (trace_interval_at(sn, g, t0, &v) || trace_interval_near(sn, g, t0, 1, &v)) && v.t0 < t1;
	bool is = trace_focus_has_time(f[0], g, t0, t1, FOCUS_ALL_PIECES);
	if (lives && (is != want || trace_gset_has(set[0], g) != want))
		fprintf(stderr, "%s: %s: G%llu in [%lld, %lld): want %d, is %d, in the set %d\n", file, regex_pattern(rx),
		    (unsigned long long)store_trk(sn->st, g)->id, (long long)t0, (long long)t1, want, is,
		    trace_gset_has(set[0], g));
	OK(!lives || is == want);
	OK(!lives || trace_gset_has(set[0], g) == want);
	OK(trace_focus_has_time(f[1], g, t0, t1, FOCUS_ALL_PIECES) != is);
	OK(trace_gset_has(set[0], g) != trace_gset_has(set[1], g));
	OK(!is || trace_focus_has_time(f[0], g, t0, t1, 2));	/* with few pieces: never less */
}

static void check_range(const struct regex *rx, int64_t t0, int64_t t1)
{
	struct arena mem = {0};
	struct err e;
	const struct trace_focus *f[2] = {NULL, NULL};
	const struct filters words[2] = {{.focus = regex_pattern(rx)}, {.ignore = regex_pattern(rx)}};
	const uint8_t *set[2] = {NULL, NULL};
	bool whole = t0 == TIME_NONE;
	for (int i = 0; i < 2; i++) {
		OK(!filter_trace_focus(sn, &words[i], &mem, &f[i], &e) && f[i]);
		set[i] = f[i] ? trace_focus_goroutines(f[i], t0, t1, NULL, &mem, NULL) : NULL;
	}
	for (trk_id g = 1 + rnd(1 + sn->ntrks / 40); g < sn->ntrks && set[1]; g += 1 + rnd(1 + sn->ntrks / 20))
		if (store_trk(sn->st, g)->kind == TK_G)
			check_goroutine(rx, f, set, g, whole ? sn->t0 : t0, whole ? sn->t1 : t1);
	arena_free(&mem);
}

static void check_file(const char *path)
{
	static const char *const res[] = {"Mutex", "^main\\.", "proc\\.go", "nosuch", "net.*Read"};
	struct options o;
	struct trace t;
	file = path;
	if (!tracefile_open(&o, &t, path))
		return;
	sn = t.sn;
	for (size_t i = 0; i < sizeof res / sizeof *res; i++) {
		struct err e;
		struct regex *rx = regex_new(res[i], &e);
		check_range(rx, TIME_NONE, TIME_NONE);
		for (int k = 0; k < 4; k++) {
			int64_t len = sn->t1 - sn->t0, t0 = sn->t0 + len / 1000 * rnd(1000);
			check_range(rx, t0, t0 + 1 + len / 10000 * rnd(2000));
		}
		regex_free(rx);
	}
	trace_close(&t);
	options_free(&o);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"tests/faults/lock-queue.trace.gz", "tests/faults/gc.trace.gz",
	    "samples/stock.trace", "samples/orders.trace", NULL};
	tap_files(argc, argv, names, check_file);
	return DONE();
}
