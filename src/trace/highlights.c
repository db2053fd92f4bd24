/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Highlights of a time range of a trace: how busy the Ps were and the share of the GC, the longest stop of the world,
 * the longest time that a goroutine was runnable, the longest wait in package sync, and the start function whose
 * goroutines ran most. These are superlatives, not findings: none of them has to be a fault. Waits of goroutines of the
 * runtime are left out, because long ones are normal: a mark worker waits from one cycle to the next.
 *
 * Sums of Ps come from the running sums of whole rows; sums of goroutines by function come from the extremes of each
 * sheet (sheet_extremes). These also bound the longest spans: sheets are walked, the highest bound first, until no
 * other sheet can have a longer span. The sheets at the ends of the range, and those without extremes (with very many
 * functions), are always walked, only their states and starts, by several threads. A row is a part of the life of its
 * goroutine: a span that may continue after its sheet is looked up where it could be the longest
 * (trace_interval_at()). If the memory has no room for all sheets, only those in memory are walked, and the text says
 * so; the numbers of the Ps are exact.
 */
#include "config.h"
#include "trace/highlights.h"

#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/text.h"
#include "base/wrap_math.h"
#include "store/tracks/extremes.h"
#include "store/tracks/time_search.h"
#include "trace/bins.h"
#include "trace/bins_time.h"

#include <string.h>

struct longest_span {
	int64_t t0, t1;
	trk_id trk;
};

struct highlights_ctx {
	const struct snap *sn;
	const struct trace_highlights_query *q;
	int64_t p[TS__N], all_p;	/* time of Ps, by state; the total */
	int64_t away;			/* time of the range that was not walked */
	struct longest_span ready, lock, stw;
	/* by state: limit: only a longer span may be the longest; runs: all ones if the state is running */
	struct { int64_t limit, runs; } of[SHEET_STATE + 1];
	str_id stw_why;
	int64_t marking, stopped;	/* total of all cycles, of all stops of the world */
	uint32_t ngc;
	int64_t *by_name;		/* running time by start function */
	struct arena *mem;
	struct buf b;
	struct trace_highlights *out;
	size_t n;
};

/* Keep the longer span; of equal ones the earlier, of those with equal start that of the first track. */
static bool keep_longest(struct longest_span *l, int64_t t0, int64_t t1, trk_id trk)
{
	int64_t more = (t1 - t0) - (l->t1 - l->t0);
	if (more < 0 || t1 <= t0 || (!more && (t0 > l->t0 || (t0 == l->t0 && trk >= l->trk))))
		return false;
	*l = (struct longest_span){t0, t1, trk};
	return true;
}

/* The row being walked. Most intervals are shorter than the longest so far, so the loop tests only that: states that do
   not count have the limit INT64_MAX, and states that do not run add 0. */
struct row {
	const struct sheet *sh;
	trk_id trk;
	str_id name;
	uint32_t first, last;	/* intervals of the row */
	int64_t from, ran;	/* in ns since the start of the sheet: start of the interval; ran: ns */
};

static void add_ran(struct highlights_ctx *l, str_id name, int64_t ns)
{
	if (name < l->sn->nstrs && l->by_name)
		wrap_add_to(&l->by_name[name], ns);
}

/* Interval i of the row ends `to` ns after the start of the sheet, and its span may be the longest. If the span may
   continue after the interval, the whole span is looked up. r is a copy, so that loops keep the row in registers as
   long as this is not called. */
static void __attribute__((noinline))
compare_longest(struct highlights_ctx *l, struct row r, uint32_t i, int64_t to, bool whole)
{
	unsigned s = r.sh->state[i] & SHEET_STATE;
	const struct str_row *name = store_str(l->sn->st, r.name);
	struct longest_span *best = s == TS_READY ? &l->ready : &l->lock;
	struct trace_interval v = {.t0 = r.sh->t0 + r.from, .t1 = r.sh->t0 + to};
	if (v.t1 <= v.t0 || sink_runtime(name->s, name->n) || (!whole && !trace_interval_at(l->sn, r.trk, v.t0, &v)))
		return;
	if (keep_longest(best, v.t0, v.t1, r.trk))
		l->of[s].limit = v.t1 - v.t0 - 1;	/* equal spans are compared too */
}

/* Can the interval be a continuation of the one before? */
static bool continues_span(const struct row *r, uint32_t i)
{
	return i == r->first || sheet_continues(r->sh->state[i - 1], r->sh->state[i]);
}

/* Check an interval that may be part of a longer span: could that span, within the life of the goroutine, be the
   longest? */
static void judge_part(struct highlights_ctx *l, struct row r, uint32_t i, int64_t to)
{
	const struct trk_row *trk = store_trk(l->sn->st, r.trk);
	unsigned s = r.sh->state[i] & SHEET_STATE;
	int64_t t0 = r.sh->t0 + r.from, t1 = r.sh->t0 + to, ended = store_t1(l->sn->st, trk);
	if (continues_span(&r, i))
		t0 = l->sn->t0;
	if (i == r.last || r.sh->state[i] & SHEET_PAST)
		t1 = ended != TIME_NONE && ended > t1 ? ended : l->sn->t1;
	if (t1 - t0 > l->of[s].limit)
		compare_longest(l, r, i, to, false);
}

static inline __attribute__((always_inline)) void note_interval(
    struct highlights_ctx *l, struct row *r, uint32_t i, int64_t to)
{
	unsigned s = r->sh->state[i] & SHEET_STATE;
	r->ran += (to - r->from) & l->of[s].runs;
	if (__builtin_expect(r->sh->state[i] & SHEET_PAST, false))
		judge_part(l, *r, i, to);
	else if (__builtin_expect(to - r->from > l->of[s].limit, false))
		compare_longest(l, *r, i, to, true);
	r->from = to;
}

/* The first or the last interval of the row. */
static void end_interval(struct highlights_ctx *l, struct row *r, uint32_t i, int64_t to)
{
	r->ran += (to - r->from) & l->of[r->sh->state[i] & SHEET_STATE].runs;
	if (l->of[r->sh->state[i] & SHEET_STATE].limit != INT64_MAX)
		judge_part(l, *r, i, to);
	r->from = to;
}

/* Process intervals [i, end), without the last of the row. There is one loop for each width of a start. */
static void note_intervals(struct highlights_ctx *l, struct row *row, uint32_t i, uint32_t end)
{
	struct row r = *row;
	const struct sheet *sh = r.sh;
	if (sh->start3)
		for (; i < end; i++)
			note_interval(l, &r, i, sheet_u24(sh->start3, i + 1));
	else
		for (; i < end; i++)
			note_interval(l, &r, i, sh->start4[i + 1]);
	*row = r;
}

/* Return the running time of interval i within [a, b), in ns since the start of the sheet. */
static int64_t runs_in(
    const struct highlights_ctx *l, const struct sheet *sh, uint32_t row, uint32_t i, int64_t a, int64_t b)
{
	int64_t from = sheet_start(sh, i), to = sheet_end(sh, row, i) - sh->t0;
	from = from < a ? a : from;
	to = to > b ? b : to;
	return to > from ? (to - from) & l->of[sh->state[i] & SHEET_STATE].runs : 0;
}

static void goroutine_row(struct highlights_ctx *l, const struct sheet *sh, uint32_t row, const struct trk_row *trk)
{
	struct row r = {.sh = sh, .trk = sh->trk[row], .name = store_origin(l->sn->st, trk)->name, .first = sh->first[row],
	    .last = sh->first[row + 1] - 1};
	uint32_t i = r.first, end = r.last;	/* the first and last interval that overlap the range */
	int64_t len = sh->t1 - sh->t0;
	if (l->q->t0 > sh->t0)
		i = sheet_find(sh, row, l->q->t0);
	if (l->q->t1 < sh->t1)
		end = sheet_find(sh, row, l->q->t1 - 1);
	int64_t before = runs_in(l, sh, row, i, 0, l->q->t0 - sh->t0), after = runs_in(l, sh, row, end, l->q->t1 - sh->t0, len);
	r.from = sheet_start(sh, i);
	if (i < r.last && continues_span(&r, i)) {
		end_interval(l, &r, i, sheet_start(sh, i + 1));
		i++;
	}
	note_intervals(l, &r, i, end < r.last ? end + 1 : r.last);
	if (end == r.last)
		end_interval(l, &r, end, len);
	add_ran(l, r.name, r.ran - before - after);
}

static void walk_goroutines(struct highlights_ctx *l, const struct sheet *sh)
{
	for (uint32_t r = sh->nother; r < sh->ntrk; r++)
		goroutine_row(l, sh, r, store_trk(l->sn->st, sh->trk[r]));
}

static void sum_ps(struct highlights_ctx *l)
{
	struct bin *bin = xcalloc(l->q->np + 1u, sizeof *bin);
	bins_procs(l->sn, l->q->p, l->q->np, l->q->t0, l->q->t1, bin);
	for (uint32_t i = 0; i < l->q->np; i++)
		for (int s = TS_NONE + 1; s < TS__N; s++) {
			wrap_add_to(&l->p[s], bin[i].ns[s]);
			wrap_add_to(&l->all_p, bin[i].ns[s]);
		}
	mem_free(bin);
}

/* The sheets are divided among several threads, and the results are merged. */
/* if more sheets are evicted, they are not rebuilt for a few lines of text */
enum { PARTS = 8, PART_MIN = 8, AWAY_MAX = 32 };

struct stretch_part {
	struct highlights_ctx l;
	uint32_t from, to;
	bool few;	/* only sheets that are in memory */
};

static void init_states(struct highlights_ctx *l, int64_t ready, int64_t sync)
{
	for (unsigned s = 0; s <= SHEET_STATE; s++) {
		l->of[s].limit = s == TS_READY ? ready : s == TS_SYNC ? sync : INT64_MAX;
		l->of[s].runs = s == TS_RUN || s == TS_GCWORK || s == TS_ASSIST || s == TS_SWEEP ? -1 : 0;
	}
}

static void add_extremes(struct highlights_ctx *l, const struct sheet_extremes *g)
{
	for (uint32_t i = 0; i < g->nran; i++)
		add_ran(l, g->ran[i].name, g->ran[i].ns);
	for (uint32_t i = 0; i < g->nlate; i++)
		add_ran(l, store_trk_name(l->sn->st, g->late[i].trk), g->late[i].ns);
}

/* Return the extremes of a sheet that is entirely in the range; NULL: the sheet must be walked. The last sheet of the
   range must be walked, because spans may continue after its end, unless it is the last of the trace. */
static const struct sheet_extremes *extremes_of(const struct highlights_ctx *l, uint32_t i)
{
	const struct sheet_slot *slot = store_slot(l->sn->st, i);
	bool inside = slot->t0 >= l->q->t0 && slot->t1 <= l->q->t1;
	return inside && (slot->t1 < l->q->t1 || i + 1 == l->sn->nsheets) ? slot->sheet_extremes : NULL;
}

static bool sheet_overlaps(const struct highlights_ctx *l, uint32_t i)
{
	const struct sheet_slot *slot = store_slot(l->sn->st, i);
	return slot->t0 < l->q->t1 && slot->t1 > l->q->t0;
}

static void walk_part(void *arg, uint32_t i)
{
	struct stretch_part *p = (struct stretch_part *)arg + i;
	init_states(&p->l, 0, 0);
	p->l.by_name = xcalloc(p->l.sn->nstrs + 1u, sizeof *p->l.by_name);
	for (uint32_t k = p->from; k < p->to && job_should_continue(p->l.q->on); k++) {
		const struct sheet_slot *slot = store_slot(p->l.sn->st, k);
		const struct sheet_extremes *sheet_extremes = extremes_of(&p->l, k);
		if (sheet_extremes) {
			add_extremes(&p->l, sheet_extremes);
		} else if (!sheet_is_resident(p->l.sn, k) && p->few) {
			p->l.away += slot->t1 - slot->t0;
		} else {
			walk_goroutines(&p->l, sheet_get(p->l.sn, k));
			sheet_put(p->l.sn, k);
		}
	}
}

static void walk_sheets(struct highlights_ctx *l)
{
	struct stretch_part stretch_part[PARTS];
	uint32_t away = 0, from = 0, to = l->sn->nsheets;
	while (from < to && !sheet_overlaps(l, from))
		from++;
	while (to > from && !sheet_overlaps(l, to - 1))
		to--;
	uint32_t n = to - from, most = n / PART_MIN, parts = most < 1 ? 1 : most < PARTS ? most : PARTS;
	for (uint32_t i = from; i < to; i++)
		away += !sheet_is_resident(l->sn, i) && !extremes_of(l, i);
	for (uint32_t i = 0; i < parts; i++)
		stretch_part[i] = (struct stretch_part){.l = {.sn = l->sn, .q = l->q}, .from = from + n * i / parts,
		    .to = from + n * (i + 1) / parts, .few = away > AWAY_MAX};
	job_parallel(parts, walk_part, stretch_part);
	for (uint32_t i = 0; i < parts; i++) {
		const struct highlights_ctx *x = &stretch_part[i].l;
		l->away += x->away;
		keep_longest(&l->ready, x->ready.t0, x->ready.t1, x->ready.trk);
		keep_longest(&l->lock, x->lock.t0, x->lock.t1, x->lock.trk);
		for (uint32_t k = 0; k < l->sn->nstrs; k++)
			wrap_add_to(&l->by_name[k], x->by_name[k]);
		mem_free(x->by_name);
	}
}

/* Return the first unvisited sheet with the highest bound of a kind that is above the longest so far; nsheets if there
   is none. */
static uint32_t longest_of(const struct highlights_ctx *l, const bool *seen, bool sync)
{
	uint32_t n = l->sn->nsheets, best = n;
	int64_t most = l->of[sync ? TS_SYNC : TS_READY].limit;
	for (uint32_t i = 0; i < n; i++) {
		const struct sheet_extremes *g = extremes_of(l, i);
		int64_t ns = !g ? 0 : sync ? g->sync : g->ready;
		if (ns > most && !seen[i]) {
			most = ns;
			best = i;
		}
	}
	return best;
}

/* Walk those sheets with extremes that may have the longest spans. Nearly always the first one has them, unless its
   goroutine turns out to be one of the runtime. */
static void walk_longest(struct highlights_ctx *l)
{
	bool *seen = xcalloc(l->sn->nsheets + 1u, sizeof *seen);
	int64_t *by_name = l->by_name, ready = l->ready.t1 - l->ready.t0, sync = l->lock.t1 - l->lock.t0;
	unsigned away = 0;
	l->by_name = NULL;	/* already summed */
	init_states(l, ready ? ready - 1 : 0, sync ? sync - 1 : 0);
	for (int lock = 0; lock < 2; lock++)
		for (uint32_t i; (i = longest_of(l, seen, lock)) < l->sn->nsheets && job_should_continue(l->q->on);) {
			const struct sheet_slot *slot = store_slot(l->sn->st, i);
			bool here = sheet_is_resident(l->sn, i);
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

/* Return the length of the part of a span in the range. */
static int64_t clipped_length(const struct highlights_ctx *l, const struct sink_span *s)
{
	int64_t a = s->t0 > l->q->t0 ? s->t0 : l->q->t0, b = s->t1 < l->q->t1 ? s->t1 : l->q->t1;
	return b > a ? b - a : 0;
}

static void walk_spans(struct highlights_ctx *l)
{
	const uint32_t kinds = 1u << SP_GC | 1u << SP_STW;
	for (uint32_t i = 0; (i = time_search_next_span(l->sn, i, kinds, l->q->t0, l->q->t1)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(l->sn->st, i)->s;
		l->ngc += s->kind == SP_GC;
		if (s->t0 == TIME_NONE || s->t1 == TIME_NONE)
			continue;
		wrap_add_to(s->kind == SP_GC ? &l->marking : &l->stopped, clipped_length(l, s));
		if (s->kind == SP_STW && keep_longest(&l->stw, s->t0, s->t1, s->trk))
			l->stw_why = s->name;
	}
}

static void add_highlight(struct highlights_ctx *l, struct longest_span at)
{
	if (l->n < TRACE_HIGHLIGHTS_MAX)
		l->out[l->n++] = (struct trace_highlights){at.t0, at.t1, at.trk, arena_strndup(l->mem, l->b.p, l->b.n)};
	buf_reset(&l->b);
}

static void put_str(struct highlights_ctx *l, str_id id)
{
	const struct str_row *s = store_str(l->sn->st, id);
	text_safe(&l->b, s->s, s->n);
}

static void put_g(struct highlights_ctx *l, trk_id g)
{
	const struct trk_row *t = store_trk(l->sn->st, g);
	str_id name = store_origin(l->sn->st, t)->name;
	buf_printf(&l->b, "G%llu", (unsigned long long)t->id);
	if (name) {
		buf_putc(&l->b, ' ');
		put_str(l, name);
	}
}

/* A log does not record what each P did; its cycles have their times. */
static void add_log_summary(struct highlights_ctx *l)
{
	int64_t busy = l->all_p - l->p[TS_IDLE] - l->p[TS_UNKNOWN], all = l->q->t1 - l->q->t0;
	if (busy > 0)
		buf_printf(&l->b, "Ps busy in %.0f%% of the known time%s", text_percent(busy, l->all_p), l->ngc ? "; " : "");
	if (l->ngc)
		buf_printf(&l->b, "%u GC cycle%s: marking %.1f%%, stopped %.2f%%", l->ngc,
		    text_s(l->ngc), text_percent(l->marking, all), text_percent(l->stopped, all));
	if (l->b.n)
		add_highlight(l, (struct longest_span){0});
}

static void add_busy_share(struct highlights_ctx *l)
{
	if (l->sn->trace.log) {
		add_log_summary(l);
		return;
	}
	int64_t gc = l->p[TS_GCWORK] + l->p[TS_ASSIST] + l->p[TS_SWEEP];
	if (l->all_p <= 0)
		return;
	buf_printf(&l->b, "Ps busy %.0f%% of the time", text_percent(l->all_p - l->p[TS_IDLE], l->all_p));
	if (l->ngc)
		buf_printf(&l->b, "; %u GC cycle%s took %.1f%%, assists %.1f%%", l->ngc, text_s(l->ngc),
		    text_percent(gc, l->all_p), text_percent(l->p[TS_ASSIST], l->all_p));
	add_highlight(l, (struct longest_span){0});
}

/* Add the percentage of the range that was walked. */
static void put_part(struct highlights_ctx *l)
{
	if (l->away)
		buf_printf(
		    &l->b, " (in %.0f%% of it: -mem)", text_percent(l->q->t1 - l->q->t0 - l->away, l->q->t1 - l->q->t0));
}

static void add_busiest_group(struct highlights_ctx *l)
{
	str_id best = 0;
	int64_t all = 0;
	for (str_id i = 0; i < l->sn->nstrs; i++) {
		wrap_add_to(&all, l->by_name[i]);
		if (i && l->by_name[i] > l->by_name[best])
			best = i;
	}
	if (!best || !l->by_name[best])
		return;
	buf_puts(&l->b, "most running: ");
	put_str(l, best);
	buf_puts(&l->b, ", ");
	text_ns(&l->b, l->by_name[best]);
	buf_printf(&l->b, " (%.0f%%)", text_percent(l->by_name[best], all));
	put_part(l);
	add_highlight(l, (struct longest_span){0});
}

/* "stop-the-world (GC mark termination)" is shortened to the text in the parentheses. */
static void put_stop(struct highlights_ctx *l, str_id why)
{
	static const char before[] = "stop-the-world (";
	size_t at = l->b.n, k = sizeof before - 1;
	put_str(l, why);
	if (l->b.n - at <= k + 1 || memcmp(l->b.p + at, before, k) != 0)
		return;
	memmove(l->b.p + at, l->b.p + at + k, l->b.n - at - k - 1);
	l->b.n -= k + 1;
}

/* still: the text that is added if the span continues until the end of the trace; NULL: the span has no goroutine. */
static void add_longest(struct highlights_ctx *l, const char *what, struct longest_span at, const char *still)
{
	if (at.t1 <= at.t0)
		return;
	buf_printf(&l->b, "%s: ", what);
	text_ns(&l->b, at.t1 - at.t0);
	buf_puts(&l->b, " at ");
	text_at(&l->b, at.t0, 100000);
	if (still) {
		buf_puts(&l->b, ", ");
		put_g(l, at.trk);
		buf_puts(&l->b, at.t1 >= l->sn->t1 ? still : "");
		put_part(l);
	} else if (l->stw_why) {
		buf_puts(&l->b, ", ");
		put_stop(l, l->stw_why);
	}
	add_highlight(l, at);
}

/* A goroutine that waits nearly all the time, as main does for the end of the program, shows nothing. */
static bool lasts_whole_trace(const struct snap *sn, struct longest_span at)
{
	return (double)(at.t1 - at.t0) >= 0.9 * (double)(sn->t1 - sn->t0);
}

size_t trace_highlights(const struct snap *sn, const struct trace_highlights_query *q, struct arena *mem,
    struct trace_highlights out[TRACE_HIGHLIGHTS_MAX])
{
	struct highlights_ctx l = {
	    .sn = sn, .q = q, .mem = mem, .out = out, .by_name = xcalloc(sn->nstrs + 1u, sizeof *l.by_name)};
	sum_ps(&l);
	walk_sheets(&l);
	walk_longest(&l);
	walk_spans(&l);
	add_busy_share(&l);
	add_busiest_group(&l);
	if (!lasts_whole_trace(sn, l.lock))
		add_longest(&l, "longest wait in sync", l.lock, ", still blocked");
	add_longest(&l, "longest runnable wait for a P", l.ready, ", still runnable");
	add_longest(&l, "longest stop-the-world pause", l.stw, NULL);
	mem_free(l.by_name);
	buf_free(&l.b);
	return job_should_continue(q->on) ? l.n : 0;
}
