/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Relations between the two sides of a difference before any filter.
 *
 * A store holds the samples of both; their sums determine the ratio between them (-normalize). Percentages of a -base
 * difference refer to the sum of what is left of the samples, where samples of the same stack and labels count as one,
 * as pprof merges them before it adds up. Samples of the two sides share nodes if their stacks are equal
 * (pprof_add_side), so the same stack and labels means the same node and label set.
 */
#include "config.h"
#include "filter/weigh.h"

#include "base/intern.h"
#include "base/mem/mem.h"
#include "base/text/pprof_units.h"
#include "base/wrap_math.h"

#include <math.h>

int64_t sides_scaled(int64_t v, double ratio)
{
	return ratio > 0 && ratio != 1 ? pprof_units_to_i64(round((double)v * ratio)) : v;
}

double sides_ratio(const struct snap *sn, size_t type, uint64_t a, uint64_t b)
{
	const struct store *st = sn->st;
	int64_t sum[2] = {0, 0};
	for (uint32_t i = 0; type < sn->ntypes && i < sn->nsmps; i++) {
		uint32_t side = store_side(st, i);
		int64_t v = store_value(st, type, i);
		if (side_in(a, side))
			sum[0] = wrap_add(sum[0], v);
		if (side_in(b, side))
			sum[1] = wrap_add(sum[1], v);
	}
	return sum[0] ? (double)sum[1] / (double)sum[0] : 0;
}

struct rest { stk_id stack; uint32_t set; int64_t v; };

static int same_remainder(const void *ctx, uint32_t id, const void *key)
{
	const struct rest *r = (const struct rest *)ctx + id, *k = key;
	return r->stack == k->stack && r->set == k->set;
}

int64_t sides_whole(const struct snap *sn, size_t type, const struct sides *d)
{
	const struct store *st = sn->st;
	struct intern index = {0};
	struct rest *rest = NULL;
	size_t cap = 0;
	uint32_t n = 0;
	int64_t sum = 0;
	for (uint32_t i = 0; type < sn->ntypes && i < sn->nsmps; i++) {
		const struct smp_row *s = store_smp(st, i);
		int64_t v = store_value(st, type, i);
		struct rest r = {s->stack, s->set, 0};
		uint32_t side = store_side(st, i);
		if (side_in(d->a, side))
			r.v = sides_scaled(v, d->ratio);
		if (side_in(d->b, side))
			r.v = wrap_sub(r.v, v);
		uint32_t h = intern_hash_u64(r.stack, r.set),
			 id = r.v ? intern_find(&index, h, same_remainder, rest, &r) : 0;
		if (r.v && id == UINT32_MAX) {
			rest = mem_grow(rest, &cap, (size_t)n + 1, sizeof *rest);
			rest[n] = r;
			intern_put(&index, h, n++);
		} else if (r.v) {
			rest[id].v = wrap_add(rest[id].v, r.v);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		sum = wrap_add(sum, wrap_abs(rest[i].v));
	mem_free(rest);
	intern_free(&index);
	return sum;
}
