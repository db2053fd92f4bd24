/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sheets that were evicted and rebuilt are the same, byte for byte, in whatever order they are requested, with any memory
 * limit, and while the trace is still being read; also for more goroutines than the reader's tables have room for at
 * first. Arguments name more traces.
 */
#include "config.h"

#include "base/intern.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/mem/paging_file.h"
#include "load/gotrace/wire.h"
#include "load/load.h"
#include "store/builder.h"
#include "store/cache/nowait.h"
#include "store/cache/sheet_cache.h"
#include "store/check.h"
#include "store/store.h"
#include "tests/goasm.h"
#include "tests/tap.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/span_search.h"
#include "trace/state_counts.h"
#include "trace/stats/wait_stats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1 << 30 };

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t bytes(uint64_t h, const void *p, size_t n)
{
	return mix(h, n ? intern_hash_bytes(p, n, n) : 0);
}

/* Return a hash of all arrays of a sheet. */
static uint64_t of_sheet(const struct sheet *sh)
{
	uint64_t h = mix(mix(sh->ntrk, sh->n), mix((uint64_t)sh->t0, (uint64_t)sh->t1));
	h = mix(mix(h, sh->nother), mix(sh->nostack, sh->nedge));
	h = bytes(h, sh->trk, sh->ntrk * sizeof *sh->trk);
	h = bytes(h, sh->first, (sh->ntrk + 1u) * sizeof *sh->first);
	h = sh->start3 ? bytes(h, sh->start3, sh->n * 3u) : bytes(h, sh->start4, sh->n * sizeof *sh->start4);
	h = bytes(h, sh->state, sh->n);
	h = bytes(h, sh->stacked, ((sh->n - sh->nostack) / 32 + 1u) * sizeof *sh->stacked);
	h = bytes(h, sh->whose, (sh->n / 32 + 1u) * sizeof *sh->whose);
	h = sh->stack4 ? bytes(h, sh->stack4, sh->nstack * sizeof *sh->stack4) :
	    bytes(h, sh->stack2, sh->nstack * sizeof *sh->stack2);
	h = sh->peer2 ? bytes(h, sh->peer2, sh->npeer * sizeof *sh->peer2) :
	    sh->peer3 ? bytes(h, sh->peer3, sh->npeer * 3u) : bytes(h, sh->peer4, sh->npeer * sizeof *sh->peer4);
	for (uint32_t i = 0; i < sh->n; i++)
		h = mix(h, sheet_peer(sh, i));
	h = bytes(h, sh->sums, sizeof sh->sums);
	h = bytes(h, sh->sum, (sh->n / SHEET_STEP + 1u) * sh->nsum * sizeof *sh->sum);
	return bytes(h, sh->edge, sh->nedge * sizeof *sh->edge);
}

/* A trace that can be read again. entries: of small sheets, 0: as usual; nread: number of readings, on any thread;
   gone: from now on they fail. */
struct from { struct bytes in; int version; size_t entries; _Atomic int nread; _Atomic bool gone; };

static int read_again(void *arg, const struct sink_checkpoint *gen, struct sink *sink, struct err *e)
{
	struct from *f = arg;
	struct bytes part = { .p = f->in.p + gen->at, .n = (size_t)(gen->end - gen->at) };
	f->nread++;
	if (f->gone)
		return err_set(e, ERR_IO, gen->at, "gone");
	return gotrace_reread(f->version, part, gen, sink, e);
}

static struct store_builder *load(struct from *f, size_t limit)
{
	struct store_builder *b = builder_new();
	struct sink sink = builder_sink(b);
	struct err e = {0};
	if (f->entries)
		builder_set_sheet_entries(b, f->entries);
	if (limit)
		builder_enable_eviction(b, limit, read_again, f);
	gotrace_read(f->in, &sink, &e);
	const struct snap *sn = builder_finish(b);
	bool holds = store_check(sn, &e) == 0;
	OK(holds || (fprintf(stderr, "%s\n", e.msg), false));
	return b;
}

static bool same(const struct snap *sn, const uint64_t *want, uint32_t i)
{
	uint64_t h = of_sheet(sheet_get(sn, i));
	sheet_put(sn, i);
	return h == want[i];
}

static void in_all_orders(const struct snap *sn, const uint64_t *want, const char *what)
{
	bool ahead = true, back = true, any = true;
	sheet_cache_drop_all(sn->st->keep);
	for (uint32_t i = 0; i < sn->nsheets; i++)
		ahead = same(sn, want, i) && ahead;
	OK(ahead || (fprintf(stderr, "%s: rebuilt sheets differ\n", what), false));
	sheet_cache_drop_all(sn->st->keep);
	for (uint32_t i = sn->nsheets; i-- > 0;)
		back = same(sn, want, i) && back;
	OK(back);
	sheet_cache_drop_all(sn->st->keep);
	for (uint32_t i = 0; sn->nsheets && i < 40; i++)
		any = same(sn, want, (uint32_t)rand() % sn->nsheets) && any;
	OK(any);
	struct sheet_cache_stats f = sheet_cache_stats(sn->st->keep);
	OK(!f.lost);
}

struct several { const struct snap *sn; const uint64_t *want; _Atomic bool bad; };

static void one_of_several(void *arg, uint32_t n)
{
	struct several *s = arg;
	for (uint32_t i = 0; i < 12; i++)
		if (!same(s->sn, s->want, (n * 7 + i * 5) % s->sn->nsheets))
			s->bad = true;
}

struct waiting { const struct snap *sn; const uint64_t *want; bool same; };

static int one_that_waits(struct job *j, void *arg)
{
	struct waiting *w = arg;
	(void)j;
	w->same = same(w->sn, w->want, w->sn->nsheets - 1);
	return 0;
}

/* A frame gets evicted sheets without rows, and their numbers when it ends; other threads get the sheets meanwhile. */
static void drawn(const struct snap *sn, const uint64_t *want)
{
	uint32_t asked[NOWAIT_MAX];
	struct waiting w = { sn, want, false };
	if (!sn->nsheets)
		return;
	sheet_cache_drop_all(sn->st->keep);
	OK(nowait_end_frame(sn->st, asked) == 0 && !nowait_request_sheet(sn, 0));
	uint32_t first = sheet_is_resident(sn, 0) ? UINT32_MAX : 0;
	nowait_begin_frame(sn->st);
	for (int i = 0; i < 2 && first == 0; i++) {
		const struct sheet *sh = sheet_get(sn, 0);
		OK(sh->n == 0 && sheet_row(sh, 1) < 0 && sh->t0 == store_slot(sn->st, 0)->t0);
		sheet_put(sn, 0);
	}
	struct job *j = job_start(one_that_waits, &w);
	job_join(j);
	OK(w.same);
	OK(nowait_end_frame(sn->st, asked) == (first == 0) && (first || asked[0] == 0));
	OK(same(sn, want, 0));
}

/* A search that is cancelled requests no more sheets, because the UI thread waits for its end. */
static int search_cancelled(struct job *j, void *arg)
{
	const struct snap *sn = arg;
	struct span_hits hits;
	struct err e;
	struct span_criteria *h = span_query_new("wait>1ns", &e);
	while (!job_cancelled(j))
		;
	OK(span_search_run(h, sn, false, j, &hits) == -1);
	span_query_free(h);
	return 0;
}

static void cancelled_search(const struct snap *sn)
{
	struct job *j;
	sheet_cache_drop_all(sn->st->keep);
	uint32_t made = sheet_cache_stats(sn->st->keep).made;
	j = job_start(search_cancelled, (void *)(uintptr_t)sn);
	job_cancel(j);
	job_join(j);
	OK(sheet_cache_stats(sn->st->keep).made == made);
}

/* Return a hash of the results of two passes over the sheets, for all goroutines and for two, with all sheets evicted: of
   eight time ranges, or of every step-th of them. */
static uint64_t passes(const struct snap *sn, int step)
{
	trk_id *g = xcalloc(sn->ntrks + 1u, sizeof *g);
	static struct wait_counts o;
	uint64_t h = 1;
	uint32_t n = 0;
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (store_trk(sn->st, t)->kind == TK_G)
			g[n++] = t;
	for (int i = 0; i < 8 && n; i += step) {
		int64_t t0 = sn->t0 + (sn->t1 - sn->t0) / 8 * i, t1 = i % 2 ? sn->t1 : t0 + (sn->t1 - sn->t0) / 4;
		uint32_t from = i % 4 ? 0 : n / 2, m = i % 4 ? n : n - from < 2 ? n - from : 2, k = 0;
		struct edge e = {0};
		bool all;
		if (sn->st->keep)
			sheet_cache_drop_all(sn->st->keep);
		wait_stats_compute(sn, &(struct wait_stats_query){.g = g + from, .n = m, .t0 = t0, .t1 = t1,
		    .state = {TS_CHANRECV, TS_SYNC, TS_SLEEP}, .most = UINT64_MAX}, &o);
		OK(!o.cut);
		h = bytes(h, &o.ready, sizeof o.ready);
		h = bytes(h, o.block, sizeof o.block);
		h = mix(mix(h, o.spans), mix(o.wakes, o.nwaker));
		if (sn->st->keep)
			sheet_cache_drop_all(sn->st->keep);
		bool any = wake_edges_first(sn, &(struct wake_edges_query){.from = g + from, .n = m, .most = UINT32_MAX,
		    .t0 = t0, .t1 = t1}, &e, &k, &all);
		h = mix(mix(h, any ? (uint64_t)e.t : 0), mix(any ? e.to : 0, any ? k : 0));
	}
	mem_free(g);
	return h;
}

/* Sums of a track over sheets from <= i < to. */
struct sheet_sums { trk_id t; uint32_t from, to; int64_t want[TS__N]; };

/* Sums over many sheets are those of each of them: for Ps and Ms of any range of sheets, for goroutines of all. */
static void summed(const struct snap *sn)
{
	struct sheet_sums *sums = xcalloc(sn->ntrks + 1u, sizeof *sums);
	uint32_t n = sn->nsheets, nsums = 0, wrong = 0, looked = 0;
	int64_t ns[TS__N];
	for (trk_id t = 1; t < sn->ntrks && n; t++) {
		bool g = store_trk(sn->st, t)->kind == TK_G;
		uint32_t from = g ? 0 : (uint32_t)rand() % n, to = g ? n : from + 1 + (uint32_t)rand() % (n - from);
		sums[nsums++] = (struct sheet_sums){.t = t, .from = from, .to = to};
		looked += !g;
		if (g && n > 4)
			t += (trk_id)rand() % 64;
	}
	for (uint32_t i = 0; i < n; i++) {	/* sheets outside: they are not rebuilt for each track */
		const struct sheet *sh = sheet_get(sn, i);
		for (struct sheet_sums *u = sums; u < sums + nsums; u++) {
			int32_t row = i < u->from || i >= u->to ? -1 : sheet_row(sh, u->t);
			if (row >= 0)
				sheet_upto(sh, (uint32_t)row, sh->t1, ns);
			for (int s = TS_NONE + 1; s < TS__N && row >= 0; s++)
				u->want[s] += ns[s];
		}
		sheet_put(sn, i);
	}
	for (struct sheet_sums *u = sums; u < sums + nsums; u++) {
		int64_t got[TS__N] = {0};
		sheet_cache_estimate_many(sn, u->from, u->to, u->t, got);
		for (int s = TS_NONE + 1; s < TS__N; s++)
			wrong += u->want[s] != got[s];
	}
	mem_free(sums);
	OK(!wrong);
	OK(looked || !n);
}

/* Return the activity of a track in a sheet, as activity_of_track() does, computed from the sheet. */
static int activity_in(const struct sheet *sh, trk_id t)
{
	int32_t row = sheet_row(sh, t);
	if (row < 0)
		return 0;
	bool one = sh->first[row + 1] - sh->first[row] == 1;
	return one && sh->state[sh->first[row]] & SHEET_CONT ? 1 : -1;
}

/* The activity that is kept for tracks of evicted sheets is right. Return the number of sheets that have it. */
static uint32_t activity_map(const struct snap *sn)
{
	int8_t *how = xmalloc((size_t)sn->nsheets * sn->ntrks + 1);
	uint32_t wrong = 0, known = 0;
	sheet_cache_drop_all(sn->st->keep);
	for (uint32_t i = 0; i < sn->nsheets; i++)
		for (trk_id t = 0; t < sn->ntrks; t++)
			how[(size_t)i * sn->ntrks + t] =
			    (int8_t)(sheet_is_resident(sn, i) ? 2 : activity_of_track(sn, i, t));
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		bool kept = store_slot(sn->st, i)->activity;
		known += kept;
		for (trk_id t = 1; t < sn->ntrks; t++) {
			int kept_activity = how[(size_t)i * sn->ntrks + t];
			wrong += kept_activity != 2 && kept_activity != (kept ? activity_in(sh, t) : -1);
		}
		sheet_put(sn, i);
	}
	mem_free(how);
	OK(!wrong);
	return known;
}

/* At the end of each sheet, the counters by state have the numbers of goroutines that the sheets have. */
static void counted(const struct snap *sn)
{
	static const enum counter counter[STATE_COUNT__N] = {
		[STATE_COUNT_RUNNABLE] = CT_RUNNABLE, [STATE_COUNT_RUNNING] = CT_RUNNING,
		[STATE_COUNT_WAITING] = CT_WAITING, [STATE_COUNT_SYSCALL] = CT_SYSCALL,
	};
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		int64_t t = store_slot(sn->st, i)->t1 - 1;
		struct state_count want;
		state_counts_compute(sn, t, 1, 1, &want);
		for (int k = 0; k < STATE_COUNT__N; k++) {
			struct counter_bin got;
			bins_counter(sn, counter[k], t, t + 1, 1, &got);
			wrong += got.last != want.n[k];
		}
	}
	OK(!wrong || (fprintf(stderr, "%u of %u counts differ\n", wrong, STATE_COUNT__N * sn->nsheets), false));
}

/* Small sheets are compared with those of a store with room for all: without eviction the size of sheets grows. */
static void trace(struct bytes in, const char *what, const char *jobs, size_t entries)
{
	static const size_t limits[] = { 1, 1 << 20, MANY };
	setenv("TTRACE_JOBS", jobs, 1);
	struct from f = { in, wire_version(in), entries, 0, false };
	struct store_builder *b = load(&f, entries ? MANY : 0);
	const struct snap *sn = builder_snap(b);
	uint64_t *want = xcalloc(sn->nsheets + 1u, sizeof *want);
	for (uint32_t i = 0; i < sn->nsheets; i++)
		want[i] = of_sheet(sheet_get(sn, i));
	uint64_t found = passes(sn, 1);
	counted(sn);
	builder_free(b);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		f.nread = 0;
		b = load(&f, limits[i]);
		sn = builder_snap(b);
		in_all_orders(sn, want, what);
		drawn(sn, want);
		cancelled_search(sn);
		summed(sn);
		OK(passes(sn, 1) == found);
		uint32_t known = activity_map(sn);
		OK(known || sn->nsheets < 4);
		struct several s = { sn, want, false };
		sheet_cache_drop_all(sn->st->keep);
		if (sn->nsheets)
			job_parallel(4, one_of_several, &s);
		OK(!s.bad);
		struct sheet_cache_stats k = sheet_cache_stats(sn->st->keep);
		printf("# %s: %s jobs, limit %zu: %u sheets, %u resident, %zu bytes of states, %u rebuilt by %d "
		       "readings, activity of %u kept\n",
		    what, jobs, limits[i], k.sheets, k.there, k.states, k.made, f.nread, known);
		builder_free(b);
	}
	mem_free(want);
}

/* If the file can no longer be read, rebuilt sheets are empty, and store_lost() reports it. */
static void gone(struct bytes in)
{
	struct from f = { in, wire_version(in), 0, 0, false };
	struct store_builder *b = load(&f, 1);
	const struct snap *sn = builder_snap(b);
	uint32_t n = 0;
	sheet_cache_drop_all(sn->st->keep);
	OK(!store_lost(sn));
	f.gone = true;
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		n += sheet_get(sn, i)->n == 0;
		sheet_put(sn, i);
	}
	OK(n > 0 && store_lost(sn));
	builder_free(b);
}

/* ---- very many goroutines that wait, each woken for a moment */

/* RUNS: the number of a goroutine that runs while the status of all others is read, and then waits. OF_CROWD: a step of
   passes() that has few goroutines once, and all of them up to the end and up to an earlier time. */
enum { CROWD = 140000, RUNS = CROWD + 1, OF_CROWD = 3 };

/* Return the number of the i-th goroutine: half of them have the same last bits. */
static unsigned long long number(unsigned i)
{
	return i % 2 ? i : 64ull * i + 2;
}

static void generation_of_many(struct buf *b, unsigned gen, unsigned each)
{
	enum { A_BATCH = 1000 };
	unsigned long long t = 1000000000ull * gen;
	buf_printf(b, "Batch %u -1 5\nSync\nFrequency 1000000000\nClockSnapshot 1 2 3 4\n"
	    "Batch %u 100 %llu\nProcStatus 1 0 1\nGoStatus 1 %u %s\n", gen, gen, t, RUNS, gen == 1 ? "-1 2" : "-1 4");
	for (unsigned i = 0; i < CROWD; i++) {
		if (i % A_BATCH == A_BATCH - 1)
			buf_printf(b, "Batch %u 100 %llu\n", gen, t += A_BATCH);
		buf_printf(b, "GoStatus 1 %llu -1 4\n", number(i));
	}
	if (gen == 1)
		buf_puts(b, "GoBlock 5 1 1\n");
	for (unsigned i = 0; i < CROWD; i += each) {
		if (i / each % A_BATCH == 0)
			buf_printf(b, "Batch %u 100 %llu\n", gen, t += 9 * A_BATCH);
		buf_printf(b, "GoUnblock 2 %llu 1 1\nGoStart 3 %llu 2\nGoBlock 4 1 1\n", number(i), number(i));
	}
	buf_printf(b, "Batch %u -1 6\nStacks\nStack 1 0x10 3 4 1\n"
	    "Batch %u -1 7\nStrings\nString 1 \"why\"\nString 2 \"yield\"\n"
	    "String 3 \"main.f\"\nString 4 \"main.go\"\nEndOfGeneration\n", gen, gen);
}

/* Return a hash of the rows of all tracks. */
static uint64_t of_rows(const struct snap *sn)
{
	uint64_t h = 1;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		const struct trk_origin *o = store_origin(sn->st, r);
		h = mix(mix(mix(h, r->id), o->name), mix(r->creator, mix(o->start, o->created)));
		h = mix(mix(h, (uint64_t)r->t0), mix((uint64_t)store_run0(sn->st, r), (uint64_t)store_t1(sn->st, r)));
	}
	return h;
}

/* Return a hash of counts of goroutines by state and of states of Ps in a time range. It does not depend on where sheets
   end, which differs if they are evicted. */
static uint64_t of_counts(const struct snap *sn)
{
	enum { STEPS = 40 };
	struct state_count c[STEPS];
	uint64_t h = 1;
	state_counts_compute(sn, sn->t0, (sn->t1 - sn->t0) / STEPS, STEPS, c);
	for (int i = 0; i < STEPS; i++) {
		for (int k = 0; k < STATE_COUNT__N; k++)
			h = mix(h, c[i].n[k]);
		h = mix(h, c[i].runnable_max);
	}
	for (trk_id t = 1; t < sn->ntrks; t++) {
		struct bin b;
		int64_t third = (sn->t1 - sn->t0) / 3;
		if (store_trk(sn->st, t)->kind != TK_P)
			continue;
		bins_procs(sn, &t, 1, sn->t0 + third, sn->t1 - third / 2, &b);
		h = bytes(h, b.ns, sizeof b.ns);
	}
	return h;
}

static bool same_sheets(const struct snap *sn, const uint64_t *want)
{
	bool all = true;
	for (uint32_t i = 0; i < sn->nsheets; i++)
		all = same(sn, want, i) && all;
	return all;
}

static void crowd(const char *jobs)
{
	struct buf text = {0}, out = {0};
	int line;
	setenv("TTRACE_JOBS", jobs, 1);
	buf_puts(&text, "go 26\n");
	for (unsigned gen = 1; gen <= 2; gen++)
		generation_of_many(&text, gen, gen);
	OK(goasm(text.p, text.n, &out, &line) || (fprintf(stderr, "line %d: %.80s\n", line, out.p), false));
	struct from f = {{.p = (const uint8_t *)out.p, .n = out.n, .file_n = out.n}, 26, 0, 0, false};
	struct store_builder *b = load(&f, 0);
	const struct snap *sn = builder_snap(b);
	uint64_t wait_counts = 0;
	for (trk_id t = 1; t < sn->ntrks; t++)
		wait_counts += store_trk(sn->st, t)->kind == TK_G && store_trk(sn->st, t)->to_run0;
	/* the P of this goroutine is idle from then on: the reader kept both, although its tables have grown meanwhile */
	struct trace_interval g, p;
	trk_id runs = 0, proc = 0;
	for (trk_id t = 1; t < sn->ntrks; t++) {
		const struct trk_row *r = store_trk(sn->st, t);
		runs = r->kind == TK_G && r->id == RUNS ? t : runs;
		proc = r->kind == TK_P ? t : proc;
	}
	OK(trace_interval_at(sn, runs, sn->t1 - 1, &g) && g.state != TS_RUN && trace_interval_at(sn, proc, g.t0, &p) &&
	    p.state == TS_IDLE && p.t0 == g.t0);
	OK(wait_counts == CROWD + 1 && sn->st->trace.events > 5ull * CROWD);
	/* goroutines that do nothing have rows in few sheets */
	uint32_t n = sn->nsheets, rows = 0, all = 0;
	for (uint32_t i = 0; i < n; i++) {
		rows += store_slot(sn->st, i)->ntrk;
		all += store_slot(sn->st, i)->n;
	}
	uint64_t found = passes(sn, OF_CROWD), tracks = of_rows(sn), counts = of_counts(sn);
	OK(rows * 5ull < all * 2ull ||
	    (fprintf(stderr, "%u rows of %u intervals in %u sheets\n", rows, all, n), false));
	builder_free(b);
	b = load(&f, MANY);
	sn = builder_snap(b);
	/* with eviction a sheet ends with each generation, and otherwise they are the same */
	OK(sn->nsheets >= n && sn->nsheets <= n + 2 && n > 1);
	OK(of_rows(sn) == tracks);
	OK(of_counts(sn) == counts);
	uint64_t *want = xcalloc(sn->nsheets + 1u, sizeof *want);
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		want[i] = of_sheet(sheet_get(sn, i));
		sheet_put(sn, i);
	}
	summed(sn);
	sheet_cache_drop_all(sn->st->keep);
	OK(same_sheets(sn, want));
	OK(passes(sn, OF_CROWD) == found);
	builder_free(b);
	mem_free(want);
	buf_free(&text);
	buf_free(&out);
}

/* A stack of the second generation shows that a goroutine is a mark worker; that generation is then read again. */
static void worker(void)
{
	struct buf text = {0}, out = {0};
	int line;
	buf_puts(&text, "go 26\n");
	for (unsigned gen = 1; gen <= 2; gen++) {
		buf_printf(&text, "Batch %u -1 5\nSync\nFrequency 1000000000\nClockSnapshot 1 2 3 4\n"
		    "Batch %u 100 %u\nProcStatus 1 0 1\nGoStatus 1 7 -1 4\n", gen, gen, gen * 1000);
		buf_puts(&text, gen == 1 ? "" :
		    "GoUnblock 2 7 1 0\nGoStart 3 7 2\nGoBlock 4 1 1\nGoUnblock 5 7 3 0\nGoStart 6 7 4\nGoBlock 7 1 1\n");
		buf_printf(&text, "Batch %u -1 6\nStacks\nStack 1 0x10 2 3 1\nBatch %u -1 7\nStrings\nString 1 \"why\"\n"
		    "String 2 \"runtime.gcBgMarkWorker\"\nString 3 \"mgc.go\"\nEndOfGeneration\n", gen, gen);
	}
	OK(goasm(text.p, text.n, &out, &line) || (fprintf(stderr, "line %d: %.80s\n", line, out.p), false));
	struct bytes in = {.p = (const uint8_t *)out.p, .n = out.n, .file_n = out.n};
	struct from f = {in, wire_version(in), 0, 0, false};
	struct store_builder *b = load(&f, 0);
	const struct snap *sn = builder_snap(b);
	uint32_t works = 0;
	for (uint32_t i = 0; i < sn->nsheets; i++)
		for (uint32_t k = 0; k < sheet_get(sn, i)->n; k++)
			works += (sheet_get(sn, i)->state[k] & SHEET_STATE) == TS_GCWORK;
	OK(works == 1);
	builder_free(b);
	trace(in, "a worker", "1", 0);
	buf_free(&text);
	buf_free(&out);
}

/* More goroutines wait than a generation has events, so entries of several generations, also several of one goroutine,
   are in one sheet, and wait in the checkpoints between them. */
static void short_generations(void)
{
	enum { GENERATIONS = 10, WAITING = 50 };
	struct buf text = {0}, out = {0};
	int line;
	buf_puts(&text, "go 26\n");
	for (unsigned gen = 1; gen <= GENERATIONS; gen++) {
		buf_printf(&text, "Batch %u -1 5\nSync\nFrequency 1000000000\nClockSnapshot 1 2 3 4\n"
		    "Batch %u 100 %u\nProcStatus 1 0 1\n", gen, gen, gen * 1000);
		for (unsigned i = 1; i <= WAITING; i++)
			if (gen == 1 || i == gen % 5 + 1)
				buf_printf(&text, "GoStatus 1 %u -1 4\n", i);
		for (unsigned seq = 1; gen > 1 && seq < 8; seq += 2)
			buf_printf(&text, "GoUnblock 2 %u %u 0\nGoStart 3 %u %u\nGoBlock 4 1 1\n", gen % 5 + 1, seq,
			    gen % 5 + 1, seq + 1);
		buf_printf(&text, "Batch %u -1 6\nStacks\nStack 1 0x10 2 3 1\nBatch %u -1 7\nStrings\nString 1 \"why\"\n"
		    "String 2 \"main.f\"\nString 3 \"main.go\"\nEndOfGeneration\n", gen, gen);
	}
	OK(goasm(text.p, text.n, &out, &line) || (fprintf(stderr, "line %d: %.80s\n", line, out.p), false));
	trace((struct bytes){.p = (const uint8_t *)out.p, .n = out.n, .file_n = out.n}, "short generations", "1", 3000);
	buf_free(&text);
	buf_free(&out);
}

static void file(const char *path)
{
	struct bytes in;
	struct err e;
	if (input_open(path, &in, &e))
		return;
	trace(in, path, "1", 0);
	trace(in, path, "3", 0);
	trace(in, path, "3", 3000);
	gone(in);
	input_close(&in);
}

/* The end of a goroutine is kept in its row, both shortly after its start and at the far time of a damaged trace. */
static void far_times(void)
{
	static const int64_t end[] = { 1500, INT64_C(1) << 31, (INT64_C(1) << 31) - 2, INT64_C(1) << 40 };
	for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
		struct store_builder *b = builder_new();
		struct sink sink = builder_sink(b);
		trk_id g = sink.trace->track(sink.self, TK_G, 7);
		const struct sink_enter e[] = {
		    { .t = 0, .trk = g, .state = TS_READY }, { .t = end[i], .trk = g, .state = TS_NONE } };
		for (int k = 0; k < 2; k++)
			sink.trace->enter(sink.self, &e[k], 1);
		sink.trace->facts(sink.self, &(struct sink_trace){ .version = 26, .wall = TIME_NONE, .last = end[i] });
		const struct snap *sn = builder_finish(b);
		OK(store_t1(sn->st, store_trk(sn->st, g)) == end[i]);
		OK(store_run0(sn->st, store_trk(sn->st, g)) == TIME_NONE);
		builder_free(b);
	}
}

/* Release all pages thousands of times in a second, as the pager does when memory is short. Without pauses this thread would
   have a processor to itself. */
static int release_always(struct job *j, void *arg)
{
	(void)arg;
	while (!job_cancelled(j)) {
		paging_release();
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	return 0;
}

/* The same with rows and sheets in the paging file. */
static void paged(const char *path)
{
	mem_set_budget((size_t)1 << 40);
	char *here = getcwd(NULL, 0);
	setenv("XDG_CACHE_HOME", here, 1);
	free(here);
	paging_start();
	OK(paging_active());
	struct job *j = job_start(release_always, NULL);
	file(path);
	crowd("2");
	job_cancel(j);
	job_join(j);
	mem_set_budget(0);
}

int main(int argc, char **argv)
{
	char path[4096];
	const char *src = getenv("srcdir");
	srand(5);
	for (int i = 1; i < argc; i++)
		file(argv[i]);
	if (argc == 1) {
		snprintf(path, sizeof path, "%s/samples/orders.trace", src ? src : ".");
		file(path);
		worker();
		short_generations();
		crowd("1");
		far_times();
		paged(path);
	}
	return DONE();
}
