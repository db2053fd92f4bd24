/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From a place to a critical path. Panes name what is selected in one way, struct place: a task by its number, all else
 * by a goroutine and a range of time. So "why" works from any pane. A range that an operation has is that operation; a
 * moment stands for the span of the goroutine at that moment.
 *
 * A path is walked in the background: that of a long operation among thousands of goroutines has a million pieces.
 */
#include "config.h"
#include "why/internal.h"

#include "base/job.h"
#include "trace/bins.h"

static bool find_operation(const struct operations *ops, uint64_t id, bool task, trk_id g, int64_t t0, int64_t t1,
    struct critical_target *out)
{
	for (uint32_t i = 0; i < ops->n; i++) {
		struct operation o = operations_get(ops, i);
		bool same = task ? ops->kind[o.kind].source == OPERATION_TASK && o.id == id
				 : o.g == g && o.t0 == t0 && o.t1 == t1;
		if (!same)
			continue;
		*out = critical_target_of_operation(ops, i);
		return true;
	}
	return false;
}

/* The range of a place: its own, as far as the goroutine lives; that of the span at its time; or the life of the
   goroutine. */
static bool find_range(const struct snap *sn, const struct place *p, int64_t *t0, int64_t *t1)
{
	struct trace_interval iv;
	int64_t born = TIME_NONE, died = TIME_NONE;
	*t0 = p->t0;
	*t1 = p->t1;
	if (*t0 != TIME_NONE && *t1 == TIME_NONE) {
		if (!trace_interval_at(sn, p->trk, *t0, &iv))
			return false;
		*t0 = iv.t0;
		*t1 = iv.t1;
	}
	if (!stats_goroutine_bounds(sn, p->trk, &born, &died))
		return false;
	*t0 = *t0 == TIME_NONE || *t0 < born ? born : *t0;
	*t1 = *t1 == TIME_NONE || *t1 > died ? died : *t1;
	return *t1 > *t0;
}

bool why_find_target(const struct trace_analysis *a, const struct place *p, struct critical_target *out)
{
	const struct snap *sn = a->sn;
	if (p->rows == ROWS_TASK && find_operation(a->all, p->id, true, 0, 0, 0, out))
		return true;
	if (p->trk && p->trk < sn->ntrks && store_trk(sn->st, p->trk)->kind == TK_G) {
		int64_t t0, t1;
		if (!find_range(sn, p, &t0, &t1))
			return false;
		if (find_operation(a->all, 0, false, p->trk, t0, t1, out))
			return true;
		const struct trk_row *g = store_trk(sn->st, p->trk);
		const struct str_row *name = store_str(sn->st, store_origin(sn->st, g)->name);
		*out = (struct critical_target){t0, t1, g->id, p->trk, OPERATION_NONE, true, {name->s, name->n}};
		return true;
	}
	uint32_t i = a->triggered ? a->trigger.operation : OPERATION_NONE;
	i = i == OPERATION_NONE ? trace_analysis_slow_operation(a, NULL) : i;
	if (i != OPERATION_NONE)
		*out = critical_target_of_operation(a->all, i);
	return i != OPERATION_NONE;
}

/* Find the rank of an operation among the complete ones of its kind. */
static void find_rank(struct why_walk *w)
{
	const struct operations *ops = w->of->all;
	const struct critical_target *t = &w->target;
	if (t->operation == OPERATION_NONE || !t->complete)
		return;
	const struct operation_kind *kind = &ops->kind[operations_kind_of(ops, t->operation)];
	w->among = kind->ncomplete;
	w->p50 = kind->p50;
	for (uint32_t i = 0; i < kind->n; i++) {
		struct operation o = operations_of_kind(ops, (uint32_t)(kind - ops->kind), i);
		w->rank += o.complete && o.t1 - o.t0 <= t->t1 - t->t0;
	}
}

static void run_walk(void *work, struct job *j)
{
	struct why_walk *w = work;
	(void)j;	/* bounded: CRITICAL_PIECES */
	critical_path_walk(w->of->walker, w->target.g, w->target.t0, w->target.t1, &w->path);
	w->lines = critical_lines_new(w->of->sn);
	w->picture = critical_waterfall_new(w->lines, &w->path);
	find_rank(w);
}

void why_free_walk(struct why_walk *w)
{
	if (!w)
		return;
	critical_path_free(&w->path);
	critical_lines_free(w->lines);
	critical_waterfall_free(w->picture);
	trace_analysis_free(w->of);
	mem_free(w);
}

static void free_walk(void *work)
{
	why_free_walk(work);
}

static const struct async_kind walk_kind = { run_walk, free_walk };

static void take_walk(struct why *p, const struct pane_env *env, struct why_walk *w)
{
	if (!w)
		return;
	why_free_walk(p->shown);
	p->shown = w;
	p->bar = UINT32_MAX;
	pane_table_fill(&p->table, p, env, critical_lines_count(w->lines));
	pane_table_select_row(&p->table, p, p->row);
	p->row = 0;
}

struct why_walk *why_walk_of(struct async *slot, struct trace_analysis *a, const struct critical_target *t)
{
	struct why_walk *w = xcalloc(1, sizeof *w);
	w->of = trace_analysis_share(a);
	w->target = *t;
	return async_start(slot, &walk_kind, w, ASYNC_ALWAYS);
}

void why_start_walk(struct why *p, const struct pane_env *env, const struct critical_target *t)
{
	take_walk(p, env, why_walk_of(&p->walking, p->analysis, t));
}

void why_finish_walk(void *st, const struct pane_env *env, struct ask *out)
{
	struct why *p = st;
	(void)out;
	take_walk(p, env, async_finish(&p->walking));
}
