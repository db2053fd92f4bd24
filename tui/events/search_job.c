/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Search the whole trace for events, on a thread. The thread reads the snapshot, as all readers
 * may, and owns everything else: its expressions, its copy of the scope, its events. It processes
 * the trace in ranges of about ten thousand events, gathered like a page; between two ranges it
 * reports progress and checks for cancellation. The search runs from the cursor to the end and then
 * from the beginning, or backwards likewise.
 */
#include "config.h"
#include "events/internal.h"

#include "base/job.h"
#include "base/text/text.h"

#include <string.h>

enum { AHEAD = 2000, BEHIND = 1000, FEW = 5000, MANY = 20000 };

struct events_search_work {
	struct job *job;		/* set while it runs */
	struct arena mem;
	const struct snap *sn;
	struct tracepane_scope scope;
	struct trace_events_query q;
	struct regex *find, *grep;		/* both have to match; NULL matches all */
	char *re;
	int64_t t;
	int dir;
	struct event_list page, found;		/* found.t0, t1: the range searched so far */
	struct buf text;
	int64_t done, all;
};

static bool event_matches(struct events_search_work *h, const struct event_item *e)
{
	if (!h->find && !h->grep)
		return true;
	events_row_text(h->sn, e, &h->text);
	return (!h->find || regex_match(h->find, h->text.p, h->text.n)) &&
	       (!h->grep || regex_match(h->grep, h->text.p, h->text.n));
}

static void add_event(struct events_search_work *h, const struct event_item *e)
{
	h->found.v = mem_grow(h->found.v, &h->found.cap, h->found.n + 1u, sizeof *h->found.v);
	h->found.v[h->found.n++] = *e;
}

static bool report_progress(struct events_search_work *h, int64_t looked)
{
	h->done += looked;
	if (!h->job)
		return true;
	job_report_progress(h->job, (uint64_t)h->done, (uint64_t)h->all);
	return !job_cancelled(h->job);
}

static int64_t next_len(const struct events_search_work *h, int64_t len)
{
	if (h->page.n < FEW && len < INT64_MAX / 8)
		return len * 2;
	return h->page.n > MANY && len > 1 ? len / 2 : len;
}

/* Search from a to b for at most max events. false: found that many, or cancelled; *a: the end of the searched
   range. */
static bool find_forward(struct events_search_work *h, int64_t *a, int64_t b, uint32_t max)
{
	for (int64_t len = 100000; *a < b; len = next_len(h, len)) {
		int64_t end = b - *a > len ? *a + len : b, from = *a;
		trace_events_gather(h->sn, &h->q, from, end, EV_CHUNK_MAX, &h->page);
		for (uint32_t i = 0; i < h->page.n; i++) {
			const struct event_item *e = &h->page.v[i];
			if (!event_matches(h, e))
				continue;
			add_event(h, e);
			if (h->found.n == max) {
				*a = e->t + 1;
				return false;
			}
		}
		*a = h->page.t1 > from ? h->page.t1 : end;
		if (!report_progress(h, *a - from))
			return false;
	}
	return true;
}

/* Search from b back to a; results are stored newest first. */
static bool find_backward(struct events_search_work *h, int64_t a, int64_t *b, uint32_t max)
{
	uint32_t had = h->found.n;
	for (int64_t len = 100000; a < *b; len = next_len(h, len)) {
		int64_t from = *b - a > len ? *b - len : a, to = *b;
		trace_events_gather(h->sn, &h->q, from, to, EV_CHUNK_MAX, &h->page);
		while (h->page.t1 < to && to - from > 1) {	/* too many events for one range */
			from = to - (to - from) / 4 - 1;
			trace_events_gather(h->sn, &h->q, from, to, EV_CHUNK_MAX, &h->page);
		}
		for (uint32_t i = h->page.n; i-- > 0;) {
			const struct event_item *e = &h->page.v[i];
			if (!event_matches(h, e))
				continue;
			add_event(h, e);
			if (h->found.n - had == max) {
				*b = e->t;
				return false;
			}
		}
		*b = from;
		if (!report_progress(h, to - from))
			return false;
	}
	return true;
}

/* Find all events that match, around t: those before it are found backwards and then reversed. */
static void find_around(struct events_search_work *h)
{
	int64_t a = h->t, b = h->t;
	find_backward(h, h->scope.t0, &b, BEHIND);
	for (uint32_t i = 0, k = h->found.n; i + 1 < k; i++) {
		struct event_item e = h->found.v[i];
		h->found.v[i] = h->found.v[--k];
		h->found.v[k] = e;
	}
	find_forward(h, &a, h->scope.t1, h->found.n + AHEAD);
	h->found.t0 = b;
	h->found.t1 = a;
}

/* Search from the cursor on, and then the other part. */
static void find_next(struct events_search_work *h)
{
	int64_t t = h->t, end = t;
	if (h->dir > 0) {
		if (!find_forward(h, &t, h->scope.t1, 1))
			return;
		t = h->scope.t0;
		find_forward(h, &t, end, 1);
	} else {
		if (!find_backward(h, h->scope.t0, &t, 1))
			return;
		t = h->scope.t1;
		find_backward(h, end, &t, 1);
	}
}

static void run_search(void *work, struct job *j)
{
	struct events_search_work *h = work;
	h->job = j;
	if (h->dir)
		find_next(h);
	else
		find_around(h);
}

static void free_search(void *work)
{
	struct events_search_work *h = work;
	regex_free(h->find);
	regex_free(h->grep);
	mem_free(h->re);
	mem_free(h->page.v);
	mem_free(h->found.v);
	buf_free(&h->text);
	arena_free(&h->mem);
	mem_free(h);
}

static const struct async_kind search_kind = {run_search, free_search};

/* Move the result to *found, unless h is NULL. */
static void take_found(struct events_search_work *h, struct event_list *found)
{
	if (!h)
		return;
	*found = h->found;
	h->found = (struct event_list){0};
	free_search(h);
}

bool events_search_start(
    struct async *slot, const struct pane_env *env, const struct events_search_query *a, struct event_list *found)
{
	struct err e;
	*found = (struct event_list){0};
	if (session_job(env->s))
		return false;
	struct events_search_work *h = xcalloc(1, sizeof *h);
	h->sn = session_snap(env->s);
	tracepane_scope(env, &h->mem, &h->scope);
	h->q = events_list_query(a->view, &h->scope);
	const char *re = a->re ? a->re : env->grep.rx ? env->grep.text : NULL;
	h->re = re ? xstrdup(re) : NULL;
	h->find = a->re ? regex_new(a->re, &e) : NULL;
	h->grep = env->grep.rx ? regex_new(env->grep.text, &e) : NULL;
	h->dir = a->dir;
	h->t = a->t < h->scope.t0 ? h->scope.t0 : a->t > h->scope.t1 ? h->scope.t1 : a->t;
	h->all = h->scope.t1 - h->scope.t0;
	take_found(async_start(slot, &search_kind, h, ASYNC_ALWAYS), found);
	session_set_extra_work(env->s, slot);
	return true;
}

bool events_search_finish(struct async *slot, struct event_list *found)
{
	if (!async_job(slot) || !job_done(async_job(slot), NULL))
		return false;
	take_found(async_finish(slot), found);
	return true;
}

void events_search_progress(const struct async *slot, struct buf *b)
{
	const struct events_search_work *h = async_running(slot);
	uint64_t done, all;
	job_progress(async_job(slot), &done, &all);
	buf_puts(b, h->re ? "searching for " : "searching");
	if (h->re)
		text_safe(b, h->re, strlen(h->re));
	buf_printf(b, " in the whole trace: %.0f%%  Esc cancels", all ? 100.0 * (double)done / (double)all : 0.0);
}

bool events_search_stop(struct async *slot)
{
	bool any = async_job(slot);
	async_stop(slot);
	return any;
}
