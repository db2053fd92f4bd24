/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A query that takes time to make: all goroutines but the selected ones, or the selected ones
 * against the rest of a million, where the rest may be empty and the main difference determines the
 * sample type. It is made in the background, and then the pane returns it as for a key. Keys are
 * neither lost nor handled before it (pane_work.first), except Esc, which cancels it. A small query
 * is made at once.
 */
#include "config.h"
#include "tracepane/query_job.h"

#include "base/mem/mem.h"

#include <stdio.h>
#include <stdlib.h>

struct query_work {
	struct arena mem;
	const struct snap *sn;
	struct ask ask;
	tracepane_query_fn *say;
	const void *arg;
	const char *none;		/* message if the query would leave nothing */
	bool rest, any;
	struct rest_states r;
};

static void run_query(void *work, struct job *j)
{
	struct query_work *l = work;
	const char *chosen = "";
	(void)j;
	l->any = !l->say || l->say(l->sn, l->arg, &l->mem, &l->ask.query, &chosen);
	snprintf(l->ask.text, sizeof l->ask.text, "%s", chosen);
	if (l->rest && l->any)
		session_rest_approx(l->sn, &l->ask.query, &l->r);
}

static void free_query(void *work)
{
	struct query_work *l = work;
	arena_free(&l->mem);
	mem_free(l);
}

static const struct async_kind query_kind = {run_query, free_query};

/* Choose the sample type in which these and the rest differ most. */
static void choose_type(struct query *q, const struct rest_states *r)
{
	int64_t by[TRACE_WEIGHT__N] = {0};
	for (int i = TS_NONE + 1; i < TS__N; i++) {
		int64_t d = r->ns[0][i] - r->ns[1][i];
		by[i == TS_READY ? TRACE_SCHED : i == TS_SYSCALL ||
		    i == TS_SYSBLOCK ? TRACE_SYSCALL : tracepane_state_waits((enum tstate)i) ? TRACE_BLOCK
			: TRACE_RUN] += d;
	}
	q->type = TRACE_RUN;
	for (size_t i = 0; i < TRACE_WEIGHT__N; i++)
		if (llabs(by[i]) > llabs(by[q->type]))
			q->type = i;
}

/* Keep the query instead of the previous one, and return it. */
static enum verdict take_query(struct tracepane_query *q, struct query_work *l, struct ask *out)
{
	if (q->made)
		free_query(q->made);
	q->made = l;
	if (!l->any)
		return pane_message(out, "%s", l->none);
	if (l->rest && (!l->r.n[0] || !l->r.n[1]))
		return pane_message(out, "no others to compare with");
	if (l->rest && l->ask.query.type == SIZE_MAX)
		choose_type(&l->ask.query, &l->r);
	*out = l->ask;
	out->own = &l->mem;
	return V_ASK;
}

enum verdict tracepane_query(struct tracepane_query *at, const struct pane_env *env,
    const struct tracepane_query_spec *what, struct arena *mem, struct ask *out)
{
	struct query_work *l = xcalloc(1, sizeof *l);
	const char *busy = what->rest ? "comparing with the rest" : what->busy ? what->busy : "excluding them";
	l->mem = *mem;
	l->sn = session_snap(env->s);
	l->ask = *out;
	l->say = what->say;
	l->arg = what->arg;
	l->none = what->none;
	l->rest = what->rest;
	query_copy_strings(&l->ask.query, session_query(env->s), &l->mem);
	if (l->rest)
		session_query_compare_rest(&l->ask.query);
	uint64_t steps = what->steps ? what->steps : l->sn->ntrks + (uint64_t)l->sn->nspans;
	l = async_start(&at->making, &query_kind, l, steps);
	if (l)
		return take_query(at, l, out);
	*out = (struct ask){.kind = ASK_NONE, .place = PLACE_NONE};
	return pane_message(out, "%s", busy);
}

bool tracepane_query_cancel(struct tracepane_query *q)
{
	return async_cancel(&q->making);
}

enum verdict tracepane_query_finish(struct tracepane_query *q, struct ask *out)
{
	struct query_work *l = async_finish(&q->making);
	return l ? take_query(q, l, out) : V_DONE;
}

void tracepane_query_free(struct tracepane_query *q)
{
	async_stop(&q->making);
	if (q->made)
		free_query(q->made);
}
