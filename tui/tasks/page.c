/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The inside of a task or operation, in the order of time. A task: its logs, its regions on any goroutine, its
 * children, and the times by state of the goroutines that worked for it. Another operation is the time of one
 * goroutine: the tasks, regions and logs of that goroutine within it, the operations that it created, and its states. A
 * request without any mark in the program thus shows what it waited for. Its states of less than a hundredth of it are
 * summed up at its end: thousands of short system calls would hide the few long waits.
 *
 * A job may make the page. It reads the listing, and is stopped before that is replaced.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"
#include "trace/longest_wait.h"

#include <stdlib.h>
#include <string.h>

struct page_work {
	const struct tasks_listing *list;
	const struct snap *sn;
	uint64_t id;
	struct tasks_page page;
	size_t room;
	struct progress_watcher on;
};

static int line_cmp(const void *a, const void *b)
{
	const struct task_line *x = a, *y = b;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* Append a line, in heap memory until the page is complete. */
static void add_line(struct page_work *w, struct task_line l)
{
	w->page.line = mem_grow(w->page.line, &w->room, w->page.nline + 1u, sizeof l);
	w->page.line[w->page.nline++] = l;
}

/* Add the times by state of a range of a goroutine. */
static void add_states(struct page_work *w, trk_id g, int64_t t0, int64_t t1)
{
	struct bin b;
	bins_sum(w->sn, g, t0, t1, &b);
	for (int k = 0; k < TS__N; k++)
		wrap_add_to(&w->page.state_ns[k], b.ns[k]);
	wrap_add_to(&w->page.whole, t1 - t0);
}

static struct task_line span_line(const struct snap *sn, uint32_t i)
{
	struct task_line l = {.i = i, .what = LN_REGION, .trk = store_span(sn->st, i)->s.trk};
	time_search_span_bounds(sn, &store_span(sn->st, i)->s, &l.t0, &l.t1);
	return l;
}

static struct task_line log_line(const struct snap *sn, uint32_t i)
{
	const struct sink_mark *m = store_mark(sn->st, i);
	return (struct task_line){.t0 = m->t, .t1 = m->t, .trk = m->trk, .what = LN_LOG, .i = i};
}

/* ---- tasks */

/* Get the time range of a task with its regions, without its logs. */
static void task_extent(const struct snap *sn, const struct stats_tasks *ts, const struct stats_task *t, int64_t *from,
    int64_t *to)
{
	*from = t->t0 == TIME_NONE ? INT64_MIN : t->t0;
	*to = t->t1 == TIME_NONE ? INT64_MAX : t->t1;
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		struct stats_task_event e = stats_task_event(ts, k);
		const struct sink_span *s = e.log ? NULL : &store_span(sn->st, e.i)->s;
		if (s && s->t0 < *from)	/* TIME_NONE is the minimum */
			*from = s->t0;
		if (s && (s->t1 == TIME_NONE || s->t1 > *to))
			*to = s->t1 == TIME_NONE ? INT64_MAX : s->t1;
	}
}

static void add_children(struct page_work *w, uint64_t id)
{
	uint32_t first = tasks_children(w->list, id, &w->page.nchild);
	for (uint32_t k = 0; k < w->page.nchild; k++) {
		uint32_t i = w->list->kid[first + k];
		const struct stats_task *c = &w->list->ts->task[i];
		struct task_line l = {.what = LN_TASK, .i = i,
		    .trk = c->span == UINT32_MAX ? 0 : store_span(w->sn->st, c->span)->s.trk};
		tracepane_task_bounds(w->sn, c, &l.t0, &l.t1);
		add_line(w, l);
	}
}

static void add_task_lines(struct page_work *w, const struct stats_task *t)
{
	const struct snap *sn = w->sn;
	if (t->t0 != TIME_NONE)
		add_line(w, (struct task_line){t->t0, t->t0, store_span(sn->st, t->span)->s.trk, LN_BEGIN, 0, TS_NONE, 0});
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		struct stats_task_event e = stats_task_event(w->list->ts, k);
		add_line(w, e.log ? log_line(sn, e.i) : span_line(sn, e.i));
	}
	add_children(w, t->id);
	if (t->t1 != TIME_NONE)
		add_line(w, (struct task_line){t->t1, t->t1, store_span(sn->st, t->end)->s.trk1, LN_END, 0, TS_NONE, 0});
}

static void make_task_page(struct page_work *w, const struct stats_task *t)
{
	uint32_t n;
	add_task_lines(w, t);
	struct trace_span_match it = {.id = t->id, .lo = TIME_NONE, .hi = TIME_NONE, .near = true};
	task_extent(w->sn, w->list->ts, t, &it.from, &it.to);
	const struct trace_slice *s = trace_task_slices(w->sn, &it, &w->page.mem, &n);
	for (uint32_t i = 0; i < n; i++)
		add_states(w, s[i].trk, s[i].t0, s[i].t1);
}

/* ---- operations */

/* Add the tasks and regions that the goroutine started in the time of the operation. */
static void add_spans(struct page_work *w, const struct operation *x)
{
	const uint32_t kinds = 1u << SP_TASK | 1u << SP_REGION;
	for (uint32_t i = 0; (i = time_search_next_span(w->sn, i, kinds, x->t0, x->t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(w->sn->st, i)->s;
		struct task_line l = span_line(w->sn, i);
		if (s->trk != x->g || s->t0 < x->t0 || s->t0 >= x->t1)
			continue;
		if (s->kind == SP_TASK) {
			l.what = LN_TASK;
			l.i = stats_task_find(w->list->ts, s->id);
			w->page.nchild++;
		}
		if (l.i != UINT32_MAX)
			add_line(w, l);
	}
}

static void add_logs(struct page_work *w, const struct operation *x)
{
	uint32_t end, i = time_search_marks(w->sn, x->t0, x->t1, &end);
	for (; i < end; i++) {
		const struct sink_mark *m = store_mark(w->sn->st, i);
		if (m->kind == MK_LOG && m->trk == x->g)
			add_line(w, log_line(w->sn, i));
	}
}

/* Add the operations that are parts of the one with this index. */
static void add_parts(struct page_work *w, uint32_t of)
{
	const struct operations *o = w->list->ops;
	for (uint32_t i = 0; (i = operations_next_child(o, of, i)) != OPERATION_NONE; i++) {
		struct operation x = operations_get(o, i);
		if (o->kind[x.kind].source == OPERATION_TASK)
			continue;
		add_line(w, (struct task_line){.t0 = x.t0, .t1 = x.t1, .trk = x.g, .what = LN_OPERATION, .i = i});
		w->page.nchild++;
	}
}

/* Return the state in whose row short intervals of a state are counted, as in "37 short system calls". */
static enum tstate state_of_row(enum tstate s)
{
	return s == TS_SYSBLOCK ? TS_SYSCALL : state_runs(s) ? TS_RUN : s;
}

/* Add a line for all short states of a kind. */
static void add_rest(struct page_work *w, const struct operation *x, const struct task_line *rest)
{
	for (int s = TS_NONE + 1; s < TS__N; s++)
		if (rest[s].i) {
			struct task_line l = rest[s];
			l.t0 = l.t1 = x->t1;
			l.trk = x->g;
			l.what = LN_REST;
			l.state = (enum tstate)s;
			add_line(w, l);
		}
}

/* Add the states of the goroutine that are at least 1 % of the operation, and the others as sums. */
static void add_states_in_order(struct page_work *w, const struct operation *x)
{
	enum { SHARE = 100 };
	struct trace_interval v;
	struct task_line rest[TS__N] = {{0}};
	uint32_t seen = 0;
	bool more = trace_interval_at(w->sn, x->g, x->t0, &v) || trace_interval_near(w->sn, x->g, x->t0, 1, &v);
	for (; more && v.t0 < x->t1; more = trace_interval_step(w->sn, &v, 1)) {
		if (++seen % 256 == 0 && !job_should_continue(&w->on))
			return;
		struct task_line l = {.t0 = v.t0 > x->t0 ? v.t0 : x->t0, .t1 = v.t1 < x->t1 ? v.t1 : x->t1,
		    .trk = x->g, .what = LN_STATE, .i = v.stack, .state = v.state};
		if (v.state == TS_NONE)
			continue;
		if (l.t1 - l.t0 >= (x->t1 - x->t0) / SHARE) {
			l.i = state_is_wait(v.state) || v.state == TS_SYSCALL || v.state == TS_SYSBLOCK ? v.stack : 0;
			add_line(w, l);
			continue;
		}
		rest[state_of_row(v.state)].i++;
		wrap_add_to(&rest[state_of_row(v.state)].ns, l.t1 - l.t0);
	}
	add_rest(w, x, rest);
}

static void make_operation_page(struct page_work *w, uint32_t i)
{
	struct operation x = operations_get(w->list->ops, i);
	add_line(w, (struct task_line){x.t0, x.t0, x.starter, LN_BEGIN, 0, TS_NONE, 0});
	add_spans(w, &x);
	add_logs(w, &x);
	add_parts(w, i);
	add_states_in_order(w, &x);
	add_line(w, (struct task_line){x.t1, x.t1, x.g, LN_END, 0, TS_NONE, 0});
	add_states(w, x.g, x.t0, x.t1);
}

/* ---- both */

static trk_id goroutine_of_page(const struct tasks_page *p)
{
	for (uint32_t i = 1; i < p->nline; i++)
		if (p->line[i].trk != p->line[0].trk)
			return 0;
	return p->nline ? p->line[0].trk : 0;
}

static void run_page(void *work, struct job *j)
{
	struct page_work *w = work;
	const struct stats_task *t = tasks_find_id(w->list, w->id);
	uint32_t i = tasks_find_operation(w->list, w->id);
	w->on = job_progress_watcher(j);
	if (t && t->span != UINT32_MAX)
		make_task_page(w, t);
	else if (i != OPERATION_NONE)
		make_operation_page(w, i);
	struct task_line *heap = w->page.line;
	if (w->page.nline)
		qsort(heap, w->page.nline, sizeof *heap, line_cmp);
	w->page.line = arena_alloc(&w->page.mem, (w->page.nline + 1u) * sizeof *heap);
	if (w->page.nline)
		memcpy(w->page.line, heap, w->page.nline * sizeof *heap);
	mem_free(heap);
	w->page.trk = goroutine_of_page(&w->page);
	w->page.made = true;
}

static void free_page(void *work)
{
	struct page_work *w = work;
	arena_free(&w->page.mem);
	mem_free(w);
}

static const struct async_kind page_kind = {run_page, free_page};

static void take_page(struct tasks *p, struct page_work *w)
{
	if (!w)
		return;
	arena_free(&p->page.mem);
	p->page = w->page;
	w->page.mem = (struct arena){0};
	free_page(w);
	list_set_count(&p->lines, p->page.nline);
	list_select(&p->lines, p->page_row);
}

void tasks_load_page(struct tasks *p, const struct pane_env *env, uint32_t row)
{
	struct page_work *w = xcalloc(1, sizeof *w);
	*w = (struct page_work){.list = &p->list, .sn = session_snap(env->s), .id = (uint64_t)p->id};
	arena_free(&p->page.mem);
	p->page = (struct tasks_page){0};
	list_set_count(&p->lines, 0);
	p->page_row = row;
	take_page(p, async_start(&p->paging, &page_kind, w, snap_cost(w->sn, 1)));
}

void tasks_page_finish(void *st, const struct pane_env *env, struct ask *out)
{
	(void)env;
	(void)out;
	take_page(st, async_finish(&((struct tasks *)st)->paging));
}

bool tasks_page_bounds(const struct tasks *p, int64_t *t0, int64_t *t1)
{
	const struct stats_task *t = tasks_find_id(&p->list, (uint64_t)p->id);
	uint32_t i = t ? OPERATION_NONE : tasks_find_operation(&p->list, (uint64_t)p->id);
	*t0 = *t1 = TIME_NONE;
	if (t) {
		*t0 = t->t0;
		*t1 = t->t1;
	} else if (i != OPERATION_NONE) {
		struct operation x = operations_get(p->list.ops, i);
		*t0 = x.t0;
		*t1 = x.t1;
	}
	return t || i != OPERATION_NONE;
}
