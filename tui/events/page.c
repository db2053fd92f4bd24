/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A page of events around one of them.
 */
#include "config.h"
#include "events/internal.h"

/* An event also belongs to the goroutine that it wakes or creates. */
static bool event_wanted(const void *arg, const struct event_item *e)
{
	const struct tracepane_scope *sc = arg;
	trk_id by = e->kind == EVENT_CREATE || e->kind == EVENT_READY ? e->peer : 0;
	return tracepane_event_in_scope(sc, e->trk, e->t) &&
	    (!sc->f.focus || trace_focus_has_event(sc->f.focus, e->trk, by, e->stack));
}

struct trace_events_query events_list_query(int view, const struct tracepane_scope *scope)
{
	const struct events_view *v = &events_views[view];
	return (struct trace_events_query){
	    v->kinds, v->spans, v->marks, tracepane_is_filtered(scope) ? event_wanted : NULL, scope, scope->g};
}

/* Return whether the range has many goroutines, so that a pass over them takes the time of a frame and all may act
   at one instant. */
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

/* Gather a page; extend the range if events are rare. Each event in a wider range has to be tested against the
   filters, so if searches are possible (`searches`), stop after `little` events. Return true if a search has to
   continue. */
static bool gather_page(const struct snap *sn, int view, const struct tracepane_scope *scope,
    const struct event_item *at, bool searches, struct event_list *l)
{
	struct trace_events_query q = events_list_query(view, scope);
	uint32_t little = scope->f.proc ? EV_CHUNK : EV_NARROW;
	int64_t t0, t1;
	for (uint32_t n = EV_CHUNK; ; n = n > UINT32_MAX / 8 ? UINT32_MAX : n * 8) {
		trace_events_range_around(sn, at->t, n, scope->t0, scope->t1, &t0, &t1);
		trace_events_gather_at(sn, &q, t0, t1, at, is_crowded(sn, t0, t1) ? EV_PAGE : EV_CHUNK_MAX, l);
		if (l->n >= EV_CHUNK / 4 || (t0 == scope->t0 && t1 == scope->t1))
			return false;
		if (searches && tracepane_is_filtered(scope) && n >= little)
			return true;
	}
}

void events_load_page(
    const struct events *p, const struct pane_env *env, const struct event_item *at, struct events_page *got)
{
	const struct snap *sn = session_snap(env->s);
	got->far = gather_page(sn, p->view, &p->scope, at, !session_job(env->s) && sn->complete, &got->list);
}
