/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The queries of the timeline against a walk over the whole trace: searches for spans, levels of nested regions, ticks of
 * log messages, sums of marks, counters and states over columns, related goroutines. On the sample, in time ranges drawn
 * at random (seeded).
 */
#include "config.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/span_search.h"
#include "trace/region_layout.h"
#include "trace/longest_wait.h"
#include "trace/stats/wait_stats.h"
#include "trace/neighbours.h"
#include "base/mem/mem.h"
#include "tap.h"
#include "tracefile.h"

#include <stdlib.h>
#include <string.h>

static uint32_t seed = 11;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static bool is_g(const struct snap *sn, trk_id t)
{
	return store_trk(sn->st, t)->kind == TK_G;
}

static bool named(const struct snap *sn, trk_id t, const char *part)
{
	const struct str_row *s = store_str(sn->st, store_trk_name(sn->st, t));
	return s->n && strstr(s->s, part);
}

/* ---- searches */

struct brute {
	const char *cond;
	enum tstate from, to;
	int64_t least, most;
	const char *name;
	bool of_p;
};

static void span_criteria(const struct snap *sn, const struct brute *q)
{
	struct err e;
	struct span_hits h;
	struct span_criteria *span_criteria = span_query_new(q->cond, &e);
	uint64_t n = 0, ns = 0;
	bool shown = true; /* each span that matches is listed for its track */
	OK(span_criteria != NULL);
	if (!span_criteria)
		return;
	OK(span_search_run(span_criteria, sn, q->of_p, NULL, &h) == 0);
	for (trk_id t = 1; t < sn->ntrks; t++) {
		struct trace_interval v;
		if (store_trk(sn->st, t)->kind != (q->of_p ? TK_P : TK_G) ||
		    (q->name && !named(sn, t, q->name)))
			continue;
		for (bool ok = trace_interval_near(sn, t, sn->t0, 1, &v); ok; ok = trace_interval_step(sn, &v, 1)) {
			int64_t len = v.t1 - v.t0;
			bool hit = len > 0 && v.state >= q->from && v.state <= q->to &&
				   len >= q->least && len <= q->most;
			n += hit;
			ns += hit ? (uint64_t)len : 0;
			uint32_t of;
			const uint32_t *mine = span_hits_of_track(&h, t, &of);
			shown = shown && (!hit || span_hits_overlap(&h, mine, of, v.t0, v.t1));
		}
	}
	if (n != h.all || ns != h.ns)
		fprintf(stderr, "%s: %llu matches of %llu ns, not %llu of %llu\n", q->cond,
		    (unsigned long long)h.all, (unsigned long long)h.ns, (unsigned long long)n,
		    (unsigned long long)ns);
	OK(n == h.all && ns == h.ns && h.n == n && n > 0);
	OK(shown);
	bool sorted = true;
	for (uint32_t i = 1; i < h.n; i++)
		sorted = sorted && h.hit[i - 1].t0 <= h.hit[i].t0;
	OK(sorted);
	OK(span_hits_first_from(&h, sn->t0) == 0 && span_hits_first_from(&h, INT64_MAX) == h.n);
	span_hits_free(&h);
	span_query_free(span_criteria);
}

static void searches(const struct snap *sn)
{
	static const struct brute q[] = {
	    {">5ms", TS_IDLE + 1, TS__N - 1, 5000001, INT64_MAX, NULL, false},
	    {"run>100us", TS_RUN, TS_RUN, 100001, INT64_MAX, NULL, false},
	    {"run>100us", TS_RUN, TS_RUN, 100001, INT64_MAX, NULL, true},
	    {"wait>=1ms wait<20ms", TS_CHANSEND, TS_UNKNOWN - 1, 1000000, 19999999, NULL, false},
	    {"reason~chan", TS_CHANSEND, TS_CHANRECV, 0, INT64_MAX, NULL, false},
	    {"state=runnable g~serve dur>10us", TS_READY, TS_READY, 10001, INT64_MAX, "serve",
		false},
	    {"10us..50us", TS_IDLE + 1, TS__N - 1, 10000, 50000, NULL, false},
	    {"sync group~reports", TS_SYNC, TS_COND, 0, INT64_MAX, "reports", false},
	};
	for (size_t i = 0; i < sizeof q / sizeof *q; i++)
		span_criteria(sn, &q[i]);
	static const char *const bad[] = {
	    "", ">", ">5", "frobnicate", "run wait", "g~(", "state=xyz", "dur~x", "run>1q"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e;
		struct span_criteria *h = span_query_new(bad[i], &e);
		if (h)
			fprintf(stderr, "\"%s\" is accepted as a condition\n", bad[i]);
		OK(!h);
		span_query_free(h);
	}
}

/* ---- regions and log messages */

static void levels(const struct snap *sn, struct arena *a)
{
	const struct row_layout *in = region_layout_new(sn, a, NULL);
	uint32_t regions = 0, pieces = 0, ticks = 0, logs = 0;
	bool apart = true, below = true;
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		regions += s->kind == SP_REGION && !(s->v0 & RG_INHERITED) && s->trk;
	}
	for (trk_id t = 1; t < sn->ntrks; t++) {
		uint32_t n, m;
		for (int k = 0; k < REGION_LAYOUT_LEVELS; k++) {
			const struct region_layout_piece *v = region_layout_row(in, t, k, &n),
						 *up = region_layout_row(in, t, k - 1, &m);
			OK(n == 0 || k < region_layout_levels(in, t));
			pieces += n;
			for (uint32_t i = 0; i < n; i++) {
				apart = apart && (!i || v[i - 1].t1 <= v[i].t0);
				apart = apart && store_span(sn->st, v[i].span)->s.trk == t;
				uint32_t j = k ? region_layout_find(up, m, v[i].t0) : 0;
				below =
				    below &&
				    (!k || (j < m && up[j].t0 <= v[i].t0 && up[j].t1 >= v[i].t1));
			}
		}
		const uint32_t *log = region_layout_logs(in, t, &n);
		ticks += n;
		for (uint32_t i = 0; i < n; i++) {
			const struct sink_mark *k = store_mark(sn->st, log[i]);
			apart = apart && k->kind == MK_LOG && k->trk == t && (!i || log[i - 1] < log[i]);
			apart = apart && region_layout_first_log(log, n, log[i]) == i &&
			    region_layout_first_log(log, n, log[i] + 1) == i + 1;
		}
	}
	for (uint32_t i = 0; i < sn->nmarks; i++)
		logs += store_mark(sn->st, i)->kind == MK_LOG;
	OK(apart);
	OK(below);
	OK(pieces > 0 && pieces <= regions);
	OK(ticks == logs && logs > 0);
}

/* ---- columns */

/* Count the marks of the kinds in each column, one by one. */
static void count_marks(const struct snap *sn, uint32_t kinds, int64_t t0, int64_t t1, uint32_t n, uint32_t *out)
{
	memset(out, 0, n * sizeof *out);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < sn->nmarks; i++) {
			const struct sink_mark *m = store_mark(sn->st, i);
			out[k] += kinds >> m->kind & 1 && m->t >= bins_edge(t0, t1, n, k) &&
			    m->t < bins_edge(t0, t1, n, k + 1);
		}
}

/* Find the longest wait of n goroutines in [t0, t1), one goroutine after the other. */
static bool walk_waits(
    const struct snap *sn, const trk_id *g, uint32_t n, int64_t t0, int64_t t1, struct trace_interval *best)
{
	bool any = false;
	for (uint32_t i = 0; i < n; i++) {
		struct trace_interval v;
		bool have = trace_interval_at(sn, g[i], t0, &v) || trace_interval_near(sn, g[i], t0, 1, &v);
		for (; have && v.t0 < t1; have = trace_interval_step(sn, &v, 1))
			if (state_is_wait(v.state) && (!any || v.t1 - v.t0 > best->t1 - best->t0)) {
				*best = v;
				any = true;
			}
	}
	return any;
}

static void longest(const struct snap *sn, struct arena *a)
{
	trk_id *g = arena_alloc(a, (sn->ntrks + 1u) * sizeof *g);
	uint32_t wrong = 0, found = 0;
	for (int i = 0; i < 60; i++) {
		int64_t t0 = i % 3 ? sn->t0 + (int64_t)rnd(1u << 20) * (sn->t1 - sn->t0) / (1 << 20) : sn->t0;
		int64_t t1 = i % 3 ? t0 + 1 + (int64_t)rnd(1u << 20) * (sn->t1 - t0) / (1 << 20) : sn->t1;
		uint32_t n = 0, some = i % 4 ? 1 + rnd(5) : UINT32_MAX;
		for (trk_id t = 1 + rnd(sn->ntrks - 1); t < sn->ntrks && n < some; t++)
			if (store_trk(sn->st, t)->kind == TK_G)
				g[n++] = t;
		struct trace_interval x, y = {0};
		bool all, one = longest_wait(sn, &(struct longest_wait_query){.g = g, .n = n, .t0 = t0, .t1 = t1,
		    .most = UINT64_MAX}, &x, &all),
		     other = walk_waits(sn, g, n, t0, t1, &y);
		wrong += !all || one != other ||
		    (one && (x.trk != y.trk || x.t0 != y.t0 || x.t1 != y.t1 || x.state != y.state));
		found += one;
	}
	OK(!wrong);
	OK(found > 10);
}

/* Durations, and a walk that finds the same as wait_stats_compute(), one goroutine after the other. */
struct lengths { int64_t *ready, *block[WAIT_STATS_STATES]; };

static void walk_all(const struct snap *sn, const struct wait_stats_query *q, struct wait_counts *o, struct lengths *l)
{
	for (uint32_t i = 0; i < q->n; i++) {
		int64_t born = store_trk(sn->st, q->g[i])->t0, t = born != TIME_NONE && born > q->t0 ? born : q->t0;
		struct trace_interval v;
		bool have = trace_interval_at(sn, q->g[i], t, &v) || trace_interval_near(sn, q->g[i], t, 1, &v),
		     waited = false;
		for (; have && v.t0 < q->t1; have = trace_interval_step(sn, &v, 1)) {
			o->spans++;
			if (v.state == TS_READY)
				l->ready[o->ready.n++] = v.t1 - v.t0;
			o->wakes += waited && v.state == TS_READY;
			waited = state_is_wait(v.state);
			for (int k = 0; k < WAIT_STATS_STATES && waited; k++)
				if (v.state == q->state[k])
					l->block[k][o->block[k].n++] = v.t1 - v.t0;
		}
	}
}

/* Return room for the durations of all spans. */
static int64_t *room(const struct snap *sn, struct arena *a)
{
	size_t n = 1;
	for (uint32_t i = 0; i < sn->nsheets; i++)
		n += store_slot(sn->st, i)->n;
	return arena_alloc(a, n * sizeof(int64_t));
}

static void wait_counts(const struct snap *sn, struct arena *a)
{
	trk_id *g = arena_alloc(a, (sn->ntrks + 1u) * sizeof *g);
	uint32_t wrong = 0, spans = 0, cut = 0;
	static struct wait_counts x, y;
	struct lengths l = {.ready = room(sn, a)};
	for (int k = 0; k < WAIT_STATS_STATES; k++)
		l.block[k] = room(sn, a);
	for (int i = 0; i < 60; i++) {
		int64_t t0 = i % 3 ? sn->t0 + (int64_t)rnd(1u << 20) * (sn->t1 - sn->t0) / (1 << 20) : sn->t0;
		int64_t t1 = i % 3 ? t0 + 1 + (int64_t)rnd(1u << 20) * (sn->t1 - t0) / (1 << 20) : sn->t1;
		uint32_t n = 0, some = i % 4 ? 1 + rnd(5) : UINT32_MAX, wakes = 0;
		for (trk_id t = 1 + rnd(sn->ntrks - 1); t < sn->ntrks && n < some; t++)
			if (store_trk(sn->st, t)->kind == TK_G)
				g[n++] = t;
		struct wait_stats_query q = {
		    .g = g, .n = n, .t0 = t0, .t1 = t1, .state = {TS_CHANRECV, TS_SLEEP, TS_SYNC}, .most = UINT64_MAX};
		wait_stats_compute(sn, &q, &x);
		memset(&y, 0, sizeof y);
		walk_all(sn, &q, &y, &l);
		y.ready = stats_spread(l.ready, y.ready.n);
		for (int k = 0; k < WAIT_STATS_STATES; k++)
			y.block[k] = stats_spread(l.block[k], y.block[k].n);
		wrong += x.cut || x.spans != y.spans || x.wakes != y.wakes ||
		    memcmp(&x.ready, &y.ready, sizeof x.ready) || memcmp(x.block, y.block, sizeof x.block) ||
		    x.duration_histogram.n != x.ready.n;
		for (int k = 0; k < WAIT_STATS_STATES; k++)
			wrong += x.block_histo[k].n != x.block[k].n;
		for (uint32_t k = 0; k < x.nwaker; k++) {
			wakes += x.waker[k].n;
			wrong += k && x.waker[k].n > x.waker[k - 1].n;
		}
		wrong += wakes > x.wakes || (x.nwaker < WAIT_STATS_WAKERS && wakes != x.wakes);
		spans += x.spans;
		q.most = rnd(2000);
		wait_stats_compute(sn, &q, &x);
		cut += x.cut;
		wrong += x.spans > y.spans || (!x.cut && x.spans != y.spans);
	}
	OK(!wrong);
	OK(spans > 100);
	OK(cut > 5);
}

/* The first wake by any of several goroutines, against searching them one after the other. */
static void first_wakes(const struct snap *sn, struct arena *a)
{
	trk_id *g = arena_alloc(a, (sn->ntrks + 1u) * sizeof *g);
	uint32_t wrong = 0, found = 0;
	for (int i = 0; i < 60; i++) {
		int64_t t0 = i % 3 ? sn->t0 + (int64_t)rnd(1u << 20) * (sn->t1 - sn->t0) / (1 << 20) : sn->t0;
		uint32_t n = 0, some = i % 4 ? 1 + rnd(5) : UINT32_MAX, k = 0;
		for (trk_id t = 1 + rnd(sn->ntrks - 1); t < sn->ntrks && n < some; t++)
			if (store_trk(sn->st, t)->kind == TK_G)
				g[n++] = t;
		struct edge x, e, y = {.t = INT64_MAX};
		bool all, one = wake_edges_first(sn,
			      &(struct wake_edges_query){.from = g, .n = n, .t0 = t0, .t1 = sn->t1},
			      &x, &k, &all);
		for (uint32_t j = 0; j < n; j++) {
			struct wake_edges_walk w = {0};
			if (wake_edges_next(sn, &w, g[j], t0, sn->t1, &e) && e.t < y.t)
				y = e;
		}
		wrong += !all || one != (y.t != INT64_MAX) ||
			 (one && (x.t != y.t || x.from != y.from || x.to != y.to || g[k] != x.from));
		found += one;
	}
	OK(!wrong);
	OK(found > 10);
}

static void windows(const struct snap *sn, struct arena *a)
{
	enum { N = 50 };
	const struct bins_mark_sums *ms = bins_mark_sums(sn, a);
	const struct bins_counter_sums *cs = bins_counter_sums(sn, a);
	bool marks = true, counts = true, states = true;
	for (int i = 0; i < 200; i++) {
		int64_t t0 = sn->t0 + (int64_t)rnd(1u << 20) * (sn->t1 - sn->t0) / (1 << 20);
		int64_t t1 = t0 + 1 + (int64_t)rnd(1u << 20) * (sn->t1 - t0) / (1 << 20);
		uint32_t x[N], y[N];
		struct counter_bin c[N], d[N];
		count_marks(sn, 1u << MK_LOG | 1u << MK_PROC_STEAL, t0, t1, N, x);
		bins_marks(sn, ms, 1u << MK_LOG | 1u << MK_PROC_STEAL, t0, t1, N, y);
		marks = marks && !memcmp(x, y, sizeof x);
		bins_counter(sn, (enum counter)(i % CT__N), t0, t1, N, c);
		bins_counter_from_sums(sn, cs, (enum counter)(i % CT__N), t0, t1, N, d);
		for (int k = 0; k < N; k++)
			counts = counts && c[k].any == d[k].any && c[k].min == d[k].min &&
				 c[k].max == d[k].max && c[k].last == d[k].last;
		uint32_t end, from = time_search_marks(sn, t0, t1, &end);
		marks = marks && bins_first_mark_from(sn, ms, t0) == from && bins_first_mark_from(sn, ms, t1) == end;
		for (int k = 0; k < CT__N; k++)
			counts = counts && bins_counter_rows_before(sn, cs, (enum counter)k, t0) ==
					       time_search_counter_before(sn, (enum counter)k, t0);
		uint32_t number = rnd(sn->nsheets);
		const struct sheet *sh = sheet_get(sn, number);
		uint32_t row = rnd(sh->ntrk);
		int64_t p[TS__N], q[TS__N], r[TS__N], s[TS__N];
		sheet_upto(sh, row, t0, p);
		sheet_upto(sh, row, t1, q);
		sheet_sums(sh, row, t0, r);
		sheet_sums(sh, row, t1, s);
		for (int k = 0; k < TS__N; k++)
			states = states && q[k] - p[k] == s[k] - r[k];
	}
	OK(marks);
	OK(counts);
	OK(states);
}

/* The row of an M is computed from those of its Ps. It is exact except in columns within which the P changes too often. */
static void threads(const struct snap *sn)
{
	enum { N = 40 };
	uint32_t same = 0, all = 0;
	bool whole = true;
	for (int i = 0; i < 300; i++) {
		trk_id m = 1 + rnd(sn->ntrks < 64 ? sn->ntrks - 1 : 63);
		int64_t t0 = sn->t0 + (int64_t)rnd(1u << 20) * (sn->t1 - sn->t0) / (1 << 20);
		int64_t t1 = t0 + N + (int64_t)rnd(1u << (i % 20)) * (sn->t1 - t0) / (1 << 20);
		struct bin row[N];
		struct trace_interval v;
		if (store_trk(sn->st, m)->kind != TK_M || t1 > sn->t1)
			continue;
		bins_row(sn, m, t0, t1, N, row);
		for (uint32_t k = 0; k < N; k++) {
			int64_t a = bins_edge(t0, t1, N, k), b = bins_edge(t0, t1, N, k + 1), sum = 0;
			struct bin x = {{0}};
			bool ok = trace_interval_at(sn, m, a, &v) || trace_interval_near(sn, m, a, 1, &v);
			for (; ok && v.t0 < b; ok = trace_interval_step(sn, &v, 1))
				if (v.t1 > a)
					x.ns[v.state] +=
					    (v.t1 < b ? v.t1 : b) - (v.t0 > a ? v.t0 : a);
			for (int s = 1; s < TS__N; s++)
				sum += x.ns[s];
			x.ns[TS_NONE] = b - a - sum;
			all++;
			same += !memcmp(&x, &row[k], sizeof x);
			for (int s = 0; s < TS__N; s++)
				sum -= s ? row[k].ns[s] : 0;
			whole = whole && sum == 0;
		}
	}
	OK(whole);
	printf("%u of %u columns of threads exact\n", same, all);
	OK(all > 500 && same * 100 >= all * 90);
}

/* ---- related goroutines */

static void related(const struct snap *sn, struct arena *a)
{
	for (int i = 0; i < 20; i++) {
		trk_id g = 1 + rnd(sn->ntrks - 1);
		if (!is_g(sn, g))
			continue;
		const uint8_t *set = neighbours_of_goroutine(sn, g, a, NULL);
		struct edge e;
		bool all = set[g] == NEIGHBOUR_SELF;
		for (struct wake_edges_walk w = {0}; wake_edges_next(sn, &w, g, sn->t0, sn->t1, &e);)
			all = all && set[e.to];
		OK(all);
	}
	const struct stats_tasks *ts = stats_tasks(sn, a, NULL);
	OK(ts->n > 1);
	for (int i = 0; i < 20; i++) {
		uint32_t task = rnd(ts->n);
		const uint8_t *set = neighbours_of_task(sn, ts, task, a),
			      *in = neighbours_task_subtree(ts, task, a);
		bool all = in[task] && stats_task_find(ts, ts->task[task].id) == task;
		for (uint32_t k = 0; k < ts->n; k++)
			for (uint32_t j = ts->task[k].first;
			     in[k] && j < ts->task[k].first + ts->task[k].n; j++)
				all = all && (stats_task_event(ts, j).log ||
						 set[store_span(sn->st, stats_task_event(ts, j).i)->s.trk]);
		OK(all);
	}
}

int main(void)
{
	struct options o;
	struct trace t;
	struct arena a = {0};
	if (!tracefile_open(&o, &t, tap_source("samples/orders.trace")))
		return DONE();
	const struct snap *sn = t.sn;
	searches(sn);
	levels(sn, &a);
	windows(sn, &a);
	wait_counts(sn, &a);
	first_wakes(sn, &a);
	longest(sn, &a);
	threads(sn);
	related(sn, &a);
	arena_free(&a);
	trace_close(&t);
	options_free(&o);
	return DONE();
}
