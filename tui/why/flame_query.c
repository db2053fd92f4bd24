/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From a critical path to flame graphs of critical paths. 4 shows the tree of the path itself, in which the stacks of
 * waits and wakers are one below the other; the lines of the pane merge them by function. D compares the mean of the
 * slow operations of the kind with the mean of its others: what makes them slow is wide.
 *
 * Both replace the filters of goroutines, tasks and times, because the operation may be outside of them; undo restores
 * these.
 */
#include "config.h"
#include "why/internal.h"

#include "tracepane/slow_query.h"

#include <inttypes.h>

void why_ask_flame(const struct why *p, const struct pane_env *env, struct ask *out)
{
	const struct critical_target *t = &p->shown->target;
	struct query *q = tracepane_ask_critical(env, out);
	if (t->operation != OPERATION_NONE) {
		q->operation = arena_printf(env->scratch, "%" PRIu64, t->id);
	} else {
		q->g = t->g;
		q->from = t->t0;
		q->to = t->t1;
	}
}

enum verdict why_ask_rest(const struct why *p, const struct pane_env *env, struct ask *out)
{
	const struct why_walk *w = p->shown;
	if (!w || w->target.operation == OPERATION_NONE)
		return pane_message(out, "this is no operation of a kind");
	return tracepane_ask_slow(w->of->all, operations_kind_of(w->of->all, w->target.operation), env, out);
}
