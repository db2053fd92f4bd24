/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Briefs: see summary.h. Rows that do nothing but wait have one word, most others
 * three to six, so a brief of goroutines is a tenth of its sheet or less; and two
 * of neighbours that are merged take little more than one, for they are of the same
 * goroutines. Where a window holds more sheets than there is memory for, a row is drawn
 * from these, and what is wrong with it is less than the stretch of one brief on
 * either side of a column.
 *
 * Where goroutines are many and short nothing is gained by merging: each has its row
 * once. So large briefs lie on disk, where there is any, and then some are always left: to
 * merge all of a trace again with each sheet would cost its square.
 */
#include "config.h"
#include "store/cache/summary.h"

#include "base/bsearch.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "store/tracks/sheet_build.h"

#include <string.h>

struct making {
	struct brief *b;
	struct brief_row *row;
	uint64_t *part;
};

enum { SPILLS = 1 << 16, SPREAD = 8, LEFT = 16, PASS = 1 << 16 };	/* bytes; times the limit; briefs; rows */

/* Room for so many rows and parts, none there yet. */
static struct making brief_new(uint32_t rows, uint32_t parts)
{
	size_t bytes = parts * sizeof(uint64_t) + ((size_t)rows + 1) * sizeof(struct brief_row);
	char *p = bytes >= SPILLS ? mem_spilled(bytes) : NULL;
	struct making m = { .b = xmalloc(sizeof *m.b), .part = (void *)(p ? p : xmalloc(bytes)) };
	m.row = (void *)(m.part + parts);
	*m.b = (struct brief){ .bytes = bytes, .spilled = p, .row = m.row, .part = m.part };
	m.row[0] = (struct brief_row){0};
	return m;
}

void brief_free(const struct brief *b)
{
	void *p = b ? (void *)(uintptr_t)b->part : NULL;
	if (b && b->spilled)
		mem_spilled_free(p, b->bytes);
	else
		mem_free(p);
	mem_free((void *)(uintptr_t)b);
}

static void brief_rest(const struct brief *b)
{
	if (b->spilled)
		mem_spilled_rest((void *)(uintptr_t)b->part, b->bytes);
}

static void begin_row(struct making *m, trk_id trk)
{
	struct brief *b = m->b;
	if (!b->n)
		b->least = trk;
	b->most = trk;
	m->row[b->n++] = (struct brief_row){trk, b->nparts};
}

static void add_row(struct making *m, trk_id trk, const int64_t ns[TS__N])
{
	struct brief *b = m->b;
	begin_row(m, trk);
	for (unsigned s = TS_NONE + 1; s < TS__N; s++)
		if (ns[s] > 0)
			m->part[b->nparts++] = (uint64_t)ns[s] << 8 | s;
	m->row[b->n].first = b->nparts;
}

struct brief *brief_of(const struct sheet *sh, uint32_t number, bool goroutines)
{
	uint32_t lo = goroutines ? sh->nother : 0, hi = goroutines ? sh->ntrk : sh->nother, most = 0;
	for (uint32_t r = lo; r < hi; r++) {
		uint32_t n = sh->first[r + 1] - sh->first[r];
		most += n < TS__N ? n : TS__N;
	}
	struct making m = brief_new(hi - lo, most);
	m.b->t0 = sh->t0;
	m.b->t1 = sh->t1;
	m.b->sheet = number;
	for (uint32_t r = lo; r < hi; r++) {
		int64_t ns[TS__N];
		sheet_upto(sh, r, sh->t1, ns);
		add_row(&m, sh->trk[r], ns);
		if (r % SHEET_PASS == SHEET_PASS - 1) {
			brief_rest(m.b);
			sheet_rest(sh);
		}
	}
	return m.b;
}

static void add_parts(const struct brief *b, uint32_t row, int64_t ns[TS__N])
{
	for (uint32_t k = b->row[row].first; k < b->row[row + 1].first; k++)
		ns[b->part[k] & 0xff] += (int64_t)(b->part[k] >> 8);
}

/* The next track of either, and which rows it has there: UINT32_MAX, none. */
struct pair { uint32_t i, j, at[2]; trk_id trk; };

static bool next_pair(const struct brief *x, const struct brief *y, struct pair *p)
{
	bool a = p->i < x->n, b = p->j < y->n;
	if (!a && !b)
		return false;
	p->trk = !b || (a && x->row[p->i].trk <= y->row[p->j].trk) ? x->row[p->i].trk : y->row[p->j].trk;
	p->at[0] = a && x->row[p->i].trk == p->trk ? p->i++ : UINT32_MAX;
	p->at[1] = b && y->row[p->j].trk == p->trk ? p->j++ : UINT32_MAX;
	if ((p->i + p->j) % PASS == 0) {
		brief_rest(x);
		brief_rest(y);
	}
	return true;
}

static uint32_t parts_of(const struct brief *b, uint32_t row, uint64_t *states)
{
	for (uint32_t k = b->row[row].first; k < b->row[row + 1].first; k++)
		*states |= UINT64_C(1) << (b->part[k] & 0x3f);
	return b->row[row + 1].first - b->row[row].first;
}

/* As it is. */
static void copy_row(struct making *m, trk_id trk, const struct brief *from, uint32_t row)
{
	struct brief *b = m->b;
	uint32_t n = from->row[row + 1].first - from->row[row].first;
	begin_row(m, trk);
	memcpy(m->part + b->nparts, from->part + from->row[row].first, n * sizeof *m->part);
	m->row[b->n].first = b->nparts += n;
}

struct brief *brief_merge(const struct brief *x, const struct brief *y)
{
	uint32_t rows = 0, parts = 0;
	for (struct pair p = {0}; next_pair(x, y, &p); rows++) {	/* first how many, for they may be many */
		uint64_t states = 0;
		uint32_t a = p.at[0] == UINT32_MAX ? 0 : parts_of(x, p.at[0], &states);
		uint32_t b = p.at[1] == UINT32_MAX ? 0 : parts_of(y, p.at[1], &states);
		parts += a && b ? (uint32_t)__builtin_popcountll(states) : a + b;
	}
	struct making m = brief_new(rows, parts);
	m.b->t0 = x->t0;
	m.b->t1 = y->t1;
	m.b->sheet = x->sheet;
	for (struct pair p = {0}; next_pair(x, y, &p);) {
		int64_t ns[TS__N] = {0};
		if (m.b->n % PASS == PASS - 1)
			brief_rest(m.b);
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
	brief_rest(m.b);
	return m.b;
}

/* Where a track is or would be. They are numbered as they are seen, so about there; from there on, by steps that
   grow. Halving alone looks at a page for each of the first ten times, which may be on disk. */
static struct halve about(const struct brief *b, trk_id trk)
{
	uint32_t n = b->n, at, step = 256;
	struct halve h = {.hi = n};
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

static int64_t row_of(const struct brief *b, trk_id trk)
{
	struct halve h = about(b, trk);
	while (halve(&h))
		halve_on(&h, b->row[h.at].trk < trk);
	return h.lo < b->n && b->row[h.lo].trk == trk ? (int64_t)h.lo : -1;
}

void brief_share(const struct brief *b, trk_id trk, int64_t from, int64_t to, int64_t ns[TS__N])
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

/* ---- briefs of a trace */

struct briefs {
	struct lock *lock;
	struct brief **v;		/* over span sheets each but the last */
	size_t room, bytes, disk, limit;	/* bytes in memory and on disk */
	uint32_t n, span;
	_Atomic bool looked;
	bool random;		/* rows are looked at here and there from now on */
};

struct briefs *briefs_new(size_t limit)
{
	struct briefs *k = xmalloc(sizeof *k);
	*k = (struct briefs){ .lock = lock_new(), .span = 1, .limit = limit };
	return k;
}

void briefs_free(struct briefs *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < k->n; i++)
		brief_free(k->v[i]);
	lock_free(k->lock);
	mem_free(k->v);
	mem_free(k);
}

static void count(struct briefs *k, const struct brief *b, bool more)
{
	size_t *of = b->spilled ? &k->disk : &k->bytes;
	*of = more ? *of + b->bytes : *of - b->bytes;
}

static struct brief *merge(struct briefs *k, struct brief *a, struct brief *b)
{
	struct brief *both = brief_merge(a, b);
	count(k, both, true);
	count(k, a, false);
	count(k, b, false);
	brief_free(a);
	brief_free(b);
	return both;
}

/* Two and two of them become one. */
static void merge_pairs(struct briefs *k)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->n; i += 2)
		k->v[n++] = i + 1 < k->n ? merge(k, k->v[i], k->v[i + 1]) : k->v[i];
	k->n = n;
	k->span *= 2;
}

static bool too_much(const struct briefs *k)
{
	return (k->bytes > k->limit && k->n > 1) || (k->disk / SPREAD > k->limit && k->n > LEFT);
}

void briefs_add(struct briefs *k, struct brief *b, uint32_t sheet)
{
	lock_take(k->lock);
	count(k, b, true);
	if (sheet % k->span) {
		k->v[k->n - 1] = merge(k, k->v[k->n - 1], b);
	} else {
		brief_rest(b);
		k->v = mem_grow(k->v, &k->room, k->n + 1u, sizeof *k->v);
		k->v[k->n++] = b;
	}
	if (too_much(k))
		merge_pairs(k);
	k->random = false;
	lock_give(k->lock);
}

/* One row of a million is asked for, and another: a page of the file is one page, not those around it as well. */
static void here_and_there(struct briefs *k)
{
	for (uint32_t i = 0; i < k->n && !k->random; i++)
		if (k->v[i]->spilled)
			mem_spilled_random((void *)(uintptr_t)k->v[i]->part, k->v[i]->bytes);
	k->random = true;
}

void briefs_share(struct briefs *k, uint32_t sheet, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	lock_take(k->lock);
	here_and_there(k);
	brief_share(k->v[sheet / k->span], t, a, b, ns);
	k->looked = true;
	lock_give(k->lock);
}

void briefs_sum(struct briefs *k, uint32_t from, uint32_t to, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	lock_take(k->lock);
	here_and_there(k);
	for (uint32_t i = from / k->span; i < k->n && i <= (to - 1) / k->span; i++) {
		const struct brief *x = k->v[i];
		int64_t t0 = x->t0 < a ? a : x->t0, t1 = x->t1 > b ? b : x->t1;
		if (t0 < t1)
			brief_share(x, t, t0, t1, ns);
	}
	k->looked = true;
	lock_give(k->lock);
}

void briefs_rest(struct briefs *k)
{
	if (!atomic_load(&k->looked) || !lock_try(k->lock))
		return;
	k->looked = false;
	for (uint32_t i = 0; i < k->n; i++)
		brief_rest(k->v[i]);
	lock_give(k->lock);
}
