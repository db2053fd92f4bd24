/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The outline of a trace, before it is read: a batch begins with its length, so
 * one can go from head to head and learn when the trace begins and ends, how many
 * generations it has and how its bytes lie over time. That touches one page in
 * sixteen, and takes milliseconds for 100 MB.
 *
 * It is a look and no more: where a head is damaged it ends, nothing is checked
 * or complained of, and after OUTLINE_NS it stays what it is by then: a slow
 * disk must not make the reading itself wait. The clock is that of the first
 * frequency met; those of later generations differ in the sixth digit.
 */
#include "config.h"
#include "load/gotrace.h"

#include "base/clock.h"
#include "load/gowire.h"

#include <string.h>

enum { OUTLINE_NS = 40000000, LOOK_AT_CLOCK = 2, LEAST = 1 << 22 };

struct head {
	uint64_t ticks;
	uint32_t bytes;
};

/* ns of a tick, if the batch says so. */
static double frequency(const struct gobatch *b)
{
	struct cur c = cur_make(b->p, b->n, 0);
	if (b->first == GE_Sync)
		cur_u8(&c);
	uint64_t f = cur_u8(&c) == GE_Frequency ? cur_uvarint(&c) : 0;
	return f && !c.bad ? 1e9 / (double)f : 0;
}

static void sum_up(struct sink_outline *o, const struct head *h, size_t n, uint64_t first, uint64_t last, double tick)
{
	double len = (double)(last - first) + 1;
	o->t1 = gowire_time(tick, last - first);
	for (size_t i = 0; i < n; i++)
		o->bytes[(size_t)((double)(h[i].ticks - first) / len * OUTLINE_BINS)] += h[i].bytes;
}

void gooutline(struct bytes in, struct sink *sink)
{
	struct sink_outline o = {0};
	struct gobatch b;
	struct err e;
	struct head *h = NULL;
	size_t n = 0, cap = 0;
	uint64_t first = UINT64_MAX, last = 0, gen = 0;
	double tick = 0;
	if (in.n < LEAST || gowire_version(in) < 22)
		return;
	struct cur c = cur_make(in.p + GO_HEADER, in.n - GO_HEADER, GO_HEADER);
	int64_t until = clock_ns() + OUTLINE_NS;
	while (gowire_batch(&c, &b, &e) > 0) {
		if (b.end || b.exp)
			continue;
		if (b.gen != gen)
			o.generations++;
		gen = b.gen;
		if (tick == 0 && (b.first == GE_Sync || b.first == GE_Frequency))
			tick = frequency(&b);
		if (!b.first || b.first >= GE__N || !goev_nargs[b.first])
			continue;
		first = b.time < first ? b.time : first;
		last = b.time > last ? b.time : last;
		h = mem_grow(h, &cap, n + 1, sizeof *h);
		h[n++] = (struct head){ b.time, b.n };
		if (n % LOOK_AT_CLOCK)
			continue;
		input_passed(&in, cur_at(&c));
		if (clock_ns() > until)
			break;
	}
	o.seen = cur_at(&c);
	o.whole = !cur_left(&c);
	if (n && tick > 0) {
		sum_up(&o, h, n, first, last, tick);
		if (o.t1 > 0)
			sink->ops->outline(sink->self, &o);
	}
	mem_free(h);
}
