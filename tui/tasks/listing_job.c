/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The listing of the pane in the background, if there are many items or the operations of the trace have not been found
 * yet: a million regions take a second. The job makes a struct tasks_listing, which replaces the old one when it is
 * complete; until then the pane uses the old one. The position (operations or regions, level, what is open) is stored
 * as the target until then, and returned as the position of the pane for undo and jumps.
 *
 * A new snapshot waits for the running job; a new command cancels it.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"

#include <limits.h>

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
	struct query_match match;
	m->on = job_progress_watcher(j);
	tracepane_scope_of_query(m->sn, &m->q, &m->list.mem, &m->list.scope);
	if (m->q.suspended || query_match_compile(&match, &m->q, &m->list.mem, NULL))
		match = (struct query_match){0};
	tasks_list(&m->list, m->sn, &match, &m->on);
	query_match_free(&match);
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
	pane_table_select(&p->kinds, p, key);
	tasks_count_bars(p);
}

/* Return the key of the kind of a task or operation; TASKS_NO_KIND: it is not listed. */
static int64_t key_of(const struct tasks_listing *l, uint64_t id)
{
	const struct stats_task *t = l->regions ? NULL : tasks_find_id(l, id);
	if (t && t->span != UINT32_MAX)
		return (int64_t)((uint64_t)t->name << 32);
	uint32_t i = tasks_find_operation(l, id);
	return i == OPERATION_NONE ? TASKS_NO_KIND : -2 - (int64_t)operations_kind_of(l->ops, i);
}

void tasks_select_near(struct tasks *p, const struct pane_env *env, uint64_t id, bool slowest)
{
	int64_t key = key_of(&p->list, id);
	if (key == TASKS_NO_KIND)
		return;
	for (uint32_t k = 0; k < p->list.nkind && !p->background; k++)
		if (tasks_kind_key(&p->list.kind[k]) == key && tasks_is_background(p, &p->list.kind[k])) {
			p->background = true;
			tasks_fill_kinds(p, env);
		}
	p->id = slowest ? -1 : (int64_t)id;
	select_kind(p, key);
}

void tasks_open_page(struct tasks *p, const struct pane_env *env, uint64_t id, uint32_t row)
{
	int64_t key = key_of(&p->list, id);
	p->id = (int64_t)id;
	p->open = key == TASKS_NO_KIND ? p->open : key;
	p->level = L_ONE;
	tasks_fill_kinds(p, env);
	if (p->shown_of != p->open)	/* takes tens of milliseconds for millions of items */
		tasks_fill_items(p, env);
	tasks_load_page(p, env, row);
}

const char *const tasks_row_words[] = {[L_KINDS] = "row", [L_LIST] = "row1", [L_ONE] = "row2"};

void tasks_select_rows(struct tasks *p, const struct view *v)
{
	p->page_row = (uint32_t)view_get(v, tasks_row_words[L_ONE]);
	if (!pane_table_select(&p->kinds, p, view_get(v, tasks_row_words[L_KINDS])))
		pane_table_select_row(&p->kinds, p, 0);
	tasks_select_item(p, view_get(v, tasks_row_words[L_LIST]));
	list_select(&p->lines, p->page_row);
	tasks_count_bars(p);
}

/* Sort as in a view. Which columns there are depends on the listing, so this comes after it. */
static void load_order(struct tasks *p, const struct pane_env *env, const struct view *v)
{
	tasks_set_sort(&p->kinds, &p->kind_cols, (int)view_get_below(v, "sort", INT_MAX));
	tasks_set_sort(&p->items, &p->item_cols, (int)view_get_below(v, "value", INT_MAX));
	tasks_fill_kinds(p, env);
	tasks_fill_items(p, env);
}

/* Go to the target. */
static void goto_wanted(struct tasks *p, const struct pane_env *env, const struct tasks_target *w)
{
	if (w->moves) {
		p->level = w->level;
		p->open = w->open;
	}
	tasks_fill_kinds(p, env);
	tasks_fill_items(p, env);
	if (w->view)
		load_order(p, env, &w->v);
	if (w->page && (w->view || key_of(&p->list, w->id) != TASKS_NO_KIND)) {
		p->level = L_LIST;
		tasks_open_page(p, env, w->id, 0);
	} else if (p->level == L_ONE) {
		tasks_load_page(p, env, p->lines.sel);
	} else if (w->near && p->level == L_KINDS) {
		tasks_select_near(p, env, w->id, w->slowest);
	}
	if (w->view)
		tasks_select_rows(p, &w->v);
	tasks_mark_hits(p, env);
}

/* Take the listing, unless it is still being made (NULL). */
static void take_listing(struct tasks *p, const struct pane_env *env, struct tasks_build *m)
{
	if (!m)
		return;
	struct tasks_target w = p->want;
	async_stop(&p->search);		/* it reads the rows */
	async_stop(&p->paging);		/* and these the listing */
	async_stop(&p->later.making);
	pane_table_stop(&p->items);
	tasks_drop_classes(p);
	struct tasks_listing was = p->list;
	p->list = m->list;
	m->list = was;
	p->bars_of = p->shown_of = TASKS_NO_KIND;
	p->nlongest = 0;
	p->opened = UINT32_MAX;
	list_set_count(&p->kinds.rows, 0);	/* the rows were of the old arrays */
	list_set_count(&p->items.rows, 0);
	p->want = (struct tasks_target){.regions = p->list.regions};
	goto_wanted(p, env, &w);
	session_free_arena_async(env->s, &m->list.mem);
	free_listing(m);
}

/* Steps of the work: if the operations are not known, it passes over all intervals a few times. */
static uint64_t listing_cost(const struct snap *sn, bool regions)
{
	bool known = regions || !sn->complete || operations_if_shared(sn);
	return sn->nspans + (uint64_t)sn->nmarks + 1 + (known ? 0 : snap_cost(sn, 4));
}

static void start_listing(struct tasks *p, const struct pane_env *env)
{
	struct tasks_build *m = xcalloc(1, sizeof *m);
	m->sn = session_snap(env->s);
	m->list.regions = p->want.regions;
	m->list.criteria = tasks_criteria(p);
	m->q = *session_query(env->s);
	p->again = false;
	take_listing(p, env, async_start(&p->work, &listing_kind, m, listing_cost(m->sn, m->list.regions)));
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
}

void tasks_put_progress(const struct tasks *p, struct buf *b)
{
	if (async_job(&p->work))
		tracepane_put_progress(async_job(&p->work), "counting", b);
}
