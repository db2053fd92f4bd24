/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Derived data of a whole snapshot: its tracks in order of their numbers, the layout of regions on
 * rows (region_layout.c), tasks, sums of marks and counters, and the moves of Ps. The cost is per
 * track, mark or interval, so large ones are made in the background while the pane uses what it
 * has: rows of an older snapshot, or, if the whole trace is there at once, its first tracks.
 * Closing the pane cancels the job.
 *
 * An index is immutable. While a file is read, a new one is made when the data has grown by half;
 * tracks are listed for each snapshot that has more of them. One worker runs at a time, and later
 * changes are handled by the next one.
 */
#include "config.h"
#include "timeline/internal.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "trace/bins_time.h"

#include <string.h>

/* SMALL: tracks, spans and marks of which an index takes a few milliseconds */
enum { SMALL = 60000, FIRST = 4096 };

/* Count the moves of the Ps in the whole trace, and find whether it has logs. */
static void count_moves(struct timeline_index *ix, const struct snap *sn, const struct timeline_tracks *tr)
{
	static const enum counter ticks[] = {CT_PROC_START, CT_PROC_STOP};
	ix->nmoves = 0;
	for (uint32_t i = 0; i < tr->n[TK_P]; i++)
		ix->nmoves = tr->trk[TK_P][i] >= ix->nmoves ? tr->trk[TK_P][i] + 1 : ix->nmoves;
	ix->moves = arena_zalloc(&ix->sums, (ix->nmoves + 1u) * sizeof *ix->moves);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < sn->ncounts[ticks[k]]; i++) {
			uint64_t p = store_count(sn->st, ticks[k], i)->v;
			if (p < ix->nmoves)
				*(k ? &ix->moves[p].stopped : &ix->moves[p].started) += 1;
		}
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		if (m->kind == MK_PROC_STEAL && m->trk < ix->nmoves)
			ix->moves[m->trk].stolen++;
		ix->logs |= m->kind == MK_LOG;
	}
}

static uint32_t count_indexed(const struct snap *sn)
{
	return sn->nspans + sn->nmarks + sn->ncounts[CT_PROC_START] + sn->ncounts[CT_PROC_STOP];
}

static void index_free(struct timeline_index *ix)
{
	if (!ix)
		return;
	arena_free(&ix->mem);
	arena_free(&ix->sums);
	mem_free(ix);
}

/* ---- tracks in order of their numbers */

/* The tracks of one kind: how many, their least and greatest numbers, and the output. */
struct numbers {
	uint32_t n, at;
	uint64_t least, most;
	/* no large gaps: each track is stored at its number, and unused places are removed afterwards */
	bool dense;
	trk_id *place;
	struct radix_item *key;	/* if not dense: keys to sort */
};

enum { GAPS = 4 };	/* up to this many places per track take less memory than sorting */

static void numbers_count(const struct snap *sn, trk_id end, struct numbers *x)
{
	for (int kind = 0; kind <= TK_G; kind++)
		x[kind] = (struct numbers){.least = UINT64_MAX};
	for (trk_id t = 1; t < end; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		struct numbers *k = &x[r->kind];
		k->n++;
		k->least = r->id < k->least ? r->id : k->least;
		k->most = r->id > k->most ? r->id : k->most;
	}
}

static void numbers_room(struct numbers *x)
{
	x->dense = x->n && (x->most - x->least) / GAPS < x->n;
	x->place = xcalloc(x->dense ? (size_t)(x->most - x->least) + 1 : x->n + 1u, sizeof *x->place);
	x->key = x->dense ? NULL : xmalloc((x->n + 1u) * sizeof *x->key);
}

static trk_id *numbers_end(struct numbers *x)
{
	uint32_t n = 0;
	if (x->dense) {
		for (size_t i = 0; i <= x->most - x->least; i++)
			if (x->place[i])
				x->place[n++] = x->place[i];
		x->n = n;	/* of two tracks with one number, in a malformed index, keep one */
		return x->place;
	}
	radix_sort_items(x->key, x->n);
	for (; n < x->n; n++)
		x->place[n] = x->key[n].v;
	mem_free(x->key);
	return x->place;
}

/* Sort tracks with any numbers: the first of two passes finds the sizes. */
static void place_all(const struct snap *sn, trk_id end, struct numbers *x)
{
	numbers_count(sn, end, x);
	for (int kind = TK_P; kind <= TK_G; kind++)
		numbers_room(&x[kind]);
	for (trk_id t = 1; t < end; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		struct numbers *k = &x[r->kind];
		if (k->dense)
			k->place[r->id - k->least] = t;
		else if (k->key)
			k->key[k->at++] = (struct radix_item){r->id, t};
	}
}

/* Sort in one pass, assuming that goroutine numbers are dense and that there are few other tracks. false: the
   assumption was wrong. */
static bool place_most(const struct snap *sn, trk_id end, struct numbers *x)
{
	enum { FEW = 1 << 12 };
	uint64_t room = (uint64_t)GAPS * end;
	struct numbers *g = &x[TK_G];
	for (int kind = 0; kind <= TK_G; kind++)
		x[kind] = (struct numbers){0};
	*g = (struct numbers){.dense = true, .place = xcalloc((size_t)room, sizeof *g->place)};
	for (int kind = TK_P; kind < TK_G; kind++)
		x[kind] = (struct numbers){.place = xmalloc(FEW * sizeof *g->place), .key = xmalloc(FEW * sizeof *g->key)};
	trk_id t = 1;
	for (; t < end; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		struct numbers *k = &x[r->kind];
		if (k == g ? r->id >= room : !k->key || k->n == FEW)
			break;
		if (k == g) {
			g->place[r->id] = t;
			g->most = r->id > g->most ? r->id : g->most;
		} else {
			k->key[k->n] = (struct radix_item){r->id, t};
		}
		k->n++;
	}
	for (int kind = TK_P; kind <= TK_G && t < end; kind++) {
		mem_free(x[kind].place);
		mem_free(x[kind].key);
	}
	return t >= end;
}

/* Make the lists of tracks 1 .. end. The numbers of a million goroutines are nearly ascending: storing them by
   number takes a tenth of the time and memory of sorting. Track rows are large, so one pass handles all kinds. */
static struct timeline_tracks *tracks_make(const struct snap *sn, trk_id end)
{
	struct timeline_tracks *tr = xcalloc(1, sizeof *tr);
	struct numbers x[TK_G + 1];
	tr->of = end;
	if (end == sn->ntrks && store_numbered(sn, TK_G)) {
		for (int kind = TK_P; kind <= TK_G; kind++) {
			tr->trk[kind] = store_numbered(sn, kind)->v;
			tr->n[kind] = store_numbered(sn, kind)->n;
		}
		return tr;
	}
	if (!place_most(sn, end, x))
		place_all(sn, end, x);
	for (int kind = TK_P; kind <= TK_G; kind++) {
		tr->trk[kind] = tr->own[kind] = numbers_end(&x[kind]);
		tr->n[kind] = x[kind].n;
	}
	return tr;
}

static void tracks_free(struct timeline_tracks *tr)
{
	if (!tr)
		return;
	for (int kind = 0; kind <= TK_G; kind++)
		mem_free(tr->own[kind]);
	mem_free(tr);
}

/* ---- the index */

struct index_build {
	struct timeline_index *ix;
	const struct snap *sn;
	struct timeline_tracks *tr;	/* result */
	const struct progress_watcher *on;
};

static void sums_make(struct timeline_index *ix, const struct snap *sn, const struct timeline_tracks *tr)
{
	ix->marks = bins_mark_sums(sn, &ix->sums);
	ix->counts = bins_counter_sums(sn, &ix->sums);
	ix->cycles = bins_span_list(sn, 1u << SP_GC | 1u << SP_STW, &ix->sums);
	count_moves(ix, sn, tr);
	for (uint32_t i = 1; i < sn->ncounts[CT_GOMAXPROCS] && !ix->procs; i++)
		ix->procs = store_count(sn->st, CT_GOMAXPROCS, i)->v != store_count(sn->st, CT_GOMAXPROCS, 0)->v;
}

/* Make one half of the index: the tracks and sums (i > 0), or the row layout and the tasks. */
static void half_make(void *arg, uint32_t i)
{
	struct index_build *m = arg;
	if (i) {
		m->tr = tracks_make(m->sn, m->sn->ntrks);
		sums_make(m->ix, m->sn, m->tr);
		return;
	}
	m->ix->row_layout = region_layout_new(m->sn, &m->ix->mem, m->on);
	m->ix->tasks = stats_tasks(m->sn, &m->ix->mem, m->on);
	if (job_should_continue(m->on))
		m->ix->by_start = timeline_tasks_by_start(m->sn, m->ix->tasks, &m->ix->mem, &m->ix->nby_start);
}

/* Make an index and its tracks. */
static struct timeline_index *index_make(
    const struct snap *sn, struct timeline_tracks **tr, const struct progress_watcher *on)
{
	struct timeline_index *ix = xcalloc(1, sizeof *ix);
	ix->of = count_indexed(sn);
	struct index_build m = {.ix = ix, .sn = sn, .on = on};
	if (ix->of > SMALL || sn->ntrks > SMALL) {
		job_parallel(2, half_make, &m);
	} else {
		half_make(&m, 0);
		half_make(&m, 1);
	}
	*tr = m.tr;
	ix->whole = sn->complete && job_should_continue(on);
	return ix;
}

uint32_t timeline_track_position(const struct snap *sn, const trk_id *v, uint32_t n, trk_id t)
{
	uint64_t id = store_trk(sn->st, t)->id;
	uint32_t i = timeline_lower_bound(sn, v, n, id);
	while (i < n && v[i] != t && store_trk(sn->st, v[i])->id == id)
		i++;
	return i < n && v[i] == t ? i : UINT32_MAX;
}

trk_id timeline_find_track(const struct timeline *tl, const struct snap *sn, enum track_kind kind, uint64_t id)
{
	const struct timeline_tracks *tr = tl->tr;
	uint32_t i = timeline_lower_bound(sn, tr->trk[kind], tr->n[kind], id);
	if (i < tr->n[kind] && store_trk(sn->st, tr->trk[kind][i])->id == id)
		return tr->trk[kind][i];
	for (trk_id t = tr->of; t < sn->ntrks; t++)
		if (store_trk(sn->st, t)->kind == kind && store_trk(sn->st, t)->id == id)
			return t;
	return 0;
}

/* ---- cache of drawn bins */

enum { KEPT = 160, KEPT_MOST = TL_PS + KEPT };	/* MOST: for an export with thousands of rows */
struct timeline_frame_cache {
	int64_t t0, t1;
	int cells;
	uint32_t serial, news, frame, n, nspare;
	size_t cap, spare_cap;
	struct timeline_row_bins
	    *of; /* bins of Ps and of rows that were visible recently; those of dropped rows move to spare */
	struct bin **spare;
	void *line[HD__N];	/* by enum timeline_header_line */
	struct bin *one;	/* bins of a row that is not cached */
	struct arena mem;
};

/* Move the bins of rows that the previous frame did not show to the spare list. */
static void leave_out(struct timeline_frame_cache *k)
{
	uint32_t n = 0;
	k->spare = mem_grow(k->spare, &k->spare_cap, k->nspare + k->n, sizeof *k->spare);
	for (uint32_t i = 0; i < k->n; i++) {
		if (k->of[i].seen == k->frame)
			k->of[n++] = k->of[i];
		else
			k->spare[k->nspare++] = k->of[i].bin;
	}
	k->n = n;
}

void timeline_begin_frame(const struct timeline *tl, const struct snap *sn, int cells)
{
	struct timeline_frame_cache *k = tl->kept;
	if (k->news != tl->news)	/* the index is another one; the bins of rows do not depend on it */
		memset(k->line, 0, sizeof k->line);
	k->news = tl->news;
	if (k->t0 == tl->t0 && k->t1 == tl->t1 && k->cells == cells && k->serial == sn->serial) {
		if (k->n >= KEPT)
			leave_out(k);
		k->frame++;
		return;
	}
	arena_reset(&k->mem);
	k->t0 = tl->t0;
	k->t1 = tl->t1;
	k->cells = cells;
	k->serial = sn->serial;
	k->frame = 1;
	k->n = k->nspare = 0;
	k->one = NULL;
	memset(k->line, 0, sizeof k->line);
}

static const struct bin *kept_bins(struct timeline_frame_cache *k, trk_id t)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (k->of[i].trk == t) {
			k->of[i].seen = k->frame;
			return k->of[i].bin;
		}
	return NULL;
}

static struct bin *new_bins(struct timeline_frame_cache *k, trk_id t)
{
	struct bin *b = k->nspare ? k->spare[--k->nspare] : arena_alloc(&k->mem, ((size_t)k->cells + 1) * sizeof *b);
	k->of = mem_grow(k->of, &k->cap, k->n + 1u, sizeof *k->of);
	k->of[k->n++] = (struct timeline_row_bins){t, k->frame, b};
	return b;
}

const struct bin *timeline_row_bins(const struct timeline *tl, const struct snap *sn, trk_id t)
{
	struct timeline_frame_cache *k = tl->kept;
	const struct bin *there = kept_bins(k, t);
	if (there)
		return there;
	if (k->n >= KEPT_MOST && !k->one)
		k->one = arena_alloc(&k->mem, ((size_t)k->cells + 1) * sizeof *k->one);
	struct bin *b = k->n < KEPT_MOST ? new_bins(k, t) : k->one;
	bins_row(sn, t, k->t0, k->t1, (uint32_t)k->cells, b);
	return b;
}

struct bins_count { const struct snap *sn; const struct timeline_frame_cache *k; struct bin **to; const trk_id *trk; };

static void count_row(void *arg, uint32_t i)
{
	const struct bins_count *c = arg;
	bins_row(c->sn, c->trk[i], c->k->t0, c->k->t1, (uint32_t)c->k->cells, c->to[i]);
}

void timeline_count_bins(const struct timeline *tl, const struct snap *sn, trk_id *v, uint32_t n)
{
	enum { MUCH = 1000000, FEW = 4 };
	struct bin *to[TL_PS];
	uint32_t m = 0;
	if (snap_intervals(sn) < MUCH && job_forced_threads() <= 1)
		return;
	for (uint32_t i = 0; i < n && m < TL_PS; i++)
		if (!kept_bins(tl->kept, v[i]))
			v[m++] = v[i];
	if (m < FEW)
		return;
	for (uint32_t i = 0; i < m; i++)
		to[i] = new_bins(tl->kept, v[i]);
	job_parallel(m, count_row, &(struct bins_count){sn, tl->kept, to, v});
}

bool timeline_cached_line(const struct timeline *tl, enum timeline_header_line what, size_t size, void **p)
{
	void **kept = &tl->kept->line[what];
	bool there = *kept;
	if (!there)
		*kept = arena_zalloc(&tl->kept->mem, size);
	*p = *kept;
	return there;
}

const int64_t *timeline_gc_ns(const struct timeline *tl, const struct snap *sn, int cells, enum span_kind kind)
{
	int64_t *on;
	if (!timeline_cached_line(tl, kind == SP_GC ? HD_GC : HD_STW, ((size_t)cells + 1) * sizeof *on, (void **)&on))
		bins_spans(sn, tl->ix->cycles, kind, tl->t0, tl->t1, (uint32_t)cells, on);
	return on;
}

/* ---- background job */

struct timeline_index_work {
	const struct snap *sn;
	bool index;		/* else only the tracks */
	struct timeline_index *ix;
	struct timeline_tracks *tr;
};

static void run_index(void *work, struct job *j)
{
	struct timeline_index_work *w = work;
	struct progress_watcher on = job_progress_watcher(j);
	if (w->index)
		w->ix = index_make(w->sn, &w->tr, &on);
	else
		w->tr = tracks_make(w->sn, w->sn->ntrks);
}

static void free_work(void *work)
{
	struct timeline_index_work *w = work;
	index_free(w->ix);
	tracks_free(w->tr);
	mem_free(w);
}

static const struct async_kind index_kind = {run_index, free_work};

uint64_t timeline_snap_cost(const struct snap *sn)
{
	uint64_t n = (uint64_t)sn->ntrks + count_indexed(sn), steps = sn->complete ? snap_intervals(sn) : 0;
	for (int c = 0; c < CT__N; c++)
		steps += sn->ncounts[c];
	return (n + steps / 8) / 3;
}

/* Return whether the snapshot has more data than the index. While a file is read, only if it has grown by half. */
static bool wants_index(const struct timeline *tl, const struct snap *sn)
{
	const struct timeline_index *ix = tl->ix;
	uint32_t now = count_indexed(sn);
	return !ix || ix->first ||
	       (sn->complete ? now != ix->of || !ix->whole : now >= ix->of + ix->of / 2 && now != ix->of);
}

/* Make a first index of a large trace: its first tracks, without regions, marks and counters. */
static void index_first(struct timeline *tl, const struct snap *sn)
{
	struct snap none = *sn;
	none.complete = false;
	none.nspans = none.nmarks = none.nsmps = 0;
	none.ntrks = sn->ntrks < FIRST ? sn->ntrks : FIRST;
	memset(none.ncounts, 0, sizeof none.ncounts);
	tl->ix = index_make(&none, &tl->tr, NULL);
	tl->ix->first = true;
	tl->news++;
}

static void take_index(struct timeline *tl, struct timeline_index_work *w)
{
	if (!w)
		return;
	timeline_filter_stop(tl);
	if (w->ix) {
		index_free(tl->ix);
		tl->ix = w->ix;
	}
	tracks_free(tl->tr);
	tl->tr = w->tr;
	tl->news++;
	mem_free(w);
}

void timeline_index(struct timeline *tl, const struct pane_env *env)
{
	const struct snap *sn = session_snap(env->s);
	if (!tl->kept)
		tl->kept = xcalloc(1, sizeof *tl->kept);
	if (async_job(&tl->indexing) && job_done(async_job(&tl->indexing), NULL))
		timeline_index_finish(tl);
	bool index = wants_index(tl, sn), tracks = !tl->tr || tl->tr->of != sn->ntrks;
	if (async_job(&tl->indexing) || (!index && !tracks))
		return;
	struct timeline_index_work *w = xcalloc(1, sizeof *w);
	*w = (struct timeline_index_work){.sn = sn, .index = index};
	w = async_start(&tl->indexing, &index_kind, w, timeline_snap_cost(sn));
	if (!w && !tl->ix)
		index_first(tl, sn);
	take_index(tl, w);
}

void timeline_index_finish(struct timeline *tl)
{
	if (async_job(&tl->indexing))
		take_index(tl, async_finish(&tl->indexing));
}

void timeline_index_now(struct timeline *tl, const struct pane_env *env)
{
	timeline_index(tl, env);
	if (tl->ix->first)
		timeline_index_finish(tl);
}

void timeline_index_free(struct timeline *tl)
{
	async_stop(&tl->indexing);
	timeline_filter_free(tl);
	index_free(tl->ix);
	tracks_free(tl->tr);
	arena_free(&tl->kept->mem);
	mem_free(tl->kept->of);
	mem_free(tl->kept->spare);
	mem_free(tl->kept);
}
