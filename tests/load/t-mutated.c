/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Traces and profiles whose structure is right and whose contents are wrong: batches and events in a wrong order,
 * repeated, missing, or with the ids and times of others; fields of protobuf likewise. The mutators are those of the
 * fuzzers, the seeds are fixed, and fuzz/fuzz-file.c checks what must hold. A mutator that only breaks files would find
 * nothing, so most of its results must have a structure that it can change once more.
 */
#include "config.h"
#include "base/mem/mem.h"
#include "load/load.h"
#include "tap.h"

#include "fuzz/mutate.h"

enum { ROOM = 1 << 16, CHAIN = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

typedef size_t mutator(uint8_t *, size_t, size_t, unsigned);

/* Make chains of mutations, each of the result of the previous one. Return how many of them changed the file. */
static int mutate_often(const char *name, mutator *mutate, unsigned chains)
{
	static uint8_t p[ROOM], q[ROOM];
	struct bytes b;
	struct err e;
	int changed = 0;
	if (input_open(tap_source(name), &b, &e) || b.n > ROOM / 2) {
		OK(!"the file of the corpus is read");
		return 0;
	}
	for (unsigned seed = 0; seed < chains; seed++) {
		size_t n = b.n;
		memcpy(p, b.p, n);
		for (unsigned k = 0; k < CHAIN; k++) {
			memcpy(q, p, n);
			size_t m = mutate(p, n, ROOM, seed * CHAIN + k + 1);
			if (!m)
				break;
			changed += m != n || memcmp(p, q, n) != 0;
			n = m;
			OK(LLVMFuzzerTestOneInput(p, n) == 0);
		}
	}
	input_close(&b);
	return changed;
}

int main(void)
{
	static const char *const traces[] = {"fuzz/corpus/go-cgo.trace", "fuzz/corpus/go-gc.trace",
	    "fuzz/corpus/go-generations.trace", "fuzz/corpus/go-start.trace", "fuzz/corpus/go-steal.trace",
	    "fuzz/corpus/go-switch.trace", "fuzz/corpus/go-wait.trace"};
	unsigned chains = 25;
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
		OK(mutate_often(traces[i], mutate_trace, chains) > (int)(chains * CHAIN / 2));
	OK(mutate_often("fuzz/corpus/profile.pb", mutate_pprof, 4 * chains) > (int)(2 * chains * CHAIN));
	return DONE();
}
