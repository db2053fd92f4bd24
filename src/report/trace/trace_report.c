/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Shared code of the reports on traces. All take their numbers from the store
 * through src/trace, so that a report and a pane cannot differ. Nothing here
 * reads events.
 */
#include "config.h"
#include "report/trace/internal.h"

#include "report/pprof/internal.h"
#include "store/tracks/time_search.h"
#include "trace/focus.h"
#include "trace/user_code.h"

#include <stdlib.h>
#include <string.h>

/* The options that select goroutines by a name or number, which may not exist. */
static const struct naming_option { enum option_id id; const char *name, *what; } choices[] = {
    {OPT_OPERATION, "op", "operation"}, {OPT_TASK, "task", "task"}, {OPT_REGION, "region", "region"},
    {OPT_GROUP, "group", "goroutine"}};

/* Return the first option of choices[] that is set, or NULL. */
static const struct naming_option *choice_of(const struct trace_report_ctx *r)
{
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		if (trace_report_has_option(r, choices[i].id))
			return &choices[i];
	return NULL;
}

/* Print the notice that the filter of the command line matches nothing. */
static void note_empty_filter(const struct trace_report_ctx *r)
{
	const struct naming_option *c = choice_of(r);
	if (c)
		pprof_report_notice(
		    (void *)(uintptr_t)r->o, "-%s=%s matches no %s", c->name, options_str(r->o, c->id), c->what);
}

/* Take the filters of the command line: what they select of the trace, and how tasks and regions are matched. */
static int open_filter(struct trace_report_ctx *r, struct err *e)
{
	const struct options *o = r->o;
	struct query q;
	uint32_t selected = 1;	/* counted only if an option names goroutines, because there may be millions */
	if (query_parse_range(r->sn, o, &r->t0, &r->t1, e) || query_of_options(o, &q, e) ||
	    query_add_places(r->sn, o, &q, e) || query_match_compile(&r->match, &q, r->mem, e) ||
	    query_trace_filter(r->sn, &q, false, r->mem, &r->filter, choice_of(r) ? &selected : NULL, e))
		return -1;
	if (options_applies_to_report(o->report, OPT_FOCUS) && query_add_focus(r->sn, &q, r->mem, &r->filter, e))
		return -1;
	r->selects_nothing = !selected;
	if (o->v[OPT_NAME].set)
		r->name_matched = arena_zalloc(r->mem, sizeof *r->name_matched);
	r->filter.on = trace_watcher(o);
	if (trace_report_has_option(r, OPT_LOGTEXT)) {
		struct err why;
		r->text = regex_new(options_str(o, OPT_LOGTEXT), &why);
		if (!r->text)
			return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s: %s", options_str(o, OPT_LOGTEXT), why.msg);
	}
	r->task_criteria = (struct task_criteria){.lo = r->match.span.lo, .hi = r->match.span.hi, .text = r->text,
	    .whole = !o->v[OPT_COMPLETE].set ? TASK_ANY : options_bool(o, OPT_COMPLETE) ? TASK_COMPLETE : TASK_INCOMPLETE};
	r->ts = r->match.task || r->match.operations ? stats_tasks(r->sn, r->mem, NULL) : NULL;
	return 0;
}

/* Restrict the goroutines to those that worked for the selected tasks, in the selected regions, on the selected P: also
   in reports on goroutines. */
static void narrow_goroutines(struct trace_report_ctx *r)
{
	r->on = r->filter.g;
	if (r->filter.proc)
		r->on = trace_gset_on_proc(r->sn, r->filter.proc, r->filter.from, r->filter.to, r->filter.g, r->mem);
	r->ask.g = r->on;
	if (r->filter.slice) {
		struct trace_filter on = r->filter;
		on.g = r->on;
		r->ask.g = trace_filter_goroutines(r->sn, &on, r->mem);
	}
}

/* Print a notice if a report on a gctrace or schedtrace log is empty because no line has its data. */
static void note_log(const struct trace_report_ctx *r)
{
	static const char *const answers[] = {"gc", "stw", "mmu", "procs", "stats"};
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (!r->sn->trace.log || !strcmp(r->o->report, answers[i]))
			return;
	for (trk_id t = 1; t < r->sn->ntrks; t++)
		if (store_trk(r->sn->st, t)->kind == TK_G)
			return;
	pprof_report_notice((void *)(uintptr_t)r->o, "a gctrace or schedtrace log has no states of goroutines: "
	    "use gc, stw, mmu, procs or stats; scheddetail=1 adds a list of goroutines, a trace has everything");
}

int trace_report_open(struct trace_report_ctx *r, const struct options *o, struct out *out, struct err *e)
{
	*r = (struct trace_report_ctx){ .o = o, .out = &out->buf, .to = out };
	if (table_format(o, &r->format, e) || trace_open(&r->t, o, pprof_report_notice, (void *)(uintptr_t)o, e))
		return -1;
	r->sn = r->t.sn;
	r->st = r->sn->st;
	r->mem = &r->t.arena;
	note_log(r);
	if (open_filter(r, e)) {
		trace_report_close(r);
		return -1;
	}
	r->ask = (struct stats_query){ .t0 = r->filter.from, .t1 = r->filter.to, .g = r->filter.g };
	r->ask.on = trace_watcher(o);
	narrow_goroutines(r);
	return 0;
}

void trace_report_narrow(
    struct trace_report_ctx *to, const struct trace_report_ctx *r, int64_t t0, int64_t t1, struct arena *mem)
{
	*to = *r;
	to->mem = mem;
	to->t0 = to->filter.from = to->ask.t0 = t0;
	to->t1 = to->filter.to = to->ask.t1 = t1;
	to->ask.g = to->filter.g;
	narrow_goroutines(to);
}

void trace_report_close(struct trace_report_ctx *r)
{
	if (r->selects_nothing && r->out->n)	/* not if the report was refused for that reason */
		note_empty_filter(r);
	if (r->name_matched && !*r->name_matched && !r->to->failed) {
		*r->name_matched = true;	/* the other side of a comparison does not repeat it */
		pprof_report_notice((void *)(uintptr_t)r->o, "-name=%s matches nothing", options_str(r->o, OPT_NAME));
	}
	regex_free(r->text);
	query_match_free(&r->match);
	trace_close(&r->t);
}

bool trace_report_flush(const struct trace_report_ctx *r)
{
	output_flush(r->to, false);
	return !r->to->failed;
}

bool trace_report_next_pass(struct trace_report_rows *k)
{
	if (k->pours) {
		table_close(k->t, k->r->format);
		return false;
	}
	k->pours = k->widens || k->r->format != TF_TEXT;
	k->widens = !k->pours;
	if (k->pours)
		table_open(k->t, k->r->format, k->r->out);
	return true;
}

void trace_report_end_item(struct trace_report_rows *k)
{
	if (k->widens)
		table_widen(k->t);
	else
		table_pour(k->t, k->r->format, k->r->out);
	(void)trace_report_flush(k->r);
}

struct trace_report_text trace_report_string(const struct trace_report_ctx *r, str_id s, const char *none)
{
	const struct str_row *row = store_str(r->st, s);
	if (!s || !row->n)
		return (struct trace_report_text){ none, strlen(none) };
	return (struct trace_report_text){ row->s, row->n };
}

void trace_report_put_frame(const struct trace_report_ctx *r, struct buf *b, frm_id f)
{
	if (!f)
		return;
	const struct frm_row *row = store_frm(r->st, f);
	const struct fun_row *fun = store_fun(r->st, row->fun);
	struct trace_report_text name = trace_report_string(r, fun->name, "?"),
				 file = trace_report_string(r, fun->file, "?");
	buf_put(b, name.s, name.n);
	buf_putc(b, ' ');
	buf_put(b, file.s, file.n);
	buf_putc(b, ':');
	buf_i64(b, row->line);
}

static void user_cells(const struct trace_report_ctx *r, struct table *t, stk_id user)
{
	if (!user) {
		for (int i = 1; i < TRACE_REPORT_SITE_COLS; i++)
			table_none(t);
		return;
	}
	const struct frm_row *row = store_frm(r->st, stk_frame(r->st, user));
	const struct fun_row *fun = store_fun(r->st, row->fun);
	struct trace_report_text name = trace_report_string(r, fun->name, ""),
				 file = trace_report_string(r, fun->file, "");
	table_str(t, name.s, name.n);
	table_str(t, file.s, file.n);
	table_int(t, row->line);
}

uint32_t trace_report_site_cols(const struct trace_report_ctx *r, uint32_t n)
{
	return r->format == TF_TEXT ? n - TRACE_REPORT_SITE_COLS + 1 : n;
}

void trace_report_add_site(const struct trace_report_ctx *r, struct table *t, stk_id s)
{
	struct buf b = {0};
	stk_id user = user_code_first_frame(r->st, s), first = r->format == TF_TEXT && user ? user : s;
	if (first)
		trace_report_put_frame(r, &b, stk_frame(r->st, first));
	if (first != s) {
		frm_id leaf = stk_frame(r->st, s);
		struct trace_report_text name =
		    trace_report_string(r, store_fun(r->st, store_frm(r->st, leaf)->fun)->name, "?");
		buf_puts(&b, " > ");
		buf_put(&b, name.s, name.n);
	}
	table_str(t, b.p ? b.p : "", b.n);
	if (r->format != TF_TEXT)
		user_cells(r, t, user);
	buf_free(&b);
}

void trace_report_quantiles(int64_t *v, uint32_t n, int64_t q[TRACE_REPORT_QUANTILES])
{
	struct stats_share s[TRACE_REPORT_QUANTILES] = { { 0.5, 0 }, { 0.9, 0 }, { 0.99, 0 }, { 1, 0 } };
	stats_quantiles(v, n, s, TRACE_REPORT_QUANTILES);
	for (int i = 0; i < TRACE_REPORT_QUANTILES; i++)
		q[i] = s[i].value;
}

void trace_report_json_quantiles(struct json *j, int64_t *v, uint32_t n)
{
	static const char *const key[TRACE_REPORT_QUANTILES] = { "p50_ns", "p90_ns", "p99_ns", "max_ns" };
	int64_t q[TRACE_REPORT_QUANTILES];
	trace_report_quantiles(v, n, q);
	for (int i = 0; i < TRACE_REPORT_QUANTILES; i++) {
		if (n)
			json_i64(j, key[i], q[i]);
		else
			json_null(j, key[i]);
	}
}

static void put_part(const struct trace_report_ctx *r, struct json *j, const struct stats_part *p)
{
	struct trace_report_text s = trace_report_string(r, p->name, p->text);
	json_keyed_i64(j, s.s, s.n, p->ns);
}

void trace_report_json_still(struct json *j, int64_t ns)
{
	if (ns)
		json_i64(j, "still_blocked_ns", ns);
	else
		json_null(j, "still_blocked_ns");
}

void trace_report_json_times(const struct trace_report_ctx *r, struct json *j, const struct goroutine_times *g)
{
	json_i64(j, "total_ns", g->total);
	json_i64(j, "exec_ns", g->exec);
	json_i64(j, "sched_wait_ns", g->ready);
	json_i64(j, "syscall_ns", g->syscall);
	json_i64(j, "syscall_block_ns", g->sysblock);
	json_i64(j, "unknown_ns", g->unknown);
	json_object(j, "block_ns");
	for (uint32_t i = 0; i < g->nblock; i++)
		put_part(r, j, &g->block[i]);
	json_end(j);
	if (g->before_ns) {	/* derived, where block_ns has no reason */
		json_object(j, "before_trace_ns");
		json_i64(j, stats_before_reason(g), g->before_ns);
		json_end(j);
	}
	json_object(j, "ranges_ns");
	for (uint32_t i = 0; i < g->nrange; i++)
		put_part(r, j, &g->range[i]);
	json_end(j);
}

const struct table_col trace_report_time_cols[TRACE_REPORT_TIME_COLS] = {
	{ "Total", "total_ns", TB_NS }, { "Exec", "exec_ns", TB_NS }, { "Sched wait", "sched_wait_ns", TB_NS },
	{ "Syscall", "syscall_ns", TB_NS }, { "Syscall block", "syscall_block_ns", TB_NS },
	{ "Block", "block_ns", TB_NS }, { "Unknown", "unknown_ns", TB_NS }, { "GC", "ranges_ns", TB_NS },
};

void trace_report_add_times(struct table *t, const struct goroutine_times *g)
{
	const int64_t v[TRACE_REPORT_TIME_COLS] = {
	    g->total, g->exec, g->ready, g->syscall, g->sysblock, g->blocked, g->unknown, g->ranged};
	for (int i = 0; i < TRACE_REPORT_TIME_COLS; i++)
		table_int(t, v[i]);
}

const struct table_col trace_report_alloc_cols[TRACE_REPORT_ALLOC_COLS] = {
	{ "Alloc", "alloc_bytes", TB_BYTES }, { "Alloc/s", "alloc_bytes_per_second", TB_BYTES },
};

static int64_t per_second(const struct trace_report_ctx *r, int64_t bytes)
{
	return r->t1 > r->t0 ? (int64_t)((double)bytes / ((double)(r->t1 - r->t0) / 1e9)) : 0;
}

void trace_report_add_alloc(const struct trace_report_ctx *r, struct table *t, int64_t bytes)
{
	table_int(t, bytes);
	table_int(t, per_second(r, bytes));
}

void trace_report_json_alloc(const struct trace_report_ctx *r, struct json *j, int64_t bytes)
{
	json_i64(j, trace_report_alloc_cols[0].key, bytes);
	json_i64(j, trace_report_alloc_cols[1].key, per_second(r, bytes));
}

bool trace_report_is_sorted_by(const struct trace_report_ctx *r, const struct table_col *c)
{
	const char *s = options_str(r->o, OPT_SORT);
	return r->o->v[OPT_SORT].set && table_is_column(c, s + (*s == '-'));
}

bool trace_report_is_named(const struct trace_report_ctx *r, const char *s, size_t n)
{
	const char *want = options_str(r->o, OPT_NAME);
	if (!r->name_matched)
		return true;
	if (strlen(want) != n || (n && memcmp(want, s, n) != 0))
		return false;
	*r->name_matched = true;
	return true;
}

bool trace_report_wants_name(const struct trace_report_ctx *r, str_id name)
{
	struct trace_report_text s = trace_report_string(r, name, "");
	return trace_report_is_named(r, s.s, s.n);
}

static bool string_matches(const struct trace_report_ctx *r, const struct regex *rx, str_id name)
{
	struct trace_report_text s = trace_report_string(r, name, "");
	return !rx || regex_match(rx, s.s, s.n);
}

/* Is the goroutine of a task or region in focus in its time? s: NULL for a task whose goroutine is not known. */
static bool in_focus(const struct trace_report_ctx *r, const struct sink_span *s)
{
	const struct trace_focus *f = r->filter.focus;
	int64_t t0, t1;
	if (!f || !s)
		return !f || trace_focus_takes(f, 0);
	time_search_span_bounds(r->sn, s, &t0, &t1);
	return trace_focus_has_time(f, s->trk, t0, t1, FOCUS_ALL_PIECES);
}

bool trace_report_wants_task(const struct trace_report_ctx *r, const struct stats_tasks *ts, const struct stats_task *t)
{
	const struct query_match *m = &r->match;
	if (m->by_id && !m->operations ? t->id != m->span.id : !string_matches(r, m->task, t->name))
		return false;
	if ((m->region || m->operations) && r->filter.span &&
	    (t->span == UINT32_MAX || !trace_gset_has(r->filter.span, t->span)))
		return false;
	if (r->on && (t->span == UINT32_MAX || !trace_gset_has(r->on, store_span(r->st, t->span)->s.trk)))
		return false;
	if (!in_focus(r, t->span == UINT32_MAX ? NULL : &store_span(r->st, t->span)->s))
		return false;
	return trace_report_wants_name(r, t->name) && task_filter_match_task(&r->task_criteria, r->st, ts, t);
}

static bool task_matches(const struct trace_report_ctx *r, uint64_t id)
{
	uint32_t i = stats_task_find(r->ts, id);
	return i != UINT32_MAX && string_matches(r, r->match.task, r->ts->task[i].name);
}

/* Does the region belong to the selected operations: by its task, or without one by its time? */
static bool is_of_operations(const struct trace_report_ctx *r, const struct sink_span *s)
{
	uint32_t i = s->id ? stats_task_find(r->ts, s->id) : UINT32_MAX;
	int64_t t0, t1;
	if (i != UINT32_MAX && r->ts->task[i].span != UINT32_MAX)
		return trace_gset_has(r->filter.span, r->ts->task[i].span);
	time_search_span_bounds(r->sn, s, &t0, &t1);
	return trace_filter_overlap(&r->filter, s->trk, t0, t1) > 0;
}

bool trace_report_wants_region(const struct trace_report_ctx *r, const struct sink_span *s)
{
	const struct query_match *m = &r->match;
	if (m->by_id && !m->operations && s->id != m->span.id)
		return false;
	if (m->operations && !is_of_operations(r, s))
		return false;
	if (m->task && !task_matches(r, s->id))
		return false;
	return trace_report_wants_name(r, s->name) && string_matches(r, m->region, s->name) && in_focus(r, s) &&
	       (!m->span.placed || trace_region_pc(r->st, s) == m->span.pc) &&
	       task_filter_match_region(&r->task_criteria, r->sn, s);
}
