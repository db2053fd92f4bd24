/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The number of goroutines that wait for a P. Each wait is a step up and a step down.
 * The sorted steps give the number that wait between any two of them, and divided by the
 * number of Ps at that time, each P's share of their waiting. The sums up to every step
 * are kept, so the share of any time range of a P takes two searches, however many waits
 * overlap it. The road not taken is to look, for every wait, at what ran meanwhile: that
 * costs waits times Ps times the intervals of each.
 *
 * There are as many steps as events, so only those of one sheet are kept, and their
 * total at its end. A wait that continues in the next sheet steps down at the border and
 * up again, which changes nothing. Keeping all steps would take 50 bytes an event.
 *
 * Sums are whole nanoseconds with remainders carried on: the shares of one P over
 * adjacent ranges add up to the share of the whole exactly. When the number of Ps
 * changes, the remainder is dropped, which is less than a nanosecond.
 */
#include "config.h"
#include "trace/run_queue.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "base/wrap_math.h"
#include "store/tracks/time_search.h"

/* sum up to t; from t on `wait` goroutines wait */
struct queue_sum { int64_t t, ns, wait; uint32_t rest, procs; };

struct run_queue_sum {
	const struct snap *sn;
	struct radix_item *step;	/* by time; v: change of the number that wait, as a signed number */
	size_t n, cap;
	struct queue_sum *queue_sum;	/* of this sheet; the first entry is the sum before */
	size_t nsum, csum;
	size_t at;		/* index of the first one after the time of the last query */
	uint32_t applied;	/* number of rows of CT_GOMAXPROCS that were applied */
	uint64_t proc;
	int64_t share;
};

static uint32_t procs_at(const struct snap *sn, uint32_t i)
{
	uint64_t v = store_count(sn->st, CT_GOMAXPROCS, i)->v;
	return v && v < UINT32_MAX ? (uint32_t)v : 1;
}

/* Start with the first known number of Ps; if there is none, with the number of all Ps. */
struct run_queue_sum *run_queue_new(const struct snap *sn, uint64_t proc)
{
	struct run_queue_sum *c = xcalloc(1, sizeof *c);
	uint32_t ps = 0;
	*c = (struct run_queue_sum){ .sn = sn, .proc = proc };
	if (sn->ncounts[CT_GOMAXPROCS])
		ps = procs_at(sn, c->applied++);
	else
		for (trk_id t = 1; t < sn->ntrks; t++)
			ps += store_trk(sn->st, t)->kind == TK_P;
	c->queue_sum = mem_grow(NULL, &c->csum, 1, sizeof *c->queue_sum);
	c->queue_sum[c->nsum++] = (struct queue_sum){ .t = INT64_MIN, .procs = ps ? ps : 1 };
	return c;
}

static void step(struct run_queue_sum *c, int64_t t, int32_t up)
{
	c->step = mem_grow(c->step, &c->cap, c->n + 1, sizeof *c->step);
	c->step[c->n++] = (struct radix_item){ radix_key_ascending(t), (uint32_t)up };
}

void run_queue_add_wait(struct run_queue_sum *c, int64_t t0, int64_t t1)
{
	step(c, t0, 1);
	step(c, t1, -1);
}

/*
 * Return the total waiting time of the goroutines that wait from s on, up to t. With
 * the times of a damaged file it might overflow; then only the remainder is returned.
 */
static int64_t waited_until(const struct queue_sum *s, int64_t t)
{
	int64_t d = wrap_sub(t, s->t);
	return d < 0 || d > (INT64_MAX - s->rest) / s->wait ? s->rest : s->rest + s->wait * d;
}

/* Advance the sum to t, where `up` more goroutines wait. procs: the number of Ps from there on, 0: unchanged. */
static void go_on(struct run_queue_sum *c, int64_t t, int32_t up, uint32_t procs)
{
	struct queue_sum s = c->queue_sum[c->nsum - 1];
	if (s.wait > 0 && t > s.t) {
		int64_t ns = waited_until(&s, t);
		s.ns = wrap_add(s.ns, ns / s.procs);
		s.rest = (uint32_t)(ns % s.procs);
	}
	if (s.procs > c->proc)
		c->share = wrap_add(c->share, wrap_sub(s.ns, c->queue_sum[c->nsum - 1].ns));
	if (procs) {
		s.procs = procs;
		s.rest = 0;
	}
	s.wait += up;
	if (s.t == t)
		c->nsum--;
	s.t = t;
	c->queue_sum = mem_grow(c->queue_sum, &c->csum, c->nsum + 1, sizeof *c->queue_sum);
	c->queue_sum[c->nsum++] = s;
}

/* Apply the changes of the number of Ps up to t. */
static void go_procs(struct run_queue_sum *c, int64_t t)
{
	uint32_t n = c->sn->ncounts[CT_GOMAXPROCS];
	for (; c->applied < n && store_count(c->sn->st, CT_GOMAXPROCS, c->applied)->t <= t; c->applied++)
		go_on(c, store_count(c->sn->st, CT_GOMAXPROCS, c->applied)->t, 0, procs_at(c->sn, c->applied));
}

void run_queue_end_sheet(struct run_queue_sum *c, int64_t end)
{
	radix_sort_items(c->step, (uint32_t)c->n);
	c->queue_sum[0] = c->queue_sum[c->nsum - 1];
	c->nsum = c->at = 1;
	for (size_t i = 0; i < c->n; i++) {
		int64_t t = (int64_t)(c->step[i].key ^ radix_key_ascending(0));
		go_procs(c, t);
		go_on(c, t, (int32_t)c->step[i].v, 0);
	}
	go_procs(c, end);
	c->n = 0;
}

/* Return the index of the first step after t. Most queries are for a time soon after that of the query before. */
static size_t step_after(const struct run_queue_sum *c, int64_t t)
{
	enum { NEAR = 8 };
	struct bsearch_probe h = {.lo = 1, .hi = c->nsum};
	if (c->at > 1 && c->queue_sum[c->at - 1].t <= t) {
		size_t near = c->nsum - c->at < NEAR ? c->nsum : c->at + NEAR;
		h.lo = c->at;
		if (near == c->nsum || c->queue_sum[near].t > t)
			h.hi = near;
	}
	while (bsearch_probe(&h))
		bsearch_narrow(&h, c->queue_sum[h.at].t <= t);
	return h.lo;
}

int64_t run_queue_share_until(struct run_queue_sum *c, int64_t t)
{
	c->at = step_after(c, t);
	const struct queue_sum *s = &c->queue_sum[c->at - 1];
	return s->wait > 0 ? wrap_add(s->ns, waited_until(s, t) / s->procs) : s->ns;
}

int64_t run_queue_share_between(struct run_queue_sum *c, int64_t t0, int64_t t1)
{
	return t1 > t0 ? wrap_sub(run_queue_share_until(c, t1), run_queue_share_until(c, t0)) : 0;
}

int64_t run_queue_proc_share(const struct run_queue_sum *c)
{
	return c->share;
}

void run_queue_free(struct run_queue_sum *c)
{
	if (!c)
		return;
	mem_free(c->step);
	mem_free(c->queue_sum);
	mem_free(c);
}
