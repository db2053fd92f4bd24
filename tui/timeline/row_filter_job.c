/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The goroutines that are rows, if these are a subset: of a start function, related to one
 * goroutine, of a task, of the filters, or active in the window. For a million goroutines each row
 * is examined, 10 to 40 ms, and related goroutines take a pass over all sheets, so both are jobs:
 * first the neighbours, if needed, then the list. Until it is ready, the rows are the matches among
 * the first thousands, which keep their places later; if only the window has changed, the previous
 * rows; for related goroutines, only the goroutine itself. A request for a row that is not listed
 * yet is served when it is (seek).
 *
 * A list is kept with its key, so that making the rows again (regions shown, another counter)
 * computes nothing. The pass over sheets owns all its data, and a new request does not wait for it.
 * The list job reads tracks and filters of the timeline:
 * before these are freed it is stopped and waited for, half a millisecond.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "critical/path.h"
#include "trace/neighbours.h"

#include <string.h>

enum { ASKED = 1 << 10 };	/* the list job checks for cancellation after this many goroutines */

/* The key of a list. */
struct pick_of {
	enum timeline_subset only;
	uint64_t id;
	bool compact;
	int64_t t0, t1;		/* the window, if compact */
	uint32_t news, serial, npin;
	trk_id guest, pin[TL_PINS];
};

struct near_set {			/* related goroutines, the nearest first, then by number */
	enum timeline_subset only;
	uint64_t id;
	uint32_t news;
	trk_id *v;
	uint32_t n;
};

struct near_work {
	const struct snap *sn;
	const struct stats_tasks *tasks;
	uint32_t task;		/* UINT32_MAX: related to a goroutine, or of an operation */
	const struct operations *ops;	/* NULL, or of these the operation with this index: */
	uint32_t operation;
	struct near_set to;
};

struct list_work {
	const struct snap *sn;
	const struct timeline_scope *scope;
	const trk_id *from;	/* the goroutines to examine */
	uint32_t nfrom;
	const struct regex *group;	/* expression for start functions; NULL: any */
	struct regex *own;
	uint8_t *matched;		/* by name, the cached result of the match: 0 unknown, 1 no, 2 yes */
	bool ordered;
	struct pick_of of;
	bool again;		/* only the window differs from the previous list */
	trk_id *v;
	uint32_t n;
	size_t cap;
};

struct timeline_row_filter {
	struct timeline_row_list now;
	struct pick_of of;	/* the key of `now` */
	bool any;		/* `now` and `of` are set */
	trk_id *before;		/* the previous list, which rows may still use */
	struct near_set near_set;
	struct async finding;	/* of the neighbours */
	struct async listing;	/* of the rows */
	bool other;		/* the rows were changed by a command: if there are none, restore the previous subset */
	enum timeline_subset was;
	uint64_t was_id;
	trk_id seek;
	bool must;		/* the user went to it: if it is not in the list, show other rows */
	int64_t seek_row;	/* -1: none */
};

/* ---- neighbours */

/* The goroutines that worked for an operation: its own, those that it created, and those on its critical path. */
static uint8_t *mark_operation(const struct near_work *w, struct arena *a, const struct progress_watcher *on)
{
	uint8_t *set = arena_zalloc(a, w->sn->ntrks);
	struct operation o = operations_get(w->ops, w->operation);
	struct critical_path p = {0};
	const struct critical_walker *walker = critical_walker_new(w->sn, w->ops, a, on);
	for (uint32_t i = 0; (i = operations_next_child(w->ops, w->operation, i)) != OPERATION_NONE; i++)
		set[operations_get(w->ops, i).g] = NEIGHBOUR_NEAR;
	if (walker)
		critical_path_walk(walker, o.g, o.t0, o.t1, &p);
	for (size_t i = 0; i < p.n; i++)
		set[p.v[i].g] = NEIGHBOUR_NEAR;
	set[o.starter] = set[o.g] = NEIGHBOUR_SELF;
	set[0] = 0;
	critical_path_free(&p);
	return set;
}

static uint8_t *mark_neighbours(const struct near_work *w, struct arena *a, const struct progress_watcher *on)
{
	if (w->ops)
		return mark_operation(w, a, on);
	return w->task != UINT32_MAX ? neighbours_of_task(w->sn, w->tasks, w->task, a)
				     : neighbours_of_goroutine(w->sn, (trk_id)w->to.id, a, on);
}

static void near_find(void *work, struct job *j)
{
	struct near_work *w = work;
	struct arena a = {0};
	struct progress_watcher on = job_progress_watcher(j);
	const uint8_t *set = mark_neighbours(w, &a, &on);
	uint32_t n = 0, k = 0;
	for (trk_id t = 1; t < w->sn->ntrks; t++)
		n += set[t] != 0;
	struct radix_item *v = xmalloc((n + 1u) * sizeof *v);
	w->to.v = xmalloc((n + 1u) * sizeof *w->to.v);
	for (trk_id t = 1; t < w->sn->ntrks; t++)
		if (set[t] && store_trk(w->sn->st, t)->kind == TK_G)
			v[k++] = (struct radix_item){store_trk(w->sn->st, t)->id, t};
	radix_sort_items(v, k);
	for (int step = NEIGHBOUR_SELF; step <= NEIGHBOUR_FAR; step++)
		for (uint32_t i = 0; i < k; i++)
			if (set[v[i].v] == step)
				w->to.v[w->to.n++] = v[i].v;
	mem_free(v);
	arena_free(&a);
}

static void near_free(void *work)
{
	struct near_work *w = work;
	mem_free(w->to.v);
	mem_free(w);
}

static const struct async_kind near_kind = {near_find, near_free};

static bool near_is(const struct near_set *x, const struct near_set *y)
{
	return x->v && x->only == y->only && x->id == y->id && x->news == y->news;
}

static void near_take(struct timeline_row_filter *p, struct near_work *w)
{
	mem_free(p->near_set.v);
	p->near_set = w->to;
	mem_free(w);
}

/* Return whether the neighbours are known; start to find them otherwise. */
static bool near_known(const struct timeline *tl, const struct snap *sn, uint32_t task, uint32_t operation)
{
	struct timeline_row_filter *p = tl->rows.filter;
	struct near_work *w = async_wanted(&p->finding), new = {.sn = sn, .tasks = tl->ix->tasks, .task = task,
	    .ops = operation == OPERATION_NONE ? NULL : operations_if_shared(sn), .operation = operation,
	    .to = {.only = tl->rows.only, .id = tl->rows.only_id, .news = tl->news}};
	if (near_is(&p->near_set, &new.to))
		return true;
	if (w && w->to.only == new.to.only && w->to.id == new.to.id && w->to.news == new.to.news)
		return false;
	w = xcalloc(1, sizeof *w);
	*w = new;
	w = async_start(&p->finding, &near_kind, w, timeline_snap_cost(sn));
	if (w)
		near_take(p, w);
	return w != NULL;
}

/* ---- the list */

/* Return whether a start function matches. */
static bool in_group(struct list_work *w, const struct trk_row *r)
{
	str_id name = store_origin(w->sn->st, r)->name;
	if (name >= w->sn->nstrs)
		return false;
	if (!w->matched[name]) {
		const struct str_row *s = store_str(w->sn->st, name);
		w->matched[name] = regex_match(w->group, s->s, s->n) ? 2 : 1;
	}
	return w->matched[name] == 2;
}

static bool in_window(const struct list_work *w, const struct trk_row *r)
{
	int64_t t0 = r->t0, t1 = store_t1(w->sn->st, r);
	return (t0 == TIME_NONE || t0 < w->of.t1) && (t1 == TIME_NONE || t1 > w->of.t0);
}

static bool goroutine_fits(struct list_work *w, trk_id t)
{
	for (uint32_t i = 0; i < w->of.npin; i++)
		if (w->of.pin[i] == t)
			return false;
	if (w->of.only == ONLY_ALL && !timeline_scope_has_goroutine(w->scope, w->sn, t))
		return false;
	return (!w->of.compact || in_window(w, store_trk(w->sn->st, t))) &&
	       (!w->group || in_group(w, store_trk(w->sn->st, t)));
}

/* Add the matches among the first `most` goroutines to the list. */
static void list_goroutines(struct list_work *w, uint32_t most, struct job *j)
{
	for (uint32_t i = 0; i < w->nfrom && i < most; i++) {
		if (goroutine_fits(w, w->from[i])) {
			w->v = mem_grow(w->v, &w->cap, w->n + 1u, sizeof *w->v);
			w->v[w->n++] = w->from[i];
		}
		if (j && i % ASKED == 0 && job_cancelled(j))
			break;
	}
}

static void list_find(void *work, struct job *j)
{
	list_goroutines(work, UINT32_MAX, j);
}

static void list_free(void *work)
{
	struct list_work *w = work;
	regex_free(w->own);
	mem_free(w->matched);
	mem_free(w->v);
	mem_free(w);
}

static const struct async_kind list_kind = {list_find, list_free};

/* Replace the current list by the result. */
static void list_take(struct timeline_row_filter *p, struct list_work *w, bool whole)
{
	mem_free(p->before);
	p->before = p->now.v;
	p->now = (struct timeline_row_list){w->v, w->n, w->ordered, whole};
	p->of = w->of;
	p->any = true;
	w->v = NULL;
	w->n = 0;
	w->cap = 0;
}

static bool same_key(const struct pick_of *a, const struct pick_of *b, bool window)
{
	return a->only == b->only && a->id == b->id && a->compact == b->compact && a->news == b->news &&
	       a->serial == b->serial && a->guest == b->guest && a->npin == b->npin &&
	       !memcmp(a->pin, b->pin, a->npin * sizeof *a->pin) && (!window || (a->t0 == b->t0 && a->t1 == b->t1));
}

static struct pick_of of_now(const struct timeline *tl, const struct pane_env *env)
{
	struct pick_of of = {.only = tl->rows.only,
	    .id = tl->rows.only == ONLY_ALL ? 0 : tl->rows.only_id,
	    .compact = env->compact,
	    .news = tl->news,
	    .serial = tl->scope.serial,
	    .npin = tl->rows.npin,
	    .guest = tl->scope.guest};
	if (env->compact) {
		of.t0 = tl->t0;
		of.t1 = tl->t1;
	}
	memcpy(of.pin, tl->rows.pin, tl->rows.npin * sizeof *of.pin);
	return of;
}

/* Replace the expression by a copy for the job; an expression that was compiled once is valid. */
static void own_group(struct list_work *w)
{
	struct err e;
	w->own = w->group ? regex_new(regex_pattern(w->group), &e) : NULL;
	w->group = w->own;
}

/* List a few goroutines at once; for many, list the first ones and start a job. */
static void list_begin(const struct timeline *tl, struct list_work *w)
{
	struct timeline_row_filter *p = tl->rows.filter;
	bool many = async_is_long(w->nfrom);
	w->again = p->any && many && same_key(&p->of, &w->of, false);
	if (!w->again) {
		list_goroutines(w, many && w->nfrom <= ASYNC_AT_ONCE ? 1 : ASYNC_AT_ONCE, NULL);
		list_take(p, w, !many);
	}
	if (!many) {
		list_free(w);
		return;
	}
	own_group(w);
	p->now.whole = false;
	w = async_start(&p->listing, &list_kind, w, w->nfrom);
	if (w) {
		list_take(p, w, true);
		list_free(w);
	}
}

const struct timeline_row_list *timeline_row_filter(const struct timeline *tl, const struct pane_env *env)
{
	struct timeline_row_filter *p = tl->rows.filter;
	const struct snap *sn = session_snap(env->s);
	struct pick_of of = of_now(tl, env);
	if (p->any && p->now.whole && same_key(&p->of, &of, true))
		return &p->now;
	const struct list_work *now = async_wanted(&p->listing);
	if (now && same_key(&now->of, &of, true))
		return &p->now;
	async_stop(&p->listing);
	uint32_t task = tl->rows.only == ONLY_TASK ? stats_task_find(tl->ix->tasks, tl->rows.only_id) : UINT32_MAX;
	const struct operations *ops = tl->rows.only == ONLY_OPERATION ? operations_if_shared(sn) : NULL;
	uint32_t operation = ops ? operations_by_id(ops, tl->rows.only_id) : OPERATION_NONE;
	bool related = tl->rows.only == ONLY_RELATED && tl->rows.only_id < sn->ntrks;
	bool near_set = task != UINT32_MAX || related || operation != OPERATION_NONE;
	bool known = near_set && near_known(tl, sn, task, operation);
	trk_id self = operation != OPERATION_NONE ? operations_get(ops, operation).g : related ? (trk_id)tl->rows.only_id : 0;
	struct list_work *w = xcalloc(1, sizeof *w);
	*w = (struct list_work){.sn = sn,
	    .scope = &tl->scope,
	    .ordered = !near_set,
	    .of = of,
	    .from = tl->tr->trk[TK_G],
	    .nfrom = tl->tr->n[TK_G],
	    .group = tl->rows.only == ONLY_GROUP ? tl->rows.group[tl->rows.only_id] : NULL};
	if (near_set) {
		w->from = known ? p->near_set.v : &self;
		w->nfrom = known ? p->near_set.n : self != 0;
	} else {
		async_cancel(&p->finding);
	}
	if (w->group)
		w->matched = xcalloc(sn->nstrs + (size_t)1, 1);
	if (near_set && !known) {
		list_goroutines(w, UINT32_MAX, NULL);
		list_take(p, w, false);
		list_free(w);
	} else {
		list_begin(tl, w);
	}
	return &p->now;
}

/* ---- interface of the timeline */

void timeline_filter_clear(const struct timeline *tl)
{
	struct timeline_row_filter *p = tl->rows.filter;
	async_stop(&p->listing);
	async_cancel(&p->finding);
	mem_free(p->now.v);
	p->now = (struct timeline_row_list){.whole = true};
	p->any = false;
}

void timeline_filter_commit(const struct timeline *tl)
{
	mem_free(tl->rows.filter->before);
	tl->rows.filter->before = NULL;
}

struct async *timeline_filter_slot(const struct timeline *tl)
{
	struct timeline_row_filter *p = tl->rows.filter;
	return async_job(&p->finding) ? &p->finding : &p->listing;
}

bool timeline_filter_pending(const struct timeline *tl)
{
	return tl->rows.kind == TL_G && !tl->rows.filter->now.whole;
}

void timeline_filter_fallback(struct timeline *tl, enum timeline_subset was, uint64_t id)
{
	tl->rows.filter->other = true;
	tl->rows.filter->was = was;
	tl->rows.filter->was_id = id;
}

bool timeline_filter_seek(const struct timeline *tl, const struct snap *sn, trk_id t, bool must)
{
	if (!timeline_filter_pending(tl) || !t || store_trk(sn->st, t)->kind != TK_G)
		return false;
	tl->rows.filter->seek = t;
	tl->rows.filter->must = must;
	return true;
}

void timeline_filter_seek_row(const struct timeline *tl, int64_t row)
{
	tl->rows.filter->seek_row = timeline_filter_pending(tl) ? row : -1;
}

void timeline_filter_drop_seek(const struct timeline *tl)
{
	tl->rows.filter->seek = 0;
	tl->rows.filter->seek_row = -1;
}

/* Take the result, or wait for it. */
static void take_result(struct timeline_row_filter *p)
{
	if (async_job(&p->finding)) {
		struct near_work *w = async_finish(&p->finding);
		if (w)
			near_take(p, w);
		return;
	}
	struct list_work *w = async_finish(&p->listing);
	if (w) {
		list_take(p, w, true);
		list_free(w);
	}
}

/* Move to the requested row. */
static void apply_seek(struct timeline *tl, const struct pane_env *env)
{
	struct timeline_row_filter *p = tl->rows.filter;
	trk_id seek = p->seek;
	int64_t row = p->seek_row;
	timeline_filter_drop_seek(tl);
	if (row >= 0)
		timeline_select_row(tl, env, row);
	if (seek && p->must)
		timeline_show_track(tl, env, seek);
	else if (seek)
		timeline_select_track(tl, env, seek);
}

void timeline_filter_finish(void *st, const struct pane_env *env, struct ask *out)
{
	struct timeline *tl = st;
	struct timeline_row_filter *p = tl->rows.filter;
	const struct list_work *w = async_job(&p->finding) ? NULL : async_wanted(&p->listing);
	bool again = w && w->again;
	take_result(p);
	if (tl->rows.kind != TL_G)
		return;
	timeline_make_rows(tl, env);
	if (timeline_filter_pending(tl))
		return;
	if (p->other && tl->rows.nrow <= tl->rows.npinrow && tl->rows.only != ONLY_ALL) {
		tl->rows.only = p->was;
		tl->rows.only_id = p->was_id;
		timeline_set_kind(tl, env, TL_G);
		pane_message(out, "no goroutine's start function matches");
	}
	p->other = false;
	apply_seek(tl, env);
	if (!again && (tl->rows.only != ONLY_ALL || tl->scope.on))
		timeline_restart_search(tl, env);		/* the search is limited to the rows */
}

void timeline_filter_open(struct timeline *tl)
{
	tl->rows.filter = xcalloc(1, sizeof *tl->rows.filter);
	tl->rows.filter->seek_row = -1;
	tl->rows.filter->now.whole = true;
}

void timeline_filter_stop(struct timeline *tl)
{
	struct timeline_row_filter *p = tl->rows.filter;
	const struct near_work *w = async_running(&p->finding);
	async_stop(&p->listing);
	if (w && w->task != UINT32_MAX)		/* it reads the index */
		async_stop(&p->finding);
}

void timeline_filter_free(struct timeline *tl)
{
	struct timeline_row_filter *p = tl->rows.filter;
	async_stop(&p->listing);
	async_stop(&p->finding);
	mem_free(p->near_set.v);
	mem_free(p->now.v);
	mem_free(p->before);
	mem_free(p);
}
