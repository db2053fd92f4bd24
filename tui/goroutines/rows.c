/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The groups of the goroutines pane and their goroutines, which are the items of its tables. They are made for a
 * snapshot and a query, by a job if there are many goroutines. Rows of goroutines are made when they are read.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/wrap_math.h"

#include <string.h>

int64_t goroutines_sum_of(const struct goroutine_times *s, enum goroutines_value v)
{
	switch (v) {
	case GV_RUN: return s->exec;
	case GV_READY: return s->ready;
	case GV_SYSCALL: return s->syscall + s->sysblock;
	case GV_BLOCKED: return s->blocked;
	default: return s->total;
	}
}

static void add_stat(struct goroutines_row *r, const struct goroutine_times *s)
{
	for (int k = 0; k < GV_SUMS; k++)
		r->v[k] = wrap_add(r->v[k], goroutines_sum_of(s, (enum goroutines_value)k));
}

const struct goroutines_row *goroutines_row(
    const struct goroutines_state *p, int level, uint32_t item, struct goroutines_row *room)
{
	if (level == GL_GROUPS)
		return &p->groups[item];
	struct goroutine_times s;
	stats_groups_times(p->gs, p->first + item, NULL, &s);
	*room = (struct goroutines_row){.name = store_trk_name(p->gs->sn->st, s.trk),
	    .trk = s.trk,
	    .n = 1,
	    .first = p->first + item,
	    .t0 = stats_groups_start(p->gs, p->first + item)};
	room->t1 = room->t0 + s.total;
	add_stat(room, &s);
	return room;
}

const struct goroutines_row *goroutines_selected_row(const struct goroutines_state *p, struct goroutines_row *room)
{
	int l = p->level == GL_GROUPS ? GL_GROUPS : GL_LIST;
	uint32_t item = pane_table_selected(&p->table[l]);
	return item == UINT32_MAX ? NULL : goroutines_row(p, l, item, room);
}

/* ---- tables */

void goroutines_list_groups(struct goroutines_state *p, const struct pane_env *env)
{
	const struct pane_table *t = &p->table[GL_GROUPS];
	pane_table_fill(&p->table[GL_GROUPS], p, env, p->ngroup);
	p->most = 0;
	for (uint32_t i = 0; i < t->rows.n; i++)
		p->most = p->groups[t->item[i]].v[GV_RUN] > p->most ? p->groups[t->item[i]].v[GV_RUN] : p->most;
}

/* Return the open group; NULL: there is none of that name. */
static const struct goroutines_row *open_group(const struct goroutines_state *p)
{
	for (uint32_t i = 0; i < p->ngroup; i++)
		if (p->groups[i].name == p->open)
			return &p->groups[i];
	return NULL;
}

void goroutines_fill_list(struct goroutines_state *p, const struct pane_env *env)
{
	struct pane_table *t = &p->table[GL_LIST];
	const struct goroutines_row *g = open_group(p);
	bool same = p->listed == p->open;
	if (same && p->filled) {
		pane_table_select(t, p, t->sel);
		return;
	}
	pane_table_stop(t);
	if (!same)
		t->brush = (struct brush){0};
	p->listed = p->open;
	p->filled = true;
	p->first = g ? g->first : 0;
	pane_table_fill(t, p, env, g ? g->n : 0);
}

uint32_t goroutines_find_index(const struct goroutines_state *p, trk_id t)
{
	const struct goroutines_row *g = open_group(p);
	for (uint32_t k = g ? g->first : 0; g && k < g->first + g->n; k++)
		if (p->gs->g[k].trk == t)
			return k;
	return UINT32_MAX;
}

/* ---- building */

/* Groups being built by a job, which owns copies of its snapshot and query. */
struct goroutines_build {
	struct arena mem;
	struct query q;		/* its strings are owned by the session */
	struct tracepane_scope scope;
	const struct snap *sn;
	enum group_key_kind by;
	str_id *key;
	struct stats_index *stats_index;
	struct stats_groups *gs;
	struct goroutines_row *groups;
	uint32_t ngroup;
	int64_t ran;
	uint32_t *region, nregion;
};
enum { SUM_AGAIN = 2000 };	/* size up to which a group is summed again for each key */

static trk_id region_track(const struct snap *sn, uint32_t i)
{
	const struct sink_span *s = &store_span(sn->st, i)->s;
	return s->kind == SP_REGION && !(s->v0 & RG_LOOSE) ? s->trk : 0;
}

/* Sort the regions by goroutine with a counting sort: they may be the largest table. */
static void make_regions(struct goroutines_build *m)
{
	const struct snap *sn = m->sn;
	uint32_t *at = xcalloc(sn->ntrks + 2u, sizeof *at);
	for (uint32_t i = 0; i < sn->nspans; i++)
		at[region_track(sn, i) + 1]++;
	at[1] = 0;	/* without a goroutine */
	for (trk_id t = 1; t <= sn->ntrks; t++)
		at[t + 1] += at[t];
	m->nregion = at[sn->ntrks + 1u];
	m->region = arena_alloc(&m->mem, (m->nregion + 1u) * sizeof *m->region);
	for (uint32_t i = 0; i < sn->nspans && m->nregion; i++) {
		trk_id t = region_track(sn, i);
		if (t)
			m->region[at[t]++] = i;
	}
	mem_free(at);
}

static void make_groups(struct goroutines_build *m, struct job *j)
{
	tracepane_scope_of_query(m->sn, &m->q, &m->mem, &m->scope);
	tracepane_limit_to_proc(&m->scope, &m->mem);
	struct progress_watcher on = job_progress_watcher(j);
	tracepane_limit_to_focus(&m->scope, &m->mem, &on);
	struct stats_query ask = tracepane_sched_query(&m->scope);
	ask.on = on;
	m->key = group_key_make(m->sn, m->by, m->scope.t0, m->scope.t1, &m->mem, &ask.on);
	ask.key = m->key;
	m->stats_index = stats_index_new(m->sn, &m->mem);
	m->gs = stats_groups(m->stats_index, &ask, &m->mem);
	m->groups = arena_zalloc(&m->mem, (m->gs->n + 1u) * sizeof *m->groups);
	for (uint32_t i = 0; i < m->gs->n; i++) {
		const struct stats_group *gr = &m->gs->group[i];
		struct goroutines_row *r = &m->groups[m->ngroup++];
		*r = (struct goroutines_row){.name = gr->name, .n = gr->n, .first = gr->first};
		for (uint32_t k = gr->first; k < gr->first + gr->n; k++) {
			struct goroutine_times s;
			stats_groups_times(m->gs, k, NULL, &s);
			add_stat(r, &s);
		}
		wrap_add_to(&m->ran, r->v[GV_RUN]);
		if (j && job_cancelled(j))
			return;
		if (gr->n < SUM_AGAIN)
			continue;
		struct goroutines_totals *totals = arena_zalloc(&m->mem, sizeof *totals);
		goroutines_sum_group(m->sn, m->gs, gr->first, gr->n, totals);
		r->totals = totals;
	}
	if (j)
		job_report_progress(j, 90, 100);
	if (j && job_cancelled(j))
		return;
	make_regions(m);
}

/* A cancelled build is freed by the worker: freeing much takes longer than a frame. */
static void run_build(void *work, struct job *j)
{
	struct goroutines_build *m = work;
	make_groups(m, j);
	if (j && job_cancelled(j))
		arena_free(&m->mem);
}

static void free_build(void *work)
{
	struct goroutines_build *m = work;
	arena_free(&m->mem);
	mem_free(m);
}

static const struct async_kind build_kind = {run_build, free_build};

static bool take_build(struct goroutines_state *, struct goroutines_build *, struct session *);

bool goroutines_make_groups(struct goroutines_state *p, const struct pane_env *env)
{
	const struct goroutines_build *was = async_wanted(&p->work);
	if (async_job(&p->work)) {
		p->again = true;
		const struct query *q = session_query(env->s);
		if (was && (was->by != p->by || !query_same_scope(&was->q, q) || !query_same_focus(&was->q, q)))
			async_cancel(&p->work);
		return false;
	}
	struct goroutines_build *m = xcalloc(1, sizeof *m);
	if (!p->by_chosen)
		p->by = group_key_best(session_snap(env->s));
	m->sn = session_snap(env->s);
	m->by = p->by;
	m->q = *session_query(env->s);
	m = async_start(&p->work, &build_kind, m, (uint64_t)m->sn->ntrks * (m->sn->nsheets + 1));
	return m && take_build(p, m, env->s);
}

bool goroutines_job_outdated(const struct goroutines_state *p)
{
	return async_job(&p->work) && !async_wanted(&p->work);
}

bool goroutines_job_finish(struct goroutines_state *p, struct session *s)
{
	return take_build(p, async_finish(&p->work), s);
}

static bool take_build(struct goroutines_state *p, struct goroutines_build *m, struct session *s)
{
	bool again = p->again;
	p->again = false;
	if (!m)
		return !again;
	goroutines_wait_cancel(p);
	goroutines_search_clear(p);
	pane_table_stop(&p->table[GL_LIST]);
	goroutines_drop_measures(p, s);
	p->mem = m->mem;
	p->scope = m->scope;
	p->key = m->key;
	p->stats_index = m->stats_index;
	p->gs = m->gs;
	p->groups = m->groups;
	p->ngroup = m->ngroup;
	p->ran = m->ran;
	p->region = m->region;
	p->nregion = m->nregion;
	p->filled = false;
	p->story.of = -1;
	p->one.of = 0;
	mem_free(m);
	return !again;
}
