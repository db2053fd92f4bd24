/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Related goroutines. `go tool trace` shows with a goroutine its wakers and their wakers. Here
 * also the goroutines that it created and woke belong to the set, because their fate is mostly of
 * interest. The wakers come from the runnable intervals of the goroutines woken. More steps would
 * soon reach all goroutines through the scheduler and the helpers of the network poller.
 *
 * Tasks name their parent, which may come later in the file or never: the subtree of a task is
 * found by passes over all tasks until none is added.
 */
#include "config.h"
#include "trace/neighbours.h"

#include "store/tracks/time_search.h"
#include "store/tracks/wake_edges.h"

enum { PASSES_MAX = 256 }; /* task numbers grow with time, so one pass mostly suffices */

/* Add the wakers of the track of a row: its runnable intervals record them. */
static void add_wakers(const struct snap *sn, const struct sheet *sh, uint32_t row, uint8_t how, uint8_t *set)
{
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		uint32_t by = (sh->state[i] & SHEET_STATE) == TS_READY ? sheet_peer(sh, i) : 0;
		if (by && by < sn->ntrks && !set[by])
			set[by] = how;
	}
}

static void wakers_of(const struct snap *sn, trk_id g, uint8_t *set, const struct progress_watcher *on)
{
	for (uint32_t k = 0; k < sn->nsheets && job_should_continue(on); k++) {
		const struct sheet *sh = sheet_get(sn, k);
		int32_t row = sheet_row(sh, g);
		if (row >= 0)
			add_wakers(sn, sh, (uint32_t)row, NEIGHBOUR_NEAR, set);
	}
}

/* Add the wakers of all that are near, in one pass: a goroutine may have created a million others, each in one
   sheet. */
static void wakers_of_near(const struct snap *sn, uint8_t *set, const struct progress_watcher *on)
{
	for (uint32_t k = 0; k < sn->nsheets && job_should_continue(on); k++) {
		const struct sheet *sh = sheet_get(sn, k);
		for (uint32_t row = 0; row < sh->ntrk; row++)
			if (set[sh->trk[row]] == NEIGHBOUR_NEAR)
				add_wakers(sn, sh, row, NEIGHBOUR_FAR, set);
	}
}

uint8_t *neighbours_of_goroutine(const struct snap *sn, trk_id g, struct arena *a, const struct progress_watcher *on)
{
	uint8_t *set = arena_zalloc(a, sn->ntrks + 1u);
	trk_id by = store_trk(sn->st, g)->creator;
	struct edge e;
	set[g] = NEIGHBOUR_SELF;
	for (struct wake_edges_walk w = {0};
	     job_should_continue(on) && wake_edges_next(sn, &w, g, sn->t0, INT64_MAX, &e);)
		if (e.to < sn->ntrks && !set[e.to])
			set[e.to] = NEIGHBOUR_NEAR;
	wakers_of(sn, g, set, on);
	if (by && by < sn->ntrks && !set[by])
		set[by] = NEIGHBOUR_NEAR;
	wakers_of_near(sn, set, on);
	return set;
}

uint8_t *neighbours_task_subtree(const struct stats_tasks *ts, uint32_t task, struct arena *a)
{
	uint8_t *in = arena_zalloc(a, ts->n + 1u);
	in[task] = 1;
	bool more = true;
	for (int pass = 0; more && pass < PASSES_MAX; pass++) {
		more = false;
		for (uint32_t i = 0; i < ts->n; i++) {
			if (in[i] || ts->task[i].parent == UINT64_MAX)
				continue;
			uint32_t p = stats_task_find(ts, ts->task[i].parent);
			if (p != UINT32_MAX && in[p])
				in[i] = more = true;
		}
	}
	return in;
}

static void add_track(uint8_t *set, const struct snap *sn, trk_id t, uint8_t how)
{
	if (t && t < sn->ntrks && (!set[t] || set[t] > how))
		set[t] = how;
}

uint8_t *neighbours_of_task(
    const struct snap *sn, const struct stats_tasks *ts, uint32_t task, struct arena *a)
{
	uint8_t *set = arena_zalloc(a, sn->ntrks + 1u), *in = neighbours_task_subtree(ts, task, a);
	for (uint32_t i = 0; i < ts->n; i++) {
		const struct stats_task *t = &ts->task[i];
		uint8_t how = i == task ? NEIGHBOUR_SELF : NEIGHBOUR_NEAR;
		if (!in[i])
			continue;
		for (uint32_t k = t->first; k < t->first + t->n; k++) {
			struct stats_task_event e = stats_task_event(ts, k);
			add_track(set, sn, e.log ? store_mark(sn->st, e.i)->trk : store_span(sn->st, e.i)->s.trk, how);
		}
		if (t->span != UINT32_MAX)
			add_track(set, sn, store_span(sn->st, t->span)->s.trk, how);
		if (t->end != UINT32_MAX)
			add_track(set, sn, store_span(sn->st, t->end)->s.trk1, how);
	}
	return set;
}
