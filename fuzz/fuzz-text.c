/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The readers of texts on any bytes: those that recognise them, and one that the length selects, whether it recognises them
 * or not. Properties: reading ends; a refusal has a message; a reader does not refuse text that it recognises, except
 * legacy_read(); the store keeps its laws.
 */
#include "config.h"

#include "base/mem/mem.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/check.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static const struct text {
	const char *name;
	bool (*is)(struct bytes);
	read_fn *read;
} texts[] = {
	{"dump", godump_probe, godump_read}, {"folded", folded_probe, folded_read}, {"perf", perf_probe, perf_read},
	{"godebug", godebug_probe, godebug_read}, {"legacy", legacy_probe, legacy_read},
	{"docker_dump", docker_dump_probe, docker_dump_read}, {"docker_godebug", docker_godebug_probe, docker_godebug_read},
};

static void check(bool good, const struct text *t, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: broken: %s\n", t->name, what);
	abort();
}

static void read_as(const struct text *t, struct bytes b, bool is)
{
	struct err e = {0};
	struct store_builder *store_builder = builder_new();
	struct sink sink = builder_sink(store_builder);
	int rc = t->read(b, &sink, &e);
	const struct snap *sn = builder_finish(store_builder);
	check(!rc || e.msg[0], t, "refused without a message");
	check(!rc || !is || t->read == legacy_read || mem_limit_exceeded(), t, "recognised and refused");
	check(!store_check(sn, &e), t, e.msg);
	builder_free(store_builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	enum { N = sizeof texts / sizeof *texts };
	struct bytes b = {.p = p, .n = n, .file_n = n};
	mem_set_budget((size_t)256 << 20);
	for (size_t i = 0; i < N; i++) {
		bool is = texts[i].is(b);
		if (is || i == n % N)
			read_as(&texts[i], b, is);
	}
	return 0;
}
