/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace procs`: for each P the share of time in each state, how often a thread
 * started to run it, gave it back, or lost it in a system call; and the changes
 * of GOMAXPROCS.
 */
#include "config.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"

#include "base/text/text.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"
#include "trace/bins_time.h"

#include <stdlib.h>
#include <string.h>

static const enum tstate shown[] = { TS_RUN, TS_GCWORK, TS_ASSIST, TS_SWEEP, TS_STW, TS_SYSCALL, TS_IDLE };
enum { SHOWN = sizeof shown / sizeof *shown };

/* By track of a P, within the range: how often a thread started to run it, gave it back, and lost it in a system
   call. */
struct moves { uint32_t started, stopped, stolen; };

static struct moves *count_moves(const struct trace_report_ctx *r)
{
	struct moves *n = arena_zalloc(r->mem, (r->sn->ntrks + 1u) * sizeof *n);
	for (int stop = 0; stop < 2; stop++) {
		enum counter c = stop ? CT_PROC_STOP : CT_PROC_START;
		uint32_t i = time_search_counter_before(r->sn, c, r->t0),
			 last = time_search_counter_before(r->sn, c, r->t1 + 1);
		for (; i < last; i++) {
			uint64_t p = store_count(r->st, c, i)->v;
			if (p < r->sn->ntrks)
				*(stop ? &n[p].stopped : &n[p].started) += 1;
		}
	}
	uint32_t end;
	for (uint32_t i = time_search_marks(r->sn, r->t0, r->t1 + 1, &end); i < end; i++) {
		const struct sink_mark *m = store_mark(r->st, i);
		if (m->kind == MK_PROC_STEAL && m->trk < r->sn->ntrks)
			n[m->trk].stolen++;
	}
	return n;
}

/* For a log: the share of time in which the state of the P is unknown, the share of lines in which its run queue was
   not empty, and the maximum length of the queue. */
static void queue_cells(const struct trace_report_ctx *r, struct table *t, trk_id p, double unknown)
{
	uint64_t most = 0, lines = 0, all = 0;
	for (uint32_t i = 0; i < r->sn->ncounts[CT_QUEUED]; i++) {
		int64_t at = store_count(r->st, CT_QUEUED, i)->t;
		all += at >= r->t0 && at <= r->t1;
	}
	uint32_t end, i = time_search_marks(r->sn, r->t0, r->t1 + 1, &end);
	for (; i < end; i++) {
		const struct sink_mark *m = store_mark(r->st, i);
		if (m->kind != MK_QUEUE || m->trk != p)
			continue;
		lines++;
		most = m->task > most ? m->task : most;
	}
	table_share(t, unknown);
	table_share(t, all ? (double)lines / (double)all : 0);
	table_int(t, (int64_t)most);
}

/* List the selected Ps into `of` (NULL: only count them). Return their number. */
static uint32_t list_procs(const struct trace_report_ctx *r, trk_id *of)
{
	uint32_t n = 0;
	for (trk_id p = 1; p < r->sn->ntrks; p++) {
		if (store_trk(r->st, p)->kind != TK_P || (r->filter.proc && r->filter.proc != p))
			continue;
		if (of)
			of[n] = p;
		n++;
	}
	return n;
}

/* Return the order of two rows, by the number of the P. */
static int proc_cmp(const void *a, const void *b)
{
	int64_t x = ((const struct table_cell *)a)->i, y = ((const struct table_cell *)b)->i;
	return x < y ? -1 : x > y;
}

static int put_procs(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	(void)arg, (void)e;
	int64_t all = r->t1 > r->t0 ? r->t1 - r->t0 : 1;
	const struct moves *moves = count_moves(r);
	uint32_t n = list_procs(r, NULL);
	trk_id *of = arena_alloc(r->mem, (n + 1u) * sizeof *of);
	struct bin *bin = arena_alloc(r->mem, (n + 1u) * sizeof *bin);
	list_procs(r, of);
	bins_procs(r->sn, of, n, r->t0, r->t1, bin);
	for (uint32_t k = 0; k < n; k++) {
		const struct bin *b = &bin[k];
		const struct moves *m = &moves[of[k]];
		table_int(t, (int64_t)store_trk(r->st, of[k])->id);
		for (int i = 0; i < SHOWN; i++)
			table_share(t, (double)b->ns[shown[i]] / (double)all);
		table_share(t, (double)b->ns[TS_NONE] / (double)all);
		if (r->sn->trace.log) {
			queue_cells(r, t, of[k], (double)b->ns[TS_UNKNOWN] / (double)all);
			continue;
		}
		table_int(t, m->started);
		table_int(t, m->stopped);
		table_int(t, m->stolen);
	}
	if (t->ncell)
		qsort(t->cell, t->ncell / t->ncol, t->ncol * sizeof *t->cell, proc_cmp);
	return 0;
}

static void print_gomaxprocs(const struct trace_report_ctx *r)
{
	buf_puts(r->out, "\nGOMAXPROCS");
	for (uint32_t i = 0; i < r->sn->ncounts[CT_GOMAXPROCS]; i++) {
		const struct count_row *c = store_count(r->st, CT_GOMAXPROCS, i);
		if (i && store_count(r->st, CT_GOMAXPROCS, i - 1)->v == c->v)
			continue;
		buf_puts(r->out, i ? ", from " : " from ");
		text_ns(r->out, c->t);
		buf_puts(r->out, " on ");
		buf_u64(r->out, c->v);
	}
	buf_puts(r->out, r->sn->ncounts[CT_GOMAXPROCS] ? "\n" : " unknown\n");
}

static void print_json(const struct trace_report_ctx *r, const struct table *t)
{
	struct json j = { .b = r->out };
	json_object(&j, NULL);
	json_array(&j, "procs");
	for (size_t i = 0; i < t->ncell; i++) {
		if (i % t->ncol == 0)
			json_object(&j, NULL);
		if (t->col[i % t->ncol].kind == TB_INT) {
			json_i64(&j, t->col[i % t->ncol].key, t->cell[i].i);
		} else {
			json_f64(&j, t->col[i % t->ncol].key, t->cell[i].f);
		}
		if (i % t->ncol + 1 == t->ncol)
			json_end(&j);
	}
	json_end(&j);
	json_array(&j, "gomaxprocs");
	for (uint32_t i = 0; i < r->sn->ncounts[CT_GOMAXPROCS]; i++) {
		const struct count_row *c = store_count(r->st, CT_GOMAXPROCS, i);
		json_object(&j, NULL);
		json_i64(&j, "time_ns", c->t);
		json_u64(&j, "procs", c->v);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

static void print_procs(struct trace_report_ctx *r, const struct table_col *col, uint32_t ncol)
{
	struct table t;
	table_begin(&t, col, ncol);
	put_procs(r, &t, NULL, NULL);
	if (r->format == TF_JSON)
		print_json(r, &t);
	else
		table_print(&t, r->format, r->out);
	if (r->format == TF_TEXT)
		print_gomaxprocs(r);
	table_free(&t);
}

int report_procs(const struct options *o, struct out *out, struct err *e)
{
	enum { OF_ALL = 9, COLS = 12 };
	static const struct table_col of_log[COLS - OF_ALL] = {
		{ "Unknown", "unknown", TB_SHARE }, { "Queued", "queued", TB_SHARE },
		{ "at most", "queued_max", TB_INT },
	};
	struct table_col col[COLS] = {
		{ "P", "proc", TB_INT }, { "Running", "run", TB_SHARE }, { "GC worker", "gc_worker", TB_SHARE },
		{ "Assist", "assist", TB_SHARE }, { "Sweep", "sweep", TB_SHARE }, { "STW", "stw", TB_SHARE },
		{ "Syscall", "syscall", TB_SHARE }, { "Idle", "idle", TB_SHARE }, { "Absent", "absent", TB_SHARE },
		{ "Started", "started", TB_INT }, { "Stopped", "stopped", TB_INT }, { "Stolen", "stolen", TB_INT },
	};
	struct trace_report_ctx r;
	if (trace_report_open(&r, o, out, e))
		return -1;
	if (r.sn->trace.log)
		memcpy(col + OF_ALL, of_log, sizeof of_log);
	const struct trace_summary procs = { .col = col, .ncol = COLS, .names = "proc", .fill = put_procs,
	    .sums = "started stopped stolen" };
	int bad = 0;
	if (trace_summary_compares(o))
		bad = trace_summary_print(&r, &procs, e);
	else
		print_procs(&r, col, COLS);
	trace_report_close(&r);
	return bad;
}
