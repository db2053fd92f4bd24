/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_TRACE_ANALYSIS_H
#define TTRACE_SESSION_TRACE_ANALYSIS_H

#include "base/mem/mem.h"
#include "critical/many.h"
#include "critical/path.h"
#include "critical/trigger.h"
#include "findings/findings.h"
#include "operations/latency.h"
#include "session/session.h"

/*
 * The analysis of a trace that panes share: operations, findings, and what the walks of critical paths need. It belongs
 * to a snapshot and a scope (session_scope()), is made once in the background and is only read then.
 */
struct trace_analysis {
	const struct snap *sn;
	uint32_t scope;
	const struct operations *operations;	/* of the scope */
	const struct findings *findings;	/* likewise */
	const struct operations *all;		/* of the whole trace; the walker's */
	const struct critical_walker *walker;
	/* the critical paths of the main kind of operations, or of a sample; lines NULL: there is none, or it has one operation */
	struct critical_sum slowest;
	uint32_t nslowest;		/* number of its operations */
	struct operation_latency latency;	/* of its complete operations */
	uint32_t *slow;			/* by finding: see trace_analysis_slow_operation() */
	bool triggered;			/* it is the snapshot of a flight recorder, of which nothing is left out */
	struct critical_trigger trigger;
	uint32_t refs;		/* changed by the UI thread only */
	struct query query;	/* the query that has the scope */
	struct arena mem;
};

/* Return the index in a->all of a slow operation that shows a finding of a, or the worst one (NULL; of the snapshot of a
   flight recorder: the operation for which it was written): of the kind that it
   affects, the one nearest the 99th percentile; if slow ones of the kind are fewer than that, one of them; if the cause has no
   part in that, the operation in which the finding was seen. If nothing stands out, one of the main kind. OPERATION_NONE: none. */
uint32_t trace_analysis_slow_operation(const struct trace_analysis *, const struct finding *);

struct async;
/* Return a reference to the analysis of the current scope; release it by trace_analysis_free(). NULL: the trace is not
   completely read, or a job of the slot makes the analysis, and session_analysis_finish() returns it. UI thread. */
struct trace_analysis *session_analysis_async(struct session *, struct async *slot);
/* Take the result of the job. NULL: it is of another scope by now; ask again. */
struct trace_analysis *session_analysis_finish(struct session *, struct async *slot);
/* Return a reference to the analysis of the current scope if it has been made, else NULL. UI thread. */
struct trace_analysis *session_analysis_if_made(struct session *);
struct trace_analysis *trace_analysis_share(struct trace_analysis *);	/* one more reference; NULL for NULL */
void trace_analysis_free(struct trace_analysis *);			/* may be NULL */

#endif
