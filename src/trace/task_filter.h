/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_TASK_FILTER_H
#define TTRACE_TRACE_TASK_FILTER_H

#include "base/text/regex.h"
#include "trace/stats/goroutine_stats.h"

#include <stdbool.h>

/*
 * Selects tasks and regions: by duration, by whether the trace has all of them,
 * and by the text of their logs. The bounds and the rules are those of the
 * reference's pages: both bounds are inclusive, a task without its start or end
 * has no latency, a region has the duration that the trace shows.
 */
enum task_completeness { TASK_ANY, TASK_COMPLETE, TASK_INCOMPLETE };
struct task_criteria {
	int64_t lo, hi;			/* ns; TIME_NONE: open */
	enum task_completeness whole;
	/* NULL, or matched against name, region names and logs of a task; name of a region */
	const struct regex *text;
};
#define TASK_CRITERIA_NONE ((struct task_criteria){TIME_NONE, TIME_NONE, TASK_ANY, NULL})

/* Parse "10ms..50ms", "50ms..", "..50ms", ">50ms", "<50ms", ">=", "<="; false if it is none of these. */
bool task_filter_parse_range(const char *, int64_t *lo, int64_t *hi);
static inline bool task_filter_match_latency(const struct task_criteria *p, int64_t ns)
{
	return (p->lo == TIME_NONE || ns >= p->lo) && (p->hi == TIME_NONE || ns <= p->hi);
}
struct task_filter_slow { uint32_t first; bool gap; };
/* Find the slow ones of n latencies (ascending; n > 0): those from `first` on. gap: `first` follows the largest
   difference of neighbours above the median, is at least twice its lower neighbour, and at least 3 latencies are slow;
   otherwise the slow ones are those above the 99th percentile, at least the last. */
struct task_filter_slow task_filter_slow(const int64_t *v, uint32_t n);
bool task_filter_match_task(
    const struct task_criteria *, const struct store *, const struct stats_tasks *, const struct stats_task *);
bool task_filter_match_region(const struct task_criteria *, const struct snap *, const struct sink_span *);

#endif
