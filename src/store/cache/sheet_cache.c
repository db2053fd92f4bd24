/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sheets that come and go. A trace's sheets are more than its file; when they
 * are more than there is memory for, those that were got longest ago are freed,
 * and whoever gets one of them waits until its generation has been read again.
 *
 * What that takes is kept at the borders of generations (cache/checkpoint.h), and a thread
 * does it (rebuild.h), which goes on from sheet to sheet. Who asks for another place
 * stops it and starts one there.
 *
 * A sheet is in use while its pins are not 0. Who gets it adds a pin and then
 * looks; who drops it takes it away and then looks for pins: one of the two sees
 * the other. All else is done under one lock, by the thread that asks; that the
 * others wait for it is no loss, for they would read the same file.
 *
 * How much there is room for is asked of the system now and then: the limit less
 * all that the program holds besides sheets. Sheets of a generation that was not
 * whole stay, and so do those of the newest, while it is read.
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
#include "store/cache/summary_pyramid.h"
#include "store/tracks/sheet_build.h"

enum { STATES = 8, FLOOR = 16, ROOM_EVERY = 16, SPARE = 40 << 20, LEAST = 4, IDLE = 64 };

struct sheet_cache {
	struct store *st;
	struct rebuild_source from;
	struct checkpoint_list *checkpoint_list;
	struct summary_list *summary_list;
	struct summary_pyramid *summary_pyramid;
	struct activity_map *activity_map;
	struct lock *lock;
	size_t limit, room, held, most;	/* most: the largest sheet */
	uint32_t sealed;
	_Atomic uint32_t made;
	_Atomic uint32_t tick;		/* counts what was made again, and frames: the age of what was got */
	_Atomic uint32_t fits;		/* so many of the largest sheets there is room for */
	uint32_t idle;			/* so many times somebody walked over columns since it was asked */
	struct sheet_rebuild *reader;		/* goes on from where the newest sheet was made again, or NULL */
	struct nowait *nowait;
	_Atomic bool lost;
};

/* ---- dropping */

static void update_room(struct sheet_cache *k)
{
	size_t all = mem_resident(), spare = SPARE + 2 * k->checkpoint_list->largest;
	size_t other = (all > k->held ? all - k->held : 0) + spare;
	size_t least = k->limit / FLOOR > LEAST * k->most ? k->limit / FLOOR : LEAST * k->most;
	k->room = k->limit > other + least ? k->limit - other : least;
	atomic_store_explicit(&k->fits, (uint32_t)(k->most ? k->room / k->most : LEAST), memory_order_relaxed);
}

uint32_t sheet_cache_capacity(const struct store *st)
{
	return atomic_load_explicit(&st->keep->fits, memory_order_relaxed);
}

uint32_t sheet_cache_rebuilt(const struct store *st)
{
	return st->keep ? atomic_load_explicit(&st->keep->made, memory_order_relaxed) : 0;
}

void sheet_cache_release_pages(const struct store *st)
{
	column_release_pages(&st->trks);
	column_release_pages(&st->marks);
	column_release_pages(&st->spans);
	column_release_pages(&st->utils);
	for (int c = 0; c < CT__N; c++)
		column_release_pages(&st->counts[c]);
	summary_list_release_pages(st->keep->summary_list);
	activity_release_pages(st->keep->activity_map);
}

/* Free a sheet, unless somebody has it in the hand. */
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

/* The one that was got longest ago, of equals the last. */
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

/* Make room for so much more among those that were got before that tick. */
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
	sheet_release_pages(sh); /* where the limit is small: it cannot be dropped before its generation ends */
	lock_acquire(k->lock);
	k->held += sh->bytes;
	if (sh->bytes > k->most)
		k->most = sh->bytes;
	if (k->sealed++ % ROOM_EVERY == 0) {
		for (unsigned c = CT_RUNNABLE; c < CT__N; c++)
			column_release_pages(&k->st->counts[c]);
		update_room(k);
	}
	make_room(k, 0, k->tick + 1);
	lock_release(k->lock);
}

/* ---- what stays */

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

/* ---- making again */

/* Of a stretch of which nothing is known any more. */
struct sheet *sheet_cache_empty_sheet(int64_t t0, int64_t t1)
{
	struct { struct sheet sh; struct sheet_sparse some[1]; uint32_t first[1]; } *none = xcalloc(1, sizeof *none);
	none->sh = (struct sheet){ .t0 = t0, .t1 = t1, .bytes = sizeof *none, .first = none->first, .whose = none->some,
		.stacked = none->some };
	return &none->sh;
}

/* Sheets that lie on disk, where memory is short: of those that nobody has in the hand, pages that were looked at
   go. */
static void release_spilled(const struct sheet_cache *k)
{
	uint32_t n = checkpoint_first_sheet(k->checkpoint_list, k->checkpoint_list->n);
	for (uint32_t i = 0; i < n && mem_limit_is_small(); i++) {
		struct sheet_slot *s = store_slot(k->st, i);
		const struct sheet *sh = atomic_load_explicit(&s->sheet, memory_order_relaxed);
		if (sh && !atomic_load_explicit(&s->pins, memory_order_relaxed))
			sheet_release_pages(sh);
	}
}

/* A sheet goes to its place, when that is empty and there is room; one that somebody waits for always. For one that
   lies shortly before it room is made: who walks backwards asks for that next, and would have the generation read from
   its beginning again. */
static void insert_sheet(struct sheet_cache *k, struct sheet *sh, uint32_t at, uint32_t want)
{
	struct sheet_slot *s = store_slot(k->st, at);
	sheet_release_pages(sh);
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

/* Who walks over columns makes something of them meanwhile, which takes memory too: sheets give way. Not while one is
   made again: that may take long, and who draws calls this as well. What has been read to make others of, and nobody
   asked for since, goes too. */
void sheet_cache_trim(const struct store *st)
{
	struct sheet_cache *k = st->keep;
	sheet_cache_release_pages(st);
	if (!lock_try(k->lock))
		return;
	if (k->idle++ == IDLE)
		reader_stop(k);
	update_room(k);
	make_room(k, 0, k->tick + 1);
	lock_release(k->lock);
}

/* Take what the thread makes until the sheet is there. */
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

/* Read on, or from the nearest border on, until the sheet is there. */
static void rebuild_until(struct sheet_cache *k, uint32_t want)
{
	uint32_t g = checkpoint_generation(k->checkpoint_list, want);
	bool known = g < k->checkpoint_list->n;
	if (known)
		g = checkpoint_nearest(k->checkpoint_list, g);
	sheet_cache_release_pages(k->st);
	release_spilled(k);
	k->idle = 0;
	update_room(k);
	if (k->reader && (rebuild_next_sheet(k->reader) > want ||
			     rebuild_next_sheet(k->reader) < checkpoint_first_sheet(k->checkpoint_list, g)))
		reader_stop(k);
	take_until(k, want);
	if (!k->reader && known) {	/* none, or one that came to the end of what was read at the time */
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

/* ---- the whole */

struct sheet_cache *sheet_cache_new(
    struct store *st, struct tracks *tracks, size_t limit, sink_reread_fn *again, void *arg)
{
	struct sheet_cache *k = xcalloc(1, sizeof *k);
	k->st = st;
	k->limit = limit;
	k->checkpoint_list = checkpoint_list_new(limit / STATES);
	k->summary_list = summary_list_new(limit / STATES);
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
