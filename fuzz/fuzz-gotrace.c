/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The trace reader under libFuzzer; built without it, a main that replays the
 * files it is given. What must hold of any input: it ends, and every id that
 * comes out is one that the generation has.
 */
#include "config.h"

#include "load/gotrace/event_stream.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static bool on_events(void *self, const struct tgen *g, const struct tev *t, size_t n)
{
	uint64_t *sum = self;
	for (size_t i = 0; i < n; i++) {
		uint32_t nframes;
		size_t len;
		const struct tev_frame *f = tgen_stack(g, tev_stack(&t[i]), &nframes);
		for (uint32_t k = 0; k < nframes; k++)
			*sum += f[k].pc + (uint8_t)*tgen_str(g, f[k].fun, &len) + len;
		if (tev_stack(&t[i]) >= tgen_nstacks(g) || tev_stack2(&t[i]) >= tgen_nstacks(g) ||
		    tev_name(&t[i]) >= tgen_nstrs(g) || tev_text(&t[i]) >= tgen_nstrs(g))
			abort();
		const char *s = tgen_str(g, tev_name(&t[i]), &len);
		for (size_t k = 0; k < len; k++)
			*sum += (uint8_t)s[k];
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct tev_ops ops = {on_events, NULL, NULL, NULL, NULL, NULL, false, 0, NULL};
	struct tstream_info info;
	struct err e;
	uint64_t sum = 0;
	tev_read((struct bytes){.p = p, .n = n, .file_n = n}, &ops, &sum, &info, &e);
	return 0;
}
