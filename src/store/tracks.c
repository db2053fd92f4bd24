/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The writer of a trace: gathers what is said of tracks since the last sheet
 * and seals it. An entry costs 24 bytes while it waits and about 17 in the
 * sheet; nothing is looked up by name on the way, for a track is an index.
 *
 * Per track three things are known: `live`, its state where the newest sheet
 * ends (the head of its row in the next one), `last`, its state after the newest
 * entry, and the time of that entry, below which no later one may lie. Marks,
 * spans and counters go straight to their columns.
 *
 * Sheets are cut where the reader says that all before is told, and before that
 * whenever SEAL_MAX entries wait: what waits costs more than what is sealed, and
 * a generation may hold tens of millions. What is told of the sealed past after
 * that (a goroutine first heard of late) is in the sheets from the cut on, and
 * its row says since when it was really there.
 */
#include "config.h"
#include "store/tracks.h"

#include "base/intern.h"
#include "store/sheet.h"

#include <string.h>

enum { CLASS_NONE, CLASS_RUNNABLE, CLASS_RUNNING, CLASS_WAITING, CLASS_SYSCALL, CLASS__N, COUNT_SLOTS = 1024, SEAL_MAX = 1 << 18 };

struct track_last {
	int64_t t;
	uint8_t state;
	bool goroutine;
};

struct tracks {
	struct store *st;
	struct intern index;		/* track by kind and id */
	struct sheet_live *live;
	struct track_last *last;
	size_t nlive, nlast;		/* capacities */
	struct sheet_entry *entry;
	size_t nentry, centry;
	struct edge *edge;
	size_t nedge, cedge;
	int64_t sealed, newest, marked, counted[CT__N];
	struct span_block block;	/* of the last spans, up to 64 of them */
	uint64_t class_n[CLASS__N];	/* goroutines by class where the newest sheet ends */
};

static const enum counter class_counter[CLASS__N] = {
	[CLASS_RUNNABLE] = CT_RUNNABLE, [CLASS_RUNNING] = CT_RUNNING, [CLASS_WAITING] = CT_WAITING,
	[CLASS_SYSCALL] = CT_SYSCALL,
};

static unsigned state_class(unsigned state)
{
	switch (state & SHEET_STATE) {
	case TS_NONE: case TS_IDLE: return CLASS_NONE;
	case TS_RUN: case TS_GCWORK: case TS_ASSIST: case TS_SWEEP: case TS_STW: return CLASS_RUNNING;
	case TS_READY: return CLASS_RUNNABLE;
	case TS_SYSCALL: case TS_SYSBLOCK: return CLASS_SYSCALL;
	default: return CLASS_WAITING;
	}
}

struct tracks *tracks_new(struct store *st)
{
	struct tracks *k = xcalloc(1, sizeof *k);
	k->st = st;
	col_init(&st->trks, sizeof(struct trk_row));
	col_init(&st->marks, sizeof(struct sink_mark));
	col_init(&st->spans, sizeof(struct span_row));
	col_init(&st->span_blocks, sizeof(struct span_block));
	col_init(&st->utils, sizeof(struct sink_util));
	col_init(&st->sheets, sizeof(const struct sheet *));
	for (int c = 0; c < CT__N; c++)
		col_init(&st->counts[c], sizeof(struct count_row));
	col_add(&st->trks, NULL);
	k->live = mem_grow(NULL, &k->nlive, 1, sizeof *k->live);
	k->last = mem_grow(NULL, &k->nlast, 1, sizeof *k->last);
	k->live[0] = (struct sheet_live){0};
	k->last[0] = (struct track_last){0};
	return k;
}

void tracks_free(struct tracks *k)
{
	struct store *st = k->st;
	for (uint32_t i = 0; i < col_n(&st->sheets); i++)
		mem_free((void *)(uintptr_t)store_sheet(st, i));
	struct col *cols[] = { &st->trks, &st->marks, &st->spans, &st->span_blocks, &st->utils, &st->sheets };
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
		col_free(cols[i]);
	for (int c = 0; c < CT__N; c++)
		col_free(&st->counts[c]);
	tracks_done(k);
	mem_free(k);
}

void tracks_done(struct tracks *k)
{
	intern_free(&k->index);
	mem_free(k->live);
	mem_free(k->last);
	mem_free(k->entry);
	mem_free(k->edge);
	k->live = NULL;
	k->last = NULL;
	k->entry = NULL;
	k->edge = NULL;
	k->nlive = k->nlast = k->centry = k->cedge = k->nentry = k->nedge = 0;
}

struct track_key { enum track_kind kind; uint64_t id; };

static int track_eq(const void *ctx, uint32_t i, const void *key)
{
	const struct track_key *want = key;
	const struct trk_row *r = store_trk(ctx, i);
	return r->kind == want->kind && r->id == want->id;
}

trk_id tracks_track(struct tracks *k, enum track_kind kind, uint64_t id)
{
	struct track_key key = { kind, id };
	uint32_t h = hash_u64(id, kind), i = intern_find(&k->index, h, track_eq, k->st, &key);
	if (i != UINT32_MAX)
		return i;
	struct trk_row *r = col_add(&k->st->trks, &i);
	r->kind = kind;
	r->id = id;
	r->t0 = r->run0 = r->t1 = r->heard = TIME_NONE;
	intern_put(&k->index, h, i);
	k->live = mem_grow(k->live, &k->nlive, i + 1u, sizeof *k->live);
	k->last = mem_grow(k->last, &k->nlast, i + 1u, sizeof *k->last);
	k->live[i] = (struct sheet_live){ .goroutine = kind == TK_G };
	k->last[i] = (struct track_last){ k->sealed, TS_NONE, kind == TK_G };
	return i;
}

void tracks_born(struct tracks *k, trk_id g, str_id start_fun, trk_id creator, stk_id start, stk_id created)
{
	if (!g || g >= col_n(&k->st->trks))
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

/* What a track's row says of its life. */
static void track_life(struct trk_row *r, int64_t t, enum tstate s, bool past)
{
	if (s == TS_NONE || s == TS_FOREVER) {
		if (r->t0 == TIME_NONE)
			r->t0 = t;
		r->t1 = t;
		return;
	}
	if (r->t0 == TIME_NONE || r->t1 != TIME_NONE) {
		/* threads of C code use a goroutine again and again: the row tells of its newest life */
		r->t0 = t;
		r->run0 = TIME_NONE;
	}
	r->t1 = TIME_NONE;
	if (s == TS_RUN && !past && r->run0 == TIME_NONE)
		r->run0 = t;
}

void tracks_enter(struct tracks *k, trk_id trk, int64_t t, enum tstate state, uint32_t who, stk_id stack)
{
	unsigned s = (unsigned)state & SHEET_STATE, past = (unsigned)state & TS_PAST;
	if (!trk || trk >= col_n(&k->st->trks) || s >= TS__N)
		return;
	struct track_last *l = &k->last[trk];
	struct trk_row *r = col_at(&k->st->trks, trk);
	if (past && t < l->t && r->t0 == TIME_NONE) {
		r->t0 = t;
		r->heard = l->t;
	}
	if (t < l->t)
		t = l->t;
	if (t > k->newest)
		k->newest = t;
	track_life(r, t, (enum tstate)s, past);
	unsigned was = state_class(l->state);
	if (s == TS_READY && l->goroutine && !past && (was == CLASS_WAITING || l->state == TS_NONE)) {
		k->edge = mem_grow(k->edge, &k->cedge, k->nedge + 1, sizeof *k->edge);
		k->edge[k->nedge++] = (struct edge){ t, who < col_n(&k->st->trks) ? who : 0, trk, stack,
			l->state == TS_NONE };
	}
	if (k->nentry >= SEAL_MAX && t == k->newest && t > k->sealed && !past)
		tracks_upto(k, t);
	k->entry = mem_grow(k->entry, &k->centry, k->nentry + 1, sizeof *k->entry);
	k->entry[k->nentry++] = (struct sheet_entry){ t, trk, who, stack, (uint8_t)(s | past) };
	l->t = t;
	l->state = (uint8_t)s;
}

void tracks_mark(struct tracks *k, const struct sink_mark *m)
{
	struct sink_mark *row = col_add(&k->st->marks, NULL);
	*row = *m;
	if (row->t < k->marked)
		row->t = k->marked;
	k->marked = row->t;
}

void tracks_span(struct tracks *k, const struct sink_span *s)
{
	uint32_t i;
	struct span_row *row = col_add(&k->st->spans, &i);
	row->s = *s;
	int64_t t0 = s->t0 == TIME_NONE ? INT64_MIN : s->t0, t1 = s->t1 == TIME_NONE ? INT64_MAX : s->t1;
	if (i % 64 == 0)
		k->block = (struct span_block){ INT64_MAX, INT64_MIN, 0 };
	if (t0 < k->block.t0)
		k->block.t0 = t0;
	if (t1 > k->block.t1)
		k->block.t1 = t1;
	k->block.kinds |= 1u << s->kind;
	if (i % 64 == 63)
		*(struct span_block *)col_add(&k->st->span_blocks, NULL) = k->block;
}

void tracks_count(struct tracks *k, int64_t t, enum counter c, uint64_t v)
{
	if (t < k->counted[c])
		t = k->counted[c];
	k->counted[c] = t;
	*(struct count_row *)col_add(&k->st->counts[c], NULL) = (struct count_row){ t, v };
}

void tracks_util(struct tracks *k, const struct sink_util *u)
{
	*(struct sink_util *)col_add(&k->st->utils, NULL) = *u;
}

/* The values of one class within a slot of a sheet: where it was least, most, and last. */
struct class_slot { struct count_row min, max, last; bool any; };

static void slot_flush(struct tracks *k, struct class_slot *slot, enum counter c)
{
	if (!slot->any)
		return;
	const struct count_row *a = &slot->min, *b = &slot->max;
	if (a->t > b->t)
		a = &slot->max, b = &slot->min;
	if (a->t < slot->last.t)
		tracks_count(k, a->t, c, a->v);
	if (b->t < slot->last.t && b->v != a->v)
		tracks_count(k, b->t, c, b->v);
	tracks_count(k, slot->last.t, c, slot->last.v);
	slot->any = false;
}

static void slot_add(struct class_slot *slot, int64_t t, uint64_t v)
{
	struct count_row row = { t, v };
	if (!slot->any)
		*slot = (struct class_slot){ row, row, row, true };
	if (v < slot->min.v)
		slot->min = row;
	if (v > slot->max.v)
		slot->max = row;
	slot->last = row;
}

/* How many goroutines run, wait, ... over a sheet, thinned to the extremes of each slot. state[]
   is each track's where the sheet before ended and is moved along. */
static void count_states(struct tracks *k, int64_t t0, int64_t t1, const struct sheet_entry *e, size_t n,
    uint8_t *state)
{
	struct class_slot slot[CLASS__N] = {0};
	uint64_t *now = k->class_n;
	for (size_t i = 0; i < n; i++)
		if (e[i].state & SHEET_PAST && k->last[e[i].trk].goroutine) {
			now[state_class(state[e[i].trk])]--;
			now[state_class(state[e[i].trk] = e[i].state)]++;
		}
	for (unsigned c = 1; c < CLASS__N; c++)
		slot_add(&slot[c], t0, now[c]);
	int64_t step = (t1 - t0) / COUNT_SLOTS + 1, end = t0 + step;
	for (size_t i = 0; i < n; i++) {
		if (e[i].state & SHEET_PAST || !k->last[e[i].trk].goroutine)
			continue;
		unsigned was = state_class(state[e[i].trk]), is = state_class(e[i].state);
		state[e[i].trk] = e[i].state;
		if (was == is)
			continue;
		if (e[i].t >= end) {
			for (unsigned c = 1; c < CLASS__N; c++)
				slot_flush(k, &slot[c], class_counter[c]);
			end = e[i].t - (e[i].t - t0) % step + step;
		}
		now[was]--;
		now[is]++;
		if (was)
			slot_add(&slot[was], e[i].t, now[was]);
		if (is)
			slot_add(&slot[is], e[i].t, now[is]);
	}
	for (unsigned c = 1; c < CLASS__N; c++)
		slot_flush(k, &slot[c], class_counter[c]);
}

/* Take what is not before t1 out of v[0..*n), keeping the order of both: a copy of it, NULL when there
   is none. Every element begins with its time. */
static void *keep_later(void *v, size_t *n, size_t width, int64_t t1, size_t *later)
{
	char *p = v, *out = NULL;
	size_t k = 0, cap = 0;
	*later = 0;
	for (size_t i = 0; i < *n; i++) {
		int64_t t;
		memcpy(&t, p + i * width, sizeof t);
		if (t < t1) {
			if (k != i)
				memcpy(p + k * width, p + i * width, width);
			k++;
			continue;
		}
		out = mem_grow(out, &cap, *later + 1, width);
		memcpy(out + (*later)++ * width, p + i * width, width);
	}
	*n = k;
	return out;
}

/* Seal [sealed, t1): the entries before t1 go, the others stay, both in their order. */
static void seal_piece(struct tracks *k, int64_t t1)
{
	size_t n = k->nentry, nedge = k->nedge, rest, erest;
	struct sheet_entry *later = keep_later(k->entry, &n, sizeof *k->entry, t1, &rest);
	struct edge *elater = keep_later(k->edge, &nedge, sizeof *k->edge, t1, &erest);
	struct sheet_entry *e = k->entry;
	uint32_t ntrks = col_n(&k->st->trks);
	uint8_t *state = xmalloc(ntrks);
	for (uint32_t i = 0; i < ntrks; i++)
		state[i] = k->live[i].state;
	count_states(k, k->sealed, t1, e, n, state);
	const struct sheet *sh = sheet_seal(k->sealed, t1, e, n, k->live, ntrks, k->edge, nedge);
	*(const struct sheet **)col_add(&k->st->sheets, NULL) = sh;
	k->sealed = t1;
	if (rest)
		memcpy(k->entry, later, rest * sizeof *later);
	if (erest)
		memcpy(k->edge, elater, erest * sizeof *elater);
	k->nentry = rest;
	k->nedge = erest;
	mem_free(state);
	mem_free(later);
	mem_free(elater);
}

void tracks_upto(struct tracks *k, int64_t t)
{
	if (t > k->newest && t == INT64_MAX)
		t = k->newest;
	while (t > k->sealed) {
		int64_t first = INT64_MAX;	/* when anything happens next */
		if (t - k->sealed > SHEET_MAX_NS)
			for (size_t i = 0; i < k->nentry; i++)
				if (k->entry[i].t < first)
					first = k->entry[i].t;
		if (t - k->sealed <= SHEET_MAX_NS)
			seal_piece(k, t);
		else if (first - k->sealed > SHEET_MAX_NS / 2)
			seal_piece(k, first < t ? first : t);
		else
			seal_piece(k, k->sealed + SHEET_MAX_NS);
	}
	/* what is heard of for the first time is no older than the sheet that is being written */
	for (uint32_t i = 0, n = col_n(&k->st->trks); i < n; i++)
		if (k->last[i].t < k->sealed)
			k->last[i].t = k->sealed;
}

void tracks_snap(const struct tracks *k, struct snap *s)
{
	const struct store *st = k->st;
	s->t0 = 0;
	s->t1 = k->sealed;
	s->ntrks = col_n(&st->trks);
	s->nmarks = col_n(&st->marks);
	s->nspans = col_n(&st->spans);
	s->nutils = col_n(&st->utils);
	s->nsheets = col_n(&st->sheets);
	for (int c = 0; c < CT__N; c++)
		s->ncounts[c] = col_n(&st->counts[c]);
}
