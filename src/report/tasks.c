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

struct moment {
	int64_t t;
	uint32_t order;
	trk_id g;
	const char *text;
	size_t n;
};

static int moment_cmp(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct moments { struct moment *v; size_t n, cap; };

/* One more; what is in b is its text, and b is empty again. */
static void moment_add(const struct trep *r, struct moments *m, int64_t t, trk_id g, struct buf *b)
{
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
	m->v[m->n] = (struct moment){ t, (uint32_t)m->n, g, arena_strndup(r->mem, b->p, b->n), b->n };
	m->n++;
	buf_reset(b);
}

static void put_name(const struct trep *r, struct buf *b, str_id s)
{
	struct trep_text name = trep_str(r, s, "");
	buf_quote(b, name.s, name.n);
}

static void task_moments(const struct trep *r, struct moments *m, const struct sched_task *t, struct buf *b)
{
	if (t->span == UINT32_MAX)
		return;
	const struct sink_span *sp = &store_span(r->st, t->span)->s;
	if (sp->t0 != TIME_NONE) {
		buf_puts(b, "task ");
		put_name(r, b, sp->name);
		buf_printf(b, " (ID %" PRIu64 ", parent %" PRIu64 ") begin", sp->id, sp->parent);
		moment_add(r, m, sp->t0, sp->trk, b);
	}
	if (t->t1 != TIME_NONE) {
		buf_puts(b, "task end");
		moment_add(r, m, t->t1, store_span(r->st, t->end)->s.trk1, b);
	}
}

static void log_moment(const struct trep *r, struct moments *m, uint32_t i, struct buf *b)
{
	const struct sink_mark *k = store_mark(r->st, i);
	struct trep_text cat = trep_str(r, k->category, "");
	buf_puts(b, "log ");
	if (cat.n) {
		buf_puts(b, "(category: ");
		buf_put(b, cat.s, cat.n);
		buf_puts(b, "): ");
	}
	put_name(r, b, k->text);
	moment_add(r, m, k->t, k->trk, b);
}

/* As the states of a goroutine are called in the format. */
static const char *state_name(uint64_t s)
{
	static const char *const names[] = { "Undetermined", "NotExist", "Runnable", "Running", "Waiting", "Syscall" };
	return s < sizeof names / sizeof *names ? names[s] : "?";
}

static void region_moments(const struct trep *r, struct moments *m, uint32_t i, struct buf *b)
{
	const struct sink_span *sp = &store_span(r->st, i)->s;
	if (sp->t0 != TIME_NONE) {
		buf_puts(b, "region ");
		put_name(r, b, sp->name);
		buf_puts(b, " begin");
		moment_add(r, m, sp->t0, sp->trk, b);
	}
	if (sp->t1 == TIME_NONE)
		return;
	if (sp->v1) {	/* the goroutine ended, and the region with it */
		buf_printf(b, "%s -> %s", state_name((sp->v1 - 1) / 16), state_name((sp->v1 - 1) % 16));
	} else {
		buf_puts(b, "region ");
		put_name(r, b, sp->name);
		buf_puts(b, " end");
	}
	moment_add(r, m, sp->t1, sp->trk, b);
}

static struct moments moments_of(const struct trep *r, const struct sched_tasks *ts, const struct sched_task *t)
{
	struct moments m = {0};
	struct buf b = {0};
	task_moments(r, &m, t, &b);
	for (uint32_t i = t->first; i < t->first + t->n; i++)
		if (sched_event(ts, i).log)
			log_moment(r, &m, sched_event(ts, i).i, &b);
		else
			region_moments(r, &m, sched_event(ts, i).i, &b);
	if (m.n)
		qsort(m.v, m.n, sizeof *m.v, moment_cmp);
	buf_free(&b);
	return m;
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

static void task_json(const struct trep *r, struct json *j, const struct sched_tasks *ts, const struct by_name *x)
{
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
	struct moments m = moments_of(r, ts, t);
	for (size_t i = 0; i < m.n; i++) {
		json_object(j, NULL);
		json_i64(j, "time_ns", m.v[i].t);
		json_u64(j, "goroutine", m.v[i].g ? store_trk(r->st, m.v[i].g)->id : 0);
		json_str(j, "text", m.v[i].text, m.v[i].n);
		json_end(j);
	}
	mem_free(m.v);
	json_end(j);
	json_end(j);
}

static void tasks_json(const struct trep *r, const struct sched_tasks *ts)
{
	uint32_t n, k;
	const struct by_name *v = sorted(r, ts, &n);
	struct json j = { .b = r->out };
	json_object(&j, NULL);
	json_array(&j, "kinds");
	for (uint32_t i = 0; i < n; i = k) {
		for (k = i; k < n && v[k].t->name == v[i].t->name; k++)
			;
		struct trep_text name = trep_str(r, v[i].t->name, "");
		json_object(&j, NULL);
		json_str(&j, "name", name.s, name.n);
		json_i64(&j, "count", k - i);
		json_array(&j, "tasks");
		for (uint32_t x = i; x < k; x++)
			task_json(r, &j, ts, &v[x]);
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
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

static void list_table(const struct trep *r, const struct sched_tasks *ts)
{
	static const struct table_col col[] = {
		{ "Task", "task", TB_INT }, { "When", "time_ns", TB_NS }, { "Elapsed", "elapsed_ns", TB_NS },
		{ "Goroutine", "goroutine", TB_INT }, { "Event", "text", TB_STR },
	};
	uint32_t n;
	const struct by_name *v = sorted(r, ts, &n);
	struct table t;
	table_begin(&t, col, 5);
	for (uint32_t i = 0; i < n; i++) {
		struct moments m = moments_of(r, ts, v[i].t);
		const char *whole = task_complete(v[i].t) ? "task (complete)" : "task (incomplete)";
		table_int(&t, (int64_t)v[i].t->id);
		table_int(&t, v[i].t0);
		table_int(&t, v[i].t1 - v[i].t0);
		table_none(&t);
		table_str(&t, whole, strlen(whole));
		for (size_t k = 0; k < m.n; k++) {
			table_int(&t, (int64_t)v[i].t->id);
			table_int(&t, m.v[k].t);
			table_int(&t, m.v[k].t - (k ? m.v[k - 1].t : v[i].t0));
			table_int(&t, m.v[k].g ? (int64_t)store_trk(r->st, m.v[k].g)->id : 0);
			table_str(&t, m.v[k].text, m.v[k].n);
		}
		mem_free(m.v);
	}
	table_print(&t, r->format, r->out);
	table_free(&t);
}

int report_tasks(const struct opt *o, struct out *out, struct err *e)
{
	struct trep r;
	if (trep_open(&r, o, out, e))
		return -1;
	const struct sched_tasks *ts = sched_tasks(r.sn, r.mem);
	if (r.format == TF_JSON)
		tasks_json(&r, ts);
	else if (o->v[OPT_NAME].set)
		list_table(&r, ts);
	else
		kinds_table(&r, ts);
	trep_close(&r);
	return 0;
}
