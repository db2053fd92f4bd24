/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * How much a value varies inside a side, by a block bootstrap: the operations, in the order of time, are divided into
 * blocks; a resample takes as many blocks at random, some of them more than once, and gives the value again. Blocks
 * rather than single operations, because neighbours are alike (a queue, a GC cycle), and single ones would make the
 * spread too small. The random numbers have a fixed seed, so the same files give the same answer.
 *
 * All resamples of one block are equal, so none are made: many kinds have one operation.
 *
 * Two values differ if the ranges of their resamples do not overlap. That is stricter than a test of the difference: a
 * report compares dozens of values at once, and a change that is no change costs more trust than one that is missed.
 */
#include "config.h"
#include "compare/internal.h"
#include "trace/stats/goroutine_stats.h"

#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 200, TAIL = 2 };	/* the range is without that many resamples at each end */

uint32_t spread_block(uint32_t i, uint32_t n)
{
	uint32_t blocks = n < COMPARE_BLOCKS ? n : COMPARE_BLOCKS;
	return (uint32_t)((uint64_t)i * blocks / n);
}

/* The next number of a splitmix64 generator. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* How often each of n blocks is in a resample. */
static void draw_blocks(uint64_t *state, uint32_t n, uint32_t times[COMPARE_BLOCKS])
{
	for (uint32_t i = 0; i < COMPARE_BLOCKS; i++)
		times[i] = 0;
	for (uint32_t i = 0; i < n; i++)
		times[next_random(state) % n]++;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void set_range(struct compare_value *v, double of[RESAMPLES])
{
	qsort(of, RESAMPLES, sizeof *of, by_value);
	v->lo = fmin(of[TAIL], v->value);
	v->hi = fmax(of[RESAMPLES - 1 - TAIL], v->value);
}

static double mean_of(const struct spread_blocks *b, const uint32_t *times)
{
	double sum = 0, count = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		sum += (times ? times[i] : 1) * b->sum[i];
		count += (times ? times[i] : 1) * b->count[i];
	}
	return count > 0 ? sum / count : 0;
}

struct compare_value spread_mean(const struct spread_blocks *b)
{
	struct compare_value out = {.value = mean_of(b, NULL)};
	out.lo = out.hi = out.value;
	double of[RESAMPLES];
	uint64_t state = 1;
	uint32_t times[COMPARE_BLOCKS];
	for (int i = 0; i < RESAMPLES && b->n > 1; i++) {
		draw_blocks(&state, b->n, times);
		of[i] = mean_of(b, times);
	}
	if (b->n > 1)
		set_range(&out, of);
	return out;
}

struct ranked { int64_t ns; uint32_t block; };

static int by_ns(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Return the quantile of a resample: as stats_quantile(), of numbers that are there several times. */
static double quantile_of(const struct ranked *v, uint32_t n, double share, const uint32_t *times)
{
	uint64_t all = 0, seen = 0;
	for (uint32_t i = 0; i < n; i++)
		all += times ? times[v[i].block] : 1;
	uint32_t rank = stats_quantile_rank((uint32_t)all, share);
	for (uint32_t i = 0; i < n; i++) {
		seen += times ? times[v[i].block] : 1;
		if (seen > rank)
			return (double)v[i].ns;
	}
	return 0;
}

struct compare_value spread_quantile(const int64_t *ns, uint32_t n, double share)
{
	struct compare_value out = {0};
	struct ranked *v = xmalloc((n + 1u) * sizeof *v);
	double of[RESAMPLES];
	uint64_t state = 1;
	uint32_t times[COMPARE_BLOCKS], blocks = n < COMPARE_BLOCKS ? n : COMPARE_BLOCKS;
	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct ranked){ns[i], spread_block(i, n)};
	if (n) {
		qsort(v, n, sizeof *v, by_ns);
		out.value = out.lo = out.hi = quantile_of(v, n, share, NULL);
	}
	if (blocks > 1) {
		for (int i = 0; i < RESAMPLES; i++) {
			draw_blocks(&state, blocks, times);
			of[i] = quantile_of(v, n, share, times);
		}
		set_range(&out, of);
	}
	mem_free(v);
	return out;
}

enum compare_change spread_change(const struct compare_amount *a, double least, enum compare_change more)
{
	const struct compare_value *b = &a->at[COMPARE_BEFORE], *c = &a->at[COMPARE_AFTER];
	enum compare_change less = more == COMPARE_WORSE ? COMPARE_BETTER : COMPARE_WORSE;
	if (fabs(c->value - b->value) < least || (c->lo <= b->hi && b->lo <= c->hi))
		return COMPARE_SAME;
	return c->value > b->value ? more : less;
}
