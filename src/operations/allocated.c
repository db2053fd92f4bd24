/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * What operations allocate: each row of the heap belongs to the operation for which its goroutine worked at that time, the
 * innermost one. So nothing is counted twice, and what goroutines allocate outside of operations is not counted.
 */
#include "config.h"
#include "operations/operations.h"

#include "base/wrap_math.h"
#include "trace/alloc/allocations.h"

struct allocated { const struct operations *ops; int64_t *by; bool kinds; };

static void add_row(void *arg, trk_id g, int64_t t, int64_t bytes)
{
	const struct allocated *a = arg;
	uint32_t i = operations_at(a->ops, g, t);
	if (i != OPERATION_NONE)
		wrap_add_to(&a->by[a->kinds ? operations_kind_of(a->ops, i) : i], bytes);
}

int64_t *operations_allocated(
    const struct snap *sn, const struct operations *o, const struct trace_filter *f, bool kinds, struct arena *mem)
{
	struct allocated a = {o, arena_zalloc(mem, ((kinds ? o->nkinds : o->n) + 1u) * sizeof *a.by), kinds};
	allocations_each(sn, f, add_row, &a);
	return a.by;
}
