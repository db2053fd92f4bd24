/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reading ahead. Ordering the events of a trace and making something of them
 * cost about the same, so a second thread does the first while the caller's
 * does the second. Between them is a belt of slots (base/job.h), each with a
 * thousand events or one other thing to say; the events are made where they lie,
 * and what is said arrives in order, on
 * the caller's thread, as if there were no other.
 *
 * A generation's tables are read on one side while the other still works on the
 * generation: they are complete by then, and the only ones that grow, the
 * strings that came from elsewhere, never move. They are freed by the reader of
 * the belt, when the word comes that no event of them will follow.
 *
 * Where memory is short and what is known of goroutines lies on disk, the two take turns: one fills the belt and lets
 * go of what it knows, the other empties it and does so too. Each goes to all of its goroutines in any order, so at
 * once they would need both.
 */
#include "config.h"
#include "load/gotrace/pipeline.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "load/gotrace/checkpoint.h"
#include "load/gotrace/generation.h"
#include "load/gotrace/order.h"

#include <stdio.h>
#include <string.h>

/* Slots: a small file has few of them, a large one as many as are interpreted while a piece of it is sealed. Every so
   many events mapped pages are given back; and where there is little memory, or little to read. */
enum { SLOTS_MIN = 16, SLOTS_TURN = 64, SLOTS_MAX = 128, SLOT_BYTES = 1 << 20 };
/* With a part of them filled the other thread has enough to do for this one to take a step of something else. */
enum { ENOUGH = 4 };
enum { PASS_EVENTS = 1 << 19, PASS_SMALL = 1 << 16 };

struct slot {
	enum { EVENTS, WARNING, GENERATION, DROP } kind;
	struct tgen *g;
	size_t n;
	uint64_t at;
	struct tstream_info info;
	char msg[480];
	struct tev *ev;		/* GO_OUT of them, each a line of the cache */
};

struct pipe {
	struct belt *belt;
	struct slot *slot;
	struct bytes in;
	struct tstream_info info;
	struct err damage;
	const struct tev_ops *ops;
	void *self;
	uint64_t bytes;		/* the reading thread's: taken apart so far */
	uint64_t events;	/* that the caller has got */
	uint64_t pass;		/* PASS_EVENTS or PASS_SMALL */
	struct tev_feed feed;
	struct tev *room;	/* for the events of all slots, and behind them for such as nobody wants any more */
	uint32_t slots, most;	/* as many as there may become */
	_Atomic bool turns;	/* who fills the belt and who empties it are not at work at once */
};

/* ---- the reading thread */

static struct slot *fill(struct pipe *p, int kind, const struct tgen *g)
{
	int i = belt_take(p->belt);
	if (i < 0)
		return NULL;
	p->slot[i].kind = kind;
	p->slot[i].g = (struct tgen *)(uintptr_t)g;
	return &p->slot[i];
}

/* Where the next events go. */
static void give_room(struct pipe *p)
{
	if (p->feed.order->gs.spilled && !p->turns) {
		p->slots = p->most;
		belt_turns(p->belt, p->slots);
		p->turns = true;
	}
	int i = belt_take(p->belt);
	goorder_room(p->feed.order, i < 0 ? p->room + p->most * GO_OUT : p->slot[i].ev);
}

/* They are where they go already. */
static bool put_events(void *self, const struct tgen *g, const struct tev *t, size_t n)
{
	struct pipe *p = self;
	struct slot *s = fill(p, EVENTS, g);
	if (!s || t != s->ev)
		return false;
	s->n = n;
	s->at = p->bytes;
	if (p->turns && belt_filled(p->belt) + 1 == p->slots)
		goorder_rest(p->feed.order);
	belt_send(p->belt);
	give_room(p);
	return true;
}

static void put_progress(void *self, uint64_t bytes)
{
	struct pipe *p = self;
	p->bytes = bytes;
}

static void put_warning(void *self, uint64_t at, const char *msg)
{
	struct pipe *p = self;
	struct slot *s = fill(p, WARNING, NULL);
	if (!s)
		return;
	s->at = at;
	snprintf(s->msg, sizeof s->msg, "%s", msg);
	belt_send(p->belt);
	give_room(p);
}

static bool put_generation(void *self, const struct tgen *g, const struct tstream_info *info)
{
	struct pipe *p = self;
	struct slot *s = fill(p, GENERATION, g);
	if (!s) {
		gokeep_free(info->kept);
		return false;
	}
	s->info = *info;
	belt_send(p->belt);
	give_room(p);
	return true;
}

/* When the belt is closed the caller looks at no generation any more. */
static void put_drop(void *self, struct tgen *g)
{
	struct pipe *p = self;
	if (fill(p, DROP, g))
		belt_send(p->belt);
	else
		gogen_free(g);
	give_room(p);
}

static void drop_now(void *self, struct tgen *g)
{
	(void)self;
	gogen_free(g);
}

static int read_ahead(struct job *j, void *arg)
{
	struct pipe *p = arg;
	const struct tev_ops ops = {put_events, put_warning, put_generation, put_progress, NULL, NULL, p->ops->keeps,
	    p->ops->from, NULL};
	(void)j;
	if (p->ops->spare)
		p->ops->spare(p->self);
	int r = tev_run(p->in, &ops, p, &p->info, &p->damage, &p->feed);
	belt_end(p->belt);
	return r;
}

/* ---- the caller's thread */

static bool empty(struct pipe *p, struct slot *s)
{
	switch (s->kind) {
	case EVENTS:
		if ((p->events + s->n) / p->pass != p->events / p->pass)
			input_passed(&p->in, p->in.n);
		p->events += s->n;
		if (p->ops->progress)
			p->ops->progress(p->self, s->at);
		return p->ops->events(p->self, s->g, s->ev, s->n);
	case WARNING:
		if (p->ops->warn)
			p->ops->warn(p->self, s->at, s->msg);
		return true;
	case GENERATION:
		return !p->ops->generation || p->ops->generation(p->self, s->g, &s->info);
	case DROP:
		input_passed(&p->in, s->g->end);
		gogen_free(s->g);
		return true;
	}
	return true;
}

static void take_all(struct pipe *p, bool *more)
{
	for (int i; (i = belt_next(p->belt)) >= 0; belt_done(p->belt)) {
		if (*more || p->slot[i].kind == DROP)
			*more &= empty(p, &p->slot[i]);
		else if (p->slot[i].kind == GENERATION)
			gokeep_free(p->slot[i].info.kept);
		if (!*more)
			belt_close(p->belt);
		if (p->turns && p->ops->rest && belt_filled(p->belt) == 1)
			p->ops->rest(p->self);
	}
}

static uint32_t slots_for(uint64_t bytes)
{
	uint64_t n = bytes / SLOT_BYTES;
	return n < SLOTS_MIN ? SLOTS_MIN : n > SLOTS_MAX ? SLOTS_MAX : (uint32_t)n;
}

int tevpipe_read(struct bytes in, const struct tev_ops *ops, void *self, struct tstream_info *info,
    struct err *damage)
{
	bool small = ops->keeps && mem_tight();
	uint32_t slots = small ? SLOTS_MIN : slots_for(in.n), most = small ? SLOTS_TURN : slots;
	size_t room = (most + 1) * GO_OUT * sizeof(struct tev);
	struct pipe p = {.belt = belt_new(slots), .slot = xcalloc(most, sizeof *p.slot), .slots = slots, .most = most,
	    .in = in, .info = *info, .damage = *damage, .ops = ops, .self = self,
	    .room = small ? mem_pages_grow(NULL, 0, room) : mem_pages(room),
	    .pass = small || slots == SLOTS_MIN ? PASS_SMALL : PASS_EVENTS};
	if (ops->spare)
		belt_meanwhile(p.belt, slots / ENOUGH, ops->spare, self);
	for (uint32_t i = 0; i < most; i++)
		p.slot[i].ev = p.room + i * GO_OUT;
	p.feed = (struct tev_feed){.drop = put_drop, .self = &p, .first = p.slot[0].ev};
	struct job *j = job_start(read_ahead, &p);
	bool more = true;
	int r;
	if (ops->begin)
		ops->begin(self);
	if (j) {
		take_all(&p, &more);
		r = job_join(j);
		take_all(&p, &more);	/* one may have been on its way when the belt was closed */
		p.info.events = p.events;
	} else {
		belt_close(p.belt);	/* no thread to be had: one after the other */
		struct tev_feed alone = {.drop = drop_now, .self = &p};
		r = tev_run(in, ops, self, &p.info, &p.damage, &alone);
	}
	*info = p.info;
	*damage = p.damage;
	belt_free(p.belt);
	mem_free(p.slot);
	mem_pages_free(p.room, room);
	return r;
}
