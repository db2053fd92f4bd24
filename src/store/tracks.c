/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The writer of a trace: gathers what is said of tracks since the last sheet
 * and hands it on in pieces (sealing.c). An entry costs 24 bytes while it waits
 * and about 10 in the sheet; nothing is looked up by name on the way, for a track
 * is an index.
 *
 * An entry of a goroutine tells of the P it takes or leaves as well, where that is
 * all there is to it: seven of the seventeen entries that ten events make would
 * be of Ps, and say nothing new.
 *
 * Per track 16 bytes are known here: its state after the newest entry, the time
 * of that entry, below which no later one may lie, and what of its life its row
 * tells already, so that the row is touched twice or thrice in a life and not at
 * every entry. Where all of a crowd of neighbours have ended it is forgotten: of those that
 * come back nevertheless the row says enough (recall).
 *
 * Pieces are cut where the reader says that all before is told, and before that
 * whenever SHEET_WHOLE entries wait, or of a small file fewer: what waits costs more than
 * what is sealed, and a generation may hold tens of millions. A sheet has a row for each track that
 * is there, though it do nothing, so where these are many there wait as many
 * entries as make the rows no more than a fourth of it. What is told of the sealed past after
 * that (a goroutine first heard of late) is in the sheets from the cut on, and
 * its row says since when it was really there.
 */
#include "config.h"
#include "store/tracks.h"

#include "base/job.h"
#include "base/shelf.h"
#include "store/border.h"
#include "store/sealing.h"
#include "store/strips.h"
#include "store/trkindex.h"

#include <string.h>

enum { SEAL_MIN = 1 << 16, SEAL_SHARE = 32, SEAL_ROW = 3, BRIEF_ROW = 16, SEAL_SHEETS = 256, SEAL_MOST = 1 << 21, NEW = 1 << 14 };
/* LIVES: it has no t1; THERE: it has rows in sheets; LISTED: there are entries of it in the piece at hand; TOLD: and not only
   where that begins */
enum { HAS_T0 = 1, LIVES = 2, HAS_RUN0 = 4, TOLD = 8, THERE = 16, LISTED = 32,
	ALIVE = HAS_T0 | LIVES | HAS_RUN0 | TOLD };

struct track_last {
	int64_t t;
	uint8_t class;			/* of its state: enum sheet_class */
	/* of its row: HAS_*, LIVES; and THERE, LISTED, TOLD */
	uint8_t life;
	uint8_t g;			/* all ones: a goroutine; 0: none */
	bool first;			/* one of them is at the beginning of the piece */
	uint32_t n;			/* the others */
};

struct tracks {
	struct store *st;
	uint32_t n;			/* tracks, with number 0 */
	struct track_last *last;
	struct shelf lasts;		/* where they lie */
	struct sheet_piece now;		/* what waits */
	size_t whole;			/* entries of a piece of a trace that is not long, with few tracks */
	size_t least;			/* of the one at hand, if there are not very many tracks */
	uint32_t there;			/* tracks that are THERE */
	uint64_t sent;			/* entries of all pieces before */
	uint32_t *crowd;		/* by SHEET_CROWD tracks: how many of them are */
	struct shelf crowds;		/* where they lie */
	/* crowds of which none was for a moment: to be forgotten when the piece is cut */
	uint32_t *left;
	size_t nleft, cleft;
	size_t ties;			/* from here on entries have the time `newest` */
	int64_t sealed, newest;
	uint8_t moves[SHEET_STATE + 1][8];	/* sink_enter.moved of a goroutine, by state and class before */
	struct strips strips;		/* what lies beside them */
	struct sealing *sealing;
	struct trkindex index;
	struct lock *lock;		/* of the index, when others look */
	struct tracks *of;		/* this one tells again what that one told */
	void (*made)(void *, struct sheet_piece *);
	void *arg;
};

/* Track 0: as one of which nothing need be known. There is room for all that sink_enter.also can name: of one that is not
   there nothing is known, and so that is seen when it is too late for nothing else. */
static void nobody(struct tracks *k)
{
	shelf_reach(&k->lasts, UINT16_MAX + 1);
	k->last = shelf_room(&k->lasts, k->n);
	k->last[0] = (struct track_last){ .t = INT64_MIN, .life = ALIVE };
}

static void moves_make(struct tracks *k)
{
	for (unsigned s = 0; s < TS__N; s++)
		for (unsigned was = 0; was < CLASS__N; was++) {
			bool edge = s == TS_READY && (was == CLASS_NONE || was == CLASS_WAITING);
			k->moves[s][was] = (uint8_t)(ENTRY_G | (edge ? ENTRY_EDGE : 0) | sheet_class[s] << ENTRY_CLASS | was);
		}
}

struct tracks *tracks_new(struct store *st)
{
	struct tracks *k = xcalloc(1, sizeof *k);
	k->st = st;
	k->whole = k->least = SHEET_WHOLE;
	col_init(&st->trks, sizeof(struct trk_row));
	col_init(&st->heards, sizeof(int64_t));
	col_init(&st->sheets, sizeof(struct sheet_slot));
	strips_init(&k->strips, st);
	col_add(&st->trks, NULL);
	k->n = 1;
	k->lasts.width = sizeof *k->last;
	k->crowds.width = sizeof *k->crowd;
	k->crowd = shelf_room(&k->crowds, 1);
	k->crowd[0] = 1;	/* nobody is always there */
	nobody(k);
	moves_make(k);
	k->sealing = sealing_new(st);
	return k;
}

void tracks_free(struct tracks *k)
{
	struct store *st = k->st;
	tracks_done(k);
	for (uint32_t i = 0; i < col_n(&st->sheets); i++)
		sheet_free(store_slot(st, i)->sheet);
	keep_free(st->keep);
	col_free(&st->trks);
	col_free(&st->heards);
	col_free(&st->sheets);
	strips_free(&k->strips);
	sealing_free(k->sealing);
	trkindex_free(&k->index);
	lock_free(k->lock);
	mem_free(k);
}

void tracks_thawed(struct tracks *k, int64_t t1)
{
	k->n = col_n(&k->st->trks);
	k->sealed = k->newest = t1;
	sealing_thawed(k->sealing, t1);
}

bool tracks_spare(struct tracks *k)
{
	return sealing_spare(k->sealing);
}

void tracks_end(struct tracks *k)
{
	sealing_end(k->sealing);
}

void tracks_done(struct tracks *k)
{
	sealing_done(k->sealing);
	shelf_free(&k->lasts);
	shelf_free(&k->crowds);
	mem_free(k->left);
	k->left = NULL;
	mem_free(k->now.entry);
	mem_free(k->now.told);
	k->last = NULL;
	k->now = (struct sheet_piece){0};
	if (!k->lock)
		trkindex_free(&k->index);
}

/* Of tracks that were, most are not looked at again. */
static void rest(const struct tracks *k)
{
	shelf_rest(&k->lasts);
	shelf_rest(&k->index.gids);
	if (k->st->keep && !k->of)
		col_rest(&k->st->trks);
}

static trk_id find_or_add(struct tracks *k, enum track_kind kind, uint64_t id)
{
	trk_id i = trkindex_put(&k->index, k->st, kind, id);
	if (i < k->n)
		return i;
	k->n = i + 1;
	k->last = shelf_room(&k->lasts, i + 1u);
	k->last[i] = (struct track_last){ .t = k->sealed, .g = kind == TK_G ? 0xff : 0 };
	k->crowd = shelf_room(&k->crowds, i / SHEET_CROWD + 1u);
	if (i % NEW == 0)	/* half a million may be told of before the first piece is cut */
		rest(k);
	return i;
}

trk_id tracks_track(struct tracks *k, enum track_kind kind, uint64_t id)
{
	struct tracks *of = k->of ? k->of : k;
	if (!of->lock)
		return find_or_add(k, kind, id);
	lock_take(of->lock);
	trk_id t = k->of ? trkindex_find(&of->index, of->st, kind, id) : find_or_add(k, kind, id);
	lock_give(of->lock);
	if (k->of && t < k->n)
		k->last[t].g = t && kind == TK_G ? 0xff : 0;
	return t;
}

void tracks_born(struct tracks *k, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created)
{
	if (!g || g >= k->n)
		return;
	struct trk_row *r = col_at(&k->st->trks, g);
	if (start_fun)
		r->name = start_fun;
	if (creator)
		r->creator = creator;
	if (start)
		r->start = start;
	if (created)
		r->created = created;
}

/* Room for so many more. A piece that is not small becomes a whole one, nearly always: room that is not used is no
   memory, and what grows by and by is copied on the way. */
static struct sink_enter *entry_room(const struct tracks *k, struct sheet_piece *p, size_t n)
{
	enum { FEW = 1 << 13 };
	size_t need = p->n + n, all = k->whole + FEW;
	if (need > p->centry)
		p->entry = mem_grow(p->entry, &p->centry, need > FEW && need < all ? all : need, sizeof *p->entry);
	return p->entry;
}

/* Of track l, of which nothing was told in the piece, an entry comes. */
static void __attribute__((noinline)) tell_first(struct sheet_piece *p, struct track_last *l, trk_id trk)
{
	p->told = mem_grow(p->told, &p->ctold, p->ntold + 1, sizeof *p->told);
	p->told[p->ntold++] = (struct sheet_told){ .trk = trk, .g = l->g };
	l->life |= LISTED;
}

/* One more entry. The sheet is laid out by how many there are. */
static inline void tell(struct sheet_piece *p, struct track_last *l, trk_id trk, bool first)
{
	if (!(l->life & LISTED))
		tell_first(p, l, trk);
	l->first |= first;
	l->n += !first;
	l->life |= first ? 0 : TOLD;
}

/* What a track's row says of its life. */
static void track_life(struct track_last *l, struct trk_row *r, int64_t t, enum tstate s, bool past)
{
	if (s == TS_NONE || s == TS_FOREVER) {
		if (!(l->life & HAS_T0))
			r->t0 = t;
		r->t1 = t;
		l->life = (l->life | HAS_T0) & (uint8_t)~LIVES;
		return;
	}
	if (!(l->life & LIVES)) {
		/* threads of C code use a goroutine again and again: the row tells of its newest life */
		r->t0 = t;
		r->t1 = r->run0 = TIME_NONE;
		l->life = (l->life | HAS_T0 | LIVES) & (uint8_t)~HAS_RUN0;
	}
	if (s == TS_RUN && !past && !(l->life & HAS_RUN0)) {
		r->run0 = t;
		l->life |= HAS_RUN0;
	}
}

/* By state: what of a life does not matter. With it the life must be whole, and then the entry changes nothing of the
   row; for the states that end one, for TS_PAST and for numbers that are no state it never is. */
enum { ENOUGH = 0xff };
static const uint8_t life_free[UINT8_MAX + 1] = {
#define STATE(id, letter, name, reason) [TS_##id] = TS_##id == TS_NONE || TS_##id == TS_FOREVER ? 0 : \
	TS_##id == TS_RUN ? ENOUGH - ALIVE : ENOUGH - HAS_T0 - LIVES - TOLD,
#include "state.def"
#undef STATE
};

static void set_there(struct tracks *k, trk_id trk, bool there)
{
	struct track_last *l = &k->last[trk];
	uint32_t more = there ? 1 : UINT32_MAX, i = trk / SHEET_CROWD;
	if (there == !!(l->life & THERE))
		return;
	k->there += more;
	l->life ^= THERE;
	if (k->of)
		return;
	k->crowd[i] += more;
	if (k->crowd[i] || (k->nleft && k->left[k->nleft - 1] == i))
		return;
	k->left = mem_grow(k->left, &k->cleft, k->nleft + 1, sizeof *k->left);
	k->left[k->nleft++] = i;
}

/* Of a crowd that is whole and of which none is there any more, and none is in the piece at hand, nothing is kept. */
static void forget_left(struct tracks *k)
{
	size_t n = 0, from = 0, upto = 0;	/* neighbours go at once, for every thread hears of each time */
	for (size_t i = 0; i < k->now.n; i++)
		k->crowd[k->now.entry[i].trk / SHEET_CROWD]++;
	for (size_t i = 0; i < k->nleft; i++) {
		size_t at = (size_t)k->left[i] * SHEET_CROWD;
		if (at + SHEET_CROWD > k->n || (k->now.n && k->crowd[k->left[i]])) {
			k->left[n++] = k->left[i];
		} else if (!k->crowd[k->left[i]]) {
			if (upto != at) {
				shelf_spent(&k->lasts, from, upto);
				from = at;
			}
			upto = at + SHEET_CROWD;
		}
	}
	shelf_spent(&k->lasts, from, upto);
	k->nleft = n;
	for (size_t i = 0; i < k->now.n; i++)
		k->crowd[k->now.entry[i].trk / SHEET_CROWD]--;
}

/* What was forgotten of a track, or is not known yet. */
static void recall(const struct tracks *k, struct track_last *l, trk_id trk)
{
	const struct trk_row *r = store_trk(k->st, trk);
	l->g = r->kind == TK_G ? 0xff : 0;
	l->life = (r->t0 != TIME_NONE ? HAS_T0 : 0) | (r->run0 != TIME_NONE ? HAS_RUN0 : 0);
}

/* So many entries are a piece, at least: of a long trace each is a share of what was before it, so that sheets are few and
   a frame of all of it does not cost by its length; but where they are made again it must be the same wherever one begins. */
static void next_least(struct tracks *k)
{
	size_t share = k->st->keep ? 0 : k->sent / SEAL_SHEETS;
	k->least = share < k->whole ? k->whole : share > SEAL_MOST ? SEAL_MOST : share;
}

/* And more, where many tracks are there. */
static inline size_t enough(const struct tracks *k)
{
	size_t n = (size_t)SEAL_ROW * k->there;
	if (n <= k->least || (k->st->keep && mem_tight()))
		return k->least;
	return n > SEAL_MOST ? SEAL_MOST : n;
}

/* An entry that is told too late for its time, or of a time that is sealed. */
static int64_t late(struct tracks *k, struct track_last *l, const struct sink_enter *e, int64_t floor)
{
	if (e->state & TS_PAST && !(l->life & HAS_T0)) {
		struct trk_row *r = col_at(&k->st->trks, e->trk);
		r->t0 = e->t;
		uint32_t i;
		*(int64_t *)col_add(&k->st->heards, &i) = floor;
		r->heard = i + 1;
		l->life |= HAS_T0 | LIVES;
	}
	return floor;
}

/* Where tracks_enter() is: what it keeps in registers but for what is rare. */
struct entering {
	struct sink_enter *base, *out, *tie;
	int64_t newest;
	/* an entry there, or of that time, is asked whether the piece is full */
	const struct sink_enter *full;
	int64_t due;
};

/* A piece with so many is full, too, before its sheet becomes too long for short times: half of what is enough. But one more
   sheet is one more row of each track that is there, so not where these are many. */
static size_t brief(const struct tracks *k, size_t most)
{
	size_t n = (size_t)BRIEF_ROW * k->there;
	return n < most / 2 ? most / 2 : n < most ? n : most;
}

static void next_full(const struct tracks *k, struct entering *x)
{
	size_t n = (size_t)(x->out - x->base), most = enough(k), some = brief(k, most);
	int64_t due = k->sealed + START3_NS - 1;
	x->full = x->base + (n < some ? some : most);
	x->due = n >= some && x->newest < due ? due : INT64_MAX;
}

static bool is_full(const struct tracks *k, const struct entering *x, int64_t t)
{
	size_t n = (size_t)(x->out - x->base), most = enough(k);
	int64_t due = k->sealed + START3_NS - 1;
	return n >= most || (n >= brief(k, most) && t >= due && x->newest < due);
}

/* The piece is full, and all before t is told: it goes up to there, or, where so it has short times, as far as these do. */
static void next_piece(struct tracks *k, struct entering *x, int64_t t, size_t left)
{
	int64_t most = k->sealed + START3_NS - 1, end = t > most && x->newest < most ? most : t;
	k->newest = end < t ? x->newest : t;
	k->ties = (size_t)((t > x->newest ? x->out : x->tie) - x->base);
	k->now.n = (size_t)(x->out - x->base);
	tracks_upto(k, end);
	x->base = entry_room(k, &k->now, left);
	x->out = x->base + k->now.n;
	x->tie = x->base + k->ties;
}

/* Of a track that is in a state from t on: its row, unless that tells all of its life. */
static void rare_state(struct tracks *k, struct track_last *l, trk_id trk, int64_t t, enum tstate s, bool past)
{
	if (!k->of)
		track_life(l, col_at(&k->st->trks, trk), t, s, past);
	set_there(k, trk, s != TS_NONE);
}

/* It is told of in the piece at hand. */
static void rare_tell(struct tracks *k, struct track_last *l, trk_id trk, int64_t t)
{
	tell(&k->now, l, trk, t == k->sealed);
	l->n--;		/* it is counted with all */
}

/* What is rare of an entry, of `left` that are to come: its time, set right; the rows; a piece that is full. Not in
   place: the loop that asks for it needs its registers. */
static int64_t __attribute__((noinline)) rare_entry(struct tracks *k, struct entering *x, const struct sink_enter *e,
    size_t left)
{
	struct track_last *l = &k->last[e->trk], *also = &k->last[e->also];
	unsigned s = e->state & SHEET_STATE, past = e->state & TS_PAST;
	int64_t t = e->t, floor = l->t < k->sealed ? k->sealed : l->t;
	if (!l->life && !k->of)
		recall(k, l, e->trk);
	if (e->also && also->t > floor)
		floor = also->t;
	if (t < floor)
		t = k->of ? floor : late(k, l, e, floor);
	rare_state(k, l, e->trk, t, (enum tstate)s, past);
	if (e->also)
		rare_state(k, also, e->also, t, sink_also(s), false);
	if (is_full(k, x, t) && t >= x->newest && t > k->sealed && !past)
		next_piece(k, x, t, left);
	rare_tell(k, l, e->trk, t);
	if (e->also)
		rare_tell(k, also, e->also, t);
	k->now.past |= past != 0;
	return t;
}

void tracks_enter(struct tracks *k, const struct sink_enter *e, size_t count)
{
	enum { AHEAD = 12 };
	struct sink_enter *base = entry_room(k, &k->now, count);
	struct entering x = { .base = base, .out = base + k->now.n, .tie = base + k->ties, .newest = k->newest };
	struct sink_enter *out = x.out;
	next_full(k, &x);
	struct track_last *last = k->last;
	uint32_t ntrk = k->n;
	const struct sink_enter *end = e + count, *near = count > AHEAD ? end - AHEAD : e;
	for (; e < end; e++) {
		if (e < near)
			__builtin_prefetch(&last[e[AHEAD].trk]);
		__builtin_prefetch((const char *)out + AHEAD * sizeof *out, 1);
		if (e->trk - 1 >= ntrk - 1)
			continue;
		/* of what is nobody, the newest time of all, and the rest is never asked for */
		struct track_last *l = &last[e->trk], *also = &last[e->also];
		int64_t t = e->t;
		bool rare = t < l->t || t < also->t || out >= x.full || t >= x.due ||
			    ((l->life | life_free[e->state]) & (also->life | (ENOUGH - ALIVE))) != ENOUGH;
		if (__builtin_expect(rare, false)) {
			if ((e->state & SHEET_STATE) >= TS__N || e->also >= ntrk || out - x.base >= SHEET_MOST)
				continue;
			x.out = out;
			t = rare_entry(k, &x, e, (size_t)(end - e));
			out = x.out;
			next_full(k, &x);
		}
		if (t > x.newest) {
			x.newest = t;
			x.tie = out;
		}
		unsigned is = e->state & SHEET_STATE;
		*out = *e;
		out->t = t;
		out++->moved = k->moves[is][l->class] & l->g;
		l->t = t;
		l->class = sheet_class[is];
		l->n++;
		also->t = t;
		also->n++;
	}
	k->newest = x.newest;
	k->ties = (size_t)(x.tie - x.base);
	k->now.n = (size_t)(out - x.base);
	if (!k->of)
		sealing_share(k->sealing, count);
}

/* Take the entries from v[from] on that are not before t1 out, keeping the order of both; how many stay. */
static size_t split(struct tracks *k, size_t from, int64_t t1, struct sheet_piece *late)
{
	struct sink_enter *v = k->now.entry;
	size_t n = from;
	for (size_t i = from; i < k->now.n; i++) {
		if (v[i].t < t1) {
			v[n++] = v[i];
		} else {
			entry_room(k, late, 1)[late->n++] = v[i];
			k->last[v[i].trk].n--;
			k->last[v[i].also].n--;
		}
	}
	return n;
}

/* The tracks of the piece, and how many entries each has; then they are in none. */
static void count_told(struct tracks *k)
{
	struct sheet_piece *p = &k->now;
	size_t n = 0;
	for (size_t i = 0; i < p->ntold; i++) {
		struct track_last *l = &k->last[p->told[i].trk];
		p->told[n] = p->told[i];
		p->told[n].n = l->n;
		n += l->n || l->first;
		l->n = 0;
		l->first = false;
		l->life &= (uint8_t)~(TOLD | LISTED);
	}
	p->ntold = n;
}

/* An entry that is in the piece at hand, which begins at t0. */
static void tell_both(struct tracks *k, const struct sink_enter *e, int64_t t0)
{
	tell(&k->now, &k->last[e->trk], e->trk, e->t == t0);
	if (e->also)
		tell(&k->now, &k->last[e->also], e->also, e->t == t0);
}

/* Hand on [sealed, t1): the entries before t1 go, the others stay, both in their order. */
static void cut_piece(struct tracks *k, int64_t t1)
{
	struct sheet_piece late = {0}, *p = &k->now;
	size_t from = t1 > k->newest ? p->n : t1 == k->newest ? k->ties : 0;
	entry_room(k, p, 1);
	p->n = split(k, from, t1, &late);
	count_told(k);
	p->t0 = k->sealed;
	p->t1 = t1;
	p->ntrks = k->n;
	p->nstks = col_n(&k->st->stks);
	bool past = p->past;
	k->sent += p->n;
	next_least(k);
	if (k->of)
		k->made(k->arg, p);
	else
		sealing_piece(k->sealing, p);
	k->sealed = t1;
	p->past = past && late.n;
	if (late.n)
		memcpy(entry_room(k, p, late.n), late.entry, late.n * sizeof *p->entry);
	p->n = late.n;
	for (size_t i = 0; i < late.n; i++)
		tell_both(k, &late.entry[i], t1);
	if (k->nleft)
		forget_left(k);
	k->ties = 0;
	mem_free(late.entry);
	rest(k);
}

void tracks_upto(struct tracks *k, int64_t t)
{
	if (t > k->newest && t == INT64_MAX)
		t = k->newest;
	while (t > k->sealed) {
		int64_t first = INT64_MAX;	/* when anything happens next */
		if (t - k->sealed > SHEET_MAX_NS)
			for (size_t i = 0; i < k->now.n; i++)
				if (k->now.entry[i].t < first)
					first = k->now.entry[i].t;
		if (t - k->sealed <= SHEET_MAX_NS)
			cut_piece(k, t);
		else if (first - k->sealed > SHEET_MAX_NS / 2)
			cut_piece(k, first < t ? first : t);
		else
			cut_piece(k, k->sealed + SHEET_MAX_NS);
	}
}

void tracks_total(struct tracks *k, uint64_t bytes)
{
	enum { SMALL = 1 << 25 };
	k->whole = SHEET_WHOLE;
	if (bytes < SMALL)
		sealing_lean(k->sealing);
	while (bytes && k->whole > SEAL_MIN && k->whole / 2 >= bytes / SEAL_SHARE)
		k->whole /= 2;
	next_least(k);
}

void tracks_from(struct tracks *k, int64_t t)
{
	k->sealed = k->newest = t;
	sealing_from(k->sealing, t);
}

/* ---- again */

struct tracks *tracks_again(struct tracks *of, int64_t sealed, void (*made)(void *, struct sheet_piece *), void *arg)
{
	struct tracks *k = xcalloc(1, sizeof *k);
	*k = (struct tracks){ .st = of->st, .of = of, .made = made, .arg = arg, .sealed = sealed, .newest = sealed,
		.n = col_n(&of->st->trks), .whole = of->whole, .least = of->whole };
	k->lasts.width = sizeof *k->last;
	nobody(k);
	moves_make(k);
	return k;
}

void tracks_was(struct tracks *k, trk_id t, bool g, unsigned state)
{
	k->there -= k->last[t].life & THERE ? 1u : 0u;
	k->last[t] = (struct track_last){ .class = sheet_class[state], .g = g ? 0xff : 0 };
	set_there(k, t, state != TS_NONE);
}

void tracks_waits(struct tracks *k, const struct sink_enter *e, size_t n, bool past)
{
	struct sheet_piece *p = &k->now;
	if (n)
		memcpy(entry_room(k, p, n), e, n * sizeof *e);
	p->n = n;
	p->past = past;
	for (size_t i = 0; i < n; i++) {
		tracks_was(k, e[i].trk, e[i].moved & ENTRY_G, e[i].state & SHEET_STATE);
		k->last[e[i].trk].t = e[i].t;
		if (e[i].also) {
			tracks_was(k, e[i].also, false, sink_also(e[i].state & SHEET_STATE));
			k->last[e[i].also].t = e[i].t;
		}
		tell_both(k, &e[i], k->sealed);
	}
}

struct border *tracks_border(struct tracks *k, const struct sink_keep *gen)
{
	return border_new(gen, k->sealed, &k->now);
}

void tracks_again_free(struct tracks *k)
{
	shelf_free(&k->lasts);
	mem_free(k->now.entry);
	mem_free(k->now.told);
	mem_free(k);
}

void tracks_keep(struct tracks *k, const struct sink_keep *gen)
{
	sealing_border(k->sealing, tracks_border(k, gen));
	strips_rest(&k->strips);
}

void tracks_kept(struct tracks *k)
{
	k->lasts.spills = k->index.gids.spills = true;
	k->lock = lock_new();
}

static void tracks_counts(const struct tracks *k, struct snap *s)
{
	s->ntrks = col_n(&k->st->trks);
	strips_snap(&k->strips, s);
}

void tracks_tell(struct tracks *k, struct snap *s, sealing_fn *fn, void *arg)
{
	tracks_counts(k, s);
	sealing_tell(k->sealing, s, fn, arg);
}

struct strips *tracks_strips(struct tracks *k)
{
	return &k->strips;
}

void tracks_sealed(const struct tracks *k, struct snap *s)
{
	sealing_snap(k->sealing, s);
}

const struct snap *tracks_snap(struct tracks *k, struct snap *s)
{
	sealing_end(k->sealing);
	tracks_counts(k, s);
	tracks_sealed(k, s);
	return s;
}
