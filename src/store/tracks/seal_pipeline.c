/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sealing in parallel with reading. A batch has a hundred thousand entries or more, and needs only what earlier batches
 * left behind. So from the second batch on, batches are queued, and the thread that empties the queue makes sheets of
 * them: one at a time, in order. Only that thread writes the sheets and the counters of goroutines by state; it does
 * not touch the columns that the reader fills meanwhile. A publication is queued too, with the counts of those columns
 * at the time of the request, so the published snapshot does not depend on the thread that makes it.
 *
 * The queue has a thread of its own (ring_start()), except on two processors with two threads that read. There the system
 * would have to schedule a third, and a quarter of the time stays unused: it puts two threads that often wait for each
 * other on one processor. So the two readers do it themselves: the one that would have to wait for the other seals a part
 * of a batch (the queue is `shared`).
 *
 * Sealing a whole batch takes longer than the reader's queue of events can bridge, so it is done in steps of some
 * tenths of a millisecond: while one thread takes a step, the other still has events, or room for them. A writer that
 * waited until there is no slot for the next batch would make the other thread wait too, so it takes a step now and
 * then before (seal_share_work). Once it has to wait, it does the rest by itself, because the other thread can continue
 * to read (pressed).
 *
 * The arrays of a batch are exchanged for those of the slot, not copied.
 */
#include "config.h"
#include "store/tracks/seal_pipeline.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "store/tracks/proc_sums.h"
#include "store/tracks/state_counts.h"

#include <string.h>

enum { SLOTS = 2, SHARE = SHEET_WHOLE / 4 };

struct seal_slot {
	bool piece, tell;
	struct sheet_batch p;
	struct snap snap;
	seal_notify_fn *fn;
	void *arg;
};

struct seal_pipeline {
	struct store *st;
	struct sheet_builder sheet_builder;
	struct tracks_counter *tracks_counter;	/* counts goroutines by state */
	int64_t from, sealed;
	bool lean;			/* one slot: batches wait one at a time */
	uint32_t pieces;
	bool begun;			/* the current batch is counted, and its sheet is being made */
	struct ring_queue *ring_queue;		/* NULL: batches are sealed at once */
	uint32_t slots;			/* number of slots of the queue */
	/* the only slot has the arrays of a whole batch */
	bool twice;
	size_t since;			/* entries since the writer last took a step in seal_share_work() */
	/* the queue, where the readers empty it by steps; else NULL */
	struct ring_queue *_Atomic shared;
	struct lock *turn;		/* held while taking a step */
	struct ring_queue *ended;		/* the closed queue; another thread may still use it in seal_help() */
	_Atomic bool helped;		/* another thread has called seal_help() */
	_Atomic bool pressed;		/* the writer waits for a free slot */
	struct seal_slot seal_slot[SLOTS];
};

/* ---- one batch after another */

static void sealed(struct seal_pipeline *s, struct sheet_batch *p, const struct sheet *sh)
{
	uint32_t i = column_n(&s->st->sheets);
	struct sheet_slot *seal_slot = column_add(&s->st->sheets, NULL);
	seal_slot->t0 = sh->t0;
	seal_slot->t1 = sh->t1;
	seal_slot->n = sh->n;
	seal_slot->ntrk = sh->ntrk;
	seal_slot->nother = sh->nother;
	proc_sums_add_sheet(s->st->proc_sums, s->st, sh, i);
	seal_slot->sheet = sh;
	s->sealed = p->t1;
	p->n = p->nlisted = 0;
	p->past = false;
}

/* Do one step of sealing a batch. Return false when there is more to do. */
static bool seal_step(struct seal_pipeline *s, struct sheet_batch *p)
{
	if (!s->begun) {
		tracks_counter_add_batch(s->tracks_counter, p);
		s->begun = true;
		return false;
	}
	const struct sheet *sh = sheet_build_step(&s->sheet_builder, p);
	if (!sh)
		return false;
	s->begun = false;
	sealed(s, p, sh);
	return true;
}

static void seal_sheet(struct seal_pipeline *s, struct sheet_batch *p)
{
	while (!seal_step(s, p))
		;
}

/* Do one step of the work in a slot. Return true when the slot is done. */
static bool empty_some(struct seal_pipeline *s, struct seal_slot *x)
{
	if (x->piece && !seal_step(s, &x->p))
		return false;
	if (x->tell)
		x->fn(x->arg, &x->snap);
	x->piece = x->tell = false;
	return true;
}

static void empty_all(void *arg)
{
	struct seal_pipeline *s = arg;
	for (int i; (i = ring_begin_read(s->ring_queue)) >= 0; ring_end_read(s->ring_queue))
		while (!empty_some(s, &s->seal_slot[i]))
			;
}

/* Do one step of the next slot and release the turn. It is not the whole batch, since meanwhile the queue for which the
   thread had to wait may have run empty. Return false when no slot is filled. */
static bool take_turn(struct seal_pipeline *s, struct ring_queue *b)
{
	int i = ring_try_read(b);
	if (i >= 0 && empty_some(s, &s->seal_slot[i]))
		ring_end_read(b);
	lock_release(s->turn);
	return i >= 0;
}

bool seal_help(struct seal_pipeline *s)
{
	struct ring_queue *b = atomic_load(&s->shared);
	atomic_store(&s->helped, true);
	return b && !atomic_load(&s->pressed) && lock_try(s->turn) && take_turn(s, b);
}

/* Called when the queue is full, so the writer has nothing else to do. If the other thread is taking a step, wait for
   the end of that step; `pressed` keeps it from taking another. */
static bool make_room(void *arg)
{
	struct seal_pipeline *s = arg;
	atomic_store(&s->pressed, true);
	lock_acquire(s->turn);
	bool some = take_turn(s, s->ring_queue);
	atomic_store(&s->pressed, ring_filled(s->ring_queue) == s->slots);
	return some;
}

void seal_share_work(struct seal_pipeline *s, size_t n)
{
	s->since += n;
	if (s->since < SHARE || !atomic_load_explicit(&s->shared, memory_order_relaxed))
		return;
	s->since = 0;
	if (ring_filled(s->ring_queue) == s->slots && lock_try(s->turn))
		(void)take_turn(s, s->ring_queue);
}

/* Queue batches from now on, if another thread can empty the queue. Use one slot where a batch is a large part of all
   data: in a small file, or with very many goroutines. */
static void start_pipeline(struct seal_pipeline *s, size_t n)
{
	bool one = s->lean || n > 2 * SHEET_WHOLE;
	s->slots = one ? 1 : SLOTS;
	s->ring_queue = ring_new(s->slots);
	if (atomic_load(&s->helped) && job_cpus() == 2) {
		ring_set_idle_work(s->ring_queue, s->slots, make_room, s);
		atomic_store(&s->shared, s->ring_queue);
		return;
	}
	if (!ring_start(s->ring_queue, empty_all, s)) {
		ring_free(s->ring_queue);
		s->ring_queue = NULL;
	}
}

/* Return the slot to fill, or NULL when there is no queue. With more than one processor, starts the queue for the
   second batch p (for the first one when TTRACE_JOBS asks for threads). */
static struct seal_slot *slot_of(struct seal_pipeline *s, const struct sheet_batch *p)
{
	uint32_t from = job_forced_threads() > 1 ? 0 : 1;
	if (p && s->pieces++ == from && job_cpus() > 1)
		start_pipeline(s, p->n);
	return s->ring_queue ? &s->seal_slot[ring_begin_write(s->ring_queue)] : NULL;
}

void seal_batch(struct seal_pipeline *s, struct sheet_batch *p)
{
	struct seal_slot *x = slot_of(s, p);
	if (!x) {
		seal_sheet(s, p);
		return;
	}
	struct sheet_batch old = x->p;
	x->p = *p;
	x->piece = true;
	s->twice = s->slots == 1;
	old.t0 = p->t0;
	old.t1 = p->t1;
	*p = old;
	ring_end_write(s->ring_queue);
}

void seal_reclaim_arrays(struct seal_pipeline *s, struct sheet_batch *p)
{
	struct sheet_batch *old = &s->seal_slot[0].p, now = *p;
	if (!s->twice || ring_filled(s->ring_queue))
		return;
	s->twice = false;
	if (now.n > old->centry / 2 || now.nlisted > old->clisted)
		return;
	p->entry = memcpy(old->entry, now.entry, now.n * sizeof *now.entry);
	p->centry = old->centry;
	p->listed = memcpy(old->listed, now.listed, now.nlisted * sizeof *now.listed);
	p->clisted = old->clisted;
	*old = (struct sheet_batch){
	    .entry = now.entry, .centry = now.centry, .listed = now.listed, .clisted = now.clisted};
}

void seal_notify(struct seal_pipeline *s, const struct snap *sn, seal_notify_fn *fn, void *arg)
{
	struct seal_slot *x = slot_of(s, NULL);
	if (!x) {
		fn(arg, sn);
		return;
	}
	x->tell = true;
	x->snap = *sn;
	x->fn = fn;
	x->arg = arg;
	ring_end_write(s->ring_queue);
}

void seal_wait(struct seal_pipeline *s)
{
	if (!s->ring_queue)
		return;
	ring_stop(s->ring_queue);
	if (atomic_load(&s->shared)) {
		lock_acquire(s->turn);
		empty_all(s);
		lock_release(s->turn);
		atomic_store(&s->shared, NULL);
	}
	s->ended = s->ring_queue;
	s->ring_queue = NULL;
}

void seal_set_lean(struct seal_pipeline *s)
{
	s->lean = true;
}

void seal_set_start(struct seal_pipeline *s, int64_t t)
{
	s->from = s->sealed = t;
}

void seal_fill_snap(const struct seal_pipeline *s, struct snap *sn)
{
	sn->t0 = s->from;
	sn->t1 = s->sealed;
	sn->nsheets = column_n(&s->st->sheets);
	for (unsigned c = CT_RUNNABLE; c < CT__N; c++) {
		sn->ncounts[c] = column_n(&s->st->counts[c]);
		sn->nlate_counts[c] = column_n(&s->st->late_counts[c]);
	}
}

struct seal_pipeline *seal_new(struct store *st)
{
	struct seal_pipeline *s = xcalloc(1, sizeof *s);
	s->st = st;
	s->turn = lock_new();
	s->tracks_counter = tracks_counter_new(st);
	return s;
}

void seal_finish(struct seal_pipeline *s)
{
	seal_wait(s);
	sheet_build_free(&s->sheet_builder);
	for (int i = 0; i < SLOTS; i++) {
		mem_free(s->seal_slot[i].p.entry);
		mem_free(s->seal_slot[i].p.listed);
		s->seal_slot[i].p = (struct sheet_batch){0};
	}
}

void seal_free(struct seal_pipeline *s)
{
	seal_finish(s);
	if (s->ended)
		ring_free(s->ended);
	lock_free(s->turn);
	tracks_counter_free(s->tracks_counter);
	mem_free(s);
}
