/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_TRACE_WEIGHTS_H
#define TTRACE_SESSION_TRACE_WEIGHTS_H

#include "session/query.h"
#include "trace/as_profile.h"

/* Compute the weights of a sample type of a trace for a query, in the arena; with rest of what it excludes. *n: the
   number of goroutines, tasks, regions or operations that it selects, or excludes. Return NULL with *e if a filter is
   invalid; e NULL: it selects nothing. If `on` stops it, the result is incomplete and must be dropped. Any thread. */
struct trace_weights *trace_weights_of_query(const struct snap *, enum trace_weight_type, const struct query *,
    bool rest, struct arena *, uint32_t *n, const struct progress_watcher *on, struct err *e);
/* Return the sample type of a trace for which none is chosen: cpu if there are samples enough for shares of a percent;
   else critical, because a program mostly waits, and all waits have much idle time; run while the trace is read. */
enum trace_weight_type trace_default_type(const struct snap *);
/* Return whether panes join the weights of all sides in a tree of its own: their nodes are not the store's
   (trace_weights.node), or a difference has tags. */
bool trace_weights_are_joined(enum trace_weight_type, const struct query *);
/* Multiply weights by a factor, each rounded. */
void trace_weights_scale(struct trace_weights *, double);

#endif
