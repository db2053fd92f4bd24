/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sheets made again: see rebuild.h. Nothing is looked up and nothing added: the
 * reader says a generation again, from the border before it, into a sink that
 * knows tracks and states alone, and what comes out is the sheet that was, byte
 * for byte. A piece that is not as it was (times, entries, rows) says that the
 * file is another one, and ends it.
 *
 * The thread goes on from generation to generation and waits, wherever it is, when
 * the sheet that it has made is not taken yet. So walking through the trace reads
 * it once, however few sheets there is room for. It does not end between two
 * generations: to start at the next border is to have what lives there made again.
 */
#include "config.h"
#include "store/cache/rebuild.h"

#include "base/err.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "store/cache/checkpoint.h"
#include "store/tracks/tracks.h"

enum { SLOTS = 1 };

struct remake {
	struct remake_from from;
	struct job *job;
	struct belt *belt;
	struct sheet *made[SLOTS];
	uint32_t next;			/* the owner's: the sheet that comes next */
	/* the thread's */
	struct tracks *tracks;
	struct sealer sealer;
	uint32_t gen, at, till;		/* being read; the next sheet; the first of the next generation */
	struct border *begin, *end;	/* before the one being read, until its events come; after it */
	bool stop, wrong;
};

/* A piece is complete: as many tracks and stacks were known as when it was sealed first. */
static void made(void *arg, struct sheet_piece *p)
{
	struct remake *a = arg;
	a->wrong |= a->at >= a->till;
	int slot = a->wrong || a->stop ? -1 : belt_take(a->belt);
	a->stop |= slot < 0;
	if (slot >= 0) {
		const struct sheet_slot *s = store_slot(a->from.st, a->at);
		p->ntrks = s->ntrks;
		p->nstks = s->nstks;
		struct sheet *sh = sealer_seal(&a->sealer, p);
		a->wrong = sh->t0 != s->t0 || sh->t1 != s->t1 || sh->n != s->n || sh->ntrk != s->ntrk;
		a->at++;
		a->made[slot] = sh;
		if (a->wrong)
			sheet_free(sh);
		else
			belt_send(a->belt);
	}
	p->n = p->ntold = 0;
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
static void no_trace(void *self, const struct sink_trace *t) { (void)self, (void)t; }
static void no_born(void *self, trk_id g, str_id s, trk_id by, stk_id start, stk_id created)
{
	(void)self, (void)g, (void)s, (void)by, (void)start, (void)created;
}

static trk_id again_track(void *self, enum track_kind kind, uint64_t id)
{
	return tracks_track(((struct remake *)self)->tracks, kind, id);
}

/* All that the border has is known by now. */
static void again_enters(void *self, const struct sink_enter *e, size_t n)
{
	struct remake *a = self;
	border_free(a->begin);
	a->begin = NULL;
	tracks_enter(a->tracks, e, n);
}

static bool again_upto(void *self, int64_t t, uint64_t bytes)
{
	struct remake *a = self;
	(void)bytes;
	if (t != TIME_NONE)
		tracks_upto(a->tracks, t);
	return !a->wrong && !a->stop;
}

static void again_rest(void *self)
{
	struct remake *a = self;
	tracks_pause(a->tracks);
	shelf_rest(&a->sealer.lives);
	shelf_rest(&a->sealer.places);
}

static bool again_keep(void *self, const struct sink_keep *gen)
{
	struct remake *a = self;
	if (!gen)
		return true;
	a->end = tracks_border(a->tracks, gen);
	border_put(a->end, &a->sealer);
	return true;
}

/* Say a generation again, from the border before it (none: it is the first). True: all of its sheets were made, and
   end is its border. */
static bool read_again(struct remake *a)
{
	static const struct sink_ops ops = {
		.str = no_str, .fun = no_fun, .loc = no_loc, .stack = no_stack, .track = again_track, .born = no_born,
		.enters = again_enters, .mark = no_mark, .span = no_span, .count = no_count, .util = no_util,
		.trace = no_trace, .upto = again_upto, .keep = again_keep, .rest = again_rest,
	};
	struct borders *k = a->from.borders;
	const struct border *from = a->begin;
	struct sink sink = {.ops = &ops, .self = a};
	lock_take(k->lock);
	struct sink_keep gen = k->v[a->gen]->gen;
	a->at = borders_sheet(k, a->gen);
	a->till = k->v[a->gen]->sheet;
	lock_give(k->lock);
	struct err e;
	gen.state = from ? from->gen.state : NULL;
	gen.nstate = from ? from->gen.nstate : 0;
	a->end = NULL;
	a->sealer = (struct sealer){ .spills = mem_tight(), .lives.spills = true, .places.spills = true };
	a->tracks = tracks_again(a->from.tracks, from ? from->sealed : 0, made, a);
	if (from) {
		border_get(from, &a->sealer, col_n(&a->from.st->trks), a->tracks);
		tracks_waits(a->tracks, from->wait, from->nwait, from->past);
	}
	int rc = a->from.again(a->from.arg, &gen, &sink, &e);
	a->wrong |= rc && !a->stop;
	tracks_again_free(a->tracks);
	sealer_free(&a->sealer);
	return !a->wrong && !a->stop && a->end && a->at == a->till;
}

/* From generation gen on, to the last that is read. */
static int run(struct job *j, void *arg)
{
	struct remake *a = arg;
	struct borders *k = a->from.borders;
	(void)j;
	lock_take(k->lock);
	a->begin = border_copy(a->gen ? k->v[a->gen - 1] : NULL);
	bool more = a->gen < k->n;
	lock_give(k->lock);
	while (more && read_again(a)) {
		border_free(a->begin);
		a->begin = a->end;
		a->end = NULL;
		lock_take(k->lock);
		more = ++a->gen < k->n;
		lock_give(k->lock);
	}
	border_free(a->end);
	border_free(a->begin);
	belt_close(a->belt);
	return 0;
}

void remake_stop(struct remake *a)
{
	if (!a)
		return;
	belt_close(a->belt);
	if (a->job)
		job_join(a->job);
	for (int i; (i = belt_next(a->belt)) >= 0; belt_done(a->belt))
		sheet_free(a->made[i]);
	belt_free(a->belt);
	mem_free(a);
}

struct remake *remake_start(const struct remake_from *from, uint32_t gen)
{
	struct remake *a = xcalloc(1, sizeof *a);
	*a = (struct remake){
	    .from = *from, .belt = belt_new(SLOTS), .gen = gen, .next = borders_sheet(from->borders, gen)};
	a->job = job_start(run, a);
	if (!a->job) {
		remake_stop(a);
		return NULL;
	}
	return a;
}

uint32_t remake_next(const struct remake *a)
{
	return a->next;
}

struct sheet *remake_take(struct remake *a)
{
	int i = belt_next(a->belt);
	if (i < 0)
		return NULL;
	struct sheet *sh = a->made[i];
	belt_done(a->belt);
	a->next++;
	return sh;
}
