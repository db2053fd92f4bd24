/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sheets and the queries on them against brute force: the entries of seeded random tracks go to the writer and to a plain
 * list; times by state, intervals, steps, counts and wake edges must be those of the list. Law: the times of a row add up
 * to the length of its sheet.
 */
#include "config.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/state_counts.h"
#include "trace/stats/goroutine_stats.h"
#include "base/mem/mem.h"
#include "findings/measures/moments.h"
#include "store/tracks/tracks.h"
#include "tap.h"

#include <string.h>

enum { NTRK = 40, NEV = 6000 };

static uint32_t seed;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

struct entry { int64_t t; uint8_t state; uint32_t peer; };
struct model {
	struct entry v[NTRK][NEV];
	uint32_t n[NTRK];
};

/* Sum up the time in each state over [a, b) from the list. */
static void brute(const struct model *m, uint32_t k, int64_t a, int64_t b, int64_t end, int64_t *ns)
{
	memset(ns, 0, TS__N * sizeof *ns);
	int64_t was = 0;
	unsigned state = TS_NONE;
	for (uint32_t i = 0; i <= m->n[k]; i++) {
		int64_t t = i < m->n[k] ? m->v[k][i].t : end;
		int64_t lo = was > a ? was : a, hi = t < b ? t : b;
		if (hi > lo)
			ns[state] += hi - lo;
		was = t;
		if (i < m->n[k])
			state = m->v[k][i].state;
	}
}

/* Find the interval of the list that contains t; those of length 0 do not count. Return false if there is no state. */
static bool brute_at(const struct model *m, uint32_t k, int64_t t, int64_t end, struct entry *v, int64_t *t1)
{
	*v = (struct entry){ 0, TS_NONE, 0 };
	*t1 = end;
	for (uint32_t i = 0; i < m->n[k]; i++) {
		if (m->v[k][i].t > t) {
			*t1 = m->v[k][i].t;
			break;
		}
		*v = m->v[k][i];
	}
	return v->state != TS_NONE;
}

/* Every tenth track is a P. The first of them, ODD, has all states, also those that only goroutines have in traces. */
enum { ODD = 5 };
static bool is_p(uint32_t k)
{
	return k % 10 == ODD;
}

/* Let an entry of a goroutine set the state of a P, too, at random. Return the track of the P; 0: none. */
static uint32_t enter_proc(struct model *m, const trk_id *id, uint32_t k, const struct entry *v)
{
	uint32_t p = ODD + 10 * rnd(NTRK / 10);
	if (is_p(k) || rnd(3))
		return 0;
	unsigned s = sink_proc_state(v->state);
	m->v[p][m->n[p]++] = (struct entry){ v->t, (uint8_t)s, s == TS_IDLE ? 0 : id[k] };
	return id[p];
}

static void enter_all(struct tracks *tk, struct model *m, const trk_id *id, int64_t gap, uint32_t cut)
{
	int64_t t = 0;
	for (uint32_t e = 0; e < NEV; e++) {
		uint32_t k = rnd(rnd(4) ? 6 : NTRK);
		t += rnd(5) ? (int64_t)rnd((uint32_t)gap) : 0;
		uint32_t most = is_p(k) && k != ODD ? TS_SYSCALL : TS__N - 1;
		struct entry v = { t, (uint8_t)(rnd(9) ? 1 + rnd(most) : TS_NONE), rnd(NTRK) };
		uint16_t p = (uint16_t)enter_proc(m, id, k, &v);
		tracks_enter(tk, &(struct sink_enter){ t, id[k], v.peer, 0, v.state, 0, p }, 1);
		m->v[k][m->n[k]++] = v;
		if (rnd(cut) == 0)
			tracks_upto(tk, t);
	}
	tracks_upto(tk, t + 10);
}

/* Check the running sums of a sheet, which do not restart at rows: if the number of intervals is a multiple of SHEET_STEP,
   the last of them is the sum of the whole sheet. full: the number of such sheets. */
static uint32_t full;
static void running_sums(const struct sheet *sh)
{
	int64_t sum[TS__N] = {0}, row[TS__N];
	for (uint32_t r = 0; r < sh->ntrk; r++) {
		sheet_upto(sh, r, sh->t1, row);
		for (int s = 0; s < TS__N; s++)
			sum[s] += row[s];
	}
	if (sh->n % SHEET_STEP)
		return;
	const int64_t *last = sh->sum + sh->n / SHEET_STEP * sh->nsum;
	for (uint32_t c = 0; c < sh->nsum; c++) {
		OK(last[c] == sum[sh->sums[c]]);
		sum[sh->sums[c]] = 0;
	}
	for (int s = 0; s < TS__N; s++)
		OK(!sum[s]);
	full++;
}

/* Check that the edges of a sheet are different intervals, in which a goroutine is runnable. */
static void edges_of(const struct sheet *sh)
{
	uint8_t *met = xcalloc(sh->n, 1);
	bool good = true;
	for (uint32_t k = 0; k < sh->nedge; k++) {
		uint32_t i = sh->edge[k] & ~EDGE_CREATED;
		good = good && i < sh->n && (sh->state[i] & SHEET_STATE) == TS_READY && !met[i]++;
	}
	OK(good);
	mem_free(met);
}

static void law(const struct snap *sn)
{
	int64_t at = sn->t0;
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet *sh = sheet_get(sn, i);
		OK(sh->t0 == at && sh->t1 > sh->t0);
		at = sh->t1;
		running_sums(sh);
		edges_of(sh);
		for (uint32_t r = 0; r < sh->ntrk; r++) {
			int64_t sum[TS__N], all = 0;
			sheet_upto(sh, r, sh->t1, sum);
			for (int s = 0; s < TS__N; s++)
				all += sum[s];
			OK(all == sh->t1 - sh->t0);
		}
	}
	OK(at == sn->t1);
}

static void shares(const struct snap *sn, const struct model *m, const trk_id *id)
{
	int64_t ns[TS__N];
	for (int q = 0; q < 400; q++) {
		uint32_t k = rnd(NTRK), n = 1 + rnd(9);
		int64_t a = rnd((uint32_t)(sn->t1 / 1000 + 1)) * 1000ll, b = a + 1 + rnd(1u << (4 + rnd(20)));
		struct bin out[9];
		bins_row(sn, id[k], a, b, n, out);
		bool same = true;
		for (uint32_t c = 0; c < n; c++) {
			brute(m, k, bins_edge(a, b, n, c), bins_edge(a, b, n, c + 1), sn->t1, ns);
			same = same && !memcmp(ns, out[c].ns, sizeof ns);
		}
		OK(same);
	}
}

static void intervals(const struct snap *sn, const struct model *m, const trk_id *id)
{
	for (int q = 0; q < 400; q++) {
		uint32_t k = rnd(NTRK);
		int64_t t = (int64_t)((double)rnd(1u << 20) / (1 << 20) * (double)sn->t1), t1;
		struct entry want;
		struct trace_interval v;
		bool there = brute_at(m, k, t, sn->t1, &want, &t1);
		OK(trace_interval_at(sn, id[k], t, &v) == there);
		if (there)
			OK(v.t0 == want.t && v.t1 == t1 && v.state == (enum tstate)want.state && v.peer == want.peer);
	}
	for (uint32_t k = 0; k < NTRK; k++) {	/* steps forwards and backwards visit the same intervals */
		struct trace_interval v;
		int64_t ns[TS__N], sum[TS__N] = {0}, back[TS__N] = {0};
		brute(m, k, 0, sn->t1, sn->t1, ns);
		ns[TS_NONE] = 0;
		bool any = trace_interval_near(sn, id[k], sn->t0, 1, &v);
		for (bool go = any; go; go = trace_interval_step(sn, &v, 1))
			sum[v.state] += v.t1 - v.t0;
		if (any) {
			back[v.state] += v.t1 - v.t0;
			while (trace_interval_step(sn, &v, -1))
				back[v.state] += v.t1 - v.t0;
		}
		OK(!memcmp(sum, ns, sizeof ns) && !memcmp(back, ns, sizeof ns));
	}
}

static void counts(const struct snap *sn, const struct model *m)
{
	for (int q = 0; q < 50; q++) {
		int64_t t = (int64_t)((double)rnd(1u << 20) / (1 << 20) * (double)sn->t1), t1;
		uint64_t ready = 0;
		struct counter_bin c;
		for (uint32_t k = 0; k < NTRK; k++) {
			struct entry v;
			brute_at(m, k, t, sn->t1, &v, &t1);
			ready += !is_p(k) && v.state == TS_READY;
		}
		bins_counter(sn, CT_RUNNABLE, t, t + 1, 1, &c);
		OK(c.any && c.min <= ready && ready <= c.max);
	}
}

/* Count the goroutines of the list by state at t. */
static void brute_census(const struct model *m, int64_t t, int64_t end, uint64_t n[STATE_COUNT__N])
{
	memset(n, 0, STATE_COUNT__N * sizeof *n);
	for (uint32_t k = 0; k < NTRK; k++) {
		struct entry v;
		int64_t t1;
		if (is_p(k) || !brute_at(m, k, t, end, &v, &t1) || v.state == TS_IDLE)
			continue;
		n[v.state <= TS_STW ? STATE_COUNT_RUNNING : v.state == TS_READY ? STATE_COUNT_RUNNABLE
		    : v.state <= TS_SYSBLOCK ? STATE_COUNT_SYSCALL : STATE_COUNT_WAITING]++;
	}
}

/* The counts by state at the ends of steps of any length are those of the list. */
static void state_count(const struct snap *sn, const struct model *m)
{
	enum { STEPS = 8 };
	for (int q = 0; q < 20; q++) {
		int64_t step = 1 + rnd(q % 2 ? 30 : (uint32_t)(sn->t1 / STEPS)),
			t0 = rnd((uint32_t)(sn->t1 - STEPS * step) + 1);
		struct state_count c[STEPS];
		state_counts_compute(sn, t0, step, STEPS, c);
		for (int k = 0; k < STEPS; k++) {
			uint64_t n[STATE_COUNT__N], most = 0;
			for (int64_t t = t0 + k * step - (k > 0); q % 2 && t < t0 + (k + 1) * step; t++) {
				brute_census(m, t, sn->t1, n);
				most = n[STATE_COUNT_RUNNABLE] > most ? n[STATE_COUNT_RUNNABLE] : most;
			}
			brute_census(m, t0 + (k + 1) * step - 1, sn->t1, n);
			OK(!memcmp(c[k].n, n, sizeof n) && c[k].runnable_max >= n[STATE_COUNT_RUNNABLE]);
			OK(q % 2 == 0 || c[k].runnable_max == most);
		}
	}
}

/* Return whether an entry is a wake: the goroutine is runnable, and was waiting or did not exist; its peer is the waker or
   creator. If another entry follows at the same instant, the sheet may lack the edge. */
static bool woken(const struct model *m, uint32_t k, uint32_t i)
{
	unsigned was = i ? m->v[k][i - 1].state : (unsigned)TS_NONE;
	return m->v[k][i].state == TS_READY && (was <= TS_IDLE || was > TS_SYSBLOCK);
}

static void wakes(const struct snap *sn, const struct model *m, const trk_id *id)
{
	uint32_t most[NTRK + 1] = {0}, least[NTRK + 1] = {0};	/* by waker; 0: none */
	int64_t a = sn->t1 / 4, b = sn->t1 / 2;
	for (uint32_t k = 0; k < NTRK; k++)
		for (uint32_t i = 0; i < m->n[k]; i++) {
			const struct entry *v = &m->v[k][i];
			if (v->t < a || v->t >= b || is_p(k) || !woken(m, k, i))
				continue;
			most[v->peer]++;
			least[v->peer] += i + 1 == m->n[k] || v[1].t > v->t;
		}
	for (uint32_t k = 0; k < NTRK; k++) {
		struct wake_edges_walk w = {0};
		struct edge e;
		uint32_t n = 0;
		if (is_p(k))
			continue;
		for (int64_t was = a; wake_edges_next(sn, &w, id[k], a, b, &e); was = e.t, n++)
			OK(e.from == id[k] && e.t >= was && e.t < b);
		OK(n <= most[id[k]] && n >= least[id[k]]);
	}
}

/* The edges of each waker, of every third one, and so on, are those that name it. */
static void edges_of_wakers(const struct snap *sn, uint32_t step)
{
	for (uint32_t s = 0; s < sn->nsheets; s++) {
		const struct sheet *sh = sheet_get(sn, s);
		uint32_t k = 0;
		for (trk_id g = 0; g < sn->ntrks; g += step) {
			uint32_t end = wake_edges_of(sh, g, &k), n = 0, all = 0;
			for (uint32_t i = k; i < end; i++)
				n += sheet_peer(sh, sh->edge[i] & ~EDGE_CREATED) == g;
			for (uint32_t i = 0; i < sh->nedge; i++)
				all += sheet_peer(sh, sh->edge[i] & ~EDGE_CREATED) == g;
			OK(n == end - k && n == all);
			k = end;
		}
	}
}

/* Return whether edges k - 1 and k of a sheet are wake-ups by one goroutine at one stack, less than MOMENTS_BURST_NS apart. */
static bool follows(const struct sheet *sh, uint32_t k)
{
	uint32_t a = k ? sh->edge[k - 1] : EDGE_CREATED, b = sh->edge[k];
	return !((a | b) & EDGE_CREATED) && sheet_peer(sh, a) && sheet_peer(sh, a) == sheet_peer(sh, b) &&
	    sheet_stack(sh, a) == sheet_stack(sh, b) &&
	    sheet_start(sh, b) - sheet_start(sh, a) < MOMENTS_BURST_NS;
}

/* Return how many different goroutines the edges [first, end) of a sheet wake. */
static uint32_t count_different(const struct sheet *sh, uint32_t first, uint32_t end)
{
	uint32_t n = 0;
	for (uint32_t i = first; i < end; i++) {
		uint32_t k = first, row = sheet_row_of(sh, sh->edge[i]);
		while (k < i && sheet_row_of(sh, sh->edge[k]) != row)
			k++;
		n += k == i;
	}
	return n;
}

static uint32_t bursts;
/* Bursts, and the slots of time in which the state of a P changes. */
static void moments(const struct snap *sn)
{
	struct moments m;
	uint64_t woken = 0;
	uint32_t n = 0;
	int64_t a = sn->t0 + (sn->t1 - sn->t0) / 8, b = sn->t1 - (sn->t1 - sn->t0) / 8;
	OK(moments_find(&m, sn, a, b, &(struct progress_watcher){0}));
	uint8_t *beat = xcalloc(m.nbeat / 8 + 1, 1);
	for (uint32_t s = 0; s < sn->nsheets; s++) {
		const struct sheet *sh = sheet_get(sn, s);
		for (uint32_t k = 0, row = 1; k <= sh->nedge; k++, row++) {	/* row: number of joined edges */
			if (k < sh->nedge && follows(sh, k))
				continue;
			uint32_t different = k && row > MOMENTS_BURST ? count_different(sh, k - (row - 1), k) : 0;
			n += different >= MOMENTS_BURST;
			woken += different >= MOMENTS_BURST ? different : 0;
			row = 1;
		}
		for (uint32_t i = 0; i < sh->first[sh->nother]; i++) {
			int64_t t = sh->t0 + sheet_start(sh, i);
			if (!(sh->state[i] & SHEET_CONT) && t >= a && t < b)
				beat[(t - a) / m.beat_ns / 8] |= (uint8_t)(1u << (t - a) / m.beat_ns % 8);
		}
	}
	for (uint32_t i = 0; i < m.nburst; i++) {
		n -= m.burst[i].n;
		woken -= m.burst[i].woken;
		bursts += m.burst[i].n;
	}
	OK(!n && !woken);
	OK(!memcmp(beat, m.beat, m.nbeat / 8 + 1));
	mem_free(beat);
	moments_free(&m);
}

static void round_trip(uint32_t s, int64_t gap, uint32_t cut)
{
	struct store *st = xcalloc(1, sizeof *st);
	struct tracks *tk = tracks_new(st);
	struct model *m = xcalloc(1, sizeof *m);
	struct snap sn = { .st = st };
	trk_id id[NTRK];
	seed = s;
	for (uint32_t k = 0; k < NTRK; k++)
		id[k] = tracks_track(tk, is_p(k) ? TK_P : TK_G, 1000 - k);
	enter_all(tk, m, id, gap, cut);
	tracks_snap(tk, &sn);
	law(&sn);
	shares(&sn, m, id);
	intervals(&sn, m, id);
	counts(&sn, m);
	state_count(&sn, m);
	wakes(&sn, m, id);
	edges_of_wakers(&sn, 1);
	edges_of_wakers(&sn, 3);
	moments(&sn);
	mem_free(m);
	tracks_free(tk);
	mem_free(st);
}

/* The first event of a track arrives after its past was sealed: the track still has all of its time. */
static void late(void)
{
	enum { N = 1 << 20 };
	struct store *st = xcalloc(1, sizeof *st);
	struct arena a = {0};
	struct tracks *tk = tracks_new(st);
	struct snap sn = { .st = st };
	trk_id busy = tracks_track(tk, TK_G, 1), quiet = tracks_track(tk, TK_G, 2), idle = tracks_track(tk, TK_P, 0);
	for (int64_t t = 0; t < N; t++)
		tracks_enter(tk, &(struct sink_enter){ t, busy, 0, 0, t % 2 ? TS_RUN : TS_READY, 0, 0 }, 1);
	tracks_enter(tk, &(struct sink_enter){ 100, quiet, 0, 0, TS_NET | (unsigned)TS_PAST, 0, 0 }, 1);
	tracks_enter(tk, &(struct sink_enter){ N, quiet, 0, 0, TS_NET, 0, 0 }, 1);
	tracks_enter(tk, &(struct sink_enter){ 10, idle, 0, 0, TS_IDLE | (unsigned)TS_PAST, 0, 0 }, 1);
	tracks_enter(tk, &(struct sink_enter){ N + 10, idle, 0, 0, TS_RUN, 0, 0 }, 1);
	tracks_upto(tk, N + 50);
	tracks_snap(tk, &sn);
	struct goroutine_times g;
	stats_of_goroutine(stats_index_new(&sn, &a), quiet, TIME_NONE, TIME_NONE, &a, &g);
	struct state_count c[2];
	state_counts_compute(&sn, 0, N / 2, 2, c);
	OK(c[0].n[STATE_COUNT_WAITING] == 1 && c[1].n[STATE_COUNT_WAITING] == 1);
	state_counts_compute(&sn, 0, 100, 2, c);
	OK(c[0].n[STATE_COUNT_WAITING] == 0 && c[1].n[STATE_COUNT_WAITING] == 1);
	struct bin b;
	bins_procs(&sn, &idle, 1, 0, N + 50, &b);
	OK(b.ns[TS_NONE] == 10 && b.ns[TS_IDLE] == N && b.ns[TS_RUN] == 40);
	bins_procs(&sn, &idle, 1, N / 3, N / 2, &b);
	OK(b.ns[TS_IDLE] == N / 2 - N / 3 && b.ns[TS_NONE] == 0);
	OK(g.total == N + 50 - 100 && g.ns[TS_NET] == g.total && g.unknown == 0 && g.nblock == 1);
	arena_free(&a);
	tracks_free(tk);
	mem_free(st);
}

/* Sheets of one interval to slightly more than two steps. */
static void lengths(void)
{
	for (int64_t n = 1; n < 2 * SHEET_STEP + 3; n += n % SHEET_STEP == 3 ? SHEET_STEP - 5 : 1) {
		struct store *st = xcalloc(1, sizeof *st);
		struct tracks *tk = tracks_new(st);
		struct snap sn = { .st = st };
		trk_id g = tracks_track(tk, TK_G, 1);
		for (int64_t t = 0; t < n; t++)
			tracks_enter(tk, &(struct sink_enter){ 3 * t, g, 0, 0, t % 2 ? TS_RUN : TS_READY, 0, 0 }, 1);
		tracks_upto(tk, 3 * n);
		tracks_snap(tk, &sn);
		law(&sn);
		tracks_free(tk);
		mem_free(st);
	}
	OK(full > 0);
}

/* Of several entries of a goroutine at the start of a sheet only the last is an interval; the others have no length, and are
   no intervals and no edges. */
static void at_once(void)
{
	static const uint8_t entered[] = {TS_SYNC, TS_READY, TS_RUN, TS_NET, TS_READY, TS_SYSCALL};
	struct store *st = xcalloc(1, sizeof *st);
	struct tracks *tk = tracks_new(st);
	struct snap sn = { .st = st };
	struct wake_edges_walk w = {0};
	struct edge e;
	trk_id g = tracks_track(tk, TK_G, 1), waker = tracks_track(tk, TK_G, 2);
	tracks_enter(tk, &(struct sink_enter){ 0, g, 0, 0, TS_SYNC, 0, 0 }, 1);
	tracks_enter(tk, &(struct sink_enter){ 0, waker, 0, 0, TS_RUN, 0, 0 }, 1);
	tracks_upto(tk, 100);
	for (size_t i = 0; i < sizeof entered; i++)
		tracks_enter(tk, &(struct sink_enter){ 100, g, entered[i] == TS_READY ? waker : 0, 0, entered[i], 0, 0 }, 1);
	tracks_upto(tk, 200);
	tracks_snap(tk, &sn);
	law(&sn);
	struct trace_interval v;
	OK(trace_interval_at(&sn, g, 100, &v) && v.state == TS_SYSCALL && v.t0 == 100 && v.t1 == 200);
	OK(!wake_edges_next(&sn, &w, waker, 0, 200, &e));
	tracks_free(tk);
	mem_free(st);
}

/* Rows of wake-ups of about the length of a burst, with gaps of about the longest. */
static void rows_of_wakes(uint32_t s)
{
	enum { WAKERS = 3, WAITERS = 30, ROWS = 60 };
	struct store *st = xcalloc(1, sizeof *st);
	struct tracks *tk = tracks_new(st);
	struct snap sn = { .st = st };
	trk_id p = tracks_track(tk, TK_P, 0), w[WAKERS], g[WAITERS];
	int64_t t = 0;
	seed = s;
	for (uint64_t k = 0; k < WAKERS; k++)
		w[k] = tracks_track(tk, TK_G, 1 + k);
	for (uint64_t k = 0; k < WAITERS; k++)
		g[k] = tracks_track(tk, TK_G, 100 + k);
	for (uint32_t row = 0; row < ROWS; row++) {
		trk_id waker = w[rnd(WAKERS)];
		stk_id stack = 1 + rnd(2);
		for (uint32_t n = rnd(3 * MOMENTS_BURST); n; n--) {
			trk_id to = g[rnd(WAITERS)];
			t += MOMENTS_BURST_NS - (rnd(60) ? 1 + rnd(MOMENTS_BURST_NS - 2) : rnd(2));
			tracks_enter(tk, &(struct sink_enter){ t - 1, to, 0, 0, TS_SYNC, 0, 0 }, 1);
			tracks_enter(tk, &(struct sink_enter){ t, to, waker, stack, TS_READY, 0, 0 }, 1);
			tracks_enter(tk, &(struct sink_enter){ t, p, 0, 0, n % 2 ? TS_RUN : TS_IDLE, 0, 0 }, 1);
		}
		if (!rnd(8))
			tracks_upto(tk, t);
	}
	tracks_upto(tk, t + 10);
	tracks_snap(tk, &sn);
	edges_of_wakers(&sn, 1);
	moments(&sn);
	tracks_free(tk);
	mem_free(st);
}

int main(void)
{
	for (uint32_t s = 1; s <= 20; s++)
		rows_of_wakes(s);
	OK(bursts > 100);
	late();
	lengths();
	at_once();
	for (uint32_t s = 1; s <= 4; s++) {
		round_trip(s, 50, 1u << 30);	/* one sheet, many intervals of no length */
		round_trip(s, 2000, 100);	/* sixty sheets */
		round_trip(s, 9000000, 3000);	/* half a minute: sheets of SHEET_MAX_NS */
	}
	return DONE();
}
