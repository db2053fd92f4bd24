/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_TASK_FILTER_H
#define TTRACE_TRACE_TASK_FILTER_H

#include "base/text/regex.h"
#include "trace/stats/goroutine_stats.h"

#include <stdbool.h>

/*
 * Which tasks and regions are meant: by how long they took, whether the trace
 * has all of them, and what their logs say. The bounds and the rules are those
 * of the reference's pages: both bounds are inside, a task without its begin or
 * its end has no latency, a region has what the trace shows of it.
 */
enum task_completeness { TASK_ANY, TASK_COMPLETE, TASK_INCOMPLETE };
struct task_criteria {
	int64_t lo, hi;			/* ns; TIME_NONE: open */
	enum task_completeness whole;
	const struct regex *text;		/* NULL, or: name, region names, logs of a task; name of a region */
};
#define TASK_CRITERIA_NONE ((struct task_criteria){TIME_NONE, TIME_NONE, TASK_ANY, NULL})

/* "10ms..50ms", "50ms..", "..50ms", ">50ms", "<50ms", ">=", "<="; false when it is none of these. */
bool task_filter_parse_range(const char *, int64_t *lo, int64_t *hi);
static inline bool task_filter_match_latency(const struct task_criteria *p, int64_t ns)
{
	return (p->lo == TIME_NONE || ns >= p->lo) && (p->hi == TIME_NONE || ns <= p->hi);
}
/* Which of n latencies, in ascending order, are slow: those from the result on. gap: they are behind the largest
   difference of neighbours above the median, of which the second is at least twice the first and at least 3 are as
   long; where there is none, those above the 99th percentile, at least the last. n > 0. */
struct task_filter_slow { uint32_t first; bool gap; };
struct task_filter_slow task_filter_slow(const int64_t *v, uint32_t n);
bool task_filter_match_task(
    const struct task_criteria *, const struct store *, const struct stats_tasks *, const struct stats_task *);
bool task_filter_match_region(const struct task_criteria *, const struct snap *, const struct sink_span *);

#endif
