/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace stats`: goroutines by state, threads in system calls, heap and goal
 * over time, one line per step. A line has the values at the end of its step,
 * and the maximum of runnable goroutines (of a log: queued ones) within it.
 */
#include "config.h"
#include "report/trace/internal.h"

#include "base/text/text.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/state_counts.h"

enum { LINES = 20, MAX_LINES = 1000000 };

static void put_counter_cell(struct table *t, const struct counter_bin *c, uint64_t v)
{
	if (c->any)
		table_int(t, (int64_t)v);
	else
		table_none(t);
}

static int parse_step(const struct trace_report_ctx *r, uint32_t *n, int64_t *step, struct err *e)
{
	const char *s = options_str(r->o, OPT_STEP);
	int64_t all = r->t1 - r->t0;
	*n = LINES;
	*step = all / LINES;
	if (!s || !*s) {
		if (!*step)
			*step = 1;
		return 0;
	}
	if (!text_parse_ns(s, step) || *step <= 0)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-step requires a duration like 10ms, not \"%s\"", s);
	if (all / *step >= MAX_LINES)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-step=%s gives more than a million rows", s);
	*n = (uint32_t)((all + *step - 1) / *step);
	return 0;
}

/* Goroutines by state are counted from the sheets, because their counter rows are thinned. */
static void count_goroutines(const struct trace_report_ctx *r, int64_t step, uint32_t n, struct counter_bin *c[CT__N])
{
	static const enum counter of[STATE_COUNT__N] = {
		[STATE_COUNT_RUNNABLE] = CT_RUNNABLE, [STATE_COUNT_RUNNING] = CT_RUNNING,
		[STATE_COUNT_WAITING] = CT_WAITING, [STATE_COUNT_SYSCALL] = CT_SYSCALL,
	};
	struct state_count *all = arena_alloc(r->mem, (n + 1u) * sizeof *all);
	state_counts_compute(r->sn, r->t0, step, n, all);
	for (int k = 0; k < STATE_COUNT__N; k++) {
		struct counter_bin *b = c[of[k]] = arena_zalloc(r->mem, (n + 1u) * sizeof *b);
		for (uint32_t i = 0; i < n; i++)
			b[i] = (struct counter_bin){ .last = all[i].n[k], .max = all[i].runnable_max, .any = true };
	}
}

/* FOR_TRACE: counters of a trace; FOR_LOG: those in lines of schedtrace or gctrace; WITH_GOROUTINES: also in a log with
   scheddetail. */
enum shown_for { FOR_TRACE = 1, FOR_LOG = 2, WITH_GOROUTINES = 4, AT_MOST = 8 };
static const struct stat_col { struct table_col col; enum counter c; unsigned flags; } stats[] = {
	{ { "Running", "running", TB_INT }, CT_RUNNING, FOR_TRACE | WITH_GOROUTINES },
	{ { "Runnable", "runnable", TB_INT }, CT_RUNNABLE, FOR_TRACE | WITH_GOROUTINES },
	{ { "at most", "runnable_max", TB_INT }, CT_RUNNABLE, FOR_TRACE | WITH_GOROUTINES | AT_MOST },
	{ { "Waiting", "waiting", TB_INT }, CT_WAITING, FOR_TRACE | WITH_GOROUTINES },
	{ { "In syscalls", "syscall", TB_INT }, CT_SYSCALL, FOR_TRACE | WITH_GOROUTINES },
	{ { "Queued", "queued", TB_INT }, CT_QUEUED, FOR_LOG },
	{ { "at most", "queued_max", TB_INT }, CT_QUEUED, FOR_LOG | AT_MOST },
	{ { "Global queue", "queue_global", TB_INT }, CT_QUEUE_GLOBAL, FOR_LOG },
	{ { "Idle Ps", "procs_idle", TB_INT }, CT_PROCS_IDLE, FOR_LOG },
	{ { "Threads", "threads", TB_INT }, CT_THREADS, FOR_LOG },
	{ { "idle", "threads_idle", TB_INT }, CT_THREADS_IDLE, FOR_LOG },
	{ { "Spinning", "threads_spinning", TB_INT }, CT_SPINNING, FOR_LOG },
	{ { "GOMAXPROCS", "gomaxprocs", TB_INT }, CT_GOMAXPROCS, FOR_TRACE | FOR_LOG },
	{ { "Heap", "heap_bytes", TB_BYTES }, CT_HEAP_LIVE, FOR_TRACE | FOR_LOG },
	{ { "Goal", "goal_bytes", TB_BYTES }, CT_HEAP_GOAL, FOR_TRACE | FOR_LOG },
};
enum { STATS = sizeof stats / sizeof *stats };

static bool any_goroutine(const struct snap *sn)
{
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (store_trk(sn->st, t)->kind == TK_G)
			return true;
	return false;
}

static bool is_shown(const struct snap *sn, const struct stat_col *s, bool goroutines)
{
	if (!sn->trace.log)
		return s->flags & FOR_TRACE;
	return s->flags & WITH_GOROUTINES ? goroutines : s->flags & FOR_LOG && sn->ncounts[s->c];
}

int report_stats(const struct options *o, struct out *out, struct err *e)
{
	struct table_col col[STATS + 1] = { { "Time", "time_ns", TB_NS } };
	const struct stat_col *of[STATS];
	struct counter_bin *c[CT__N] = {0};
	struct trace_report_ctx r;
	uint32_t n;
	int64_t step;
	if (trace_report_open(&r, o, out, e))
		return -1;
	if (parse_step(&r, &n, &step, e)) {
		trace_report_close(&r);
		return -1;
	}
	size_t ncol = 0;
	bool goroutines = any_goroutine(r.sn);
	if (goroutines)
		count_goroutines(&r, step, n, c);
	for (int i = 0; i < STATS; i++) {
		if (!is_shown(r.sn, &stats[i], goroutines))
			continue;
		of[ncol] = &stats[i];
		if (!c[stats[i].c]) {
			c[stats[i].c] = arena_alloc(r.mem, (n + 1u) * sizeof **c);
			bins_counter(r.sn, stats[i].c, r.t0, r.t0 + n * step, n, c[stats[i].c]);
		}
		col[++ncol] = stats[i].col;
	}
	struct table t;
	table_begin(&t, col, ncol + 1);
	for (uint32_t k = 0; k < n && r.t0 + k * step < r.sn->t1; k++) {
		table_int(&t, r.t0 + k * step);
		for (size_t i = 0; i < ncol; i++) {
			const struct counter_bin *b = &c[of[i]->c][k];
			put_counter_cell(&t, b, of[i]->flags & AT_MOST ? b->max : b->last);
		}
	}
	table_print(&t, r.format, r.out);
	table_free(&t);
	trace_report_close(&r);
	return 0;
}
