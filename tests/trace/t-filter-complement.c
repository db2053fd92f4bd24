/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A filter of a trace and its complement: nothing is in both, and nothing is in neither. Goroutines of groups, tasks and
 * regions are split at random durations (seeded) of the sample. Other laws: times that are summed up together and alone
 * are the same, starts and stops alternate on each P, quantiles are those of sorted numbers.
 */
#include "config.h"
#include "store/builder.h"
#include "trace/filter_states.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/task_filter.h"
#include "trace/as_profile.h"
#include "store/tracks/time_search.h"
#include "tap.h"
#include "tracefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 5;
static int64_t rnd(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(seed >> 33) % n;
}

static bool is_name(void *want, const char *s, size_t n)
{
	return strlen(want) == n && !memcmp(want, s, n);
}

static int64_t all_of(const int64_t ns[TS__N])
{
	int64_t sum = 0;
	for (int i = 0; i < TS__N; i++)
		sum += ns[i];
	return sum;
}

static void goroutines(const struct snap *sn, struct arena *a)
{
	int64_t whole[TS__N], part[TS__N], rest[TS__N];
	struct trace_filter f = {.from = TIME_NONE, .to = TIME_NONE};
	uint32_t n = trace_gset_count(sn, NULL, TIME_NONE, TIME_NONE), groups = 0;
	trace_filter_states(sn, &f, whole);
	OK(trace_weigh(sn, TRACE_TIME, &f, a)->total_ns == all_of(whole));
	OK(n > 20 && all_of(whole) > 0);
	for (trk_id t = 1; t < sn->ntrks && groups < 30; t += 1 + (trk_id)rnd(5)) {
		const struct trk_row *r = store_trk(sn->st, t);
		if (r->kind != TK_G || !store_trk_name(sn->st, t))
			continue;
		const char *name = store_str(sn->st, store_trk_name(sn->st, t))->s;
		uint8_t *in = trace_gset_by_name(sn, is_name, (void *)(uintptr_t)name, a);
		uint8_t *out = trace_gset_complement(sn, in, NULL, a), *one = trace_gset_of_one(sn, t, a);
		uint8_t *peers = trace_gset_complement(sn, one, in, a);
		OK(!trace_gset_has(peers, t) && trace_gset_count(sn, peers, TIME_NONE, TIME_NONE) +
							trace_gset_count(sn, one, TIME_NONE, TIME_NONE) ==
						    trace_gset_count(sn, in, TIME_NONE, TIME_NONE));
		OK(trace_gset_has(in, t) && !trace_gset_has(out, t));
		OK(trace_gset_count(sn, in, TIME_NONE, TIME_NONE) + trace_gset_count(sn, out, TIME_NONE, TIME_NONE) ==
		    n);
		f.g = in;
		trace_filter_states(sn, &f, part);
		f.g = out;
		trace_filter_states(sn, &f, rest);
		bool same = true;
		for (int i = 0; i < TS__N; i++)
			same = same && part[i] + rest[i] == whole[i];
		OK(same && trace_weigh(sn, TRACE_TIME, &f, a)->total_ns == all_of(rest));
		groups++;
	}
	OK(groups > 5);
}

static bool cut(const int64_t *v, uint32_t n, uint32_t first, bool gap)
{
	struct task_filter_slow s = task_filter_slow(v, n);
	return s.first == first && s.gap == gap;
}

/* The choice of slow ones among sorted durations (the key D), with sets whose slow ones are known. */
static void slow(void)
{
	static const int64_t one[] = {5}, even[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
	    gap[] = {10, 11, 12, 13, 14, 15, 16, 40, 41, 42}, few[] = {10, 11, 12, 13, 14, 15, 16, 17, 40, 41},
	    close[] = {10, 11, 12, 13, 14, 15, 16, 31, 32, 33}, low[] = {1, 9, 10, 11, 12, 13, 14, 15, 16, 17},
	    two[] = {1, 2, 3, 4, 5, 12, 13, 14, 60, 61, 62};
	int64_t many[1000];
	for (int i = 0; i < 1000; i++)
		many[i] = 1000 + i;
	OK(cut(one, 1, 0, false));
	OK(cut(even, 10, 9, false));
	OK(cut(gap, 10, 7, true));
	OK(cut(few, 10, 9, false));	/* fewer than 3 are above the gap */
	OK(cut(close, 10, 9, false));	/* the gap is less than a factor of two */
	OK(cut(low, 10, 9, false));	/* the gap is below the median */
	OK(cut(two, 11, 8, true));	/* the larger of two gaps */
	OK(cut(many, 1000, 990, false));
}

/* Return the number of tasks (with start and end in the trace) or regions of a name that took lo to hi. */
static uint32_t count(const struct snap *sn, enum span_kind kind, str_id name, int64_t lo, int64_t hi)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		int64_t t0, t1;
		time_search_span_bounds(sn, s, &t0, &t1);
		if (s->kind == kind && s->name == name && s->t0 != TIME_NONE && s->t1 != TIME_NONE && t1 - t0 >= lo &&
		    t1 - t0 <= hi)
			n++;
	}
	return n;
}

static void tasks(const struct snap *sn, struct arena *a)
{
	int split = 0;
	for (uint32_t i = 0; i < sn->nspans; i += 1 + (uint32_t)rnd(40)) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->kind != SP_TASK || s->t0 == TIME_NONE || s->t1 == TIME_NONE)
			continue;
		struct trace_span_match p = {.match = is_name, .arg = (void *)(uintptr_t)store_str(sn->st, s->name)->s,
		    .lo = s->t1 - s->t0,
		    .hi = TIME_NONE}, q = p;
		uint32_t n, m;
		q.rest = true;
		struct trace_slice *x = trace_task_slices(sn, &p, a, &n);
		trace_task_slices(sn, &q, a, &m);
		OK(p.n == count(sn, SP_TASK, s->name, p.lo, INT64_MAX));
		OK(p.n + q.n == count(sn, SP_TASK, s->name, 0, INT64_MAX));
		struct trace_filter f = {.from = TIME_NONE, .to = TIME_NONE, .slice = x, .nslice = n};
		int64_t ns[TS__N], len = 0;
		trace_filter_states(sn, &f, ns);
		for (uint32_t k = 0; k < n; k++)
			len += x[k].t1 - x[k].t0;
		OK(all_of(ns) <= len && (!n || all_of(ns) > 0));
		split += q.n > 0;
	}
	OK(split > 5);
}

/* Slices of one task: each region of it, and the task itself if it is on one goroutine, is within one slice; slices do not
   touch one another, and each starts and ends where one of these does. */
static void one_task(const struct snap *sn, struct arena *a)
{
	uint32_t wrong = 0, most = 0, tasks = 0;
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *task = &store_span(sn->st, i)->s;
		if (task->kind != SP_TASK)
			continue;
		struct trace_span_match p = {.id = task->id, .lo = TIME_NONE, .hi = TIME_NONE};
		uint32_t n, ends = 0;
		const struct trace_slice *x = trace_task_slices(sn, &p, a, &n);
		for (uint32_t k = 1; k < n; k++)
			wrong += x[k - 1].trk > x[k].trk || (x[k - 1].trk == x[k].trk && x[k - 1].t1 >= x[k].t0);
		for (uint32_t r = 0; r < sn->nspans; r++) {
			const struct sink_span *s = &store_span(sn->st, r)->s;
			bool whole = s->kind == SP_TASK && s->trk && (!s->trk1 || s->trk1 == s->trk);
			int64_t t0, t1;
			uint32_t in = 0;
			if (s->id != task->id || (s->kind != SP_REGION && !whole))
				continue;
			time_search_span_bounds(sn, s, &t0, &t1);
			for (uint32_t k = 0; k < n; k++) {
				in += x[k].trk == s->trk && x[k].t0 <= t0 && t1 <= x[k].t1;
				ends |= (uint32_t)(x[k].trk == s->trk && x[k].t0 == t0) << k % 16;
				ends |= (uint32_t)(x[k].trk == s->trk && x[k].t1 == t1) << (16 + k % 16);
			}
			wrong += in != 1;
		}
		wrong += n < 16 && ends != ((1u << n) - 1) * 0x10001u;
		most = n > most ? n : most;
		tasks++;
	}
	OK(!wrong);
	OK(tasks > 100 && most > 1 && most <= sn->ntrks / 64);
}

static void regions(const struct snap *sn, struct arena *a)
{
	int split = 0;
	for (uint32_t i = 0; i < sn->nspans; i += 1 + (uint32_t)rnd(40)) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->kind != SP_REGION || s->v0 & (RG_LOOSE | RG_INHERITED) || s->t0 == TIME_NONE ||
		    s->t1 == TIME_NONE)
			continue;
		char *name = (char *)(uintptr_t)store_str(sn->st, s->name)->s;
		struct trace_span_match p = {.match = is_name, .arg = name, .lo = s->t1 - s->t0, .hi = TIME_NONE},
					q = p;
		struct trace_span_match whole = {.match = is_name, .arg = name, .lo = TIME_NONE, .hi = TIME_NONE},
					other = whole;
		struct trace_span_match every = {
		    .match = is_name, .arg = (char[]){""}, .lo = TIME_NONE, .hi = TIME_NONE, .rest = true};
		uint32_t n;
		q.rest = other.rest = true;
		trace_region_slices(sn, &p, a, &n);
		OK(n == p.n && p.n > 0);
		trace_region_slices(sn, &q, a, &n);
		trace_region_slices(sn, &whole, a, &n);
		trace_region_slices(sn, &other, a, &n);
		trace_region_slices(sn, &every, a, &n);
		OK(p.n + q.n >= whole.n);	/* only outermost regions count, and an inner one may be faster */
		OK(whole.n > 0 && other.n > 0 && whole.n <= every.n);
		split += q.n > 0;
	}
	OK(split > 5);
}

static bool same_parts(const struct stats_part *a, const struct stats_part *b, uint32_t n)
{
	bool same = true;
	for (uint32_t k = 0; k < n; k++)
		same = same && a[k].name == b[k].name && !strcmp(a[k].text, b[k].text) && a[k].ns == b[k].ns;
	return same;
}

static bool same_times(const struct goroutine_times *a, const struct goroutine_times *b)
{
	return a->total == b->total && a->exec == b->exec && a->ready == b->ready && a->syscall == b->syscall &&
	    a->sysblock == b->sysblock && a->unknown == b->unknown && a->blocked == b->blocked && a->ranged == b->ranged &&
	    a->nblock == b->nblock && a->nrange == b->nrange && same_parts(a->block, b->block, a->nblock) &&
	    same_parts(a->range, b->range, a->nrange);
}

/* Times of regions and goroutines, which are summed up together sheet by sheet, are those of each alone in its range. */
static void accounts(const struct snap *sn, struct arena *a)
{
	struct stats_query ask = {.t0 = TIME_NONE, .t1 = TIME_NONE};
	const struct stats_index *s = stats_index_new(sn, a);
	const struct stats_region_kinds *ks = stats_regions(s, &ask, a);
	struct goroutine_times g, x;
	uint32_t wrong = 0, blocked = 0, ranged = 0;
	for (uint32_t i = 0; i < ks->nr; i++) {
		const struct stats_region *r = &ks->r[i];
		const struct sink_span *sp = &store_span(sn->st, r->span)->s;
		stats_of_region(r, &g);
		stats_of_goroutine(s, sp->trk, sp->t0, sp->t1, a, &x);
		wrong += !same_times(&g, &x);
	}
	OK(ks->nr > 100);
	OK(!wrong);
	ask.t0 = sn->t0 + (sn->t1 - sn->t0) / 3;
	const struct stats_groups *gs = stats_groups(s, &ask, a);
	for (uint32_t i = 0; i < gs->ng; i++) {
		stats_groups_times(gs, i, a, &g);
		stats_of_goroutine(s, g.trk, stats_groups_start(gs, i), TIME_NONE, a, &x);
		wrong += !same_times(&g, &x) || memcmp(g.ns, x.ns, sizeof g.ns) != 0;
		blocked += g.nblock > 1;
		ranged += g.nrange > 0;
	}
	OK(blocked && ranged);
	OK(!wrong);
}

static bool some_times(void *arg, uint64_t done, uint64_t total)
{
	int *left = arg;
	return done <= total && (*left)-- > 0;
}

/* A watcher can stop the computation at each of its calls: then there are no groups, weights are less, and it is not called
   again. */
static void stops(const struct snap *sn, struct arena *a)
{
	const struct stats_index *s = stats_index_new(sn, a);
	int asked = 1000, left;
	struct stats_query ask = {.on = {some_times, &asked}, .t0 = TIME_NONE, .t1 = TIME_NONE};
	struct trace_filter f = {.from = TIME_NONE, .to = TIME_NONE};
	OK(stats_groups(s, &ask, a)->ng > 10);
	int64_t all = trace_weigh(sn, TRACE_BLOCK, &f, a)->total_ns;
	asked = 1000 - asked;
	OK(asked > 1);
	ask.on.arg = &left;
	for (int i = 0; i < asked; i++) {
		left = i;
		const struct stats_groups *gs = stats_groups(s, &ask, a);
		OK(left == -1 && !gs->n && !gs->ng);
	}
	f.on = ask.on;
	left = 0;
	OK(trace_weigh(sn, TRACE_BLOCK, &f, a)->total_ns < all && left == -1);
}

/* A kind of regions is found by name and address of the call, of nested ones the outermost; another address finds none. */
static void places(const struct snap *sn, struct arena *a)
{
	struct stats_query ask = {.t0 = TIME_NONE, .t1 = TIME_NONE};
	struct stats_region_kinds *ks = stats_regions(stats_index_new(sn, a), &ask, a);
	uint32_t inherited = 0;
	for (uint32_t k = 0; k < ks->n; k++) {
		const struct sink_span *s = &store_span(sn->st, ks->r[ks->kind[k].first].span)->s;
		const struct str_row *name = store_str(sn->st, s->name);
		char text[64];
		snprintf(text, sizeof text, "x@y$@0x%llx", (unsigned long long)trace_region_pc(sn->st, s));
		struct trace_span_match p = {.match = is_name, .arg = (void *)(uintptr_t)(name->s ? name->s : ""),
		    .lo = TIME_NONE, .hi = TIME_NONE};
		OK(!strcmp(trace_parse_region_place(text, a, &p), "x@y$") && p.placed &&
		    p.pc == trace_region_pc(sn->st, s));
		uint32_t n;
		trace_region_slices(sn, &p, a, &n);
		OK(n > 0 && n <= ks->kind[k].n);
		p.pc++;
		trace_region_slices(sn, &p, a, &n);
		OK(!n);
		inherited += !name->n;
	}
	struct trace_span_match q = {0};
	OK(!strcmp(trace_parse_region_place("a@0xg", a, &q), "a@0xg") && !q.placed && !q.inherited);
	OK(!strcmp(trace_parse_region_place("^$", a, &q), "^$") && !q.placed && q.inherited);
	OK(ks->n > 5 && inherited > 0);
}

/* A P that was started is stopped or stolen before it is started again. */
static void ticks(const struct snap *sn)
{
	uint32_t n[2][64] = {{0}};
	for (int k = 0; k < 2; k++) {
		enum counter c = k ? CT_PROC_STOP : CT_PROC_START;
		OK(sn->ncounts[c] > 100 && time_search_counter_before(sn, c, sn->t1 + 1) == sn->ncounts[c] &&
		    !time_search_counter_before(sn, c, sn->t0));
		for (uint32_t i = 0; i < sn->ncounts[c]; i++) {
			const struct trk_row *p = store_trk(sn->st, (trk_id)store_count(sn->st, c, i)->v);
			OK(p->kind == TK_P);
			n[k][p->id & 63]++;
		}
	}
	uint32_t end;
	for (uint32_t i = time_search_marks(sn, sn->t0, sn->t1 + 1, &end); i < end; i++)
		if (store_mark(sn->st, i)->kind == MK_PROC_STEAL)
			n[1][store_trk(sn->st, store_mark(sn->st, i)->trk)->id & 63]++;
	for (int p = 0; p < 64; p++)
		OK(n[0][p] <= n[1][p] + 1 && n[1][p] <= n[0][p] + 1);
}

/* Quantiles of so many numbers that they are not sorted are those of the sorted numbers. */
static void shares_of_many(void)
{
	enum { N = 1200000 };
	struct arena a = {0};
	int64_t *v = arena_alloc(&a, N * sizeof *v), *w = xmalloc(N * sizeof *w);
	for (int how = 0; how < 3; how++) {
		struct stats_share q[] = { { 0, 0 }, { 0.5, 0 }, { 0.9, 0 }, { 0.99, 0 }, { 1, 0 } };
		for (uint32_t i = 0; i < N; i++)
			w[i] = v[i] = how == 0 ? rnd(1000) - 500 : how == 1 ? rnd(INT64_C(1) << 31) * rnd(1 << 30) :
			    i ? 77 : INT64_MIN;
		stats_quantiles(v, N, q, 5);
		stats_sort(w, N);
		OK(q[0].value == w[0] && q[4].value == w[N - 1]);
		for (int i = 1; i < 4; i++)
			OK(q[i].value == stats_quantile(w, N, q[i].share));
	}
	mem_free(w);
	arena_free(&a);
}

/* Slices in any order are joined into the times that are in any of them. */
static void presence(const struct snap *sn, struct arena *a)
{
	enum { N = 9000, LONG = 30000 };
	struct trace_slice *v = xcalloc(N, sizeof *v);
	uint8_t *there = xcalloc(LONG + 2, 1);
	for (int how = 0; how < 4; how++) {
		struct trace_filter f = {.from = TIME_NONE, .to = TIME_NONE, .slice = v, .nslice = how ? N : 3};
		uint32_t n;
		int64_t last = -1;
		bool same = true;
		memset(there, 0, LONG + 2);
		for (uint32_t i = 0; i < f.nslice; i++) {	/* times are even: slices that touch are joined, others not */
			int64_t t0 = how == 2 ? (N - i) * 2 : rnd(LONG - 9), t1 = t0 + rnd(how == 3 ? 2 : 8);
			v[i] = (struct trace_slice){1, t0 * 2, t1 * 2};
			memset(there + t0, 1, (size_t)(t1 - t0 + 1));
		}
		const struct trace_slice *o = trace_filter_presence(sn, &f, a, &n);
		for (uint32_t i = 0; i < n; last = o[i++].t1)
			same = same && o[i].t0 > last && o[i].t1 >= o[i].t0;
		for (int64_t t = 0; t < LONG; t++)
			same = same && trace_slices_overlap(o, n, t * 2, t * 2) == there[t];
		OK(n > 0 && same);
	}
	mem_free(v);
	mem_free(there);
}

/* Lists of goroutine numbers are parsed, with numbers near one another and at the limits of their type. */
static void listed(struct arena *a)
{
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	const uint64_t most = (UINT64_C(1) << TRK_ID_BITS) - 1;
	const uint64_t id[] = {7, 8, 9, 100000, 1ull << 40, (1ull << 40) + 1, most, most - 9, 1};
	enum { N = sizeof id / sizeof *id };
	trk_id g[N];
	for (int i = 0; i < N; i++)
		g[i] = s.trace->track(s.self, TK_G, id[i]);
	s.trace->track(s.self, TK_P, 10);
	OK(!s.trace->track(s.self, TK_G, most + 1) && !s.trace->track(s.self, TK_M, UINT64_MAX));
	const struct snap *sn = builder_finish(b);
	for (unsigned in = 1; in < 1u << N; in += 1 + (unsigned)rnd(5)) {
		char list[N * 24] = "";
		uint32_t n, want = 0;
		for (int i = 0; i < N; i++)
			if (in >> i & 1) {
				snprintf(list + strlen(list), 24, "%s%llu", want++ ? ",g" : "",
				    (unsigned long long)id[i]);
			}
		const uint8_t *set = trace_gset_parse(sn, list, a, &n);
		bool same = set && n == want;
		for (int i = 0; i < N && same; i++)
			same = trace_gset_has(set, g[i]) == (in >> i & 1);
		OK(same);
	}
	uint32_t n;
	OK(!trace_gset_parse(sn, "", a, &n) && !trace_gset_parse(sn, "7,", a, &n) &&
	    !trace_gset_parse(sn, "7,x", a, &n) && n == 0);
	OK(trace_gset_parse(sn, "10", a, &n) && n == 0);	/* 10 is a P */
	builder_free(b);
}

int main(void)
{
	slow();
	struct options o;
	struct trace t;
	struct arena a = {0};
	if (!tracefile_open(&o, &t, tap_source("samples/orders.trace")))
		return DONE();
	const struct snap *sn = t.sn;
	goroutines(sn, &a);
	tasks(sn, &a);
	one_task(sn, &a);
	regions(sn, &a);
	accounts(sn, &a);
	stops(sn, &a);
	places(sn, &a);
	ticks(sn);
	presence(sn, &a);
	listed(&a);
	shares_of_many();
	arena_free(&a);
	trace_close(&t);
	options_free(&o);
	return DONE();
}
