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

#include "base/radix_sort.h"
#include "trace/bins.h"
#include "trace/bins_time.h"
#include "trace/stats/internal.h"

#include <stdlib.h>
#include <string.h>

struct stats_index {
	const struct snap *sn;
	uint32_t *first, *span;		/* spans of goroutine t: span[first[t]] .. span[first[t + 1]) */
};

static const char *const reasons[TS__N] = {
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
	s->first = arena_zalloc(a, (sn->ntrks + 2u) * sizeof *s->first);
	s->span = arena_alloc(a, (sn->nspans + 1u) * sizeof *s->span);
	for (uint32_t i = 0; i < sn->nspans; i++)
		s->first[range_of(sn, i) + 2]++;
	s->first[2] = 0;	/* spans of no goroutine */
	for (uint32_t t = 1; t <= sn->ntrks; t++)
		s->first[t + 1] += s->first[t];
	for (uint32_t i = 0; i < sn->nspans; i++) {
		trk_id t = range_of(sn, i);
		if (t)
			s->span[s->first[t + 1]++] = i;
	}
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

static void stat_ranges(const struct stats_index *s, struct goroutine_times *g, int64_t a, int64_t b, struct arena *mem)
{
	uint32_t from = s->first[g->trk], to = s->first[g->trk + 1];
	struct stats_part *p = NULL;
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
		part_add(p, &g->nrange, sp->name, "", t1 - t0);
	}
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
			part_add(p, &g->nblock, v.peer, reasons[TS_OTHER], hi - lo);
	}
}

static void stat_block(const struct stats_index *s, struct goroutine_times *g, struct arena *mem)
{
	uint32_t n = 0;
	for (int k = TS_CHANSEND; k < TS__N; k++)
		n += g->ns[k] > 0;
	if (!n)
		return;
	struct stats_part *p = arena_alloc(mem, (n + (g->ns[TS_OTHER] ? 64u : 0)) * sizeof *p);
	for (int k = TS_CHANSEND; k < TS__N; k++)
		if (g->ns[k] > 0 && k != TS_FOREVER && k != TS_OTHER)
			part_add(p, &g->nblock, 0, k == TS_UNKNOWN ? "" : reasons[k], g->ns[k]);
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
	g->exec = g->ns[TS_RUN] + g->ns[TS_GCWORK] + g->ns[TS_ASSIST] + g->ns[TS_SWEEP] + g->ns[TS_STW];
	g->ready = g->ns[TS_READY];
	g->syscall = g->ns[TS_SYSCALL];
	g->sysblock = g->ns[TS_SYSBLOCK];
	stat_block(s, g, mem);
	stat_ranges(s, g, g->t0, g->t1, mem);
	int64_t known = g->exec + g->ready + g->syscall + g->sysblock;
	for (uint32_t i = 0; i < g->nblock; i++)
		g->blocked += g->block[i].ns;
	for (uint32_t i = 0; i < g->nrange; i++)
		g->ranged += g->range[i].ns;
	known += g->blocked;
	g->unknown = known < g->total ? g->total - known : 0;
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

/* ---- groups */

/* Permute the entries in place: a struct takes a third of a kilobyte and there may be a million. Their indexes were
   sorted; now each entry is moved once, along the cycles of the permutation. from[i] is the entry that moves to i, and
   is i afterwards. */
static void move_around(struct goroutine_times *g, uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (from[i] == i)
			continue;
		struct goroutine_times first = g[i];
		uint32_t k = i, next;
		while ((next = from[k]) != i) {
			g[k] = g[next];
			from[k] = k;
			k = next;
		}
		g[k] = first;
		from[k] = k;
	}
}

/* Sort by length, longest first; entries of equal length stay in the order of ids. */
static void sort_accounts(struct goroutine_times *g, uint32_t n)
{
	struct radix_array v;
	radix_array_alloc(&v, n);
	for (uint32_t i = 0; i < n; i++)
		radix_array_add(&v, radix_key_descending(g[i].total), i);
	radix_sort_items(v.v, n);
	uint32_t *from = xmalloc((n + 1u) * sizeof *from);
	for (uint32_t i = 0; i < n; i++)
		from[i] = v.v[i].v;
	radix_array_free(&v);
	move_around(g, from, n);
	mem_free(from);
}

static int group_cmp(const void *a, const void *b)
{
	const struct stats_group *x = a, *y = b;
	if (x->exec != y->exec)
		return x->exec > y->exec ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Is the goroutine selected, and for which time range (TIME_NONE: all of it)? */
static bool goroutine_selected(const struct snap *sn, const struct stats_query *q, trk_id t, int64_t *a, int64_t *b)
{
	const struct trk_row *r = store_trk(sn->st, t);
	int64_t t0 = r->t0, t1 = store_t1(sn->st, r);
	*a = *b = TIME_NONE;
	if (r->kind != TK_G || t0 == TIME_NONE || (q->g && !(q->g[t >> 3] >> (t & 7) & 1)))
		return false;
	if (q->t0 != TIME_NONE && q->t0 > t0)
		*a = q->t0;
	if (q->t1 != TIME_NONE && q->t1 < (t1 == TIME_NONE ? sn->t1 : t1))
		*b = q->t1;
	return (*a == TIME_NONE || t1 == TIME_NONE || *a < t1) && (*b == TIME_NONE || *b > t0);
}

static str_id group_key(const struct snap *sn, const struct stats_query *q, trk_id t)
{
	return q->key ? q->key[t] : store_trk(sn->st, t)->name;
}

/* Report i of n done; these n are `part` percent, after `from`. Return false to stop. */
static bool report_progress(const struct stats_query *q, uint32_t i, uint32_t n, unsigned from, unsigned part)
{
	return i % 16384 || watcher_report(&q->on, from + (n ? (uint64_t)part * i / n : part), 100);
}

/* State while groups are built. */
struct grouping {
	const struct stats_index *s;
	const struct snap *sn;
	const struct stats_query *q;
	struct arena *mem, own;
	struct stats_groups *o;
	uint32_t *count;		/* by key: number of goroutines; later the index of the group */
	/* by group, in the order of ids: the result array, or a temporary one on disk */
	struct goroutine_times *g;
};

static struct stats_groups *finish_groups(struct grouping *k, bool all)
{
	if (!all)
		k->o->n = k->o->ng = 0;
	mem_free(k->count);
	arena_free(&k->own);
	return k->o;
}

/* Count the goroutines of each group. */
static bool count_groups(struct grouping *k)
{
	int64_t a, b;
	str_id most = k->sn->nstrs;
	for (trk_id t = 1; t < k->sn->ntrks && k->q->key; t++)
		most = k->q->key[t] > most ? k->q->key[t] : most;
	k->count = xcalloc(most + 1u, sizeof *k->count);
	for (trk_id t = 1; t < k->sn->ntrks; t++) {
		if (!report_progress(k->q, t, k->sn->ntrks, 5, 10))
			return false;
		if (goroutine_selected(k->sn, k->q, t, &a, &b))
			k->o->n += !k->count[group_key(k->sn, k->q, t)]++, k->o->ng++;
	}
	k->o->group = arena_alloc(k->mem, (k->o->n + 1u) * sizeof *k->o->group);
	k->o->g = arena_alloc(k->mem, (k->o->ng + 1u) * sizeof *k->o->g);
	uint32_t at = 0, n = 0;
	for (str_id i = 0; i <= most; i++)
		if (k->count[i]) {
			k->o->group[n] = (struct stats_group){ i, at, 0, 0 };
			at += k->count[i];
			k->count[i] = n++;
		}
	return true;
}

/* Compute the sums of each goroutine. */
static bool sum_groups(struct grouping *k)
{
	int64_t a, b;
	struct bins_query *ask = arena_alloc(&k->own, (k->o->ng + 1u) * sizeof *ask);
	uint32_t n = 0;
	for (trk_id t = 1; t < k->sn->ntrks; t++) {
		if (!report_progress(k->q, t, k->sn->ntrks, 15, 30))
			return false;
		if (!goroutine_selected(k->sn, k->q, t, &a, &b))
			continue;
		struct stats_group *gr = &k->o->group[k->count[group_key(k->sn, k->q, t)]];
		struct goroutine_times *g = &k->o->g[gr->first + gr->n++];
		stats_begin_account(k->s, t, a, b, g);
		ask[n++] = (struct bins_query){ t, g->t0, g->t1, g->ns };
	}
	return bins_many(k->sn, ask, n, &k->q->on);
}

/* Derive the other members, and sort by length. */
static bool end_group(struct grouping *k, struct stats_group *gr)
{
	int64_t a, b;
	struct goroutine_times *g = k->o->g + gr->first;
	for (uint32_t i = 0; i < gr->n; i++) {
		if (!report_progress(k->q, i, gr->n, 60, 20))
			return false;
		bool all = goroutine_selected(k->sn, k->q, g[i].trk, &a, &b);
		stats_finish_account(k->s, all && stats_lives_to_end(k->s, g[i].trk, b), k->mem, &g[i]);
		gr->exec += g[i].exec;
	}
	if (!watcher_report(&k->q->on, 80, 100))
		return false;
	sort_accounts(g, gr->n);
	return true;
}

struct stats_groups *stats_groups(const struct stats_index *s, const struct stats_query *q, struct arena *mem)
{
	struct grouping k = { .s = s, .sn = s->sn, .q = q, .mem = mem,
		.o = arena_zalloc(mem, sizeof *k.o) };
	if (!count_groups(&k) || !sum_groups(&k))
		return finish_groups(&k, false);
	for (uint32_t i = 0; i < k.o->n; i++)
		if (!end_group(&k, &k.o->group[i]))
			return finish_groups(&k, false);
	qsort(k.o->group, k.o->n, sizeof *k.o->group, group_cmp);
	return finish_groups(&k, true);
}

frm_id stats_root_frame(const struct store *st, stk_id s)
{
	frm_id f = 0;
	for (; s; s = stk_parent(st, s))
		f = stk_frame(st, s);
	return f;
}
