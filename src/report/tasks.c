/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * `ttrace tasks`: kinds of user tasks with counts and quantiles; with -name, or
 * in JSON, the tasks with their events: begin, end, logs, and the begins and
 * ends of their regions, in the words of the reference's page.
 *
 * Events of one instant stay in the order in which the reference gathers them:
 * begin, end, logs, regions. So they are numbered before they are sorted.
 */
#include "config.h"
#include "report/trep.h"

#include "base/quote.h"
#include "store/spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What happened is a word and a row of the store: what it says is written when it is printed, for one task may have all
   logs of the trace. */
enum what { TASK_BEGAN, TASK_ENDED, LOGGED, REGION_BEGAN, REGION_ENDED };
struct moment {
	int64_t t;
	uint32_t order, i;
	trk_id g;
	enum what what;
};

static int moment_cmp(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Of one task at a time; the arena spills. */
struct moments { struct moment *v; uint32_t n, looks; bool sorted; struct arena mem; };	/* looks: at rows, so far */

static void moment_add(struct moments *m, int64_t t, trk_id g, enum what what, uint32_t i)
{
	m->sorted = m->sorted && (!m->n || m->v[m->n - 1].t <= t);
	m->v[m->n] = (struct moment){ t, m->n, i, g, what };
	m->n++;
}

static void task_moments(const struct trep *r, struct moments *m, const struct sched_task *t)
{
	if (t->span == UINT32_MAX)
		return;
	const struct sink_span *sp = &store_span(r->st, t->span)->s;
	if (sp->t0 != TIME_NONE)
		moment_add(m, sp->t0, sp->trk, TASK_BEGAN, t->span);
	if (t->t1 != TIME_NONE)
		moment_add(m, t->t1, store_span(r->st, t->end)->s.trk1, TASK_ENDED, t->end);
}

static void region_moments(const struct trep *r, struct moments *m, uint32_t i)
{
	const struct sink_span *sp = &store_span(r->st, i)->s;
	if (sp->t0 != TIME_NONE)
		moment_add(m, sp->t0, sp->trk, REGION_BEGAN, i);
	if (sp->t1 != TIME_NONE)
		moment_add(m, sp->t1, sp->trk, REGION_ENDED, i);
}

static void moments_of(const struct trep *r, const struct sched_tasks *ts, const struct sched_task *t,
    struct moments *m)
{
	arena_reset(&m->mem);
	m->v = arena_alloc(&m->mem, (2 + 2 * (size_t)t->n) * sizeof *m->v);
	m->n = 0;
	m->sorted = true;
	task_moments(r, m, t);
	for (uint32_t k = 0; k < t->n; k++) {
		struct sched_event e = sched_event(ts, t->first + k);
		const struct sink_mark *log = e.log ? store_mark(r->st, e.i) : NULL;
		if (log)
			moment_add(m, log->t, log->trk, LOGGED, e.i);
		else
			region_moments(r, m, e.i);
		trep_rest(r, m->looks++);
		if (k % STORE_PASS == STORE_PASS - 1)
			arena_rest(&m->mem);
	}
	if (!m->sorted)
		qsort(m->v, m->n, sizeof *m->v, moment_cmp);
}

static void put_name(const struct trep *r, struct buf *b, str_id s)
{
	struct trep_text name = trep_str(r, s, "");
	buf_quote(b, name.s, name.n);
}

static void put_log(const struct trep *r, struct buf *b, const struct sink_mark *k)
{
	struct trep_text cat = trep_str(r, k->category, "");
	buf_puts(b, "log ");
	if (cat.n) {
		buf_puts(b, "(category: ");
		buf_put(b, cat.s, cat.n);
		buf_puts(b, "): ");
	}
	put_name(r, b, k->text);
}

/* As the states of a goroutine are called in the format. */
static const char *state_name(uint64_t s)
{
	static const char *const names[] = { "Undetermined", "NotExist", "Runnable", "Running", "Waiting", "Syscall" };
	return s < sizeof names / sizeof *names ? names[s] : "?";
}

static void put_moment(const struct trep *r, struct buf *b, const struct moment *m)
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
		buf_printf(b, "%s -> %s", state_name((sp->v1 - 1) / 16), state_name((sp->v1 - 1) % 16));
	} else {
		buf_puts(b, "region ");
		put_name(r, b, sp->name);
		buf_puts(b, m->what == REGION_BEGAN ? " begin" : " end");
	}
}

/* Tasks by name, then by length. */
struct by_name { const struct sched_task *t; const struct store *st; int64_t t0, t1; };

static int by_name_cmp(const void *a, const void *b)
{
	const struct by_name *x = a, *y = b;
	int c = x->t->name == y->t->name ? 0 : sched_name_cmp(x->st, x->t->name, y->t->name);
	if (c)
		return c;
	int64_t dx = x->t1 - x->t0, dy = y->t1 - y->t0;
	if (dx != dy)
		return dx < dy ? -1 : 1;
	return x->t->id < y->t->id ? -1 : x->t->id > y->t->id;
}

static struct by_name *sorted(const struct trep *r, const struct sched_tasks *ts, uint32_t *n)
{
	struct by_name *v = arena_alloc(r->mem, (ts->n + 1u) * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; i < ts->n; i++) {
		const struct sched_task *t = &ts->task[i];
		struct by_name x = { t, r->st, t->t0 == TIME_NONE ? r->sn->t0 : t->t0,
			t->t1 == TIME_NONE ? r->sn->t1 : t->t1 };
		if (trep_task(r, ts, t) && x.t1 >= r->t0 && x.t0 <= r->t1)
			v[(*n)++] = x;
	}
	if (*n)
		qsort(v, *n, sizeof *v, by_name_cmp);
	return v;
}

static bool task_complete(const struct sched_task *t)
{
	return t->t0 != TIME_NONE && t->t1 != TIME_NONE;
}

static void task_json(const struct trep *r, struct json *j, const struct sched_tasks *ts, const struct by_name *x,
    struct moments *m)
{
	struct buf b = {0};
	const struct sched_task *t = x->t;
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
	for (uint32_t i = 0; i < m->n && trep_flow(r, m->looks++); i++) {
		buf_reset(&b);
		put_moment(r, &b, &m->v[i]);
		json_object(j, NULL);
		json_i64(j, "time_ns", m->v[i].t);
		json_u64(j, "goroutine", m->v[i].g ? store_trk(r->st, m->v[i].g)->id : 0);
		json_str(j, "text", b.p, b.n);
		json_end(j);
		if (i % STORE_PASS == STORE_PASS - 1)
			arena_rest(&m->mem);
	}
	buf_free(&b);
	json_end(j);
	json_end(j);
}

static void tasks_json(const struct trep *r, const struct sched_tasks *ts)
{
	uint32_t n, k;
	const struct by_name *v = sorted(r, ts, &n);
	struct json j = { .b = r->out };
	struct moments m = { .mem.spills = true };
	json_object(&j, NULL);
	json_array(&j, "kinds");
	for (uint32_t i = 0; i < n && !r->to->failed; i = k) {
		for (k = i; k < n && v[k].t->name == v[i].t->name; k++)
			;
		struct trep_text name = trep_str(r, v[i].t->name, "");
		json_object(&j, NULL);
		json_str(&j, "name", name.s, name.n);
		json_i64(&j, "count", k - i);
		json_array(&j, "tasks");
		for (uint32_t x = i; x < k && trep_flow(r, m.looks++); x++)
			task_json(r, &j, ts, &v[x], &m);
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	arena_free(&m.mem);
}

static void kinds_table(const struct trep *r, const struct sched_tasks *ts)
{
	static const struct table_col col[] = {
		{ "Count", "count", TB_INT }, { "Complete", "complete", TB_INT }, { "p50", "p50_ns", TB_NS },
		{ "p90", "p90_ns", TB_NS }, { "p99", "p99_ns", TB_NS }, { "Max", "max_ns", TB_NS },
		{ "Task", "name", TB_STR },
	};
	uint32_t n, k;
	const struct by_name *v = sorted(r, ts, &n);
	int64_t *d = arena_alloc(r->mem, (n + 1u) * sizeof *d);
	struct table t;
	table_begin(&t, col, 7);
	for (uint32_t i = 0; i < n; i = k) {
		uint32_t whole = 0;
		for (k = i; k < n && v[k].t->name == v[i].t->name; k++)
			if (task_complete(v[k].t))
				d[whole++] = v[k].t1 - v[k].t0;
		sched_sort(d, whole);
		table_int(&t, k - i);
		table_int(&t, whole);
		table_int(&t, sched_quantile(d, whole, 0.5));
		table_int(&t, sched_quantile(d, whole, 0.9));
		table_int(&t, sched_quantile(d, whole, 0.99));
		table_int(&t, whole ? d[whole - 1] : 0);
		struct trep_text name = trep_str(r, v[i].t->name, r->format == TF_TEXT ? "(outside of tasks)" : "");
		table_str(&t, name.s, name.n);
	}
	table_print(&t, r->format, r->out);
	table_free(&t);
}

static void task_rows(const struct trep *r, struct trep_rows *rows, const struct sched_tasks *ts,
    const struct by_name *x, struct moments *m)
{
	const char *whole = task_complete(x->t) ? "task (complete)" : "task (incomplete)";
	struct table *t = rows->t;
	struct buf b = {0};
	moments_of(r, ts, x->t, m);
	table_int(t, (int64_t)x->t->id);
	table_int(t, x->t0);
	table_int(t, x->t1 - x->t0);
	table_none(t);
	table_str(t, whole, strlen(whole));
	trep_row(rows);
	for (uint32_t k = 0; k < m->n && !r->to->failed; k++) {
		buf_reset(&b);
		put_moment(r, &b, &m->v[k]);
		table_int(t, (int64_t)x->t->id);
		table_int(t, m->v[k].t);
		table_int(t, m->v[k].t - (k ? m->v[k - 1].t : x->t0));
		table_int(t, m->v[k].g ? (int64_t)store_trk(r->st, m->v[k].g)->id : 0);
		table_str(t, b.p, b.n);
		trep_row(rows);
		if (k % STORE_PASS == STORE_PASS - 1)
			arena_rest(&m->mem);
	}
	buf_free(&b);
}

static void list_table(const struct trep *r, const struct sched_tasks *ts)
{
	static const struct table_col col[] = {
		{ "Task", "task", TB_INT }, { "When", "time_ns", TB_NS }, { "Elapsed", "elapsed_ns", TB_NS },
		{ "Goroutine", "goroutine", TB_INT }, { "Event", "text", TB_STR },
	};
	uint32_t n;
	const struct by_name *v = sorted(r, ts, &n);
	struct moments m = { .mem.spills = true };
	struct table t;
	table_begin(&t, col, 5);
	for (struct trep_rows k = { .r = r, .t = &t }; trep_again(&k);)
		for (uint32_t i = 0; i < n && !r->to->failed; i++)
			task_rows(r, &k, ts, &v[i], &m);
	table_free(&t);
	arena_free(&m.mem);
}

int report_tasks(const struct opt *o, struct out *out, struct err *e)
{
	struct trep r;
	if (trep_open(&r, o, out, e))
		return -1;
	const struct sched_tasks *ts = sched_tasks(r.sn, r.mem, &r.ask.on);
	if (r.format == TF_JSON)
		tasks_json(&r, ts);
	else if (o->v[OPT_NAME].set)
		list_table(&r, ts);
	else
		kinds_table(&r, ts);
	trep_close(&r);
	return 0;
}
