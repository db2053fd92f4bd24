/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Summaries: see summary.h. A row that only waits has one word, most others three to six, so a summary of goroutines is
 * a tenth of its sheet or less. Merging two neighbours takes little more than one of them, since they are of the same
 * goroutines. Where a window has more sheets than fit in memory, rows are drawn from summaries; the error is less than
 * the span of one summary at either side of a screen column.
 *
 * Where goroutines are many and short, merging saves nothing, since each has one row. So a number of summaries is never
 * merged: merging the whole trace again with each sheet would take quadratic time.
 *
 * Ps and Ms are few, so their summaries are small. That of every sheet is kept, since a window of some ten sheets needs
 * more than one summary. A window of all sheets, ten thousand in a long trace, must not read all of them for each row.
 * So there are summaries of two sheets as well, of four, and so on. A screen column uses the largest that fit into it,
 * which are few and exact. They take as much memory as those of single sheets.
 */
#include "config.h"
#include "store/cache/summary.h"

#include "base/bsearch.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "store/tracks/sheet_build.h"

#include <string.h>

struct summary_maker {
	struct summary *b;
	struct summary_row *row;
	uint64_t *part;
};

enum { LEFT = 16 };	/* summaries that are not merged however large they are */

/* Allocate a summary with room for that many rows and parts, and none used. */
static struct summary_maker summary_alloc(uint32_t rows, uint32_t parts)
{
	size_t bytes = parts * sizeof(uint64_t) + ((size_t)rows + 1) * sizeof(struct summary_row);
	struct summary_maker m = { .b = xmalloc(sizeof *m.b), .part = mem_bulk(bytes) };
	m.row = (void *)(m.part + parts);
	*m.b = (struct summary){ .bytes = bytes, .row = m.row, .part = m.part };
	return m;
}

void summary_free(const struct summary *b)
{
	if (!b)
		return;
	mem_bulk_free((void *)(uintptr_t)b->part, b->bytes);
	mem_free((void *)(uintptr_t)b);
}

static void begin_row(struct summary_maker *m, trk_id trk)
{
	struct summary *b = m->b;
	if (!b->n)
		b->least = trk;
	b->most = trk;
	m->row[b->n++] = (struct summary_row){trk, b->nparts};
}

static void add_row(struct summary_maker *m, trk_id trk, const int64_t ns[TS__N])
{
	struct summary *b = m->b;
	begin_row(m, trk);
	for (unsigned s = TS_NONE + 1; s < TS__N; s++)
		if (ns[s] > 0)
			m->part[b->nparts++] = (uint64_t)ns[s] << 8 | s;
	m->row[b->n].first = b->nparts;
}

struct summary *summary_of_sheet(const struct sheet *sh, uint32_t number, bool goroutines)
{
	uint32_t lo = goroutines ? sh->nother : 0, hi = goroutines ? sh->ntrk : sh->nother, most = 0;
	for (uint32_t r = lo; r < hi; r++) {
		uint32_t n = sh->first[r + 1] - sh->first[r];
		most += n < TS__N ? n : TS__N;
	}
	struct summary_maker m = summary_alloc(hi - lo, most);
	m.b->t0 = sh->t0;
	m.b->t1 = sh->t1;
	m.b->sheet = number;
	for (uint32_t r = lo; r < hi; r++) {
		int64_t ns[TS__N];
		sheet_upto(sh, r, sh->t1, ns);
		add_row(&m, sh->trk[r], ns);
	}
	return m.b;
}

static void add_parts(const struct summary *b, uint32_t row, int64_t ns[TS__N])
{
	for (uint32_t k = b->row[row].first; k < b->row[row + 1].first; k++)
		ns[b->part[k] & 0xff] += (int64_t)(b->part[k] >> 8);
}

/* The next track of two summaries, and its row in each; UINT32_MAX: none. */
struct row_pair { uint32_t i, j, at[2]; trk_id trk; };

static bool next_pair(const struct summary *x, const struct summary *y, struct row_pair *p)
{
	bool a = p->i < x->n, b = p->j < y->n;
	if (!a && !b)
		return false;
	p->trk = !b || (a && x->row[p->i].trk <= y->row[p->j].trk) ? x->row[p->i].trk : y->row[p->j].trk;
	p->at[0] = a && x->row[p->i].trk == p->trk ? p->i++ : UINT32_MAX;
	p->at[1] = b && y->row[p->j].trk == p->trk ? p->j++ : UINT32_MAX;
	return true;
}

static uint32_t parts_of(const struct summary *b, uint32_t row, uint64_t *states)
{
	for (uint32_t k = b->row[row].first; k < b->row[row + 1].first; k++)
		*states |= UINT64_C(1) << (b->part[k] & 0x3f);
	return b->row[row + 1].first - b->row[row].first;
}

/* Append the row of one summary unchanged. */
static void copy_row(struct summary_maker *m, trk_id trk, const struct summary *from, uint32_t row)
{
	struct summary *b = m->b;
	uint32_t n = from->row[row + 1].first - from->row[row].first;
	begin_row(m, trk);
	memcpy(m->part + b->nparts, from->part + from->row[row].first, n * sizeof *m->part);
	m->row[b->n].first = b->nparts += n;
}

struct summary *summary_merge(const struct summary *x, const struct summary *y)
{
	uint32_t rows = 0, parts = 0;
	for (struct row_pair p = {0}; next_pair(x, y, &p); rows++) {	/* count first, since there may be many */
		uint64_t states = 0;
		uint32_t a = p.at[0] == UINT32_MAX ? 0 : parts_of(x, p.at[0], &states);
		uint32_t b = p.at[1] == UINT32_MAX ? 0 : parts_of(y, p.at[1], &states);
		parts += a && b ? (uint32_t)__builtin_popcountll(states) : a + b;
	}
	struct summary_maker m = summary_alloc(rows, parts);
	m.b->t0 = x->t0;
	m.b->t1 = y->t1;
	m.b->sheet = x->sheet;
	for (struct row_pair p = {0}; next_pair(x, y, &p);) {
		int64_t ns[TS__N] = {0};
		if (p.at[1] == UINT32_MAX) {
			copy_row(&m, p.trk, x, p.at[0]);
		} else if (p.at[0] == UINT32_MAX) {
			copy_row(&m, p.trk, y, p.at[1]);
		} else {
			add_parts(x, p.at[0], ns);
			add_parts(y, p.at[1], ns);
			add_row(&m, p.trk, ns);
		}
	}
	return m.b;
}

/* Return a range that contains the place of a track. Tracks are numbered by first occurrence, so interpolate, then
   widen in growing steps. Binary search alone reads a page, which may be on disk, for each of its first ten steps. */
static struct bsearch_probe guess_range(const struct summary *b, trk_id trk)
{
	uint32_t n = b->n, at, step = 256;
	struct bsearch_probe h = {.hi = n};
	if (n < 4 * step || trk <= b->least || trk >= b->most)
		return h;
	at = (uint32_t)((uint64_t)(trk - b->least) * (n - 1) / (b->most - b->least));
	if (b->row[at].trk < trk) {
		for (h.lo = at; at + step < n && b->row[at + step].trk < trk; step *= 2)
			h.lo = at + step;
		h.hi = at + step < n ? at + step + 1 : n;
	} else {
		for (h.hi = at + 1u; at > step && b->row[at - step].trk >= trk; step *= 2)
			h.hi = at - step + 1;
		h.lo = at > step ? at - step : 0;
	}
	return h;
}

static int64_t row_of(const struct summary *b, trk_id trk)
{
	struct bsearch_probe h = guess_range(b, trk);
	while (bsearch_probe(&h))
		bsearch_narrow(&h, b->row[h.at].trk < trk);
	return h.lo < b->n && b->row[h.lo].trk == trk ? (int64_t)h.lo : -1;
}

void summary_estimate(const struct summary *b, trk_id trk, int64_t from, int64_t to, int64_t ns[TS__N])
{
	int64_t row = row_of(b, trk), left = to - from;
	double share = (double)(to - from) / (double)(b->t1 - b->t0);
	for (uint32_t k = row < 0 ? 0 : b->row[row].first; row >= 0 && k < b->row[row + 1].first; k++) {
		int64_t v = (int64_t)((double)(b->part[k] >> 8) * share + 0.5);
		v = v < left ? v : left;
		ns[b->part[k] & 0xff] += v;
		left -= v;
	}
	ns[TS_NONE] += left;
}

/* ---- the list of goroutines */

struct summary_list {
	struct lock *lock;
	struct summary **v;		/* each covers `span` sheets, except the last */
	size_t room, bytes, limit;	/* room of v; bytes of all, and their limit */
	uint32_t n, span;
};

struct summary_list *summary_list_new(size_t limit)
{
	struct summary_list *k = xmalloc(sizeof *k);
	*k = (struct summary_list){ .lock = lock_new(), .span = 1, .limit = limit };
	return k;
}

void summary_list_free(struct summary_list *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < k->n; i++)
		summary_free(k->v[i]);
	lock_free(k->lock);
	mem_free(k->v);
	mem_free(k);
}

static struct summary *merge_counted(struct summary_list *k, struct summary *a, struct summary *b)
{
	struct summary *both = summary_merge(a, b);
	k->bytes += both->bytes;
	k->bytes -= a->bytes + b->bytes;
	summary_free(a);
	summary_free(b);
	return both;
}

/* Merge each two neighbours into one. */
static void merge_pairs(struct summary_list *k)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->n; i += 2)
		k->v[n++] = i + 1 < k->n ? merge_counted(k, k->v[i], k->v[i + 1]) : k->v[i];
	k->n = n;
	k->span *= 2;
}

void summary_list_add(struct summary_list *k, struct summary *b, uint32_t sheet)
{
	lock_acquire(k->lock);
	k->bytes += b->bytes;
	if (sheet % k->span) {
		k->v[k->n - 1] = merge_counted(k, k->v[k->n - 1], b);
	} else {
		k->v = mem_grow(k->v, &k->room, k->n + 1u, sizeof *k->v);
		k->v[k->n++] = b;
	}
	if (k->bytes > k->limit && k->n > LEFT)
		merge_pairs(k);
	lock_release(k->lock);
}

void summary_list_estimate(struct summary_list *k, uint32_t sheet, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	lock_acquire(k->lock);
	summary_estimate(k->v[sheet / k->span], t, a, b, ns);
	lock_release(k->lock);
}

void summary_list_sum(
    struct summary_list *k, uint32_t from, uint32_t to, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	lock_acquire(k->lock);
	for (uint32_t i = from / k->span; i < k->n && i <= (to - 1) / k->span; i++) {
		const struct summary *x = k->v[i];
		int64_t t0 = x->t0 < a ? a : x->t0, t1 = x->t1 > b ? b : x->t1;
		if (t0 < t1)
			summary_estimate(x, t, t0, t1, ns);
	}
	lock_release(k->lock);
}

/* ---- the pyramid of Ps and Ms */

enum { STEPS = 24 };

/* Elements are struct summary *; element j of step s covers the sheets from j << s to before (j + 1) << s. */
struct summary_pyramid { struct data_column step[STEPS]; };

struct summary_pyramid *summary_pyramid_new(void)
{
	struct summary_pyramid *l = xcalloc(1, sizeof *l);
	for (int s = 0; s < STEPS; s++)
		column_init(&l->step[s], sizeof(struct summary *));
	return l;
}

void summary_pyramid_free(struct summary_pyramid *l)
{
	for (int s = 0; l && s < STEPS; s++) {
		for (uint32_t i = 0; i < column_n(&l->step[s]); i++)
			summary_free(COLUMN_AT(&l->step[s], struct summary *, i));
		column_free(&l->step[s]);
	}
	mem_free(l);
}

static const struct summary *summary_at(const struct summary_pyramid *l, uint32_t step, uint32_t i)
{
	return COLUMN_AT(&l->step[step], struct summary *, i);
}

/* Append a summary. Readers see it once the column is committed. */
static void put_summary(struct data_column *c, struct summary *b)
{
	uint32_t got;
	*(struct summary **)column_reserve(c, 1, &got) = b;
	column_commit(c, 1);
}

void summary_pyramid_add(struct summary_pyramid *l, struct summary *b)
{
	put_summary(&l->step[0], b);
	for (uint32_t s = 0, n; s + 1 < STEPS && (n = column_n(&l->step[s])) % 2 == 0; s++)
		put_summary(&l->step[s + 1], summary_merge(summary_at(l, s, n - 2), summary_at(l, s, n - 1)));
}

void summary_pyramid_sum(const struct summary_pyramid *l, uint32_t from, uint32_t to, trk_id trk, int64_t ns[TS__N])
{
	while (from < to) {
		uint32_t s = 0;
		while (s + 1 < STEPS && !(from >> s & 1) && to - from >= 2u << s &&
		    from >> (s + 1) < column_n(&l->step[s + 1]))
			s++;
		const struct summary *b = summary_at(l, s, from >> s);
		summary_estimate(b, trk, b->t0, b->t1, ns);
		from += 1u << s;
	}
}
