/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Goroutines that are still blocked at the end of the trace, and since when. Their last spans are found in one pass
 * over the sheets, from the end of the trace backwards (span_scan.c). Only goroutines that have not ended are searched,
 * so the memory is that of the goroutines that live at the end.
 */
#include "config.h"
#include "trace/stats/still_blocked.h"

#include "trace/longest_wait.h"
#include "trace/span_scan.h"

struct blocked_search { int64_t *ns; const uint32_t *at; bool any; int64_t end; };

static void on_span(void *arg, const struct span_scan_item *v)
{
	struct blocked_search *f = arg;
	if (!state_is_wait(v->state) || v->t1 < f->end)
		return;
	f->ns[f->at[v->k]] = v->t1 - v->t0;
	f->any = true;
}

const int64_t *still_blocked(const struct snap *sn, const struct stats_groups *gs, struct arena *mem,
    const struct progress_watcher *on)
{
	struct arena own = {0};
	trk_id *g = arena_alloc(&own, (gs->ng + 1u) * sizeof *g);
	uint32_t *at = arena_alloc(&own, (gs->ng + 1u) * sizeof *at), n = 0;
	struct blocked_search f = {arena_zalloc(mem, (gs->ng + 1u) * sizeof *f.ns), at, false, sn->t1};
	for (uint32_t i = 0; i < gs->ng && sn->complete; i++) {
		if (store_trk(sn->st, gs->g[i].trk)->to_t1)
			continue;
		at[n] = i;
		g[n++] = gs->g[i].trk;
	}
	if (n && sn->t1 > sn->t0)
		span_scan_run(sn, &(struct span_scan_run){.g = g,
				      .n = n,
				      .t0 = sn->t1 - 1,
				      .t1 = sn->t1,
				      .most = UINT64_MAX,
				      .on = on ? *on : (struct progress_watcher){0},
				      .on_span = on_span,
				      .arg = &f});
	arena_free(&own);
	return f.any ? f.ns : NULL;
}

struct still_blocked_sum still_blocked_sum(const int64_t *blocked, const struct stats_group *g)
{
	struct still_blocked_sum s = {0};
	for (uint32_t i = g->first; blocked && i < g->first + g->n; i++) {
		s.n += blocked[i] > 0;
		s.longest = blocked[i] > s.longest ? blocked[i] : s.longest;
	}
	return s;
}
