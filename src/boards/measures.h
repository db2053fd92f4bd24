/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_BOARDS_MEASURES_H
#define TTRACE_BOARDS_MEASURES_H

#include "critical/path.h"
#include "findings/measures/groups.h"
#include "findings/measures/scan.h"

/*
 * What all boards of one part of a trace share: the measures of the findings. Made once, in the background.
 */
struct board_measures {
	const struct snap *sn;
	const struct trace_filter *filter;	/* NULL: the whole trace */
	const struct operations *operations;	/* of the filter */
	const struct critical_walker *walker;
	struct scan scan;
	struct goroutine_groups groups;
	int64_t wall;				/* length of the time range, > 0 */
	bool uncurved;				/* as in struct board_source */
	struct arena mem;
};
/* What the measures are made of. The operations are those of the filter, the walker's those of the whole trace; both
   outlive the measures. */
struct board_source {
	const struct snap *sn;		/* complete */
	const struct trace_filter *filter;
	const struct operations *operations;
	const struct critical_walker *walker;	/* NULL: not for boards with BOARD_NEEDS_PATHS */
	bool unscanned;		/* not for boards with BOARD_NEEDS_SCAN */
	bool uncurved;		/* rows have no curves: of a hundred thousand they take 96 MB */
};
/* Return NULL if the watcher stops it. */
struct board_measures *board_measures_new(const struct board_source *, const struct progress_watcher *);
void board_measures_free(struct board_measures *);	/* may be NULL */

#endif
