/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines that are still blocked at the end of the trace, and since when. Their last spans are found in one pass
 * over the sheets, from the end of the trace backwards (span_scan.c). Only goroutines that have not ended are searched,
 * so the memory is that of the goroutines that live at the end.
 */
#include "config.h"
#include "trace/stats/still_blocked.h"

#include "base/bsearch.h"
#include "trace/longest_wait.h"
#include "trace/span_scan.h"
#include "trace/wait_before.h"

struct blocked_search { const struct snap *sn; struct blocked_goroutine *v; const trk_id *g; int64_t end; };

static void on_span(void *arg, const struct span_scan_item *v)
{
	const struct blocked_search *f = arg;
	if (!state_is_wait(v->state) || v->t1 < f->end)
		return;
	f->v[v->k].ns = v->t1 - trace_wait_start(f->sn, f->g[v->k], v->t0);
}

static bool lives(const struct snap *sn, const struct stats_groups *gs, uint32_t i)
{
	return sn->complete && !store_trk(sn->st, gs->g[i].trk)->to_t1;
}

struct still_blocked still_blocked_find(const struct snap *sn, const struct stats_groups *gs, struct arena *mem,
    const struct progress_watcher *on)
{
	struct arena own = {0};
	struct still_blocked b = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < gs->ng; i++)
		n += lives(sn, gs, i);
	trk_id *g = arena_alloc(&own, (n + 1u) * sizeof *g);
	b.v = arena_alloc(mem, (n + 1u) * sizeof *b.v);
	for (uint32_t i = 0; i < gs->ng; i++) {
		if (!lives(sn, gs, i))
			continue;
		g[b.n] = gs->g[i].trk;
		b.v[b.n++] = (struct blocked_goroutine){i, 0};
	}
	if (n && sn->t1 > sn->t0)
		span_scan_run(sn, &(struct span_scan_run){.g = g,
				      .n = n,
				      .t0 = sn->t1 - 1,
				      .t1 = sn->t1,
				      .most = UINT64_MAX,
				      .on = on ? *on : (struct progress_watcher){0},
				      .on_span = on_span,
				      .arg = &(struct blocked_search){sn, b.v, g, sn->t1}});
	arena_free(&own);
	return b;
}

/* Return the first element from goroutine i on. */
static uint32_t first_from(const struct still_blocked *b, uint32_t i)
{
	struct bsearch_probe h = {.hi = b->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, b->v[h.at].i < i);
	return (uint32_t)h.lo;
}

int64_t still_blocked_ns(const struct still_blocked *b, uint32_t i)
{
	uint32_t k = first_from(b, i);
	return k < b->n && b->v[k].i == i ? b->v[k].ns : 0;
}

struct still_blocked_sum still_blocked_sum(const struct still_blocked *b, const struct stats_group *g)
{
	struct still_blocked_sum s = {0};
	for (uint32_t k = first_from(b, g->first); k < b->n && b->v[k].i < g->first + g->n; k++) {
		s.n += b->v[k].ns > 0;
		s.longest = b->v[k].ns > s.longest ? b->v[k].ns : s.longest;
	}
	return s;
}
