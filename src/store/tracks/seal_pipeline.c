/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sealing beside reading. A piece is a hundred thousand entries and more, and needs
 * nothing but what the pieces before left behind, so once there has been one,
 * pieces go over a belt, and whoever empties it makes sheets of them: one at a
 * time, in order. It alone writes the sheets and the counters of goroutines by
 * state; the columns that the reader fills meanwhile are not its business. A
 * publication goes the same way, with the counts of those columns as they were
 * when it was asked for: so what is published is the same whoever does it.
 *
 * Where there are processors to spare that is a thread. On two of them, with two
 * threads that read, a third one would have to be dealt out by the system, which
 * leaves a quarter of the time unused: it takes two that often wait for each
 * other for one, and runs them on one processor. So there it is the two
 * themselves: whoever would have to wait for the other seals some of a piece.
 *
 * To seal a whole piece takes longer than the reader's belt has room for, so it is done in steps of some tenths of a
 * millisecond: while one thread takes one the other still has events, or room for them. A writer that waited until
 * there is no slot for the next piece would make the other wait as well, so it takes a step now and then before
 * (sealing_share); and where it has to wait it does what is left by itself, for the other can go on reading (pressed).
 *
 * A piece's arrays are exchanged for those of the slot, not copied.
 */
#include "config.h"
#include "store/tracks/seal_pipeline.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/tracks/extremes.h"
#include "store/tracks/proc_sums.h"
#include "store/tracks/state_counts.h"

#include <string.h>

enum { SLOTS = 2, SHARE = SHEET_WHOLE / 4 };

struct slot {
	bool piece, tell;
	struct border *border;
	struct sheet_piece p;
	struct snap snap;
	sealing_fn *fn;
	void *arg;
};

struct sealing {
	struct store *st;
	struct sealer sealer;
	struct counting *counting;	/* goroutines by state */
	int64_t from, sealed;
	bool lean;			/* pieces wait one at a time */
	uint32_t pieces;
	bool begun;			/* the piece at hand is counted, and its sheet being made */
	struct job *job;		/* NULL: no thread */
	struct belt *belt;		/* NULL: pieces are sealed at once */
	uint32_t slots;			/* of it */
	bool twice;			/* the one slot of it has the array that a whole piece took */
	bool paused;			/* the writer says when it has time */
	size_t since;			/* entries since the writer last took a turn on its own account */
	struct belt *_Atomic shared;	/* it, where threads that would wait empty it */
	struct lock *turn;		/* of those */
	struct belt *ended;		/* it, when all is done; another thread may still be about to ask */
	_Atomic bool helped;		/* another thread has asked */
	_Atomic bool pressed;		/* who fills the belt waits for a slot of it */
	struct slot slot[SLOTS];
};

/* ---- one piece after another */

static void sealed(struct sealing *s, struct sheet_piece *p, const struct sheet *sh)
{
	uint32_t i = col_n(&s->st->sheets);
	struct sheet_slot *slot = col_add(&s->st->sheets, NULL);
	slot->t0 = sh->t0;
	slot->t1 = sh->t1;
	slot->n = sh->n;
	slot->ntrk = sh->ntrk;
	slot->nother = sh->nother;
	slot->ntrks = p->ntrks;
	slot->nstks = p->nstks;
	slot->gist = gister_take(s->sealer.gister, s->sealer.ready, s->sealer.sync);
	if (s->st->keep)
		keep_brief(s->st->keep, slot, sh, i);
	else
		tally_add(s->st->tally, s->st, sh, i);
	atomic_store(&slot->sheet, sh);
	if (s->st->keep)
		keep_sealed(s->st->keep, sh);
	s->sealed = p->t1;
	p->n = p->ntold = 0;
	p->past = false;
}

static void begin_sheet(struct sealing *s, const struct sheet_piece *p)
{
	counting_piece(s->counting, p);
	s->sealer.spills = s->st->keep && mem_tight();
	s->sealer.lives.spills = s->sealer.places.spills = s->st->keep;
}

/* Some way from a piece to a sheet. false: there is more to do. */
static bool step(struct sealing *s, struct sheet_piece *p)
{
	if (!s->begun) {
		begin_sheet(s, p);
		s->begun = true;
		return false;
	}
	const struct sheet *sh = sealer_step(&s->sealer, p);
	if (!sh)
		return false;
	s->begun = false;
	sealed(s, p, sh);
	return true;
}

static void seal(struct sealing *s, struct sheet_piece *p)
{
	while (!step(s, p))
		;
}

/* Something of what is in the slot. true: that was all. */
static bool empty_some(struct sealing *s, struct slot *x)
{
	if (x->piece && !step(s, &x->p))
		return false;
	if (x->tell)
		x->fn(x->arg, &x->snap);
	if (x->border)
		keep_border(s->st->keep, x->border, &s->sealer);
	x->border = NULL;
	x->piece = x->tell = false;
	return true;
}

static void empty_all(struct sealing *s)
{
	for (int i; (i = belt_next(s->belt)) >= 0; belt_done(s->belt))
		while (!empty_some(s, &s->slot[i]))
			;
}

static int work(struct job *j, void *arg)
{
	(void)j;
	empty_all(arg);
	return 0;
}

/* Whoever has the turn does some of what is next on the belt: not all of a piece, or the belt for which one would have
   had to wait has run empty meanwhile. */
static bool take_turn(struct sealing *s, struct belt *b)
{
	int i = belt_ready(b);
	if (i >= 0 && empty_some(s, &s->slot[i]))
		belt_done(b);
	lock_give(s->turn);
	return i >= 0;
}

bool sealing_spare(struct sealing *s)
{
	struct belt *b = atomic_load(&s->shared);
	atomic_store(&s->helped, true);
	return b && !atomic_load(&s->pressed) && lock_try(s->turn) && take_turn(s, b);
}

/* The belt is full: who fills it has nothing else to do, so if another is at it, that one's step is waited for, and it
   takes no other. */
static bool make_room(void *arg)
{
	struct sealing *s = arg;
	atomic_store(&s->pressed, true);
	lock_take(s->turn);
	bool some = take_turn(s, s->belt);
	atomic_store(&s->pressed, belt_filled(s->belt) == s->slots);
	return some;
}

void sealing_all(struct sealing *s)
{
	s->paused = atomic_load_explicit(&s->shared, memory_order_relaxed);
	while (atomic_load_explicit(&s->shared, memory_order_relaxed) && belt_filled(s->belt)) {
		lock_take(s->turn);
		(void)take_turn(s, s->belt);
	}
}

void sealing_share(struct sealing *s, size_t n)
{
	s->since += n;
	if (s->since < SHARE || s->paused || !atomic_load_explicit(&s->shared, memory_order_relaxed))
		return;
	s->since = 0;
	if (belt_filled(s->belt) == s->slots && lock_try(s->turn))
		(void)take_turn(s, s->belt);
}

/* From now on pieces go over a belt, where there is somebody else to empty it. One at a time, where a piece is much
   of what there is: of a small file, of very many goroutines, or where there is little memory. */
static void begin(struct sealing *s, size_t n)
{
	bool one = s->lean || n > 2 * SHEET_WHOLE || (s->st->keep && mem_tight());
	s->slots = one ? 1 : SLOTS;
	s->belt = belt_new(s->slots);
	if (atomic_load(&s->helped) && job_cpus() == 2) {
		belt_meanwhile(s->belt, s->slots, make_room, s);
		atomic_store(&s->shared, s->belt);
		return;
	}
	s->job = job_start(work, s);
	if (!s->job) {
		belt_free(s->belt);
		s->belt = NULL;
	}
}

/* The slot to fill, when there is a belt. There is one for the second piece p, unless one thread is wanted. */
static struct slot *slot_of(struct sealing *s, const struct sheet_piece *p)
{
	uint32_t from = job_wanted() > 1 ? 0 : 1;
	if (p && s->pieces++ == from && job_cpus() > 1)
		begin(s, p->n);
	return s->belt ? &s->slot[belt_take(s->belt)] : NULL;
}

void sealing_piece(struct sealing *s, struct sheet_piece *p)
{
	struct slot *x = slot_of(s, p);
	if (!x) {
		seal(s, p);
		return;
	}
	struct sheet_piece old = x->p;
	x->p = *p;
	x->piece = true;
	s->twice = s->slots == 1;
	old.t0 = p->t0;
	old.t1 = p->t1;
	*p = old;
	belt_send(s->belt);
}

void sealing_again(struct sealing *s, struct sheet_piece *p)
{
	struct sheet_piece *old = &s->slot[0].p, now = *p;
	if (!s->twice || belt_filled(s->belt))
		return;
	s->twice = false;
	if (now.n > old->centry / 2 || now.ntold > old->ctold)
		return;
	p->entry = memcpy(old->entry, now.entry, now.n * sizeof *now.entry);
	p->centry = old->centry;
	p->told = memcpy(old->told, now.told, now.ntold * sizeof *now.told);
	p->ctold = old->ctold;
	*old = (struct sheet_piece){ .entry = now.entry, .centry = now.centry, .told = now.told, .ctold = now.ctold };
}

/* Where the writer alone seals, and there is one slot, what comes after the piece that waits there goes with it. */
static struct slot *along(struct sealing *s)
{
	return s->paused && s->slots == 1 && belt_filled(s->belt) && !s->slot[0].border ? &s->slot[0] : NULL;
}

void sealing_tell(struct sealing *s, const struct snap *sn, sealing_fn *fn, void *arg)
{
	struct slot *with = along(s), *x = with ? with : slot_of(s, NULL);
	if (!x) {
		fn(arg, sn);
		return;
	}
	x->tell = true;
	x->snap = *sn;
	x->fn = fn;
	x->arg = arg;
	if (!with)
		belt_send(s->belt);
}

void sealing_border(struct sealing *s, struct border *b)
{
	struct slot *x = slot_of(s, NULL);
	if (!x) {
		keep_border(s->st->keep, b, &s->sealer);
		return;
	}
	x->border = b;
	belt_send(s->belt);
}

void sealing_end(struct sealing *s)
{
	if (!s->belt)
		return;
	belt_close(s->belt);
	if (s->job) {
		job_join(s->job);
		s->job = NULL;
	} else {
		lock_take(s->turn);
		empty_all(s);
		lock_give(s->turn);
		atomic_store(&s->shared, NULL);
	}
	s->ended = s->belt;
	s->belt = NULL;
}

void sealing_lean(struct sealing *s)
{
	s->lean = true;
}

void sealing_from(struct sealing *s, int64_t t)
{
	s->from = s->sealed = t;
}

void sealing_thawed(struct sealing *s, int64_t t1)
{
	s->sealed = t1;
	for (uint32_t i = 0; i < col_n(&s->st->sheets); i++)
		tally_add(s->st->tally, s->st, store_slot(s->st, i)->sheet, i);
}

void sealing_snap(const struct sealing *s, struct snap *sn)
{
	sn->t0 = s->from;
	sn->t1 = s->sealed;
	sn->nsheets = col_n(&s->st->sheets);
	for (unsigned c = CT_RUNNABLE; c < CT__N; c++)
		sn->ncounts[c] = col_n(&s->st->counts[c]);
}

struct sealing *sealing_new(struct store *st)
{
	struct sealing *s = xcalloc(1, sizeof *s);
	s->st = st;
	s->turn = lock_new();
	s->counting = counting_new(st);
	s->sealer.gister = gister_new(st);
	return s;
}

void sealing_done(struct sealing *s)
{
	sealing_end(s);
	gister_free(s->sealer.gister);
	sealer_free(&s->sealer);
	for (int i = 0; i < SLOTS; i++) {
		mem_free(s->slot[i].p.entry);
		mem_free(s->slot[i].p.told);
		s->slot[i].p = (struct sheet_piece){0};
	}
}

void sealing_free(struct sealing *s)
{
	sealing_done(s);
	if (s->ended)
		belt_free(s->ended);
	lock_free(s->turn);
	counting_free(s->counting);
	mem_free(s);
}
