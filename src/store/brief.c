/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Briefs: see brief.h. Rows that do nothing but wait have one word, most others
 * three to six, so a brief of goroutines is a tenth of its sheet or less; and two
 * of neighbours that are merged take little more than one, for they are of the same
 * goroutines. Where a window holds more sheets than there is memory for, a row is drawn
 * from these, and what is wrong with it is less than the stretch of one brief on
 * either side of a column.
 */
#include "config.h"
#include "store/brief.h"

#include "base/halve.h"
#include "base/job.h"
#include "base/mem.h"

#include <string.h>

struct making {
	struct brief *b;
	trk_id *trk;
	uint32_t *first;
	uint64_t *part;
};

/* Room for so many rows and parts, none there yet. */
static struct making brief_new(uint32_t rows, uint32_t parts)
{
	size_t at = sizeof(struct brief), bytes = at + parts * sizeof(uint64_t) + (2 * (size_t)rows + 1) * sizeof(uint32_t);
	char *p = xmalloc(bytes);
	struct making m = { .b = (void *)p, .part = (void *)(p + at) };
	m.first = (void *)(p + at + parts * sizeof(uint64_t));
	m.trk = m.first + rows + 1;
	*m.b = (struct brief){ .bytes = bytes, .trk = m.trk, .first = m.first, .part = m.part };
	return m;
}

static void add_row(struct making *m, trk_id trk, const int64_t ns[TS__N])
{
	struct brief *b = m->b;
	m->trk[b->n] = trk;
	m->first[b->n++] = b->nparts;
	for (unsigned s = TS_NONE + 1; s < TS__N; s++)
		if (ns[s] > 0)
			m->part[b->nparts++] = (uint64_t)ns[s] << 8 | s;
	m->first[b->n] = b->nparts;
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
	m.first[0] = 0;
	for (uint32_t r = lo; r < hi; r++) {
		int64_t ns[TS__N];
		sheet_upto(sh, r, sh->t1, ns);
		add_row(&m, sh->trk[r], ns);
	}
	return m.b;
}

static void add_parts(const struct brief *b, uint32_t row, int64_t ns[TS__N])
{
	for (uint32_t k = b->first[row]; k < b->first[row + 1]; k++)
		ns[b->part[k] & 0xff] += (int64_t)(b->part[k] >> 8);
}

struct brief *brief_merge(const struct brief *x, const struct brief *y)
{
	struct making m = brief_new(x->n + y->n, x->nparts + y->nparts);
	m.b->t0 = x->t0;
	m.b->t1 = y->t1;
	m.b->sheet = x->sheet;
	m.first[0] = 0;
	for (uint32_t i = 0, j = 0; i < x->n || j < y->n;) {
		int64_t ns[TS__N] = {0};
		trk_id t = j == y->n || (i < x->n && x->trk[i] <= y->trk[j]) ? x->trk[i] : y->trk[j];
		if (i < x->n && x->trk[i] == t)
			add_parts(x, i++, ns);
		if (j < y->n && y->trk[j] == t)
			add_parts(y, j++, ns);
		add_row(&m, t, ns);
	}
	struct making out = brief_new(m.b->n, m.b->nparts);	/* as small as it can be */
	size_t bytes = out.b->bytes;
	memcpy(out.part, m.part, m.b->nparts * sizeof *m.part);
	memcpy(out.first, m.first, (m.b->n + 1u) * sizeof *m.first);
	memcpy(out.trk, m.trk, m.b->n * sizeof *m.trk);
	*out.b = *m.b;
	out.b->bytes = bytes;
	out.b->trk = out.trk;
	out.b->first = out.first;
	out.b->part = out.part;
	mem_free(m.b);
	return out.b;
}

static int64_t row_of(const struct brief *b, trk_id trk)
{
	struct halve h = {.hi = b->n};
	while (halve(&h))
		halve_on(&h, b->trk[h.at] < trk);
	return h.lo < b->n && b->trk[h.lo] == trk ? (int64_t)h.lo : -1;
}

void brief_share(const struct brief *b, trk_id trk, int64_t from, int64_t to, int64_t ns[TS__N])
{
	int64_t row = row_of(b, trk), left = to - from;
	double share = (double)(to - from) / (double)(b->t1 - b->t0);
	for (uint32_t k = row < 0 ? 0 : b->first[row]; row >= 0 && k < b->first[row + 1]; k++) {
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
	size_t room, bytes, limit;
	uint32_t n, span;
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
		mem_free(k->v[i]);
	lock_free(k->lock);
	mem_free(k->v);
	mem_free(k);
}

/* Two and two of them become one. */
static void merge_pairs(struct briefs *k)
{
	uint32_t n = 0;
	k->bytes = 0;
	for (uint32_t i = 0; i < k->n; i += 2) {
		struct brief *a = k->v[i], *b = i + 1 < k->n ? k->v[i + 1] : NULL;
		k->v[n] = b ? brief_merge(a, b) : a;
		if (b) {
			mem_free(a);
			mem_free(b);
		}
		k->bytes += k->v[n++]->bytes;
	}
	k->n = n;
	k->span *= 2;
}

void briefs_add(struct briefs *k, struct brief *b, uint32_t sheet)
{
	lock_take(k->lock);
	if (sheet % k->span) {
		struct brief *last = k->v[k->n - 1];
		k->bytes -= last->bytes;
		k->v[k->n - 1] = brief_merge(last, b);
		mem_free(b);
		mem_free(last);
	} else {
		k->v = mem_grow(k->v, &k->room, k->n + 1u, sizeof *k->v);
		k->v[k->n++] = b;
	}
	k->bytes += k->v[k->n - 1]->bytes;
	if (k->bytes > k->limit && k->n > 1)
		merge_pairs(k);
	lock_give(k->lock);
}

void briefs_share(struct briefs *k, uint32_t sheet, trk_id t, int64_t a, int64_t b, int64_t ns[TS__N])
{
	lock_take(k->lock);
	brief_share(k->v[sheet / k->span], t, a, b, ns);
	lock_give(k->lock);
}
