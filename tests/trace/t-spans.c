/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Spans that cross the borders of sheets and generations are whole in every list, fact, quantile and total. This test joins
 * all spans of a trace from the intervals of its sheets, track by track, and compares them with what the analyses find:
 * steps from span to span, longest waits, quantiles of waits, searches and times of goroutines. On the sample, the traces in
 * tests/gotrace, and generated ones of many sheets; in time ranges drawn at random (seeded). Files in arguments are tested
 * instead.
 */
#include "config.h"
#include "store/builder.h"
#include "trace/bins.h"
#include "trace/stats/still_blocked.h"
#include "trace/span_search.h"
#include "trace/longest_wait.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/wait_stats.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "goasm.h"
#include "load/load.h"
#include "tap.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 24 };

static uint64_t seed = 5;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- all spans */

struct span { trk_id trk; enum tstate state; int64_t t0, t1; };
struct spans { struct span *v; size_t n, cap; };	/* by track, then time */

static void add_piece(struct spans *s, trk_id trk, uint8_t was, uint8_t is, int64_t t0, int64_t t1)
{
	struct span *last = s->n ? &s->v[s->n - 1] : NULL;
	if (last && last->trk == trk && last->t1 == t0 && sheet_continues(was, is)) {
		last->t1 = t1;
		return;
	}
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = (struct span){trk, (enum tstate)(is & SHEET_STATE), t0, t1};
}

/* Add the spans of a track, sheet by sheet. */
static void add_track(struct spans *s, const struct snap *sn, trk_id trk)
{
	uint8_t was = 0;
	for (uint32_t k = 0; k < sn->nsheets; k++) {
		const struct sheet *sh = sheet_get(sn, k);
		for (uint32_t r = 0; r < sh->ntrk; r++) {
			if (sh->trk[r] != trk)
				continue;
			for (uint32_t i = sh->first[r]; i < sh->first[r + 1]; i++) {
				if (sh->state[i] & SHEET_STATE)
					add_piece(s, trk, was, sh->state[i], sh->t0 + sheet_start(sh, i), sheet_end(sh, r, i));
				was = sh->state[i];
			}
		}
	}
}

static struct spans all_spans(const struct snap *sn)
{
	struct spans s = {0};
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (store_trk(sn->st, t)->kind == TK_G || store_trk(sn->st, t)->kind == TK_P)
			add_track(&s, sn, t);
	return s;
}

struct window { int64_t t0, t1; };

/* Return the i-th window; the first is the whole trace. */
static struct window window(const struct snap *sn, int i)
{
	int64_t len = sn->t1 - sn->t0;
	struct window w = {sn->t0, sn->t1};
	if (!i)
		return w;
	w.t0 += (int64_t)((double)len * rnd(1000000) / 1e6);
	w.t1 = w.t0 + 1 + (int64_t)((double)(sn->t1 - w.t0) * rnd(1000000) / 1e6);
	if (w.t1 > sn->t1)
		w.t1 = sn->t1;
	return w;
}

static bool in(const struct span *s, struct window w)
{
	return s->t1 > w.t0 && s->t0 < w.t1;
}

static int64_t within(const struct span *s, struct window w)
{
	int64_t a = s->t0 > w.t0 ? s->t0 : w.t0, b = s->t1 < w.t1 ? s->t1 : w.t1;
	return b > a ? b - a : 0;
}

static bool is_g(const struct snap *sn, trk_id t)
{
	return store_trk(sn->st, t)->kind == TK_G;
}

/* ---- comparison with what the analyses find */

/* Steps from one span of a track to the next. */
static void steps(const struct snap *sn, const struct spans *all)
{
	uint32_t wrong = 0;
	struct trace_interval v;
	bool have = false;
	for (size_t i = 0; i < all->n; i++) {
		const struct span *s = &all->v[i];
		bool first = !i || all->v[i - 1].trk != s->trk;
		if (first && i && have)
			wrong += trace_interval_step(sn, &v, 1);
		have = first ? trace_interval_near(sn, s->trk, sn->t0, 1, &v) : have && trace_interval_step(sn, &v, 1);
		wrong += !have || v.t0 != s->t0 || v.t1 != s->t1 || v.state != s->state;
	}
	OK(!wrong);
}

static uint32_t some(const struct snap *sn, trk_id *g)
{
	uint32_t n = 0, most = rnd(3) ? 1 + rnd(6) : UINT32_MAX;
	for (trk_id t = 1 + rnd(sn->ntrks); t < sn->ntrks && n < most; t++)
		if (is_g(sn, t))
			g[n++] = t;
	return n;
}

static bool among(const trk_id *g, uint32_t n, trk_id t)
{
	for (uint32_t i = 0; i < n; i++)
		if (g[i] == t)
			return true;
	return false;
}

static void longest(const struct snap *sn, const struct spans *all, const trk_id *g, uint32_t n, struct window w)
{
	int64_t most = 0;
	struct trace_interval v = {0};
	bool whole;
	for (size_t i = 0; i < all->n; i++) {
		const struct span *s = &all->v[i];
		if (in(s, w) && state_is_wait(s->state) && s->t1 - s->t0 > most && among(g, n, s->trk))
			most = s->t1 - s->t0;
	}
	bool any = longest_wait(
	    sn, &(struct longest_wait_query){.g = g, .n = n, .t0 = w.t0, .t1 = w.t1, .most = UINT64_MAX}, &v, &whole);
	OK(any == (most > 0) && whole && (!any || v.t1 - v.t0 == most));
}

static void quantiles(const struct snap *sn, const struct spans *all, const trk_id *g, uint32_t n, struct window w)
{
	static const enum tstate of[WAIT_STATS_STATES] = {TS_SYNC, TS_CHANRECV, TS_SLEEP};
	int64_t *v[WAIT_STATS_STATES + 1];
	uint32_t many[WAIT_STATS_STATES + 1] = {0};
	static struct wait_counts x;
	uint32_t still = 0;
	for (int k = 0; k <= WAIT_STATS_STATES; k++)
		v[k] = xmalloc((all->n + 1) * sizeof **v);
	for (size_t i = 0; i < all->n; i++) {
		const struct span *s = &all->v[i];
		int64_t born = store_trk(sn->st, s->trk)->t0;
		if (!in(s, w) || (born != TIME_NONE && s->t1 <= born) || !among(g, n, s->trk))
			continue;
		still += state_is_wait(s->state) && s->t1 == sn->t1;
		for (int k = 0; k < WAIT_STATS_STATES; k++)
			if (s->state == of[k])
				v[k][many[k]++] = s->t1 - s->t0;
		if (s->state == TS_READY)
			v[WAIT_STATS_STATES][many[WAIT_STATS_STATES]++] = s->t1 - s->t0;
	}
	struct wait_stats_query q = {.g = g, .n = n, .t0 = w.t0, .t1 = w.t1, .most = UINT64_MAX};
	memcpy(q.state, of, sizeof of);
	wait_stats_compute(sn, &q, &x);
	OK(x.still == still);
	for (int k = 0; k <= WAIT_STATS_STATES; k++) {
		struct stats_spread s = stats_spread(v[k], many[k]);
		OK(!memcmp(&s, k == WAIT_STATS_STATES ? &x.ready : &x.block[k], sizeof s));
		mem_free(v[k]);
	}
}

/* Searches: the number of spans that match, and their total time. */
static void searches(const struct snap *sn, const struct spans *all)
{
	static const struct { const char *cond; enum tstate from, to; int64_t least, most; } q[] = {
	    {">5ms", TS_IDLE + 1, TS__N - 1, 5000001, INT64_MAX}, {">1us", TS_IDLE + 1, TS__N - 1, 1001, INT64_MAX},
	    {"wait>1us", TS_CHANSEND, TS_UNKNOWN - 1, 1001, INT64_MAX}, {"runnable<20us", TS_READY, TS_READY, 0, 19999},
	    {"run", TS_RUN, TS_RUN, 0, INT64_MAX}, {"sync>1us", TS_SYNC, TS_COND, 1001, INT64_MAX}};
	for (size_t k = 0; k < sizeof q / sizeof *q; k++) {
		struct err e;
		struct span_hits h;
		struct span_criteria *span_criteria = span_query_new(q[k].cond, &e);
		uint64_t n = 0, ns = 0;
		for (size_t i = 0; i < all->n; i++) {
			const struct span *s = &all->v[i];
			int64_t len = s->t1 - s->t0;
			bool hit = is_g(sn, s->trk) && s->state >= q[k].from && s->state <= q[k].to && len > 0 &&
				   len >= q[k].least && len <= q[k].most;
			n += hit;
			ns += hit ? (uint64_t)len : 0;
		}
		OK(span_criteria && !span_search_run(span_criteria, sn, false, NULL, &h));
		if (h.all != n || h.ns != ns)
			fprintf(stderr, "%s: %llu matches, not %llu\n", q[k].cond, (unsigned long long)h.all,
			    (unsigned long long)n);
		OK(h.all == n && h.ns == ns);
		span_hits_free(&h);
		span_query_free(span_criteria);
	}
}

/* Return the time that a goroutine has been blocked at the end of the trace; 0: it is not. */
static int64_t blocked(const struct snap *sn, const struct spans *all, trk_id trk)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].trk == trk && all->v[i].t1 == sn->t1 && state_is_wait(all->v[i].state))
			return all->v[i].t1 - all->v[i].t0;
	return 0;
}

/* The time of each goroutine by state, except in system calls, whose times stats_finish_account() changes. */
static void accounts(const struct snap *sn, const struct spans *all, struct window w, struct arena *a)
{
	struct stats_query q = {.t0 = w.t0 > sn->t0 ? w.t0 : TIME_NONE, .t1 = w.t1 < sn->t1 ? w.t1 : TIME_NONE};
	const struct stats_groups *gs = stats_groups(stats_index_new(sn, a), &q, a);
	int64_t (*ns)[TS__N] = xcalloc(sn->ntrks + 1u, sizeof *ns);
	uint32_t wrong = 0;
	for (size_t i = 0; i < all->n; i++)
		ns[all->v[i].trk][all->v[i].state] += within(&all->v[i], w);
	for (uint32_t i = 0; i < gs->ng; i++) {
		struct goroutine_times g;
		stats_groups_times(gs, i, NULL, &g);
		const struct trk_row *t = store_trk(sn->st, g.trk);
		if (store_heard(sn->st, t) != TIME_NONE)	/* some of its time is not in sheets */
			continue;
		for (int k = TS_READY + 1; k < TS__N; k++)	/* a goroutine that blocks for ever counts as ended */
			wrong += k != TS_SYSCALL && k != TS_SYSBLOCK && k != TS_FOREVER && g.ns[k] != ns[g.trk][k] &&
				 stats_groups_start(gs, i) <= w.t0;
	}
	const struct still_blocked still = still_blocked_find(sn, gs, a, NULL);
	for (uint32_t i = 0; i < gs->ng; i++) {
		const struct trk_row *t = store_trk(sn->st, gs->g[i].trk);
		wrong += still_blocked_ns(&still, i) != (t->to_t1 ? 0 : blocked(sn, all, gs->g[i].trk));
	}
	OK(!wrong);
	mem_free(ns);
}

static void check(const struct snap *sn)
{
	struct spans all = all_spans(sn);
	struct arena a = {0};
	trk_id *g = xmalloc((sn->ntrks + 1u) * sizeof *g);
	steps(sn, &all);
	searches(sn, &all);
	for (int i = 0; i < WINDOWS && sn->t1 > sn->t0; i++) {
		struct window w = window(sn, i);
		uint32_t n = some(sn, g);
		longest(sn, &all, g, n, w);
		quantiles(sn, &all, g, n, w);
		accounts(sn, &all, w, &a);
		arena_reset(&a);
	}
	arena_free(&a);
	mem_free(g);
	mem_free(all.v);
}

/* ---- traces */

static void check_bytes(struct bytes in)
{
	struct err e;
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	gotrace_read(in, &sink, &e);	/* an error is no failure: what was read is checked */
	check(builder_finish(b));
	builder_free(b);
}

static void check_file(const char *path)
{
	struct bytes in;
	struct err e;
	bool opened = !input_open(path, &in, &e);
	OK(opened);
	if (!opened)
		return;
	check_bytes(in);
	input_close(&in);
}

/* Check a trace in the text form of tests/load/t-tracetext.c. */
static void check_text(const char *path)
{
	static const char mark[] = "-- trace --\n";
	struct buf file = {0}, trace = {0};
	char chunk[4096];
	int line;
	FILE *f = fopen(path, "r");
	OK(f);
	for (size_t n; f && (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
		buf_put(&file, chunk, n);
	if (f)
		fclose(f);
	const char *at = strstr(buf_str(&file), mark);
	OK(at && goasm(at + strlen(mark), strlen(at + strlen(mark)), &trace, &line));
	check_bytes((struct bytes){.p = (const unsigned char *)trace.p, .n = trace.n});
	buf_free(&file);
	buf_free(&trace);
}

static void check_texts(const char *dir)
{
	DIR *d = opendir(dir);
	struct buf path = {0};
	OK(d);
	for (struct dirent *e; d && (e = readdir(d));) {
		size_t len = strlen(e->d_name);
		if (len < 6 || strcmp(e->d_name + len - 5, ".test"))
			continue;
		buf_reset(&path);
		buf_printf(&path, "%s/%s", dir, e->d_name);
		check_text(buf_str(&path));
	}
	if (d)
		closedir(d);
	buf_free(&path);
}

/* Check a random trace: some goroutines change their state rarely, so that spans cross many sheets, and some changes are
   recorded late. */
static void check_made(uint32_t gs, uint32_t steps, uint32_t sheets)
{
	static const char *const name[] = {"main.a", "main.b", "runtime.bgsweep", "main.c"};
	static const enum tstate states[] = {TS_RUN, TS_READY, TS_SYNC, TS_CHANRECV, TS_SLEEP, TS_NONE, TS_SYSCALL};
	struct store_builder *of = builder_new();
	struct sink s = builder_sink(of);
	trk_id *g = xmalloc(gs * sizeof *g), p;
	enum tstate *is = xcalloc(gs, sizeof *is);
	int64_t t = 0;
	s.trace->facts(s.self, &(struct sink_trace){.version = 26});
	p = s.trace->track(s.self, TK_P, 0);
	for (uint32_t i = 0; i < gs; i++) {
		const char *n = name[rnd(4)];
		g[i] = s.trace->track(s.self, TK_G, i + 1);
		if (rnd(4))
			s.trace->born(s.self, g[i], s.ops->str(s.self, n, strlen(n)), 0, 0, 0);
	}
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t k = rnd(rnd(3) ? 1 + gs / 8 : gs);
		bool past = is[k] && !rnd(5);	/* another part of the same span */
		t += 1 + rnd(400);
		if (!past)
			is[k] = states[rnd(sizeof states / sizeof *states)];
		sink_enter_one(&s, g[k], t, past || (is[k] && !rnd(6)) ? is[k] | (unsigned)TS_PAST : is[k], 0, 0);
		if (!rnd(3))
			sink_enter_one(&s, p, t, rnd(2) ? TS_IDLE : TS_RUN, 0, 0);
		if (i % (steps / sheets) == 0)
			s.ops->upto(s.self, t + (rnd(2) ? 0 : 1), 0);
	}
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = t});
	check(builder_finish(of));
	builder_free(of);
	mem_free(g);
	mem_free(is);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"samples/orders.trace", NULL};
	tap_files(argc, argv, names, check_file);
	if (argc > 1)
		return DONE();
	check_texts(tap_source("tests/gotrace"));
	for (int i = 0; i < 12; i++)
		check_made(3 + rnd(60), 400 + rnd(3000), 1 + rnd(40));
	return DONE();
}
