/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Which one of many stands for them. A slow one explains more than the mean does, but the slowest of all is often a
 * single accident; so it is the one nearest the 99th percentile. If most of the time is that of targets that do not end in
 * the trace, those that ended are not what is slow: then it is the longest of the others.
 */
#include "config.h"
#include "critical/target.h"

#include "base/text/text.h"
#include "base/wrap_math.h"
#include "trace/stats/goroutine_stats.h"

#include <math.h>

struct critical_target critical_target_of_operation(const struct operations *ops, uint32_t operation)
{
	struct operation o = operations_get(ops, operation);
	const struct operation_kind *k = &ops->kind[o.kind];
	return (struct critical_target){
	    o.t0, o.t1, o.id, o.g, operation, o.complete, {k->name, k->nname}};
}

static int64_t distance_from(const struct critical_target *t, int64_t from)
{
	int64_t d = t->t1 - t->t0 - from;
	return d < 0 ? -d : d;
}

uint32_t critical_target_nearest_p99(const struct critical_target *v, uint32_t n)
{
	int64_t *ns = xmalloc((n + 1u) * sizeof *ns), at = INT64_MAX;
	uint32_t complete = 0, best = 0;
	int64_t all = 0, ended = 0;
	for (uint32_t i = 0; i < n; i++) {
		wrap_add_to(&all, v[i].t1 - v[i].t0);
		if (!v[i].complete)
			continue;
		ns[complete++] = v[i].t1 - v[i].t0;
		wrap_add_to(&ended, v[i].t1 - v[i].t0);
	}
	bool open = ended < all / 2 || !complete;
	if (!open) {
		stats_sort(ns, complete);
		at = stats_quantile(ns, complete, 0.99);
	}
	mem_free(ns);
	for (uint32_t i = 0; i < n; i++) {
		bool fits = v[i].complete != open, had = v[best].complete != open;
		if (fits && (!had || distance_from(&v[i], at) < distance_from(&v[best], at)))
			best = i;
	}
	return best;
}

void critical_put_rank(struct buf *b, uint32_t rank, uint32_t among)
{
	double share = text_percent(rank, among);
	if (rank == among)
		buf_puts(b, "longest of ");
	else
		buf_printf(b, "p%.3g of ", share < 99 ? floor(share) : floor(10 * share) / 10);
	text_count(b, among);
}
