/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The goroutines that ran a function against the call trees of all time of single goroutines, for whole traces and parts
 * of them, and for functions and expressions: a goroutine is in the set exactly if its tree has weight below such a
 * function, or it has a CPU sample there. Files in arguments are tested instead.
 */
#include "config.h"
#include "base/text/regex.h"
#include "cli/options.h"
#include "session/trace_open.h"
#include "tap.h"
#include "tracefile.h"
#include "trace/as_profile.h"
#include "trace/stats/ran_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct snap *sn;
static const char *file;

static bool match_name(void *rx, const char *s, size_t n)
{
	return regex_match(rx, s, n);
}

/* Return whether the stack has a function whose name matches. */
static bool has_function(const struct regex *rx, stk_id s)
{
	for (; s; s = stk_parent(sn->st, s)) {
		const struct str_row *name =
		    store_str(sn->st, store_fun(sn->st, store_frm(sn->st, stk_frame(sn->st, s))->fun)->name);
		if (regex_match(rx, name->s, name->n))
			return true;
	}
	return false;
}

static bool in_tree(const struct regex *rx, trk_id g, int64_t t0, int64_t t1)
{
	struct arena mem = {0};
	struct trace_filter f = {.from = t0, .to = t1, .g = trace_gset_of_one(sn, g, &mem)};
	const struct trace_weights *w = trace_weigh(sn, TRACE_TIME, &f, &mem);
	bool found = false;
	for (stk_id s = 1; s < w->n && !found; s++)
		found = w->ns[s] > 0 && has_function(rx, s);
	for (uint32_t i = 0; i < sn->nsmps && !found; i++) {
		struct smp_time t = store_smp_time(sn->st, i);
		found = t.trk == g && (t0 == TIME_NONE || t.when >= t0) && (t1 == TIME_NONE || t.when < t1) &&
		    has_function(rx, store_smp(sn->st, i)->stack);
	}
	arena_free(&mem);
	return found;
}

static void check_set(const char *re, int64_t t0, int64_t t1, trk_id step)
{
	struct arena mem = {0};
	struct err e;
	struct regex *rx = regex_new(re, &e);
	struct trace_filter f = {.from = t0, .to = t1};
	uint32_t n, members = 0;
	const uint8_t *set = trace_gset_ran(sn, &f, match_name, rx, &mem, &n);
	OK(set);
	for (trk_id t = 1; t < sn->ntrks && set; t++)
		members += trace_gset_has(set, t);
	OK(members == n);
	for (trk_id t = 1; t < sn->ntrks && set; t++) {
		bool in = trace_gset_has(set, t);
		if (store_trk(sn->st, t)->kind != TK_G) {
			OK(!in);
			continue;
		}
		if (t % step && !in)	/* check all members, and a sample of the others */
			continue;
		bool want = in_tree(rx, t, t0, t1);
		OK(in == want);
		if (in != want)
			fprintf(stderr, "%s: %s: G%llu is%s in the set\n", file, re,
			    (unsigned long long)store_trk(sn->st, t)->id, in ? "" : " not");
	}
	regex_free(rx);
	arena_free(&mem);
}

/* A filter for one goroutine restricts the set to it. */
static void check_filter(const char *re)
{
	struct arena mem = {0};
	struct err e;
	struct regex *rx = regex_new(re, &e);
	struct trace_filter f = {.from = TIME_NONE, .to = TIME_NONE};
	uint32_t n, one;
	const uint8_t *set = trace_gset_ran(sn, &f, match_name, rx, &mem, &n);
	for (trk_id t = 1; t < sn->ntrks && set; t += 97) {
		f.g = trace_gset_of_one(sn, t, &mem);
		const uint8_t *single = trace_gset_ran(sn, &f, match_name, rx, &mem, &one);
		bool in = trace_gset_has(set, t);
		OK(single && one == in && trace_gset_has(single, t) == in);
	}
	regex_free(rx);
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
	trk_id step = sn->ntrks / 40 + 1;
	int64_t len = sn->t1 - sn->t0;
	static const char *const res[] = {"Mutex", "^main\\.", "^runtime\\.(gcBgMarkWorker|bgsweep)$", "nosuch", "net.*Read"};
	for (size_t i = 0; i < sizeof res / sizeof *res; i++) {
		check_set(res[i], TIME_NONE, TIME_NONE, step);
		check_set(res[i], sn->t0 + len / 3, sn->t0 + len / 2, step);
		check_filter(res[i]);
	}
	trace_close(&t);
	options_free(&o);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"tests/faults/lock-queue.trace.gz", "tests/faults/gc.trace.gz",
	    "samples/stock.trace", NULL};
	tap_files(argc, argv, names, check_file);
	return DONE();
}
