/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The other rows of a timeline: counters, marks and spans over columns, and the
 * ranking that sorts the rows of tracks. Counters and marks are ordered by time
 * and cost what lies in the window; where a window holds more than 64 rows of a
 * counter per column they have been thinned already (see tracks.c).
 */
#include "config.h"
#include "analysis/bins.h"

#include <string.h>

void bins_count(const struct snap *sn, enum counter c, int64_t t0, int64_t t1, uint32_t n, struct cbin *out)
{
	memset(out, 0, n * sizeof *out);
	if (!n || t1 <= t0)
		return;
	uint32_t i = count_find(sn, c, t0);
	struct cbin now = {0};
	if (i != UINT32_MAX) {
		uint64_t v = store_count(sn->st, c, i)->v;
		now = (struct cbin){ v, v, v, true };
	}
	i = i == UINT32_MAX ? 0 : i + 1;
	for (uint32_t k = 0; k < n; k++) {
		int64_t b = bin_edge(t0, t1, n, k + 1);
		now.min = now.max = now.last;
		for (; i < sn->ncounts[c] && store_count(sn->st, c, i)->t < b; i++) {
			uint64_t v = store_count(sn->st, c, i)->v;
			if (!now.any || v < now.min)
				now.min = v;
			if (!now.any || v > now.max)
				now.max = v;
			now.last = v;
			now.any = true;
		}
		if (bin_edge(t0, t1, n, k) < sn->t1)
			out[k] = now;
	}
}

static uint32_t column_of(int64_t t, int64_t t0, int64_t t1, uint32_t n)
{
	uint32_t k = (uint32_t)((double)(t - t0) * n / (double)(t1 - t0));
	if (k >= n)
		k = n - 1;
	while (k && bin_edge(t0, t1, n, k) > t)
		k--;
	while (k + 1 < n && bin_edge(t0, t1, n, k + 1) <= t)
		k++;
	return k;
}

void bins_marks(const struct snap *sn, uint32_t kinds, trk_id trk, int64_t t0, int64_t t1, uint32_t n, uint32_t *out)
{
	memset(out, 0, n * sizeof *out);
	if (!n || t1 <= t0)
		return;
	uint32_t end;
	for (uint32_t i = marks_range(sn, t0, t1, &end); i < end; i++) {
		const struct sink_mark *m = store_mark(sn->st, i);
		if (kinds >> m->kind & 1 && (!trk || m->trk == trk))
			out[column_of(m->t, t0, t1, n)]++;
	}
}

void bins_spans(const struct snap *sn, uint32_t kinds, trk_id trk, int64_t t0, int64_t t1, uint32_t n, int64_t *out)
{
	memset(out, 0, n * sizeof *out);
	if (!n || t1 <= t0)
		return;
	for (uint32_t i = 0; (i = spans_next(sn, i, kinds, t0, t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		int64_t a, b;
		if (trk && s->trk != trk && s->trk1 != trk)
			continue;
		span_bounds(sn, s, &a, &b);
		if (a < t0)
			a = t0;
		if (b > t1)
			b = t1;
		for (uint32_t k = column_of(a, t0, t1, n); k < n; k++) {
			int64_t from = bin_edge(t0, t1, n, k), to = bin_edge(t0, t1, n, k + 1), width = to - from;
			if (from >= b)
				break;
			out[k] += (b < to ? b : to) - (a > from ? a : from);
			if (out[k] > width)
				out[k] = width;
		}
	}
}

static int64_t sheet_rank(const struct sheet *sh, uint32_t row, uint64_t states, int64_t t0, int64_t t1)
{
	int64_t a[TS__N], b[TS__N], ns = 0;
	sheet_upto(sh, row, t1, b);
	if (t0 > sh->t0)
		sheet_upto(sh, row, t0, a);
	else
		memset(a, 0, sizeof a);
	for (int s = 0; s < TS__N; s++)
		if (states >> s & 1)
			ns += b[s] - a[s];
	return ns;
}

void bins_rank(const struct snap *sn, enum track_kind kind, uint64_t states, int64_t t0, int64_t t1, int64_t *out)
{
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet *sh = store_sheet(sn->st, i);
		if (sh->t1 <= t0 || sh->t0 >= t1)
			continue;
		for (uint32_t r = 0; r < sh->ntrk; r++)
			if (store_trk(sn->st, sh->trk[r])->kind == kind)
				out[sh->trk[r]] += sheet_rank(sh, r, states, t0, t1);
	}
}
