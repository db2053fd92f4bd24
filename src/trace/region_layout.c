/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Regions of a goroutine nest as a rule, so the depth at which one starts is the number of those still
 * open: pieces of one level never overlap, and a level of a row is a sorted run of them. Of regions that
 * overlap, each has the first free level. Levels below the fourth are left out (a shown one covers them).
 * The region that the runtime adds to a new goroutine for the task in which it was created is left out too.
 *
 * Regions and logs may be a tenth of all events, so a log takes four bytes and a region 24, and they
 * are ordered by counting. Marks are sorted by time and spans by their ends, and nested regions of one
 * level start in the order in which they end. Only a run that violates this is sorted.
 */
#include "config.h"
#include "trace/region_layout.h"

#include "base/bsearch.h"
#include "store/tracks/time_search.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of open regions that are tracked; regions nested deeper are left out. */
enum { OPEN_MAX = 64 };

/* Number of rows after which pages that may be on disk are released. */
enum { REST = 1 << 17 };

/* Number of tracks that are tested at once. */
enum { LINE = 16 };

/* Condition of loops over rows, counted from 0. After a stop the later loops end at once. */
static bool loop_continues(const struct progress_watcher *on, uint32_t i)
{
	return i % REST || job_should_continue(on);
}

static trk_id log_track(const struct snap *sn, uint32_t i)
{
	const struct sink_mark *m = store_mark(sn->st, i);
	return m->kind == MK_LOG ? m->trk : 0;
}

static trk_id region_track(const struct snap *sn, uint32_t i)
{
	const struct sink_span *s = &store_span(sn->st, i)->s;
	return s->kind == SP_REGION && !(s->v0 & RG_INHERITED) ? s->trk : 0;
}

/* Return the next track from t on that has an entry, or end. In most traces few of a million tracks have one, so a
   cache line is tested at once; the array has space behind its end for that. */
static trk_id next_that_has(const uint32_t *at, trk_id t, trk_id end)
{
	for (; t < end; t += LINE) {
		uint32_t any = 0;
		for (trk_id k = 0; k < LINE; k++)
			any |= at[t + k];
		if (any)
			break;
	}
	while (t < end && !at[t])
		t++;
	return t;
}

/* Turn at[t], the number of rows of each track, into the position of its first row. Store the tracks with rows in trk[]
   and their positions in first[], step apart. */
static void lay_out(const struct snap *sn, uint32_t all, uint32_t *at, trk_id *trk, uint32_t *first, uint32_t step)
{
	uint32_t from = 0, m = 0;
	for (trk_id t = 0; from < all && (t = next_that_has(at, t + 1, sn->ntrks)) < sn->ntrks;) {
		uint32_t has = at[t];
		trk[m] = t;
		first[(size_t)m++ * step] = at[t] = from;
		from += has;
	}
	first[(size_t)m * step] = from;
}

/* ---- logs */

static void make_logs(struct region_layout_runs *r, const struct snap *sn, uint32_t *at, struct arena *a,
    const struct progress_watcher *on)
{
	for (uint32_t i = 0; i < sn->nmarks && loop_continues(on, i); i++) {
		trk_id t = log_track(sn, i);
		r->n += t && !at[t]++;
		r->all += t > 0;
	}
	r->trk = arena_alloc(a, (r->n + 1u) * sizeof *r->trk);
	r->first = arena_alloc(a, (r->n + 1u) * sizeof *r->first);
	r->v = arena_alloc(a, ((size_t)r->all + 1) * sizeof *r->v);
	lay_out(sn, r->all, at, r->trk, r->first, 1);
	for (uint32_t i = 0; i < sn->nmarks && r->all && loop_continues(on, i); i++) {
		trk_id t = log_track(sn, i);
		if (t)
			r->v[at[t]++] = i;
	}
}

/* ---- regions */

static int piece_cmp(const void *a, const void *b)
{
	const struct region_layout_piece *x = a, *y = b;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	if (x->t1 != y->t1)
		return x->t1 > y->t1 ? -1 : 1;
	return x->span > y->span ? -1 : x->span < y->span; /* the inner one ended first */
}

/* Compute level[], the depth of each region, for regions in the order of their ends: going back from the last, each is
   inside those that ended after it and started before it. Levels from REGION_LAYOUT_LEVELS on are not shown. Return
   false if they do not nest, or if one is empty. */
static bool nested_levels(const struct region_layout_piece *f, uint32_t n, uint8_t *level)
{
	int64_t began[OPEN_MAX];
	int depth = 0;
	for (uint32_t i = n; i--;) {
		while (depth && began[depth - 1] >= f[i].t1)
			depth--;
		if (f[i].t0 >= f[i].t1 || (i + 1 < n && f[i].t1 > f[i + 1].t1) || (depth && began[depth - 1] > f[i].t0))
			return false;
		level[i] = (uint8_t)depth;
		if (depth < OPEN_MAX)
			began[depth++] = f[i].t0;
	}
	return true;
}

/* Likewise for regions in the order of their starts, nested or not: the first level of which no region is open. */
static void set_levels(const struct region_layout_piece *f, uint32_t n, uint8_t *level)
{
	int64_t ends[OPEN_MAX];
	int used = 0;
	for (uint32_t i = 0; i < n; i++) {
		int l = 0;
		while (l < used && ends[l] > f[i].t0)
			l++;
		level[i] = (uint8_t)l;
		if (l < OPEN_MAX)
			ends[l] = f[i].t1;
		used += l == used && l < OPEN_MAX;
	}
}

/* Count the regions by track in at[]. Return their number; *most: the maximum of one track. */
static uint32_t count_regions(const struct snap *sn, struct row_layout *in, uint32_t *at, uint32_t *most,
    const struct progress_watcher *on)
{
	uint32_t all = 0;
	for (uint32_t i = 0; i < sn->nspans && loop_continues(on, i); i++) {
		trk_id t = region_track(sn, i);
		if (!t)
			continue;
		in->ntrk += !at[t]++;
		*most = at[t] > *most ? at[t] : *most;
		all++;
	}
	return all;
}

/* Write all regions by track, in the order of their ends, which is that of the store: each is read once. */
static void put_regions(
    const struct snap *sn, struct row_layout *in, uint32_t *at, const struct progress_watcher *on)
{
	for (uint32_t i = 0; i < sn->nspans && loop_continues(on, i); i++) {
		trk_id t = region_track(sn, i);
		if (!t)
			continue;
		struct region_layout_piece *p = &in->piece[at[t]++];
		p->span = i;
		time_search_span_bounds(sn, &store_span(sn->st, i)->s, &p->t0, &p->t1);
	}
}

/* Move the n pieces of a track at p to `to` (not after p), sorted by level and time; first[] gets the start of each
   level. Return the position for the next track. Nested regions of one level start in the order in which they end. */
static struct region_layout_piece *by_level(struct region_layout_piece *p, uint32_t n, struct region_layout_piece *to,
    const struct row_layout *in, uint32_t *first, struct region_layout_piece *f, uint8_t *level)
{
	if (n)
		memcpy(f, p, n * sizeof *f);
	if (!nested_levels(f, n, level)) {
		qsort(f, n, sizeof *f, piece_cmp);
		set_levels(f, n, level);
	}
	for (int l = 0; l < REGION_LAYOUT_LEVELS; l++) {
		first[l] = (uint32_t)(to - in->piece);
		for (uint32_t k = 0; k < n; k++)
			if (level[k] == l)
				*to++ = f[k];
	}
	return to;
}

/* at[] is all zero before and after the call. */
static void make_regions(struct row_layout *in, const struct snap *sn, uint32_t *at, struct arena *a,
    const struct progress_watcher *on)
{
	struct arena mem = {0};
	uint32_t most = 0, all = count_regions(sn, in, at, &most, on);
	in->trk = arena_alloc(a, (in->ntrk + 1u) * sizeof *in->trk);
	in->first = arena_zalloc(a, ((size_t)in->ntrk * REGION_LAYOUT_LEVELS + 2) * sizeof *in->first);
	in->piece = arena_alloc(a, (all + 1u) * sizeof *in->piece);
	lay_out(sn, all, at, in->trk, in->first, REGION_LAYOUT_LEVELS);
	put_regions(sn, in, at, on);
	struct region_layout_piece *f = arena_alloc(&mem, (most + 1u) * sizeof *f), *to = in->piece;
	uint8_t *level = arena_alloc(&mem, most + 1u);
	for (uint32_t i = 0; i < in->ntrk && job_should_continue(on); i++) {
		uint32_t *first = &in->first[(size_t)i * REGION_LAYOUT_LEVELS], from = *first,
			 n = first[REGION_LAYOUT_LEVELS] - from;
		to = by_level(in->piece + from, n, to, in, first, f, level);
	}
	in->first[(size_t)in->ntrk * REGION_LAYOUT_LEVELS] = (uint32_t)(to - in->piece);
	for (uint32_t i = 0; i < in->ntrk; i++)
		at[in->trk[i]] = 0;
	arena_free(&mem);
}

/* ---- samples */

static int tick_cmp(const void *a, const void *b)
{
	const struct region_layout_tick *x = a, *y = b;
	if (x->trk != y->trk)
		return x->trk < y->trk ? -1 : 1;
	return x->t < y->t ? -1 : x->t > y->t;
}

/* Sort by track, and by time within each. They are sorted by time already, so counting the samples of each track
   suffices, unless the numbers of the tracks are far apart. */
static void sort_ticks(struct region_layout_tick *v, uint32_t n)
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
	struct region_layout_tick *from = xmalloc(n * sizeof *from);
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

static struct region_layout_tick *make_samples(const struct snap *sn, struct arena *a, uint32_t *n)
{
	struct region_layout_tick *v = arena_alloc(a, (sn->nsmps + 1u) * sizeof *v);
	*n = 0;
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		struct smp_time s = store_smp_time(sn->st, i);
		if (s.trk && s.when != TIME_NONE)
			v[(*n)++] = (struct region_layout_tick){s.when, s.trk, i};
	}
	sort_ticks(v, *n);
	return v;
}

struct row_layout *region_layout_new(const struct snap *sn, struct arena *a, const struct progress_watcher *on)
{
	struct row_layout *in = arena_zalloc(a, sizeof *in);
	size_t bytes = ((size_t)sn->ntrks + 1 + LINE) * sizeof(uint32_t);
	uint32_t *at = mem_pages(bytes);
	make_regions(in, sn, at, a, on);
	make_logs(&in->log, sn, at, a, on);
	mem_pages_free(at, bytes);
	in->sample = make_samples(sn, a, &in->nsample);
	if (!job_should_continue(on))
		*in = (struct row_layout){0};
	return in;
}

/* Return the index of a track in trk[0..n); n if it is not there. */
static uint32_t slot_of(const trk_id *trk, uint32_t n, trk_id t)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, trk[h.at] < t);
	return h.lo < n && trk[h.lo] == t ? h.lo : n;
}

const struct region_layout_piece *region_layout_row(const struct row_layout *in, trk_id t, int level, uint32_t *n)
{
	uint32_t i = slot_of(in->trk, in->ntrk, t);
	*n = 0;
	if (i == in->ntrk || level < 0 || level >= REGION_LAYOUT_LEVELS)
		return NULL;
	const uint32_t *f = &in->first[(size_t)i * REGION_LAYOUT_LEVELS + (size_t)level];
	*n = f[1] - f[0];
	return in->piece + f[0];
}

int region_layout_levels(const struct row_layout *in, trk_id t)
{
	uint32_t i = slot_of(in->trk, in->ntrk, t), n = 0;
	if (i == in->ntrk)
		return 0;
	const uint32_t *f = &in->first[(size_t)i * REGION_LAYOUT_LEVELS];
	while (n < REGION_LAYOUT_LEVELS && f[n + 1] > f[n])
		n++;
	return (int)n;
}

uint32_t region_layout_find(const struct region_layout_piece *v, uint32_t n, int64_t t)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, v[h.at].t1 <= t);
	return h.lo;
}

static uint32_t tick_find(const struct region_layout_tick *v, uint32_t n, trk_id trk, int64_t t)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, v[h.at].trk < trk || (v[h.at].trk == trk && v[h.at].t < t));
	return h.lo;
}

const struct region_layout_tick *region_layout_samples(
    const struct row_layout *in, trk_id trk, int64_t t0, int64_t t1, uint32_t *n)
{
	uint32_t a = tick_find(in->sample, in->nsample, trk, t0), b = tick_find(in->sample, in->nsample, trk, t1);
	*n = b - a;
	return in->sample + a;
}

const uint32_t *region_layout_logs(const struct row_layout *in, trk_id t, uint32_t *n)
{
	const struct region_layout_runs *r = &in->log;
	uint32_t i = slot_of(r->trk, r->n, t);
	*n = i < r->n ? r->first[i + 1] - r->first[i] : 0;
	return *n ? r->v + r->first[i] : NULL;
}

uint32_t region_layout_first_log(const uint32_t *log, uint32_t n, uint32_t mark)
{
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, log[h.at] < mark);
	return h.lo;
}
