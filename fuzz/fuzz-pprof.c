/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The reader of profile.proto on any bytes, without the gzip that would hide them from the fuzzer. Properties: reading ends,
 * the store keeps its laws, and a query weighs the samples that were read.
 */
#include "config.h"
#include "mutate.h"

#include "calltree/granularity.h"
#include "filter/weigh.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void query(const struct snap *sn, struct filters f)
{
	struct compiled_filters *fc = filter_compile(&f, NULL);
	struct filter_trees k = {.granularity = granularity_new(sn, GR_LINES)};
	struct weighted_tree *c = filter_weigh(&k, sn, fc, true, &(struct weigh_source){.type = 0}, NULL);
	int64_t flat = 0;
	for (uint32_t i = 0; i < c->nsymbol; i++)
		flat = wrap_add(flat, c->weight[i].flat);
	if (flat != c->total)
		abort();
	weighted_free(c);
	filter_trees_drop(&k);
	granularity_free(k.granularity);
	filter_free(fc);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	struct err e = {0};
	if (pprof_read((struct bytes){.p = p, .n = n, .file_n = n}, &sink, &e) && !e.msg[0])
		abort();
	const struct snap *sn = builder_finish(b);
	if (store_check(sn, NULL))
		abort();
	query(sn, (struct filters){.focus = "a", .hide = "b", .prune_from = "c"});
	query(sn, (struct filters){.tagfocus = "1:9", .tagroot = "bytes,key"});
	builder_free(b);
	return 0;
}

/* Use libFuzzer's mutation of bytes in one of four cases. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	size_t k = seed % 4 ? mutate_pprof(data, n, max, seed) : 0;
	return k ? k : LLVMFuzzerMutate(data, n, max);
}
