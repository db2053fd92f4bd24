/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_GOROUTINE_WAITS_H
#define TTRACE_TRACE_STATS_GOROUTINE_WAITS_H

#include "trace/stats/goroutine_stats.h"
#include "trace/time_class.h"

/*
 * What the times by state do not tell of groups and their goroutines: the time by class where the class depends on the
 * stack, and quantiles of single waits. One pass over the sheets measures it.
 *
 * A wait is a time in which a goroutine was blocked: not running, not runnable, not in a system call, for a known reason.
 * It counts if it overlaps the time range of the query, and then in full, as far as the trace has it. With query.ends it
 * counts only if the trace has all of it and it ends in the range.
 */
struct goroutine_waits;
struct wait_quantiles { uint32_t n; int64_t p50, p99; };	/* number of waits; ns, 0 if there are none */

/* Measure the goroutines of groups that were made for the same query, in the arena. Return NULL if the query's watcher
   stops it. The groups must exist as long as the result. Any thread. */
struct goroutine_waits *goroutine_waits_measure(
    const struct snap *, const struct stats_groups *, const struct stats_query *, struct arena *);
/* Return the waits of goroutine i of gs->g, or of all goroutines of group i. */
struct wait_quantiles goroutine_waits_of(const struct goroutine_waits *, uint32_t i);
struct wait_quantiles goroutine_waits_of_group(const struct goroutine_waits *, uint32_t i);
/* Add the time of goroutine i of gs->g by class, in ns, to sum; what is added is its total. A wait counts by its reason
   also if the trace ends in it; TIME_STILL_BLOCKED is the time of goroutines that are blocked for ever. */
void goroutine_waits_add_classes(const struct goroutine_waits *, uint32_t i, int64_t sum[TIME_CLASS__N]);

#endif
