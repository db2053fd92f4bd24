/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Eviction of sheets. The sheets of a trace take more memory than its file. When they do not fit, the least recently
 * used ones are freed, and a thread that needs one of them waits until its generation has been read again.
 *
 * The state that this needs is kept at the borders of generations (cache/checkpoint.h). A job rebuilds sheets
 * (rebuild.h) and continues from one to the next. A request for another place stops it and starts one there.
 *
 * A sheet is in use while its pins are not 0. A user adds a pin and then reads the slot; eviction clears the slot and
 * then reads the pins: one of the two sees the other. All else is done under one lock, by the thread that needs the
 * sheet. Others wait for it, which loses nothing, since they would read the same file.
 *
 * Sheets are in the paging file (base/mem/paging_file.h), so the limit bounds the room on the disk, and the pager the
 * memory. Sheets of an incomplete generation are never evicted, nor are those of the newest generation while it is read.
 */
#include "config.h"
#include "store/cache/sheet_cache.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/cache/activity_bits.h"
#include "store/cache/checkpoint.h"
#include "store/cache/nowait.h"
#include "store/cache/rebuild.h"
#include "store/cache/summary.h"
#include "store/tracks/sheet_build.h"

/* STATES: part of the limit for the states of checkpoints; LEAST: sheets that there is room for in any case */
enum { STATES = 8, LEAST = 4 };

struct sheet_cache {
	struct store *st;
	struct rebuild_source from;
	struct checkpoint_list *checkpoint_list;
	struct summary_list *summary_list;
	struct summary_pyramid *summary_pyramid;
	struct activity_map *activity_map;
	struct lock *lock;
	size_t limit, room, held, most;	/* bytes: see sheet_cache_new(); of all sheets; of the largest */
	_Atomic uint32_t made;
	_Atomic uint32_t tick;		/* counts rebuilds and frames: the unit of the age of sheets */
	_Atomic uint32_t fits;		/* how many of the largest sheets there is room for */
	struct sheet_rebuild *reader;		/* continues after the newest rebuilt sheet; or NULL */
	struct nowait *nowait;
	_Atomic bool lost;
};

/* ---- eviction */

uint32_t sheet_cache_capacity(const struct store *st)
{
	return atomic_load_explicit(&st->keep->fits, memory_order_relaxed);
}

uint32_t sheet_cache_rebuilt(const struct store *st)
{
	return st->keep ? atomic_load_explicit(&st->keep->made, memory_order_relaxed) : 0;
}

/* Free a sheet unless it is pinned. Return whether it was freed. */
static bool drop_sheet(struct sheet_cache *k, struct sheet_slot *s)
{
	const struct sheet *sh = atomic_load(&s->sheet);
	if (!sh || atomic_load(&s->pins))
		return false;
	atomic_store(&s->sheet, NULL);
	if (atomic_load(&s->pins)) {
		atomic_store(&s->sheet, sh);
		return false;
	}
	k->held -= sh->bytes;
	sheet_free(sh);
	return true;
}

/* Return the unpinned sheet that was used longest ago, and before that tick; of several, the last. NULL: none. */
static struct sheet_slot *oldest_slot(const struct sheet_cache *k, uint32_t before)
{
	struct sheet_slot *found = NULL;
	uint32_t n = checkpoint_first_sheet(k->checkpoint_list, k->checkpoint_list->n), age = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct sheet_slot *s = store_slot(k->st, i);
		uint32_t a = before - atomic_load_explicit(&s->used, memory_order_relaxed);
		if (a <= UINT32_MAX / 2 && a >= age && a && atomic_load_explicit(&s->sheet, memory_order_relaxed) &&
		    !atomic_load_explicit(&s->pins, memory_order_relaxed)) {
			found = s;
			age = a;
		}
	}
	return found;
}

/* Evict sheets that were used before that tick, until `more` bytes fit. */
static void make_room(struct sheet_cache *k, size_t more, uint32_t before)
{
	while (k->held + more > k->room) {
		struct sheet_slot *s = oldest_slot(k, before);
		if (!s || !drop_sheet(k, s))
			return;
	}
}

void sheet_cache_add_sealed(struct sheet_cache *k, const struct sheet *sh)
{
	lock_acquire(k->lock);
	k->held += sh->bytes;
	if (sh->bytes > k->most) {
		k->most = sh->bytes;
		k->room = k->limit > LEAST * k->most ? k->limit : LEAST * k->most;
		atomic_store_explicit(&k->fits, (uint32_t)(k->room / k->most), memory_order_relaxed);
	}
	make_room(k, 0, k->tick + 1);
	lock_release(k->lock);
}

/* ---- summaries, which are never evicted */

void sheet_cache_summarize(struct sheet_cache *k, struct sheet_slot *slot, const struct sheet *sh, uint32_t i)
{
	struct summary *others = summary_of_sheet(sh, i, false);
	summary_pyramid_add(k->summary_pyramid, others);
	slot->summary = others;
	slot->activity = activity_add_sheet(k->activity_map, sh);
	summary_list_add(k->summary_list, summary_of_sheet(sh, i, true), i);
}

void sheet_cache_estimate(const struct snap *sn, uint32_t i, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	if (store_trk(sn->st, t)->kind == TK_G)
		summary_list_estimate(sn->st->keep->summary_list, i, t, a, b, ns);
	else
		summary_estimate(store_slot(sn->st, i)->summary, t, a, b, ns);
}

void sheet_cache_estimate_many(const struct snap *sn, uint32_t from, uint32_t to, trk_id t, int64_t ns[TS__N])
{
	const struct sheet_cache *k = sn->st->keep;
	if (store_trk(sn->st, t)->kind == TK_G)
		summary_list_sum(
		    k->summary_list, from, to, t, store_slot(sn->st, from)->t0, store_slot(sn->st, to - 1)->t1, ns);
	else
		summary_pyramid_sum(k->summary_pyramid, from, to, t, ns);
}

void sheet_cache_checkpoint(struct sheet_cache *k, struct checkpoint *b, const struct sheet_builder *s)
{
	checkpoint_save_live(b, s);
	b->sheet = column_n(&k->st->sheets);
	lock_acquire(k->lock);
	checkpoint_list_add(k->checkpoint_list, b);
	make_room(k, 0, k->tick + 1);
	lock_release(k->lock);
}

/* ---- rebuilding */

/* Stands for a sheet that cannot be read any more. */
struct sheet *sheet_cache_empty_sheet(int64_t t0, int64_t t1)
{
	struct { struct sheet sh; struct sheet_sparse some[1]; uint32_t first[1]; } *none = xcalloc(1, sizeof *none);
	none->sh = (struct sheet){ .t0 = t0, .t1 = t1, .bytes = sizeof *none, .first = none->first, .whose = none->some,
		.stacked = none->some };
	return &none->sh;
}

/* Insert a rebuilt sheet if its slot is empty and it fits; always if a thread waits for it. Evict others for it also if
   it is shortly before the wanted one: a backward walk needs it next, and would have to read the generation from its
   start again. */
static void insert_sheet(struct sheet_cache *k, struct sheet *sh, uint32_t at, uint32_t want)
{
	struct sheet_slot *s = store_slot(k->st, at);
	bool wanted = atomic_load(&s->pins), near = want - at <= atomic_load(&k->fits) / 2;
	if (!atomic_load(&s->sheet)) {
		if (wanted || near)
			make_room(k, sh->bytes, k->tick);
		if (wanted || k->held + sh->bytes <= k->room) {
			k->held += sh->bytes;
			atomic_store_explicit(&s->used, k->tick, memory_order_relaxed);
			atomic_store(&s->sheet, sh);
			return;
		}
	}
	sheet_free(sh);
}

static void reader_stop(struct sheet_cache *k)
{
	rebuild_stop(k->reader);
	k->reader = NULL;
}

/* Insert the sheets that the job makes, up to the wanted one. */
static void take_until(struct sheet_cache *k, uint32_t want)
{
	while (k->reader && rebuild_next_sheet(k->reader) <= want) {
		uint32_t i = rebuild_next_sheet(k->reader);
		struct sheet *sh = rebuild_take_sheet(k->reader);
		if (sh)
			insert_sheet(k, sh, i, want);
		else
			reader_stop(k);
	}
}

/* Continue the job, or start one at the nearest checkpoint, until the wanted sheet is there. */
static void rebuild_until(struct sheet_cache *k, uint32_t want)
{
	uint32_t g = checkpoint_generation(k->checkpoint_list, want);
	bool known = g < k->checkpoint_list->n;
	if (known)
		g = checkpoint_nearest(k->checkpoint_list, g);
	if (k->reader && (rebuild_next_sheet(k->reader) > want ||
			     rebuild_next_sheet(k->reader) < checkpoint_first_sheet(k->checkpoint_list, g)))
		reader_stop(k);
	take_until(k, want);
	if (!k->reader && known) {	/* there is no job, or it reached the end of what was read when it started */
		k->reader = rebuild_start(&k->from, g);
		take_until(k, want);
	}
	struct sheet_slot *s = store_slot(k->st, want);
	if (!atomic_load(&s->sheet)) {
		k->lost = true;
		struct sheet *none = sheet_cache_empty_sheet(s->t0, s->t1);
		k->held += none->bytes;
		atomic_store(&s->sheet, none);
	}
	k->made++;
}

const struct sheet *sheet_cache_get(const struct snap *sn, uint32_t i)
{
	struct sheet_cache *k = sn->st->keep;
	struct sheet_slot *s = store_slot(sn->st, i);
	atomic_fetch_add(&s->pins, 1);
	const struct sheet *sh = atomic_load(&s->sheet);
	if (!sh && nowait_is_drawing(k->nowait))
		return nowait_stand_in(k->nowait, s, i);
	if (!sh) {
		lock_acquire(k->lock);
		sh = atomic_load(&s->sheet);
		if (!sh) {
			k->tick++;
			rebuild_until(k, i);
			sh = atomic_load(&s->sheet);
		}
		lock_release(k->lock);
	}
	uint32_t tick = atomic_load_explicit(&k->tick, memory_order_relaxed);
	if (atomic_load_explicit(&s->used, memory_order_relaxed) != tick)
		atomic_store_explicit(&s->used, tick, memory_order_relaxed);
	return sh;
}

void sheet_cache_put(const struct snap *sn, uint32_t i)
{
	atomic_fetch_sub(&store_slot(sn->st, i)->pins, 1);
}

/* ---- creation, statistics */

struct sheet_cache *sheet_cache_new(
    struct store *st, struct tracks *tracks, size_t limit, sink_reread_fn *again, void *arg)
{
	struct sheet_cache *k = xcalloc(1, sizeof *k);
	k->st = st;
	k->limit = k->room = limit;
	k->fits = LEAST;
	k->checkpoint_list = checkpoint_list_new(limit / STATES);
	k->summary_list = summary_list_new(limit);
	k->summary_pyramid = summary_pyramid_new();
	k->activity_map = activity_new();
	k->from = (struct rebuild_source){ st, tracks, k->checkpoint_list, again, arg };
	k->lock = lock_new();
	k->nowait = nowait_new();
	return k;
}

void sheet_cache_free(struct sheet_cache *k)
{
	if (!k)
		return;
	reader_stop(k);
	summary_pyramid_free(k->summary_pyramid);
	checkpoint_list_free(k->checkpoint_list);
	summary_list_free(k->summary_list);
	activity_free(k->activity_map);
	nowait_free(k->nowait);
	lock_free(k->lock);
	mem_free(k);
}

struct sheet_cache_stats sheet_cache_stats(struct sheet_cache *k)
{
	lock_acquire(k->lock);
	struct sheet_cache_stats f = {.limit = k->limit,
	    .held = k->held,
	    .states = k->checkpoint_list->states,
	    .made = k->made,
	    .lost = k->lost,
	    .sheets = column_n(&k->st->sheets)};
	for (uint32_t i = 0; i < f.sheets; i++)
		f.there += atomic_load(&store_slot(k->st, i)->sheet) != NULL;
	lock_release(k->lock);
	return f;
}

uint32_t sheet_cache_next_tick(struct sheet_cache *k)
{
	return atomic_fetch_add(&k->tick, 1) + 1;
}

struct nowait *sheet_cache_nowait(const struct sheet_cache *k)
{
	return k ? k->nowait : NULL;
}

bool sheet_cache_is_lost(const struct sheet_cache *k)
{
	return k && k->lost;
}

void sheet_cache_drop_all(struct sheet_cache *k)
{
	lock_acquire(k->lock);
	reader_stop(k);
	for (uint32_t i = 0; i < checkpoint_first_sheet(k->checkpoint_list, k->checkpoint_list->n); i++)
		drop_sheet(k, store_slot(k->st, i));
	lock_release(k->lock);
}
