/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_QUERY_TARGETS_H
#define TTRACE_SESSION_QUERY_TARGETS_H

#include "critical/target.h"
#include "session/query.h"

/* What a query asks critical paths for. */
struct query_targets {
	struct critical_target *v;	/* in the arena */
	uint32_t n;
	bool chosen;			/* the query selects tasks, operations, regions or goroutines */
};
/* Find the targets of a query: the tasks, operations or regions that it selects; without these, the goroutines that
   it selects, each from -from to -to; else the complete operations of the best source that are not parts of others.
   -latency, -from and -to select among them. rest: those that are excluded: of the same names if there are bounds of
   latency, else all others; of operations, those of the same sources. Return -1 with *e if a filter is invalid. Any
   thread. */
int query_targets_find(const struct snap *, const struct operations *, const struct query *, bool rest, struct arena *,
    struct query_targets *, struct err *e);

#endif
