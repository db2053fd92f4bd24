/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of goroutines as histograms, and which functions ended them, counted during a pass of span_scan.c. Wakes are
 * counted by the name of the waker's start function, for all names, and the first few are selected at the end, so the
 * result does not depend on the order of the spans.
 */
#include "config.h"
#include "trace/stats/wait_stats.h"

#include "base/mem/mem.h"
#include "base/radix_sort.h"
#include "trace/longest_wait.h"
#include "trace/span_scan.h"

#include <string.h>

/* Durations, of which nearly all fit into 32 bits. */
struct lengths {
	uint32_t *shorter, nshorter;	/* at most UINT32_MAX ns */
	uint32_t nlonger;
	int64_t *longer;
	size_t cshorter, clonger;
};
struct wait_counter {
	const struct snap *sn;
	const struct wait_stats_query *q;
	struct wait_counts *o;
	uint32_t *woke;
	struct lengths ready, block[WAIT_STATS_STATES];
};

static void add_length(struct lengths *l, int64_t ns)
{
	if (ns > UINT32_MAX) {
		l->longer = mem_grow(l->longer, &l->clonger, l->nlonger + 1u, sizeof *l->longer);
		l->longer[l->nlonger++] = ns;
	} else {
		l->shorter = mem_grow(l->shorter, &l->cshorter, l->nshorter + 1u, sizeof *l->shorter);
		l->shorter[l->nshorter++] = (uint32_t)ns;
	}
}

static uint64_t key_of_shorter(const void *arg, const void *v)
{
	(void)arg;
	return *(const uint32_t *)v;
}

static struct stats_spread length_spread(struct lengths *l)
{
	struct stats_spread s = {.n = l->nshorter + l->nlonger};
	radix_sort_in_place(l->shorter, l->nshorter, sizeof *l->shorter, &(struct radix_keys){.first = key_of_shorter});
	stats_sort(l->longer, l->nlonger);
	for (int k = 0; k < SPREAD__N && s.n; k++) {
		uint32_t i = stats_quantile_rank(s.n, stats_spread_share[k]);
		s.at[k] = i < l->nshorter ? l->shorter[i] : l->longer[i - l->nshorter];
	}
	mem_free(l->shorter);
	mem_free(l->longer);
	return s;
}

static void count_span(void *arg, const struct span_scan_item *v)
{
	struct wait_counter *c = arg;
	struct wait_counts *o = c->o;
	o->spans++;
	if (c->sn->complete && v->t1 >= c->sn->t1 && state_is_wait(v->state)) {
		o->still++;
		o->still_longest = v->t1 - v->t0 > o->still_longest ? v->t1 - v->t0 : o->still_longest;
	}
	if (v->state == TS_READY) {
		histogram_add(&o->duration_histogram, v->t1 - v->t0);
		add_length(&c->ready, v->t1 - v->t0);
		str_id name = v->peer ? store_trk_name(c->sn->st, v->peer) : 0;
		if (state_is_wait(v->was)) {
			c->woke[name < c->sn->nstrs ? name : 0]++;
			o->wakes++;
		}
	}
	for (int k = 0; k < WAIT_STATS_STATES; k++)
		if (v->state == c->q->state[k] && state_is_wait(v->state)) {
			histogram_add(&o->block_histo[k], v->t1 - v->t0);
			add_length(&c->block[k], v->t1 - v->t0);
		}
}

/* Select those with most wakes, of equal ones the lower name id first. */
static void pick_wakers(struct wait_counts *o, const uint32_t *woke, uint32_t n)
{
	for (str_id name = 0; name < n; name++) {
		uint32_t at = o->nwaker < WAIT_STATS_WAKERS ? o->nwaker : WAIT_STATS_WAKERS;
		if (!woke[name] || (at == WAIT_STATS_WAKERS && o->waker[at - 1].n >= woke[name]))
			continue;
		o->nwaker = at == WAIT_STATS_WAKERS ? at-- : at + 1;
		for (; at && o->waker[at - 1].n < woke[name]; at--)
			o->waker[at] = o->waker[at - 1];
		o->waker[at].name = name;
		o->waker[at].n = woke[name];
	}
}

void wait_stats_compute(const struct snap *sn, const struct wait_stats_query *q, struct wait_counts *o)
{
	struct wait_counter c = {.sn = sn, .q = q, .o = o, .woke = xcalloc(sn->nstrs + 1u, sizeof *c.woke)};
	memset(o, 0, sizeof *o);
	o->cut = !span_scan_run(sn, &(struct span_scan_run){.g = q->g,
					.n = q->n,
					.t0 = q->t0,
					.t1 = q->t1,
					.newest = true,
					.peers = true,
					.most = q->most,
					.on = q->on,
					.on_span = count_span,
					.arg = &c});
	o->ready = length_spread(&c.ready);
	for (int k = 0; k < WAIT_STATS_STATES; k++)
		o->block[k] = length_spread(&c.block[k]);
	pick_wakers(o, c.woke, sn->nstrs);
	mem_free(c.woke);
}
