/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which rows the timeline has: of Ps, Ms, goroutines (all, those of a start
 * function, of a task, around one goroutine) or tasks; pinned ones first. Under a
 * goroutine lie the levels of its regions where there is room for all of them or
 * where it was opened, and under one track its stacks over time.
 *
 * The list is made when what it is made from changes and never for a frame. A
 * selected row is found again by what it is, not by where it was.
 */
#include "config.h"
#include "timeline.h"

#include "analysis/related.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool has(const trk_id *v, uint32_t n, trk_id t)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i] == t)
			return true;
	return false;
}

static void put(struct timeline *tl, enum tl_what what, uint32_t id, uint8_t level)
{
	tl->row = mem_grow(tl->row, &tl->cap, tl->nrow + 1u, sizeof *tl->row);
	tl->row[tl->nrow++] = (struct tl_row){id, (uint8_t)what, level};
}

/* What Ps went through, of the whole trace. */
static void count_moves(struct timeline *tl, const struct snap *sn)
{
	static const enum counter ticks[] = {CT_PROC_START, CT_PROC_STOP};
	tl->nmoves = 0;
	for (trk_id t = 1; t < sn->ntrks; t++)
		tl->nmoves = store_trk(sn->st, t)->kind == TK_P ? t + 1 : tl->nmoves;
	tl->moves = arena_zalloc(&tl->index, (tl->nmoves + 1u) * sizeof *tl->moves);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < sn->ncounts[ticks[k]]; i++) {
			store_pass(sn, i);
			uint64_t p = store_count(sn->st, ticks[k], i)->v;
			if (p < tl->nmoves)
				*(k ? &tl->moves[p].stopped : &tl->moves[p].started) += 1;
		}
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		store_pass(sn, i);
		const struct sink_mark *m = store_mark(sn->st, i);
		if (m->kind == MK_PROC_STEAL && m->trk < tl->nmoves)
			tl->moves[m->trk].stolen++;
	}
}

void tl_index(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	uint32_t now = sn->nspans + sn->nmarks + sn->ncounts[CT_PROC_START] + sn->ncounts[CT_PROC_STOP];
	/* while a file is read, only when there is half as much again */
	if (tl->inlay &&
	    (now == tl->indexed || (!sn->complete && now < tl->indexed + tl->indexed / 2)))
		return;
	arena_reset(&tl->index);
	tl->indexed = now;
	tl->inlay = inlay_make(sn, &tl->index);
	tl->tasks = sched_tasks(sn, &tl->index);
	tl->marks = mark_sums(sn, &tl->index);
	tl->counts = count_sums(sn, &tl->index);
	count_moves(tl, sn);
	tl->procs = false;
	for (uint32_t i = 1; i < sn->ncounts[CT_GOMAXPROCS] && !tl->procs; i++)
		tl->procs = store_count(sn->st, CT_GOMAXPROCS, i)->v !=
			    store_count(sn->st, CT_GOMAXPROCS, 0)->v;
}

/* ---- the order of rows */

struct numbered {
	uint64_t id;
	trk_id trk;
};

/* By id, eleven bits at a time from the last, so that the places written to stay few enough for the cache: a million
   goroutines come in any order, as each P hands out numbers of its own. */
enum { DIGITS = 1 << 11 };
static void sort_numbered(struct numbered *v, uint32_t n)
{
	uint64_t all = 0;
	bool sorted = true;
	for (uint32_t i = 0; i < n; i++) {
		all |= v[i].id;
		sorted = sorted && (!i || v[i - 1].id <= v[i].id);
	}
	if (sorted)
		return;
	uint32_t *at = xmalloc(DIGITS * sizeof *at);
	struct numbered *tmp = xmalloc(((size_t)n + 1) * sizeof *tmp);
	for (int shift = 0; shift < 64 && all >> shift; shift += 11) {
		uint32_t sum = 0;
		memset(at, 0, DIGITS * sizeof *at);
		for (uint32_t i = 0; i < n; i++)
			at[v[i].id >> shift & (DIGITS - 1)]++;
		for (uint32_t d = 0; d < DIGITS; d++) {
			uint32_t k = at[d];
			at[d] = sum;
			sum += k;
		}
		for (uint32_t i = 0; i < n; i++)
			tmp[at[v[i].id >> shift & (DIGITS - 1)]++] = v[i];
		memcpy(v, tmp, n * sizeof *v);
	}
	mem_free(tmp);
	mem_free(at);
}

/* The tracks of a kind by their numbers. */
static trk_id *sorted_tracks(const struct snap *sn, enum track_kind kind, uint32_t *n)
{
	struct numbered *v = xmalloc(((size_t)sn->ntrks + 1) * sizeof *v);
	trk_id *out = xmalloc(((size_t)sn->ntrks + 1) * sizeof *out);
	*n = 0;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		if (r->kind == kind)
			v[(*n)++] = (struct numbered){r->id, t};
	}
	sort_numbered(v, *n);
	for (uint32_t i = 0; i < *n; i++)
		out[i] = v[i].trk;
	mem_free(v);
	return out;
}

void tl_task_bounds(const struct snap *sn, const struct sched_task *t, int64_t *t0, int64_t *t1)
{
	*t0 = t->t0 == TIME_NONE ? sn->t0 : t->t0;
	*t1 = t->t1 == TIME_NONE ? sn->t1 : t->t1;
}

struct task_key {
	int64_t by, then;
	uint32_t i;
};

static int task_cmp(const void *a, const void *b)
{
	const struct task_key *x = a, *y = b;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	if (x->then != y->then)
		return x->then < y->then ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* All tasks by their beginning, or the longest first. */
static struct task_key *sort_tasks(
    const struct sched_tasks *ts, const struct snap *sn, bool longest, struct arena *a, uint32_t *n)
{
	struct task_key *v = arena_alloc(a, (ts->n + 1u) * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; i < ts->n; i++) {
		int64_t t0, t1;
		if (!ts->task[i].id) /* of all that is of no task */
			continue;
		tl_task_bounds(sn, &ts->task[i], &t0, &t1);
		v[(*n)++] = (struct task_key){longest ? t0 - t1 : t0, longest ? t0 : t0 - t1, i};
	}
	if (*n)
		qsort(v, *n, sizeof *v, task_cmp);
	return v;
}

/* Children under their parents, each generation by its beginning. Those that name one another in a
   circle come last. */
static void put_tree(struct timeline *tl, const struct task_key *v, uint32_t nv, struct arena *a)
{
	const struct sched_tasks *ts = tl->tasks;
	uint32_t n = ts->n, depth = 0;
	uint32_t *child = arena_alloc(a, (n + 1u) * sizeof *child),
		 *next = arena_alloc(a, (n + 1u) * sizeof *next);
	uint32_t *up = arena_alloc(a, (n + 1u) * sizeof *up), roots = UINT32_MAX;
	uint8_t *done = arena_zalloc(a, n + 1u);
	memset(child, 0xff, (n + 1u) * sizeof *child);
	for (uint32_t k = nv; k-- > 0;) { /* from the last, so that each list is in order */
		uint32_t i = v[k].i, p = ts->task[i].parent == UINT64_MAX
					     ? UINT32_MAX
					     : sched_task_find(ts, ts->task[i].parent);
		uint32_t *list = p == UINT32_MAX || p == i || !ts->task[p].id ? &roots : &child[p];
		up[i] = list == &roots ? UINT32_MAX : p;
		next[i] = *list;
		*list = i;
	}
	for (uint32_t i = roots; i != UINT32_MAX;) {
		put(tl, ROW_TASK, i, depth < 20 ? (uint8_t)depth : 20);
		done[i] = 1;
		if (child[i] != UINT32_MAX) {
			i = child[i];
			depth++;
			continue;
		}
		while (i != UINT32_MAX && next[i] == UINT32_MAX) {
			i = up[i];
			depth -= depth > 0;
		}
		if (i != UINT32_MAX)
			i = next[i];
	}
	for (uint32_t k = 0; k < nv; k++)
		if (!done[v[k].i])
			put(tl, ROW_TASK, v[k].i, 0);
}

static void put_tasks(struct timeline *tl, const struct snap *sn, struct arena *a)
{
	uint32_t n;
	struct task_key *v = sort_tasks(tl->tasks, sn, tl->order == BY_DURATION, a, &n);
	uint32_t m = 0;
	for (uint32_t k = 0; k < n; k++)
		if (tl_scope_task(tl, sn, &tl->tasks->task[v[k].i]))
			v[m++] = v[k];
	n = m;
	if (tl->order == BY_TREE) {
		put_tree(tl, v, n, a);
		return;
	}
	for (uint32_t k = 0; k < n; k++)
		put(tl, ROW_TASK, v[k].i, 0);
}

/* ---- tracks */

/* Start functions that match the group's expression: per string 1 no, 2 yes. */
static bool in_group(
    const struct timeline *tl, const struct snap *sn, const struct trk_row *r, uint8_t *said)
{
	str_id name = r->name;
	if (name >= sn->nstrs)
		return false;
	if (!said[name]) {
		const struct str_row *s = store_str(sn->st, name);
		said[name] = rx_match(tl->group[tl->only_id], s->s, s->n) ? 2 : 1;
	}
	return said[name] == 2;
}

/* When goroutines were there, in the order of gs[]: with compact rows each zoom looks at all of
 * them. */
static void make_lives(struct timeline *tl, const struct snap *sn)
{
	if (tl->life && tl->life_of == sn->serial)
		return;
	tl->life = mem_grow(tl->life, &tl->life_cap, tl->ngs + 1u, sizeof *tl->life);
	tl->life_of = sn->serial;
	for (uint32_t i = 0; i < tl->ngs; i++) {
		const struct trk_row *r = store_trk(sn->st, tl->gs[i]);
		int64_t t0 = r->t0, t1 = r->t1;
		tl->life[i].t0 = t0 == TIME_NONE ? INT64_MIN : t0;
		tl->life[i].t1 = t1 == TIME_NONE ? INT64_MAX : t1;
	}
}

static bool seen(const struct timeline *tl, uint32_t i)
{
	return tl->life[i].t0 < tl->t1 && tl->life[i].t1 > tl->t0;
}

static uint8_t *neighbours(const struct timeline *tl, const struct snap *sn, struct arena *a)
{
	uint32_t task =
	    tl->only == ONLY_TASK ? sched_task_find(tl->tasks, tl->only_id) : UINT32_MAX;
	if (task != UINT32_MAX)
		return related_task(sn, tl->tasks, task, a);
	if (tl->only == ONLY_RELATED && tl->only_id < sn->ntrks)
		return related_goroutine(sn, (trk_id)tl->only_id, a);
	return NULL;
}

static void put_goroutines(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (tl->gs_of != sn->ntrks) {
		mem_free(tl->gs);
		tl->gs = sorted_tracks(sn, TK_G, &tl->ngs);
		tl->gs_of = sn->ntrks;
	}
	if (env->compact)
		make_lives(tl, sn);
	tl->row = mem_grow(tl->row, &tl->cap, (size_t)tl->nrow + tl->ngs + 1, sizeof *tl->row);
	uint8_t *near = neighbours(tl, sn, env->scratch);
	uint8_t *said = tl->only == ONLY_GROUP ? arena_zalloc(env->scratch, sn->nstrs + 1u) : NULL;
	for (int step = near ? REL_SELF : REL_FAR; step <= REL_FAR; step++) /* the nearest first */
		for (uint32_t i = 0; i < tl->ngs; i++) {
			trk_id t = tl->gs[i];
			if ((env->compact && !seen(tl, i)) || (near && near[t] != step) ||
			    has(tl->pin, tl->npin, t))
				continue;
			if (tl->only == ONLY_ALL && !tl_scope_row(tl, sn, t))
				continue;
			if (said && !in_group(tl, sn, store_trk(sn->st, t), said))
				continue;
			put(tl, ROW_TRACK, t, 0);
		}
}

/* Does anything within the window? */
static bool busy(const struct timeline *tl, const struct snap *sn, trk_id t)
{
	struct bin b;
	bins_sum(sn, t, tl->t0, tl->t1, &b);
	return b.ns[TS_NONE] + b.ns[TS_IDLE] < tl->t1 - tl->t0;
}

static void put_tracks(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	uint32_t n;
	trk_id *v = sorted_tracks(sn, tl->kind == TL_P ? TK_P : TK_M, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!has(tl->pin, tl->npin, v[i]) && tl_scope_row(tl, sn, v[i]) &&
		    (!env->compact || tl->kind == TL_P || busy(tl, sn, v[i])))
			put(tl, ROW_TRACK, v[i], 0);
	mem_free(v);
}

/* The task that the rows are of and those under it come before its goroutines. */
static void put_task_head(struct timeline *tl, const struct pane_env *env)
{
	uint32_t task = sched_task_find(tl->tasks, tl->only_id), shown = 0;
	if (task == UINT32_MAX)
		return;
	uint8_t *in = related_descendants(tl->tasks, task, env->scratch);
	put(tl, ROW_TASK, task, 0);
	for (uint32_t i = 0; i < tl->tasks->n && shown < 8; i++)
		if (in[i] && i != task) {
			put(tl, ROW_TASK, i, 1);
			shown++;
		}
}

/* ---- what lies under a track */

static bool opened(const struct timeline *tl, trk_id t)
{
	return has(tl->open, tl->nopen, t);
}

static void put_under(struct timeline *tl, const struct snap *sn, trk_id t, bool all)
{
	if (store_trk(sn->st, t)->kind == TK_G && (all || opened(tl, t))) {
		int n = inlay_levels(tl->inlay, t);
		for (int k = 0; k < n; k++)
			put(tl, ROW_REGION, t, (uint8_t)k);
	}
	for (int k = 0; t == tl->stacks && k < TL_DEEP; k++)
		put(tl, ROW_STACK, t, (uint8_t)k);
}

/* How many lines there would be with all regions shown; stops counting at `most`. */
static uint32_t lines_with_regions(const struct timeline *tl, uint32_t most)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < tl->nrow && n <= most; i++)
		n += 1 + (tl->row[i].what == ROW_TRACK
				 ? (uint32_t)inlay_levels(tl->inlay, tl->row[i].id)
				 : 0);
	return n;
}

static void add_under(struct timeline *tl, const struct pane_env *env, uint32_t npin)
{
	const struct snap *sn = session_snap(env->s);
	struct tl_layout l = tl_layout(tl, env);
	uint32_t n = tl->nrow, room = (uint32_t)(env->rows > l.rows ? env->rows - l.rows : 0);
	bool all = tl->kind == TL_G && !env->compact && lines_with_regions(tl, room) + 2 <= room;
	bool pins = npin && env->rows >= 36 && !env->compact;
	tl->npinrow = npin;
	if (!n || (!all && !pins && !tl->nopen && !tl->stacks))
		return;
	struct tl_row *was = xmalloc((n + 1u) * sizeof *was);
	memcpy(was, tl->row, n * sizeof *was);
	tl->nrow = 0;
	for (uint32_t i = 0; i < n; i++) {
		put(tl, (enum tl_what)was[i].what, was[i].id, was[i].level);
		if (was[i].what == ROW_TRACK)
			put_under(tl, sn, was[i].id, all || (pins && i < npin));
		if (i + 1 == npin)
			tl->npinrow = tl->nrow;
	}
	mem_free(was);
}

static bool select_same(struct timeline *tl, const struct pane_env *env, struct tl_row keep)
{
	for (uint32_t i = 0; i < tl->nrow; i++)
		if (tl->row[i].id == keep.id && tl->row[i].what == keep.what &&
		    (keep.what == ROW_TASK || tl->row[i].level == keep.level)) {
			tl_select(tl, env, i);
			return true;
		}
	return false;
}

void tl_rows_make(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	struct tl_row keep = tl_selected(tl);
	tl_index(tl, env);
	tl->nrow = 0;
	for (uint32_t i = 0; i < tl->npin; i++)
		put(tl, ROW_TRACK, tl->pin[i], 0);
	if (tl->kind == TL_T)
		put_tasks(tl, sn, env->scratch);
	else if (tl->kind == TL_G && tl->only == ONLY_TASK)
		put_task_head(tl, env);
	if (tl->kind == TL_G)
		put_goroutines(tl, env);
	else if (tl->kind != TL_T)
		put_tracks(tl, env);
	tl->ntrks = sn->ntrks;
	tl->made = tl->indexed;
	tl->compact = env->compact;
	add_under(tl, env, tl->npin);
	if (!keep.id || (!select_same(tl, env, keep) &&
			    !tl_select_track(tl, env, keep.what == ROW_TASK ? 0 : keep.id)))
		tl_select(tl, env, tl->sel);
}

void tl_set_kind(struct timeline *tl, const struct pane_env *env, enum tl_kind kind)
{
	struct ival iv;
	trk_id was = tl_track(tl, env), to = 0;
	if (was && ival_at(session_snap(env->s), was, tl->at, &iv))
		to = store_trk(session_snap(env->s)->st, was)->kind == TK_G && kind == TL_G
			 ? was
			 : iv.who;
	tl->kind = kind;
	tl->sel = tl->top = 0;
	tl_rows_make(tl, env);
	tl_window(tl, env, tl->t0, tl->t1);
	if (tl->hunt && tl_hunt_other(tl))
		tl_hunt_again(tl, env);
	if (to)
		tl_select_track(tl, env, to); /* from a P to the G on it, from a G to its P */
}

bool tl_rows_only(struct timeline *tl, const struct pane_env *env, enum tl_only only, uint64_t id)
{
	enum tl_only was = tl->only;
	uint64_t was_id = tl->only_id;
	tl_index(tl, env);
	tl->only = only;
	tl->only_id = id;
	tl_set_kind(tl, env, TL_G);
	if (tl->nrow > tl->npinrow || only == ONLY_ALL)
		return true;
	tl->only = was;
	tl->only_id = was_id;
	tl_set_kind(tl, env, TL_G);
	return false;
}

bool tl_select_task(struct timeline *tl, const struct pane_env *env, uint64_t id)
{
	tl_index(tl, env);
	uint32_t task = sched_task_find(tl->tasks, id);
	if (task == UINT32_MAX)
		return false;
	if (tl->kind != TL_T)
		tl_set_kind(tl, env, TL_T);
	return select_same(tl, env, (struct tl_row){task, ROW_TASK, 0});
}
