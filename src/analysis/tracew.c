/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * A trace as a profile. One pass over the sheets walks each goroutine's row and
 * keeps, per track, the stretch that is open: since when and on which stack. It
 * closes when a state that does not match follows, and is then clipped and
 * charged. Stretches run across the borders of sheets, so the open ones live
 * beside the pass and not in a sheet.
 *
 * The rules are those of cmd/trace/pprof.go: what began before the trace was
 * heard of (SHEET_PAST) does not begin a stretch, what has not ended at its end
 * is not charged, and a goroutine counts from its first run to its end. For run
 * and block, which the reference does not have, the unfinished count too.
 */
#include "config.h"
#include "analysis/tracew.h"

#include <string.h>

static const char *const names[TW__N] = {
	[TW_CPU] = "cpu", [TW_RUN] = "run", [TW_SCHED] = "sched", [TW_SYNC] = "sync", [TW_NET] = "net",
	[TW_SYSCALL] = "syscall", [TW_BLOCK] = "block",
};

const char *tw_name(enum tw_type t)
{
	return t < TW__N ? names[t] : "";
}

int tw_find(const char *name)
{
	for (int i = 0; i < TW__N; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

struct open { int64_t t0; stk_id stack; trk_id proc; };	/* t0 TIME_NONE: nothing is open */

struct pass {
	const struct snap *sn;
	enum tw_type type;
	const struct tw_filter *f;
	struct tw *w;
	struct open *open;
};

static bool holds(const struct str_row *s, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= s->n; i++)
		if (!memcmp(s->s + i, word, n))
			return true;
	return false;
}

static bool state_runs(unsigned s)
{
	return s == TS_RUN || s == TS_GCWORK || s == TS_ASSIST || s == TS_SWEEP || s == TS_STW;
}

static bool state_matches(const struct pass *p, unsigned s, uint32_t who)
{
	switch (p->type) {
	case TW_RUN: return state_runs(s);
	case TW_SCHED: return s == TS_READY;
	case TW_SYSCALL: return s == TS_SYSCALL || s == TS_SYSBLOCK;
	case TW_NET: return s == TS_NET;
	case TW_BLOCK: return s >= TS_CHANSEND;
	case TW_SYNC:
		if (s == TS_OTHER && who) {
			const struct str_row *r = store_str(p->sn->st, who);
			return holds(r, "chan") || holds(r, "sync") || holds(r, "select");
		}
		return s == TS_CHANSEND || s == TS_CHANRECV || s == TS_SELECT || s == TS_SYNC || s == TS_COND ||
		    s == TS_SYNCTEST;
	default: return false;
	}
}

/* First slice of the track. */
static uint32_t slice_find(const struct tw_filter *f, trk_id trk)
{
	uint32_t lo = 0, hi = f->nslice;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (f->slice[mid].trk < trk)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int64_t overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
	int64_t lo = a > c ? a : c, hi = b < d ? b : d;
	return hi > lo ? hi - lo : 0;
}

/* How much of [a, b) of a goroutine counts. */
static int64_t clip(const struct pass *p, trk_id trk, int64_t a, int64_t b)
{
	const struct tw_filter *f = p->f;
	int64_t from = f && f->from != TIME_NONE ? f->from : INT64_MIN;
	int64_t to = f && f->to != TIME_NONE ? f->to : INT64_MAX;
	if (a < from)
		a = from;
	if (b > to)
		b = to;
	if (f && f->slice) {
		int64_t ns = 0;
		for (uint32_t i = slice_find(f, trk); i < f->nslice && f->slice[i].trk == trk; i++)
			ns += overlap(a, b, f->slice[i].t0, f->slice[i].t1);
		return ns;
	}
	const struct trk_row *t = store_trk(p->sn->st, trk);
	int64_t run0 = t->run0, end = t->t1;
	return overlap(a, b, run0 == TIME_NONE ? INT64_MIN : run0, end == TIME_NONE ? INT64_MAX : end);
}

static void charge(const struct pass *p, trk_id trk, const struct open *o, int64_t t, stk_id stack)
{
	if (p->f && p->f->proc && p->f->proc != o->proc && (p->type == TW_RUN || p->type == TW_SYSCALL))
		return;
	int64_t ns = clip(p, trk, o->t0, t);
	if (ns <= 0)
		return;
	if (p->f && p->f->each)
		p->f->each(p->f->arg, trk, ns, stack);
	p->w->ns[stack] += ns;
	p->w->count[stack]++;
	if (t > p->w->last[stack])
		p->w->last[stack] = t;
	p->w->total_ns += ns;
	p->w->total_count++;
}

/* Running is charged to where it stopped, all else to where it began. */
static stk_id charged_stack(const struct pass *p, trk_id trk, const struct open *o, unsigned next, stk_id stack)
{
	if (p->type != TW_RUN)
		return o->stack;
	return next == TS_NONE || !stack ? (stk_id)store_trk(p->sn->st, trk)->start : stack;
}

static void pass_row(const struct pass *p, const struct sheet *sh, uint32_t r)
{
	trk_id trk = sh->trk[r];
	struct open *o = &p->open[trk];
	for (uint32_t i = sh->first[r]; i < sh->first[r + 1]; i++) {
		unsigned s = sh->state[i] & SHEET_STATE;
		int64_t t = sh->t0 + sh->start[i];
		bool match = state_matches(p, s, sh->who[i]);
		if (o->t0 != TIME_NONE && !match) {
			charge(p, trk, o, t, charged_stack(p, trk, o, s, sheet_stack(sh, i)));
			o->t0 = TIME_NONE;
		} else if (o->t0 == TIME_NONE && match && !(sh->state[i] & (SHEET_PAST | SHEET_CONT))) {
			*o = (struct open){ t, sheet_stack(sh, i), sh->who[i] };
		}
	}
}

static void pass_sheets(const struct pass *p)
{
	for (uint32_t i = 0; i < p->sn->nsheets; i++) {
		const struct sheet *sh = store_sheet(p->sn->st, i);
		for (uint32_t r = 0; r < sh->ntrk; r++)
			if (store_trk(p->sn->st, sh->trk[r])->kind == TK_G && tw_has(p->f ? p->f->g : NULL, sh->trk[r]))
				pass_row(p, sh, r);
	}
	if (p->type != TW_RUN && p->type != TW_BLOCK)
		return;
	for (trk_id t = 1; t < p->sn->ntrks; t++)
		if (p->open[t].t0 != TIME_NONE)
			charge(p, t, &p->open[t], p->sn->t1, charged_stack(p, t, &p->open[t], TS_NONE, 0));
}

static bool sample_counts(const struct tw_filter *f, const struct smp_row *s)
{
	if (!f)
		return true;
	if ((f->from != TIME_NONE && s->when < f->from) || (f->to != TIME_NONE && s->when >= f->to) ||
	    (f->proc && s->proc != f->proc) || !tw_has(f->g, s->trk))
		return false;
	if (!f->slice)
		return true;
	for (uint32_t i = slice_find(f, s->trk); i < f->nslice && f->slice[i].trk == s->trk; i++)
		if (s->when >= f->slice[i].t0 && s->when < f->slice[i].t1)
			return true;
	return false;
}

static void pass_samples(const struct pass *p)
{
	const struct store *st = p->sn->st;
	if (p->sn->ntypes < 2)
		return;
	for (uint32_t i = 0; i < p->sn->nsmps; i++) {
		const struct smp_row *s = store_smp(st, i);
		if (!sample_counts(p->f, s))
			continue;
		int64_t n = COL_AT(&st->values[0], int64_t, i), ns = COL_AT(&st->values[1], int64_t, i);
		p->w->ns[s->stack] += ns;
		p->w->count[s->stack] += n;
		p->w->total_ns += ns;
		p->w->total_count += n;
	}
}

static bool any_goroutine(const struct snap *sn, const uint8_t *set)
{
	for (trk_id t = 1; t < sn->ntrks; t++)
		if (tw_has(set, t) && store_trk(sn->st, t)->kind == TK_G)
			return true;
	return false;
}

struct tw *tracew(const struct snap *sn, enum tw_type type, const struct tw_filter *f, struct arena *a)
{
	struct tw *w = arena_zalloc(a, sizeof *w);
	w->n = sn->nstks;
	w->ns = arena_zalloc(a, (sn->nstks + 1u) * sizeof *w->ns);
	w->count = arena_zalloc(a, (sn->nstks + 1u) * sizeof *w->count);
	w->last = arena_zalloc(a, (sn->nstks + 1u) * sizeof *w->last);
	w->empty = f && ((f->g && !any_goroutine(sn, f->g)) || (f->slice && !f->nslice));
	struct pass p = { .sn = sn, .type = type, .f = f, .w = w };
	if (type == TW_CPU) {
		pass_samples(&p);
		return w;
	}
	p.open = xmalloc((sn->ntrks + 1u) * sizeof *p.open);
	for (trk_id t = 0; t < sn->ntrks; t++)
		p.open[t].t0 = TIME_NONE;
	pass_sheets(&p);
	mem_free(p.open);
	return w;
}
