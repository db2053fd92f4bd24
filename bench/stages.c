/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * stages FILE.trace: prints a line for each stage of loading a trace: its name, the processor time and wall time per event
 * in ns, events per second, and the number of events. Each stage includes those before it. The first one, which only
 * decodes the events of all batches, is the limit for the others.
 */
#include "config.h"

#include "load/gotrace/event_stream.h"
#include "load/gotrace/wire.h"
#include "store/builder.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t decode(struct bytes in)
{
	struct byte_cursor c = byte_cursor_make(in.p + GO_HEADER, in.n - GO_HEADER, GO_HEADER);
	struct wire_batch b;
	struct wire_event ev = {0};
	struct err e;
	uint64_t n = 0, dt, sum = 0;
	while (wire_read_batch(&c, &b, &e) > 0) {
		if (b.end || b.exp || b.first >= GE__N || !(wire_event_specs[b.first].flags & F_T))
			continue;
		struct byte_cursor x = byte_cursor_make(b.p, b.n, b.at);
		for (const uint8_t *p; byte_cursor_left(&x); n++) {
			if (byte_cursor_left(&x) >= WIRE_EVENT_ROOM && (p = wire_read_event_fast(x.p, &ev, &dt)))
				x.p = p;
			else if (!wire_read_event(&x, &ev, &dt, &e))
				break;
			sum += dt + ev.arg[1];
		}
	}
	return sum ? n : 0;
}

static bool ignore(void *self, const struct trace_generation *g, const struct trace_event *ev, size_t n)
{
	(void)g, (void)ev;
	*(uint64_t *)self += n;
	return true;
}

static uint64_t order(struct bytes in)
{
	static const struct event_stream_ops ops = {ignore, NULL, NULL, NULL, NULL, NULL, 0};
	struct event_stream_info info;
	uint64_t n = 0;
	event_stream_read(in, &ops, &n, &info, NULL);
	return n;
}

static uint64_t store(struct bytes in)
{
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	struct err e;
	gotrace_read(in, &sink, &e);
	uint64_t n = builder_finish(b)->trace.events;
	builder_free(b);
	return n;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; uint64_t (*fn)(struct bytes); const char *jobs; } stages[] = {
		{"decode, the limit", decode, "1"}, {"decode, order", order, "1"},
		    {"into the store, one thread", store, "1"},
		{"into the store", store, NULL},
	};
	struct bytes in;
	struct err e;
	const char *jobs = getenv("TTRACE_JOBS");
	if (argc != 2 || input_open(argv[1], &in, &e))
		return 2;
	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
		if (stages[i].jobs)
			setenv("TTRACE_JOBS", stages[i].jobs, 1);
		else if (jobs)
			setenv("TTRACE_JOBS", jobs, 1);
		else
			unsetenv("TTRACE_JOBS");
		double c = now(CLOCK_PROCESS_CPUTIME_ID), t = now(CLOCK_MONOTONIC);
		uint64_t n = stages[i].fn(in);
		c = now(CLOCK_PROCESS_CPUTIME_ID) - c, t = now(CLOCK_MONOTONIC) - t;
		double per = n ? 1e9 / (double)n : 0;
		printf("%-28s %6.1f ns of the processor, %6.1f ns of the clock, %6.1f M events/s of %" PRIu64 "\n",
		    stages[i].name, c * per, t * per, (double)n / t / 1e6, n);
	}
	input_close(&in);
	return 0;
}
