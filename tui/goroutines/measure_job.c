/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What the columns of single waits and of the time by class show (trace/stats/goroutine_waits.c). It needs a pass over
 * all sheets, so it is measured in the background after the groups were made; until then these cells are empty.
 *
 * The job reads the groups. When they are replaced it is cancelled, but not waited for, because it checks for that only
 * now and then: it gets the memory of the groups, and frees it when it has ended.
 */
#include "config.h"
#include "goroutines/internal.h"

#include "base/job.h"
#include "base/wrap_math.h"
#include "trace/alloc/allocations.h"

struct goroutines_measures {
	struct arena mem;
	struct arena groups;		/* the memory of the groups if they have been replaced */
	const struct snap *sn;
	const struct stats_groups *gs;
	struct stats_query ask;
	const struct goroutine_waits *waits;	/* NULL: the job was cancelled */
	int64_t (*group_ns)[TIME_CLASS__N];	/* by group */
	int64_t *alloc, *group_alloc;	/* bytes by track, by group */
};

static void run_measures(void *work, struct job *j)
{
	struct goroutines_measures *m = work;
	m->ask.on = job_progress_watcher(j);
	m->waits = goroutine_waits_measure(m->sn, m->gs, &m->ask, &m->mem);
	m->group_ns = arena_zalloc(&m->mem, (m->gs->n + 1u) * sizeof *m->group_ns);
	const struct trace_filter f = {.from = m->ask.t0, .to = m->ask.t1, .g = m->ask.g, .on = m->ask.on};
	m->alloc = allocations_by_goroutine(m->sn, &f, &m->mem);
	m->group_alloc = arena_zalloc(&m->mem, (m->gs->n + 1u) * sizeof *m->group_alloc);
	for (uint32_t k = 0; k < m->gs->n && m->waits && !(j && job_cancelled(j)); k++)
		for (uint32_t i = m->gs->group[k].first; i < m->gs->group[k].first + m->gs->group[k].n; i++) {
			goroutine_waits_add_classes(m->waits, i, m->group_ns[k]);
			wrap_add_to(&m->group_alloc[k], m->alloc[m->gs->g[i].trk]);
		}
}

static void free_measures(void *work)
{
	struct goroutines_measures *m = work;
	if (!m)
		return;
	arena_free(&m->mem);
	arena_free(&m->groups);
	mem_free(m);
}

static const struct async_kind measures_kind = {run_measures, free_measures};

/* Show the measures, in the order of a column of them if the tables have one. */
static void take_measures(struct goroutines_state *p, const struct pane_env *env, struct goroutines_measures *m)
{
	bool ordering = async_job(&p->table[GL_LIST].order);	/* it may read the old ones */
	if (!m || !m->waits) {
		free_measures(m);
		return;
	}
	pane_table_stop(&p->table[GL_LIST]);
	free_measures(p->measures);
	p->measures = m;
	goroutines_list_groups(p, env);
	p->filled = p->filled && !ordering && !goroutines_sorts_by_measure(p);
	if (p->level != GL_GROUPS)
		goroutines_fill_list(p, env);
	goroutines_note_selection(p, env);
}

void goroutines_measure(struct goroutines_state *p, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct goroutines_measures *m;
	if (!sn->complete && session_is_loading(env->s))	/* the groups are made again soon */
		return;
	m = xcalloc(1, sizeof *m);
	m->sn = sn;
	m->gs = p->gs;
	m->ask = tracepane_sched_query(&p->scope);
	take_measures(p, env, async_start(&p->measuring, &measures_kind, m, snap_cost(sn, 1)));
}

void goroutines_measure_finish(struct goroutines_state *p, const struct pane_env *env)
{
	take_measures(p, env, async_finish(&p->measuring));
}

void goroutines_drop_measures(struct goroutines_state *p, struct session *s)
{
	struct goroutines_measures *m = p->measuring.work;
	free_measures(p->measures);
	p->measures = NULL;
	if (!async_cancel(&p->measuring) || !async_job(&p->measuring))
		session_free_arena_async(s, &p->mem);
	else
		arena_move(&p->mem, &m->groups);
}

bool goroutines_measured_value(
    const struct goroutines_state *p, bool group, uint32_t i, enum goroutines_value v, int64_t *out)
{
	const struct goroutines_measures *m = p->measures;
	int64_t ns[TIME_CLASS__N] = {0};
	if (!m)
		return false;
	if (v >= GV_CLASS) {
		if (!group)
			goroutine_waits_add_classes(m->waits, i, ns);
		*out = (group ? m->group_ns[i] : ns)[v - GV_CLASS];
		return true;
	}
	if (v == GV_ALLOC || v == GV_ALLOC_RATE) {
		double seconds = (double)(p->scope.t1 - p->scope.t0) / 1e9;
		*out = group ? m->group_alloc[i] : m->alloc[m->gs->g[i].trk];
		if (v == GV_ALLOC_RATE)
			*out = seconds > 0 ? (int64_t)((double)*out / seconds) : 0;
		return true;
	}
	struct wait_quantiles q = group ? goroutine_waits_of_group(m->waits, i) : goroutine_waits_of(m->waits, i);
	*out = v == GV_WAITS ? q.n : v == GV_P50 ? q.p50 : q.p99;
	return v == GV_WAITS || q.n;
}
