/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The weights of -type=run and -type=time against their definitions, on random traces of many sheets. Run: the time
 * between two events of a running goroutine is charged to the deepest function common to their stacks, of which the first
 * may be that of the wait before the run; if it has CPU samples, the time up to a sample is charged to the sample's stack,
 * and the time after the last sample to that of the last; mark assists and stops of the world are charged to the stack
 * where they started. Laws: the sum is the running time, of the whole and of windows, goroutines and slices, and runs are
 * counted once. Time: running without work for the GC, and all other states by class: waiting for a P at the stack at
 * which the goroutine waited, other states at the stack where they started, the last wait as still blocked.
 */
#include "config.h"
#include "store/builder.h"
#include "store/check.h"
#include "trace/as_profile.h"
#include "trace/filter_states.h"
#include "trace/run_stacks.h"
#include "trace/time_class.h"
#include "base/err.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { NG = 6, NSTACK = 9, STEPS = 9000, MOST = 2 * STEPS };

static uint64_t seed;
static int64_t rnd(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(seed >> 33) % n;
}

/* An event of a goroutine: an entry into a state, a CPU sample, or (neither) a log or the wake of another goroutine. */
struct event { int64_t t; uint8_t state; bool entry, sample; stk_id stack; };
static struct event event[NG][MOST];
static size_t nevents[NG];
static trk_id trk[NG];
static stk_id stack[NSTACK];	/* 0: none */
static stk_id start[NG];
static int64_t end_of_trace;

static bool runs(unsigned s)
{
	return s == TS_RUN || s == TS_ASSIST || s == TS_STW;
}

static void add_event(int g, struct event d)
{
	event[g][nevents[g]++] = d;
}

/* ---- a random trace */

/* Stack i is main.root, then what LAYOUT says: upper case and lower case are two lines of one function; '.' is a function
   of the runtime. Stacks 9 and later are the nodes that the time between two stacks may be charged to. */
static const char *const layout[NSTACK] = {
	NULL, "ab", "aBc", "ab.", "abc", "Ab", "ac.", "d", "." };

static loc_id frame(struct sink *s, char c)
{
	char name[16];
	bool second = c >= 'A' && c <= 'Z';
	int n = snprintf(name, sizeof name, c == '.' ? "runtime.wait" : "main.%c", second ? c - 'A' + 'a' : c);
	fun_id f = s->ops->fun(s->self, &(struct sink_fun){.name = s->ops->str(s->self, name, (size_t)n)});
	return s->ops->loc(s->self, &(struct sink_loc){
		.addr = (uint64_t)c, .line = &(struct sink_line){.fun = f, .line = second ? 2 : 1}, .nline = 1});
}

static void stacks(struct sink *s)
{
	for (int i = 1; i < NSTACK; i++) {
		loc_id l[8];
		uint32_t n = (uint32_t)strlen(layout[i]);
		for (uint32_t k = 0; k < n; k++)
			l[k] = frame(s, layout[i][n - 1 - k]);
		l[n] = frame(s, 'r');
		stack[i] = s->ops->stack(s->self, l, n + 1);
	}
}

static void enter(struct sink *s, int g, int64_t t, unsigned state, uint32_t peer, stk_id at)
{
	sink_enter_one(s, trk[g], t, state, peer, at);
	add_event(g, (struct event){ .t = t, .state = (uint8_t)state, .entry = true, .stack = at });
}

static void add_sample(struct sink *s, int g, int64_t t)
{
	struct sink_sample row = { .stack = stack[rnd(NSTACK)], .value = (int64_t[]){ 1, 10000000 }, .when = t,
		.trk = rnd(9) ? trk[g] : 0 };
	s->profile->sample(s->self, &row);
	if (row.trk && row.stack)
		add_event(g, (struct event){ .t = t, .sample = true, .stack = row.stack });
}

static void add_log(struct sink *s, int g, int64_t t)
{
	stk_id at = stack[rnd(NSTACK)];
	s->trace->mark(s->self, &(struct sink_mark){.t = t, .kind = MK_LOG, .trk = trk[g], .stack = at});
	add_event(g, (struct event){.t = t, .stack = at});
}

/* Move a goroutine to its next state: a blocked one becomes runnable, woken by a running goroutine or without a waker. */
static void step(struct sink *s, int g, unsigned *is, int64_t t, trk_id proc)
{
	static const unsigned next[] = { TS_ASSIST, TS_STW, TS_RUN, TS_READY, TS_SYNC, TS_NET };
	stk_id at = stack[rnd(NSTACK)];
	int by = (int)rnd(NG);
	unsigned to = is[g] == TS_READY ? TS_RUN : !runs(is[g]) ? TS_READY : next[rnd(6)];
	bool wakes = to == TS_READY && !runs(is[g]) && by != g && runs(is[by]);
	if (to == is[g])
		return;
	if (wakes)
		add_event(by, (struct event){ .t = t, .stack = at });
	enter(s, g, t, to, runs(to) ? proc : wakes ? trk[by] : 0, is[g] == TS_READY ? 0 : at);
	is[g] = to;
}

static const struct snap *make(struct store_builder *b, int64_t apart)
{
	struct sink s = builder_sink(b);
	unsigned is[NG];
	int64_t t = 0;
	memset(nevents, 0, sizeof nevents);
	stacks(&s);
	s.profile->type(s.self, s.ops->str(s.self, "samples", 7), s.ops->str(s.self, "count", 5));
	s.profile->type(s.self, s.ops->str(s.self, "cpu", 3), s.ops->str(s.self, "nanoseconds", 11));
	trk_id proc = s.trace->track(s.self, TK_P, 0);
	for (int g = 0; g < NG; g++) {
		trk[g] = s.trace->track(s.self, TK_G, (uint64_t)g + 1);
		start[g] = stack[rnd(NSTACK)];
		s.trace->born(s.self, trk[g], 0, 0, start[g], 0);
		enter(&s, g, 0, is[g] = TS_READY, 0, 0);
	}
	for (int i = 0; i < STEPS; i++) {
		int g = (int)rnd(NG);
		t += 1 + rnd(apart);
		if (rnd(3))
			step(&s, g, is, t, proc);
		else if (rnd(3))
			add_sample(&s, g, t);
		else
			add_log(&s, g, t);
	}
	end_of_trace = t + 1;
	s.trace->facts(s.self, &(struct sink_trace){ .version = 26, .last = end_of_trace });
	return builder_finish(b);
}

/* ---- weights by definition */

struct want { int64_t ns[64], all, runs; };

static int64_t overlap(int64_t a, int64_t b, const struct trace_slice *in)
{
	int64_t lo = a > in->t0 ? a : in->t0, hi = b < in->t1 ? b : in->t1;
	return hi > lo ? hi - lo : 0;
}

static int64_t want_piece(struct want *w, int64_t a, int64_t b, stk_id at, const struct trace_slice *in)
{
	int64_t ns = overlap(a, b, in);
	w->ns[at] += ns;
	w->all += ns;
	return ns;
}

/* Where a goroutine is: at the stack of an event, or of a sample. */
struct at { stk_id stack; bool sample; };

static stk_id common(const struct snap *sn, int g, stk_id from, stk_id to)
{
	stk_id at = run_stacks_common(sn->st, from, to), up = from ? from : to;
	if (at || start[g])
		return at ? at : start[g];
	while (up && stk_parent(sn->st, up))
		up = stk_parent(sn->st, up);
	return up;
}

/* Charge the time from t to that of event d, whose stack is `to`, 0 if a run ends there without one. */
static int64_t want_stretch(const struct snap *sn, struct want *w, int g, int64_t t, const struct event *d, stk_id to,
    struct at *at, const struct trace_slice *in)
{
	stk_id charged = d->sample ? to : at->sample ? at->stack : common(sn, g, at->stack, to);
	if (to)
		*at = (struct at){to, d->sample};
	return want_piece(w, t, d->t, charged, in);
}

/* The goroutine enters a state. */
static void want_entry(struct at *at, const struct event *was, const struct event *e)
{
	bool runnable = e->state == TS_READY, ran = was && runs(was->state);
	if (runnable ? ran : e->stack || !runs(e->state))
		*at = (struct at){e->stack, false};
}

/* Charge what a goroutine ran. time: only TS_RUN, as -type=time does. */
static void want_goroutine_runs(
    const struct snap *sn, struct want *w, int g, bool time, const struct trace_slice *in)
{
	const struct event *d = event[g], *was = NULL;
	struct at at = {0};
	int64_t ns = 0, t = 0;
	bool open = false;
	add_event(g, (struct event){ .t = end_of_trace, .state = TS_NONE, .entry = true });
	for (size_t i = 0; i < nevents[g]; i++) {
		const struct event *e = &d[i];
		bool fixed = open && was->state != TS_RUN && (time || was->stack);
		stk_id to = e->stack;
		if (open && fixed && e->entry) {
			ns += time ? 0 : want_piece(w, t, e->t, was->stack, in);
			t = e->t;
		} else if (open && !fixed && (to || (e->entry && !(runs(e->state) && !time) && e->state != TS_RUN))) {
			ns += want_stretch(sn, w, g, t, e, to, &at, in);
			t = e->t;
		}
		if (!e->entry)
			continue;
		if (!runs(e->state) && open)
			w->runs += ns > 0;
		ns = open && runs(e->state) ? ns : 0;
		t = open && runs(e->state) ? t : e->t;
		open = runs(e->state);
		want_entry(&at, was, e);
		was = e;
	}
	nevents[g]--;
}

/* Return the stack of a goroutine that waits for a P since entry `e`; `was` is the entry before it, or NULL. */
static stk_id want_runnable(int g, const struct event *was, const struct event *e)
{
	return !was ? start[g] : runs(was->state) ? e->stack : was->stack;
}

/* Charge all states of a goroutine, by class. */
static void want_time(const struct snap *sn, struct want w[TIME_CLASS__N], int g, const struct trace_slice *in)
{
	static const enum time_class of[TS__N] = {[TS_ASSIST] = TIME_GC_ASSIST, [TS_STW] = TIME_STW,
	    [TS_READY] = TIME_RUNNABLE, [TS_SYNC] = TIME_LOCK, [TS_NET] = TIME_NETWORK};
	const struct event *d = event[g], *was = NULL;
	add_event(g, (struct event){ .t = end_of_trace, .state = TS_NONE, .entry = true });
	for (size_t i = 0, next; i + 1 < nevents[g]; i = next) {
		const struct event *e = &d[i];
		for (next = i + 1; !d[next].entry; next++)
			;
		bool last = next + 1 == nevents[g] && (e->state == TS_SYNC || e->state == TS_NET);
		if (e->state != TS_RUN)
			want_piece(&w[last ? TIME_STILL_BLOCKED : of[e->state]], e->t, d[next].t,
			    e->state == TS_READY ? want_runnable(g, was, e) : e->stack, in);
		was = e;
	}
	nevents[g]--;
	want_goroutine_runs(sn, &w[TIME_ON_CPU], g, true, in);
}

/* ---- the laws */

static enum time_class class_of_tag(const struct snap *sn, str_id tag)
{
	char name[32];
	const struct str_row *s = store_str(sn->st, tag);
	snprintf(name, sizeof name, "%.*s", (int)s->n, s->s);
	int c = time_class_find(name);
	return c < 0 ? TIME_UNKNOWN : (enum time_class)c;
}

static void compare_time(const struct snap *sn, const struct trace_filter *f, int first, int end,
    const struct trace_slice *in, struct arena *a)
{
	struct want *w = arena_zalloc(a, TIME_CLASS__N * sizeof *w);
	int64_t states[TS__N], by_state = 0, by_class = 0, by_stack = 0;
	bool same = true;
	for (int g = first; g < end; g++)
		want_time(sn, w, g, in);
	const struct trace_weights *tw = trace_weigh(sn, TRACE_TIME, f, a);
	trace_filter_states(sn, f, states);
	for (int i = 0; i < TS__N; i++)
		by_state += states[i];
	for (uint32_t i = 0; i < tw->npart; i++)
		w[class_of_tag(sn, tw->part[i].tag)].ns[tw->part[i].stack] -= tw->part[i].ns;
	for (int c = 0; c < TIME_CLASS__N; c++) {
		by_class += w[c].all;
		for (uint32_t i = 0; i < tw->n; i++)
			same = same && !w[c].ns[i];
	}
	for (uint32_t i = 0; i < tw->n; i++)
		by_stack += tw->ns[i];
	OK(same && tw->npart && by_class == by_state);
	OK(tw->total_ns == by_state && by_stack == by_state);
}

static void compare(const struct snap *sn, const struct trace_filter *f, const struct want *w, struct arena *a)
{
	const struct trace_weights *tw = trace_weigh(sn, TRACE_RUN, f, a);
	int64_t sum = 0, count = 0;
	bool same = true;
	for (stk_id i = 0; i < tw->n; i++) {
		same = same && tw->ns[i] == w->ns[i];
		sum += tw->ns[i];
		count += tw->count[i];
	}
	OK(same && sum == w->all && tw->total_ns == sum);
	OK(count == w->runs && tw->total_count == count);
}

/* What two stacks have in common: as in layout[], but '.' and what follows it is not there. */
static void check_common(const struct store *st)
{
	static const struct { int from, to; const char *want; } pair[] = {
		{1, 1, "ab"}, {1, 2, "ab"}, {2, 1, "aB"}, {1, 3, "ab"}, {3, 3, "ab"}, {3, 4, "ab"}, {4, 3, "ab"}, {4, 4, "abc"},
		{1, 5, "a"}, {5, 1, "A"}, {2, 4, "aB"}, {4, 6, "a"}, {6, 4, "a"}, {6, 7, ""}, {8, 8, ""}, {3, 8, ""}};
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
		stk_id at = run_stacks_common(st, stack[pair[i].from], stack[pair[i].to]);
		char got[8] = "";
		size_t n = 0, want = strlen(pair[i].want);
		for (; at && n < sizeof got - 1; at = stk_parent(st, at), n++) {
			const struct frm_row *f = store_frm(st, stk_frame(st, at));
			char c = store_str(st, store_fun(st, f->fun)->name)->s[5];
			got[n] = f->line == 2 ? (char)(c - 'a' + 'A') : c;
		}
		bool same = n == want + 1 && got[want] == 'r';
		for (size_t k = 0; k < want && same; k++)
			same = got[want - 1 - k] == pair[i].want[k];
		OK(same || (fprintf(stderr, "%d %d: %s\n", pair[i].from, pair[i].to, got), false));
	}
	OK(!run_stacks_common(st, stack[1], 0) && !run_stacks_common(st, 0, stack[1]));
}

/* Compare the whole, time ranges, ranges of one goroutine, and slices. */
static void check(const struct snap *sn, struct arena *a)
{
	struct trace_slice all = { 0, 0, end_of_trace };
	struct trace_filter f = { .from = TIME_NONE, .to = TIME_NONE };
	struct want w = {0};
	for (int g = 0; g < NG; g++)
		want_goroutine_runs(sn, &w, g, false, &all);
	OK(w.all > 0 && w.runs > STEPS / 20);
	compare(sn, &f, &w, a);
	compare_time(sn, &f, 0, NG, &all, a);
	for (int i = 0; i < 8; i++) {
		int g = (int)rnd(NG);
		struct trace_slice in = { trk[g], rnd(end_of_trace), 0 };
		in.t1 = in.t0 + 1 + rnd(end_of_trace - in.t0);
		w = (struct want){0};
		for (int k = 0; k < NG; k++)
			want_goroutine_runs(sn, &w, k, false, &in);
		f = (struct trace_filter){ .from = in.t0, .to = in.t1 };
		compare(sn, &f, &w, a);
		compare_time(sn, &f, 0, NG, &in, a);
		w = (struct want){0};
		want_goroutine_runs(sn, &w, g, false, &in);
		f.g = trace_gset_of_one(sn, trk[g], a);
		compare(sn, &f, &w, a);
		compare_time(sn, &f, g, g + 1, &in, a);
		f = (struct trace_filter){ .from = TIME_NONE, .to = TIME_NONE, .slice = &in, .nslice = 1 };
		compare(sn, &f, &w, a);
		compare_time(sn, &f, g, g + 1, &in, a);
	}
}

int main(void)
{
	for (uint64_t i = 1; i <= 12; i++) {
		struct arena a = {0};
		struct err e;
		seed = i;
		struct store_builder *b = builder_new();
		const struct snap *sn = make(b, i % 3 ? 40000000 : 40);
		OK(store_check(sn, &e) == 0 && sn->nstks < 64);
		OK(i % 3 == 0 || sn->nsheets > 10);
		check_common(sn->st);
		check(sn, &a);
		arena_free(&a);
		builder_free(b);
	}
	return DONE();
}
