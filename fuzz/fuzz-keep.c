/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Any bytes as a trace in small sheets, read once with all of them in memory and once with room for hardly any, so that
 * each sheet is rebuilt when it is needed. Properties: both stores keep their laws and have the same contents, also when
 * sheets are read in the opposite order.
 */
#include "config.h"
#include "check.h"
#include "mutate.h"

#include "../tests/digest.h"
#include "load/gotrace/wire.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/cache/sheet_cache.h"
#include "store/check.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

struct from { struct bytes in; int version; };

static int say_again(void *arg, const struct sink_checkpoint *gen, struct sink *sink, struct err *e)
{
	const struct from *f = arg;
	struct bytes part = {.p = f->in.p + gen->at, .n = (size_t)(gen->end - gen->at)};
	return gotrace_reread(f->version, part, gen, sink, e);
}

enum { ENTRIES = 16, ALL = 1 << 30, HARDLY_ANY = 1 };	/* entries of a sheet; room in bytes */

static struct store_builder *load(struct from *f, size_t limit)
{
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	struct err e = {0};
	builder_set_sheet_entries(b, ENTRIES);
	builder_enable_eviction(b, limit, say_again, f);
	gotrace_read(f->in, &sink, &e);
	const struct snap *sn = builder_finish(b);
	check(!store_check(sn, &e), e.msg);
	return b;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct from f = {.in = {.p = p, .n = n, .file_n = n}};
	if ((f.version = wire_version(f.in)) < 22)	/* sheets of older traces are not evicted */
		return 0;
	struct store_builder *all = load(&f, ALL), *few = load(&f, HARDLY_ANY);
	const struct snap *sa = builder_snap(all), *sf = builder_snap(few);
	uint64_t want = digest_of(sa).all;
	check(sa->nsheets == sf->nsheets, "the stores have different numbers of sheets");
	for (uint32_t i = sf->nsheets; i-- > 0;) {
		const struct sheet *a = sheet_get(sa, i), *b = sheet_get(sf, i);
		check(a->n == b->n && a->ntrk == b->ntrk && a->t1 == b->t1, "a rebuilt sheet differs");
		sheet_put(sa, i);
		sheet_put(sf, i);
	}
	check(digest_of(sf).all == want, "the rebuilt store has another digest");
	check(!store_lost(sf), "a sheet cannot be rebuilt");
	builder_free(all);
	builder_free(few);
	return 0;
}

/* Use libFuzzer's mutation of bytes in one of four cases. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	size_t k = seed % 4 ? mutate_trace(data, n, max, seed) : 0;
	return k ? k : LLVMFuzzerMutate(data, n, max);
}
