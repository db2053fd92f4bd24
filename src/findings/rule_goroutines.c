/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/* Rules about how goroutines are made, how they end, and how the work is divided among them. */
#include "config.h"
#include "findings/internal.h"
#include "findings/measures/fan_out.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/run_stacks.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/user_code.h"

#include <math.h>
#include <string.h>

/* ---- fine-goroutines */

/* To make, schedule and end a goroutine costs about as much; an estimate. */
enum { GOROUTINE_COST_NS = 500 };

/* Return the running time of the goroutines of the program. */
static int64_t run_of_all(const struct findings_run *r)
{
	int64_t ns = 0;
	for (uint32_t i = 0; i < r->groups.n; i++)
		wrap_add_to(&ns, r->groups.v[i].run);
	return ns;
}

/* busy: run_of_all(). */
static void judge_fine(struct findings_run *r, uint32_t group, double busy)
{
	const struct goroutine_group *g = &r->groups.v[group];
	double mean = (double)g->run / g->n, rate = (double)g->made * 1e9 / (double)r->wall,
	       made = finding_fit(g->made, LIMIT(r, FINE_GOROUTINES, MADE)),
	       small = mean > 0 ? LIMIT(r, FINE_GOROUTINES, RUN) / mean : 2,
	       often = finding_fit(rate, LIMIT(r, FINE_GOROUTINES, RATE)), fit;
	double lightly = mean > 0 ? LIMIT(r, FINE_GOROUTINES, LIGHT) / mean : 2,
	       all = busy > (double)r->wall ? busy : (double)r->wall,
	       score = finding_score((double)g->made * GOROUTINE_COST_NS, all);
	often = lightly < often ? lightly : often;
	fit = small > often ? small : often;
	fit = made < fit ? made : fit;
	if (fit < 0.5 || 2 * score < FINDING_LOW)
		return;
	struct finding f = {.score = score, .score_of = busy > (double)r->wall ? NULL : "of the time range",
	    .t0 = r->scan.t0, .t1 = r->scan.t1, .trk = g->most, .see = "goroutines -by=creator"};
	finding_culprit(r, &f, g->line);
	finding_victims(r, &f, group, 0);
	finding_put_place(r, g->line);
	buf_puts(&r->text, " starts ");
	text_count(&r->text, g->made);
	buf_puts(&r->text, " goroutines, ");
	text_count(&r->text, wrap_clamp(rate));
	buf_puts(&r->text, " a second, that run for ");
	text_ns(&r->text, wrap_clamp(mean));
	buf_puts(&r->text, " on average");
	if (mean < 2 * GOROUTINE_COST_NS)
		buf_puts(&r->text, ": to make and schedule them costs as much or more");
	finding_number(&f, "made", g->made);
	finding_number(&f, "run_mean_ns", mean);
	finding_number(&f, "per_second", rate);
	finding_add(r, fit, &f);
}

void rule_fine_goroutines(struct findings_run *r)
{
	double busy = (double)run_of_all(r);
	for (uint32_t i = 0; i < r->groups.n; i++)
		if (r->groups.v[i].made)
			judge_fine(r, i, busy);
}

/* ---- imbalance */

/* Return the lower median of the running times of a group. */
static int64_t median_run(const struct findings_run *r, uint32_t group)
{
	uint32_t n = 0;
	int64_t *v = xmalloc((r->groups.v[group].n + 1u) * sizeof *v);
	for (trk_id g = r->groups.v[group].first; g; g = r->groups.next[g])
		v[n++] = scan_run_ns(&r->scan, g);
	stats_sort(v, n);
	int64_t median = n ? v[(n - 1) / 2] : 0;
	mem_free(v);
	return median;
}

/* Return in how many quarters of the range the goroutine runs at least twice as long as the lower median of its
   group. On a busy machine a goroutine also seems to run while the system runs others: then it is another goroutine
   each time. */
static int leading_quarters(struct findings_run *r, uint32_t group, trk_id most)
{
	enum { MEMBERS = 4096 };	/* of larger groups these are enough for a median */
	uint32_t n = 0, seen = 0, step = r->groups.v[group].n / MEMBERS + 1;
	int quarters = 0;
	struct bins_query *q = arena_alloc(&r->scratch, (MEMBERS + 1) * sizeof *q);
	int64_t *run = arena_alloc(&r->scratch, (MEMBERS + 1) * sizeof *run), own = 0;
	for (trk_id g = r->groups.v[group].first; g; g = r->groups.next[g])
		if (seen++ % step == 0 || g == most)
			q[n++] = (struct bins_query){.trk = g, .ns = arena_alloc(&r->scratch, TS__N * sizeof(int64_t))};
	for (int k = 0; k < GROUP_QUARTERS && n; k++) {
		for (uint32_t i = 0; i < n; i++) {
			q[i].t0 = r->scan.t0 + r->wall / GROUP_QUARTERS * k;
			q[i].t1 = q[i].t0 + r->wall / GROUP_QUARTERS;
			memset(q[i].ns, 0, TS__N * sizeof *q[i].ns);
		}
		if (!bins_many(r->sn, q, n, &r->q->on))
			return 0;
		for (uint32_t i = 0; i < n; i++) {
			run[i] = q[i].ns[TS_RUN];
			own = q[i].trk == most ? run[i] : own;
		}
		stats_sort(run, n);
		quarters += own > 2 * run[(n - 1) / 2];
	}
	return quarters;
}

/* Return what a goroutine runs most of the time, of samples over a range. Places where it was preempted come first. */
static struct time_part main_run(struct findings_run *r, trk_id g, int64_t t0, int64_t t1)
{
	enum { LOOKS = 256, SAMPLED = 5 };
	struct time_parts runs = {0};
	struct time_part best = {0}, sampled = {0};
	for (int i = 0; i < LOOKS; i++) {
		int64_t a = t0 + (int64_t)((double)(t1 - t0) * i / LOOKS);
		time_parts_add(&runs, r->sn, &(struct time_parts_query){.g = g, .a = a, .b = a + (t1 - t0) / LOOKS + 1,
		    .scale = 1, .walker = r->walker, .ends = true});
	}
	time_parts_sort(&runs);
	for (uint32_t i = 0; i < runs.n; i++) {
		struct time_part *p = &runs.v[i];
		if (p->cls != TIME_ON_CPU || !p->stack)
			continue;
		best = best.ns ? best : *p;
		if (!sampled.ns && findings_is_interruption(r, p->stack))
			sampled = *p;
	}
	time_parts_free(&runs);
	return sampled.ns > best.ns / SAMPLED ? sampled : best;
}

static void judge_imbalance(struct findings_run *r, uint32_t group)
{
	const struct goroutine_group *g = &r->groups.v[group];
	const struct scan_details *most = scan_details_of(&r->scan, g->most);
	int64_t waited = wrap_add(wrap_add(most->ended, most->fed), most->joined);
	double size = finding_fit(g->n, LIMIT(r, IMBALANCE, GROUP)),
	       wait = finding_fit((double)waited / (double)r->wall, LIMIT(r, IMBALANCE, WAITED));
	if (size < 0.5 || wait < 0.5)
		return;
	int64_t median = median_run(r, group);
	/* What counts is how much longer it runs: half of "three times as long" is "twice as long". */
	double more = median ? (double)(g->run_most - median) / (double)median : 0,
	       fit = finding_fit(more, LIMIT(r, IMBALANCE, RATIO) - 1);
	fit = size < fit ? size : fit;
	fit = wait < fit ? wait : fit;
	if (fit < 0.5 || leading_quarters(r, group, g->most) < 3)
		return;
	struct time_part run = main_run(r, g->most, r->scan.t0, r->scan.t1);
	struct finding f = {.score = finding_score((double)(g->run_most - median), (double)r->wall), .t0 = run.t0,
	    .t1 = run.t0 + run.longest, .trk = g->most, .see = "goroutines -by=creator"};
	finding_culprit_stack(r, &f, run_stacks_interrupted(r->st, g->most, run.stack));
	finding_victims(r, &f, group, 0);
	buf_printf(&r->text, "goroutine %llu", (unsigned long long)store_trk(r->st, g->most)->id);
	finding_put_group(r, group);
	buf_puts(&r->text, " runs for ");
	text_ns(&r->text, g->run_most);
	buf_printf(&r->text, ", the other %u for ", g->n - 1);
	text_ns(&r->text, median);
	buf_puts(&r->text, " (median), and others wait for it: ");
	finding_put_place(r, f.nculprit ? f.culprit[0].frame : g->line);
	finding_put_caller(r, run_stacks_interrupted(r->st, g->most, run.stack));
	finding_number(&f, "goroutines", g->n);
	finding_number(&f, "run_most_ns", (double)g->run_most);
	finding_number(&f, "run_median_ns", (double)median);
	finding_number(&f, "waited_ns", (double)waited);
	finding_add(r, fit, &f);
}

/* Groups of which one goroutine creates some, waits for them, and creates the next ones. Where it serves a request, a
   late one is a straggler. */
static void judge_fan_out(struct findings_run *r, uint32_t group)
{
	enum { ROUNDS = 8 };
	const struct goroutine_group *g = &r->groups.v[group];
	struct fan_out o = fan_out_measure(&r->scan, &r->groups, group, (uint32_t)fmin(LIMIT(r, IMBALANCE, GROUP), UINT32_MAX));
	double more = o.median ? (double)wrap_sub(o.most, o.median) / (double)o.median : 0,
	       fit = finding_fit(more, LIMIT(r, IMBALANCE, RATIO) - 1), late = (double)o.late / (double)r->wall,
	       wait = finding_fit(late, LIMIT(r, IMBALANCE, WAITED));
	fit = wait < fit ? wait : fit;
	if (o.rounds < ROUNDS || 2 * o.same <= o.rounds || fit < 0.5 ||
	    findings_serves(r, (trk_id)store_trk(r->st, o.g)->creator))
		return;
	struct time_part run = main_run(r, o.g, o.t0, o.t1);
	stk_id at = run_stacks_interrupted(r->st, o.g, run.stack);
	struct finding f = {.score = finding_score(late, 1), .t0 = o.t0, .t1 = o.t1, .trk = o.g,
	    .see = "goroutines -by=creator"};
	finding_culprit_stack(r, &f, at);
	finding_victims(r, &f, group, 0);
	buf_printf(&r->text, "of %.0f goroutines that ", (double)o.children / o.rounds);
	finding_put_place(r, g->line);
	buf_printf(&r->text, " starts %u times, number %u runs for ", o.rounds, o.number);
	text_ns(&r->text, o.most / o.rounds);
	buf_puts(&r->text, ", the others for ");
	text_ns(&r->text, o.median / o.rounds);
	buf_printf(&r->text, " (median), and %.0f%% of the time is spent waiting for it alone: ", f.score);
	finding_put_place(r, f.nculprit ? f.culprit[0].frame : g->line);
	finding_put_caller(r, at);
	finding_number(&f, "rounds", o.rounds);
	finding_number(&f, "goroutines_mean", (double)o.children / o.rounds);
	finding_number(&f, "run_most_ns", (double)o.most / o.rounds);
	finding_number(&f, "run_median_ns", (double)o.median / o.rounds);
	finding_number(&f, "waited_ns", (double)o.late);
	finding_add(r, fit, &f);
}

void rule_imbalance(struct findings_run *r)
{
	for (uint32_t i = 0; i < r->groups.n && findings_continue(r); i++) {
		const struct goroutine_group *g = &r->groups.v[i];
		/* The median is at most the mean of the others, so most groups need no look at their members. */
		if (g->n >= 2 && g->most && (double)g->run_most * 10 > (double)r->wall)
			judge_imbalance(r, i);
		if (g->made && g->run > r->wall / 10)
			judge_fan_out(r, i);
	}
}

/* ---- spin */

/* Of the goroutines of a group. */
struct spin_sum {
	int64_t ns, run;	/* in runs that end by a yield; of those that are preempted, in all */
	uint64_t yields, stops, polls;
	trk_id most, polling;	/* that yields longest, that is preempted in polls most often */
};

static void judge_spin(struct findings_run *r, uint32_t group, const struct spin_sum *v)
{
	double share = finding_fit((double)v->ns / (double)r->wall, LIMIT(r, SPIN, SHARE)),
	       run = LIMIT(r, SPIN, RUN) * (double)v->yields / (double)(v->ns + 1), fit = share < run ? share : run;
	struct finding f = {.score = finding_score((double)v->ns, (double)r->wall), .t0 = r->scan.t0, .t1 = r->scan.t1,
	    .trk = v->most, .see = "top -type=run"};
	frm_id at = findings_site(r, scan_details_of(&r->scan, v->most)->yield);
	if (fit < 0.5)
		return;
	finding_culprit_stack(r, &f, scan_details_of(&r->scan, v->most)->yield);
	finding_victims(r, &f, group, at);
	finding_put_place(r, at);
	buf_printf(&r->text, " polls: it runs on %.2f Ps and calls runtime.Gosched %llu times, after ",
	    (double)v->ns / (double)r->wall, (unsigned long long)v->yields);
	text_ns(&r->text, v->ns / (int64_t)v->yields);
	buf_puts(&r->text, " each");
	finding_number(&f, "run_ns", (double)v->ns);
	finding_number(&f, "yields", (double)v->yields);
	finding_number(&f, "run_mean_ns", (double)v->ns / (double)v->yields);
	finding_add(r, fit, &f);
}

/* An endless select with a default case neither waits nor yields: it shows where the goroutine is preempted. */
static void judge_poll(struct findings_run *r, uint32_t group, const struct spin_sum *v)
{
	enum { FEW = 8 };
	double part = (double)v->polls / (double)v->stops, ns = part * (double)v->run,
	       share = finding_fit(ns / (double)r->wall, LIMIT(r, SPIN, SHARE)), mostly = finding_fit(part, LIMIT(r, SPIN, POLLS)),
	       fit = mostly < share ? mostly : share;
	struct finding f = {.score = finding_score(ns, (double)r->wall), .t0 = r->scan.t0, .t1 = r->scan.t1,
	    .trk = v->polling, .see = "top -type=run"};
	stk_id poll = scan_details_of(&r->scan, v->polling)->poll;
	if (fit < 0.5 || v->polls < FEW)
		return;
	finding_culprit_stack(r, &f, poll);
	finding_victims(r, &f, group, findings_site(r, poll));
	finding_put_place(r, findings_site(r, poll));
	buf_printf(&r->text, " polls: it runs on ~%.2f Ps, and is in a select with default at %llu of %llu preemptions",
	    ns / (double)r->wall, (unsigned long long)v->polls, (unsigned long long)v->stops);
	finding_estimate(&f, "run_ns", ns);
	finding_number(&f, "preemptions", (double)v->stops);
	finding_number(&f, "polls", (double)v->polls);
	finding_add(r, fit, &f);
}

void rule_spin(struct findings_run *r)
{
	struct spin_sum *v = xcalloc(r->groups.n + 1u, sizeof *v);
	for (trk_id g = 1; g < r->sn->ntrks; g++) {
		const struct scan_details *x = scan_details_of(&r->scan, g);
		if (!r->groups.of[g] || !(x->yields || x->polls))
			continue;
		struct spin_sum *to = &v[r->groups.of[g] - 1];
		to->stops += x->stops;
		to->polls += x->polls;
		wrap_add_to(&to->run, x->polls ? x->run : 0);
		if (!to->polling || x->polls > scan_details_of(&r->scan, to->polling)->polls)
			to->polling = g;
		wrap_add_to(&to->ns, x->yielded);
		to->yields += x->yields;
		if (!to->most || x->yielded > scan_details_of(&r->scan, to->most)->yielded)
			to->most = g;
	}
	for (uint32_t i = 0; i < r->groups.n; i++) {
		if (v[i].yields)
			judge_spin(r, i, &v[i]);
		if (v[i].polls)
			judge_poll(r, i, &v[i]);
	}
	mem_free(v);
}

/* ---- thundering-herd */

/* Return, by frame: index + 1 of the first site there from which others are woken. */
static uint32_t *woken_sites(const struct findings_run *r)
{
	uint32_t *at = xcalloc(r->sn->nfrms + 1u, sizeof *at);
	for (uint32_t k = 0; k < r->scan.sites.n && k < r->scan.csite; k++) {
		uint32_t *first = &at[r->scan.sites.v[k].frame];
		if (r->scan.site[k].woken && !*first)
			*first = k + 1;
	}
	return at;
}

void rule_thundering_herd(struct findings_run *r)
{
	double run = (double)run_of_all(r);
	uint32_t *site_at = woken_sites(r);
	for (uint32_t i = 0; i < r->moments.nburst && findings_continue(r); i++) {
		const struct moment_burst *b = &r->moments.burst[i];
		double mean = (double)b->woken / b->n, fit = finding_fit(mean, LIMIT(r, THUNDERING_HERD, WOKEN)),
		       times = finding_fit(b->n, LIMIT(r, THUNDERING_HERD, TIMES));
		uint32_t at = site_at[findings_site(r, b->waited)] - 1;
		fit = times < fit ? times : fit;
		if (fit < 0.5 || at == UINT32_MAX)
			continue;
		const struct scan_site *x = &r->scan.site[at];
		double useful = mean * (1 - (double)x->again / (double)x->n);
		double few = useful > 0 ? LIMIT(r, THUNDERING_HERD, USEFUL) * mean / useful : 2;
		fit = few < fit ? few : fit;
		struct finding f = {.score = finding_score((double)x->again_ns + (double)x->again * GOROUTINE_COST_NS,
		    run), .t0 = b->t0, .t1 = b->t1, .trk = b->waker, .see = "top -type=sched"};
		frm_id waker = findings_site(r, b->stack);
		finding_culprit(r, &f, waker);
		finding_victims(r, &f, r->groups.of[b->waker] - 1, r->scan.sites.v[at].frame);
		finding_put_place(r, waker);
		buf_printf(&r->text, " wakes %.0f goroutines at once, %u times; of these %.0f wait again at once at ",
		    mean, b->n,
		    mean - useful);
		finding_put_place(r, r->scan.sites.v[at].frame);
		finding_number(&f, "woken_mean", mean);
		finding_number(&f, "times", b->n);
		finding_number(&f, "useful_mean", useful);
		finding_add(r, fit, &f);
	}
	mem_free(site_at);
}
