/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The other rows of a timeline: counters, marks and spans by column; and sums of many tracks. Counters and
 * marks are ordered by time, and cost what is in the window. If a window has more than 64 rows of a counter
 * per column, minima and maxima of blocks are used.
 *
 * If the rows are on disk, a look at one row reads its neighbours, sixteen pages, and a binary search over all
 * rows takes five such looks per column. So the sums contain the time of every 64th or 256th row, stored
 * together.
 */
#include "config.h"
#include "trace/bins_time.h"

#include "base/bsearch.h"
#include "base/wrap_math.h"

#include <string.h>

/* ---- counters */

enum { COUNT_STEP = 64 };
struct count_block {
	int64_t t; /* of its first row */
	uint64_t least, most;
};
struct bins_counter_sums {
	uint32_t n[CT__N]; /* rows that are in blocks: a multiple of COUNT_STEP */
	struct count_block *block[CT__N];
};

static const struct late_count *late_count(const struct snap *sn, enum counter c, uint32_t i)
{
	return column_at(&sn->st->late_counts[c], i);
}

/* Return the value of a row. A count of goroutines includes those whose first event is in a later batch. */
static uint64_t value_at(const struct snap *sn, enum counter c, uint32_t i)
{
	uint32_t n = sn->nlate_counts[c];
	uint64_t v = store_count(sn->st, c, i)->v;
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, late_count(sn, c, h.at)->row <= i);
	return n ? v + late_count(sn, c, n - 1)->n - (h.lo ? late_count(sn, c, h.lo - 1)->n : 0) : v;
}

struct bins_counter_sums *bins_counter_sums(const struct snap *sn, struct arena *a)
{
	struct bins_counter_sums *cs = arena_zalloc(a, sizeof *cs);
	for (int c = 0; c < CT__N; c++) {
		cs->n[c] = sn->ncounts[c] - sn->ncounts[c] % COUNT_STEP;
		cs->block[c] = arena_alloc(a, (cs->n[c] / COUNT_STEP + 1u) * sizeof **cs->block);
		for (uint32_t i = 0; i < cs->n[c]; i++) {
			uint64_t v = value_at(sn, (enum counter)c, i);
			struct count_block *b = &cs->block[c][i / COUNT_STEP];
			if (i % COUNT_STEP == 0)
				*b = (struct count_block){store_count(sn->st, (enum counter)c, i)->t, v, v};
			b->least = b->least < v ? b->least : v;
			b->most = b->most > v ? b->most : v;
		}
	}
	return cs;
}

uint32_t bins_counter_rows_before(const struct snap *sn, const struct bins_counter_sums *cs, enum counter c, int64_t t)
{
	uint32_t n = cs ? cs->n[c] / COUNT_STEP : 0;
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, cs->block[c][h.at].t < t);
	h = (struct bsearch_probe){
	    .lo = h.lo ? (h.lo - 1) * COUNT_STEP : 0, .hi = h.lo < n ? h.lo * COUNT_STEP : sn->ncounts[c]};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_count(sn->st, c, h.at)->t < t);
	return (uint32_t)h.lo;
}

static void count_add(struct counter_bin *now, uint64_t least, uint64_t most)
{
	if (!now->any || least < now->min)
		now->min = least;
	if (!now->any || most > now->max)
		now->max = most;
	now->any = true;
}

void bins_counter_from_sums(const struct snap *sn, const struct bins_counter_sums *cs, enum counter c, int64_t t0,
    int64_t t1, uint32_t n, struct counter_bin *out)
{
	memset(out, 0, n * sizeof *out);
	if (!n || t1 <= t0)
		return;
	uint32_t i = bins_counter_rows_before(sn, cs, c, t0 + 1);
	struct counter_bin now = {0};
	if (i) {
		uint64_t v = value_at(sn, c, i - 1);
		now = (struct counter_bin){v, v, v, true};
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t end = bins_counter_rows_before(sn, cs, c, bins_edge(t0, t1, n, k + 1));
		now.min = now.max = now.last;
		while (i < end) {
			bool block = cs && i % COUNT_STEP == 0 && end - i >= COUNT_STEP &&
				     i + COUNT_STEP <= cs->n[c];
			if (block) {	/* do not touch its rows, which may be on disk */
				const struct count_block *b = &cs->block[c][i / COUNT_STEP];
				count_add(&now, b->least, b->most);
			} else {
				uint64_t v = value_at(sn, c, i);
				count_add(&now, v, v);
			}
			i += block ? COUNT_STEP : 1;
			if (i == end)
				now.last = value_at(sn, c, i - 1);
		}
		if (bins_edge(t0, t1, n, k) < sn->t1)
			out[k] = now;
	}
}

void bins_counter(
    const struct snap *sn, enum counter c, int64_t t0, int64_t t1, uint32_t n, struct counter_bin *out)
{
	bins_counter_from_sums(sn, NULL, c, t0, t1, n, out);
}

/* ---- marks and spans */

static uint32_t column_of(int64_t t, int64_t t0, int64_t t1, uint32_t n)
{
	uint32_t k = (uint32_t)((double)(t - t0) * n / (double)(t1 - t0));
	if (k >= n)
		k = n - 1;
	while (k && bins_edge(t0, t1, n, k) > t)
		k--;
	while (k + 1 < n && bins_edge(t0, t1, n, k + 1) <= t)
		k++;
	return k;
}

/* ---- marks by kind: the number of marks before every 256th */

enum { MARK_STEP = 256, MARK_KINDS = MK__N };
struct bins_mark_sums {
	uint32_t n;
	uint32_t (*before)[MARK_KINDS];
	int64_t *t; /* of every MARK_STEPth */
};

struct bins_mark_sums *bins_mark_sums(const struct snap *sn, struct arena *a)
{
	struct bins_mark_sums *m = arena_zalloc(a, sizeof *m);
	uint32_t now[MARK_KINDS] = {0};
	m->n = sn->nmarks;
	m->before = arena_alloc(a, (m->n / MARK_STEP + 1u) * sizeof *m->before);
	m->t = arena_alloc(a, (m->n / MARK_STEP + 1u) * sizeof *m->t);
	for (uint32_t i = 0; i < m->n; i++) {
		if (i % MARK_STEP == 0) {
			memcpy(m->before[i / MARK_STEP], now, sizeof now);
			m->t[i / MARK_STEP] = store_mark(sn->st, i)->t;
		}
		now[store_mark(sn->st, i)->kind]++;
	}
	if (m->n % MARK_STEP == 0)
		memcpy(m->before[m->n / MARK_STEP], now, sizeof now);
	return m;
}

uint32_t bins_first_mark_from(const struct snap *sn, const struct bins_mark_sums *m, int64_t t)
{
	uint32_t n = m->n / MARK_STEP + (m->n % MARK_STEP > 0);
	struct bsearch_probe h = {.hi = n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, m->t[h.at] < t);
	h = (struct bsearch_probe){.lo = h.lo ? (h.lo - 1) * MARK_STEP : 0, .hi = h.lo < n ? h.lo * MARK_STEP : m->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, store_mark(sn->st, h.at)->t < t);
	return (uint32_t)h.lo;
}

static uint32_t marks_before(
    const struct snap *sn, const struct bins_mark_sums *m, uint32_t kinds, uint32_t i)
{
	uint32_t sum = 0;
	for (int k = 0; k < MARK_KINDS; k++)
		if (kinds >> k & 1)
			sum += m->before[i / MARK_STEP][k];
	for (uint32_t j = i - i % MARK_STEP; j < i; j++)
		sum += kinds >> store_mark(sn->st, j)->kind & 1;
	return sum;
}

void bins_marks(const struct snap *sn, const struct bins_mark_sums *m, uint32_t kinds, int64_t t0,
    int64_t t1, uint32_t n, uint32_t *out)
{
	uint32_t was = 0;
	for (uint32_t k = 0; k <= n; k++) {
		uint32_t now = marks_before(sn, m, kinds, bins_first_mark_from(sn, m, bins_edge(t0, t1, n, k)));
		if (k)
			out[k - 1] = now - was;
		was = now;
	}
}

/* ---- spans of a rare kind */

struct bins_span_list {
	uint32_t of, n;		/* of: number of spans of the snapshot that were searched; n: spans in the list */
	struct few_span { int64_t t0, t1; enum span_kind kind; } *span;
	struct bins_span_total total[SP_RANGE + 1];	/* by kind */
};

struct bins_span_list *bins_span_list(const struct snap *sn, uint32_t kinds, struct arena *a)
{
	struct bins_span_list *l = arena_zalloc(a, sizeof *l);
	uint32_t i, n = 0;
	l->of = sn->nspans;
	for (i = 0; (i = time_search_next_span(sn, i, kinds, INT64_MIN, INT64_MAX)) != UINT32_MAX; i++)
		l->n++;
	l->span = arena_alloc(a, (l->n + 1u) * sizeof *l->span);
	for (i = 0; n < l->n && (i = time_search_next_span(sn, i, kinds, INT64_MIN, INT64_MAX)) != UINT32_MAX; i++) {
		const struct sink_span *s = &store_span(sn->st, i)->s;
		int64_t t0 = s->t0 == TIME_NONE || s->t0 < sn->t0 ? sn->t0 : s->t0;
		int64_t t1 = s->t1 == TIME_NONE || s->t1 > sn->t1 ? sn->t1 : s->t1;
		l->span[n++] = (struct few_span){s->t0, s->t1, s->kind};
		l->total[s->kind].n++;
		l->total[s->kind].ns += t1 > t0 ? t1 - t0 : 0;
	}
	l->n = n;
	return l;
}

struct bins_span_total bins_spans_total(const struct bins_span_list *l, enum span_kind kind)
{
	return l ? l->total[kind] : (struct bins_span_total){0};
}

/* Add a span to its columns. */
static void put_span(int64_t a, int64_t b, int64_t t0, int64_t t1, uint32_t n, int64_t *out)
{
	a = a < t0 ? t0 : a;
	b = b > t1 ? t1 : b;
	for (uint32_t k = a < b ? column_of(a, t0, t1, n) : n; k < n; k++) {
		int64_t from = bins_edge(t0, t1, n, k), to = bins_edge(t0, t1, n, k + 1), width = to - from;
		if (from >= b)
			break;
		out[k] += (b < to ? b : to) - (a > from ? a : from);
		if (out[k] > width)
			out[k] = width;
	}
}

void bins_spans(const struct snap *sn, const struct bins_span_list *l, enum span_kind kind, int64_t t0, int64_t t1,
    uint32_t n, int64_t *out)
{
	memset(out, 0, n * sizeof *out);
	if (!n || t1 <= t0)
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->span[i].kind == kind)
			put_span(l->span[i].t0 == TIME_NONE ? sn->t0 : l->span[i].t0,
			    l->span[i].t1 == TIME_NONE ? sn->t1 : l->span[i].t1, t0, t1, n, out);
	/* spans added to the store after the list was made */
	for (uint32_t i = l->of; (i = time_search_next_span(sn, i, 1u << kind, t0, t1)) != UINT32_MAX; i++) {
		int64_t a, b;
		time_search_span_bounds(sn, &store_span(sn->st, i)->s, &a, &b);
		put_span(a, b, t0, t1, n, out);
	}
}

void bins_add_row(const struct sheet *sh, uint32_t row, int64_t t0, int64_t t1, int64_t ns[TS__N])
{
	int64_t a[TS__N], b[TS__N];
	if (t1 <= sh->t0 || t0 >= sh->t1)
		return;
	sheet_sums(sh, row, t0 < sh->t0 ? sh->t0 : t0, a);
	sheet_sums(sh, row, t1 > sh->t1 ? sh->t1 : t1, b);
	for (int s = 0; s < TS__N; s++)
		wrap_add_to(&ns[s], wrap_sub(b[s], a[s]));
}

void bins_add_rest(const struct snap *sn, int64_t t0, int64_t t1, int64_t ns[TS__N])
{
	int64_t a = t0 < sn->t0 ? sn->t0 : t0, b = t1 > sn->t1 ? sn->t1 : t1, all = 0;
	for (int s = 0; s < TS__N; s++)
		all += ns[s];
	ns[TS_NONE] += b > a ? b - a - all : 0;
}

bool bins_many(const struct snap *sn, const struct bins_query *ask, uint32_t n,
    const struct progress_watcher *on)
{
	bool go = true;
	uint32_t *of = xcalloc(sn->ntrks + 1u, sizeof *of);	/* by track: index of its query + 1 */
	int64_t from = INT64_MAX, to = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		of[ask[i].trk] = i + 1;
		from = ask[i].t0 < from ? ask[i].t0 : from;
		to = ask[i].t1 > to ? ask[i].t1 : to;
	}
	for (uint32_t i = 0; i < sn->nsheets && go; i++) {
		const struct sheet_slot *slot = store_slot(sn->st, i);
		if (slot->t1 <= from || slot->t0 >= to)
			continue;
		const struct sheet *sh = sheet_get(sn, i);
		for (uint32_t r = 0; r < sh->ntrk && (go = r % 65536 || watcher_report(on, 45, 100)); r++) {
			const struct bins_query *q = sh->trk[r] < sn->ntrks && of[sh->trk[r]] ? &ask[of[sh->trk[r]] - 1] : NULL;
			if (q)
				bins_add_row(sh, r, q->t0, q->t1, q->ns);
		}
	}
	for (uint32_t i = 0; i < n && go; i++)
		bins_add_rest(sn, ask[i].t0, ask[i].t1, ask[i].ns);
	mem_free(of);
	return go;
}

/* Add the time before the first event of a track, which no sheet has. */
static void add_heard(const struct snap *sn, trk_id trk, int64_t t0, int64_t t1, int64_t ns[TS__N])
{
	const struct trk_row *r = store_trk(sn->st, trk);
	int64_t heard = store_heard(sn->st, r);
	if (heard == TIME_NONE)
		return;
	int64_t a = r->t0 > t0 ? r->t0 : t0, b = heard < t1 ? heard : t1;
	if (b <= a)
		return;
	ns[trace_interval_state(sn, trk, heard)] += b - a;
	ns[TS_NONE] -= b - a;
}

/* Add a part of [t0, t1) that starts or ends within a sheet. */
static void add_end(const struct snap *sn, const trk_id *p, uint32_t n, int64_t t0, int64_t t1, struct bin *out)
{
	struct arena a = {0};
	struct bins_query *ask = arena_alloc(&a, (n + 1u) * sizeof *ask);
	struct bin *part = arena_zalloc(&a, (n + 1u) * sizeof *part);
	for (uint32_t i = 0; i < n; i++)
		ask[i] = (struct bins_query){ p[i], t0, t1, part[i].ns };
	if (t1 > t0)
		bins_many(sn, ask, n, &(struct progress_watcher){0});
	for (uint32_t i = 0; i < n; i++)
		for (int s = 0; s < TS__N; s++)
			out[i].ns[s] += part[i].ns[s];
	arena_free(&a);
}

void bins_procs(const struct snap *sn, const trk_id *p, uint32_t n, int64_t t0, int64_t t1, struct bin *out)
{
	int64_t a = t1, b = t1;	/* the sheets entirely within the range */
	for (uint32_t i = 0; i < sn->nsheets; i++) {
		const struct sheet_slot *slot = store_slot(sn->st, i);
		if (slot->t0 < t0 || slot->t1 > t1)
			continue;
		a = slot->t0 < a ? slot->t0 : a;
		b = slot->t1;
	}
	for (uint32_t i = 0; i < n; i++) {
		bins_sum(sn, p[i], a, b, &out[i]);
		add_heard(sn, p[i], t0, t1, out[i].ns);
	}
	add_end(sn, p, n, t0, a, out);
	add_end(sn, p, n, b, t1, out);
}
