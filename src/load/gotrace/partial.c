/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A part of a trace: the generations that a stretch of time lies in, read before what comes before
 * them, because somebody looks there. A generation names the state of every P and G before it changes, so it can be
 * read by itself; what it cannot say is what led to it: who made a goroutine, since when it waits, where a
 * region or task began, and what a goroutine that does not stir in it is doing. So a part is a view for the time until
 * the reading gets there, in a store of its own, and nothing of it goes into the whole.
 *
 * Where generations lie is learnt by going from batch to batch, as for the outline. A generation
 * begins with its earliest batch and lasts until the next one begins: the last batches of a thread may
 * hold events of a second.
 */
#include "config.h"
#include "load/gotrace/reader.h"

#include "base/mem/mem.h"

enum {
	LOOK_EVERY = 1 << 12,	/* batches after which to ask whether to stop */
	TIMES = 4		/* what is made of a part is so many times as large */
};

struct gen {
	uint64_t at, ticks;	/* first byte; earliest batch */
	double tick;
};

struct gens {
	struct gen *v;
	size_t n, cap;
	uint64_t number;	/* of the newest */
	bool ended;		/* that one */
};

static void add_batch(struct gens *l, const struct wire_batch *b, uint64_t at)
{
	if (b->end) {
		l->ended = true;
		return;
	}
	if (!l->n || l->ended || b->gen != l->number) {
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
		l->v[l->n] = (struct gen){at, UINT64_MAX, l->n ? l->v[l->n - 1].tick : 0};
		l->n++;
		l->number = b->gen;
		l->ended = false;
	}
	struct gen *g = &l->v[l->n - 1];
	double tick = batch_scan_ns_per_tick(b);
	if (tick != 0)
		g->tick = tick;
	if (!b->exp && b->first && b->first < GE__N && wire_event_nargs[b->first] && b->time < g->ticks)
		g->ticks = b->time;
}

/* -1: to be stopped. Damage ends the list, and the last one is all that is left. */
static int find_generations(struct bytes in, struct gens *l, struct sink *sink)
{
	struct batch_scanner w;
	struct wire_batch b;
	uint64_t at;
	batch_scan_begin(&w, in);
	for (size_t n = 1; batch_scan_next(&w, &b, &at); n++) {
		add_batch(l, &b, at);
		if (n % LOOK_EVERY == 0 && !sink->ops->upto(sink->self, TIME_NONE, 0))
			return -1;
	}
	return 0;
}

/* The last generation that has begun by then; the first, if none has. */
static size_t gen_at(const struct gens *l, int64_t base, int64_t t)
{
	size_t i = l->n - 1;
	while (i && (l->v[i].ticks == UINT64_MAX || wire_time(l->v[i].tick, l->v[i].ticks) - base > t))
		i--;
	return i;
}

int gotrace_read_part(struct bytes in, const struct trace_part *part, struct sink *sink, struct err *e)
{
	struct gens l = {0};
	if (in.n <= GO_HEADER || wire_version(in) < 22)
		return err_set(e, ERR_FORMAT, 0,
		    "a trace of this version has no generations and has to be read from its start");
	if (find_generations(in, &l, sink)) {
		mem_free(l.v);
		return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
	}
	if (!l.n)
		return err_set(e, ERR_FORMAT, GO_HEADER, "no generation starts here");
	size_t a = gen_at(&l, part->base, part->t0), b = gen_at(&l, part->base, part->t1);
	uint64_t from = l.v[a].at;
	if (b + 1 < l.n)
		in.n = (size_t)l.v[b + 1].at;
	mem_free(l.v);
	if (from < part->past)
		return err_set(e, ERR_CANCEL, from, "this part is being read already");
	if (mem_limit() && in.n - from > mem_limit() / 2 / TIMES)
		return err_set(e, ERR_CANCEL, from,
		    "this part needs more memory than -mem allows");
	return gotrace_read_from(in, from, part->base, sink, e);
}
