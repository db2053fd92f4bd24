/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * From operations to panes: the place of one, and the comparison of slow ones with the others by flame graphs of critical
 * paths, in which what makes them slow is wide.
 *
 * The queries replace the filters of goroutines, tasks and times, because the operation may be outside of them; undo
 * restores these.
 */
#include "config.h"
#include "tracepane/slow_query.h"

#include "base/text/text.h"
#include "trace/as_profile.h"
#include "tracepane/tracepane.h"

#include <inttypes.h>
#include <stdio.h>

struct query *tracepane_ask_critical(const struct pane_env *env, struct ask *out)
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

enum verdict tracepane_ask_slow(const struct operations *ops, uint32_t kind, const struct pane_env *env, struct ask *out)
{
	const struct operation_kind *k = &ops->kind[kind];
	if (!k->nslow || k->nslow == k->ncomplete)
		return pane_message(out, "no operation of this kind is slow, compared with the others");
	struct buf b = {0};
	tracepane_put_regex(k->name, k->nname, &b);
	struct query *q = tracepane_ask_critical(env, out);
	q->operation = arena_strndup(env->scratch, b.p, b.n);
	q->latency = arena_printf(env->scratch, "%" PRId64 "ns..", k->slow_from);
	session_query_compare_rest(q);
	buf_reset(&b);
	text_ns(&b, k->slow_from);
	snprintf(out->text, sizeof out->text, "slow: %" PRIu32 " of %" PRIu32 ", from %s (%s)", k->nslow, k->ncomplete,
	    buf_str(&b), k->gap ? "after the largest gap" : "above p99");
	buf_free(&b);
	return V_ASK;
}

enum verdict tracepane_ask_line(const struct finding *f, const struct pane_env *env, struct ask *out)
{
	const struct store *st = session_snap(env->s)->st;
	const struct frm_row *at = f->nculprit ? store_frm(st, f->culprit[0].frame) : NULL;
	bool allocates = f->rule == FINDING_HEAP_GROWS || f->rule == FINDING_GC;
	if (!at)
		return V_PASS;
	out->kind = ASK_QUERY;
	out->query = *session_query(env->s);
	out->query.type = allocates ? TRACE_ALLOC : TRACE_TIME;
	out->query.suspended = false;
	out->pane = "list";
	out->place = PLACE_NONE;
	out->place.frm = f->culprit[0].frame;
	out->place.fun = at->fun;
	out->place.line = at->line;
	snprintf(out->text, sizeof out->text, "sample type %s: what happens at this line; u returns",
	    trace_weight_name(allocates ? TRACE_ALLOC : TRACE_TIME));
	return V_ASK;
}

void tracepane_operation_place(const struct operations *ops, uint32_t operation, struct place *to)
{
	struct operation o = operations_get(ops, operation);
	to->trk = o.g;
	to->t0 = o.t0;
	to->t1 = o.t1;
	if (ops->kind[o.kind].source == OPERATION_TASK) {
		to->rows = ROWS_TASK;
		to->id = o.id;
	}
}
