/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The time by class of each operation of a kind. operations_find() has the sums of kinds only: those of all operations
 * take more memory than the operations themselves, and are asked for one kind. So this is another pass over the
 * intervals, with the operations as ranges of their goroutines.
 */
#include "config.h"
#include "operations/internal.h"

/* Operations other than tasks are one range of one goroutine each. */
static struct work_points points_of(const struct operations *o, const struct operation_kind *k, struct arena *scratch)
{
	struct work_points w = {arena_alloc(scratch, (2 * (size_t)k->n + 1) * sizeof *w.v), 0};
	for (uint32_t i = 0; i < k->n; i++) {
		struct operation x = operations_of_kind(o, (uint32_t)(k - o->kind), i);
		if (x.t1 > x.t0)
			work_points_add(&w, x.g, x.t0, x.t1, i);
	}
	work_points_sort(&w);
	return w;
}

static bool walk_sheets(
    const struct snap *sn, struct class_sums *sums, struct class_cache *cache, const struct progress_watcher *on)
{
	for (uint32_t s = 0; s < sn->nsheets; s++) {
		if (on && !watcher_report(on, s, sn->nsheets))
			return false;
		const struct sheet *sh = sheet_get(sn, s);
		for (uint32_t row = sh->nother; row < sh->ntrk && sh->trk[row] < sn->ntrks; row++)
			class_sums_row(sums, sh, row, cache);
	}
	return true;
}

struct class_table *operations_classes(const struct snap *sn, const struct operations *o, uint32_t kind,
    struct arena *mem, const struct progress_watcher *on)
{
	const struct operation_kind *k = &o->kind[kind];
	struct class_table *t = arena_alloc(mem, sizeof *t);
	struct class_cache cache;
	struct arena scratch = {0};
	*t = class_table_new(k->n, k->class_ns, mem);
	struct work_points w =
	    k->source == OPERATION_TASK ? tasks_points(sn, o, k, &scratch, on) : points_of(o, k, &scratch);
	struct class_sums *sums = class_sums_new(sn, w, t);
	class_cache_init(&cache, sn);
	bool done = walk_sheets(sn, sums, &cache, on);
	class_sums_finish(sums);
	class_cache_free(&cache);
	arena_free(&scratch);
	return done ? t : NULL;
}
