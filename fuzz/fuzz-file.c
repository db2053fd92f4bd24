/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Any bytes as a file: inflated, recognised, and read into a store by the reader of the format. The second half of a trace is
 * also read alone. Properties: reading ends; a refusal has a message; the store keeps its laws.
 */
#include "config.h"
#include "check.h"

#include "base/mem/mem.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void part(struct bytes b, const struct snap *all)
{
	struct err e = {0};
	struct store_builder *store_builder = builder_new();
	struct sink sink = builder_sink(store_builder);
	struct trace_part half = {all->trace.first, all->t1 / 2, all->t1};
	int rc = gotrace_read_part(b, &half, &sink, &e);
	const struct snap *snap = builder_finish(store_builder);
	check(!rc || e.msg[0], "a part is refused without a message");
	check(!store_check(snap, &e), e.msg);
	builder_free(store_builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct err e = {0};
	mem_set_budget((size_t)256 << 20);
	uint8_t *copy = mem_try_alloc(n);
	if (!copy)
		return 0;
	if (n)
		memcpy(copy, p, n);
	struct bytes b = {.p = copy, .n = n, .file_n = n, .owned = copy};
	const struct reader *r = input_gunzip(&b, &e) ? NULL : sniff(b, &e);
	if (r) {
		struct store_builder *store_builder = builder_new();
		struct sink sink = builder_sink(store_builder);
		int rc = r->read(b, &sink, &e);
		const struct snap *snap = builder_finish(store_builder);
		check(!rc || e.msg[0], "refused without a message");
		check(!store_check(snap, &e), e.msg);
		if (r->kind == FK_GOTRACE && snap->has_trace)
			part(b, snap);
		builder_free(store_builder);
	} else {
		check(e.msg[0] != 0, "not recognised, without a message");
	}
	input_close(&b);
	return 0;
}
