/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A search over all intervals of a trace. Names are matched first, once per name: start functions, stacks with a
 * function that matches (forwards over the call tree, parents first), CPU samples on these stacks, states. Then
 * the walk reads only states and starts, sheet by sheet on all processors.
 *
 * An interval that crosses the border of sheets belongs to the sheet where it starts, so the matches of all sheets
 * in order are the matches of the trace in order. There are two walks: the first one counts, so that the second
 * writes to final positions and the first HITS_MAX matches by time are kept, independently of the scheduling of
 * threads.
 */
#include "config.h"
#include "trace/span_search.h"

#include "base/bsearch.h"
#include "base/mem/mem.h"
#include "base/text/regex.h"
#include "trace/bins.h"
#include "trace/span_query.h"

#include <stdlib.h>
#include <string.h>

enum { HITS_MAX = 1 << 20, BUCKETS = 4096 };

struct span_walk {
	const struct span_criteria *h;
	const struct snap *sn;
	struct job *job;
	bool of_p;
	const uint8_t *name;  /* by string: 1 no, 2 yes; NULL: any start function */
	const uint8_t *stack; /* by stack: 1: has the function; NULL: any */
	const struct seen_track { trk_id trk; int64_t t; } *seen_track;	/* samples on such stacks, by track and time */
	uint32_t nseen;
	trk_id g;	      /* only this one; 0: any */
	uint64_t *count, *ns; /* by sheet */
	uint32_t *base;	      /* by sheet: position of its matches; HITS_MAX: not kept */
	struct span_hit *hit;
	uint32_t n;
};

/* ---- matching names */

static const uint8_t *match_names(const struct span_criteria *h, const struct snap *sn, struct arena *a)
{
	uint8_t *name_matches = arena_zalloc(a, sn->nstrs + 1u);
	for (trk_id t = 1; t < sn->ntrks; t++) {
		str_id name = store_trk_name(sn->st, t);
		if (name >= sn->nstrs || name_matches[name])
			continue;
		const struct str_row *s = store_str(sn->st, name);
		bool ok = true;
		for (int i = 0; i < h->nname && ok; i++)
			ok = regex_match(h->name[i], s->s, s->n);
		if (h->any)
			ok = regex_match(h->any, s->s, s->n);
		name_matches[name] = ok ? 2 : 1;
	}
	return name_matches;
}

static const uint8_t *match_stacks(const struct span_criteria *h, const struct snap *sn, struct arena *a)
{
	uint8_t *fun = arena_zalloc(a, sn->nfuns + 1u), *hit = arena_zalloc(a, sn->nstks + 1u);
	for (fun_id f = 1; f < sn->nfuns; f++) {
		const struct str_row *s = store_str(sn->st, store_fun(sn->st, f)->name);
		fun[f] = h->fun ? f == h->fun : regex_match(h->any ? h->any : h->fn, s->s, s->n);
	}
	struct stk_pass rows = stk_pass(sn->st);
	for (stk_id s = 1; s < sn->nstks; s++) {
		struct stk_row r = stk_at(&rows, s);
		fun_id f = store_frm(sn->st, r.frame)->fun;
		hit[s] = hit[r.parent] || (f < sn->nfuns && fun[f]);
	}
	return hit;
}

static int seen_cmp(const void *a, const void *b)
{
	const struct seen_track *x = a, *y = b;
	if (x->trk != y->trk)
		return x->trk < y->trk ? -1 : 1;
	return x->t < y->t ? -1 : x->t > y->t;
}

/* Collect the CPU samples on such stacks: the function ran in a span that contains one. */
static void match_samples(struct span_walk *w, struct arena *a)
{
	const struct snap *sn = w->sn;
	struct seen_track *v = arena_alloc(a, (sn->nsmps + 1u) * sizeof *v);
	for (uint32_t i = 0; i < sn->nsmps; i++) {
		struct smp_time s = store_smp_time(sn->st, i);
		stk_id stk = store_smp(sn->st, i)->stack;
		trk_id trk = w->of_p ? s.proc : s.trk;
		if (trk && s.when != TIME_NONE && stk && stk < sn->nstks && w->stack[stk])
			v[w->nseen++] = (struct seen_track){trk, s.when};
	}
	qsort(v, w->nseen, sizeof *v, seen_cmp);
	w->seen_track = v;
}

static bool seen_in(const struct span_walk *w, trk_id trk, int64_t t0, int64_t t1)
{
	struct bsearch_probe h = {.hi = w->nseen};
	struct seen_track from = {trk, t0};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, seen_cmp(&w->seen_track[h.at], &from) < 0);
	return h.lo < w->nseen && w->seen_track[h.lo].trk == trk && w->seen_track[h.lo].t < t1;
}

/* ---- the walk */

static bool wanted_row(const struct span_walk *w, trk_id t)
{
	const struct trk_row *r = store_trk(w->sn->st, t);
	if (r->kind != (w->of_p ? TK_P : TK_G))
		return false;
	if (!w->of_p && w->h->among && (t >= w->h->namong || !w->h->among[t]))
		return false;
	if (w->of_p || w->h->any)
		return true;
	str_id name = store_origin(w->sn->st, r)->name;
	return (!w->g || t == w->g) && (!w->name || (name < w->sn->nstrs && w->name[name] == 2));
}

/* On the row of a P the goroutine there must match. */
static bool goroutine_wanted(const struct span_walk *w, uint32_t peer)
{
	if (!w->of_p || (!w->g && !w->name))
		return true;
	if (!peer || peer >= w->sn->ntrks)
		return false;
	str_id name = store_trk_name(w->sn->st, peer);
	return (!w->g || peer == w->g) && (!w->name || (name < w->sn->nstrs && w->name[name] == 2));
}

/* Complete a span that crosses a border or continues in the same state; false: it is empty, or belongs to an earlier
   piece. */
static bool complete_span(const struct span_walk *w, const struct sheet *sh, uint32_t row, uint32_t i,
    int64_t *t0, int64_t *t1)
{
	uint8_t st = sh->state[i];
	uint32_t first = sh->first[row], end = sh->first[row + 1];
	*t0 = sh->t0 + sheet_start(sh, i);
	*t1 = sheet_end(sh, row, i);
	if (i == first && st & SHEET_CONT)
		return false;
	if (i > first && sh->state[i - 1] & SHEET_PAST && !((sh->state[i - 1] ^ st) & SHEET_STATE))
		return false;
	if (*t1 <= *t0 || (i > first && i + 1 < end && !(st & SHEET_PAST)))
		return *t1 > *t0;
	struct trace_interval iv;
	if (!trace_interval_at(w->sn, sh->trk[row], *t0, &iv) || iv.t0 < sh->t0)
		return false;
	*t0 = iv.t0;
	*t1 = iv.t1;
	return true;
}

/* Does the stack match? Of a wait: its stack. Of a run: the stack where it stopped, which is that of the next interval,
   or a CPU sample in it. */
static bool wanted_stack(const struct span_walk *w, const struct sheet *sh, uint32_t row, uint32_t i)
{
	if (!w->stack)
		return true;
	stk_id s = sheet_stack(sh, i);
	unsigned st = sh->state[i] & SHEET_STATE;
	bool runs = st == TS_RUN || st == TS_ASSIST || st == TS_SWEEP;
	int64_t t0, t1;
	if (runs && i + 1 < sh->first[row + 1])
		s = sheet_stack(sh, i + 1);
	if (s && s < w->sn->nstks && w->stack[s])
		return true;
	return runs && w->nseen && complete_span(w, sh, row, i, &t0, &t1) && seen_in(w, sh->trk[row], t0, t1);
}

static int hit_cmp(const void *a, const void *b)
{
	const struct span_hit *x = a, *y = b;
	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return x->trk < y->trk ? -1 : x->trk > y->trk;
}

/* Result for the matches of a sheet: they are counted, and either kept or counted by their start. */
struct catch
{
	uint64_t n, ns;
	struct span_hit *hit; /* NULL: not kept */
	uint32_t *when;	      /* NULL, or BUCKETS counts over the time of the sheet */
	int64_t until;	      /* only spans that start before */
};

static uint32_t time_bucket(const struct sheet *sh, int64_t t)
{
	return (uint32_t)((double)(t - sh->t0) / (double)(sh->t1 - sh->t0) * (BUCKETS - 1));
}

static void add_hit(struct catch *c, const struct sheet *sh, const struct span_hit *h)
{
	if (c->hit)
		c->hit[c->n] = *h;
	if (c->when)
		c->when[time_bucket(sh, h->t0)]++;
	c->n++;
	c->ns += (uint64_t)(h->t1 - h->t0);
}

/* For a search for any name: does that of the goroutine, of the state, or one of the stack match? */
static bool any_name(const struct span_walk *w, const struct sheet *sh, uint32_t row, uint32_t i)
{
	unsigned st = sh->state[i] & SHEET_STATE;
	trk_id g = w->of_p ? sheet_peer(sh, i) : sh->trk[row];
	str_id name = g && g < w->sn->ntrks ? store_trk_name(w->sn->st, g) : 0;
	if (st == TS_NONE || st == TS_IDLE)
		return false;
	return w->h->states >> st & 1 || (name && name < w->sn->nstrs && w->name[name] == 2) ||
	       wanted_stack(w, sh, row, i);
}

static void walk_row(const struct span_walk *w, const struct sheet *sh, uint32_t row, struct catch *c)
{
	uint64_t mask = w->h->any ? UINT64_MAX : w->h->states;
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++) {
		unsigned st = sh->state[i] & SHEET_STATE;
		int64_t t0, t1;
		if (!(mask >> st & 1))
			continue;
		/* most are too short: for those inside the row two starts are enough */
		if (i > sh->first[row] && i + 1 < sh->first[row + 1] &&
		    !((sh->state[i] | sh->state[i - 1]) & SHEET_PAST) &&
		    (int64_t)(sheet_start(sh, i + 1) - sheet_start(sh, i)) < w->h->least)
			continue;
		if (w->h->any ? !any_name(w, sh, row, i)
			      : !goroutine_wanted(w, sheet_peer(sh, i)) || !wanted_stack(w, sh, row, i))
			continue;
		if (!complete_span(w, sh, row, i, &t0, &t1))
			continue;
		if (t1 - t0 >= w->h->least && t1 - t0 <= w->h->most && t0 < c->until)
			add_hit(c, sh, &(struct span_hit){t0, t1, sh->trk[row], (enum tstate)st});
	}
}

/* After a cancellation no sheet is read, which might have to be rebuilt. */
static bool is_cancelled(const struct span_walk *w)
{
	return w->job && job_cancelled(w->job);
}

static void walk_sheet(const struct span_walk *w, const struct sheet *sh, struct catch *c)
{
	for (uint32_t r = 0; r < sh->ntrk; r++) {
		if (r % 64 == 0 && is_cancelled(w))
			return;
		if (wanted_row(w, sh->trk[r]))
			walk_row(w, sh, r, c);
	}
}

static void count_sheet(void *arg, uint32_t s)
{
	struct span_walk *w = arg;
	struct catch c = {.until = INT64_MAX};
	if (is_cancelled(w))
		return;
	walk_sheet(w, sheet_get(w->sn, s), &c);
	w->count[s] = c.n;
	w->ns[s] = c.ns;
}

/* Return a time before which a sheet has `room` matches or a few more. */
static int64_t find_cutoff(const struct span_walk *w, const struct sheet *sh, uint32_t room)
{
	uint32_t *when = xcalloc(BUCKETS, sizeof *when), b = 0;
	struct catch c = {.when = when, .until = INT64_MAX};
	walk_sheet(w, sh, &c);
	for (uint64_t n = 0; b < BUCKETS && n < room; b++)
		n += when[b];
	mem_free(when);
	return sh->t0 + (int64_t)((double)(sh->t1 - sh->t0) * (b + 1) / (BUCKETS - 1)) + 1;
}

static void keep_sheet(void *arg, uint32_t s)
{
	struct span_walk *w = arg;
	struct catch c = {.until = INT64_MAX};
	uint32_t room = w->n - (w->base[s] < w->n ? w->base[s] : w->n);
	if (!w->count[s] || !room || is_cancelled(w))
		return;
	const struct sheet *sh = sheet_get(w->sn, s);
	if (w->count[s] > room)
		c.until = find_cutoff(w, sh, room);
	c.hit =
	    xmalloc((size_t)w->count[s] * sizeof *c.hit); /* pages are only allocated as far as it is filled */
	walk_sheet(w, sh, &c);
	qsort(c.hit, (size_t)c.n, sizeof *c.hit, hit_cmp);
	memcpy(w->hit + w->base[s], c.hit, (size_t)(c.n < room ? c.n : room) * sizeof *c.hit);
	mem_free(c.hit);
}

/* The matches are sorted by time: a counting sort by track keeps that order. */
static uint32_t *index_by_track(const struct span_hit *hit, uint32_t n, uint32_t ntrks)
{
	uint32_t *at = xcalloc((size_t)ntrks + 1, sizeof *at),
		 *out = xmalloc((n + 1u) * sizeof *out);
	for (uint32_t i = 0; i < n; i++)
		at[hit[i].trk + 1]++;
	for (uint32_t t = 0; t < ntrks; t++)
		at[t + 1] += at[t];
	for (uint32_t i = 0; i < n; i++)
		out[at[hit[i].trk]++] = i;
	mem_free(at);
	return out;
}

static trk_id find_goroutine(const struct snap *sn, uint64_t id)
{
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (store_trk(sn->st, t)->kind == TK_G && store_trk(sn->st, t)->id == id)
			return t;
	return TRK_NOBODY;
}

int span_search_run(
    struct span_criteria *h, const struct snap *sn, bool of_p, struct job *job, struct span_hits *out)
{
	struct arena a = {0};
	struct span_walk w = {.h = h, .sn = sn, .job = job, .of_p = of_p};
	*out = (struct span_hits){0};
	w.name = h->nname || h->any ? match_names(h, sn, &a) : NULL;
	w.stack = h->fn || h->fun || h->any ? match_stacks(h, sn, &a) : NULL;
	if (w.stack)
		match_samples(&w, &a);
	w.g = h->has_g ? find_goroutine(sn, h->g) : 0;
	w.count = arena_zalloc(&a, (sn->nsheets + 1u) * sizeof *w.count);
	w.ns = arena_zalloc(&a, (sn->nsheets + 1u) * sizeof *w.ns);
	w.base = arena_zalloc(&a, (sn->nsheets + 1u) * sizeof *w.base);
	if (w.g != TRK_NOBODY)
		job_parallel(sn->nsheets, count_sheet, &w);
	for (uint32_t s = 0; s < sn->nsheets; s++) {
		w.base[s] = out->all < HITS_MAX ? (uint32_t)out->all : HITS_MAX;
		out->all += w.count[s];
		out->ns += w.ns[s];
	}
	w.n = out->n = out->all < HITS_MAX ? (uint32_t)out->all : HITS_MAX;
	w.hit = out->hit = xcalloc(w.n + 1u, sizeof *w.hit);
	if (w.n)
		job_parallel(sn->nsheets, keep_sheet, &w);
	arena_free(&a);
	if (is_cancelled(&w)) {
		span_hits_free(out);
		return -1;
	}
	out->by_trk = index_by_track(out->hit, out->n, sn->ntrks);
	return 0;
}

void span_hits_free(struct span_hits *h)
{
	mem_free(h->hit);
	mem_free(h->by_trk);
	*h = (struct span_hits){0};
}

/* ---- queries on the matches */

uint32_t span_hits_first_from(const struct span_hits *h, int64_t t)
{
	struct bsearch_probe k = {.hi = h->n};
	while (bsearch_probe(&k))
		bsearch_narrow(&k, h->hit[k.at].t0 < t);
	return k.lo;
}

static uint32_t of_find(const struct span_hits *h, trk_id t)
{
	struct bsearch_probe k = {.hi = h->n};
	while (bsearch_probe(&k))
		bsearch_narrow(&k, h->hit[h->by_trk[k.at]].trk < t);
	return k.lo;
}

const uint32_t *span_hits_of_track(const struct span_hits *h, trk_id t, uint32_t *n)
{
	uint32_t a = of_find(h, t);
	*n = of_find(h, t + 1) - a;
	return h->by_trk + a;
}

bool span_hits_overlap(const struct span_hits *h, const uint32_t *of, uint32_t n, int64_t t0, int64_t t1)
{
	struct bsearch_probe k = {.hi = n};
	while (bsearch_probe(&k))	/* the first that ends after t0: matches of a track do not overlap */
		bsearch_narrow(&k, h->hit[of[k.at]].t1 <= t0);
	return k.lo < n && h->hit[of[k.lo]].t0 < t1;
}
