/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines that are created anew for each round have no identity from round to round but their place in the order of
 * creation: loops that start one per part of the data start them in the order of the parts. A round is over when the
 * next goroutine of the same creator begins after the end of all before, so the wait between needs no look at the
 * creator. The last one wakes the creator shortly before it ends.
 */
#include "config.h"
#include "findings/measures/fan_out.h"

#include "base/mem/mem.h"
#include "base/wrap_math.h"
#include "findings/measures/time_parts.h"
#include "trace/stats/goroutine_stats.h"
#include "trace/user_code.h"

#include <stdlib.h>

enum { NUMBERS = 64, MOST_CHILDREN = 1 << 20, LAST_STEPS_NS = 200000 };
struct child { trk_id creator, g; int64_t t0, t1, run; };

static int by_birth(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	if (x->creator != y->creator)
		return x->creator < y->creator ? -1 : 1;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->g < y->g ? -1 : x->g > y->g;
}

/* Add a round of n children, in the order of their creation. run: room for n. */
static void add_round(struct fan_out *f, const struct child *v, uint32_t n, uint32_t *numbers, int64_t *run)
{
	uint32_t most = 0;
	int64_t last = INT64_MIN, before = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		run[i] = v[i].run;
		most = v[i].run > v[most].run ? i : most;
		before = v[i].t1 > last ? last : v[i].t1 > before ? v[i].t1 : before;
		last = v[i].t1 > last ? v[i].t1 : last;
	}
	stats_sort(run, n);
	f->rounds++;
	f->children += n;
	wrap_add_to(&f->most, v[most].run);
	wrap_add_to(&f->median, run[(n - 1) / 2]);
	if (n > 1)
		wrap_add_to(&f->late, wrap_sub(last, before));
	numbers[most % NUMBERS]++;
	if (v[most].t1 - v[most].t0 > f->t1 - f->t0) {
		f->g = v[most].g;
		f->t0 = v[most].t0;
		f->t1 = v[most].t1;
	}
}

/* Does the function that created a goroutine call itself? Such a function divides its work again and again. */
static bool is_recursive(const struct store *st, stk_id created)
{
	stk_id at = user_code_site(st, created);
	return at && time_parts_node_in(st, stk_parent(st, at), store_frm(st, stk_frame(st, at))->fun);
}

/* Collect the children of a group that were created and have ended in the range. A recursion has no rounds. */
static uint32_t list_children(
    const struct scan *s, const struct goroutine_groups *gs, uint32_t group, struct child *v, uint32_t most)
{
	const struct store *st = s->sn->st;
	uint32_t n = 0;
	for (trk_id g = gs->v[group].first; g && n < most; g = gs->next[g]) {
		const struct trk_row *t = store_trk(st, g);
		bool is_child = t->creator && gs->of[t->creator] != group + 1;
		is_child = is_child && !is_recursive(st, store_origin(st, t)->created);
		int64_t end = is_child ? store_t1(st, t) : TIME_NONE;
		if (end != TIME_NONE && t->t0 >= s->t0 && end <= s->t1)
			v[n++] = (struct child){t->creator, g, t->t0, end, scan_run_ns(s, g)};
	}
	return n;
}

struct fan_out fan_out_measure(const struct scan *s, const struct goroutine_groups *gs, uint32_t group, uint32_t least)
{
	struct fan_out f = {0};
	uint32_t most = gs->v[group].n < MOST_CHILDREN ? gs->v[group].n : MOST_CHILDREN, numbers[NUMBERS] = {0};
	struct child *v = xmalloc((most + 1u) * sizeof *v);
	int64_t *run = xmalloc((most + 1u) * sizeof *run);
	uint32_t n = list_children(s, gs, group, v, most);
	if (n)
		qsort(v, n, sizeof *v, by_birth);
	for (uint32_t i = 0, first = 0, end; i < n; first = i = end) {
		int64_t last = v[first].t1;
		for (end = first + 1; end < n && v[end].creator == v[first].creator && v[end].t0 < last - LAST_STEPS_NS; end++)
			last = v[end].t1 > last ? v[end].t1 : last;
		if (end - first >= least)
			add_round(&f, v + first, end - first, numbers, run);
	}
	for (uint32_t i = 0; i < NUMBERS; i++)
		if (numbers[i] > f.same) {
			f.same = numbers[i];
			f.number = i + 1;
		}
	mem_free(run);
	mem_free(v);
	return f;
}
