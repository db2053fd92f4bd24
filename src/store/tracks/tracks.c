/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The writer of a trace: gathers the entries of tracks since the last sheet and hands them on in batches (batches.c).
 * An entry takes 24 bytes while it waits and about 10 in the sheet. No names are looked up, since a track is an index.
 *
 * An entry of a goroutine also describes the P that it takes or leaves, where nothing else happens to the P: otherwise
 * seven of the seventeen entries that ten events make would be entries of Ps with nothing new in them.
 *
 * Each track has 16 bytes here: its state after the newest entry, the time of that entry, before which no later one may
 * be, and which fields its row has already, so that the row is written two or three times in a life and not at every
 * entry. Once all tracks of a group of neighbours have ended, their state is dropped. If one of them returns
 * nevertheless, its row is enough to restore it (recall_life).
 */
#include "config.h"
#include "store/tracks/internal.h"

#include "base/job.h"
#include "store/tracks/proc_sums.h"
#include "store/tracks/seal_pipeline.h"

#include <string.h>

#define ALWAYS inline __attribute__((always_inline))

/* Reserve room for every value of sink_enter.also, so that the usual entry needs no bounds check: a P that does not exist
   has no life bits, and takes the rare path. */
static void reserve_any(struct tracks *k)
{
	page_array_reserve_sparse(&k->lasts, UINT16_MAX + 1);
}

/* Set up track 0 so that entries for it need no special case. */
static void add_track_zero(struct tracks *k)
{
	k->last = page_array_reserve(&k->lasts, k->n);
	k->last[0] = (struct track_last){ .t = INT64_MIN, .life = ALIVE };
}

static void moves_make(struct tracks *k)
{
	for (unsigned s = 0; s < TS__N; s++)
		for (unsigned was = 0; was < CLASS__N; was++) {
			bool edge = s == TS_READY && (was == CLASS_NONE || was == CLASS_WAITING);
			unsigned bits = ENTRY_G | (edge ? ENTRY_EDGE : 0u), is = sheet_class[s];
			k->moves[s][was + 1] = (struct track_move){ (uint8_t)(bits | is << ENTRY_CLASS | was),
				(uint8_t)(is + 1) };
		}
}

struct tracks *tracks_new(struct store *st)
{
	struct tracks *k = xcalloc(1, sizeof *k);
	k->st = st;
	k->whole = k->least = SHEET_WHOLE;
	column_init(&st->trks, sizeof(struct trk_row));
	column_init(&st->trk_times, sizeof(int64_t));
	column_init(&st->trk_origins, sizeof(struct trk_origin));
	column_add(&st->trk_origins, NULL);
	column_init(&st->sheets, sizeof(struct sheet_slot));
	st->proc_sums = proc_sums_new();
	annotations_init(&k->annotations, st);
	column_add(&st->trks, NULL);
	k->n = 1;
	k->lasts.width = sizeof *k->last;
	k->crowds.width = sizeof *k->crowd;
	k->crowd = page_array_reserve(&k->crowds, 1);
	k->crowd[0] = 1;	/* track 0 always exists */
	add_track_zero(k);
	moves_make(k);
	k->seal_pipeline = seal_new(st);
	return k;
}

void tracks_free(struct tracks *k)
{
	struct store *st = k->st;
	tracks_done(k);
	for (uint32_t i = 0; i < column_n(&st->sheets); i++)
		sheet_free(store_slot(st, i)->sheet);
	proc_sums_free(st->proc_sums);
	column_free(&st->trks);
	column_free(&st->trk_times);
	column_free(&st->trk_origins);
	column_free(&st->sheets);
	annotations_free(&k->annotations);
	seal_free(k->seal_pipeline);
	tracks_index_free(&k->index);
	mem_free(k);
}

bool tracks_help_seal(struct tracks *k)
{
	return seal_help(k->seal_pipeline);
}

void tracks_end(struct tracks *k)
{
	seal_wait(k->seal_pipeline);
	tracks_index_sort(&k->index, k->st);
	trampolines_name(k);
}

void tracks_done(struct tracks *k)
{
	seal_finish(k->seal_pipeline);
	page_array_free(&k->lasts);
	page_array_free(&k->crowds);
	mem_free(k->left);
	k->left = NULL;
	mem_free(k->now.entry);
	mem_free(k->now.listed);
	k->last = NULL;
	k->now = (struct sheet_batch){0};
	intern_free(&k->origins);
	if (!k->st->has_numbered)
		tracks_index_free(&k->index);
}

trk_id tracks_track(struct tracks *k, enum track_kind kind, uint64_t id)
{
	trk_id i = tracks_index_add(&k->index, k->st, kind, id);
	if (i < k->n)
		return i;
	if (k->n == 1)		/* a profile has no tracks */
		reserve_any(k);
	k->n = i + 1;
	k->last = page_array_reserve(&k->lasts, i + 1u);
	k->last[i] = (struct track_last){ .t = k->sealed, .class = kind == TK_G, .life = KNOWN };
	k->crowd = page_array_reserve(&k->crowds, i / SHEET_CROWD + 1u);
	return i;
}

static int same_origin(const void *st, uint32_t i, const void *key)
{
	return !memcmp(column_at(&((const struct store *)st)->trk_origins, i), key, sizeof(struct trk_origin));
}

/* Set what is known of the start of a goroutine. Goroutines that follow one another often start at one place. */
static void set_origin(struct tracks *k, struct trk_row *r, const struct trk_origin *o)
{
	struct data_column *all = &k->st->trk_origins;
	if (same_origin(k->st, r->origin, o))
		return;
	if (!same_origin(k->st, k->origin, o)) {
		uint32_t hash = intern_hash_u64((uint64_t)o->name << 32 | o->start, (uint64_t)o->created << 32 | o->heard);
		k->origin = intern_find(&k->origins, hash, same_origin, k->st, o);
		if (k->origin == UINT32_MAX) {
			*(struct trk_origin *)column_add(all, &k->origin) = *o;
			intern_put(&k->origins, hash, k->origin);
		}
	}
	trk_set(r->origin, k->origin);
}

void tracks_set_origin(struct tracks *k, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created)
{
	if (!g || g >= k->n)
		return;
	struct trk_row *r = column_at(&k->st->trks, g);
	struct trk_origin o = *store_origin(k->st, r);
	if (creator)
		trk_set(r->creator, creator);
	o.name = o.start_fun = start_fun ? start_fun : o.start_fun;
	o.start = start ? start : o.start;
	o.created = created ? created : o.created;
	set_origin(k, r, &o);
}

void tracks_set_name(struct tracks *k, trk_id g, str_id name)
{
	struct trk_row *r = column_at(&k->st->trks, g);
	struct trk_origin o = *store_origin(k->st, r);
	o.name = name;
	set_origin(k, r, &o);
}

/* Return a time in the form in which the row stores it. The row's t0 must be known. Returns 0 when the table of far
   times is full. */
static uint32_t pack_time(struct store *st, const struct trk_row *r, int64_t t)
{
	uint64_t ns = (uint64_t)t - (uint64_t)r->t0;
	uint32_t i;
	if (ns < TRK_FAR - 1)
		return (uint32_t)ns + 1;
	*(int64_t *)column_add(&st->trk_times, &i) = t;
	return i < TRK_FAR ? TRK_FAR + i : 0;
}

/* Update the times of life in a track's row. */
static void life_changes(struct tracks *k, struct track_last *l, trk_id trk, int64_t t, enum tstate s, bool past)
{
	struct trk_row *r = column_at(&k->st->trks, trk);
	if (s == TS_NONE || s == TS_FOREVER) {
		if (!(l->life & HAS_T0))
			trk_set(r->t0, t);
		trk_set(r->to_t1, pack_time(k->st, r, t));
		l->life = (l->life | HAS_T0) & (uint8_t)~LIVES;
		return;
	}
	if (!(l->life & LIVES)) {
		/* Threads of C code reuse a goroutine: the row describes its newest life. */
		trk_set(r->to_t1, 0);
		trk_set(r->to_run0, 0);
		trk_set(r->t0, t);
		l->life = (l->life | HAS_T0 | LIVES) & (uint8_t)~HAS_RUN0;
	}
	if (s == TS_RUN && !past && !(l->life & HAS_RUN0)) {
		trk_set(r->to_run0, pack_time(k->st, r, t));
		l->life |= HAS_RUN0;
	}
}

static inline void track_life(struct tracks *k, struct track_last *l, trk_id trk, int64_t t, enum tstate s, bool past)
{
	bool runs = s == TS_RUN && !past && !(l->life & HAS_RUN0);
	if (s == TS_NONE || s == TS_FOREVER || runs || !(l->life & LIVES))
		life_changes(k, l, trk, t, s, past);
}

/* Life flags that may be missing for the fast path, by state: if `life | life_free[state]` is ENOUGH, the entry does
   not change the row. It never is for states that end a life, for TS_PAST, and for numbers that are no state. */
enum { ENOUGH = 0xff };
static const uint8_t life_free[UINT8_MAX + 1] = {
#define STATE(id, letter, name, reason) [TS_##id] = TS_##id == TS_NONE || TS_##id == TS_FOREVER ? 0 : \
	TS_##id == TS_RUN ? ENOUGH - ALIVE : ENOUGH - HAS_T0 - LIVES - TOLD,
#include "state.def"
#undef STATE
};

/* Restore the life bits of a track that were dropped or never set, from its row. */
static void recall_life(const struct tracks *k, struct track_last *l, trk_id trk)
{
	const struct trk_row *r = store_trk(k->st, trk);
	l->class = r->kind == TK_G;
	l->life = KNOWN | (r->t0 != TIME_NONE ? HAS_T0 : 0) | (r->to_run0 ? HAS_RUN0 : 0);
}

/* Return the time for an entry that is older than the newest of its track, or than the last sheet. If the entry is
   TS_PAST and the first of its track, the row gets the true time and the time from which on sheets have it. */
static int64_t move_late_entry(struct tracks *k, struct track_last *l, const struct sink_enter *e, int64_t floor)
{
	if (e->state & TS_PAST && !(l->life & HAS_T0)) {
		struct trk_row *r = column_at(&k->st->trks, e->trk);
		struct trk_origin o = *store_origin(k->st, r);
		trk_set(r->t0, e->t);
		*(int64_t *)column_add(&k->st->trk_times, &o.heard) = floor;
		o.heard++;
		set_origin(k, r, &o);
		l->life |= HAS_T0 | LIVES;
	}
	return floor;
}

/* The local state of tracks_enter(), which the fast path keeps in registers. */
struct entering {
	struct sink_enter *base, *out, *tie;
	const struct sink_enter *e, *end;	/* the current entry, and the end of the input */
	int64_t newest;
	/* entries from this place, or from time `due` on, are tested for a full batch */
	const struct sink_enter *full;
	int64_t due;
	uint32_t few;		/* while fewer tracks exist, their number does not change the batch size */
};

/* Return how many entries make a batch whose sheet would otherwise become too long for starts of three bytes: half of a
   usual batch. One more sheet is one more row for each existing track, so it takes more entries where these are
   many. */
static size_t short_batch_size(const struct tracks *k, size_t most)
{
	size_t n = (size_t)SHORT_ROW * k->there;
	return n < most / 2 ? most / 2 : n < most ? n : most;
}

static void next_full(const struct tracks *k, struct entering *x)
{
	_Static_assert(2 * SHORT_ROW > SEAL_ROW, "a request for half of the row is a request for the row");
	x->few = (uint32_t)(k->least / (2 * SHORT_ROW));
	size_t n = (size_t)(x->out - x->base), most = tracks_batch_size(k), some = short_batch_size(k, most);
	int64_t due = k->sealed + START3_NS - 1;
	x->full = x->base + (n < some ? some : most);
	x->due = n >= some && x->newest < due ? due : INT64_MAX;
}

static bool is_full(const struct tracks *k, const struct entering *x, int64_t t)
{
	size_t n = (size_t)(x->out - x->base), most = tracks_batch_size(k);
	int64_t due = k->sealed + START3_NS - 1;
	return n >= most || (n >= short_batch_size(k, most) && t >= due && x->newest < due);
}

/* The batch is full, and all entries before t are there: cut it at t, or at the last time that keeps starts of three
   bytes. */
static void next_batch(struct tracks *k, struct entering *x, int64_t t)
{
	size_t left = (size_t)(x->end - x->e);
	int64_t most = k->sealed + START3_NS - 1, end = t > most && x->newest < most ? most : t;
	k->newest = end < t ? x->newest : t;
	k->ties = (size_t)((t > x->newest ? x->out : x->tie) - x->base);
	k->now.n = (size_t)(x->out - x->base);
	tracks_upto(k, end);
	x->base = tracks_room(k, &k->now, left);
	x->out = x->base + k->now.n;
	x->tie = x->base + k->ties;
}

/* Record that a track is in a state from t on: in its row, where that changes, and in the number of existing tracks. */
static ALWAYS void rare_state(struct tracks *k, struct track_last *l, trk_id trk, int64_t t, enum tstate s, bool past)
{
	track_life(k, l, trk, t, s, past);
	tracks_set_present(k, l, trk, s != TS_NONE);
}

/* The same for the P that an entry also describes. */
static void __attribute__((noinline)) rare_also(struct tracks *k, const struct sink_enter *e, int64_t t)
{
	rare_state(k, &k->last[e->also], e->also, t, sink_proc_state(e->state & SHEET_STATE), false);
}

/* Count the track as having entries in the current batch. */
static void rare_count(struct tracks *k, struct track_last *l, trk_id trk, int64_t t)
{
	tracks_count_entry(&k->now, l, trk, t == k->sealed);
	l->n--;		/* enter_all() counts this entry */
}

/* Handle all rare cases of the current entry: a late time, changes of rows, a full batch. Return its time. Not inlined,
   since the calling loop needs the registers. */
static int64_t __attribute__((noinline)) rare_entry(struct tracks *k, struct entering *x)
{
	const struct sink_enter *e = x->e;
	struct track_last *l = &k->last[e->trk], *also = &k->last[e->also];
	unsigned s = e->state & SHEET_STATE, past = e->state & TS_PAST;
	int64_t t = e->t;
	if (!(l->life & KNOWN))
		recall_life(k, l, e->trk);
	if (t <= x->newest) {
		int64_t floor = l->t < k->sealed ? k->sealed : l->t;
		if (e->also && also->t > floor)
			floor = also->t;
		if (t < floor)
			t = move_late_entry(k, l, e, floor);
	}
	rare_state(k, l, e->trk, t, (enum tstate)s, past);
	if (e->also && (also->life & SETTLED) != SETTLED)
		rare_also(k, e, t);
	bool ask = k->there >= x->few || x->out >= x->full || t >= x->due;
	if (ask && is_full(k, x, t) && t >= x->newest && t > k->sealed && !past)
		next_batch(k, x, t);
	if (ask)
		next_full(k, x);
	rare_count(k, l, e->trk, t);
	if (e->also && (t == k->sealed || (also->life & (TOLD | LISTED)) != (TOLD | LISTED)))
		rare_count(k, also, e->also, t);
	k->now.past |= past != 0;
	return t;
}

/* Handle an entry that starts a track, is its first run, or ends it, where nothing else is rare: it is later than all
   earlier entries and its P needs no change. Each life has three such entries, and many lives have few others. */
static void __attribute__((noinline)) life_entry(struct tracks *k, struct track_last *l, trk_id trk, int64_t t,
    enum tstate s)
{
	track_life(k, l, trk, t, s, false);
	tracks_set_present(k, l, trk, s != TS_NONE);
	if (!(l->life & LISTED))
		tracks_list_in_batch(&k->now, l, trk);
	l->life |= TOLD;
}

/* Enter all remaining entries, to x->out on. many: with many tracks their state is not in the cache, so prefetch it. */
static ALWAYS void enter_all(struct tracks *k, struct entering *x, const bool many)
{
	enum { AHEAD = 12 };
	struct sink_enter *out = x->out;
	struct track_last *last = k->last;
	const uint32_t ntrk = k->n;
	const struct sink_enter *end = x->end;
	for (const struct sink_enter *e = x->e; e < end; e++) {
		if (many && end - e > AHEAD)
			__builtin_prefetch(&last[e[AHEAD].trk]);
		if (e->trk - 1 >= ntrk - 1)
			continue;
		struct track_last *l = &last[e->trk], *also = &last[e->also];
		int64_t t = e->t;
		unsigned is = e->state;
		/* later than the newest entry of all tracks implies later than the newest of this one */
		bool rare = t <= x->newest || t >= x->due || out >= x->full || (also->life & ALIVE) != ALIVE;
		bool lives = (l->life | life_free[is]) == ENOUGH;
		if (__builtin_expect(!rare && lives, true)) {
			x->newest = t;
			x->tie = out;
		} else if (!rare && l->life & KNOWN && is < TS__N && k->there + 1 < x->few) {
			x->newest = t;
			x->tie = out;
			life_entry(k, l, e->trk, t, (enum tstate)is);
		} else {
			if ((e->state & SHEET_STATE) >= TS__N || e->also >= ntrk || out - x->base >= SHEET_MOST)
				continue;
			x->out = out;
			x->e = e;
			t = rare_entry(k, x);
			out = x->out;
			x->tie = t > x->newest ? out : x->tie;
			x->newest = t > x->newest ? t : x->newest;
		}
		struct track_move move = k->moves[is & SHEET_STATE][l->class];
		*out = *e;
		out->t = t;
		out++->moved = move.moved;
		l->t = t;
		l->class = move.class;
		l->n++;
		also->t = t;
		also->n++;
	}
	x->out = out;
}

void tracks_enter(struct tracks *k, const struct sink_enter *e, size_t count)
{
	enum { MANY = 1 << 12 };
	struct sink_enter *base = tracks_room(k, &k->now, count);
	struct entering x = { .base = base, .out = base + k->now.n, .tie = base + k->ties, .e = e, .end = e + count,
		.newest = k->newest > k->sealed ? k->newest : k->sealed };
	next_full(k, &x);
	if (k->there < MANY)
		enter_all(k, &x, false);
	else
		enter_all(k, &x, true);
	k->newest = x.newest;
	k->ties = (size_t)(x.tie - x.base);
	k->now.n = (size_t)(x.out - x.base);
	seal_share_work(k->seal_pipeline, count);
	seal_reclaim_arrays(k->seal_pipeline, &k->now);
}

static void tracks_counts(const struct tracks *k, struct snap *s)
{
	s->ntrks = column_n(&k->st->trks);
	annotations_fill_snap(&k->annotations, s);
}

void tracks_notify(struct tracks *k, struct snap *s, seal_notify_fn *fn, void *arg)
{
	tracks_counts(k, s);
	seal_notify(k->seal_pipeline, s, fn, arg);
}

struct annotations *tracks_annotations(struct tracks *k)
{
	return &k->annotations;
}

void tracks_sealed(const struct tracks *k, struct snap *s)
{
	seal_fill_snap(k->seal_pipeline, s);
}

const struct snap *tracks_snap(struct tracks *k, struct snap *s)
{
	seal_wait(k->seal_pipeline);
	tracks_counts(k, s);
	tracks_sealed(k, s);
	return s;
}
