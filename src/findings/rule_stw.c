/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Stops of the world that the GC did not cause, by caller. A stop lasts until the last P has stopped: what ran there
 * longest after the start of the stop is to blame as well as the caller.
 */
#include "config.h"
#include "findings/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/u64_map.h"
#include "trace/stats/stop_phases.h"
#include "trace/user_code.h"

#include <string.h>

/* Does the program ask for the stop? Stops of the GC are judged with it, and those of the recording are not there without
   it. The reasons are those of the runtime. */
static bool is_programs(const struct store *st, uint32_t span)
{
	static const char *const others[] = {"GC ", "start trace", "stop trace"};
	struct stop_kind k = stops_kind(st, span);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (k.n >= strlen(others[i]) && !memcmp(k.s, others[i], strlen(others[i])))
			return false;
	return true;
}

/* Indexes of stops: those of group i are index[from[i]] up to index[from[i + 1] - 1], in their order. */
struct group_stops {
	uint32_t *from, *index;
};

static struct group_stops stops_of_groups(struct findings_run *r, const struct stop *v, uint32_t n,
    const struct stop_group *g, uint32_t ngroup)
{
	struct group_stops s = {arena_alloc(&r->scratch, (ngroup + 1u) * sizeof *s.from),
	    arena_alloc(&r->scratch, (n + 1u) * sizeof *s.index)};
	uint32_t *next = xmalloc((ngroup + 1u) * sizeof *next), all = 0;
	struct u64_hash group = {0};
	bool fresh;
	for (uint32_t i = 0; i < ngroup; i++) {
		u64_map_put(&group, g[i].key, &fresh)->n = i;
		s.from[i] = next[i] = all;
		all += g[i].n;
	}
	s.from[ngroup] = all;
	for (uint32_t i = 0; i < n; i++)
		s.index[next[u64_map_get(&group, stops_key(r->sn, v[i].span, STOPS_CALLER))->n]++] = i;
	u64_map_free(&group);
	mem_free(next);
	return s;
}

/* Sum up what was last to stop, of up to STOPS stops of a caller: v[index[0]] to v[index[n - 1]]. */
static void add_last(struct findings_run *r, const struct stop *v, const uint32_t *index, uint32_t n,
    struct time_parts *last)
{
	enum { STOPS = 64 };
	for (uint32_t k = 0; k < n; k += n / STOPS + 1) {
		const struct stop *s = &v[index[k]];
		struct stop_phases x = stop_phases_find(r->sn, r->proc, r->nproc, s, s->t1);
		if (x.last)
			time_parts_put(last, TIME_ON_CPU, x.stack, s->t0, x.stopping, x.last);
	}
	time_parts_sort(last);
}

/* index: of the stops of the group. */
static void report_stops(struct findings_run *r, const struct stop *v, const uint32_t *index, const struct stop_group *g)
{
	const struct stop *longest = &v[g->longest];
	struct finding f = {.score = finding_score((double)g->total, (double)r->wall), .t0 = longest->t0,
	    .t1 = longest->t1,
	    .trk = store_span(r->st, longest->span)->s.trk, .see = "stops"};
	frm_id caller = stops_caller(r->st, longest->span);
	struct time_parts last = {0};
	double share = finding_fit((double)g->total / (double)r->wall, LIMIT(r, STW, SHARE)),
	       most = finding_fit((double)g->max, LIMIT(r, STW, LONGEST));
	if (share < 0.5 && most < 0.5)	/* finding_add() would drop it, and add_last() looks at all Ps */
		return;
	add_last(r, v, index, g->n, &last);
	finding_culprit(r, &f, caller);
	finding_put_place(r, caller);
	struct stop_kind kind = stops_kind(r->st, longest->span);
	buf_puts(&r->text, " stops the world (");
	text_safe(&r->text, kind.s, kind.n);
	buf_printf(&r->text, ") %u time%s: %.1f%% of the time, up to ", g->n, text_s(g->n), f.score);
	text_ns(&r->text, g->max);
	if (last.n && last.v[0].ns > last.total / 2 && last.v[0].longest > g->max / 4) {
		stk_id at = user_code_site(r->st, last.v[0].stack);
		finding_culprit(r, &f, at ? stk_frame(r->st, at) : 0);
		buf_puts(&r->text, "; the last to stop is ");
		finding_put_place(r, at ? stk_frame(r->st, at) : 0);
		finding_number(&f, "last_to_stop_ns", (double)last.v[0].longest);
	}
	finding_number(&f, "stops", g->n);
	finding_number(&f, "stopped_ns", (double)g->total);
	finding_number(&f, "longest_ns", (double)g->max);
	time_parts_free(&last);
	finding_add(r, share > most ? share : most, &f);
}

void rule_stw(struct findings_run *r)
{
	uint32_t n, kept = 0, ngroup;
	struct stop *v = stops_find(r->sn, r->q->filter, r->scan.t0, r->scan.t1, &r->scratch, &n);
	for (uint32_t i = 0; i < n; i++)
		if (is_programs(r->st, v[i].span))
			v[kept++] = v[i];
	const struct stop_group *g = stops_group(r->sn, v, kept, STOPS_CALLER, &r->scratch, &ngroup);
	struct group_stops of = stops_of_groups(r, v, kept, g, ngroup);
	for (uint32_t i = 0; i < ngroup && findings_continue(r); i++)
		report_stops(r, v, of.index + of.from[i], &g[i]);
}
