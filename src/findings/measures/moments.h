/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_MOMENTS_H
#define TTRACE_FINDINGS_MEASURES_MOMENTS_H

#include "base/job.h"
#include "base/u64_map.h"
#include "store/store.h"

/* Bursts: a goroutine wakes at least MOMENTS_BURST different others from one line, less than MOMENTS_BURST_NS apart. */
enum { MOMENTS_BURST = 25, MOMENTS_BURST_NS = 100000 };
struct moment_burst { stk_id stack, waited; uint32_t n; uint64_t woken; int64_t t0, t1; trk_id waker; };
	/* by stack of the waker; waited: where a goroutine waited that was woken */

enum { MOMENTS_BEAT_NS = 1250000, MOMENTS_BEATS = 1 << 22 };

/* The bursts of the whole snapshot, and the times in [t0, t1) at which the states of Ps change. */
struct moments {
	const struct snap *sn;
	int64_t t0, t1;
	struct moment_burst *burst;
	uint32_t nburst;
	size_t cburst;
	struct u64_hash burst_of;	/* index in burst[] by stack */
	uint32_t burst_number, *woken_in;	/* by track: number of the last burst that woke it */
	/* by slot of beat_ns: a bit, set if the state of a P changes in it */
	int64_t beat_ns;
	uint32_t nbeat;
	uint8_t *beat;
};

/* Return false if the watcher stops it. Free it with moments_free() in both cases. Any thread. */
bool moments_find(struct moments *, const struct snap *, int64_t t0, int64_t t1, const struct progress_watcher *);
void moments_free(struct moments *);

#endif
