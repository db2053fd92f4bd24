/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The listing of the tasks pane in the background, if there are many items: a million regions take
 * a second. The job makes a struct tasks_listing, which replaces the old one when it is complete;
 * until then the pane uses the old one. The position (tasks or regions, level, what is open) is
 * stored as the target until then, and returned as the position of the pane for undo and jumps.
 *
 * A new snapshot waits for the running job; a new command cancels it.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

struct tasks_build {
	struct tasks_listing list;
	struct query q;		/* its strings are owned by the session */
	const struct snap *sn;
	struct progress_watcher on;
};

/* A cancelled listing is freed by the worker: freeing much takes longer than a frame. */
static void run_listing(void *work, struct job *j)
{
	struct tasks_build *m = work;
	m->on = job_progress_watcher(j);
	tracepane_scope_of_query(m->sn, &m->q, &m->list.mem, &m->list.scope);
	tasks_list(&m->list, m->sn, &m->on);
	if (!job_should_continue(&m->on))
		arena_free(&m->list.mem);
}

static void free_listing(void *work)
{
	struct tasks_build *m = work;
	arena_free(&m->list.mem);
	mem_free(m);
}

static const struct async_kind listing_kind = {run_listing, free_listing};

static void select_kind(struct tasks *p, int64_t key)
{
	for (uint32_t i = 0; i < p->rows[L_KINDS].n; i++)
		if (kind_key(&p->list.kind[p->order[i]]) == key)
			list_select(&p->rows[L_KINDS], i);
	tasks_count_bars(p);
}

void tasks_select_near(struct tasks *p, uint64_t id)
{
	const struct stats_task *t = p->list.regions ? NULL : tasks_find_id(p, id);
	if (!t || t->span == UINT32_MAX)
		return;
	p->task = (int64_t)id;
	select_kind(p, (int64_t)((uint64_t)t->name << 32));
}

/* Go to the target. */
static void goto_wanted(struct tasks *p, const struct pane_env *env, const struct tasks_target *w, int64_t key)
{
	if (w->moves) {
		p->level = w->level;
		p->open = w->open;
	}
	tasks_sort_kinds(p, env);
	if (!w->moves && p->level == L_KINDS)
		select_kind(p, key);
	tasks_fill_list(p, env);
	if (w->page && (w->view || tasks_find_id(p, w->task))) {
		p->level = L_LIST;
		tasks_open_page(p, env, w->task);
	} else if (p->level == L_ONE) {
		tasks_load_page(p, env);
	} else if (w->near && p->level == L_KINDS) {
		tasks_select_near(p, w->task);
	}
	if (w->view) {
		tasks_select_rows(p, &w->v);
		tasks_count_bars(p);
	}
	tasks_mark_hits(p, env);
}

/* Take the listing, unless it is still being made (NULL). */
static void take_listing(struct tasks *p, const struct pane_env *env, struct tasks_build *m)
{
	if (!m)
		return;
	int64_t key = p->list.kind && kind_now(p) ? kind_key(kind_now(p)) : -1;
	struct tasks_target w = p->want;
	async_stop(&p->search.slot);		/* it reads the rows */
	struct tasks_listing was = p->list;
	p->list = m->list;
	m->list = was;
	p->bars_of = p->shown_of = -1;
	p->nlongest = 0;
	p->rows[L_KINDS].n = 0;		/* the rows were of the old array */
	p->want = (struct tasks_target){.regions = p->list.regions};
	goto_wanted(p, env, &w, key);
	session_free_arena_async(env->s, &m->list.mem);
	free_listing(m);
}

static uint64_t listing_cost(const struct snap *sn)
{
	return sn->nspans && sn->st->keep ? ASYNC_ALWAYS : sn->nspans + (uint64_t)sn->nmarks + 1;
}

static void start_listing(struct tasks *p, const struct pane_env *env)
{
	struct tasks_build *m = xcalloc(1, sizeof *m);
	m->sn = session_snap(env->s);
	m->list.regions = p->want.regions;
	m->list.criteria = p->task_criteria;
	m->q = *session_query(env->s);
	p->again = false;
	take_listing(p, env, async_start(&p->work, &listing_kind, m, listing_cost(m->sn)));
}

struct tasks_target tasks_current_target(const struct tasks *p)
{
	return async_job(&p->work) ? p->want : (struct tasks_target){.regions = p->list.regions};
}

void tasks_goto(struct tasks *p, const struct pane_env *env, const struct tasks_target *w)
{
	p->want = *w;
	start_listing(p, env);
}

void tasks_update(struct tasks *p, const struct pane_env *env)
{
	struct tasks_target w = tasks_current_target(p);
	if (async_job(&p->work)) {
		p->again = true;
		return;
	}
	p->want = w;
	start_listing(p, env);
}

void tasks_job_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct tasks *p = st;
	(void)out;
	take_listing(p, env, async_finish(&p->work));
	if (p->again)
		start_listing(p, env);
	tasks_operations_update(p, env);
}

void tasks_put_progress(const struct tasks *p, struct buf *b)
{
	if (async_job(&p->work))
		tracepane_put_progress(async_job(&p->work), "counting", b);
}
