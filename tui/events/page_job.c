/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A page of events around one of them. It comes with the key where the sheets that it lies in are in memory. Where
 * they come and go, and one of these is away, it is gathered beside the keyboard, and the page that was there is looked
 * at until then; who moves on it stays where he went, unless that is not on the new one. A page that nobody wants any
 * more may be in the middle of a sheet: it is not waited for, and the next one begins when it has ended.
 */
#include "config.h"
#include "events/internal.h"

#include "base/job.h"
#include "store/cache/nowait.h"

#include <string.h>

static bool want(const void *arg, trk_id g, int64_t t)
{
	return tp_event_in(arg, g, t);
}

struct el_ask ev_ask(int view, const struct tp_scope *scope)
{
	const struct ev_view *v = &ev_views[view];
	return (struct el_ask){v->kinds, v->spans, v->marks, tp_narrow(scope) ? want : NULL, scope, scope->g};
}

/* So many goroutines are there that to go through them is a frame's time, and all of them may do something at one
   instant. */
static bool is_crowded(const struct snap *sn, int64_t t0, int64_t t1)
{
	enum { CROWD = 200000 };
	uint64_t rows = 0;
	for (uint32_t s = 0; s < sn->nsheets; s++) {
		const struct sheet_slot *slot = store_slot(sn->st, s);
		rows += slot->t1 > t0 && slot->t0 < t1 ? slot->ntrk : 0;
	}
	return rows > CROWD;
}

/* Rare kinds have none near: then the stretch grows. What the filters leave is looked for further and further away, and
   each event is asked whose it is: that is a matter of the keyboard only as long as it is little, if quests can go on
   from there. true: they are to. */
static bool gather(const struct snap *sn, int view, const struct tp_scope *scope, const struct el_event *at,
    bool quests, struct el *l)
{
	struct el_ask q = ev_ask(view, scope);
	uint32_t little = scope->f.proc ? EV_CHUNK : EV_NARROW;
	int64_t t0, t1;
	for (uint32_t n = EV_CHUNK; ; n = n > UINT32_MAX / 8 ? UINT32_MAX : n * 8) {
		el_around(sn, at->t, n, scope->t0, scope->t1, &t0, &t1);
		el_gather_at(sn, &q, t0, t1, at, is_crowded(sn, t0, t1) ? EV_PAGE : EV_CHUNK_MAX, l);
		if (l->n >= EV_CHUNK / 4 || (t0 == scope->t0 && t1 == scope->t1))
			return false;
		if (quests && tp_narrow(scope) && n >= little)
			return true;
	}
}

/* ---- of what is in memory */

static bool is_there(const struct snap *sn, int64_t t)
{
	for (uint32_t s = 0; s < sn->nsheets; s++)
		if (store_slot(sn->st, s)->t1 > t)
			return sheet_at_hand(sn, s);
	return true;
}

/* false: some of it is away. */
static bool gather_now(const struct snap *sn, int view, const struct tp_scope *scope, const struct el_event *at,
    bool quests, struct ev_got *got)
{
	uint32_t none[AWAIT_MOST], missed;
	if (!sn->st->keep) {
		got->far = gather(sn, view, scope, at, quests, &got->list);
		return true;
	}
	if (!is_there(sn, at->t))
		return false;
	await_begin(sn->st);
	missed = await_missed(sn->st);
	got->far = gather(sn, view, scope, at, quests, &got->list);
	bool all = missed == await_missed(sn->st);
	await_end(sn->st, none);
	return all;
}

/* ---- beside the keyboard */

struct ev_paging {
	struct job *job;
	struct arena mem;
	const struct snap *sn;
	struct tp_scope scope;
	int view;
	bool dropped, more;	/* nobody wants it any more; the next is wanted */
	bool quests;
	struct el_event at, next;
	struct ev_got got;
};

static int run(struct job *j, void *arg)
{
	struct ev_paging *k = arg;
	(void)j;
	k->got.far = gather(k->sn, k->view, &k->scope, &k->at, k->quests, &k->got.list);
	return 0;
}

static void paging_free(struct ev_paging *k)
{
	mem_free(k->got.list.v);
	arena_free(&k->mem);
	mem_free(k);
}

static bool start(struct events *p, const struct pane_env *env, const struct el_event *at, bool quests)
{
	struct ev_paging *k = xcalloc(1, sizeof *k);
	k->sn = session_snap(env->s);
	k->view = p->view;
	k->at = *at;
	k->quests = quests;
	tp_scope(env, &k->mem, &k->scope);
	k->job = job_start(run, k);
	if (!k->job) {
		paging_free(k);
		return false;
	}
	p->paging = k;
	return true;
}

void ev_page_drop(struct events *p)
{
	if (!p->paging)
		return;
	p->paging->dropped = true;
	p->paging->more = false;
}

bool ev_page(struct events *p, const struct pane_env *env, const struct el_event *at, struct ev_got *got)
{
	const struct snap *sn = session_snap(env->s);
	bool quests = !session_job(env->s) && sn->complete, forced = job_wanted() > 1 && !sn->st->keep;
	*got = (struct ev_got){.list = p->spare};
	p->spare = (struct el){0};
	if (!forced && gather_now(sn, p->view, &p->scope, at, quests, got)) {
		ev_page_drop(p);
		return true;
	}
	p->spare = got->list;
	if (p->paging) {
		p->paging->dropped = p->paging->more = true;
		p->paging->next = *at;
		return false;
	}
	if (start(p, env, at, quests))
		return false;
	got->list = p->spare;
	p->spare = (struct el){0};
	got->far = gather(sn, p->view, &p->scope, at, quests, &got->list);
	return true;
}

struct job *ev_page_job(void *st)
{
	const struct events *p = st;
	return p->paging ? p->paging->job : NULL;
}

bool ev_page_done(struct events *p, const struct pane_env *env, struct ev_got *got)
{
	struct ev_paging *k = p->paging;
	bool any = !k->dropped;
	p->paging = NULL;
	job_join(k->job);
	if (any) {
		*got = k->got;
		k->got = (struct ev_got){0};
	} else if (k->more) {
		any = ev_page(p, env, &k->next, got);
	}
	paging_free(k);
	return any;
}

void ev_page_free(struct events *p)
{
	if (p->paging) {
		job_join(p->paging->job);
		paging_free(p->paging);
	}
	p->paging = NULL;
	mem_free(p->spare.v);
	p->spare = (struct el){0};
}
