/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reading ahead. Ordering the events of a trace and interpreting them cost about the same, so a
 * second thread does the first and the caller's thread does the second. Between them is a ring of
 * slots (base/job.h), each with a thousand events or one other message. Events are written where
 * the consumer reads them, and callbacks are called in order, on the caller's thread, as if there
 * were no other thread.
 *
 * The ordering thread may read the tables of the next generation while the caller's thread uses
 * those of this one: these are complete by then, and the only part that grows, the strings added by
 * generation_add_string(), never moves. The caller's thread frees them at the message that no more
 * events of the generation follow.
 */
#include "config.h"
#include "load/gotrace/pipeline.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "load/gotrace/generation.h"
#include "load/gotrace/order.h"

#include <stdio.h>
#include <string.h>

/* Number of slots: SLOTS_MIN for small files, up to SLOTS_MAX for large ones, which covers the events that are
   interpreted while a batch of intervals is sealed. */
enum { SLOTS_MIN = 16, SLOTS_MAX = 128, SLOT_BYTES = 1 << 20 };
/* With 1/ENOUGH of the slots filled the caller's thread has enough events, and this one may do other work. */
enum { ENOUGH = 4 };
enum { PASS_EVENTS = 1 << 19, PASS_SMALL = 1 << 16 };

struct pipe_slot {
	enum { EVENTS, WARNING, GENERATION, DROP } kind;
	struct trace_generation *g;
	size_t n;
	uint64_t at;
	struct event_stream_info info;
	char msg[480];
	struct trace_event *ev;		/* GO_OUT events, each a cache line */
};

struct pipe {
	struct ring_queue *ring_queue;
	struct pipe_slot *pipe_slot;
	struct bytes in;
	struct event_stream_info info;
	struct err damage;
	int result;		/* of event_stream_run() */
	const struct event_stream_ops *ops;
	void *self;
	uint64_t bytes;		/* of the ordering thread: bytes decoded so far */
	uint64_t events;	/* delivered to the caller */
	uint64_t pass;		/* PASS_EVENTS or PASS_SMALL */
	struct event_stream_feed feed;
	struct trace_event *room; /* events of all slots and, after them, room for events that are discarded */
	uint32_t slots;
};

/* ---- the ordering thread */

static struct pipe_slot *begin_slot(struct pipe *p, int kind, const struct trace_generation *g)
{
	int i = ring_begin_write(p->ring_queue);
	if (i < 0)
		return NULL;
	p->pipe_slot[i].kind = kind;
	p->pipe_slot[i].g = (struct trace_generation *)(uintptr_t)g;
	return &p->pipe_slot[i];
}

/* Direct the next events to a slot, or to the room for discarded events if the ring is closed. */
static void begin_events(struct pipe *p)
{
	int i = ring_begin_write(p->ring_queue);
	order_set_output(p->feed.order, i < 0 ? p->room + p->slots * GO_OUT : p->pipe_slot[i].ev);
}

/* Publish the slot; the events are in it already. */
static bool put_events(void *self, const struct trace_generation *g, const struct trace_event *t, size_t n)
{
	struct pipe *p = self;
	struct pipe_slot *s = begin_slot(p, EVENTS, g);
	if (!s || t != s->ev)
		return false;
	s->n = n;
	s->at = p->bytes;
	ring_end_write(p->ring_queue);
	begin_events(p);
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
	struct pipe_slot *s = begin_slot(p, WARNING, NULL);
	if (!s)
		return;
	s->at = at;
	snprintf(s->msg, sizeof s->msg, "%s", msg);
	ring_end_write(p->ring_queue);
	begin_events(p);
}

static bool put_generation(void *self, const struct event_stream_info *info)
{
	struct pipe *p = self;
	struct pipe_slot *s = begin_slot(p, GENERATION, NULL);
	if (!s)
		return false;
	s->info = *info;
	ring_end_write(p->ring_queue);
	begin_events(p);
	return true;
}

/* If the ring is closed, the caller does not use any generation any more, so free it here. */
static void put_drop(void *self, struct trace_generation *g)
{
	struct pipe *p = self;
	if (begin_slot(p, DROP, g))
		ring_end_write(p->ring_queue);
	else
		generation_free(g);
	begin_events(p);
}

static void drop_now(void *self, struct trace_generation *g)
{
	(void)self;
	generation_free(g);
}

static void read_ahead(void *arg)
{
	struct pipe *p = arg;
	const struct event_stream_ops ops = {
	    put_events, put_warning, put_generation, put_progress, NULL, NULL, p->ops->from};
	if (p->ops->idle_work)
		p->ops->idle_work(p->self);
	p->result = event_stream_run(p->in, &ops, p, &p->info, &p->damage, &p->feed);
	ring_finish(p->ring_queue);
}

/* ---- the caller's thread */

static bool deliver_slot(struct pipe *p, struct pipe_slot *s)
{
	switch (s->kind) {
	case EVENTS:
		if ((p->events + s->n) / p->pass != p->events / p->pass)
			input_release_before(&p->in, p->in.n);
		p->events += s->n;
		if (p->ops->progress)
			p->ops->progress(p->self, s->at);
		return p->ops->events(p->self, s->g, s->ev, s->n);
	case WARNING:
		if (p->ops->warn)
			p->ops->warn(p->self, s->at, s->msg);
		return true;
	case GENERATION:
		return !p->ops->generation || p->ops->generation(p->self, &s->info);
	case DROP:
		input_release_before(&p->in, s->g->end);
		generation_free(s->g);
		return true;
	}
	return true;
}

static void take_all(struct pipe *p, bool *more)
{
	for (int i; (i = ring_begin_read(p->ring_queue)) >= 0; ring_end_read(p->ring_queue)) {
		if (*more || p->pipe_slot[i].kind == DROP)
			*more &= deliver_slot(p, &p->pipe_slot[i]);
		if (!*more)
			ring_close(p->ring_queue);
	}
}

static uint32_t slots_for(uint64_t bytes)
{
	uint64_t n = bytes / SLOT_BYTES;
	return n < SLOTS_MIN ? SLOTS_MIN : n > SLOTS_MAX ? SLOTS_MAX : (uint32_t)n;
}

int pipeline_read(struct bytes in, const struct event_stream_ops *ops, void *self, struct event_stream_info *info,
    struct err *damage)
{
	uint32_t slots = slots_for(in.n);
	struct pipe p = {.ring_queue = ring_new(slots),
	    .pipe_slot = xcalloc(slots, sizeof *p.pipe_slot),
	    .slots = slots,
	    .in = in,
	    .info = *info,
	    .damage = *damage,
	    .ops = ops,
	    .self = self,
	    .room = xmalloc((slots + 1) * GO_OUT * sizeof *p.room),
	    .pass = slots == SLOTS_MIN ? PASS_SMALL : PASS_EVENTS};
	if (ops->idle_work)
		ring_set_idle_work(p.ring_queue, slots / ENOUGH, ops->idle_work, self);
	for (uint32_t i = 0; i < slots; i++)
		p.pipe_slot[i].ev = p.room + i * GO_OUT;
	p.feed = (struct event_stream_feed){.drop = put_drop, .self = &p, .first = p.pipe_slot[0].ev};
	bool more = true, two = ring_start(p.ring_queue, read_ahead, &p);
	if (ops->begin)
		ops->begin(self);
	if (two) {
		take_all(&p, &more);
		ring_stop(p.ring_queue);
		take_all(&p, &more);	/* free what was being written when the ring was closed */
		p.info.events = p.events;
	} else {
		ring_close(p.ring_queue);	/* no thread could be started: do both on this thread */
		struct event_stream_feed alone = {.drop = drop_now, .self = &p};
		p.result = event_stream_run(in, ops, self, &p.info, &p.damage, &alone);
	}
	*info = p.info;
	*damage = p.damage;
	ring_free(p.ring_queue);
	mem_free(p.pipe_slot);
	mem_free(p.room);
	return p.result;
}
