/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A sheet: the states of all tracks over one stretch of the trace, sealed. Its
 * intervals are sorted by track and then by time (a counting sort: the entries
 * of a track arrive in order), and the intervals of a track tile [t0, t1): an
 * interval ends where the next one starts. The first interval of a track starts
 * at 0 and no other does, so the place where one track ends and the next begins
 * shows in start[] itself; a run of intervals can be summed straight across
 * tracks, and the time by state between any two intervals is the difference of
 * two running sums kept for every 64th. That is the whole zoom machinery: exact
 * shares at any scale for 3.6 bytes an interval, and no pyramid of textures.
 *
 * start[] is 32 bits wide, so a sheet in which anything begins is at most
 * SHEET_MAX_NS long; a stretch in which nothing happens may have any length.
 *
 * A track that is not there at all (TS_NONE from end to end) has no row. A track
 * that goes on from the sheet before starts with its state marked SHEET_CONT.
 */
#include "config.h"
#include "store/sheet.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct build_sheet {
	struct sheet *sh;
	trk_id *trk;
	uint32_t *first, *start, *who, *edge_from;
	uint8_t *state;
	stk_id *stack;
	int64_t (*sum)[TS__N];
	struct sheet_edge *edge;
};

/* Lay the arrays out in one block, the widest first. */
static struct build_sheet sheet_layout(uint32_t ntrk, uint32_t n, uint32_t nostack, uint32_t nedge)
{
	size_t steps = (size_t)n / SHEET_STEP + 1, at[10], size = sizeof(struct sheet);
	size_t want[] = { steps * sizeof(int64_t[TS__N]), nedge * sizeof(struct sheet_edge),
		(ntrk + 1) * sizeof(uint32_t), (ntrk + 1) * sizeof(uint32_t), n * sizeof(uint32_t),
		n * sizeof(uint32_t), (n - nostack) * sizeof(uint32_t), nedge * sizeof(uint32_t), n };
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		at[i] = size, size += want[i];
	char *p = xmalloc(size);
	struct build_sheet b = { (struct sheet *)(void *)p, .sum = (void *)(p + at[0]), .edge = (void *)(p + at[1]),
		.trk = (void *)(p + at[2]), .first = (void *)(p + at[3]), .start = (void *)(p + at[4]),
		.who = (void *)(p + at[5]), .stack = (void *)(p + at[6]), .edge_from = (void *)(p + at[7]),
		.state = (uint8_t *)(p + at[8]) };
	*b.sh = (struct sheet){ .ntrk = ntrk, .n = n, .nostack = nostack, .trk = b.trk, .first = b.first, .start = b.start,
		.state = b.state, .who = b.who, .stack = b.stack, .nedge = nedge, .edge = b.edge,
		.edge_from = b.edge_from };
	b.sh->sum = (const int64_t (*)[TS__N])(void *)(p + at[0]);
	return b;
}

/* The rows: which tracks there are and where each begins. Leaves in at[track] the index of its
   first interval. */
static void sheet_rows(struct build_sheet *b, const uint32_t *count, const struct sheet_live *live,
    uint32_t ntrks, uint32_t *at)
{
	uint32_t row = 0, n = 0;
	for (int goroutine = 0; goroutine < 2; goroutine++) {
		for (uint32_t t = 0; t < ntrks; t++) {
			if (!count[t] || live[t].goroutine != goroutine)
				continue;
			b->trk[row] = t;
			b->first[row++] = n;
			at[t] = n;
			n += count[t];
		}
		if (!goroutine)
			b->sh->nother = row;
	}
	b->first[row] = n;
}

static void sheet_put(struct build_sheet *b, uint32_t i, uint32_t start, unsigned state, uint32_t who, stk_id stack)
{
	b->start[i] = start;
	b->state[i] = (uint8_t)state;
	b->who[i] = who;
	if (i >= b->sh->nostack)
		b->stack[i - b->sh->nostack] = stack;
}

static void sheet_fill(struct build_sheet *b, const struct sheet_entry *e, size_t n,
    struct sheet_live *live, uint32_t *at)
{
	for (uint32_t r = 0; r < b->sh->ntrk; r++) {
		const struct sheet_live *l = &live[b->trk[r]];
		sheet_put(b, b->first[r], 0, l->state ? l->state | (unsigned)SHEET_CONT : 0u, l->who, l->stack);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t start = (uint32_t)(e[i].t - b->sh->t0);
		/* at[] names the newest interval of the track; what begins at 0 replaces the head */
		if (start)
			at[e[i].trk]++;
		sheet_put(b, at[e[i].trk], start, e[i].state, e[i].who, e[i].stack);
		struct sheet_live *l = &live[e[i].trk];
		*l = (struct sheet_live){ e[i].who, e[i].stack, e[i].state & SHEET_STATE, l->goroutine };
	}
}

/* End of interval i in ns after t0, without knowing its row. */
static inline int64_t sheet_stop(const struct sheet *sh, uint32_t i)
{
	return i + 1 < sh->n && sh->start[i + 1] ? sh->start[i + 1] : sh->t1 - sh->t0;
}

static void sheet_sums(struct build_sheet *b)
{
	int64_t sum[TS__N] = {0};
	for (uint32_t i = 0; i < b->sh->n; i++) {
		if (i % SHEET_STEP == 0)
			memcpy(b->sum[i / SHEET_STEP], sum, sizeof sum);
		sum[b->state[i] & SHEET_STATE] += sheet_stop(b->sh, i) - b->start[i];
	}
	if (b->sh->n % SHEET_STEP == 0)
		memcpy(b->sum[b->sh->n / SHEET_STEP], sum, sizeof sum);
}

static int edge_cmp(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Edges by time, and their indexes by who made them: another counting sort. */
static void sheet_edges(struct build_sheet *b, struct edge *e, uint32_t n, uint32_t *count, uint32_t ntrks)
{
	for (uint32_t i = 1; i < n; i++)
		if (e[i - 1].t > e[i].t) {
			qsort(e, n, sizeof *e, edge_cmp);
			break;
		}
	memset(count, 0, ntrks * sizeof *count);
	for (uint32_t i = 0; i < n; i++)
		count[e[i].from]++;
	for (uint32_t t = 0, at = 0; t < ntrks; t++) {
		uint32_t c = count[t];
		count[t] = at;
		at += c;
	}
	for (uint32_t i = 0; i < n; i++) {
		b->edge[i] = (struct sheet_edge){(uint32_t)(e[i].t - b->sh->t0), e[i].from,
		    e[i].to | (e[i].created ? EDGE_CREATED : 0), e[i].stack};
		b->edge_from[count[e[i].from]++] = i;
	}
}

struct sheet *sheet_seal(int64_t t0, int64_t t1, const struct sheet_entry *e, size_t n,
    struct sheet_live *live, uint32_t ntrks, struct edge *edge, size_t nedge)
{
	uint32_t *count = xcalloc(ntrks + 1u, sizeof *count), *at = xcalloc(ntrks + 1u, sizeof *at);
	uint32_t rows = 0, total = 0, other = 0;
	for (uint32_t t = 0; t < ntrks; t++)
		count[t] = live[t].state != TS_NONE;
	for (size_t i = 0; i < n; i++) {
		if (!count[e[i].trk])
			count[e[i].trk] = 1;	/* not there at first: a head of TS_NONE */
		count[e[i].trk] += e[i].t > t0;
	}
	for (uint32_t t = 0; t < ntrks; t++)
		rows += count[t] != 0, total += count[t], other += live[t].goroutine ? 0 : count[t];
	struct build_sheet b = sheet_layout(rows, total, other, (uint32_t)nedge);
	b.sh->t0 = t0;
	b.sh->t1 = t1;
	sheet_rows(&b, count, live, ntrks, at);
	sheet_fill(&b, e, n, live, at);
	sheet_sums(&b);
	sheet_edges(&b, edge, (uint32_t)nedge, count, ntrks);
	mem_free(count);
	mem_free(at);
	return b.sh;
}

/* Row of a track among rows [lo, hi), or -1. */
static int32_t row_among(const struct sheet *sh, trk_id trk, uint32_t lo, uint32_t hi)
{
	uint32_t end = hi;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (sh->trk[mid] < trk)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && sh->trk[lo] == trk ? (int32_t)lo : -1;
}

int32_t sheet_row(const struct sheet *sh, trk_id trk)
{
	int32_t row = row_among(sh, trk, 0, sh->nother);
	return row >= 0 ? row : row_among(sh, trk, sh->nother, sh->ntrk);
}

uint32_t sheet_find(const struct sheet *sh, uint32_t row, int64_t t)
{
	uint32_t lo = sh->first[row], hi = sh->first[row + 1];
	int64_t rel = t - sh->t0;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (sh->start[mid] <= rel)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Add (sign 1) or take away (-1) the time by state before interval i, from the sheet's first on. */
static void sheet_before(const struct sheet *sh, uint32_t i, int sign, int64_t sum[TS__N])
{
	const int64_t *s = sh->sum[i / SHEET_STEP];
	for (int k = 0; k < TS__N; k++)
		sum[k] += sign * s[k];
	for (uint32_t j = i - i % SHEET_STEP; j < i; j++)
		sum[sh->state[j] & SHEET_STATE] += sign * (sheet_stop(sh, j) - sh->start[j]);
}

void sheet_upto(const struct sheet *sh, uint32_t row, int64_t t, int64_t sum[TS__N])
{
	memset(sum, 0, TS__N * sizeof *sum);
	if (t <= sh->t0)
		return;
	if (t > sh->t1)
		t = sh->t1;
	uint32_t first = sh->first[row], i = sheet_find(sh, row, t);
	if (i - first > 2 * SHEET_STEP) {
		sheet_before(sh, i, 1, sum);
		sheet_before(sh, first, -1, sum);
	} else {
		for (uint32_t j = first; j < i; j++)
			sum[sh->state[j] & SHEET_STATE] += sh->start[j + 1] - sh->start[j];
	}
	sum[sh->state[i] & SHEET_STATE] += t - sh->t0 - sh->start[i];
}
