/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SHEET_H
#define TTRACE_SHEET_H

#include "store/store.h"

/* The writer's side of sheets; what readers need is in store.h. */

/* One call of enter(). */
struct sheet_entry {
	int64_t t;
	trk_id trk;
	uint32_t who;
	stk_id stack;
	uint8_t state;		/* with SHEET_PAST */
};

/* What a track was doing when the sheet before ended. */
struct sheet_live {
	uint32_t who;
	stk_id stack;
	uint8_t state;
	bool goroutine;
};

enum { SHEET_MAX_NS = 2000000000 };	/* start[] is 32 bits wide */

/*
 * Make a sheet of [t0, t1) from entries with t0 <= t < t1, in the order of time
 * within each track, and bring live[0..ntrks) to its end. Edges are sorted in
 * place. One block of memory: mem_free it.
 */
struct sheet *sheet_seal(int64_t t0, int64_t t1, const struct sheet_entry *, size_t n,
    struct sheet_live *live, uint32_t ntrks, struct edge *edge, size_t nedge);

#endif
