/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Sums the time by class of ranges of goroutines: of the tasks of each kind, or of each operation of a kind. Ranges of
 * a goroutine may overlap, since tasks nest, so no interval is added to each range that covers it. The walk keeps
 * running sums of one goroutine; a row gets the sums at the ends of its ranges minus those at their starts. Sums are
 * kept from one sheet to the next only for goroutines with open ranges.
 *
 * What no sheet has (a goroutine of a damaged trace) is unknown: all classes of a row add up to its ranges.
 */
#include "config.h"
#include "operations/internal.h"

#include "base/bsearch.h"
#include "base/wrap_math.h"
#include "trace/longest_wait.h"
#include "trace/wait_before.h"

#include <stdlib.h>

/* Of a goroutine with points after the end of a sheet: its next point, the sums so far, and the number of open ranges.
   waited: the time of the wait in which it is, as far as sheets have it; 0: it does not wait. */
struct open_sums { int64_t ns[TIME_CLASS__N], waited; enum time_class wait; uint32_t next, open; };

#define PASSED UINT32_MAX

struct class_sums {
	const struct snap *sn;
	struct work_points w;
	struct class_table *to;
	int col[TIME_CLASS__N];		/* the column of each class in the table; -1: none */
	uint8_t *any;			/* a bit per track: it has points */
	uint32_t *slot;			/* by track: index of its open_sums plus 1; PASSED: it has no more points */
	struct open_sums *v;
	size_t n, cap;
	uint32_t *unused;		/* elements of v that are free */
	size_t nunused, cunused;
};

/* ---- points */

void work_points_add(struct work_points *w, trk_id g, int64_t t0, int64_t t1, uint32_t of)
{
	struct work_point *p = &w->v[w->n];
	p[0] = (struct work_point){.t = t0, .start = t0, .g = g};
	p[1] = (struct work_point){.t = t1, .start = t0, .g = g, .end = 1};
	p[0].of = p[1].of = of & (UINT32_MAX >> 1);
	w->n += 2;
}

static int point_cmp(const void *a, const void *b)
{
	const struct work_point *x = a, *y = b;
	if (x->g != y->g)
		return x->g < y->g ? -1 : 1;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return (int)y->end - (int)x->end;
}

void work_points_sort(struct work_points *w)
{
	if (w->n)
		qsort(w->v, w->n, sizeof *w->v, point_cmp);
}

/* ---- tables */

struct class_table class_table_new(uint32_t n, const int64_t *ns, struct arena *mem)
{
	struct class_table t = {.n = n};
	for (int c = 0; c < TIME_CLASS__N; c++)
		if (!ns || ns[c])
			t.col[t.ncol++] = (enum time_class)c;
	t.ns = arena_zalloc(mem, ((size_t)n * (size_t)t.ncol + 1) * sizeof *t.ns);
	return t;
}

/* Return where the time of a class is added; NULL: the table has no column for it. */
static int64_t *cell_of(const struct class_sums *p, uint32_t row, enum time_class c)
{
	return p->col[c] < 0 ? NULL : &p->to->ns[(size_t)row * (size_t)p->to->ncol + (size_t)p->col[c]];
}

static void add_to(const struct class_sums *p, uint32_t row, enum time_class c, int64_t ns)
{
	int64_t *to = cell_of(p, row, c);
	if (to)
		*to = wrap_add(*to, ns);
}

/* ---- sums */

static uint32_t first_point(const struct work_points *w, trk_id g)
{
	struct bsearch_probe h = {.hi = w->n};
	while (bsearch_probe(&h))
		bsearch_narrow(&h, w->v[h.at].g < g);
	return (uint32_t)h.lo;
}

/* A range that ends with the trace may end in a wait: the part of that wait in the range is still blocked. */
static void move_still_blocked(const struct class_sums *p, const struct open_sums *o, const struct work_point *end)
{
	int64_t ns = o->waited < end->t - end->start ? o->waited : end->t - end->start;
	add_to(p, end->of, o->wait, -ns);
	add_to(p, end->of, TIME_STILL_BLOCKED, ns);
}

/* Apply the points up to the time t, at which the sums are o->ns. */
static void pass_points(struct class_sums *p, struct open_sums *o, trk_id g, int64_t t)
{
	const struct work_point *v = p->w.v;
	for (; o->next < p->w.n && v[o->next].g == g && v[o->next].t <= t; o->next++) {
		const struct work_point *x = &v[o->next];
		o->open += x->end ? -1u : 1u;
		for (int i = 0; i < p->to->ncol; i++) {
			enum time_class c = p->to->col[i];
			add_to(p, x->of, c, x->end ? o->ns[c] : wrap_sub(0, o->ns[c]));
		}
		if (x->end && x->t == p->sn->t1)
			move_still_blocked(p, o, x);
	}
}

/* Is there a point of the goroutine before t? */
static bool has_point_before(const struct class_sums *p, const struct open_sums *o, trk_id g, int64_t t)
{
	return o->next < p->w.n && p->w.v[o->next].g == g && p->w.v[o->next].t < t;
}

static void add_interval(struct class_sums *p, struct open_sums *o, const struct sheet *sh, uint32_t row, uint32_t i,
    enum time_class c)
{
	int64_t t = trace_interval_start(p->sn, sh, row, i), end = sheet_end(sh, row, i);
	pass_points(p, o, sh->trk[row], t);
	if (!trace_interval_continues(p->sn, sh, row, i))
		o->waited = 0;
	o->waited += state_is_wait((enum tstate)(sh->state[i] & SHEET_STATE)) ? end - t : 0;
	o->wait = c;
	while (has_point_before(p, o, sh->trk[row], end)) {
		int64_t at = p->w.v[o->next].t;
		o->ns[c] += at - t;
		t = at;
		pass_points(p, o, sh->trk[row], t);
	}
	o->ns[c] += end - t;
}

/* Return the sums of a goroutine with points; NULL: it has no more. */
static struct open_sums *sums_of(struct class_sums *p, trk_id g)
{
	if (p->slot[g])
		return p->slot[g] == PASSED ? NULL : &p->v[p->slot[g] - 1];
	uint32_t next = first_point(&p->w, g);
	if (p->nunused) {
		p->slot[g] = p->unused[--p->nunused] + 1;
	} else {
		p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
		p->slot[g] = (uint32_t)++p->n;
	}
	p->v[p->slot[g] - 1] = (struct open_sums){.next = next};
	return &p->v[p->slot[g] - 1];
}

void class_sums_row(struct class_sums *p, const struct sheet *sh, uint32_t row, struct class_cache *cache)
{
	trk_id g = sh->trk[row];
	struct open_sums *o = p->any[g >> 3] >> (g & 7) & 1 ? sums_of(p, g) : NULL;
	if (!o || (!o->open && !has_point_before(p, o, g, sh->t1 + 1)))
		return;
	for (uint32_t i = sh->first[row]; i < sh->first[row + 1]; i++)
		add_interval(p, o, sh, row, i, class_cache_of(cache, sh, i));
	pass_points(p, o, g, sh->t1);
	if (o->next < p->w.n && p->w.v[o->next].g == g)
		return;
	p->unused = mem_grow(p->unused, &p->cunused, p->nunused + 1, sizeof *p->unused);
	p->unused[p->nunused++] = p->slot[g] - 1;
	p->slot[g] = PASSED;
}

struct class_sums *class_sums_new(const struct snap *sn, struct work_points w, struct class_table *to)
{
	struct class_sums *p = xcalloc(1, sizeof *p);
	p->sn = sn;
	p->w = w;
	p->to = to;
	for (int c = 0; c < TIME_CLASS__N; c++)
		p->col[c] = -1;
	for (int i = 0; i < to->ncol; i++)
		p->col[to->col[i]] = i;
	p->slot = xcalloc(sn->ntrks + 1u, sizeof *p->slot);
	p->any = xcalloc(sn->ntrks / 8 + 1u, 1);
	for (uint32_t i = 0; i < w.n; i++)
		p->any[w.v[i].g >> 3] |= (uint8_t)(1u << (w.v[i].g & 7));
	return p;
}

/* Set the unknown time of each row to what its ranges have more than its classes. */
static void set_unknown(struct class_sums *p)
{
	const struct class_table *t = p->to;
	if (p->col[TIME_UNKNOWN] < 0)
		return;
	for (uint32_t r = 0; r < t->n; r++) {
		*cell_of(p, r, TIME_UNKNOWN) = 0;
		for (int i = 0; i < t->ncol; i++)
			if (t->col[i] != TIME_UNKNOWN)
				add_to(p, r, TIME_UNKNOWN, wrap_sub(0, *cell_of(p, r, t->col[i])));
	}
	for (uint32_t i = 0; i < p->w.n; i++)
		if (p->w.v[i].end)
			add_to(p, p->w.v[i].of, TIME_UNKNOWN, wrap_sub(p->w.v[i].t, p->w.v[i].start));
}

void class_sums_finish(struct class_sums *p)
{
	for (trk_id g = 0; g < p->sn->ntrks; g++)	/* ranges that end after the last sheet of their goroutine */
		if (p->slot[g] && p->slot[g] != PASSED)
			pass_points(p, &p->v[p->slot[g] - 1], g, INT64_MAX);
	set_unknown(p);
	mem_free(p->unused);
	mem_free(p->v);
	mem_free(p->any);
	mem_free(p->slot);
	mem_free(p);
}
