/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The lines of GODEBUG's tracers, of Go 1.5 to today:
 *
 *	gc 5 @0.055s 4%: 0.07+6.5+0.06 ms clock, 0.1+1.1/0.2/0+0.1 ms cpu, 6->7->4 MB, 7 MB goal, 2 P
 *	SCHED 1003ms: gomaxprocs=2 idleprocs=0 threads=4 ... runqueue=2 [ 1 0 ]
 *
 * Go 1.5 has five clocks, the middle three of them concurrent; 1.19 added stacks
 * and globals; 1.26 says when goroutines were checked for leaks. Fields of SCHED
 * lines came and went, and each has its name beside it, so unknown ones are
 * passed over. A log's line may begin with what a collector put there, and JSON
 * may have made \u003e of an arrow.
 */
#include "config.h"
#include "load/text/godebug.h"

#include <string.h>

#define TIME_LIMIT (INT64_C(1000000000) * 1000000000)	/* 31 years */

/* A decimal number in units of so many ns. */
static bool take_time(struct words *t, int64_t unit, int64_t *ns)
{
	uint64_t whole;
	if (!words_u64(t, &whole) || whole > (uint64_t)(TIME_LIMIT / unit))
		return false;
	*ns = (int64_t)whole * unit;
	if (words_take(t, "."))
		for (; t->p < t->end && is_digit(*t->p); t->p++) {
			unit /= 10;
			*ns += (*t->p - '0') * unit;
		}
	return true;
}

/* "0.1+1.1/0.2/0+0.1": up to n numbers; slash: index of the first behind which there is a /, or n. */
static int take_times(struct words *t, int64_t *ns, int n, int *slash)
{
	int k = 0;
	*slash = n;
	while (k < n && take_time(t, 1000000, &ns[k])) {
		k++;
		if (*slash == n && words_start(*t, "/"))
			*slash = k - 1;
		if (!words_take(t, "+") && !words_take(t, "/"))
			break;
	}
	return k;
}

static bool take_mb(struct words *t, const char *after, uint64_t *bytes)
{
	struct words at = *t;
	if (!words_u64(&at, bytes) || *bytes > UINT64_C(1) << 30 || !words_take(&at, after))
		return false;
	*bytes <<= 20;
	*t = at;
	return true;
}

static bool take_arrow(struct words *t, uint64_t *bytes)
{
	return take_mb(t, "->", bytes) || take_mb(t, "-\\u003e", bytes);
}

static bool gc_clocks(struct words *t, struct gdb_gc *g)
{
	int64_t ns[8];
	int slash, n = take_times(t, ns, 8, &slash);
	if (n < 3 || !words_take(t, " ms clock"))
		return false;
	g->stw0 = ns[0];
	for (int i = 1; i + 1 < n; i++)
		g->mark += ns[i];
	g->stw1 = ns[n - 1];
	return true;
}

/* What follows the clocks; a line that was cut has what it has. */
static bool gc_rest(struct words *t, struct gdb_gc *g)
{
	int64_t cpu[8];
	int slash;
	if (!words_take(t, ", "))
		return false;
	int n = take_times(t, cpu, 8, &slash);
	if (slash + 2 < n) {
		g->assist = cpu[slash];
		g->worker = cpu[slash + 1];
		g->idle = cpu[slash + 2];
	}
	uint64_t procs;
	if (!words_take(t, " ms cpu, ") || !take_arrow(t, &g->heap0) || !take_arrow(t, &g->heap1) ||
	    !take_mb(t, " MB, ", &g->heap2) || !take_mb(t, " MB goal, ", &g->goal))
		return false;
	take_mb(t, " MB stacks, ", &g->stacks);
	take_mb(t, " MB globals, ", &g->globals);
	if (!words_u64(t, &procs) || !words_take(t, " P") || procs > 1 << 20)
		return false;
	g->procs = (uint32_t)procs;
	g->forced = words_take(t, " (forced)");
	return true;
}

static bool gc_at(struct words t, struct gdb_gc *g)
{
	uint64_t percent;
	*g = (struct gdb_gc){0};
	if (!words_take(&t, "gc ") || !words_u64(&t, &g->number) || !words_take(&t, " @") ||
	    !take_time(&t, 1000000000, &g->t) || !words_take(&t, "s ") || !words_u64(&t, &percent) ||
	    !words_take(&t, "%"))
		return false;
	g->leaks = words_take(&t, " (checking for goroutine leaks)");
	if (!words_take(&t, ": ") || !gc_clocks(&t, g))
		return false;
	g->whole = gc_rest(&t, g);
	return true;
}

bool gdb_gc(struct words t, struct gdb_gc *g)
{
	if (!text_find(t.p, t.end, " ms clock"))
		return false;
	for (const char *p = t.p; (p = text_find(p, t.end, "gc ")); p++)
		if (gc_at((struct words){p, t.end}, g))
			return true;
	return false;
}

/* ---- SCHED */

/* The next "key=value", or false at the end of them. A value may have spaces: the rest of it is passed
   over. */
static bool take_field(struct words *t, struct words *key, struct words *value)
{
	do {
		words_spaces(t);
		if (t->p == t->end || *t->p == '[')
			return false;
		*key = (struct words){t->p, t->p};
		do
			t->p++;
		while (t->p < t->end && *t->p != '=' && !is_space(*t->p));
		key->end = t->p;
	} while (t->p == t->end || *t->p != '=');
	t->p++;
	value->p = t->p;
	while (t->p < t->end && !is_space(*t->p))
		t->p++;
	value->end = t->p;
	return true;
}

static bool same(struct words w, const char *s)
{
	return words_n(w) == strlen(s) && words_start(w, s);
}

static bool flag(struct words w)
{
	return words_start(w, "true") || words_start(w, "1");
}

/* "[ 0 1 ]" */
static struct words take_list(struct words *t)
{
	struct words list = {t->p, t->p};
	words_spaces(t);
	if (words_take(t, "["))
		words_until(t, ']', &list);
	return list;
}

static bool sched_at(struct words t, struct gdb_sched *s)
{
	static const char *const names[GD__N] = {[GD_PROCS] = "gomaxprocs", [GD_IDLE_PROCS] = "idleprocs",
	    [GD_THREADS] = "threads", [GD_SPINNING] = "spinningthreads", [GD_IDLE_THREADS] = "idlethreads",
	    [GD_RUNQ] = "runqueue"};
	struct words key, value, ms;
	*s = (struct gdb_sched){0};
	if (!words_take(&t, "SCHED ") || !take_time(&t, 1000000, &s->t) || !words_take(&t, "ms: gomaxprocs="))
		return false;
	t.p -= 11;
	s->queues = (struct words){t.end, t.end};
	for (;;) {
		words_spaces(&t);
		if (words_start(t, "[")) {
			s->queues = take_list(&t);
		} else if (words_start(t, "schedticks=[")) {
			if (!words_until(&t, ']', &ms))	/* since 1.26: how often each P was given work, ever */
				break;
		} else if (!take_field(&t, &key, &value)) {
			break;
		} else if (same(key, "gcwaiting")) {
			s->detail = true;
			s->gcwaiting = flag(value);
		} else {
			for (int i = 0; i < GD__N; i++)
				if (same(key, names[i]))
					words_u64(&value, &s->v[i]);
		}
	}
	return true;
}

bool gdb_sched(struct words t, struct gdb_sched *s)
{
	if (!text_find(t.p, t.end, "gomaxprocs="))
		return false;
	for (const char *p = t.p; (p = text_find(p, t.end, "SCHED ")); p++)
		if (sched_at((struct words){p, t.end}, s))
			return true;
	return false;
}

bool gdb_next(struct words *list, uint64_t *v)
{
	words_spaces(list);
	return words_u64(list, v);
}

/* ---- scheddetail */

/* A number, nil or -1. */
static int64_t id_of(struct words w)
{
	uint64_t v;
	return words_u64(&w, &v) && v <= INT64_MAX ? (int64_t)v : -1;
}

static void unit_field(struct gdb_unit *u, struct words key, struct words value)
{
	if (same(key, "status"))
		words_u64(&value, &u->status);
	else if (same(key, "runqsize"))
		words_u64(&value, &u->queue);
	else if (same(key, "m"))
		u->m = id_of(value);
	else if (same(key, "p"))
		u->p = id_of(value);
	else if (same(key, "curg"))
		u->g = id_of(value);
	else if (same(key, "blocked"))
		u->blocked = flag(value);
}

bool gdb_unit(struct words t, struct gdb_unit *u)
{
	struct words key, value;
	words_spaces(&t);
	*u = (struct gdb_unit){.m = -1, .p = -1, .g = -1};
	if (t.p == t.end || !strchr("PMG", *t.p) || !*t.p)
		return false;
	u->kind = *t.p++;
	u->reason = (struct words){t.p, t.p};
	if (!words_u64(&t, &u->id) || !words_take(&t, ": ") ||
	    !words_start(t, u->kind == 'M' ? "p=" : "status="))
		return false;
	if (u->kind == 'G') {	/* status=4(GC worker (idle)) m=nil: the reason may have spaces */
		words_take(&t, "status=");
		const char *m = text_find(t.p, t.end, ") m=");
		if (!words_u64(&t, &u->status) || !words_take(&t, "(") || !m || m < t.p)
			return false;
		u->reason = (struct words){t.p, m};
		t.p = m + 1;
	}
	while (take_field(&t, &key, &value))
		unit_field(u, key, value);
	return true;
}
