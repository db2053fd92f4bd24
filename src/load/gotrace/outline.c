/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The outline of a trace, before it is read. The heads of its batches, read one after another, give
 * the times at which the trace begins and ends, the number of generations, and the distribution of
 * its bytes over time.
 *
 * The scan checks nothing and ends at a damaged head without a warning. After OUTLINE_NS the
 * outline is emitted as far as it is known: a large file or a slow disk must not delay the reading
 * itself. The rest is scanned in small steps between parts of the reading; the outline is emitted
 * again whenever it has twice as many batches, and at its end. Times are converted with the first
 * frequency found; those of later generations differ in the sixth digit.
 */
#include "config.h"
#include "load/gotrace/outline.h"

#include "base/clock.h"
#include "base/mem/mem.h"
#include "load/gotrace/batch_scan.h"
#include "sink_trace.h"

#include <string.h>

enum { OUTLINE_NS = 40000000, STEP_NS = 2000000, LOOK_AT_CLOCK = 16, LEAST = 1 << 22 };

struct batch_head {
	uint64_t ticks;
	uint32_t bytes;
};

struct outline {
	struct batch_scanner walk;
	struct batch_head *h;
	size_t n, cap, emitted;	/* emitted: number of batches in the outline emitted last */
	uint64_t first, last, gen;
	uint32_t generations;
	double tick;
	bool over;
};

static void add_batch(struct outline *o, const struct wire_batch *b)
{
	if (b->end || b->exp)
		return;
	o->generations += b->gen != o->gen;
	o->gen = b->gen;
	o->tick = o->tick != 0 ? o->tick : batch_scan_ns_per_tick(b);
	if (!b->first || b->first >= GE__N || !wire_event_nargs[b->first])
		return;
	o->first = b->time < o->first ? b->time : o->first;
	o->last = b->time > o->last ? b->time : o->last;
	o->h = mem_grow(o->h, &o->cap, o->n + 1, sizeof *o->h);
	o->h[o->n++] = (struct batch_head){ b->time, b->n };
}

static void scan_for(struct outline *o, int64_t ns)
{
	int64_t until = clock_ns() + ns;
	struct wire_batch b;
	uint64_t at;
	while (!(o->over = !batch_scan_next(&o->walk, &b, &at))) {
		add_batch(o, &b);
		if (o->n % LOOK_AT_CLOCK == 0 && clock_ns() > until)
			break;
	}
}

static void emit_outline(struct outline *o, struct sink *sink)
{
	struct sink_outline s = { .generations = o->generations, .seen = o->walk.at,
		.whole = o->over && o->walk.at == o->walk.in.n };
	double len = (double)(o->last - o->first) + 1;
	if (!o->n || o->tick <= 0 || !sink->trace->outline)
		return;
	o->emitted = o->n;
	s.t1 = wire_time(o->tick, o->last - o->first);
	for (size_t i = 0; i < o->n; i++)
		s.bytes[(size_t)((double)(o->h[i].ticks - o->first) / len * OUTLINE_BINS)] += o->h[i].bytes;
	if (s.t1 > 0)
		sink->trace->outline(sink->self, &s);
}

struct outline *outline_new(struct bytes in, struct sink *sink)
{
	if (in.n < LEAST || wire_version(in) < 22)
		return NULL;
	struct outline *o = xcalloc(1, sizeof *o);
	o->first = UINT64_MAX;
	batch_scan_begin(&o->walk, in);
	scan_for(o, OUTLINE_NS);
	emit_outline(o, sink);
	return o;
}

void outline_step(struct outline *o, struct sink *sink)
{
	if (!o || o->over)
		return;
	scan_for(o, STEP_NS);
	if (o->over || o->n > 2 * o->emitted)
		emit_outline(o, sink);
}

void outline_free(struct outline *o)
{
	if (o)
		mem_free(o->h);
	mem_free(o);
}
