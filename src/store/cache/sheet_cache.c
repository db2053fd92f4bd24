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

struct keep {
	struct store *st;
	struct remake_from from;
	struct borders *borders;
	struct briefs *briefs;
	struct ladder *ladder;
	struct stills *stills;
	struct lock *lock;
	size_t limit, room, held, most;	/* most: the largest sheet */
	uint32_t sealed;
	_Atomic uint32_t made;
	_Atomic uint32_t tick;		/* counts what was made again, and frames: the age of what was got */
	_Atomic uint32_t fits;		/* so many of the largest sheets there is room for */
	uint32_t idle;			/* so many times somebody walked over columns since it was asked */
	struct remake *reader;		/* goes on from where the newest sheet was made again, or NULL */
	struct await *await;
	_Atomic bool lost;
};

/* ---- dropping */

static void look_for_room(struct keep *k)
{
	size_t all = mem_held(), spare = SPARE + 2 * k->borders->largest;
	size_t other = (all > k->held ? all - k->held : 0) + spare;
	size_t least = k->limit / FLOOR > LEAST * k->most ? k->limit / FLOOR : LEAST * k->most;
	k->room = k->limit > other + least ? k->limit - other : least;
	atomic_store_explicit(&k->fits, (uint32_t)(k->most ? k->room / k->most : LEAST), memory_order_relaxed);
}

uint32_t keep_fits(const struct store *st)
{
	return atomic_load_explicit(&st->keep->fits, memory_order_relaxed);
}

uint32_t keep_made(const struct store *st)
{
	return st->keep ? atomic_load_explicit(&st->keep->made, memory_order_relaxed) : 0;
}

void keep_rest(const struct store *st)
{
	col_rest(&st->trks);
	col_rest(&st->marks);
	col_rest(&st->spans);
	col_rest(&st->utils);
	for (int c = 0; c < CT__N; c++)
		col_rest(&st->counts[c]);
	briefs_rest(st->keep->briefs);
	stills_rest(st->keep->stills);
}

/* Free a sheet, unless somebody has it in the hand. */
static bool drop(struct keep *k, struct sheet_slot *s)
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
static struct sheet_slot *oldest(const struct keep *k, uint32_t before)
{
	struct sheet_slot *found = NULL;
	uint32_t n = borders_sheet(k->borders, k->borders->n), age = 0;
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
static void make_room(struct keep *k, size_t more, uint32_t before)
{
	while (k->held + more > k->room) {
		struct sheet_slot *s = oldest(k, before);
		if (!s || !drop(k, s))
			return;
	}
}

void keep_sealed(struct keep *k, const struct sheet *sh)
{
	sheet_rest(sh);		/* where the limit is small: it cannot be dropped before its generation ends */
	lock_take(k->lock);
	k->held += sh->bytes;
	if (sh->bytes > k->most)
		k->most = sh->bytes;
	if (k->sealed++ % ROOM_EVERY == 0) {
		for (unsigned c = CT_RUNNABLE; c < CT__N; c++)
			col_rest(&k->st->counts[c]);
		look_for_room(k);
	}
	make_room(k, 0, k->tick + 1);
	lock_give(k->lock);
}

/* ---- what stays */

void keep_brief(struct keep *k, struct sheet_slot *slot, const struct sheet *sh, uint32_t i)
{
	struct brief *others = brief_of(sh, i, false);
	ladder_add(k->ladder, others);
	slot->brief = others;
	slot->still = stills_add(k->stills, sh);
	briefs_add(k->briefs, brief_of(sh, i, true), i);
}

void keep_share(const struct snap *sn, uint32_t i, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	if (store_trk(sn->st, t)->kind == TK_G)
		briefs_share(sn->st->keep->briefs, i, t, a, b, ns);
	else
		brief_share(store_slot(sn->st, i)->brief, t, a, b, ns);
}

void keep_sum(const struct snap *sn, uint32_t from, uint32_t to, trk_id t, int64_t ns[TS__N])
{
	const struct keep *k = sn->st->keep;
	if (store_trk(sn->st, t)->kind == TK_G)
		briefs_sum(k->briefs, from, to, t, store_slot(sn->st, from)->t0, store_slot(sn->st, to - 1)->t1, ns);
	else
		ladder_sum(k->ladder, from, to, t, ns);
}

void keep_border(struct keep *k, struct border *b, const struct sealer *s)
{
	border_put(b, s);
	b->sheet = col_n(&k->st->sheets);
	lock_take(k->lock);
	borders_add(k->borders, b);
	make_room(k, 0, k->tick + 1);
	lock_give(k->lock);
}

/* ---- making again */

/* Of a stretch of which nothing is known any more. */
struct sheet *keep_empty(int64_t t0, int64_t t1)
{
	struct { struct sheet sh; struct sheet_some some[1]; uint32_t first[1]; } *none = xcalloc(1, sizeof *none);
	none->sh = (struct sheet){ .t0 = t0, .t1 = t1, .bytes = sizeof *none, .first = none->first, .whose = none->some,
		.stacked = none->some };
	return &none->sh;
}

/* Sheets that lie on disk, where memory is short: of those that nobody has in the hand, pages that were looked at
   go. */
static void rest_all(const struct keep *k)
{
	uint32_t n = borders_sheet(k->borders, k->borders->n);
	for (uint32_t i = 0; i < n && mem_tight(); i++) {
		struct sheet_slot *s = store_slot(k->st, i);
		const struct sheet *sh = atomic_load_explicit(&s->sheet, memory_order_relaxed);
		if (sh && !atomic_load_explicit(&s->pins, memory_order_relaxed))
			sheet_rest(sh);
	}
}

/* A sheet goes to its place, when that is empty and there is room; one that somebody waits for always. For one that
   lies shortly before it room is made: who walks backwards asks for that next, and would have the generation read from
   its beginning again. */
static void place(struct keep *k, struct sheet *sh, uint32_t at, uint32_t want)
{
	struct sheet_slot *s = store_slot(k->st, at);
	sheet_rest(sh);
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

static void reader_stop(struct keep *k)
{
	remake_stop(k->reader);
	k->reader = NULL;
}

/* Who walks over columns makes something of them meanwhile, which takes memory too: sheets give way. Not while one is
   made again: that may take long, and who draws calls this as well. What has been read to make others of, and nobody
   asked for since, goes too. */
void keep_pass(const struct store *st)
{
	struct keep *k = st->keep;
	keep_rest(st);
	if (!lock_try(k->lock))
		return;
	if (k->idle++ == IDLE)
		reader_stop(k);
	look_for_room(k);
	make_room(k, 0, k->tick + 1);
	lock_give(k->lock);
}

/* Take what the thread makes until the sheet is there. */
static void take_until(struct keep *k, uint32_t want)
{
	while (k->reader && remake_next(k->reader) <= want) {
		uint32_t i = remake_next(k->reader);
		struct sheet *sh = remake_take(k->reader);
		if (sh)
			place(k, sh, i, want);
		else
			reader_stop(k);
	}
}

/* Read on, or from the nearest border on, until the sheet is there. */
static void bring(struct keep *k, uint32_t want)
{
	uint32_t g = borders_gen(k->borders, want);
	bool known = g < k->borders->n;
	if (known)
		g = borders_near(k->borders, g);
	keep_rest(k->st);
	rest_all(k);
	k->idle = 0;
	look_for_room(k);
	if (k->reader && (remake_next(k->reader) > want || remake_next(k->reader) < borders_sheet(k->borders, g)))
		reader_stop(k);
	take_until(k, want);
	if (!k->reader && known) {	/* none, or one that came to the end of what was read at the time */
		k->reader = remake_start(&k->from, g);
		take_until(k, want);
	}
	struct sheet_slot *s = store_slot(k->st, want);
	if (!atomic_load(&s->sheet)) {
		k->lost = true;
		struct sheet *none = keep_empty(s->t0, s->t1);
		k->held += none->bytes;
		atomic_store(&s->sheet, none);
	}
	k->made++;
}

const struct sheet *keep_get(const struct snap *sn, uint32_t i)
{
	struct keep *k = sn->st->keep;
	struct sheet_slot *s = store_slot(sn->st, i);
	atomic_fetch_add(&s->pins, 1);
	const struct sheet *sh = atomic_load(&s->sheet);
	if (!sh && await_here(k->await))
		return await_sheet(k->await, s, i);
	if (!sh) {
		lock_take(k->lock);
		sh = atomic_load(&s->sheet);
		if (!sh) {
			k->tick++;
			bring(k, i);
			sh = atomic_load(&s->sheet);
		}
		lock_give(k->lock);
	}
	uint32_t tick = atomic_load_explicit(&k->tick, memory_order_relaxed);
	if (atomic_load_explicit(&s->used, memory_order_relaxed) != tick)
		atomic_store_explicit(&s->used, tick, memory_order_relaxed);
	return sh;
}

void keep_put(const struct snap *sn, uint32_t i)
{
	atomic_fetch_sub(&store_slot(sn->st, i)->pins, 1);
}

/* ---- the whole */

struct keep *keep_new(struct store *st, struct tracks *tracks, size_t limit, sink_again_fn *again, void *arg)
{
	struct keep *k = xcalloc(1, sizeof *k);
	k->st = st;
	k->limit = limit;
	k->borders = borders_new(limit / STATES);
	k->briefs = briefs_new(limit / STATES);
	k->ladder = ladder_new();
	k->stills = stills_new();
	k->from = (struct remake_from){ st, tracks, k->borders, again, arg };
	k->lock = lock_new();
	k->await = await_new();
	return k;
}

void keep_free(struct keep *k)
{
	if (!k)
		return;
	reader_stop(k);
	ladder_free(k->ladder);
	borders_free(k->borders);
	briefs_free(k->briefs);
	stills_free(k->stills);
	await_free(k->await);
	lock_free(k->lock);
	mem_free(k);
}

struct keep_facts keep_facts(struct keep *k)
{
	lock_take(k->lock);
	struct keep_facts f = { .limit = k->limit, .held = k->held, .states = k->borders->states, .made = k->made,
	    .lost = k->lost, .sheets = col_n(&k->st->sheets) };
	for (uint32_t i = 0; i < f.sheets; i++)
		f.there += atomic_load(&store_slot(k->st, i)->sheet) != NULL;
	lock_give(k->lock);
	return f;
}

uint32_t keep_tick(struct keep *k)
{
	return atomic_fetch_add(&k->tick, 1) + 1;
}

struct await *keep_await(const struct keep *k)
{
	return k ? k->await : NULL;
}

bool keep_lost(const struct keep *k)
{
	return k && k->lost;
}

void keep_drop_all(struct keep *k)
{
	lock_take(k->lock);
	reader_stop(k);
	for (uint32_t i = 0; i < borders_sheet(k->borders, k->borders->n); i++)
		drop(k, store_slot(k->st, i));
	lock_give(k->lock);
}
