/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A query that takes some time to say: all goroutines but these, or these against the rest of a million, where it is
 * to be known whether there is a rest and what the two differ in. It is put together beside the keyboard, and then
 * the pane asks for it as it would have with the key. Keys are not lost meanwhile, nor do they overtake it: the app
 * waits for it before the next is done (pane_ops.asks), but for Esc, which drops it. What is small is said at once.
 */
#include "config.h"
#include "tracepane/query_job.h"

#include "base/mem/mem.h"
#include "timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>

enum { AT_ONCE = 20000 };	/* tracks, spans: a millisecond */

struct tp_later {
	struct job *job;		/* NULL: it has been asked for, what it says is kept */
	struct arena mem;
	const struct snap *sn;
	struct ask ask;
	tp_said *say;
	const void *arg;
	const char *none;		/* said where there would be nothing */
	bool rest, any, dropped;
	struct rest_states r;
};

static int work(struct job *j, void *arg)
{
	struct tp_later *l = arg;
	const char *chosen = "";
	(void)j;
	l->any = !l->say || l->say(l->sn, l->arg, &l->mem, &l->ask.query, &chosen);
	snprintf(l->ask.text, sizeof l->ask.text, "%s", chosen);
	if (l->rest && l->any)
		session_rest_about(l->sn, &l->ask.query, &l->r);
	return 0;
}

/* Of these and the rest: what do they differ in most? */
static void choose_type(struct query *q, const struct rest_states *r)
{
	int64_t by[TW__N] = {0};
	for (int i = TS_NONE + 1; i < TS__N; i++) {
		int64_t d = r->ns[0][i] - r->ns[1][i];
		by[i == TS_READY ? TW_SCHED : i == TS_SYSCALL ||
		    i == TS_SYSBLOCK ? TW_SYSCALL : tl_waits((enum tstate)i) ? TW_BLOCK
			: TW_RUN] += d;
	}
	q->type = TW_RUN;
	for (size_t i = 0; i < TW__N; i++)
		if (llabs(by[i]) > llabs(by[q->type]))
			q->type = i;
}

static enum verdict said(struct tp_later *l, struct ask *out)
{
	if (!l->any)
		return ask_say(out, "%s", l->none);
	if (l->rest && (!l->r.n[0] || !l->r.n[1]))
		return ask_say(out, "no others to compare with");
	if (l->rest && l->ask.query.type == SIZE_MAX)
		choose_type(&l->ask.query, &l->r);
	*out = l->ask;
	out->own = &l->mem;
	return V_ASK;
}

enum verdict tp_later(struct tp_later **at, const struct pane_env *env, const struct tp_saying *what, struct arena *mem,
    struct ask *out)
{
	struct tp_later *l = xcalloc(1, sizeof *l);
	tp_later_free(*at);
	*at = l;
	l->mem = *mem;
	l->sn = session_snap(env->s);
	l->ask = *out;
	l->say = what->say;
	l->arg = what->arg;
	l->none = what->none;
	l->rest = what->rest;
	query_keep(&l->ask.query, session_query(env->s), &l->mem);
	if (l->rest)
		query_rest(&l->ask.query);
	if (l->sn->ntrks + (uint64_t)l->sn->nspans > AT_ONCE || job_wanted() > 1)
		l->job = job_start(work, l);
	if (l->job) {
		*out = (struct ask){.kind = ASK_NONE, .place = PLACE_NONE};
		return ask_say(out, l->rest ? "comparing with the rest" : "excluding them");
	}
	work(NULL, l);
	return said(l, out);
}

struct job *tp_later_job(const struct tp_later *l)
{
	return l ? l->job : NULL;
}

bool tp_later_asks(const struct tp_later *l)
{
	return l && l->job && !l->dropped;
}

bool tp_later_drop(struct tp_later *l)
{
	bool any = tp_later_asks(l);
	if (any)
		l->dropped = true;
	return any;
}

enum verdict tp_later_done(struct tp_later *l, struct ask *out)
{
	job_join(l->job);
	l->job = NULL;
	return l->dropped ? V_DONE : said(l, out);
}

void tp_later_free(struct tp_later *l)
{
	if (!l)
		return;
	if (l->job)
		job_join(l->job);
	arena_free(&l->mem);
	mem_free(l);
}
