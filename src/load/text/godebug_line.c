/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Lines of GODEBUG's tracers, of Go 1.5 and later:
 *
 * 	gc 5 @0.055s 4%: 0.07+6.5+0.06 ms clock, 0.1+1.1/0.2/0+0.1 ms cpu, 6->7->4 MB, 7 MB goal, 2 P
 * 	SCHED 1003ms: gomaxprocs=2 idleprocs=0 threads=4 ... runqueue=2 [ 1 0 ]
 *
 * Go 1.5 has five clock times, the middle three of them concurrent; 1.19 added stacks and globals;
 * 1.26 marks cycles that check for goroutine leaks. Fields of SCHED lines changed over time; each
 * has its name before it, so unknown ones are skipped. A line may begin with the prefix of a log
 * collector, and JSON may have replaced the > of an arrow by \u003e.
 */
#include "config.h"
#include "load/text/godebug_line.h"

#include <string.h>

#define TIME_LIMIT (INT64_C(1000000000) * 1000000000)	/* 31 years */

/* Take a decimal number; unit: its unit in ns. */
static bool take_time(struct scan_text *t, int64_t unit, int64_t *ns)
{
	uint64_t whole;
	if (!scan_take_u64(t, &whole) || whole > (uint64_t)(TIME_LIMIT / unit))
		return false;
	*ns = (int64_t)whole * unit;
	if (scan_take(t, "."))
		for (; t->p < t->end && scan_is_digit(*t->p); t->p++) {
			unit /= 10;
			*ns += (*t->p - '0') * unit;
		}
	return true;
}

/* Take up to n numbers like "0.1+1.1/0.2/0+0.1". *slash: index of the first number that a / follows, or n. */
static int take_times(struct scan_text *t, int64_t *ns, int n, int *slash)
{
	int k = 0;
	*slash = n;
	while (k < n && take_time(t, 1000000, &ns[k])) {
		k++;
		if (*slash == n && scan_starts_with(*t, "/"))
			*slash = k - 1;
		if (!scan_take(t, "+") && !scan_take(t, "/"))
			break;
	}
	return k;
}

static bool take_mb(struct scan_text *t, const char *after, uint64_t *bytes)
{
	struct scan_text at = *t;
	if (!scan_take_u64(&at, bytes) || *bytes > UINT64_C(1) << 30 || !scan_take(&at, after))
		return false;
	*bytes <<= 20;
	*t = at;
	return true;
}

static bool take_arrow(struct scan_text *t, uint64_t *bytes)
{
	return take_mb(t, "->", bytes) || take_mb(t, "-\\u003e", bytes);
}

static bool gc_clocks(struct scan_text *t, struct godebug_gc *g)
{
	int64_t ns[8];
	int slash, n = take_times(t, ns, 8, &slash);
	if (n < 3 || !scan_take(t, " ms clock"))
		return false;
	g->stw0 = ns[0];
	for (int i = 1; i + 1 < n; i++)
		g->mark += ns[i];
	g->stw1 = ns[n - 1];
	return true;
}

/* Take what follows the clock times. Returns false for a truncated line; the fields before the end are set. */
static bool take_gc_details(struct scan_text *t, struct godebug_gc *g)
{
	int64_t cpu[8];
	int slash;
	if (!scan_take(t, ", "))
		return false;
	int n = take_times(t, cpu, 8, &slash);
	if (slash + 2 < n) {
		g->assist = cpu[slash];
		g->worker = cpu[slash + 1];
		g->idle = cpu[slash + 2];
	}
	uint64_t procs;
	if (!scan_take(t, " ms cpu, ") || !take_arrow(t, &g->heap0) || !take_arrow(t, &g->heap1) ||
	    !take_mb(t, " MB, ", &g->heap2) || !take_mb(t, " MB goal, ", &g->goal))
		return false;
	take_mb(t, " MB stacks, ", &g->stacks);
	take_mb(t, " MB globals, ", &g->globals);
	if (!scan_take_u64(t, &procs) || !scan_take(t, " P") || procs > 1 << 20)
		return false;
	g->procs = (uint32_t)procs;
	g->forced = scan_take(t, " (forced)");
	return true;
}

static bool gc_at(struct scan_text t, struct godebug_gc *g)
{
	uint64_t percent;
	*g = (struct godebug_gc){0};
	if (!scan_take(&t, "gc ") || !scan_take_u64(&t, &g->number) || !scan_take(&t, " @") ||
	    !take_time(&t, 1000000000, &g->t) || !scan_take(&t, "s ") || !scan_take_u64(&t, &percent) ||
	    !scan_take(&t, "%"))
		return false;
	g->leaks = scan_take(&t, " (checking for goroutine leaks)");
	if (!scan_take(&t, ": ") || !gc_clocks(&t, g))
		return false;
	g->whole = take_gc_details(&t, g);
	return true;
}

bool godebug_gc(struct scan_text t, struct godebug_gc *g)
{
	if (!scan_find(t.p, t.end, " ms clock"))
		return false;
	for (const char *p = t.p; (p = scan_find(p, t.end, "gc ")); p++)
		if (gc_at((struct scan_text){p, t.end}, g))
			return true;
	return false;
}

/* ---- SCHED */

/* Take the next "key=value". Returns false after the last one. A value may contain spaces; its first word is
   returned and the rest is skipped. */
static bool take_field(struct scan_text *t, struct scan_text *key, struct scan_text *value)
{
	do {
		scan_skip_spaces(t);
		if (t->p == t->end || *t->p == '[')
			return false;
		*key = (struct scan_text){t->p, t->p};
		do
			t->p++;
		while (t->p < t->end && *t->p != '=' && !scan_is_space(*t->p));
		key->end = t->p;
	} while (t->p == t->end || *t->p != '=');
	t->p++;
	value->p = t->p;
	while (t->p < t->end && !scan_is_space(*t->p))
		t->p++;
	value->end = t->p;
	return true;
}

static bool is_word(struct scan_text w, const char *s)
{
	return scan_len(w) == strlen(s) && scan_starts_with(w, s);
}

static bool parse_flag(struct scan_text w)
{
	return scan_starts_with(w, "true") || scan_starts_with(w, "1");
}

/* Take "[ 0 1 ]". */
static struct scan_text take_list(struct scan_text *t)
{
	struct scan_text list = {t->p, t->p};
	scan_skip_spaces(t);
	if (scan_take(t, "["))
		scan_take_until(t, ']', &list);
	return list;
}

static bool sched_at(struct scan_text t, struct godebug_sched *s)
{
	static const char *const names[GD__N] = {[GD_PROCS] = "gomaxprocs", [GD_IDLE_PROCS] = "idleprocs",
	    [GD_THREADS] = "threads", [GD_SPINNING] = "spinningthreads", [GD_IDLE_THREADS] = "idlethreads",
	    [GD_RUNQ] = "runqueue"};
	struct scan_text key, value, ms;
	*s = (struct godebug_sched){0};
	if (!scan_take(&t, "SCHED ") || !take_time(&t, 1000000, &s->t) || !scan_take(&t, "ms: gomaxprocs="))
		return false;
	t.p -= 11;
	s->queues = (struct scan_text){t.end, t.end};
	for (;;) {
		scan_skip_spaces(&t);
		if (scan_starts_with(t, "[")) {
			s->queues = take_list(&t);
		} else if (scan_starts_with(t, "schedticks=[")) {
			if (!scan_take_until(&t, ']', &ms)) /* since 1.26: number of times that each P was scheduled */
				break;
		} else if (!take_field(&t, &key, &value)) {
			break;
		} else if (is_word(key, "gcwaiting")) {
			s->detail = true;
			s->gcwaiting = parse_flag(value);
		} else {
			for (int i = 0; i < GD__N; i++)
				if (is_word(key, names[i]))
					scan_take_u64(&value, &s->v[i]);
		}
	}
	return true;
}

bool godebug_sched(struct scan_text t, struct godebug_sched *s)
{
	if (!scan_find(t.p, t.end, "gomaxprocs="))
		return false;
	for (const char *p = t.p; (p = scan_find(p, t.end, "SCHED ")); p++)
		if (sched_at((struct scan_text){p, t.end}, s))
			return true;
	return false;
}

bool godebug_next_number(struct scan_text *list, uint64_t *v)
{
	scan_skip_spaces(list);
	return scan_take_u64(list, v);
}

/* ---- scheddetail */

/* Return the number; -1 for nil and -1. */
static int64_t id_of(struct scan_text w)
{
	uint64_t v;
	return scan_take_u64(&w, &v) && v <= INT64_MAX ? (int64_t)v : -1;
}

static void unit_field(struct godebug_unit *u, struct scan_text key, struct scan_text value)
{
	if (is_word(key, "status"))
		scan_take_u64(&value, &u->status);
	else if (is_word(key, "runqsize"))
		scan_take_u64(&value, &u->queue);
	else if (is_word(key, "m"))
		u->m = id_of(value);
	else if (is_word(key, "p"))
		u->p = id_of(value);
	else if (is_word(key, "curg"))
		u->g = id_of(value);
	else if (is_word(key, "blocked"))
		u->blocked = parse_flag(value);
}

bool godebug_unit(struct scan_text t, struct godebug_unit *u)
{
	struct scan_text key, value;
	scan_skip_spaces(&t);
	*u = (struct godebug_unit){.m = -1, .p = -1, .g = -1};
	if (t.p == t.end || !strchr("PMG", *t.p) || !*t.p)
		return false;
	u->kind = *t.p++;
	u->reason = (struct scan_text){t.p, t.p};
	if (!scan_take_u64(&t, &u->id) || !scan_take(&t, ": ") ||
	    !scan_starts_with(t, u->kind == 'M' ? "p=" : "status="))
		return false;
	if (u->kind == 'G') {	/* status=4(GC worker (idle)) m=nil: the reason may have spaces */
		scan_take(&t, "status=");
		const char *m = scan_find(t.p, t.end, ") m=");
		if (!scan_take_u64(&t, &u->status) || !scan_take(&t, "(") || !m || m < t.p)
			return false;
		u->reason = (struct scan_text){t.p, m};
		t.p = m + 1;
	}
	while (take_field(&t, &key, &value))
		unit_field(u, key, value);
	return true;
}
