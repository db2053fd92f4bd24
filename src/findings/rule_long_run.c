/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Runs without a break, while goroutines of other groups wait for a P. Goroutines of one group that compute on all Ps only
 * compete with themselves, unless they serve requests: one request that computes long without a break delays all others.
 *
 * A run is charged to the function in which it ends. Functions of one group of goroutines have one cause, so the one that
 * costs most is reported, and the others are culprits of the same finding.
 *
 * How much do other goroutines wait for a P during a run? There can be a hundred thousand runs, and a thousand goroutines
 * that wait at each time, so a run must not look at each of them. Sums answer it: the time that spans have lasted until t is
 * the sum of t - start of all that started before t, less the same of their ends. A difference of two such sums is the time in
 * a range, also where the sums wrap. The union of the spans is a list of disjoint ranges with sums.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "trace/run_stacks.h"
#include "trace/stats/goroutine_stats.h"

#include <stdlib.h>

/* ---- goroutines that wait meanwhile */

/* The runnable spans of scan.late of the goroutines that wait while those of a group run. Times in ns. */
struct late_others {
	uint32_t n, nunion;
	int64_t *start, *end;			/* of the spans, each sorted by itself */
	uint64_t *start_sum, *end_sum;		/* of the first i of them */
	struct late_union { int64_t t0, t1, before; } *all;	/* times with at least one; before: sum of those before it */
};

static void sum_up(const int64_t *t, uint64_t *sum, uint32_t n)
{
	sum[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		sum[i + 1] = sum[i] + (uint64_t)t[i];
}

static void add_to_union(struct late_others *o, int64_t t0, int64_t t1)
{
	struct late_union *last = o->nunion ? &o->all[o->nunion - 1] : NULL;
	if (last && t0 <= last->t1)
		last->t1 = t1 > last->t1 ? t1 : last->t1;
	else
		o->all[o->nunion++] = (struct late_union){t0, t1, last ? last->before + (last->t1 - last->t0) : 0};
}

/* Is a goroutine another one than those that run, which the goroutine `runs` stands for? Parts of one work are not, unless
   they wait for the network between. Of a group that serves requests, each is another one. */
static bool is_other(const struct findings_run *r, trk_id g, trk_id runs, bool serves)
{
	bool own = r->groups.of[g] == r->groups.of[runs];
	return serves || (!own && (!findings_is_same_work(r, g, runs) || scan_details_of(&r->scan, g)->network));
}

/* Collect the waits for a P of other goroutines than those of the group of `runs`. */
static void late_others_make(struct late_others *o, struct findings_run *r, trk_id runs)
{
	bool serves = findings_serves(r, runs);
	const struct scan_list *late = &r->scan.late;
	size_t room = late->n + 1u;
	*o = (struct late_others){.start = xmalloc(room * sizeof *o->start), .end = xmalloc(room * sizeof *o->end),
	    .start_sum = xmalloc(room * sizeof *o->start_sum), .end_sum = xmalloc(room * sizeof *o->end_sum),
	    .all = xmalloc(room * sizeof *o->all)};
	for (uint32_t i = 0; i < late->n; i++) {
		const struct scan_span *v = &late->v[i];
		if (!is_other(r, v->g, runs, serves))
			continue;
		o->start[o->n] = v->t0;
		o->end[o->n++] = v->t1;
		add_to_union(o, v->t0, v->t1);
	}
	stats_sort(o->end, o->n);
	sum_up(o->start, o->start_sum, o->n);
	sum_up(o->end, o->end_sum, o->n);
}

static void late_others_free(struct late_others *o)
{
	mem_free(o->start);
	mem_free(o->end);
	mem_free(o->start_sum);
	mem_free(o->end_sum);
	mem_free(o->all);
	*o = (struct late_others){0};
}

/* Return how many of n sorted times are before t. */
static uint32_t before(const int64_t *v, uint32_t n, int64_t t)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, v[h.at] < t);
	return (uint32_t)h.lo;
}

/* Return the time that the spans have lasted until t, modulo 2^64. */
static uint64_t lasted(const struct late_others *o, int64_t t)
{
	uint32_t started = before(o->start, o->n, t), ended = before(o->end, o->n, t);
	return (uint64_t)t * (started - ended) - o->start_sum[started] + o->end_sum[ended];
}

/* Return the sum over the goroutines of the time in which each was runnable in [t0, t1). */
static int64_t late_others_waited(const struct late_others *o, int64_t t0, int64_t t1)
{
	return (int64_t)(lasted(o, t1) - lasted(o, t0));
}

/* Return the part of the time until t that the union covers. */
static int64_t covered_until(const struct late_others *o, int64_t t)
{
	struct bsearch_probe h = {.hi = o->nunion};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, o->all[h.at].t0 < t);
	if (!h.lo)
		return 0;
	const struct late_union *u = &o->all[h.lo - 1];
	return u->before + ((t < u->t1 ? t : u->t1) - u->t0);
}

/* Return the part of [t0, t1) in which at least one of the goroutines was runnable. */
static int64_t late_others_covered(const struct late_others *o, int64_t t0, int64_t t1)
{
	return covered_until(o, t1) - covered_until(o, t0);
}

/* ---- runs */

/* A notice begins here: on a busy machine the runtime takes two or three times 10 ms to preempt a goroutine. */
#define NOTICED 0.8

/* Did the run end because a signal interrupted it? Such code can be preempted everywhere. */
static bool is_interrupted(const struct findings_run *r, const struct scan_span *v)
{
	return names_begins(names_function(r->st, v->stack), "runtime.asyncPreempt");
}

/* Return how long goroutines that can be preempted everywhere run before they are: 90 of 100 such runs are shorter. It
   is 10 ms, or more where the system does not give the runtime a CPU in time. 0: not known. */
static int64_t preemption_delay(const struct findings_run *r)
{
	const struct scan_list *runs = &r->scan.runs;
	int64_t *v = xmalloc((runs->n + 1u) * sizeof *v), delay = 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < runs->n; i++)
		if (is_interrupted(r, &runs->v[i]))
			v[n++] = runs->v[i].t1 - runs->v[i].t0;
	if (n) {
		stats_sort(v, n);
		delay = v[(uint64_t)n * 9 / 10];
	}
	mem_free(v);
	return delay;
}

/* The runs of a group that end in one function. */
struct long_runs {
	uint32_t group;			/* index; as of goroutine_groups.of, less 1 */
	frm_id frame;
	uint32_t n;
	int64_t longest, lost, total;
	double fit;
	struct scan_span example;
	bool reported;
};
enum { PLACES = 32 };
struct run_places { struct long_runs at[PLACES]; uint32_t n; };

/* Return the places of runs of a group in a function, which are added if there is room. NULL: there is none. */
static struct long_runs *runs_at(const struct findings_run *r, struct run_places *p, uint32_t group, frm_id frame)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].group == group && store_frm(r->st, p->at[i].frame)->fun == store_frm(r->st, frame)->fun)
			return &p->at[i];
	if (p->n == PLACES)
		return NULL;
	p->at[p->n] = (struct long_runs){.group = group, .frame = frame};
	return &p->at[p->n++];
}

/* Add a run while which the others wait. */
static void judge_run(struct findings_run *r, const struct scan_span *v, const struct late_others *others,
    struct run_places *p)
{
	int64_t len = v->t1 - v->t0, late = late_others_covered(others, v->t0, v->t1);
	double fit = finding_fit((double)len, LIMIT(r, LONG_RUN, RUN)),
	       share = finding_fit((double)late / (double)len, LIMIT(r, LONG_RUN, SHARE));
	fit = share < fit ? share : fit;
	struct long_runs *l = fit < 0.5 ? NULL : runs_at(r, p, r->groups.of[v->g] - 1, findings_site_of_run(r, v->g, v->stack));
	if (!l)
		return;
	l->n++;
	wrap_add_to(&l->total, len);
	wrap_add_to(&l->lost, late_others_waited(others, v->t0, v->t1));
	l->fit = fit > l->fit ? fit : l->fit;
	if (len > l->longest) {
		l->longest = len;
		l->example = *v;
	}
}

/* Return the other goroutine that waited longest during the run; 0: none. */
static trk_id victim_of(struct findings_run *r, const struct scan_span *run)
{
	bool serves = findings_serves(r, run->g);
	const struct scan_list *late = &r->scan.late;
	int64_t most = 0;
	trk_id victim = 0;
	for (uint32_t i = 0; i < late->n && late->v[i].t0 < run->t1; i++) {
		const struct scan_span *v = &late->v[i];
		int64_t a = v->t0 > run->t0 ? v->t0 : run->t0, b = v->t1 < run->t1 ? v->t1 : run->t1;
		if (b - a > most && is_other(r, v->g, run->g, serves)) {
			most = b - a;
			victim = v->g;
		}
	}
	return victim;
}

static void report_long_runs(struct findings_run *r, struct run_places *p, const struct long_runs *l)
{
	trk_id victim = victim_of(r, &l->example);
	uint32_t group = r->groups.of[victim] - 1;
	int64_t work = group < r->groups.n ? groups_work(&r->groups.v[group]) : r->wall;
	struct finding f = {.score = finding_score((double)l->lost, (double)work), .affected_ns = work, .t0 = l->example.t0,
	    .t1 = l->example.t1, .trk = l->example.g, .see = "greedy"};
	finding_culprit_stack(r, &f, run_stacks_interrupted(r->st, l->example.g, l->example.stack));
	finding_culprit(r, &f, l->frame);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].group == l->group) {
			finding_culprit(r, &f, p->at[i].frame);
			p->at[i].reported = true;
		}
	finding_victims(r, &f, group, 0);
	finding_put_place(r, l->frame);
	buf_printf(&r->text, " runs for ");
	text_ns(&r->text, l->longest);
	buf_puts(&r->text, " without a break");
	if (l->n > 1)
		buf_printf(&r->text, ", %u times like that,", l->n);
	buf_puts(&r->text, " while goroutines");
	finding_put_group(r, group);
	buf_puts(&r->text, " wait for a P");
	finding_number(&f, "runs", l->n);
	finding_number(&f, "longest_ns", (double)l->longest);
	finding_number(&f, "run_ns", (double)l->total);
	finding_number(&f, "waited_ns", (double)l->lost);
	double relevant = findings_relevance(r, victim, l->lost, LIMIT(r, LONG_RUN, WAITED));
	finding_add(r, relevant < l->fit ? relevant : l->fit, &f);
}

/* A run that is judged; group: index of its group. */
struct judged_run { uint32_t group; const struct scan_span *run; };

static int by_group(const void *a, const void *b)
{
	const struct judged_run *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->run->t0 != y->run->t0)
		return x->run->t0 < y->run->t0 ? -1 : 1;
	return x->run->g < y->run->g ? -1 : x->run->g > y->run->g;
}

/* List the runs that are long enough, of one group after another. */
static uint32_t list_runs(const struct findings_run *r, struct judged_run *v)
{
	const struct scan_list *runs = &r->scan.runs;
	int64_t delay = preemption_delay(r);
	uint32_t n = 0;
	for (uint32_t i = 0; i < runs->n; i++) {
		const struct scan_span *x = &runs->v[i];
		int64_t len = x->t1 - x->t0;
		if ((double)len >= NOTICED * LIMIT(r, LONG_RUN, RUN) && len > delay && !is_interrupted(r, x) &&
		    !findings_was_frozen(r, x->t0, x->t1))
			v[n++] = (struct judged_run){r->groups.of[x->g] - 1, x};
	}
	if (n)
		qsort(v, n, sizeof *v, by_group);
	return n;
}

/* Report the functions that cost most, one of each group. */
static void report_groups(struct findings_run *r, struct run_places *p)
{
	for (;;) {
		const struct long_runs *most = NULL;
		for (uint32_t i = 0; i < p->n; i++)
			if (!p->at[i].reported && (!most || p->at[i].lost > most->lost))
				most = &p->at[i];
		if (!most)
			break;
		report_long_runs(r, p, most);
	}
}

void rule_long_run(struct findings_run *r)
{
	struct judged_run *v = xmalloc((r->scan.runs.n + 1u) * sizeof *v);
	struct run_places p = {.n = 0};
	uint32_t n = list_runs(r, v);
	/* Each group takes a pass over all waits for a P. */
	for (uint32_t i = 0, group, groups = 0; i < n && groups < PLACES && p.n < PLACES && findings_continue(r); groups++) {
		struct late_others others;
		group = v[i].group;
		late_others_make(&others, r, v[i].run->g);
		for (; i < n && v[i].group == group && findings_continue(r); i++)
			judge_run(r, v[i].run, &others, &p);
		late_others_free(&others);
	}
	report_groups(r, &p);
	mem_free(v);
}
