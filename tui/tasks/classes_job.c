/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The time by class of the operations of the open kind: a pass over all intervals, in the background, when a kind is
 * opened. Until it has ended the columns are empty, and the head line says that it runs. The table is kept while
 * another filter lists the same kind, since it is of all operations of the kind.
 */
#include "config.h"
#include "tasks/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"

struct classes_work {
	const struct snap *sn;
	const struct operations *ops;
	uint32_t kind;
	struct tasks_classes to;
};

static void run_classes(void *work, struct job *j)
{
	struct classes_work *w = work;
	struct progress_watcher on = job_progress_watcher(j);
	w->to.t = operations_classes(w->sn, w->ops, w->kind, &w->to.mem, &on);
}

static void free_classes(void *work)
{
	struct classes_work *w = work;
	arena_free(&w->to.mem);
	mem_free(w);
}

static const struct async_kind classes_kind = {run_classes, free_classes};

void tasks_drop_classes(struct tasks *p)
{
	async_cancel(&p->summing);
	arena_free(&p->classes.mem);
	p->classes = (struct tasks_classes){.key = TASKS_NO_KIND};
}

static void take_classes(struct tasks *p, struct classes_work *w)
{
	if (!w)
		return;
	if (w->to.t) {
		pane_table_stop(&p->items);	/* they may be ordered by the old ones */
		arena_free(&p->classes.mem);
		p->classes = w->to;
		w->to.mem = (struct arena){0};
	}
	free_classes(w);
}

void tasks_sum_classes(struct tasks *p, const struct pane_env *env)
{
	const struct kind *k = tasks_opened_kind(p);
	const struct classes_work *wanted = async_wanted(&p->summing);
	if (!k || k->of == OPERATION_NONE || p->classes.key == tasks_kind_key(k))
		return;
	if (wanted && wanted->to.key == tasks_kind_key(k))
		return;
	struct classes_work *w = xcalloc(1, sizeof *w);
	*w = (struct classes_work){.sn = session_snap(env->s), .ops = p->list.ops, .kind = k->of,
	    .to.key = tasks_kind_key(k)};
	take_classes(p, async_start(&p->summing, &classes_kind, w, snap_cost(w->sn, 1)));
}

void tasks_classes_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct tasks *p = st;
	(void)out;
	bool ordering = async_job(&p->items.order);	/* take_classes() stops that */
	take_classes(p, async_finish(&p->summing));
	if (!ordering && !tasks_sorts_by_class(p))
		return;
	tasks_fill_items(p, env);
	tasks_mark_hits(p, env);
}
