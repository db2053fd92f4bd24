/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Rules about the garbage collector. Mark workers that use Ps which would be idle cost the program nothing, so only
 * dedicated and fractional ones count: these are in the store as events of utilisation.
 *
 * Where the program allocates are the stacks of TRACE_ALLOC, by bytes (trace/alloc/alloc_weights.c). If a trace has no
 * sizes of the heap, it is estimated from the stacks that had to assist or to sweep, or that started a cycle: the runtime
 * charges these to whatever allocates at the moment.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "critical/gc_tax.h"
#include "store/tracks/time_search.h"
#include "trace/as_profile.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/gc_cycles.h"
#include "trace/user_code.h"

#include <math.h>

/* Where the program allocates: by site, of which table. */
struct alloc_blame {
	struct site_table sites;
	int64_t *weight;
	size_t cap;
	int64_t total;
	int64_t all;			/* bytes that are allocated, also by the runtime and by unknown stacks; 0: unknown */
};

static void add_allocation(struct alloc_blame *a, stk_id stack, int64_t weight)
{
	if (!stack)
		return;
	uint32_t i = site_table_of(&a->sites, TS_RUN, stack);
	size_t had = a->cap;
	a->weight = mem_grow(a->weight, &a->cap, i + 1u, sizeof *a->weight);
	for (; had < a->cap; had++)
		a->weight[had] = 0;
	wrap_add_to(&a->weight[i], weight);
	wrap_add_to(&a->total, weight);
}

/* by_time: assists count by their duration, and nothing else counts if there are any; else each span counts once. */
static void find_allocations(struct findings_run *r, struct alloc_blame *a, bool by_time)
{
	const uint32_t kinds = 1u << SP_ASSIST | (by_time ? 0 : 1u << SP_GC | 1u << SP_SWEEP);
	for (uint32_t i = 0; (i = time_search_next_span(r->sn, i, kinds, r->scan.t0, r->scan.t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(r->st, i)->s;
		int64_t t0, t1;
		time_search_span_bounds(r->sn, s, &t0, &t1);
		if (user_code_first_frame(r->st, s->stack))
			add_allocation(a, s->stack, by_time ? t1 - t0 : 1);
	}
}

/* Bytes by the line that allocates. */
static void find_bytes(struct findings_run *r, struct alloc_blame *a)
{
	struct arena mem = {0};
	const struct trace_weights *w = trace_weigh(r->sn, TRACE_ALLOC, r->scan.filter, &mem);
	for (stk_id i = 1; i < w->n; i++)
		if (w->ns[i] > 0 && user_code_first_frame(r->st, i))
			add_allocation(a, i, w->ns[i]);
	a->all = w->total_ns;
	arena_free(&mem);
}

/* Name the sites with most weight as culprits, and free the table. Return the weight of the first. */
static int64_t blame_sites(struct findings_run *r, struct finding *f, struct alloc_blame *a)
{
	int64_t first = 0;
	for (int k = 0; k < FINDING_CULPRITS; k++) {
		uint32_t best = UINT32_MAX;
		for (uint32_t i = 0; i < a->sites.n; i++)
			if (a->weight[i] > 0 && (best == UINT32_MAX || a->weight[i] > a->weight[best]))
				best = i;
		/* A place with a tenth of the weight is not to blame. */
		if (best == UINT32_MAX || (k && (double)a->weight[best] * 10 < (double)a->total))
			break;
		finding_culprit(r, f, a->sites.v[best].frame);
		first = k ? first : a->weight[best];
		a->weight[best] = 0;
	}
	mem_free(a->weight);
	site_table_free(&a->sites);
	return first;
}

/* Name what allocates most as culprits, and append it to the sentence. Where no line allocates a tenth, none is to blame. */
static void blame_allocations(struct findings_run *r, struct finding *f)
{
	struct alloc_blame a = {0};
	site_table_init(&a.sites, r->sn, r->ops);
	find_bytes(r, &a);
	if (!a.total)
		find_allocations(r, &a, true);
	if (!a.total)
		find_allocations(r, &a, false);
	double per_second = (double)a.all * 1e9 / (double)r->wall;
	int64_t first = blame_sites(r, f, &a);
	if (!f->nculprit)
		return;
	bool spread = a.all > 0 && first < a.all / 10;
	buf_puts(&r->text, spread ? ": the allocations are spread over many lines, most at " : ": ");
	finding_put_place(r, f->culprit[0].frame);
	f->nculprit = spread ? 0 : f->nculprit;
	if (a.all <= 0) {
		buf_puts(&r->text, " allocates most");
		return;
	}
	buf_printf(&r->text, "%s~%.0f%% of ", spread ? ", " : " allocates ", text_percent(first, a.all));
	text_bytes(&r->text, wrap_clamp(per_second));
	buf_puts(&r->text, "/s");
	finding_number(f, "allocated_per_second_bytes", per_second);
	finding_estimate(f, "culprit_allocated_share", (double)first / (double)a.all);
}

/* ---- gc */

/* Return the time of Ps that dedicated and fractional mark workers took. */
static int64_t worker_ns(const struct findings_run *r)
{
	int64_t ns = 0;
	int32_t now = 0;
	for (uint32_t i = 0; i < r->sn->nutils; i++) {
		const struct sink_util *u = column_at(&r->st->utils, i);
		if (u->what == UT_WORKER_ONCE || u->what == UT_DEDICATED_ONCE)
			now += u->delta;
		int64_t a = u->t > r->scan.t0 ? u->t : r->scan.t0, b = u->next < r->scan.t1 ? u->next : r->scan.t1;
		if (b > a)
			wrap_add_to(&ns, wrap_mul(now, b - a));
	}
	return ns;
}

struct gc_time { int64_t workers, assists, procs, used; uint32_t kind; double kind_share; };

static struct gc_time gc_time(struct findings_run *r)
{
	struct gc_time t = {.workers = worker_ns(r), .kind = UINT32_MAX};
	for (uint32_t i = 0; i < r->nproc; i++) {
		struct bin b = {0};
		bins_procs(r->sn, &r->proc[i], 1, r->scan.t0, r->scan.t1, &b);
		wrap_add_to(&t.assists, b.ns[TS_ASSIST]);
		for (int s = TS_IDLE; s < TS__N; s++)
			wrap_add_to(&t.procs, b.ns[s]);
		t.used = wrap_sub(t.used, b.ns[TS_IDLE]);
	}
	wrap_add_to(&t.used, t.procs);
	return t;
}

/* Is it one of the kinds with a tenth of the time of all operations, which may be in one another? */
static bool is_main_kind(const struct findings_run *r, const struct operation_kind *k)
{
	int64_t all = 0;
	for (uint32_t i = 0; i < r->ops->nkinds; i++)
		wrap_add_to(&all, r->ops->kind[i].total);
	return k->total > all / 10;
}

/* May the GC cost a kind so much? Waits for a P on which the GC works are not known yet. */
static bool may_be_taxed(const struct findings_run *r)
{
	for (uint32_t i = 0; i < r->ops->nkinds; i++) {
		const struct operation_kind *k = &r->ops->kind[i];
		double gc = (double)k->class_ns[TIME_GC_ASSIST] + (double)k->class_ns[TIME_GC_OTHER];
		if (k->total > 0 && gc / (double)k->total >= LIMIT(r, GC, TAX) / 4 && is_main_kind(r, k))
			return true;
	}
	return false;
}

/* Find the main kind of which the GC costs the largest part, on critical paths, as the board gctax has it. */
static void find_taxed(struct findings_run *r, struct gc_time *t)
{
	struct progress_watcher quiet = findings_quiet(r);
	struct arena mem = {0};
	const struct gc_tax_sum *v = may_be_taxed(r) ? gc_tax_sums(r->sn, r->ops, r->walker, &quiet, &mem) : NULL;
	for (uint32_t i = 0; v && i < r->ops->nkinds; i++) {
		double share = v[i].time > 0 ? (double)gc_tax_total(&v[i]) / (double)v[i].time : 0;
		if (share > t->kind_share && is_main_kind(r, &r->ops->kind[i])) {
			t->kind_share = share;
			t->kind = i;
		}
	}
	arena_free(&mem);
}

/* Return the sum of the heap goals divided by that of the live heaps, of the cycles that end in the range; 0 if they are not
   known. */
static double goal_ratio(const struct findings_run *r)
{
	uint32_t n;
	struct arena mem = {0};
	const struct gc_cycle *c = gc_cycles(r->sn, NULL, &mem, &n);
	double goals = 0, lives = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = time_search_counter(r->sn, CT_HEAP_GOAL, c[i].t1 + 1000000);
		double live = (double)store_span(r->st, c[i].span)->s.v1;
		if (c[i].open || at == UINT32_MAX || live <= 0 || c[i].t1 < r->scan.t0 || c[i].t1 > r->scan.t1)
			continue;
		goals += (double)store_count(r->st, CT_HEAP_GOAL, at)->v;
		lives += live;
	}
	arena_free(&mem);
	return lives > 0 ? goals / lives : 0;
}

/* With GOGC=100 and without a memory limit the goal is at least twice the live heap. */
static void put_goal(struct findings_run *r, double goal)
{
	const double low = 1.7;
	buf_printf(&r->text, "; the heap goal is %.2g times the live heap", goal);
	if (goal < low)
		buf_puts(&r->text, ": GOGC or the memory limit is low");
}

/* Did a call of runtime.GC start the cycle? runtime/debug.FreeOSMemory calls it too. */
static bool is_forced(const struct store *st, stk_id stack)
{
	while (stack && !names_is(names_function(st, stack), "runtime.GC"))
		stack = stk_parent(st, stack);
	return stack != 0;
}

/* Cycles that the program asks for. Return whether they are a finding, and most of all. */
static bool judge_forced(struct findings_run *r)
{
	struct alloc_blame a = {0};
	uint32_t n = 0;
	int64_t all = 0;
	struct finding f = {.t0 = r->scan.t0, .t1 = r->scan.t1, .see = "gc"};
	site_table_init(&a.sites, r->sn, r->ops);
	for (uint32_t i = 0; (i = time_search_next_span(r->sn, i, 1u << SP_GC, r->scan.t0, r->scan.t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(r->st, i)->s;
		int64_t t0, t1;
		time_search_span_bounds(r->sn, s, &t0, &t1);
		t0 = t0 < r->scan.t0 ? r->scan.t0 : t0;
		t1 = t1 > r->scan.t1 ? r->scan.t1 : t1;
		wrap_add_to(&all, t1 > t0 ? t1 - t0 : 0);
		if (t1 <= t0 || !is_forced(r->st, s->stack))
			continue;
		add_allocation(&a, s->stack, t1 - t0);
		n++;
	}
	double share = (double)a.total / (double)r->wall, fit = finding_fit(share, LIMIT(r, GC, FORCED));
	f.score = finding_score(share, 1);
	f.score_of = "of the time range";
	finding_number(&f, "cycles", n);
	finding_number(&f, "collecting_ns", (double)a.total);
	finding_number(&f, "collecting_share", share);
	bool most = a.total > all / 2;
	blame_sites(r, &f, &a);
	if (fit < 0.5 || !f.nculprit)
		return false;
	finding_put_place(r, f.culprit[0].frame);
	buf_printf(&r->text, " starts GC cycles by runtime.GC, %u in all: they take %.0f%% of the time", n, f.score);
	finding_add(r, fit, &f);
	return most;
}

void rule_gc(struct findings_run *r)
{
	if (judge_forced(r))
		return;
	struct gc_time t = gc_time(r);
	find_taxed(r, &t);
	int64_t collecting = wrap_add(t.workers, t.assists);
	double share = t.procs > 0 ? (double)collecting / (double)t.procs : 0,
	       fit = finding_fit(share, LIMIT(r, GC, SHARE)), kind = finding_fit(t.kind_share, LIMIT(r, GC, TAX));
	struct finding f = {.t0 = r->scan.t0, .t1 = r->scan.t1, .see = "gc"};
	/* Where Ps are idle, the GC mostly takes time that no goroutine waits for. */
	if (fit < 1 && (double)t.used < 0.8 * (double)t.procs)
		fit = 0;
	fit = kind > fit ? kind : fit;
	if (fit < 0.5)
		return;
	double busy = finding_score((double)collecting, (double)t.used);
	f.score = busy;
	buf_puts(&r->text, "the GC takes ");
	if (t.kind != UINT32_MAX && kind >= 0.5) {
		const struct operation_kind *k = &r->ops->kind[t.kind];
		f.victim[f.nvictim++] = (struct finding_victim){.operation = arena_strndup(r->mem, k->name, k->nname)};
		f.see = "gctax";
		f.score = finding_score(t.kind_share, 1);
		f.score_of = "of the time of those affected";
		buf_printf(&r->text, "%.0f%% of the time of ", 100 * t.kind_share);
		text_safe(&r->text, k->name, k->nname);
	}
	if (share >= 0.005 || !f.nvictim)
		buf_printf(&r->text, "%s%.0f%% of the busy time of Ps, %.0f%% of it in mark assists",
		    f.nvictim ? ", and " : "", busy, text_percent(t.assists, collecting));
	blame_allocations(r, &f);
	double goal = goal_ratio(r);
	if (goal > 0)
		put_goal(r, goal);
	finding_number(&f, "gc_share", share);
	finding_number(&f, "workers_ns", (double)t.workers);
	finding_number(&f, "assists_ns", (double)t.assists);
	finding_number(&f, "operation_tax_share", t.kind_share);
	finding_number(&f, "goal_to_live", goal);
	finding_add(r, fit, &f);
}

/* ---- heap-grows */

struct live_heap { int64_t t; double bytes; };

/* Return the live heap at a time between those of two cycles, the first and the last of n > 1 included. */
static double live_at(const struct live_heap *v, uint32_t n, int64_t t)
{
	uint32_t i = 1;
	while (i + 1 < n && v[i].t < t)
		i++;
	double all = (double)(v[i].t - v[i - 1].t), part = all > 0 ? (double)(t - v[i - 1].t) / all : 1;
	return v[i - 1].bytes + part * (v[i].bytes - v[i - 1].bytes);
}

/* Return the growth in the second half of the time, divided by that in the first. A program that starts, or one that
   computes a result and ends, fills its heap ever more slowly; what leaks grows as long as there is work. */
static double pace_of(const struct live_heap *v, uint32_t n)
{
	double middle = live_at(v, n, v[0].t + (v[n - 1].t - v[0].t) / 2);
	double before = middle - v[0].bytes, after = v[n - 1].bytes - middle;
	return after <= 0 ? 0 : before <= 0 ? 1 : after / before;
}

/* Return whether a heap that only grows could look so: it went up by at least half of all that it went up and down. */
static bool is_growth(const struct live_heap *v, uint32_t n)
{
	double moved = 0;
	for (uint32_t i = 1; i < n; i++)
		moved += fabs(v[i].bytes - v[i - 1].bytes);
	return v[n - 1].bytes - v[0].bytes >= moved / 2;
}

void rule_heap_grows(struct findings_run *r)
{
	enum { CYCLES = 4 };
	uint32_t n, cycles = 0, rises = 0;
	const struct gc_cycle *c = gc_cycles(r->sn, NULL, &r->scratch, &n);
	struct live_heap *all = arena_alloc(&r->scratch, (n + 1u) * sizeof *all);
	for (uint32_t i = 0; i < n; i++) {
		double live = (double)store_span(r->st, c[i].span)->s.v1;
		if (c[i].open || live <= 0 || c[i].t1 < r->scan.t0 || c[i].t1 > r->scan.t1)
			continue;
		rises += cycles && live > all[cycles - 1].bytes * 1.02;
		all[cycles++] = (struct live_heap){c[i].t1, live};
	}
	if (cycles < CYCLES) {
		finding_unanswered(r, "the time range has fewer than 4 complete GC cycles");
		return;
	}
	double first = all[0].bytes, last = all[cycles - 1].bytes, grown = last > first ? last - first : 0,
	       pace = pace_of(all, cycles), fit = finding_fit((double)rises / (cycles - 1), LIMIT(r, HEAP_GROWS, RISES)),
	       ratio = finding_fit(last / first, LIMIT(r, HEAP_GROWS, GROWTH)),
	       bytes = finding_fit(grown, LIMIT(r, HEAP_GROWS, BYTES)), steady = finding_fit(pace, LIMIT(r, HEAP_GROWS, PACE));
	fit = ratio < fit ? ratio : fit;
	fit = bytes < fit ? bytes : fit;
	fit = steady < fit ? steady : fit;
	if (fit < 0.5 || !is_growth(all, cycles))
		return;
	struct finding f = {.score = finding_score(grown, last), .t0 = r->scan.t0, .t1 = r->scan.t1,
	    .see = "gc"};
	buf_puts(&r->text, "the live heap grows from ");
	text_bytes(&r->text, wrap_clamp(first));
	buf_puts(&r->text, " to ");
	text_bytes(&r->text, wrap_clamp(last));
	buf_printf(&r->text, " in %u GC cycles", cycles);
	blame_allocations(r, &f);
	finding_number(&f, "cycles", cycles);
	finding_number(&f, "rises", rises);
	finding_number(&f, "first_bytes", first);
	finding_number(&f, "last_bytes", last);
	finding_number(&f, "pace", pace);
	finding_number(&f, "per_second_bytes", grown * 1e9 / (double)r->wall);
	finding_add(r, fit, &f);
}
