/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rules about goroutines that are runnable and do not run, because others have the Ps, because there are too few, or
 * because the process does not run. What had the Ps is taken from the critical path of samples of the waits
 * (critical/path.h).
 */
#include "config.h"
#include "findings/internal.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"
#include "trace/run_stacks.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/user_code.h"

#include <stdlib.h>

static int64_t overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
	int64_t lo = a > c ? a : c, hi = b < d ? b : d;
	return hi > lo ? hi - lo : 0;
}

bool findings_was_frozen(const struct findings_run *r, int64_t a, int64_t b)
{
	struct bsearch_probe h = {.hi = r->nfrozen};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, r->frozen[h.at].t1 <= a);
	return h.lo < r->nfrozen && r->frozen[h.lo].t0 < b;
}

/* ---- no-P */

/* What had the Ps while goroutines of a group waited for one. */
struct occupants {
	struct time_parts by;	/* by stack */
	int64_t own, all;	/* ns of occupants that do the same work, of all */
};

enum { LATE_SAMPLES = 48 };

bool findings_is_same_work(const struct findings_run *r, trk_id a, trk_id b)
{
	uint32_t x = r->groups.of[a], y = r->groups.of[b];
	return x && y &&
	    (x == y || r->groups.of[store_trk(r->st, a)->creator] == y || r->groups.of[store_trk(r->st, b)->creator] == x);
}

static void add_occupants(struct findings_run *r, const struct scan_span *v, struct critical_path *path,
    struct occupants *o)
{
	critical_path_walk(r->walker, v->g, v->t0, v->t1, path);
	for (size_t i = 0; i < path->n; i++) {
		const struct critical_piece *p = &path->v[i];
		if (p->reason != CRITICAL_OCCUPIED || p->via != CRITICAL_NONE)
			continue;
		time_parts_put(&o->by, p->cls, p->stack, p->t0, p->t1 - p->t0, p->occupant);
		wrap_add_to(&o->all, p->t1 - p->t0);
		if (p->occupant && findings_is_same_work(r, p->occupant, v->g))
			wrap_add_to(&o->own, p->t1 - p->t0);
	}
}

/* Runnable spans of goroutines of a group that are longer than the threshold. */
struct late_group { uint32_t group, longest, n; int64_t ns; };

/* Does the span count? Waits after GOMAXPROCS was lowered, and while the process was stopped, have their cause in
   another finding. */
static bool is_late(const struct findings_run *r, const struct scan_span *v)
{
	return (double)(v->t1 - v->t0) >= LIMIT(r, NO_P, WAIT) && (!r->lowered || v->t1 <= r->lowered) &&
	    !findings_was_frozen(r, v->t0, v->t1);
}

/* Look at samples of the late spans of a group, in equal distances of their sum. */
static void sample_occupants(struct findings_run *r, const struct late_group *l, struct occupants *o)
{
	const struct scan_list *late = &r->scan.late;
	struct critical_path path = {0};
	int64_t sum = 0, next = 0, step = l->ns / LATE_SAMPLES + 1;
	uint32_t left = 2 * LATE_SAMPLES;	/* sums of wrong times wrap around; then `next` does not limit */
	for (uint32_t i = 0; i < late->n && left && findings_continue(r); i++) {
		const struct scan_span *v = &late->v[i];
		if (r->groups.of[v->g] != l->group + 1 || !is_late(r, v))
			continue;
		wrap_add_to(&sum, v->t1 - v->t0);
		if (sum <= next)
			continue;
		next = wrap_add(sum, step);
		left--;
		add_occupants(r, v, &path, o);
	}
	critical_path_free(&path);
}

/* Is a run of this function already a problem of its own? */
static bool is_long_run(const struct findings_run *r, frm_id frame)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].rule == FINDING_LONG_RUN && r->v[i].level == FINDING_PROBLEM && frame &&
		    store_frm(r->st, r->v[i].culprit[0].frame)->fun == store_frm(r->st, frame)->fun)
			return true;
	return false;
}

/* Add ns to each user function of a stack, once. number: of the stack, from 1. */
static void add_to_functions(const struct store *st, struct u64_hash *ns, struct u64_hash *last, stk_id s, int64_t add,
    uint32_t number)
{
	for (; s; s = user_code_first_frame(st, stk_parent(st, s))) {
		bool fresh, met;
		fun_id f = store_frm(st, stk_frame(st, s))->fun;
		struct u64_slot *sum = u64_map_put(ns, f, &fresh), *in = u64_map_put(last, f, &met);
		sum->n = fresh ? 0 : sum->n;
		if (met || in->n != number)	/* a function that calls itself counts once */
			sum->n += (uint64_t)add;
		in->n = number;
	}
}

/* Return the node in the heaviest stack of occupants that names what had the Ps: its innermost user function in which they
   spent at least half of their time in user code. The stack itself is that of the next event. 0: there is none. */
static stk_id main_occupant(const struct findings_run *r, const struct occupants *o)
{
	struct u64_hash ns = {0}, last = {0};
	int64_t all = 0;
	stk_id s = 0;
	for (uint32_t i = o->by.n; i--;) {
		stk_id user = user_code_first_frame(r->st, run_stacks_interrupted(r->st, o->by.v[i].g, o->by.v[i].stack));
		s = user ? user : s;
		all = wrap_add(all, user ? o->by.v[i].ns : 0);
		add_to_functions(r->st, &ns, &last, user, o->by.v[i].ns, i + 1);
	}
	while (s && 2 * u64_map_get(&ns, store_frm(r->st, stk_frame(r->st, s))->fun)->n < (uint64_t)all)
		s = user_code_first_frame(r->st, stk_parent(r->st, s));
	u64_map_free(&ns);
	u64_map_free(&last);
	return s;
}

static void report_no_p(struct findings_run *r, const struct late_group *l, uint32_t n, struct occupants *o)
{
	int64_t ns = 0, work = 0;
	uint32_t waits = 0;
	for (uint32_t i = 0; i < n; i++) {
		wrap_add_to(&ns, l[i].ns);
		waits += l[i].n;
		wrap_add_to(&work, groups_work(&r->groups.v[l[i].group]));
	}
	const struct scan_span *longest = &r->scan.late.v[l[0].longest];
	struct finding f = {.score = finding_score((double)ns, (double)work), .affected_ns = work, .t0 = longest->t0,
	    .t1 = longest->t1, .trk = longest->g, .see = "greedy"};
	time_parts_sort(&o->by);
	stk_id main = main_occupant(r, o);
	frm_id first = main ? stk_frame(r->st, main) : 0;
	finding_culprit(r, &f, first);
	if (o->by.n)
		finding_culprit_stack(r, &f, run_stacks_interrupted(r->st, o->by.v[0].g, o->by.v[0].stack));
	for (uint32_t i = 0; i < o->by.n; i++)
		finding_culprit(r, &f, findings_site_of_run(r, o->by.v[i].g, o->by.v[i].stack));
	for (uint32_t i = 0; i < n; i++)
		finding_victims(r, &f, l[i].group, 0);
	if (is_long_run(r, first))
		return;
	buf_puts(&r->text, "goroutines");
	finding_put_group(r, l[0].group);
	buf_printf(&r->text, " spend %.0f%% of their time in waits for a P of ", f.score);
	text_ns(&r->text, (int64_t)LIMIT(r, NO_P, WAIT));
	buf_puts(&r->text, " or more, up to ");
	text_ns(&r->text, longest->t1 - longest->t0);
	if (first) {
		buf_puts(&r->text, ", mostly while ");
		finding_put_place(r, first);
		buf_puts(&r->text, " runs");
	}
	finding_number(&f, "wait_ns", (double)ns);
	finding_number(&f, "longest_ns", (double)(longest->t1 - longest->t0));
	finding_estimate(&f, "occupant_share", o->all ? (double)o->by.v[0].ns / (double)o->all : 0);
	finding_estimate(&f, "own_group_share", o->all ? (double)o->own / (double)o->all : 0);
	finding_number(&f, "waits", waits);
	double share = finding_fit((double)ns / (double)work, LIMIT(r, NO_P, SHARE)),
	       often = finding_fit(waits, LIMIT(r, NO_P, WAITS));
	finding_add(r, share < often ? share : often, &f);
}

static int by_late_ns(const void *a, const void *b)
{
	const struct late_group *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* Does the loop with this idle wait get its work from the network? */
static bool is_fed_by_network(const struct findings_run *r, stk_id idle)
{
	frm_id at = findings_site(r, idle);
	for (uint32_t s = 0; s < r->scan.sites.n; s++)
		if (r->scan.sites.v[s].idle && r->scan.sites.v[s].frame == at && r->scan.sites.v[s].cls == TIME_NETWORK)
			return true;
	return false;
}

/* Does something outside wait for what a goroutine does at t? A loop gets its work from the network, a short life waits for
   the network, or is started by such a goroutine. */
static bool is_asked_from_outside(const struct findings_run *r, trk_id g, int64_t t)
{
	enum { CREATORS = 4 };
	for (int i = 0; i < CREATORS && g; i++) {
		uint32_t op = operations_at(r->ops, g, t);
		const struct operation_kind *k = op == OPERATION_NONE ? NULL : &r->ops->kind[operations_kind_of(r->ops, op)];
		if (!k || k->source == OPERATION_GOROUTINE)
			return false;
		if (k->source != OPERATION_LIFE)
			return k->source != OPERATION_ROUND || is_fed_by_network(r, k->site);
		if (scan_details_of(&r->scan, g)->network)
			return true;
		t = store_trk(r->st, g)->t0;
		g = store_trk(r->st, g)->creator;
	}
	return false;
}

/* Is a group without tasks and requests awaited? Otherwise it only matters how much is computed in all. Goroutines that
   others wait for at the end of a batch are parts of one computation, as are those that run meanwhile. Goroutines of
   libraries without code of the program only assist others. */
static bool is_awaited(const struct findings_run *r, const struct late_group *l)
{
	const struct scan_span *longest = &r->scan.late.v[l->longest];
	const struct str_row *start = store_str(r->st, r->groups.v[l->group].name);
	int64_t ns = 0;
	if (!user_code_is_user_function(start->s, start->n))
		return false;
	if (is_asked_from_outside(r, longest->g, longest->t0))
		return true;
	for (trk_id g = r->groups.v[l->group].first; g; g = r->groups.next[g]) {
		const struct scan_details *x = scan_details_of(&r->scan, g);
		wrap_add_to(&ns, wrap_add(x->ended, x->fed));
	}
	return ns > l->ns / 2;
}

/* Keep the groups that others keep from running, or that serve requests; add what occupied the Ps meanwhile. */
static uint32_t keep_starved(struct findings_run *r, struct late_group *l, uint32_t n, struct occupants *all)
{
	enum { JUDGED = 8 };
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n && i < JUDGED; i++) {
		int64_t work = groups_work(&r->groups.v[l[i].group]);
		struct occupants o = {0};
		trk_id one = r->scan.late.v[l[i].longest].g;
		bool serves = findings_serves(r, one), computes = !serves && r->groups.v[l[i].group].run > l[i].ns / 4;
		double limit = LIMIT(r, NO_P, SHARE);
		if (work <= 0 || computes || (!serves && !is_awaited(r, &l[i])) || finding_fit((double)l[i].ns / (double)work, limit) < 0.5 ||
		    findings_relevance(r, one, l[i].ns, limit) < 0.5)
			continue;
		sample_occupants(r, &l[i], &o);
		if (o.own < wrap_sub(o.all, o.own) || serves) {
			for (uint32_t k = 0; k < o.by.n; k++)
				time_parts_put(&all->by, TIME_ON_CPU, o.by.v[k].stack, o.by.v[k].t0, o.by.v[k].ns,
				    o.by.v[k].g);
			wrap_add_to(&all->own, o.own);
			wrap_add_to(&all->all, o.all);
			l[kept++] = l[i];
		}
		time_parts_free(&o.by);
	}
	return kept;
}

void rule_no_p(struct findings_run *r)
{
	const struct scan_list *late = &r->scan.late;
	struct late_group *l = xcalloc(r->groups.n + 1u, sizeof *l);
	struct occupants all = {0};
	for (uint32_t i = 0; i < r->groups.n; i++)
		l[i].group = i;
	for (uint32_t i = 0; i < late->n; i++) {
		const struct scan_span *v = &late->v[i];
		uint32_t group = r->groups.of[v->g] - 1;
		if (group >= r->groups.n || !is_late(r, v))
			continue;
		if (!l[group].ns || v->t1 - v->t0 > late->v[l[group].longest].t1 - late->v[l[group].longest].t0)
			l[group].longest = i;
		wrap_add_to(&l[group].ns, overlap(v->t0, v->t1, r->scan.t0, r->scan.t1));
		l[group].n++;
	}
	qsort(l, r->groups.n, sizeof *l, by_late_ns);
	uint32_t n = 0;
	while (n < r->groups.n && l[n].ns)
		n++;
	n = keep_starved(r, l, n, &all);
	if (n)
		report_no_p(r, l, n, &all);
	time_parts_free(&all.by);
	mem_free(l);
}

/* ---- gomaxprocs */

/* Return the median number of runnable goroutines in [a, b), of the means of slots, so that a burst at the start of a
   program does not count; -1 if there are too few slots. */
static double median_runnable(const struct findings_run *r, int64_t a, int64_t b)
{
	enum { FEW = 16 };
	const struct scan *s = &r->scan;
	int64_t v[SCAN_SLOTS];
	uint32_t n = 0;
	for (int64_t i = 0; i < SCAN_SLOTS; i++) {
		int64_t t = s->t0 + i * s->slot_ns;
		if (t >= a && t + s->slot_ns <= b)
			v[n++] = s->slot_runnable[i];
	}
	if (n < FEW)
		return -1;
	stats_sort(v, n);
	return (double)v[n / 2] / (double)s->slot_ns;
}

/* Return the caller of the stop in which GOMAXPROCS was changed at t; 0: no function of the program. */
static frm_id changer(const struct findings_run *r, int64_t t)
{
	for (uint32_t i = 0; (i = time_search_next_span(r->sn, i, 1u << SP_STW, t, t + 1)) != UINT32_MAX; i++) {
		stk_id at = user_code_first_frame(r->st, store_span(r->st, i)->s.stack);
		if (at)
			return stk_frame(r->st, at);
	}
	return 0;
}

static void judge_change(struct findings_run *r, int64_t from, int64_t t, int64_t to, uint64_t had, uint64_t has)
{
	double before = median_runnable(r, from, t), after = median_runnable(r, t, to);
	if (before < 0 || after < 0)
		return;
	double fit = finding_fit(after / (before > 0.1 ? before : 0.1), LIMIT(r, GOMAXPROCS, GROWTH)),
	       queue = finding_fit(after / (double)has, LIMIT(r, GOMAXPROCS, QUEUE));
	int64_t work = 0;
	for (int i = 0; i < TIME_CLASS__N; i++)
		wrap_add_to(&work, i == TIME_STILL_BLOCKED ? 0 : r->scan.ns[i]);
	for (uint32_t i = 0; i < r->groups.n; i++)
		wrap_add_to(&work, r->groups.v[i].run);
	double lost = (after - before) * (double)(to - t);
	struct finding f = {.score = finding_score(lost, (double)work), .t0 = t, .t1 = to, .see = "stats -step=100ms"};
	frm_id caller = changer(r, t);
	finding_culprit(r, &f, caller);
	if (caller) {
		finding_put_place(r, caller);
		buf_puts(&r->text, " sets GOMAXPROCS");
	} else {
		buf_puts(&r->text, "GOMAXPROCS is set");
	}
	buf_printf(&r->text, " from %llu to %llu at ", (unsigned long long)had, (unsigned long long)has);
	text_at(&r->text, t, 1000000);
	buf_printf(&r->text, ": then %.1f goroutines wait for a P most of the time, %.1f before", after, before);
	double both = queue < fit ? queue : fit;
	if (both >= 1 && f.score >= FINDING_LOW)
		r->lowered = t;
	finding_number(&f, "procs_before", (double)had);
	finding_number(&f, "procs_after", (double)has);
	finding_number(&f, "runnable_before", before);
	finding_number(&f, "runnable_after", after);
	finding_add(r, both, &f);
}

void rule_gomaxprocs(struct findings_run *r)
{
	uint32_t n = r->sn->ncounts[CT_GOMAXPROCS];
	int64_t from = r->scan.t0;
	uint64_t had = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct count_row *c = store_count(r->st, CT_GOMAXPROCS, i);
		if (c->v == had || !c->v)
			continue;
		int64_t to = r->scan.t1;
		for (uint32_t k = i + 1; k < n; k++)
			if (store_count(r->st, CT_GOMAXPROCS, k)->v != c->v) {
				to = store_count(r->st, CT_GOMAXPROCS, k)->t;
				break;
			}
		if (had > c->v && c->t > from && to > c->t && c->t < r->scan.t1)
			judge_change(r, from, c->t, to < r->scan.t1 ? to : r->scan.t1, had, c->v);
		had = c->v;
		from = c->t > r->scan.t0 ? c->t : r->scan.t0;
	}
}

/* ---- frozen */

/* proven: of the gaps, those in which a timer was late. */
struct frozen_sum { uint32_t n, proven; int64_t ns, longest, t0; trk_id g; };

/* Could a P have run another goroutine at t? Some P was idle or in a system call. */
static bool has_free_proc(const struct findings_run *r, int64_t t)
{
	for (uint32_t i = 0; i < r->nproc; i++) {
		enum tstate s = trace_interval_state(r->sn, r->proc[i], t);
		if (s == TS_IDLE || s == TS_SYSCALL)
			return true;
	}
	return false;
}

/* The gaps come in the order of time, so what lies at their starts is found in one pass over the goroutines that wait for
   a P and over the stops. late: index of the first wait in scan.late that starts after the last gap; reaches: of those
   before, the one with the latest end; stop: index of the first span that has not ended before the last gap. */
struct gap_walk { uint32_t late, reaches, stop; trk_id timer; struct frozen_sum sum; };

/* A goroutine of the tracer reads the CPU samples every TIMER_NS, in Go 1.22 and later. Return it; 0: there is none. */
enum { TIMER_NS = 100000000, TIMER_LATE_NS = 2000000 };
static trk_id tracer_timer(const struct findings_run *r)
{
	for (trk_id g = 1; g < r->sn->ntrks; g++)
		if (names_is(store_str(r->st, store_trk_name(r->st, g)), "runtime.traceStartReadCPU.func1"))
			return g;
	return 0;
}

/* Was that timer due in the gap, and did its goroutine wait until the end of the gap? A runnable goroutine and a free P do not
   prove that the process stood still: a thread may be late between two goroutines, while others run without an event. */
static bool is_timer_late(const struct findings_run *r, trk_id timer, int64_t t0, int64_t t1)
{
	struct trace_interval v;
	if (!timer || !trace_interval_at(r->sn, timer, t0, &v) || v.state == TS_RUN || v.state == TS_READY)
		return false;
	int64_t due = wrap_add(v.t0, TIMER_NS);
	return due > t0 && due < t1 - TIMER_LATE_NS && v.t1 >= t1 - r->moments.beat_ns;
}

/* Return a goroutine that was runnable in all of [t0, t1), or 0. */
static trk_id runnable_during(const struct scan *s, struct gap_walk *w, int64_t t0, int64_t t1)
{
	const struct scan_span *v = s->late.v;
	for (; w->late < s->late.n && v[w->late].t0 <= t0; w->late++)
		if (v[w->late].t1 > v[w->reaches].t1)
			w->reaches = w->late;
	return w->late && v[w->reaches].t1 >= t1 ? v[w->reaches].g : 0;
}

/* Is the world stopped in a part of [t0, t1)? Stops follow one another in the order of the spans. */
static bool is_stopped(const struct findings_run *r, struct gap_walk *w, int64_t t0, int64_t t1)
{
	w->stop = w->stop == UINT32_MAX ? w->stop : time_search_next_span(r->sn, w->stop, 1u << SP_STW, t0, INT64_MAX);
	return w->stop != UINT32_MAX && store_span(r->st, w->stop)->s.t0 < t1;
}

/* No P changes its state in the slots [a, b): judge the gap. A goroutine that was runnable all the time, and a P that could
   have run it, tell that the process did not run. */
static void judge_gap(struct findings_run *r, uint32_t a, uint32_t b, struct gap_walk *w)
{
	int64_t t0 = r->scan.t0 + a * r->moments.beat_ns, t1 = r->scan.t0 + b * r->moments.beat_ns;
	if ((double)(t1 - t0) < LIMIT(r, FROZEN, GAP) / 2 || is_stopped(r, w, t0, t1))
		return;
	trk_id g = runnable_during(&r->scan, w, t0, t1);
	if (!g || !has_free_proc(r, t0 + (t1 - t0) / 2))
		return;
	w->sum.n++;
	w->sum.proven += is_timer_late(r, w->timer, t0, t1);
	wrap_add_to(&w->sum.ns, t1 - t0);
	r->frozen = mem_grow(r->frozen, &r->cfrozen, r->nfrozen + 1u, sizeof *r->frozen);
	r->frozen[r->nfrozen++] = (struct frozen_gap){t0, t1};
	if (t1 - t0 > w->sum.longest) {
		w->sum.longest = t1 - t0;
		w->sum.t0 = t0;
		w->sum.g = g;
	}
}

void rule_frozen(struct findings_run *r)
{
	struct gap_walk w = {.timer = tracer_timer(r)};
	const struct moments *m = &r->moments;
	for (uint32_t i = 0, from = 0; i <= m->nbeat; i++) {
		if (i < m->nbeat && !(m->beat[i >> 3] >> (i & 7) & 1))
			continue;
		if (i > from)
			judge_gap(r, from, i, &w);
		from = i + 1;
	}
	struct frozen_sum z = w.sum;
	if (!z.proven) {
		r->nfrozen = 0;
		if (z.n && !w.timer)
			finding_unanswered(r, "traces before Go 1.22 have no timer that could be late");
		return;
	}
	struct finding f = {.score = finding_score((double)z.ns, (double)r->wall), .t0 = z.t0, .t1 = z.t0 + z.longest,
	    .trk = z.g, .see = "procs"};
	buf_printf(&r->text, "the process does not run for at least ");
	text_ns(&r->text, z.longest);
	buf_puts(&r->text, " at ");
	text_at(&r->text, z.t0, 1000000);
	if (z.n > 1)
		buf_printf(&r->text, ", and %u more time%s", z.n - 1, text_s(z.n - 1));
	buf_puts(&r->text, ": goroutines are runnable and a P is free, but nothing happens");
	finding_number(&f, "gaps", z.n);
	finding_number(&f, "proven", z.proven);
	finding_number(&f, "gap_ns", (double)z.ns);
	finding_number(&f, "longest_ns", (double)z.longest);
	double often = z.n > 1 ? finding_fit((double)z.longest, LIMIT(r, FROZEN, GAP)) : 0,
	       once = finding_fit((double)z.longest, LIMIT(r, FROZEN, SINGLE));
	finding_add(r, often > once ? often : once, &f);
}
