/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A part of a trace: the generations that overlap a time range, without those that precede them. A
 * generation records the state of every P and G before its first change, so it can be read by itself.
 * Unknown is what led to these states: which goroutine created another one, since when it waits, where
 * a region or task began, and the state of a goroutine that has no event in it. So a part is in a store
 * of its own; nothing of it is added to the whole.
 *
 * The program reads whole traces only. A test and a fuzzer call this file, so that it still works when
 * the last seconds of a recording that goes on are to be shown.
 *
 * The generations are found by a scan of the batches' heads, as for the outline. A generation
 * begins with its earliest batch and lasts until the next one begins, because the last batches of a
 * thread may hold events of a second.
 */
#include "config.h"
#include "load/gotrace/internal.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"

enum {
	LOOK_EVERY = 1 << 12,	/* batches after which to ask whether to stop */
	TIMES = 4		/* memory of what is read, relative to the bytes of a part */
};

struct gen {
	uint64_t at, ticks;	/* offset of its first byte; time of its earliest batch */
	double tick;
};

struct gens {
	struct gen *v;
	size_t n, cap;
	uint64_t number;	/* of the newest generation */
	bool ended;		/* the newest generation has an end event */
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

/* Find the generations. Returns -1 if the sink stops. Damage ends the list; the last generation then covers the
   rest. */
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

/* Return the index of the last generation that begins at or before t; 0 if there is none. */
static size_t gen_at(const struct gens *l, int64_t base, int64_t t)
{
	size_t i = l->n - 1;
	while (i && (l->v[i].ticks == UINT64_MAX || wrap_sub(wire_time(l->v[i].tick, l->v[i].ticks), base) > t))
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
	if (mem_limit() && in.n - from > mem_limit() / 2 / TIMES)
		return err_set(e, ERR_CANCEL, from, "this part needs more memory than -mem allows");
	return gotrace_read_from(in, from, part->base, sink, e);
}
