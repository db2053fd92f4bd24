/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Accounts of goroutines. Times by state are differences of the sheets' running
 * sums; ranges are spans, indexed by the goroutine that is charged with them
 * (a counting sort), and clipped to the stretch in question.
 *
 * Two oddities of the reference are kept, for the numbers must be the same:
 * a goroutine that is blocked for ever has no time after that; and one whose
 * system call is blocked at the end of the trace has that last part as system
 * call and as scheduling wait, not as blocked.
 */
#include "config.h"
#include "analysis/sched.h"

#include "analysis/bins.h"
#include "analysis/sched_in.h"
#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

struct sched {
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

struct sched *sched_new(const struct snap *sn, struct arena *a)
{
	struct sched *s = arena_zalloc(a, sizeof *s);
	s->sn = sn;
	s->first = arena_zalloc(a, (sn->ntrks + 2u) * sizeof *s->first);
	s->span = arena_alloc(a, (sn->nspans + 1u) * sizeof *s->span);
	for (uint32_t i = 0; i < sn->nspans; store_pass(sn, i++))
		s->first[range_of(sn, i) + 2]++;
	s->first[2] = 0;	/* of nobody */
	for (uint32_t t = 1; t <= sn->ntrks; t++)
		s->first[t + 1] += s->first[t];
	for (uint32_t i = 0; i < sn->nspans; i++) {
		store_pass(sn, i);
		trk_id t = range_of(sn, i);
		if (t)
			s->span[s->first[t + 1]++] = i;
	}
	return s;
}

const struct snap *sched_snap(const struct sched *s)
{
	return s->sn;
}

static void part_add(struct sched_part *p, uint32_t *n, str_id name, const char *text, int64_t ns)
{
	for (uint32_t i = 0; i < *n; i++)
		if (p[i].name == name && (name || !strcmp(p[i].text, text))) {
			p[i].ns += ns;
			return;
		}
	p[(*n)++] = (struct sched_part){ name, text, ns };
}

static void stat_ranges(const struct sched *s, struct gstat *g, int64_t a, int64_t b, struct arena *mem)
{
	uint32_t from = s->first[g->trk], to = s->first[g->trk + 1];
	struct sched_part *p = NULL;
	for (uint32_t k = from; k < to; k++) {
		const struct sink_span *sp = &store_span(s->sn->st, s->span[k])->s;
		int64_t t0, t1;
		span_bounds(s->sn, sp, &t0, &t1);
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

/* Waits whose reason is only known as text: walk them. */
static void stat_others(const struct sched *s, struct gstat *g, struct sched_part *p)
{
	struct ival v;
	bool go = ival_near(s->sn, g->trk, g->t0, 1, &v);
	if (ival_at(s->sn, g->trk, g->t0, &v))
		go = true;
	for (; go && v.t0 < g->t1; go = ival_step(s->sn, &v, 1)) {
		int64_t lo = v.t0 < g->t0 ? g->t0 : v.t0, hi = v.t1 > g->t1 ? g->t1 : v.t1;
		if (v.state == TS_OTHER && hi > lo && (!v.who || g->nblock < 63))
			part_add(p, &g->nblock, v.who, reasons[TS_OTHER], hi - lo);
	}
}

static void stat_block(const struct sched *s, struct gstat *g, struct arena *mem)
{
	uint32_t n = 0;
	for (int k = TS_CHANSEND; k < TS__N; k++)
		n += g->ns[k] > 0;
	if (!n)
		return;
	struct sched_part *p = arena_alloc(mem, (n + (g->ns[TS_OTHER] ? 64u : 0)) * sizeof *p);
	for (int k = TS_CHANSEND; k < TS__N; k++)
		if (g->ns[k] > 0 && k != TS_FOREVER && k != TS_OTHER)
			part_add(p, &g->nblock, 0, k == TS_UNKNOWN ? "" : reasons[k], g->ns[k]);
	if (g->ns[TS_OTHER])
		stat_others(s, g, p);
	g->block = p;
}

bool sched_begin(const struct sched *s, trk_id trk, int64_t a, int64_t b, struct gstat *g)
{
	const struct trk_row *row = store_trk(s->sn->st, trk);
	int64_t born = row->t0, died = row->t1;
	*g = (struct gstat){ .trk = trk };
	if (born == TIME_NONE)
		return false;
	g->t0 = a == TIME_NONE ? born : a;
	g->t1 = b != TIME_NONE ? b : died != TIME_NONE ? died : s->sn->t1;
	g->total = g->t1 - g->t0;
	return true;
}

void sched_end(const struct sched *s, bool lives, struct arena *mem, struct gstat *g)
{
	struct ival v;
	int64_t heard = store_trk(s->sn->st, g->trk)->heard, sealed = heard < g->t1 ? heard : g->t1;
	enum tstate was = heard != TIME_NONE && g->t0 < sealed ? ival_state(s->sn, g->trk, heard) : TS_NONE;
	if (was != TS_NONE) {
		g->ns[was] += sealed - g->t0;	/* before the sheets knew of it */
		g->ns[TS_NONE] -= sealed - g->t0;
	}
	if (lives && ival_state(s->sn, g->trk, s->sn->t1 - 1) == TS_SYSBLOCK &&
	    ival_at(s->sn, g->trk, s->sn->t1 - 1, &v)) {
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
		known += g->block[i].ns;
	g->unknown = known < g->total ? g->total - known : 0;
}

bool sched_lives(const struct sched *s, trk_id trk, int64_t b)
{
	return store_trk(s->sn->st, trk)->t1 == TIME_NONE && b == TIME_NONE;
}

int64_t sched_length(const struct sched *s, trk_id trk, int64_t a, int64_t b)
{
	struct gstat g;
	return sched_begin(s, trk, a, b, &g) ? g.total : 0;
}

void sched_stat(const struct sched *s, trk_id trk, int64_t a, int64_t b, struct arena *mem, struct gstat *g)
{
	struct bin sum;
	if (!sched_begin(s, trk, a, b, g))
		return;
	bins_sum(s->sn, trk, g->t0, g->t1, &sum);
	memcpy(g->ns, sum.ns, sizeof g->ns);
	sched_end(s, sched_lives(s, trk, b), mem, g);
}

/* ---- groups */

/* An account is a third of a kilobyte and there may be a million: what is sorted is its place, and then each is
   moved once, around the cycles of where they go. The longest first; they come by id, and those of a length stay so. */
static void sort_accounts(struct gstat *g, uint32_t n, const struct arena *mem)
{
	struct keyed *to = xmalloc((n + 1u) * sizeof *to);
	uint32_t moves = 0;
	for (uint32_t i = 0; i < n; i++) {
		arena_look(mem, i);
		to[i] = (struct keyed){ keyed_down(g[i].total), i };
	}
	keyed_sort(to, n);
	for (uint32_t i = 0; i < n; i++) {
		if (to[i].v == i)
			continue;
		struct gstat first = g[i];
		uint32_t k = i, from;
		while ((from = to[k].v) != i) {
			g[k] = g[from];
			to[k].v = k;
			k = from;
			arena_look(mem, moves++);
		}
		g[k] = first;
		to[k].v = k;
	}
	mem_free(to);
}

static int group_cmp(const void *a, const void *b)
{
	const struct sched_group *x = a, *y = b;
	if (x->exec != y->exec)
		return x->exec > y->exec ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Does the goroutine count, and for which stretch (TIME_NONE: all of it)? */
static bool asked_for(const struct snap *sn, const struct sched_ask *q, trk_id t, int64_t *a, int64_t *b)
{
	const struct trk_row *r = store_trk(sn->st, t);
	int64_t t0 = r->t0, t1 = r->t1;
	*a = *b = TIME_NONE;
	if (r->kind != TK_G || t0 == TIME_NONE || (q->g && !(q->g[t >> 3] >> (t & 7) & 1)))
		return false;
	if (q->t0 != TIME_NONE && q->t0 > t0)
		*a = q->t0;
	if (q->t1 != TIME_NONE && q->t1 < (t1 == TIME_NONE ? sn->t1 : t1))
		*b = q->t1;
	return (*a == TIME_NONE || t1 == TIME_NONE || *a < t1) && (*b == TIME_NONE || *b > t0);
}

static str_id group_key(const struct snap *sn, const struct sched_ask *q, trk_id t)
{
	return q->key ? q->key[t] : store_trk(sn->st, t)->name;
}

/* So many of n are done; all of them are `part` percent, after `from`. false: stop. */
static bool tell(const struct sched_ask *q, uint32_t i, uint32_t n, unsigned from, unsigned part)
{
	return i % 16384 || look_on(&q->on, from + (n ? (uint64_t)part * i / n : part), 100);
}

static struct sched_groups *nothing(struct sched_groups *o, uint32_t *count, struct arena *own)
{
	o->n = o->ng = 0;
	mem_free(count);
	arena_free(own);
	return o;
}

struct sched_groups *sched_groups(const struct sched *s, const struct sched_ask *q, struct arena *mem)
{
	int64_t a, b;
	const struct snap *sn = s->sn;
	struct sched_groups *o = arena_zalloc(mem, sizeof *o);
	str_id most = sn->nstrs;
	for (trk_id t = 1; t < sn->ntrks && q->key; t++)
		most = q->key[t] > most ? q->key[t] : most;
	uint32_t *count = xcalloc(most + 1u, sizeof *count);
	struct arena own = { .spills = true };
	for (trk_id t = 1; t < sn->ntrks; t++) {
		if (!tell(q, t, sn->ntrks, 5, 10))
			return nothing(o, count, &own);
		if (asked_for(sn, q, t, &a, &b))
			o->n += !count[group_key(sn, q, t)]++, o->ng++;
	}
	o->group = arena_alloc(mem, (o->n + 1u) * sizeof *o->group);
	o->g = arena_alloc(mem, (o->ng + 1u) * sizeof *o->g);
	struct bins_ask *ask = arena_alloc(&own, (o->ng + 1u) * sizeof *ask);
	uint32_t at = 0, n = 0, nask = 0;
	for (str_id i = 0; i <= most; i++)
		if (count[i]) {
			o->group[n] = (struct sched_group){ i, at, 0, 0 };
			at += count[i];
			count[i] = n++;	/* from here on: the number of the group */
		}
	for (trk_id t = 1; t < sn->ntrks; t++) {
		if (!tell(q, t, sn->ntrks, 15, 30))
			return nothing(o, count, &own);
		if (!asked_for(sn, q, t, &a, &b))
			continue;
		arena_look(mem, nask);
		struct sched_group *gr = &o->group[count[group_key(sn, q, t)]];
		struct gstat *g = &o->g[gr->first + gr->n++];
		sched_begin(s, t, a, b, g);
		ask[nask++] = (struct bins_ask){ t, g->t0, g->t1, g->ns };
	}
	if (!bins_many(sn, ask, nask, mem, &q->on))
		return nothing(o, count, &own);
	arena_free(&own);
	for (uint32_t i = 0; i < o->n; i++)
		for (uint32_t k = 0; k < o->group[i].n; k++) {
			struct gstat *g = &o->g[o->group[i].first + k];
			if (!tell(q, k, o->group[i].n, 60, 20))
				return nothing(o, count, &own);
			arena_look(mem, k);
			bool all = asked_for(sn, q, g->trk, &a, &b);
			sched_end(s, all && sched_lives(s, g->trk, b), mem, g);
			o->group[i].exec += g->exec;
		}
	for (uint32_t i = 0; i < o->n; i++) {
		if (!look_on(&q->on, 80, 100))
			return nothing(o, count, &own);
		sort_accounts(o->g + o->group[i].first, o->group[i].n, mem);
	}
	qsort(o->group, o->n, sizeof *o->group, group_cmp);
	mem_free(count);
	arena_rest(mem);
	return o;
}

frm_id sched_root(const struct store *st, stk_id s)
{
	frm_id f = 0;
	for (; s; s = store_stk(st, s)->parent)
		f = store_stk(st, s)->frame;
	return f;
}
