/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Boards of channels, stops of the world, leaks, the GC tax and greedy goroutines against counts over all intervals of
 * all goroutines and Ps, one by one, for whole traces and parts of them. Files in arguments are tested instead.
 */
#include "config.h"
#include "base/mem/mem.h"
#include "boards/board.h"
#include "cli/options.h"
#include "critical/target.h"
#include "session/trace_open.h"
#include "tap.h"
#include "tracefile.h"
#include "trace/bins.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/stats/stops.h"
#include "trace/user_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct snap *sn;
static const struct store *st;
static int64_t from, to;	/* the range */
static const char *file;

/* ---- sums by key */

enum { SUMS = 12, KEYS = 2 };
struct sum { uint64_t key[KEYS]; int64_t v[SUMS]; bool found; };
static struct sum *sums;
static uint32_t nsum;
static size_t csum;

static struct sum *sum_of(uint64_t a, uint64_t b)
{
	for (uint32_t i = 0; i < nsum; i++)
		if (sums[i].key[0] == a && sums[i].key[1] == b)
			return &sums[i];
	sums = mem_grow(sums, &csum, nsum + 1u, sizeof *sums);
	sums[nsum] = (struct sum){.key = {a, b}};
	return &sums[nsum++];
}

/* Check that a row has the values of its sum in columns col[]. No two rows may have the same keys. */
static void check_values(
    const struct board *b, const struct board_row *r, uint64_t key0, uint64_t key1, const enum board_column_id *col, int n)
{
	struct sum *s = sum_of(key0, key1);
	bool same = !s->found;
	for (int i = 0; i < n; i++)
		same &= r->cell[col[i] - board_first_column(b->id)].i == s->v[i];
	s->found = true;
	OK(same);
	for (int i = 0; i < n && !same; i++)
		fprintf(stderr, "%s: %s, row %d of %s: %lld, not %lld\n", file, board_kinds[b->id].name, (int)(r - b->v),
		    board_columns[col[i]].key, (long long)r->cell[col[i] - board_first_column(b->id)].i, (long long)s->v[i]);
}

/* Check that each sum has a row. */
static void check_all_found(void)
{
	bool all = true;
	for (uint32_t i = 0; i < nsum; i++)
		all &= sums[i].found;
	OK(all);
	nsum = 0;
}

/* Return the function and line that represent a stack; 0: there is no stack. */
static uint64_t place_of(stk_id stack)
{
	stk_id site = user_code_site(st, stack);
	const struct frm_row *row = store_frm(st, site ? stk_frame(st, site) : 0);
	return site ? (uint64_t)row->fun << 32 | (uint32_t)row->line : 0;
}

static uint64_t place_of_cell(const struct board_row *r, enum board_id id, enum board_column_id col)
{
	const struct board_cell *c = &r->cell[col - board_first_column(id)];
	return c->some ? place_of(c->stack) : 0;
}

static int64_t clipped(int64_t a, int64_t b)
{
	a = a > from ? a : from;
	b = b < to ? b : to;
	return b > a ? b - a : 0;
}

/* ---- channels */

enum { OPEN = 1, RUNTIME };

static bool ends_a_send(stk_id stack)
{
	const struct str_row *f = store_str(st, store_fun(st, store_frm(st, stk_frame(st, stack))->fun)->name);
	return stack && (!strncmp(f->s, "runtime.chanrecv", 16) || !strncmp(f->s, "runtime.selectnbrecv", 20));
}

static void count_wait(const struct trace_interval *v)
{
	struct trace_interval next = *v;
	bool ended = trace_interval_step(sn, &next, 1), woken = ended && next.state == TS_READY && next.peer;
	bool sends = v->state == TS_SELECT ? woken && ends_a_send(next.stack) : v->state == TS_CHANSEND;
	uint64_t own = place_of(v->stack), other = woken ? place_of(next.stack) : ended ? RUNTIME : OPEN;
	struct sum *s = sum_of(sends ? other : own, sends ? own : other);
	s->v[0] += clipped(v->t0, v->t1);
	s->v[1]++;
	s->v[sends ? 3 : 2] += clipped(v->t0, v->t1);
	s->v[4] = v->t1 - v->t0 > s->v[4] ? v->t1 - v->t0 : s->v[4];
	s->v[5] += !ended;
}

static void count_channels(void)
{
	for (trk_id g = 1; g < sn->ntrks; g++) {
		struct trace_interval v;
		if (store_trk(st, g)->kind != TK_G || !scan_is_program(sn, g) || !trace_interval_near(sn, g, sn->t0, 1, &v))
			continue;
		do {
			enum time_class cls = time_class_of(st, v.state, v.stack);
			if ((cls == TIME_CHANNEL || cls == TIME_SELECT) && v.state != TS_CORO && clipped(v.t0, v.t1))
				count_wait(&v);
		} while (trace_interval_step(sn, &v, 1));
	}
}

static uint64_t channel_key(const struct board_row *r, enum board_column_id col)
{
	const struct board_cell *c = &r->cell[col - board_first_column(BOARD_CHANNELS)];
	if (c->some || !c->s)
		return place_of_cell(r, BOARD_CHANNELS, col);
	return !strcmp(c->s, "(still blocked)") ? OPEN : !strcmp(c->s, "(timer or runtime)") ? RUNTIME : 0;
}

static void check_channels(const struct board *b)
{
	static const enum board_column_id col[] = {BOARD_CHANNELS_TOTAL, BOARD_CHANNELS_COUNT, BOARD_CHANNELS_RECEIVING,
	    BOARD_CHANNELS_SENDING, BOARD_CHANNELS_MAX, BOARD_CHANNELS_OPEN};
	count_channels();
	for (uint32_t i = 0; i < b->n; i++)
		check_values(b, &b->v[i], channel_key(&b->v[i], BOARD_CHANNELS_RECEIVES_AT),
		    channel_key(&b->v[i], BOARD_CHANNELS_SENDS_AT), col, sizeof col / sizeof *col);
	check_all_found();
}

/* ---- stops */

static bool runs(const struct trace_interval *v)
{
	return v->state == TS_RUN || v->state == TS_GCWORK || v->state == TS_ASSIST || v->state == TS_SWEEP ||
	    v->state == TS_STW;
}

/* Return the time until which a P runs without a gap from t on, at most `end`; t if it does not run. The goroutine that
   stops the world does not count. */
static int64_t runs_until(trk_id proc, int64_t t, int64_t end, trk_id stopper)
{
	struct trace_interval v;
	int64_t until = t;
	if (!trace_interval_near(sn, proc, sn->t0, 1, &v))
		return t;
	do
		if (v.t0 <= until && v.t1 > until && runs(&v) && v.peer != stopper)
			until = v.t1 < end ? v.t1 : end;
	while (v.t0 <= until && trace_interval_step(sn, &v, 1));
	return until;
}

static void count_stops(const struct trace_filter *f, struct arena *mem)
{
	uint32_t n;
	const struct stop *v = stops_find(sn, f, from, to, mem, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct sink_span *span = &store_span(st, v[i].span)->s;
		int64_t last = v[i].t0;
		for (trk_id p = 1; p < sn->ntrks; p++) {
			if (store_trk(st, p)->kind != TK_P)
				continue;
			int64_t until = runs_until(p, v[i].t0, v[i].t1, span->trk);
			last = until > last ? until : last;
		}
		struct sum *s = sum_of(stops_key(sn, v[i].span, STOPS_KIND), place_of(span->stack));
		s->v[0] += v[i].t1 - v[i].t0;
		s->v[1]++;
		s->v[2] = v[i].t1 - v[i].t0 > s->v[2] ? v[i].t1 - v[i].t0 : s->v[2];
		s->v[3] += last - v[i].t0;
		s->v[4] += v[i].t1 - last;
	}
}

/* Return the key of the kind of a row, from its longest stop, which the row leads to. */
static uint64_t kind_of_row(const struct board_row *r, const struct trace_filter *f, struct arena *mem)
{
	uint32_t n;
	const struct stop *v = stops_find(sn, f, from, to, mem, &n);
	for (uint32_t i = 0; i < n; i++)
		if (v[i].t0 == r->t0 && v[i].t1 == r->t1)
			return stops_key(sn, v[i].span, STOPS_KIND);
	OK(!"a row leads to a stop");
	return 0;
}

static void check_stops(const struct board *b, const struct trace_filter *f, struct arena *mem)
{
	static const enum board_column_id col[] = {
	    BOARD_STOPS_TOTAL, BOARD_STOPS_COUNT, BOARD_STOPS_MAX, BOARD_STOPS_STOPPING, BOARD_STOPS_STOPPED};
	count_stops(f, mem);
	for (uint32_t i = 0; i < b->n; i++)
		check_values(b, &b->v[i], kind_of_row(&b->v[i], f, mem),
		    place_of_cell(&b->v[i], BOARD_STOPS, BOARD_STOPS_CALLER), col, sizeof col / sizeof *col);
	check_all_found();
}

/* ---- leaks */

static bool waits(const struct trace_interval *v)
{
	return v->state >= TS_CHANSEND && v->state < TS_UNKNOWN && time_class_of(st, v->state, v->stack) != TIME_RUNNABLE;
}

static void count_goroutine(trk_id g)
{
	const struct trk_row *t = store_trk(st, g);
	const struct trk_origin *o = store_origin(st, t);
	struct trace_interval v, last;
	if (t->kind != TK_G || t->t0 == TIME_NONE || !scan_is_program(sn, g))
		return;
	if (!trace_interval_near(sn, g, sn->t0, 1, &v)) {	/* known by a status event alone */
		sum_of(o->name, place_of(o->created))->v[3] += t->t0 < to;
		return;
	}
	int64_t start = t->t0;	/* before its first interval, if its first event is a status */
	do
		last = v;
	while (trace_interval_step(sn, &v, 1));
	bool ended = store_t1(st, t) != TIME_NONE && last.t1 < sn->t1;
	if (last.t1 < from || start >= to)
		return;
	struct sum *s = sum_of(o->name, place_of(o->created));
	bool made = t->creator && start >= from, gone = ended && last.t1 <= to;
	s->v[0] += made - gone;
	s->v[1] += made;
	s->v[2] += gone;
	s->v[3] += !gone;
	s->v[4] += !ended && waits(&last) && clipped(last.t0, last.t1);
}

static void check_leaks(const struct board *b)
{
	static const enum board_column_id col[] = {
	    BOARD_LEAKS_GROWN, BOARD_LEAKS_MADE, BOARD_LEAKS_ENDED, BOARD_LEAKS_ALIVE, BOARD_LEAKS_BLOCKED};
	for (trk_id g = 1; g < sn->ntrks; g++)
		count_goroutine(g);
	for (uint32_t i = 0; i < b->n; i++)
		check_values(b, &b->v[i], b->v[i].group, place_of_cell(&b->v[i], BOARD_LEAKS, BOARD_LEAKS_CREATED_AT), col,
		    sizeof col / sizeof *col);
	check_all_found();
}

/* ---- the GC tax */

static bool is_of_gc(const struct critical_piece *p)
{
	for (uint32_t i = 0; i < sn->nspans; i++) {
		const struct sink_span *s = &store_span(st, i)->s;
		if (s->kind == SP_STW && (p->span == i || (p->span == CRITICAL_NONE && s->t0 < p->t1 && s->t1 > p->t0)))
			return !strncmp(stops_kind(st, i).s, "GC ", 3);
	}
	return false;
}

static void count_taxes(const struct board_source *source)
{
	const struct operations *ops = source->operations;
	struct critical_path path = {0};
	for (uint32_t i = 0; i < ops->n; i++) {
		const struct critical_target t = critical_target_of_operation(ops, i);
		struct sum *s = sum_of(operations_kind_of(ops, i), 0);
		int64_t tax = 0;
		critical_path_walk(source->walker, t.g, t.t0, t.t1, &path);
		for (size_t k = 0; k < path.n; k++) {
			const struct critical_piece *p = &path.v[k];
			int64_t ns = p->t1 - p->t0;
			int at = p->cls == TIME_GC_ASSIST ? 2 : p->cls == TIME_GC_OTHER ? 4
				: p->cls == TIME_STW ? (is_of_gc(p) ? 5 : 6) : p->reason == CRITICAL_GC_WORKERS ? 3 : 7;
			s->v[at] += ns;
			tax += at < 6 ? ns : 0;
		}
		s->v[0] += tax;
		s->v[1] = tax > s->v[1] ? tax : s->v[1];
		s->v[7] = ops->kind[operations_kind_of(ops, i)].n;
	}
	critical_path_free(&path);
}

static void check_taxes(const struct board *b, const struct board_source *source)
{
	static const enum board_column_id col[] = {BOARD_GCTAX_TOTAL, BOARD_GCTAX_MAX, BOARD_GCTAX_ASSIST, BOARD_GCTAX_WORKERS,
	    BOARD_GCTAX_OTHER, BOARD_GCTAX_STOPPED, BOARD_GCTAX_OTHER_STOPS, BOARD_GCTAX_OF};
	const struct operations *ops = source->operations;
	count_taxes(source);
	for (uint32_t i = 0; i < b->n; i++) {
		const struct board_cell *cell = b->v[i].cell - board_first_column(BOARD_GCTAX);
		if (cell[BOARD_GCTAX_COUNT].i < cell[BOARD_GCTAX_OF].i)	/* only some operations were walked */
			nsum = 0;
	}
	for (uint32_t i = 0; i < b->n && nsum; i++) {
		const struct board_cell *name = &b->v[i].cell[BOARD_GCTAX_KIND - board_first_column(BOARD_GCTAX)];
		uint32_t k = 0;
		while (k < ops->nkinds && (ops->kind[k].name != name->s || ops->kind[k].nname != name->n))
			k++;
		check_values(b, &b->v[i], k, 0, col, sizeof col / sizeof *col);
	}
	check_all_found();
}

/* ---- greedy goroutines */

static uint32_t count_procs(void)
{
	uint32_t n = 0;
	for (trk_id p = 1; p < sn->ntrks; p++)
		n += store_trk(st, p)->kind == TK_P;
	return n;
}

/* Divide a wait for a P among all Ps, and charge each part to the group of what ran there. Parts are in units of 1/n ns. */
static int64_t charge_wait(const struct trace_interval *w)
{
	int64_t total = 0;
	for (trk_id p = 1; p < sn->ntrks; p++) {
		struct trace_interval v;
		if (store_trk(st, p)->kind != TK_P)
			continue;
		total += w->t1 - w->t0;
		if (!trace_interval_at(sn, p, w->t0, &v) && !trace_interval_near(sn, p, w->t0, 1, &v))
			continue;
		do {
			int64_t a = v.t0 > w->t0 ? v.t0 : w->t0, b = v.t1 < w->t1 ? v.t1 : w->t1;
			if (b > a && v.peer && (runs(&v) || v.state == TS_SYSCALL))
				sum_of(store_trk_name(st, v.peer), 0)->v[0] += b - a;
		} while (v.t1 < w->t1 && trace_interval_step(sn, &v, 1));
	}
	return total;
}

static int64_t count_delays(void)
{
	int64_t total = 0;
	for (trk_id g = 1; g < sn->ntrks; g++) {
		struct trace_interval v;
		if (store_trk(st, g)->kind != TK_G || !trace_interval_near(sn, g, sn->t0, 1, &v))
			continue;
		do {
			if (time_class_of(st, v.state, v.stack) == TIME_RUNNABLE)
				total += charge_wait(&v);
		} while (trace_interval_step(sn, &v, 1));
	}
	return total;
}

/* The board drops parts of nanoseconds, so times may differ by 1% of the total. */
static void check_greedy(const struct board *b)
{
	double total = (double)count_delays() / count_procs(), sum = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		double ns = (double)b->v[i].cell[BOARD_GREEDY_DELAY - board_first_column(BOARD_GREEDY)].i;
		sum += ns;
		if (!b->v[i].trk)
			continue;	/* idle Ps */
		double own = (double)sum_of(b->v[i].group, 0)->v[0] / count_procs();
		bool same = ns - own < 0.01 * total + 1000 && own - ns < 0.01 * total + 1000;
		OK(same);
		if (!same)
			fprintf(stderr, "%s: greedy, row %u: %.0f, not %.0f of %.0f\n", file, i, ns, own, total);
	}
	OK(sum - total < 0.01 * total + 1000 && total - sum < 0.01 * total + 1000);
	nsum = 0;
}

/* ---- all */

static void check_part(int64_t a, int64_t b)
{
	struct arena mem = {0};
	struct trace_filter f = {.from = a, .to = b};
	const struct progress_watcher on = {0};
	const struct operations *all = operations_shared(sn, NULL),
				*ops = a == TIME_NONE ? all : operations_find(sn, &f, NULL, &mem, &on);
	struct board_source source = {.sn = sn, .filter = &f, .operations = ops,
	    .walker = critical_walker_new(sn, all, &mem, NULL)};
	struct board_measures *m = board_measures_new(&source, &on);
	from = m->scan.t0;
	to = m->scan.t1;
	for (int id = 0; id < BOARD__N; id++) {
		struct board *v = board_make((enum board_id)id, m, &on);
		switch ((enum board_id)id) {
		case BOARD_CHANNELS: check_channels(v); break;
		case BOARD_STOPS: check_stops(v, &f, &mem); break;
		case BOARD_LEAKS: check_leaks(v); break;
		case BOARD_GCTAX: check_taxes(v, &source); break;
		case BOARD_GREEDY:
			if (a == TIME_NONE)
				check_greedy(v);
			break;
		default: break;
		}
		board_free(v);
	}
	board_measures_free(m);
	arena_free(&mem);
}

static void check_file(const char *path)
{
	struct options o;
	struct trace t;
	file = path;
	if (!tracefile_open(&o, &t, path))
		return;
	sn = t.sn;
	st = sn->st;
	int64_t len = sn->t1 - sn->t0;
	check_part(TIME_NONE, TIME_NONE);
	for (int i = 0; i < 3; i++)
		check_part(sn->t0 + i * len / 4 + 12345, sn->t0 + (i + 2) * len / 5);
	trace_close(&t);
	options_free(&o);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"tests/faults/serial-stage.trace.gz", "tests/faults/leak.trace.gz",
	    "tests/faults/stw.trace.gz", "tests/faults/gc.trace.gz", "samples/orders.trace", "samples/stock.trace", NULL};
	tap_files(argc, argv, names, check_file);
	mem_free(sums);
	return DONE();
}
