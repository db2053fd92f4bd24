/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A page of events around one of them. It is loaded at once if its sheets are in memory. If sheets
 * can be evicted and one is missing, a job gathers the page and the old one stays visible; if the
 * cursor moves meanwhile, it keeps its position, if the new page has it. The job of a page that is
 * not wanted any more may be blocked on a sheet: it is not waited for, and the next one starts when
 * it has ended.
 */
#include "config.h"
#include "events/internal.h"

#include "base/job.h"
#include "store/cache/nowait.h"

#include <string.h>

static bool event_wanted(const void *arg, trk_id g, int64_t t)
{
	return tracepane_event_in_scope(arg, g, t);
}

struct trace_events_query events_list_query(int view, const struct tracepane_scope *scope)
{
	const struct events_view *v = &events_views[view];
	return (struct trace_events_query){
	    v->kinds, v->spans, v->marks, tracepane_is_filtered(scope) ? event_wanted : NULL, scope, scope->g};
}

/* Return whether the range has many goroutines, so that a pass over them takes the time of a frame and all may act
   at one instant. */
static bool is_crowded(const struct snap *sn, int64_t t0, int64_t t1)
{
	enum { CROWD = 200000 };
	uint64_t rows = 0;
	for (uint32_t s = 0; s < sn->nsheets; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		rows += slot->t1 > t0 && slot->t0 < t1 ? slot->ntrk : 0;
	}
	return rows > CROWD;
}

/* Gather a page; extend the range if events are rare. Each event in a wider range has to be tested against the
   filters, so if searches are possible (`searches`), stop after `little` events. Return true if a search has to
   continue. */
static bool gather_page(const struct snap *sn, int view, const struct tracepane_scope *scope,
    const struct event_item *at, bool searches, struct event_list *l)
{
	struct trace_events_query q = events_list_query(view, scope);
	uint32_t little = scope->f.proc ? EV_CHUNK : EV_NARROW;
	int64_t t0, t1;
	for (uint32_t n = EV_CHUNK; ; n = n > UINT32_MAX / 8 ? UINT32_MAX : n * 8) {
		trace_events_range_around(sn, at->t, n, scope->t0, scope->t1, &t0, &t1);
		trace_events_gather_at(sn, &q, t0, t1, at, is_crowded(sn, t0, t1) ? EV_PAGE : EV_CHUNK_MAX, l);
		if (l->n >= EV_CHUNK / 4 || (t0 == scope->t0 && t1 == scope->t1))
			return false;
		if (searches && tracepane_is_filtered(scope) && n >= little)
			return true;
	}
}

/* ---- pages from memory */

static bool is_there(const struct snap *sn, int64_t t)
{
	for (uint32_t s = 0; s < sn->nsheets; s++)
		if (store_slot(sn->st, s)->t1 > t)
			return sheet_is_resident(sn, s);
	return true;
}

/* Gather a page without blocking; false: a sheet is missing. */
static bool gather_now(const struct snap *sn, int view, const struct tracepane_scope *scope,
    const struct event_item *at, bool searches, struct events_page *got)
{
	uint32_t none[NOWAIT_MAX], missed;
	if (!sn->st->keep) {
		got->far = gather_page(sn, view, scope, at, searches, &got->list);
		return true;
	}
	if (!is_there(sn, at->t))
		return false;
	nowait_begin_frame(sn->st);
	missed = nowait_miss_count(sn->st);
	got->far = gather_page(sn, view, scope, at, searches, &got->list);
	bool all = missed == nowait_miss_count(sn->st);
	nowait_end_frame(sn->st, none);
	return all;
}

/* ---- background job */

struct events_page_work {
	struct arena mem;
	const struct snap *sn;
	struct tracepane_scope scope;
	int view;
	bool searches;
	struct event_item at;
	struct events_page got;
};

static void run_page(void *work, struct job *j)
{
	struct events_page_work *k = work;
	(void)j;
	k->got.far = gather_page(k->sn, k->view, &k->scope, &k->at, k->searches, &k->got.list);
}

static void free_page(void *work)
{
	struct events_page_work *k = work;
	mem_free(k->got.list.v);
	arena_free(&k->mem);
	mem_free(k);
}

static const struct async_kind page_kind = {run_page, free_page};

/* Take the page, unless it is still being gathered (NULL). */
static bool take_page(struct events_page_work *k, struct events_page *got)
{
	if (!k)
		return false;
	*got = k->got;
	k->got = (struct events_page){0};
	free_page(k);
	return true;
}

static struct events_page_work *start_page(
    struct events *p, const struct pane_env *env, const struct event_item *at, bool searches)
{
	struct events_page_work *k = xcalloc(1, sizeof *k);
	k->sn = session_snap(env->s);
	k->view = p->view;
	k->at = *at;
	k->searches = searches;
	tracepane_scope(env, &k->mem, &k->scope);
	return async_start(&p->paging, &page_kind, k, ASYNC_ALWAYS);
}

void events_page_cancel(struct events *p)
{
	async_cancel(&p->paging);
}

bool events_load_page(
    struct events *p, const struct pane_env *env, const struct event_item *at, struct events_page *got)
{
	const struct snap *sn = session_snap(env->s);
	bool searches = !session_job(env->s) && sn->complete, forced = job_forced_threads() > 1 && !sn->st->keep;
	*got = (struct events_page){.list = p->spare};
	p->spare = (struct event_list){0};
	if (!forced && gather_now(sn, p->view, &p->scope, at, searches, got)) {
		events_page_cancel(p);
		return true;
	}
	p->spare = got->list;
	return take_page(start_page(p, env, at, searches), got);
}

bool events_page_finish(struct events *p, struct events_page *got)
{
	return take_page(async_finish(&p->paging), got);
}

void events_page_free(struct events *p)
{
	async_stop(&p->paging);
	mem_free(p->spare.v);
	p->spare = (struct event_list){0};
}
