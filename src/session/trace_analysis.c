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

#include <string.h>

uint32_t trace_analysis_slow_operation(const struct trace_analysis *a, const struct finding *f)
{
	if (!f && a->triggered && a->trigger.operation != OPERATION_NONE)
		return a->trigger.operation;
	return a->slow[f ? (size_t)(f - a->findings->v) : 0];
}

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

/* ---- an operation that shows a finding */

static uint32_t kind_by_name(const struct operations *o, const char *name, size_t n)
{
	for (uint32_t k = 0; k < o->nkinds; k++)
		if (o->kind[k].nname == n && !memcmp(o->kind[k].name, name, n))
			return k;
	return UINT32_MAX;
}

/* Return the operation nearest the p99 of a kind; if that is not slow, the shortest slow one. */
static uint32_t slow_one_of(const struct operations *o, uint32_t kind)
{
	const struct operation_kind *k = &o->kind[kind];
	uint32_t best = operations_nearest_p99(o, k);
	if (!k->nslow || operations_mostly_open(k) || k->p99 >= k->slow_from)
		return best;
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < k->n; i++) {
		int64_t ns = operations_duration(o, kind, i);
		if (ns != TIME_NONE && ns >= k->slow_from && ns < least) {
			least = ns;
			best = k->first + i;
		}
	}
	return best;
}

/* Return the index of an operation of the scope among those of the whole trace. */
static uint32_t in_all(const struct trace_analysis *a, uint32_t i)
{
	return a->operations == a->all ? i : operations_by_id(a->all, operations_get(a->operations, i).id);
}

/* Part of a critical path: how much of it the functions that cause a finding take. */
struct caused { const struct store *st; const struct finding *f; stk_id last; bool is; int64_t ns; };

/* Return whether a function that causes the finding is on the stack. */
static bool is_caused(const struct caused *c, stk_id stack)
{
	for (; stack; stack = stk_parent(c->st, stack))
		for (uint32_t i = 0; i < c->f->nculprit; i++)
			if (store_frm(c->st, stk_frame(c->st, stack))->fun == store_frm(c->st, c->f->culprit[i].frame)->fun)
				return true;
	return false;
}

static void add_caused(void *arg, const struct critical_path *p, const struct critical_piece *piece)
{
	struct caused *c = arg;
	(void)p;
	if (piece->stack != c->last)
		c->is = is_caused(c, piece->stack);
	c->last = piece->stack;
	c->ns += c->is ? piece->t1 - piece->t0 : 0;
}

/* Return whether a tenth of the critical path of an operation is what causes the finding. */
static bool is_hit(const struct trace_analysis *a, const struct finding *f, uint32_t i)
{
	enum { PART = 10 };
	struct caused c = {.st = a->sn->st, .f = f};
	struct critical_path path = {.each = add_caused, .arg = &c};
	struct operation o = operations_get(a->all, i);
	critical_path_walk(a->walker, o.g, o.t0, o.t1, &path);
	critical_path_free(&path);
	return c.ns >= (o.t1 - o.t0) / PART;
}

/* Find the slow operation that shows a finding. That in which it was seen need not be slow, and a slow one of its kind
   need not be slow for that reason. */
static uint32_t find_slow(const struct trace_analysis *a, const struct finding *f)
{
	uint32_t kind = operations_main_kind(a->operations);
	uint32_t seen = f->trk && f->show_t1 > f->show_t0
			    ? operations_at(a->all, f->trk, f->show_t0 + (f->show_t1 - f->show_t0) / 2) : OPERATION_NONE;
	if (seen != OPERATION_NONE) {
		const struct operation_kind *k = &a->all->kind[operations_kind_of(a->all, seen)];
		kind = kind_by_name(a->operations, k->name, k->nname);
	}
	bool named = false;
	for (uint32_t i = f->nvictim; i--; named |= f->victim[i].operation != NULL)
		if (f->victim[i].operation)
			kind = kind_by_name(a->operations, f->victim[i].operation, strlen(f->victim[i].operation));
	uint32_t slow = kind == UINT32_MAX ? OPERATION_NONE : in_all(a, slow_one_of(a->operations, kind));
	bool asks = f->nculprit && (seen != OPERATION_NONE || !named);
	return slow == OPERATION_NONE || (asks && !is_hit(a, f, slow)) ? seen : slow;
}

/* Find the slow operations of all findings, or at [0] that of the main kind if nothing stands out. */
static void find_slow_ones(struct trace_analysis *a)
{
	uint32_t n = a->findings->n, kind = operations_main_kind(a->operations);
	a->slow = arena_alloc(&a->mem, (n + 1u) * sizeof *a->slow);
	for (uint32_t i = 0; i < n; i++)
		a->slow[i] = find_slow(a, &a->findings->v[i]);
	if (!n || a->slow[0] == OPERATION_NONE)
		a->slow[0] = kind == UINT32_MAX ? OPERATION_NONE : in_all(a, slow_one_of(a->operations, kind));
}

/* ---- the job */

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
	if (a->findings && (!j || !job_cancelled(j)))
		find_slow_ones(a);
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
	if (!a || !a->slow || !is_current(s, a)) {
		trace_analysis_free(a);
		return NULL;
	}
	trace_analysis_free(s->analysis);
	s->analysis = a;
	return trace_analysis_share(a);
}

struct trace_analysis *session_analysis_if_made(struct session *s)
{
	return is_current(s, s->analysis) ? trace_analysis_share(s->analysis) : NULL;
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
