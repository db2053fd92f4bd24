/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Judges a profile for panes, as trace_analysis.c does a trace: the session keeps the latest judgement, and panes have
 * references to it. That takes a few passes over the samples.
 */
#include "config.h"
#include "session/profile_judgement.h"

#include "base/async.h"
#include "base/job.h"
#include "base/text/text.h"
#include "session/internal.h"

#include <string.h>

/* Make the functions, and keep only those with a share that is shown, because these are few. */
static void make_functions(struct profile_judgement *v)
{
	struct profile_sites *p = &v->functions;
	struct arena scratch = {0};
	uint32_t n = 0;
	profile_sites_make(p, v->sn, &v->sides, v->type, SITES_BY_FUNCTION, &scratch);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct profile_site *s = &p->v[i];
		if (text_percent(s->a, p->a) >= JUDGEMENT_LEAST || text_percent(s->widest, p->a) >= JUDGEMENT_LEAST)
			p->v[n++] = *s;
	}
	p->n = n;
	struct profile_site *kept = arena_alloc(&v->mem, (n + 1u) * sizeof *kept);
	if (n)
		memcpy(kept, p->v, n * sizeof *kept);
	p->v = kept;
	arena_free(&scratch);
}

static void run_judgement(void *work, struct job *j)
{
	struct profile_judgement *v = work;
	struct findings_query q = {.on = j ? job_progress_watcher(j) : (struct progress_watcher){0}};
	make_functions(v);
	dump_states_make(&v->states, v->sn, v->sides.a, &v->mem);
	v->findings = findings_of_profile(v->sn, &v->sides, &q, &v->mem);
}

void profile_judgement_free(struct profile_judgement *v)
{
	if (!v || --v->refs)
		return;
	arena_free(&v->mem);
	mem_free(v);
}

static void free_judgement(void *work)
{
	profile_judgement_free(work);
}

static const struct async_kind judgement_kind = {run_judgement, free_judgement};

bool session_judgement_is_current(const struct session *s, const struct profile_judgement *v)
{
	const struct query *q = session_query(s);
	return v && v->sn == s->snap && v->type == (int)session_type(s) && v->sides.a == q->a && v->sides.b == q->b;
}

/* Keep a judgement that is complete and current, and return a reference for the caller. Takes the caller's own. */
static struct profile_judgement *keep_judgement(struct session *s, struct profile_judgement *v)
{
	if (!v || !v->findings || !session_judgement_is_current(s, v)) {
		profile_judgement_free(v);
		return NULL;
	}
	profile_judgement_free(s->judgement);
	s->judgement = v;
	v->refs++;
	return v;
}

struct profile_judgement *session_judgement_async(struct session *s, struct async *slot)
{
	enum { PASSES = 8 };
	const struct snap *sn = s->snap;
	if (session_judgement_is_current(s, s->judgement)) {
		s->judgement->refs++;
		return s->judgement;
	}
	if (session_is_trace(s) || !sn->complete || !sn->ntypes || session_judgement_is_current(s, async_wanted(slot)))
		return NULL;
	struct profile_judgement *v = xcalloc(1, sizeof *v);
	const struct query *q = session_query(s);
	*v = (struct profile_judgement){
	    .sn = sn, .sides = {q->a, q->b}, .type = (int)session_type(s), .refs = 1};
	return keep_judgement(s, async_start(slot, &judgement_kind, v, (uint64_t)PASSES * (sn->nsmps + sn->nfuns)));
}

struct profile_judgement *session_judgement_finish(struct session *s, struct async *slot)
{
	return keep_judgement(s, async_finish(slot));
}
