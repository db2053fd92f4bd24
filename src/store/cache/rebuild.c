/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rebuilding sheets: see rebuild.h. Nothing is added to the store: the reader reads a generation again, from the
 * checkpoint before it, into a sink that only knows tracks and states. The result is the same sheet, byte for byte. A
 * sheet with other times or counts of intervals or rows means that the file has changed, and ends the worker.
 *
 * The worker continues from generation to generation and waits, wherever it is, while its last sheet has not been taken.
 * So a walk through the trace reads it once, however few sheets fit in memory. It does not end between two generations: a
 * start at the next checkpoint would have to restore the live tracks.
 */
#include "config.h"
#include "store/cache/rebuild.h"

#include "base/err.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "store/cache/checkpoint.h"
#include "store/tracks/tracks.h"

enum { SLOTS = 1 };

struct sheet_rebuild {
	struct rebuild_source from;
	struct ring_queue *ring_queue;
	struct sheet *made[SLOTS];
	uint32_t next;			/* used by the owner: the next sheet to take */
	/* the other members are used by the worker */
	struct tracks *tracks;
	struct sheet_builder sheet_builder;
	uint32_t gen, at, till;		/* generation being read; next sheet; first sheet of the next generation */
	struct checkpoint *begin, *end;	/* checkpoints before the generation, until its events arrive, and after it */
	bool stop, wrong;
};

/* Make the sheet of a complete batch, with the numbers of tracks and stacks as of its first sealing. */
static void made(void *arg, struct sheet_batch *p)
{
	struct sheet_rebuild *a = arg;
	a->wrong |= a->at >= a->till;
	int slot = a->wrong || a->stop ? -1 : ring_begin_write(a->ring_queue);
	a->stop |= slot < 0;
	if (slot >= 0) {
		const struct sheet_slot *s = store_slot(a->from.st, a->at);
		p->ntrks = s->ntrks;
		p->nstks = s->nstks;
		struct sheet *sh = sheet_build_run(&a->sheet_builder, p);
		a->wrong = sh->t0 != s->t0 || sh->t1 != s->t1 || sh->n != s->n || sh->ntrk != s->ntrk;
		a->at++;
		a->made[slot] = sh;
		if (a->wrong)
			sheet_free(sh);
		else
			ring_end_write(a->ring_queue);
	}
	p->n = p->nlisted = 0;
	p->past = false;
}

static str_id no_str(void *self, const char *s, size_t n) { (void)self, (void)s, (void)n; return 0; }
static fun_id no_fun(void *self, const struct sink_fun *f) { (void)self, (void)f; return 0; }
static loc_id no_loc(void *self, const struct sink_loc *l) { (void)self, (void)l; return 0; }
static stk_id no_stack(void *self, const loc_id *l, size_t n) { (void)self, (void)l, (void)n; return 0; }
static void no_mark(void *self, const struct sink_mark *m) { (void)self, (void)m; }
static void no_span(void *self, const struct sink_span *s) { (void)self, (void)s; }
static void no_count(void *self, int64_t t, enum counter c, uint64_t v) { (void)self, (void)t, (void)c, (void)v; }
static void no_util(void *self, const struct sink_util *u) { (void)self, (void)u; }
static void no_facts(void *self, const struct sink_trace *t) { (void)self, (void)t; }
static void no_born(void *self, trk_id g, str_id s, trk_id by, stk_id start, stk_id created)
{
	(void)self, (void)g, (void)s, (void)by, (void)start, (void)created;
}

static trk_id reread_track(void *self, enum track_kind kind, uint64_t id)
{
	return tracks_track(((struct sheet_rebuild *)self)->tracks, kind, id);
}

/* The state of the checkpoint is restored by now, so free it. */
static void reread_enter(void *self, const struct sink_enter *e, size_t n)
{
	struct sheet_rebuild *a = self;
	checkpoint_free(a->begin);
	a->begin = NULL;
	tracks_enter(a->tracks, e, n);
}

static bool reread_upto(void *self, int64_t t, uint64_t bytes)
{
	struct sheet_rebuild *a = self;
	(void)bytes;
	if (t != TIME_NONE)
		tracks_generation(a->tracks, t);
	return !a->wrong && !a->stop;
}

static void reread_checkpoint(void *self, const struct sink_checkpoint *gen)
{
	struct sheet_rebuild *a = self;
	a->end = tracks_new_checkpoint(a->tracks, gen);
	checkpoint_save_live(a->end, &a->sheet_builder);
}

/* Read a generation again, from the checkpoint before it (NULL: the first). Return true if all of its sheets were made
   and `end` is the checkpoint after it. */
static bool reread_generation(struct sheet_rebuild *a)
{
	static const struct sink_ops ops = {
	    .str = no_str, .fun = no_fun, .loc = no_loc, .stack = no_stack, .upto = reread_upto};
	static const struct sink_trace_ops trace = {
	    .track = reread_track, .born = no_born, .enter = reread_enter, .mark = no_mark, .span = no_span,
	    .count = no_count, .util = no_util, .facts = no_facts, .checkpoint = reread_checkpoint};
	struct checkpoint_list *k = a->from.checkpoint_list;
	const struct checkpoint *from = a->begin;
	struct sink sink = {.ops = &ops, .trace = &trace, .self = a};
	lock_acquire(k->lock);
	struct sink_checkpoint gen = k->v[a->gen]->gen;
	a->at = checkpoint_first_sheet(k, a->gen);
	a->till = k->v[a->gen]->sheet;
	lock_release(k->lock);
	struct err e;
	gen.state = from ? from->gen.state : NULL;
	gen.nstate = from ? from->gen.nstate : 0;
	a->end = NULL;
	a->sheet_builder = (struct sheet_builder){0};
	a->tracks = tracks_reread(a->from.tracks, from ? from->sealed : 0, made, a);
	if (from) {
		checkpoint_restore(from, &a->sheet_builder, column_n(&a->from.st->trks), a->tracks);
		tracks_restore_waiting(a->tracks, from->wait, from->nwait, from->past);
	}
	int rc = a->from.again(a->from.arg, &gen, &sink, &e);
	a->wrong |= rc && !a->stop;
	tracks_reread_free(a->tracks);
	sheet_build_free(&a->sheet_builder);
	return !a->wrong && !a->stop && a->end && a->at == a->till;
}

/* Rebuild from generation gen to the last one that is known. */
static void rebuild_run(void *arg)
{
	struct sheet_rebuild *a = arg;
	struct checkpoint_list *k = a->from.checkpoint_list;
	lock_acquire(k->lock);
	a->begin = checkpoint_copy(a->gen ? k->v[a->gen - 1] : NULL);
	bool more = a->gen < k->n;
	lock_release(k->lock);
	while (more && reread_generation(a)) {
		checkpoint_free(a->begin);
		a->begin = a->end;
		a->end = NULL;
		lock_acquire(k->lock);
		more = ++a->gen < k->n;
		lock_release(k->lock);
	}
	checkpoint_free(a->end);
	checkpoint_free(a->begin);
	ring_close(a->ring_queue);
}

void rebuild_stop(struct sheet_rebuild *a)
{
	if (!a)
		return;
	ring_stop(a->ring_queue);
	for (int i; (i = ring_begin_read(a->ring_queue)) >= 0; ring_end_read(a->ring_queue))
		sheet_free(a->made[i]);
	ring_free(a->ring_queue);
	mem_free(a);
}

struct sheet_rebuild *rebuild_start(const struct rebuild_source *from, uint32_t gen)
{
	struct sheet_rebuild *a = xcalloc(1, sizeof *a);
	*a = (struct sheet_rebuild){.from = *from,
	    .ring_queue = ring_new(SLOTS),
	    .gen = gen,
	    .next = checkpoint_first_sheet(from->checkpoint_list, gen)};
	if (ring_start(a->ring_queue, rebuild_run, a))
		return a;
	rebuild_stop(a);
	return NULL;
}

uint32_t rebuild_next_sheet(const struct sheet_rebuild *a)
{
	return a->next;
}

struct sheet *rebuild_take_sheet(struct sheet_rebuild *a)
{
	int i = ring_begin_read(a->ring_queue);
	if (i < 0)
		return NULL;
	struct sheet *sh = a->made[i];
	ring_end_read(a->ring_queue);
	a->next++;
	return sh;
}
