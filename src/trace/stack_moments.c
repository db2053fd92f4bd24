/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sheets have the stacks of states and of wake-ups. CPU samples, tasks, regions and logs are columns in the order of
 * time, in which the next one of a goroutine cannot be found. So they are copied and sorted by goroutine. That takes 16
 * bytes for each, half of what the columns take. More than MOMENTS of them are not kept, but for the CPU samples, of
 * which there are some hundred a second and thread.
 */
#include "config.h"
#include "trace/stack_moments.h"

#include "base/bsearch.h"
#include "base/radix_sort.h"
#include "store/tracks/time_search.h"

#include <string.h>

enum { MOMENTS = 1 << 23, TRACKS = 64 /* in a group */ };

static void add_moment(struct stack_moments *m, int64_t t, trk_id g, stk_id stack, bool sample)
{
	if (t != TIME_NONE && g && stack && stack < UINT32_C(1) << 31)
		m->v[m->n++] = (struct stack_moment){t, g, stack, sample};
}

static void add_samples(const struct snap *sn, struct stack_moments *m)
{
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		struct smp_time t = store_smp_time(sn->st, i);
		add_moment(m, t.when, t.trk, store_smp(sn->st, i)->stack, true);
	}
}

static bool add_annotations(const struct snap *sn, struct stack_moments *m, const struct progress_watcher *on)
{
	for (uint32_t i = 0; i < sn->nmarks; i++) {
		const struct sink_mark *k = store_mark(sn->st, i);
		if (k->kind == MK_LOG)
			add_moment(m, k->t, k->trk, k->stack, false);
	}
	enum { ROWS = 1 << 16 };	/* between two checks for a stop */
	for (uint32_t i = 0; i < sn->nspans && (i % ROWS || job_should_continue(on)); i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		if (s->kind != SP_TASK && s->kind != SP_REGION)
			continue;
		add_moment(m, s->t0, s->trk, s->stack, false);
		add_moment(m, s->t1, s->kind == SP_TASK ? s->trk1 : s->trk, s->stack1, false);
	}
	return job_should_continue(on);
}

/* Sort by goroutine, then time, then events before samples: stable sorts, from the last key to the first. */
static struct stack_moment *sorted(const struct stack_moments *m, struct arena *a)
{
	struct stack_moment *v = arena_alloc(a, (m->n + 1u) * sizeof *v);
	size_t bytes = (m->n + 1u) * sizeof(struct radix_item);
	struct radix_item *item = mem_bulk(bytes);
	for (uint32_t i = 0; i < m->n; i++)
		item[i] = (struct radix_item){m->v[i].sample, i};
	radix_sort_items(item, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		item[i].key = radix_key_ascending(m->v[item[i].v].t);
	radix_sort_items(item, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		item[i].key = m->v[item[i].v].g;
	radix_sort_items(item, m->n);
	for (uint32_t i = 0; i < m->n; i++)
		v[i] = m->v[item[i].v];
	mem_bulk_free(item, bytes);
	return v;
}

static void make_index(struct stack_moments *m, struct arena *a)
{
	uint32_t k = 0, n = m->ntrks / TRACKS + 1;
	m->of = arena_alloc(a, (n + 1u) * sizeof *m->of);
	for (uint32_t i = 0; i <= n; i++) {
		while (k < m->n && m->v[k].g / TRACKS < i)
			k++;
		m->of[i] = k;
	}
}

bool stack_moments_make(
    struct stack_moments *to, const struct snap *sn, struct arena *a, const struct progress_watcher *on)
{
	struct stack_moments m = {0};
	uint64_t most = (uint64_t)sn->nsmps + sn->nmarks + 2 * (uint64_t)sn->nspans;
	bool all = most <= MOMENTS;
	size_t bytes = (all ? (size_t)most + 1 : sn->nsmps + 1u) * sizeof *m.v;
	m.v = mem_bulk(bytes);
	add_samples(sn, &m);
	bool done = !all || add_annotations(sn, &m, on);
	*to = (struct stack_moments){.v = sorted(&m, a), .n = m.n, .ntrks = sn->ntrks};
	mem_bulk_free(m.v, bytes);
	make_index(to, a);
	return done;
}

void stack_moments_take(
    struct stack_moments *to, const struct stack_moment *v, uint32_t n, trk_id ntrks, struct arena *a)
{
	*to = (struct stack_moments){.v = arena_alloc(a, (n + 1u) * sizeof *v), .n = n, .ntrks = ntrks};
	if (n)
		memcpy(to->v, v, n * sizeof *v);
	make_index(to, a);
}

uint32_t stack_moments_find(const struct stack_moments *m, trk_id g, int64_t t)
{
	if (!m->n || g >= m->ntrks)
		return m->n;
	struct bsearch_probe h = {.lo = m->of[g / TRACKS], .hi = m->of[g / TRACKS + 1]};
	while (bsearch_probe(&h)) {
		const struct stack_moment *v = &m->v[h.at];
		bsearch_narrow(&h, v->g != g ? v->g < g : v->t < t);
	}
	return (uint32_t)h.lo;
}
