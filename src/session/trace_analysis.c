/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Makes the analysis of a trace for panes. Several panes show parts of it, and it takes about as long as reading the
 * trace, so the session keeps the latest one.
 *
 * It is an object that does not change, with references: a pane may still show the old one, and a job may still walk
 * over it, when the scope has changed. Only the UI thread counts the references. A job gets its own reference before it
 * starts, and the UI thread releases that when it takes the result.
 *
 * Two slots may make the same analysis if two panes ask before the first has it. A queue for that case would be more
 * code than it saves time.
 */
#include "config.h"
#include "session/trace_analysis.h"

#include "base/async.h"
#include "base/job.h"
#include "session/internal.h"

struct trace_analysis *trace_analysis_share(struct trace_analysis *a)
{
	if (a)
		a->refs++;
	return a;
}

void trace_analysis_free(struct trace_analysis *a)
{
	if (!a || --a->refs)
		return;
	critical_lines_free(a->slowest.lines);
	arena_free(&a->mem);
	mem_free(a);
}

/* Sum up the critical paths of the main kind, of at most SUMMED operations, evenly spaced: a line of the first screen
   needs no more. */
enum { SUMMED = 1024 };
static void sum_main_kind(struct trace_analysis *a, const struct progress_watcher *on)
{
	uint32_t k = operations_main_kind(a->operations);
	const struct operation_kind *kind = k == UINT32_MAX ? NULL : &a->operations->kind[k];
	if (!kind || (kind->ncomplete < 2 && !operations_mostly_open(kind)))
		return;
	uint32_t n = kind->n < SUMMED ? kind->n : SUMMED;
	struct critical_target *t = xmalloc(n * sizeof *t);
	for (uint32_t i = 0; i < n; i++)
		t[i] = critical_target_of_operation(a->operations, kind->first + (uint32_t)((uint64_t)i * kind->n / n));
	a->nslowest = kind->n;
	critical_sum_lines(a->walker, t, n, on, &a->slowest);
	mem_free(t);
	operations_latency(a->operations, k, &a->latency);
}

static void run_analysis(void *work, struct job *j)
{
	struct trace_analysis *a = work;
	struct progress_watcher on = j ? job_progress_watcher(j) : (struct progress_watcher){0};
	struct trace_filter *filter = arena_alloc(&a->mem, sizeof *filter);
	if (query_trace_filter(a->sn, &a->query, false, &a->mem, filter, NULL, NULL))
		return;
	filter->on = on;
	a->all = operations_shared(a->sn, &on);
	bool part = filter->from != TIME_NONE || filter->to != TIME_NONE || filter->g || filter->slice;
	a->operations = !part ? a->all : operations_find(a->sn, filter, NULL, &a->mem, &on);
	a->walker = a->all ? critical_walker_new(a->sn, a->all, &a->mem, &on) : NULL;
	struct findings_query q = {.filter = filter, .operations = a->operations, .walker = part ? NULL : a->walker, .on = on};
	if (!a->walker || !a->operations)
		return;
	sum_main_kind(a, &on);
	a->triggered = !part && critical_find_trigger(a->sn, a->all, &a->trigger);
	a->findings = findings_find(a->sn, &q, &a->mem);
}

static void free_analysis(void *work)
{
	trace_analysis_free(work);
}

static const struct async_kind analysis_kind = { run_analysis, free_analysis };

static bool is_current(const struct session *s, const struct trace_analysis *a)
{
	return a && a->sn == s->snap && a->scope == session_scope(s);
}

/* Keep an analysis that is complete and current, and return a reference for the caller. Takes the caller's own. */
static struct trace_analysis *keep_analysis(struct session *s, struct trace_analysis *a)
{
	if (!a || !a->findings || !is_current(s, a)) {
		trace_analysis_free(a);
		return NULL;
	}
	trace_analysis_free(s->analysis);
	s->analysis = a;
	return trace_analysis_share(a);
}

struct trace_analysis *session_analysis_async(struct session *s, struct async *slot)
{
	enum { PASSES = 8 };
	if (is_current(s, s->analysis))
		return trace_analysis_share(s->analysis);
	if (!session_is_trace(s) || !s->snap->complete || !s->snap->has_trace)
		return NULL;
	const struct trace_analysis *wanted = async_wanted(slot);
	if (is_current(s, wanted))
		return NULL;
	struct trace_analysis *a = xcalloc(1, sizeof *a);
	*a = (struct trace_analysis){.sn = s->snap, .scope = session_scope(s), .query = *session_query(s), .refs = 1};
	query_copy_strings(&a->query, &(struct query){0}, &a->mem);
	return keep_analysis(s, async_start(slot, &analysis_kind, a, snap_cost(s->snap, PASSES)));
}

struct trace_analysis *session_analysis_finish(struct session *s, struct async *slot)
{
	return keep_analysis(s, async_finish(slot));
}
