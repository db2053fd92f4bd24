/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace stats`: goroutines by state, threads in system calls, heap and goal
 * over time, one line a step. A line says how it was at the end of its step, and
 * how many were runnable at most.
 */
#include "config.h"
#include "report/trep.h"

#include "analysis/bins.h"
#include "base/text.h"

enum { LINES = 20, MAX_LINES = 1000000 };

static void cell(struct table *t, const struct cbin *c, uint64_t v)
{
	if (c->any)
		table_int(t, (int64_t)v);
	else
		table_none(t);
}

static int steps(const struct trep *r, uint32_t *n, int64_t *step, struct err *e)
{
	const char *s = opt_str(r->o, OPT_STEP);
	int64_t all = r->t1 - r->t0;
	*n = LINES;
	*step = all / LINES;
	if (!s || !*s) {
		if (!*step)
			*step = 1;
		return 0;
	}
	if (!text_parse_ns(s, step) || *step <= 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-step is a duration like 10ms, not \"%s\"", s);
	if (all / *step >= MAX_LINES)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-step=%s would make more than a million lines", s);
	*n = (uint32_t)((all + *step - 1) / *step);
	return 0;
}

int report_stats(const struct opt *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "Time", "time_ns", TB_NS }, { "Running", "running", TB_INT }, { "Runnable", "runnable", TB_INT },
		{ "at most", "runnable_max", TB_INT }, { "Waiting", "waiting", TB_INT }, { "In syscalls", "syscall", TB_INT },
		{ "GOMAXPROCS", "gomaxprocs", TB_INT }, { "Heap", "heap_bytes", TB_BYTES }, { "Goal", "goal_bytes", TB_BYTES },
	};
	static const enum counter counters[] = {
		CT_RUNNING, CT_RUNNABLE, CT_WAITING, CT_SYSCALL, CT_GOMAXPROCS, CT_HEAP_LIVE, CT_HEAP_GOAL,
	};
	enum { N = sizeof counters / sizeof *counters };
	struct trep r;
	uint32_t n;
	int64_t step;
	if (trep_open(&r, o, out, e))
		return -1;
	if (steps(&r, &n, &step, e)) {
		trep_close(&r);
		return -1;
	}
	struct cbin *c[N];
	for (int i = 0; i < N; i++) {
		c[i] = arena_alloc(r.mem, (n + 1u) * sizeof *c[i]);
		bins_count(r.sn, counters[i], r.t0, r.t0 + n * step, n, c[i]);
	}
	struct table t;
	table_begin(&t, col, sizeof col / sizeof *col);
	for (uint32_t k = 0; k < n && r.t0 + k * step < r.sn->t1; k++) {
		table_int(&t, r.t0 + k * step);
		for (int i = 0; i < N; i++) {
			cell(&t, &c[i][k], c[i][k].last);
			if (counters[i] == CT_RUNNABLE)
				cell(&t, &c[i][k], c[i][k].max);
		}
	}
	table_print(&t, r.format, r.out);
	table_free(&t);
	trep_close(&r);
	return 0;
}
