/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Loading of traces into the store: after each load the laws of the store hold (store_check()), whether the file is whole,
 * truncated anywhere or has an inverted bit. For files as arguments it prints how many rows they gave and the time that
 * they cover (for measurements).
 */
#include "config.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool load(struct bytes in, bool print)
{
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	struct err e = {0};
	bool read = gotrace_read(in, &sink, &e) == 0;
	const struct snap *sn = builder_finish(b);
	bool holds = store_check(sn, &e) == 0;
	OK(holds || (fprintf(stderr, "%s\n", e.msg), false));
	if (print) {
		uint64_t n = 0;
		for (uint32_t i = 0; i < sn->nsheets; i++)
			n += store_slot(sn->st, i)->n;
		printf("%s: %" PRIu64 " events, %u sheets, %" PRIu64 " intervals, %u tracks, %u spans, %u marks, "
		    "%u stacks, %u samples, %.3f s\n", read ? "read" : e.msg, sn->trace.events, sn->nsheets, n,
		    sn->ntrks, sn->nspans, sn->nmarks, sn->nstks, sn->nsmps, (double)sn->t1 / 1e9);
	}
	builder_free(b);
	return read;
}

static void mangle(const char *path)
{
	struct bytes in;
	struct err e;
	if (input_open(path, &in, &e)) {
		OK(!"the file is read");
		return;
	}
	OK(load(in, false));
	uint32_t seed = 7;
	uint8_t *copy = xmalloc(in.n);
	for (int i = 0; i < 60; i++) {
		seed = seed * 1664525u + 1013904223u;
		struct bytes part = { .p = copy, .n = in.n };
		memcpy(copy, in.p, in.n);
		if (i % 2)
			part.n = seed % in.n;
		else
			copy[16 + seed % (in.n - 16)] ^= (uint8_t)(1u << (seed >> 29));
		load(part, false);
	}
	mem_free(copy);
	input_close(&in);
}

/* Hours with few events, which are entered out of the order of time: a sheet spans at most SHEET_MAX_NS, so there are
   thousands of sheets, and they have exactly the intervals that were entered. */
static void sparse(void)
{
	enum { GS = 3, N = 20000 };
	const int64_t apart = 1500000000;
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	trk_id g[GS];
	uint32_t seen[GS] = {0};
	int64_t next[GS];
	struct err e;
	s.trace->facts(s.self, &(struct sink_trace){ .version = 26, .last = N * apart });
	for (int k = 0; k < GS; k++) {
		g[k] = s.trace->track(s.self, TK_G, (uint64_t)k + 1);
		next[k] = (k + 1) * apart / 4;
	}
	for (int i = 0; i < N; i++)
		for (int k = GS; k-- > 0;)
			sink_enter_one(&s, g[k], i * apart + next[k], i % 2 ? TS_RUN : TS_READY, 0, 0);
	const struct snap *sn = builder_finish(b);
	OK(store_check(sn, &e) == 0 && sn->nsheets >= N / 2);
	for (uint32_t n = 0; n < sn->nsheets; n++) {
		const struct sheet *sh = store_slot(sn->st, n)->sheet;
		for (uint32_t r = 0; r < sh->ntrk; r++)
			for (uint32_t i = sh->first[r], k = sh->trk[r] - g[0]; i < sh->first[r + 1]; i++) {
				if (sh->state[i] & SHEET_CONT || (sh->state[i] & SHEET_STATE) == TS_NONE)
					continue;
				OK(sh->t0 + sheet_start(sh, i) == next[k]);
				OK((sh->state[i] & SHEET_STATE) == (seen[k]++ % 2 ? TS_RUN : TS_READY));
				next[k] += apart;
			}
	}
	for (int k = 0; k < GS; k++)
		OK(seen[k] == N);
	builder_free(b);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct bytes in;
		struct err e;
		OK(!input_open(argv[i], &in, &e));
		load(in, true);
		input_close(&in);
	}
	if (argc > 1)
		return DONE();
	mangle(tap_source("samples/orders.trace"));
	sparse();
	OK(!load((struct bytes){ .p = (const uint8_t *)"no trace at all.", .n = 16 }, false));
	return DONE();
}
