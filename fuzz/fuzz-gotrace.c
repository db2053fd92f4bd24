/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The reader of traces on any bytes. Properties: reading ends, and each id of an event exists in the tables of its
 * generation.
 */
#include "config.h"
#include "mutate.h"

#include "load/gotrace/event_stream.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static bool on_events(void *self, const struct trace_generation *g, const struct trace_event *t, size_t n)
{
	uint64_t *sum = self;
	for (size_t i = 0; i < n; i++) {
		uint32_t nframes;
		size_t len;
		const struct trace_frame *f = generation_stack(g, trace_event_stack(&t[i]), &nframes);
		for (uint32_t k = 0; k < nframes; k++)
			*sum += f[k].pc + (uint8_t)*generation_str(g, f[k].fun, &len) + len;
		if (trace_event_stack(&t[i]) >= generation_nstacks(g) ||
		    trace_event_stack2(&t[i]) >= generation_nstacks(g) ||
		    trace_event_name(&t[i]) >= generation_nstrs(g) || trace_event_text(&t[i]) >= generation_nstrs(g))
			abort();
		const char *s = generation_str(g, trace_event_name(&t[i]), &len);
		for (size_t k = 0; k < len; k++)
			*sum += (uint8_t)s[k];
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct event_stream_ops ops = {on_events, NULL, NULL, NULL, NULL, NULL, 0};
	struct event_stream_info info;
	struct err e;
	uint64_t sum = 0;
	event_stream_read((struct bytes){.p = p, .n = n, .file_n = n}, &ops, &sum, &info, &e);
	return 0;
}

/* Use libFuzzer's mutation of bytes in one of four cases. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	size_t k = seed % 4 ? mutate_trace(data, n, max, seed) : 0;
	return k ? k : LLVMFuzzerMutate(data, n, max);
}
