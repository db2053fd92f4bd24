/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Waits of goroutines as histograms, and who ended them, counted while span_scan.c goes over the sheets. Who ends
 * waits is counted by the name of its start function, all of them, and the first few are picked at the end: so it does
 * not matter in which order spans come.
 */
#include "config.h"
#include "trace/stats/wait_stats.h"

#include "base/mem/mem.h"
#include "trace/longest_wait.h"
#include "trace/span_scan.h"

#include <string.h>

struct lengths { int64_t *v; uint32_t n; size_t cap; };
struct counting {
	const struct snap *sn;
	const struct waits_ask *q;
	struct waits *o;
	uint32_t *woke;
	struct lengths ready, block[WAITS_STATES];
};

static void add(struct lengths *l, int64_t ns)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1u, sizeof *l->v);
	l->v[l->n++] = ns;
}

static struct sched_spread spread(struct lengths *l)
{
	struct sched_spread s = sched_spread(l->v, l->n);
	mem_free(l->v);
	return s;
}

static void count(void *arg, const struct allspans_one *v)
{
	struct counting *c = arg;
	struct waits *o = c->o;
	o->spans++;
	if (c->sn->complete && v->t1 >= c->sn->t1 && state_waits(v->state)) {
		o->still++;
		o->still_longest = v->t1 - v->t0 > o->still_longest ? v->t1 - v->t0 : o->still_longest;
	}
	if (v->state == TS_READY) {
		histo_add(&o->histo, v->t1 - v->t0);
		add(&c->ready, v->t1 - v->t0);
		str_id name = v->who ? store_trk(c->sn->st, v->who)->name : 0;
		if (state_waits(v->was)) {
			c->woke[name < c->sn->nstrs ? name : 0]++;
			o->wakes++;
		}
	}
	for (int k = 0; k < WAITS_STATES; k++)
		if (v->state == c->q->state[k] && state_waits(v->state)) {
			histo_add(&o->block_histo[k], v->t1 - v->t0);
			add(&c->block[k], v->t1 - v->t0);
		}
}

/* Those that ended most waits, and of equals the first by number. */
static void pick_wakers(struct waits *o, const uint32_t *woke, uint32_t n)
{
	for (str_id name = 0; name < n; name++) {
		uint32_t at = o->nwaker < WAITS_WAKERS ? o->nwaker : WAITS_WAKERS;
		if (!woke[name] || (at == WAITS_WAKERS && o->waker[at - 1].n >= woke[name]))
			continue;
		o->nwaker = at == WAITS_WAKERS ? at-- : at + 1;
		for (; at && o->waker[at - 1].n < woke[name]; at--)
			o->waker[at] = o->waker[at - 1];
		o->waker[at].name = name;
		o->waker[at].n = woke[name];
	}
}

void waits_of(const struct snap *sn, const struct waits_ask *q, struct waits *o)
{
	struct counting c = {.sn = sn, .q = q, .o = o, .woke = xcalloc(sn->nstrs + 1u, sizeof *c.woke)};
	memset(o, 0, sizeof *o);
	o->cut = !allspans(sn, &(struct allspans){.g = q->g, .n = q->n, .t0 = q->t0, .t1 = q->t1, .newest = true,
	    .whos = true, .at_hand = q->at_hand, .most = q->most, .on = q->on, .take = count, .arg = &c});
	o->ready = spread(&c.ready);
	for (int k = 0; k < WAITS_STATES; k++)
		o->block[k] = spread(&c.block[k]);
	pick_wakers(o, c.woke, sn->nstrs);
	mem_free(c.woke);
}
