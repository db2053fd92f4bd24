/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The store is the same, byte for byte, however many threads have filled it and whether common events took the fast
 * path (src/load/gotrace/order_fast.h) or the general one: for whole traces, truncated ones and damaged ones. The linker
 * replaces order_init() by __wrap_order_init(), which can disable the fast path. For files as arguments it prints two
 * hashes of the store: of all, and of what does not depend on where the intervals are cut into sheets.
 */
#include "config.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "load/gotrace/order.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"
#include "digest.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool general;	/* no event takes the fast path */

void __real_order_init(
    struct event_orderer *, const struct event_stream_ops *, void *, struct event_stream_info *, struct trace_event *,
    uint64_t);
void __wrap_order_init(
    struct event_orderer *, const struct event_stream_ops *, void *, struct event_stream_info *, struct trace_event *,
    uint64_t);

void __wrap_order_init(struct event_orderer *o, const struct event_stream_ops *ops, void *self,
    struct event_stream_info *info, struct trace_event *out, uint64_t bytes)
{
	__real_order_init(o, ops, self, info, out, bytes);
	o->general = general;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct digest load(struct bytes in, const char *jobs)
{
	if (jobs)
		setenv("TTRACE_JOBS", jobs, 1);
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	struct err e = {0};
	int r = gotrace_read(in, &sink, &e);
	const struct snap *sn = builder_finish(b);
	struct digest d = digest_of(sn);
	bool holds = store_check(sn, &e) == 0;
	OK(holds || (fprintf(stderr, "%s\n", e.msg), false));
	d.all = mix(d.all, (uint64_t)(r + 1));
	builder_free(b);
	return d;
}

static void same(struct bytes in, const char *what, size_t n)
{
	static const char *const jobs[] = {"2", "3", "8"};
	struct digest one = load(in, "1");
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		struct digest d = load(in, jobs[i]);
		OK(d.all == one.all ||
		    (fprintf(stderr, "%s (%zu) differs with %s threads\n", what, n, jobs[i]), false));
	}
	general = true;
	struct digest d = load(in, "1");
	general = false;
	OK(d.all == one.all || (fprintf(stderr, "%s (%zu) differs without the fast path\n", what, n), false));
}

static void damaged(const char *path)
{
	struct bytes b;
	struct err e;
	if (input_open(path, &b, &e)) {
		OK(!"the file is read");
		return;
	}
	uint8_t *p = xmalloc(b.n + 1);
	for (unsigned round = 0; round < 24; round++) {
		memcpy(p, b.p, b.n);
		for (unsigned k = 0; k < round % 4; k++)
			p[16 + (size_t)rand() % (b.n - 16)] ^= (uint8_t)(1u << rand() % 8);
		same((struct bytes){.p = p, .n = round % 3 ? (size_t)rand() % b.n : b.n, .file_n = b.n}, path, round);
	}
	mem_free(p);
	input_close(&b);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct bytes b;
		struct err e;
		if (input_open(argv[i], &b, &e))
			return 1;
		struct digest d = load(b, NULL);
		printf("%016" PRIx64 " %016" PRIx64 " %s\n", d.all, d.uncut, argv[i]);
		input_close(&b);
	}
	if (argc > 1)
		return 0;
	srand(11);
	damaged(tap_source("samples/orders.trace"));
	return DONE();
}
