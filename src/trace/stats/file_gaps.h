/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_TRACE_STATS_FILE_GAPS_H
#define TTRACE_TRACE_STATS_FILE_GAPS_H

#include "trace/filter.h"

/* How much of the time of goroutines the file of a trace does not tell; in ns. */
struct file_gaps {
	int64_t alive, unknown;		/* in which they exist; of that: what they did or waited for is not known */
	int64_t waiting, no_stack;	/* in waits; of that: at a stack that was not recorded */
};
/* Sum it up for what the filter selects. If its watcher stops the sum, the result is incomplete. */
struct file_gaps file_gaps_find(const struct snap *, const struct trace_filter *);

#endif
