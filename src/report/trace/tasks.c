/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace tasks`: kinds of user tasks with counts and quantiles; with -name, or
 * in JSON, the tasks with their events: start, end, logs, and the starts and
 * ends of their regions, in the terms of the reference's page.
 *
 * Events of one instant stay in the order in which the reference collects them:
 * start, end, logs, regions. The sort is stable.
 */
#include "config.h"
#include "report/trace/internal.h"
#include "report/trace/summary.h"

#include "base/radix_sort.h"
#include "base/text/go_quote.h"
#include "store/tracks/time_search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An event is a kind and a row of the store: its text is made when it is printed, because one task may have all logs of
   the trace. */
enum what { TASK_BEGAN, TASK_ENDED, LOGGED, REGION_BEGAN, REGION_ENDED };
struct moment {
	int64_t t;
	uint32_t i;
	trk_id g;
	enum what what;
};

/* The events of one task at a time, as collected. */
struct task_moments {
	struct moment *v;
	uint32_t n;
	bool sorted;			/* they are sorted by time; else: */
	struct radix_array order;	/* the sorted order of their indexes */
	struct arena mem;
};

static const struct moment *moment_at(const struct task_moments *m, uint32_t i)
{
	return &m->v[m->sorted ? i : m->order.v[i].v];
}

static void moments_free(struct task_moments *m)
{
	radix_array_free(&m->order);
	arena_free(&m->mem);
}

static void moment_add(struct task_moments *m, int64_t t, trk_id g, enum what what, uint32_t i)
{
	m->sorted = m->sorted && (!m->n || m->v[m->n - 1].t <= t);
	m->v[m->n] = (struct moment){ t, i, g, what };
	m->n++;
}

static void task_moments(const struct trace_report_ctx *r, struct task_moments *m, const struct stats_task *t)
{
	if (t->span == UINT32_MAX)
		return;
	const struct sink_span *sp = &store_span(r->st, t->span)->s;
	if (sp->t0 != TIME_NONE)
		moment_add(m, sp->t0, sp->trk, TASK_BEGAN, t->span);
	if (t->t1 != TIME_NONE)
		moment_add(m, t->t1, store_span(r->st, t->end)->s.trk1, TASK_ENDED, t->end);
}

static void region_moments(const struct trace_report_ctx *r, struct task_moments *m, uint32_t i)
{
	const struct sink_span *sp = &store_span(r->st, i)->s;
	if (sp->t0 != TIME_NONE)
		moment_add(m, sp->t0, sp->trk, REGION_BEGAN, i);
	if (sp->t1 != TIME_NONE)
		moment_add(m, sp->t1, sp->trk, REGION_ENDED, i);
}

static void moments_of(const struct trace_report_ctx *r, const struct stats_tasks *ts, const struct stats_task *t,
    struct task_moments *m)
{
	arena_reset(&m->mem);
	m->v = arena_alloc(&m->mem, (2 + 2 * (size_t)t->n) * sizeof *m->v);
	m->n = 0;
	m->sorted = true;
	task_moments(r, m, t);
	for (uint32_t k = 0; k < t->n; k++) {
		struct stats_task_event e = stats_task_event(ts, t->first + k);
		const struct sink_mark *log = e.log ? store_mark(r->st, e.i) : NULL;
		if (log)
			moment_add(m, log->t, log->trk, LOGGED, e.i);
		else
			region_moments(r, m, e.i);
	}
	radix_array_free(&m->order);
	if (m->sorted)
		return;
	radix_array_alloc(&m->order, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		radix_array_add(&m->order, radix_key_ascending(m->v[i].t), i);
	radix_sort_items(m->order.v, m->n);
}

static void put_name(const struct trace_report_ctx *r, struct buf *b, str_id s)
{
	struct trace_report_text name = trace_report_string(r, s, "");
	go_quote_append(b, name.s, name.n);
}

static void put_log(const struct trace_report_ctx *r, struct buf *b, const struct sink_mark *k)
{
	struct trace_report_text cat = trace_report_string(r, k->category, "");
	buf_puts(b, "log ");
	if (cat.n) {
		buf_puts(b, "(category: ");
		buf_put(b, cat.s, cat.n);
		buf_puts(b, "): ");
	}
	put_name(r, b, k->text);
}

/* Return the name of a goroutine's state as in the format. */
static const char *style_state_name(uint64_t s)
{
	static const char *const names[] = { "Undetermined", "NotExist", "Runnable", "Running", "Waiting", "Syscall" };
	return s < sizeof names / sizeof *names ? names[s] : "?";
}

static void put_moment(const struct trace_report_ctx *r, struct buf *b, const struct moment *m)
{
	if (m->what == LOGGED) {
		put_log(r, b, store_mark(r->st, m->i));
		return;
	}
	const struct sink_span *sp = &store_span(r->st, m->i)->s;
	if (m->what == TASK_ENDED) {
		buf_puts(b, "task end");
	} else if (m->what == TASK_BEGAN) {
		buf_puts(b, "task ");
		put_name(r, b, sp->name);
		buf_printf(b, " (ID %" PRIu64 ", parent %" PRIu64 ") begin", sp->id, sp->parent);
	} else if (m->what == REGION_ENDED && sp->v1) {	/* the goroutine ended, and the region with it */
		buf_printf(b, "%s -> %s", style_state_name((sp->v1 - 1) / 16), style_state_name((sp->v1 - 1) % 16));
	} else {
		buf_puts(b, "region ");
		put_name(r, b, sp->name);
		buf_puts(b, m->what == REGION_BEGAN ? " begin" : " end");
	}
}

/* A task with its range; open ends are those of the snapshot. Tasks are listed by name, then duration, then number. */
struct task_by_name { const struct stats_task *t; int64_t t0, t1; };
struct task_kind { str_id name; uint32_t first, n; const struct store *st; };
struct task_kinds {
	struct task_kind *v;
	uint32_t n;
	/* kind i has first .. first + n, by duration; value: index of the task */
	struct radix_array task;
};

static struct task_by_name task_at(const struct trace_report_ctx *r, const struct stats_task *t)
{
	return (struct task_by_name){t, t->t0 == TIME_NONE ? r->sn->t0 : t->t0, t->t1 == TIME_NONE ? r->sn->t1 : t->t1};
}

static bool task_selected(const struct trace_report_ctx *r, const struct stats_tasks *ts, uint32_t i)
{
	struct task_by_name x = task_at(r, &ts->task[i]);
	return trace_report_wants_task(r, ts, x.t) && x.t1 >= r->t0 && x.t0 <= r->t1 && trace_summary_counts(r, x.t1);
}

static int kind_cmp(const void *a, const void *b)
{
	const struct task_kind *x = a, *y = b;
	return stats_compare_names(x->st, x->name, y->name);
}

/* Find the kinds, by name; of[] becomes the position of the first task of each name. */
static void find_kinds(
    const struct trace_report_ctx *r, const struct stats_tasks *ts, struct task_kinds *k, uint32_t *of)
{
	uint32_t all = 0;
	for (uint32_t i = 0; i < ts->n; i++)
		if (task_selected(r, ts, i))
			k->n += !of[ts->task[i].name]++;
	k->v = arena_alloc(r->mem, (k->n + 1u) * sizeof *k->v);
	k->n = 0;
	for (str_id s = 0; s < r->sn->nstrs; s++)
		if (of[s])
			k->v[k->n++] = (struct task_kind){ s, 0, of[s], r->st };
	if (k->n)
		qsort(k->v, k->n, sizeof *k->v, kind_cmp);
	for (uint32_t i = 0; i < k->n; i++) {
		of[k->v[i].name] = k->v[i].first = all;
		all += k->v[i].n;
	}
}

/* Sort the selected tasks: by the name of their kind, then shortest first. */
static struct task_kinds sorted(const struct trace_report_ctx *r, const struct stats_tasks *ts)
{
	struct task_kinds k = {0};
	uint32_t *of = xcalloc(r->sn->nstrs + 1u, sizeof *of);
	find_kinds(r, ts, &k, of);
	uint32_t n = k.n ? k.v[k.n - 1].first + k.v[k.n - 1].n : 0;
	radix_array_alloc(&k.task, n);
	k.task.n = n;
	for (uint32_t i = 0; i < ts->n; i++) {
		struct task_by_name x = task_at(r, &ts->task[i]);
		if (task_selected(r, ts, i))
			k.task.v[of[x.t->name]++] = (struct radix_item){ radix_key_ascending(x.t1 - x.t0), i };
	}
	for (uint32_t i = 0; i < k.n; i++)
		radix_sort_items(k.task.v + k.v[i].first, k.v[i].n);
	mem_free(of);
	return k;
}

static struct task_by_name kind_task(
    const struct trace_report_ctx *r, const struct stats_tasks *ts, const struct task_kinds *k, uint32_t i)
{
	return task_at(r, &ts->task[k->task.v[i].v]);
}

static bool task_complete(const struct stats_task *t)
{
	return t->t0 != TIME_NONE && t->t1 != TIME_NONE;
}

static void task_json(const struct trace_report_ctx *r, struct json *j, const struct stats_tasks *ts,
    const struct task_by_name *x, struct task_moments *m)
{
	struct buf b = {0};
	const struct stats_task *t = x->t;
	json_object(j, NULL);
	json_u64(j, "id", t->id);
	if (t->parent != UINT64_MAX)
		json_u64(j, "parent", t->parent);
	else
		json_null(j, "parent");
	json_i64(j, "start_ns", x->t0);
	if (task_complete(t))
		json_i64(j, "duration_ns", x->t1 - x->t0);
	else
		json_null(j, "duration_ns");
	json_bool(j, "complete", task_complete(t));
	json_array(j, "events");
	moments_of(r, ts, t, m);
	for (uint32_t i = 0; i < m->n && trace_report_flush(r); i++) {
		const struct moment *now = moment_at(m, i);
		buf_reset(&b);
		put_moment(r, &b, now);
		json_object(j, NULL);
		json_i64(j, "time_ns", now->t);
		json_u64(j, "goroutine", now->g ? store_trk(r->st, now->g)->id : 0);
		json_str(j, "text", b.p, b.n);
		json_end(j);
	}
	buf_free(&b);
	json_end(j);
	json_end(j);
}

/* Write the number of complete tasks, and quantiles of their durations. */
static void lengths_json(const struct trace_report_ctx *r, struct json *j, const struct stats_tasks *ts,
    const struct task_kinds *k, const struct task_kind *task_kind)
{
	int64_t *v = xmalloc((task_kind->n + 1u) * sizeof *v);
	uint32_t n = 0;
	for (uint32_t i = 0; i < task_kind->n; i++) {
		struct task_by_name x = kind_task(r, ts, k, task_kind->first + i);
		if (task_complete(x.t))
			v[n++] = x.t1 - x.t0;
	}
	json_i64(j, "complete", n);
	trace_report_json_quantiles(j, v, n);
	mem_free(v);
}

static void tasks_json(const struct trace_report_ctx *r, const struct stats_tasks *ts)
{
	struct task_kinds k = sorted(r, ts);
	struct json j = { .b = r->out };
	struct task_moments m = {0};
	json_object(&j, NULL);
	json_array(&j, "kinds");
	for (uint32_t i = 0; i < k.n && !r->to->failed; i++) {
		struct trace_report_text name = trace_report_string(r, k.v[i].name, "");
		json_object(&j, NULL);
		json_str(&j, "name", name.s, name.n);
		json_i64(&j, "count", k.v[i].n);
		lengths_json(r, &j, ts, &k, &k.v[i]);
		json_array(&j, "tasks");
		for (uint32_t x = 0; x < k.v[i].n && trace_report_flush(r); x++) {
			struct task_by_name t = kind_task(r, ts, &k, k.v[i].first + x);
			task_json(r, &j, ts, &t, &m);
		}
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	radix_array_free(&k.task);
	moments_free(&m);
}

static int put_kinds(struct trace_report_ctx *r, struct table *t, const void *arg, struct err *e)
{
	const struct stats_tasks *ts = stats_tasks(r->sn, r->mem, &r->ask.on);
	struct task_kinds k = {0};
	uint32_t *of = xcalloc(r->sn->nstrs + 1u, sizeof *of);
	(void)arg, (void)e;
	find_kinds(r, ts, &k, of);
	int64_t *d = arena_alloc(r->mem, (ts->n + 1u) * sizeof *d);
	for (uint32_t i = 0; i < ts->n; i++) {
		const struct stats_task *x = &ts->task[i];
		if (task_selected(r, ts, i) && task_complete(x))
			d[of[x->name]++] = x->t1 - x->t0;
	}
	for (uint32_t i = 0; i < k.n; i++) {
		int64_t q[TRACE_REPORT_QUANTILES];
		uint32_t whole = of[k.v[i].name] - k.v[i].first;
		trace_report_quantiles(d + k.v[i].first, whole, q);
		table_int(t, k.v[i].n);
		table_int(t, whole);
		for (int x = 0; x < TRACE_REPORT_QUANTILES; x++)
			table_int(t, q[x]);
		struct trace_report_text name =
		    trace_report_string(r, k.v[i].name, r->format == TF_TEXT ? "(outside of tasks)" : "");
		table_str(t, name.s, name.n);
	}
	mem_free(of);
	return 0;
}

static void task_rows(const struct trace_report_ctx *r, struct trace_report_rows *rows, const struct stats_tasks *ts,
    const struct task_by_name *x, struct task_moments *m)
{
	const char *whole = task_complete(x->t) ? "task (complete)" : "task (incomplete)";
	struct table *t = rows->t;
	struct buf b = {0};
	int64_t before = x->t0;
	moments_of(r, ts, x->t, m);
	table_int(t, (int64_t)x->t->id);
	table_int(t, x->t0);
	table_int(t, x->t1 - x->t0);
	table_none(t);
	table_str(t, whole, strlen(whole));
	trace_report_end_item(rows);
	for (uint32_t k = 0; k < m->n && !r->to->failed; k++) {
		const struct moment *now = moment_at(m, k);
		buf_reset(&b);
		put_moment(r, &b, now);
		table_int(t, (int64_t)x->t->id);
		table_int(t, now->t);
		table_int(t, now->t - before);
		table_int(t, now->g ? (int64_t)store_trk(r->st, now->g)->id : 0);
		before = now->t;
		table_str(t, b.p, b.n);
		trace_report_end_item(rows);
	}
	buf_free(&b);
}

static void list_table(const struct trace_report_ctx *r, const struct stats_tasks *ts)
{
	static const struct table_col col[] = {
		{ "Task", "task", TB_INT }, { "When", "time_ns", TB_NS }, { "Elapsed", "elapsed_ns", TB_NS },
		{ "Goroutine", "goroutine", TB_INT }, { "Event", "text", TB_STR },
	};
	struct task_kinds ks = sorted(r, ts);
	struct task_moments m = {0};
	struct table t;
	table_begin(&t, col, 5);
	for (struct trace_report_rows k = { .r = r, .t = &t }; trace_report_next_pass(&k);)
		for (uint32_t i = 0; i < ks.task.n && !r->to->failed; i++) {
			struct task_by_name x = kind_task(r, ts, &ks, i);
			task_rows(r, &k, ts, &x, &m);
		}
	table_free(&t);
	radix_array_free(&ks.task);
	moments_free(&m);
}

int report_tasks(const struct options *o, struct out *out, struct err *e)
{
	static const struct table_col col[] = {
		{ "Count", "count", TB_INT }, { "Complete", "complete", TB_INT }, { "p50", "p50_ns", TB_NS },
		{ "p90", "p90_ns", TB_NS }, { "p99", "p99_ns", TB_NS }, { "Max", "max_ns", TB_NS },
		{ "Task", "name", TB_STR },
	};
	static const struct trace_summary kinds = {
		.col = col, .ncol = sizeof col / sizeof *col, .sums = "count complete", .fill = put_kinds };
	bool items = !trace_summary_compares(o);
	struct trace_report_ctx r;
	int bad = 0;
	if (trace_report_open(&r, o, out, e))
		return -1;
	if (items && r.format == TF_JSON)
		tasks_json(&r, stats_tasks(r.sn, r.mem, &r.ask.on));
	else if (items && o->v[OPT_NAME].set)
		list_table(&r, stats_tasks(r.sn, r.mem, &r.ask.on));
	else
		bad = trace_summary_print(&r, &kinds, e);
	trace_report_close(&r);
	return bad;
}
