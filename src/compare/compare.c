/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The comparison: matches the kinds of both sides, measures each kind on both, and marks what changed. A change is
 * marked if it exceeds the spread of both sides (spread.c) and is not tiny: two runs of one program always differ by
 * some per cent, because of the machine, and each of them may be very even.
 */
#include "config.h"
#include "compare/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least change that is marked: a part of the earlier value; for places and classes of time a part of the mean
   duration of the kind; in any case some time. The p99 must double: it depends on a few operations, of which resamples
   give too small a spread. */
static const double least_duration = 0.25, least_p99 = 1, least_place = 0.05;
enum { LEAST_NS = 2000 };

const char *compare_change_name(enum compare_change c)
{
	static const char *const name[] = {"same", "worse", "better", "too few", "new", "gone"};
	return name[c];
}

const char *compare_measure_name(enum compare_measure m)
{
	static const char *const name[] = {"p50", "p99", "mean", "per second"};
	return name[m];
}

struct compare_run {
	const struct compare_query *q;
	struct comparison *out;
	struct compare_trace trace[COMPARE_SIDES];
	struct compare_names names;
	struct arena *mem, scratch;
};

/* ---- durations */

static int64_t *durations_of(const struct compare_trace *t, const struct kind_operations *of)
{
	int64_t *ns = xmalloc((of->n + 1u) * sizeof *ns);
	for (uint32_t i = 0; i < of->n; i++) {
		struct operation x = operations_get(t->ops, of->v[i]);
		ns[i] = x.t1 - x.t0;
	}
	return ns;
}

static struct compare_value mean_duration(const int64_t *ns, uint32_t n)
{
	struct spread_blocks b = {.n = n < COMPARE_BLOCKS ? n : COMPARE_BLOCKS};
	for (uint32_t i = 0; i < n; i++) {
		b.sum[spread_block(i, n)] += (double)ns[i];
		b.count[spread_block(i, n)]++;
	}
	return spread_mean(&b);
}

static struct compare_value rate_of(const struct compare_trace *t, const struct kind_operations *of)
{
	int64_t all = t->t1 > t->t0 ? t->t1 - t->t0 : 1;
	struct spread_blocks b = {.n = COMPARE_BLOCKS};
	for (int i = 0; i < COMPARE_BLOCKS; i++)
		b.count[i] = (double)all / 1e9 / COMPARE_BLOCKS;
	for (uint32_t i = 0; i < of->n; i++) {
		double at = (double)(operations_get(t->ops, of->v[i]).t0 - t->t0) / (double)all * COMPARE_BLOCKS;
		b.sum[at < 0 ? 0 : at >= COMPARE_BLOCKS ? COMPARE_BLOCKS - 1 : (int)at]++;
	}
	return spread_mean(&b);
}

static void measure_durations(
    struct compare_kind *k, const struct compare_trace *t, enum compare_side s, const struct kind_operations *of)
{
	int64_t *ns = durations_of(t, of);
	k->n[s] = of->n;
	k->amount[COMPARE_P50].at[s] = spread_quantile(ns, of->n, 0.5);
	k->amount[COMPARE_P99].at[s] = spread_quantile(ns, of->n, 0.99);
	k->amount[COMPARE_MEAN].at[s] = mean_duration(ns, of->n);
	k->amount[COMPARE_RATE].at[s] = rate_of(t, of);
	mem_free(ns);
}

static uint32_t fewest(const struct compare_kind *k)
{
	return k->n[COMPARE_BEFORE] < k->n[COMPARE_AFTER] ? k->n[COMPARE_BEFORE] : k->n[COMPARE_AFTER];
}

static void judge_durations(struct compare_kind *k)
{
	for (int m = 0; m < COMPARE_MEASURE__N; m++) {
		struct compare_amount *a = &k->amount[m];
		double part = m == COMPARE_P99 ? least_p99 : least_duration;
		double least = part * fmin(a->at[COMPARE_BEFORE].value, a->at[COMPARE_AFTER].value);
		bool rate = m == COMPARE_RATE;
		if (fewest(k) < (m == COMPARE_P99 ? COMPARE_FEW_P99 : COMPARE_FEW))
			a->change = COMPARE_TOO_FEW;
		else
			a->change = spread_change(a, rate ? least : fmax(least, LEAST_NS),
			    rate ? COMPARE_BETTER : COMPARE_WORSE);
	}
}

static enum compare_change change_of_kind(const struct compare_kind *k)
{
	bool worse = false, better = false;
	for (int m = COMPARE_P50; m <= COMPARE_MEAN; m++) {
		worse = worse || k->amount[m].change == COMPARE_WORSE;
		better = better || k->amount[m].change == COMPARE_BETTER;
	}
	if (!k->n[COMPARE_BEFORE] || !k->n[COMPARE_AFTER])
		return k->n[COMPARE_AFTER] ? COMPARE_NEW : COMPARE_GONE;
	if (fewest(k) < COMPARE_FEW)
		return COMPARE_TOO_FEW;
	return worse ? COMPARE_WORSE : better ? COMPARE_BETTER : COMPARE_SAME;
}

/* ---- places */

static struct compare_value mean_of_blocks(const struct kind_sums *k, enum compare_side s, const double *sum)
{
	struct spread_blocks b = {.n = k->blocks[s]};
	for (uint32_t i = 0; i < b.n; i++) {
		b.sum[i] = sum[i];
		b.count[i] = k->count[s][i];
	}
	return spread_mean(&b);
}

static void judge_time(const struct compare_kind *k, struct compare_amount *a)
{
	const struct compare_amount *mean = &k->amount[COMPARE_MEAN];
	double least = least_place * fmin(mean->at[COMPARE_BEFORE].value, mean->at[COMPARE_AFTER].value);
	a->change = fewest(k) < COMPARE_FEW ? COMPARE_TOO_FEW : spread_change(a, fmax(least, LEAST_NS), COMPARE_WORSE);
}

static double difference(const struct compare_amount *a)
{
	return a->at[COMPARE_AFTER].value - a->at[COMPARE_BEFORE].value;
}

/* The largest difference first, in either direction. */
static int by_difference(const void *a, const void *b)
{
	const struct compare_place *x = a, *y = b;
	double d = fabs(difference(&x->ns)), e = fabs(difference(&y->ns));
	if (d != e)
		return d > e ? -1 : 1;
	if (x->cls != y->cls)
		return x->cls < y->cls ? -1 : 1;
	return strcmp(x->function, y->function);
}

static struct compare_place make_place(const struct compare_run *r, const struct compare_kind *k,
    const struct kind_sums *sums, const struct kind_place *from)
{
	bool pair = from->cause != COMPARE_NONE;
	enum compare_side s = from->longest[COMPARE_AFTER] > 0 ? COMPARE_AFTER : COMPARE_BEFORE;
	struct compare_place p = {.cls = pair ? from->cause_cls : from->cls, .up = COMPARE_NONE,
	    .function = r->names.v[pair ? from->cause : from->name]};
	compare_place_line(&r->trace[s], from->stack[s], r->mem, &p);
	for (int i = 0; i < COMPARE_SIDES; i++)
		p.ns.at[i] = mean_of_blocks(sums, (enum compare_side)i, from->sum[i]);
	judge_time(k, &p.ns);
	return p;
}

/* Make the list of what each place of the operation itself waits for. Those are the first `own`. */
static void link_places(struct compare_kind *k, uint32_t own)
{
	for (uint32_t i = 0; i < own; i++)
		k->place[i].below = COMPARE_NONE;
	for (uint32_t i = k->nplaces; i-- > own;) {
		struct compare_place *up = &k->place[k->place[i].up];
		k->place[i].next = up->below;
		up->below = i;
	}
}

static void make_places(const struct compare_run *r, struct compare_kind *k, const struct kind_sums *sums)
{
	uint32_t own = 0, *sorted = xmalloc((sums->n + 1u) * sizeof *sorted);	/* by index in sums: its place */
	k->place = arena_zalloc(r->mem, (sums->n + 1u) * sizeof *k->place);
	for (uint32_t i = 0; i < sums->n; i++)
		if (sums->v[i].cause == COMPARE_NONE) {
			k->place[own] = make_place(r, k, sums, &sums->v[i]);
			k->place[own++].up = i;		/* until they are sorted */
		}
	k->nplaces = own;
	if (own)
		qsort(k->place, own, sizeof *k->place, by_difference);
	for (uint32_t i = 0; i < own; i++) {
		sorted[k->place[i].up] = i;
		k->place[i].up = COMPARE_NONE;
	}
	for (uint32_t i = 0; i < sums->n; i++)
		if (sums->v[i].cause != COMPARE_NONE) {
			k->place[k->nplaces] = make_place(r, k, sums, &sums->v[i]);
			k->place[k->nplaces++].up = sorted[sums->v[i].wait];
		}
	if (k->nplaces > own)
		qsort(k->place + own, k->nplaces - own, sizeof *k->place, by_difference);
	link_places(k, own);
	mem_free(sorted);
}

static void make_classes(struct compare_kind *k, const struct kind_sums *sums)
{
	for (int c = 0; c < TIME_CLASS__N; c++) {
		for (int s = 0; s < COMPARE_SIDES; s++)
			k->class_ns[c].at[s] = mean_of_blocks(sums, (enum compare_side)s, sums->class_ns[s][c]);
		judge_time(k, &k->class_ns[c]);
	}
}

/* ---- kinds */

static bool measure_kind(struct compare_run *r, struct compare_kind *k, const struct operation_kind *named)
{
	struct kind_sums *sums = xcalloc(1, sizeof *sums);
	bool whole = true;
	sums->names = &r->names;
	k->walked = sums->walks = compare_may_walk(&r->trace[COMPARE_BEFORE]) && compare_may_walk(&r->trace[COMPARE_AFTER]);
	for (int i = COMPARE_SIDES; i-- > 0 && whole;) {
		enum compare_side s = (enum compare_side)i;
		struct kind_operations of = compare_operations_of(&r->trace[s], named, &r->scratch);
		measure_durations(k, &r->trace[s], s, &of);
		whole = compare_walk_side(sums, &r->trace[s], s, &of, r->q, &r->scratch);
	}
	judge_durations(k);
	k->change = change_of_kind(k);
	make_classes(k, sums);
	make_places(r, k, sums);
	intern_free(&sums->index);
	mem_free(sums->v);
	mem_free(sums);
	return whole;
}

/* Is a kind the first one with its name, and of the later side if both have it? */
static bool is_measured(const struct compare_run *r, enum compare_side s, uint32_t i)
{
	const struct operation_kind *k = &r->trace[s].ops->kind[i];
	return k->source != OPERATION_GOROUTINE && compare_kind_named(&r->trace[s], k) == i &&
	    (s == COMPARE_AFTER || compare_kind_named(&r->trace[COMPARE_AFTER], k) == COMPARE_NONE);
}

static bool measure_kinds(struct compare_run *r)
{
	struct comparison *c = r->out;
	uint32_t most = r->trace[COMPARE_BEFORE].ops->nkinds + r->trace[COMPARE_AFTER].ops->nkinds;
	c->kind = arena_zalloc(r->mem, (most + 1u) * sizeof *c->kind);
	for (int s = COMPARE_SIDES; s-- > 0;) {
		const struct operations *o = r->trace[s].ops;
		for (uint32_t i = 0; i < o->nkinds; i++) {
			const struct operation_kind *named = &o->kind[i];
			if (!is_measured(r, (enum compare_side)s, i))
				continue;
			struct compare_kind *k = &c->kind[c->nkinds];
			k->name = arena_strndup(r->mem, named->nname ? named->name : "", named->nname);
			k->nname = named->nname;
			k->source = named->source;
			if (!measure_kind(r, k, named))
				return false;
			c->nkinds += k->n[COMPARE_BEFORE] || k->n[COMPARE_AFTER];
		}
	}
	return true;
}

uint32_t compare_unread_kinds(const struct comparison *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->nkinds; i++)
		n += !c->kind[i].walked;
	return n;
}

uint32_t compare_worst_kind(const struct comparison *c)
{
	uint32_t best = COMPARE_NONE;
	double most = 0;
	for (uint32_t i = 0; i < c->nkinds; i++) {
		const struct compare_kind *k = &c->kind[i];
		double lost = difference(&k->amount[COMPARE_MEAN]) * k->n[COMPARE_AFTER];
		bool better = best == COMPARE_NONE || k->source < c->kind[best].source;
		if (k->change != COMPARE_WORSE || (!better && (k->source > c->kind[best].source || lost <= most)))
			continue;
		best = i;
		most = lost;
	}
	return best;
}

uint32_t compare_worst_place(const struct compare_kind *k, uint32_t up)
{
	bool better = k->change == COMPARE_BETTER;
	for (uint32_t i = 0; i < k->nplaces; i++)
		if (k->place[i].up == up && k->place[i].ns.change == (better ? COMPARE_BETTER : COMPARE_WORSE))
			return i;
	return COMPARE_NONE;
}

struct comparison *compare_sides(const struct compare_query *q, struct arena *mem)
{
	struct compare_run r = {.q = q, .mem = mem, .names.mem = mem};
	bool whole = true;
	r.out = arena_zalloc(mem, sizeof *r.out);
	for (int s = 0; s < COMPARE_SIDES && whole; s++) {
		r.out->in[s] = q->in[s];
		r.out->findings[s] = q->findings[s];
		whole = compare_trace_open(&r.trace[s], &r.out->in[s], q, &r.scratch);
	}
	whole = whole && measure_kinds(&r);
	if (whole && q->findings[COMPARE_BEFORE] && q->findings[COMPARE_AFTER])
		compare_findings(r.out, mem);
	for (int s = 0; s < COMPARE_SIDES; s++)
		compare_trace_close(&r.trace[s]);
	intern_free(&r.names.index);
	mem_free(r.names.v);
	arena_free(&r.scratch);
	return whole && job_should_continue(&q->on) ? r.out : NULL;
}
