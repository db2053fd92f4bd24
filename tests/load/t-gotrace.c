/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Properties of the trace reader, on traces that a small scheduler makes:
 *
 *   order     the clocks of threads differ by much more than events are apart:
 *             the order of the events that are read is possible;
 *   cuts      of a trace truncated at any byte, all whole generations give the
 *             same events as in the whole trace;
 *   flips     whatever bit is inverted, the reader ends, within bounds;
 *   stop      a consumer that returns false gets no more events;
 *   ahead     a thread that reads ahead changes no event.
 */
#include "config.h"
#include "goasm.h"
#include "store/builder.h"
#include "tap.h"

#include "base/mem/mem.h"
#include "load/gotrace/event_stream.h"
#include "load/gotrace/pipeline.h"
#include "load/gotrace/wire.h"
#include "load/load.h"
#include "store/store.h"
#include "trace/stats/goroutine_stats.h"

#include <string.h>

static uint64_t rnd(uint64_t *s)
{
	*s += 0x9e3779b97f4a7c15u;
	uint64_t z = *s;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* ---- a scheduler: as many threads as Ps; goroutines run, wait, yield, make system calls and end */

enum { PS = 4, GS = 40, IDS = 1 << 14, G_NONE = 0, G_READY, G_RUN, G_WAIT };

struct sim {
	uint64_t seed, now, gen;
	int64_t skew[PS];
	uint64_t last[PS];		/* time of the last event on the thread */
	struct buf body[PS];		/* text of the batch of each thread in this generation */
	int run[PS];			/* goroutine on the thread, -1 none */
	int state[GS];
	unsigned long long id[GS], ids;	/* ids are never reused, as in the runtime */
	uint64_t seq[GS], pseq[PS];
	size_t events;			/* number of events, without Sync */
};

static void put_event(struct sim *s, int t, const char *fmt, unsigned long long a, unsigned long long b)
{
	uint64_t at = s->now + (uint64_t)s->skew[t];
	if (at < s->last[t])
		at = s->last[t];
	char text[128];
	snprintf(text, sizeof text, fmt, (unsigned long long)(at - s->last[t]), a, b);
	s->last[t] = at;
	buf_puts(&s->body[t], text);
	s->events++;
	s->now += 1 + rnd(&s->seed) % 3;
}

static int pick(struct sim *s, int state)
{
	int g = (int)(rnd(&s->seed) % GS);
	for (int i = 0; i < GS; i++, g = (g + 1) % GS)
		if (s->state[g] == state)
			return g;
	return -1;
}

static void act_running(struct sim *s, int t, int g)
{
	int other;
	switch (rnd(&s->seed) % 8) {
	case 0:
		if ((other = pick(s, G_NONE)) >= 0) {
			s->id[other] = ++s->ids;
			put_event(s, t, "GoCreate %llu %llu 0 1\n", s->id[other], 0);
			s->state[other] = G_READY;
			s->seq[other] = 0;
		}
		break;
	case 1: case 2:
		if ((other = pick(s, G_WAIT)) >= 0) {
			put_event(s, t, "GoUnblock %llu %llu %llu 1\n", s->id[other], ++s->seq[other]);
			s->state[other] = G_READY;
		}
		break;
	case 3: case 4:
		put_event(s, t, "GoBlock %llu 1 1\n", 0, 0);
		s->state[g] = G_WAIT;
		s->run[t] = -1;
		break;
	case 5:
		put_event(s, t, "GoStop %llu 2 0\n", 0, 0);
		s->state[g] = G_READY;
		s->run[t] = -1;
		break;
	case 6:
		put_event(s, t, "GoSyscallBegin %llu %llu 1\n", ++s->pseq[t], 0);
		put_event(s, t, "GoSyscallEnd %llu\n", 0, 0);
		break;
	default:
		if (g != 0) {
			put_event(s, t, "GoDestroy %llu\n", 0, 0);
			s->state[g] = G_NONE;
			s->run[t] = -1;
		}
		break;
	}
}

static void act(struct sim *s)
{
	int t = (int)(rnd(&s->seed) % PS), g = s->run[t];
	if (g >= 0) {
		act_running(s, t, g);
	} else if ((g = pick(s, G_READY)) >= 0) {
		put_event(s, t, "GoStart %llu %llu %llu\n", s->id[g], ++s->seq[g]);
		s->state[g] = G_RUN;
		s->run[t] = g;
	} else if (pick(s, G_RUN) < 0 && (g = pick(s, G_WAIT)) >= 0) {
		put_event(s, t, "GoUnblock %llu %llu %llu 0\n", s->id[g], ++s->seq[g]);
		s->state[g] = G_READY;
	}
}

static void statuses(struct sim *s)
{
	static const int wire[] = {0, 1, 2, 4};
	for (int t = 0; t < PS; t++) {
		s->last[t] = s->now + (uint64_t)s->skew[t];
		buf_reset(&s->body[t]);
		buf_printf(&s->body[t], "Batch %llu %d %llu\n", (unsigned long long)s->gen, 100 + t,
		    (unsigned long long)s->last[t]);
		put_event(s, t, "ProcStatus %llu %llu 1\n", (unsigned long long)t, 0);
		s->pseq[t] = 0;
		if (s->run[t] >= 0) {
			put_event(s, t, "GoStatus %llu %llu -1 2\n", s->id[s->run[t]], 0);
			s->seq[s->run[t]] = 0;
		}
	}
	for (int g = 0; g < GS; g++)
		if (s->state[g] == G_READY || s->state[g] == G_WAIT) {
			put_event(s, g % PS, "GoStatus %llu %llu -1 %llu\n", s->id[g],
			    (unsigned long long)wire[s->state[g]]);
			s->seq[g] = 0;
		}
}

/* Assemble a trace of `gens` generations, n steps each. Return the number of its events, without Sync. */
static size_t simulate(struct buf *trace, uint64_t seed, int version, int gens, int n)
{
	struct sim s = {.seed = seed, .now = 1000000};
	struct buf text = {0};
	buf_printf(&text, "go %d\n", version);
	for (int t = 0; t < PS; t++) {
		s.skew[t] = (int64_t)(rnd(&s.seed) % 2000) - 1000;
		s.run[t] = -1;
	}
	s.state[0] = s.state[1] = G_READY;
	s.id[0] = 1;
	s.id[1] = s.ids = 2;
	for (s.gen = 1; s.gen <= (uint64_t)gens; s.gen++) {
		unsigned long long g = s.gen;
		if (version >= 25)
			buf_printf(&text, "Batch %llu -1 5\nSync\nFrequency 1000000000\n"
			    "ClockSnapshot 1 2 3 4\n", g);
		else
			buf_printf(&text, "Batch %llu -1 5\nFrequency 1000000000\n", g);
		statuses(&s);
		for (int i = 0; i < n; i++)
			act(&s);
		for (int t = PS; t-- > 0;)
			buf_put(&text, s.body[t].p, s.body[t].n);
		buf_printf(&text, "Batch %llu -1 6\nStacks\nStack 1 0x%llx 3 4 %llu\n", g, 16 + g,
		    g);
		buf_printf(&text, "Batch %llu -1 7\nStrings\nString 1 \"why\"\nString 2 \"yield\"\n"
		    "String 3 \"main.f\"\nString 4 \"main.go\"\n%s", g,
		    version >= 26 ? "EndOfGeneration\n" : "");
	}
	int line;
	OK(goasm(text.p, text.n, trace, &line));
	buf_free(&text);
	for (int t = 0; t < PS; t++)
		buf_free(&s.body[t]);
	return s.events;
}

/* ---- the events that are read */

struct received {
	struct trace_event *ev;
	size_t n, cap, want;
	size_t warned, gens;
	size_t gen_end[16];	/* number of events when each generation ended */
	bool bad_id;
};

static bool on_events(void *self, const struct trace_generation *g, const struct trace_event *t, size_t n)
{
	struct received *h = self;
	for (size_t i = 0; i < n; i++)
		if (trace_event_stack(&t[i]) >= generation_nstacks(g) ||
		    trace_event_stack2(&t[i]) >= generation_nstacks(g) ||
		    trace_event_name(&t[i]) >= generation_nstrs(g) || trace_event_text(&t[i]) >= generation_nstrs(g))
			h->bad_id = true;
	h->ev = mem_grow(h->ev, &h->cap, h->n + n, sizeof *h->ev);
	memcpy(h->ev + h->n, t, n * sizeof *t);
	h->n += n;
	return !h->want || h->n < h->want;
}

static void on_warn(void *self, uint64_t at, const char *msg)
{
	(void)at;
	(void)msg;
	((struct received *)self)->warned++;
}

static bool on_generation(void *self, const struct event_stream_info *i)
{
	(void)i;
	struct received *h = self;
	if (h->gens < 16)
		h->gen_end[h->gens] = h->n;
	h->gens++;
	return true;
}

static const struct event_stream_ops ops = {on_events, on_warn, on_generation, NULL, NULL, NULL, 0};

static int read_trace(const char *p, size_t n, struct received *h, struct err *e)
{
	struct event_stream_info info;
	h->n = h->warned = h->gens = 0;
	struct bytes in = {.p = (const uint8_t *)p, .n = n, .file_n = n};
	return event_stream_read(in, &ops, h, &info, e);
}

/* Return whether the order is possible: times grow, and each goroutine is in the state from which an event moves it. */
static bool possible(const struct received *h)
{
	static uint8_t state[IDS];
	memset(state, TST_UNDETERMINED, sizeof state);
	for (size_t i = 0; i < h->n; i++) {
		const struct trace_event *t = &h->ev[i];
		if (i && t->time <= h->ev[i - 1].time)
			return false;
		if (t->kind != TEV_TRANSITION || t->resource != TR_G)
			continue;
		if (t->id < 1 || t->id >= IDS)
			return false;
		uint8_t *was = &state[t->id];
		bool unknown = *was == TST_UNDETERMINED || *was == TST_NOTEXIST;
		if (*was != t->from && !(unknown && t->from <= TST_NOTEXIST))
			return false;
		*was = t->to;
	}
	return true;
}

static void test_order(void)
{
	struct received h = {0};
	struct err e;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct buf b = {0};
		int version = seed % 3 == 0 ? 26 : seed % 3 == 1 ? 25 : 22;
		size_t events = simulate(&b, seed, version, 3, 600);
		OK(read_trace(b.p, b.n, &h, &e) == 0);
		OK(e.kind == ERR_NONE && !h.warned);
		OK(h.n == events + 4);	/* with a Sync for each generation and at the end */
		OK(possible(&h));
		OK(!h.bad_id);
		buf_free(&b);
	}
	mem_free(h.ev);
}

/* Return the number of events in the generations that end before offset `cut`, by their end markers. */
static size_t ends_before(const struct buf *b, size_t cut, const struct received *whole)
{
	struct byte_cursor c = byte_cursor_make(b->p + GO_HEADER, cut - GO_HEADER, GO_HEADER);
	struct wire_batch batch;
	size_t n = 0;
	while (wire_read_batch(&c, &batch, NULL) > 0)
		n += batch.end;
	return n ? whole->gen_end[n - 1] : 0;
}

static bool same(const struct trace_event *a, const struct trace_event *b)
{
	return a->time == b->time && a->m == b->m && a->p == b->p && a->g == b->g &&
	    a->kind == b->kind &&
	       a->wire == b->wire && a->from == b->from && a->to == b->to && a->id == b->id &&
	       a->value == b->value && a->value2 == b->value2;
}

static void test_cuts(void)
{
	struct buf b = {0};
	struct received whole = {0}, h = {0};
	struct err e;
	simulate(&b, 77, 26, 3, 60);
	OK(read_trace(b.p, b.n, &whole, &e) == 0);
	size_t wrong = 0;
	for (size_t cut = 0; cut < b.n; cut++) {
		/* a copy, so that sanitizers find a read beyond its end */
		char *p = xmalloc(cut);
		memcpy(p, b.p, cut);
		int r = read_trace(p, cut, &h, &e);
		mem_free(p);
		size_t least = cut > GO_HEADER ? ends_before(&b, cut, &whole) : 0;
		wrong += h.n < least || (least && r) || h.bad_id;
		for (size_t i = 0; i < least && i < h.n; i++)
			wrong += !same(&h.ev[i], &whole.ev[i]);
		wrong += cut < GO_HEADER ? r == 0 : r == 0 && !least && h.n == 0;
		wrong += least && !possible(&h);	/* without a whole generation the order is guessed */
	}
	OK(wrong == 0);
	buf_free(&b);
	mem_free(whole.ev);
	mem_free(h.ev);
}

static void flip(const struct buf *b, uint64_t seed, int rounds)
{
	struct received h = {0};
	struct err e;
	size_t wrong = 0;
	char *p = xmalloc(b->n);
	for (int i = 0; i < rounds; i++) {
		memcpy(p, b->p, b->n);
		for (uint64_t k = 1 + rnd(&seed) % 3; k; k--)
			p[rnd(&seed) % b->n] ^= (char)(1 << rnd(&seed) % 8);
		read_trace(p, b->n, &h, &e);
		wrong += h.bad_id || h.n > 3 * b->n + 8;
	}
	OK(wrong == 0);
	mem_free(p);
	mem_free(h.ev);
}

static const char old_trace[] =
    "go 19\n1 0 1000\n13 0 1 7 0\n13 0 2 0 0\n31 0 2\n13 0 3 0 0\n5 1 77\n14 1 1 1\n4 1 2 0\n13 1 5 7 7\n"
    "45 1 1 0 1 7\n47 1 1 0 2 7\n48 1 1 3 0 \"some text\"\n28 1 7\n28 10 7\n30 10\n6 1\n5 100 78\n"
    "29 1 1 2 1050\n14 1 1 3\n47 1 1 1 2 0\n46 1 1 0\n9 1 0\n10 1\n49 1 1150 0 1 7\n16 1 7\n14 2 5 1\n15 1\n"
    "2 1000000000\n37 1 \"kind\"\n37 2 \"region\"\n37 3 \"key\"\n37 4 \"main.f\"\n3 7 1 0x10 4 4 60\n";

static void test_flips(void)
{
	struct buf b = {0};
	int line;
	simulate(&b, 5, 26, 2, 80);
	flip(&b, 1, 3000);
	buf_reset(&b);
	simulate(&b, 6, 22, 2, 80);
	flip(&b, 2, 3000);
	buf_reset(&b);
	OK(goasm(old_trace, sizeof old_trace - 1, &b, &line));
	struct received h = {0};
	struct err e;
	OK(read_trace(b.p, b.n, &h, &e) == 0 && e.kind == ERR_NONE && h.n == 25);
	flip(&b, 3, 6000);
	size_t whole = h.n, wrong = 0;
	for (size_t cut = 0; cut < b.n; cut++) {
		char *p = xmalloc(cut);
		memcpy(p, b.p, cut);
		read_trace(p, cut, &h, &e);
		mem_free(p);
		wrong += h.n > whole || h.bad_id;
	}
	OK(wrong == 0);
	mem_free(h.ev);
	buf_free(&b);
}

static void test_stop(void)
{
	struct buf b = {0};
	struct received h = {.want = 1};
	struct err e;
	simulate(&b, 9, 26, 4, 3000);
	OK(read_trace(b.p, b.n, &h, &e) == 0);
	OK(h.n >= 1 && h.gens == 0);
	OK(e.kind == ERR_NONE && !h.warned);
	buf_free(&b);
	mem_free(h.ev);
}

/* With a thread that reads ahead the events are the same, and reading can stop at any of them. */
static void test_ahead(void)
{
	struct buf b = {0};
	struct received alone = {0}, h = {0};
	struct err e;
	simulate(&b, 11, 25, 5, 3000);
	OK(read_trace(b.p, b.n, &alone, &e) == 0);
	struct bytes in = {.p = (const uint8_t *)b.p, .n = b.n, .file_n = b.n};
	struct event_stream_info info = {.version = 25};
	OK(pipeline_read(in, &ops, &h, &info, &e) == 0);
	OK(h.n == alone.n && info.events == h.n && h.gens == 5);
	size_t wrong = 0;
	for (size_t i = 0; i < h.n && i < alone.n; i++)
		wrong += !same(&h.ev[i], &alone.ev[i]);
	for (h.want = 1; h.want < alone.n; h.want += 997) {
		h.n = h.gens = 0;
		wrong += pipeline_read(in, &ops, &h, &info, &e) != 0 || h.n < h.want ||
		    info.events != h.n;
	}
	OK(wrong == 0);
	buf_free(&b);
	mem_free(alone.ev);
	mem_free(h.ev);
}

/* Traces of Go 1.5 have no names: addresses stand for them, also for the start function, whose event has an address. */
static void test_old_names(void)
{
	static const char text[] = "go 5\n1 0 0 1000\n13 1 0 1 0 0\n5 1 5 77\n14 1 1 1\n4 1 1 2 0\n13 1 1 2 4198401 7\n"
				   "20 1 1 7\n14 2 1 2\n2 1000000000 0\n3 7 2 4660 22136\n";
	struct buf b = {0};
	struct err e;
	int line;
	OK(goasm(text, strlen(text), &b, &line));
	struct store_builder *store_builder = builder_new();
	struct sink sink = builder_sink(store_builder);
	OK(!gotrace_read((struct bytes){.p = (const uint8_t *)b.p, .n = b.n}, &sink, &e));
	const struct snap *sn = builder_finish(store_builder);
	bool started = false;
	for (trk_id t = 1; t < sn->ntrks; t++)
		started = started || (store_trk(sn->st, t)->id == 2 &&
					 !strcmp(store_str(sn->st, store_trk_name(sn->st, t))->s, "0x401001"));
	OK(started);
	int named = 0;
	for (fun_id f = 1; f < sn->nfuns; f++) {
		const char *s = store_str(sn->st, store_fun(sn->st, f)->name)->s;
		named += !strcmp(s, "0x1234") || !strcmp(s, "0x5678");
	}
	OK(named == 2);
	OK(sn->nwarns && ((const struct warn_row *)column_at(&sn->st->warns, 0))->aside);
	builder_free(store_builder);
	buf_free(&b);
}

/* In version 1 the end of a task without a parent has parent 0, its start has none: there is an empty task 0, which is the
   parent of no task. */
static void test_task_zero(void)
{
	static const char text[] = "go 21\n37 1 \"job\"\n1 0 1000\n5 1 77\n13 1 1 0 0\n14 1 1 1\n45 1 9 0 1 0\n46 1 9 0\n"
				   "15 1\n2 1000000000\n";
	struct buf b = {0};
	struct arena a = {0};
	struct err e;
	int line;
	OK(goasm(text, strlen(text), &b, &line));
	struct store_builder *store_builder = builder_new();
	struct sink sink = builder_sink(store_builder);
	OK(!gotrace_read((struct bytes){.p = (const uint8_t *)b.p, .n = b.n}, &sink, &e));
	const struct snap *sn = builder_finish(store_builder);
	struct stats_tasks *ts = stats_tasks(sn, &a, NULL);
	OK(ts->n == 2 && ts->task[0].id == 0 && ts->task[0].n == 0 && ts->task[1].id == 9 &&
	    ts->task[1].parent == UINT64_MAX);
	arena_free(&a);
	builder_free(store_builder);
	buf_free(&b);
}

/* Return the time of GC work in the rows of Ps. Set *rows to the number of utilisation records of dedicated workers. */
static int64_t gc_of_p(const struct buf *b, bool oddities, unsigned *rows)
{
	struct err e;
	struct store_builder *store_builder = builder_new();
	struct sink sink = builder_sink(store_builder);
	sink.oddities = oddities;
	OK(!gotrace_read((struct bytes){.p = (const uint8_t *)b->p, .n = b->n}, &sink, &e));
	const struct snap *sn = builder_finish(store_builder);
	int64_t sum[TS__N], ns = 0;
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		for (uint32_t r = 0; r < sh->nother; r++)
			if (store_trk(sn->st, sh->trk[r])->kind == TK_P) {
				sheet_upto(sh, r, sh->t1, sum);
				ns += sum[TS_GCWORK];
			}
	}
	*rows = 0;
	for (uint32_t i = 0; i < sn->nutils; i++)
		*rows += ((const struct sink_util *)column_at(&sn->st->utils, i))->what == UT_DEDICATED;
	builder_free(store_builder);
	return ns;
}

/* Since Go 1.26 the goroutine that runs first on a P for which a mark worker is chosen gets the worker's label. The name of
   the goroutine shows whether it is a worker; the reference ignores it, and counts the goroutine from then on. */
static void test_label_of_another(void)
{
	static const char text[] =
	    "go 26\nBatch 1 -1 100\nSync\nFrequency 1000000000\nClockSnapshot 5 77 1000 500\n"
	    "Batch 1 7 100\nProcStatus 1 0 1\nGoStatus 1 1 -1 2\nProcsChange 1 2 1\n"
	    "GoCreate 2 2 2 1\nGoCreate 2 3 3 1\nGoBlock 10 3 1\n"
	    "GoStart 10 3 1\nGoLabel 1 7\nGoStop 100 4 3\nGoStart 5 3 2\nGoBlock 70 3 3\n"
	    "GoStart 10 2 1\nGoLabel 1 7\nGoBlock 30 3 2\nProcStop 1\n"
	    "Batch 1 -1 400\nStacks\nStack 1 0x10 1 2 30\nStack 2 0x30 5 2 50\nStack 3 0x40 6 2 60\n"
	    "Batch 1 -1 400\nStrings\nString 1 \"main.main\"\nString 2 \"main.go\"\nString 3 \"chan receive\"\n"
	    "String 4 \"preempted\"\nString 5 \"runtime.gcBgMarkWorker\"\nString 6 \"main.g\"\n"
	    "String 7 \"GC (dedicated)\"\nEndOfGeneration\n";
	struct buf b = {0};
	int line;
	unsigned plain, odd;
	OK(goasm(text, strlen(text), &b, &line));
	OK(gc_of_p(&b, false, &plain) == 31);
	OK(gc_of_p(&b, true, &odd) == 31);
	OK(plain == 2 && odd == 2 + 4);
	buf_free(&b);
}

int main(void)
{
	test_order();
	test_cuts();
	test_flips();
	test_stop();
	test_ahead();
	test_old_names();
	test_task_zero();
	test_label_of_another();
	return DONE();
}
