/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A trace may have millions of operations, and a sorted copy of their durations would take a third as much memory as the
 * operations themselves. So durations are counted in classes, 32 in each octave, which keep their least and greatest
 * one. Then only those in the classes of the wanted quantiles are copied and sorted. Neighbours of which one is twice as
 * long as the other are never in one class, so the classes show all gaps.
 */
#include "config.h"
#include "operations/durations.h"

#include "base/mem/mem.h"
#include "store/store.h"
#include "trace/stats/goroutine_stats.h"

enum { STEP_BITS = 5, STEPS = 1 << STEP_BITS, CLASSES = (64 - STEP_BITS) * STEPS, BEYOND = 3 };

/* before: how many are in the classes below; at: where those of a wanted class begin in the sorted copy. */
struct duration_class { uint32_t n, before, at; bool wanted; int64_t least, most; };

struct duration_pass {
	durations_fn *fn;
	const void *arg;
	uint32_t all, n;
	struct duration_class *c;
	int64_t *sorted;	/* the durations in wanted classes */
};

static unsigned class_of(int64_t ns)
{
	uint64_t v = ns > 0 ? (uint64_t)ns : 0;
	int shift = v < 2 * STEPS ? 0 : 63 - STEP_BITS - __builtin_clzll(v);
	return (unsigned)shift * STEPS + (unsigned)(v >> shift);
}

static void count_one(struct duration_pass *p, int64_t ns)
{
	struct duration_class *c = &p->c[class_of(ns)];
	c->least = !c->n || ns < c->least ? ns : c->least;
	c->most = !c->n || ns > c->most ? ns : c->most;
	c->n++;
	p->n++;
}

/* Read the next durations from number i on. Return how many. */
static uint32_t read_some(const struct duration_pass *p, uint32_t i, int64_t ns[DURATIONS_AT_ONCE])
{
	uint32_t n = p->all - i < DURATIONS_AT_ONCE ? p->all - i : DURATIONS_AT_ONCE;
	if (n)
		p->fn(p->arg, i, n, ns);
	return n;
}

static void count_all(struct duration_pass *p)
{
	int64_t ns[DURATIONS_AT_ONCE];
	for (uint32_t i = 0, n; (n = read_some(p, i, ns)); i += n)
		for (uint32_t k = 0; k < n; k++)
			if (ns[k] != TIME_NONE)
				count_one(p, ns[k]);
	for (unsigned k = 1; k < CLASSES; k++)
		p->c[k].before = p->c[k - 1].before + p->c[k - 1].n;
}

static struct duration_class *class_of_rank(const struct duration_pass *p, uint32_t rank)
{
	struct duration_class *c = p->c;
	while (rank >= c->before + c->n)
		c++;
	return c;
}

static void copy_wanted(struct duration_pass *p)
{
	uint32_t n = 0, k = 0;
	for (unsigned i = 0; i < CLASSES; i++) {
		p->c[i].at = n;
		n += p->c[i].wanted ? p->c[i].n : 0;
	}
	p->sorted = xmalloc((n + 1u) * sizeof *p->sorted);
	int64_t ns[DURATIONS_AT_ONCE];
	for (uint32_t i = 0, some; k < n && (some = read_some(p, i, ns)); i += some)
		for (uint32_t j = 0; j < some; j++)
			if (ns[j] != TIME_NONE && p->c[class_of(ns[j])].wanted)
				p->sorted[k++] = ns[j];
	stats_sort(p->sorted, k);
}

/* Return the duration of a rank whose class is wanted. */
static int64_t at_rank(const struct duration_pass *p, uint32_t rank)
{
	const struct duration_class *c = class_of_rank(p, rank);
	return p->sorted[c->at + rank - c->before];
}

/* Take the largest gap, if there is one. */
static void find_gap(const struct duration_pass *p, struct durations *d)
{
	const struct duration_class *low = NULL;
	int64_t most = 0;
	for (const struct duration_class *c = p->c; c < p->c + CLASSES; c++) {
		if (!c->n)
			continue;
		if (low && c->before > (p->n - 1) / 2 && c->before + BEYOND <= p->n && c->least - low->most > most &&
		    c->least - low->most >= low->most) {
			most = c->least - low->most;
			d->gap = true;
			d->slow_from = c->least;
			d->nslow = p->n - c->before;
		}
		low = c;
	}
}

/* Take what is longer than the duration of a rank. */
static void take_longer(const struct duration_pass *p, uint32_t rank, struct durations *d)
{
	const struct duration_class *c = class_of_rank(p, rank);
	uint32_t i = rank - c->before;
	while (i < c->n && p->sorted[c->at + i] == p->sorted[c->at + rank - c->before])
		i++;
	d->nslow = p->n - c->before - i;
	if (d->nslow)
		d->slow_from = i < c->n ? p->sorted[c->at + i] : class_of_rank(p, c->before + i)->least;
}

struct durations durations_measure(durations_fn *fn, const void *arg, uint32_t n)
{
	struct durations d = {.slow_from = INT64_MAX};
	struct duration_pass p = {.fn = fn, .arg = arg, .all = n, .c = xcalloc(CLASSES, sizeof *p.c)};
	count_all(&p);
	d.n = p.n;
	uint32_t p99 = (uint32_t)(((uint64_t)p.n * 99 + 99) / 100);	/* how many are not above it */
	uint32_t first = p99 < p.n ? p99 : p.n ? p.n - 1 : 0;
	uint32_t rank[] = {stats_quantile_rank(p.n, 0.5), stats_quantile_rank(p.n, 0.9), stats_quantile_rank(p.n, 0.99),
	    first ? first - 1 : 0};
	for (unsigned i = 0; p.n && i < sizeof rank / sizeof *rank; i++)
		class_of_rank(&p, rank[i])->wanted = true;
	if (p.n) {
		copy_wanted(&p);
		d.p50 = at_rank(&p, rank[0]);
		d.p90 = at_rank(&p, rank[1]);
		d.p99 = at_rank(&p, rank[2]);
		d.max = class_of_rank(&p, p.n - 1)->most;
		find_gap(&p, &d);
	}
	if (first && !d.gap)
		take_longer(&p, rank[3], &d);
	mem_free(p.sorted);
	mem_free(p.c);
	return d;
}
