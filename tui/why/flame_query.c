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

#include "base/text/text.h"
#include "trace/as_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Set *out to a query for critical paths without any other selection, which the flame graph shows. */
static struct query *ask_flame(const struct pane_env *env, struct ask *out)
{
	out->kind = ASK_QUERY;
	out->pane = "flame";
	out->place = PLACE_NONE;
	out->query = *session_query(env->s);
	struct query *q = &out->query;
	q->type = TRACE_CRITICAL;
	q->suspended = false;
	q->task = q->region = q->operation = q->latency = q->group = q->gs = NULL;
	q->g = q->proc = 0;
	q->from = q->to = TIME_NONE;
	q->a = 1;
	q->b = 0;
	return q;
}

void why_ask_flame(const struct why *p, const struct pane_env *env, struct ask *out)
{
	const struct critical_target *t = &p->shown->target;
	struct query *q = ask_flame(env, out);
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
	const struct operation_kind *k = &w->of->all->kind[operations_kind_of(w->of->all, w->target.operation)];
	if (!k->nslow || k->nslow == k->ncomplete)
		return pane_message(out, "no operation of this kind is slow, compared with the others");
	struct buf name = {0};
	tracepane_put_regex(k->name, k->nname, &name);
	struct query *q = ask_flame(env, out);
	q->operation = arena_strndup(env->scratch, name.p, name.n);
	q->latency = arena_printf(env->scratch, "%" PRId64 "ns..", k->slow_from);
	session_query_compare_rest(q);
	buf_reset(&name);
	text_ns(&name, k->slow_from);
	snprintf(out->text, sizeof out->text, "slow: %" PRIu32 " of %" PRIu32 ", from %s (%s)", k->nslow, k->ncomplete,
	    buf_str(&name), k->gap ? "after the largest gap" : "above p99");
	buf_free(&name);
	return V_ASK;
}
