/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Mutator utilisation is a step function of time. It is built from the store's
 * records of what took Ps away (utils), row by row in the order of the events,
 * because the reference's rules depend on that order: of values at one instant
 * the lowest holds, and a higher one only from the next event of any kind on
 * (sink_util.next).
 *
 * Two oddities of the reference are kept so that the curves are equal: a mark
 * worker that is labelled while it runs is counted once more and never taken
 * back, so that on long traces its P ends up as taken for good; and a series
 * whose last value is 0 ends there. MMU_EXACT counts each worker once and
 * continues to the end. It is used for what a person looks at, and it is the only
 * form that mmu_cut() accepts.
 *
 * The mean over a window is a continuous, piecewise linear function of the start
 * of the window; its corners are where either edge meets a step. So the minimum
 * is at a corner, and one sweep with two cursors visits all corners in linear
 * time. The reference's bands and heaps save work if hundreds of windows are
 * computed over millions of steps; a sweep of a million steps takes 10 ms.
 */
#include "config.h"
#include "trace/mmu.h"

#include <math.h>
#include <stdlib.h>

struct series_builder { struct mmu_series s; size_t ct, cu; };

struct make {
	unsigned flags;
	struct series_builder *out;
	size_t nout, cout;
	int32_t *gc;		/* by P: number of reasons for which it is taken */
	uint32_t *series;
	uint32_t np, taken;	/* taken: number of Ps with a reason */
	size_t cgc, cseries;
	int32_t stw;
	struct procs { int64_t t; uint32_t n; } *procs;	/* GOMAXPROCS over time */
	size_t nprocs, cprocs;
};

static void add_step(struct make *m, uint32_t series, int64_t t, double util)
{
	struct mmu_series *s = &m->out[series].s;
	if (s->n && s->util[s->n - 1] == util)
		return;
	if (s->n && s->t[s->n - 1] == t) {
		if (util < s->util[s->n - 1])
			s->util[s->n - 1] = util;
		return;
	}
	s->t = mem_grow(s->t, &m->out[series].ct, s->n + 1u, sizeof *s->t);
	s->util = mem_grow(s->util, &m->out[series].cu, s->n + 1u, sizeof *s->util);
	s->t[s->n] = t;
	s->util[s->n++] = util;
}

/* Add a step at time t with the current utilisation. */
static void steps_now(struct make *m, int64_t t)
{
	if (!m->np)
		return;
	if (m->flags & MMU_PER_PROC) {
		for (uint32_t i = 0; i < m->np; i++)
			add_step(m, m->series[i], t, m->stw > 0 || m->gc[i] > 0 ? 0 : 1);
		return;
	}
	add_step(m, 0, t, 1 - (double)(m->stw > 0 ? m->np : m->taken) / m->np);
}

static void set_procs(struct make *m, int64_t t, uint32_t n)
{
	for (uint32_t i = n; i < m->np && m->flags & MMU_PER_PROC; i++)
		add_step(m, m->series[i], t, 0);
	for (; m->np > n; m->np--)
		m->taken -= m->gc[m->np - 1] > 0;
	m->gc = mem_grow(m->gc, &m->cgc, n + 1u, sizeof *m->gc);
	m->series = mem_grow(m->series, &m->cseries, n + 1u, sizeof *m->series);
	for (; m->np < n; m->np++) {
		m->gc[m->np] = 0;
		m->series[m->np] = 0;
		if (!(m->flags & MMU_PER_PROC) && m->nout)
			continue;
		m->out = mem_grow(m->out, &m->cout, m->nout + 1, sizeof *m->out);
		m->out[m->nout] = (struct series_builder){ .s.proc = m->np };
		m->series[m->np] = (uint32_t)m->nout++;
		add_step(m, m->series[m->np], t, 1);
	}
	if (!m->nprocs || m->procs[m->nprocs - 1].n != n) {
		m->procs = mem_grow(m->procs, &m->cprocs, m->nprocs + 1, sizeof *m->procs);
		m->procs[m->nprocs++] = (struct procs){ t, n };
	}
}

/* Something that has lasted since before the trace is recorded only now: subtract it from the earlier steps. */
static void amend_past(struct make *m)
{
	if (m->flags & MMU_PER_PROC || !m->nout || !m->nprocs)
		return;
	struct mmu_series *s = &m->out[0].s;
	size_t p = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		while (p + 1 < m->nprocs && m->procs[p + 1].t < s->t[i])
			p++;
		s->util[i] -= m->procs[p].n ? 1 / (double)m->procs[p].n : 0;
		if (s->util[i] < 0)
			s->util[i] = 0;
	}
}

static bool is_gc_work(unsigned flags, enum util_what w)
{
	if (flags & MMU_EXACT ? w == UT_WORKER || w == UT_DEDICATED : w >= UT_WORKER_ONCE)
		return false;
	switch (w) {
	case UT_STW: return flags & MMU_STW;
	case UT_ASSIST: return flags & MMU_ASSIST;
	case UT_SWEEP: return flags & MMU_SWEEP;
	case UT_WORKER_ONCE:
	case UT_WORKER: return flags & MMU_BACKGROUND;
	/* per P, a dedicated worker takes the P from no goroutine: they all run elsewhere */
	case UT_DEDICATED_ONCE:
	case UT_DEDICATED: return flags & MMU_BACKGROUND && !(flags & MMU_PER_PROC);
	default: return false;
	}
}

static void take_proc(struct make *m, uint64_t proc, int32_t delta)
{
	m->taken -= m->gc[proc] > 0;
	m->gc[proc] += delta;
	m->taken += m->gc[proc] > 0;
}

static void apply_util(struct make *m, const struct sink_util *u)
{
	if (u->what == UT_PROCS) {
		set_procs(m, u->t, u->proc < 1u << 20 ? u->proc : 1u << 20);
	} else if (m->np && is_gc_work(m->flags, u->what)) {
		if (u->past)
			amend_past(m);
		if (u->what == UT_STW)
			m->stw += u->delta;
		else if (u->proc < m->np)
			take_proc(m, u->proc, u->delta);
	}
}

static void integrate_series(struct mmu_series *s)
{
	double sum = 0;
	s->sum = xmalloc((s->n + 1u) * sizeof *s->sum);
	for (uint32_t i = 0; i < s->n; i++) {
		if (i)
			sum += s->util[i - 1] * (double)(s->t[i] - s->t[i - 1]);
		s->sum[i] = sum;
	}
}

static void *move_to_arena(struct arena *a, void *p, size_t n)
{
	char *q = arena_alloc(a, n + 1);
	for (size_t i = 0; i < n; i++)
		q[i] = ((char *)p)[i];
	mem_free(p);
	return q;
}

struct mmu *mmu_new(const struct snap *sn, unsigned flags, struct arena *a)
{
	bool once = false;	/* stores made of logs count workers in one way only */
	for (uint32_t i = 0; i < sn->nutils && !once; i++)
		once = ((const struct sink_util *)column_at(&sn->st->utils, i))->what >= UT_WORKER_ONCE;
	struct make m = { .flags = once ? flags : flags & ~(unsigned)MMU_EXACT };
	for (uint32_t i = 0; i < sn->nutils; i++) {
		const struct sink_util *u = column_at(&sn->st->utils, i);
		const struct sink_util *next = i + 1 < sn->nutils ? column_at(&sn->st->utils, i + 1) : NULL;
		apply_util(&m, u);
		steps_now(&m, u->t);
		if (!next || next->t > u->t)
			steps_now(&m, u->next);
	}
	for (uint32_t i = 0; i < m.np; i++)
		add_step(&m, m.series[i], sn->t1, flags & MMU_EXACT ? -1 : 0);
	struct mmu *out = arena_zalloc(a, sizeof *out);
	out->s = arena_alloc(a, (m.nout + 1) * sizeof *out->s);
	for (size_t i = 0; i < m.nout; i++) {
		struct mmu_series *s = &m.out[i].s;
		integrate_series(s);
		s->t = move_to_arena(a, s->t, s->n * sizeof *s->t);
		s->util = move_to_arena(a, s->util, s->n * sizeof *s->util);
		s->sum = move_to_arena(a, s->sum, s->n * sizeof *s->sum);
		if (s->n > 1 && s->t[s->n - 1] > s->t[0])
			out->s[out->n++] = *s;
	}
	mem_free(m.out);
	mem_free(m.gc);
	mem_free(m.series);
	mem_free(m.procs);
	return out;
}

struct mmu *mmu_cut(const struct mmu *m, int64_t t0, int64_t t1, struct arena *a)
{
	struct mmu *out = arena_zalloc(a, sizeof *out);
	out->s = arena_alloc(a, (m->n + 1u) * sizeof *out->s);
	for (uint32_t k = 0; k < m->n; k++) {
		const struct mmu_series *s = &m->s[k];
		struct mmu_series c = { .proc = s->proc };
		int64_t from = t0 > s->t[0] ? t0 : s->t[0], to = t1 < s->t[s->n - 1] ? t1 : s->t[s->n - 1];
		if (to <= from)
			continue;
		c.t = arena_alloc(a, (s->n + 2u) * sizeof *c.t);
		c.util = arena_alloc(a, (s->n + 2u) * sizeof *c.util);
		c.sum = arena_alloc(a, (s->n + 2u) * sizeof *c.sum);
		for (uint32_t i = 0; i + 1 < s->n; i++) {
			if (s->t[i + 1] <= from || s->t[i] >= to)
				continue;
			c.t[c.n] = s->t[i] < from ? from : s->t[i];
			c.util[c.n++] = s->util[i];
		}
		c.t[c.n] = to;
		c.util[c.n++] = 0;
		c.sum[0] = 0;
		for (uint32_t i = 1; i < c.n; i++)
			c.sum[i] = c.sum[i - 1] + c.util[i - 1] * (double)(c.t[i] - c.t[i - 1]);
		out->s[out->n++] = c;
	}
	return out;
}

/* ---- windows */

struct series_cursor { const struct mmu_series *s; uint32_t i; };

/* Return the integral up to t; t must not decrease between calls. */
static double integral_until(struct series_cursor *c, int64_t t)
{
	const struct mmu_series *s = c->s;
	while (c->i + 1 < s->n && s->t[c->i + 1] <= t)
		c->i++;
	return s->sum[c->i] + s->util[c->i] * (double)(t - s->t[c->i]);
}

/* A walk over the corners of the windowed mean of a series; walk_on() returns false after the last. */
struct window_walk { struct series_cursor left, right; int64_t window, t, end; bool begun, over; double mu; };

static struct window_walk walk_begin(const struct mmu_series *s, int64_t window)
{
	int64_t all = s->t[s->n - 1] - s->t[0];
	if (window > all)
		window = all;
	return (struct window_walk){ .left = { s, 0 }, .right = { s, 0 }, .window = window, .t = s->t[0],
		.end = s->t[s->n - 1] - window };
}

static int64_t next_step(const struct series_cursor *c, int64_t t)
{
	uint32_t i = c->i;
	while (i < c->s->n && c->s->t[i] <= t)
		i++;
	return i < c->s->n ? c->s->t[i] : INT64_MAX;
}

static bool walk_on(struct window_walk *w)
{
	if (w->over)
		return false;
	if (w->begun) {
		int64_t a = next_step(&w->left, w->t), b = next_step(&w->right, w->t + w->window);
		int64_t t = b == INT64_MAX ? a : b - w->window < a ? b - w->window : a;
		w->t = t < w->end ? t : w->end;
	}
	w->begun = true;
	w->mu = (integral_until(&w->right, w->t + w->window) - integral_until(&w->left, w->t)) / (double)w->window;
	w->over = w->t >= w->end;
	return true;
}

double mmu_min(const struct mmu *m, int64_t window)
{
	double least = 1;
	if (window <= 0)
		return 0;
	for (uint32_t i = 0; i < m->n && least > 0; i++) {
		struct window_walk w = walk_begin(&m->s[i], window);
		while (walk_on(&w))
			if (w.mu < least)
				least = w.mu;
	}
	return least < 0 ? 0 : least;
}

struct corner { double x, slope, mass; };

static int corner_cmp(const void *a, const void *b)
{
	double x = ((const struct corner *)a)->x, y = ((const struct corner *)b)->x;
	return x < y ? -1 : x > y;
}

/* The windows that start between two corners spread their mass evenly between the values at both. */
static void spread_mass(struct corner *c, size_t *n, double l, double r, double mass)
{
	if (l == r) {
		c[(*n)++] = (struct corner){ l, 0, mass };
		return;
	}
	double lo = l < r ? l : r, hi = l < r ? r : l, slope = mass / (hi - lo);
	c[(*n)++] = (struct corner){ lo, slope, 0 };
	c[(*n)++] = (struct corner){ hi, -slope, 0 };
}

/* Return the value up to which the distribution has the mass `want`. */
static double mass_find(const struct corner *c, size_t n, double want)
{
	double sum = 0, rate = 0, x = 0;
	for (size_t i = 0; i < n; i++) {
		double next = sum + (c[i].x - x) * rate;
		if (next >= want)
			return rate > 0 && next > sum ? (want - sum) / rate + x : c[i].x;
		next += c[i].mass;
		if (next >= want)
			return c[i].x;
		sum = next;
		x = c[i].x;
		rate += c[i].slope;
	}
	return x;
}

double mmu_quantile(const struct mmu *m, int64_t window, double q)
{
	size_t room = 0, n = 0;
	double all = 0;
	if (window <= 0)
		return 0;
	for (uint32_t i = 0; i < m->n; i++)
		room += 4u * (size_t)m->s[i].n + 8;
	struct corner *c = xmalloc((room + 1) * sizeof *c);
	for (uint32_t i = 0; i < m->n; i++) {
		struct window_walk w = walk_begin(&m->s[i], window);
		int64_t was = 0;
		double mu = 0;
		for (bool first = true; walk_on(&w); first = false, was = w.t, mu = w.mu)
			if (!first && w.t > was && n + 2 <= room) {
				spread_mass(c, &n, mu, w.mu, (double)(w.t - was));
				all += (double)(w.t - was);
			}
	}
	double x = mmu_min(m, window);
	if (n && q > 0) {
		qsort(c, n, sizeof *c, corner_cmp);
		x = mass_find(c, n, all * q);
	}
	mem_free(c);
	return x < 0 ? 0 : x;
}

static int window_cmp(const void *a, const void *b)
{
	const struct mmu_window *x = a, *y = b;
	if (x->util != y->util)
		return x->util < y->util ? -1 : 1;
	return x->t0 < y->t0 ? -1 : x->t0 > y->t0;
}

uint32_t mmu_worst(const struct mmu *m, int64_t window, uint32_t n, struct mmu_window *out)
{
	struct mmu_window *v = NULL;
	size_t nv = 0, cap = 0;
	uint32_t got = 0;
	if (window <= 0)
		return 0;
	for (uint32_t i = 0; i < m->n; i++) {
		struct window_walk w = walk_begin(&m->s[i], window);
		while (walk_on(&w)) {
			v = mem_grow(v, &cap, nv + 1, sizeof *v);
			v[nv++] = (struct mmu_window){ w.t, w.mu < 0 ? 0 : w.mu, m->s[i].proc };
		}
	}
	if (nv)
		qsort(v, nv, sizeof *v, window_cmp);
	for (size_t i = 0; i < nv && got < n; i++) {
		bool free = true;
		for (uint32_t k = 0; k < got && free; k++)
			free = llabs(out[k].t0 - v[i].t0) >= window || out[k].proc != v[i].proc;
		if (free)
			out[got++] = v[i];
	}
	mem_free(v);
	return got;
}

void mmu_plot(const struct mmu *m, int64_t window[MMU_PLOT])
{
	int64_t lo = 1000000000, first = INT64_MAX, last = 0;
	while (lo > 1 && mmu_min(m, lo) >= 0.0001)
		lo /= 1000;
	if (lo < 1)
		lo = 1;
	for (uint32_t i = 0; i < m->n; i++) {
		first = m->s[i].t[0] < first ? m->s[i].t[0] : first;
		last = m->s[i].t[m->s[i].n - 1] > last ? m->s[i].t[m->s[i].n - 1] : last;
	}
	double hi = (double)lo * 1e6;
	if (last > first && hi > (double)(last - first))
		hi = (double)(last - first);
	if ((double)lo >= hi)	/* the whole trace is shorter than the window in which nothing is left to the program */
		lo = hi >= 1000 ? (int64_t)(hi / 1000) : 1;
	double a = log((double)lo), b = log(hi);
	for (int i = 0; i < MMU_PLOT; i++)
		window[i] = (int64_t)exp((double)i / (MMU_PLOT - 1) * (b - a) + a);
}
