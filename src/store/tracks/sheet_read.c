/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Reading sheets (sheet_build.c makes them). The row of a track and the interval of a time are found by binary search,
 * and the time by state up to any time is a running sum and the few intervals after it. No cost depends on the length
 * of the sheet, and nothing is cached between two calls: a caller that moves forward keeps the row and interval itself.
 */
#include "config.h"
#include "store/tracks/sheet_build.h"

#include "base/bsearch.h"

#include <string.h>

/* Return the end of interval i in ns after t0, without knowing its row. */
static inline int64_t sheet_stop(const struct sheet *sh, uint32_t i)
{
	return i + 1 < sh->n && sheet_start(sh, i + 1) ? sheet_start(sh, i + 1) : sh->t1 - sh->t0;
}

/* Return the row of a track among rows [lo, hi), or -1. */
static int32_t row_among(const struct sheet *sh, trk_id trk, uint32_t lo, uint32_t hi)
{
	struct bsearch_probe h = {.lo = lo, .hi = hi};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, sh->trk[h.at] < trk);
	return h.lo < hi && sh->trk[h.lo] == trk ? (int32_t)h.lo : -1;
}

int32_t sheet_row(const struct sheet *sh, trk_id trk)
{
	int32_t row = row_among(sh, trk, 0, sh->nother);
	return row >= 0 ? row : row_among(sh, trk, sh->nother, sh->ntrk);
}

/* Narrow [*lo, *hi) around the interval of time rel by interpolation. Intervals are spread over time evenly enough for
   a guess to be near; so the probes are adjacent, where binary search touches as many cache lines as it has steps. */
static void sheet_near(const struct sheet *sh, int64_t rel, uint32_t *lo, uint32_t *hi)
{
	int64_t from = sheet_start(sh, *lo), len = sh->t1 - sh->t0;
	if (rel <= from || len <= from)
		return;
	if (rel >= len) {
		*lo = *hi - 1;
		return;
	}
	uint32_t n = *hi - *lo, step = 32, i = *lo + (uint32_t)((double)(rel - from) / (double)(len - from) * (n - 1));
	if (sheet_start(sh, i) <= rel) {
		for (*lo = i; *hi - *lo > step && sheet_start(sh, *lo + step) <= rel; step *= 2)
			*lo += step;
		*hi = *hi - *lo > step ? *lo + step : *hi;
	} else {
		for (*hi = i; *hi - *lo > step && sheet_start(sh, *hi - step) > rel; step *= 2)
			*hi -= step;
		*lo = *hi - *lo > step ? *hi - step : *lo;
	}
}

/* Return the index of the last element of v[lo] .. v[hi - 1] that is <= x, or lo when all are larger. */
static inline uint32_t last_upto(const uint32_t *v, uint32_t lo, uint32_t hi, int64_t x)
{
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (v[mid] <= x)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Return the last interval of [lo, hi) that starts at or before rel, or lo. */
static inline uint32_t start_upto(const struct sheet *sh, uint32_t lo, uint32_t hi, int64_t rel)
{
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (sheet_start(sh, mid) <= rel)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

uint32_t sheet_row_of(const struct sheet *sh, uint32_t i)
{
	return last_upto(sh->first, 0, sh->ntrk, i);
}

uint32_t sheet_find(const struct sheet *sh, uint32_t row, int64_t t)
{
	uint32_t lo = sh->first[row], hi = sh->first[row + 1];
	int64_t rel = t - sh->t0;
	if (hi - lo > 64)
		sheet_near(sh, rel, &lo, &hi);
	return start_upto(sh, lo, hi, rel);
}

uint32_t sheet_find_from(const struct sheet *sh, uint32_t row, uint32_t i, int64_t t)
{
	uint32_t hi = sh->first[row + 1], step = 4;
	int64_t rel = t - sh->t0;
	for (; step <= 64 && i + step < hi && sheet_start(sh, i + step) <= rel; step *= 2)
		i += step;
	if (i + step >= hi || sheet_start(sh, i + step) > rel)
		hi = i + step < hi ? i + step : hi;
	else
		sheet_near(sh, rel, &i, &hi);
	return start_upto(sh, i, hi, rel);
}

/* Add (sign 1) or subtract (sign -1) the time by state from the first interval of the sheet to interval i. */
static void sheet_before(const struct sheet *sh, uint32_t i, int sign, int64_t sum[TS__N])
{
	uint32_t down = i % SHEET_STEP, up = SHEET_STEP - down;
	bool back = up < down && i + up < sh->n;	/* count back from the next running sum when that is nearer */
	const int64_t *s = sh->sum + (size_t)(i / SHEET_STEP + back) * sh->nsum;
	for (int k = 0; k < sh->nsum; k++)
		sum_add(&sum[sh->sums[k]], sign < 0 ? wrap_neg(s[k]) : s[k]);
	for (uint32_t j = i; back && j < i + up; j++)
		sum_add(&sum[sh->state[j] & SHEET_STATE], -sign * (sheet_stop(sh, j) - sheet_start(sh, j)));
	for (uint32_t j = i - down; !back && j < i; j++)
		sum_add(&sum[sh->state[j] & SHEET_STATE], sign * (sheet_stop(sh, j) - sheet_start(sh, j)));
}

/* Return the time by state before a row r <= sheet_summed(), in the order of rows. */
static void sums_before_row(const struct sheet *sh, uint32_t row, int64_t sum[TS__N])
{
	const int64_t *s = sheet_row_sum(sh, row);
	memset(sum, 0, TS__N * sizeof *sum);
	for (int k = 0; k < sh->nsum; k++)
		sum[sh->sums[k]] = s[k];
}

/* Return running sums of a row up to t, as sheet_sums(); interval i of the row holds t. */
static void sums_at(const struct sheet *sh, uint32_t row, uint32_t i, int64_t t, int64_t sum[TS__N])
{
	uint32_t first = sh->first[row], j = first;
	bool summed = row < sheet_summed(sh);
	if (summed && t == sh->t1) {
		sums_before_row(sh, row + 1, sum);
		return;
	}
	if (summed && i - first < SHEET_STEP / 4) {
		sums_before_row(sh, row, sum);
	} else {
		memset(sum, 0, TS__N * sizeof *sum);
		if (summed || sh->first[row + 1] - first > SHEET_STEP) {
			sheet_before(sh, i, 1, sum);
			j = i;
		}
	}
	for (; j < i; j++)
		sum_add(&sum[sh->state[j] & SHEET_STATE], sheet_start(sh, j + 1) - sheet_start(sh, j));
	sum_add(&sum[sh->state[i] & SHEET_STATE], t - sh->t0 - sheet_start(sh, i));
}

void sheet_sums(const struct sheet *sh, uint32_t row, int64_t t, int64_t sum[TS__N])
{
	t = t < sh->t0 ? sh->t0 : t > sh->t1 ? sh->t1 : t;
	sums_at(sh, row, sheet_find(sh, row, t), t, sum);
}

void sheet_between(const struct sheet *sh, uint32_t row, uint32_t ia, int64_t a, uint32_t ib, int64_t b,
    struct sheet_sum *at, int64_t ns[TS__N])
{
	int64_t to[TS__N];
	bool known = at->known, summed = row < sheet_summed(sh), begins = a == sh->t0, ends = b == sh->t1;
	if (summed && begins && ends) {
		const int64_t *s = sheet_row_sum(sh, row);
		for (int k = 0; k < sh->nsum; k++)
			sum_add(&ns[sh->sums[k]], wrap_sub(s[sh->nsum + k], s[k]));
		return;
	}
	at->known = ib - ia > (known || (summed && (begins || ends)) ? SHEET_STEP / 4 : SHEET_STEP / 2);
	if (at->known) {
		if (!known)
			sums_at(sh, row, ia, a, at->ns);
		sums_at(sh, row, ib, b, to);
		for (int k = 0; k < TS__N; k++)
			ns[k] += wrap_sub(to[k], at->ns[k]);
		memcpy(at->ns, to, sizeof to);
		return;
	}
	a -= sh->t0;
	for (int64_t stop; ia < ib; a = stop) {
		stop = sheet_start(sh, ia + 1);
		ns[sh->state[ia++] & SHEET_STATE] += stop - a;
	}
	ns[sh->state[ib] & SHEET_STATE] += b - sh->t0 - a;
}

void sheet_upto(const struct sheet *sh, uint32_t row, int64_t t, int64_t sum[TS__N])
{
	memset(sum, 0, TS__N * sizeof *sum);
	if (t <= sh->t0)
		return;
	if (t > sh->t1)
		t = sh->t1;
	uint32_t first = sh->first[row], i = t == sh->t1 ? sh->first[row + 1] - 1 : sheet_find(sh, row, t);
	if (row < sheet_summed(sh) && i - first > 8) {
		const int64_t *s = sheet_row_sum(sh, row);
		sums_at(sh, row, i, t, sum);
		for (int k = 0; k < sh->nsum; k++)
			sum_add(&sum[sh->sums[k]], wrap_neg(s[k]));
		return;
	}
	if (i - first > 2 * SHEET_STEP) {
		sheet_before(sh, i, 1, sum);
		sheet_before(sh, first, -1, sum);
	} else {
		for (uint32_t j = first; j < i; j++)
			sum[sh->state[j] & SHEET_STATE] += sheet_start(sh, j + 1) - sheet_start(sh, j);
	}
	sum[sh->state[i] & SHEET_STATE] += t - sh->t0 - sheet_start(sh, i);
}
