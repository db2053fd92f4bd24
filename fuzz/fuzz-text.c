/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The readers of texts under libFuzzer: any bytes are given to each of them, whether they would be
 * recognised or not; built without it, replay.c gives it files. What must hold: it ends; what is
 * refused has a message, and what the sniffer knows is not refused; the store keeps its laws.
 */
#include "config.h"

#include "base/mem/mem.h"
#include "load/load.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static const struct text {
	const char *name;
	bool (*is)(struct bytes);
	read_fn *read;
} texts[] = {
	{"dump", is_godump, read_godump}, {"folded", is_folded, read_folded}, {"perf", is_perf, read_perf},
	{"godebug", is_godebug, read_godebug}, {"legacy", is_pprof_legacy, read_pprof_legacy},
};

static void check(bool good, const struct text *t, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: broken: %s\n", t->name, what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	mem_budget((size_t)64 << 20);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const struct text *t = &texts[i];
		struct bytes b = {.p = p, .n = n, .file_n = n};
		struct err e = {0};
		struct build *build = build_new();
		struct sink sink = build_sink(build);
		bool is = t->is(b);
		int rc = t->read(b, &sink, &e);
		const struct snap *sn = build_finish(build);
		check(!rc || e.msg[0], t, "refused without a word");
		check(!rc || !is || t->read == read_pprof_legacy, t, "recognised and refused");
		check(!store_check(sn, &e), t, e.msg);
		build_free(build);
	}
	return 0;
}
