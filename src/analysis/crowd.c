/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The crowd of those who wait for a P. Each wait is a step up and a step down;
 * sorted, the steps give how many wait between any two of them, and divided by
 * the number of Ps of that time, what each P's share of their waiting is. The
 * sums up to every step are kept, so the share of a stretch of any P is two
 * searches, however many waits it has. The road not taken is to look, for every
 * wait, at what ran meanwhile: that is waits times Ps times what each ran.
 *
 * Sums are whole nanoseconds, remainders carried on: the shares of one P over
 * stretches that meet add up to the share of the whole exactly. When the number
 * of Ps changes the remainder is dropped, which is less than a nanosecond.
 */
#include "config.h"
#include "analysis/crowd.h"

#include "base/halve.h"
#include "base/mem.h"
#include "store/spans.h"

#include <stdlib.h>

struct step { int64_t t; int32_t up; uint32_t procs; };	/* up 0: so many Ps from here on */
struct sum { int64_t t, ns, rest, wait; uint32_t procs; };	/* up to t; from t on `wait` wait */

struct crowd {
	struct step *step;
	size_t n, cap;
	struct sum *sum;
	size_t nsum;
};

static void add(struct crowd *c, struct step s)
{
	c->step = mem_grow(c->step, &c->cap, c->n + 1, sizeof *c->step);
	c->step[c->n++] = s;
}

/* The number of Ps over time; before it is said first, it is what is said first, or all there are. */
struct crowd *crowd_new(const struct snap *sn)
{
	struct crowd *c = xcalloc(1, sizeof *c);
	uint32_t ps = 0;
	for (trk_id t = 1; t < sn->ntrks; store_pass(sn, t++))
		ps += store_trk(sn->st, t)->kind == TK_P;
	for (uint32_t i = 0; i < sn->ncounts[CT_GOMAXPROCS]; i++) {
		const struct count_row *r = store_count(sn->st, CT_GOMAXPROCS, i);
		uint32_t n = r->v && r->v < UINT32_MAX ? (uint32_t)r->v : 1;
		add(c, (struct step){i ? r->t : INT64_MIN, 0, n});
	}
	if (!c->n)
		add(c, (struct step){INT64_MIN, 0, ps ? ps : 1});
	return c;
}

void crowd_add(struct crowd *c, int64_t t0, int64_t t1)
{
	add(c, (struct step){t0, 1, 0});
	add(c, (struct step){t1, -1, 0});
}

static int step_cmp(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	return x->t < y->t ? -1 : x->t > y->t;
}

void crowd_done(struct crowd *c)
{
	qsort(c->step, c->n, sizeof *c->step, step_cmp);
	c->sum = xcalloc(c->n, sizeof *c->sum);
	struct sum s = {.t = INT64_MIN, .procs = 1};
	for (size_t i = 0; i < c->n; i++) {
		const struct step *p = &c->step[i];
		if (s.wait && p->t > s.t) {
			int64_t ns = s.rest + s.wait * (p->t - s.t);
			s.ns += ns / s.procs;
			s.rest = ns % s.procs;
		}
		s.t = p->t;
		s.wait += p->up;
		if (!p->up) {
			s.procs = p->procs;
			s.rest = 0;
		}
		if (c->nsum && c->sum[c->nsum - 1].t == s.t)
			c->nsum--;
		c->sum[c->nsum++] = s;
	}
	mem_free(c->step);
	c->step = NULL;
}

static int64_t upto(const struct crowd *c, int64_t t)
{
	struct halve h = {.hi = c->nsum};
	while (halve(&h))	/* the first step after t */
		halve_on(&h, c->sum[h.at].t <= t);
	if (!h.lo)
		return 0;
	const struct sum *s = &c->sum[h.lo - 1];
	return s->ns + (s->wait ? (s->rest + s->wait * (t - s->t)) / s->procs : 0);
}

int64_t crowd_between(const struct crowd *c, int64_t t0, int64_t t1)
{
	return t1 > t0 ? upto(c, t1) - upto(c, t0) : 0;
}

int64_t crowd_share(const struct crowd *c, uint64_t id)
{
	int64_t ns = 0;
	for (size_t i = 0; i + 1 < c->nsum; i++)
		if (c->sum[i].procs > id)
			ns += c->sum[i + 1].ns - c->sum[i].ns;
	return ns;
}

void crowd_free(struct crowd *c)
{
	if (!c)
		return;
	mem_free(c->step);
	mem_free(c->sum);
	mem_free(c);
}
