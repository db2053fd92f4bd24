/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Regions of a goroutine nest, so the depth at which one begins is the number
 * of those still open: pieces of one level never overlap, and a level of a row
 * is a sorted run of them. Levels below the fourth are left out (they lie under
 * one that is there); what the runtime made up for a new goroutine, the task of
 * the region that it was created in, is no region of the program.
 *
 * A tree of intervals would do the same for regions that do not nest; there are
 * none within a goroutine.
 */
#include "config.h"
#include "analysis/inlay.h"

#include "base/halve.h"
#include "store/spans.h"

#include <stdlib.h>
#include <string.h>

enum {
	OPEN_MAX = 64
}; /* regions open at once that are followed; what begins inside of more is left out */

struct found {
	int64_t t0, t1;
	trk_id trk;
	uint32_t span;
	uint8_t level;
};

static int found_cmp(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	if (x->trk != y->trk)
		return x->trk < y->trk ? -1 : 1;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	if (x->t1 != y->t1)
		return x->t1 > y->t1 ? -1 : 1;
	return x->span > y->span ? -1 : x->span < y->span; /* the inner one ended first */
}

static struct found *gather(const struct snap *sn, uint32_t *n)
{
	struct found *v = NULL;
	size_t cap = 0;
	*n = 0;
	for (uint32_t i = 0;
	     (i = spans_next(sn, i, 1u << SP_REGION, sn->t0, INT64_MAX)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->v0 & RG_INHERITED || !s->trk)
			continue;
		v = mem_grow(v, &cap, *n + 1u, sizeof *v);
		v[*n] = (struct found){.trk = s->trk, .span = i};
		span_bounds(sn, s, &v[*n].t0, &v[*n].t1);
		++*n;
	}
	if (*n)
		qsort(v, *n, sizeof *v, found_cmp);
	return v;
}

/* The depth of each; INLAY_DEEP and more: not shown. */
static void set_levels(struct found *v, uint32_t n)
{
	int64_t open[OPEN_MAX];
	int depth = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (i && v[i].trk != v[i - 1].trk)
			depth = 0;
		while (depth && open[depth - 1] <= v[i].t0)
			depth--;
		v[i].level = (uint8_t)depth;
		if (depth < OPEN_MAX)
			open[depth++] = v[i].t1;
	}
}

static void make_regions(struct inlay *in, const struct snap *sn, struct arena *a)
{
	uint32_t n, ntrk = 0;
	struct found *v = gather(sn, &n);
	set_levels(v, n);
	for (uint32_t i = 0; i < n; i++)
		ntrk += !i || v[i].trk != v[i - 1].trk;
	in->trk = arena_alloc(a, (ntrk + 1u) * sizeof *in->trk);
	in->first = arena_zalloc(a, ((size_t)ntrk * INLAY_DEEP + 2) * sizeof *in->first);
	in->piece = arena_alloc(a, (n + 1u) * sizeof *in->piece);
	/* count into the slot after, add up, then place: each slot ends where the next begins */
	for (uint32_t i = 0; i < n; i++) {
		if (!i || v[i].trk != v[i - 1].trk)
			in->trk[in->ntrk++] = v[i].trk;
		if (v[i].level < INLAY_DEEP)
			in->first[(size_t)(in->ntrk - 1) * INLAY_DEEP + v[i].level + 1]++;
	}
	for (size_t k = 1; k <= (size_t)ntrk * INLAY_DEEP; k++)
		in->first[k] += in->first[k - 1];
	uint32_t *at = xmalloc(((size_t)ntrk * INLAY_DEEP + 1) * sizeof *at), t = 0;
	for (size_t k = 0; k < (size_t)ntrk * INLAY_DEEP; k++)
		at[k] = in->first[k];
	for (uint32_t i = 0; i < n; i++) {
		t += i && v[i].trk != v[i - 1].trk;
		if (v[i].level < INLAY_DEEP)
			in->piece[at[(size_t)t * INLAY_DEEP + v[i].level]++] =
			    (struct inlay_piece){v[i].t0, v[i].t1, v[i].span};
	}
	mem_free(at);
	mem_free(v);
}

static int tick_cmp(const void *a, const void *b)
{
	const struct inlay_tick *x = a, *y = b;
	if (x->trk != y->trk)
		return x->trk < y->trk ? -1 : 1;
	return x->t < y->t ? -1 : x->t > y->t;
}

/* By track, and by time within each. They come by time, so it is enough to count how many each track has; unless the
   tracks are far apart. */
static void sort_ticks(struct inlay_tick *v, uint32_t n)
{
	trk_id lo = UINT32_MAX, hi = 0;
	bool by_time = true;
	for (uint32_t i = 0; i < n; i++) {
		lo = v[i].trk < lo ? v[i].trk : lo;
		hi = v[i].trk > hi ? v[i].trk : hi;
		by_time = by_time && (!i || v[i - 1].t <= v[i].t);
	}
	if (n < 2)
		return;
	if (!by_time || hi - lo > 8 * (uint64_t)n) {
		qsort(v, n, sizeof *v, tick_cmp);
		return;
	}
	struct inlay_tick *from = xmalloc(n * sizeof *from);
	uint32_t *at = xcalloc((size_t)(hi - lo) + 2, sizeof *at);
	memcpy(from, v, n * sizeof *from);
	for (uint32_t i = 0; i < n; i++)
		at[from[i].trk - lo + 1]++;
	for (uint32_t k = 1; k <= hi - lo; k++)
		at[k] += at[k - 1];
	for (uint32_t i = 0; i < n; i++)
		v[at[from[i].trk - lo]++] = from[i];
	mem_free(at);
	mem_free(from);
}

static struct inlay_tick *make_logs(const struct snap *sn, struct arena *a, uint32_t *n)
{
	uint32_t all = 0;
	for (uint32_t i = 0; i < sn->nmarks; store_pass(sn, i++))
		all += store_mark(sn->st, i)->kind == MK_LOG;
	struct inlay_tick *v = arena_alloc(a, (all + 1u) * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		store_pass(sn, i);
		const struct sink_mark *m = store_mark(sn->st, i);
		if (m->kind == MK_LOG)
			v[(*n)++] = (struct inlay_tick){m->t, m->trk, i};
	}
	sort_ticks(v, *n);
	return v;
}

static struct inlay_tick *make_samples(const struct snap *sn, struct arena *a, uint32_t *n)
{
	struct inlay_tick *v = arena_alloc(a, (sn->nsmps + 1u) * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		struct smp_time s = store_smp_time(sn->st, i);
		if (s.trk && s.when != TIME_NONE)
			v[(*n)++] = (struct inlay_tick){s.when, s.trk, i};
	}
	sort_ticks(v, *n);
	return v;
}

struct inlay *inlay_make(const struct snap *sn, struct arena *a)
{
	struct inlay *in = arena_zalloc(a, sizeof *in);
	make_regions(in, sn, a);
	in->log = make_logs(sn, a, &in->nlog);
	in->sample = make_samples(sn, a, &in->nsample);
	return in;
}

/* Where a track is in trk[]; ntrk when it has no regions. */
static uint32_t slot_of(const struct inlay *in, trk_id t)
{
	struct halve h = {.hi = in->ntrk};
	while (halve(&h))
		halve_on(&h, in->trk[h.at] < t);
	return h.lo < in->ntrk && in->trk[h.lo] == t ? h.lo : in->ntrk;
}

const struct inlay_piece *inlay_row(const struct inlay *in, trk_id t, int level, uint32_t *n)
{
	uint32_t i = slot_of(in, t);
	*n = 0;
	if (i == in->ntrk || level < 0 || level >= INLAY_DEEP)
		return NULL;
	const uint32_t *f = &in->first[(size_t)i * INLAY_DEEP + (size_t)level];
	*n = f[1] - f[0];
	return in->piece + f[0];
}

int inlay_levels(const struct inlay *in, trk_id t)
{
	uint32_t i = slot_of(in, t), n = 0;
	if (i == in->ntrk)
		return 0;
	const uint32_t *f = &in->first[(size_t)i * INLAY_DEEP];
	while (n < INLAY_DEEP && f[n + 1] > f[n])
		n++;
	return (int)n;
}

uint32_t inlay_find(const struct inlay_piece *v, uint32_t n, int64_t t)
{
	struct halve h = {.hi = n};
	while (halve(&h))
		halve_on(&h, v[h.at].t1 <= t);
	return h.lo;
}

static uint32_t tick_find(const struct inlay_tick *v, uint32_t n, trk_id trk, int64_t t)
{
	struct halve h = {.hi = n};
	while (halve(&h))
		halve_on(&h, v[h.at].trk < trk || (v[h.at].trk == trk && v[h.at].t < t));
	return h.lo;
}

const struct inlay_tick *inlay_ticks(
    const struct inlay_tick *v, uint32_t all, trk_id trk, int64_t t0, int64_t t1, uint32_t *n)
{
	uint32_t a = tick_find(v, all, trk, t0), b = tick_find(v, all, trk, t1);
	*n = b - a;
	return v + a;
}
