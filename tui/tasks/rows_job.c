/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The listing of the tasks pane in the background, if there are many items: a million regions take
 * a second. The job fills a struct tasks of its own, with nothing but the listing, which replaces
 * the old one when it is complete; until then the pane uses the old one. The position (tasks or
 * regions, level, what is open) is stored as the target until then, and returned as the position of
 * the pane for undo and jumps.
 *
 * A new snapshot waits for the running job; a new command cancels it.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <string.h>

enum { FEW = 20000 };		/* spans and logs that take a few milliseconds */

struct tasks_build {
	struct tasks t;
	struct query q;		/* its strings are owned by the session */
	const struct snap *sn;
	struct progress_watcher on;
	struct job *job;
};

static int run_listing(struct job *j, void *arg)
{
	struct tasks_build *m = arg;
	m->on = job_progress_watcher(j);
	tracepane_scope_of_query(m->sn, &m->q, &m->t.mem, &m->t.scope);
	tasks_list(&m->t, m->sn, &m->on);
	return job_should_continue(&m->on) ? 0 : -1;
}

/* Free a result. A large one is freed in the background, because it takes 20 ms. s: NULL, when the pane closes. */
static void drop_result(struct tasks_build *m, struct session *s)
{
	if (s)
		session_free_arena_async(s, &m->t.mem);
	arena_free(&m->t.mem);
	mem_free(m);
}

static void select_kind(struct tasks *p, int64_t key)
{
	for (uint32_t i = 0; i < p->rows[L_KINDS].n; i++)
		if (kind_key(&p->kind[p->order[i]]) == key)
			list_select(&p->rows[L_KINDS], i);
	tasks_count_bars(p);
}

void tasks_select_near(struct tasks *p, uint64_t id)
{
	const struct stats_task *t = p->regions ? NULL : tasks_find_id(p, id);
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

static void take_listing(struct tasks *p, const struct pane_env *env, struct tasks_build *m)
{
	int64_t key = p->kind && kind_now(p) ? kind_key(kind_now(p)) : -1;
	struct tasks_target w = p->want;
	tasks_search_stop(p);
	struct arena was = p->mem;
	p->mem = m->t.mem;
	m->t.mem = was;
	p->scope = m->t.scope;
	p->regions = m->t.regions;
	p->ts = m->t.ts;
	p->ks = m->t.ks;
	p->kid = m->t.kid;
	p->nkid = m->t.nkid;
	p->kind = m->t.kind;
	p->item = m->t.item;
	p->nkind = m->t.nkind;
	p->nitem = m->t.nitem;
	p->lo = m->t.lo;
	p->hi = m->t.hi;
	p->bars_of = p->shown_of = -1;
	p->nlongest = 0;
	p->rows[L_KINDS].n = 0;		/* the rows were of the old array */
	p->want = (struct tasks_target){.regions = p->regions};
	goto_wanted(p, env, &w, key);
	drop_result(m, env->s);
}

/* Return whether listing takes a noticeable time. */
static bool is_much(const struct snap *sn)
{
	return sn->nspans + (uint64_t)sn->nmarks > FEW || (sn->nspans && sn->st->keep) || job_forced_threads() > 1;
}

static void start_listing(struct tasks *p, const struct pane_env *env)
{
	struct tasks_build *m = xcalloc(1, sizeof *m);
	m->sn = session_snap(env->s);
	m->t.mem.spills = true;
	m->t.regions = p->want.regions;
	m->t.task_criteria = p->task_criteria;
	m->q = *session_query(env->s);
	p->again = false;
	p->work = m;
	m->job = is_much(m->sn) ? job_start(run_listing, m) : NULL;
	if (m->job)
		return;
	run_listing(NULL, m);
	p->work = NULL;
	take_listing(p, env, m);
}

void tasks_job_stop(struct tasks *p, struct session *s)
{
	struct tasks_build *m = p->work;
	p->work = NULL;
	if (!m)
		return;
	job_cancel(m->job);
	job_join(m->job);
	drop_result(m, s);
}

struct tasks_target tasks_current_target(const struct tasks *p)
{
	return p->work ? p->want : (struct tasks_target){.regions = p->regions};
}

void tasks_goto(struct tasks *p, const struct pane_env *env, const struct tasks_target *w)
{
	tasks_job_stop(p, env->s);
	p->want = *w;
	start_listing(p, env);
}

void tasks_update(struct tasks *p, const struct pane_env *env)
{
	struct tasks_target w = tasks_current_target(p);
	if (p->work) {
		p->again = true;
		return;
	}
	p->want = w;
	start_listing(p, env);
}

struct job *tasks_job(const struct tasks *p)
{
	return p->work ? p->work->job : NULL;
}

void tasks_job_finish(struct tasks *p, const struct pane_env *env)
{
	struct tasks_build *m = p->work;
	if (!m)
		return;
	p->work = NULL;
	job_join(m->job);
	take_listing(p, env, m);
	if (p->again)
		start_listing(p, env);
}

void tasks_put_progress(const struct tasks *p, struct buf *b)
{
	if (p->work)
		tracepane_put_progress(p->work->job, "counting", b);
}
