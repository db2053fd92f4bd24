/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Operations against their definitions, computed by stepping through all intervals: on random traces, on samples/, and
 * on the traces given as arguments. And loops of several shapes, whose idle waits are known.
 */
#include "config.h"
#include "operations/internal.h"
#include "operations/latency.h"
#include "base/err.h"
#include "load/load.h"
#include "store/builder.h"
#include "tap.h"
#include "trace/bins.h"
#include "trace/longest_wait.h"
#include "trace/stats/goroutine_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t seed;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- the laws of a list of operations */

/* Each complete operation that is not below the first bin is in a bin, and the slowest are the last of the ascending
   durations. */
static void check_latency(const struct operations *o, uint32_t k, const int64_t *d, uint32_t n)
{
	struct operation_latency l;
	uint32_t below = 0, counted = 0, wrong = 0;
	operations_latency(o, k, &l);
	while (below < n && d[below] < l.lo)
		below++;
	for (int b = 0; b < LATENCY_BINS; b++)
		counted += l.count[b];
	for (uint32_t i = 0; i < l.nslowest; i++)
		wrong += operations_duration(o, k, l.slowest[i]) != d[n - 1 - i];
	OK(l.all == n && counted + below == n && below <= n / 1000);
	OK(!n || (l.hi == d[n - 1] && l.lo <= l.hi));
	OK(!wrong && l.nslowest == (n < LATENCY_SLOWEST ? n : LATENCY_SLOWEST));
	if (!n)
		return;
	/* the quantile is the upper end of the bin that has it */
	double q = operation_latency_position(&l, operation_latency_quantile(&l, 0.95)), bin = 1.0 / LATENCY_BINS;
	uint32_t after = 0, within = 0;
	for (uint32_t i = 0; i < n; i++) {
		after += operation_latency_position(&l, d[i]) > q + bin / 100;
		within += operation_latency_position(&l, d[i]) >= q - bin * 1.01;
	}
	OK(after <= 0.05 * n && (within > 0.05 * n || q >= 1));
}

static void check_kinds(const struct operations *o)
{
	uint32_t next = 0;
	for (uint32_t k = 0; k < o->nkinds; k++) {
		const struct operation_kind *x = &o->kind[k];
		int64_t *d = xmalloc((x->n + 1u) * sizeof *d), total = 0, classes = 0;
		uint32_t n = 0, slow = 0;
		OK(x->first == next && x->n > 0);
		OK(!k || o->kind[k - 1].source <= x->source);
		for (uint32_t i = x->first; i < x->first + x->n; i++) {
			struct operation v = operations_get(o, i);
			OK(v.kind == k && v.t0 <= v.t1 && (i == x->first || operations_get(o, i - 1).t0 <= v.t0));
			OK(operations_goroutine(o, k, i - x->first) == v.g);
			total += v.t1 - v.t0;
			if (v.complete)
				d[n++] = v.t1 - v.t0;
			slow += v.complete && v.t1 - v.t0 >= x->slow_from;
		}
		stats_sort(d, n);
		OK(x->ncomplete == n && x->nslow == slow && x->total == total);
		OK(x->p50 == stats_quantile(d, n, 0.5) && x->p99 == stats_quantile(d, n, 0.99) && x->max == (n ? d[n - 1] : 0));
		OK(slow < n || !n);
		check_latency(o, k, d, n);
		for (int c = 0; c < TIME_CLASS__N; c++) {
			OK(x->class_ns[c] >= 0);
			classes += x->class_ns[c];
		}
		OK(x->source == OPERATION_TASK || classes == total);
		next += x->n;
		mem_free(d);
	}
	OK(next == o->n);
}

static bool by_id(const struct operations *o, uint64_t id, struct operation *x)
{
	for (uint32_t i = 0; i < o->n; i++) {
		*x = operations_get(o, i);
		if (x->id == id)
			return true;
	}
	return false;
}

/* Every task of the trace is an operation of its name. */
static void check_tasks(const struct snap *sn, const struct operations *o)
{
	struct arena a = {0};
	const struct stats_tasks *ts = stats_tasks(sn, &a, NULL);
	uint32_t n = 0;
	for (uint32_t i = 0; i < ts->n; i++) {
		const struct stats_task *t = &ts->task[i];
		if (t->span == UINT32_MAX)
			continue;
		struct operation x;
		bool found = by_id(o, t->id, &x);
		const struct str_row *name = store_str(sn->st, t->name);
		n++;
		OK(found && o->kind[x.kind].source == OPERATION_TASK);
		if (!found)
			continue;
		OK(o->kind[x.kind].nname == name->n && !memcmp(o->kind[x.kind].name, name->s, name->n));
		OK(x.complete == (t->t0 != TIME_NONE && t->t1 != TIME_NONE));
		OK(x.t0 == (t->t0 == TIME_NONE ? sn->t0 : t->t0) && x.t1 == (t->t1 == TIME_NONE ? sn->t1 : t->t1));
	}
	for (uint32_t k = 0; k < o->nkinds; k++)
		n -= o->kind[k].source == OPERATION_TASK ? o->kind[k].n : 0;
	OK(!n);
	arena_free(&a);
}

static bool is_idle(const struct operations *o, const struct trace_interval *v)
{
	return state_is_wait(v->state) && operations_is_idle(o, v->stack);
}

/* Rounds lie between two idle waits, requests between two intervals: check their bounds and sum up their classes. A request
   may contain a wait that is idle in other goroutines. */
static void check_between(const struct snap *sn, const struct operations *o, const struct operation *x, int64_t *ns)
{
	bool round = o->kind[x->kind].source == OPERATION_ROUND;
	struct trace_interval v;
	bool more = trace_interval_at(sn, x->g, x->t0, &v);
	OK(more && (v.t0 == x->t0 || !x->complete));
	struct trace_interval before = v;
	if (x->complete && round)
		OK(trace_interval_step(sn, &before, -1) && is_idle(o, &before) && before.t1 == x->t0);
	for (; more && v.t0 < x->t1; more = trace_interval_step(sn, &v, 1)) {
		int64_t from = v.t0 > x->t0 ? v.t0 : x->t0, to = v.t1 < x->t1 ? v.t1 : x->t1;
		bool still = state_is_wait(v.state) && v.t1 >= sn->t1 && x->t1 == sn->t1;
		OK(!round || !is_idle(o, &v));
		ns[still ? TIME_STILL_BLOCKED : time_class_of(sn->st, v.state, v.stack)] += to - from;
	}
	bool stream = !round && o->kind[x->kind].streams;
	if (x->complete && !stream)
		OK(more && v.t0 == x->t1 && (!round || is_idle(o, &v)));
}

static void check_divided(const struct snap *sn, const struct operations *o)
{
	for (uint32_t k = 0; k < o->nkinds; k++) {
		const struct operation_kind *x = &o->kind[k];
		int64_t ns[TIME_CLASS__N] = {0};
		if (x->source != OPERATION_ROUND && x->source != OPERATION_SERVER)
			continue;
		OK(x->source == OPERATION_SERVER || operations_is_idle(o, x->site));
		for (uint32_t i = x->first; i < x->first + x->n; i++) {
			struct operation y = operations_get(o, i);
			check_between(sn, o, &y, ns);
		}
		OK(!memcmp(ns, x->class_ns, sizeof ns));
	}
}

/* ---- the classes of tasks */

enum { RANGES_MOST = 4096 };
struct range { trk_id g; int64_t t0, t1; };

/* Add a range, cut at the end of its goroutine if it reaches to the end of the trace. */
static uint32_t put_range(const struct snap *sn, struct range *v, uint32_t n, struct range x)
{
	int64_t end = x.g ? store_t1(sn->st, store_trk(sn->st, x.g)) : TIME_NONE;
	if (x.t1 == sn->t1 && end != TIME_NONE && trace_interval_state(sn, x.g, sn->t1 - 1) == TS_NONE)
		x.t1 = end;
	for (uint32_t i = 0; i < n; i++)	/* regions of a task overlap: their union counts */
		if (v[i].g == x.g && v[i].t0 < x.t1 && x.t0 < v[i].t1) {
			x.t0 = v[i].t0 < x.t0 ? v[i].t0 : x.t0;
			x.t1 = v[i].t1 > x.t1 ? v[i].t1 : x.t1;
			v[i--] = v[--n];
		}
	v[n] = x;
	return n + (x.g && x.t1 > x.t0 && n < RANGES_MOST - 1);
}

/* Add the time of a range by class. */
static void sum_range(const struct snap *sn, const struct range *x, int64_t *ns)
{
	struct trace_interval v;
	int64_t known = 0;
	bool more = trace_interval_at(sn, x->g, x->t0, &v) || trace_interval_near(sn, x->g, x->t0, 1, &v);
	for (; more && v.t0 < x->t1; more = trace_interval_step(sn, &v, 1)) {
		int64_t from = v.t0 > x->t0 ? v.t0 : x->t0, to = v.t1 < x->t1 ? v.t1 : x->t1;
		bool still = state_is_wait(v.state) && v.t1 >= sn->t1 && x->t1 == sn->t1;
		if (to <= from || v.state == TS_NONE)
			continue;
		ns[still ? TIME_STILL_BLOCKED : time_class_of(sn->st, v.state, v.stack)] += to - from;
		known += to - from;
	}
	ns[TIME_UNKNOWN] += x->t1 - x->t0 - known;
}

/* Add the time by class of a task. */
static void sum_task(const struct snap *sn, const struct operation *x, struct range *v, int64_t *ns)
{
	trk_id own = x->g == x->starter ? x->g : 0;
	uint32_t n = put_range(sn, v, 0, (struct range){own, x->t0, x->t1});
	for (uint32_t s = 0; s < sn->nspans; s++) {
		const struct sink_span *r = &store_span(sn->st, s)->s;
		if (r->kind != SP_REGION || r->id != x->id || r->trk == own || r->v0 & (RG_LOOSE | RG_INHERITED))
			continue;
		n = put_range(sn, v, n, (struct range){r->trk, r->t0 == TIME_NONE ? sn->t0 : r->t0,
		    r->t1 == TIME_NONE ? sn->t1 : r->t1});
	}
	for (uint32_t r = 0; r < n; r++)
		sum_range(sn, &v[r], ns);
}

static void check_task_classes(const struct snap *sn, const struct operations *o)
{
	struct range *v = xmalloc(RANGES_MOST * sizeof *v);
	for (uint32_t k = 0; k < o->nkinds && o->kind[k].source == OPERATION_TASK && sn->nspans < RANGES_MOST; k++) {
		int64_t ns[TIME_CLASS__N] = {0};
		for (uint32_t i = o->kind[k].first; i < o->kind[k].first + o->kind[k].n; i++) {
			struct operation x = operations_get(o, i);
			sum_task(sn, &x, v, ns);
		}
		OK(!memcmp(ns, o->kind[k].class_ns, sizeof ns));
	}
	mem_free(v);
}

/* The classes of the operations of a kind add up to those of the kind. The classes of one operation add up to its time, and
   are those of its intervals. */
static void check_classes(const struct snap *sn, const struct operations *o)
{
	struct range *v = xmalloc(RANGES_MOST * sizeof *v);
	for (uint32_t k = 0; k < o->nkinds; k++) {
		const struct operation_kind *x = &o->kind[k];
		struct arena a = {0};
		const struct class_table *t = operations_classes(sn, o, k, &a, NULL);
		int64_t all[TIME_CLASS__N] = {0};
		OK(t->n == x->n);
		for (uint32_t i = 0; i < x->n; i++) {
			struct operation y = operations_get(o, x->first + i);
			int64_t ns[TIME_CLASS__N] = {0}, sum = 0;
			bool sampled = i < 20 && (x->source != OPERATION_TASK || sn->nspans < RANGES_MOST);
			if (x->source == OPERATION_TASK && sampled)
				sum_task(sn, &y, v, ns);
			else if (sampled && y.t1 > y.t0)
				sum_range(sn, &(struct range){y.g, y.t0, y.t1}, ns);
			for (int c = 0; c < TIME_CLASS__N; c++) {
				int64_t at = class_table_get(t, i, (enum time_class)c);
				OK(!sampled || at == ns[c]);
				all[c] += at;
				sum += at;
			}
			OK(x->source == OPERATION_TASK || sum == y.t1 - y.t0);
		}
		OK(!memcmp(all, x->class_ns, sizeof all));
		arena_free(&a);
	}
	mem_free(v);
}

/* operations_at() returns the innermost operation at a time, which a search among all finds, too. */
static void check_at(const struct snap *sn, const struct operations *o)
{
	for (int k = 0; k < 200 && o->n; k++) {
		trk_id g = operations_get(o, rnd(o->n)).g;
		int64_t t = sn->t0 + (int64_t)rnd((uint32_t)(sn->t1 - sn->t0) + 1u);
		uint32_t at = operations_at(o, g, t);
		struct operation best = {0}, found = at == OPERATION_NONE ? best : operations_get(o, at);
		for (uint32_t i = 0; i < o->n; i++) {
			struct operation x = operations_get(o, i);
			if (x.g == g && x.t0 <= t && t < x.t1 &&
			    (!best.g || x.t0 > best.t0 || (x.t0 == best.t0 && x.t1 < best.t1)))
				best = x;
		}
		OK(found.g == best.g && found.t0 == best.t0 && found.t1 == best.t1);
	}
}

/* The parent of a life is the operation of its creator at its start; children are the operations with that parent. */
static void check_parents(const struct snap *sn, const struct operations *o)
{
	uint32_t of = o->n ? rnd(o->n) : 0, child = 0;
	for (uint32_t i = 0; i < o->n; i++) {
		struct operation x = operations_get(o, i);
		uint32_t parent = operations_parent(o, i);
		trk_id by = o->kind[x.kind].source == OPERATION_LIFE ? store_trk(sn->st, x.g)->creator : 0;
		if (o->kind[x.kind].source != OPERATION_TASK)
			OK(parent == (by ? operations_at(o, by, x.t0) : OPERATION_NONE));
		of = parent != OPERATION_NONE ? parent : of;
	}
	for (uint32_t i = 0; i < o->n; i++)
		if (operations_parent(o, i) == of) {
			child = operations_next_child(o, of, child);
			OK(child++ == i);
		}
	OK(!o->n || operations_next_child(o, of, child) == OPERATION_NONE);
}

/* Idle waits are the same whether operations are found or not. */
static void check_idle(const struct snap *sn, const struct operations *o)
{
	struct arena a = {0};
	const struct operations *idle = operations_find_idle(sn, &a, NULL);
	bool same = idle->nstks == o->nstks && !idle->n;
	for (stk_id s = 0; s < sn->nstks; s++)
		same = same && operations_is_idle(idle, s) == operations_is_idle(o, s);
	OK(same);
	arena_free(&a);
}

/* A range selects the operations that overlap it, and no others. */
static void check_range(const struct snap *sn, const struct operations *all)
{
	struct arena a = {0};
	int64_t from = sn->t0 + (sn->t1 - sn->t0) / 3, to = sn->t0 + (sn->t1 - sn->t0) / 2;
	struct trace_filter f = {.from = from, .to = to};
	const struct operations *o = operations_find(sn, &f, NULL, &a, NULL);
	uint32_t n = 0;
	for (uint32_t i = 0; i < all->n; i++) {
		struct operation x = operations_get(all, i), same;
		if (x.t0 >= to || (x.t1 <= from && x.t0 < from))
			continue;
		n++;
		OK(by_id(o, x.id, &same) && same.t0 == x.t0 && same.t1 == x.t1 && same.g == x.g);
	}
	OK(o->n == n);
	check_kinds(o);
	arena_free(&a);
}

static bool match_nothing(void *arg, const char *s, size_t n)
{
	return arg && s && !n;
}

/* The slice of an operation that is not a task is its time. */
static void check_slices(const struct snap *sn, const struct operations *o)
{
	struct arena a = {0};
	uint32_t n;
	struct trace_span_match none = {.match = match_nothing, .arg = &a, .lo = TIME_NONE, .hi = TIME_NONE};
	operations_slices(sn, &none, &a, &n);
	for (int k = 0; k < 50 && o->n; k++) {
		struct operation x = operations_get(o, rnd(o->n));
		struct trace_span_match m = {.id = x.id, .lo = TIME_NONE, .hi = TIME_NONE};
		const struct trace_slice *v = operations_slices(sn, &m, &a, &n);
		OK(m.n == 1);
		if (o->kind[x.kind].source != OPERATION_TASK)
			OK(n == 1 && v->trk == x.g && v->t0 == x.t0 && v->t1 == x.t1);
	}
	arena_free(&a);
}

static void check_all(const struct snap *sn)
{
	struct arena a = {0};
	const struct operations *o = operations_find(sn, NULL, NULL, &a, NULL);
	check_kinds(o);
	check_tasks(sn, o);
	check_divided(sn, o);
	check_task_classes(sn, o);
	check_classes(sn, o);
	check_at(sn, o);
	check_parents(sn, o);
	check_idle(sn, o);
	check_range(sn, o);
	check_slices(sn, o);
	arena_free(&a);
}

/* Rounds of any length are read back as they were added, sorted by start, those with equal starts by id. */
static void check_records(void)
{
	static const int64_t length[] = {0, 1, PART_LONG - 1, PART_LONG, UINT32_MAX, INT64_C(1) << 40};
	enum { LENGTHS = sizeof length / sizeof *length, N = 40 * LENGTHS };
	struct operation_kind kind = {.source = OPERATION_ROUND};
	struct arena a = {0};
	struct operation_list l = {.kind = &kind, .nkinds = 1, .first_part = 1000};
	for (int64_t i = 0; i < N; i++)
		operations_list_add(&l, &(struct operation){.t0 = (N - i) / 3 * 5000000000 - 100, .id = (uint64_t)(1000 + i),
		    .t1 = (N - i) / 3 * 5000000000 - 100 + length[i % LENGTHS], .g = (trk_id)i, .complete = i & 1},
		    OPERATION_NONE);
	operations_keep_kind(&kind, &a);
	operations_sort_kind(&kind, NULL);
	struct operations o = {.kind = &kind, .nkinds = 1, .n = N, .first_part = 1000, .late = l.late};
	for (uint32_t i = 0; i < N; i++) {
		struct operation x = operations_get(&o, i), before = operations_get(&o, i ? i - 1 : 0);
		int64_t k = (int64_t)x.id - 1000;
		OK(!i || before.t0 < x.t0 || (before.t0 == x.t0 && before.id < x.id));
		OK(x.t0 == (N - k) / 3 * 5000000000 - 100 && x.t1 - x.t0 == length[k % LENGTHS]);
		OK(x.g == k && x.starter == k && x.complete == (k & 1));
	}
	mem_free(l.late);
	arena_free(&a);
}

static void check_file(const char *path)
{
	struct bytes in;
	struct err e = {0};
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	OK(!input_open(path, &in, &e) && !gotrace_read(in, &s, &e));
	check_all(builder_finish(b));
	input_close(&in);
	builder_free(b);
}

/* ---- stacks */

/* Return a stack of frames "function line", the leaf first. */
static stk_id stack_of(struct sink *s, const char *const *frame)
{
	loc_id loc[16];
	size_t n = 0;
	for (; frame[n]; n++) {
		const char *line = strrchr(frame[n], ' ');
		struct sink_fun f = {.name = s->ops->str(s->self, frame[n], (size_t)(line - frame[n])),
		    .file = s->ops->str(s->self, "/src/main.go", 12)};
		struct sink_line l = {.fun = s->ops->fun(s->self, &f), .line = atoi(line + 1)};
		uint64_t addr = l.fun * UINT64_C(10000) + (uint64_t)l.line;
		loc[n] = s->ops->loc(s->self, &(struct sink_loc){.addr = addr, .line = &l, .nline = 1});
	}
	return s->ops->stack(s->self, loc, n);
}
#define STACK(s, ...) stack_of(s, (const char *const[]){__VA_ARGS__, NULL})

/* ---- random traces */

enum { GS = 24, STACKS = 14, STEPS = 4000 };
static void make_stacks(struct sink *s, stk_id *v)
{
	v[0] = 0;
	v[1] = STACK(s, "runtime.chanrecv1 1", "main.worker 10");
	v[2] = STACK(s, "runtime.selectgo 1", "main.worker 12");
	v[3] = STACK(s, "sync.(*Mutex).Lock 1", "main.step 30", "main.worker 14");
	v[4] = STACK(s, "sync.(*WaitGroup).Wait 1", "main.step 31", "main.worker 14");
	v[5] = STACK(s, "internal/poll.(*FD).Read 1", "main.(*conn).call 40", "main.step 32", "main.worker 14");
	v[6] = STACK(s, "internal/poll.(*FD).Read 1", "net/http.(*connReader).Read 1", "net/http.(*conn).serve 90");
	v[7] = STACK(s, "runtime.chanrecv1 1", "main.list 50", "net/http.HandlerFunc.ServeHTTP 1",
	    "net/http.serverHandler.ServeHTTP 1", "net/http.(*conn).serve 92");
	v[8] = STACK(s, "internal/poll.(*FD).Read 1", "net/http.(*connReader).Read 1", "main.body 60",
	    "net/http.serverHandler.ServeHTTP 1", "net/http.(*conn).serve 92");
	v[9] = STACK(s, "time.Sleep 1", "main.ticker 70");
	v[10] = STACK(s, "runtime.chansend1 1", "main.ticker 71");
	v[11] = STACK(s, "runtime.gopark 1", "runtime.bgsweep 1");
	v[12] = STACK(s, "syscall.read 1", "main.list 51", "net/http.serverHandler.ServeHTTP 1", "net/http.(*conn).serve 92");
	v[13] = STACK(s, "runtime.chanrecv1 1", "main.short 80");
}

static void random_span(struct sink *s, const trk_id *g, int64_t t, uint64_t id)
{
	trk_id at = g[rnd(GS)];
	int64_t t0 = rnd(20) ? t - (int64_t)rnd(rnd(4) ? 3000 : 300000) : TIME_NONE;
	t0 = t0 != TIME_NONE && t0 < 0 ? 0 : t0;
	if (rnd(3))
		s->trace->span(s->self, &(struct sink_span){.kind = SP_TASK, .t0 = t0, .t1 = rnd(20) ? t : TIME_NONE, .trk = at,
		    .trk1 = rnd(4) ? at : g[rnd(GS)], .id = id, .parent = rnd((uint32_t)id + 1u),
		    .name = s->ops->str(s->self, rnd(2) ? "buy" : "sell", rnd(2) ? 3 : 3)});
	else
		s->trace->span(s->self, &(struct sink_span){.kind = SP_REGION, .t0 = t0, .t1 = t, .trk = at,
		    .id = rnd((uint32_t)id + 1u), .parent = id, .name = s->ops->str(s->self, "part", 4)});
}

static void check_random(uint64_t nth)
{
	static const enum tstate states[] = {TS_RUN, TS_RUN, TS_READY, TS_SYSCALL, TS_CHANRECV, TS_SYNC, TS_NET, TS_SLEEP,
	    TS_SELECT, TS_COND, TS_ASSIST, TS_GCASSISTW, TS_UNKNOWN, TS_CHANSEND};
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	stk_id stack[STACKS];
	trk_id g[GS], p;
	int64_t t = 0;
	seed = nth;
	s.trace->facts(s.self, &(struct sink_trace){.version = 26});
	make_stacks(&s, stack);
	p = s.trace->track(s.self, TK_P, 0);
	sink_enter_one(&s, p, 0, TS_IDLE, 0, 0);
	for (uint32_t i = 0; i < GS; i++)
		g[i] = s.trace->track(s.self, TK_G, i + 1);
	for (uint32_t i = 0; i < GS; i++)
		if (rnd(4))
			s.trace->born(s.self, g[i],
			    s.ops->str(s.self, i % 5 ? "main.worker" : "net/http.(*conn).serve", i % 5 ? 11 : 22),
			    rnd(2) ? g[rnd(GS)] : 0, 0, stack[rnd(STACKS)]);
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t k = rnd(GS), few = 1 + rnd(4);
		t += rnd(200);
		enum tstate to = states[rnd(sizeof states / sizeof *states)];
		/* few stacks for a goroutine, so that they recur */
		sink_enter_one(&s, g[k], t, to, to == TS_RUN ? p : to == TS_READY ? g[rnd(GS)] : 0,
		    stack[(k * 3 + few) % STACKS]);
		if (i % 100 == 0)
			random_span(&s, g, t, i / 100 + 1);
		if (i % (STEPS / 6) == 0)
			s.ops->upto(s.self, t, 0);
	}
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = t + 10});
	check_all(builder_finish(b));
	builder_free(b);
}

/* ---- shapes of loops */

/* A loop that has these waits in turn and runs in between. idle: the index of its idle wait, -1: none. */
struct shape { const char *of; int idle; struct { enum tstate state; const char *frame[6]; } wait[4]; };
static const struct shape shapes[] = {
	{"a worker", 0, {{TS_CHANRECV, {"runtime.chanrecv1 1", "main.worker 10"}},
	    {TS_SYNC, {"sync.(*Mutex).Lock 1", "main.step 30", "main.worker 12"}},
	    {TS_NET, {"internal/poll.(*FD).Read 1", "main.call 40", "main.step 31", "main.worker 12"}}}},
	{"a worker that asks another", 0, {{TS_CHANRECV, {"runtime.chanrecv1 1", "main.worker 10"}},
	    {TS_CHANRECV, {"runtime.chanrecv1 1", "main.worker 14"}}}},
	{"a queue", 0, {{TS_COND, {"sync.(*Cond).Wait 1", "main.(*queue).pop 90", "main.worker 10"}},
	    {TS_CHANRECV, {"runtime.chanrecv1 1", "main.ask 5", "main.worker 11"}},
	    {TS_NET, {"internal/poll.(*FD).Read 1", "main.step 31", "main.worker 12"}}}},
	{"a worker that always has work", -1, {{TS_NET, {"internal/poll.(*FD).Read 1", "main.first 31", "main.worker 12"}},
	    {TS_SLEEP, {"time.Sleep 1", "main.second 32", "main.worker 13"}}}},
	{"a client of net/http", 1, {
	    {TS_SELECT, {"runtime.selectgo 1", "net/http.(*persistConn).roundTrip 1", "main.client 20"}},
	    {TS_SLEEP, {"time.Sleep 1", "main.client 25"}}}},
	{"a pace after a pause under a lock", 1, {{TS_SLEEP, {"time.Sleep 1", "main.loop 53"}},
	    {TS_SLEEP, {"time.Sleep 1", "main.loop 56"}}, {TS_SYNC, {"sync.(*Mutex).Lock 1", "main.loop 51"}}}},
	{"a producer", -1, {{TS_CHANSEND, {"runtime.chansend1 1", "main.produce 8"}}}},
	{"a server without net/http", 0, {
	    {TS_NET, {"internal/poll.(*FD).Read 1", "bufio.(*Reader).ReadString 1", "main.serve 7"}},
	    {TS_CHANRECV, {"runtime.chanrecv1 1", "main.answer 70", "main.serve 9"}}}},
};

static void check_shape(const struct shape *x)
{
	enum { ROUNDS = 12 };
	struct arena a = {0};
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	int64_t t = 0;
	stk_id stack[4];
	int n = 0;
	for (; n < 4 && x->wait[n].frame[0]; n++)
		stack[n] = stack_of(&s, x->wait[n].frame);
	trk_id g = s.trace->track(s.self, TK_G, 1), p = s.trace->track(s.self, TK_P, 0);
	s.trace->born(s.self, g, s.ops->str(s.self, "main.start", 10), g, 0, 0);
	for (int i = 0; i < ROUNDS * n; i++) {
		sink_enter_one(&s, g, t, TS_RUN, p, 0);
		sink_enter_one(&s, g, t + 10, x->wait[i % n].state, 0, stack[i % n]);
		t += 110;
	}
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = t});
	const struct snap *sn = builder_finish(b);
	const struct operations *o = operations_find(sn, NULL, NULL, &a, NULL);
	for (int i = 0; i < n; i++)
		if (operations_is_idle(o, stack[i]) != (i == x->idle)) {
			fprintf(stderr, "%s: wait %d\n", x->of, i);
			OK(!"the idle wait is found");
		}
	OK(o->n == (x->idle < 0 ? 1u : n == 1 ? ROUNDS - 1u : ROUNDS - 1u + (x->idle < n - 1)));
	check_all(sn);
	arena_free(&a);
	builder_free(b);
}

/* A loop receives at a stack at which another goroutine, with the next or a far number, waits in another state, as in the
   receive of a nil channel: the wait of the loop is idle. */
static void check_two_states(enum tstate other, uint64_t far)
{
	enum { ROUNDS = 12 };
	struct arena a = {0};
	struct store_builder *b = builder_new();
	struct sink s = builder_sink(b);
	stk_id stack = stack_of(&s, shapes[0].wait[0].frame);
	trk_id loop = s.trace->track(s.self, TK_G, 1), p = s.trace->track(s.self, TK_P, 0), g = 0;
	for (uint64_t i = 0; i <= far; i++)
		g = s.trace->track(s.self, TK_G, 2 + i);
	sink_enter_one(&s, g, 0, TS_RUN, p, 0);
	for (int64_t i = 0; i < ROUNDS; i++) {
		sink_enter_one(&s, loop, 100 * i, TS_RUN, p, 0);
		sink_enter_one(&s, loop, 100 * i + 10, TS_CHANRECV, 0, stack);
		if (i == ROUNDS / 2)
			sink_enter_one(&s, g, 100 * i + 50, other, 0, stack);
	}
	s.trace->facts(s.self, &(struct sink_trace){.version = 26, .last = 100 * ROUNDS});
	OK(operations_is_idle(operations_find(builder_finish(b), NULL, NULL, &a, NULL), stack));
	arena_free(&a);
	builder_free(b);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"samples/orders.trace", "samples/stock.trace", NULL};
	check_records();
	tap_files(argc, argv, names, check_file);
	for (size_t i = 0; argc == 1 && i < sizeof shapes / sizeof *shapes; i++)
		check_shape(&shapes[i]);
	for (uint64_t far = 0; argc == 1 && far < 20; far += 19) {
		check_two_states(TS_FOREVER, far);
		check_two_states(TS_SYNC, far);
	}
	for (uint64_t i = 1; argc == 1 && i <= 40; i++)
		check_random(i);
	return DONE();
}
