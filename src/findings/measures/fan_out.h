/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_FINDINGS_MEASURES_FAN_OUT_H
#define TTRACE_FINDINGS_MEASURES_FAN_OUT_H

#include "findings/measures/groups.h"

/*
 * Rounds in which a goroutine creates others from one line, and creates the next ones after all of these have ended.
 * Times are sums over the rounds that are counted, in ns.
 */
struct fan_out {
	uint32_t rounds, children;	/* children: of all rounds */
	uint32_t number, same;	/* in `same` rounds the one that runs longest is the number-th that is created, from 1 */
	int64_t most, median;	/* how long the longest one runs, and the lower median of its round */
	int64_t late;		/* between the end of the last child and of the one before */
	trk_id g;		/* of the longest ones that with the latest end, in [t0, t1) */
	int64_t t0, t1;
};
/* Measure the rounds of at least `least` children in a group. */
struct fan_out fan_out_measure(
    const struct scan *, const struct goroutine_groups *, uint32_t group, uint32_t least);

#endif
