/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Times of goroutines. Times by state are differences of the sheets' running
 * sums; ranges are spans, indexed by the goroutine that is charged with them (a
 * counting sort), and clipped to the time range.
 *
 * Two oddities of the reference are kept, because the numbers must be equal: a
 * goroutine that blocks forever has no time after that; and if a system call is
 * blocked at the end of the trace, its last part counts as system call and as
 * scheduling wait, not as blocked.
 */
#include "config.h"
#include "trace/stats/goroutine_stats.h"

#include "base/rank_bitmap.h"
#include "base/u64_map.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/stats/internal.h"
#include "trace/wait_before.h"

#include <string.h>

struct stats_index {
	const struct snap *sn;
	struct rank *ranged;		/* the goroutines that have ranges: few of millions */
	uint32_t *first, *span;		/* ranges of the k-th of them: the spans span[first[k]] .. span[first[k + 1]) */
};

const char *const stats_reasons[TS__N] = {
#define STATE(id, letter, name, reason) reason,
#include "state.def"
#undef STATE
};

static trk_id range_of(const struct snap *sn, uint32_t i)
{
	const struct sink_span *s = &store_span(sn->st, i)->s;
	if (s->kind == SP_SWEEP)
		return s->trk1;
	return s->kind == SP_ASSIST || s->kind == SP_STW || s->kind == SP_RANGE ? s->trk : 0;
}

struct stats_index *stats_index_new(const struct snap *sn, struct arena *a)
{
	struct stats_index *s = arena_zalloc(a, sizeof *s);
	s->sn = sn;
	s->ranged = arena_zalloc(a, rank_blocks(sn->ntrks) * sizeof *s->ranged);
	for (uint32_t i = 0; i < sn->nspans; i++)
		if (range_of(sn, i))
			rank_set(s->ranged, range_of(sn, i));
	uint32_t n = rank_seal(s->ranged, sn->ntrks);
	s->first = arena_zalloc(a, (n + 2u) * sizeof *s->first);
	s->span = arena_alloc(a, (sn->nspans + 1u) * sizeof *s->span);
	for (uint32_t i = 0; i < sn->nspans; i++)
		if (range_of(sn, i))
			s->first[rank_below(s->ranged, range_of(sn, i)) + 2]++;
	for (uint32_t k = 1; k < n; k++)
		s->first[k + 1] += s->first[k];
	for (uint32_t i = 0; i < sn->nspans; i++)
		if (range_of(sn, i))
			s->span[s->first[rank_below(s->ranged, range_of(sn, i)) + 1]++] = i;
	return s;
}

const struct snap *stats_index_snap(const struct stats_index *s)
{
	return s->sn;
}

static void part_add(struct stats_part *p, uint32_t *n, str_id name, const char *text, int64_t ns)
{
	for (uint32_t i = 0; i < *n; i++)
		if (p[i].name == name && (name || !strcmp(p[i].text, text))) {
			p[i].ns += ns;
			return;
		}
	p[(*n)++] = (struct stats_part){ name, text, ns };
}

/* Add the time of a range to the part of its name. A goroutine may have very many names: their parts are found by `of`. */
static void range_add(struct goroutine_times *g, struct stats_part *p, struct u64_hash *of, str_id name, int64_t ns)
{
	enum { FEW = 16 };
	bool fresh;
	if (g->nrange < FEW) {
		part_add(p, &g->nrange, name, "", ns);
		return;
	}
	for (uint32_t i = 0; g->nrange == FEW && i < FEW; i++)
		u64_map_put(of, p[i].name, &fresh)->n = i;
	struct u64_slot *slot = u64_map_put(of, name, &fresh);
	if (fresh) {
		slot->n = g->nrange;
		p[g->nrange++] = (struct stats_part){ name, "", 0 };
	}
	p[slot->n].ns += ns;
}

static void stat_ranges(const struct stats_index *s, struct goroutine_times *g, int64_t a, int64_t b, struct arena *mem)
{
	uint32_t at = rank_below(s->ranged, g->trk), from = s->first[at];
	uint32_t to = rank_has(s->ranged, g->trk) ? s->first[at + 1] : from;
	struct stats_part *p = NULL;
	struct u64_hash of = {0};
	for (uint32_t k = from; k < to; k++) {
		const struct sink_span *sp = &store_span(s->sn->st, s->span[k])->s;
		int64_t t0, t1;
		time_search_span_bounds(s->sn, sp, &t0, &t1);
		t0 = t0 < a ? a : t0;
		t1 = t1 > b ? b : t1;
		if (t1 <= t0)
			continue;
		if (!p)
			p = arena_alloc(mem, (to - from) * sizeof *p);
		range_add(g, p, &of, sp->name, t1 - t0);
	}
	u64_map_free(&of);
	g->range = p;
}

/* Walk the waits whose reason is only known as text. */
static void stat_others(const struct stats_index *s, struct goroutine_times *g, struct stats_part *p)
{
	struct trace_interval v;
	bool go = trace_interval_near(s->sn, g->trk, g->t0, 1, &v);
	if (trace_interval_at(s->sn, g->trk, g->t0, &v))
		go = true;
	for (; go && v.t0 < g->t1; go = trace_interval_step(s->sn, &v, 1)) {
		int64_t lo = v.t0 < g->t0 ? g->t0 : v.t0, hi = v.t1 > g->t1 ? g->t1 : v.t1;
		if (v.state == TS_OTHER && hi > lo && (!v.peer || g->nblock < 63))
			part_add(p, &g->nblock, v.peer, stats_reasons[TS_OTHER], hi - lo);
	}
}

bool stats_is_part(enum tstate k, int64_t ns)
{
	return k >= TS_CHANSEND && ns > 0 && k != TS_FOREVER && k != TS_OTHER;
}

int64_t stats_own_ns(const struct goroutine_times *g, enum tstate k)
{
	return k == TS_UNKNOWN ? g->ns[k] + g->before_ns : k == g->before ? g->ns[k] - g->before_ns : g->ns[k];
}

const char *stats_before_reason(const struct goroutine_times *g)
{
	return stats_reasons[g->before] ? stats_reasons[g->before] : "";
}

/* Find how much of the time is of a wait since before the trace. */
static void stat_before(const struct stats_index *s, struct goroutine_times *g)
{
	struct trace_interval v;
	if (!trace_wait_before(s->sn, g->trk, &v))
		return;
	int64_t a = v.t0 > g->t0 ? v.t0 : g->t0, b = v.t1 < g->t1 ? v.t1 : g->t1;
	g->before = v.state;
	g->before_ns = b > a ? b - a : 0;
}

static void stat_block(const struct stats_index *s, struct goroutine_times *g, struct arena *mem)
{
	uint32_t n = g->before_ns > 0;
	for (int k = TS_CHANSEND; k < TS__N; k++)
		n += g->ns[k] > 0;
	if (!n)
		return;
	struct stats_part *p = arena_alloc(mem, (n + (g->ns[TS_OTHER] ? 64u : 0)) * sizeof *p);
	for (int k = TS_CHANSEND; k < TS__N; k++)
		if (stats_is_part((enum tstate)k, stats_own_ns(g, (enum tstate)k)))
			part_add(p, &g->nblock, 0, k == TS_UNKNOWN ? "" : stats_reasons[k], stats_own_ns(g, (enum tstate)k));
	if (g->ns[TS_OTHER])
		stat_others(s, g, p);
	g->block = p;
}

bool stats_goroutine_bounds(const struct snap *sn, trk_id trk, int64_t *a, int64_t *b)
{
	const struct trk_row *row = store_trk(sn->st, trk);
	int64_t born = row->t0, died = store_t1(sn->st, row);
	if (born == TIME_NONE)
		return false;
	*a = *a == TIME_NONE ? born : *a;
	*b = *b != TIME_NONE ? *b : died != TIME_NONE ? died : sn->t1;
	return true;
}

bool stats_begin_account(const struct stats_index *s, trk_id trk, int64_t a, int64_t b, struct goroutine_times *g)
{
	*g = (struct goroutine_times){ .trk = trk };
	if (!stats_goroutine_bounds(s->sn, trk, &a, &b))
		return false;
	g->t0 = a;
	g->t1 = b;
	g->total = g->t1 - g->t0;
	return true;
}

int64_t stats_sum_parts(const struct stats_part *p, uint32_t n)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += p[i].ns;
	return sum;
}

void stats_sum_states(struct goroutine_times *g)
{
	g->exec = g->ns[TS_RUN] + g->ns[TS_GCWORK] + g->ns[TS_ASSIST] + g->ns[TS_SWEEP] + g->ns[TS_STW];
	g->ready = g->ns[TS_READY];
	g->syscall = g->ns[TS_SYSCALL];
	g->sysblock = g->ns[TS_SYSBLOCK];
	int64_t known = g->exec + g->ready + g->syscall + g->sysblock + g->blocked;
	g->unknown = known < g->total ? g->total - known : 0;
}

void stats_finish_account(const struct stats_index *s, bool lives, struct arena *mem, struct goroutine_times *g)
{
	struct trace_interval v;
	int64_t heard = store_heard(s->sn->st, store_trk(s->sn->st, g->trk)), sealed = heard < g->t1 ? heard : g->t1;
	enum tstate was = heard != TIME_NONE && g->t0 < sealed ? trace_interval_state(s->sn, g->trk, heard) : TS_NONE;
	if (was != TS_NONE) {
		g->ns[was] += sealed - g->t0;	/* the time before the first sheet that has it */
		g->ns[TS_NONE] -= sealed - g->t0;
	}
	if (lives && trace_interval_state(s->sn, g->trk, s->sn->t1 - 1) == TS_SYSBLOCK &&
	    trace_interval_at(s->sn, g->trk, s->sn->t1 - 1, &v)) {
		int64_t last = v.t1 - (v.t0 > g->t0 ? v.t0 : g->t0);
		g->ns[TS_SYSBLOCK] -= last;
		g->ns[TS_SYSCALL] += last;
		g->ns[TS_READY] += last;
	}
	stat_before(s, g);
	stat_block(s, g, mem);
	stat_ranges(s, g, g->t0, g->t1, mem);
	g->blocked = stats_sum_parts(g->block, g->nblock);
	g->ranged = stats_sum_parts(g->range, g->nrange);
	stats_sum_states(g);
}

bool stats_lives_to_end(const struct stats_index *s, trk_id trk, int64_t b)
{
	return !store_trk(s->sn->st, trk)->to_t1 && b == TIME_NONE;
}

int64_t stats_goroutine_length(const struct stats_index *s, trk_id trk, int64_t a, int64_t b)
{
	struct goroutine_times g;
	return stats_begin_account(s, trk, a, b, &g) ? g.total : 0;
}

void stats_of_goroutine(
    const struct stats_index *s, trk_id trk, int64_t a, int64_t b, struct arena *mem, struct goroutine_times *g)
{
	struct bin sum;
	if (!stats_begin_account(s, trk, a, b, g))
		return;
	bins_sum(s->sn, trk, g->t0, g->t1, &sum);
	memcpy(g->ns, sum.ns, sizeof g->ns);
	stats_finish_account(s, stats_lives_to_end(s, trk, b), mem, g);
}

frm_id stats_root_frame(const struct store *st, stk_id s)
{
	frm_id f = 0;
	for (; s; s = stk_parent(st, s))
		f = stk_frame(st, s);
	return f;
}
