/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The first look at a trace: how busy the Ps were and what of that was the
 * collector, the longest stop of the world, the longest time that a goroutine
 * was ready and did not get to run, the longest wait in package sync, and the start
 * function whose goroutines ran most. These are superlatives and no findings:
 * nothing here says that one of them is wrong. The runtime's own goroutines wait as
 * they are meant to, a mark worker from one cycle to the next: no longest wait is one of theirs.
 *
 * Sums of Ps come from the running sums of whole rows, those of goroutines by function from the gist of each sheet,
 * which says as well which sheet has the longest waits: that one is walked. Where there is no gist (of an index, of
 * very many functions) the intervals of all goroutines are, their states and starts alone, by several threads. Where
 * memory is too small for all sheets that walk is of those that are at hand, and what comes of it says so; the Ps are
 * whole.
 */
#include "config.h"
#include "analysis/standout.h"

#include "base/job.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wrap.h"
#include "store/brief.h"
#include "store/gist.h"

#include <string.h>

struct longest {
	int64_t t0, t1;
	trk_id trk;
};

struct look {
	const struct snap *sn;
	const struct onlooker *on;
	int64_t p[TS__N], all_p;	/* Ps, by state; all of it */
	int64_t away;			/* so much of the trace was not walked */
	struct longest ready, lock, stw;
	/* by state: what is longer is the new longest; all ones, where it is running */
	struct { int64_t limit, runs; } of[SHEET_STATE + 1];
	str_id stw_why;
	int64_t marking, stopped;	/* all cycles, all stops of the world */
	uint32_t ngc;
	int64_t *by_name;		/* running time by start function */
	struct arena *mem;
	struct buf b;
	struct standout *out;
	size_t n;
};

static void keep_longest(struct longest *l, int64_t t0, int64_t t1, trk_id trk)
{
	if (t1 - t0 > l->t1 - l->t0)
		*l = (struct longest){t0, t1, trk};
}

/* A row as it is walked. States alternate, so nothing but a new longest one is asked for: what does not count has a
   longest one that nothing is longer than, and what does not run adds nothing. */
struct row {
	const struct sheet *sh;
	trk_id trk;
	str_id name;
	int64_t from, ran;	/* since the sheet began: the interval; ns */
};

static void add_ran(struct look *l, str_id name, int64_t ns)
{
	if (name < l->sn->nstrs && l->by_name)
		l->by_name[name] = wrap_add(l->by_name[name], ns);
}

/* r is a copy: of what this is not called for the loops keep all in registers. */
static void __attribute__((noinline)) new_longest(struct look *l, struct row r, unsigned s, int64_t to)
{
	const struct str_row *name = store_str(l->sn->st, r.name);
	if (sink_runtime(name->s, name->n))
		return;
	l->of[s].limit = to - r.from;
	*(s == TS_READY ? &l->ready : &l->lock) = (struct longest){r.sh->t0 + r.from, r.sh->t0 + to, r.trk};
}

static inline __attribute__((always_inline)) void interval(struct look *l, struct row *r, uint32_t i, int64_t to)
{
	unsigned s = r->sh->state[i] & SHEET_STATE;
	r->ran += (to - r->from) & l->of[s].runs;
	if (__builtin_expect(to - r->from > l->of[s].limit, false))
		new_longest(l, *r, s, to);
	r->from = to;
}

/* One loop for each width of a start. */
static void goroutine_row(struct look *l, const struct sheet *sh, uint32_t row, const struct trk_row *trk)
{
	uint32_t i = sh->first[row], last = sh->first[row + 1] - 1;
	struct row r = {.sh = sh, .trk = sh->trk[row], .name = trk->name};
	if (sh->start3)
		for (; i < last; i++)
			interval(l, &r, i, sheet_three(sh->start3, i + 1));
	else
		for (; i < last; i++)
			interval(l, &r, i, sh->start4[i + 1]);
	interval(l, &r, last, sh->t1 - sh->t0);
	add_ran(l, r.name, r.ran);
}

static void walk_goroutines(struct look *l, const struct sheet *sh)
{
	for (uint32_t r = sh->nother; r < sh->ntrk; r++)
		goroutine_row(l, sh, r, store_trk(l->sn->st, sh->trk[r]));
}

static void sum_ps(struct look *l, const struct sheet *sh)
{
	for (uint32_t r = 0; r < sh->nother; r++) {
		int64_t sum[TS__N];
		if (store_trk(l->sn->st, sh->trk[r])->kind != TK_P)
			continue;
		sheet_upto(sh, r, sh->t1, sum);
		for (int s = 0; s < TS__N; s++) {
			l->p[s] += sum[s];
			l->all_p += s == TS_NONE ? 0 : sum[s];
		}
	}
}

/* Sheets are walked by several threads, each a part of them, and the parts put together in their order: of
   equals the first is kept. */
enum { PARTS = 8, PART_MIN = 8, AWAY_MAX = 32 };	/* more are not made again for a few lines of text */

struct part {
	struct look l;
	uint32_t from, to;
	bool few;	/* only sheets that are at hand */
};

/* Of a sheet that is not at hand: its Ps, which are summed up. */
static void sum_away(struct look *l, const struct sheet_slot *slot)
{
	const struct brief *b = slot->brief;
	for (uint32_t r = 0; r < b->n; r++)
		for (uint32_t i = b->row[r].first; i < b->row[r + 1].first; i++)
			if (store_trk(l->sn->st, b->row[r].trk)->kind == TK_P) {
				l->p[b->part[i] & 0xff] += (int64_t)(b->part[i] >> 8);
				l->all_p += (int64_t)(b->part[i] >> 8);
			}
}

static void states(struct look *l, int64_t ready, int64_t sync)
{
	for (unsigned s = 0; s <= SHEET_STATE; s++) {
		l->of[s].limit = s == TS_READY ? ready : s == TS_SYNC ? sync : INT64_MAX;
		l->of[s].runs = s == TS_RUN || s == TS_GCWORK || s == TS_ASSIST || s == TS_SWEEP ? -1 : 0;
	}
}

static void add_gist(struct look *l, const struct gist *g)
{
	for (uint32_t i = 0; i < g->nran; i++)
		add_ran(l, g->ran[i].name, g->ran[i].ns);
	for (uint32_t i = 0; i < g->nlate; i++)
		add_ran(l, store_trk(l->sn->st, g->late[i].trk)->name, g->late[i].ns);
}

static void walk_part(void *arg, uint32_t i)
{
	struct part *p = (struct part *)arg + i;
	states(&p->l, 0, 0);
	p->l.by_name = xcalloc(p->l.sn->nstrs + 1u, sizeof *p->l.by_name);
	for (uint32_t k = p->from; k < p->to && goes_on(p->l.on); k++) {
		const struct sheet_slot *slot = store_slot(p->l.sn->st, k);
		if (slot->gist)
			add_gist(&p->l, slot->gist);
		if (!sheet_at_hand(p->l.sn, k) && (slot->gist || p->few)) {
			sum_away(&p->l, slot);
			p->l.away += slot->gist ? 0 : slot->t1 - slot->t0;
			continue;
		}
		const struct sheet *sh = sheet_get(p->l.sn, k);
		sum_ps(&p->l, sh);
		if (!slot->gist)
			walk_goroutines(&p->l, sh);
		sheet_put(p->l.sn, k);
	}
}

static void walk_sheets(struct look *l)
{
	struct part part[PARTS];
	uint32_t away = 0, n = l->sn->nsheets, most = n / PART_MIN;
	uint32_t parts = most < 1 ? 1 : most < PARTS ? most : PARTS;
	for (uint32_t i = 0; i < n; i++)
		away += !sheet_at_hand(l->sn, i) && !store_slot(l->sn->st, i)->gist;
	for (uint32_t i = 0; i < parts; i++)
		part[i] = (struct part){.l = {.sn = l->sn, .on = l->on}, .from = n * i / parts,
		    .to = n * (i + 1) / parts, .few = away > AWAY_MAX};
	job_parallel(parts, walk_part, part);
	for (uint32_t i = 0; i < parts; i++) {
		const struct look *x = &part[i].l;
		for (int s = 0; s < TS__N; s++)
			l->p[s] += x->p[s];
		l->all_p += x->all_p;
		l->away += x->away;
		keep_longest(&l->ready, x->ready.t0, x->ready.t1, x->ready.trk);
		keep_longest(&l->lock, x->lock.t0, x->lock.t1, x->lock.trk);
		for (uint32_t k = 0; k < l->sn->nstrs; k++)
			l->by_name[k] += x->by_name[k];
		mem_free(x->by_name);
	}
}

/* The first sheet, of those not looked at, with the longest of one kind that is longer than any so far. */
static uint32_t longest_of(const struct look *l, const bool *seen, bool sync)
{
	uint32_t n = l->sn->nsheets, best = n;
	int64_t most = l->of[sync ? TS_SYNC : TS_READY].limit;
	for (uint32_t i = 0; i < n; i++) {
		const struct gist *g = store_slot(l->sn->st, i)->gist;
		int64_t ns = !g ? 0 : sync ? g->sync : g->ready;
		if (ns > most && !seen[i]) {
			most = ns;
			best = i;
		}
	}
	return best;
}

/* The longest times of sheets that have a gist: of those alone that may have them. Nearly always the first one does,
   but a goroutine may have turned out to be the runtime's. */
static void walk_longest(struct look *l)
{
	bool *seen = xcalloc(l->sn->nsheets + 1u, sizeof *seen);
	int64_t *by_name = l->by_name;
	unsigned away = 0;
	l->by_name = NULL;	/* it is summed up already */
	states(l, l->ready.t1 - l->ready.t0, l->lock.t1 - l->lock.t0);
	for (int sync = 0; sync < 2; sync++)
		for (uint32_t i; (i = longest_of(l, seen, sync)) < l->sn->nsheets && goes_on(l->on);) {
			const struct sheet_slot *slot = store_slot(l->sn->st, i);
			bool here = sheet_at_hand(l->sn, i);
			seen[i] = true;
			if (!here && away == AWAY_MAX) {
				l->away += slot->t1 - slot->t0;
				continue;
			}
			away += !here;
			walk_goroutines(l, sheet_get(l->sn, i));
			sheet_put(l->sn, i);
		}
	l->by_name = by_name;
	mem_free(seen);
}

static void walk_spans(struct look *l)
{
	for (uint32_t i = 0; i < l->sn->nspans; i++) {
		store_pass(l->sn, i);
		const struct sink_span *s = &store_span(l->sn->st, i)->s;
		l->ngc += s->kind == SP_GC;
		if (s->t0 != TIME_NONE && s->t1 != TIME_NONE) {
			l->marking += s->kind == SP_GC ? s->t1 - s->t0 : 0;
			l->stopped += s->kind == SP_STW ? s->t1 - s->t0 : 0;
		}
		if (s->kind != SP_STW || s->t0 == TIME_NONE || s->t1 == TIME_NONE)
			continue;
		if (s->t1 - s->t0 > l->stw.t1 - l->stw.t0)
			l->stw_why = s->name;
		keep_longest(&l->stw, s->t0, s->t1, s->trk);
	}
}

static void say(struct look *l, struct longest at)
{
	if (l->n < STANDOUT_MAX)
		l->out[l->n++] = (struct standout){at.t0, at.t1, at.trk, arena_strndup(l->mem, l->b.p, l->b.n)};
	buf_reset(&l->b);
}

static void put_str(struct look *l, str_id id)
{
	const struct str_row *s = store_str(l->sn->st, id);
	text_safe(&l->b, s->s, s->n);
}

static void put_g(struct look *l, trk_id g)
{
	const struct trk_row *t = store_trk(l->sn->st, g);
	buf_printf(&l->b, "G%llu", (unsigned long long)t->id);
	if (t->name) {
		buf_putc(&l->b, ' ');
		put_str(l, t->name);
	}
}

static double share(int64_t part, int64_t all)
{
	return all > 0 ? (double)part * 100 / (double)all : 0;
}

/* A log does not tell which P did what; its cycles have their times. */
static void say_log(struct look *l)
{
	int64_t busy = l->all_p - l->p[TS_IDLE] - l->p[TS_UNKNOWN], all = l->sn->t1 - l->sn->t0;
	if (busy > 0)
		buf_printf(&l->b, "Ps were seen busy %.0f%% of the time%s", share(busy, l->all_p), l->ngc ? "; " : "");
	if (l->ngc)
		buf_printf(&l->b, "%u GC cycle%s: marking %.1f%%, stopped %.2f%%", l->ngc,
		    l->ngc == 1 ? "" : "s", share(l->marking, all), share(l->stopped, all));
	if (l->b.n)
		say(l, (struct longest){0});
}

static void say_busy(struct look *l)
{
	if (l->sn->trace.log) {
		say_log(l);
		return;
	}
	int64_t gc = l->p[TS_GCWORK] + l->p[TS_ASSIST] + l->p[TS_SWEEP];
	if (l->all_p <= 0)
		return;
	buf_printf(&l->b, "Ps were busy %.0f%% of the time", share(l->all_p - l->p[TS_IDLE], l->all_p));
	if (l->ngc)
		buf_printf(&l->b, "; %u GC cycle%s took %.1f%%, assists %.1f%%", l->ngc, l->ngc == 1 ? "" : "s",
		    share(gc, l->all_p), share(l->p[TS_ASSIST], l->all_p));
	say(l, (struct longest){0});
}

/* What is known of the sheets at hand alone. */
static void put_part(struct look *l)
{
	if (l->away)
		buf_printf(&l->b, " (in %.0f%% of the trace: -mem)",
		    share(l->sn->t1 - l->sn->t0 - l->away, l->sn->t1 - l->sn->t0));
}

static void say_group(struct look *l)
{
	str_id best = 0;
	int64_t all = 0;
	for (str_id i = 0; i < l->sn->nstrs; i++) {
		all += l->by_name[i];
		if (i && l->by_name[i] > l->by_name[best])
			best = i;
	}
	if (!best || !l->by_name[best])
		return;
	buf_puts(&l->b, "most running: ");
	put_str(l, best);
	buf_puts(&l->b, ", ");
	text_ns(&l->b, l->by_name[best]);
	buf_printf(&l->b, " (%.0f%%)", share(l->by_name[best], all));
	put_part(l);
	say(l, (struct longest){0});
}

/* "stop-the-world (GC mark termination)" is named by what is in the brackets. */
static void put_stop(struct look *l, str_id why)
{
	static const char before[] = "stop-the-world (";
	size_t at = l->b.n, k = sizeof before - 1;
	put_str(l, why);
	if (l->b.n - at <= k + 1 || memcmp(l->b.p + at, before, k) != 0)
		return;
	memmove(l->b.p + at, l->b.p + at + k, l->b.n - at - k - 1);
	l->b.n -= k + 1;
}

static void say_longest(struct look *l, const char *what, struct longest at, bool g)
{
	if (at.t1 <= at.t0)
		return;
	buf_printf(&l->b, "%s: ", what);
	text_ns(&l->b, at.t1 - at.t0);
	buf_puts(&l->b, " at ");
	text_at(&l->b, at.t0, 100000);
	if (g) {
		buf_puts(&l->b, ", ");
		put_g(l, at.trk);
		put_part(l);
	} else if (l->stw_why) {
		buf_puts(&l->b, ", ");
		put_stop(l, l->stw_why);
	}
	say(l, at);
}

size_t standout(const struct snap *sn, struct arena *mem, struct standout out[STANDOUT_MAX], const struct onlooker *on)
{
	struct look l = {
	    .sn = sn, .on = on, .mem = mem, .out = out, .by_name = xcalloc(sn->nstrs + 1u, sizeof *l.by_name)};
	walk_sheets(&l);
	walk_longest(&l);
	walk_spans(&l);
	say_busy(&l);
	say_group(&l);
	say_longest(&l, "longest wait in sync", l.lock, true);
	say_longest(&l, "longest runnable without a P", l.ready, true);
	say_longest(&l, "longest stop of the world", l.stw, false);
	mem_free(l.by_name);
	buf_free(&l.b);
	return goes_on(on) ? l.n : 0;
}
