/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The picture of a path. Pieces come in the order of time, so one pass makes the rows and their parts: a part grows while
 * the pieces of its row are adjacent and of one class. The parts are then sorted by row.
 *
 * A path may have thousands of goroutines and a quarter of a million pieces, and a frame must not depend on that. So a
 * row with very many parts is divided evenly, and what does not fit in CRITICAL_ROWS rows is folded here, once, by the
 * rule by which a screen folds the rest.
 */
#include "config.h"
#include "critical/waterfall.h"

#include "base/intern.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct entry { struct critical_part part; int64_t longest; uint32_t row; };

struct making {
	const struct critical_path *p;
	const struct critical_lines *l;
	struct critical_waterfall *w;
	const uint32_t *line;		/* by piece */
	struct intern rows;		/* of other goroutines than that of the operation */
	struct entry *entry;		/* the parts, in the order of time */
	uint32_t *last;			/* by row: its last entry, plus 1 */
	size_t crow, clast, nentry, centry;
};

/* ---- rows and parts */

static int same_goroutine(const void *ctx, uint32_t id, const void *key)
{
	const struct critical_waterfall *w = ctx;
	return w->row[id].g == *(const trk_id *)key;
}

static uint32_t add_row(struct making *m, trk_id g, enum time_class wait, int64_t t0)
{
	struct critical_waterfall *w = m->w;
	w->row = mem_grow(w->row, &m->crow, w->nrows + 1u, sizeof *w->row);
	m->last = mem_grow(m->last, &m->clast, w->nrows + 1u, sizeof *m->last);
	w->row[w->nrows] = (struct critical_row){.g = g, .n = 1, .t0 = t0, .wait = wait};
	m->last[w->nrows] = 0;
	return w->nrows++;
}

static uint32_t row_of(struct making *m, const struct critical_piece *v)
{
	uint32_t hash = intern_hash_u64(v->g, 0), id = intern_find(&m->rows, hash, same_goroutine, m->w, &v->g);
	if (id != UINT32_MAX)
		return id;
	id = add_row(m, v->g, m->p->via[v->via].cls, v->t0);
	intern_put(&m->rows, hash, id);
	return id;
}

/* Add a piece to the last part of a row, or as a new part. */
static void add_part(struct making *m, uint32_t row, const struct critical_piece *v, uint32_t line, enum time_class cls,
    bool led)
{
	struct entry *e = m->last[row] ? &m->entry[m->last[row] - 1] : NULL;
	int64_t ns = v->t1 - v->t0;
	m->w->row[row].ns += led ? 0 : ns;
	if (!e || e->part.t1 != v->t0 || e->part.cls != cls || e->part.led != led) {
		m->entry = mem_grow(m->entry, &m->centry, m->nentry + 1, sizeof *m->entry);
		e = &m->entry[m->nentry++];
		*e = (struct entry){.part = {.t0 = v->t0, .line = line, .cls = cls, .led = led}, .row = row};
		m->last[row] = (uint32_t)m->nentry;
		m->w->row[row].nparts++;
	}
	e->part.t1 = v->t1;
	if (ns > e->longest) {
		e->longest = ns;
		e->part.line = line;
	}
}

static void add_pieces(struct making *m)
{
	const struct critical_path *p = m->p;
	add_row(m, 0, TIME_CLASS__N, p->t0);
	for (size_t i = 0; i < p->n; i++) {
		const struct critical_piece *v = &p->v[i];
		if (v->via == CRITICAL_NONE) {
			m->w->row[0].g = v->g;
			add_part(m, 0, v, m->line[i], v->cls, false);
			continue;
		}
		const struct critical_via *first = &p->via[p->via[v->via].outermost];
		m->w->row[0].g = first->g;
		m->w->led[first->cls] = true;
		add_part(m, 0, v, m->line[i], first->cls, true);
		add_part(m, row_of(m, v), v, m->line[i], v->cls, false);
	}
}

static void sort_parts(struct making *m)
{
	struct critical_waterfall *w = m->w;
	int64_t *longest = xcalloc(w->nrows, sizeof *longest);
	uint32_t at = 0;
	w->part = xmalloc((m->nentry + 1) * sizeof *w->part);
	for (uint32_t i = 0; i < w->nrows; i++) {
		w->row[i].part = m->last[i] = at;
		at += w->row[i].nparts;
	}
	for (size_t i = 0; i < m->nentry; i++) {
		const struct entry *e = &m->entry[i];
		w->part[m->last[e->row]++] = e->part;
		if (!e->part.led && e->longest > longest[e->row]) {
			longest[e->row] = e->longest;
			w->row[e->row].line = e->part.line;
		}
	}
	for (uint32_t i = 2; i < w->nrows; i++)
		w->row[i].alike = w->row[i].line == w->row[i - 1].line;
	mem_free(longest);
}

/* ---- rows with very many parts */

struct bin { int64_t t0, t1, ns[TIME_CLASS__N]; struct critical_part longest; };

/* Append the class with most time of a bin, unless the row has no time in it. Parts that follow one another are one. */
static void put_bin(const struct bin *b, struct critical_part *v, uint32_t *n)
{
	int best = 0;
	for (int c = 1; c < TIME_CLASS__N; c++)
		best = b->ns[c] > b->ns[best] ? c : best;
	if (b->ns[best] <= 0)
		return;
	if (*n && v[*n - 1].t1 == b->t0 && v[*n - 1].cls == (enum time_class)best) {
		v[*n - 1].t1 = b->t1;
		return;
	}
	v[*n] = b->longest;
	v[*n].t0 = b->t0;
	v[*n].t1 = b->t1;
	v[(*n)++].cls = (enum time_class)best;
}

static int64_t bin_edge(const struct critical_waterfall *w, uint32_t k)
{
	return w->t0 + (int64_t)((double)(w->t1 - w->t0) * k / CRITICAL_ROW_PARTS);
}

/* Divide a row that has more parts than bins evenly. */
static void divide_row(struct critical_waterfall *w, struct critical_row *r)
{
	struct critical_part *v = w->part + r->part, *out = xmalloc(CRITICAL_ROW_PARTS * sizeof *out);
	uint32_t n = 0, i = 0;
	for (uint32_t k = 0; k < CRITICAL_ROW_PARTS; k++) {
		struct bin b = {.t0 = bin_edge(w, k), .t1 = bin_edge(w, k + 1)};
		for (; i < r->nparts && v[i].t0 < b.t1; i++) {
			int64_t t0 = v[i].t0 > b.t0 ? v[i].t0 : b.t0, t1 = v[i].t1 < b.t1 ? v[i].t1 : b.t1;
			b.ns[v[i].cls] += t1 > t0 ? t1 - t0 : 0;
			if (v[i].t1 - v[i].t0 > b.longest.t1 - b.longest.t0)
				b.longest = v[i];
			if (v[i].t1 > b.t1)
				break;
		}
		put_bin(&b, out, &n);
	}
	memcpy(v, out, n * sizeof *v);
	r->nparts = n;
	mem_free(out);
}

/* ---- bars */

static int by_start(const void *x, const void *y)
{
	const struct critical_bar *a = x, *b = y;
	if (a->part.t0 != b->part.t0)
		return a->part.t0 < b->part.t0 ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static void find_bars(struct critical_waterfall *w)
{
	int64_t least = (w->t1 - w->t0) / CRITICAL_BAR;
	size_t cap = 0;
	for (uint32_t r = 0; r < w->nrows; r++)
		for (uint32_t i = w->row[r].part; i < w->row[r].part + w->row[r].nparts; i++) {
			const struct critical_part *v = &w->part[i];
			if (v->led || v->t1 - v->t0 < least || v->t1 == v->t0)
				continue;
			w->bar = mem_grow(w->bar, &cap, w->nbars + 1u, sizeof *w->bar);
			w->bar[w->nbars++] = (struct critical_bar){*v, r, w->row[r].g};
		}
	if (w->nbars)
		qsort(w->bar, w->nbars, sizeof *w->bar, by_start);
}

/* ---- folding */

/* Rows that follow one another and are alike: n rows from `row` on, of which `given` lines are shown; 0: none. */
struct run { int64_t ns; uint32_t row, n, given; };

static int by_time(const void *x, const void *y)
{
	const struct run *a = *(struct run *const *)x, *b = *(struct run *const *)y;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static uint32_t find_runs(const struct critical_waterfall *w, uint32_t keep, struct run *run)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->nrows; i++) {
		const struct critical_row *r = &w->row[i];
		bool joins = i > 1 && r->alike && r->n == 1 && w->row[i - 1].n == 1 && i != keep && i - 1 != keep;
		if (!joins)
			run[n++] = (struct run){.row = i};
		run[n - 1].n++;
		run[n - 1].ns += r->ns;
	}
	return n;
}

static uint32_t least_lines(const struct run *r) { return r->n < 2 ? r->n : 2; }

/* Return the number of lines: those of runs that are shown, and one for the others between two of them. */
static uint32_t count_lines(const struct run *run, uint32_t n)
{
	uint32_t lines = 0;
	bool gap = false;
	for (uint32_t i = 0; i < n; i++) {
		lines += run[i].given ? run[i].given : !gap;
		gap = !run[i].given;
	}
	return lines;
}

/* Give the first k runs of an order their least lines, and row 0 and `keep`; return how many lines there are then. */
static uint32_t give_lines(struct run *run, uint32_t n, struct run **order, uint32_t k, uint32_t keep)
{
	for (uint32_t i = 0; i < n; i++)
		run[i].given = i && run[i].row != keep ? 0 : 1;
	for (uint32_t i = 0; i < k; i++)
		order[i]->given = least_lines(order[i]);
	return count_lines(run, n);
}

/* Put the lines of a run: two thirds of the rows that are shown are its first ones. */
static void put_run(const struct run *r, struct critical_fold *out, uint32_t *n)
{
	uint32_t shown = r->given < r->n ? r->given - 1 : r->n, first = shown < r->n ? (2 * shown + 2) / 3 : shown;
	for (uint32_t i = 0; i < first; i++)
		out[(*n)++] = (struct critical_fold){r->row + i, 1, true};
	if (shown < r->n)
		out[(*n)++] = (struct critical_fold){r->row + first, r->n - shown, true};
	for (uint32_t i = r->n - (shown - first); i < r->n; i++)
		out[(*n)++] = (struct critical_fold){r->row + i, 1, true};
}

uint32_t critical_waterfall_fold(
    const struct critical_waterfall *w, uint32_t keep, uint32_t most, struct critical_fold *out)
{
	struct run *run = xcalloc(w->nrows + 1u, sizeof *run);
	struct run **order = xmalloc((w->nrows + 1u) * sizeof *order);
	enum { MORE = 32 };	/* runs that are tried when the longest ones have their lines */
	uint32_t n = find_runs(w, keep, run), k = n < most ? n : most, lines, put = 0;
	for (uint32_t i = 0; i < n; i++)
		order[i] = &run[i];
	if (n > 1)
		qsort(order, n, sizeof *order, by_time);
	while ((lines = give_lines(run, n, order, k, keep)) > most && k)
		k--;
	for (uint32_t i = k; i < n && i < k + MORE; i++) {	/* between two that are shown, a run may take no more lines */
		uint32_t was = order[i]->given;
		order[i]->given = least_lines(order[i]);
		if (count_lines(run, n) > most)
			order[i]->given = was;
	}
	lines = count_lines(run, n);
	for (uint32_t i = 0; i < n && lines < most; i++) {
		if (!order[i]->given)
			continue;
		uint32_t more = order[i]->n - order[i]->given;
		more = more < most - lines ? more : most - lines;
		order[i]->given += more;
		lines += more;
	}
	uint32_t gap = 0;	/* rows of the runs before that are not shown */
	for (uint32_t i = 0; i < n && put < most; i++) {
		gap += run[i].given ? 0 : run[i].n;
		if (!run[i].given)
			continue;
		if (gap)
			out[put++] = (struct critical_fold){run[i].row - gap, gap, gap == 1};
		gap = 0;
		if (put < most)
			put_run(&run[i], out, &put);
	}
	if (gap && put < most)
		out[put++] = (struct critical_fold){w->nrows - gap, gap, gap == 1};
	mem_free(order);
	mem_free(run);
	return put;
}

/* Replace what is folded by rows that stand for several goroutines. */
static void limit_rows(struct critical_waterfall *w)
{
	struct critical_fold fold[CRITICAL_ROWS];
	if (w->nrows <= CRITICAL_ROWS)
		return;
	uint32_t *to = xmalloc(w->nrows * sizeof *to), n = critical_waterfall_fold(w, UINT32_MAX, CRITICAL_ROWS, fold);
	for (uint32_t i = 0; i < n; i++) {
		struct critical_row r = w->row[fold[i].row];
		for (uint32_t k = fold[i].row; k < fold[i].row + fold[i].n; k++) {
			to[k] = i;
			if (k == fold[i].row)
				continue;
			r.ns += w->row[k].ns;
			r.nparts = 0;
			r.n++;
		}
		w->row[i] = r;
	}
	for (uint32_t i = 0; i < w->nbars; i++)
		w->bar[i].row = to[w->bar[i].row];
	w->nrows = n;
	mem_free(to);
}

/* ---- what took most */

/* Return a number that is equal for the lines that the sentence adds up: those of one wait of the operation's goroutine;
   waits for a P, whatever occupied it; stops; each other line alone. */
static uint64_t subject_of(const struct critical_lines *l, uint32_t i)
{
	const struct critical_line *v = critical_lines_at(l, i);
	if (v->chain != CRITICAL_NONE)
		return UINT64_C(1) << 32 | critical_lines_root(l, v->chain);
	return v->cls == TIME_RUNNABLE || v->cls == TIME_STW ? UINT64_C(2) << 32 | v->cls : UINT64_C(3) << 32 | i;
}

struct subject { uint64_t of; uint32_t line; };

static int by_subject(const void *x, const void *y)
{
	const struct subject *a = x, *b = y;
	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);	/* lines are sorted by time */
}

static uint64_t find_most(struct critical_waterfall *w, const struct critical_lines *l)
{
	uint32_t n = critical_lines_count(l), k;
	struct subject *s = xmalloc((n + 1u) * sizeof *s);
	uint64_t of = 0;
	for (uint32_t i = 0; i < n; i++)
		s[i] = (struct subject){subject_of(l, i), i};
	if (n)
		qsort(s, n, sizeof *s, by_subject);
	for (uint32_t i = 0; i < n; i = k) {
		int64_t ns = 0;
		bool approximate = false;
		for (k = i; k < n && s[k].of == s[i].of; k++) {
			ns += critical_lines_at(l, s[k].line)->ns;
			approximate |= critical_lines_at(l, s[k].line)->approximate;
		}
		if (ns < w->most.ns || (ns == w->most.ns && of))
			continue;
		const struct critical_line *v = critical_lines_at(l, s[i].line);
		w->most.ns = ns;
		w->most.line = s[i].line;
		w->most.chain = v->chain == CRITICAL_NONE ? CRITICAL_NONE : critical_lines_root(l, v->chain);
		w->most.several = v->ns < ns - ns / 200;
		w->most.approximate = approximate && v->cls == TIME_RUNNABLE && k == i + 1;
		of = s[i].of;
	}
	mem_free(s);
	return of;
}

static void count_most(struct making *m, uint64_t of)
{
	uint8_t *seen = xcalloc(m->w->nrows, 1);
	for (size_t i = 0; i < m->nentry; i++) {
		const struct entry *e = &m->entry[i];
		if (e->row && !seen[e->row] && subject_of(m->l, e->part.line) == of)
			seen[e->row] = 1;
	}
	for (uint32_t i = 0; i < m->w->nrows; i++)
		m->w->most.ngoroutines += seen[i];
	mem_free(seen);
}

/* ---- all of it */

struct critical_waterfall *critical_waterfall_new(struct critical_lines *l, const struct critical_path *p)
{
	struct critical_waterfall *w = xcalloc(1, sizeof *w);
	uint32_t *line = xmalloc((p->n + 1) * sizeof *line);
	struct making m = {.p = p, .l = l, .w = w, .line = line};
	critical_lines_add_pieces(l, p, 0, line);
	critical_lines_sort(l);
	for (size_t i = 0; i < p->n; i++)
		line[i] = critical_lines_position(l, line[i]);
	w->t0 = p->t0;
	w->t1 = p->t1;
	add_pieces(&m);
	count_most(&m, find_most(w, l));
	sort_parts(&m);
	for (uint32_t i = 0; i < w->nrows; i++)
		if (w->row[i].nparts > CRITICAL_ROW_PARTS)
			divide_row(w, &w->row[i]);
	find_bars(w);
	limit_rows(w);
	intern_free(&m.rows);
	mem_free(m.entry);
	mem_free(m.last);
	mem_free(line);
	return w;
}

void critical_waterfall_free(struct critical_waterfall *w)
{
	if (!w)
		return;
	mem_free(w->row);
	mem_free(w->part);
	mem_free(w->bar);
	mem_free(w);
}

/* ---- the sentence */

/* Append what the goroutines did that were waited for. */
static void put_others(struct buf *b, const struct snap *sn, const struct critical_lines *l,
    const struct critical_waterfall *w)
{
	const struct critical_line *v = critical_lines_at(l, w->most.line);
	bool lock = critical_lines_chain(l, w->most.chain)->cls == TIME_LOCK;
	buf_puts(b, ": ");
	if (w->most.ngoroutines > 1)
		buf_printf(b, "%" PRIu32 " %s in turn, ", w->most.ngoroutines, lock ? "holders" : "goroutines");
	else if (v->g)
		buf_printf(b, "%sG%" PRIu64 ", ", lock ? "its holder " : "", (uint64_t)store_trk(sn->st, v->g)->id);
	buf_puts(b, w->most.several ? "mostly " : "");
	buf_puts(b, time_class_name(v->cls));
	buf_puts(b, v->at ? " in " : "");
	critical_put_place(b, sn->st, v->at);
}

void critical_put_most(struct buf *b, const struct snap *sn, const struct critical_lines *l,
    const struct critical_waterfall *w)
{
	const struct critical_line *v = w->most.ns > 0 ? critical_lines_at(l, w->most.line) : NULL;
	if (!v)
		return;
	bool own = w->most.chain == CRITICAL_NONE;
	const struct critical_chain *c = own ? NULL : critical_lines_chain(l, w->most.chain);
	enum time_class cls = own ? v->cls : c->cls;
	stk_id at = own ? v->at : c->at;
	buf_printf(b, "%s%.0f%%, ", w->most.approximate ? "~" : "", text_percent(w->most.ns, critical_lines_total(l)));
	text_ns(b, w->most.ns);
	buf_printf(b, ", %s", time_class_verb(cls));
	if (at && cls != TIME_RUNNABLE) {
		buf_putc(b, ' ');
		critical_put_place(b, sn->st, at);
	}
	if (!own) {
		put_others(b, sn, l, w);
		return;
	}
	size_t n = b->n;
	buf_puts(b, w->most.several ? ", mostly because " : ": ");
	size_t because = b->n;
	critical_line_put_because(l, v, b);
	if (b->n == because)
		b->n = n;
}
